//! A score from receipts: whoever holds the same files, and trusts the same issuers, gets the same
//! number, in whatever order they are named.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use agent_output_verifier::json::Node;
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::receipt::fact::Verdict;
use agent_output_verifier::receipt::hashes::Sha256Hex;
use agent_output_verifier::receipt::{Audit, Audited, Questions, VerifiedReceipt};
use agent_output_verifier::response::Json;
use agent_output_verifier::score::{Observation, Score, body, instant, is_reserved};
use agent_output_verifier::text::{MAX_ECHO, cut};
use chrono::{DateTime, Utc};

use super::super::verify_receipt::trust::Trusted;
use super::super::verify_receipt::work::{Checked, Plan, place};
use super::{Args, Failure, Session, pretty};
use crate::args::Format;
use crate::exit::Exit;
use crate::output;
use crate::records::Walk;
use crate::report::score::Shown;
use crate::term::{self, Terminal};

/// Places that are named of each reason, and agents to choose from.
const MAX_NAMED: usize = 20;

/// Why a receipt does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Skipped {
    Unreadable,
    NotGenuine,
    Contradiction,
    Undecided,
    UntrustedIssuer,
    Duplicate,
    OtherAgent,
    NoAgent,
    Reserved,
    ScoreReceipt,
    NoVerdict,
}

impl Skipped {
    /// The name for programs, and the words for people.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Unreadable => ("unreadable", "cannot be read"),
            Self::NotGenuine => ("not_genuine", "not genuine"),
            Self::Contradiction => {
                ("contradiction", "different content under the same verification_id")
            }
            Self::Undecided => ("undecided", "undecided for want of a key"),
            Self::UntrustedIssuer => ("untrusted_issuer", "by an issuer that is not trusted"),
            Self::Duplicate => ("duplicate", "counted already"),
            Self::OtherAgent => ("other_agent", "about another agent"),
            Self::NoAgent => ("no_agent", "about no agent in particular"),
            Self::Reserved => ("reserved_agent", "about an agent_id that begins with test-"),
            Self::ScoreReceipt => ("score_receipt", "a score, not a verification"),
            Self::NoVerdict => ("no_verdict", "without a result or a time that can be read"),
        }
    }

    /// What it means for the run. That something does not count by the rules is no failure.
    fn exit(self) -> Exit {
        match self {
            Self::Unreadable => Exit::CannotRun,
            Self::NotGenuine | Self::Contradiction => Exit::No,
            Self::Undecided => Exit::Unavailable,
            _ => Exit::Ok,
        }
    }
}

/// A genuine receipt of a verification that is about an agent.
#[derive(Debug)]
struct Candidate {
    agent_id: String,
    /// `verification_id`; for receipts from before there were any, their content.
    id: String,
    content: Sha256Hex,
    observation: Observation,
    place: String,
}

/// What became of all receipts.
#[derive(Debug, Default)]
struct Sorted {
    read: u64,
    candidates: Vec<Candidate>,
    skipped: BTreeMap<Skipped, Vec<String>>,
}

/// What is to be printed, and how it ended.
pub(super) fn score(
    arguments: &Args,
    session: &mut Session,
    now: DateTime<Utc>,
    terminal: Terminal,
) -> Result<(String, Exit), Failure> {
    let walk = Walk {
        all_lines: arguments.jsonl,
        extensions: &["json", "jsonl", "ndjson"],
        role: "the receipts",
    };
    let origins = walk.origins(&arguments.receipts, &mut session.inputs)?;
    let Trusted { keyring, decided } = arguments.trust.keyring(session, now)?;
    let plan = Plan { keyring, decided, questions: Questions::default(), replay: None };
    let jobs = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let mut sorted = Sorted::default();
    plan.run(&origins.into(), jobs, |block| {
        block.iter().for_each(|checked| sorted.take(checked));
        true
    });
    for note in plan.keyring.take_notes() {
        output::complain(&format!("note: {note}\n"));
    }
    if sorted.read == 0 {
        let message = "there is no receipt in what was named".to_owned();
        return Err(Failure::Other { code: "nothing_to_check", message });
    }
    sorted.count_once();
    let agent_id = match &arguments.agent_id {
        Some(agent_id) => agent_id.clone(),
        None => sorted.only_agent()?,
    };
    let counted = sorted.of_agent(&agent_id);
    let history: Vec<_> = counted.iter().map(|observation| observation.passed).collect();
    let score = Score::of(counted, now);
    let exit = sorted.skipped.keys().map(|why| why.exit()).fold(Exit::Ok, Exit::merge);
    let text = match arguments.format {
        Format::Human => {
            let source = match score.verified() {
                1 => "1 receipt".to_owned(),
                counted => format!("{counted} receipts"),
            };
            let source = format!("{source} of {} read", sorted.read);
            Shown::of(&agent_id, &score).human(&history, &source, terminal) + &sorted.human()
        }
        Format::Json => {
            let mut body = body(&agent_id, &score, &instant(now), None);
            if let Json::Object(fields) = &mut body {
                fields.push(("receipts", sorted.json(score.verified())));
            }
            pretty(&body)
        }
    };
    Ok((text, exit))
}

impl Sorted {
    fn take(&mut self, checked: &Checked) {
        self.read += 1;
        let place = place(&checked.name, checked.line);
        let found = match &checked.result {
            Err(unread) => Err((Skipped::Unreadable, format!("{place}: {}", unread.message))),
            Ok(receipt) => match &receipt.audited {
                Audited::Verified(receipt, audit) => genuine(receipt, audit, &place)
                    .map_err(|why| (why, with_reason(&place, audit))),
                Audited::Unverified(_, audit) => Err((by_verdict(audit), with_reason(&place, audit))),
            },
        };
        match found {
            Ok(candidate) => self.candidates.push(candidate),
            Err((why, place)) => self.skip(why, place),
        }
    }

    fn skip(&mut self, why: Skipped, place: String) {
        self.skipped.entry(why).or_default().push(place);
    }

    /// Leaves one of each; where contents differ under one id, nobody knows which is right, and
    /// none is left.
    fn count_once(&mut self) {
        let mut contents: HashMap<&str, (&Sha256Hex, bool)> = HashMap::new();
        for candidate in &self.candidates {
            let known = contents.entry(&candidate.id).or_insert((&candidate.content, false));
            known.1 |= *known.0 != candidate.content;
        }
        let contradicted: BTreeSet<String> = contents
            .into_iter()
            .filter(|(_, (_, differs))| *differs)
            .map(|(id, _)| id.to_owned())
            .collect();
        let mut seen = BTreeSet::new();
        for candidate in std::mem::take(&mut self.candidates) {
            if contradicted.contains(&candidate.id) {
                self.skip(Skipped::Contradiction, candidate.place);
            } else if seen.insert(candidate.id.clone()) {
                self.candidates.push(candidate);
            } else {
                self.skip(Skipped::Duplicate, candidate.place);
            }
        }
    }

    /// The agent that all are about.
    fn only_agent(&self) -> Result<String, Failure> {
        let agents: BTreeSet<_> = self.candidates.iter().map(|it| &*it.agent_id).collect();
        let mut names = agents.iter();
        match (names.next(), names.next()) {
            (Some(agent), None) => Ok((*agent).to_owned()),
            (None, _) => Err(Failure::Usage(format!(
                "no receipt counts for any agent; name an AGENT_ID to see its score\n{}",
                self.human().trim_end()
            ))),
            _ => {
                let named = agents.iter().take(MAX_NAMED).map(|agent| cut(agent, MAX_ECHO));
                let named: Vec<_> = named.map(|agent| term::safe(&agent).into_owned()).collect();
                let more = match agents.len().saturating_sub(MAX_NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                Err(Failure::Usage(format!(
                    "the receipts are about {} agents; name one of them: {}{more}",
                    agents.len(),
                    named.join(", ")
                )))
            }
        }
    }

    /// What counts for this agent, oldest first.
    fn of_agent(&mut self, agent_id: &str) -> Vec<Observation> {
        let mut counted = Vec::new();
        for candidate in std::mem::take(&mut self.candidates) {
            if candidate.agent_id == agent_id {
                counted.push(candidate.observation);
            } else {
                self.skip(Skipped::OtherAgent, candidate.place);
            }
        }
        counted.sort_by_key(|observation| observation.at);
        counted
    }

    /// What does not count, a reason at a time.
    fn human(&self) -> String {
        let mut out = String::new();
        for (why, places) in &self.skipped {
            out.push_str(&format!("  skipped {}: {}\n", places.len(), why.names().1));
            for place in places.iter().take(MAX_NAMED) {
                out.push_str(&format!("    {place}\n"));
            }
            if places.len() > MAX_NAMED {
                out.push_str(&format!("    and {} more\n", places.len() - MAX_NAMED));
            }
        }
        out
    }

    fn json(&self, counted: u64) -> Json {
        let skipped = self.skipped.iter().map(|(why, places)| {
            Json::Object(vec![
                ("reason", Json::text(why.names().0)),
                ("count", Json::Count(places.len() as u64)),
                ("places", Json::Array(places.iter().map(|it| Json::text(&**it)).collect())),
            ])
        });
        Json::Object(vec![
            ("read", Json::Count(self.read)),
            ("counted", Json::Count(counted)),
            ("skipped", Json::Array(skipped.collect())),
        ])
    }
}

/// With why it is not genuine, or not decided, where that is the case.
fn with_reason(place: &str, audit: &Audit) -> String {
    match (audit.verdict, audit.reason()) {
        (Verdict::NotGenuine | Verdict::Undecided | Verdict::UntrustedIssuer, Some(fact)) => {
            format!("{place}: [{}] {}", fact.code, term::safe(&fact.detail))
        }
        _ => place.to_owned(),
    }
}

fn by_verdict(audit: &Audit) -> Skipped {
    match audit.verdict {
        Verdict::UntrustedIssuer => Skipped::UntrustedIssuer,
        Verdict::Undecided => Skipped::Undecided,
        _ => Skipped::NotGenuine,
    }
}

/// A receipt whose signature holds, as far as it counts.
fn genuine(
    receipt: &VerifiedReceipt,
    audit: &Audit,
    place: &str,
) -> Result<Candidate, Skipped> {
    // One that contradicts itself is not genuine, whoever signed it.
    if !matches!(audit.verdict, Verdict::GenuineBound | Verdict::GenuineNotBound) {
        return Err(by_verdict(audit));
    }
    if audit.context != Context::Verification {
        return Err(Skipped::ScoreReceipt);
    }
    let root = receipt.root();
    let text = |name: &str| root.get(name).and_then(Node::as_str);
    let agent_id = text("agent_id").ok_or(Skipped::NoAgent)?;
    if is_reserved(agent_id) {
        return Err(Skipped::Reserved);
    }
    let passed = match text("result") {
        Some("pass") => true,
        Some("fail") => false,
        _ => return Err(Skipped::NoVerdict),
    };
    let time = root.get("attestation").and_then(|it| it.get("timestamp")).and_then(Node::as_str);
    let time = time.and_then(|time| DateTime::parse_from_rfc3339(time).ok());
    let at = time.ok_or(Skipped::NoVerdict)?.to_utc();
    let content = Sha256Hex::of(receipt.signed_bytes());
    let id = text("verification_id").map_or_else(|| content.to_string(), str::to_owned);
    Ok(Candidate {
        agent_id: agent_id.to_owned(),
        id,
        content,
        observation: Observation { at, passed },
        place: place.to_owned(),
    })
}
