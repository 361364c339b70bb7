//! Does one assertion hold for one value: exact, and charged to the budget.

use super::budget::Budget;
use super::keyword::{Assertion, Bound, Count};
use super::pattern::PatternError;
use super::representation::{View, equals};
use crate::json::{self, Kind, Node, Number};

impl Assertion {
    /// Whether the assertion holds; `None` where it does not apply to the value's type.
    pub(super) fn test(
        &self,
        node: Node<'_>,
        budget: &mut Budget,
    ) -> Result<Option<bool>, PatternError> {
        let mut charge =
            |steps: usize| budget.charge(steps as u64).map_err(|_| PatternError::TooCostly);
        let holds = match self {
            Self::Type(types) => types.contains(node),
            Self::Enum(values) => {
                charge(values.len() + values.len().saturating_mul(size_of_container(node)))?;
                values.iter().any(|value| equals(node, value))
            }
            Self::Const(value) => {
                charge(size_of_container(node))?;
                equals(node, value)
            }
            Self::Bound { bound, limit } => {
                let Some(number) = node.as_number() else { return Ok(None) };
                let order = limit.compare(number);
                match bound {
                    Bound::AtLeast => order.is_ge(),
                    Bound::Above => order.is_gt(),
                    Bound::AtMost => order.is_le(),
                    Bound::Below => order.is_lt(),
                }
            }
            Self::MultipleOf { divisor, exact } => {
                let Some(number) = node.as_number() else { return Ok(None) };
                match small_multiple(number, divisor) {
                    Some(holds) => holds,
                    None => {
                        // Division of long numbers is quadratic.
                        let digits = number.literal().len() + divisor.len() + 400;
                        charge(digits.saturating_mul(digits) / 64)?;
                        exact.is_valid(View::Value(node))
                    }
                }
            }
            Self::MinLength(count) | Self::MaxLength(count) => {
                let Some(text) = node.as_str() else { return Ok(None) };
                charge(text.len() / 64)?;
                let length = code_points(text);
                if matches!(self, Self::MinLength(_)) {
                    length >= count.value
                } else {
                    length <= count.value
                }
            }
            Self::Pattern(pattern) => {
                let Some(text) = node.as_str() else { return Ok(None) };
                pattern.is_match(text, budget)?
            }
            Self::Format(format) => {
                let Some(text) = node.as_str() else { return Ok(None) };
                charge(8 + text.len())?;
                format.holds(node)
            }
            Self::MinItems(count) => return Ok(size(node, Kind::Array, |len| len >= count.value)),
            Self::MaxItems(count) => return Ok(size(node, Kind::Array, |len| len <= count.value)),
            Self::MinProperties(count) => {
                return Ok(size(node, Kind::Object, |len| len >= count.value));
            }
            Self::MaxProperties(count) => {
                return Ok(size(node, Kind::Object, |len| len <= count.value));
            }
            Self::UniqueItems => {
                if node.kind() != Kind::Array {
                    return Ok(None);
                }
                charge(node.len() + node.source().len() / 8)?;
                json::first_equal_pair(node.elements()).is_none()
            }
            Self::Required(names) => {
                if node.kind() != Kind::Object {
                    return Ok(None);
                }
                charge(names.len())?;
                let mut near = 0;
                names.iter().all(|name| node.get_near(name, &mut near).is_some())
            }
            Self::Dependencies(entries) => {
                if node.kind() != Kind::Object {
                    return Ok(None);
                }
                charge(entries.iter().map(|(_, needs)| 1 + needs.len()).sum())?;
                missing_dependencies(entries, node).next().is_none()
            }
        };
        Ok(Some(holds))
    }
}

/// The names that `dependentRequired` misses, in written order.
pub(super) fn missing_dependencies<'p>(
    entries: &'p [(String, Vec<String>)],
    node: Node<'_>,
) -> impl Iterator<Item = &'p String> {
    entries
        .iter()
        .filter(move |(name, _)| node.get(name).is_some())
        .flat_map(|(_, needs)| needs)
        .filter(move |name| node.get(name).is_none())
}

fn size(node: Node<'_>, kind: Kind, holds: impl Fn(u64) -> bool) -> Option<bool> {
    (node.kind() == kind).then(|| holds(node.len() as u64))
}

/// What comparing a container may cost; scalars are compared at once.
fn size_of_container(node: Node<'_>) -> usize {
    if matches!(node.kind(), Kind::Array | Kind::Object) { node.source().len() / 16 } else { 0 }
}

/// Length in code points.
pub(super) fn code_points(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

/// `multipleOf` where both numbers are short: a remainder of integers on a common scale.
fn small_multiple(number: Number<'_>, divisor: &str) -> Option<bool> {
    let short = |literal: &str| {
        let digits = literal.strip_prefix('-').unwrap_or(literal);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let value: i128 = if whole.len() + fraction.len() <= 18 {
            format!("{whole}{fraction}").parse().ok()?
        } else {
            return None;
        };
        Some((value, fraction.len()))
    };
    let ((value, places), (step, step_places)) = (short(number.literal())?, short(divisor)?);
    let scale = places.max(step_places) as u32;
    let lift =
        |value: i128, places: usize| 10_i128.checked_pow(scale - places as u32)?.checked_mul(value);
    let (value, step) = (lift(value, places)?, lift(step, step_places)?);
    (step != 0).then(|| value % step == 0)
}

impl Count {
    /// The number as written, for messages.
    pub(super) fn shown(&self) -> &str {
        &self.literal
    }
}
