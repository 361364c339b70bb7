//! Takes a payment, in the order of X402 §4: decode, match, check, claim, verify, work, journal,
//! settle, journal, release. Nothing is handed out before a settlement is known to have succeeded,
//! and nothing is settled for work that failed.

mod replay;
mod settle;

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::super::counter::{Gate, Offer, Operation};
use super::super::problem::Problem;
use super::super::service::{Answer, Call, PaymentRequired, Resource, Served};
use super::extensions::{self, Echo};
use super::facilitator::{Facilitator, Submission};
use super::payment::Payment;
use super::reconcile::{Reconciler, short};
use super::refusal::{self, Refusal};
use super::requirements::{Offered, Requirements, ResourceInfo, payment_required};
use super::supported::Networks;
use super::verdict::Verified;
use super::{evm, key, matching, svm};
use crate::ledger::{
    ClaimToken, Claimed, LedgerError, PaymentKey, PaymentLimits, PaymentRecord, PaymentState,
};

/// How long verifying and working may take before others may take a payment over.
const CLAIM_LEASE: TimeDelta = TimeDelta::seconds(120);
/// What must be left of a payment's validity when its settlement begins.
const SETTLE_LEFT: TimeDelta = TimeDelta::seconds(10);

/// Who sells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seller {
    /// The public address, without a slash at its end; never from a request.
    pub(crate) public_url: String,
    /// The name of the service.
    pub(crate) service: String,
}

/// The gate.
#[derive(Debug)]
pub(crate) struct PaymentGate {
    seller: Seller,
    limits: PaymentLimits,
    reconciler: Reconciler,
}

/// A payment that passed every check that needs nobody else.
struct Admitted {
    submission: Submission,
    requirements: Requirements,
    record: PaymentRecord,
}

/// Why there is no answer to hand out.
enum Stop {
    Refused(Refusal),
    /// The settlement failed for certain.
    NotSettled(Value),
    /// There is an answer already, by the same payment or one with the same identifier.
    Known(Answer),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem.into())
    }
}

impl fmt::Debug for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admitted").field("record", &self.record).finish_non_exhaustive()
    }
}

impl Gate for PaymentGate {
    fn required(&self, offer: &Offer<'_>, error: &str) -> Result<Value, Problem> {
        let accepts = self.networks().offers(offer.price);
        if accepts.is_empty() {
            return Err(refusal::nothing_offered());
        }
        Ok(self.required_with(offer, error, &accepts))
    }

    fn pay(
        &self,
        call: &Call<'_>,
        offer: &Offer<'_>,
        work: &mut dyn FnMut() -> Result<String, Problem>,
    ) -> Answer {
        let done = self.admit(call, offer).and_then(|it| self.sell(call, &it, work));
        match done {
            Ok(served) => Answer::Served(served),
            Err(Stop::Known(answer)) => answer,
            Err(Stop::Refused(Refusal::Problem(problem))) => Answer::Refused(*problem),
            Err(Stop::Refused(Refusal::PaymentRequired(error))) => self.ask(offer, &error, None),
            Err(Stop::NotSettled(response)) => {
                let error =
                    response["errorReason"].as_str().unwrap_or("settlement failed").to_owned();
                self.ask(offer, &error, Some(response))
            }
        }
    }
}

impl PaymentGate {
    /// A gate over what the reconciler has in hand.
    pub(crate) fn new(seller: Seller, limits: PaymentLimits, reconciler: Reconciler) -> Self {
        Self { seller, limits, reconciler }
    }

    fn networks(&self) -> &Networks {
        &self.reconciler.networks
    }

    fn now(&self) -> DateTime<Utc> {
        (self.reconciler.clock)()
    }

    fn ask(&self, offer: &Offer<'_>, error: &str, settlement: Option<Value>) -> Answer {
        match self.required(offer, error) {
            Ok(required) => {
                Answer::PaymentRequired(PaymentRequired { required, free_trial: None, settlement })
            }
            Err(problem) => Answer::Refused(problem),
        }
    }

    fn required_with(&self, offer: &Offer<'_>, error: &str, accepts: &[Offered]) -> Value {
        payment_required(
            error,
            &self.resource(offer).to_json(),
            accepts,
            extensions::advertised(offer),
        )
    }

    fn resource(&self, offer: &Offer<'_>) -> ResourceInfo {
        let url = match offer.resource {
            Resource::Rest { path, .. } => format!("{}{path}", self.seller.public_url),
            Resource::Tool(name) => format!("mcp://tool/{name}"),
        };
        let (description, tags): (_, &[_]) = match offer.operation {
            Operation::Verify => (
                "Checks an agent's output against a JSON Schema and rules; answers with a signed receipt.",
                &["verification", "json-schema", "receipts"],
            ),
            Operation::Score => (
                "The signed score of an agent, from its verifications here.",
                &["reputation", "score", "agents"],
            ),
        };
        let service_name = self.seller.service.clone();
        ResourceInfo { url, description: description.to_owned(), service_name, tags }
    }

    /// Steps 4 to 7: everything that needs nobody else.
    fn admit(&self, call: &Call<'_>, offer: &Offer<'_>) -> Result<Admitted, Stop> {
        let payment = call.payment.as_ref().ok_or_else(|| Refusal::pay("Payment required"))?;
        let payment = Payment::decode(payment)?;
        self.check(call, offer, &payment)
            .map_err(|refusal| self.unless_known(call, &payment, refusal))
    }

    fn check(
        &self,
        call: &Call<'_>,
        offer: &Offer<'_>,
        payment: &Payment,
    ) -> Result<Admitted, Refusal> {
        let offers = self.networks().offers(offer.price);
        if offers.is_empty() {
            return Err(refusal::nothing_offered().into());
        }
        let requirements =
            matching::find(payment.accepted(), &offers).ok_or_else(Refusal::no_match)?;
        let resource = self.resource(offer);
        // Signatures do not cover the resource, but a client that names another means another.
        if payment.resource_url().is_some_and(|url| url.as_str() != Some(&resource.url)) {
            return Err(Refusal::no_match());
        }
        let now = self.now();
        let Signed { key, payer, valid_before } =
            check_signed(payment.payload(), &requirements, now)?;
        let Echo { identifier, forwarded } = extensions::check(payment, offer)?;
        let submission = Submission::new(
            requirements.chain,
            &payment.forwarded(&resource.to_json(), forwarded),
            &requirements.to_json(),
        );
        let record = PaymentRecord {
            key,
            state: PaymentState::Claimed,
            fingerprint: call.fingerprint.clone(),
            payer,
            network: requirements.chain.id.to_owned(),
            amount: requirements.amount.clone(),
            resource: shown(call.resource),
            identifier,
            valid_before,
            created: now,
            updated: now,
            lease_until: now + CLAIM_LEASE,
            payload: Some(submission.body.clone()),
            answer: None,
            settlement: None,
            reason: None,
        };
        Ok(Admitted { submission, requirements, record })
    }

    /// Steps 8 to 14.
    fn sell(
        &self,
        call: &Call<'_>,
        admitted: &Admitted,
        work: &mut dyn FnMut() -> Result<String, Problem>,
    ) -> Result<Served, Stop> {
        let token = new_token();
        let now = self.now();
        let claimed = self.ledger(|it| it.claim(&admitted.record, &token, self.limits, now))?;
        match claimed {
            Claimed::Yes => {}
            Claimed::Known(record) => return Err(Stop::Known(self.replay(call, &record))),
            Claimed::Full => return Err(refusal::too_many_open().into()),
        }
        let prepared = self.prepare(call, admitted, work);
        let (facilitator, answer) = match prepared {
            Ok(prepared) => prepared,
            Err(stop) => {
                // Nothing was settled: the payment is as good as before.
                self.release(&admitted.record.key, &token);
                return Err(stop);
            }
        };
        self.settle(admitted, &token, &*facilitator, answer)
    }

    /// Steps 9 and 10: a payment that can be settled, and something to hand out for it.
    fn prepare(
        &self,
        call: &Call<'_>,
        admitted: &Admitted,
        work: &mut dyn FnMut() -> Result<String, Problem>,
    ) -> Result<(Arc<dyn Facilitator>, String), Stop> {
        let facilitator = self.verify(admitted)?;
        if let Some(answer) = self.by_identifier(call, admitted)? {
            return Err(Stop::Known(answer));
        }
        let answer = work()?;
        if admitted.record.valid_before < self.now() + SETTLE_LEFT {
            return Err(Refusal::pay("invalid_exact_evm_payload_authorization_valid_before").into());
        }
        Ok((facilitator, answer))
    }

    /// Step 9, by the first facilitator that has a verdict.
    fn verify(&self, admitted: &Admitted) -> Result<Arc<dyn Facilitator>, Stop> {
        for facilitator in self.networks().facilitators(&admitted.requirements) {
            match facilitator.verify(&admitted.submission, self.now()) {
                // An identifier is the payer's own: it takes the facilitator's word who that is.
                Verified::Valid { payer: Some(payer) }
                    if admitted.record.identifier.is_some()
                        && !payer.eq_ignore_ascii_case(&admitted.record.payer) =>
                {
                    return Err(Refusal::pay("payment-identifier: the payer is another").into());
                }
                Verified::Valid { .. } => return Ok(facilitator),
                Verified::Invalid { reason } => {
                    self.log(
                        &admitted.record.key,
                        &format!("refused by {}: {reason}", facilitator.name()),
                    );
                    return Err(Refusal::pay(&reason).into());
                }
                Verified::Unavailable { why } => {
                    self.log(
                        &admitted.record.key,
                        &format!("no verdict of {}: {why}", facilitator.name()),
                    );
                }
            }
        }
        Err(refusal::facilitator_unavailable().into())
    }

    fn release(&self, key: &PaymentKey, token: &ClaimToken) -> bool {
        let released = self.reconciler.ledger.release(key, token);
        if let Err(error) = &released {
            self.log(key, &format!("could not be released: {error}"));
        }
        released.is_ok()
    }

    fn ledger<T>(
        &self,
        ask: impl FnOnce(&dyn crate::ledger::Ledger) -> Result<T, LedgerError>,
    ) -> Result<T, Problem> {
        ask(&*self.reconciler.ledger).map_err(|error| {
            (self.reconciler.log)(&format!("payments: {error}"));
            refusal::ledger_unavailable()
        })
    }

    /// A line without anything that could be submitted (X402 rule 18).
    fn log(&self, key: &PaymentKey, what: &str) {
        (self.reconciler.log)(&format!("payment {}: {what}", short(key)));
    }
}

/// What was signed.
struct Signed {
    key: PaymentKey,
    payer: String,
    /// Until when it can be settled.
    valid_before: DateTime<Utc>,
}

/// Step 7.
fn check_signed(
    payload: &Value,
    requirements: &Requirements,
    now: DateTime<Utc>,
) -> Result<Signed, Refusal> {
    let chain = requirements.chain;
    if requirements.fee_payer.is_none() {
        let checked = evm::check(payload, requirements, now)?;
        return Ok(Signed {
            key: key::of_authorization(chain, &checked.authorization),
            payer: checked.authorization.from.lower(),
            valid_before: checked.valid_before,
        });
    }
    let checked = svm::check(payload, requirements)?;
    // A transaction names a recent block and dies with it, some minutes later.
    let seconds = i64::try_from(requirements.max_timeout_seconds).unwrap_or(i64::from(u16::MAX));
    Ok(Signed {
        key: key::of_message(chain, &checked.message),
        payer: checked.payer,
        valid_before: now + TimeDelta::seconds(seconds),
    })
}

fn served(body: String, settlement: Value) -> Served {
    Served { body, allowance: None, settlement: Some(settlement) }
}

/// For people.
fn shown(resource: Resource<'_>) -> String {
    match resource {
        Resource::Rest { method, path } => format!("{method} {path}"),
        Resource::Tool(name) => format!("mcp {name}"),
    }
}

/// 128 random bits, in hexadecimal.
pub(crate) fn random_hex() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// Who holds a claim, new for each attempt.
pub(crate) fn new_token() -> ClaimToken {
    ClaimToken(random_hex())
}
