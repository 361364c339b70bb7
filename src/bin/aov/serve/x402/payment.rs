//! A payment as a client sent it, decoded and not yet believed.

use serde_json::Value;

use super::super::service;
use super::refusal::{Refusal, invalid_payload, invalid_version};
use super::wire::{self, MAX_HEADER};

/// A `PaymentPayload` of x402 version 2, without nulls.
#[derive(Clone, PartialEq)]
pub(crate) struct Payment(Value);

impl std::fmt::Debug for Payment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Anyone could submit what is in it (X402 rule 18).
        f.write_str("Payment")
    }
}

impl Payment {
    /// Decodes what came with a call.
    pub(crate) fn decode(payment: &service::Payment<'_>) -> Result<Self, Refusal> {
        match payment {
            service::Payment::Header(fields) => Self::of_header(fields),
            service::Payment::Meta(value) => Self::of_meta(value),
        }
    }

    fn of_header(fields: &[&str]) -> Result<Self, Refusal> {
        let &[field] = fields else {
            return Err(invalid_payload("there is more than one Payment-Signature field").into());
        };
        if field.len() > MAX_HEADER {
            return Err(invalid_payload("the Payment-Signature field is over 16 KiB").into());
        }
        let object = wire::decode(field).ok_or_else(|| {
            invalid_payload("the Payment-Signature field is not base64 of a JSON object")
        })?;
        Self::of_object(object)
    }

    /// An object, or a JSON text of one, which the reference server takes too.
    fn of_meta(value: &Value) -> Result<Self, Refusal> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if text.len() > MAX_HEADER {
            return Err(invalid_payload("it is over 16 KiB").into());
        }
        let object = wire::parse(text.as_bytes())
            .ok_or_else(|| invalid_payload("x402/payment is not an object"))?;
        Self::of_object(object)
    }

    fn of_object(object: Value) -> Result<Self, Refusal> {
        let object = wire::without_nulls(object);
        // First: an object of another version may look any way.
        match object.get("x402Version") {
            Some(Value::Number(version)) if version.as_u64() == Some(2) => {}
            Some(_) => return Err(invalid_version().into()),
            None => return Err(invalid_payload("it has no x402Version").into()),
        }
        for name in ["accepted", "payload"] {
            if !object.get(name).is_some_and(Value::is_object) {
                return Err(invalid_payload(&format!("it has no object {name}")).into());
            }
        }
        for name in ["extensions", "resource"] {
            if object.get(name).is_some_and(|it| !it.is_object()) {
                return Err(invalid_payload(&format!("{name} is no object")).into());
            }
        }
        Ok(Self(object))
    }

    /// The entry of `accepts` that the client says it chose.
    pub(crate) fn accepted(&self) -> &Value {
        &self.0["accepted"]
    }

    /// What was signed, in the form of its scheme and network.
    pub(crate) fn payload(&self) -> &Value {
        &self.0["payload"]
    }

    /// The `url` of `resource`, if there is one.
    pub(crate) fn resource_url(&self) -> Option<&Value> {
        self.0.get("resource").map(|resource| &resource["url"])
    }

    /// One of `extensions`.
    pub(crate) fn extension(&self, name: &str) -> Option<&Value> {
        self.0.get("extensions")?.get(name)
    }

    /// What a facilitator is sent: the client's own object with our words wherever its content is
    /// not bound to anything, so that nobody can write into a catalogue through us (X402 rule 19).
    pub(crate) fn forwarded(&self, resource: &Value, extensions: Option<Value>) -> Value {
        let mut object = self.0.clone();
        let Some(members) = object.as_object_mut() else { return object };
        members.retain(|name, _| {
            ["x402Version", "resource", "accepted", "payload", "extensions"].contains(&&**name)
        });
        if let Some(echo) = members.get_mut("resource") {
            *echo = resource.clone();
        }
        match extensions {
            Some(ours) => members.insert("extensions".to_owned(), ours),
            None => members.shift_remove("extensions"),
        };
        object
    }
}
