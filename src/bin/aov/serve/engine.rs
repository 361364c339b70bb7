//! The check behind the server: the bytes of a request → a signed body. It is the code that
//! `aov check` runs, in two steps, since whether a request is valid is told before anybody pays.
//!
//! It has to run on a thread with a stack of 64 MiB, as the schema check needs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use agent_output_verifier::check::{Verdict, Work, check_with};
use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::request::{Part, Request, UnknownFields};
use agent_output_verifier::schema::Schema;
use chrono::{DateTime, Utc};

use super::problem::Problem;
use super::schemas::Schemas;
use crate::input::{JsonFile, Source};
use crate::ledger::Verification;
use crate::report::json::unusable;
use crate::requirements::{REQUEST_DEPTH, whole};
use crate::signing::{Signer, Stamped};

/// Checks and signs.
#[derive(Debug)]
pub(crate) struct Engine {
    signer: Option<Signer>,
    schemas: Schemas,
}

/// A request that is valid, ready to be checked.
#[derive(Debug)]
pub(crate) struct Prepared<'d> {
    request: Request<'d>,
    schema: Arc<Schema>,
}

/// A verification that was made.
#[derive(Debug)]
pub(crate) struct Verified {
    /// The body.
    pub(crate) body: String,
    /// What the ledger keeps of it; nothing where no agent is named.
    pub(crate) record: Option<Verification>,
    /// How it ended.
    pub(crate) verdict: Verdict,
}

/// Reads a body.
pub(crate) fn read(body: &[u8]) -> Result<JsonFile, Problem> {
    let name = "body".to_owned();
    let source = Source { name, path: None, line: None, bytes: body.to_vec() };
    source.parse(REQUEST_DEPTH).map_err(|error| Problem::from(&unusable(&error)))
}

impl Engine {
    /// With who signs, if anybody does.
    pub(crate) fn new(signer: impl Into<Option<Signer>>) -> Self {
        Self { signer: signer.into(), schemas: Schemas::default() }
    }

    /// Everything that can be wrong with a request is found here, except what only the check can
    /// tell: that it costs too much.
    pub(crate) fn prepare<'d>(&self, input: &'d JsonFile) -> Result<Prepared<'d>, Problem> {
        guarded(|| {
            let request = whole(input.document.root(), UnknownFields::Ignore)?;
            let node = request.expected_schema;
            let schema = self
                .schemas
                .get(node.source(), || Schema::compile(node))
                .map_err(|faults| Invalid::schema(faults, node, Part::Request))?;
            Ok(Prepared { request, schema })
        })
    }

    /// Who signs.
    pub(crate) fn signer(&self) -> Option<&Signer> {
        self.signer.as_ref()
    }

    /// The check.
    pub(crate) fn run(
        &self,
        prepared: &Prepared<'_>,
        at: DateTime<Utc>,
    ) -> Result<Verified, Problem> {
        let Prepared { request, schema } = prepared;
        let outcome = guarded(|| {
            check_with(request, schema, Work::Inline)
                .map_err(|faults| Invalid::schema(faults, request.expected_schema, Part::Request))
        })?;
        let stamped = Stamped::at(at);
        let body = stamped.body(request, &outcome, self.signer().map(Signer::section)).to_line();
        let body = self.seal(body, Context::Verification)?;
        let verdict = outcome.verdict();
        let record = request.agent_id.as_deref().map(|agent_id| Verification {
            verification_id: stamped.id,
            agent_id: agent_id.to_owned(),
            at,
            passed: verdict == Verdict::Pass,
        });
        Ok(Verified { body, record, verdict })
    }

    /// A body with its attestation, if anybody signs.
    pub(crate) fn seal(&self, body: String, context: Context) -> Result<String, Problem> {
        match &self.signer {
            Some(signer) => signer.seal(body, context).map_err(|_| internal()),
            None => Ok(body),
        }
    }
}

/// A fault of this program costs one request its answer, nothing more. What it says is on standard
/// error.
fn guarded<T>(work: impl FnOnce() -> Result<T, Invalid>) -> Result<T, Problem> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|invalid| Problem::from(&invalid)),
        Err(_) => Err(internal()),
    }
}

/// No verdict because of a fault in this program.
pub(crate) fn internal() -> Problem {
    Problem::new(
        "internal_error",
        500,
        "There is no answer because of a fault in this server. Nothing was charged.",
    )
    .action("report_to_operator")
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_output_verifier::key::{KeyVersion, SigningKey};
    use serde_json::Value;

    fn engine() -> Engine {
        let key = SigningKey::from_seed(&[7; 32], KeyVersion::new("v1-test").unwrap());
        Engine::new(Signer::new(key, "https://v.example", "aov"))
    }

    fn at() -> DateTime<Utc> {
        "2026-11-30T12:00:00.000001Z".parse().unwrap()
    }

    fn ask(body: &str) -> Result<Verified, Problem> {
        let (input, engine) = (read(body.as_bytes())?, engine());
        engine.run(&engine.prepare(&input)?, at())
    }

    #[test]
    fn a_request_gets_a_signed_body_and_a_record() {
        let verified = ask(r#"{"task_id":"t","agent_id":"a","expected_schema":{"type":"string"},"submitted_output":1,"more":1}"#).unwrap();
        let body: Value = serde_json::from_str(&verified.body).unwrap();
        assert_eq!(body["result"], "fail");
        assert_eq!(body["verified_at"], "2026-11-30T12:00:00.000001+00:00");
        assert_eq!(body["attestation"]["timestamp"], body["verified_at"]);
        assert_eq!(body["verify"]["mcp"], "https://v.example/mcp");
        let record = verified.record.unwrap();
        assert_eq!((&*record.agent_id, record.passed, record.at), ("a", false, at()));
        assert_eq!(body["verification_id"], *record.verification_id);
    }

    #[test]
    fn who_names_no_agent_is_not_recorded() {
        let verified = ask(r#"{"task_id":"t","expected_schema":{},"submitted_output":1}"#).unwrap();
        assert_eq!((verified.record, verified.verdict), (None, Verdict::Pass));
    }

    #[test]
    fn everything_wrong_is_told_at_once_and_nothing_echoed() {
        let secret = "5e7f".repeat(20);
        let problem = ask(&format!(
            r#"{{"task_id":5,"expected_schema":{{"type":"{secret}"}},"rules":[{{"type":"{secret}","field":"a"}}]}}"#
        ))
        .unwrap_err();
        assert_eq!(
            (problem.code, problem.status, problem.charged),
            ("invalid_request", 422, Some(false))
        );
        let fields: Vec<_> =
            problem.fields.iter().map(|field| field["field"].as_str().unwrap()).collect();
        for field in ["task_id", "submitted_output", "rules[0].type", "expected_schema"] {
            assert!(fields.iter().any(|it| it.starts_with(field)), "{field} in {fields:?}");
        }
        assert!(!problem.body().to_string().contains(&secret[..41]));
    }

    #[test]
    fn what_is_no_json_is_an_invalid_request() {
        for body in ["{", "```json\n{}\n```", "{} {}", r#"{"a":1,"a":2}"#, "[NaN]", "\u{FEFF}"] {
            let problem = ask(body).unwrap_err();
            assert_eq!((problem.code, problem.status), ("invalid_request", 422), "{body}");
            assert_eq!(problem.fields[0]["field"], "body");
        }
        assert_eq!(read(&[0xFF]).unwrap_err().status, 422);
        let deep = format!("{{\"submitted_output\":{}", "[".repeat(200));
        assert_eq!(ask(&deep).unwrap_err().status, 422);
    }

    #[test]
    fn cost_is_told_without_a_verdict() {
        let doubling: Vec<_> = (0..40)
            .map(|at| format!(r##""d{at}":{{"allOf":[{{"$ref":"#/$defs/d{next}"}},{{"$ref":"#/$defs/d{next}"}}]}}"##, next = at + 1))
            .collect();
        let schema = format!(
            r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d40":{{"type":"string"}}}}}}"##,
            doubling.join(",")
        );
        let problem =
            ask(&format!(r#"{{"task_id":"t","expected_schema":{schema},"submitted_output":1}}"#))
                .unwrap_err();
        assert_eq!((problem.code, problem.status), ("schema_too_costly", 422));
    }
}
