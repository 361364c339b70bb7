//! The values of a schema as jsonschema wants them, and back: nothing that is written is lost,
//! neither the digits of a number nor a lone surrogate.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::{Map, Number as SerdeNumber, Value};

use crate::json::{self, Document, Kind, Node, Number};
use crate::text::code_points;

/// In a schema as serde_json holds it, what begins a lone surrogate, which a [`String`] cannot have;
/// twice, the character itself. No character, so hardly anybody writes it.
const ESCAPE: char = '\u{10FFFF}';

/// Where the code points of surrogates are moved to behind an [`ESCAPE`].
const MOVED: u32 = 0xE000 - 0xD800;

/// The text of a string node as a [`String`] that no other text has; see [`wtf8`].
fn text_of(node: Node<'_>) -> String {
    let text = node.as_str().unwrap_or_default();
    if !node.has_lone_surrogate() && !text.contains(ESCAPE) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for code in code_points(node.wtf8().unwrap_or_default()) {
        match char::from_u32(code) {
            Some(ESCAPE) => out.extend([ESCAPE, ESCAPE]),
            Some(character) => out.push(character),
            None => out.extend([Some(ESCAPE), char::from_u32(code + MOVED)].into_iter().flatten()),
        }
    }
    out
}

/// The exact text behind one made by [`text_of`], as WTF-8.
pub(super) fn wtf8(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let moved = (character == ESCAPE).then(|| characters.next()).flatten();
        match moved.filter(|moved| *moved != ESCAPE) {
            Some(moved) => {
                let code = u32::from(moved) - MOVED;
                out.extend([
                    0xE0 | (code >> 12) as u8,
                    0x80 | (code >> 6 & 0x3F) as u8,
                    0x80 | (code & 0x3F) as u8,
                ]);
            }
            None => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.into()
}

/// Whether the text has a lone surrogate, or looks like it.
pub(super) fn is_escaped(text: &str) -> bool {
    text.contains(ESCAPE)
}

/// A value of a schema read on its own: the numbers as written, lone surrogates included.
pub(super) fn to_document(value: &Value) -> Option<Document> {
    let mut text = String::new();
    write_json(value, &mut text);
    json::read(text, usize::MAX).ok()
}

/// Recursion is bounded by the depth limit of the reader of the schema.
fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => write_text(text, out),
        Value::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_json(element, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (name, value)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_text(name, out);
                out.push(':');
                write_json(value, out);
            }
            out.push('}');
        }
        Value::Number(number) => out.push_str(number.as_str()),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Null => out.push_str("null"),
    }
}

fn write_text(text: &str, out: &mut String) {
    if !is_escaped(text) {
        out.push_str(&json::quoted(text));
        return;
    }
    out.push('"');
    for code in code_points(&wtf8(text)) {
        match char::from_u32(code) {
            Some(character) => {
                let quoted = json::quoted(character.encode_utf8(&mut [0; 4]));
                out.push_str(&quoted[1..quoted.len() - 1]);
            }
            None => {
                let _ = write!(out, "\\u{code:04x}");
            }
        }
    }
    out.push('"');
}

/// The value as serde_json holds it, numbers as written, members in their order. It is built member
/// by member: no text goes through serde_json, whose private names could change a value.
pub(super) fn to_value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Boolean => Value::Bool(node.as_bool() == Some(true)),
        Kind::Number => {
            node.as_number().map_or(Value::Null, |number| Value::Number(to_number(number)))
        }
        Kind::String => Value::String(text_of(node)),
        Kind::Array => Value::Array(node.elements().map(to_value).collect()),
        Kind::Object => {
            let members =
                node.members().map(|member| (text_of(member.name), to_value(member.value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

fn to_number(number: Number<'_>) -> SerdeNumber {
    // `str::parse` would respell exponents, and messages show a bound as the schema writes it.
    SerdeNumber::from_string_unchecked(number.literal().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};

    #[test]
    fn a_private_name_of_serde_json_is_an_ordinary_name() {
        let text = r#"{"$serde_json::private::Number":"12","$serde_json::private::RawValue":"[]"}"#;
        let value = to_value(read(text, MAX_DEPTH).unwrap().root());
        assert_eq!(value.as_object().map(Map::len), Some(2));
    }

    #[test]
    fn lone_surrogates_survive_in_schemas() {
        let text =
            r#"{"\ud800":1,"\ud801\udbffx":"\udc00é","\udbff\udfff":["\udbff\udfff"],"\ufffd":1}"#;
        let document = read(text, MAX_DEPTH).unwrap();
        let value = to_value(document.root());
        assert_eq!(value.as_object().map(Map::len), Some(4));
        let back = to_document(&value).unwrap();
        assert!(back.root().equals(document.root()));
        for member in document.root().members() {
            assert_eq!(Some(&*wtf8(&text_of(member.name))), member.name.wtf8());
        }
    }

    #[test]
    fn numbers_keep_their_digits() {
        for literal in ["12345678901234567890123", "1.0", "1e400", "-0", "1E+2", "0.10"] {
            let document = read(literal, MAX_DEPTH).unwrap();
            assert_eq!(to_value(document.root()).as_number().unwrap().as_str(), literal);
        }
    }
}
