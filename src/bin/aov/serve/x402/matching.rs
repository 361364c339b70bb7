//! Whether what a client accepted is what we offer (X402 §4.1, rules 1 and 2).

use serde_json::Value;

use super::requirements::{Offered, Requirements};

/// Finds the offer that was accepted. It is compared and never used: what goes on is our own entry,
/// with that fee payer of ours which the client's transaction names.
pub(crate) fn find(accepted: &Value, offers: &[Offered]) -> Option<Requirements> {
    offers.iter().find_map(|offer| matched(accepted, offer))
}

fn matched(accepted: &Value, offer: &Offered) -> Option<Requirements> {
    let ours = &offer.requirements;
    let same = |name: &str, text: &str| accepted[name].as_str() == Some(text);
    let equal = same("scheme", super::requirements::SCHEME)
        && same("network", ours.chain.id)
        && same("amount", &ours.amount)
        && same("asset", ours.chain.usdc)
        && same("payTo", &ours.pay_to)
        && accepted["maxTimeoutSeconds"].as_u64() == Some(ours.max_timeout_seconds);
    if !equal {
        return None;
    }
    let extra = ours.extra();
    let theirs = &accepted["extra"];
    for (name, value) in extra.as_object()? {
        // Both change from one answer of a facilitator to the next.
        if name != "feePayer" && theirs.get(name) != Some(value) {
            return None;
        }
    }
    let mut matched = ours.clone();
    if ours.fee_payer.is_some() {
        let fee_payer = theirs["feePayer"].as_str()?;
        if !offer.fee_payers.iter().any(|known| known == fee_payer) {
            return None;
        }
        matched.fee_payer = Some(fee_payer.to_owned());
    }
    Some(matched)
}
