//! The REST server: a request → a response, over the counter. What clients can learn without asking
//! for a verification is in `discovery`.

use std::net::IpAddr;
use std::sync::Arc;

use agent_output_verifier::receipt::hashes::Sha256Hex;
use agent_output_verifier::request::check_id;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::config::proxies::{Proxies, client};
use super::counter::{Counter, no_ledger};
use super::discovery::Documents;
use super::http::{Request, Response};
use super::negotiate::{sends_json, takes_json};
use super::problem::Problem;
use super::route::{AgentId, Endpoint, Route, route};
use super::service::{Answer, Call, Payment, PaymentRequired, Question, Resource, Served};
use crate::ledger::Ledger;

/// The field that carries a payment.
const PAYMENT: &str = "payment-signature";
/// Fields that scripts of other origins may read (X402 §3), the allowance's among them.
const EXPOSED: &str = "Payment-Required, Payment-Response, Free-Allowance-Remaining, \
                       Free-Allowance-Limit, Free-Allowance-Resets, Retry-After";
/// Fields that they may send. Official clients of x402 send the last one, too.
const ALLOWED: &str = "Content-Type, Payment-Signature, Access-Control-Expose-Headers";

/// Answers `/mcp` for a client with this address.
pub(crate) type McpHandler = dyn Fn(&Request, IpAddr) -> Response + Send + Sync;

/// The server without its sockets.
pub(crate) struct Site {
    /// What is sold.
    pub(crate) counter: Arc<Counter>,
    /// Whether it answers is what `/health` tells.
    pub(crate) ledger: Arc<dyn Ledger>,
    /// What is published.
    pub(crate) documents: Documents,
    /// Whose word about clients is taken.
    pub(crate) proxies: Proxies,
    /// `/mcp`, if it is there.
    pub(crate) mcp: Option<Box<McpHandler>>,
}

impl Site {
    /// Answers a request that came at this time.
    pub(crate) fn answer(&self, request: &Request, now: DateTime<Utc>) -> Response {
        let response = match route(request) {
            Route::To(Endpoint::Mcp) => {
                // The rules of MCP about origins, not those below.
                return match &self.mcp {
                    Some(mcp) => mcp(request, client(request.peer, &request.fields, &self.proxies)),
                    None => problem(&not_found()),
                };
            }
            Route::To(endpoint) => self.serve(&endpoint, request, now),
            Route::Options(endpoint) => preflight(&endpoint),
            Route::WrongMethod(endpoint) => wrong_method(&endpoint),
            Route::NotFound => problem(&not_found()),
        };
        response
            .with("access-control-allow-origin", "*")
            .with("access-control-expose-headers", EXPOSED)
            .with("x-content-type-options", "nosniff")
    }

    fn serve(&self, endpoint: &Endpoint, request: &Request, now: DateTime<Utc>) -> Response {
        match endpoint {
            Endpoint::VerifySchema => self.verify(request, "/verify/schema", now),
            Endpoint::VerifyDeliverable => self.verify(request, "/verify/deliverable", now),
            Endpoint::Score(id) => self.score(request, id, now),
            Endpoint::Reputation(id) => self.reputation(request, id, now),
            Endpoint::Health => health(&*self.ledger),
            _ => self.documents.answer(endpoint, request),
        }
    }

    fn verify(&self, request: &Request, path: &'static str, now: DateTime<Utc>) -> Response {
        if !request.body.is_empty()
            && let Err(refused) = sends_json(&request.fields)
        {
            return problem(&refused);
        }
        if let Err(refused) = takes_json(&request.fields) {
            return problem(&refused);
        }
        let resource = Resource::Rest { method: "POST", path };
        let question = Question::Verify(&request.body);
        self.ask(request, question, resource, payments(request), now)
    }

    fn score(&self, request: &Request, id: &AgentId, now: DateTime<Utc>) -> Response {
        let id = match agent_id(id).and_then(|id| takes_json(&request.fields).map(|()| id)) {
            Ok(id) => id,
            Err(refused) => return problem(&refused),
        };
        let resource = Resource::Rest { method: "GET", path: &request.path };
        // The answer to HEAD has no body, so nobody is charged for one.
        let payment = if request.method == "GET" { payments(request) } else { None };
        self.ask(request, Question::Score(id), resource, payment, now)
    }

    fn ask(
        &self,
        request: &Request,
        question: Question<'_>,
        resource: Resource<'_>,
        payment: Option<Payment<'_>>,
        now: DateTime<Utc>,
    ) -> Response {
        let client = client(request.peer, &request.fields, &self.proxies);
        let fingerprint = fingerprint(request);
        response(
            &self.counter.answer(&Call { question, client, payment, fingerprint, resource }, now),
        )
    }

    fn reputation(&self, request: &Request, id: &AgentId, now: DateTime<Utc>) -> Response {
        let found = agent_id(id)
            .and_then(|id| takes_json(&request.fields).map(|()| id))
            .and_then(|id| self.counter.reputation(id, now));
        match found {
            Ok(body) => Response::json(200, body.to_line()).with("cache-control", "no-store"),
            Err(refused) => problem(&refused),
        }
    }
}

/// Whether requests can be served, which takes the ledger.
pub(crate) fn health(ledger: &dyn Ledger) -> Response {
    match ledger.ping() {
        Ok(()) => {
            let body = json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") });
            Response::json(200, body.to_string()).with("cache-control", "no-store")
        }
        Err(error) => problem(&no_ledger(&error)),
    }
}

/// The values of all `Payment-Signature` fields, if there is any.
fn payments(request: &Request) -> Option<Payment<'_>> {
    let values: Vec<_> = request.fields.all(PAYMENT).collect();
    if values.is_empty() { None } else { Some(Payment::Header(values)) }
}

/// What "the same request" is: method, path and raw body (SPEC 11.4).
fn fingerprint(request: &Request) -> Sha256Hex {
    let mut bytes = format!("{}|{}|", request.method, request.path).into_bytes();
    bytes.extend_from_slice(&request.body);
    Sha256Hex::of(&bytes)
}

fn agent_id(id: &AgentId) -> Result<&str, Problem> {
    use agent_output_verifier::invalid::Invalid;
    use agent_output_verifier::request::Problem as Field;
    let found = match id {
        Some(id) => check_id("agent_id", id).map(|()| &**id),
        None => Err(Field {
            field: "agent_id".to_owned(),
            problem: "is not percent-encoded UTF-8".to_owned(),
            fix: "Encode the id as UTF-8 and every byte that is not a letter, a digit or one of -._~ as %XX.".to_owned(),
            at: None,
        }),
    };
    found.map_err(|field| Problem::from(&Invalid::from(vec![field])))
}

/// An answer of the counter as HTTP carries it.
fn response(answer: &Answer) -> Response {
    match answer {
        Answer::Served(served) => self::served(served),
        Answer::Refused(refused) => problem(refused),
        Answer::PaymentRequired(required) => payment_required(required),
    }
}

fn served(served: &Served) -> Response {
    let mut response =
        Response::json(200, served.body.as_bytes()).with("cache-control", "private, no-store");
    if let Some(left) = &served.allowance {
        response = response
            .with("free-allowance-remaining", left.remaining.to_string())
            .with("free-allowance-limit", left.limit.to_string())
            .with("free-allowance-resets", left.resets.clone());
    }
    match &served.settlement {
        Some(settlement) => response.with("payment-response", base64(settlement)),
        None => response,
    }
}

fn payment_required(required: &PaymentRequired) -> Response {
    let mut body = required.required.clone();
    if let (Some(object), Some(free_trial)) = (body.as_object_mut(), &required.free_trial) {
        object.insert("free_trial".to_owned(), free_trial.clone());
    }
    let response = Response::json(402, body.to_string())
        .with("payment-required", base64(&required.required))
        .with("cache-control", "no-store");
    match &required.settlement {
        Some(settlement) => response.with("payment-response", base64(settlement)),
        None => response,
    }
}

/// JSON in a header field: standard alphabet, padded, one line (X402 §3).
fn base64(value: &Value) -> String {
    STANDARD.encode(value.to_string())
}

/// An error as HTTP carries it.
pub(crate) fn problem(problem: &Problem) -> Response {
    let response = Response::json(problem.status, problem.body().to_string())
        .with("cache-control", "no-store");
    match problem.retry_after {
        Some(seconds) => response.with("retry-after", seconds.to_string()),
        None => response,
    }
}

/// No such path.
pub(crate) fn not_found() -> Problem {
    Problem::new("not_found", 404, "There is nothing here. /llms.txt lists what there is.")
        .action("read_llms_txt")
}

fn wrong_method(endpoint: &Endpoint) -> Response {
    let methods = endpoint.methods();
    let message = format!("This path takes {methods} only. Nothing was charged.");
    problem(&Problem::new("method_not_allowed", 405, message).action("use_allowed_method"))
        .with("allow", methods)
}

fn preflight(endpoint: &Endpoint) -> Response {
    Response::empty(204)
        .with("allow", endpoint.methods())
        .with("access-control-allow-methods", "GET, POST, OPTIONS")
        .with("access-control-allow-headers", ALLOWED)
        .with("access-control-max-age", "86400")
}

#[cfg(test)]
mod tests;
