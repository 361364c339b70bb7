//! Does this agent's output meet the agreed requirements, and can I prove it?
#![forbid(unsafe_code)]

pub mod check;
pub mod content;
pub mod finding;
pub mod invalid;
pub mod json;
mod listing;
pub mod path;
pub mod place;
pub mod receipt;
pub mod request;
pub mod response;
pub mod rules;
pub mod schema;
pub mod template;
pub mod text;
