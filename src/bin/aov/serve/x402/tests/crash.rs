//! kill -9 between every two steps of the order, then a restart (X402 rule 12).
//!
//! The steps are run in a child process over a ledger in a file; the child aborts itself, which no
//! code of ours survives, right before or right after a step. The facilitator lives on in the
//! parent, as the chain does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, NaiveDate, Utc};

use super::scripted::Scripted;
use super::wallet::Wallet;
use super::world::{LIMITS, World, is, short};
use crate::ledger::{
    ClaimToken, Claimed, Ledger, LedgerError, PaymentKey, PaymentLimits, PaymentRecord,
    PaymentState, Sqlite, Taken, Verification,
};

/// A ledger that ends the process at the n-th of its steps.
struct Mortal {
    inner: Sqlite,
    left: AtomicUsize,
}

impl Mortal {
    /// One step of the journal: the process may end before it or behind it.
    fn step<T>(&self, step: impl FnOnce(&Sqlite) -> T) -> T {
        self.die();
        let done = step(&self.inner);
        self.die();
        done
    }

    fn die(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            std::process::abort();
        }
    }
}

impl Ledger for Mortal {
    fn record(&self, it: &Verification) -> Result<(), LedgerError> {
        self.inner.record(it)
    }
    fn record_all(&self, it: &[Verification]) -> Result<(), LedgerError> {
        self.inner.record_all(it)
    }
    fn history(&self, agent_id: &str) -> Result<Vec<Verification>, LedgerError> {
        self.inner.history(agent_id)
    }
    fn take(&self, client: &str, day: NaiveDate, limit: u32) -> Result<Taken, LedgerError> {
        self.inner.take(client, day, limit)
    }
    fn give_back(&self, client: &str, day: NaiveDate) -> Result<(), LedgerError> {
        self.inner.give_back(client, day)
    }
    fn used(&self, client: &str, day: NaiveDate) -> Result<u32, LedgerError> {
        self.inner.used(client, day)
    }
    fn claim(
        &self,
        record: &PaymentRecord,
        token: &ClaimToken,
        limits: PaymentLimits,
        now: DateTime<Utc>,
    ) -> Result<Claimed, LedgerError> {
        self.step(|it| it.claim(record, token, limits, now))
    }
    fn begin_settlement(
        &self,
        key: &PaymentKey,
        token: &ClaimToken,
        answer: &str,
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, LedgerError> {
        self.step(|it| it.begin_settlement(key, token, answer, lease_until, now))
    }
    fn settled(
        &self,
        key: &PaymentKey,
        settlement: &str,
        now: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        self.step(|it| it.settled(key, settlement, now))
    }
    fn unknown(
        &self,
        key: &PaymentKey,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<(), LedgerError> {
        self.step(|it| it.unknown(key, reason, now))
    }
    fn release(&self, key: &PaymentKey, token: &ClaimToken) -> Result<(), LedgerError> {
        self.step(|it| it.release(key, token))
    }
    fn hold(
        &self,
        key: &PaymentKey,
        token: &ClaimToken,
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<PaymentRecord>, LedgerError> {
        self.inner.hold(key, token, lease_until, now)
    }
    fn payment(&self, key: &PaymentKey) -> Result<Option<PaymentRecord>, LedgerError> {
        self.inner.payment(key)
    }
    fn payment_by_identifier(
        &self,
        payer: &str,
        identifier: &str,
        other_than: &PaymentKey,
    ) -> Result<Option<PaymentRecord>, LedgerError> {
        self.inner.payment_by_identifier(payer, identifier, other_than)
    }
    fn payments(
        &self,
        state: Option<PaymentState>,
        limit: u32,
    ) -> Result<Vec<PaymentRecord>, LedgerError> {
        self.inner.payments(state, limit)
    }
    fn payment_counts(&self) -> Result<[u64; 4], LedgerError> {
        self.inner.payment_counts()
    }
    fn tidy(&self, now: DateTime<Utc>) -> Result<u64, LedgerError> {
        self.inner.tidy(now)
    }
    fn ping(&self) -> Result<(), LedgerError> {
        self.inner.ping()
    }
}

const CHILD: &str = "serve::x402::tests::crash::child_that_is_killed";
const FILE: &str = "AOV_TEST_CRASH_LEDGER";
const STEP: &str = "AOV_TEST_CRASH_STEP";
const ADDRESS: &str = "AOV_TEST_CRASH_FACILITATOR";

/// The process that is killed. It does nothing unless it is started by the test below.
#[test]
fn child_that_is_killed() {
    let (Ok(file), Ok(step), Ok(address)) =
        (std::env::var(FILE), std::env::var(STEP), std::env::var(ADDRESS))
    else {
        return;
    };
    let ledger = Mortal {
        inner: Sqlite::open(Path::new(&file)).unwrap(),
        left: AtomicUsize::new(step.parse().unwrap()),
    };
    let facilitator = Scripted::at(address.parse().unwrap());
    let world = World::with(Arc::new(ledger), facilitator, None, LIMITS);
    let payment = world.payment(&Wallet::new(5), 1);
    let (status, _) = short(&world.buy(&payment, "a"));
    std::process::exit(if status == 200 { 77 } else { 78 });
}

fn kill_at(step: usize, file: &PathBuf, facilitator: &Scripted) -> Option<i32> {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([CHILD, "--exact", "--nocapture"]);
    child.env(FILE, file).env(STEP, step.to_string()).env(ADDRESS, facilitator.address.to_string());
    child.stdout(Stdio::null()).stderr(Stdio::null());
    child.status().unwrap().code()
}

/// After any of them: the same payment with the same request ends in one charge and one answer.
#[test]
fn rule_12_a_kill_between_any_two_steps_costs_nobody_anything() {
    let mut finished = 0;
    for step in 0..8 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.sqlite");
        let facilitator = Scripted::start();
        let code = kill_at(step, &file, &facilitator);
        // None: ended by a signal.
        if let Some(code) = code {
            assert_eq!(code, 77, "step {step}");
            finished += 1;
        }
        let charged = facilitator.charges();
        let ledger = Arc::new(Sqlite::open(&file).unwrap());
        let world = World::with(ledger, facilitator.clone(), None, LIMITS);
        let payment = world.payment(&Wallet::new(5), 1);
        let counts = world.counts();
        // Whatever was charged is in the journal.
        assert!(charged == 0 || counts[1] + counts[2] == 1, "step {step}: {charged}, {counts:?}");
        // Whoever comes back before the lease of the dead has ended waits.
        let (status, code) = short(&world.buy(&payment, "a"));
        assert!(status == 200 || code == "payment_in_progress", "step {step}: {status} {code}");
        // The lease of a claim is over after 120 seconds, that of a settlement after 150; the
        // reconciliation that runs every few seconds then sees it.
        world.wait(121);
        let (status, code) = short(&world.buy(&payment, "a"));
        assert!(status == 200 || code == "payment_in_progress", "step {step}: {status} {code}");
        world.wait(30);
        world.reconciler.run(false).unwrap();
        let records = world.ledger.payments(None, 9).unwrap();
        let answer = world.buy(&payment, "a");
        match records[0].state {
            // Charged after the journal said "settling" and before it said "settled": without a node
            // nobody can say, and nobody is charged again (rule 11).
            PaymentState::Unknown => {
                assert_eq!(charged, 1, "step {step}");
                is(&answer, 504, "settlement_unknown");
            }
            _ => assert_eq!(short(&answer).0, 200, "step {step}: {:?}", short(&answer)),
        }
        assert_eq!(facilitator.charges(), 1, "step {step}");
    }
    // Claim, begin, settled: six places to die at; the last two runs came through.
    assert_eq!(finished, 2);
}
