//! A tool that is called: arguments → a question to the service → the result of a tool.
//!
//! A fail is a result like a pass. What is refused is `isError` with the one error shape; what is for
//! sale is `isError` with the payment requirements (X402 §6.1); an end that is not known has nothing
//! in it that could be read as "pay now".

use std::net::IpAddr;

use agent_output_verifier::json::{Node, jcs};
use agent_output_verifier::receipt::hashes::Sha256Hex;
use serde_json::{Map, Value, json};

use super::local;
use super::tools::Tool;
use crate::serve::problem::Problem;
use crate::serve::service::{
    Answer, Call, Payment, PaymentRequired, Question, Resource, Served, Service,
};

/// The payment of a call, in its `_meta`.
pub(super) const PAYMENT: &str = "x402/payment";
/// The `SettleResponse`, in that of its result.
const SETTLED: &str = "x402/payment-response";
/// The state of the caller's allowance.
const FREE_TRIAL: &str = "free_trial";

/// Calls a tool.
pub(super) fn call(
    service: &dyn Service,
    tool: Tool,
    arguments: Option<Node<'_>>,
    payment: Option<Node<'_>>,
    client: IpAddr,
) -> Value {
    let question = match tool {
        Tool::VerifyReceipt => return told(local::verify_receipt(arguments)),
        Tool::Hash => return told(local::hash(arguments)),
        // No arguments are an empty request, which lacks something; over REST that is a probe.
        Tool::VerifySchema => Question::Verify(arguments.map_or("{}", Node::source).as_bytes()),
        Tool::GetVerificationRecord => match local::text(arguments, "agent_id") {
            Ok(agent_id) => Question::Score(agent_id),
            Err(problem) => return refused(&problem),
        },
    };
    // An object; some clients send it as JSON in a string, which the gate reads as strictly.
    let payment: Option<Value> = payment
        .filter(|node| !node.is_null())
        .map(|node| serde_json::from_str(node.source()).unwrap_or_default());
    let answer = service.call(&Call {
        question,
        client,
        payment: payment.as_ref().map(Payment::Meta),
        fingerprint: fingerprint(tool, arguments),
        resource: Resource::Tool(tool.name()),
    });
    match answer {
        Answer::Served(answer) => served(&answer),
        Answer::Refused(problem) => refused(&problem),
        Answer::PaymentRequired(required) => payment_required(required),
    }
}

/// What "the same request" is: the tool and the canonical arguments (SPEC 11.4), or the arguments as
/// written where they have no canonical form.
fn fingerprint(tool: Tool, arguments: Option<Node<'_>>) -> Sha256Hex {
    let mut bytes = format!("mcp|{}|", tool.name()).into_bytes();
    if let Some(arguments) = arguments {
        match jcs::canonical(arguments) {
            Ok(canonical) => bytes.extend_from_slice(&canonical),
            Err(_) => bytes.extend_from_slice(arguments.source().as_bytes()),
        }
    }
    Sha256Hex::of(&bytes)
}

fn served(served: &Served) -> Value {
    // Written by us, so it can be read; numbers keep their literals, as the signature wants them.
    let structured: Value = serde_json::from_str(&served.body).unwrap_or_default();
    let mut result = result(&structured, &served.body, false);
    let mut meta = Map::new();
    if let Some(settlement) = &served.settlement {
        meta.insert(SETTLED.into(), settlement.clone());
    }
    if let Some(left) = &served.allowance {
        let left =
            json!({ "remaining": left.remaining, "limit": left.limit, "resets": left.resets });
        meta.insert("free_allowance".into(), left);
    }
    if !meta.is_empty() {
        result["_meta"] = meta.into();
    }
    result
}

fn told(answer: Result<Value, Problem>) -> Value {
    match answer {
        Ok(structured) => result(&structured, &structured.to_string(), false),
        Err(problem) => refused(&problem),
    }
}

fn refused(problem: &Problem) -> Value {
    let body = problem.body();
    let mut refused = result(&body, &body.to_string(), true);
    // An end that is not known is text alone: nothing that a paying client could act on (X402 §6.1).
    if problem.charged.is_none()
        && let Some(members) = refused.as_object_mut()
    {
        members.remove("structuredContent");
    }
    refused
}

fn payment_required(required: PaymentRequired) -> Value {
    let mut object = required.required;
    if required.settlement.is_some() {
        let why = object["error"].as_str().unwrap_or("the payment was not accepted");
        object["error"] = format!("Settlement failed: {why}").into();
    }
    let mut result = result(&object, &object.to_string(), true);
    if let Some(free_trial) = required.free_trial {
        result["_meta"] = json!({ FREE_TRIAL: free_trial });
    }
    result
}

/// The same twice: for programs, and for models that read text.
fn result(structured: &Value, text: &str, is_error: bool) -> Value {
    json!({
        "content": [{ "type": "text", "text": text }],
        "structuredContent": structured,
        "isError": is_error,
    })
}
