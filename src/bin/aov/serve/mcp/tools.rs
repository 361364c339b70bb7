//! The tools: their names, what goes in, and a schema that everything that comes out satisfies.

use serde_json::{Map, Value, json};

use crate::serve::discovery::schemas;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    VerifySchema,
    GetVerificationRecord,
    VerifyReceipt,
    Hash,
}

impl Tool {
    const ALL: [Self; 4] =
        [Self::VerifySchema, Self::GetVerificationRecord, Self::VerifyReceipt, Self::Hash];

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::VerifySchema => "verify_schema",
            Self::GetVerificationRecord => "get_verification_record",
            Self::VerifyReceipt => "verify_receipt",
            Self::Hash => "hash",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::VerifySchema => "Verify an agent's output",
            Self::GetVerificationRecord => "Look up an agent's record",
            Self::VerifyReceipt => "Verify a receipt",
            Self::Hash => "Hash as receipts do",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::VerifySchema => {
                "Independent check before paying for another agent's work, or before submitting your \
                 own. Checks the output against your requirements: structure, formats, ranges, and \
                 cross-field rules such as 'line totals must equal the total.' Returns pass/fail, % of \
                 checks passed, fix hints, and, where the server signs, an Ed25519-signed attestation \
                 and receipt."
            }
            Self::GetVerificationRecord => {
                "Use before relying on another agent. Returns its verification history: verified, \
                 passed and failed counts, last seen, and a recency-weighted score with 95% confidence \
                 interval."
            }
            Self::VerifyReceipt => {
                "Is this receipt genuine, whose is it, and is it about the request in hand? Free. Holds \
                 it against pinned keys, or a public key or agent card that you give; nothing is \
                 fetched. A genuine receipt can be one of a fail: set require_pass before you pay."
            }
            Self::Hash => {
                "SHA-256 over RFC 8785 canonical JSON, as receipts carry it: of any value, or the four \
                 hashes of a whole request. Free."
            }
        }
    }

    fn input(self) -> Value {
        match self {
            Self::VerifySchema => {
                let mut schema = schemas::request();
                schema["title"] = "verify_schemaArguments".into();
                schema
            }
            Self::GetVerificationRecord => json!({
                "title": "get_verification_recordArguments",
                "type": "object",
                "properties": {
                    "agent_id": {
                        "title": "Agent Id",
                        "description": "The agent_id whose verification history to score (as passed to verify_schema): the agent that produced the output. Ids that start with 'test-' never have a history.",
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 200,
                        "pattern": "^[^\\x00-\\x1f\\x7f]+$",
                    },
                },
                "required": ["agent_id"],
            }),
            Self::VerifyReceipt => json!({
                "title": "verify_receiptArguments",
                "type": "object",
                "properties": {
                    "receipt": { "description": "The receipt: the whole signed answer, as an object or as JSON text.", "type": ["object", "string"] },
                    "request": { "description": "The request it should be about; every hash is computed again and compared.", "type": "object", "additionalProperties": true },
                    "public_key": { "description": "The issuer's public key, if you got it yourself: base64 of 32 bytes.", "type": "string" },
                    "agent_card": { "description": "The issuer's agent card, if you fetched it yourself.", "type": "object", "additionalProperties": true },
                    "require_pass": { "description": "The result must be pass.", "type": "boolean", "default": false },
                    "require_enforced": { "description": "Rules and bounds must have been binding.", "type": "boolean", "default": false },
                    "task_id": { "description": "task_id must be this.", "type": "string" },
                    "agent_id": { "description": "agent_id must be this.", "type": "string" },
                },
                "required": ["receipt"],
            }),
            Self::Hash => json!({
                "title": "hashArguments",
                "type": "object",
                "properties": {
                    "value": { "description": "Any JSON value. Give this or request." },
                    "request": { "description": "A whole verification request.", "type": "object", "additionalProperties": true },
                },
            }),
        }
    }

    /// Root object, any of the answers that can come: MCP wants an object at the root.
    fn output(self, signed: bool) -> Value {
        let unsigned = |mut schema: Value| {
            if !signed && let Some(required) = schema["required"].as_array_mut() {
                required.retain(|name| name != "verify" && name != "attestation");
            }
            schema
        };
        let problem = ("Error", schemas::problem());
        let payment = ("PaymentRequired", schemas::payment_required());
        match self {
            Self::VerifySchema => any_of([
                ("Full", unsigned(schemas::response())),
                ("Compact", unsigned(schemas::compact())),
                problem,
                payment,
            ]),
            Self::GetVerificationRecord => {
                any_of([("Score", unsigned(schemas::score())), problem, payment])
            }
            Self::VerifyReceipt => {
                let audit = json!({
                    "title": "Audit",
                    "type": "object",
                    "required": ["verdict", "reason", "context", "verified", "says", "facts", "warnings", "not_checked"],
                    "properties": {
                        "verdict": { "enum": ["genuine_bound", "genuine_not_bound", "untrusted_issuer", "not_genuine", "undecided"] },
                        "accepted": { "type": "boolean", "description": "Genuine, bound to the request if one was given, and every demand met." },
                        "verified": { "type": "boolean" },
                        "facts": { "type": "object" },
                    },
                });
                any_of([("Audit", audit), problem])
            }
            Self::Hash => {
                let text = json!({ "type": ["string", "null"] });
                let value = json!({
                    "title": "ValueHash",
                    "type": "object",
                    "required": ["sha256", "canonical"],
                    "properties": { "sha256": { "type": "string" }, "canonical": { "type": "string" } },
                });
                let request = json!({
                    "title": "RequestHashes",
                    "type": "object",
                    "required": ["output_hash", "schema_hash", "rules_hash", "request_hash"],
                    "properties": { "output_hash": text, "schema_hash": text, "rules_hash": text, "request_hash": text },
                });
                any_of([("ValueHash", value), ("RequestHashes", request), problem])
            }
        }
    }

    fn definition(self, signed: bool) -> Value {
        let records = self == Self::VerifySchema;
        json!({
            "name": self.name(),
            "title": self.title(),
            "description": self.description(),
            "inputSchema": self.input(),
            "outputSchema": self.output(signed),
            "annotations": {
                "title": self.title(),
                "readOnlyHint": !records,
                "destructiveHint": false,
                "idempotentHint": !records,
                "openWorldHint": false,
            },
        })
    }
}

/// All of them, written once: the list is the same for every client.
pub(super) struct Tools(Vec<Value>);

impl Tools {
    /// Of a server whose answers are signed or not.
    pub(super) fn new(signed: bool) -> Self {
        Self(Tool::ALL.map(|tool| tool.definition(signed)).to_vec())
    }

    pub(super) fn list(&self) -> &[Value] {
        &self.0
    }

    pub(super) fn named(&self, name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }
}

/// One schema of several, with their definitions side by side under names of their own.
fn any_of<const N: usize>(named: [(&str, Value); N]) -> Value {
    let mut definitions = Map::new();
    let branches: Vec<_> = named
        .into_iter()
        .map(|(name, mut schema)| {
            let own = schema.as_object_mut().and_then(|schema| schema.remove("$defs"));
            if let Some(schema) = schema.as_object_mut() {
                schema.remove("$schema");
                schema.remove("$id");
            }
            rename(&mut schema, name);
            for (inner, mut definition) in
                own.as_ref().and_then(Value::as_object).cloned().unwrap_or_default()
            {
                rename(&mut definition, name);
                definitions.insert(format!("{name}{inner}"), definition);
            }
            definitions.insert(name.to_owned(), schema);
            json!({ "$ref": format!("#/$defs/{name}") })
        })
        .collect();
    json!({ "type": "object", "anyOf": branches, "$defs": definitions })
}

/// Points the references of a schema to where its definitions are now.
fn rename(schema: &mut Value, prefix: &str) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                match (&**name, &mut *member) {
                    ("$ref", Value::String(target)) => {
                        if let Some(inner) = target.strip_prefix("#/$defs/") {
                            *target = format!("#/$defs/{prefix}{inner}");
                        }
                    }
                    _ => rename(member, prefix),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, prefix)),
        _ => {}
    }
}
