//! Is the schema itself a schema of its dialect? The metaschema says, and what it finds wrong is
//! explained like a finding in the data.

use std::sync::OnceLock;

use jsonschema::Draft;
use referencing::SPECIFICATIONS;
use serde_json::Value;

use super::compile::Schema;
use super::fault::{Fault, SchemaFault};
use crate::finding::Violation;
use crate::json::Node;
use crate::place::Step;

/// Violations that are reported of one schema.
const MAX_FAULTS: usize = 20;

/// Checks a schema against the metaschema of its dialect.
pub(super) fn check(schema: Node<'_>, value: &Value, draft: Draft) -> Result<(), Vec<SchemaFault>> {
    let validator = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validator(),
        Draft::Draft6 => jsonschema::draft6::meta::validator(),
        Draft::Draft7 => jsonschema::draft7::meta::validator(),
        Draft::Draft201909 => jsonschema::draft201909::meta::validator(),
        _ => jsonschema::draft202012::meta::validator(),
    };
    let Err(error) = validator.validate(value) else { return Ok(()) };
    let explained = explain(schema, draft);
    if !explained.is_empty() {
        return Err(explained);
    }
    let location = format!("#{}", error.instance_path());
    Err(vec![Fault::invalid(&location, "is not what the metaschema allows", "Correct the schema.")])
}

/// What our own walk finds wrong, word by word.
fn explain(schema: Node<'_>, draft: Draft) -> Vec<SchemaFault> {
    static ENGINES: [OnceLock<Option<Schema>>; 5] = [const { OnceLock::new() }; 5];
    let at = match draft {
        Draft::Draft4 => 0,
        Draft::Draft6 => 1,
        Draft::Draft7 => 2,
        Draft::Draft201909 => 3,
        _ => 4,
    };
    let Some(engine) = ENGINES[at].get_or_init(|| engine(draft)) else { return Vec::new() };
    let Ok(report) = engine.check(schema) else { return Vec::new() };
    let mut faults: Vec<SchemaFault> = Vec::new();
    for violation in report.violations.into_iter().take(MAX_FAULTS) {
        let fault = fault(&violation);
        // Several vocabularies may say the same.
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

fn fault(violation: &Violation) -> SchemaFault {
    let location = format!("#{}", violation.place.pointer());
    if violation.place.steps().last() == Some(&Step::name("type")) {
        let types = "null, boolean, integer, number, string, array or object";
        let fix = format!("Use {types}, or a list of these.");
        return Fault::invalid(&location, "names no type of JSON Schema", fix);
    }
    // Names of types may be shown; values never are (SPEC 2.1).
    let found = match violation.check.as_str() {
        "type" | "required" => format!(", found {}", violation.found),
        _ => String::new(),
    };
    let (check, expected) = (&violation.check, &violation.expected);
    let problem = format!("is not valid ({check}): expected {expected}{found}");
    Fault::invalid(&location, problem, format!("Give it {expected}."))
}

fn engine(draft: Draft) -> Option<Schema> {
    let uri = match draft {
        Draft::Draft4 => "http://json-schema.org/draft-04/schema",
        Draft::Draft6 => "http://json-schema.org/draft-06/schema",
        Draft::Draft7 => "http://json-schema.org/draft-07/schema",
        Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
        _ => "https://json-schema.org/draft/2020-12/schema",
    };
    let resolver = SPECIFICATIONS.resolver(referencing::uri::from_str(uri).ok()?);
    let metaschema = resolver.lookup("#").ok()?.contents().clone();
    Schema::build(&metaschema, draft, Vec::new()).ok()
}
