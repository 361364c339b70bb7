//! Payments that were here before, by their key or by their payer's identifier.

use super::super::super::service::{Answer, Call};
use super::super::payment::Payment;
use super::super::reconcile::{Found, Resend};
use super::super::refusal::{self, Refusal};
use super::super::{key, wire};
use super::{Admitted, PaymentGate, Stop, served};
use crate::ledger::{PaymentRecord, PaymentState};

impl PaymentGate {
    /// A payment that would not be taken now may have been settled, or be on its way: its time is over,
    /// the price has changed, a facilitator names another fee payer, this is another version with
    /// another echo. Then there is an answer to come back for (X402 §5.3), and to ask for another
    /// payment would be to charge twice.
    pub(super) fn unless_known(
        &self,
        call: &Call<'_>,
        payment: &Payment,
        refusal: Refusal,
    ) -> Stop {
        let Some(key) = key::of_payment(payment) else { return refusal.into() };
        match self.ledger(|it| it.payment(&key)) {
            Ok(Some(known)) if known.state != PaymentState::Claimed => {
                Stop::Known(self.replay(call, &known))
            }
            Ok(_) => refusal.into(),
            Err(problem) => problem.into(),
        }
    }

    /// What an earlier payment with the same identifier bought. Only asked once the payment is known
    /// to be good, so that nobody can occupy an identifier for nothing (X402 §5.2).
    pub(super) fn by_identifier(
        &self,
        call: &Call<'_>,
        admitted: &Admitted,
    ) -> Result<Option<Answer>, Stop> {
        let record = &admitted.record;
        let Some(identifier) = &record.identifier else { return Ok(None) };
        let known =
            self.ledger(|it| it.payment_by_identifier(&record.payer, identifier, &record.key))?;
        // A claim whose lease has ended was given up before anything was settled.
        let now = self.now();
        let given_up =
            |it: &PaymentRecord| it.state == PaymentState::Claimed && it.lease_until <= now;
        let Some(known) = known.filter(|it| !given_up(it)) else { return Ok(None) };
        let same = known.fingerprint == call.fingerprint
            && known.network == record.network
            && known.amount == record.amount;
        if !same {
            return Ok(Some(Answer::Refused(refusal::already_used(
                "This payment-identifier belongs to another request.",
            ))));
        }
        Ok(Some(self.replay(call, &known)))
    }

    /// A payment that was here before (X402 §5.1).
    pub(super) fn replay(&self, call: &Call<'_>, known: &PaymentRecord) -> Answer {
        if known.fingerprint != call.fingerprint {
            let why = "This payment belongs to another request.";
            return Answer::Refused(refusal::already_used(why));
        }
        match known.state {
            PaymentState::Settled => stored(known),
            PaymentState::Claimed => Answer::Refused(refusal::in_progress()),
            PaymentState::Settling | PaymentState::Unknown => self.come_back(known),
        }
    }

    /// Whoever comes back for a payment whose end was unknown is a reason to look again. One that
    /// was being settled when its server died has perhaps never been sent.
    fn come_back(&self, known: &PaymentRecord) -> Answer {
        let resend = match known.state {
            PaymentState::Settling => Resend::Once,
            _ => Resend::No,
        };
        match self.reconciler.attempt(&known.key, resend) {
            Ok(Some(Found::Paid(_))) => match self.ledger(|it| it.payment(&known.key)) {
                Ok(Some(record)) => stored(&record),
                _ => Answer::Refused(refusal::settlement_unknown(None)),
            },
            // It is forgotten, and charged nobody.
            Ok(Some(Found::NotPaid(why))) => {
                Answer::Refused(refusal::already_used(&format!("This payment did not pay: {why}.")))
            }
            Ok(Some(Found::Open { transaction })) => {
                Answer::Refused(refusal::settlement_unknown(transaction.as_deref()))
            }
            Ok(None) if known.state == PaymentState::Settling => {
                Answer::Refused(refusal::in_progress())
            }
            Ok(None) | Err(_) => Answer::Refused(refusal::settlement_unknown(None)),
        }
    }
}

/// The answer that a settled payment bought.
fn stored(record: &PaymentRecord) -> Answer {
    let settlement = record.settlement.as_deref().map(|it| wire::parse(it.as_bytes()));
    match (&record.answer, settlement) {
        (Some(answer), Some(Some(settlement))) => {
            Answer::Served(served(answer.clone(), settlement))
        }
        _ => Answer::Refused(refusal::already_used(
            "This payment was settled, and its answer is no longer kept.",
        )),
    }
}
