//! What makes a schema unusable (SPEC 2.3, 2.4).

/// A fault in `expected_schema`: the request is invalid, there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// `invalid_schema`, `pattern_too_costly`, `schema_too_costly`, or `no_agreement` for a fault of
    /// this program.
    pub code: &'static str,
    /// The place in the schema: a JSON Pointer behind `#`, or a URI with one.
    pub location: String,
    /// What is wrong there.
    pub problem: String,
    /// What to do about it.
    pub fix: String,
}

pub(super) type Fault = SchemaFault;

impl std::fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}: {}", self.code, crate::text::visible(&self.location), self.problem)
    }
}

impl std::error::Error for SchemaFault {}

impl SchemaFault {
    fn new(
        code: &'static str,
        location: &str,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { code, location: location.to_owned(), problem: problem.into(), fix: fix.into() }
    }

    pub(super) fn invalid(
        location: &str,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self::new("invalid_schema", location, problem, fix)
    }

    pub(super) fn unknown_dialect() -> Self {
        Self::invalid(
            "#/$schema",
            "names a dialect that is not known here",
            "Use draft-04, 06, 07, 2019-09 or 2020-12, or leave $schema out for 2020-12.",
        )
    }

    pub(super) fn unresolvable(location: &str, keyword: &str) -> Self {
        Self::invalid(
            &format!("{location}/{keyword}"),
            "does not lead to a schema within the document",
            "Put what it refers to into $defs; nothing is ever fetched.",
        )
    }

    pub(super) fn not_a_schema(location: &str) -> Self {
        Self::invalid(
            location,
            "is not a schema",
            "Use an object, or true or false (from draft-06 on).",
        )
    }

    pub(super) fn bad_pattern(location: &str) -> Self {
        Self::invalid(
            location,
            "is not a regular expression of ECMA-262",
            "Correct the pattern; mind that a backslash is written twice in JSON.",
        )
    }

    pub(super) fn costly_pattern(location: &str) -> Self {
        Self::new(
            "pattern_too_costly",
            location,
            "is a pattern that costs too much to match",
            "Avoid nested repetition such as (a+)+ with back-references, or {1,1000} inside {1,1000}; use maxLength.",
        )
    }

    pub(super) fn disagreement() -> Self {
        Self::new(
            "no_agreement",
            "#",
            "leads to different answers from two validators; no verdict can be trusted",
            "Please report this schema and output as a fault of this program.",
        )
    }

    pub(super) fn too_many_schemas(location: &str) -> Self {
        Self::costly_schema(location, "leads to too many schemas")
    }

    pub(super) fn costly_schema(location: &str, problem: &str) -> Self {
        Self::new(
            "schema_too_costly",
            location,
            problem,
            "Apply each schema once; do not let a schema refer to itself for the same value.",
        )
    }
}
