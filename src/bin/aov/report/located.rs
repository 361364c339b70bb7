//! What was found, for programs that show it to people: each finding or problem with its place in
//! a file, as text. The formats differ in how they write this list, not in what is in it.

use std::ops::Range;

use agent_output_verifier::json::{Lines, Node, Position};
use agent_output_verifier::text;

use super::finding::{Counts, Shown, shown};
use super::{Checked, Rejection, human, json};
use crate::cmd::Failure;
use crate::input::{InputError, JsonFile, Origin, in_file};

/// At most this many findings of one input are listed for programs.
pub(super) const MAX_LISTED: usize = 100;
/// The code under which the others are counted, as in the response body (SPEC 7.1).
const OMITTED: &str = "flags_truncated";
/// Code points of a region that are quoted.
const MAX_SNIPPET: usize = 200;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    /// The output fails, or cannot be checked.
    Error,
    /// The output does not fail for it.
    Warning,
}

impl Severity {
    /// As SARIF and GitHub call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A part of a file.
#[derive(Debug, Clone)]
pub(super) struct Region {
    /// The file.
    pub(super) origin: Origin,
    /// Where it begins; none for the file as a whole.
    pub(super) span: Option<(Position, Position)>,
    /// Its text, as far as it may be quoted.
    pub(super) snippet: Option<String>,
    /// What to say about it, if it is not the place of the finding itself.
    pub(super) label: String,
}

/// One thing to show.
#[derive(Debug, Clone)]
pub(super) struct Located {
    pub(super) severity: Severity,
    /// The code: a keyword, a rule, or why there is no verdict.
    pub(super) check: String,
    /// Where in the output, as a path; of a problem the field.
    pub(super) path: String,
    pub(super) expected: String,
    pub(super) found: String,
    /// One sentence.
    pub(super) message: String,
    pub(super) place: Region,
    /// Other places that belong to it.
    pub(super) also: Vec<Region>,
}

/// The findings of an output, and how many are not listed.
pub(super) fn findings(checked: &Checked<'_>) -> (Vec<Located>, u64) {
    let counts = Counts::of(checked.outcome);
    let mut files = Files::default();
    let list: Vec<_> = shown(checked.outcome)
        .take(MAX_LISTED)
        .map(|finding| files.finding(&finding, checked))
        .collect();
    let omitted = (counts.errors + counts.warnings).saturating_sub(list.len() as u64);
    (list, omitted)
}

/// The same as one list, whose last entry says how many are not in it.
pub(super) fn all_findings(checked: &Checked<'_>) -> Vec<Located> {
    let (mut list, omitted) = findings(checked);
    say_omitted(&mut list, omitted, checked.input.origin());
    list
}

/// Adds to a list how many are not in it.
pub(super) fn say_omitted(list: &mut Vec<Located>, omitted: u64, origin: Origin) {
    if omitted > 0 {
        let severity = match list.last() {
            Some(last) => last.severity,
            None => Severity::Warning,
        };
        list.push(Located {
            severity,
            check: OMITTED.to_owned(),
            path: "$".to_owned(),
            expected: String::new(),
            found: format!("{omitted} more"),
            message: format!("{omitted} more findings are not listed here"),
            place: whole(origin),
            also: Vec::new(),
        });
    }
}

/// Why something has no verdict: each problem with its place.
pub(super) fn problems(origin: &Origin, failure: &Failure, redact: bool) -> Vec<Located> {
    let code = json::code(failure);
    match failure {
        Failure::Invalid(rejection) => rejected(origin, rejection, redact),
        Failure::Input(InputError::Json(error)) => {
            let position = error.position();
            let end = Position { column: position.column + 1, ..position };
            let snippet = error.bytes.get(error.offset..=error.offset).filter(|_| !redact);
            let snippet = snippet.map(|byte| String::from_utf8_lossy(byte).into_owned());
            let message = error.kind.to_string();
            let origin = Origin { name: error.name.clone(), line: error.line, ..origin.clone() };
            let place =
                Region { origin, span: Some((position, end)), snippet, label: String::new() };
            vec![problem(code, "body", &message, "Give one JSON value (RFC 8259).", place)]
        }
        _ => {
            let message = failure.to_string();
            vec![problem(code, "body", &message, "", whole(origin.clone()))]
        }
    }
}

fn rejected(origin: &Origin, rejection: &Rejection, redact: bool) -> Vec<Located> {
    let Rejection { headline, invalid, places } = rejection;
    let mut list = Vec::new();
    for (problem_of, place) in invalid.problems.iter().zip(places) {
        let place = place.as_ref().map_or_else(
            || whole(origin.clone()),
            |spot| {
                let start = spot.excerpt.position;
                let marked = spot.excerpt.marked();
                let column = start.column + marked.chars().count().max(1);
                Region {
                    origin: spot.origin.clone(),
                    span: Some((start, Position { column, ..start })),
                    snippet: (!redact).then(|| marked.to_owned()),
                    label: String::new(),
                }
            },
        );
        let message = format!("{} {}", problem_of.field, problem_of.problem);
        list.push(problem(invalid.code, &problem_of.field, &message, &problem_of.fix, place));
    }
    let left = invalid.problems.len() - list.len();
    if left > 0 {
        let message = format!("{headline}: {left} more problems are not listed here");
        list.push(problem(invalid.code, "body", &message, "", whole(origin.clone())));
    }
    list
}

pub(super) fn problem(code: &str, field: &str, what: &str, fix: &str, place: Region) -> Located {
    let gap = if fix.is_empty() { "" } else { ". " };
    Located {
        severity: Severity::Error,
        check: code.to_owned(),
        path: field.to_owned(),
        expected: fix.to_owned(),
        found: what.to_owned(),
        message: format!("{what}{gap}{fix}"),
        place,
        also: Vec::new(),
    }
}

pub(super) fn whole(origin: Origin) -> Region {
    Region { origin, span: None, snippet: None, label: String::new() }
}

/// The lines of the files that findings point into, found when the first one does.
#[derive(Debug, Default)]
struct Files<'d> {
    known: Vec<(&'d str, Lines<'d>)>,
}

impl<'d> Files<'d> {
    fn finding(&mut self, finding: &Shown<'d>, checked: &Checked<'d>) -> Located {
        let (file, root) = finding.file(checked);
        let document = root.document();
        let marks = finding.marks();
        let mut regions = marks
            .iter()
            .map(|mark| self.region(file, document.node(mark.node), &mark.label, checked.redact));
        let place = regions.next().unwrap_or_else(|| whole(file.origin()));
        let also = regions.take(human::MAX_MARKS - 1).collect();
        let (expected, found) = (finding.expected(), finding.found());
        let difference = finding
            .difference()
            .map(|difference| format!(" (difference {difference})"))
            .unwrap_or_default();
        Located {
            severity: if finding.fails() { Severity::Error } else { Severity::Warning },
            check: finding.check().to_owned(),
            path: finding.path(),
            expected: expected.to_owned(),
            found: found.to_owned(),
            message: format!("{}: expected {expected}, found {found}{difference}", finding.path()),
            place,
            also,
        }
    }

    fn region(&mut self, file: &JsonFile, node: Node<'d>, label: &str, redact: bool) -> Region {
        let source = node.document().text();
        let at = self.known.iter().position(|(known, _)| std::ptr::eq(*known, source));
        let at = at.unwrap_or_else(|| {
            self.known.push((source, Lines::new(source.as_bytes())));
            self.known.len() - 1
        });
        let lines = &self.known[at].1;
        Region { label: label.to_owned(), ..region(file.origin(), node, lines, redact) }
    }
}

/// A value of an input, whose lines are these.
pub(super) fn region(origin: Origin, node: Node<'_>, lines: &Lines<'_>, redact: bool) -> Region {
    let Range { start, end } = human::marked(node);
    let position = |offset| in_file(origin.line, lines.position(offset));
    let span = Some((position(start), position(end)));
    let source = &node.document().text()[start..end];
    let snippet = (!redact).then(|| text::cut(source, MAX_SNIPPET).into_owned());
    Region { origin, span, snippet, label: String::new() }
}
