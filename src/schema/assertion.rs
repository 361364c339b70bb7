//! Does one assertion hold for one value: exact, and charged to the budget.

use super::budget::{Budget, Exhausted};
use super::keyword::{Assertion, Bound, Count, Limit, Name};
use super::pattern::PatternError;
use crate::json::{self, Kind, Node};

impl Assertion {
    /// Whether the assertion holds; `None` where it does not apply to the value's type.
    pub(super) fn test(
        &self,
        node: Node<'_>,
        budget: &mut Budget,
    ) -> Result<Option<bool>, PatternError> {
        if !self.applies(node.kind()) {
            return Ok(None);
        }
        if let Self::Pattern(pattern) = self {
            return pattern.is_match(node.as_str().unwrap_or_default(), budget).map(Some);
        }
        budget.charge(self.cost(node)).map_err(|Exhausted| PatternError::TooCostly)?;
        let length = node.len() as u64;
        let holds = match self {
            Self::Type(types) => types.contains(node),
            Self::Enum(values) | Self::Const(values) => values.contains(node),
            Self::Bound { bound, limit } => holds(*bound, limit, node),
            Self::MultipleOf(divisor) => match node.as_number() {
                Some(number) => {
                    divisor.divides(number, budget).map_err(|Exhausted| PatternError::TooCostly)?
                }
                None => true,
            },
            Self::MinLength(count) => code_points(node) >= count.value,
            Self::MaxLength(count) => code_points(node) <= count.value,
            Self::Format(format) => format.holds(node),
            Self::MinItems(count) | Self::MinProperties(count) => length >= count.value,
            Self::MaxItems(count) | Self::MaxProperties(count) => length <= count.value,
            Self::UniqueItems => json::first_equal_pair(node.elements()).is_none(),
            Self::Required(names) => missing(names, node).next().is_none(),
            Self::Dependencies(entries) => missing_dependencies(entries, node).next().is_none(),
            Self::Pattern(_) => true,
        };
        Ok(Some(holds))
    }

    /// Whether the assertion says anything about values of this kind.
    fn applies(&self, kind: Kind) -> bool {
        match self {
            Self::Type(_) | Self::Enum(_) | Self::Const(_) => true,
            Self::Bound { .. } | Self::MultipleOf(_) => kind == Kind::Number,
            Self::MinLength(_) | Self::MaxLength(_) | Self::Pattern(_) | Self::Format(_) => {
                kind == Kind::String
            }
            Self::MinItems(_) | Self::MaxItems(_) | Self::UniqueItems => kind == Kind::Array,
            Self::MinProperties(_)
            | Self::MaxProperties(_)
            | Self::Required(_)
            | Self::Dependencies(_) => kind == Kind::Object,
        }
    }

    /// The steps that testing the value may take.
    fn cost(&self, node: Node<'_>) -> u64 {
        let source = node.source().len();
        let steps = match self {
            Self::Type(_) if node.kind() == Kind::Number => source / 16,
            Self::Type(_) | Self::Pattern(_) => 0,
            Self::Enum(_) | Self::Const(_) => 4 + source / 8,
            Self::Bound { limit, .. } => (source + limit.literal.len()) / 16,
            Self::MultipleOf(_) => source / 16,
            Self::MinLength(_) | Self::MaxLength(_) => source / 64,
            Self::Format(_) => 8 + source,
            Self::MinItems(_)
            | Self::MaxItems(_)
            | Self::MinProperties(_)
            | Self::MaxProperties(_) => 0,
            Self::UniqueItems => 4 * node.len() + source / 8,
            Self::Required(names) => look_ups(names.len(), node),
            Self::Dependencies(entries) => {
                let needs = |(name, needs): &(Name, Vec<Name>)| {
                    if node.get_wtf8(name).is_some() { needs.len() } else { 0 }
                };
                look_ups(entries.len() + entries.iter().map(needs).sum::<usize>(), node)
            }
        };
        steps as u64
    }
}

/// What it costs to look for so many names in an object: small objects are searched name by name.
pub(super) fn look_ups(names: usize, object: Node<'_>) -> usize {
    names * (1 + object.len().min(16) / 4)
}

fn holds(bound: Bound, limit: &Limit, node: Node<'_>) -> bool {
    let Some(number) = node.as_number() else { return true };
    let order = limit.compare(number);
    match bound {
        Bound::AtLeast => order.is_ge(),
        Bound::Above => order.is_gt(),
        Bound::AtMost => order.is_le(),
        Bound::Below => order.is_lt(),
    }
}

/// The names that an object lacks, in written order.
pub(super) fn missing<'p>(names: &'p [Name], node: Node<'_>) -> impl Iterator<Item = &'p Name> {
    let mut members = node.finder();
    names.iter().filter(move |name| members.get(name).is_none())
}

/// The names that `dependentRequired` misses, in written order.
pub(super) fn missing_dependencies<'p>(
    entries: &'p [(Name, Vec<Name>)],
    node: Node<'_>,
) -> impl Iterator<Item = &'p Name> {
    entries
        .iter()
        .filter(move |(name, _)| node.get_wtf8(name).is_some())
        .flat_map(|(_, needs)| needs)
        .filter(move |name| node.get_wtf8(name).is_none())
}

/// Length of a string in code points.
pub(super) fn code_points(node: Node<'_>) -> u64 {
    let text = node.as_str().unwrap_or_default();
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

impl Count {
    /// The number as written, for messages.
    pub(super) fn shown(&self) -> &str {
        &self.literal
    }
}
