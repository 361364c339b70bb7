//! The tables, by version. A step is never changed once it was released; what comes later is a step
//! more. A ledger of a later version than is known here is refused: it may mean something else.

use super::LedgerError;

/// The words in which the databases differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// The type of texts; they are compared byte by byte.
    pub(crate) text: &'static str,
    /// What stands behind the columns of a table that is stored by its key.
    pub(crate) keyed: &'static str,
}

/// From each version to the next. `{text}`, `{keyed}` are those of the dialect.
const STEPS: &[&str] = &[r"
CREATE TABLE aov_verification (
    id {text} NOT NULL PRIMARY KEY,
    agent_id {text} NOT NULL,
    at BIGINT NOT NULL,
    passed BIGINT NOT NULL
){keyed};
CREATE INDEX aov_verification_agent ON aov_verification (agent_id, at, id);

CREATE TABLE aov_allowance (
    day {text} NOT NULL,
    client {text} NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (day, client)
){keyed};

CREATE TABLE aov_payment (
    payment_key {text} NOT NULL PRIMARY KEY,
    state {text} NOT NULL,
    fingerprint {text} NOT NULL,
    payer {text} NOT NULL,
    network {text} NOT NULL,
    amount {text} NOT NULL,
    resource {text} NOT NULL,
    identifier {text},
    valid_before BIGINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    payload {text},
    answer {text},
    settlement {text},
    reason {text},
    token {text}
);
CREATE INDEX aov_payment_state ON aov_payment (state, payer);
CREATE INDEX aov_payment_created ON aov_payment (created);
CREATE INDEX aov_payment_identifier ON aov_payment (payer, identifier);
"];

/// The version that this program writes.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

/// The statements that bring a ledger of this version to [`VERSION`].
pub(crate) fn steps_from(version: i64, dialect: Dialect) -> Result<Vec<String>, LedgerError> {
    let known = usize::try_from(version).ok().and_then(|version| STEPS.get(version..));
    let Some(steps) = known else {
        return Err(LedgerError(format!(
            "it is of version {version}, and this aov knows {VERSION} at most; use a newer aov"
        )));
    };
    let in_dialect =
        |step: &&str| step.replace("{text}", dialect.text).replace("{keyed}", dialect.keyed);
    Ok(steps.iter().map(in_dialect).collect())
}
