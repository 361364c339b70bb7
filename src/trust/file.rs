//! The user's own trust file: issuers beside the built-in ones, with or without pinned keys.
//!
//! ```json
//! {"issuers": [{"host": "verifier.example",
//!               "keys": [{"keyVersion": "v1", "publicKey": "…"}],
//!               "pinnedOnly": false}]}
//! ```
//!
//! Entries of `keys` are those of an agent card. Anything unknown in the file is an error: a typing
//! error in it must not quietly trust more, or less, than was meant.

use std::fmt;

use super::{AddressError, CardAddress, Issuer, Origin};
use crate::json::{Document, Kind, MAX_DEPTH, Node, ReadError, read};
use crate::key::{PublicKey, PublicKeyError};
use crate::receipt::card::ALGORITHM;
use crate::text::{MAX_ECHO, cut, visible};

/// What is wrong with a trust file, and at which byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustFileError {
    /// Byte offset into the text.
    pub offset: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a trust file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Not JSON.
    Json(ReadError),
    /// Something else is due here.
    Expected(&'static str),
    /// A member that the file does not have.
    Unknown(String),
    /// `host` is no host.
    Host(AddressError),
    /// `publicKey` is none.
    Key(PublicKeyError),
    /// Two keys for one version of one issuer.
    TwoKeys(String),
}

impl fmt::Display for TrustFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Json(error) => error.fmt(f),
            Problem::Expected(what) => write!(f, "expected {what}"),
            Problem::Unknown(name) => {
                write!(f, "unknown member \"{}\"", cut(&visible(name), MAX_ECHO))
            }
            Problem::Host(error) => write!(f, "this is no host to trust: {error}"),
            Problem::Key(error) => write!(f, "this is not a public key: {error}"),
            Problem::TwoKeys(version) => write!(
                f,
                "two keys are pinned for version \"{}\" of this issuer",
                cut(&visible(version), MAX_ECHO)
            ),
        }
    }
}

impl std::error::Error for TrustFileError {}

/// Reads a trust file.
///
/// # Errors
/// The first thing that is not as it must be.
pub fn read_trust_file(bytes: impl Into<Vec<u8>>) -> Result<Vec<Issuer>, TrustFileError> {
    let document: Document = read(bytes, MAX_DEPTH)
        .map_err(|error| TrustFileError { offset: error.offset, problem: Problem::Json(error) })?;
    let root = object(document.root(), "an object with \"issuers\"", &["issuers"])?;
    let issuers = required(root, "issuers", Kind::Array, "an array of issuers")?;
    issuers.elements().map(read_issuer).collect()
}

fn read_issuer(node: Node<'_>) -> Result<Issuer, TrustFileError> {
    let issuer = object(node, "an object with \"host\"", &["host", "keys", "pinnedOnly"])?;
    let host = required(issuer, "host", Kind::String, "a host name")?;
    let card = CardAddress::of_issuer(host.as_str().unwrap_or_default())
        .map_err(|error| fault(host, Problem::Host(error)))?;
    let mut pins: Vec<(String, PublicKey)> = Vec::new();
    if issuer.get("keys").is_some() {
        for entry in required(issuer, "keys", Kind::Array, "an array of keys")?.elements() {
            let (version, key) = read_pin(entry)?;
            if pins.iter().any(|(pinned, other)| *pinned == version && *other != key) {
                return Err(fault(entry, Problem::TwoKeys(version)));
            }
            pins.push((version, key));
        }
    }
    let pinned_only = match issuer.get("pinnedOnly") {
        None => false,
        Some(node) => {
            node.as_bool().ok_or_else(|| fault(node, Problem::Expected("true or false")))?
        }
    };
    Ok(Issuer { card, pins, pinned_only, origin: Origin::Configuration })
}

fn read_pin(node: Node<'_>) -> Result<(String, PublicKey), TrustFileError> {
    let names = ["keyVersion", "publicKey", "algorithm", "publicKeyEncoding"];
    let entry = object(node, "an object with \"keyVersion\" and \"publicKey\"", &names)?;
    if let Some(algorithm) = entry.get("algorithm")
        && algorithm.as_str() != Some(ALGORITHM)
    {
        return Err(fault(algorithm, Problem::Expected("\"Ed25519\"")));
    }
    let version = required(entry, "keyVersion", Kind::String, "a key version")?;
    if version.has_lone_surrogate() {
        return Err(fault(version, Problem::Expected("a key version")));
    }
    let text = required(entry, "publicKey", Kind::String, "a public key in base64")?;
    let key = PublicKey::from_base64(text.as_str().unwrap_or_default())
        .map_err(|error| fault(text, Problem::Key(error)))?;
    Ok((version.as_str().unwrap_or_default().to_owned(), key))
}

fn object<'d>(
    node: Node<'d>,
    what: &'static str,
    names: &[&str],
) -> Result<Node<'d>, TrustFileError> {
    if node.kind() != Kind::Object {
        return Err(fault(node, Problem::Expected(what)));
    }
    let known = |name: Node<'_>| names.contains(&name.as_str().unwrap_or_default());
    match node.members().find(|member| !known(member.name)) {
        None => Ok(node),
        Some(member) => {
            let name = member.name.as_str().unwrap_or_default().to_owned();
            Err(fault(member.name, Problem::Unknown(name)))
        }
    }
}

fn required<'d>(
    object: Node<'d>,
    name: &str,
    kind: Kind,
    what: &'static str,
) -> Result<Node<'d>, TrustFileError> {
    let node = object.get(name).ok_or_else(|| fault(object, Problem::Expected(what)))?;
    if node.kind() == kind { Ok(node) } else { Err(fault(node, Problem::Expected(what))) }
}

fn fault(node: Node<'_>, problem: Problem) -> TrustFileError {
    TrustFileError { offset: node.span().start, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=";

    #[test]
    fn issuers_with_and_without_pins() {
        let text = format!(
            r#"{{"issuers":[{{"host":"a.example"}},{{"host":"b.example:8443","pinnedOnly":true,
                "keys":[{{"keyVersion":"v1","algorithm":"Ed25519","publicKey":"{KEY}","publicKeyEncoding":"x"}}]}}]}}"#
        );
        let issuers = read_trust_file(text).unwrap();
        assert_eq!(issuers[0].card.authority(), "a.example");
        assert!(issuers[0].pins.is_empty() && !issuers[0].pinned_only);
        assert_eq!(issuers[1].pin("v1").unwrap().to_base64(), KEY);
        assert!(issuers[1].pinned_only);
        assert_eq!(issuers[1].origin, Origin::Configuration);
        assert_eq!(read_trust_file(r#"{"issuers":[]}"#), Ok(vec![]));
    }

    #[test]
    fn each_fault_has_its_place() {
        let at = |text: &str, marker: &str, problem: Problem| {
            let offset = text.find(marker).unwrap();
            assert_eq!(read_trust_file(text), Err(TrustFileError { offset, problem }), "{text}");
        };
        at("[]", "[", Problem::Expected("an object with \"issuers\""));
        at("{}", "{", Problem::Expected("an array of issuers"));
        at(r#"{"issuer":[]}"#, "\"issuer\"", Problem::Unknown("issuer".into()));
        at(r#"{"issuers":["a.example"]}"#, "\"a.", Problem::Expected("an object with \"host\""));
        at(r#"{"issuers":[{"host":"http://a"}]}"#, "\"http", Problem::Host(AddressError::NotHttps));
        at(
            r#"{"issuers":[{"host":"a","pinned":1}]}"#,
            "\"pinned\"",
            Problem::Unknown("pinned".into()),
        );
        at(r#"{"issuers":[{"host":"a","pinnedOnly":1}]}"#, "1", Problem::Expected("true or false"));
        at(
            r#"{"issuers":[{"host":"a","keys":[{"keyVersion":"v","publicKey":"AAAA"}]}]}"#,
            "\"AAAA",
            Problem::Key(PublicKeyError::Length(3)),
        );
        let other = "hZrQJ0g22MaA+qphhJhTEN5L0xNTDwWIel7j8PX9qPM=";
        let two = format!(
            r#"{{"issuers":[{{"host":"a","keys":[{{"keyVersion":"v","publicKey":"{KEY}"}},{{"publicKey":"{other}","keyVersion":"v"}}]}}]}}"#
        );
        at(&two, "{\"publicKey\"", Problem::TwoKeys("v".into()));
        assert!(matches!(read_trust_file("{").unwrap_err().problem, Problem::Json(_)));
    }
}
