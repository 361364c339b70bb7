//! What an answer of a facilitator means. Its body decides, never its status: a pending settlement
//! comes with 500 from one and with 200 from another (X402 §2.5, rules 9, 17 and 21).

use serde_json::Value;

use super::super::chain::{Chain, Family};
use super::wire;

/// Whether a payment can be settled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verified {
    /// It can, at this moment.
    Valid {
        /// Who pays, if the facilitator says.
        payer: Option<String>,
    },
    /// It cannot.
    Invalid {
        /// Why; one of an open set.
        reason: String,
    },
    /// There is no verdict.
    Unavailable {
        /// Why, for logs.
        why: String,
    },
}

/// What a settlement came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Settled {
    /// Paid.
    Success(Value),
    /// Not paid, for certain; the `SettleResponse`.
    Failed(Value),
    /// The nonce is used: by our own settlement, or by another use of it (X402 rule 11).
    Used(String),
    /// Nobody knows yet.
    Unknown {
        /// Why, for logs and operators.
        why: String,
        /// A transaction that may have paid.
        transaction: Option<String>,
    },
}

/// Reads the answer to `/verify`.
pub(crate) fn verified(status: u16, body: &[u8]) -> Verified {
    let Some(object) = wire::parse(body) else {
        return Verified::Unavailable { why: format!("status {status} without a verdict") };
    };
    match object["isValid"].as_bool() {
        Some(true) => Verified::Valid { payer: object["payer"].as_str().map(wire::foreign) },
        Some(false) => Verified::Invalid {
            reason: reason(&object["invalidReason"], "unexpected_verify_error"),
        },
        None => Verified::Unavailable { why: format!("status {status} without a verdict") },
    }
}

/// Reads the answer to `/settle` of a payment on a chain.
pub(crate) fn settled(status: u16, body: &[u8], chain: &Chain) -> Settled {
    let unknown = |why: String, transaction| Settled::Unknown { why, transaction };
    let Some(object) = wire::parse(body) else {
        return unknown(format!("status {status} without a verdict"), None);
    };
    let transaction = object["transaction"].as_str().filter(|it| is_transaction(it, chain));
    let transaction = transaction.map(str::to_owned);
    match object["success"].as_bool() {
        Some(true) => match transaction {
            Some(transaction) if object["network"].as_str() == Some(chain.id) => {
                Settled::Success(response(true, chain, &transaction, &object))
            }
            transaction => unknown(
                "it reports a success of another network or without a transaction".to_owned(),
                transaction,
            ),
        },
        Some(false) => {
            let reason = reason(&object["errorReason"], "unexpected_settle_error");
            if is_pending(&reason) || transaction.is_some() {
                unknown(reason, transaction)
            } else if reason.ends_with("nonce_already_used") || reason == "duplicate_settlement" {
                Settled::Used(reason)
            } else {
                Settled::Failed(response(false, chain, "", &object))
            }
        }
        None => unknown(format!("status {status} without a verdict"), None),
    }
}

/// Reasons that say "perhaps": they end in unknown.
fn is_pending(reason: &str) -> bool {
    reason == "settlement_pending" || reason.ends_with("_confirmation_timed_out")
}

fn reason(value: &Value, otherwise: &str) -> String {
    match value.as_str().map(wire::foreign) {
        Some(reason) if !reason.is_empty() => reason,
        _ => otherwise.to_owned(),
    }
}

/// The `SettleResponse` that clients get: our own, of what was checked.
fn response(success: bool, chain: &Chain, transaction: &str, theirs: &Value) -> Value {
    let mut response = serde_json::json!({
        "success": success,
        "transaction": transaction,
        "network": chain.id,
    });
    if !success {
        response["errorReason"] = reason(&theirs["errorReason"], "unexpected_settle_error").into();
    }
    for name in ["errorMessage", "payer"] {
        if let Some(text) = theirs[name].as_str() {
            response[name] = wire::foreign(text).into();
        }
    }
    if let Some(amount) = theirs["amount"].as_str().filter(|it| wire::is_amount(it)) {
        response["amount"] = amount.into();
    }
    response
}

/// Whether it is the form in which a chain names transactions.
fn is_transaction(text: &str, chain: &Chain) -> bool {
    match chain.family {
        Family::Evm { .. } => wire::hex_array::<32>(text).is_some(),
        // Base58 of 64 bytes is never longer.
        Family::Solana => {
            text.len() <= 88 && bs58::decode(text).into_vec().is_ok_and(|it| it.len() == 64)
        }
    }
}
