//! Flags and hints (SPEC 7.1).

use super::{Error, Errors, Json, MAX_DETAILS, MAX_FLAGS};
use crate::check::Outcome;
use crate::finding::Finding;
use crate::place::path_of_field;

/// `flags` and `hints` with their counts.
pub(super) fn fields(outcome: &Outcome) -> Vec<(&'static str, Json)> {
    let unhashable: Vec<Finding> = unhashable(outcome).collect();
    let flags = Flags::of(outcome, &unhashable);
    let mut fields = flags.fields();
    fields.extend(hints(outcome, &flags));
    fields
}

/// All flags in order; the last of them are never cut.
struct Flags<'o> {
    /// With whether it fails the result.
    ordinary: Vec<(&'o Finding, bool)>,
    unhashable: &'o [Finding],
    unlisted: u64,
}

impl<'o> Flags<'o> {
    fn of(outcome: &'o Outcome, unhashable: &'o [Finding]) -> Self {
        let info = outcome.content.flags.iter().chain(&outcome.schema.incomplete);
        let mut ordinary: Vec<_> = info.map(|finding| (finding, false)).collect();
        ordinary
            .extend(outcome.rules.findings.iter().map(|finding| (finding, outcome.enforce_rules)));
        let unlisted = outcome.content.unlisted_flags
            + outcome.schema.unlisted_incomplete
            + outcome.rules.unlisted;
        Self { ordinary, unhashable, unlisted }
    }

    fn total(&self) -> u64 {
        (self.ordinary.len() + self.unhashable.len()) as u64 + self.unlisted
    }

    fn fields(&self) -> Vec<(&'static str, Json)> {
        let room = MAX_FLAGS - self.unhashable.len();
        let mut shown: Vec<_> =
            self.ordinary.iter().take(room).map(|(finding, fails)| flag(finding, *fails)).collect();
        shown.extend(self.unhashable.iter().map(|finding| flag(finding, false)));
        let omitted = self.total() - shown.len() as u64;
        if omitted > 0 {
            shown.push(truncated(omitted));
        }
        vec![
            ("flags", Json::Array(shown)),
            ("flags_total", Json::Count(self.total())),
            ("flags_omitted", Json::Count(omitted)),
        ]
    }
}

fn flag(finding: &Finding, fails: bool) -> Json {
    flag_object(
        finding.check,
        &finding.field,
        if fails { "error" } else { "info" },
        &finding.detail,
    )
}

fn truncated(omitted: u64) -> Json {
    flag_object("flags_truncated", "", "info", &format!("{omitted} more"))
}

fn flag_object(check: &str, field: &str, severity: &str, detail: &str) -> Json {
    Json::Object(vec![
        ("check", Json::text(check)),
        ("field", Json::text(field)),
        ("severity", Json::text(severity)),
        ("detail", Json::text(detail)),
    ])
}

/// One hint per finding: schema errors, strict content, flags.
fn hints(outcome: &Outcome, flags: &Flags<'_>) -> Vec<(&'static str, Json)> {
    let errors = Errors::of(outcome);
    let own = |error: &&Error<'_>| !matches!(error, Error::Enforced(_));
    let of_errors = errors.all.iter().filter(own);
    let total = of_errors.clone().count() as u64
        + outcome.schema.unlisted_violations
        + outcome.content.unlisted_strict_errors
        + flags.total();
    let of_flags = flags.ordinary.iter().map(|(finding, _)| *finding).chain(flags.unhashable);
    let shown: Vec<_> = of_errors
        .map(|error| {
            let source = if matches!(error, Error::Schema(_)) { "schema" } else { "integrity" };
            let (expected, found) = error.words();
            hint(source, error.check(), &error.path(), expected, found)
        })
        .chain(of_flags.map(|finding| {
            let path = path_of_field(&finding.field);
            hint("integrity", finding.check, &path, &finding.expected, &finding.found)
        }))
        .take(MAX_DETAILS)
        .collect();
    let omitted = total - shown.len() as u64;
    vec![
        ("hints", Json::Array(shown)),
        ("hints_total", Json::Count(total)),
        ("hints_omitted", Json::Count(omitted)),
    ]
}

fn hint(source: &str, check: &str, path: &str, expected: &str, found: &str) -> Json {
    Json::Object(vec![
        ("source", Json::text(source)),
        ("check", Json::text(check)),
        ("path", Json::text(path)),
        ("expected", Json::text(expected)),
        ("found", Json::text(found)),
    ])
}

/// One flag per part without canonical form, naming the hashes that are null for it (SPEC 3.3).
fn unhashable(outcome: &Outcome) -> impl Iterator<Item = Finding> + '_ {
    outcome.unhashable().map(|(field, fault)| {
        let own = if field == "submitted_output" { "output_hash" } else { "schema_hash" };
        Finding {
            check: "unhashable_input",
            field: field.to_owned(),
            expected: "a value with an RFC 8785 canonical form".to_owned(),
            found: fault.reason.to_string(),
            detail: format!(
                "{} has no RFC 8785 canonical form; {own} and request_hash are null",
                fault.reason
            ),
            difference: None,
            marks: Vec::new(),
        }
    })
}
