//! How x402 objects travel in header fields (X402 §3), and what becomes of texts that are not ours.

use agent_output_verifier::json;
use agent_output_verifier::text::{MAX_ECHO, cut};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

/// The longest header field with a payment.
pub(crate) const MAX_HEADER: usize = 16 << 10;
/// How deep the objects of x402 may be.
const MAX_DEPTH: usize = 32;

/// Clients leave padding out.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// An object as the value of a header field: standard alphabet, padded, one line.
pub(crate) fn encode(object: &Value) -> String {
    STANDARD.encode(object.to_string())
}

/// The object in a header field: base64 of the standard or the URL alphabet, padded or not, of a
/// strict JSON text.
pub(crate) fn decode(field: &str) -> Option<Value> {
    let field = field.trim_matches([' ', '\t']);
    if field.len() > MAX_HEADER {
        return None;
    }
    // One alphabet or the other: a mixture is neither.
    let url_safe = field.contains(['-', '_']);
    if url_safe && field.contains(['+', '/']) {
        return None;
    }
    let standard =
        if url_safe { field.replace('-', "+").replace('_', "/") } else { field.to_owned() };
    parse(&LENIENT.decode(standard).ok()?)
}

/// A JSON object by our own strict reader: no name stands twice in it, so that everybody who reads
/// it further on sees the same.
pub(crate) fn parse(text: &[u8]) -> Option<Value> {
    let document = json::read(text.to_vec(), MAX_DEPTH).ok()?;
    if document.has_lone_surrogates() {
        return None;
    }
    let value: Value = serde_json::from_str(document.text()).ok()?;
    value.is_object().then_some(value)
}

/// The same without members that are null: strict facilitators refuse those (X402 §2).
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        Value::Array(elements) => elements.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// A text of a facilitator, fit for bodies, header fields and logs (X402 §2.6, rule 17).
pub(crate) fn foreign(text: &str) -> String {
    let plain: String = text
        .chars()
        .filter(|it| !it.is_control() && !agent_output_verifier::text::is_bidi_control(*it))
        .collect();
    cut(&plain, 5 * MAX_ECHO).into_owned()
}

/// A non-negative integer in decimal (X402 rule 3): `^[0-9]{1,78}$`.
pub(crate) fn is_amount(text: &str) -> bool {
    (1..=78).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether two amounts, both [`is_amount`], are the same number.
pub(crate) fn same_amount(left: &str, right: &str) -> bool {
    let significant = |text: &str| text.trim_start_matches('0').to_owned();
    is_amount(left) && is_amount(right) && significant(left) == significant(right)
}

/// `0x` and so many bytes in hexadecimal.
pub(crate) fn hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?;
    if digits.len() % 2 != 0 || !digits.is_ascii() {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    digits
        .as_bytes()
        .chunks_exact(2)
        .map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?))
        .collect()
}

/// The same, of a fixed length.
pub(crate) fn hex_array<const N: usize>(text: &str) -> Option<[u8; N]> {
    hex(text)?.try_into().ok()
}

/// Bytes as `0x…`, in small letters.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold("0x".to_owned(), |mut text, byte| {
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
