//! The agent card: the public keys that an issuer has ever signed with, by version, and the entry
//! in which we publish ours.
//!
//! Invariant: a card that has one version with two different keys gives no key at all, whatever
//! version is asked for and in whatever order they stand (SPEC 8.2).

use std::fmt;

use crate::json::{Document, Kind, MAX_DEPTH, Node, ReadError, quoted, read};
use crate::key::{KeyVersion, PublicKey, PublicKeyError};
use crate::text::{MAX_ECHO, cut, visible};

/// How the URI of the card extension that lists keys begins; a version follows.
pub const EXTENSION_URI_PREFIX: &str = "urn:json-schema-verifier:extension:attestation:";
/// The URI that our own cards carry.
pub const EXTENSION_URI: &str = "urn:json-schema-verifier:extension:attestation:v1";
/// The only signature algorithm of receipts.
pub const ALGORITHM: &str = "Ed25519";
/// Where a card stands below an issuer's address.
pub const CARD_PATH: &str = "/.well-known/agent-card.json";

/// The keys of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardKeys {
    entries: Vec<Entry>,
    conflict: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    version: String,
    key: Result<PublicKey, UnusableKey>,
}

/// Why a text is no card to take keys from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardError {
    /// Not JSON, or JSON with a duplicate name.
    Json(ReadError),
    /// No object with `capabilities.extensions`.
    NotACard,
    /// No extension whose URI begins with [`EXTENSION_URI_PREFIX`].
    NoKeys,
    /// The extension has no list of keys, or an entry of the list (from 0) is not one.
    Malformed(Option<usize>),
}

impl fmt::Display for CardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "not an agent card: {error}"),
            Self::NotACard => {
                f.write_str("JSON, but not an agent card: it has no capabilities.extensions")
            }
            Self::NoKeys => {
                write!(f, "an agent card without keys: no extension {EXTENSION_URI_PREFIX}…")
            }
            Self::Malformed(None) => {
                f.write_str("an agent card whose attestation extension has no params.publicKeys")
            }
            Self::Malformed(Some(at)) => {
                write!(f, "an agent card whose publicKeys[{at}] lacks keyVersion or publicKey")
            }
        }
    }
}

impl std::error::Error for CardError {}

/// Why a card gives no key for a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CardLookupError {
    /// Some version, this one, stands there with two different keys.
    Conflict(String),
    /// The version is not listed.
    Absent,
    /// It is listed, with something that is no key to verify with.
    Unusable(UnusableKey),
}

/// What is wrong with a listed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnusableKey {
    /// For another algorithm than Ed25519.
    Algorithm,
    /// No public key.
    Key(PublicKeyError),
}

impl fmt::Display for CardLookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(version) => write!(
                f,
                "the agent card lists two different keys under version {}; it cannot be trusted with any",
                quoted(&cut(&visible(version), MAX_ECHO))
            ),
            Self::Absent => f.write_str("the agent card does not list this key version"),
            Self::Unusable(UnusableKey::Algorithm) => f.write_str(
                "the agent card lists this key version for another algorithm than Ed25519",
            ),
            Self::Unusable(UnusableKey::Key(error)) => {
                write!(f, "the agent card lists a bad key under this version: {error}")
            }
        }
    }
}

impl std::error::Error for CardLookupError {}

impl CardKeys {
    /// Reads a card.
    ///
    /// # Errors
    /// See [`CardError`]. Two keys under one version are not an error here but for every look-up.
    pub fn read(bytes: impl Into<Vec<u8>>) -> Result<Self, CardError> {
        Self::of(&read(bytes, MAX_DEPTH).map_err(CardError::Json)?)
    }

    /// Takes the keys from a card that was read.
    ///
    /// # Errors
    /// As [`CardKeys::read`].
    pub fn of(card: &Document) -> Result<Self, CardError> {
        let mut entries = Vec::new();
        for extension in attestation_extensions(card)? {
            let params = extension.get("params").ok_or(CardError::Malformed(None))?;
            let listed = params
                .get("publicKeys")
                .filter(|keys| keys.kind() == Kind::Array)
                .ok_or(CardError::Malformed(None))?;
            for (at, entry) in listed.elements().enumerate() {
                entries.push(read_entry(entry, params).ok_or(CardError::Malformed(Some(at)))?);
            }
        }
        let conflict = conflict(&entries);
        Ok(Self { entries, conflict })
    }

    /// The key of a version.
    ///
    /// # Errors
    /// See [`CardLookupError`].
    pub fn key(&self, version: &str) -> Result<PublicKey, CardLookupError> {
        if let Some(version) = &self.conflict {
            return Err(CardLookupError::Conflict(version.clone()));
        }
        let entry = self.entries.iter().find(|entry| entry.version == version);
        entry.ok_or(CardLookupError::Absent)?.key.clone().map_err(CardLookupError::Unusable)
    }

    /// The versions listed, in the card's order.
    pub fn versions(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.version.as_str())
    }
}

/// The extensions that list keys; at least one.
fn attestation_extensions(card: &Document) -> Result<Vec<Node<'_>>, CardError> {
    let extensions = card
        .root()
        .get("capabilities")
        .and_then(|capabilities| capabilities.get("extensions"))
        .filter(|extensions| extensions.kind() == Kind::Array)
        .ok_or(CardError::NotACard)?;
    let found: Vec<_> = extensions
        .elements()
        .filter(|extension| {
            text_of(*extension, "uri").is_some_and(|uri| uri.starts_with(EXTENSION_URI_PREFIX))
        })
        .collect();
    if found.is_empty() { Err(CardError::NoKeys) } else { Ok(found) }
}

fn read_entry(entry: Node<'_>, params: Node<'_>) -> Option<Entry> {
    let version = text_of(entry, "keyVersion")?.to_owned();
    let key = text_of(entry, "publicKey")?;
    let algorithm = entry.get("algorithm").or_else(|| params.get("algorithm"));
    let key = if algorithm.and_then(exact_text) == Some(ALGORITHM) {
        PublicKey::from_base64(key).map_err(UnusableKey::Key)
    } else {
        Err(UnusableKey::Algorithm)
    };
    Some(Entry { version, key })
}

/// The first version that stands twice with something different. One that stands twice with the
/// same unusable text cannot be told apart from two, so it counts as well.
fn conflict(entries: &[Entry]) -> Option<String> {
    let mut seen = std::collections::HashMap::new();
    entries
        .iter()
        .find(|entry| match seen.insert(entry.version.as_str(), &entry.key) {
            None => false,
            Some(earlier) => earlier != &entry.key || earlier.is_err(),
        })
        .map(|entry| entry.version.clone())
}

fn text_of<'d>(object: Node<'d>, name: &str) -> Option<&'d str> {
    object.get(name).and_then(exact_text)
}

/// A string, unless it has a lone surrogate, which `as_str` would show as another character.
fn exact_text(node: Node<'_>) -> Option<&str> {
    node.as_str().filter(|_| !node.has_lone_surrogate())
}

/// The extension to publish in `capabilities.extensions` for one key.
#[must_use]
pub fn extension(version: &KeyVersion, key: PublicKey) -> String {
    format!(
        "{{\n  \"uri\": {uri},\n  \"required\": false,\n  \"params\": {{\n    \"algorithm\": {algorithm},\n    \
         \"currentKeyVersion\": {version},\n    \"publicKeys\": [\n{entry}\n    ],\n    \
         \"responseField\": \"attestation\"\n  }}\n}}\n",
        uri = quoted(EXTENSION_URI),
        algorithm = quoted(ALGORITHM),
        version = quoted(version.as_str()),
        entry = key_entry(version, key, "      "),
    )
}

/// A whole card for a service that has none yet.
#[must_use]
pub fn card(service: &str, url: &str, version: &KeyVersion, key: PublicKey) -> String {
    let extension = extension(version, key).trim_end().replace('\n', "\n      ");
    format!(
        "{{\n  \"name\": {},\n  \"url\": {},\n  \"capabilities\": {{\n    \"extensions\": [\n      {extension}\n    ]\n  }}\n}}\n",
        quoted(service),
        quoted(url),
    )
}

fn key_entry(version: &KeyVersion, key: PublicKey, indent: &str) -> String {
    let fields = [
        ("keyVersion", version.as_str()),
        ("algorithm", ALGORITHM),
        ("publicKey", &key.to_base64()),
        ("publicKeyEncoding", "base64 of the raw 32-byte Ed25519 public key"),
    ];
    let lines: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{indent}  {}: {}", quoted(name), quoted(value)))
        .collect();
    format!("{indent}{{\n{}\n{indent}}}", lines.join(",\n"))
}

/// Why a key cannot be added to a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RotationError {
    /// The card itself is unfit.
    Card(CardError),
    /// The card already has two keys under one version.
    Conflict(String),
    /// The version is taken. Old receipts need its key, so it cannot be given to another.
    VersionTaken,
    /// The card has several attestation extensions, and nothing says which one is meant.
    SeveralExtensions,
}

impl fmt::Display for RotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Card(error) => error.fmt(f),
            Self::Conflict(version) => CardLookupError::Conflict(version.clone()).fmt(f),
            Self::VersionTaken => f.write_str(
                "the card already lists this key version; choose another with --key-version",
            ),
            Self::SeveralExtensions => {
                f.write_str("the card has more than one attestation extension; add the key by hand")
            }
        }
    }
}

impl std::error::Error for RotationError {}

/// The card with a new key in front of the old ones, which stay, since receipts outlive keys.
/// Everything else keeps its bytes.
///
/// # Errors
/// See [`RotationError`].
pub fn rotated(
    card: &Document,
    version: &KeyVersion,
    key: PublicKey,
) -> Result<String, RotationError> {
    let keys = CardKeys::of(card).map_err(RotationError::Card)?;
    if let Some(version) = keys.conflict {
        return Err(RotationError::Conflict(version));
    }
    if keys.versions().any(|listed| listed == version.as_str()) {
        return Err(RotationError::VersionTaken);
    }
    let extensions = attestation_extensions(card).map_err(RotationError::Card)?;
    let &[extension] = extensions.as_slice() else {
        return Err(RotationError::SeveralExtensions);
    };
    let malformed = || RotationError::Card(CardError::Malformed(None));
    let params = extension.get("params").ok_or_else(malformed)?;
    let list = params.get("publicKeys").ok_or_else(malformed)?;

    // Edits from the end of the text to its beginning, so that offsets stay right.
    let mut edits =
        vec![(list.span().start + 1..list.span().start + 1, new_first(card, list, version, key))];
    match params.get("currentKeyVersion") {
        Some(current) => edits.push((current.span(), quoted(version.as_str()))),
        None => {
            let at = params.span().start + 1;
            edits.push((at..at, format!("\"currentKeyVersion\": {},", quoted(version.as_str()))));
        }
    }
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = card.text().to_owned();
    for (span, replacement) in edits {
        text.replace_range(span, &replacement);
    }
    Ok(text)
}

/// What goes behind the opening bracket of the list, indented like the entry that was first.
fn new_first(card: &Document, list: Node<'_>, version: &KeyVersion, key: PublicKey) -> String {
    let comma = if list.is_empty() { "" } else { "," };
    let indent = list.element(0).and_then(|first| {
        let between = &card.text()[list.span().start + 1..first.span().start];
        between.strip_prefix('\n').or_else(|| between.strip_prefix("\r\n"))
    });
    match indent {
        Some(indent) => format!("\n{}{comma}", key_entry(version, key, indent)),
        None => {
            format!("{}{comma}", key_entry(version, key, "").replace("\n  ", "").replace('\n', ""))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::SigningKey;

    const HOSTED: &str = include_str!("../../fixtures/real/agent-card.json");

    fn key(seed: u8) -> PublicKey {
        signing(seed).public()
    }

    fn signing(seed: u8) -> SigningKey {
        SigningKey::from_seed(&[seed; 32], version("v1"))
    }

    fn version(text: &str) -> KeyVersion {
        KeyVersion::new(text).unwrap()
    }

    /// A card with these `publicKeys` entries.
    fn listing(entries: &[(&str, &str, &str)]) -> String {
        let entries: Vec<_> = entries
            .iter()
            .map(|(version, algorithm, key)| {
                format!(
                    r#"{{"keyVersion":"{version}","algorithm":"{algorithm}","publicKey":"{key}"}}"#
                )
            })
            .collect();
        format!(
            r#"{{"capabilities":{{"extensions":[{{"uri":"other"}},{{"uri":"{EXTENSION_URI}","params":{{"publicKeys":[{}]}}}}]}}}}"#,
            entries.join(",")
        )
    }

    #[test]
    fn the_hosted_card_has_its_key() {
        let keys = CardKeys::read(HOSTED).unwrap();
        assert_eq!(
            keys.key("v1-2026-09c").unwrap().to_base64(),
            "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw="
        );
        assert_eq!(keys.key("v1-2026-09"), Err(CardLookupError::Absent));
    }

    #[test]
    fn what_is_no_card_is_named() {
        let error = |text: &str| CardKeys::read(text).unwrap_err();
        assert!(matches!(error("<!doctype html><html>"), CardError::Json(_)));
        assert!(matches!(error(r#"{"a":1,"a":2}"#), CardError::Json(_)));
        assert_eq!(error("[]"), CardError::NotACard);
        assert_eq!(error(r#"{"capabilities":{}}"#), CardError::NotACard);
        assert_eq!(error(r#"{"capabilities":{"extensions":[{"uri":"x"}]}}"#), CardError::NoKeys);
        let bare = HOSTED.replace("publicKeys", "keys");
        assert_eq!(error(&bare), CardError::Malformed(None));
        let unnamed = HOSTED.replace("\"keyVersion\"", "\"version\"");
        assert_eq!(error(&unnamed), CardError::Malformed(Some(0)));
    }

    #[test]
    fn one_version_with_two_keys_gives_none_in_either_order() {
        let (a, b) = (key(1).to_base64(), key(2).to_base64());
        for (first, second) in [(&a, &b), (&b, &a)] {
            let card = listing(&[
                ("v0", ALGORITHM, &a),
                ("v1", ALGORITHM, first),
                ("v1", ALGORITHM, second),
            ]);
            let keys = CardKeys::read(card).unwrap();
            let conflict = Err(CardLookupError::Conflict("v1".into()));
            assert_eq!(keys.key("v1"), conflict);
            assert_eq!(keys.key("v0"), conflict, "the whole card is in doubt");
        }
        // A bad key beside a good one is a second key too.
        let card = listing(&[("v1", ALGORITHM, &a), ("v1", ALGORITHM, "AAAA")]);
        assert!(matches!(
            CardKeys::read(card).unwrap().key("v1"),
            Err(CardLookupError::Conflict(_))
        ));
        // The same key twice is no contradiction.
        let card = listing(&[("v1", ALGORITHM, &a), ("v1", ALGORITHM, &a)]);
        assert_eq!(CardKeys::read(card).unwrap().key("v1"), Ok(key(1)));
    }

    #[test]
    fn an_unusable_key_harms_its_own_version_only() {
        let a = key(1).to_base64();
        let small = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        let card =
            listing(&[("good", ALGORITHM, &a), ("rsa", "RS256", &a), ("small", ALGORITHM, small)]);
        let keys = CardKeys::read(card).unwrap();
        assert_eq!(keys.key("good"), Ok(key(1)));
        assert_eq!(keys.key("rsa"), Err(CardLookupError::Unusable(UnusableKey::Algorithm)));
        assert_eq!(
            keys.key("small"),
            Err(CardLookupError::Unusable(UnusableKey::Key(PublicKeyError::SmallOrder)))
        );
    }

    #[test]
    fn our_own_card_reads_back() {
        let text = card("my \"service\"", "https://verifier.example", &version("v1-a"), key(1));
        assert_eq!(CardKeys::read(text).unwrap().key("v1-a"), Ok(key(1)));
    }

    #[test]
    fn rotation_keeps_old_keys_and_every_other_byte() {
        let old = read(HOSTED, MAX_DEPTH).unwrap();
        let text = rotated(&old, &version("v2"), key(1)).unwrap();
        let keys = CardKeys::read(text.as_str()).unwrap();
        assert_eq!(keys.versions().collect::<Vec<_>>(), ["v2", "v1-2026-09c"]);
        assert_eq!(keys.key("v2"), Ok(key(1)));
        assert!(text.contains("\"currentKeyVersion\": \"v2\""));
        assert!(!text.contains("\"currentKeyVersion\": \"v1-2026-09c\""));
        assert!(text.starts_with(&HOSTED[..HOSTED.find("\"v1-2026-09c\"").unwrap()]));
        assert!(text.ends_with(&HOSTED[HOSTED.rfind("\"keyVersion\"").unwrap()..]));

        let third = read(text, MAX_DEPTH).unwrap();
        assert_eq!(rotated(&third, &version("v2"), key(3)), Err(RotationError::VersionTaken));
        let text = rotated(&third, &version("v3"), key(3)).unwrap();
        let versions = CardKeys::read(text).unwrap();
        assert_eq!(versions.versions().collect::<Vec<_>>(), ["v3", "v2", "v1-2026-09c"]);

        // A card on one line, without currentKeyVersion, and one with no key yet.
        for entries in [&[("v1", ALGORITHM, key(1).to_base64())][..], &[]] {
            let entries: Vec<_> = entries.iter().map(|(v, a, k)| (*v, *a, k.as_str())).collect();
            let card = read(listing(&entries), MAX_DEPTH).unwrap();
            let text = rotated(&card, &version("v2"), key(2)).unwrap();
            let keys = CardKeys::read(text.as_str()).unwrap();
            assert_eq!(keys.key("v2"), Ok(key(2)), "{text}");
            assert!(
                !text.contains('\n') && text.contains(r#""currentKeyVersion": "v2""#),
                "{text}"
            );
        }
    }
}
