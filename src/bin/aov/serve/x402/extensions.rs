//! The extensions that we advertise, what a client may do with them, and what is passed on.

use serde_json::{Map, Value, json};

use super::super::counter::Offer;
use super::bazaar;
use super::payment::Payment;
use super::refusal::{Refusal, invalid_identifier};

/// Its name among `extensions`.
const IDENTIFIER: &str = "payment-identifier";

/// `extensions` of a `PaymentRequired`.
pub(crate) fn advertised(offer: &Offer<'_>) -> Map<String, Value> {
    Map::from_iter([
        (bazaar::NAME.to_owned(), bazaar::extension(offer.operation, offer.resource)),
        (IDENTIFIER.to_owned(), identifier_extension(None)),
    ])
}

fn identifier_extension(id: Option<&str>) -> Value {
    let mut info = json!({ "required": false });
    if let Some(id) = id {
        info["id"] = id.into();
    }
    json!({
        "info": info,
        "schema": {
            "type": "object",
            "required": ["required"],
            "properties": {
                "required": { "type": "boolean" },
                "id": { "type": "string", "minLength": 16, "maxLength": 128, "pattern": "^[A-Za-z0-9_-]+$" },
            },
        },
    })
}

/// What a payment says in its extensions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Echo {
    /// `info.id` of `payment-identifier`.
    pub(crate) identifier: Option<String>,
    /// What is passed on: our own words. A client may add to them, but not through us into a
    /// catalogue; extensions that nobody here knows are dropped (X402 rule 19).
    pub(crate) forwarded: Option<Value>,
}

/// Compares the echo of each extension with what we advertise.
pub(crate) fn check(payment: &Payment, offer: &Offer<'_>) -> Result<Echo, Refusal> {
    let mut forwarded = Map::new();
    let ours = advertised(offer);
    for (name, extension) in &ours {
        let Some(echo) = payment.extension(name) else { continue };
        if !contains(&echo["info"], &extension["info"]) {
            return Err(Refusal::pay("extension_echo_mismatch"));
        }
        forwarded.insert(name.clone(), extension.clone());
    }
    let identifier = payment.extension(IDENTIFIER).and_then(|echo| echo["info"].get("id"));
    let identifier = match identifier {
        None => None,
        Some(Value::String(id)) if is_identifier(id) => Some(id.clone()),
        Some(_) => return Err(invalid_identifier().into()),
    };
    if let Some(id) = &identifier {
        forwarded.insert(IDENTIFIER.to_owned(), identifier_extension(Some(id)));
    }
    let forwarded = (!forwarded.is_empty()).then(|| forwarded.into());
    Ok(Echo { identifier, forwarded })
}

fn is_identifier(id: &str) -> bool {
    (16..=128).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Whether everything of ours is in it, unchanged.
fn contains(theirs: &Value, ours: &Value) -> bool {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => ours
            .iter()
            .all(|(name, value)| theirs.get(name).is_some_and(|their| contains(their, value))),
        _ => theirs == ours,
    }
}
