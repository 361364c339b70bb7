//! Finds out about settlements whose end is unknown: on start, in the background, when a client
//! comes back, and by hand (X402 rules 10 to 12).
//!
//! What it decides: paid, by the facilitator's word or by proof; not paid, by proof alone. Where
//! there is no proof a payment stays unknown, and nobody is charged anew for it.

use std::fmt;
use std::sync::Arc;

use agent_output_verifier::receipt::hashes::Sha256Hex;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::facilitator::Submission;
use super::proof::{Proof, Question, prove};
use super::supported::Networks;
use super::verdict::Settled;
use crate::ledger::{ClaimToken, Ledger, LedgerError, PaymentKey, PaymentRecord, PaymentState};

/// For how long others keep off a payment. Longer than one settlement may take, so that nobody sends
/// it again before its failure was told; short enough that it is still valid after a crash. Two who
/// work on one payment at the end of a slow attempt charge it once all the same.
pub(crate) const LEASE: TimeDelta = TimeDelta::seconds(150);
/// How long an unknown payment is left alone by runs of their own accord.
const PAUSE: TimeDelta = TimeDelta::seconds(55);
/// How long after its validity a payment is still asked about by itself (X402 rule 10).
const PAST_VALIDITY: TimeDelta = TimeDelta::minutes(10);
/// How many payments one run looks at.
const MAX_RUN: u32 = 1_000;

/// The time.
pub(crate) type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;
/// Where lines for the operator go.
pub(crate) type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// What there is to find out with.
#[derive(Clone)]
pub(crate) struct Reconciler {
    /// Facilitators and nodes.
    pub(crate) networks: Arc<Networks>,
    /// What is known of payments.
    pub(crate) ledger: Arc<dyn Ledger>,
    /// The time.
    pub(crate) clock: Clock,
    /// Where lines for the operator go.
    pub(crate) log: Log,
}

/// Whether the same payment may be sent to a facilitator once more. It can charge once at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resend {
    /// Once.
    Once,
    /// No: it was just sent.
    No,
}

/// How a payment stands after an attempt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// Paid; the `SettleResponse`.
    Paid(Value),
    /// Not paid, and never will be: it is forgotten.
    NotPaid(&'static str),
    /// Still unknown.
    Open {
        /// A transaction that may have paid.
        transaction: Option<String>,
    },
}

/// What a run came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// Payments that turned out to be paid.
    pub(crate) paid: u32,
    /// Payments that turned out not to be.
    pub(crate) not_paid: u32,
    /// Payments that are as unknown as before.
    pub(crate) open: u32,
    /// Payments that somebody else works on.
    pub(crate) busy: u32,
}

impl fmt::Debug for Reconciler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reconciler").finish_non_exhaustive()
    }
}

/// What a payment is called in logs and lists: a part of its key's hash.
pub(crate) fn short(key: &PaymentKey) -> String {
    Sha256Hex::of(key.0.as_bytes()).as_str()[..16].to_owned()
}

impl Reconciler {
    /// Looks at every payment whose end is unknown and that nobody works on. With `all` also at
    /// those that are too old to be asked about by themselves, or were just looked at.
    pub(crate) fn run(&self, all: bool) -> Result<Run, LedgerError> {
        let mut run = Run::default();
        for state in [PaymentState::Settling, PaymentState::Unknown] {
            for record in self.ledger.payments(Some(state), MAX_RUN)? {
                let now = (self.clock)();
                let alone =
                    record.valid_before + PAST_VALIDITY < now || now - record.updated < PAUSE;
                if !all && alone && state == PaymentState::Unknown {
                    run.open += 1;
                    continue;
                }
                match self.attempt(&record.key, Resend::Once)? {
                    None => run.busy += 1,
                    Some(Found::Paid(_)) => run.paid += 1,
                    Some(Found::NotPaid(_)) => run.not_paid += 1,
                    Some(Found::Open { .. }) => run.open += 1,
                }
            }
        }
        Ok(run)
    }

    /// Takes hold of one payment and finds out; none if somebody else has it, or it is no longer
    /// unknown.
    pub(crate) fn attempt(
        &self,
        key: &PaymentKey,
        resend: Resend,
    ) -> Result<Option<Found>, LedgerError> {
        let token = super::gate::new_token();
        let now = (self.clock)();
        let Some(record) = self.ledger.hold(key, &token, now + LEASE, now)? else {
            return Ok(None);
        };
        self.resolve(&record, &token, resend).map(Some)
    }

    /// Finds out about a payment that the caller holds, and writes it down.
    pub(crate) fn resolve(
        &self,
        record: &PaymentRecord,
        token: &ClaimToken,
        resend: Resend,
    ) -> Result<Found, LedgerError> {
        let found = match record.payload.clone().and_then(Submission::kept) {
            Some(submission) => self.find_out(record, &submission, resend),
            None => (Found::Open { transaction: None }, "its payload is lost".to_owned()),
        };
        let (name, now) = (short(&record.key), (self.clock)());
        match &found.0 {
            Found::Paid(settlement) => {
                self.ledger.settled(&record.key, &settlement.to_string(), now)?;
                let transaction = settlement["transaction"].as_str().unwrap_or_default();
                (self.log)(&format!("payment {name}: settled, {transaction} ({})", found.1));
            }
            Found::NotPaid(why) => {
                self.ledger.release(&record.key, token)?;
                (self.log)(&format!("payment {name}: not paid: {why}"));
            }
            Found::Open { .. } => {
                self.ledger.unknown(&record.key, &found.1, now)?;
                (self.log)(&format!("payment {name}: not known whether paid: {}", found.1));
            }
        }
        Ok(found.0)
    }

    /// The end, and how it is known or why not.
    fn find_out(
        &self,
        record: &PaymentRecord,
        submission: &Submission,
        resend: Resend,
    ) -> (Found, String) {
        let mut why = match self.proof(record, submission) {
            Ok(Some(found)) => return (found, "proved".to_owned()),
            Ok(None) => "no proof yet".to_owned(),
            Err(why) => why,
        };
        let mut transaction = None;
        let over = (self.clock)() > record.valid_before + PAST_VALIDITY;
        if resend == Resend::Once && !over {
            match self.settle(submission) {
                Some(Settled::Success(settlement)) => {
                    return (Found::Paid(settlement), "sent again".to_owned());
                }
                Some(Settled::Unknown { why: again, transaction: maybe }) => {
                    why = again;
                    transaction = maybe;
                }
                Some(Settled::Used(reason)) => {
                    // Used perhaps between our two questions.
                    if let Ok(Some(found)) = self.proof(record, submission) {
                        return (found, "proved".to_owned());
                    }
                    why = reason;
                }
                // Of a second sending: the first may have gone through nevertheless.
                Some(Settled::Failed(response)) => {
                    why = response["errorReason"].as_str().unwrap_or("failed").to_owned();
                }
                None => why = "no facilitator serves its network".to_owned(),
            }
        }
        (Found::Open { transaction }, why)
    }

    fn settle(&self, submission: &Submission) -> Option<Settled> {
        let object: Value = serde_json::from_str(&submission.body).ok()?;
        let fee_payer = object["paymentRequirements"]["extra"]["feePayer"].as_str();
        let facilitator = self.networks.facilitator_for(submission.chain, fee_payer)?;
        Some(facilitator.settle(submission, (self.clock)()))
    }

    /// What the chain says; none if it does not say yet, an error if it cannot be asked.
    fn proof(
        &self,
        record: &PaymentRecord,
        submission: &Submission,
    ) -> Result<Option<Found>, String> {
        let network = self.networks.of(submission.chain);
        let Some(node) = network.and_then(|it| it.node.as_deref()) else {
            return Err("there is no rpc_url to prove it with".to_owned());
        };
        let question = Question::of(submission, record.created);
        let question = question.ok_or_else(|| "such a payment cannot be proved".to_owned())?;
        Ok(match prove(node, &question)? {
            Proof::Paid { transaction } => Some(Found::Paid(json!({
                "success": true,
                "transaction": transaction,
                "network": submission.chain.id,
                "payer": record.payer,
            }))),
            Proof::NotPaid { why } => Some(Found::NotPaid(why)),
            Proof::Open => None,
        })
    }
}
