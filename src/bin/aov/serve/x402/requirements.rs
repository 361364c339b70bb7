//! What is asked for a call: `PaymentRequirements`, `ResourceInfo` and `PaymentRequired` (X402 §2).
//!
//! Everything in them is from the configuration (rule 1). Fields that are absent are left out; null
//! never occurs.

use serde_json::{Map, Value, json};

use super::super::chain::{Chain, Family};

/// The only scheme: exactly the price.
pub(crate) const SCHEME: &str = "exact";
/// How long a signed payment shall be good for, and how long MCP clients wait.
pub(crate) const MAX_TIMEOUT_SECONDS: u64 = 300;
/// The longest description that facilitators take; longer ones make a service unpayable (§2.2).
pub(crate) const MAX_DESCRIPTION: usize = 500;

/// One entry of `accepts`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Requirements {
    /// Where, and in which token.
    pub(crate) chain: &'static Chain,
    /// Atomic units, decimal.
    pub(crate) amount: String,
    /// Our wallet.
    pub(crate) pay_to: String,
    /// How long a signed payment shall be good for.
    pub(crate) max_timeout_seconds: u64,
    /// Who pays the fees on Solana.
    pub(crate) fee_payer: Option<String>,
}

/// An entry of `accepts` with what a client may have got from us before.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Offered {
    /// What is offered now.
    pub(crate) requirements: Requirements,
    /// Every fee payer that was offered lately.
    pub(crate) fee_payers: Vec<String>,
}

impl Requirements {
    /// What the network needs beyond the common fields.
    pub(crate) fn extra(&self) -> Value {
        match self.chain.family {
            Family::Evm { name, version } => json!({ "name": name, "version": version }),
            Family::Solana => {
                let fee_payer = self.fee_payer.iter();
                fee_payer.map(|it| ("feePayer".to_owned(), Value::from(&**it))).collect()
            }
        }
    }

    /// As JSON.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "scheme": SCHEME,
            "network": self.chain.id,
            "amount": self.amount,
            "asset": self.chain.usdc,
            "payTo": self.pay_to,
            "maxTimeoutSeconds": self.max_timeout_seconds,
            "extra": self.extra(),
        })
    }
}

/// What is sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResourceInfo {
    /// Its public address; never from a request.
    pub(crate) url: String,
    /// For people and catalogues, at most [`MAX_DESCRIPTION`] characters.
    pub(crate) description: String,
    /// Whose service it is: printable ASCII, at most 32.
    pub(crate) service_name: String,
    /// Words for catalogues.
    pub(crate) tags: &'static [&'static str],
}

impl ResourceInfo {
    /// As JSON.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "url": self.url,
            "description": self.description,
            "mimeType": "application/json",
            "serviceName": self.service_name,
            "tags": self.tags,
        })
    }
}

/// The object of a 402.
pub(crate) fn payment_required(
    error: &str,
    resource: &Value,
    accepts: &[Offered],
    extensions: Map<String, Value>,
) -> Value {
    let accepts: Vec<Value> = accepts.iter().map(|offer| offer.requirements.to_json()).collect();
    let mut object = json!({
        "x402Version": 2,
        "error": error,
        "resource": resource,
        "accepts": accepts,
    });
    if !extensions.is_empty() {
        object["extensions"] = extensions.into();
    }
    object
}
