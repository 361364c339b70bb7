//! From a request to its [`Outcome`]: the order of the checks, and nothing else.

use crate::content::{self, ContentReport};
use crate::finding::Tally;
use crate::json::jcs::Unhashable;
use crate::receipt::hashes::{Hashes, hashes};
use crate::request::Request;
use crate::rules::{self, RulesReport};
use crate::schema::{Schema, SchemaFault, SchemaReport, agree};

/// Stack for the schema check, whose recursion follows schemas and data.
const STACK: usize = 64 << 20;

/// How the work of one check is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// On this thread, whose stack should be 64 MiB.
    Inline,
    /// The schema check beside the hashes and all else, for one large output.
    TwoThreads,
}

/// Pass or fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every requirement is met.
    Pass,
    /// A schema error, a strict-content error or an enforced finding.
    Fail,
}

impl Verdict {
    /// `pass` or `fail`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
        }
    }
}

/// Everything a check found: the one result model, from which bodies, reports and exit codes come.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The schema check.
    pub schema: SchemaReport,
    /// The content checks.
    pub content: ContentReport,
    /// Bounds and rules.
    pub rules: RulesReport,
    /// The hashes of the request.
    pub hashes: Hashes,
    /// Whether findings of bounds and rules fail the result.
    pub enforce_rules: bool,
    /// Whether strict content was checked.
    pub strict_content_check: bool,
}

impl Outcome {
    /// The verdict (SPEC 7.3).
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let enforced = self.enforce_rules && !self.rules.findings.is_empty();
        let clean = self.schema.violations.is_empty() && self.content.strict_errors.is_empty();
        if clean && !enforced { Verdict::Pass } else { Verdict::Fail }
    }

    /// `integrity_checks`: content, completeness, bounds and rules (SPEC 6.4).
    #[must_use]
    pub fn integrity(&self) -> Tally {
        self.content.tally.plus(self.schema.completeness).plus(self.rules.tally)
    }

    /// The parts that have no canonical form, by field, and why.
    pub fn unhashable(&self) -> impl Iterator<Item = (&'static str, &Unhashable)> {
        let output = self.hashes.output.as_ref().err().map(|fault| ("submitted_output", fault));
        let schema = self.hashes.schema.as_ref().err().map(|fault| ("expected_schema", fault));
        output.into_iter().chain(schema)
    }
}

/// Checks a request.
///
/// # Errors
/// Every fault of its schema, or the reason why there is no verdict.
pub fn check(request: &Request<'_>, work: Work) -> Result<Outcome, Vec<SchemaFault>> {
    let schema = Schema::compile(request.expected_schema)?;
    check_with(request, &schema, work)
}

/// Checks a request whose schema is ready: many outputs against one schema.
///
/// # Errors
/// The reason why there is no verdict.
pub fn check_with(
    request: &Request<'_>,
    schema: &Schema,
    work: Work,
) -> Result<Outcome, Vec<SchemaFault>> {
    let output = request.submitted_output;
    let (report, content, rules, hashes) = match work {
        Work::Inline => {
            let report = schema.check(output);
            let (content, rules) = content_and_rules(request);
            (report, content, rules, hashes(request))
        }
        Work::TwoThreads if schema.is_tame() => {
            // Two halves that cost about the same.
            let walk = || (schema.walk(output), content_and_rules(request));
            let judge = || (schema.second_opinion(output), hashes(request));
            let ((report, (content, rules)), (opinion, hashes)) = side_by_side(walk, judge);
            (report.and_then(|report| agree(report, opinion)), content, rules, hashes)
        }
        Work::TwoThreads => {
            let rest = || (content_and_rules(request), hashes(request));
            let (report, ((content, rules), hashes)) = side_by_side(|| schema.check(output), rest);
            (report, content, rules, hashes)
        }
    };
    Ok(Outcome {
        schema: report.map_err(|fault| vec![fault])?,
        content,
        rules,
        hashes,
        enforce_rules: request.enforce_rules,
        strict_content_check: request.strict_content_check,
    })
}

fn content_and_rules(request: &Request<'_>) -> (ContentReport, RulesReport) {
    let output = request.submitted_output;
    let content = content::check(output, request.strict_content_check);
    (content, rules::check(output, &request.bounds, &request.rules))
}

/// Does `deep` on a thread with the stack for it, and `here` meanwhile; one after the other on a
/// machine that gives no second thread.
fn side_by_side<D: Send, H>(deep: impl Fn() -> D + Sync, here: impl FnOnce() -> H) -> (D, H) {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        match builder.spawn_scoped(scope, &deep) {
            Err(_) => (deep(), here()),
            Ok(beside) => {
                let here = here();
                let deep = beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                (deep, here)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};
    use crate::request::{UnknownFields, parse};

    #[test]
    fn work_is_spread_without_a_trace() {
        let text = r#"{"task_id":"t","expected_schema":{"items":{"type":"string","maxLength":3}},
            "submitted_output":["tbd","long...",5,"\ud800"],"strict_content_check":true,
            "rules":[{"type":"unique","field":"[]"},{"type":"gte","field":"[]","value":1}]}"#;
        let document = read(text, MAX_DEPTH + 1).unwrap();
        let request = parse(document.root(), UnknownFields::Refuse).unwrap();
        let [inline, spread] = [Work::Inline, Work::TwoThreads]
            .map(|work| format!("{:?}", check(&request, work).unwrap()));
        assert_eq!(inline, spread);
    }

    #[test]
    fn a_request_without_a_sound_schema_gets_no_verdict() {
        for (schema, code) in [
            (r#"{"type":"strin"}"#, "invalid_schema"),
            (r##"{"$ref":"#"}"##, "schema_too_costly"),
            (r#"{"pattern":"^(a{1,1000}){1,1000}$"}"#, "pattern_too_costly"),
        ] {
            let text =
                format!(r#"{{"task_id":"t","expected_schema":{schema},"submitted_output":"a"}}"#);
            let document = read(text, MAX_DEPTH + 1).unwrap();
            let request = parse(document.root(), UnknownFields::Refuse).unwrap();
            let faults = check(&request, Work::TwoThreads).expect_err(schema);
            assert_eq!(faults[0].code, code);
        }
    }
}
