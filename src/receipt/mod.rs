//! Receipts: what binds an answer to its data, how it is signed, and what a signed one proves.

pub mod attestation;
pub mod card;
pub mod fact;
