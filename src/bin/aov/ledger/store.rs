//! The ledger over any database of [`sql`](super::sql): verifications and allowances here, payments
//! in `payments`.

mod payments;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};

use agent_output_verifier::score::is_reserved;

use super::sql::{Backend, Database, Fault, Row, Value};
use super::{
    ClaimToken, Claimed, Ledger, LedgerError, PaymentKey, PaymentLimits, PaymentRecord,
    PaymentState, Taken, Verification,
};

/// How long an answer may be asked for again after its payment was settled (X402 rule 13).
const ANSWERS_KEPT: TimeDelta = TimeDelta::hours(24);
/// How long a payment is kept after it can no longer be settled.
const PAST_VALIDITY: TimeDelta = TimeDelta::hours(1);

/// A ledger in a database.
#[derive(Debug)]
pub(crate) struct Store<B> {
    pub(super) backend: B,
}

fn insert_verification(db: &mut dyn Database, verification: &Verification) -> Result<(), Fault> {
    let Verification { verification_id, agent_id, at, passed } = verification;
    db.execute(
        "INSERT INTO aov_verification (id, agent_id, at, passed) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO NOTHING",
        &[(&**verification_id).into(), (&**agent_id).into(), (*at).into(), (*passed).into()],
    )?;
    Ok(())
}

fn verification(mut row: Row) -> Result<Verification, Fault> {
    Ok(Verification {
        verification_id: row.text()?,
        agent_id: row.text()?,
        at: row.time()?,
        passed: row.integer()? != 0,
    })
}

fn one<T>(rows: Vec<Row>, read: impl Fn(Row) -> Result<T, Fault>) -> Result<Option<T>, Fault> {
    rows.into_iter().next().map(read).transpose()
}

/// Days as texts, so that people can read the table.
fn day_text(day: NaiveDate) -> Value {
    Value::Text(day.to_string())
}

impl<B: Backend> Store<B> {
    fn owned(client: &str, day: NaiveDate) -> [Value; 2] {
        [day_text(day), client.into()]
    }
}

impl<B: Backend> Ledger for Store<B> {
    fn record(&self, verification: &Verification) -> Result<(), LedgerError> {
        self.record_all(std::slice::from_ref(verification))
    }

    fn record_all(&self, verifications: &[Verification]) -> Result<(), LedgerError> {
        let real = verifications.iter().filter(|it| !is_reserved(&it.agent_id));
        let real: Vec<_> = real.cloned().collect();
        if real.is_empty() {
            return Ok(());
        }
        self.backend.write(move |db| real.iter().try_for_each(|it| insert_verification(db, it)))
    }

    fn history(&self, agent_id: &str) -> Result<Vec<Verification>, LedgerError> {
        let agent: Value = agent_id.into();
        self.backend.read(move |db| {
            let rows = db.query(
                "SELECT id, agent_id, at, passed FROM aov_verification WHERE agent_id = ?1
                 ORDER BY at, id",
                std::slice::from_ref(&agent),
            )?;
            rows.into_iter().map(verification).collect()
        })
    }

    fn take(&self, client: &str, day: NaiveDate, limit: u32) -> Result<Taken, LedgerError> {
        if limit == 0 {
            return Ok(Taken::Exhausted);
        }
        let [day, client] = Self::owned(client, day);
        let parameters = [day, client, limit.into()];
        self.backend.write(move |db| {
            // One statement: the row is locked from the comparison to the end.
            let rows = db.query(
                "INSERT INTO aov_allowance AS known (day, client, used) VALUES (?1, ?2, 1)
                 ON CONFLICT (day, client) DO UPDATE SET used = known.used + 1
                 WHERE known.used < ?3 RETURNING used",
                &parameters,
            )?;
            let used = one(rows, |mut row| row.count::<u32>())?;
            Ok(match used {
                Some(used) => Taken::Yes { remaining: limit.saturating_sub(used) },
                None => Taken::Exhausted,
            })
        })
    }

    fn give_back(&self, client: &str, day: NaiveDate) -> Result<(), LedgerError> {
        let parameters = Self::owned(client, day);
        self.backend.write(move |db| {
            db.execute(
                "UPDATE aov_allowance SET used = used - 1
                 WHERE day = ?1 AND client = ?2 AND used > 0",
                &parameters,
            )?;
            Ok(())
        })
    }

    fn used(&self, client: &str, day: NaiveDate) -> Result<u32, LedgerError> {
        let parameters = Self::owned(client, day);
        self.backend.read(move |db| {
            let rows = db.query(
                "SELECT used FROM aov_allowance WHERE day = ?1 AND client = ?2",
                &parameters,
            )?;
            Ok(one(rows, |mut row| row.count())?.unwrap_or(0))
        })
    }

    fn claim(
        &self,
        record: &PaymentRecord,
        token: &ClaimToken,
        limits: PaymentLimits,
        now: DateTime<Utc>,
    ) -> Result<Claimed, LedgerError> {
        let (record, token) = (record.clone(), token.clone());
        self.backend.write(move |db| payments::claim(db, &record, &token, limits, now))
    }

    fn begin_settlement(
        &self,
        key: &PaymentKey,
        token: &ClaimToken,
        answer: &str,
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, LedgerError> {
        let parameters =
            [(&*key.0).into(), (&*token.0).into(), answer.into(), lease_until.into(), now.into()];
        self.backend.write(move |db| {
            let changed = db.execute(
                "UPDATE aov_payment
                 SET state = 'settling', answer = ?3, lease_until = ?4, updated = ?5
                 WHERE payment_key = ?1 AND token = ?2 AND state = 'claimed'",
                &parameters,
            )?;
            Ok(changed == 1)
        })
    }

    fn settled(
        &self,
        key: &PaymentKey,
        settlement: &str,
        now: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        let parameters = [(&*key.0).into(), settlement.into(), now.into()];
        self.backend.write(move |db| {
            let changed = db.execute(
                "UPDATE aov_payment SET state = 'settled', settlement = ?2, updated = ?3,
                 payload = NULL, reason = NULL, token = NULL
                 WHERE payment_key = ?1 AND state IN ('settling', 'unknown')",
                &parameters,
            )?;
            payments::unless_settled(db, &parameters[0], changed)
        })
    }

    fn unknown(
        &self,
        key: &PaymentKey,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        let parameters = [(&*key.0).into(), reason.into(), now.into()];
        self.backend.write(move |db| {
            let changed = db.execute(
                "UPDATE aov_payment SET state = 'unknown', reason = ?2, updated = ?3, lease_until = ?3
                 WHERE payment_key = ?1 AND state IN ('settling', 'unknown')",
                &parameters,
            )?;
            payments::unless_settled(db, &parameters[0], changed)
        })
    }

    fn release(&self, key: &PaymentKey, token: &ClaimToken) -> Result<(), LedgerError> {
        let parameters = [(&*key.0).into(), (&*token.0).into()];
        self.backend.write(move |db| {
            db.execute(
                "DELETE FROM aov_payment
                 WHERE payment_key = ?1 AND token = ?2 AND state <> 'settled'",
                &parameters,
            )?;
            Ok(())
        })
    }

    fn hold(
        &self,
        key: &PaymentKey,
        token: &ClaimToken,
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<PaymentRecord>, LedgerError> {
        let parameters = [(&*key.0).into(), (&*token.0).into(), lease_until.into(), now.into()];
        self.backend.write(move |db| {
            let changed = db.execute(
                "UPDATE aov_payment SET token = ?2, lease_until = ?3
                 WHERE payment_key = ?1 AND state IN ('settling', 'unknown') AND lease_until <= ?4",
                &parameters,
            )?;
            if changed == 0 { Ok(None) } else { payments::by_key(db, &parameters[0]) }
        })
    }

    fn payment(&self, key: &PaymentKey) -> Result<Option<PaymentRecord>, LedgerError> {
        let key = (&*key.0).into();
        self.backend.read(move |db| payments::by_key(db, &key))
    }

    fn payment_by_identifier(
        &self,
        payer: &str,
        identifier: &str,
        other_than: &PaymentKey,
    ) -> Result<Option<PaymentRecord>, LedgerError> {
        let parameters = [payer.into(), identifier.into(), (&*other_than.0).into()];
        self.backend.read(move |db| payments::by_identifier(db, &parameters))
    }

    fn payments(
        &self,
        state: Option<PaymentState>,
        limit: u32,
    ) -> Result<Vec<PaymentRecord>, LedgerError> {
        self.backend.read(move |db| payments::newest(db, state, limit))
    }

    fn payment_counts(&self) -> Result<[u64; 4], LedgerError> {
        self.backend.read(payments::counts)
    }

    fn tidy(&self, now: DateTime<Utc>) -> Result<u64, LedgerError> {
        // Yesterday's is kept: another server's clock may be a little behind.
        let today = now.date_naive();
        let oldest = day_text(today.checked_sub_days(Days::new(1)).unwrap_or(today));
        self.backend.write(move |db| {
            let over = Value::from(now - PAST_VALIDITY);
            let mut touched = db.execute(
                "DELETE FROM aov_payment
                 WHERE state = 'claimed' AND valid_before <= ?1 AND lease_until <= ?2",
                &[over.clone(), now.into()],
            )?;
            touched += db.execute(
                "UPDATE aov_payment SET answer = NULL
                 WHERE state = 'settled' AND answer IS NOT NULL
                 AND valid_before <= ?1 AND updated <= ?2",
                &[over, (now - ANSWERS_KEPT).into()],
            )?;
            db.execute("DELETE FROM aov_allowance WHERE day < ?1", std::slice::from_ref(&oldest))?;
            Ok(touched)
        })
    }

    fn ping(&self) -> Result<(), LedgerError> {
        // The tables too, not only the database.
        self.backend.read(|db| db.query("SELECT used FROM aov_allowance LIMIT 1", &[]).map(drop))
    }
}
