//! A payer for tests: signs what it is told, right or wrong.

use chrono::{DateTime, Utc};
use k256::ecdsa::SigningKey;
use num_bigint::BigUint;
use serde_json::{Value, json};

use super::super::super::chain::Chain;
use super::super::eip712::{Address, Authorization};
use super::super::wire;

pub(crate) struct Wallet(SigningKey);

impl Wallet {
    pub(crate) fn new(seed: u8) -> Self {
        Self(SigningKey::from_slice(&[seed; 32]).unwrap())
    }

    pub(crate) fn address(&self) -> Address {
        Address::of(self.0.verifying_key())
    }

    /// What a good client makes of an entry of `accepts`, with this nonce.
    pub(crate) fn authorization(
        &self,
        accepted: &Value,
        nonce: u8,
        now: DateTime<Utc>,
    ) -> Authorization {
        let seconds = u64::try_from(now.timestamp()).unwrap();
        Authorization {
            from: self.address(),
            to: Address::parse(accepted["payTo"].as_str().unwrap()).unwrap(),
            value: BigUint::parse_bytes(accepted["amount"].as_str().unwrap().as_bytes(), 10)
                .unwrap(),
            valid_after: seconds - 600,
            valid_before: seconds + accepted["maxTimeoutSeconds"].as_u64().unwrap(),
            nonce: [nonce; 32],
        }
    }

    /// The `payload` for it.
    pub(crate) fn payload(&self, authorization: &Authorization) -> Value {
        let chain = Chain::of("eip155:8453").unwrap();
        let signature = authorization.sign(chain, &self.0).unwrap();
        json!({
            "signature": wire::to_hex(&signature),
            "authorization": {
                "from": authorization.from.checksummed(),
                "to": authorization.to.checksummed(),
                "value": authorization.value.to_string(),
                "validAfter": authorization.valid_after.to_string(),
                "validBefore": authorization.valid_before.to_string(),
                "nonce": wire::to_hex(&authorization.nonce),
            },
        })
    }
}

/// The whole `PaymentPayload`, echoing what the 402 said.
pub(crate) fn payment(required: &Value, accepted: &Value, payload: Value) -> Value {
    json!({
        "x402Version": 2,
        "resource": required["resource"],
        "accepted": accepted,
        "payload": payload,
        "extensions": required["extensions"],
    })
}
