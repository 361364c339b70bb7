//! The one shape of all errors but 402, on REST and in MCP tool results (SPEC 11, and the hosted
//! service's "Errors"). Input is never echoed.

use agent_output_verifier::invalid::Invalid;
use serde_json::{Map, Value, json};

/// An error as clients see it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    /// Stable, for programs.
    pub(crate) code: &'static str,
    /// For people: what happened and what to do.
    pub(crate) message: String,
    /// The HTTP status, also where HTTP does not carry it.
    pub(crate) status: u16,
    /// After how many seconds the same request can succeed; none if it never will.
    pub(crate) retry_after: Option<u64>,
    /// False, but none where it is not known whether a payment went through.
    pub(crate) charged: Option<bool>,
    /// What the caller can do: the action, and the fields that it is about.
    pub(crate) next_actions: Vec<Value>,
    /// What is wrong with which field: `{field, problem, fix}`.
    pub(crate) fields: Vec<Value>,
    /// More members, behind the others: `transaction` of a settlement whose end is unknown.
    pub(crate) more: Map<String, Value>,
}

impl Problem {
    /// One that is the same for every caller, and final.
    pub(crate) fn new(code: &'static str, status: u16, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            status,
            retry_after: None,
            charged: Some(false),
            next_actions: Vec::new(),
            fields: Vec::new(),
            more: Map::new(),
        }
    }

    /// There is no answer because of a fault here, and perhaps a payment went through before it.
    pub(crate) fn fault(may_be_paid: bool) -> Self {
        if !may_be_paid {
            return Self::new("internal_error", 500, "A fault in the server. Tell its operator.");
        }
        let message = "A fault in the server: it is not known whether the payment went through. Send the same request with the same payment again.";
        let unknown = Self::new("settlement_unknown", 504, message).retry(5);
        Self { charged: None, ..unknown.action("retry_with_same_payment") }
    }

    /// Worth a retry after so many seconds.
    pub(crate) fn retry(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// With something to do.
    pub(crate) fn action(mut self, action: &str) -> Self {
        self.next_actions.push(json!({ "action": action }));
        self
    }

    /// The body.
    pub(crate) fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("code".into(), self.code.into());
        body.insert("message".into(), self.message.clone().into());
        body.insert("status".into(), self.status.into());
        body.insert("retryable".into(), self.retry_after.is_some().into());
        if let Some(seconds) = self.retry_after {
            body.insert("retry_after".into(), seconds.into());
        }
        body.insert("charged".into(), self.charged.into());
        body.insert("next_actions".into(), self.next_actions.clone().into());
        body.insert("fields".into(), self.fields.clone().into());
        body.extend(self.more.clone());
        body.into()
    }
}

impl From<&Invalid> for Problem {
    fn from(invalid: &Invalid) -> Self {
        // One source for the shape: what `aov check` prints with exit code 2.
        let body: Value = serde_json::from_str(&invalid.body().to_line()).unwrap_or_default();
        let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
        let status = body["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        Self {
            next_actions: list("next_actions"),
            fields: list("fields"),
            ..Self::new(invalid.code, status.unwrap_or(422), invalid.message())
        }
    }
}
