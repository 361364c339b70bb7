//! What a server wants to be paid: the x402 object in `Payment-Required`, for people.

use agent_output_verifier::json::{Document, MAX_DEPTH, Node, read};
use agent_output_verifier::text::{MAX_ECHO, cut};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::remote::Asked;
use crate::args::Format;
use crate::term;

/// Ways to pay that are shown.
const MAX_WAYS: usize = 8;

/// A currency that is known: network and asset, and what people call them (X402 §1). All have six
/// decimals.
const USDC: [(&str, &str, &str); 4] = [
    ("eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "Base"),
    ("eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "Base Sepolia, a test network"),
    (
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        "Solana",
    ),
    (
        "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
        "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
        "Solana devnet, a test network",
    ),
];
const USDC_DECIMALS: usize = 6;

/// Price and networks; or why they are not known.
pub(super) fn show(asked: &Asked<'_>, field: Option<&str>) -> Result<String, String> {
    let base = term::safe(asked.base);
    let unclear = || format!("{base} wants to be paid, and does not say what in a way aov knows");
    let required = field.and_then(decode).ok_or_else(unclear)?;
    let ways = required.root().get("accepts").map(ways).unwrap_or_default();
    if ways.is_empty() {
        return Err(unclear());
    }
    Ok(match asked.format {
        Format::Json => format!("{{\"payment_required\":{}}}\n", required.root().source().trim()),
        Format::Human => format!(
            "payment required: {}\n  nothing was paid; the price is of {base}, for the score of {}\n",
            ways.join(", or "),
            term::safe(&cut(asked.agent_id, 5 * MAX_ECHO))
        ),
    })
}

fn decode(field: &str) -> Option<Document> {
    let document = read(STANDARD.decode(field.trim()).ok()?, MAX_DEPTH).ok()?;
    document.root().get("accepts")?;
    Some(document)
}

fn ways(accepts: Node<'_>) -> Vec<String> {
    let text = |way: Node<'_>, name: &str| {
        way.get(name).and_then(Node::as_str).map(|text| cut(text, 80).into_owned())
    };
    let way = |way: Node<'_>| {
        let (network, asset) = (text(way, "network")?, text(way, "asset")?);
        Some(priced(&text(way, "amount")?, &asset, &network))
    };
    accepts.elements().filter_map(way).take(MAX_WAYS).collect()
}

fn priced(amount: &str, asset: &str, network: &str) -> String {
    let known = USDC.iter().find(|(at, of, _)| *at == network && of.eq_ignore_ascii_case(asset));
    match (known, decimal(amount)) {
        (Some((_, _, name)), Some(amount)) => format!("{amount} USDC on {name} ({network})"),
        _ => term::safe(&format!("{amount} units of {asset} on {network}")).into_owned(),
    }
}

/// Atomic units as a number of coins: `10000` is `0.01`.
fn decimal(amount: &str) -> Option<String> {
    if amount.is_empty() || !amount.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let padded = format!("{amount:0>width$}", width = USDC_DECIMALS + 1);
    let (whole, fraction) = padded.split_at(padded.len() - USDC_DECIMALS);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.trim_end_matches('0');
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_as_coins() {
        for (atomic, coins) in [
            ("10000", "0.01"),
            ("20000", "0.02"),
            ("1", "0.000001"),
            ("0", "0"),
            ("1000000", "1"),
            ("123456789", "123.456789"),
            ("0001000000", "1"),
        ] {
            assert_eq!(decimal(atomic).as_deref(), Some(coins));
        }
        for bad in ["", "-1", "1e6", "0x10", "1.5", " 1"] {
            assert_eq!(decimal(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_a_known_asset_is_called_by_its_name() {
        let base = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
        assert_eq!(priced("10000", base, "eip155:8453"), "0.01 USDC on Base (eip155:8453)");
        let other = priced("10000", "0xdead", "eip155:8453");
        assert_eq!(other, "10000 units of 0xdead on eip155:8453");
        assert!(priced("10000", base, "eip155:1").contains("units of"));
    }
}
