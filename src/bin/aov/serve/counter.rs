//! The counter at which everything is sold.

use serde_json::Value;

use super::money::MicroUsd;
use super::problem::Problem;
use super::service::{Answer, Call, Resource};

/// What is sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A verification.
    Verify,
    /// A score.
    Score,
}

/// What is asked for it, through which door.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer<'c> {
    /// What.
    pub(crate) operation: Operation,
    /// For how much.
    pub(crate) price: MicroUsd,
    /// Where, which the payment requirements name.
    pub(crate) resource: Resource<'c>,
}

/// Takes payments (X402 §4). Without one the server is free.
pub(crate) trait Gate: Send + Sync {
    /// The `PaymentRequired` object of an offer, with this text as its `error`; a problem where no
    /// network can be offered now (X402 §4.3).
    fn required(&self, offer: &Offer<'_>, error: &str) -> Result<Value, Problem>;

    /// Takes the payment of a call, which has one: verify, `work`, settle, release. `work` makes the
    /// signed body, once at most; where it fails nothing is settled.
    fn pay(
        &self,
        call: &Call<'_>,
        offer: &Offer<'_>,
        work: &mut dyn FnMut() -> Result<String, Problem>,
    ) -> Answer;
}
