//! A payment by a Solana transaction. No more is read of it than what it is known by and who signs:
//! whether it pays is for the facilitator to say (X402 §4.2).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::refusal::{Refusal, invalid_payload};
use super::requirements::Requirements;

/// The largest transaction there is.
const MAX_TRANSACTION: usize = 1232;
/// The array of two signatures, with its length before it.
const SIGNATURES: usize = 1 + 2 * 64;
/// The first byte of a message of version 0.
const VERSION_0: u8 = 0x80;
const KEY: usize = 32;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    /// What is signed: everything behind the signatures.
    pub(crate) message: Vec<u8>,
    /// The second signer.
    pub(crate) payer: String,
}

/// Checks the form, the fee payer and that nobody pays themselves.
pub(crate) fn check(payload: &Value, ours: &Requirements) -> Result<Checked, Refusal> {
    let wrong = |what: &str| Refusal::from(invalid_payload(what));
    let message = message(payload).map_err(wrong)?;
    let (fee_payer, payer) = signers(&message)
        .ok_or_else(|| wrong("payload.transaction is no version 0 transaction of two signers"))?;
    // The transaction is for the fee payer that was accepted, which is one of ours.
    if Some(&fee_payer) != ours.fee_payer.as_ref() {
        return Err(Refusal::no_match());
    }
    if payer == ours.pay_to {
        return Err(Refusal::pay("self_send_not_allowed"));
    }
    Ok(Checked { message, payer })
}

/// What is signed: everything behind the signatures.
pub(crate) fn message(payload: &Value) -> Result<Vec<u8>, &'static str> {
    let transaction = payload["transaction"].as_str().ok_or("payload has no transaction")?;
    // Nothing longer is decoded.
    let bytes = Some(transaction)
        .filter(|it| it.len() <= MAX_TRANSACTION.div_ceil(3) * 4)
        .and_then(|it| STANDARD.decode(it).ok())
        .filter(|it| it.len() <= MAX_TRANSACTION)
        .ok_or("payload.transaction is not base64 of a transaction")?;
    match bytes.split_at_checked(SIGNATURES) {
        Some((signatures, message)) if signatures[0] == 2 => Ok(message.to_vec()),
        _ => Err("payload.transaction does not have two signatures"),
    }
}

/// The first two accounts of a message, which are its signers: the version, three counts, the
/// number of accounts, the accounts.
fn signers(message: &[u8]) -> Option<(String, String)> {
    let (&[version, signers, _, _, accounts], rest) = message.split_first_chunk::<5>()?;
    // A count over 127 takes two bytes, and does not fit into a transaction: 128 * 32 > 1232.
    if version != VERSION_0 || signers != 2 || !(2..128).contains(&accounts) {
        return None;
    }
    let account = |at: usize| Some(bs58::encode(rest.get(at * KEY..(at + 1) * KEY)?).into_string());
    Some((account(0)?, account(1)?))
}
