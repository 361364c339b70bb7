//! A request that gets no verdict, because something is wrong with its fields or with its schema:
//! all problems as one list, and the error shape that tells a program about them.

use crate::json::{Kind, Node};
use crate::place::{Place, Step};
use crate::request::{Part, Problem};
use crate::response::Json;
use crate::schema::SchemaFault;
use crate::text::{MAX_ECHO, cut, visible};

/// The code of a request with problems in its fields.
const INVALID_REQUEST: &str = "invalid_request";
/// What [`SchemaFault`] calls a schema that is not sound; to a caller one more invalid field.
const INVALID_SCHEMA: &str = "invalid_schema";
/// What [`SchemaFault`] calls a fault of this program.
const NO_AGREEMENT: &str = "no_agreement";

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// `invalid_request`, `pattern_too_costly`, `schema_too_costly`, or `no_agreement` for a fault
    /// of this program (SPEC 2.4).
    pub code: &'static str,
    /// Every problem; there is at least one.
    pub problems: Vec<Problem>,
}

impl From<Vec<Problem>> for Invalid {
    fn from(problems: Vec<Problem>) -> Self {
        Self { code: INVALID_REQUEST, problems }
    }
}

impl Invalid {
    /// What is wrong with `schema`, which stands in `part`.
    #[must_use]
    pub fn schema(faults: Vec<SchemaFault>, schema: Node<'_>, part: Part) -> Self {
        let code = match faults.first().map_or(INVALID_SCHEMA, |fault| fault.code) {
            INVALID_SCHEMA => INVALID_REQUEST,
            code => code,
        };
        let problems = faults.into_iter().map(|fault| problem(fault, schema, part)).collect();
        Self { code, problems }
    }

    /// With the problems of another part behind its own.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        if self.problems.is_empty() {
            self.code = other.code;
        }
        self.problems.extend(other.problems);
        self
    }

    /// One sentence about all of it.
    #[must_use]
    pub fn message(&self) -> String {
        const SHOWN: usize = 5;
        let mut message = self
            .problems
            .iter()
            .take(SHOWN)
            .map(|problem| format!("{} {}", problem.field, problem.problem))
            .collect::<Vec<_>>()
            .join("; ");
        if self.problems.len() > SHOWN {
            message.push_str(&format!("; and {} more", self.problems.len() - SHOWN));
        }
        format!(
            "The request is invalid: {message}. \
             Nothing was charged; fix the field(s) and send it again."
        )
    }

    /// The error shape of the hosted service.
    #[must_use]
    pub fn body(&self) -> Json {
        let mut names: Vec<&str> = Vec::new();
        for problem in &self.problems {
            if !names.contains(&&*problem.field) {
                names.push(&problem.field);
            }
        }
        let names = names.into_iter().map(Json::text).collect();
        let fields = self.problems.iter().map(|problem| {
            Json::Object(vec![
                ("field", Json::text(&*problem.field)),
                ("problem", Json::text(&*problem.problem)),
                ("fix", Json::text(&*problem.fix)),
            ])
        });
        let action = Json::Object(vec![
            ("action", Json::text("fix_request_fields")),
            ("fields", Json::Array(names)),
        ]);
        Json::Object(vec![
            ("code", Json::text(self.code)),
            ("message", Json::text(self.message())),
            ("status", Json::Count(if self.code == NO_AGREEMENT { 500 } else { 422 })),
            ("retryable", Json::Bool(false)),
            ("charged", Json::Bool(false)),
            ("next_actions", Json::Array(vec![action])),
            ("fields", Json::Array(fields.collect())),
        ])
    }
}

/// A fault of the schema as a problem of the field `expected_schema`.
fn problem(fault: SchemaFault, schema: Node<'_>, part: Part) -> Problem {
    let mut steps = vec![Step::name("expected_schema")];
    let mut node = schema;
    let mut problem = fault.problem;
    match fault.location.strip_prefix('#') {
        Some(pointer) => {
            for token in pointer.split('/').skip(1) {
                let token = token.replace("~1", "/").replace("~0", "~");
                let (step, next) = descend(node, &token);
                steps.push(step);
                node = next.unwrap_or(node);
            }
        }
        // The place is not in the request itself.
        None => problem.push_str(&format!(" ({})", visible(&fault.location))),
    }
    Problem {
        field: Place::from(steps).field(),
        problem,
        fix: fault.fix,
        at: Some((part, node.id())),
    }
}

/// One step of a JSON Pointer.
fn descend<'d>(node: Node<'d>, token: &str) -> (Step, Option<Node<'d>>) {
    match (node.kind(), token.parse()) {
        (Kind::Array, Ok(index)) => (Step::Index(index), node.element(index)),
        _ => (Step::name(&cut(token, MAX_ECHO)), node.get(token)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};

    fn fault(code: &'static str, location: &str) -> SchemaFault {
        SchemaFault {
            code,
            location: location.to_owned(),
            problem: "is wrong".to_owned(),
            fix: "Mend it.".to_owned(),
        }
    }

    #[test]
    fn a_fault_of_the_schema_is_a_problem_at_its_place() {
        let schema = read(r#"{"a/b": {"allOf": [1, {"type": "strin"}]}}"#, MAX_DEPTH).unwrap();
        let faults = vec![
            fault(INVALID_SCHEMA, "#/a~1b/allOf/1/type"),
            fault(INVALID_SCHEMA, "#/a~1b/none"),
            fault(INVALID_SCHEMA, "urn:x#/y"),
        ];
        let invalid = Invalid::schema(faults, schema.root(), Part::Schema);
        assert_eq!(invalid.code, "invalid_request");
        let fields: Vec<_> = invalid.problems.iter().map(|problem| &*problem.field).collect();
        let expected = [
            "expected_schema['a/b'].allOf[1].type",
            "expected_schema['a/b'].none",
            "expected_schema",
        ];
        assert_eq!(fields, expected);
        let (_, node) = invalid.problems[0].at.unwrap();
        assert_eq!(schema.node(node).source(), "\"strin\"");
        assert_eq!(invalid.problems[2].problem, "is wrong (urn:x#/y)");
    }

    #[test]
    fn the_error_shape_is_that_of_the_hosted_service() {
        // The example of the hosted service's own documentation.
        let invalid = Invalid::from(vec![Problem {
            field: "rules[0].type".to_owned(),
            problem: "is not one of the allowed values".to_owned(),
            fix: "Use one of: 'sum_equals', 'gte', 'lte', 'exists_in' or 'unique'.".to_owned(),
            at: None,
        }]);
        let expected = r#"{"code":"invalid_request","message":"The request is invalid: rules[0].type is not one of the allowed values. Nothing was charged; fix the field(s) and send it again.","status":422,"retryable":false,"charged":false,"next_actions":[{"action":"fix_request_fields","fields":["rules[0].type"]}],"fields":[{"field":"rules[0].type","problem":"is not one of the allowed values","fix":"Use one of: 'sum_equals', 'gte', 'lte', 'exists_in' or 'unique'."}]}"#;
        assert_eq!(invalid.body().to_line(), expected);
    }

    #[test]
    fn cost_has_a_code_of_its_own_unless_fields_are_wrong_too() {
        let schema = read("{}", MAX_DEPTH).unwrap();
        let costly =
            || Invalid::schema(vec![fault("schema_too_costly", "#")], schema.root(), Part::Schema);
        assert_eq!(costly().code, "schema_too_costly");
        assert_eq!(Invalid::from(Vec::new()).and(costly()).code, "schema_too_costly");
        let field = Problem {
            field: "task_id".to_owned(),
            problem: "is empty".to_owned(),
            fix: String::new(),
            at: None,
        };
        let both = Invalid::from(vec![field]).and(costly());
        assert_eq!((both.code, both.problems.len()), ("invalid_request", 2));
    }
}
