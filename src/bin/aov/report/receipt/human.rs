//! For people: one audit in full, or a line for each of many.

use agent_output_verifier::json::Node;
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::receipt::fact::{Code, Status, Verdict};
use agent_output_verifier::receipt::replay::Replayed;
use agent_output_verifier::receipt::{Answer, Audit, Audited};
use agent_output_verifier::text::{MAX_ECHO, cut};
use clap::builder::styling::{AnsiColor, Style};

use super::{SAYS, detail, kind_of, oddity, said, told};
use crate::cmd::verify_receipt::work::{Checked, Receipt, Unread, place};
use crate::report::human::paint;
use crate::term::{self, Terminal};

/// One audit in full.
pub(super) fn full(checked: &Checked, redact: bool, terminal: Terminal) -> String {
    let place = place(&checked.name, checked.line);
    let receipt = match &checked.result {
        Ok(receipt) => receipt,
        Err(unread) => {
            let error = paint("error", AnsiColor::Red.on_default().bold(), terminal);
            return format!("{error}: {}\n", unread_sentence(checked, unread));
        }
    };
    let audit = receipt.audited.audit();
    let mut out = format!("{}  {place}\n", headline(&receipt.audited, redact, terminal));
    for fact in &audit.facts {
        let (word, style) = match fact.status {
            Status::Holds => ("ok  ", AnsiColor::Green.on_default()),
            Status::Fails => ("FAIL", AnsiColor::Red.on_default().bold()),
            Status::Open => ("open", AnsiColor::Yellow.on_default()),
        };
        let detail = term::safe(detail(fact, redact));
        out.push_str(&format!(
            "  {}  {:<21} {detail}\n",
            paint(word, style, terminal),
            fact.subject.as_str()
        ));
    }
    for warning in &audit.warnings {
        let word = paint("warn", AnsiColor::Yellow.on_default(), terminal);
        out.push_str(&format!(
            "  {word}  {:<21} {}\n",
            warning.field,
            term::safe(oddity(warning, redact))
        ));
    }
    out.push_str(&says_in_full(&receipt.audited, redact));
    if let Some(replayed) = &receipt.replayed {
        out.push_str(&side_by_side(replayed, redact));
    }
    out.push_str("\nnot checked:\n");
    for item in &audit.not_checked {
        out.push_str(&format!("  - {}\n", item.meaning()));
    }
    out
}

/// The verdict, and what it means where that does not go without saying.
fn headline(audited: &Audited, redact: bool, terminal: Terminal) -> String {
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
            text.push_str(&format!("; the result is {}", shown("result", result, redact)));
        }
        if let Some(fact) = failing.filter(|fact| fact.code != Code::Differs) {
            text.push_str(&format!("; not as demanded: {}", fact.subject));
        }
    }
    paint(&text, style, terminal)
}

fn says_in_full(audited: &Audited, redact: bool) -> String {
    let verb = if matches!(audited, Audited::Verified(..)) { "says" } else { "claims" };
    let mut out = format!("\nthe receipt {verb}:\n");
    for name in SAYS {
        if let Some(value) = said(audited.says(), name) {
            out.push_str(&format!("  {name:<17} {}\n", shown(name, value, redact)));
        }
    }
    out
}

fn shown(name: &str, value: Node<'_>, redact: bool) -> String {
    term::safe(&cut(&told(name, value, redact), 2 * MAX_ECHO)).into_owned()
}

fn side_by_side(replayed: &Replayed, redact: bool) -> String {
    let version = replayed.receipt_version.as_deref();
    let theirs = version.map_or("unknown version", |it| if redact { "string" } else { it });
    let theirs = format!("receipt ({})", term::safe(&cut(theirs, MAX_ECHO)));
    let ours = format!("run again (aov {})", replayed.replay_version);
    if replayed.differences.is_empty() {
        return format!("\nthe same in {theirs} and {ours}\n");
    }
    let shown = |json: &str| match redact {
        true => kind_of(json).to_owned(),
        false => term::safe(&cut(json, MAX_ECHO)).into_owned(),
    };
    let said = replayed.differences.iter().map(|it| shown(&it.receipt).chars().count());
    let width = said.chain([theirs.chars().count()]).max().unwrap_or_default();
    let mut out = format!("\n  {:<26} {theirs:<width$}  {ours}\n", "run again");
    for difference in &replayed.differences {
        let (said, found) = (shown(&difference.receipt), shown(&difference.replay));
        out.push_str(&format!("  {:<26} {said:<width$}  {found}\n", difference.field));
    }
    out
}

/// One audit on a line.
pub(super) fn line(checked: &Checked, redact: bool, terminal: Terminal) -> String {
    let place = place(&checked.name, checked.line);
    let (word, style, text) = match &checked.result {
        Err(unread) => ("error", AnsiColor::Red, unread_sentence(checked, unread)),
        Ok(receipt) => {
            let audit = receipt.audited.audit();
            let text = format!("{place}: {}", sentence(receipt, audit, redact));
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

fn sentence(receipt: &Receipt, audit: &Audit, redact: bool) -> String {
    let mut text = String::with_capacity(256);
    text.push_str(audit.verdict.meaning());
    if let Some(reason) = audit.reason() {
        text.push_str(" [");
        text.push_str(reason.code.as_str());
        text.push_str("] ");
        text.push_str(&term::safe(detail(reason, redact)));
        return text;
    }
    let says = receipt.audited.says();
    let name = if audit.context == Context::Score { "trust_score" } else { "result" };
    let mut before = "; ";
    for name in [name, "task_id", "agent_id"] {
        if let Some(value) = says.get(name).filter(|value| !value.is_null()) {
            for part in [before, name, " ", &shown(name, value, redact)] {
                text.push_str(part);
            }
            before = ", ";
        }
    }
    if let Some(again) = audit.facts.iter().find(|fact| fact.code == Code::SeenSame) {
        text.push_str("; ");
        text.push_str(&term::safe(detail(again, redact)));
    }
    text
}

pub(super) fn unread_sentence(checked: &Checked, unread: &Unread) -> String {
    match unread.position {
        Some(position) => format!("{}:{position}: {}", checked.name, unread.message),
        None => format!("cannot read {}: {}", place(&checked.name, checked.line), unread.message),
    }
}
