//! Verifying one receipt, and many: on all cores, in the order given, with memory for as many
//! receipts as are being worked on.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use agent_output_verifier::json::{Lines, Node};
use agent_output_verifier::receipt::fact::{Code, Fact, Status, Subject};
use agent_output_verifier::receipt::replay::{Replay, Replayed};
use agent_output_verifier::receipt::{Answer, Audited, Questions, UnverifiedReceipt};
use agent_output_verifier::trust::{KeyClaim, KeyDecision, Refusal};

use super::records::{Record, Source};
use crate::exit::Exit;
use crate::keyring::Keyring;
use crate::term;

/// Records that travel between threads together.
const CHUNK: usize = 32;

/// A chunk and its place among the others.
type Numbered<T> = (usize, Vec<T>);

/// What receipts are held against.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Whose receipts count, and their keys.
    pub(crate) keyring: Keyring,
    /// A decision that stands for all receipts: the card that the user named is out of reach.
    pub(crate) decided: Option<KeyDecision>,
    /// What is asked of each.
    pub(crate) questions: Questions,
    /// The answer of running the check again.
    pub(crate) replay: Option<Replay>,
}

/// What became of one record.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Which source it is from.
    pub(crate) source: usize,
    /// Its line in JSONL.
    pub(crate) line: Option<u64>,
    /// The audit, or why there is none.
    pub(crate) result: Result<Receipt, Unread>,
}

/// A receipt with all that was found out.
#[derive(Debug)]
pub(crate) struct Receipt {
    /// The audit.
    pub(crate) audited: Audited,
    /// What running the check again gave.
    pub(crate) replayed: Option<Replayed>,
    /// What tells receipts of one `verification_id` apart.
    content: u64,
}

/// Why a record is no receipt to audit.
#[derive(Debug)]
pub(crate) struct Unread {
    /// `unreadable` or `not_json`.
    pub(crate) code: &'static str,
    /// Line and column in the record, for text that is not JSON.
    pub(crate) position: Option<(u64, u64)>,
    /// Why, fit for a terminal.
    pub(crate) message: String,
}

/// The decision for the claim that was met last: in a batch the next one is mostly the same.
#[derive(Debug, Default)]
struct Recent {
    url: Option<String>,
    version: String,
    decision: Option<KeyDecision>,
}

impl Recent {
    fn decision(&mut self, claim: KeyClaim<'_>, keyring: &Keyring) -> &KeyDecision {
        if self.url.as_deref() != claim.url || self.version != claim.version {
            self.url = claim.url.map(str::to_owned);
            claim.version.clone_into(&mut self.version);
            self.decision = None;
        }
        self.decision.get_or_insert_with(|| keyring.decide(claim))
    }
}

impl Checked {
    /// How this part of the run ended.
    pub(crate) fn exit(&self) -> Exit {
        match &self.result {
            Err(_) => Exit::CannotRun,
            Ok(receipt) => match receipt.audited.audit().answer() {
                Answer::Yes => Exit::Ok,
                Answer::No => Exit::No,
                Answer::Unavailable => Exit::Unavailable,
            },
        }
    }
}

impl Plan {
    /// Verifies one record. `state` is the same for all records of a run.
    fn check(&self, record: Record, state: &RandomState, recent: &mut Recent) -> Checked {
        let Record { source, line, bytes } = record;
        let result = bytes
            .map_err(|message| Unread { code: "unreadable", position: None, message })
            .and_then(|bytes| self.audit(bytes, state, recent));
        Checked { source, line, result }
    }

    fn audit(
        &self,
        bytes: Vec<u8>,
        state: &RandomState,
        recent: &mut Recent,
    ) -> Result<Receipt, Unread> {
        let receipt = UnverifiedReceipt::read_or_return(bytes).map_err(|(error, bytes)| {
            let position = Lines::new(&bytes).position(error.offset);
            Unread {
                code: "not_json",
                position: Some((position.line as u64, position.column as u64)),
                message: term::safe(&error.to_string()).into_owned(),
            }
        })?;
        // The structure says what is wrong; without a key version there is no key.
        let unnamed = KeyDecision::Untrusted(Refusal::new(Code::IssuerUnnamed));
        let decision = match (&self.decided, receipt.key_claim()) {
            (Some(decided), _) => decided,
            (None, Some(claim)) => recent.decision(claim, &self.keyring),
            (None, None) => &unnamed,
        };
        let mut audited = receipt.audit(decision, &self.questions, self.keyring.now);
        let replayed = self.replay.as_ref().map(|replay| replay.compare(audited.says()));
        if let Some(replayed) = &replayed {
            audited.audit_mut().add(replayed.fact());
        }
        let content = match &audited {
            Audited::Verified(receipt, _) => state.hash_one(receipt.signed_bytes()),
            Audited::Unverified(receipt, audit) => match receipt.signed_bytes(audit.context) {
                Ok(bytes) => state.hash_one(bytes.as_slice()),
                Err(_) => state.hash_one(receipt.claims().source()),
            },
        };
        Ok(Receipt { audited, replayed, content })
    }

    /// Verifies every record of the sources and hands the results over in order. With one job all
    /// of it happens on this thread.
    pub(crate) fn run(&self, sources: &[Source], jobs: usize, mut report: impl FnMut(Checked)) {
        let state = RandomState::new();
        let mut seen = Seen::default();
        let mut finish = |mut checked: Checked| {
            seen.note(&mut checked, sources);
            report(checked);
        };
        if jobs <= 1 {
            let mut recent = Recent::default();
            for (at, source) in sources.iter().enumerate() {
                source.read(at, &mut |record| {
                    finish(self.check(record, &state, &mut recent));
                    true
                });
            }
            return;
        }
        std::thread::scope(|scope| {
            let (to_workers, work) = mpsc::channel();
            let (to_us, results) = mpsc::channel();
            // One permit for each chunk between reading and reporting: a slow chunk holds up the
            // reading instead of letting results pile up behind it.
            let (permit, permits) = mpsc::channel();
            (0..4 * jobs).for_each(|_| permit.send(()).unwrap_or_default());
            scope.spawn(move || read_all(sources, &permits, &to_workers));
            let work = Arc::new(Mutex::new(work));
            for _ in 0..jobs {
                let (work, to_us, state) = (Arc::clone(&work), to_us.clone(), &state);
                scope.spawn(move || self.work(&work, &to_us, state));
            }
            drop((to_us, work));
            in_order(&results, |chunk| {
                chunk.into_iter().for_each(&mut finish);
                // Nobody takes it any more when all is read.
                permit.send(()).unwrap_or_default();
            });
        });
    }

    fn work(
        &self,
        work: &Mutex<Receiver<Numbered<Record>>>,
        results: &Sender<Numbered<Checked>>,
        state: &RandomState,
    ) {
        let mut recent = Recent::default();
        loop {
            let next = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((at, chunk)) = next else { return };
            let checked = chunk
                .into_iter()
                .map(|record| self.check(record, state, &mut recent))
                .collect();
            if results.send((at, checked)).is_err() {
                return;
            }
        }
    }
}

fn read_all(sources: &[Source], permits: &Receiver<()>, workers: &Sender<Numbered<Record>>) {
    let (mut number, mut chunk) = (0, Vec::with_capacity(CHUNK));
    // Without a permit to come there is nobody left to read for.
    let send = |number, chunk| permits.recv().is_ok() && workers.send((number, chunk)).is_ok();
    for (at, source) in sources.iter().enumerate() {
        source.read(at, &mut |record| {
            // A large record travels alone, so that few of them are in memory.
            let large = record.bytes.as_ref().is_ok_and(|bytes| bytes.len() > 1 << 18);
            chunk.push(record);
            if chunk.len() < CHUNK && !large {
                return true;
            }
            number += 1;
            let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK));
            send(number - 1, full)
        });
    }
    if !chunk.is_empty() {
        send(number, chunk);
    }
}

/// Hands chunks over by their number.
fn in_order(results: &Receiver<Numbered<Checked>>, mut take: impl FnMut(Vec<Checked>)) {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (at, chunk) in results {
        waiting.insert(at, chunk);
        while let Some(chunk) = waiting.remove(&next) {
            take(chunk);
            next += 1;
        }
    }
}

/// Which `verification_id`s were met, with what content, and where first (SPEC 8.5).
#[derive(Debug, Default)]
struct Seen {
    ids: HashMap<String, (u64, usize, Option<u64>)>,
}

impl Seen {
    fn note(&mut self, checked: &mut Checked, sources: &[Source]) {
        let Ok(receipt) = &mut checked.result else { return };
        let id = receipt.audited.says().get("verification_id").and_then(Node::as_str);
        let Some(id) = id else { return };
        let Some(&(content, source, line)) = self.ids.get(id) else {
            self.ids.insert(id.to_owned(), (receipt.content, checked.source, checked.line));
            return;
        };
        let place = place(&sources[source].name, line);
        let (status, code) = if content == receipt.content {
            (Status::Holds, Code::SeenSame)
        } else {
            (Status::Fails, Code::SeenDifferent)
        };
        let detail = format!("{}: {place}", code.meaning());
        receipt.audited.audit_mut().add(Fact::with(Subject::Unique, status, code, detail));
    }
}

/// A source and a line as people are told.
pub(crate) fn place(name: &str, line: Option<u64>) -> String {
    line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"))
}
