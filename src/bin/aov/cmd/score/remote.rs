//! A score from a server: believed only if it is genuine, fresh, and about the agent asked for.

use agent_output_verifier::json::{MAX_DEPTH, Node, read};
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::receipt::fact::{Code, Verdict};
use agent_output_verifier::receipt::{Answer, Audited, Demands, Questions, UnverifiedReceipt};
use agent_output_verifier::text::{MAX_ECHO, cut};
use agent_output_verifier::trust::Refusal;
use chrono::{DateTime, TimeDelta, Utc};

use super::super::verify_receipt::trust::{Trust, Trusted};
use super::{Failure, Session};
use crate::args::Format;
use crate::buyer::{self, Buyer, Outcome, Purse, Question, price};
use crate::exit::Exit;
use crate::net;
use crate::output;
use crate::report::score::Shown;
use crate::term::{self, Terminal};

/// A score is signed when it is asked for: one that is older was kept back.
const FRESH: TimeDelta = TimeDelta::hours(1);

/// The question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// Whose score.
    pub(super) agent_id: &'a str,
    /// The server, as typed.
    pub(super) base: &'a str,
    /// How the answer is written.
    pub(super) format: Format,
    /// For whom.
    pub(super) terminal: Terminal,
}

/// What is to be printed, and how it ended. What went wrong is told on standard error.
pub(super) fn score(
    asked: &Asked<'_>,
    trust: &Trust,
    purse: Option<&Purse>,
    session: &mut Session,
    now: DateTime<Utc>,
) -> Result<(String, Exit), Failure> {
    let url = address(asked)?;
    if trust.offline {
        return Ok(stop(Exit::Unavailable, &format!("--offline forbids to ask {}", term::safe(&url))));
    }
    // Before anything is paid: what cannot be believed is not worth it.
    let trusted = trust.keyring(session, now)?;
    let net = session.net.clone();
    let buyer =
        Buyer { net: &net, purse, clock: &buyer::now, pause: &|time| std::thread::sleep(time) };
    let question = Question { url: &url, body: None };
    let answer = match buyer.ask(&question) {
        Outcome::Answered(answer) => answer,
        Outcome::PaymentRequired(field) => {
            let of = term::safe(&cut(asked.agent_id, 5 * MAX_ECHO)).into_owned();
            let what = format!("the score of {of}");
            return Ok(price::show(asked.base, &what, asked.format, field.as_deref())
                .map_or_else(|why| stop(Exit::PaymentRequired, &why), |it| (it, Exit::PaymentRequired)));
        }
        Outcome::NotPaid(why) => {
            return Ok(stop(Exit::PaymentRequired, &format!("{} was not paid: {why}", term::safe(asked.base))));
        }
        Outcome::Unreachable(refusal) => {
            return Ok(stop(Exit::Unavailable, &unreachable(&refusal, &url)));
        }
        Outcome::Unknown(why) => return Ok(stop(Exit::Unavailable, &why)),
        Outcome::Failed(why) => return Ok(stop(Exit::CannotRun, &why)),
    };
    if let Some(paid) = &answer.paid {
        output::complain(&format!("note: paid {paid}\n"));
    }
    if answer.reply.status != 200 {
        return Ok(stop_with_status(answer.reply.status, &answer.reply.body, &url));
    }
    // Asked and, perhaps, paid: that took time.
    let now = if answer.paid.is_some() { buyer::now() } else { now };
    let (text, exit) = believe(asked, answer.reply.body, &trusted, now);
    // What could not be believed is asked for again, with the payment of before: whoever names the
    // key afterwards does not pay again.
    if exit == Exit::Ok {
        buyer.done(&question);
    } else if answer.paid.is_some() {
        output::complain("note: it was paid for; run the same command again, and the same payment is sent\n");
    }
    Ok((text, exit))
}

/// `BASE/score/ID`, the id percent-encoded (RFC 3986 §2.3).
fn address(asked: &Asked<'_>) -> Result<String, Failure> {
    let refused =
        |why: &str| Failure::Usage(format!("--url {}: {why}", term::safe(&cut(asked.base, 200))));
    if asked.base.contains(['?', '#']) {
        return Err(refused("it must not have a query or a fragment"));
    }
    net::check_typed(asked.base).map_err(|why| refused(&of_any_server(&why)))?;
    let mut url = format!("{}/score/", asked.base.trim_end_matches('/'));
    for byte in asked.agent_id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(url)
}

fn stop(exit: Exit, why: &str) -> (String, Exit) {
    output::complain(&format!("error: no score: {why}\n"));
    (String::new(), exit)
}

fn unreachable(refusal: &Refusal, url: &str) -> String {
    format!("{} ({})", term::safe(&of_any_server(&refusal.detail)), term::safe(url))
}

/// The words of [`Code`] are about key servers.
fn of_any_server(detail: &str) -> String {
    detail.replace("the key server", "the server")
}

/// An error of the one shape says by itself whether a retry is worth it; anything else was not the
/// service.
fn stop_with_status(status: u16, body: &[u8], url: &str) -> (String, Exit) {
    let url = term::safe(url);
    let document = read(body, MAX_DEPTH).ok();
    let root = document.as_ref().map(|document| document.root());
    let said = |name: &str| root.and_then(|root| root.get(name)).and_then(Node::as_str);
    let (Some(code), Some(message)) = (said("code"), said("message")) else {
        return stop(Exit::Unavailable, &format!("{url} answers with status {status}"));
    };
    let retryable = root.and_then(|root| root.get("retryable")).and_then(Node::as_bool);
    let exit = match retryable {
        Some(false) if (400..500).contains(&status) => Exit::CannotRun,
        _ => Exit::Unavailable,
    };
    let (code, message) = (cut(code, MAX_ECHO), cut(message, 10 * MAX_ECHO));
    let what = format!("{url} answers {status} {}: {}", term::safe(&code), term::safe(&message));
    stop(exit, &what)
}

/// Shows an answer that deserves it.
fn believe(
    asked: &Asked<'_>,
    body: Vec<u8>,
    trusted: &Trusted,
    now: DateTime<Utc>,
) -> (String, Exit) {
    let Ok(receipt) = UnverifiedReceipt::read(body) else {
        let why = format!("{} does not answer with JSON", term::safe(asked.base));
        return stop(Exit::Unavailable, &why);
    };
    let decision = trusted.decide(&receipt);
    let questions = Questions {
        context: Some(Context::Score),
        demands: Demands {
            agent_id: Some(asked.agent_id.to_owned()),
            max_age: Some(FRESH),
            ..Demands::default()
        },
        ..Questions::default()
    };
    let audited = receipt.audit(&decision, &questions, now);
    for note in trusted.keyring.take_notes() {
        output::complain(&format!("note: {note}\n"));
    }
    let audit = audited.audit();
    let (Audited::Verified(receipt, _), Answer::Yes) = (&audited, audit.answer()) else {
        let exit = match audit.answer() {
            Answer::Unavailable => Exit::Unavailable,
            Answer::Yes | Answer::No => Exit::No,
        };
        let reason = audit.reason().map_or_else(String::new, |fact| {
            format!(" [{}] {}", fact.code, term::safe(&fact.detail))
        });
        let what = match audit.verdict {
            Verdict::NotGenuine => "is not genuine",
            Verdict::UntrustedIssuer => "is not by a trusted issuer",
            Verdict::Undecided => "cannot be verified now",
            Verdict::GenuineBound | Verdict::GenuineNotBound => "is not what was asked for",
        };
        let why = format!("the answer of {} {what}{reason}", term::safe(asked.base));
        return stop(exit, &hint(why, audit.reason().map(|fact| fact.code)));
    };
    let root = receipt.root();
    let text = match asked.format {
        // To the letter: anybody can verify it again.
        Format::Json => root.source().trim_end().to_owned() + "\n",
        Format::Human => {
            let version = root.get("attestation").and_then(|it| it.get("key_version"));
            let version = version.and_then(Node::as_str).unwrap_or_default();
            let source = format!(
                "{}, signed with the key {}",
                term::safe(asked.base),
                term::safe(&cut(version, MAX_ECHO))
            );
            Shown::of_receipt(root).human(&[], &source, asked.terminal)
        }
    };
    (text, Exit::Ok)
}

fn hint(why: String, code: Option<Code>) -> String {
    match code {
        Some(Code::IssuerUnknown | Code::IssuerUnnamed) => {
            format!("{why}; if you trust it, name it with --trust, or give its key")
        }
        _ => why,
    }
}
