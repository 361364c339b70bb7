//! What every check reports in: findings with a place, what was expected there and what was found,
//! and counts of checks passed.

use crate::place::Place;

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The code that the body shows: a JSON Schema keyword, `bounds`, `consistency:unique`,
    /// `placeholder_content`, `truncation`, `strict_content_check`, `unhashable_input`.
    pub check: &'static str,
    /// The field in the notation of flags ([`Place::field`]); a rule's own path as written where
    /// SPEC 5.8 says so.
    pub field: String,
    /// What the check wanted there.
    pub expected: String,
    /// What was there instead.
    pub found: String,
    /// The sentence of a flag, or of an error, that says it all.
    pub detail: String,
    /// How far apart two sums are, for people; it is in no body.
    pub difference: Option<String>,
    /// The node of the output to point at, and others that belong to it with a word each.
    pub marks: Vec<Mark>,
}

/// A value to show beside a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// [`crate::json::Node::id`] in the output's document.
    pub node: u32,
    /// What to write at it; empty for the finding's own text.
    pub label: String,
}

impl Mark {
    /// The place a finding is about.
    #[must_use]
    pub fn here(node: u32) -> Self {
        Self { node, label: String::new() }
    }

    /// Another place that matters to it.
    #[must_use]
    pub fn also(node: u32, label: impl Into<String>) -> Self {
        Self { node, label: label.into() }
    }
}

/// One failed assertion of the schema (SPEC 4.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The keyword.
    pub check: String,
    /// Where; for a missing property, where it should be.
    pub place: Place,
    /// What the keyword wanted.
    pub expected: String,
    /// What was there.
    pub found: String,
    /// The node to point at: the value, or the object that lacks a property.
    pub node: u32,
    /// The keyword's place in the schema, a JSON Pointer behind `#`, or a URI for a metaschema.
    pub schema_location: String,
}

/// Checks passed out of checks made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many held.
    pub passed: u64,
    /// How many were made.
    pub total: u64,
}

impl Tally {
    /// Counts one check.
    pub fn count(&mut self, passed: bool) {
        self.total += 1;
        self.passed += u64::from(passed);
    }

    /// Both counts added.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, total: self.total + other.total }
    }
}
