//! What must outlive a process: verifications by agent, allowances by client and day, payments.
//!
//! One trait, two databases: SQLite for a machine, PostgreSQL for several servers. Invariants:
//! what a method has returned `Ok` for survives `kill -9` and power loss; every method is one
//! transaction, exact under concurrency, also between processes; time is an argument.
#![allow(dead_code, reason = "grows with its users")]

pub(crate) mod open;
mod postgres;
mod schema;
mod sql;
mod sqlite;
mod store;
#[cfg(test)]
pub(crate) mod tests;

use std::fmt;

use agent_output_verifier::receipt::hashes::Sha256Hex;
use chrono::{DateTime, NaiveDate, Utc};

/// One verification of an agent's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verification {
    /// UUID; recorded twice, it counts once.
    pub(crate) verification_id: String,
    /// Whose output it was.
    pub(crate) agent_id: String,
    /// When.
    pub(crate) at: DateTime<Utc>,
    /// Pass or fail.
    pub(crate) passed: bool,
}

/// What taking one call from an allowance came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// One was taken, and so many are left.
    Yes {
        /// Calls left today.
        remaining: u32,
    },
    /// Nothing was left.
    Exhausted,
}

/// How far a payment has come. The order of work is X402 §4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PaymentState {
    /// Somebody works on it; no settlement was asked for, so nothing can have been charged.
    Claimed,
    /// A settlement was about to be asked for; it may have gone through.
    Settling,
    /// Paid. The answer is stored.
    Settled,
    /// A settlement was asked for, and its end is not known (X402 rule 10).
    Unknown,
}

impl PaymentState {
    /// Every state.
    pub(crate) const ALL: [Self; 4] = [Self::Claimed, Self::Settling, Self::Settled, Self::Unknown];

    /// Its name in the database, in lists and in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Settling => "settling",
            Self::Settled => "settled",
            Self::Unknown => "unknown",
        }
    }
}

/// What one payment is known by, from its decoded content (X402 rule 5): for EVM
/// `network|asset|from|nonce` in lower case, for Solana the hash of the message.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PaymentKey(pub(crate) String);

/// Who holds a claim: random, new for each attempt, so that one whose lease ran out cannot settle.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ClaimToken(pub(crate) String);

impl fmt::Debug for ClaimToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClaimToken")
    }
}

/// A payment with what it is for.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PaymentRecord {
    /// What it is known by.
    pub(crate) key: PaymentKey,
    /// How far it has come.
    pub(crate) state: PaymentState,
    /// Which request it is for (SPEC 11.4).
    pub(crate) fingerprint: Sha256Hex,
    /// Who pays.
    pub(crate) payer: String,
    /// CAIP-2.
    pub(crate) network: String,
    /// In atomic units, decimal.
    pub(crate) amount: String,
    /// `POST /verify/schema`, `mcp verify_schema`: for people.
    pub(crate) resource: String,
    /// `info.id` of the extension `payment-identifier`, known per payer.
    pub(crate) identifier: Option<String>,
    /// Until when the authorization can be settled.
    pub(crate) valid_before: DateTime<Utc>,
    /// When it came first.
    pub(crate) created: DateTime<Utc>,
    /// When it last changed.
    pub(crate) updated: DateTime<Utc>,
    /// Until when whoever works on it may be expected to be alive.
    pub(crate) lease_until: DateTime<Utc>,
    /// `{"paymentPayload", "paymentRequirements"}` as sent to the facilitator: anyone could submit
    /// it, so it is in no log, and gone once settled (X402 rule 18).
    pub(crate) payload: Option<String>,
    /// The signed body, kept back until the payment is settled.
    pub(crate) answer: Option<String>,
    /// The `SettleResponse`, JSON.
    pub(crate) settlement: Option<String>,
    /// Why its end is not known.
    pub(crate) reason: Option<String>,
}

impl fmt::Debug for PaymentRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaymentRecord")
            .field("key", &self.key)
            .field("state", &self.state)
            .field("resource", &self.resource)
            .finish_non_exhaustive()
    }
}

/// What a claim came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Claimed {
    /// It is the caller's until the lease ends: either nobody had it, or its claim had run out
    /// before any settlement.
    Yes,
    /// Somebody has it, or had.
    Known(Box<PaymentRecord>),
    /// Too many payments are open (X402 rules 13 and 16).
    Full,
}

/// How many payments may be open at once: claimed, settling, or unknown and still valid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PaymentLimits {
    /// In all.
    pub(crate) open: u32,
    /// Of one payer.
    pub(crate) open_per_payer: u32,
}

/// Why the ledger could not do something: where it is and what happened, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LedgerError(pub(crate) String);

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) use self::postgres::Postgres;
pub(crate) use self::sqlite::Sqlite;

/// The store.
pub(crate) trait Ledger: Send + Sync {
    /// Records a verification, once per id; ids of agents that begin with `test-` never (SPEC 9.1).
    fn record(&self, verification: &Verification) -> Result<(), LedgerError>;

    /// Records several at once: all of them or none.
    fn record_all(&self, verifications: &[Verification]) -> Result<(), LedgerError>;

    /// The verifications of an agent, oldest first.
    fn history(&self, agent_id: &str) -> Result<Vec<Verification>, LedgerError>;

    /// Takes one call from a client's allowance of a day, if any is left.
    fn take(&self, client: &str, day: NaiveDate, limit: u32) -> Result<Taken, LedgerError>;

    /// Gives a call back that was taken and not delivered.
    fn give_back(&self, client: &str, day: NaiveDate) -> Result<(), LedgerError>;

    /// How many calls a client has made on a day.
    fn used(&self, client: &str, day: NaiveDate) -> Result<u32, LedgerError>;

    /// Claims a payment for a request, atomically: of many that claim it at once one gets `Yes`. A
    /// record in state `Claimed` whose lease has ended is taken over. `record.state` is `Claimed`.
    /// Where too many are open, dead claims that can never be settled any more make room first.
    fn claim(
        &self,
        record: &PaymentRecord,
        token: &ClaimToken,
        limits: PaymentLimits,
        now: DateTime<Utc>,
    ) -> Result<Claimed, LedgerError>;

    /// `Claimed` → `Settling`, with the answer to release afterwards. False if the claim is no
    /// longer the caller's: then nothing may be settled.
    fn begin_settlement(
        &self,
        key: &PaymentKey,
        token: &ClaimToken,
        answer: &str,
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, LedgerError>;

    /// `Settling` or `Unknown` → `Settled`; the payload is forgotten. Nothing changes if it is
    /// settled already; if it is not there or only claimed, that is an error.
    fn settled(
        &self,
        key: &PaymentKey,
        settlement: &str,
        now: DateTime<Utc>,
    ) -> Result<(), LedgerError>;

    /// `Settling` → `Unknown`, or the reason of an unknown one renewed; nobody holds it any more.
    /// Otherwise as [`settled`].
    ///
    /// [`settled`]: Ledger::settled
    fn unknown(
        &self,
        key: &PaymentKey,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<(), LedgerError>;

    /// Forgets a payment that is not settled: one that was refused before settlement, or whose
    /// settlement failed for certain. Only by who holds it.
    fn release(&self, key: &PaymentKey, token: &ClaimToken) -> Result<(), LedgerError>;

    /// Takes hold of a `Settling` or `Unknown` payment whose lease has ended, for reconciliation:
    /// one process at a time. None if there is no such payment now.
    fn hold(
        &self,
        key: &PaymentKey,
        token: &ClaimToken,
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<PaymentRecord>, LedgerError>;

    /// The payment known by a key.
    fn payment(&self, key: &PaymentKey) -> Result<Option<PaymentRecord>, LedgerError>;

    /// Another payment than this to which its payer gave this identifier: a settled one if there is
    /// one, else the one that has come furthest.
    fn payment_by_identifier(
        &self,
        payer: &str,
        identifier: &str,
        other_than: &PaymentKey,
    ) -> Result<Option<PaymentRecord>, LedgerError>;

    /// Payments in a state (all without one), newest first, at most so many.
    fn payments(
        &self,
        state: Option<PaymentState>,
        limit: u32,
    ) -> Result<Vec<PaymentRecord>, LedgerError>;

    /// How many payments are in each state of [`PaymentState::ALL`].
    fn payment_counts(&self) -> Result<[u64; 4], LedgerError>;

    /// Forgets what need not be kept (X402 rule 13): claims an hour after `valid_before`, answers of
    /// settled payments after a day and an hour past `valid_before` (the key stays, so that it is
    /// never charged again), allowances of the days before yesterday. How many payments it touched. An unknown
    /// payment is never forgotten by itself.
    fn tidy(&self, now: DateTime<Utc>) -> Result<u64, LedgerError>;

    /// Whether the store answers: for `/health`.
    fn ping(&self) -> Result<(), LedgerError>;
}
