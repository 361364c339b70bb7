//! The schema check: is `expected_schema` itself sound, does the output meet it, and how many of
//! its assertions hold.

use crate::finding::{Finding, Tally, Violation};

mod assertion;
mod budget;
mod compile;
mod completeness;
mod ecma;
mod evaluate;
mod explain;
mod fault;
mod keyword;
mod metaschema;
mod pattern;
mod plan;
mod progress;
mod representation;

pub use compile::{RemoteDocuments, Schema, agree};
pub use fault::SchemaFault;

/// What a schema says about an output.
#[derive(Debug, Clone, Default)]
pub struct SchemaReport {
    /// Every failed assertion, in the order of SPEC 4.7. Empty exactly when the output is valid.
    pub violations: Vec<Violation>,
    /// Assertions passed and made (SPEC 4.4).
    pub assertions: Tally,
    /// Described objects that have all their required properties (SPEC 6.4).
    pub completeness: Tally,
    /// One `truncation` flag per described object that lacks some, in document order.
    pub incomplete: Vec<Finding>,
}
