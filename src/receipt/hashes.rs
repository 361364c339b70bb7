//! The four hashes of a receipt: SHA-256 over RFC 8785 canonical JSON (SPEC 3).
//!
//! Canonical bytes go straight into the hash states. Those of the output and of the schema are made
//! once, for their own hash and for `request_hash` together.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::json::jcs::{self, Sink, Unhashable};
use crate::json::{Node, write_string};
use crate::request::{BOUND_FIELDS, RULE_FIELDS, Request};

/// A SHA-256 digest as 64 lowercase hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Sha256Hex(String);

impl Sha256Hex {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::from_digest(&Sha256::digest(bytes))
    }

    /// Reads 64 lowercase hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex =
            text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        hex.then(|| Self(text.to_owned()))
    }

    /// The 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn from_digest(digest: &[u8]) -> Self {
        let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
        Self(digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xF)]).collect())
    }
}

impl fmt::Display for Sha256Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Sha256Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The hashes of a request; each is `None` where its value has no canonical form (SPEC 3.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hashes {
    /// Of `submitted_output`.
    pub output: Result<Sha256Hex, Unhashable>,
    /// Of `expected_schema`.
    pub schema: Result<Sha256Hex, Unhashable>,
    /// Of the bounds and rules as supplied; `None` without any.
    pub rules: Option<Sha256Hex>,
    /// Of the whole request with every default filled in.
    pub request: Option<Sha256Hex>,
}

/// Computes all four hashes.
#[must_use]
pub fn hashes(request: &Request<'_>) -> Hashes {
    let mut whole = Sha256::new();
    let mut parts = Parts { output: None, schema: None };
    write_request(request, &mut whole, &mut parts);
    let (output, schema) = (parts.output, parts.schema);
    let digest = |state: Option<Result<Sha256, Unhashable>>| {
        // Both parts are always written, see `write_request`.
        state
            .unwrap_or_else(|| Ok(Sha256::new()))
            .map(|state| Sha256Hex::from_digest(&state.finalize()))
    };
    let (output, schema) = (digest(output), digest(schema));
    let hashable = output.is_ok() && schema.is_ok();
    Hashes {
        request: hashable.then(|| Sha256Hex::from_digest(&whole.finalize())),
        output,
        schema,
        rules: canonical_rules(request).map(|bytes| Sha256Hex::of(&bytes)),
    }
}

/// The bytes under `request_hash`.
///
/// # Errors
/// Where the output or the schema has no canonical form.
pub fn canonical_request(request: &Request<'_>) -> Result<Vec<u8>, Unhashable> {
    let mut bytes = Vec::new();
    let mut parts = Parts { output: None, schema: None };
    write_request(request, &mut bytes, &mut parts);
    match (parts.output, parts.schema) {
        (Some(Err(fault)), _) | (_, Some(Err(fault))) => Err(fault),
        _ => Ok(bytes),
    }
}

/// The bytes under `rules_hash`: exactly the known fields that were supplied; `None` without bounds
/// and rules (SPEC 3.2).
#[must_use]
pub fn canonical_rules(request: &Request<'_>) -> Option<Vec<u8>> {
    if request.bounds_node.is_none() && request.rules_node.is_none() {
        return None;
    }
    let mut bytes = b"{\"bounds\":".to_vec();
    write_bounds(request.bounds_node, Defaults::Leave, &mut bytes);
    bytes.extend_from_slice(b",\"rules\":");
    write_rules(request.rules_node, Defaults::Leave, &mut bytes);
    bytes.push(b'}');
    Some(bytes)
}

/// The states of the two parts that have a hash of their own.
struct Parts {
    output: Option<Result<Sha256, Unhashable>>,
    schema: Option<Result<Sha256, Unhashable>>,
}

/// The eight fields in canonical order.
fn write_request(request: &Request<'_>, sink: &mut impl Sink, parts: &mut Parts) {
    sink.put(b"{\"agent_id\":");
    match &request.agent_id {
        Some(id) => put_string(id, sink),
        None => sink.put(b"null"),
    }
    sink.put(b",\"bounds\":");
    write_bounds(request.bounds_node, Defaults::Fill, sink);
    sink.put(b",\"enforce_rules\":");
    sink.put(if request.enforce_rules { b"true" } else { b"false" });
    sink.put(b",\"expected_schema\":");
    parts.schema = Some(write_part(request.expected_schema, sink));
    sink.put(b",\"rules\":");
    write_rules(request.rules_node, Defaults::Fill, sink);
    sink.put(b",\"strict_content_check\":");
    sink.put(if request.strict_content_check { b"true" } else { b"false" });
    sink.put(b",\"submitted_output\":");
    parts.output = Some(write_part(request.submitted_output, sink));
    sink.put(b",\"task_id\":");
    put_string(&request.task_id, sink);
    sink.put(b"}");
}

fn put_string(text: &str, sink: &mut impl Sink) {
    let mut bytes = Vec::new();
    write_string(text, &mut bytes);
    sink.put(&bytes);
}

/// Whether fields that were not supplied appear with their defaults.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    Fill,
    Leave,
}

fn write_bounds(bounds: Option<Node<'_>>, defaults: Defaults, sink: &mut impl Sink) {
    let Some(bounds) = bounds else { return sink.put(b"null") };
    sink.put(b"{");
    for (at, member) in jcs::sorted_members(bounds).iter().enumerate() {
        if at > 0 {
            sink.put(b",");
        }
        put_string(member.name.as_str().unwrap_or_default(), sink);
        sink.put(b":");
        write_clause(member.value, &BOUND_FIELDS, defaults, sink);
    }
    sink.put(b"}");
}

fn write_rules(rules: Option<Node<'_>>, defaults: Defaults, sink: &mut impl Sink) {
    let Some(rules) = rules else { return sink.put(b"null") };
    sink.put(b"[");
    for (at, rule) in rules.elements().enumerate() {
        if at > 0 {
            sink.put(b",");
        }
        write_clause(rule, &RULE_FIELDS, defaults, sink);
    }
    sink.put(b"]");
}

/// The known fields of a bound or a rule, which are sorted.
fn write_clause(clause: Node<'_>, fields: &[&str], defaults: Defaults, sink: &mut impl Sink) {
    let mut first = true;
    sink.put(b"{");
    for &field in fields {
        let supplied = clause.get(field);
        if supplied.is_none() && defaults == Defaults::Leave {
            continue;
        }
        if !first {
            sink.put(b",");
        }
        first = false;
        put_string(field, sink);
        sink.put(b":");
        match (field, supplied) {
            // A double, also when written as an integer.
            ("tolerance", Some(node)) => {
                let double = node.as_number().and_then(|number| number.canonical_double());
                sink.put(double.unwrap_or_default().as_bytes());
            }
            ("tolerance", None) => sink.put(b"1e-9"),
            ("if_present", None) => sink.put(b"false"),
            (_, None) => sink.put(b"null"),
            // The request was refused if this had no canonical form.
            (_, Some(node)) => _ = jcs::write(node, sink),
        }
    }
    sink.put(b"}");
}

/// Writes a part to `whole` and to a hash of its own.
fn write_part(node: Node<'_>, whole: &mut impl Sink) -> Result<Sha256, Unhashable> {
    let mut both = Both { own: Sha256::new(), whole };
    jcs::write(node, &mut both)?;
    Ok(both.own)
}

struct Both<'s, S> {
    own: Sha256,
    whole: &'s mut S,
}

impl<S: Sink> Sink for Both<'_, S> {
    fn put(&mut self, bytes: &[u8]) {
        self.own.update(bytes);
        self.whole.put(bytes);
    }
}

impl Sink for Sha256 {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};
    use crate::request::{UnknownFields, parse};

    /// A request around these members.
    fn with(members: &str, use_request: impl FnOnce(&Request<'_>)) {
        let text =
            format!(r#"{{"task_id":"t","expected_schema":{{}},"submitted_output":1{members}}}"#);
        let document = read(text, MAX_DEPTH + 1).unwrap();
        use_request(&parse(document.root(), UnknownFields::Ignore).unwrap());
    }

    fn rules(members: &str) -> Option<String> {
        let mut found = None;
        with(members, |request| {
            found = canonical_rules(request).map(|bytes| String::from_utf8(bytes).unwrap())
        });
        found
    }

    #[test]
    fn rules_hash_has_exactly_what_was_supplied() {
        assert_eq!(rules(""), None);
        assert_eq!(rules(r#","rules":[],"bounds":{}"#), None);
        assert_eq!(
            rules(r#","rules":null,"bounds":{"a":{}}"#).as_deref(),
            Some(r#"{"bounds":{"a":{}},"rules":null}"#)
        );
        assert_eq!(
            rules(r#","rules":[{"type":"gte","tolerance":1,"field":"a","x":1,"value":null,"if_present":false}]"#).as_deref(),
            Some(r#"{"bounds":null,"rules":[{"field":"a","if_present":false,"tolerance":1,"type":"gte","value":null}]}"#)
        );
        assert_eq!(
            rules(r#","rules":[{"type":"gte","field":"a","tolerance":10000000000000000000000}]"#)
                .as_deref(),
            Some(r#"{"bounds":null,"rules":[{"field":"a","tolerance":1e+22,"type":"gte"}]}"#)
        );
    }

    #[test]
    fn a_part_without_canonical_form_has_no_hash() {
        let text = r#"{"task_id":"t","expected_schema":{},"submitted_output":["\ud800"]}"#;
        let document = read(text, MAX_DEPTH + 1).unwrap();
        let hashes = hashes(&parse(document.root(), UnknownFields::Refuse).unwrap());
        assert!(hashes.output.is_err() && hashes.request.is_none() && hashes.rules.is_none());
        // SHA-256 of `{}`.
        let empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(hashes.schema.map(|hash| hash.to_string()).as_deref(), Ok(empty));
    }

    #[test]
    fn hashing_is_of_the_canonical_bytes() {
        with(
            r#","agent_id":"a","bounds":{"\ufb00":{"min":0},"\ud83d\udca0":{"max":1.50}}"#,
            |request| {
                let bytes = canonical_request(request).unwrap();
                assert_eq!(hashes(request).request, Some(Sha256Hex::of(&bytes)));
                let expected = "{\"agent_id\":\"a\",\"bounds\":{\"💠\":{\"if_present\":false,\"max\":1.5,\"min\":null},\"ﬀ\":{\"if_present\":false,\"max\":null,\"min\":0}},\"enforce_rules\":false,\"expected_schema\":{},\"rules\":null,\"strict_content_check\":false,\"submitted_output\":1,\"task_id\":\"t\"}";
                assert_eq!(String::from_utf8(bytes).unwrap(), expected);
            },
        );
    }
}
