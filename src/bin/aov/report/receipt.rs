//! Audits of receipts: one in full for people, many a line each, and in every format for programs.

mod findings;
pub(crate) mod format;
mod human;
pub(crate) mod members;

use std::borrow::Cow;
use std::collections::BTreeSet;

use agent_output_verifier::json::{self, Node};
use agent_output_verifier::receipt::Warning;
use agent_output_verifier::receipt::fact::{Code, Fact, NotChecked, Subject, Verdict};
use agent_output_verifier::response::Json;

use crate::cmd::verify_receipt::work::Checked;
use crate::exit::Exit;

/// What a receipt says, in the order in which it is told.
const SAYS: [&str; 9] = [
    "result",
    "trust_score",
    "task_id",
    "agent_id",
    "verification_id",
    "verified_at",
    "verifier_version",
    "key_version",
    "public_key_url",
];

/// How many of each kind there were.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    total: u64,
    /// By [`Verdict::ALL`], and one for records that could not be read.
    verdicts: [u64; 6],
    /// By exit code.
    exits: [u64; 5],
    /// By [`NotChecked::ALL`]: in how many audits it was left open.
    not_checked: [u64; NotChecked::ALL.len()],
    /// The rules that results name.
    rules: BTreeSet<String>,
}

impl Summary {
    /// Counts one.
    pub(crate) fn count(&mut self, checked: &Checked) {
        self.total += 1;
        if let Ok(receipt) = &checked.result {
            for item in &receipt.audited.audit().not_checked {
                self.not_checked[*item as usize] += 1;
            }
        }
        self.exits[usize::from(checked.exit().code())] += 1;
        let verdict = checked.result.as_ref().ok().and_then(|receipt| {
            let verdict = receipt.audited.audit().verdict;
            Verdict::ALL.iter().position(|known| *known == verdict)
        });
        self.verdicts[verdict.unwrap_or(Verdict::ALL.len())] += 1;
    }

    /// Notes the rules that results name.
    pub(crate) fn note(&mut self, rules: BTreeSet<String>) {
        self.rules.extend(rules);
    }

    /// The code of the run. Where there was no receipt, none is genuine.
    pub(crate) fn exit(&self) -> Exit {
        let ends = Exit::ALL.into_iter().filter(|exit| self.exits[usize::from(exit.code())] > 0);
        ends.reduce(Exit::merge).unwrap_or(Exit::CannotRun)
    }

    /// What verdicts do not cover, each with the number of receipts it is so for.
    fn not_checked(&self) -> impl Iterator<Item = (NotChecked, u64)> {
        let items = NotChecked::ALL.iter().copied().zip(self.not_checked);
        items.filter(|(_, count)| *count > 0)
    }

    /// How many there were.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    fn verdicts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = Verdict::ALL.iter().map(|verdict| verdict.as_str()).chain(["not_read"]);
        names.zip(self.verdicts)
    }

    /// For people.
    pub(crate) fn human(&self, exit: Exit) -> String {
        let receipts = if self.total == 1 { "receipt" } else { "receipts" };
        let verdicts: Vec<_> = self
            .verdicts()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
            .collect();
        let codes: Vec<_> = self
            .exits
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(code, count)| format!("{count} of {code}"))
            .collect();
        format!(
            "{} {receipts}: {}; exit code {} ({})\n",
            self.total,
            verdicts.join(", "),
            exit.code(),
            codes.join(", ")
        )
    }

    fn json(&self, exit: Exit) -> Json {
        let verdicts = self.verdicts().map(|(name, count)| (name, Json::Count(count))).collect();
        let codes = ["0", "1", "2", "3", "4"];
        let codes =
            codes.into_iter().zip(self.exits).map(|(code, count)| (code, Json::Count(count)));
        Json::Object(vec![
            ("total", Json::Count(self.total)),
            ("exit_code", Json::Count(exit.code().into())),
            ("exit_codes", Json::Object(codes.collect())),
            ("verdicts", Json::Object(verdicts)),
        ])
    }
}

/// A member of the receipt, or of the two sections about its key.
fn said<'d>(receipt: Node<'d>, name: &str) -> Option<Node<'d>> {
    let section = match name {
        "key_version" => receipt.get("attestation")?,
        "public_key_url" => receipt.get("verify")?,
        _ => receipt,
    };
    section.get(name)
}

/// A value of the receipt, or with `redact` its type: all but the result, which is the answer, comes
/// from whoever asked for the check or signed it.
fn told<'d>(name: &str, value: Node<'d>, redact: bool) -> Cow<'d, str> {
    let text = value.as_str();
    let is_result = name == "result" && matches!(text, Some("pass" | "fail"));
    if redact && !is_result {
        return Cow::Borrowed(value.kind().name());
    }
    Cow::Borrowed(text.unwrap_or_else(|| value.source()))
}

/// What a fact says; with `redact` only what its code says, since the rest repeats values. Where a
/// receipt was met before is a name, and stays.
fn detail(fact: &Fact, redact: bool) -> &str {
    if redact && fact.subject != Subject::Unique { fact.code.meaning() } else { &fact.detail }
}

/// What is odd about a member.
fn oddity(warning: &Warning, redact: bool) -> &str {
    if redact { Code::Inconsistent.meaning() } else { &warning.detail }
}

/// The type of a value that is given as JSON.
fn kind_of(json: &str) -> &'static str {
    json::read(json, json::MAX_DEPTH).map_or("value", |value| value.root().kind().name())
}
