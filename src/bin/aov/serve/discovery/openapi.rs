//! `/openapi.json`: OpenAPI 3.1, whose schemas are JSON Schema 2020-12.

use serde_json::{Map, Value, json};

use super::super::codes::{self, Code};
use super::super::money::MicroUsd;
use super::facts::{Facts, PURPOSE};
use super::schemas;

/// Components, by name.
struct Components(Map<String, Value>);

impl Components {
    /// Adds a schema; what it defines becomes components beside it. A definition that two schemas
    /// share is the same in both.
    fn add(&mut self, name: &str, mut schema: Value) {
        if let Some(definitions) = schema.as_object_mut().and_then(|it| it.remove("$defs"))
            && let Value::Object(definitions) = definitions
        {
            for (name, mut definition) in definitions {
                lift(&mut definition);
                self.0.insert(name, definition);
            }
        }
        lift(&mut schema);
        self.0.insert(name.to_owned(), schema);
    }
}

/// References into `$defs` become references to components.
fn lift(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "$ref" => {
                        *text = text.replace("#/$defs/", "#/components/schemas/");
                    }
                    _ => lift(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(lift),
        _ => {}
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn body(description: &str, schema: Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

/// The document.
pub(super) fn document(facts: &Facts<'_>) -> Value {
    let mut components = Components(Map::new());
    components.add("VerifySchemaRequest", schemas::strict_request());
    components.add("VerifySchemaResponse", schemas::response());
    components.add("CompactVerifySchemaResponse", schemas::compact());
    components.add("TrustScore", schemas::score());
    components.add("Reputation", schemas::reputation());
    components.add("Error", schemas::problem());
    if facts.sale.is_some() {
        components.add("PaymentRequired", schemas::payment_required());
    }
    let description = format!(
        "{PURPOSE}\n\nVerifications. {}\n\nScores. {}\n\n## Errors\n\n{}\n## Payment errors\n\n{}",
        facts.verify_price(),
        facts.score_price(),
        codes::markdown(codes::CODES),
        codes::markdown(codes::PAYMENT_CODES),
    );
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": facts.service,
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Independent checks of agents' outputs, with signed receipts.",
            "description": description,
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": facts.url.as_str() }],
        "x-discovery": { "llmsTxtUrl": facts.url.at("/llms.txt") },
        "security": [],
        "tags": [
            { "name": "Verification", "description": "Check an output." },
            { "name": "Record", "description": "What is known of an agent." },
            { "name": "Service", "description": "About the service itself." },
        ],
        "paths": {
            "/verify/schema": { "post": verify(facts, "verifySchema", "Check an output") },
            "/verify/deliverable": {
                "post": verify(facts, "verifyDeliverable", "Check a deliverable: the same check under a second name"),
            },
            "/score/{agent_id}": { "get": score(facts) },
            "/reputation/{agent_id}": { "get": reputation() },
            "/health": { "get": health() },
            "/.well-known/agent-card.json": {
                "get": published("agentCard", "The agent card with the public keys", json!({ "type": "object" })),
            },
            "/.well-known/x402": { "get": manifest() },
            "/llms.txt": { "get": llms() },
        },
        "components": { "schemas": components.0 },
    })
}

/// The errors of an operation, by status; those of the front door, which stands before every one, are
/// added.
fn errors(responses: &mut Map<String, Value>, statuses: &[u16]) {
    for status in [400, 408, 431].iter().chain(statuses) {
        let codes = codes::all().filter(|code| code.status == *status);
        let lines: Vec<_> =
            codes.map(|Code { code, meaning, .. }| format!("`{code}`: {meaning}")).collect();
        let mut response = body(&lines.join("\n\n"), reference("Error"));
        if matches!(status, 429 | 503 | 504 | 409) {
            response["headers"] = json!({
                "Retry-After": { "description": "Seconds.", "schema": { "type": "integer" } },
            });
        }
        responses.insert(status.to_string(), response);
    }
}

fn payment(responses: &mut Map<String, Value>) {
    let mut response = body(
        "Payment required: the free allowance does not cover this call, or the payment that came with \
         it was refused.",
        reference("PaymentRequired"),
    );
    response["headers"] = json!({
        "Payment-Required": {
            "description": "The PaymentRequired object of x402 v2, base64 of JSON.",
            "schema": { "type": "string" },
        },
    });
    responses.insert("402".to_owned(), response);
    errors(responses, &[400, 409, 504]);
}

fn payment_header() -> Value {
    json!({
        "name": "Payment-Signature",
        "in": "header",
        "required": false,
        "description": "A signed payment of x402 v2, base64 of JSON; leave it out to use the free allowance.",
        "schema": { "type": "string", "maxLength": 16384 },
    })
}

fn price(price: MicroUsd) -> Value {
    json!({ "protocols": ["x402"], "pricingMode": "fixed", "price": price.to_string() })
}

fn verify(facts: &Facts<'_>, id: &str, summary: &str) -> Value {
    let mut ok = body(
        "The check was made; result is pass or fail. Signed.",
        json!({ "anyOf": [reference("VerifySchemaResponse"), reference("CompactVerifySchemaResponse")] }),
    );
    let mut headers = Map::new();
    if facts.allowance.is_some() {
        for (name, what, schema) in [
            ("Remaining", "Free calls left today; with a free call.", json!({ "type": "integer" })),
            ("Limit", "Free calls a day; with a free call.", json!({ "type": "integer" })),
            (
                "Resets",
                "When they begin anew; with a free call.",
                json!({ "type": "string", "format": "date-time" }),
            ),
        ] {
            headers.insert(
                format!("Free-Allowance-{name}"),
                json!({ "description": what, "schema": schema }),
            );
        }
    }
    if facts.sale.is_some() {
        headers.insert(
            "Payment-Response".to_owned(),
            json!({
                "description": "The receipt of the payment, base64 of JSON; with a paid call.",
                "schema": { "type": "string" },
            }),
        );
    }
    if !headers.is_empty() {
        ok["headers"] = headers.into();
    }
    let mut responses = Map::new();
    responses.insert("200".to_owned(), ok);
    if facts.sale.is_some() {
        payment(&mut responses);
    }
    errors(&mut responses, &[406, 413, 415, 422, 500, 503]);
    if facts.sale.is_none() && facts.allowance.is_some() {
        errors(&mut responses, &[429]);
    }
    let mut operation = json!({
        "operationId": id,
        "tags": ["Verification"],
        "summary": summary,
        "description": format!("{PURPOSE}\n\n{}", facts.verify_price()),
        "requestBody": {
            "required": true,
            "content": { "application/json": {
                "schema": reference("VerifySchemaRequest"),
                "examples": { "invoice": { "summary": "An invoice whose total does not fit", "value": example() } },
            } },
        },
        "responses": responses,
    });
    if let Some(sale) = facts.sale {
        operation["parameters"] = json!([payment_header()]);
        operation["x-payment-info"] = price(sale.verify);
    }
    operation
}

/// A request that says most of what can be said.
pub(super) fn example() -> Value {
    json!({
        "task_id": "invoice-7731",
        "agent_id": "test-seller",
        "expected_schema": {
            "type": "object",
            "required": ["lines", "total"],
            "properties": {
                "lines": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["amount"],
                        "properties": { "amount": { "type": "number", "minimum": 0 } },
                    },
                },
                "total": { "type": "number" },
            },
        },
        "submitted_output": { "lines": [{ "amount": 87.0 }, { "amount": 42.5 }], "total": 135.0 },
        "rules": [{ "type": "sum_equals", "field": "lines[].amount", "equals_field": "total" }],
        "enforce_rules": true,
    })
}

fn agent_id() -> Value {
    json!({
        "name": "agent_id",
        "in": "path",
        "required": true,
        "description": "The agent's id as requests name it, percent-encoded.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^\\x00-\\x1f\\x7f]+$" },
        "example": "test-seller",
    })
}

fn score(facts: &Facts<'_>) -> Value {
    let mut responses = Map::new();
    responses.insert("200".to_owned(), body("The record, signed.", reference("TrustScore")));
    if facts.sale.is_some() {
        payment(&mut responses);
    }
    errors(&mut responses, &[404, 406, 422, 500, 503]);
    let mut parameters = vec![agent_id()];
    if facts.sale.is_some() {
        parameters.push(payment_header());
    }
    let mut operation = json!({
        "operationId": "trustScore",
        "tags": ["Record"],
        "summary": "An agent's trust score",
        "description": format!("Counts, and a score that weighs recent verifications more. {}", facts.score_price()),
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(sale) = facts.sale {
        operation["x-payment-info"] = price(sale.score);
    }
    operation
}

fn reputation() -> Value {
    let mut responses = Map::new();
    responses.insert("200".to_owned(), body("The record.", reference("Reputation")));
    errors(&mut responses, &[404, 406, 422, 503]);
    json!({
        "operationId": "reputation",
        "tags": ["Record"],
        "summary": "An agent's record, free and unsigned",
        "parameters": [agent_id()],
        "responses": responses,
    })
}

fn health() -> Value {
    let schema = json!({
        "type": "object",
        "required": ["status", "version"],
        "properties": { "status": { "const": "ok" }, "version": { "type": "string" } },
    });
    let mut responses = Map::new();
    responses.insert("200".to_owned(), body("The server can serve.", schema));
    errors(&mut responses, &[503]);
    json!({
        "operationId": "health",
        "tags": ["Service"],
        "summary": "Whether the server can serve",
        "responses": responses,
    })
}

fn published(id: &str, summary: &str, schema: Value) -> Value {
    let mut responses = Map::new();
    responses.insert("200".to_owned(), body(summary, schema));
    errors(&mut responses, &[503]);
    json!({ "operationId": id, "tags": ["Service"], "summary": summary, "responses": responses })
}

fn manifest() -> Value {
    let schema = json!({
        "type": "object",
        "required": ["version", "resources"],
        "properties": {
            "version": { "const": 1 },
            "resources": { "type": "array", "items": { "type": "string" } },
            "items": { "type": "array", "items": { "type": "object" } },
        },
    });
    published("x402Manifest", "What can be bought, with live prices and addresses", schema)
}

fn llms() -> Value {
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({
            "description": "The guide.",
            "content": { "text/plain": { "schema": { "type": "string" } } },
        }),
    );
    errors(&mut responses, &[503]);
    json!({
        "operationId": "llmsTxt",
        "tags": ["Service"],
        "summary": "A guide to the service for agents",
        "responses": responses,
    })
}
