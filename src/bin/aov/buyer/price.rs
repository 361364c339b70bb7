//! What a server wants to be paid: the x402 object in `Payment-Required`, for people.

use agent_output_verifier::json::{Document, MAX_DEPTH, Node, read};
use agent_output_verifier::text::cut;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::args::Format;
use crate::serve::chain::Chain;
use crate::serve::money::MicroUsd;
use crate::term;

/// Ways to pay that are shown.
const MAX_WAYS: usize = 8;

/// Price and networks; or why they are not known. `what` is what is asked for, as people say it.
pub(crate) fn show(
    base: &str,
    what: &str,
    format: Format,
    field: Option<&str>,
) -> Result<String, String> {
    let base = term::safe(base);
    let unclear = || format!("{base} wants to be paid, and does not say what in a way aov knows");
    let required = field.and_then(decode).ok_or_else(unclear)?;
    let ways = required.root().get("accepts").map(ways).unwrap_or_default();
    if ways.is_empty() {
        return Err(unclear());
    }
    Ok(match format {
        Format::Json => format!("{{\"payment_required\":{}}}\n", required.root().source().trim()),
        Format::Human => format!(
            "payment required: {}\n  nothing was paid; the price is of {base}, for {}\n  to pay on Base: --pay --max-price USD --wallet-key-file FILE\n",
            ways.join(", or "),
            term::safe(what)
        ),
    })
}

/// A price in USDC on a chain.
pub(crate) fn coins(price: MicroUsd, chain: &Chain) -> String {
    let test = if chain.test { ", a test network" } else { "" };
    format!("{price} USDC on {}{test}", chain.name)
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
    let chain = Chain::of(network).filter(|chain| chain.usdc.eq_ignore_ascii_case(asset));
    let digits = !amount.is_empty() && amount.bytes().all(|byte| byte.is_ascii_digit());
    match (chain, amount.parse::<u64>()) {
        (Some(chain), Ok(amount)) if digits => {
            format!("{} ({network})", coins(MicroUsd(amount), chain))
        }
        _ => term::safe(&format!("{amount} units of {asset} on {network}")).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_asset_is_called_by_its_name() {
        let base = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
        assert_eq!(priced("10000", base, "eip155:8453"), "0.01 USDC on Base (eip155:8453)");
        assert_eq!(priced("0001000000", base, "eip155:8453"), "1.00 USDC on Base (eip155:8453)");
        let other = priced("10000", "0xdead", "eip155:8453");
        assert_eq!(other, "10000 units of 0xdead on eip155:8453");
        assert!(priced("10000", base, "eip155:1").contains("units of"));
        for bad in ["", "-1", "+1", "1e6", "0x10", "1.5", " 1"] {
            assert!(priced(bad, base, "eip155:8453").contains("units of"), "{bad}");
        }
    }
}
