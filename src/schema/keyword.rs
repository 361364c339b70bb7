//! The keywords of one schema object, typed: what a plan is made of.

use std::sync::{Arc, OnceLock};

use jsonschema::{Draft, Validator};
use serde_json::Value;

use super::pattern::Pattern;
use super::representation::{Reading, View};
use crate::json::{Kind, Node, Number};

/// A schema object in a [`super::plan::Plan`], by number.
pub(super) type SchemaId = u32;

/// One schema object, or a boolean schema.
#[derive(Debug, Default)]
pub(super) struct SchemaNode {
    /// Where it stands: `#/properties/a`, or a URI with such a fragment.
    pub(super) location: String,
    /// For `true` and `false`.
    pub(super) boolean: Option<bool>,
    /// In written order.
    pub(super) keywords: Vec<Keyword>,
    /// The names it requires, where it has `properties` (SPEC 6.4).
    pub(super) described: Option<Vec<String>>,
    /// What evaluating it costs beyond its own steps, where it has an `unevaluated*`.
    pub(super) surcharge: u64,
}

/// A keyword and what it does.
#[derive(Debug)]
pub(super) struct Keyword {
    pub(super) name: &'static str,
    pub(super) rule: Rule,
}

/// What a keyword does.
#[derive(Debug)]
pub(super) enum Rule {
    /// Asserts something about the value itself, and counts one wherever it applies.
    Assert(Assertion),
    Properties(Vec<(String, SchemaId)>),
    PatternProperties(Vec<(Arc<Pattern>, SchemaId)>),
    AdditionalProperties {
        schema: SchemaId,
        named: Vec<String>,
        patterns: Vec<Arc<Pattern>>,
    },
    PropertyNames(SchemaId),
    /// One schema per element, from the first on.
    PrefixItems(Vec<SchemaId>),
    /// The elements from `from` on; `count_once` where `false` counts one per array.
    Items {
        schema: SchemaId,
        from: usize,
        count_once: bool,
    },
    Contains {
        schema: SchemaId,
        min: Option<Count>,
        max: Option<Count>,
        evaluates: bool,
    },
    Reference(SchemaId),
    AllOf(Vec<SchemaId>),
    AnyOf(Vec<SchemaId>),
    OneOf(Vec<SchemaId>),
    Not(SchemaId),
    If {
        condition: SchemaId,
        then: Option<SchemaId>,
        otherwise: Option<SchemaId>,
    },
    DependentSchemas(Vec<(String, SchemaId)>),
    UnevaluatedProperties(SchemaId),
    UnevaluatedItems(SchemaId),
}

impl Rule {
    /// The schemas that the keyword applies.
    pub(super) fn schemas(&self) -> Vec<SchemaId> {
        match self {
            Self::Assert(_) => Vec::new(),
            Self::Properties(entries) | Self::DependentSchemas(entries) => {
                entries.iter().map(|(_, id)| *id).collect()
            }
            Self::PatternProperties(entries) => entries.iter().map(|(_, id)| *id).collect(),
            Self::PrefixItems(ids) | Self::AllOf(ids) | Self::AnyOf(ids) | Self::OneOf(ids) => {
                ids.clone()
            }
            Self::AdditionalProperties { schema, .. }
            | Self::Items { schema, .. }
            | Self::Contains { schema, .. } => vec![*schema],
            Self::PropertyNames(id)
            | Self::Reference(id)
            | Self::Not(id)
            | Self::UnevaluatedProperties(id)
            | Self::UnevaluatedItems(id) => vec![*id],
            Self::If { condition, then, otherwise } => {
                [Some(*condition), *then, *otherwise].into_iter().flatten().collect()
            }
        }
    }

    /// Whether it applies them to the value itself.
    pub(super) fn stays(&self) -> bool {
        matches!(
            self,
            Self::Reference(_)
                | Self::Not(_)
                | Self::AllOf(_)
                | Self::AnyOf(_)
                | Self::OneOf(_)
                | Self::If { .. }
                | Self::DependentSchemas(_)
        )
    }

    /// The patterns that the keyword matches.
    pub(super) fn patterns(&self) -> Vec<&Pattern> {
        match self {
            Self::Assert(Assertion::Pattern(pattern)) => vec![pattern],
            Self::PatternProperties(entries) => {
                entries.iter().map(|(pattern, _)| &**pattern).collect()
            }
            Self::AdditionalProperties { patterns, .. } => {
                patterns.iter().map(|pattern| &**pattern).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A non-negative whole number of a schema, at any size.
#[derive(Debug)]
pub(super) struct Count {
    /// As written.
    pub(super) literal: String,
    /// The value, or the largest there is.
    pub(super) value: u64,
}

/// What an [`Rule::Assert`] keyword asserts.
#[derive(Debug)]
pub(super) enum Assertion {
    Type(TypeSet),
    Enum(Vec<Value>),
    Const(Value),
    Bound {
        bound: Bound,
        limit: Limit,
    },
    MultipleOf {
        divisor: String,
        exact: Validator<Reading>,
    },
    MinLength(Count),
    MaxLength(Count),
    Pattern(Arc<Pattern>),
    Format(Format),
    MinItems(Count),
    MaxItems(Count),
    UniqueItems,
    MinProperties(Count),
    MaxProperties(Count),
    Required(Vec<String>),
    /// Names, and what each demands when it is there.
    Dependencies(Vec<(String, Vec<String>)>),
}

/// The four ways to bound a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    AtLeast,
    Above,
    AtMost,
    Below,
}

/// The number of a bound.
#[derive(Debug)]
pub(super) struct Limit {
    /// As written.
    pub(super) literal: String,
    /// The value, where it is a whole number of at most 15 digits.
    small: Option<i64>,
}

impl Limit {
    pub(super) fn new(literal: String) -> Self {
        let small =
            literal.parse().ok().filter(|small: &i64| small.unsigned_abs() < 1_000_000_000_000_000);
        Self { literal, small }
    }

    /// How the number compares with the limit, exactly.
    #[inline]
    pub(super) fn compare(&self, number: Number<'_>) -> std::cmp::Ordering {
        if let Some(limit) = self.small {
            if !number.is_float_literal() {
                if let Ok(value) = number.literal().parse::<i64>() {
                    return value.cmp(&limit);
                }
            } else if number.has_few_digits() {
                // Decimals of up to 15 digits keep their order as doubles, and stay distinct.
                let order = number.to_f64().partial_cmp(&(limit as f64));
                return order.unwrap_or(std::cmp::Ordering::Equal);
            }
        }
        match Number::parse(&self.literal) {
            Some(limit) => number.parts().cmp(&limit.parts()),
            None => std::cmp::Ordering::Equal,
        }
    }
}

/// A `format` that the dialect knows, checked by the validator's own check.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) name: String,
    draft: Draft,
    check: OnceLock<Option<Validator<Reading>>>,
}

impl Format {
    pub(super) fn new(name: &str, draft: Draft) -> Self {
        Self { name: name.to_owned(), draft, check: OnceLock::new() }
    }

    pub(super) fn holds(&self, node: Node<'_>) -> bool {
        let check = self
            .check
            .get_or_init(|| keyword_alone("format", self.name.clone().into(), self.draft));
        check.as_ref().is_none_or(|check| check.is_valid(View::Value(node)))
    }
}

/// The validator for a single keyword.
pub(super) fn keyword_alone(name: &str, value: Value, draft: Draft) -> Option<Validator<Reading>> {
    jsonschema::options_for::<Reading>()
        .with_draft(draft)
        .should_validate_formats(true)
        .offline()
        .build(&Value::Object([(name.to_owned(), value)].into_iter().collect()))
        .ok()
}

/// A set of the seven type names of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TypeSet {
    bits: u8,
    /// In draft-04 `1.0` is no integer.
    integers_as_written: bool,
}

const TYPE_NAMES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

impl TypeSet {
    /// The set named by a `type` keyword.
    pub(super) fn parse(value: &Value, draft: Draft) -> Self {
        let names = match value {
            Value::Array(names) => names.as_slice(),
            single => std::slice::from_ref(single),
        };
        let bit = |name: &Value| {
            let name = name.as_str()?;
            TYPE_NAMES.iter().position(|candidate| *candidate == name).map(|at| 1 << at)
        };
        let bits = names.iter().filter_map(bit).fold(0, |bits, bit: u8| bits | bit);
        Self { bits, integers_as_written: draft == Draft::Draft4 }
    }

    #[inline]
    pub(super) fn contains(self, node: Node<'_>) -> bool {
        let bit = match node.kind() {
            Kind::Null => 0,
            Kind::Boolean => 1,
            Kind::Number => return self.contains_number(node),
            Kind::String => 4,
            Kind::Array => 5,
            Kind::Object => 6,
        };
        self.bits & (1 << bit) != 0
    }

    fn contains_number(self, node: Node<'_>) -> bool {
        if self.bits & (1 << 3) != 0 {
            return true;
        }
        let integer = |number: Number<'_>| {
            !number.is_float_literal() || (!self.integers_as_written && number.parts().is_integer())
        };
        self.bits & (1 << 2) != 0 && node.as_number().is_some_and(integer)
    }

    /// The names joined by ` or `, in the order of the JSON Schema specification's types.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        TYPE_NAMES
            .into_iter()
            .enumerate()
            .filter(move |(at, _)| self.bits & (1 << at) != 0)
            .map(|(_, name)| name)
    }
}

impl Count {
    pub(super) fn parse(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        let literal = number.as_str().to_owned();
        let whole = Number::parse(&literal)?;
        // `2.0` is a count too; one beyond u64 is more than any text can hold.
        let value = whole.decimal().map_or_else(
            || if whole.to_f64() < 1.0 { 0 } else { u64::MAX },
            |exact| exact.to_plain(false).parse().unwrap_or(u64::MAX),
        );
        Some(Self { literal, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_compare_exactly_on_the_short_way_too() {
        use std::cmp::Ordering::{Equal, Greater, Less};
        for (limit, number, expected) in [
            ("0", "-0.0", Equal),
            ("0", "-0.000000000001", Less),
            ("100", "99.9999999999999", Less),
            ("100", "99.99999999999999999", Less),
            ("100", "100.000000000001", Greater),
            ("100", "1e2", Equal),
            ("9007199254740993", "9007199254740992", Less),
            ("9007199254740993", "9007199254740993.0", Equal),
            ("123456789012345", "123456789012345.1", Greater),
            ("-5", "-5.00", Equal),
            ("0.1", "0.10", Equal),
            ("5", "50000000000000000000000", Greater),
        ] {
            let compared = Number::parse(number).unwrap();
            assert_eq!(
                Limit::new(limit.to_owned()).compare(compared),
                expected,
                "{number} to {limit}"
            );
        }
    }
}
