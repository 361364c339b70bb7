//! What a payment is known by (X402 rule 5): its decoded content, never the header's text and never
//! a signature's bytes, of which there can be several for one payment.

use agent_output_verifier::receipt::hashes::Sha256Hex;

use super::super::chain::{Chain, Family};
use super::eip712::Authorization;
use super::payment::Payment;
use super::{evm, svm};
use crate::ledger::PaymentKey;

/// `network|asset|from|nonce`, in lower case.
pub(crate) fn of_authorization(chain: &Chain, authorization: &Authorization) -> PaymentKey {
    PaymentKey(format!(
        "{}|{}|{}|{}",
        chain.id,
        chain.usdc.to_ascii_lowercase(),
        authorization.from.lower(),
        super::wire::to_hex(&authorization.nonce)
    ))
}

/// The network and the hash of the signed message.
pub(crate) fn of_message(chain: &Chain, message: &[u8]) -> PaymentKey {
    PaymentKey(format!("{}|{}", chain.id, Sha256Hex::of(message).as_str()))
}

/// Of a payment as it came, whether or not anything like it is offered now.
pub(crate) fn of_payment(payment: &Payment) -> Option<PaymentKey> {
    let chain = Chain::of(payment.accepted()["network"].as_str()?)?;
    match chain.family {
        Family::Evm { .. } => {
            Some(of_authorization(chain, &evm::signed(payment.payload(), chain)?))
        }
        Family::Solana => Some(of_message(chain, &svm::message(payment.payload()).ok()?)),
    }
}
