//! What a server asks, and whether that is something to be paid.

use serde_json::Value;

use crate::serve::chain::{Chain, Family};
use crate::serve::money::MicroUsd;
use crate::serve::x402::eip712::Address;
use crate::serve::x402::wire;
use crate::wallet::Transfer;

/// The longest time for which a payment is signed.
const MAX_SECONDS: u64 = 3600;

/// What is to be signed for one entry of `accepts`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    /// The entry, to be sent back to the letter.
    pub(super) accepted: Value,
    /// What it asks for.
    pub(super) transfer: Transfer,
    /// The price.
    pub(super) price: MicroUsd,
}

/// Reads the field `Payment-Required`.
pub(super) fn read(field: &str) -> Option<Value> {
    let required = wire::decode(field)?;
    let readable = required["x402Version"].as_u64() == Some(2) && required["accepts"].is_array();
    readable.then_some(required)
}

/// Chooses the first entry that we know and may pay; or says why there is none.
pub(super) fn choose(required: &Value, url: &str, max_price: MicroUsd) -> Result<Chosen, String> {
    let resource = required["resource"]["url"].as_str().unwrap_or_default();
    if origin(resource).is_none() || origin(resource) != origin(url) {
        return Err("it asks for a payment for something at another address".to_owned());
    }
    let entries = required["accepts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut dearest = None;
    for entry in entries {
        let Some(chosen) = known(entry) else { continue };
        if chosen.price <= max_price {
            return Ok(chosen);
        }
        dearest = Some(chosen.price);
    }
    Err(match dearest {
        Some(price) => format!("the price is {price} USD, and --max-price allows {max_price}"),
        None => "none of its ways to be paid is one that aov pays (USDC on Base)".to_owned(),
    })
}

/// An entry in USDC on a chain of the table, as the table has it (X402 §1): a wrong domain name
/// would make a signature that is worthless, or for another token.
fn known(entry: &Value) -> Option<Chosen> {
    let chain = Chain::of(entry["network"].as_str()?)?;
    let Family::Evm { name, version } = chain.family else { return None };
    let text = |name: &str| entry[name].as_str();
    let extra = &entry["extra"];
    let plain = text("scheme") == Some("exact")
        && text("asset").and_then(Address::parse) == Address::parse(chain.usdc)
        && extra["name"].as_str() == Some(name)
        && extra["version"].as_str() == Some(version)
        && extra["assetTransferMethod"].as_str().is_none_or(|it| it == "eip3009");
    if !plain {
        return None;
    }
    let amount = text("amount").filter(|it| wire::is_amount(it))?;
    let value: u64 = amount.parse().ok()?;
    let seconds =
        entry["maxTimeoutSeconds"].as_u64().filter(|it| (1..=MAX_SECONDS).contains(it))?;
    let to = Address::parse(text("payTo")?)?;
    let transfer = Transfer { chain, to, value, seconds };
    (value > 0).then(|| Chosen { accepted: entry.clone(), transfer, price: MicroUsd(value) })
}

/// Scheme and authority, in lower case.
fn origin(url: &str) -> Option<(String, String)> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().filter(|it| !it.is_empty())?;
    let (scheme, authority) = (scheme.to_ascii_lowercase(), authority.to_ascii_lowercase());
    let default = if scheme == "https" { ":443" } else { ":80" };
    let authority = authority.strip_suffix(default).unwrap_or(&authority).to_owned();
    Some((scheme, authority))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const URL: &str = "https://verifier.example/verify/schema";
    const CAP: MicroUsd = MicroUsd(20_000);

    fn required() -> Value {
        json!({
            "x402Version": 2,
            "resource": { "url": URL },
            "accepts": [
                { "scheme": "exact", "network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "amount": "1",
                  "asset": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "payTo": "x", "maxTimeoutSeconds": 300 },
                { "scheme": "exact", "network": "eip155:8453", "amount": "20000",
                  "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                  "payTo": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "maxTimeoutSeconds": 300,
                  "extra": { "name": "USD Coin", "version": "2" } },
            ],
        })
    }

    #[test]
    fn usdc_on_base_within_the_price_is_chosen() {
        let chosen = choose(&required(), URL, CAP).unwrap();
        assert_eq!((chosen.price, chosen.transfer.value), (CAP, 20_000));
        assert_eq!(chosen.accepted, required()["accepts"][1]);
    }

    #[test]
    fn nothing_else_is() {
        let error = choose(&required(), URL, MicroUsd(19_999)).unwrap_err();
        assert!(error.contains("0.02") && error.contains("0.019999"), "{error}");
        for (field, value) in [
            ("asset", json!("0x036CbD53842c5426634e7929541eC2318f3dCF7e")),
            ("network", json!("eip155:1")),
            ("scheme", json!("upto")),
            ("amount", json!("0")),
            ("amount", json!("2e4")),
            ("amount", json!(20_000)),
            ("amount", json!("99999999999999999999999999")),
            ("payTo", json!("vitalik.eth")),
            ("maxTimeoutSeconds", json!(315_360_000)),
            ("maxTimeoutSeconds", json!(0)),
            ("extra", json!({ "name": "USDC", "version": "2" })),
            (
                "extra",
                json!({ "name": "USD Coin", "version": "2", "assetTransferMethod": "permit2" }),
            ),
        ] {
            let mut altered = required();
            altered["accepts"][1][field] = value.clone();
            assert!(choose(&altered, URL, CAP).is_err(), "{field}: {value}");
        }
    }

    #[test]
    fn what_is_paid_for_is_what_was_asked() {
        for url in ["https://other.example/verify/schema", "http://verifier.example/", "", "x"] {
            let mut altered = required();
            altered["resource"]["url"] = url.into();
            assert!(choose(&altered, URL, CAP).unwrap_err().contains("another address"), "{url}");
        }
        let mut same = required();
        same["resource"]["url"] = "HTTPS://Verifier.example:443/verify/schema".into();
        assert!(choose(&same, URL, CAP).is_ok());
    }
}
