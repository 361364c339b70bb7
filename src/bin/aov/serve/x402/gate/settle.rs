//! The settlement, and what becomes of the answer: steps 11 to 14 of X402 §4.

use serde_json::Value;

use super::super::super::service::Served;
use super::super::facilitator::Facilitator;
use super::super::reconcile::{Found, LEASE, Resend};
use super::super::refusal::{self, Refusal};
use super::super::verdict::Settled;
use super::{Admitted, PaymentGate, Stop, served};
use crate::ledger::{ClaimToken, PaymentKey};

impl PaymentGate {
    /// Steps 11 to 14.
    pub(super) fn settle(
        &self,
        admitted: &Admitted,
        token: &ClaimToken,
        facilitator: &dyn Facilitator,
        answer: String,
    ) -> Result<Served, Stop> {
        let key = &admitted.record.key;
        let now = self.now();
        let ours = self.ledger(|it| it.begin_settlement(key, token, &answer, now + LEASE, now));
        match ours {
            Ok(true) => {}
            // Whoever took it over works on it.
            Ok(false) => return Err(refusal::in_progress().into()),
            Err(problem) => {
                // It may have been written: then it is looked at again once the lease has ended.
                self.release(key, token);
                return Err(problem.into());
            }
        }
        match facilitator.settle(&admitted.submission, self.now()) {
            Settled::Success(response) => {
                self.paid(key, &response);
                Ok(served(answer, response))
            }
            Settled::Failed(response) => {
                let reason = response["errorReason"].as_str().unwrap_or_default();
                self.log(key, &format!("not settled by {}: {reason}", facilitator.name()));
                // Where it cannot be forgotten it may be sent again later: nobody may be told to
                // sign another.
                if self.release(key, token) {
                    Err(Stop::NotSettled(response))
                } else {
                    Err(refusal::settlement_unknown(None).into())
                }
            }
            Settled::Used(reason) => {
                self.log(key, &format!("{}: {reason}", facilitator.name()));
                self.find_out(admitted, token, answer, Resend::No, None)
            }
            Settled::Unknown { why, transaction } => {
                self.log(key, &format!("no end from {}: {why}", facilitator.name()));
                self.find_out(admitted, token, answer, Resend::Once, transaction)
            }
        }
    }

    /// The end of a settlement was not told: it is asked for once, then others go on (rule 10).
    fn find_out(
        &self,
        admitted: &Admitted,
        token: &ClaimToken,
        answer: String,
        resend: Resend,
        transaction: Option<String>,
    ) -> Result<Served, Stop> {
        match self.reconciler.resolve(&admitted.record, token, resend) {
            Ok(Found::Paid(response)) => Ok(served(answer, response)),
            Ok(Found::NotPaid(why)) => Err(Refusal::pay(why).into()),
            Ok(Found::Open { transaction: later }) => {
                Err(refusal::settlement_unknown(later.or(transaction).as_deref()).into())
            }
            Err(error) => {
                self.log(&admitted.record.key, &error.to_string());
                Err(refusal::settlement_unknown(transaction.as_deref()).into())
            }
        }
    }

    /// Step 13. Whoever paid gets the answer, also where that could not be written down: then the
    /// payment is found again by reconciliation.
    fn paid(&self, key: &PaymentKey, response: &Value) {
        let transaction = response["transaction"].as_str().unwrap_or_default();
        match self.reconciler.ledger.settled(key, &response.to_string(), self.now()) {
            Ok(()) => self.log(key, &format!("settled, {transaction}")),
            Err(error) => {
                self.log(key, &format!("settled, {transaction}, but not written down: {error}"))
            }
        }
    }
}
