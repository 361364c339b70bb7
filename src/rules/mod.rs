//! Bounds and rules over an output (SPEC 5): what must hold between its values, in exact decimals.
//!
//! A rule that cannot be evaluated is a finding, never a silent pass. Every finding belongs to
//! exactly one counted check: one per place for bounds, `gte`, `lte` and `exists_in`, one per rule
//! for `sum_equals` and `unique`. Time is linear in the output for each rule.

mod bounds;
mod comparable;
mod instant;
mod key;
mod membership;
mod order;
mod report;
mod sum;

pub use bounds::{BoundFault, Fault, bound_fault};

use crate::finding::{Finding, Tally};
use crate::json::{Decimal, Node, Number, Sum};
use report::Report;

/// A range that the values of one path must lie in.
#[derive(Debug, Clone)]
pub struct Bound<'d> {
    /// The path as written.
    pub path: String,
    /// The least value allowed, a number or a date.
    pub min: Option<Node<'d>>,
    /// The largest value allowed, a number or a date.
    pub max: Option<Node<'d>>,
    /// Whether absent places are skipped.
    pub if_present: bool,
}

/// What a rule demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// The sum of the values equals another.
    SumEquals,
    /// Each value is at least another.
    Gte,
    /// Each value is at most another.
    Lte,
    /// Each value is among others.
    ExistsIn,
    /// No two values are equal.
    Unique,
}

impl RuleKind {
    /// All kinds, in the order of the request schema.
    pub const ALL: [Self; 5] =
        [Self::SumEquals, Self::Gte, Self::Lte, Self::ExistsIn, Self::Unique];

    /// The name in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        &self.check()["consistency:".len()..]
    }

    /// The kind with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The code of its findings.
    #[must_use]
    pub fn check(self) -> &'static str {
        match self {
            Self::SumEquals => "consistency:sum_equals",
            Self::Gte => "consistency:gte",
            Self::Lte => "consistency:lte",
            Self::ExistsIn => "consistency:exists_in",
            Self::Unique => "consistency:unique",
        }
    }
}

/// One rule of a request. An explicit null counts as not given.
#[derive(Debug, Clone)]
pub struct Rule<'d> {
    /// What it demands.
    pub kind: RuleKind,
    /// The path of the values it is about.
    pub field: String,
    /// `sum_equals`: the path of the value that the sum must equal.
    pub equals_field: Option<String>,
    /// `sum_equals` without `equals_field`: that value itself.
    pub equals: Option<Node<'d>>,
    /// `gte`, `lte`: the path of the values on the other side.
    pub other_field: Option<String>,
    /// `gte`, `lte` without `other_field`: the value on the other side.
    pub value: Option<Node<'d>>,
    /// `exists_in`: the path of the values allowed.
    pub in_field: Option<String>,
    /// `exists_in` without `in_field`: the array of the values allowed.
    pub values: Option<Node<'d>>,
    /// How far numbers may be apart and still count as equal; not negative.
    pub tolerance: Decimal,
    /// Whether absent places of `field` are skipped.
    pub if_present: bool,
}

/// The tolerance of a rule that gives none: 10⁻⁹.
#[must_use]
pub fn default_tolerance() -> Decimal {
    // The literal is a JSON number; the exact zero behind it only stands in for "cannot happen".
    Number::parse("1e-9").and_then(Number::decimal).unwrap_or_else(|| Sum::of(&[]))
}

/// What bounds and rules say about an output.
#[derive(Debug, Clone, Default)]
pub struct RulesReport {
    /// The findings: bounds in the order written, then rules, each in document order.
    pub findings: Vec<Finding>,
    /// How many more there are, counted in `tally` but not written out: nobody reads beyond a
    /// hundred thousand, and a small request can have millions. The first of each bound and rule is
    /// always among `findings`.
    pub unlisted: u64,
    /// The checks made.
    pub tally: Tally,
}

/// Checks `output` against bounds and rules.
#[must_use]
pub fn check(output: Node<'_>, bounds: &[Bound<'_>], rules: &[Rule<'_>]) -> RulesReport {
    let mut report = Report::default();
    for bound in bounds {
        report.begin();
        bounds::check(output, bound, &mut report);
    }
    for rule in rules {
        report.begin();
        match rule.kind {
            RuleKind::SumEquals => sum::check(output, rule, &mut report),
            RuleKind::Gte | RuleKind::Lte => order::check(output, rule, &mut report),
            RuleKind::ExistsIn => membership::check_exists_in(output, rule, &mut report),
            RuleKind::Unique => membership::check_unique(output, rule, &mut report),
        }
    }
    report.finish()
}

#[cfg(test)]
mod tests;
