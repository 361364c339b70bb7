//! Bounds and rules against SPEC 5. Here: how a test writes a request and reads a report.

mod bounds;
mod membership;
mod order;
mod shared;
mod sum;
mod whole;

use super::*;
use crate::json::{Document, MAX_DEPTH, read};

/// Levels that a request has around its output.
const ENVELOPE: usize = 8;

fn document(json: &str) -> Document {
    read(json, MAX_DEPTH + ENVELOPE).expect("JSON")
}

fn text(node: Node<'_>, name: &str) -> Option<String> {
    node.get(name).and_then(Node::as_str).map(str::to_owned)
}

fn given<'d>(node: Node<'d>, name: &str) -> Option<Node<'d>> {
    node.get(name).filter(|value| !value.is_null())
}

fn bounds<'d>(request: Node<'d>) -> Vec<Bound<'d>> {
    let members = request.get("bounds").into_iter().flat_map(Node::members);
    members
        .map(|member| Bound {
            path: member.name.as_str().expect("a name").to_owned(),
            min: given(member.value, "min"),
            max: given(member.value, "max"),
            if_present: member.value.get("if_present").and_then(Node::as_bool) == Some(true),
        })
        .collect()
}

fn rules<'d>(request: Node<'d>) -> Vec<Rule<'d>> {
    let rules = request.get("rules").into_iter().flat_map(Node::elements);
    rules
        .map(|rule| Rule {
            kind: RuleKind::parse(&text(rule, "type").expect("a type")).expect("a known type"),
            field: text(rule, "field").expect("a field"),
            equals_field: text(rule, "equals_field"),
            equals: given(rule, "equals"),
            other_field: text(rule, "other_field"),
            value: given(rule, "value"),
            in_field: text(rule, "in_field"),
            values: given(rule, "values"),
            tolerance: given(rule, "tolerance")
                .and_then(Node::as_number)
                .map_or_else(default_tolerance, |number| number.decimal().expect("a tolerance")),
            if_present: rule.get("if_present").and_then(Node::as_bool) == Some(true),
        })
        .collect()
}

/// A report on one bound or rule, with `passed/total` and `field: detail` of each finding.
fn report_on(output: &str, bounds_json: &str, rules_json: &str) -> (RulesReport, Vec<String>) {
    let output = document(output);
    let request = document(&format!("{{\"bounds\":{bounds_json},\"rules\":{rules_json}}}"));
    let report = check(output.root(), &bounds(request.root()), &rules(request.root()));
    let findings = report.findings.len() as u64;
    assert_eq!(findings, report.tally.total - report.tally.passed, "a finding per failed check");
    let mut lines = vec![format!("{}/{}", report.tally.passed, report.tally.total)];
    lines.extend(report.findings.iter().map(|found| format!("{}: {}", found.field, found.detail)));
    (report, lines)
}

fn rule(output: &str, rule: &str) -> Vec<String> {
    report_on(output, "null", &format!("[{rule}]")).1
}

fn bound(output: &str, bound: &str) -> Vec<String> {
    report_on(output, bound, "null").1
}

/// Everything about the only finding: field, expected, found, detail, and what each mark shows.
fn only(output: &str, bounds: &str, rules: &str) -> (Finding, Vec<String>) {
    let (report, _) = report_on(output, bounds, rules);
    let [finding] = <[Finding; 1]>::try_from(report.findings).expect("one finding");
    let document = document(output);
    let marks = finding
        .marks
        .iter()
        .map(|mark| format!("{} {}", document.node(mark.node).source(), mark.label))
        .collect();
    (finding, marks)
}
