//! Bounds and rules that can never run, or whose running says nothing.

use super::described::Described;
use super::remark::{RemarkKind, Remarks};
use crate::json::Node;
use crate::path::{Path, Segment};
use crate::request::Request;
use crate::request::suggest::nearest;
use crate::rules::{Bound, Rule, RuleKind};
use crate::text::{MAX_ECHO, cut, visible};

/// Looks at every bound and rule beside the schema.
pub(super) fn remarks<'d>(schema: Node<'d>, request: &Request<'d>, remarks: &mut Remarks<'d>) {
    let described = Described::root(schema);
    let mut reader = Reader { described, remarks };
    let written = |node: Option<Node<'d>>| node.into_iter();
    let bounds = written(request.bounds_node).flat_map(Node::members);
    for (bound, member) in request.bounds.iter().zip(bounds) {
        reader.bound(bound, member.name);
    }
    for (rule, node) in
        request.rules.iter().zip(written(request.rules_node).flat_map(Node::elements))
    {
        reader.rule(rule, node);
    }
    let clauses = request.bounds.len() + request.rules.len();
    if clauses > 0 && !request.enforce_rules {
        let node = request.rules_node.or(request.bounds_node).unwrap_or(schema);
        reader.remarks.add(
            RemarkKind::AdvisoryOnly,
            node,
            "bounds and rules fail nothing: enforce_rules is not true".to_owned(),
            "Set enforce_rules to true, or always check with --enforce-rules.".to_owned(),
        );
    }
}

/// What the schema says about the end of a path.
enum Reach<'d> {
    Described(Described<'d>),
    /// Nothing says anything about this step.
    Undescribed {
        at: String,
        near: Option<String>,
    },
    /// No valid output has it.
    Impossible(String),
}

struct Reader<'r, 'd> {
    described: Described<'d>,
    remarks: &'r mut Remarks<'d>,
}

impl<'d> Reader<'_, 'd> {
    fn cannot_run(&mut self, node: Node<'d>, message: String, fix: &str) {
        self.remarks.add(RemarkKind::CannotRun, node, message, fix.to_owned());
    }

    fn bound(&mut self, bound: &Bound<'d>, node: Node<'d>) {
        let shown = short(&bound.path);
        if bound.min.is_none() && bound.max.is_none() {
            let message = format!("the bound {shown} has neither min nor max: it cannot run");
            return self.cannot_run(node, message, "Give it one of them.");
        }
        if let Some((_, described)) = self.field("the bound", &bound.path, bound.if_present, node) {
            self.comparable(&described, &format!("the bound {shown}"), node);
        }
    }

    fn rule(&mut self, rule: &Rule<'d>, node: Node<'d>) {
        let name = rule.kind.name();
        self.ignored(rule, node);
        let missing = match rule.kind {
            RuleKind::SumEquals => rule.equals_field.is_none() && rule.equals.is_none(),
            RuleKind::Gte | RuleKind::Lte => rule.other_field.is_none() && rule.value.is_none(),
            RuleKind::ExistsIn => rule.in_field.is_none() && rule.values.is_none(),
            RuleKind::Unique => false,
        };
        if missing {
            let message = format!("this {name} rule has nothing to compare with: it cannot run");
            let fix = match rule.kind {
                RuleKind::SumEquals => "Give it equals_field or equals.",
                RuleKind::ExistsIn => "Give it in_field or values.",
                _ => "Give it other_field or value.",
            };
            self.cannot_run(node, message, fix);
        }
        let what = format!("field of this {name} rule");
        let field = self.field(&what, &rule.field, rule.if_present, node);
        if let Some((path, described)) = &field {
            match rule.kind {
                RuleKind::Unique => self.unique(path, described, node),
                RuleKind::ExistsIn => {}
                RuleKind::SumEquals => self.numeric(described, &what, node),
                RuleKind::Gte | RuleKind::Lte => self.comparable(described, &what, node),
            }
        }
        let field = Path::parse(&rule.field).ok();
        for (option, written) in [
            ("equals_field", &rule.equals_field),
            ("other_field", &rule.other_field),
            ("in_field", &rule.in_field),
        ] {
            let Some(written) = written.as_ref().filter(|_| uses(rule.kind, option)) else {
                continue;
            };
            let what = format!("{option} of this {name} rule");
            let Some((path, described)) = self.field(&what, written, false, node) else { continue };
            match option {
                "equals_field" => {
                    self.numeric(&described, &what, node);
                    if path.wildcards() > 0 {
                        let message = format!(
                            "{what} goes through an array: it cannot run unless that has exactly one element"
                        );
                        self.cannot_run(node, message, "Name one value.");
                    }
                }
                "other_field" => {
                    self.comparable(&described, &what, node);
                    let pairs = field.as_ref().is_none_or(|field| path.pairing(field).is_some());
                    if path.wildcards() > 0 && !pairs {
                        let message = format!(
                            "{what} does not go through the same arrays as field: it cannot run"
                        );
                        self.cannot_run(node, message, "Compare members of the same element.");
                    }
                    if field.as_ref() == Some(&path) {
                        let message = format!(
                            "this {name} rule compares a value with itself: it always holds"
                        );
                        self.cannot_run(node, message, "Name another value.");
                    }
                }
                _ => {}
            }
        }
    }

    /// Fields that this kind of rule does not look at.
    fn ignored(&mut self, rule: &Rule<'d>, node: Node<'d>) {
        for member in node.members() {
            let option = member.name.as_str().unwrap_or_default();
            if matches!(option, "type" | "field" | "if_present") || member.value.is_null() {
                continue;
            }
            let beaten = match option {
                "equals" => rule.equals_field.is_some().then_some("equals_field"),
                "value" => rule.other_field.is_some().then_some("other_field"),
                "values" => rule.in_field.is_some().then_some("in_field"),
                _ => None,
            };
            let reason = if uses(rule.kind, option) {
                match beaten {
                    Some(other) => format!("{option} does nothing beside {other}"),
                    None => continue,
                }
            } else {
                format!("{} does nothing in a {} rule", short(option), rule.kind.name())
            };
            let fix = "Remove it.".to_owned();
            self.remarks.add(RemarkKind::DoesNothing, member.name, reason, fix);
        }
    }

    /// The path and what the schema says about its end, if there is something left to say.
    fn field(
        &mut self,
        what: &str,
        written: &str,
        if_present: bool,
        node: Node<'d>,
    ) -> Option<(Path, Described<'d>)> {
        let shown = short(written);
        let path = match Path::parse(written) {
            Ok(path) => path,
            Err(error) => {
                let message = format!("{what} is {shown}, which is no path: {error}");
                self.cannot_run(node, message, "Correct the path.");
                return None;
            }
        };
        match self.reach(&path) {
            Reach::Described(described) => Some((path, described)),
            Reach::Impossible(reason) => {
                let message = format!("{what} is {shown}, which no valid output has: {reason}");
                self.cannot_run(node, message, "Correct the path or the schema.");
                None
            }
            Reach::Undescribed { at, near } => {
                let so = if if_present {
                    "without it nothing is checked"
                } else {
                    "without it every output fails"
                };
                let message =
                    format!("{what} is {shown}, and the schema does not describe {at}; {so}");
                let fix = match near {
                    Some(near) => format!("Did you mean {near}?"),
                    None => "Describe and require it in the schema.".to_owned(),
                };
                self.remarks.add(RemarkKind::CannotRun, node, message, fix);
                None
            }
        }
    }

    fn reach(&self, path: &Path) -> Reach<'d> {
        let mut described = self.described.clone();
        let mut passed = String::new();
        for segment in path.segments() {
            if described.elsewhere {
                return Reach::Described(described);
            }
            let types = described.types();
            let (wanted, step) = match segment {
                Segment::Key(name) => ("object", described.member(name)),
                Segment::Every => ("array", described.element()),
            };
            let at = match segment {
                Segment::Key(name) if passed.is_empty() => short(name),
                Segment::Key(name) => format!("{passed}.{}", short(name)),
                Segment::Every => format!("{passed}[]"),
            };
            if let Some(types) = types.filter(|types| !types.contains(&wanted)) {
                let subject = if passed.is_empty() { "the output" } else { &passed };
                return Reach::Impossible(format!(
                    "the type of {subject} is {}, not {wanted}",
                    types.join(" or ")
                ));
            }
            if step.closed {
                return Reach::Impossible(format!("the schema refuses {at}"));
            }
            if !step.declared {
                let near = match segment {
                    Segment::Key(name) => nearest(name, &described.names()).map(short),
                    Segment::Every => None,
                };
                // An object of which nothing is described may hold it; a bare array too.
                return Reach::Undescribed { at, near };
            }
            passed = at;
            described = step.described;
        }
        Reach::Described(described)
    }

    fn unique(&mut self, path: &Path, described: &Described<'d>, node: Node<'d>) {
        let is_array = described.types().is_none_or(|types| types.contains(&"array"));
        if path.wildcards() == 0 && !is_array && !described.elsewhere {
            self.cannot_run(
                node,
                "this unique rule is about a single value, which is never there twice".to_owned(),
                "Name the values of an array, with [].",
            );
        }
    }

    fn numeric(&mut self, described: &Described<'d>, what: &str, node: Node<'d>) {
        let Some(types) = described.types() else { return };
        if !types.contains(&"number") && !types.contains(&"integer") {
            let message =
                format!("{what} leads to {}, and only numbers add up", types.join(" or "));
            self.cannot_run(node, message, "Correct the path or the type.");
        }
    }

    fn comparable(&mut self, described: &Described<'d>, what: &str, node: Node<'d>) {
        let Some(types) = described.types() else { return };
        if !["number", "integer", "string"].iter().any(|name| types.contains(name)) {
            let message = format!(
                "{what} leads to {}, and only numbers and dates compare",
                types.join(" or ")
            );
            self.cannot_run(node, message, "Correct the path or the type.");
        }
    }
}

/// Whether rules of this kind look at this field.
fn uses(kind: RuleKind, option: &str) -> bool {
    match kind {
        RuleKind::SumEquals => matches!(option, "equals_field" | "equals" | "tolerance"),
        RuleKind::Gte | RuleKind::Lte => matches!(option, "other_field" | "value" | "tolerance"),
        RuleKind::ExistsIn => matches!(option, "in_field" | "values"),
        RuleKind::Unique => false,
    }
}

fn short(text: &str) -> String {
    visible(&cut(text, MAX_ECHO)).into_owned()
}
