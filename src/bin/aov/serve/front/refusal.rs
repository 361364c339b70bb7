//! What the front door itself answers: requests that it does not let through (SPEC 11.5).
//!
//! The texts say which rule was broken; nothing of the request is in them.

use serde_json::json;

use super::super::problem::Problem;

/// Framing or syntax that is not HTTP/1.1 (RFC 9112), or could be read in two ways.
pub(super) fn bad_request(what: &str) -> Box<Problem> {
    Box::new(Problem::new("bad_request", 400, format!("The request is not valid HTTP: {what}.")))
}

/// The client was too slow with head or body.
pub(super) fn timeout(part: &str, seconds: f64) -> Box<Problem> {
    let message = format!(
        "The {part} of the request did not arrive within {seconds} seconds. Send it without pauses."
    );
    Box::new(Problem::new("request_timeout", 408, message).retry(1))
}

/// The body is longer than the limit, which is told (SPEC 11.1).
pub(super) fn payload_too_large(limit: usize) -> Box<Problem> {
    let message = format!("The body is larger than {limit} bytes, the limit. Send less at a time.");
    let mut problem = Problem::new("payload_too_large", 413, message);
    problem.more.insert("limit_bytes".into(), json!(limit));
    Box::new(problem)
}

/// An expectation other than `100-continue` (RFC 9110 §10.1.1).
pub(super) fn expectation_failed() -> Box<Problem> {
    let message = "The only expectation that is met here is 100-continue. Leave `Expect` out.";
    Box::new(Problem::new("expectation_failed", 417, message))
}

/// The head is longer than the limit, or has too many fields.
pub(super) fn head_too_large(bytes: usize, fields: usize) -> Box<Problem> {
    let message = format!(
        "The head of the request is larger than {bytes} bytes or has more than {fields} fields."
    );
    let mut problem = Problem::new("head_too_large", 431, message);
    problem.more.insert("limit_bytes".into(), json!(bytes));
    problem.more.insert("limit_fields".into(), json!(fields));
    Box::new(problem)
}

/// A method that asks for something which no resource here can be (RFC 9110 §9.3.6).
pub(super) fn not_a_proxy() -> Box<Problem> {
    let message = "This server is not a proxy: CONNECT is not answered.";
    Box::new(Problem::new("not_implemented", 501, message))
}

/// No seat, or no worker.
pub(super) fn busy() -> Box<Problem> {
    let message = "The server is answering as many requests as it can. Try again.";
    Box::new(Problem::new("unavailable", 503, message).retry(1).action("retry"))
}

/// The server is about to end.
pub(super) fn draining() -> Box<Problem> {
    let message = "The server is shutting down. Try again.";
    Box::new(Problem::new("unavailable", 503, message).retry(5).action("retry"))
}

/// A version that is neither HTTP/1.0 nor HTTP/1.1.
pub(super) fn unsupported_version() -> Box<Problem> {
    let message = "Only HTTP/1.1 and HTTP/1.0 are spoken here.";
    Box::new(Problem::new("unsupported_version", 505, message))
}
