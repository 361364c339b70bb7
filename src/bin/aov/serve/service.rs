//! What is sold, whatever transport brings the question: REST and MCP make a [`Call`], and shape
//! the [`Answer`] in their own way.

use std::net::IpAddr;

use agent_output_verifier::receipt::hashes::Sha256Hex;
use serde_json::Value;

use super::problem::Problem;

/// The question of a client.
#[derive(Debug, Clone)]
pub(crate) struct Call<'c> {
    /// What is asked.
    pub(crate) question: Question<'c>,
    /// Who asks: the address the allowance counts for (SPEC 11.3), a proxy already looked through.
    pub(crate) client: IpAddr,
    /// The payment that came with it, if any.
    pub(crate) payment: Option<Payment<'c>>,
    /// Over method, path and raw body on REST; over the tool's name and the canonical arguments on
    /// MCP: what "the same request" means for a payment (SPEC 11.4).
    pub(crate) fingerprint: Sha256Hex,
    /// Through which door it came, which the payment requirements name.
    pub(crate) resource: Resource<'c>,
}

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question<'c> {
    /// Check this request, a JSON text; none at all is the discovery probe (SPEC 11.1).
    Verify(&'c [u8]),
    /// The score of this agent.
    Score(&'c str),
}

/// The door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource<'c> {
    /// A path of the REST server, with its method.
    Rest {
        /// `POST` or `GET`.
        method: &'static str,
        /// `/verify/schema`, `/score/agent-7`.
        path: &'c str,
    },
    /// A tool over MCP.
    Tool(&'static str),
}

/// A payment as it came.
#[derive(Debug, Clone)]
pub(crate) enum Payment<'c> {
    /// The values of all `Payment-Signature` fields; there is at least one.
    Header(Vec<&'c str>),
    /// `_meta["x402/payment"]`.
    Meta(&'c Value),
}

/// What a client is told.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// What was asked for.
    Served(Served),
    /// An error of the one shape.
    Refused(Problem),
    /// The question is for sale.
    PaymentRequired(PaymentRequired),
}

/// A result, which leaves the process only once it may (X402 rule 7).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Served {
    /// The signed body, a JSON text.
    pub(crate) body: String,
    /// What is left of the allowance, where it paid.
    pub(crate) allowance: Option<AllowanceLeft>,
    /// The `SettleResponse`, where money paid.
    pub(crate) settlement: Option<Value>,
}

/// The state of one client's allowance after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllowanceLeft {
    /// Calls left today.
    pub(crate) remaining: u32,
    /// Calls a day.
    pub(crate) limit: u32,
    /// The next UTC midnight, RFC 3339.
    pub(crate) resets: String,
}

/// The answer 402.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PaymentRequired {
    /// The `PaymentRequired` object of x402.
    pub(crate) required: Value,
    /// `free_trial`: the client's own state (seed, "Free allowance").
    pub(crate) free_trial: Option<Value>,
    /// The `SettleResponse` of a settlement that failed for certain.
    pub(crate) settlement: Option<Value>,
}

/// Answers questions.
pub(crate) trait Service: Send + Sync {
    /// Answers one.
    fn call(&self, call: &Call<'_>) -> Answer;
}
