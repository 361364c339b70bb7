//! The breakages of a good output, each put to the check that gives verdicts.

use super::breakage::{Change, changes};
use crate::check::{Outcome, Verdict, Work, check_with};
use crate::json::{MAX_DEPTH, Node, read};
use crate::schema::Schema;
use crate::template::Template;

/// How many values are checked in all breakages together: a check takes time for each.
const MAX_VALUES: usize = 20_000_000;

/// What came of breaking a good output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trial {
    /// No good output was given.
    NoOutput,
    /// The template cannot be used at all.
    Unusable,
    /// The output that is called good does not pass, for these reasons.
    Rejected(Vec<String>),
    /// It was broken.
    Broken(TrialReport),
}

/// The breakages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialReport {
    /// Each, in the order of the document.
    pub breakages: Vec<Breakage>,
    /// How many more there would have been; a large output is not broken in all ways.
    pub untried: usize,
}

impl TrialReport {
    /// How many were caught.
    #[must_use]
    pub fn caught(&self) -> usize {
        self.breakages.iter().filter(|breakage| matches!(breakage.caught, Caught::By(_))).count()
    }
}

/// One way in which an output was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakage {
    /// In what way: `missing`, `null`, `off by one cent`.
    pub how: &'static str,
    /// Where: `$.items[0].price`.
    pub place: String,
    /// What the template makes of it.
    pub caught: Caught,
}

/// Whether a broken output fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caught {
    /// It fails: the first check that says so.
    By(String),
    /// It passes, with a flag of this check.
    Flagged(String),
    /// It passes.
    No,
}

/// Breaks `output`, if it is good.
pub(super) fn trial<'d>(template: &Template<'d>, schema: &Schema, output: Node<'d>) -> Trial {
    let Ok(request) = template.request(output) else { return Trial::Unusable };
    match check_with(&request, schema, Work::Inline) {
        Err(faults) => {
            let reasons = faults.iter().map(ToString::to_string).collect();
            return Trial::Rejected(reasons);
        }
        Ok(outcome) if outcome.verdict() == Verdict::Fail => {
            return Trial::Rejected(reasons(&outcome));
        }
        Ok(_) => {}
    }
    let changes = changes(template.expected_schema(), &request);
    let room = room(output.document().value_count(), changes.len());
    let mut report = TrialReport { breakages: Vec::new(), untried: 0 };
    for (at, change) in changes.iter().enumerate() {
        let chosen = is_chosen(at, room, changes.len());
        match chosen.then(|| verdict(template, schema, change, output)).flatten() {
            Some(caught) => report.breakages.push(Breakage {
                how: change.how,
                place: change.place.clone(),
                caught,
            }),
            None => report.untried += 1,
        }
    }
    Trial::Broken(report)
}

/// How many of so many breakages of an output with so many values are tried.
pub(super) fn room(values: usize, changes: usize) -> usize {
    (MAX_VALUES / values.max(1)).clamp(1, changes.max(1))
}

/// Whether a breakage is among those tried, which are spread over the whole output.
pub(super) fn is_chosen(at: usize, room: usize, changes: usize) -> bool {
    (at + 1) * room / changes > at * room / changes
}

/// What the template makes of a broken output; `None` where there is no verdict.
fn verdict(
    template: &Template<'_>,
    schema: &Schema,
    change: &Change,
    output: Node<'_>,
) -> Option<Caught> {
    let broken = read(change.apply(output.document().text()), MAX_DEPTH).ok()?;
    let request = template.request(broken.root()).ok()?;
    let outcome = check_with(&request, schema, Work::Inline).ok()?;
    Some(match outcome.verdict() {
        Verdict::Fail => Caught::By(reasons(&outcome).into_iter().next().unwrap_or_default()),
        Verdict::Pass => flagged(&outcome).map_or(Caught::No, Caught::Flagged),
    })
}

fn flagged(outcome: &Outcome) -> Option<String> {
    let findings = outcome.rules.findings.iter();
    findings
        .map(|finding| format!("{} at {}", finding.check, finding.field))
        .next()
        .or_else(|| outcome.schema.incomplete.first().map(|finding| finding.check.to_owned()))
}

/// Why an output fails, in a few words each.
fn reasons(outcome: &Outcome) -> Vec<String> {
    let schema = outcome
        .schema
        .violations
        .iter()
        .map(|violation| format!("{} at {}", violation.check, violation.place.path()));
    let rules = outcome.rules.findings.iter().filter(|_| outcome.enforce_rules);
    let rules = rules.map(|finding| format!("{} at {}", finding.check, finding.field));
    schema.chain(rules).take(20).collect()
}
