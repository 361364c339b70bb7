//! One question to a server, with a payment if that is wanted and allowed.

use std::fmt;
use std::time::Duration;

use agent_output_verifier::trust::Refusal;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::Purse;
use super::offer::{self, Chosen};
use super::pending::Pending;
use super::price;
use crate::net::{Exchange, Net};
use crate::serve::x402::wire;

const CONNECT: Duration = Duration::from_secs(5);
/// A server waits 90 s for a settlement, and may ask twice.
const PAID: Duration = Duration::from_secs(200);
const UNPAID: Duration = Duration::from_secs(30);
/// How often the same payment is sent in one run.
const ATTEMPTS: u32 = 8;
/// And for how long.
const MAX_TIME: TimeDelta = TimeDelta::minutes(5);
/// The longest pause between two of them.
const MAX_PAUSE: u64 = 15;
/// How long after the end of its validity a payment may still turn out to have been taken.
const SETTLED_AFTER: u64 = 600;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'q> {
    /// Of whom.
    pub(crate) url: &'q str,
    /// A JSON text to POST; nothing for GET.
    pub(crate) body: Option<&'q str>,
}

/// An answer that is no 402.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    /// The status code.
    pub(crate) status: u16,
    /// The body, not believed.
    pub(crate) body: Vec<u8>,
}

/// What was answered, and what for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// The answer.
    pub(crate) reply: Reply,
    /// For people: what was paid, and by which transaction; none if nothing was.
    pub(crate) paid: Option<String>,
}

/// How it ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// With an answer.
    Answered(Answer),
    /// The server wants to be paid, and nothing was; the field, if there was exactly one.
    PaymentRequired(Option<String>),
    /// It was not paid, since it must not be; or the payment was refused.
    NotPaid(String),
    /// The server is out of reach.
    Unreachable(Refusal),
    /// A payment was sent and nobody knows what became of it.
    Unknown(String),
    /// The payment could not be kept, or not be read.
    Failed(String),
}

/// What there is to ask with.
pub(crate) struct Buyer<'b> {
    /// The way out.
    pub(crate) net: &'b Net,
    /// Leave to pay, if there is any.
    pub(crate) purse: Option<&'b Purse>,
    /// The time.
    pub(crate) clock: &'b dyn Fn() -> DateTime<Utc>,
    /// Waits.
    pub(crate) pause: &'b dyn Fn(Duration),
}

impl fmt::Debug for Buyer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buyer").field("purse", &self.purse).finish_non_exhaustive()
    }
}

/// One exchange, read.
enum Heard {
    Reply(Reply, Option<Value>, Option<u64>),
    PaymentRequired(Option<String>),
    Nothing(Refusal),
}

impl Buyer<'_> {
    /// Asks. With a purse a payment of before for the same question goes first; at most one is
    /// signed.
    pub(crate) fn ask(&self, question: &Question<'_>) -> Outcome {
        if let Some(purse) = self.purse {
            match purse.folder.find(question) {
                Ok(None) => {}
                Ok(Some(pending)) => {
                    let outcome = self.insist(purse, question, pending.clone());
                    // Refused twice, and nobody can take it any more: it is as if it had never been.
                    let over = pending.refused && self.is_over(&pending);
                    if !(over && matches!(outcome, Outcome::NotPaid(_))) {
                        return outcome;
                    }
                    purse.folder.forget(question);
                }
                Err(why) => return Outcome::Failed(why),
            }
        }
        match self.exchange(question, None) {
            Heard::Nothing(refusal) => Outcome::Unreachable(refusal),
            Heard::Reply(reply, ..) => Outcome::Answered(Answer { reply, paid: None }),
            Heard::PaymentRequired(field) => match (self.purse, &field) {
                (Some(purse), Some(text)) => self.pay(purse, question, text),
                _ => Outcome::PaymentRequired(field),
            },
        }
    }

    fn is_over(&self, pending: &Pending) -> bool {
        let now = u64::try_from((self.clock)().timestamp()).unwrap_or_default();
        now > pending.valid_before.saturating_add(SETTLED_AFTER)
    }

    fn pay(&self, purse: &Purse, question: &Question<'_>, field: &str) -> Outcome {
        let Some(required) = offer::read(field) else {
            return Outcome::NotPaid("what it asks for cannot be read".to_owned());
        };
        let chosen = match offer::choose(&required, question.url, purse.max_price) {
            Ok(chosen) => chosen,
            Err(why) => return Outcome::NotPaid(why),
        };
        let pending = match self.sign(purse, &required, &chosen) {
            Ok(pending) => pending,
            Err(why) => return Outcome::Failed(why),
        };
        match purse.folder.keep(question, &pending) {
            Ok(()) => self.insist(purse, question, pending),
            Err(why) => Outcome::Failed(why),
        }
    }

    fn sign(&self, purse: &Purse, required: &Value, chosen: &Chosen) -> Result<Pending, String> {
        let (payload, valid_before) = purse.wallet.sign(&chosen.transfer, (self.clock)())?;
        let mut payment = json!({
            "x402Version": 2,
            "resource": required["resource"],
            "accepted": chosen.accepted,
            "payload": payload,
        });
        if let Some(extensions) = required.get("extensions").filter(|it| it.is_object()) {
            payment["extensions"] = extensions.clone();
        }
        let field = wire::encode(&wire::without_nulls(payment));
        if field.len() > wire::MAX_HEADER {
            return Err(
                "the server asks for a payment that does not fit into a header field".to_owned()
            );
        }
        let price = price::coins(chosen.price, chosen.transfer.chain);
        Ok(Pending { field, valid_before, price, refused: false })
    }

    /// Sends a signed payment until its outcome is known, or for as long as this run lasts.
    fn insist(&self, purse: &Purse, question: &Question<'_>, mut pending: Pending) -> Outcome {
        let mut last = String::new();
        let until = (self.clock)() + MAX_TIME;
        for attempt in 0..ATTEMPTS {
            let wait = match self.exchange(question, Some(&pending.field)) {
                Heard::Reply(reply, settlement, wait) => match reply.status {
                    409 if code(&reply) == Some("payment_in_progress".to_owned()) => {
                        last = "it is still being worked on".to_owned();
                        wait
                    }
                    200 => {
                        let paid = Some(paid(&pending, settlement.as_ref()));
                        return Outcome::Answered(Answer { reply, paid });
                    }
                    // An error of the question, or of the payment: the server has not taken it.
                    400..500 if says_uncharged(&reply) => {
                        purse.folder.forget(question);
                        return Outcome::Answered(Answer { reply, paid: None });
                    }
                    // Whoever that was.
                    _ => {
                        last = format!("the server answers {}", status(&reply));
                        wait
                    }
                },
                Heard::PaymentRequired(field) => {
                    pending.refused = true;
                    if let Err(why) = purse.folder.update(question, &pending) {
                        return Outcome::Failed(why);
                    }
                    let why = field.as_deref().and_then(offer::read);
                    let why = why.as_ref().and_then(|it| it["error"].as_str()).unwrap_or_default();
                    return Outcome::NotPaid(format!(
                        "the server refused the payment: {}",
                        wire::foreign(why)
                    ));
                }
                Heard::Nothing(refusal) => {
                    last = refusal.detail.clone();
                    None
                }
            };
            if (self.clock)() > until {
                break;
            }
            if attempt + 1 < ATTEMPTS {
                let seconds = wait.unwrap_or(1 << attempt.min(4)).min(MAX_PAUSE);
                (self.pause)(Duration::from_secs(seconds));
            }
        }
        Outcome::Unknown(format!(
            "{} was signed, and it is not known whether it was taken: {last}. Run the same command again: it sends the same payment, which is kept in {}",
            pending.price,
            crate::term::safe_path(&purse.folder.file(question))
        ))
    }

    /// The answer was good for something: its payment need not be kept any more.
    pub(crate) fn done(&self, question: &Question<'_>) {
        if let Some(purse) = self.purse {
            purse.folder.forget(question);
        }
    }

    fn exchange(&self, question: &Question<'_>, payment: Option<&str>) -> Heard {
        let fields = payment.map(|it| ("payment-signature", it.to_owned())).into_iter().collect();
        let total = if payment.is_some() { PAID } else { UNPAID };
        let exchange =
            Exchange { url: question.url, body: question.body, fields, connect: CONNECT, total };
        let reply = match self.net.exchange(&exchange) {
            Ok(reply) => reply,
            Err(refusal) => return Heard::Nothing(refusal),
        };
        if reply.status == 402 {
            return Heard::PaymentRequired(reply.field("payment-required").map(str::to_owned));
        }
        let settlement = reply.field("payment-response").and_then(wire::decode);
        let wait = reply.field("retry-after").and_then(|it| it.parse().ok());
        Heard::Reply(Reply { status: reply.status, body: reply.body }, settlement, wait)
    }
}

/// The `code` of an error of the one shape.
fn code(reply: &Reply) -> Option<String> {
    wire::parse(&reply.body)?["code"].as_str().map(wire::foreign)
}

/// Whether it is an error of the one shape that says that nothing was charged.
fn says_uncharged(reply: &Reply) -> bool {
    wire::parse(&reply.body)
        .is_some_and(|it| it["code"].is_string() && it["charged"].as_bool() == Some(false))
}

fn status(reply: &Reply) -> String {
    match code(reply) {
        Some(code) => format!("{} {code}", reply.status),
        None => reply.status.to_string(),
    }
}

/// For people. A server that was paid says so; one that does not may have answered for nothing.
fn paid(pending: &Pending, settlement: Option<&Value>) -> String {
    let settled = settlement.filter(|it| it["success"].as_bool() == Some(true));
    let transaction = settled.and_then(|it| it["transaction"].as_str());
    match transaction {
        Some(transaction) => {
            format!("{}, transaction {}", pending.price, wire::foreign(transaction))
        }
        None => format!("perhaps {}: the server does not say", pending.price),
    }
}
