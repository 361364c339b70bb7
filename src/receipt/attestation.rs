//! The signature on a response: which bytes it covers, how it is made, and how it is read strictly.
//!
//! Invariants: the bytes are the canonical form of `{context, algorithm, key_version, attested_at,
//! response}`, the response without its `attestation` (SPEC 7.5, and the hosted service's
//! step-by-step instructions); [`seal`] signs nothing that [`Attestation::of`] would refuse.

use std::fmt;

use super::card::ALGORITHM;
use crate::json::jcs::{self, Sink, Unhashable, UnhashableReason};
use crate::json::{Document, Kind, Node, quoted, write_string};
use crate::key::{Signature, SignatureError, SigningKey};
use crate::text::{MAX_ECHO, cut, visible};

/// The member that holds the signature.
pub const MEMBER: &str = "attestation";

/// The members of an attestation, no more and no fewer.
const MEMBERS: [&str; 4] = ["algorithm", "key_version", "timestamp", "signature"];

/// What a signature is about: one made for a score never counts for a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// The answer to a verification request.
    Verification,
    /// An agent's score.
    Score,
}

impl Context {
    /// The text that is signed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verification => "json-schema-verifier/verify-schema-attestation/v1",
            Self::Score => "json-schema-verifier/trust-score-attestation/v1",
        }
    }

    /// The context that follows from the response's own fields (SPEC 8.1).
    #[must_use]
    pub fn of(response: Node<'_>) -> Self {
        if response.get("trust_score").is_some() { Self::Score } else { Self::Verification }
    }

    /// The one that this is not.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Verification => Self::Score,
            Self::Score => Self::Verification,
        }
    }
}

/// An attestation of the right form, whose signature may or may not verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attestation<'d> {
    /// Which of the issuer's keys signed.
    pub key_version: &'d str,
    /// When, by the issuer's own clock, as written.
    pub timestamp: &'d str,
    /// The signature.
    pub signature: Signature,
}

/// Why a JSON text has not the form of a receipt (SPEC 8.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StructureError {
    /// Not an object.
    NotAnObject,
    /// No member `attestation`.
    NoAttestation,
    /// `attestation` is not an object.
    AttestationNotAnObject,
    /// `attestation` lacks this member.
    AttestationLacks(&'static str),
    /// `attestation` has a member beyond the four.
    AttestationExtra(String),
    /// The algorithm is not `Ed25519`.
    Algorithm,
    /// A member of the attestation, this one, is not a text, or an empty one.
    NotText(&'static str),
    /// The signature is not canonical base64 of 64 bytes.
    Signature(SignatureError),
    /// `verify.key_version` is not `attestation.key_version`.
    KeyVersionDiffers,
    /// `verified_at` is not, as text, `attestation.timestamp`.
    TimestampDiffers,
    /// Something in it has no canonical form, so it cannot have been signed (SPEC 1.3).
    NoCanonicalForm(UnhashableReason),
}

impl fmt::Display for StructureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("it is not a JSON object"),
            Self::NoAttestation => f.write_str("it has no attestation: nobody signed this"),
            Self::AttestationNotAnObject => f.write_str("its attestation is not an object"),
            Self::AttestationLacks(name) => write!(f, "its attestation has no {name}"),
            Self::AttestationExtra(name) => write!(
                f,
                "its attestation has a member beyond the four: \"{}\"",
                cut(&visible(name), MAX_ECHO)
            ),
            Self::Algorithm => write!(f, "attestation.algorithm is not {ALGORITHM}"),
            Self::NotText(name) => write!(f, "attestation.{name} is not a text"),
            Self::Signature(SignatureError::NotBase64) => {
                f.write_str("attestation.signature is not canonical base64")
            }
            Self::Signature(SignatureError::Length(length)) => {
                write!(
                    f,
                    "attestation.signature has {length} bytes, and an Ed25519 signature has 64"
                )
            }
            Self::KeyVersionDiffers => {
                f.write_str("verify.key_version is not attestation.key_version")
            }
            Self::TimestampDiffers => f.write_str("verified_at is not attestation.timestamp"),
            Self::NoCanonicalForm(reason) => {
                write!(f, "it has {reason}, and so no form that could have been signed")
            }
        }
    }
}

impl std::error::Error for StructureError {}

impl<'d> Attestation<'d> {
    /// Reads the attestation of a receipt, strictly (SPEC 8.1). Whether the rest of the receipt
    /// has a canonical form shows when the signed bytes are built.
    ///
    /// # Errors
    /// The first thing that is not as it must be.
    pub fn of(receipt: Node<'d>) -> Result<Self, StructureError> {
        if receipt.kind() != Kind::Object {
            return Err(StructureError::NotAnObject);
        }
        let attestation = receipt.get(MEMBER).ok_or(StructureError::NoAttestation)?;
        if attestation.kind() != Kind::Object {
            return Err(StructureError::AttestationNotAnObject);
        }
        exactly_the_four(attestation)?;
        if attestation.get("algorithm").and_then(Node::as_str) != Some(ALGORITHM) {
            return Err(StructureError::Algorithm);
        }
        let found = Self {
            key_version: text(attestation, "key_version")?,
            timestamp: text(attestation, "timestamp")?,
            signature: Signature::from_base64(text(attestation, "signature")?)
                .map_err(StructureError::Signature)?,
        };
        let verify = receipt.get("verify");
        if differs(verify.and_then(|verify| verify.get("key_version")), found.key_version) {
            return Err(StructureError::KeyVersionDiffers);
        }
        if differs(receipt.get("verified_at"), found.timestamp) {
            return Err(StructureError::TimestampDiffers);
        }
        Ok(found)
    }

    /// The exact bytes under the signature.
    ///
    /// # Errors
    /// The receipt holds something without canonical form.
    pub fn signed_bytes(
        &self,
        receipt: Node<'_>,
        context: Context,
    ) -> Result<Vec<u8>, StructureError> {
        signed_bytes(receipt, context, self.key_version, self.timestamp)
            .map_err(|unhashable| StructureError::NoCanonicalForm(unhashable.reason))
    }
}

fn exactly_the_four(attestation: Node<'_>) -> Result<(), StructureError> {
    if let Some(missing) = MEMBERS.into_iter().find(|name| attestation.get(name).is_none()) {
        return Err(StructureError::AttestationLacks(missing));
    }
    let extra = attestation.members().find(|member| {
        member.name.has_lone_surrogate()
            || !MEMBERS.contains(&member.name.as_str().unwrap_or_default())
    });
    match extra {
        None => Ok(()),
        Some(member) => Err(StructureError::AttestationExtra(
            member.name.as_str().unwrap_or_default().to_owned(),
        )),
    }
}

fn text<'d>(attestation: Node<'d>, name: &'static str) -> Result<&'d str, StructureError> {
    let node = attestation.get(name).ok_or(StructureError::AttestationLacks(name))?;
    if node.has_lone_surrogate() {
        return Err(StructureError::NoCanonicalForm(UnhashableReason::LoneSurrogate));
    }
    node.as_str().filter(|text| !text.is_empty()).ok_or(StructureError::NotText(name))
}

/// Whether a member that may be missing is there and is not this text.
fn differs(node: Option<Node<'_>>, text: &str) -> bool {
    node.is_some_and(|node| node.has_lone_surrogate() || node.as_str() != Some(text))
}

/// The five members in canonical order; that the response's `attestation` is left out is what
/// lets it be inside the response.
fn signed_bytes(
    response: Node<'_>,
    context: Context,
    key_version: &str,
    attested_at: &str,
) -> Result<Vec<u8>, Unhashable> {
    let mut bytes = Vec::with_capacity(response.source().len() + 256);
    for (name, value) in [
        ("{\"algorithm\":", ALGORITHM),
        (",\"attested_at\":", attested_at),
        (",\"context\":", context.as_str()),
        (",\"key_version\":", key_version),
    ] {
        bytes.put(name.as_bytes());
        write_string(value, &mut bytes);
    }
    bytes.put(b",\"response\":");
    jcs::append_without(response, MEMBER, &mut bytes)?;
    bytes.put(b"}");
    Ok(bytes)
}

/// Why a body cannot be signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SealError {
    /// Not an object, or one that has an attestation.
    NotABody,
    /// No `verified_at`, which the attestation repeats.
    NoTime,
    /// It has a `verify` section for another key version than the key's.
    OtherKeyVersion,
    /// Something in it has no canonical form.
    NoCanonicalForm(UnhashableReason),
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotABody => f.write_str("only a response that is not yet signed can be signed"),
            Self::NoTime => f.write_str("a response without verified_at cannot be signed"),
            Self::OtherKeyVersion => {
                f.write_str("the response names another key version than the key has")
            }
            Self::NoCanonicalForm(reason) => write!(f, "a response with {reason} cannot be signed"),
        }
    }
}

impl std::error::Error for SealError {}

/// Signs a response body: the same text with an `attestation` as its last member. The time is the
/// body's own `verified_at`, so that the two can never differ.
///
/// # Errors
/// See [`SealError`].
pub fn seal(body: &Document, context: Context, key: &SigningKey) -> Result<String, SealError> {
    let response = body.root();
    if response.kind() != Kind::Object || response.get(MEMBER).is_some() {
        return Err(SealError::NotABody);
    }
    let time = response.get("verified_at").filter(|time| !time.has_lone_surrogate());
    let time = time.and_then(Node::as_str).filter(|time| !time.is_empty());
    let time = time.ok_or(SealError::NoTime)?;
    let version = key.version().as_str();
    let named = response.get("verify").and_then(|verify| verify.get("key_version"));
    if differs(named, version) {
        return Err(SealError::OtherKeyVersion);
    }
    let bytes = signed_bytes(response, context, version, time)
        .map_err(|unhashable| SealError::NoCanonicalForm(unhashable.reason))?;
    let signature = key.sign(&bytes).to_base64();
    Ok(with_attestation(body, &[ALGORITHM, version, time, &signature]))
}

/// The text with one member more, in the layout that the text has.
fn with_attestation(body: &Document, values: &[&str; 4]) -> String {
    let source = body.root().source();
    let inside = source[..source.len() - 1].trim_end();
    let laid_out = source[inside.len()..].contains('\n');
    let (line, indent, end) = if laid_out { ("\n  ", "\n    ", "\n") } else { ("", "", "") };
    let space = if laid_out { " " } else { "" };
    let members: Vec<_> = MEMBERS
        .iter()
        .zip(values)
        .map(|(name, value)| format!("{indent}{}:{space}{}", quoted(name), quoted(value)))
        .collect();
    format!(
        "{inside},{line}\"{MEMBER}\":{space}{{{}{line}}}{end}}}{}",
        members.join(","),
        if laid_out { "\n" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};
    use crate::key::{KeyVersion, PublicKey};

    const DRAFT: &str = include_str!("../../fixtures/real/draft-receipt.json");
    const FINAL: &str = include_str!("../../fixtures/real/final-receipt.json");
    const HOSTED: &str = "d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=";

    fn document(text: &str) -> Document {
        read(text, MAX_DEPTH).unwrap()
    }

    fn key() -> SigningKey {
        SigningKey::from_seed(&[9; 32], KeyVersion::new("v1-own").unwrap())
    }

    fn refusal(text: &str) -> StructureError {
        let document = document(text);
        match Attestation::of(document.root()) {
            Err(error) => error,
            Ok(found) => found.signed_bytes(document.root(), Context::Verification).unwrap_err(),
        }
    }

    #[test]
    fn the_genuine_receipts_verify_in_their_context_only() {
        let hosted = PublicKey::from_base64(HOSTED).unwrap();
        for text in [DRAFT, FINAL] {
            let document = document(text);
            let found = Attestation::of(document.root()).unwrap();
            assert_eq!(Context::of(document.root()), Context::Verification);
            let verifies = |context| {
                let bytes = found.signed_bytes(document.root(), context).unwrap();
                hosted.verifies(&bytes, &found.signature)
            };
            assert!(verifies(Context::Verification));
            assert!(!verifies(Context::Score));
        }
    }

    /// The form by hand, after the seed's step 2 and RFC 8785.
    #[test]
    fn the_signed_bytes_are_the_five_members_in_order() {
        let text = r#"{"b":1.0,"attestation":{"algorithm":"Ed25519","key_version":"k","timestamp":"t","signature":"x"},"a":12345678901234567890123}"#;
        let document = document(text);
        let found =
            Attestation { key_version: "k\"", timestamp: "t", signature: key().sign(b"whatever") };
        let bytes = found.signed_bytes(document.root(), Context::Score).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            concat!(
                r#"{"algorithm":"Ed25519","attested_at":"t","#,
                r#""context":"json-schema-verifier/trust-score-attestation/v1","#,
                r#""key_version":"k\"","response":{"a":12345678901234567890123,"b":1}}"#
            )
        );
    }

    #[test]
    fn only_the_top_attestation_is_left_out() {
        let text = r#"{"attestation":0,"x":{"attestation":1}}"#;
        let document = document(text);
        let bytes = signed_bytes(document.root(), Context::Score, "k", "t").unwrap();
        assert!(
            String::from_utf8(bytes).unwrap().ends_with(r#""response":{"x":{"attestation":1}}}"#)
        );
    }

    #[test]
    fn each_departure_from_the_form_has_its_name() {
        use StructureError as E;
        let with = |from: &str, to: &str| refusal(&FINAL.replacen(from, to, 1));
        assert_eq!(refusal("[]"), E::NotAnObject);
        assert_eq!(refusal("null"), E::NotAnObject);
        assert_eq!(refusal("{}"), E::NoAttestation);
        assert_eq!(refusal(r#"{"attestation":"Ed25519"}"#), E::AttestationNotAnObject);
        assert_eq!(refusal(r#"{"attestation":{}}"#), E::AttestationLacks("algorithm"));
        let block = "\"attestation\": {";
        let extra = E::AttestationExtra("note".into());
        assert_eq!(with(block, &format!("{block}\"note\":1,")), extra);
        for algorithm in ["none", "ed25519", "Ed25519 ", ""] {
            assert_eq!(
                with("\"algorithm\": \"Ed25519\"", &format!("\"algorithm\": \"{algorithm}\"")),
                E::Algorithm
            );
        }
        assert_eq!(with("\"algorithm\": \"Ed25519\"", "\"algorithm\": null"), E::Algorithm);
        let time = "\"timestamp\": \"2026-10-01T01:01:15.158857+00:00\"";
        assert_eq!(with(time, "\"timestamp\": 5"), E::NotText("timestamp"));
        assert_eq!(
            with(time, "\"timestamp\": \"2026-10-01T01:01:15.158857Z\""),
            E::TimestampDiffers
        );
        assert_eq!(
            with("\"key_version\": \"v1-2026-09c\"", "\"key_version\": \"v2\""),
            E::KeyVersionDiffers
        );
        assert_eq!(
            with("\"key_version\": \"v1-2026-09c\"", "\"key_version\": null"),
            E::KeyVersionDiffers
        );
        let signature = "ri1AEl12";
        let not_base64 = E::Signature(SignatureError::NotBase64);
        assert_eq!(with(signature, "ri1AEl1-"), not_base64);
        assert_eq!(with(signature, "ri1AEl1 2"), not_base64);
        assert_eq!(with("zHaSVDw==", "zHaSVDx=="), not_base64, "unused bits");
        assert_eq!(with("zHaSVDw==", "zHaSVDw"), not_base64, "no padding");
        assert_eq!(with(signature, ""), E::Signature(SignatureError::Length(58)));
        let no_form = E::NoCanonicalForm(UnhashableReason::LoneSurrogate);
        assert_eq!(with("invoice-7731-final", "\\ud800"), no_form);
        assert_eq!(with("v1-2026-09c", "\\udfff"), E::KeyVersionDiffers);
        let infinite = E::NoCanonicalForm(UnhashableReason::InfiniteNumber);
        assert_eq!(
            with("\"strict_content_check\": false", "\"strict_content_check\": 1e400"),
            infinite
        );
    }

    /// Before `verify` and the receipt fields there was the attestation alone.
    #[test]
    fn a_receipt_without_receipt_fields_has_a_valid_form() {
        let body = document(r#"{"result":"pass","verified_at":"2026-01-01T00:00:00+00:00"}"#);
        let text = seal(&body, Context::Verification, &key()).unwrap();
        let older = text.replace(r#","verified_at":"2026-01-01T00:00:00+00:00""#, "");
        assert!(Attestation::of(document(&older).root()).is_ok());
    }

    #[test]
    fn what_is_sealed_verifies_and_keeps_its_text() {
        for body in [
            r#"{"result":"pass","ratio":1.0,"n":12345678901234567890,"verified_at":"2026-01-01T00:00:00.000001+00:00","verify":{"key_version":"v1-own"}}"#,
            "{\n  \"result\": \"pass\",\n  \"verified_at\": \"2026-01-01T00:00:00.000001+00:00\"\n}\n",
        ] {
            let text = seal(&document(body), Context::Score, &key()).unwrap();
            let receipt = document(&text);
            let found = Attestation::of(receipt.root()).unwrap();
            assert_eq!(found.key_version, "v1-own");
            assert_eq!(found.timestamp, "2026-01-01T00:00:00.000001+00:00");
            let bytes = found.signed_bytes(receipt.root(), Context::Score).unwrap();
            assert!(key().public().verifies(&bytes, &found.signature));
            let kept = body.trim_end().strip_suffix('}').unwrap().trim_end();
            assert!(text.starts_with(kept), "{text}");
            let last = receipt.root().members().last().unwrap();
            assert_eq!(last.name.as_str(), Some("attestation"));
        }
    }

    #[test]
    fn what_could_not_be_verified_is_not_signed() {
        let error = |text: &str| seal(&document(text), Context::Verification, &key()).unwrap_err();
        let time = r#""verified_at":"t""#;
        assert_eq!(error("[]"), SealError::NotABody);
        assert_eq!(error(&format!("{{{time},\"attestation\":{{}}}}")), SealError::NotABody);
        assert_eq!(error("{}"), SealError::NoTime);
        assert_eq!(error(r#"{"verified_at":""}"#), SealError::NoTime);
        assert_eq!(
            error(&format!("{{{time},\"verify\":{{\"key_version\":\"v2\"}}}}")),
            SealError::OtherKeyVersion
        );
        assert_eq!(
            error(&format!("{{{time},\"x\":1e999}}")),
            SealError::NoCanonicalForm(UnhashableReason::InfiniteNumber)
        );
    }
}
