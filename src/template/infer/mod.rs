//! A template from good outputs: what all of them have in common, and how sure that is.
//!
//! Invariants: the result is the same bytes for the same samples in the same order; every bound and
//! rule was run on every sample; the whole template was run on every sample by the same check that
//! gives verdicts, and what rejected one is left out and reported.

mod clauses;
mod schema;
mod shape;
mod verify;

use serde_json::{Map, Value};

use crate::json::Node;
use shape::Shape;

/// The doubt about everything that was seen in one sample only.
pub const SINGLE_SAMPLE: &str = "it rests on a single sample";

/// Why something is in the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The place it is about, in the notation of rules.
    pub place: String,
    /// What the template says of it.
    pub claim: String,
    /// What it rests on.
    pub because: String,
    /// Why it may be wrong; none where it is evident.
    pub doubt: Option<String>,
}

/// A template, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inference {
    /// The template as JSON text, ready to be written to a file.
    pub text: String,
    /// One entry for all that the template says.
    pub evidence: Vec<Evidence>,
    /// What was looked at and left out, with the reason.
    pub left_out: Vec<String>,
    /// How many samples there were.
    pub samples: usize,
}

/// Whether values of samples may get into a template, and into what is told about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// They may, where an `enum` is evident.
    Shown,
    /// They may not; names, types and formats may.
    Hidden,
}

/// Infers a template that accepts every sample. Without samples it accepts anything.
#[must_use]
pub fn infer(samples: &[Node<'_>], values: Values) -> Inference {
    let shape = Shape::of(samples);
    let mut ledger = Ledger { samples: samples.len(), ..Ledger::default() };
    let expected_schema = schema::infer(&shape, values, &mut ledger);
    let (bounds, rules) = clauses::infer(&shape, samples, &mut ledger);
    let draft = Draft { samples: samples.len(), expected_schema, bounds, rules };
    let text = verify::accepted_by_all(draft, samples, &mut ledger);
    let Ledger { samples, evidence, left_out } = ledger;
    Inference { text, evidence, left_out, samples }
}

/// What has been found so far.
#[derive(Debug, Default)]
struct Ledger {
    samples: usize,
    evidence: Vec<Evidence>,
    left_out: Vec<String>,
}

impl Ledger {
    /// Evidence from values of `samples` samples; from one alone it is in doubt anyway.
    fn add(
        &mut self,
        place: &str,
        claim: impl Into<String>,
        because: impl Into<String>,
        samples: usize,
        doubt: Option<String>,
    ) {
        let single = (samples < 2).then(|| SINGLE_SAMPLE.to_owned());
        self.evidence.push(Evidence {
            place: place.to_owned(),
            claim: claim.into(),
            because: because.into(),
            doubt: doubt.or(single),
        });
    }
}

/// A template that is not yet verified.
#[derive(Debug)]
struct Draft {
    samples: usize,
    expected_schema: Value,
    bounds: Map<String, Value>,
    rules: Vec<Value>,
}

impl Draft {
    fn to_text(&self) -> String {
        let plural = if self.samples == 1 { "" } else { "s" };
        let document = serde_json::json!({
            "schema": super::FORMAT,
            "label": "draft",
            "label_meaning":
                format!("draft: inferred by aov from {} good output{plural}", self.samples),
            "template": {
                "expected_schema": self.expected_schema,
                "rules": self.rules,
                "bounds": self.bounds,
                "enforce_rules": true,
            },
        });
        // A value made of maps with text for keys can always be written.
        let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// `3 values in 2 samples`.
fn seen(shape: &Shape<'_>) -> String {
    format!("{} in {}", counted(shape.seen.len(), "value"), counted(shape.samples(), "sample"))
}

/// `1 value`, `2 values`.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests;
