//! A gate with everything around it, and a client's view of it.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_output_verifier::receipt::hashes::Sha256Hex;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::super::super::chain::Chain;
use super::super::super::counter::{Gate, Offer, Operation};
use super::super::super::money::MicroUsd;
use super::super::super::problem::Problem;
use super::super::super::service::{Answer, Call, Payment, Question, Resource};
use super::super::facilitator::{Facilitator, HttpFacilitator, Patience};
use super::super::gate::{PaymentGate, Seller};
use super::super::proof::Node;
use super::super::reconcile::Reconciler;
use super::super::supported::{Network, Networks};
use super::super::wire;
use super::scripted::Scripted;
use super::wallet::{self, Wallet};
use crate::ledger::{Ledger, PaymentLimits, Sqlite};
use crate::net::Net;

/// The second account of the well-known test mnemonic; any with a right checksum would do.
pub(crate) const PAY_TO: &str = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
/// The public key of 32 bytes of 3 as an Ed25519 seed.
pub(crate) const PAY_TO_SOLANA: &str = "F1vn6U3JaFVNzMpkkKNtW8dW3UMCJTDhGJ5ZYCAQWhTt";
pub(crate) const LIMITS: PaymentLimits = PaymentLimits { open: 20, open_per_payer: 10 };

/// Everything.
pub(crate) struct World {
    pub(crate) gate: Arc<PaymentGate>,
    pub(crate) reconciler: Reconciler,
    pub(crate) facilitator: Scripted,
    pub(crate) ledger: Arc<dyn Ledger>,
    /// Seconds that the clock is ahead of the start.
    ahead: Arc<AtomicI64>,
    pub(crate) lines: Arc<Mutex<Vec<String>>>,
    /// How often the work was done.
    pub(crate) worked: AtomicUsize,
}

pub(crate) fn start() -> DateTime<Utc> {
    "2026-12-01T12:00:00Z".parse().unwrap()
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Arc::new(Sqlite::in_memory()), Scripted::start(), None, LIMITS)
    }

    pub(crate) fn proving(node: Arc<dyn Node>) -> Self {
        Self::with(Arc::new(Sqlite::in_memory()), Scripted::start(), Some(node), LIMITS)
    }

    pub(crate) fn with(
        ledger: Arc<dyn Ledger>,
        facilitator: Scripted,
        node: Option<Arc<dyn Node>>,
        limits: PaymentLimits,
    ) -> Self {
        let patience = Patience {
            connect: Duration::from_secs(2),
            verify: Duration::from_millis(400),
            settle: Duration::from_millis(400),
        };
        let http: Arc<dyn Facilitator> =
            Arc::new(HttpFacilitator::new(Net::system(), &facilitator.url(), None, patience));
        let network = |id: &str, pay_to: &str, node| Network {
            chain: Chain::of(id).unwrap(),
            pay_to: pay_to.to_owned(),
            facilitators: vec![Arc::clone(&http)],
            node,
        };
        let networks = Arc::new(Networks::new(vec![
            network("eip155:8453", PAY_TO, node),
            network("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", PAY_TO_SOLANA, None),
        ]));
        assert_eq!(networks.refresh(start()), Vec::<String>::new());
        let (ahead, lines) = (Arc::<AtomicI64>::default(), Arc::<Mutex<Vec<String>>>::default());
        let (clock, log) = (Arc::clone(&ahead), Arc::clone(&lines));
        let reconciler = Reconciler {
            networks,
            ledger: Arc::clone(&ledger),
            clock: Arc::new(move || start() + TimeDelta::seconds(clock.load(Ordering::SeqCst))),
            log: Arc::new(move |line| log.lock().unwrap().push(line.to_owned())),
        };
        let seller =
            Seller { public_url: "https://verifier.example".to_owned(), service: "aov".to_owned() };
        let gate = Arc::new(PaymentGate::new(seller, limits, reconciler.clone()));
        Self { gate, reconciler, facilitator, ledger, ahead, lines, worked: AtomicUsize::new(0) }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        (self.reconciler.clock)()
    }

    pub(crate) fn wait(&self, seconds: i64) {
        self.ahead.fetch_add(seconds, Ordering::SeqCst);
    }

    /// The 402 of a verification.
    pub(crate) fn required(&self) -> Value {
        self.gate.required(&offer("/verify/schema"), "Payment required").unwrap()
    }

    /// A good payment of one account with one nonce.
    pub(crate) fn payment(&self, wallet: &Wallet, nonce: u8) -> Value {
        let required = self.required();
        let accepted = &required["accepts"][0];
        let payload = wallet.payload(&wallet.authorization(accepted, nonce, self.now()));
        wallet::payment(&required, accepted, payload)
    }

    /// Sends a payment with a body to `/verify/schema`.
    pub(crate) fn buy(&self, payment: &Value, body: &str) -> Answer {
        self.buy_at("/verify/schema", &[&wire::encode(payment)], body)
    }

    /// Sends header fields with a body to a path.
    pub(crate) fn buy_at(&self, path: &str, fields: &[&str], body: &str) -> Answer {
        let mut work = || {
            let number = self.worked.fetch_add(1, Ordering::SeqCst);
            Ok(format!("{{\"answer\":{number}}}"))
        };
        self.buy_working(path, Payment::Header(fields.to_vec()), body, &mut work)
    }

    pub(crate) fn buy_working(
        &self,
        path: &str,
        payment: Payment<'_>,
        body: &str,
        work: &mut dyn FnMut() -> Result<String, Problem>,
    ) -> Answer {
        let call = Call {
            question: Question::Verify(body.as_bytes()),
            client: [127, 0, 0, 1].into(),
            payment: Some(payment),
            fingerprint: Sha256Hex::of(format!("POST|{path}|{body}").as_bytes()),
            resource: Resource::Rest { method: "POST", path },
        };
        self.gate.pay(&call, &offer(path), work)
    }

    pub(crate) fn worked(&self) -> usize {
        self.worked.load(Ordering::SeqCst)
    }

    /// How many payments are claimed, settling, settled and unknown.
    pub(crate) fn counts(&self) -> [u64; 4] {
        self.ledger.payment_counts().unwrap()
    }
}

pub(crate) fn offer(path: &str) -> Offer<'_> {
    Offer {
        operation: Operation::Verify,
        price: MicroUsd(20_000),
        resource: Resource::Rest { method: "POST", path },
    }
}

/// An answer in short: the status, and the body, the `error` or the `code`.
pub(crate) fn short(answer: &Answer) -> (u16, String) {
    match answer {
        Answer::Served(served) => {
            assert!(served.settlement.is_some());
            (200, served.body.clone())
        }
        Answer::Refused(problem) => (problem.status, problem.code.to_owned()),
        Answer::PaymentRequired(required) => {
            (402, required.required["error"].as_str().unwrap().to_owned())
        }
    }
}

pub(crate) fn is(answer: &Answer, status: u16, text: &str) {
    assert_eq!(short(answer), (status, text.to_owned()));
}
