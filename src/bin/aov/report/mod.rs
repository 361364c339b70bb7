//! From results to bytes. A reporter reads a result and returns text; it decides nothing.

mod excerpt;
pub(crate) mod human;
pub(crate) mod receipt;
