//! The agent card: one document that is valid for A2A 0.3.0 and 1.0 at once (MCP.md §8). It lists
//! every key, so that whoever holds a receipt can verify it.

use agent_output_verifier::receipt::card::extension;
use serde_json::{Map, Value, json};

use super::facts::{Facts, PURPOSE};
use super::schemas;

/// There is no A2A message endpoint: the binding is our own, plain HTTP as `/openapi.json` has it.
const BINDING: &str = "urn:json-schema-verifier:binding:http-json:v1";
/// The vectors of the hosted service, which hold here too.
const VECTORS: &str = include_str!("../../../../../fixtures/real/request-hash-vectors.json");

const TAGS: [&str; 12] = [
    "json-schema",
    "schema-validation",
    "structured-output",
    "verification",
    "agent-output",
    "deliverable-check",
    "business-rules",
    "attestation",
    "signed-receipt",
    "x402",
    "mcp",
    "a2a",
];

/// The card.
pub(super) fn card(facts: &Facts<'_>) -> Value {
    let url = facts.url.as_str();
    let mut extensions = vec![attestation(facts), mcp(facts)];
    match facts.sale {
        Some(_) => extensions.extend(payments(facts)),
        None => extensions.push(rest(facts)),
    }
    json!({
        "protocolVersion": "0.3.0",
        "name": facts.service,
        "description": format!("{PURPOSE} {}", facts.verify_price()),
        "url": url,
        "preferredTransport": BINDING,
        "supportedInterfaces": [
            { "url": url, "protocolBinding": BINDING, "protocolVersion": "1.0" },
        ],
        "version": env!("CARGO_PKG_VERSION"),
        "documentationUrl": facts.url.at("/llms.txt"),
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "capabilities": {
            "streaming": false,
            "pushNotifications": false,
            "extensions": extensions,
        },
        "skills": skills(facts),
    })
}

fn skills(facts: &Facts<'_>) -> Value {
    let modes = json!(["application/json"]);
    json!([
        {
            "id": "verify-schema",
            "name": "Verify an agent's output against requirements",
            "description": format!(
                "{PURPOSE} Endpoint: POST {}. {}",
                facts.url.at("/verify/schema"),
                facts.verify_price()
            ),
            "tags": TAGS,
            "examples": [
                "Check that this agent's output meets the agreed schema before I pay for it.",
                "Check my own output before I submit it, and attach the signed receipt.",
            ],
            "inputModes": modes,
            "outputModes": modes,
        },
        {
            "id": "trust-score",
            "name": "Agent trust score",
            "description": format!(
                "An agent's record of verifications: counts, and a score that weighs recent ones more, \
                 with its 95 % confidence interval, signed. The id is a label that nobody verified \
                 (identity_verified is false). Endpoint: GET {}. {}",
                facts.url.at("/score/{agent_id}"),
                facts.score_price()
            ),
            "tags": TAGS,
            "examples": ["Look up how reliably an agent's outputs have passed before relying on it."],
            "inputModes": modes,
            "outputModes": modes,
        },
    ])
}

/// The entry with the keys, as `aov keygen` prints it, with those of before behind the current one,
/// and with all that is needed to verify a receipt.
fn attestation(facts: &Facts<'_>) -> Value {
    let entries = facts.keys.iter().filter_map(|given| {
        let version = given.version.as_ref()?;
        serde_json::from_str::<Value>(&extension(version, given.key)).ok()
    });
    let mut entries = entries.collect::<Vec<_>>().into_iter();
    let mut entry = entries.next().unwrap_or_default();
    let params = &mut entry["params"];
    for mut old in entries {
        if let Some(keys) = params["publicKeys"].as_array_mut() {
            keys.push(old["params"]["publicKeys"][0].take());
        }
    }
    params["signedMessage"] = json!({
        "canonicalization": "RFC 8785 (JCS): UTF-8 bytes of the document below, names sorted by UTF-16 code units, no white space, numbers as ECMAScript prints them (1.0 is 1); integers keep every digit",
        "contexts": {
            "POST /verify/schema": "json-schema-verifier/verify-schema-attestation/v1",
            "POST /verify/deliverable": "json-schema-verifier/verify-schema-attestation/v1",
            "GET /score/{agent_id}": "json-schema-verifier/trust-score-attestation/v1",
        },
        "document": {
            "context": "<the context above that fits the endpoint>",
            "algorithm": "<response.attestation.algorithm, must be Ed25519>",
            "key_version": "<response.attestation.key_version>",
            "attested_at": "<response.attestation.timestamp>",
            "response": "<the response without its member attestation>",
        },
        "signature": "base64 of the 64-byte Ed25519 signature, response.attestation.signature",
        "strictness": "Refuse an attestation that does not have exactly the members algorithm, key_version, timestamp, signature.",
        "publicKeySelection": "The entry of publicKeys whose keyVersion is response.attestation.key_version.",
    });
    params["receiptFields"] = json!({
        "description": "SHA-256, lowercase hex, over RFC 8785 canonical JSON: output_hash of submitted_output, schema_hash of expected_schema, rules_hash of {bounds, rules} as supplied (null for none), request_hash of the whole request with every default filled in (not in compact answers).",
        "fields": ["verification_id", "agent_id", "output_hash", "schema_hash", "rules_hash", "request_hash", "enforce_rules", "strict_content_check"],
    });
    params["requestHashTestVectors"] = json!({
        "description": "Requests, the canonical text that is hashed, and its hash.",
        "vectors": serde_json::from_str::<Value>(VECTORS).unwrap_or_default(),
    });
    params["timestampSemantics"] = "attested_at is verified_at: the clock of this service when the check ran, which nobody else vouches for.".into();
    let mut whole = Map::new();
    whole.insert("uri".to_owned(), entry["uri"].take());
    whole.insert("description".to_owned(), "Every answer of /verify/schema, /verify/deliverable and /score/{agent_id} carries an Ed25519 signature over the whole of it. What is needed to verify it stands here.".into());
    whole.insert("required".to_owned(), false.into());
    whole.insert("params".to_owned(), entry["params"].take());
    whole.into()
}

fn mcp(facts: &Facts<'_>) -> Value {
    let tool = |name: &str, rest: &str, price: String| json!({ "toolName": name, "restEquivalent": rest, "access": price, "errorsAreNotCharged": true });
    json!({
        "uri": "urn:json-schema-verifier:extension:mcp:v1",
        "description": "The same two operations over the Model Context Protocol (Streamable HTTP).",
        "required": false,
        "params": {
            "transport": "streamable-http",
            "url": facts.url.at("/mcp"),
            "freeCallsPerClientPerDay": facts.free_per_day(),
            "tools": [
                tool("verify_schema", "POST /verify/schema", facts.verify_price()),
                tool("get_verification_record", "GET /score/{agent_id}", facts.score_price()),
            ],
        },
    })
}

/// A free service says what it takes and gives in an entry of its own.
fn rest(facts: &Facts<'_>) -> Value {
    json!({
        "uri": "urn:json-schema-verifier:extension:rest:v1",
        "description": "The REST endpoint with its schemas. Nothing is sold.",
        "required": false,
        "params": { "resource": resource(facts, "/verify/schema") },
    })
}

fn resource(facts: &Facts<'_>, path: &str) -> Map<String, Value> {
    let mut resource = Map::new();
    resource.insert("url".to_owned(), facts.url.at(path).into());
    resource.insert("method".to_owned(), "POST".into());
    if let Some(sale) = facts.sale {
        let options = sale.networks.iter().map(|network| {
            json!({
                "chain": network.chain.name,
                "network": network.chain.id,
                "asset": "USDC",
                "assetAddress": network.chain.usdc,
                "payTo": network.pay_to,
            })
        });
        resource.insert("price".to_owned(), format!("${}", sale.verify).into());
        resource.insert("currency".to_owned(), "USDC".into());
        if let Some(first) = sale.networks.first() {
            resource.insert("network".to_owned(), first.chain.id.into());
            resource.insert("payTo".to_owned(), first.pay_to.clone().into());
        }
        resource.insert("paymentOptions".to_owned(), options.collect());
    }
    resource.insert("requestSchema".to_owned(), schemas::request());
    resource.insert("responseSchema".to_owned(), schemas::response());
    resource
}

/// The extension of x402 for A2A, under the names of its versions 0.1 and 0.2.
fn payments(facts: &Facts<'_>) -> [Value; 2] {
    let description = "Payments over x402 v2 in USDC, at the REST endpoints and the MCP tools; the \
                       Payment-Required header of a 402 always has the live requirements.";
    let mut first = resource(facts, "/verify/schema");
    let same = |path: &str, method: &str, price: String| json!({ "url": facts.url.at(path), "method": method, "price": price, "currency": "USDC" });
    let sale = facts.sale;
    let price = |score: bool| {
        let price = sale.map(|sale| if score { sale.score } else { sale.verify });
        price.map_or_else(String::new, |price| format!("${price}"))
    };
    first.insert(
        "additionalResources".to_owned(),
        json!([
            same("/verify/deliverable", "POST", price(false)),
            same("/score/{agent_id}", "GET", price(true)),
        ]),
    );
    let entry = |uri: &str, params: Value| json!({ "uri": uri, "description": description, "required": false, "params": params });
    [
        entry("https://github.com/google-a2a/a2a-x402/v0.1", json!({ "resource": first })),
        entry(
            "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2",
            json!({ "manifest": facts.url.at("/.well-known/x402") }),
        ),
    ]
}
