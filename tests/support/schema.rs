//! A schema against data, in one call.

#![allow(dead_code, reason = "each test binary uses its part")]

use agent_output_verifier::json;
use agent_output_verifier::schema::{Schema, SchemaFault, SchemaReport};

/// Deeper than any limit of a request, so that a schema and data at the limit fit.
const DEPTH: usize = 200;

/// The faults of the schema, or what it says about the data.
pub(crate) fn check(schema: &str, data: &str) -> Result<SchemaReport, Vec<SchemaFault>> {
    let schema = json::read(schema, DEPTH).expect("the schema is JSON");
    let data = json::read(data, DEPTH).expect("the data is JSON");
    let schema = Schema::compile(schema.root())?;
    schema.check(data.root()).map_err(|fault| vec![fault])
}

/// What a sound schema says about the data.
pub(crate) fn report(schema: &str, data: &str) -> SchemaReport {
    check(schema, data).unwrap_or_else(|faults| panic!("{schema} on {data}: {faults:?}"))
}
