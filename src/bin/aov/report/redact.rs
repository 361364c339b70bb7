//! `--redact`: findings that say of which type a value is, never what it is. Names of properties,
//! paths, positions, hashes, and what the requirements themselves say, stay.

use agent_output_verifier::check::Outcome;
use agent_output_verifier::finding::{Finding, Mark, Violation};
use agent_output_verifier::json::{Document, Node};

/// The outcome without values of `output`.
pub(super) fn outcome(outcome: &Outcome, output: Node<'_>) -> Outcome {
    let mut redacted = outcome.clone();
    let document = output.document();
    for violation in &mut redacted.schema.violations {
        redact_violation(violation, document);
    }
    let lists = [
        &mut redacted.content.strict_errors,
        &mut redacted.content.flags,
        &mut redacted.schema.incomplete,
        &mut redacted.rules.findings,
    ];
    for finding in lists.into_iter().flatten() {
        redact_finding(finding, document);
    }
    redacted
}

/// What was expected comes from the schema, which is no secret of the output's.
fn redact_violation(violation: &mut Violation, document: &Document) {
    let names_no_value = matches!(
        &*violation.check,
        "type"
            | "required"
            | "dependentRequired"
            | "dependencies"
            | "additionalProperties"
            | "additionalItems"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "minLength"
            | "maxLength"
            | "minItems"
            | "maxItems"
            | "minProperties"
            | "maxProperties"
            | "uniqueItems"
    );
    if !names_no_value {
        violation.found = kind(document, violation.node);
    }
}

/// Texts of other checks repeat values freely, those they compare with too: they are written anew.
fn redact_finding(finding: &mut Finding, document: &Document) {
    let own =
        finding.marks.first().map_or_else(|| "value".to_owned(), |mark| kind(document, mark.node));
    // A string among the values is shown in quotes, so neither of these is one.
    let missing = finding.found == "missing"
        || (finding.check == "truncation" && finding.found.starts_with("missing "));
    if !missing {
        finding.found = own;
    }
    if let Some(expected) = expected(finding.check) {
        finding.expected = expected.to_owned();
    }
    let cannot_run = finding.detail.starts_with("cannot run:");
    finding.detail = match cannot_run {
        true => format!("cannot run: expected {}, found {}", finding.expected, finding.found),
        false => format!("expected {}, found {}", finding.expected, finding.found),
    };
    finding.difference = None;
    for mark in &mut finding.marks {
        redact_mark(mark, document);
    }
}

/// What rules and bounds ask for, without the values of the output that they name.
fn expected(check: &str) -> Option<&'static str> {
    Some(match check {
        "bounds" => "a value within the bounds",
        "consistency:sum_equals" => "a sum equal to what the rule compares it with",
        "consistency:gte" => "not less than what the rule compares it with",
        "consistency:lte" => "not more than what the rule compares it with",
        "consistency:exists_in" => "one of the values that the rule allows",
        "consistency:unique" => "unique values",
        _ if check.starts_with("consistency:") => "what the rule asks for",
        _ => return None,
    })
}

fn redact_mark(mark: &mut Mark, document: &Document) {
    if !mark.label.is_empty() {
        mark.label = kind(document, mark.node);
    }
}

fn kind(document: &Document, node: u32) -> String {
    document.node(node).kind().name().to_owned()
}
