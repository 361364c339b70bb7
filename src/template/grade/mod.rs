//! What a pass is worth: what a template leaves open, what in it does nothing, and, with a good
//! output at hand, which broken ones it lets through.

mod breakage;
mod clauses;
mod coverage;
mod described;
mod keywords;
mod remark;
mod trial;

pub use remark::{Remark, RemarkKind};
pub use trial::{Breakage, Caught, Trial, TrialReport};

use super::Template;
use crate::invalid::Invalid;
use crate::json::{Kind, Node};
use crate::request::Part;
use crate::schema::Schema;
use remark::Remarks;

/// What is to be said of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    /// Why nothing can be checked with it, if that is so.
    pub invalid: Option<Invalid>,
    /// What it leaves open and what in it does nothing, the most serious first.
    pub remarks: Vec<Remark>,
    /// What came of breaking a good output.
    pub trial: Trial,
}

/// Grades a template; `good_output` is one that ought to pass, and is a document of its own.
#[must_use]
pub fn grade<'d>(template: &Template<'d>, good_output: Option<Node<'d>>) -> Grade {
    let schema = template.expected_schema();
    let compiled = Schema::compile(schema);
    // Bounds and rules do not depend on the output.
    let request = template.request(good_output.unwrap_or(schema));
    let mut remarks = Remarks::new(template.root());
    if schema.kind() == Kind::Object {
        keywords::remarks(schema, &mut remarks);
        coverage::remarks(schema, request.as_ref().ok(), &mut remarks);
    }
    if let Ok(request) = &request {
        clauses::remarks(schema, request, &mut remarks);
    }
    let trial = match (&compiled, &request, good_output) {
        (Ok(compiled), Ok(_), Some(output)) => trial::trial(template, compiled, output),
        (Ok(_), Ok(_), None) => Trial::NoOutput,
        _ => Trial::Unusable,
    };
    let problems = request.err().map(Invalid::from);
    let faults = compiled.err().map(|faults| Invalid::schema(faults, schema, Part::Rules));
    let invalid = match (problems, faults) {
        (Some(problems), Some(faults)) => Some(problems.and(faults)),
        (problems, faults) => problems.or(faults),
    };
    Grade { invalid, remarks: remarks.finish(), trial }
}

#[cfg(test)]
mod tests;
