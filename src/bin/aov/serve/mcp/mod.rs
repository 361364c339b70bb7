//! The Model Context Protocol: one dispatcher for both transports, a message in, a reply out.
//!
//! It keeps nothing between messages. Which revision's rules hold is decided for each one: clients
//! mix them on one connection. Invariants: whatever comes in, what goes out is JSON-RPC; arguments
//! reach the check as the exact text that was sent.

mod call;
mod envelope;
pub(crate) mod http;
mod local;
mod protocol;
#[cfg(test)]
mod tests;
mod tools;

use std::net::IpAddr;
use std::sync::Arc;

use agent_output_verifier::json::{Kind, MAX_DEPTH, Node, read};
use serde_json::{Value, json};

pub(crate) use self::protocol::Reply;
use self::protocol::{
    CAPABILITIES_KEY, Fault, HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, LEGACY,
    METHOD_NOT_FOUND, MODERN, PARSE_ERROR, UNSUPPORTED_VERSION, VERSION_KEY, answer,
    empty_subscription, modern, server_info, versions,
};
use self::tools::Tools;
use super::service::Service;
use crate::term;

/// Room for the message around a request whose parts have [`MAX_DEPTH`] each: `params`, `arguments`,
/// and the request itself.
const DEPTH: usize = MAX_DEPTH + 4;

/// For how long a list of tools may be kept, in milliseconds.
const LIST_TTL: u64 = 3_600_000;

/// What an agent should know before it calls.
const INSTRUCTIONS: &str = "verify_schema checks an agent's output against a JSON Schema and \
    cross-field rules and answers with pass or fail, percentages, fix hints and, if signed, a receipt. \
    A fail is an answer, not an error. get_verification_record gives an agent's track record. \
    verify_receipt tells whether a receipt is genuine, and hash gives the hashes a receipt carries.";

/// What HTTP says beside the message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Headers<'h> {
    /// `MCP-Protocol-Version`
    pub(crate) version: Option<&'h str>,
    /// `Mcp-Method`
    pub(crate) method: Option<&'h str>,
    /// `Mcp-Name`
    pub(crate) name: Option<&'h str>,
}

/// Answers messages.
pub(crate) struct Dispatcher {
    service: Arc<dyn Service>,
    tools: Tools,
}

/// A message that wants an answer.
struct Request<'d> {
    id: Value,
    method: &'d str,
    params: Option<Node<'d>>,
}

impl Dispatcher {
    /// Over a service whose answers are signed or not.
    pub(crate) fn new(service: Arc<dyn Service>, signed: bool) -> Self {
        Self { service, tools: Tools::new(signed) }
    }

    /// What is said to a message that came from this address; without headers it came over stdio.
    pub(crate) fn handle(
        &self,
        message: &[u8],
        headers: Option<Headers<'_>>,
        client: IpAddr,
    ) -> Reply {
        let document = match read(message, DEPTH) {
            Ok(document) => document,
            Err(error) => {
                let why = format!("the message is not JSON: {}", term::safe(&error.to_string()));
                let fault = Fault::new(PARSE_ERROR, 400, why);
                return Reply::One(400, fault.message(envelope::id(message).as_ref()));
            }
        };
        let root = document.root();
        let request = match request(root) {
            Ok(Some(request)) => request,
            Ok(None) => return Reply::Nothing,
            Err((fault, id)) => return Reply::One(400, fault.message(id.as_ref())),
        };
        let version = meta(request.params, VERSION_KEY);
        let named = headers.and_then(|headers| headers.version);
        if version.is_some() || named.is_some_and(|version| !LEGACY.contains(&version)) {
            self.modern(&request, headers, client)
        } else {
            Reply::One(200, self.legacy(&request, client))
        }
    }

    /// By the rules of 2026-07-28.
    fn modern(&self, request: &Request<'_>, headers: Option<Headers<'_>>, client: IpAddr) -> Reply {
        let id = &request.id;
        if let Err(fault) = check_modern(request, headers) {
            return Reply::One(fault.status, fault.message(Some(id)));
        }
        let result = match request.method {
            "server/discover" => Ok(json!({
                "supportedVersions": versions(),
                "capabilities": { "tools": {} },
                "instructions": INSTRUCTIONS,
                "ttlMs": LIST_TTL,
                "cacheScope": "public",
            })),
            "tools/list" => Ok(json!({
                "tools": self.tools.list(),
                "ttlMs": LIST_TTL,
                "cacheScope": "public",
            })),
            "tools/call" => self.call(request, client),
            "subscriptions/listen" => return Reply::Stream(empty_subscription(id)),
            _ => Err(no_method()),
        };
        match result {
            Ok(result) => Reply::One(200, answer(id, modern(result))),
            Err(fault) => Reply::One(fault.status, fault.message(Some(id))),
        }
    }

    /// By the rules of the revisions before; their errors ride on status 200.
    fn legacy(&self, request: &Request<'_>, client: IpAddr) -> Value {
        let result = match request.method {
            "initialize" => Ok(initialize(request.params)),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({ "tools": self.tools.list() })),
            "tools/call" => self.call(request, client),
            _ => Err(no_method()),
        };
        match result {
            Ok(result) => answer(&request.id, result),
            Err(fault) => fault.message(Some(&request.id)),
        }
    }

    fn call(&self, request: &Request<'_>, client: IpAddr) -> Result<Value, Fault> {
        let invalid = |why: &str| Fault::new(INVALID_PARAMS, 200, why);
        let params = request.params.ok_or_else(|| invalid("params are missing"))?;
        let name = params.get("name").and_then(Node::as_str);
        let name = name.ok_or_else(|| invalid("params.name is not the name of a tool"))?;
        let tool = self
            .tools
            .named(name)
            .ok_or_else(|| invalid("there is no such tool; tools/list lists those there are"))?;
        let arguments = params.get("arguments");
        if arguments.is_some_and(|arguments| arguments.kind() != Kind::Object) {
            return Err(invalid("params.arguments is not an object"));
        }
        Ok(call::call(&*self.service, tool, arguments, meta(Some(params), call::PAYMENT), client))
    }
}

/// A member of `_meta`.
fn meta<'d>(params: Option<Node<'d>>, name: &str) -> Option<Node<'d>> {
    params?.get("_meta")?.get(name)
}

/// The request in a message; none in a notification, and in an answer that nobody asked for.
fn request(root: Node<'_>) -> Result<Option<Request<'_>>, (Fault, Option<Value>)> {
    let invalid = |why: &str| Fault::new(INVALID_REQUEST, 400, why);
    match root.kind() {
        Kind::Object => {}
        Kind::Array => {
            return Err((invalid("batches are not answered: send one message at a time"), None));
        }
        _ => return Err((invalid("the message is not an object"), None)),
    }
    let id = match root.get("id").map(id) {
        None => None,
        Some(Some(id)) => Some(id),
        Some(None) => return Err((invalid("the id is neither a string nor an integer"), None)),
    };
    if root.get("jsonrpc").and_then(Node::as_str) != Some("2.0") {
        return Err((invalid("jsonrpc is not \"2.0\""), id));
    }
    let method = match root.get("method") {
        Some(method) => method.as_str(),
        None if root.get("result").is_some() || root.get("error").is_some() => return Ok(None),
        None => None,
    };
    let Some(method) = method else { return Err((invalid("method is not a string"), id)) };
    let Some(id) = id else { return Ok(None) };
    let params = root.get("params");
    if params.is_some_and(|params| params.kind() != Kind::Object) {
        return Err((Fault::new(INVALID_PARAMS, 400, "params is not an object"), Some(id)));
    }
    Ok(Some(Request { id, method, params }))
}

/// A string or an integer, to be given back exactly.
fn id(node: Node<'_>) -> Option<Value> {
    match node.kind() {
        Kind::String if !node.has_lone_surrogate() => node.as_str().map(Value::from),
        Kind::Number if !node.source().contains(['.', 'e', 'E']) => {
            serde_json::from_str(node.source()).ok()
        }
        _ => None,
    }
}

fn no_method() -> Fault {
    Fault::new(METHOD_NOT_FOUND, 404, "there is no such method here")
}

/// The newest legacy revision answers for one that is unknown.
fn initialize(params: Option<Node<'_>>) -> Value {
    let wanted = params.and_then(|params| params.get("protocolVersion")).and_then(Node::as_str);
    let version = LEGACY.iter().find(|known| wanted == Some(**known)).unwrap_or(&LEGACY[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })
}

/// What every modern request says about itself, and HTTP about it.
fn check_modern(request: &Request<'_>, headers: Option<Headers<'_>>) -> Result<(), Fault> {
    let missing =
        |what: &str| Fault::new(INVALID_PARAMS, 400, format!("params._meta has no {what}"));
    let version = meta(request.params, VERSION_KEY).and_then(Node::as_str);
    let version = version.ok_or_else(|| missing(VERSION_KEY))?;
    if let Some(named) = headers.map(|headers| headers.version)
        && named != Some(version)
    {
        return Err(mismatch("MCP-Protocol-Version"));
    }
    if version != MODERN {
        let mut fault =
            Fault::new(UNSUPPORTED_VERSION, 400, "this revision of MCP is not spoken here");
        let requested = agent_output_verifier::text::cut(version, 40);
        fault.data = Some(json!({ "supported": [MODERN], "requested": requested }));
        return Err(fault);
    }
    let capabilities = meta(request.params, CAPABILITIES_KEY);
    if !capabilities.is_some_and(|capabilities| capabilities.kind() == Kind::Object) {
        return Err(missing(CAPABILITIES_KEY));
    }
    let Some(headers) = headers else { return Ok(()) };
    if headers.method != Some(request.method) {
        return Err(mismatch("Mcp-Method"));
    }
    let named = match request.method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let named = request.params.and_then(|params| params.get(named)).and_then(Node::as_str);
    match (named, headers.name.map(http::decoded)) {
        (Some(named), Some(Some(header))) if named == header => Ok(()),
        // A call without a name is malformed, whatever the header says.
        (None, _) => Ok(()),
        _ => Err(mismatch("Mcp-Name")),
    }
}

fn mismatch(header: &str) -> Fault {
    let message = format!("the header {header} is missing or says something else than the body");
    Fault::new(HEADER_MISMATCH, 400, message)
}
