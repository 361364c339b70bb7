//! `aov check --url`: a server checks, and its answer is believed if it is genuine, fresh, and about
//! the very request that was sent.

use std::path::{Path, PathBuf};

use agent_output_verifier::json::{MAX_DEPTH, Node, read};
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::receipt::fact::Code;
use agent_output_verifier::receipt::{
    Answer, Audited, DataInHand, Demands, Questions, UnverifiedReceipt, VerifiedReceipt,
};
use agent_output_verifier::request::{UnknownFields, parse};
use agent_output_verifier::text::{MAX_ECHO, cut};
use chrono::TimeDelta;

use super::super::verify_receipt::trust::{Trust, Trusted};
use super::super::{Failure, Session};
use crate::args::{Format, ReportFormat};
use crate::buyer::{self, Buyer, Outcome, PayOptions, Question, price};
use crate::exit::Exit;
use crate::net;
use crate::output::{self, Sink};
use crate::report::Rejection;
use crate::requirements::REQUEST_DEPTH;
use crate::term;

/// An answer is signed when it is asked for; one that was paid for before is kept for a day.
const FRESH: TimeDelta = TimeDelta::hours(25);
/// The payment is kept: whoever names the key afterwards does not pay again.
const PAID_NOT_BELIEVED: &str =
    "note: it was paid for; run the same command again, and the same payment is sent\n";
/// The hints that are shown.
const MAX_HINTS: usize = 20;

/// Somebody else checks.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Another server")]
pub(crate) struct Remote {
    /// Send the request to the server at this address and verify its signed answer: POST
    /// URL/verify/schema. If it wants to be paid, price and networks are shown (exit code 4)
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,

    #[command(flatten)]
    trust: Trust,

    #[command(flatten)]
    pay: PayOptions,
}

/// What is sent, and how the answer is given.
pub(super) struct Order<'o> {
    /// The request.
    pub(super) file: &'o Path,
    /// Human or JSON.
    pub(super) format: ReportFormat,
    /// Nothing is printed.
    pub(super) quiet: bool,
    /// Where the answer goes.
    pub(super) output: Option<&'o PathBuf>,
}

impl Remote {
    /// Whether options were given that are for an answer of a server.
    pub(super) fn is_partly_given(&self) -> bool {
        self.url.is_none() && self.trust.is_given()
    }
}

/// Sends one whole request.
pub(super) fn check(remote: &Remote, url: &str, order: &Order<'_>, session: &mut Session) -> Result<Exit, Failure> {
    let format = match order.format {
        ReportFormat::Human => Format::Human,
        ReportFormat::Json => Format::Json,
        _ => return Err(Failure::Usage("--url gives --format human or json".to_owned())),
    };
    let url = address(url)?;
    let file = session.inputs.read_json(order.file, "the request", REQUEST_DEPTH)?;
    // What is not valid here is not sent, and what was sent is what the answer has to be about.
    let request = parse(file.document.root(), UnknownFields::Refuse).map_err(|problems| {
        Failure::from(Rejection::new(
            format!("the request in {} cannot be used", file.name),
            problems.into(),
            |_| Some(&file),
        ))
    })?;
    if remote.trust.offline {
        return Ok(stop(Exit::Unavailable, &format!("--offline forbids to ask {}", term::safe(&url))));
    }
    // Before anything is paid: what cannot be believed is not worth it.
    let trusted = remote.trust.keyring(session, buyer::now())?;
    let purse = remote.pay.purse()?;
    let net = session.net.clone();
    let buyer = Buyer {
        net: &net,
        purse: purse.as_ref(),
        clock: &buyer::now,
        pause: &|time| std::thread::sleep(time),
    };
    let question = Question { url: &url, body: Some(file.document.text()) };
    let answer = match buyer.ask(&question) {
        Outcome::Answered(answer) => answer,
        Outcome::PaymentRequired(field) => {
            return match price::show(&url, "this verification", format, field.as_deref()) {
                Ok(text) => {
                    output::Stdout::default().write(text.as_bytes())?;
                    Ok(Exit::PaymentRequired)
                }
                Err(why) => Ok(stop(Exit::PaymentRequired, &why)),
            };
        }
        Outcome::NotPaid(why) => {
            return Ok(stop(Exit::PaymentRequired, &format!("{} was not paid: {why}", term::safe(&url))));
        }
        Outcome::Unreachable(refusal) => {
            let detail = refusal.detail.replace("the key server", "the server");
            let why = format!("{} ({})", term::safe(&detail), term::safe(&url));
            return Ok(stop(Exit::Unavailable, &why));
        }
        Outcome::Unknown(why) => return Ok(stop(Exit::Unavailable, &why)),
        Outcome::Failed(why) => return Ok(stop(Exit::CannotRun, &why)),
    };
    if let Some(paid) = &answer.paid {
        output::complain(&format!("note: paid {paid}\n"));
    }
    if answer.reply.status != 200 {
        return Ok(refused(answer.reply.status, &answer.reply.body, &url));
    }
    let data = DataInHand::of_request(&request);
    let receipt = match believe(&trusted, answer.reply.body, data, &url) {
        Ok(receipt) => receipt,
        Err(exit) => {
            if answer.paid.is_some() {
                output::complain(PAID_NOT_BELIEVED);
            }
            return Ok(exit);
        }
    };
    let exit = give(&receipt, &file.name, &url, format, order)?;
    // Only now it is in the user's hands.
    buyer.done(&question);
    Ok(exit)
}

/// `URL/verify/schema`.
fn address(base: &str) -> Result<String, Failure> {
    let refused = |why: &str| Failure::Usage(format!("--url {}: {why}", term::safe(&cut(base, 200))));
    if base.contains(['?', '#']) {
        return Err(refused("it must not have a query or a fragment"));
    }
    net::check_typed(base).map_err(|why| refused(&why))?;
    Ok(format!("{}/verify/schema", base.trim_end_matches('/')))
}

fn stop(exit: Exit, why: &str) -> Exit {
    output::complain(&format!("error: no verdict: {why}\n"));
    exit
}

/// An error of the one shape says by itself whether a retry is worth it; anything else was not the
/// service.
fn refused(status: u16, body: &[u8], url: &str) -> Exit {
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
    stop(exit, &format!("{url} answers {status} {}: {}", term::safe(&code), term::safe(&message)))
}

/// The answer, if it deserves to be shown; otherwise why not is told, and how the run ends.
fn believe(
    trusted: &Trusted,
    body: Vec<u8>,
    data: DataInHand,
    url: &str,
) -> Result<VerifiedReceipt, Exit> {
    let Ok(receipt) = UnverifiedReceipt::read(body) else {
        let why = format!("{} does not answer with JSON", term::safe(url));
        return Err(stop(Exit::Unavailable, &why));
    };
    let now = buyer::now();
    let decision = trusted.decide(&receipt);
    let demands = Demands { max_age: Some(FRESH), ..Demands::default() };
    let questions = Questions { context: Some(Context::Verification), data, demands };
    let audited = receipt.audit(&decision, &questions, now);
    for note in trusted.keyring.take_notes() {
        output::complain(&format!("note: {note}\n"));
    }
    let answer = audited.audit().answer();
    match (audited, answer) {
        (Audited::Verified(receipt, _), Answer::Yes) => Ok(receipt),
        (audited, answer) => {
            let exit = match answer {
                Answer::Unavailable => Exit::Unavailable,
                Answer::Yes | Answer::No => Exit::No,
            };
            let reason = audited.audit().reason();
            let shown = reason.map_or_else(String::new, |fact| {
                format!(" [{}] {}", fact.code, term::safe(&fact.detail))
            });
            let hint = match reason.map(|fact| fact.code) {
                Some(Code::IssuerUnknown | Code::IssuerUnnamed) => {
                    "; if you trust it, name it with --trust, or give its key"
                }
                _ => "",
            };
            let why = format!("the answer of {} is not believed:{shown}{hint}", term::safe(url));
            Err(stop(exit, &why))
        }
    }
}

/// Prints or writes what was verified.
fn give(
    receipt: &VerifiedReceipt,
    name: &str,
    url: &str,
    format: Format,
    order: &Order<'_>,
) -> Result<Exit, Failure> {
    let root = receipt.root();
    let passed = root.get("result").and_then(Node::as_str) == Some("pass");
    if !(order.quiet && order.output.is_none()) {
        let text = match format {
            // To the letter: anybody can verify it again.
            Format::Json => root.source().trim_end().to_owned() + "\n",
            Format::Human => human(root, passed, name, url),
        };
        // An answer is a receipt, which is never overwritten.
        let mut sink = Sink::fresh(order.output.map(PathBuf::as_path))?;
        sink.write(text.as_bytes())?;
        sink.finish()?;
    }
    Ok(if passed { Exit::Ok } else { Exit::No })
}

fn human(root: Node<'_>, passed: bool, name: &str, url: &str) -> String {
    let text = |node: Option<Node<'_>>| {
        let text = node.and_then(Node::as_str).unwrap_or_default();
        term::safe(&cut(text, 5 * MAX_ECHO)).into_owned()
    };
    let version = text(root.get("attestation").and_then(|it| it.get("key_version")));
    let verdict = if passed { "pass" } else { "fail" };
    let mut out = format!(
        "{verdict}: {}\n  checked by {}, signed with the key {version}; the signature holds, and is about this request\n",
        term::safe(name),
        term::safe(url)
    );
    let hints = root.get("hints").filter(|it| it.kind() == agent_output_verifier::json::Kind::Array);
    let hints: Vec<_> = hints.into_iter().flat_map(|it| it.elements()).collect();
    for hint in hints.iter().take(MAX_HINTS) {
        let of = |name: &str| text(hint.get(name));
        out.push_str(&format!("  {}: expected {}, found {}\n", of("path"), of("expected"), of("found")));
    }
    let more = root.get("hints_omitted").and_then(Node::as_number).map(|it| it.literal().to_owned());
    let more = more.filter(|it| it != "0");
    if more.is_some() || hints.len() > MAX_HINTS {
        out.push_str("  and more; see the answer itself with --format json\n");
    }
    out
}
