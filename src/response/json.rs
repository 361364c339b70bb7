//! A JSON value to be written, its members in the order of the contract.

use std::fmt::Display;

use crate::json::write_string;

/// A value of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Count(u64),
    /// A double, written with a fraction or an exponent.
    Float(f64),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A string.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A string, or null.
    #[must_use]
    pub fn optional(value: Option<impl Display>) -> Self {
        value.map_or(Self::Null, |value| Self::Text(value.to_string()))
    }

    /// Indented by two spaces, without a line break at the end.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        self.to_string_with(Some(0))
    }

    /// On one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        self.to_string_with(None)
    }

    fn to_string_with(&self, indent: Option<usize>) -> String {
        let mut out = Vec::new();
        self.write(indent, &mut out);
        // Every piece written is text.
        String::from_utf8(out).unwrap_or_default()
    }

    fn write(&self, indent: Option<usize>, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Self::Count(count) => out.extend_from_slice(count.to_string().as_bytes()),
            Self::Float(value) => out.extend_from_slice(float(*value).as_bytes()),
            Self::Text(text) => write_string(text, out),
            Self::Array(items) => {
                let items = items.iter().map(|item| (None, item));
                write_children(b"[]", items, indent, out);
            }
            Self::Object(members) => {
                let members = members.iter().map(|(name, value)| (Some(*name), value));
                write_children(b"{}", members, indent, out);
            }
        }
    }
}

/// A double as Python prints it, and so the hosted service: `1.0`, `0.966667`, `1e-06`.
fn float(value: f64) -> String {
    let text = format!("{value:?}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

fn write_children<'j>(
    brackets: &[u8; 2],
    children: impl ExactSizeIterator<Item = (Option<&'static str>, &'j Json)>,
    indent: Option<usize>,
    out: &mut Vec<u8>,
) {
    let empty = children.len() == 0;
    let inner = indent.map(|indent| indent + 1);
    out.push(brackets[0]);
    for (at, (name, value)) in children.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        new_line(inner, out);
        if let Some(name) = name {
            write_string(name, out);
            out.extend_from_slice(if indent.is_some() { b": " } else { b":" });
        }
        value.write(inner, out);
    }
    if !empty {
        new_line(indent, out);
    }
    out.push(brackets[1]);
}

fn new_line(indent: Option<usize>, out: &mut Vec<u8>) {
    if let Some(indent) = indent {
        out.push(b'\n');
        out.resize(out.len() + 2 * indent, b' ');
    }
}
