//! The JSON Schemas of what goes in and out: the hosted service's own for requests and full answers,
//! and those that follow.

use serde_json::{Value, json};

const REQUEST: &str = include_str!("../../../../../fixtures/real/request-schema.json");
const RESPONSE: &str = include_str!("../../../../../fixtures/real/response-schema.json");

/// A date of the calendar, leap years included.
const DATE: &str = "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)";
/// The rest of an instant.
const TIME: &str = "([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]+)?)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?)?";

/// The fields of a compact answer (SPEC 7.3).
const COMPACT: [&str; 15] = [
    "summary",
    "next_actions",
    "result",
    "verification_id",
    "task_id",
    "agent_id",
    "output_hash",
    "schema_hash",
    "rules_hash",
    "verified_at",
    "verifier_version",
    "enforce_rules",
    "strict_content_check",
    "verify",
    "attestation",
];

/// Of a request.
pub(crate) fn request() -> Value {
    serde_json::from_str(REQUEST).unwrap_or_default()
}

/// The same, with what ends a bound takes said as well, which the hosted schema leaves to the error:
/// two numbers or two instants (SPEC 5.4). That `min` is not above `max` no schema can say.
pub(crate) fn strict_request() -> Value {
    let mut schema = request();
    let bound = &mut schema["$defs"]["Bound"];
    let ends = |end: Value| json!({ "properties": { "min": end, "max": end } });
    let instant = format!("^{DATE}{TIME}$");
    bound["anyOf"] = json!([
        ends(json!({ "type": ["number", "null"] })),
        ends(json!({ "type": ["string", "null"], "pattern": instant })),
    ]);
    schema
}

/// Of a full answer.
pub(crate) fn response() -> Value {
    serde_json::from_str(RESPONSE).unwrap_or_default()
}

/// Of a compact answer.
pub(crate) fn compact() -> Value {
    let mut schema = response();
    schema["title"] = "CompactVerifySchemaResponse".into();
    schema["required"] = json!(COMPACT);
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| COMPACT.contains(&&**name));
    }
    schema["additionalProperties"] = false.into();
    if let Some(definitions) = schema["$defs"].as_object_mut() {
        definitions
            .retain(|name, _| matches!(&**name, "Summary" | "VerifySection" | "Attestation"));
    }
    schema
}

/// Of a score (SPEC 9.2).
pub(crate) fn score() -> Value {
    let mut schema = counts("TrustScore", "An agent's record with its score, signed.");
    let number = |low: f64, high: f64| json!({ "type": "number", "minimum": low, "maximum": high });
    let or_null = |schema: Value| json!({ "anyOf": [schema, { "type": "null" }] });
    let own = [
        ("trust_score", or_null(number(0.0, 1.0))),
        ("reason", json!({ "enum": ["no_data", null] })),
        (
            "confidence_interval_95",
            or_null(
                json!({ "type": "array", "items": number(0.0, 1.0), "minItems": 2, "maxItems": 2 }),
            ),
        ),
        ("sample_size", json!({ "type": "integer", "minimum": 0 })),
        ("effective_sample_size", json!({ "type": "number", "minimum": 0 })),
        ("method", json!({ "type": "string" })),
        ("verified_at", json!({ "type": "string" })),
        ("verify", json!({ "$ref": "#/$defs/VerifySection" })),
        ("attestation", json!({ "$ref": "#/$defs/Attestation" })),
    ];
    for (name, member) in own {
        schema["properties"][name] = member;
        if let Some(required) = schema["required"].as_array_mut() {
            required.push(name.into());
        }
    }
    let mut definitions = response()["$defs"].take();
    schema["$defs"] = json!({
        "VerifySection": definitions["VerifySection"].take(),
        "Attestation": definitions["Attestation"].take(),
    });
    schema
}

/// Of a reputation.
pub(crate) fn reputation() -> Value {
    counts("Reputation", "An agent's record, unsigned.")
}

fn counts(title: &str, description: &str) -> Value {
    json!({
        "title": title,
        "description": description,
        "type": "object",
        "required": ["agent_id", "verified", "passed", "failed", "last_seen", "identity_verified"],
        "properties": {
            "agent_id": { "type": "string" },
            "verified": { "type": "integer", "minimum": 0 },
            "passed": { "type": "integer", "minimum": 0 },
            "failed": { "type": "integer", "minimum": 0 },
            "last_seen": { "type": ["string", "null"] },
            "identity_verified": { "const": false },
        },
    })
}

/// Of every error but 402.
pub(crate) fn problem() -> Value {
    json!({
        "title": "Error",
        "description": "The one shape of all errors but 402. Input is never echoed.",
        "type": "object",
        "required": ["code", "message", "status", "retryable", "charged", "next_actions", "fields"],
        "properties": {
            "code": { "type": "string", "enum": super::super::codes::all().map(|code| code.code).collect::<Vec<_>>() },
            "message": { "type": "string" },
            "status": { "type": "integer" },
            "retryable": { "type": "boolean" },
            "retry_after": { "type": "integer", "description": "Seconds; there if retryable." },
            "charged": { "type": ["boolean", "null"], "description": "false; null where it is not known whether a payment went through." },
            "next_actions": {
                "type": "array",
                "items": { "type": "object", "required": ["action"], "properties": { "action": { "type": "string" } } },
            },
            "fields": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["field", "problem", "fix"],
                    "properties": {
                        "field": { "type": "string" },
                        "problem": { "type": "string" },
                        "fix": { "type": "string" },
                    },
                },
            },
            "limit_bytes": { "type": "integer" },
            "transaction": { "type": "string" },
        },
    })
}

/// Of the body of a 402: the `PaymentRequired` of x402 v2 with our `free_trial`.
pub(crate) fn payment_required() -> Value {
    json!({
        "title": "PaymentRequired",
        "description": "The PaymentRequired object of x402 v2, which the Payment-Required header has too, and the caller's own allowance.",
        "type": "object",
        "required": ["x402Version", "resource", "accepts"],
        "properties": {
            "x402Version": { "const": 2 },
            "error": { "type": "string" },
            "resource": { "type": "object", "required": ["url"], "properties": { "url": { "type": "string" } } },
            "accepts": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["scheme", "network", "amount", "asset", "payTo", "maxTimeoutSeconds"],
                    "properties": {
                        "scheme": { "const": "exact" },
                        "network": { "type": "string" },
                        "amount": { "type": "string", "pattern": "^[1-9][0-9]*$" },
                        "asset": { "type": "string" },
                        "payTo": { "type": "string" },
                        "maxTimeoutSeconds": { "type": "integer" },
                        "extra": { "type": "object" },
                    },
                },
            },
            "extensions": { "type": "object" },
            "free_trial": {
                "type": "object",
                "required": ["available", "calls_per_client_per_day", "remaining_calls_today", "resets_at", "message"],
                "properties": {
                    "available": { "type": "boolean" },
                    "calls_per_client_per_day": { "type": "integer" },
                    "remaining_calls_today": { "type": "integer" },
                    "resets_at": { "type": "string", "format": "date-time" },
                    "message": { "type": "string" },
                    "code": { "const": "free_trial_exhausted" },
                },
            },
        },
    })
}
