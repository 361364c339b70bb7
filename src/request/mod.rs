//! From a document, or from parts, to a [`Request`]; or every problem there is (SPEC 2).
//!
//! Types are checked without coercion. What a request ignores is in no hash.

mod checker;
mod clauses;
pub(crate) mod suggest;

use std::borrow::Cow;

use crate::json::{Kind, Node};
use crate::place::Step;
use crate::rules::{Bound, Rule};

pub(crate) use clauses::{BOUND_FIELDS, RULE_FIELDS};

use checker::Checker;

/// The most code points that `task_id` and `agent_id` have.
pub const MAX_ID: usize = 200;

/// The most bounds, and the most rules.
pub const MAX_CLAUSES: usize = 50;

/// The fields of a request.
const FIELDS: [&str; 9] = [
    "task_id",
    "expected_schema",
    "submitted_output",
    "agent_id",
    "strict_content_check",
    "bounds",
    "rules",
    "enforce_rules",
    "detail",
];

/// What to do with a field that a request does not have (SPEC 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// Report it: a typing error may hide there.
    Refuse,
    /// Leave it out, as the hosted service does.
    Ignore,
}

/// How much of an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Everything.
    #[default]
    Full,
    /// The verdict and what a receipt needs.
    Compact,
}

/// What a node of a [`Problem`] belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A whole request.
    Request,
    /// A file with rules, bounds and `enforce_rules`.
    Rules,
    /// A schema on its own.
    Schema,
}

/// One thing that makes a request invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field, like `rules[0].type`.
    pub field: String,
    /// What is wrong with it, to be read behind its name.
    pub problem: String,
    /// What to do.
    pub fix: String,
    /// The node to point at: [`Node::id`] in the document of the part.
    pub at: Option<(Part, u32)>,
}

/// A valid request. Its parts may come from different documents.
#[derive(Debug, Clone)]
pub struct Request<'d> {
    /// The caller's own name for this verification.
    pub task_id: Cow<'d, str>,
    /// Who made the output, as the caller says.
    pub agent_id: Option<Cow<'d, str>>,
    /// The schema; not yet known to be sound.
    pub expected_schema: Node<'d>,
    /// The output to check.
    pub submitted_output: Node<'d>,
    /// Whether markup and control characters fail the result.
    pub strict_content_check: bool,
    /// The `bounds` object, if it has any (SPEC 2.5).
    pub bounds_node: Option<Node<'d>>,
    /// The `rules` array, if it has any.
    pub rules_node: Option<Node<'d>>,
    /// The bounds, as written.
    pub bounds: Vec<Bound<'d>>,
    /// The rules, as written.
    pub rules: Vec<Rule<'d>>,
    /// Whether bounds and rules fail the result.
    pub enforce_rules: bool,
    /// How much of an answer is wanted.
    pub detail: Detail,
}

/// A request in pieces, as a command line has them.
#[derive(Debug, Clone)]
pub struct Parts<'d> {
    /// The caller's name for this verification.
    pub task_id: String,
    /// Who made the output.
    pub agent_id: Option<String>,
    /// The schema.
    pub expected_schema: Node<'d>,
    /// The output.
    pub submitted_output: Node<'d>,
    /// An object with `rules`, `bounds` and `enforce_rules`, each optional; it may hold the schema
    /// too, if that is the one given.
    pub rules: Option<Node<'d>>,
    /// Whether markup and control characters fail the result.
    pub strict_content_check: bool,
    /// Enforces the rules whatever the object says.
    pub enforce_rules: bool,
    /// How much of an answer is wanted.
    pub detail: Detail,
}

/// Reads a whole request. A reader that allows [`crate::json::MAX_DEPTH`] levels and one more for
/// the envelope gives the schema and the output their full depth.
///
/// # Errors
/// Every problem found.
pub fn parse(root: Node<'_>, unknown: UnknownFields) -> Result<Request<'_>, Vec<Problem>> {
    let mut checker = Checker::new(Part::Request, unknown);
    if root.kind() != Kind::Object {
        checker.report(
            &[],
            root,
            "is not an object",
            "Send an object with task_id, expected_schema and submitted_output.",
        );
        return Err(checker.problems);
    }
    checker.unknown_fields(&[], root, &FIELDS);
    for member in root.members() {
        let name = member.name.as_str().unwrap_or_default();
        if !matches!(name, "submitted_output" | "expected_schema") {
            checker.canonical(member);
        }
    }
    let task_id = checker.required(root, "task_id").and_then(|node| checker.id("task_id", node));
    let expected_schema = checker.required(root, "expected_schema");
    if let Some(schema) = expected_schema.filter(|schema| schema.kind() != Kind::Object) {
        checker.report(
            &[Step::name("expected_schema")],
            schema,
            "is not an object",
            "Give a JSON Schema as an object.",
        );
    }
    let submitted_output = checker.required(root, "submitted_output");
    let agent_id = root.get("agent_id").filter(|node| !node.is_null());
    let agent_id = agent_id.and_then(|node| checker.id("agent_id", node));
    let strict_content_check = checker.flag(&[], root, "strict_content_check");
    let enforce_rules = checker.flag(&[], root, "enforce_rules");
    let detail = checker.detail(root);
    let (bounds_node, bounds) = clauses::bounds(&mut checker, root);
    let (rules_node, rules) = clauses::rules(&mut checker, root);
    match (task_id, expected_schema, submitted_output) {
        (Some(task_id), Some(expected_schema), Some(submitted_output))
            if checker.problems.is_empty() =>
        {
            Ok(Request {
                task_id: Cow::Borrowed(task_id),
                agent_id: agent_id.map(Cow::Borrowed),
                expected_schema,
                submitted_output,
                strict_content_check,
                bounds_node,
                rules_node,
                bounds,
                rules,
                enforce_rules,
                detail,
            })
        }
        _ => Err(checker.problems),
    }
}

/// What is wrong with an id of an agent or a task that came outside a request (SPEC 2).
///
/// # Errors
/// The problem, if there is one.
pub fn check_id(field: &str, id: &str) -> Result<(), Problem> {
    let mut checker = Checker::new(Part::Request, UnknownFields::Refuse);
    checker.id_text(field, id, None);
    checker.problems.into_iter().next().map_or(Ok(()), Err)
}

impl<'d> Request<'d> {
    /// Puts a request together from its parts.
    ///
    /// # Errors
    /// Every problem found.
    pub fn from_parts(parts: Parts<'d>, unknown: UnknownFields) -> Result<Self, Vec<Problem>> {
        let mut checker = Checker::new(Part::Schema, unknown);
        checker.id_text("task_id", &parts.task_id, None);
        if let Some(agent_id) = &parts.agent_id {
            checker.id_text("agent_id", agent_id, None);
        }
        let schema = parts.expected_schema;
        if schema.kind() != Kind::Object {
            checker.report(
                &[Step::name("expected_schema")],
                schema,
                "is not an object",
                "Give a JSON Schema as an object.",
            );
        }
        let mut request = Self {
            task_id: Cow::Owned(parts.task_id),
            agent_id: parts.agent_id.map(Cow::Owned),
            expected_schema: schema,
            submitted_output: parts.submitted_output,
            strict_content_check: parts.strict_content_check,
            bounds_node: None,
            rules_node: None,
            bounds: Vec::new(),
            rules: Vec::new(),
            enforce_rules: parts.enforce_rules,
            detail: parts.detail,
        };
        if let Some(object) = parts.rules {
            checker.part = Part::Rules;
            request.add_rules(&mut checker, object);
        }
        if checker.problems.is_empty() { Ok(request) } else { Err(checker.problems) }
    }

    fn add_rules(&mut self, checker: &mut Checker, object: Node<'d>) {
        if object.kind() != Kind::Object {
            checker.report(
                &[],
                object,
                "is not an object",
                "Give an object with rules, bounds and enforce_rules.",
            );
            return;
        }
        // A template holds its schema beside its rules.
        let schema = object.get("expected_schema").filter(|node| {
            std::ptr::eq(node.document(), self.expected_schema.document())
                && node.id() == self.expected_schema.id()
        });
        let known = ["rules", "bounds", "enforce_rules", "expected_schema"];
        checker.unknown_fields(&[], object, if schema.is_some() { &known } else { &known[..3] });
        for member in object.members() {
            if schema.is_none_or(|schema| schema.id() != member.value.id()) {
                checker.canonical(member);
            }
        }
        (self.bounds_node, self.bounds) = clauses::bounds(checker, object);
        (self.rules_node, self.rules) = clauses::rules(checker, object);
        self.enforce_rules |= checker.flag(&[], object, "enforce_rules");
    }
}

#[cfg(test)]
mod tests;
