//! The program as its users meet it: arguments in; exit code, standard output and error out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]

#[path = "../support/mod.rs"]
mod support;

/// Many inputs: folders, lists, JSONL.
mod batch;
/// Servers that want to be paid: `--url` and `--pay` of `aov check`, and `aov ledger`.
mod buying;
/// `aov check`: streams, files, hostile inputs.
mod check;
/// README "In CI": a pre-commit hook, a workflow and a Makefile, as written.
mod ci;
/// Reports in the programs that read them.
mod consumers;
/// All formats of every verb that gives verdicts.
mod every_verb;
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
/// Pipes, full disks, files that vanish.
mod robust;
/// `aov check --record` and `aov score`.
mod score;
/// Keys and signed answers.
mod signing;
/// `aov template`: what goes where.
mod template;
