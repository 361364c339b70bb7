//! An audit as findings with their places, for the formats that show lists of them: what is against
//! the receipt are errors, smaller inconsistencies are warnings.

use agent_output_verifier::json::{Kind, Lines, Node, Position};
use agent_output_verifier::receipt::fact::{Fact, NotChecked, Status, Subject};
use agent_output_verifier::receipt::{Answer, Audit};

use super::{detail, oddity};
use crate::cmd::verify_receipt::work::{Checked, Receipt, Unread};
use crate::input::Origin;
use crate::report::junit::{Case, End, suite};
use crate::report::located::{Located, Region, Severity, problem, region, whole};

/// The findings of one record; none if the answer is yes and nothing is odd.
pub(super) fn located(checked: &Checked, redact: bool) -> Vec<Located> {
    let origin = checked.origin();
    match &checked.result {
        Err(unread) => vec![unread_finding(origin, unread)],
        Ok(receipt) => Places::new(origin, receipt, redact).findings(),
    }
}

fn unread_finding(origin: Origin, unread: &Unread) -> Located {
    let span = unread.position.map(|start| {
        let end = Position { column: start.column + 1, ..start };
        (start, end)
    });
    let place = Region { span, ..whole(origin) };
    problem(unread.code, "body", &unread.message, "", place)
}

/// Whether a fact is against the receipt: it fails, or the answer is not yes because of it.
fn counts_against(fact: &Fact, audit: &Audit) -> bool {
    let is_reason = || audit.reason().is_some_and(|reason| std::ptr::eq(reason, fact));
    fact.status == Status::Fails || is_reason()
}

/// The suite of one record: a case for each fact, and one for each thing that was not checked, which
/// is skipped.
pub(super) fn junit(checked: &Checked, redact: bool) -> String {
    let origin = checked.origin();
    let receipt = match &checked.result {
        Ok(receipt) => receipt,
        Err(unread) => {
            let finding = unread_finding(origin.clone(), unread);
            let end = End::Error(vec![&finding]);
            return suite(&origin, &[Case { name: "input".to_owned(), end, notes: vec![] }]);
        }
    };
    let audit = receipt.audited.audit();
    let places = Places::new(origin.clone(), receipt, redact);
    let against: Vec<_> = audit.facts.iter().map(|fact| places.fact(fact)).collect();
    let odd: Vec<_> = places.warnings().collect();
    let verdict = places.verdict_alone();
    let mut cases: Vec<_> = audit
        .facts
        .iter()
        .zip(&against)
        .map(|(fact, finding)| {
            let end = match fact.status {
                Status::Open if counts_against(fact, audit) => match audit.answer() {
                    Answer::Unavailable => End::Error(vec![finding]),
                    _ => End::Failed(vec![finding]),
                },
                Status::Open => End::Skipped(detail(fact, redact).to_owned()),
                Status::Fails => End::Failed(vec![finding]),
                Status::Holds => End::Passed,
            };
            let is_about_itself = fact.subject == Subject::Consistency;
            let notes = if is_about_itself { odd.iter().collect() } else { vec![] };
            Case { name: fact.subject.as_str().to_owned(), end, notes }
        })
        .collect();
    if let Some(finding) = &verdict {
        let name = "verdict".to_owned();
        cases.push(Case { name, end: End::Failed(vec![finding]), notes: vec![] });
    }
    cases.extend(audit.not_checked.iter().map(|item: &NotChecked| Case {
        name: format!("not checked: {item}"),
        end: End::Skipped(item.meaning().to_owned()),
        notes: vec![],
    }));
    suite(&origin, &cases)
}

/// The text of a receipt, to find places in.
struct Places<'r> {
    origin: Origin,
    root: Node<'r>,
    lines: Lines<'r>,
    audit: &'r Audit,
    redact: bool,
}

impl<'r> Places<'r> {
    fn new(origin: Origin, receipt: &'r Receipt, redact: bool) -> Self {
        let root = receipt.audited.says();
        let lines = Lines::new(root.document().text().as_bytes());
        Self { origin, root, lines, audit: receipt.audited.audit(), redact }
    }

    fn findings(&self) -> Vec<Located> {
        let facts = self.audit.facts.iter().filter(|fact| counts_against(fact, self.audit));
        facts
            .map(|fact| self.fact(fact))
            .chain(self.verdict_alone())
            .chain(self.warnings())
            .collect()
    }

    fn fact(&self, fact: &Fact) -> Located {
        let detail = detail(fact, self.redact);
        Located {
            severity: Severity::Error,
            check: fact.code.as_str().to_owned(),
            expected: fact.subject.meaning().to_owned(),
            ..self.finding(members(fact.subject), &format!("{}: {detail}", fact.subject), detail)
        }
    }

    /// The verdict, where no fact stands for it: an answer that is not yes is never without a word.
    fn verdict_alone(&self) -> Option<Located> {
        let Audit { facts, verdict, .. } = self.audit;
        let said = facts.iter().any(|fact| counts_against(fact, self.audit));
        (!said && self.audit.answer() != Answer::Yes).then(|| Located {
            severity: Severity::Error,
            check: verdict.as_str().to_owned(),
            ..self.finding(&[], verdict.meaning(), verdict.meaning())
        })
    }

    fn warnings(&self) -> impl Iterator<Item = Located> {
        self.audit.warnings.iter().map(|warning| {
            let detail = oddity(warning, self.redact);
            let message = format!("{}: {detail}", warning.field);
            self.finding(&[warning.field], &message, detail)
        })
    }

    /// A warning at a member of the receipt, as deep as it is there.
    fn finding(&self, members: &[&str], message: &str, found: &str) -> Located {
        let (mut node, mut path) = (self.root, "$".to_owned());
        for name in members {
            let Some(member) = node.get(name).filter(|_| node.kind() == Kind::Object) else {
                break;
            };
            (node, path) = (member, format!("{path}.{name}"));
        }
        Located {
            severity: Severity::Warning,
            check: "inconsistent".to_owned(),
            path,
            expected: String::new(),
            found: found.to_owned(),
            message: message.to_owned(),
            place: region(self.origin.clone(), node, &self.lines, self.redact),
            also: Vec::new(),
        }
    }
}

/// Where in a receipt stands what a subject is about.
fn members(subject: Subject) -> &'static [&'static str] {
    match subject {
        Subject::Structure => &["attestation"],
        Subject::Signature => &["attestation", "signature"],
        Subject::KeySource => &["attestation", "key_version"],
        Subject::Issuer => &["verify", "public_key_url"],
        Subject::Consistency | Subject::RequirePass | Subject::Replay => &["result"],
        Subject::OutputHash => &["output_hash"],
        Subject::SchemaHash => &["schema_hash"],
        Subject::RulesHash => &["rules_hash"],
        Subject::RequestHash => &["request_hash"],
        Subject::TaskId | Subject::RequireTaskId => &["task_id"],
        Subject::AgentId | Subject::RequireAgentId => &["agent_id"],
        Subject::EnforceRules | Subject::RequireEnforced => &["enforce_rules"],
        Subject::StrictContentCheck => &["strict_content_check"],
        Subject::Age | Subject::MaxAge => &["attestation", "timestamp"],
        Subject::Unique => &["verification_id"],
    }
}
