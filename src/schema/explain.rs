//! The words for a failed assertion: what was expected and what was found (SPEC 4.5, 4.6).

use serde_json::Value;

use super::assertion::{code_points, missing_dependencies};
use super::keyword::{Assertion, Bound};
use crate::finding::Violation;
use crate::json::{Kind, Node, first_equal_pair};
use crate::text::{MAX_ECHO, cut, visible, visible_wtf8};

/// What was expected, and what was found.
pub(super) struct Words {
    pub(super) expected: String,
    pub(super) found: String,
}

fn words(expected: impl Into<String>, found: impl Into<String>) -> Words {
    Words { expected: expected.into(), found: found.into() }
}

/// The words for an assertion that does not hold for `node`. `required` and its kin have words per
/// missing name, see [`missing_names`].
pub(super) fn assertion(assertion: &Assertion, node: Node<'_>) -> Words {
    let shown = shorten;
    match assertion {
        Assertion::Type(types) => {
            words(types.names().collect::<Vec<_>>().join(" or "), type_name(node))
        }
        Assertion::Enum(values) => {
            let values: Vec<_> = values.iter().map(Value::to_string).collect();
            words(format!("one of: {}", shown(&values.join(", "))), value(node))
        }
        Assertion::Const(expected) => words(shown(&expected.to_string()), value(node)),
        Assertion::Bound { bound, limit } => {
            let sign = match bound {
                Bound::AtLeast => ">=",
                Bound::Above => ">",
                Bound::AtMost => "<=",
                Bound::Below => "<",
            };
            words(format!("{sign} {}", shown(&limit.literal)), value(node))
        }
        Assertion::MultipleOf { divisor, .. } => {
            words(format!("a multiple of {}", shown(divisor)), value(node))
        }
        Assertion::MinLength(count) => at_least(count.shown(), length(node), "character(s)"),
        Assertion::MaxLength(count) => at_most(count.shown(), length(node), "character(s)"),
        Assertion::MinItems(count) => at_least(count.shown(), node.len() as u64, "item(s)"),
        Assertion::MaxItems(count) => at_most(count.shown(), node.len() as u64, "item(s)"),
        Assertion::MinProperties(count) => {
            at_least(count.shown(), node.len() as u64, "property(ies)")
        }
        Assertion::MaxProperties(count) => {
            at_most(count.shown(), node.len() as u64, "property(ies)")
        }
        Assertion::Pattern(pattern) => {
            words(format!("a string matching {}", shown(pattern.source())), value(node))
        }
        Assertion::Format(format) => words(format!("a valid {}", shown(&format.name)), value(node)),
        Assertion::UniqueItems => {
            let (first, second) = first_equal_pair(node.elements()).unwrap_or_default();
            words("unique items", format!("items {first} and {second} are equal"))
        }
        Assertion::Required(_) | Assertion::Dependencies(_) => missing(),
    }
}

/// The names that an assertion about names misses in `node`; empty for all other assertions.
pub(super) fn missing_names<'p>(assertion: &'p Assertion, node: Node<'_>) -> Vec<&'p String> {
    match assertion {
        Assertion::Required(names) => {
            names.iter().filter(|name| node.get(name).is_none()).collect()
        }
        Assertion::Dependencies(entries) => missing_dependencies(entries, node).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn missing() -> Words {
    words("required property", "missing")
}

/// The word for a count that is too low.
pub(super) fn at_least(bound: &str, found: u64, unit: &str) -> Words {
    words(format!("at least {} {unit}", shorten(bound)), format!("{found} {unit}"))
}

/// The word for a count that is too high.
pub(super) fn at_most(bound: &str, found: u64, unit: &str) -> Words {
    words(format!("at most {} {unit}", shorten(bound)), format!("{found} {unit}"))
}

pub(super) fn no_such(what: &str) -> Words {
    words(format!("no such {what}"), format!("unexpected {what}"))
}

pub(super) fn nothing(node: Node<'_>) -> Words {
    words("nothing", type_name(node))
}

pub(super) fn no_match() -> Words {
    words("no match of the schema", "a match")
}

/// For `anyOf` and `oneOf` without a matching branch: the one that came closest.
pub(super) fn closest(exactly_one: bool, branch: Option<(usize, &Violation)>) -> Words {
    let expected = if exactly_one {
        "a match of exactly one branch"
    } else {
        "a match of at least one branch"
    };
    let found = branch.map_or_else(
        || "no match".to_owned(),
        |(at, first)| {
            format!(
                "no match; closest is branch {at}: {} at '{}': expected {}, found {}",
                first.check,
                first.place.path(),
                first.expected,
                first.found
            )
        },
    );
    words(expected, found)
}

/// For `oneOf` with several matching branches.
pub(super) fn several(branches: &[usize]) -> Words {
    let shown = 10;
    let mut names: Vec<_> = branches.iter().take(shown).map(usize::to_string).collect();
    if branches.len() > shown {
        names.push(format!("{} more", branches.len() - shown));
    }
    let last = names.pop().unwrap_or_default();
    words(
        "a match of exactly one branch",
        format!("branches {} and {last} match", names.join(", ")),
    )
}

/// The name of a value's type; a whole number written without fraction is an `integer`.
pub(super) fn type_name(node: Node<'_>) -> &'static str {
    match node.as_number() {
        Some(number) if !number.is_float_literal() => "integer",
        _ => node.kind().name(),
    }
}

/// The value as JSON, cut.
fn value(node: Node<'_>) -> String {
    match node.kind() {
        Kind::String => {
            // Only what will be seen is looked at.
            let text = visible_wtf8(
                node.wtf8()
                    .unwrap_or_default()
                    .get(..400)
                    .unwrap_or(node.wtf8().unwrap_or_default()),
            );
            shorten(&crate::json::quoted(&text).replace("\\\\u", "\\u"))
        }
        _ => compact(node),
    }
}

/// A container without the white space between its parts, cut.
fn compact(node: Node<'_>) -> String {
    let (mut out, mut in_string, mut escaped) = (String::new(), false, false);
    for character in node.source().chars() {
        if out.len() > MAX_ECHO * 4 {
            break;
        }
        if !in_string && character.is_ascii_whitespace() {
            continue;
        }
        in_string = match character {
            '"' if !escaped => !in_string,
            _ => in_string,
        };
        escaped = in_string && character == '\\' && !escaped;
        out.push(character);
    }
    shorten(&out)
}

/// Text of the schema or the data as a body shows it: escaped, and at most 40 code points.
pub(super) fn shorten(text: &str) -> String {
    let head = cut(text, MAX_ECHO * 4);
    cut(&visible(&head), MAX_ECHO).into_owned()
}

fn length(node: Node<'_>) -> u64 {
    code_points(node.as_str().unwrap_or_default())
}
