//! `bounds` and `rules`: from nodes to typed clauses.

use super::MAX_CLAUSES;
use super::checker::{Checker, step};
use crate::json::jcs::UnhashableReason;
use crate::json::{Decimal, Kind, Node};
use crate::place::Step;
use crate::rules::{Bound, Rule, RuleKind, bound_fault, default_tolerance};

/// The fields of a bound, sorted.
pub(crate) const BOUND_FIELDS: [&str; 3] = ["if_present", "max", "min"];

/// The fields of a rule, sorted.
pub(crate) const RULE_FIELDS: [&str; 10] = [
    "equals",
    "equals_field",
    "field",
    "if_present",
    "in_field",
    "other_field",
    "tolerance",
    "type",
    "value",
    "values",
];

/// The node of a list of clauses if it has any (SPEC 2.5), and the clauses. Beyond the limit they
/// are not read, or the problems of a hostile request would have no end.
pub(super) fn bounds<'d>(
    checker: &mut Checker,
    object: Node<'d>,
) -> (Option<Node<'d>>, Vec<Bound<'d>>) {
    let field = Step::name("bounds");
    let Some(node) = clauses(checker, object, "bounds", Kind::Object) else {
        return (None, Vec::new());
    };
    let bounds = node
        .members()
        .take(MAX_CLAUSES)
        .filter_map(|member| {
            let steps = [field.clone(), step(member.name)];
            let path = member.name.as_str().unwrap_or_default();
            bound(checker, &steps, path, member.value)
        })
        .collect();
    (Some(node), bounds)
}

pub(super) fn rules<'d>(
    checker: &mut Checker,
    object: Node<'d>,
) -> (Option<Node<'d>>, Vec<Rule<'d>>) {
    let field = Step::name("rules");
    let Some(node) = clauses(checker, object, "rules", Kind::Array) else {
        return (None, Vec::new());
    };
    let rules = node
        .elements()
        .take(MAX_CLAUSES)
        .enumerate()
        .filter_map(|(at, node)| rule(checker, &[field.clone(), Step::Index(at)], node))
        .collect();
    (Some(node), rules)
}

fn clauses<'d>(
    checker: &mut Checker,
    object: Node<'d>,
    name: &str,
    kind: Kind,
) -> Option<Node<'d>> {
    let node = object.get(name).filter(|node| !node.is_null())?;
    let field = [Step::name(name)];
    if !checker.is_one_of(&field, node, &[kind]) || node.is_empty() {
        return None;
    }
    if node.len() > MAX_CLAUSES {
        let problem = format!("has more than {MAX_CLAUSES} entries");
        checker.push(&field, Some(node), problem, format!("Use at most {MAX_CLAUSES}."));
    }
    Some(node)
}

fn below(field: &[Step], name: &str) -> Vec<Step> {
    let mut steps = field.to_vec();
    steps.push(Step::name(name));
    steps
}

/// The optional member of one of these types; null counts as not given.
fn optional<'d>(
    checker: &mut Checker,
    field: &[Step],
    object: Node<'d>,
    name: &str,
    kinds: &[Kind],
) -> Option<Node<'d>> {
    let node = object.get(name).filter(|node| !node.is_null())?;
    checker.is_one_of(&below(field, name), node, kinds).then_some(node)
}

fn bound<'d>(
    checker: &mut Checker,
    field: &[Step],
    path: &str,
    node: Node<'d>,
) -> Option<Bound<'d>> {
    if !checker.is_one_of(field, node, &[Kind::Object]) {
        return None;
    }
    checker.unknown_fields(field, node, &BOUND_FIELDS);
    let limits = [Kind::Number, Kind::String];
    let bound = Bound {
        path: path.to_owned(),
        min: optional(checker, field, node, "min", &limits),
        max: optional(checker, field, node, "max", &limits),
        if_present: checker.flag(field, node, "if_present"),
    };
    if let Some(fault) = bound_fault(&bound) {
        for (name, limit, fault) in [("min", bound.min, fault.min), ("max", bound.max, fault.max)] {
            if let Some(fault) = fault
                && !limit.is_some_and(|limit| checker.is_reported(limit))
            {
                checker.push(
                    &below(field, name),
                    limit,
                    fault.problem.to_owned(),
                    fault.fix.to_owned(),
                );
            }
        }
    }
    Some(bound)
}

fn rule<'d>(checker: &mut Checker, field: &[Step], node: Node<'d>) -> Option<Rule<'d>> {
    if !checker.is_one_of(field, node, &[Kind::Object]) {
        return None;
    }
    checker.unknown_fields(field, node, &RULE_FIELDS);
    let kind = rule_kind(checker, field, node);
    let path = match node.get("field") {
        Some(path) => {
            checker.is_one_of(&below(field, "field"), path, &[Kind::String]);
            path.as_str()
        }
        None => {
            checker.report(
                &below(field, "field"),
                node,
                "is missing",
                "Add the path that the rule is about.",
            );
            None
        }
    };
    let mut text = |name: &str| {
        optional(checker, field, node, name, &[Kind::String])
            .and_then(Node::as_str)
            .map(str::to_owned)
    };
    let (equals_field, other_field, in_field) =
        (text("equals_field"), text("other_field"), text("in_field"));
    let equals = optional(checker, field, node, "equals", &[Kind::Number]);
    let value = optional(checker, field, node, "value", &[Kind::Number, Kind::String]);
    let values = optional(checker, field, node, "values", &[Kind::Array]);
    let tolerance = tolerance(checker, field, node);
    let if_present = checker.flag(field, node, "if_present");
    let field = path?.to_owned();
    Some(Rule {
        kind: kind?,
        field,
        equals_field,
        equals,
        other_field,
        value,
        in_field,
        values,
        tolerance,
        if_present,
    })
}

fn rule_kind(checker: &mut Checker, field: &[Step], node: Node<'_>) -> Option<RuleKind> {
    const FIX: &str = "Use one of: 'sum_equals', 'gte', 'lte', 'exists_in' or 'unique'.";
    let Some(kind) = node.get("type") else {
        checker.report(&below(field, "type"), node, "is missing", FIX);
        return None;
    };
    let known = kind.as_str().and_then(RuleKind::parse);
    if known.is_none() {
        checker.report(&below(field, "type"), kind, "is not one of the allowed values", FIX);
    }
    known
}

fn tolerance(checker: &mut Checker, field: &[Step], node: Node<'_>) -> Decimal {
    let Some(node) = node.get("tolerance") else { return default_tolerance() };
    let field = below(field, "tolerance");
    let Some(number) = node.as_number() else {
        checker.report(
            &field,
            node,
            "is not a number",
            "Use a number that is not negative, such as 0.01.",
        );
        return default_tolerance();
    };
    // An integer literal has exact digits elsewhere, but a tolerance is hashed as a double.
    if number.canonical_double().is_none() && !checker.is_reported(node) {
        checker.unhashable(&field, node, UnhashableReason::InfiniteNumber);
    }
    let Some(decimal) = number.decimal() else {
        if !checker.is_reported(node) {
            let problem = "has an exponent beyond ±400";
            checker.report(&field, node, problem, "Use an exponent from -400 to 400.");
        }
        return default_tolerance();
    };
    if decimal.is_negative() {
        checker.report(&field, node, "is negative", "Use 0 or more.");
    }
    decimal
}
