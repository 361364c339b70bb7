//! How checks report: one count each, one finding for each that fails, and the words that all of
//! them use for what cannot run (SPEC 5.3).

use crate::finding::{Finding, Mark, Tally};
use crate::json::{Kind, Node};
use crate::listing::Listing;
use crate::path::{Path, PathError, Places, Resolved, Segment};
use crate::place::Place;
use crate::text::{MAX_ECHO, cut, visible};

use super::RulesReport;

/// The checks made so far.
#[derive(Default)]
pub(super) struct Report {
    listing: Listing,
    tally: Tally,
}

impl Report {
    /// The next bound or rule begins.
    pub(super) fn begin(&mut self) {
        self.listing.begin();
    }

    pub(super) fn pass(&mut self) {
        self.tally.count(true);
    }

    pub(super) fn fail(&mut self, finding: impl FnOnce() -> Finding) {
        self.tally.count(false);
        self.listing.add(finding);
    }

    pub(super) fn finish(self) -> RulesReport {
        let (findings, unlisted) = self.listing.into_parts();
        RulesReport { findings, unlisted, tally: self.tally }
    }
}

/// What a finding says, wherever it stands.
#[derive(Debug, Clone)]
pub(super) struct Complaint {
    pub(super) expected: String,
    pub(super) found: String,
    pub(super) detail: String,
    /// How far the values are apart, where that is a number.
    pub(super) difference: Option<String>,
    /// Other values that belong to it.
    pub(super) also: Vec<Mark>,
}

impl Complaint {
    pub(super) fn new(
        expected: impl Into<String>,
        found: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        let (expected, found, detail) = (expected.into(), found.into(), detail.into());
        Self { expected, found, detail, difference: None, also: Vec::new() }
    }

    /// That a check could not be made: what was found is the reason.
    pub(super) fn cannot_run(expected: impl Into<String>, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        let detail = format!("cannot run: {reason}");
        Self::new(expected, reason, detail)
    }

    pub(super) fn with(mut self, mark: Option<Mark>) -> Self {
        self.also.extend(mark);
        self
    }

    /// The finding at `field`, pointing at `node`.
    pub(super) fn at(self, check: &'static str, field: String, node: Node<'_>) -> Finding {
        let Self { expected, found, detail, difference, also } = self;
        let marks = std::iter::once(Mark::here(node.id())).chain(also).collect();
        Finding { check, field, expected, found, detail, difference, marks }
    }
}

/// The part of a bound or rule that says where it applies.
pub(super) struct Subject<'r> {
    pub(super) check: &'static str,
    /// The path as written.
    pub(super) field: &'r str,
    pub(super) if_present: bool,
}

impl Subject<'_> {
    /// The path as a flag's field shows it.
    pub(super) fn written(&self) -> String {
        visible(self.field).into_owned()
    }

    /// The path read; a malformed one is reported.
    pub(super) fn path(&self, root: Node<'_>, report: &mut Report) -> Option<Path> {
        Path::parse(self.field)
            .map_err(|error| {
                report.fail(|| malformed_path("path", error).at(self.check, self.written(), root));
            })
            .ok()
    }
}

/// A check that is made at every place of a path.
pub(super) trait PlaceCheck<'d> {
    /// Why it does not hold at a place; cheap, because most are only counted.
    type Fault;

    /// What should be at each place.
    fn wanted(&self) -> String;

    /// Whether it holds for the value at the place where `places` stands.
    fn judge(&mut self, value: Node<'d>, places: &Places<'_, 'd>) -> Result<(), Self::Fault>;

    /// The text for a fault at that place.
    fn explain(&self, fault: Self::Fault, value: Node<'d>, places: &Places<'_, 'd>) -> Complaint;
}

/// Makes a check at every place of `path`. A defect of the rule itself is a finding at each place
/// that is not skipped; where an empty array leaves no place, one at the path as written.
pub(super) fn check_places<'d, C: PlaceCheck<'d>>(
    subject: &Subject<'_>,
    path: &Path,
    root: Node<'d>,
    mut plan: Result<C, Complaint>,
    report: &mut Report,
) {
    let mut places = path.resolve(root);
    let mut any = false;
    while let Some(resolved) = places.next() {
        any = true;
        let here = |complaint: Complaint| {
            complaint.at(subject.check, places.place().field(), resolved.node())
        };
        match (resolved, &mut plan) {
            (Resolved::Absent { .. }, _) if subject.if_present => {}
            (Resolved::Value(value), Ok(check)) => match check.judge(value, &places) {
                Ok(()) => report.pass(),
                Err(fault) => report.fail(|| here(check.explain(fault, value, &places))),
            },
            (Resolved::Value(_), Err(defect)) => report.fail(|| here(defect.clone())),
            (_, plan) => report.fail(|| {
                let wanted = match plan {
                    Ok(check) => check.wanted(),
                    Err(defect) => defect.expected.clone(),
                };
                here(stopped_here(wanted, resolved, path, &places))
            }),
        }
    }
    if let (false, Err(defect)) = (any, plan) {
        report.fail(|| defect.at(subject.check, subject.written(), root));
    }
}

/// That the path leads to no value at a place.
fn stopped_here(
    wanted: String,
    resolved: Resolved<'_>,
    path: &Path,
    places: &Places<'_, '_>,
) -> Complaint {
    match resolved {
        Resolved::Unreachable { met, segment } => {
            let place = name_of(&places.place_before(segment));
            let expected = format!("{} at {place}", needed(&path.segments()[segment]));
            let detail = obstacle(resolved, path, places).unwrap_or_default();
            Complaint::new(expected, with_article(met.kind()), format!("cannot run: {detail}"))
        }
        _ => Complaint::new(wanted, "missing", "cannot run: the value is missing"),
    }
}

/// Why a path leads to no value at the place where `places` would stand, in a clause; `None` where
/// there is one.
pub(super) fn obstacle(
    resolved: Resolved<'_>,
    path: &Path,
    places: &Places<'_, '_>,
) -> Option<String> {
    match resolved {
        Resolved::Value(_) => None,
        Resolved::Absent { .. } => {
            Some(format!("{} is missing", name_of(&places.place_along(path.segments()))))
        }
        Resolved::Unreachable { met, segment } => Some(format!(
            "{} is {}, not {}",
            name_of(&places.place_along(&path.segments()[..segment])),
            with_article(met.kind()),
            needed(&path.segments()[segment]),
        )),
    }
}

/// Why a path cannot be read, in a clause. `what` names it: `path`, `other_field`.
pub(super) fn malformed(what: &str, error: PathError) -> String {
    format!("malformed {what}: {error}")
}

/// The complaint about that.
pub(super) fn malformed_path(what: &str, error: PathError) -> Complaint {
    Complaint::cannot_run("a well-formed path", malformed(what, error))
}

/// What a step needs to stand on.
fn needed(segment: &Segment) -> &'static str {
    match segment {
        Segment::Key(_) => "an object",
        Segment::Every => "an array",
    }
}

/// `a string`, `an array`, `null`.
pub(super) fn with_article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// A place as a sentence names it: like a flag's field, the root as `$`.
pub(super) fn name_of(place: &Place) -> String {
    let field = place.field();
    if field.is_empty() { "$".to_owned() } else { cut(&field, MAX_ECHO).into_owned() }
}

/// A path as a sentence names it.
pub(super) fn path_name(written: &str) -> String {
    cut(&visible(written), MAX_ECHO).into_owned()
}
