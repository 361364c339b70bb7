//! Verifying one receipt, and many: on all cores, in the order given, with memory for as many
//! receipts as are being worked on.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use agent_output_verifier::json::{Lines, Node, Position};
use agent_output_verifier::receipt::fact::{Code, Fact, Status, Subject};
use agent_output_verifier::receipt::replay::{Replay, Replayed};
use agent_output_verifier::receipt::{Answer, Audited, Questions, UnverifiedReceipt};
use agent_output_verifier::trust::{KeyClaim, KeyDecision, Refusal};

use crate::batch::in_order;
use crate::exit::Exit;
use crate::input::{self, explain, in_file, read_file};
use crate::keyring::Keyring;
use crate::records::{self, Block, MAX_RECORD, Origin, all_blocks, too_long};
use crate::term;

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
    /// The name of what it is from, fit for a terminal.
    pub(crate) name: String,
    /// The file; none for standard input.
    pub(crate) path: Option<PathBuf>,
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
    /// `unreadable`, `not_json` or `internal_error`.
    pub(crate) code: &'static str,
    /// Line and column in the file, for text that is not JSON.
    pub(crate) position: Option<Position>,
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
    /// Where it comes from.
    pub(crate) fn origin(&self) -> input::Origin {
        input::Origin { name: self.name.clone(), path: self.path.clone(), line: self.line }
    }

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
    /// Verifies every record and hands the results over in order. With one job all of it happens
    /// on this thread.
    pub(crate) fn run(
        &self,
        origins: &Arc<[Origin]>,
        jobs: usize,
        mut report: impl FnMut(&[Checked]) -> bool,
    ) {
        let state = RandomState::new();
        let mut seen = Seen::default();
        in_order(
            jobs,
            all_blocks(Arc::clone(origins)),
            Recent::default,
            |recent, (at, block)| self.block(&origins[at], block, &state, recent),
            |mut checked| {
                checked.iter_mut().for_each(|checked| seen.note(checked));
                report(&checked)
            },
        );
    }

    fn block(
        &self,
        origin: &Origin,
        block: Block,
        state: &RandomState,
        recent: &mut Recent,
    ) -> Vec<Checked> {
        let mut check = |line, bytes: Result<Vec<u8>, String>| {
            let unread = |code, message| Unread { code, position: None, message };
            // A fault in this program costs one receipt its verdict, not the others.
            let audited = catch_unwind(AssertUnwindSafe(|| {
                self.audit(line, bytes.map_err(|it| unread("unreadable", it))?, state, recent)
            }));
            let result = audited.unwrap_or_else(|_| {
                let message = "a fault in aov; please report it".to_owned();
                Err(unread("internal_error", message))
            });
            Checked { name: origin.name.clone(), path: origin.path.clone(), line, result }
        };
        match block {
            Block::Unreadable(line, cause) => vec![check(line, Err(cause))],
            Block::Whole(path) => {
                vec![check(None, read_file(&path).map_err(|error| explain(&error)))]
            }
            Block::Read(bytes) => vec![check(None, Ok(bytes))],
            Block::Lines(first, bytes) => records::lines(first, &bytes)
                .map(|(line, record)| {
                    let fits = record.len() <= MAX_RECORD;
                    check(Some(line), if fits { Ok(record.to_vec()) } else { Err(too_long()) })
                })
                .collect(),
        }
    }

    fn audit(
        &self,
        line: Option<u64>,
        bytes: Vec<u8>,
        state: &RandomState,
        recent: &mut Recent,
    ) -> Result<Receipt, Unread> {
        let receipt = UnverifiedReceipt::read_or_return(bytes).map_err(|(error, bytes)| Unread {
            code: "not_json",
            position: Some(in_file(line, Lines::new(&bytes).position(error.offset))),
            message: term::safe(&error.to_string()).into_owned(),
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
            Audited::Verified(receipt, _) => state.hash_one(receipt.signature().as_bytes()),
            Audited::Unverified(receipt, audit) => match receipt.signed_bytes(audit.context) {
                Ok(bytes) => state.hash_one(bytes.as_slice()),
                Err(_) => state.hash_one(receipt.claims().source()),
            },
        };
        Ok(Receipt { audited, replayed, content })
    }
}

/// Which `verification_id`s were met, with what content, and where first (SPEC 8.5).
#[derive(Debug, Default)]
struct Seen {
    ids: HashMap<String, First>,
}

#[derive(Debug)]
struct First {
    content: u64,
    place: String,
}

impl Seen {
    fn note(&mut self, checked: &mut Checked) {
        let Ok(receipt) = &mut checked.result else { return };
        let id = receipt.audited.says().get("verification_id").and_then(Node::as_str);
        let Some(id) = id else { return };
        let content = receipt.content;
        let Some(first) = self.ids.get(id) else {
            let place = place(&checked.name, checked.line);
            self.ids.insert(id.to_owned(), First { content, place });
            return;
        };
        let (status, code) = if content == first.content {
            (Status::Holds, Code::SeenSame)
        } else {
            (Status::Fails, Code::SeenDifferent)
        };
        let detail = format!("{}: {}", code.meaning(), first.place);
        receipt.audited.audit_mut().add(Fact::with(Subject::Unique, status, code, detail));
    }
}

/// A source and a line as people are told.
pub(crate) fn place(name: &str, line: Option<u64>) -> String {
    line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"))
}
