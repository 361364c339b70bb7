//! A payment by EIP-3009 authorization, and what is checked of it before anybody is asked (X402 §4.2).

use chrono::{DateTime, TimeDelta, Utc};
use num_bigint::BigUint;
use serde_json::Value;

use super::super::chain::Chain;
use super::eip712::{Address, Authorization};
use super::refusal::{Refusal, invalid_payload};
use super::requirements::Requirements;
use super::wire;

/// The least time that must be left: verifying, working and settling must fit (X402 rule 15).
pub(crate) const MIN_LEFT: TimeDelta = TimeDelta::seconds(120);
/// By how much a client's clock may be ahead (X402 rule 24).
pub(crate) const MAX_SKEW: TimeDelta = TimeDelta::minutes(10);
/// The longest signature that is passed on: those of contract wallets.
const MAX_SIGNATURE: usize = 8 << 10;

/// What was found good.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    /// What was signed.
    pub(crate) authorization: Authorization,
    /// Until when it can be settled.
    pub(crate) valid_before: DateTime<Utc>,
}

/// Checks what can be known without asking: form, recipient, value, time, and the signature of an
/// ordinary account.
pub(crate) fn check(
    payload: &Value,
    ours: &Requirements,
    now: DateTime<Utc>,
) -> Result<Checked, Refusal> {
    // Other ways to transfer, which we do not offer.
    if payload.get("permit2Authorization").is_some() || payload.get("delegationManager").is_some() {
        return Err(Refusal::no_match());
    }
    let (authorization, signature) = read(payload)?;
    let pay_to = Address::parse(&ours.pay_to).ok_or_else(Refusal::no_match)?;
    let amount = BigUint::parse_bytes(ours.amount.as_bytes(), 10);
    if authorization.to != pay_to || Some(&authorization.value) != amount.as_ref() {
        return Err(Refusal::no_match());
    }
    if authorization.from == pay_to {
        return Err(Refusal::pay("self_send_not_allowed"));
    }
    let valid_before = check_time(&authorization, ours.max_timeout_seconds, now)?;
    if !may_be_signed(&authorization, &signature, ours.chain) {
        return Err(Refusal::pay("invalid_exact_evm_signature"));
    }
    Ok(Checked { authorization, valid_before })
}

/// What was signed for a chain, whatever it says: for payments that were here before.
pub(crate) fn signed(payload: &Value, chain: &Chain) -> Option<Authorization> {
    let (authorization, signature) = read(payload).ok()?;
    may_be_signed(&authorization, &signature, chain).then_some(authorization)
}

/// Whether it is the payer's signature, as far as we can tell: longer ones are a contract's, which the
/// facilitator can ask and we cannot.
fn may_be_signed(authorization: &Authorization, signature: &[u8], chain: &Chain) -> bool {
    match <&[u8; 65]>::try_from(signature) {
        Ok(signature) => authorization.signer(chain, signature) == Some(authorization.from),
        Err(_) => true,
    }
}

fn check_time(
    authorization: &Authorization,
    max_timeout_seconds: u64,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, Refusal> {
    let instant = |seconds: u64| {
        i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0))
    };
    match instant(authorization.valid_after) {
        Some(valid_after) if valid_after <= now => {}
        _ => return Err(Refusal::pay("invalid_exact_evm_payload_authorization_valid_after")),
    }
    let latest = i64::try_from(max_timeout_seconds).ok().and_then(TimeDelta::try_seconds);
    let latest = latest.and_then(|timeout| now.checked_add_signed(timeout + MAX_SKEW));
    match (instant(authorization.valid_before), latest) {
        (Some(valid_before), Some(latest))
            if valid_before >= now + MIN_LEFT && valid_before <= latest =>
        {
            Ok(valid_before)
        }
        _ => Err(Refusal::pay("invalid_exact_evm_payload_authorization_valid_before")),
    }
}

fn read(payload: &Value) -> Result<(Authorization, Vec<u8>), Refusal> {
    let wrong = |what: &str| Refusal::from(invalid_payload(what));
    let fields = payload
        .get("authorization")
        .filter(|it| it.is_object())
        .ok_or_else(|| wrong("payload has no authorization"))?;
    let text = |name: &str| {
        fields[name].as_str().ok_or_else(|| wrong(&format!("authorization.{name} is no text")))
    };
    let address = |name: &str| {
        Address::parse(text(name)?)
            .ok_or_else(|| wrong(&format!("authorization.{name} is no address")))
    };
    let number = |name: &str| {
        let digits = text(name)?;
        let number = Some(digits).filter(|it| wire::is_amount(it));
        number
            .and_then(|digits| BigUint::parse_bytes(digits.as_bytes(), 10))
            .ok_or_else(|| wrong(&format!("authorization.{name} is no number in decimal digits")))
    };
    // A time beyond 64 bits is as good as never; the checks of time refuse it.
    let seconds = |name: &str| Ok::<_, Refusal>(u64::try_from(number(name)?).unwrap_or(u64::MAX));
    let authorization = Authorization {
        from: address("from")?,
        to: address("to")?,
        value: number("value")?,
        valid_after: seconds("validAfter")?,
        valid_before: seconds("validBefore")?,
        nonce: wire::hex_array(text("nonce")?)
            .ok_or_else(|| wrong("authorization.nonce is not 32 bytes"))?,
    };
    let signature = payload["signature"].as_str().and_then(wire::hex);
    let signature = signature.filter(|it| (65..=MAX_SIGNATURE).contains(&it.len()));
    Ok((authorization, signature.ok_or_else(|| wrong("payload.signature is no signature"))?))
}
