//! The words of MCP and JSON-RPC: revisions, keys, error codes, and what an answer is made of.

use serde_json::{Map, Value, json};

/// The revision in which every request stands alone.
pub(crate) const MODERN: &str = "2026-07-28";
/// The revisions with a handshake, newest first.
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The revision of a request, in its `_meta`.
pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// What its client can do.
pub(crate) const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
/// Who answers.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// Which subscription a message belongs to.
const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// JSON-RPC: not JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: not a request.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC: no such method.
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
/// JSON-RPC: the parameters do not fit.
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// MCP: a header is missing or says something else than the body.
pub(crate) const HEADER_MISMATCH: i32 = -32020;
/// MCP: a revision that is not spoken here.
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;

/// Every revision that is spoken here.
pub(crate) fn versions() -> Vec<&'static str> {
    std::iter::once(MODERN).chain(LEGACY).collect()
}

/// A JSON-RPC error: the code, what is wrong, and more for programs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
    /// The status with which HTTP carries it in the modern revision.
    pub(crate) status: u16,
}

impl Fault {
    pub(crate) fn new(code: i32, status: u16, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, status }
    }

    /// The message. Where the request's id could not be read there is none: MCP has no null ids.
    pub(crate) fn message(&self, id: Option<&Value>) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        let mut message = Map::new();
        message.insert("jsonrpc".into(), "2.0".into());
        if let Some(id) = id {
            message.insert("id".into(), id.clone());
        }
        message.insert("error".into(), error);
        message.into()
    }
}

/// What is said to a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// Nothing: it was a notification, or an answer to something that was never asked.
    Nothing,
    /// One message, and the status with which HTTP carries it.
    One(u16, Value),
    /// Several, as a stream of events.
    Stream(Vec<Value>),
}

/// The answer to a request.
pub(crate) fn answer(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Who we are.
pub(crate) fn server_info() -> Value {
    json!({
        "name": "aov",
        "title": "Agent Output Verifier",
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// A result with what the modern revision wants in each.
pub(crate) fn modern(mut result: Value) -> Value {
    if let Some(members) = result.as_object_mut() {
        members.insert("resultType".into(), "complete".into());
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        meta[SERVER_KEY] = server_info();
    }
    result
}

/// A subscription to nothing: acknowledged, and over, since the tools never change.
pub(crate) fn empty_subscription(id: &Value) -> Vec<Value> {
    let meta = || {
        let mut meta = Map::new();
        meta.insert(SUBSCRIPTION_KEY.into(), id.clone());
        Value::from(meta)
    };
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": { "_meta": meta(), "notifications": {} },
    });
    vec![acknowledged, answer(id, modern(json!({ "_meta": meta() })))]
}
