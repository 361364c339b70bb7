//! The body of an answer: an [`Outcome`] in the fields and the order of SPEC 7, with its caps and
//! counts. It is a value, so that it can be printed, embedded and signed alike.

mod flags;
mod json;

pub use json::Json;

use crate::check::{Outcome, Verdict};
use crate::finding::{Finding, Tally, Violation};
use crate::place::path_of_field;
use crate::request::{Detail, Request};

/// Schema errors in `errors`; the others are never cut.
const MAX_SCHEMA_ERRORS: usize = 100;
/// Entries of `errors_detail` and of `hints`.
const MAX_DETAILS: usize = 20;
/// Entries of `flags`, not counting the marker that there are more.
const MAX_FLAGS: usize = 100;

/// What identifies one verification.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'s> {
    /// A UUID (version 4).
    pub verification_id: &'s str,
    /// UTC with microseconds and `+00:00` (SPEC 7.4).
    pub verified_at: &'s str,
    /// The version of this program.
    pub verifier_version: &'s str,
}

/// How to verify a signed answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifySection {
    /// The agent card that lists the key.
    pub public_key_url: String,
    /// The version of the key.
    pub key_version: String,
    /// The name of the service.
    pub service: String,
    /// Its MCP endpoint.
    pub mcp: String,
}

/// The body of the answer to a request; without `verify` it is the unsigned one. The attestation
/// comes behind it, over it.
#[must_use]
pub fn body(
    request: &Request<'_>,
    outcome: &Outcome,
    stamp: Stamp<'_>,
    verify: Option<&VerifySection>,
) -> Json {
    let errors = Errors::of(outcome);
    let full = request.detail == Detail::Full;
    let mut fields = verdict_fields(outcome, &errors);
    fields.extend([
        ("verification_id", Json::text(stamp.verification_id)),
        ("task_id", Json::text(&*request.task_id)),
        ("agent_id", Json::optional(request.agent_id.as_deref())),
        ("output_hash", Json::optional(outcome.hashes.output.as_ref().ok())),
        ("schema_hash", Json::optional(outcome.hashes.schema.as_ref().ok())),
        ("rules_hash", Json::optional(outcome.hashes.rules.as_ref())),
    ]);
    if full {
        fields.push(("request_hash", Json::optional(outcome.hashes.request.as_ref())));
    }
    fields.extend([
        ("verified_at", Json::text(stamp.verified_at)),
        ("verifier_version", Json::text(stamp.verifier_version)),
        ("enforce_rules", Json::Bool(request.enforce_rules)),
        ("strict_content_check", Json::Bool(request.strict_content_check)),
    ]);
    if full {
        fields.extend(errors.fields());
        fields.extend(flags::fields(outcome));
        fields.extend(score_fields(outcome));
    }
    if let Some(verify) = verify {
        fields.push(("verify", verify_section(verify)));
    }
    Json::Object(fields)
}

fn verdict_fields(outcome: &Outcome, errors: &Errors<'_>) -> Vec<(&'static str, Json)> {
    let verdict = outcome.verdict();
    let result = || Json::text(verdict.name());
    let action = |pairs: [(&'static str, &str); 2]| {
        Json::Object(pairs.map(|(name, value)| (name, Json::text(value))).to_vec())
    };
    let next_actions = match verdict {
        Verdict::Fail => vec![action([("action", "repair_and_reverify"), ("using", "hints")])],
        Verdict::Pass => vec![
            action([("action", "attach_receipt"), ("for", "seller")]),
            action([("action", "proceed_to_payment"), ("for", "buyer")]),
        ],
    };
    let blocking = errors.checks().into_iter().map(Json::text).collect();
    vec![
        (
            "summary",
            Json::Object(vec![("result", result()), ("blocking_checks", Json::Array(blocking))]),
        ),
        ("next_actions", Json::Array(next_actions)),
        ("result", result()),
    ]
}

fn score_fields(outcome: &Outcome) -> [(&'static str, Json); 3] {
    let (schema, integrity) = (outcome.schema.assertions, outcome.integrity());
    [
        ("schema_compliance", score(schema)),
        ("integrity_checks", score(integrity)),
        ("overall", score(schema.plus(integrity))),
    ]
}

fn score(tally: Tally) -> Json {
    Json::Object(vec![
        ("ratio", ratio(tally).map_or(Json::Null, Json::Float)),
        ("passed", Json::Count(tally.passed)),
        ("total", Json::Count(tally.total)),
    ])
}

/// Passed out of total, rounded half to even at six digits; `None` for none (SPEC 7.2).
#[must_use]
pub fn ratio(tally: Tally) -> Option<f64> {
    let exact = tally.passed as f64 / tally.total as f64;
    // Formatting rounds the exact value of the double, ties to even.
    (tally.total > 0).then(|| format!("{exact:.6}").parse().unwrap_or(exact))
}

pub(crate) fn verify_section(verify: &VerifySection) -> Json {
    Json::Object(vec![
        ("public_key_url", Json::text(&*verify.public_key_url)),
        ("key_version", Json::text(&*verify.key_version)),
        ("canonicalization", Json::text("RFC 8785 (JCS)")),
        ("hash_algorithm", Json::text("SHA-256")),
        ("service", Json::text(&*verify.service)),
        ("mcp", Json::text(&*verify.mcp)),
    ])
}

/// One error, from whichever check.
enum Error<'o> {
    Schema(&'o Violation),
    Strict(&'o Finding),
    Enforced(&'o Finding),
}

impl Error<'_> {
    fn check(&self) -> &str {
        match self {
            Self::Schema(violation) => &violation.check,
            Self::Strict(finding) | Self::Enforced(finding) => finding.check,
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Schema(violation) => violation.place.path(),
            Self::Strict(finding) | Self::Enforced(finding) => path_of_field(&finding.field),
        }
    }

    fn words(&self) -> (&str, &str) {
        match self {
            Self::Schema(violation) => (&violation.expected, &violation.found),
            Self::Strict(finding) | Self::Enforced(finding) => (&finding.expected, &finding.found),
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Schema(Violation { check, expected, found, .. }) => {
                format!("schema: {check} at '{}': expected {expected}, found {found}", self.path())
            }
            Self::Strict(finding) => format!("strict_content_check: {}", finding.detail),
            Self::Enforced(Finding { check, field, detail, .. }) => {
                format!("enforce_rules: {check} at '{field}': {detail}")
            }
        }
    }

    fn detail(&self) -> Json {
        let (expected, found) = self.words();
        Json::Object(vec![
            ("check", Json::text(self.check())),
            ("path", Json::text(self.path())),
            ("expected", Json::text(expected)),
            ("found", Json::text(found)),
            ("message", Json::text(self.message())),
        ])
    }
}

/// The errors of an outcome, in order, and how many are not written out.
struct Errors<'o> {
    /// All schema errors, then strict content, then enforced findings.
    all: Vec<Error<'o>>,
    schema: usize,
    unlisted: u64,
}

impl<'o> Errors<'o> {
    fn of(outcome: &'o Outcome) -> Self {
        let schema = &outcome.schema.violations;
        let mut all: Vec<_> = schema.iter().map(Error::Schema).collect();
        all.extend(outcome.content.strict_errors.iter().map(Error::Strict));
        let mut unlisted =
            outcome.schema.unlisted_violations + outcome.content.unlisted_strict_errors;
        if outcome.enforce_rules {
            all.extend(outcome.rules.findings.iter().map(Error::Enforced));
            unlisted += outcome.rules.unlisted;
        }
        Self { all, schema: schema.len(), unlisted }
    }

    /// Distinct codes in first-seen order.
    fn checks(&self) -> Vec<&str> {
        let mut checks: Vec<&str> = Vec::new();
        for error in &self.all {
            if !checks.contains(&error.check()) {
                checks.push(error.check());
            }
        }
        checks
    }

    fn fields(&self) -> [(&'static str, Json); 6] {
        let (schema, others) = self.all.split_at(self.schema);
        let listed: Vec<_> = schema.iter().take(MAX_SCHEMA_ERRORS).chain(others).collect();
        let total = self.all.len() as u64 + self.unlisted;
        let details: Vec<_> = listed.iter().take(MAX_DETAILS).map(|error| error.detail()).collect();
        let detailed = details.len() as u64;
        let omitted = total - listed.len() as u64;
        [
            (
                "errors",
                Json::Array(listed.iter().map(|error| Json::text(error.message())).collect()),
            ),
            ("errors_total", Json::Count(total)),
            ("errors_omitted", Json::Count(omitted)),
            ("errors_detail", Json::Array(details)),
            ("errors_detail_total", Json::Count(detailed)),
            ("errors_detail_omitted", Json::Count(total - detailed)),
        ]
    }
}

#[cfg(test)]
mod tests;
