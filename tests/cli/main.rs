//! The program as its users meet it: arguments in; exit code, standard output and error out.

#[path = "../support/mod.rs"]
mod support;

/// Every folder of `fixtures/` that is a case.
mod fixtures;
/// Completions and manual pages are current.
mod generated;
/// Help texts and usage errors.
mod help;
/// Receipts made and verified with other programs.
mod interop;
/// Keys, signed answers and the verification of receipts.
mod receipts;
