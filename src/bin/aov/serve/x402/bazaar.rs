//! The `bazaar` extension: what catalogues are told about a call (X402 §7.2). Small, since clients
//! send it back with every payment.

use serde_json::{Value, json};

use super::super::counter::Operation;
use super::super::service::Resource;

/// Its name among `extensions`.
pub(crate) const NAME: &str = "bazaar";

/// How an operation is called through a door, with an example and its schema.
pub(crate) fn extension(operation: Operation, resource: Resource<'_>) -> Value {
    let (input, input_schema) = match resource {
        Resource::Rest { method, .. } => http(operation, method),
        Resource::Tool(name) => mcp(operation, name),
    };
    json!({
        "info": { "input": input, "output": { "type": "json", "example": output(operation) } },
        "schema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "required": ["input"],
            "properties": {
                "input": input_schema,
                "output": {
                    "type": "object",
                    "required": ["type"],
                    "properties": { "type": { "type": "string" }, "example": { "type": "object" } },
                },
            },
        },
    })
}

fn http(operation: Operation, method: &str) -> (Value, Value) {
    let mut input = json!({ "type": "http", "method": method });
    let mut properties = json!({
        "type": { "type": "string", "const": "http" },
        "method": { "type": "string", "enum": [method] },
    });
    let mut required = vec!["type", "method"];
    if operation == Operation::Verify {
        input["bodyType"] = "json".into();
        input["body"] = request();
        properties["bodyType"] = json!({ "type": "string", "enum": ["json"] });
        properties["body"] = request_schema();
        required.extend(["bodyType", "body"]);
    }
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    });
    (input, schema)
}

fn mcp(operation: Operation, tool: &str) -> (Value, Value) {
    let (example, input_schema) = match operation {
        Operation::Verify => (request(), request_schema()),
        Operation::Score => (
            json!({ "agent_id": "seller-7" }),
            json!({
                "type": "object",
                "required": ["agent_id"],
                "properties": { "agent_id": { "type": "string" } },
            }),
        ),
    };
    let input = json!({
        "type": "mcp",
        "toolName": tool,
        "transport": "streamable-http",
        "inputSchema": input_schema,
        "example": example,
    });
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["type", "toolName", "inputSchema"],
        "properties": {
            "type": { "type": "string", "const": "mcp" },
            "toolName": { "type": "string", "const": tool },
            "transport": { "type": "string", "enum": ["streamable-http"] },
            "inputSchema": { "type": "object" },
            "example": { "type": "object" },
        },
    });
    (input, schema)
}

fn request() -> Value {
    json!({
        "task_id": "invoice-1",
        "expected_schema": { "type": "object", "required": ["total"] },
        "submitted_output": { "total": 1 },
    })
}

fn request_schema() -> Value {
    json!({
        "type": "object",
        "required": ["task_id", "expected_schema", "submitted_output"],
        "properties": {
            "task_id": { "type": "string" },
            "agent_id": { "type": "string" },
            "expected_schema": { "type": "object" },
            "submitted_output": {},
            "rules": { "type": "array" },
            "enforce_rules": { "type": "boolean" },
        },
    })
}

fn output(operation: Operation) -> Value {
    match operation {
        Operation::Verify => json!({ "result": "pass" }),
        Operation::Score => json!({ "agent_id": "seller-7", "passed": 3 }),
    }
}
