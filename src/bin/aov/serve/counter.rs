//! The counter at which everything is sold or given away, whatever door the client came through:
//! the order of SPEC 11.1, the same for REST and MCP.

use std::net::IpAddr;
use std::sync::Arc;

use agent_output_verifier::json::{self, MAX_DEPTH};
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::request::check_id;
use agent_output_verifier::response::Json;
use agent_output_verifier::score::{self, Observation, Score};
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::allowance::{free_trial, seconds_to_reset, take};
use super::config::{Allowance, Config};
use super::engine::{self, Engine, Prepared};
use super::money::MicroUsd;
use super::problem::Problem;
use super::service::{Answer, Call, PaymentRequired, Question, Resource, Served, Service};
use super::tally::Tallies;
use crate::ledger::{Ledger, LedgerError, Verification};
use crate::output;
use crate::signing::{Signer, timestamp};

/// After how many seconds a client may ask again where the ledger did not answer.
const LEDGER_RETRY: u64 = 5;

/// What is sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// A verification.
    Verify,
    /// A score.
    Score,
}

/// What is asked for it, through which door.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer<'c> {
    /// What.
    pub(crate) operation: Operation,
    /// For how much.
    pub(crate) price: MicroUsd,
    /// Where, which the payment requirements name.
    pub(crate) resource: Resource<'c>,
}

/// Takes payments (X402 §4). Without one the server is free.
pub(crate) trait Gate: Send + Sync {
    /// The `PaymentRequired` object of an offer, with this text as its `error`; a problem where no
    /// network can be offered now (X402 §4.3).
    fn required(&self, offer: &Offer<'_>, error: &str) -> Result<Value, Problem>;

    /// Takes the payment of a call, which has one: verify, `work`, settle, release. `work` makes the
    /// signed body, once at most; where it fails nothing is settled.
    fn pay(
        &self,
        call: &Call<'_>,
        offer: &Offer<'_>,
        work: &mut dyn FnMut() -> Result<String, Problem>,
    ) -> Answer;
}

/// The service.
pub(crate) struct Counter {
    engine: Engine,
    ledger: Arc<dyn Ledger>,
    sale: Option<Till>,
    allowance: Option<Allowance>,
    max_body: usize,
    mcp: String,
    tallies: Arc<Tallies>,
    clock: fn() -> DateTime<Utc>,
}

/// Where there is no gate nobody can pay.
struct NoGate;

impl NoGate {
    fn closed() -> Problem {
        Problem::new(
            "payments_unavailable",
            503,
            "Payments cannot be taken now. Nothing was charged; try again later.",
        )
        .retry(60)
        .action("retry_later")
    }
}

impl Gate for NoGate {
    fn required(&self, _: &Offer<'_>, _: &str) -> Result<Value, Problem> {
        Err(Self::closed())
    }

    fn pay(
        &self,
        _: &Call<'_>,
        _: &Offer<'_>,
        _: &mut dyn FnMut() -> Result<String, Problem>,
    ) -> Answer {
        Answer::Refused(Self::closed())
    }
}

/// Prices, and who takes them.
pub(crate) struct Till {
    /// Who takes payments.
    pub(crate) gate: Arc<dyn Gate>,
    /// The price of a verification.
    pub(crate) verify: MicroUsd,
    /// The price of a score.
    pub(crate) score: MicroUsd,
}

impl Counter {
    /// A service with these settings; `clock` gives the time of each call.
    pub(crate) fn new(
        config: &Config,
        engine: Engine,
        ledger: Arc<dyn Ledger>,
        gate: Option<Arc<dyn Gate>>,
        tallies: Arc<Tallies>,
        clock: fn() -> DateTime<Utc>,
    ) -> Self {
        let sale = config.sale.as_ref().map(|sale| Till {
            // Nothing that is for sale is given away for want of a gate.
            gate: gate.unwrap_or_else(|| Arc::new(NoGate)),
            verify: sale.verify,
            score: sale.score,
        });
        let mcp = engine.signer().map(|signer| signer.section().mcp.clone()).unwrap_or_default();
        let (allowance, max_body) = (config.allowance, config.limits.body_bytes);
        Self { engine, ledger, sale, allowance, max_body, mcp, tallies, clock }
    }

    /// Answers a call that is made at this time.
    pub(crate) fn answer(&self, call: &Call<'_>, now: DateTime<Utc>) -> Answer {
        match call.question {
            Question::Verify(body) => self.verify(call, body, now),
            Question::Score(agent_id) => self.score(call, agent_id, now),
        }
    }

    fn verify(&self, call: &Call<'_>, body: &[u8], now: DateTime<Utc>) -> Answer {
        if body.len() > self.max_body {
            return Answer::Refused(too_large(self.max_body));
        }
        if body.is_empty() {
            // The discovery probe, also one that brings a payment.
            return match &self.sale {
                Some(till) => self.for_sale(till, call, now),
                None => Answer::Refused(no_body()),
            };
        }
        let input = match engine::read(body) {
            Ok(input) => input,
            Err(problem) => return Answer::Refused(problem),
        };
        let prepared = match self.engine.prepare(&input) {
            Ok(prepared) => prepared,
            Err(problem) => return Answer::Refused(problem),
        };
        match (&self.sale, &call.payment) {
            (Some(till), Some(_)) => self.sell(till, call, &prepared, now),
            _ => self.give(call, body.len(), &prepared, now),
        }
    }

    /// For money.
    fn sell(
        &self,
        till: &Till,
        call: &Call<'_>,
        prepared: &Prepared<'_>,
        now: DateTime<Utc>,
    ) -> Answer {
        let offer = till.offer(Operation::Verify, call.resource);
        let mut work = || {
            let verified = self.engine.run(prepared, now)?;
            self.tallies.verified(verified.verdict);
            Ok(verified.body)
        };
        let answer = till.gate.pay(call, &offer, &mut work);
        if let Answer::Served(served) = &answer {
            // From the body, which may be one of before that was stored with its payment, and whose
            // first delivery failed: recorded twice, it counts once.
            let recorded = record_of(&served.body).map_or(Ok(()), |record| self.record(&record));
            if let Err(error) = recorded {
                // The client has paid, so the answer is the client's.
                output::complain(&format!(
                    "error: a paid verification was not recorded: {error}\n"
                ));
            }
        }
        answer
    }

    /// For nothing, as far as the allowance goes.
    fn give(
        &self,
        call: &Call<'_>,
        size: usize,
        prepared: &Prepared<'_>,
        now: DateTime<Utc>,
    ) -> Answer {
        let held = match self.allowance {
            None => None,
            Some(allowance) => {
                let held = match size <= allowance.max_body_bytes {
                    true => take(&*self.ledger, allowance, call.client, now),
                    false => Ok(None),
                };
                match held {
                    Ok(Some(held)) => Some(held),
                    Ok(None) => return self.nothing_left(call, now),
                    Err(error) => return Answer::Refused(no_ledger(&error)),
                }
            }
        };
        let verified = match self.engine.run(prepared, now) {
            Ok(verified) => verified,
            Err(problem) => return Answer::Refused(problem),
        };
        if let Some(Err(error)) = verified.record.as_ref().map(|record| self.record(record)) {
            return Answer::Refused(no_ledger(&error));
        }
        self.tallies.verified(verified.verdict);
        if held.is_some() {
            self.tallies.allowance_used();
        }
        let allowance = held.map(super::allowance::Held::used);
        Answer::Served(Served { body: verified.body, allowance, settlement: None })
    }

    fn nothing_left(&self, call: &Call<'_>, now: DateTime<Utc>) -> Answer {
        match &self.sale {
            Some(till) => self.for_sale(till, call, now),
            None => Answer::Refused(
                Problem::new(
                    "rate_limited",
                    429,
                    "Today's free checks of this address are used up. Nothing was charged.",
                )
                .retry(seconds_to_reset(now))
                .action("retry_later"),
            ),
        }
    }

    /// 402 for a verification, with the caller's own allowance.
    fn for_sale(&self, till: &Till, call: &Call<'_>, now: DateTime<Utc>) -> Answer {
        let free_trial = match self.free_trial(call.client, now) {
            Ok(free_trial) => free_trial,
            Err(error) => return Answer::Refused(no_ledger(&error)),
        };
        till.required(Operation::Verify, call.resource, free_trial)
    }

    fn free_trial(&self, client: IpAddr, now: DateTime<Utc>) -> Result<Option<Value>, LedgerError> {
        let Some(allowance) = self.allowance else { return Ok(None) };
        let used = self.ledger.used(&super::allowance::client_key(client), now.date_naive())?;
        Ok(Some(free_trial(allowance, used, now, &self.mcp)))
    }

    fn score(&self, call: &Call<'_>, agent_id: &str, now: DateTime<Utc>) -> Answer {
        if let Err(problem) = check_agent_id(agent_id) {
            return Answer::Refused(problem);
        }
        let found = match self.record_so_far(agent_id, now) {
            Ok(found) => found,
            Err(error) => return Answer::Refused(no_ledger(&error)),
        };
        let mut work = || {
            self.tallies.scored();
            let verify = self.engine.signer().map(Signer::section);
            let body = score::body(agent_id, &found, &timestamp(now), verify);
            self.engine.seal(body.to_line(), Context::Score)
        };
        // What says nothing costs nothing.
        let till = self.sale.as_ref().filter(|_| found.verified() > 0);
        match till {
            None => match work() {
                Ok(body) => Answer::Served(Served { body, allowance: None, settlement: None }),
                Err(problem) => Answer::Refused(problem),
            },
            Some(till) if call.payment.is_some() => {
                till.gate.pay(call, &till.offer(Operation::Score, call.resource), &mut work)
            }
            Some(till) => till.required(Operation::Score, call.resource, None),
        }
    }

    /// The free answer about an agent, unsigned.
    pub(crate) fn reputation(&self, agent_id: &str, now: DateTime<Utc>) -> Result<Json, Problem> {
        check_agent_id(agent_id)?;
        let found = self.record_so_far(agent_id, now).map_err(|error| no_ledger(&error))?;
        Ok(score::reputation(agent_id, &found))
    }

    fn record_so_far(&self, agent_id: &str, now: DateTime<Utc>) -> Result<Score, LedgerError> {
        let history = match score::is_reserved(agent_id) {
            true => Vec::new(),
            false => self.ledger.history(agent_id)?,
        };
        let observations =
            history.into_iter().map(|it| Observation { at: it.at, passed: it.passed });
        Ok(Score::of(observations.collect(), now))
    }

    fn record(&self, verification: &Verification) -> Result<(), LedgerError> {
        if score::is_reserved(&verification.agent_id) {
            return Ok(());
        }
        self.ledger.record(verification)
    }
}

impl Service for Counter {
    fn call(&self, call: &Call<'_>) -> Answer {
        self.answer(call, (self.clock)())
    }
}

impl Till {
    fn offer<'c>(&self, operation: Operation, resource: Resource<'c>) -> Offer<'c> {
        let price = match operation {
            Operation::Verify => self.verify,
            Operation::Score => self.score,
        };
        Offer { operation, price, resource }
    }

    fn required(
        &self,
        operation: Operation,
        resource: Resource<'_>,
        free_trial: Option<Value>,
    ) -> Answer {
        match self.gate.required(&self.offer(operation, resource), "Payment required") {
            Ok(required) => {
                Answer::PaymentRequired(PaymentRequired { required, free_trial, settlement: None })
            }
            Err(problem) => Answer::Refused(problem),
        }
    }
}

/// What the ledger keeps of a body that we signed.
fn record_of(body: &str) -> Option<Verification> {
    let document = json::read(body, MAX_DEPTH).ok()?;
    let text = |name| document.root().get(name)?.as_str();
    Some(Verification {
        verification_id: text("verification_id")?.to_owned(),
        agent_id: text("agent_id")?.to_owned(),
        at: text("verified_at")?.parse().ok()?,
        passed: text("result")? == "pass",
    })
}

/// SPEC 2's rule for ids, outside a request.
pub(crate) fn check_agent_id(agent_id: &str) -> Result<(), Problem> {
    check_id("agent_id", agent_id).map_err(|problem| {
        Problem::from(&agent_output_verifier::invalid::Invalid::from(vec![problem]))
    })
}

/// A body beyond the limit.
pub(crate) fn too_large(limit: usize) -> Problem {
    let message = format!(
        "The body is longer than {limit} bytes, which is the limit. Nothing was charged; send less."
    );
    let mut problem = Problem::new("payload_too_large", 413, message).action("send_smaller_body");
    problem.more.insert("limit_bytes".into(), limit.into());
    problem
}

fn no_body() -> Problem {
    use agent_output_verifier::invalid::Invalid;
    use agent_output_verifier::request::Problem as Field;
    Problem::from(&Invalid::from(vec![Field {
        field: "body".to_owned(),
        problem: "is missing".to_owned(),
        fix: "Send an object with task_id, expected_schema and submitted_output.".to_owned(),
        at: None,
    }]))
}

/// The store does not answer. Why is for the operator alone.
pub(crate) fn no_ledger(error: &LedgerError) -> Problem {
    output::complain(&format!("error: the ledger does not answer: {error}\n"));
    Problem::new(
        "ledger_unavailable",
        503,
        "The server's ledger does not answer, so nothing was checked or charged. Try again.",
    )
    .retry(LEDGER_RETRY)
    .action("retry_later")
}

#[cfg(test)]
pub(crate) mod tests;
