//! Payments: who may work on one, and what is known of it (X402 §4 and §8).

use agent_output_verifier::receipt::hashes::Sha256Hex;
use chrono::{DateTime, Utc};

use super::super::sql::{Database, Fault, Row, Value};
use super::super::{ClaimToken, Claimed, PaymentKey, PaymentLimits, PaymentRecord, PaymentState};
use super::one;

/// The columns of a record, in the order in which [`record`] reads them.
macro_rules! columns {
    () => {
        "payment_key, state, fingerprint, payer, network, amount, resource, identifier, \
         valid_before, created, updated, lease_until, payload, answer, settlement, reason"
    };
}

fn record(mut row: Row) -> Result<PaymentRecord, Fault> {
    Ok(PaymentRecord {
        key: PaymentKey(row.text()?),
        state: {
            let name = row.text()?;
            let known = PaymentState::ALL.into_iter().find(|state| state.name() == name);
            known.ok_or_else(Fault::damaged)?
        },
        fingerprint: Sha256Hex::parse(&row.text()?).ok_or_else(Fault::damaged)?,
        payer: row.text()?,
        network: row.text()?,
        amount: row.text()?,
        resource: row.text()?,
        identifier: row.optional_text()?,
        valid_before: row.time()?,
        created: row.time()?,
        updated: row.time()?,
        lease_until: row.time()?,
        payload: row.optional_text()?,
        answer: row.optional_text()?,
        settlement: row.optional_text()?,
        reason: row.optional_text()?,
    })
}

/// The values of a claim, in the order of the columns, and the token behind them.
fn values(record: &PaymentRecord, token: &ClaimToken) -> [Value; 17] {
    [
        (&*record.key.0).into(),
        PaymentState::Claimed.name().into(),
        record.fingerprint.as_str().into(),
        (&*record.payer).into(),
        (&*record.network).into(),
        (&*record.amount).into(),
        (&*record.resource).into(),
        record.identifier.as_deref().into(),
        record.valid_before.into(),
        record.created.into(),
        record.updated.into(),
        record.lease_until.into(),
        record.payload.as_deref().into(),
        record.answer.as_deref().into(),
        record.settlement.as_deref().into(),
        record.reason.as_deref().into(),
        (&*token.0).into(),
    ]
}

/// See [`Ledger::claim`](super::Ledger::claim).
pub(super) fn claim(
    db: &mut dyn Database,
    record: &PaymentRecord,
    token: &ClaimToken,
    limits: PaymentLimits,
    now: DateTime<Utc>,
) -> Result<Claimed, Fault> {
    // The limits are over all payments, so claims come one after the other.
    db.serialize()?;
    let key = (&*record.key.0).into();
    let mut record = record.clone();
    if let Some(known) = by_key(db, &key)? {
        if known.state != PaymentState::Claimed || known.lease_until > now {
            return Ok(Claimed::Known(Box::new(known)));
        }
        // Nothing was settled, so it starts anew, but for when it came first.
        record.created = known.created;
        // Whoever had it may have come back to settle in between.
        let freed = db.execute(
            "DELETE FROM aov_payment
             WHERE payment_key = ?1 AND state = 'claimed' AND lease_until <= ?2",
            &[key.clone(), now.into()],
        )?;
        if freed == 0 {
            let known = by_key(db, &key)?.ok_or_else(|| Fault::Undone("it changes".to_owned()))?;
            return Ok(Claimed::Known(Box::new(known)));
        }
    } else if is_full(db, &record, limits, now)? {
        // Only what can never be settled makes room (X402 rule 13).
        let dead = db.execute(
            "DELETE FROM aov_payment
             WHERE state = 'claimed' AND lease_until <= ?1 AND valid_before < ?1",
            &[now.into()],
        )?;
        if dead == 0 || is_full(db, &record, limits, now)? {
            return Ok(Claimed::Full);
        }
    }
    db.execute(
        concat!(
            "INSERT INTO aov_payment (",
            columns!(),
            ", token) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
             ?16, ?17)"
        ),
        &values(&record, token),
    )?;
    Ok(Claimed::Yes)
}

fn is_full(
    db: &mut dyn Database,
    record: &PaymentRecord,
    limits: PaymentLimits,
    now: DateTime<Utc>,
) -> Result<bool, Fault> {
    // An unknown one that can no longer be charged keeps nobody busy, but stays.
    let rows = db.query(
        "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN payer = ?1 THEN 1 ELSE 0 END), 0) AS BIGINT)
         FROM aov_payment
         WHERE state IN ('claimed', 'settling') OR (state = 'unknown' AND valid_before > ?2)",
        &[(&*record.payer).into(), now.into()],
    )?;
    let open = one(rows, |mut row| Ok((row.count::<u64>()?, row.count::<u64>()?)))?;
    let (open, of_payer) = open.ok_or_else(Fault::damaged)?;
    Ok(open >= limits.open.into() || of_payer >= limits.open_per_payer.into())
}

/// The end of a change that must have met an open settlement. One that is settled already is left
/// as it is; any other that is not there would be money without a trace.
pub(super) fn unless_settled(
    db: &mut dyn Database,
    key: &Value,
    changed: u64,
) -> Result<(), Fault> {
    if changed == 1 {
        return Ok(());
    }
    match by_key(db, key)?.map(|record| record.state) {
        Some(PaymentState::Settled) => Ok(()),
        Some(_) => Err(Fault::Failed("the payment was not being settled".to_owned())),
        None => Err(Fault::Failed("the payment is not in it".to_owned())),
    }
}

/// The payment known by a key.
pub(super) fn by_key(db: &mut dyn Database, key: &Value) -> Result<Option<PaymentRecord>, Fault> {
    let sql = concat!("SELECT ", columns!(), " FROM aov_payment WHERE payment_key = ?1");
    one(db.query(sql, std::slice::from_ref(key))?, record)
}

/// The newest payment of this payer and identifier.
pub(super) fn by_identifier(
    db: &mut dyn Database,
    payer_identifier_and_other: &[Value; 3],
) -> Result<Option<PaymentRecord>, Fault> {
    let sql = concat!(
        "SELECT ",
        columns!(),
        " FROM aov_payment WHERE payer = ?1 AND identifier = ?2 AND payment_key <> ?3
         ORDER BY CASE state WHEN 'settled' THEN 0 WHEN 'claimed' THEN 2 ELSE 1 END,
         created, payment_key LIMIT 1"
    );
    one(db.query(sql, payer_identifier_and_other)?, record)
}

/// See [`Ledger::payments`](super::Ledger::payments).
pub(super) fn newest(
    db: &mut dyn Database,
    state: Option<PaymentState>,
    limit: u32,
) -> Result<Vec<PaymentRecord>, Fault> {
    let rows = match state {
        Some(state) => db.query(
            concat!(
                "SELECT ",
                columns!(),
                " FROM aov_payment WHERE state = ?1 ORDER BY created DESC, payment_key LIMIT ?2"
            ),
            &[state.name().into(), limit.into()],
        ),
        None => db.query(
            concat!(
                "SELECT ",
                columns!(),
                " FROM aov_payment ORDER BY created DESC, payment_key LIMIT ?1"
            ),
            &[limit.into()],
        ),
    };
    rows?.into_iter().map(record).collect()
}

/// See [`Ledger::payment_counts`](super::Ledger::payment_counts).
pub(super) fn counts(db: &mut dyn Database) -> Result<[u64; 4], Fault> {
    let mut counts = [0; 4];
    for mut row in db.query("SELECT state, COUNT(*) FROM aov_payment GROUP BY state", &[])? {
        let name = row.text()?;
        let at = PaymentState::ALL.iter().position(|state| state.name() == name);
        counts[at.ok_or_else(Fault::damaged)?] = row.count()?;
    }
    Ok(counts)
}
