//! Paid calls: x402 version 2, scheme `exact`, USDC on Base and Solana.
//!
//! [`gate`] takes a payment in the order of X402 §4 and is the only one that settles; [`reconcile`]
//! finds out about settlements whose end is unknown. Everything else is pure: what is offered
//! ([`requirements`]), what a client sent ([`payment`]), whether the two fit ([`matching`], [`evm`],
//! [`svm`]), and what an answer of a facilitator means ([`verdict`]). Invariants: nobody pays twice,
//! no result leaves unpaid, and nothing of an unsettled payment is shown or logged.

pub(crate) mod bazaar;
pub(crate) mod cdp;
pub(crate) mod eip712;
pub(crate) mod evm;
pub(crate) mod extensions;
pub(crate) mod facilitator;
pub(crate) mod gate;
pub(crate) mod key;
pub(crate) mod matching;
pub(crate) mod payment;
pub(crate) mod proof;
pub(crate) mod reconcile;
pub(crate) mod refusal;
pub(crate) mod requirements;
pub(crate) mod start;
pub(crate) mod supported;
pub(crate) mod svm;
#[cfg(test)]
mod tests;
pub(crate) mod verdict;
pub(crate) mod wire;
