//! What a check found, put in one order for people: what fails the result before what does not.

use agent_output_verifier::check::Outcome;
use agent_output_verifier::finding::{Finding, Mark, Violation};
use agent_output_verifier::json::Node;
use agent_output_verifier::place::{Step, path_of_field};

use super::Checked;
use crate::input::JsonFile;

/// One thing to show.
#[derive(Debug)]
pub(super) enum Shown<'r> {
    /// A failed assertion of the schema.
    Violation(&'r Violation),
    /// A finding of any other check, and whether it fails the result.
    Finding(&'r Finding, bool),
    /// A part without canonical form: its field, the string or number, and why.
    Unhashable(&'static str, u32, String),
}

/// How many findings there are, those included that are counted only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    /// They fail the result.
    pub(super) errors: u64,
    /// They do not.
    pub(super) warnings: u64,
    /// Those of the warnings that come from rules and bounds.
    pub(super) advisory: u64,
}

impl Counts {
    pub(super) fn of(outcome: &Outcome) -> Self {
        let count = |findings: &[Finding], unlisted: u64| findings.len() as u64 + unlisted;
        let (content, schema) = (&outcome.content, &outcome.schema);
        let rules = count(&outcome.rules.findings, outcome.rules.unlisted);
        let (enforced, advisory) = if outcome.enforce_rules { (rules, 0) } else { (0, rules) };
        Self {
            errors: schema.violations.len() as u64
                + schema.unlisted_violations
                + count(&content.strict_errors, content.unlisted_strict_errors)
                + enforced,
            warnings: count(&content.flags, content.unlisted_flags)
                + count(&schema.incomplete, schema.unlisted_incomplete)
                + advisory
                + outcome.unhashable().count() as u64,
            advisory,
        }
    }
}

/// All findings that are written out.
pub(super) fn shown(outcome: &Outcome) -> impl Iterator<Item = Shown<'_>> {
    let rules = &outcome.rules.findings;
    let (enforced, advisory) =
        if outcome.enforce_rules { (&rules[..], &[][..]) } else { (&[][..], &rules[..]) };
    let errors = outcome.schema.violations.iter().map(Shown::Violation);
    errors
        .chain(findings(&outcome.content.strict_errors, true))
        .chain(findings(enforced, true))
        .chain(findings(&outcome.content.flags, false))
        .chain(findings(&outcome.schema.incomplete, false))
        .chain(findings(advisory, false))
        .chain(
            outcome.unhashable().map(|(field, fault)| {
                Shown::Unhashable(field, fault.node, fault.reason.to_string())
            }),
        )
}

fn findings(list: &[Finding], fails: bool) -> impl Iterator<Item = Shown<'_>> {
    list.iter().map(move |finding| Shown::Finding(finding, fails))
}

/// The value that is not as it should be; of a property that should not be there, the name.
fn node_of(violation: &Violation) -> u32 {
    let unexpected = matches!(&*violation.check, "additionalProperties" | "unevaluatedProperties");
    match violation.place.steps().last() {
        // A member's name stands just before its value in a document.
        Some(Step::Name(_)) if unexpected => violation.node.saturating_sub(1),
        _ => violation.node,
    }
}

impl<'r> Shown<'r> {
    /// Whether it fails the result.
    pub(super) fn fails(&self) -> bool {
        match self {
            Self::Violation(_) => true,
            Self::Finding(_, fails) => *fails,
            Self::Unhashable(..) => false,
        }
    }

    /// The code.
    pub(super) fn check(&self) -> &str {
        match self {
            Self::Violation(violation) => &violation.check,
            Self::Finding(finding, _) => finding.check,
            Self::Unhashable(..) => "unhashable_input",
        }
    }

    /// Where, from the root of the output.
    pub(super) fn path(&self) -> String {
        match self {
            Self::Violation(violation) => violation.place.path(),
            Self::Finding(finding, _) => path_of_field(&finding.field),
            Self::Unhashable(field, ..) => (*field).to_owned(),
        }
    }

    pub(super) fn expected(&self) -> &str {
        match self {
            Self::Violation(violation) => &violation.expected,
            Self::Finding(finding, _) => &finding.expected,
            Self::Unhashable(..) => "a value with a canonical form (RFC 8785), to be hashed",
        }
    }

    pub(super) fn found(&self) -> &str {
        match self {
            Self::Violation(violation) => &violation.found,
            Self::Finding(finding, _) => &finding.found,
            Self::Unhashable(_, _, reason) => reason,
        }
    }

    /// How far apart two sums are.
    pub(super) fn difference(&self) -> Option<&str> {
        match self {
            Self::Finding(finding, _) => finding.difference.as_deref(),
            _ => None,
        }
    }

    /// The values to point at, with a word each.
    pub(super) fn marks(&self) -> Vec<Mark> {
        match self {
            Self::Violation(violation) => vec![Mark::here(node_of(violation))],
            Self::Finding(finding, _) => finding.marks.clone(),
            Self::Unhashable(_, node, _) => vec![Mark::here(*node)],
        }
    }

    /// The file those are in, and one of its values.
    pub(super) fn file(&self, checked: &Checked<'r>) -> (&'r JsonFile, Node<'r>) {
        match self {
            Self::Unhashable("expected_schema", ..) => {
                (checked.schema, checked.request.expected_schema)
            }
            _ => (checked.input, checked.request.submitted_output),
        }
    }
}
