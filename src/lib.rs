//! Does this agent's output meet the agreed requirements, and can I prove it?
#![forbid(unsafe_code)]

pub mod finding;
pub mod json;
pub mod key;
pub mod place;
pub mod receipt;
pub mod schema;
pub mod text;
pub mod trust;
