//! Receipts: what a signed answer is bound to.

pub mod hashes;
