//! Audits of receipts: one in full for people, many a line each, and as JSON.

use agent_output_verifier::json::Node;
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::receipt::fact::{Code, Status, Verdict};
use agent_output_verifier::receipt::replay::Replayed;
use agent_output_verifier::receipt::{Answer, Audit, Audited};
use agent_output_verifier::response::Json;
use agent_output_verifier::text::{MAX_ECHO, cut};
use clap::builder::styling::{AnsiColor, Style};

use super::human::paint;
use crate::cmd::verify_receipt::work::{Checked, Receipt, Unread, place};
use crate::exit::Exit;
use crate::term::{self, Terminal};

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
}

impl Summary {
    /// Counts one.
    pub(crate) fn count(&mut self, checked: &Checked) {
        self.total += 1;
        self.exits[usize::from(checked.exit().code())] += 1;
        let verdict = checked.result.as_ref().ok().and_then(|receipt| {
            let verdict = receipt.audited.audit().verdict;
            Verdict::ALL.iter().position(|known| *known == verdict)
        });
        self.verdicts[verdict.unwrap_or(Verdict::ALL.len())] += 1;
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

/// One audit in full.
pub(crate) fn human(checked: &Checked, terminal: Terminal) -> String {
    let place = place(&checked.name, checked.line);
    let receipt = match &checked.result {
        Ok(receipt) => receipt,
        Err(unread) => {
            let error = paint("error", AnsiColor::Red.on_default().bold(), terminal);
            return format!("{error}: {}\n", unread_sentence(checked, unread));
        }
    };
    let audit = receipt.audited.audit();
    let mut out = format!("{}  {place}\n", headline(&receipt.audited, terminal));
    for fact in &audit.facts {
        let (word, style) = match fact.status {
            Status::Holds => ("ok  ", AnsiColor::Green.on_default()),
            Status::Fails => ("FAIL", AnsiColor::Red.on_default().bold()),
            Status::Open => ("open", AnsiColor::Yellow.on_default()),
        };
        let detail = term::safe(&fact.detail);
        out.push_str(&format!(
            "  {}  {:<21} {detail}\n",
            paint(word, style, terminal),
            fact.subject.as_str()
        ));
    }
    for warning in &audit.warnings {
        let word = paint("warn", AnsiColor::Yellow.on_default(), terminal);
        out.push_str(&format!("  {word}  {:<21} {}\n", warning.field, term::safe(&warning.detail)));
    }
    out.push_str(&says_in_full(&receipt.audited));
    if let Some(replayed) = &receipt.replayed {
        out.push_str(&side_by_side(replayed));
    }
    out.push_str("\nnot checked:\n");
    for item in &audit.not_checked {
        out.push_str(&format!("  - {}\n", item.meaning()));
    }
    out
}

/// The verdict, and what it means where that does not go without saying.
fn headline(audited: &Audited, terminal: Terminal) -> String {
    let audit = audited.audit();
    let style = match audit.answer() {
        Answer::Yes => AnsiColor::Green.on_default().bold(),
        Answer::No => AnsiColor::Red.on_default().bold(),
        Answer::Unavailable => AnsiColor::Yellow.on_default().bold(),
    };
    let failing = audit.facts.iter().find(|fact| fact.status == Status::Fails);
    let mut text = match audit.verdict {
        Verdict::GenuineNotBound if audit.had_data() => match failing {
            Some(fact) if fact.code == Code::Differs => "genuine, but not about the data in hand",
            _ => "genuine, but it cannot be tied to the data in hand",
        },
        Verdict::GenuineNotBound => "genuine; nothing ties it to data in hand",
        other => other.meaning(),
    }
    .to_owned();
    if matches!(audit.verdict, Verdict::GenuineBound | Verdict::GenuineNotBound) {
        if let Some(result) = audited.says().get("result") {
            text.push_str(&format!("; the result is {}", shown(result)));
        }
        if let Some(fact) = failing.filter(|fact| fact.code != Code::Differs) {
            text.push_str(&format!("; not as demanded: {}", fact.subject));
        }
    }
    paint(&text, style, terminal)
}

fn says_in_full(audited: &Audited) -> String {
    let verb = if matches!(audited, Audited::Verified(..)) { "says" } else { "claims" };
    let mut out = format!("\nthe receipt {verb}:\n");
    for name in SAYS {
        if let Some(value) = said(audited.says(), name) {
            out.push_str(&format!("  {name:<17} {}\n", shown(value)));
        }
    }
    out
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

fn shown(value: Node<'_>) -> String {
    let text = value.as_str().unwrap_or_else(|| value.source());
    term::safe(&cut(text, 2 * MAX_ECHO)).into_owned()
}

fn side_by_side(replayed: &Replayed) -> String {
    let theirs = replayed.receipt_version.as_deref().unwrap_or("unknown version");
    let theirs = format!("receipt ({})", term::safe(&cut(theirs, MAX_ECHO)));
    let ours = format!("run again (aov {})", replayed.replay_version);
    if replayed.differences.is_empty() {
        return format!("\nthe same in {theirs} and {ours}\n");
    }
    let said = replayed.differences.iter().map(|it| it.receipt.chars().count().min(MAX_ECHO));
    let width = said.chain([theirs.chars().count()]).max().unwrap_or_default();
    let mut out = format!("\n  {:<26} {theirs:<width$}  {ours}\n", "run again");
    for difference in &replayed.differences {
        let said = term::safe(&cut(&difference.receipt, MAX_ECHO)).into_owned();
        let found = term::safe(&cut(&difference.replay, MAX_ECHO)).into_owned();
        out.push_str(&format!("  {:<26} {said:<width$}  {found}\n", difference.field));
    }
    out
}

/// One audit on a line.
pub(crate) fn human_line(checked: &Checked, terminal: Terminal) -> String {
    let place = place(&checked.name, checked.line);
    let (word, style, text) = match &checked.result {
        Err(unread) => ("error", AnsiColor::Red, unread_sentence(checked, unread)),
        Ok(receipt) => {
            let audit = receipt.audited.audit();
            let text = format!("{place}: {}", sentence(receipt, audit));
            match audit.answer() {
                Answer::Yes => ("yes", AnsiColor::Green, text),
                Answer::No => ("no", AnsiColor::Red, text),
                Answer::Unavailable => ("open", AnsiColor::Yellow, text),
            }
        }
    };
    let style: Style = style.on_default().bold();
    format!("{}{} {text}\n", paint(word, style, terminal), " ".repeat(5 - word.len()))
}

fn sentence(receipt: &Receipt, audit: &Audit) -> String {
    let mut text = String::with_capacity(256);
    text.push_str(audit.verdict.meaning());
    if let Some(reason) = audit.reason() {
        text.push_str(" [");
        text.push_str(reason.code.as_str());
        text.push_str("] ");
        text.push_str(&term::safe(&reason.detail));
        return text;
    }
    let says = receipt.audited.says();
    let name = if audit.context == Context::Score { "trust_score" } else { "result" };
    let mut before = "; ";
    for name in [name, "task_id", "agent_id"] {
        if let Some(value) = says.get(name).filter(|value| !value.is_null()) {
            for part in [before, name, " ", &shown(value)] {
                text.push_str(part);
            }
            before = ", ";
        }
    }
    if let Some(again) = audit.facts.iter().find(|fact| fact.code == Code::SeenSame) {
        text.push_str("; ");
        text.push_str(&term::safe(&again.detail));
    }
    text
}

fn unread_sentence(checked: &Checked, unread: &Unread) -> String {
    match unread.position {
        Some(position) => format!("{}:{position}: {}", checked.name, unread.message),
        None => format!("cannot read {}: {}", place(&checked.name, checked.line), unread.message),
    }
}

/// The beginning of the JSON report: one object, its records as they come.
pub(crate) const JSON_BEGIN: &str = "{\"format_version\":1,\"receipts\":[\n";

/// The end of it.
pub(crate) fn json_end(summary: &Summary, exit: Exit) -> String {
    format!("],\"summary\":{}}}\n", summary.json(exit).to_line())
}

/// One audit as a JSON object.
pub(crate) fn json(checked: &Checked) -> String {
    let mut members = vec![
        ("receipt", Json::text(&*checked.name)),
        ("line", checked.line.map_or(Json::Null, Json::Count)),
        ("exit_code", Json::Count(checked.exit().code().into())),
    ];
    match &checked.result {
        Err(unread) => {
            let count = |number: usize| Json::Count(number as u64);
            let error = vec![
                ("code", Json::text(unread.code)),
                ("message", Json::text(&*unread.message)),
                ("line", unread.position.map_or(Json::Null, |it| count(it.line))),
                ("column", unread.position.map_or(Json::Null, |it| count(it.column))),
            ];
            members.push(("error", Json::Object(error)));
        }
        Ok(receipt) => members.extend(audit_members(receipt)),
    }
    Json::Object(members).to_line()
}

fn audit_members(receipt: &Receipt) -> Vec<(&'static str, Json)> {
    let audit = receipt.audited.audit();
    let reason = audit.reason().map_or(Json::Null, |fact| {
        Json::Object(vec![
            ("fact", Json::text(fact.subject.as_str())),
            ("code", Json::text(fact.code.as_str())),
        ])
    });
    let facts = audit.facts.iter().map(|fact| {
        let fields = vec![
            ("status", Json::text(fact.status.as_str())),
            ("code", Json::text(fact.code.as_str())),
            ("detail", Json::text(&*fact.detail)),
        ];
        (fact.subject.as_str(), Json::Object(fields))
    });
    let warnings = audit.warnings.iter().map(|warning| {
        Json::Object(vec![
            ("field", Json::text(warning.field)),
            ("detail", Json::text(&*warning.detail)),
        ])
    });
    let not_checked = audit.not_checked.iter().map(|item| {
        Json::Object(vec![
            ("code", Json::text(item.as_str())),
            ("detail", Json::text(item.meaning())),
        ])
    });
    let context = match audit.context {
        Context::Verification => "verification",
        Context::Score => "score",
    };
    let mut members = vec![
        ("verdict", Json::text(audit.verdict.as_str())),
        ("reason", reason),
        ("context", Json::text(context)),
        ("verified", Json::Bool(matches!(receipt.audited, Audited::Verified(..)))),
        ("says", says_json(&receipt.audited)),
        ("facts", Json::Object(facts.collect())),
        ("warnings", Json::Array(warnings.collect())),
        ("not_checked", Json::Array(not_checked.collect())),
    ];
    members.extend(receipt.replayed.as_ref().map(|replayed| ("replay", replay_json(replayed))));
    members
}

/// What the receipt says: texts as they are, anything else as JSON in a text; null where it does
/// not say.
fn says_json(audited: &Audited) -> Json {
    let value = |name| {
        let value = said(audited.says(), name).filter(|value| !value.is_null());
        value.map(|value| cut(value.as_str().unwrap_or_else(|| value.source()), 256).into_owned())
    };
    Json::Object(SAYS.map(|name| (name, Json::optional(value(name)))).to_vec())
}

fn replay_json(replayed: &Replayed) -> Json {
    let differences = replayed.differences.iter().map(|difference| {
        Json::Object(vec![
            ("field", Json::text(&*difference.field)),
            ("receipt", Json::text(&*difference.receipt)),
            ("replay", Json::text(&*difference.replay)),
        ])
    });
    Json::Object(vec![
        ("receipt_version", Json::optional(replayed.receipt_version.as_deref())),
        ("replay_version", Json::text(&*replayed.replay_version)),
        ("differences", Json::Array(differences.collect())),
    ])
}
