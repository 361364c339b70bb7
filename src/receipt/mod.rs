//! Receipts: what binds an answer to its data, how it is signed, and what a signed one proves.

pub mod attestation;
mod audit;
mod binding;
pub mod card;
mod consistency;
mod demands;
pub mod fact;
pub mod hashes;
pub mod replay;

pub use audit::{Answer, Audit, Audited, Questions, UnverifiedReceipt, VerifiedReceipt};
pub use binding::{DataInHand, Due, RequestInHand};
pub use consistency::Warning;
pub use demands::Demands;
