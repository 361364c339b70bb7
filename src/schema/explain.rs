//! The words for a failed assertion: what was expected and what was found (SPEC 4.5, 4.6).

use super::assertion::code_points;
use super::keyword::{Assertion, Bound, Count};
use crate::finding::Violation;
use crate::json::{Node, first_equal_pair};
use crate::text::{MAX_ECHO, cut, visible};

/// The most code points that are quoted of what failed in a branch.
const MAX_QUOTE: usize = 400;

/// What was expected, and what was found.
pub(super) struct Words {
    pub(super) expected: String,
    pub(super) found: String,
}

fn words(expected: impl Into<String>, found: impl Into<String>) -> Words {
    Words { expected: expected.into(), found: found.into() }
}

/// The words for an assertion that does not hold for `node`.
pub(super) fn assertion(assertion: &Assertion, node: Node<'_>) -> Words {
    match assertion {
        Assertion::Type(types) => words(&*types.shown, type_name(node)),
        Assertion::Enum(values) => words(format!("one of: {}", values.shown), node.echo()),
        Assertion::Const(value) => words(&*value.shown, node.echo()),
        Assertion::Bound { bound, limit } => {
            let sign = match bound {
                Bound::AtLeast => ">=",
                Bound::Above => ">",
                Bound::AtMost => "<=",
                Bound::Below => "<",
            };
            words(format!("{sign} {}", shorten(&limit.literal)), node.echo())
        }
        Assertion::MultipleOf(divisor) => {
            words(format!("a multiple of {}", shorten(&divisor.literal)), node.echo())
        }
        Assertion::MinLength(count) => at_least(count.shown(), code_points(node), "character(s)"),
        Assertion::MaxLength(count) => at_most(count.shown(), code_points(node), "character(s)"),
        Assertion::MinItems(count) => at_least(count.shown(), node.len() as u64, "item(s)"),
        Assertion::MaxItems(count) => at_most(count.shown(), node.len() as u64, "item(s)"),
        Assertion::MinProperties(count) => {
            at_least(count.shown(), node.len() as u64, "property(ies)")
        }
        Assertion::MaxProperties(count) => {
            at_most(count.shown(), node.len() as u64, "property(ies)")
        }
        Assertion::Pattern(pattern) => {
            words(format!("a string matching {}", shorten(pattern.source())), node.echo())
        }
        Assertion::Format(format) => {
            words(format!("a valid {}", shorten(&format.name)), node.echo())
        }
        Assertion::UniqueItems => {
            let (first, second) = first_equal_pair(node.elements()).unwrap_or_default();
            words("unique items", format!("items {first} and {second} are equal"))
        }
        Assertion::Required(_) | Assertion::Dependencies(_) => missing(),
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

/// For `contains` and its bounds.
pub(super) fn contains(min: Option<&Count>, max: Option<&Count>, found: u64) -> Words {
    let unit = "matching item(s)";
    match (min, max) {
        (None, _) if found == 0 => at_least("1", found, unit),
        (Some(min), _) if found < min.value => at_least(min.shown(), found, unit),
        (_, max) => at_most(max.map_or("", Count::shown), found, unit),
    }
}

/// For a `false` after everything that is expected, by its keyword.
pub(super) fn no_such(keyword: &str) -> Words {
    let what = if keyword.ends_with("Items") { "item" } else { "property" };
    words(format!("no such {what}"), format!("unexpected {what}"))
}

pub(super) fn nothing(node: Node<'_>) -> Words {
    words("nothing", type_name(node))
}

pub(super) fn no_match() -> Words {
    words("no match of the schema", "a match")
}

/// For `anyOf` and `oneOf` without a matching branch: the one that came closest.
pub(super) fn closest(exactly_one: bool, branch: Option<(usize, Violation)>) -> Words {
    let expected = if exactly_one {
        "a match of exactly one branch"
    } else {
        "a match of at least one branch"
    };
    let found = branch.map_or_else(
        || "no match".to_owned(),
        |(at, first)| {
            let Violation { check, place, expected, found, .. } = first;
            let path = place.path();
            let quote = format!(
                "no match; closest is branch {at}: {check} at '{path}': expected {expected}, found {found}"
            );
            cut(&quote, MAX_QUOTE).into_owned()
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

/// Text of the schema or the data as a body shows it: escaped, and at most 40 code points.
pub(super) fn shorten(text: &str) -> String {
    let head = cut(text, MAX_ECHO * 4);
    cut(&visible(&head), MAX_ECHO).into_owned()
}
