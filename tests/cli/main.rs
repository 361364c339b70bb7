//! The program as its users meet it: arguments in; exit code, standard output and error out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]

#[path = "../support/mod.rs"]
mod support;

/// Many inputs: folders, lists, JSONL.
mod batch;
/// `aov check`: streams, files, hostile inputs.
mod check;
/// The examples of the help texts.
mod examples;
/// Every folder of `fixtures/` that is a case.
mod fixtures;
/// What programs read: JSONL, JUnit, SARIF, GitHub; and what `--redact` hides.
mod formats;
/// Completions and manual pages are current.
mod generated;
/// `aov hash`.
mod hash;
/// Help texts and usage errors.
mod help;
/// Receipts made and verified with other programs.
mod interop;
/// The verification of receipts.
mod receipts;
/// `aov check --record` and `aov score`.
mod score;
/// Keys and signed answers.
mod signing;
/// `aov template`: what goes where.
mod template;
