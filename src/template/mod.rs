//! Templates of the format `verification-template/1`: a schema, bounds and rules that are used again
//! and again. Reading one, making one from good outputs ([`infer()`]), and saying what passing one is
//! worth ([`grade()`]).
//!
//! The envelope may hold anything beside `schema` and `template`: real ones have a label, an
//! attribution, samples. In the inner object an unknown field is an error as it is in a request
//! (SPEC 2.2), because `enforce_rule: true` would bind nothing.

mod grade;
mod infer;
mod names;

pub use grade::{Breakage, Caught, Grade, Remark, RemarkKind, Trial, TrialReport, grade};
pub use infer::{Evidence, Inference, SINGLE_SAMPLE, Values, infer};

use crate::json::{Kind, MAX_DEPTH, Node};
use crate::request::{self, Detail, Part, Problem, Request, UnknownFields};

/// The only format of templates there is.
pub const FORMAT: &str = "verification-template/1";

/// How deep a template may be nested: a schema may have [`MAX_DEPTH`] levels, and lies two deep.
pub const TEMPLATE_DEPTH: usize = MAX_DEPTH + 2;

/// A template: the schema is there, nothing else is known to be sound.
#[derive(Debug, Clone, Copy)]
pub struct Template<'d> {
    root: Node<'d>,
    requirements: Node<'d>,
    expected_schema: Node<'d>,
}

impl<'d> Template<'d> {
    /// Finds the parts of a template.
    ///
    /// # Errors
    /// What is missing, or that this is no template.
    pub fn parse(root: Node<'d>) -> Result<Self, Problem> {
        let problem = |field: &str, node: Option<Node<'_>>, problem: &str, fix: &str| Problem {
            field: field.to_owned(),
            problem: problem.to_owned(),
            fix: fix.to_owned(),
            at: Some((Part::Rules, node.unwrap_or(root).id())),
        };
        let format = root.get("schema");
        if format.and_then(Node::as_str) != Some(FORMAT) {
            return Err(problem(
                "schema",
                format,
                "is not verification-template/1",
                "Give a template of that format, or use --schema and --rules.",
            ));
        }
        let inner = root.get("template");
        let Some(requirements) = inner.filter(|inner| inner.kind() == Kind::Object) else {
            return Err(problem("template", inner, "is missing or no object", "Add it."));
        };
        let Some(expected_schema) = requirements.get("expected_schema") else {
            let field = "template.expected_schema";
            return Err(problem(field, inner, "is missing", "Add a JSON Schema."));
        };
        Ok(Self { root, requirements, expected_schema })
    }

    /// The whole document.
    #[must_use]
    pub fn root(&self) -> Node<'d> {
        self.root
    }

    /// The schema.
    #[must_use]
    pub fn expected_schema(&self) -> Node<'d> {
        self.expected_schema
    }

    /// The object with `rules`, `bounds` and `enforce_rules`, and the schema beside them.
    #[must_use]
    pub fn requirements(&self) -> Node<'d> {
        self.requirements
    }

    /// The parts of a request that checks `output` against this template.
    #[must_use]
    pub fn parts(&self, task_id: String, output: Node<'d>) -> request::Parts<'d> {
        request::Parts {
            task_id,
            agent_id: None,
            expected_schema: self.expected_schema,
            submitted_output: output,
            rules: Some(self.requirements),
            strict_content_check: false,
            enforce_rules: false,
            detail: Detail::Full,
        }
    }

    /// The request itself.
    ///
    /// # Errors
    /// Every problem of the template's bounds and rules.
    pub(crate) fn request(&self, output: Node<'d>) -> Result<Request<'d>, Vec<Problem>> {
        Request::from_parts(self.parts("template".to_owned(), output), UnknownFields::Refuse)
    }
}
