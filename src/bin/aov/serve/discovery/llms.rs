//! `/llms.txt`: the service explained to an agent that has never seen it, with everything that is
//! needed to use it.

use super::super::codes;
use super::facts::{Facts, PURPOSE};
use super::openapi::example;

/// The text.
pub(super) fn text(facts: &Facts<'_>) -> String {
    let sections = [
        format!("# {}\n\n> {PURPOSE}", facts.service),
        endpoints(facts),
        quick_start(facts),
        free(facts),
        paying(facts),
        RESULT.to_owned(),
        receipts(facts),
        scores(facts),
        format!(
            "## Errors\n\nEvery error but 402 has one shape, over REST and in MCP tool results: code, message, \
             status, retryable, retry_after (seconds, if retryable), charged (false: an error is never \
             charged), next_actions, and fields with {{field, problem, fix}} for every fault of the \
             request. What you sent is never echoed.\n\n{}",
            codes::markdown(codes::CODES)
        ),
        format!(
            "## Payment errors\n\n402 has the PaymentRequired object of x402 v2 as its body and in the \
             Payment-Required header, with error as the reason. The others:\n\n{}",
            codes::markdown(codes::PAYMENT_CODES)
        ),
    ];
    let sections: Vec<_> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    sections.join("\n\n").replace("\n\n\n", "\n\n").trim_end().to_owned() + "\n"
}

fn endpoints(facts: &Facts<'_>) -> String {
    let mut out = "## Endpoints\n\n".to_owned();
    for (method, path, what) in [
        ("POST", "/verify/schema", "check an output; the answer is a signed receipt"),
        ("POST", "/verify/deliverable", "the same check under a second name"),
        ("GET", "/score/{agent_id}", "an agent's trust score, signed"),
        ("GET", "/reputation/{agent_id}", "an agent's record of passes and fails, free, unsigned"),
        (
            "POST",
            "/mcp",
            "the same over MCP (Streamable HTTP): tools verify_schema and get_verification_record",
        ),
        ("GET", "/health", "whether the service can serve"),
        ("GET", "/.well-known/agent-card.json", "agent card (A2A) with the public keys"),
        ("GET", "/.well-known/x402", "what can be bought, with live prices and addresses"),
        ("GET", "/openapi.json", "OpenAPI 3.1 with all schemas"),
        ("GET", "/docs", "the same to read and try"),
    ] {
        out.push_str(&format!("- {method} {}: {what}\n", facts.url.at(path)));
    }
    out
}

fn quick_start(facts: &Facts<'_>) -> String {
    format!(
        "## Quick start\n\nSend this to POST {} with Content-Type: application/json:\n\n```json\n{}\n```\n\n\
         The line amounts sum to 129.5 and total says 135.0, so result is \"fail\", and hints says where and \
         why. Required are task_id (your own id), expected_schema (a JSON Schema, draft-04 to 2020-12) and \
         submitted_output. agent_id names who made the output; ids that begin with test- are never \
         recorded. bounds and rules (sum_equals, gte, lte, exists_in, unique) are advisory until \
         enforce_rules is true. strict_content_check forbids control characters and markup. detail is \
         \"full\" or \"compact\". Bodies may have {} bytes.",
        facts.url.at("/verify/schema"),
        serde_json::to_string_pretty(&example()).unwrap_or_default(),
        facts.max_body,
    )
}

fn free(facts: &Facts<'_>) -> String {
    let mut out = format!("## Free allowance\n\n{}", facts.verify_price());
    if facts.allowance.is_some() {
        out.push_str(
            " A client is an IP address (of IPv6 its /64 network); days end at UTC midnight. A free answer \
             says what is left in Free-Allowance-Remaining, Free-Allowance-Limit and Free-Allowance-Resets. \
             An invalid request uses nothing up.",
        );
    }
    out
}

fn paying(facts: &Facts<'_>) -> String {
    if facts.sale.is_none() {
        return "## Payment\n\nNothing is sold here: no call is ever answered with 402.".to_owned();
    }
    format!(
        "## Payment\n\nx402 v2, USDC, on {}. Send the request without a payment first. If the answer is 402, \
         choose one of accepts, sign it, and send the same request again with the header \
         Payment-Signature (base64 of the JSON payload; over MCP _meta[\"x402/payment\"]). The paid answer \
         has Payment-Response. A fail is a full answer and costs the same as a pass; an error costs \
         nothing. One payment buys one answer: send the same payment with the same request again if the \
         answer got lost, and you get it again, uncharged. Never sign a second payment after 504.",
        facts.networks()
    )
}

const RESULT: &str = "## Result\n\nresult (pass or fail) is the verdict. Schema violations always fail; \
    bounds and rules fail under enforce_rules; flags alone never do. hints has up to 20 entries {source, \
    check, path, expected, found} to repair from: mend the output and check again. schema_compliance, \
    integrity_checks and overall are shares of checks passed, for information.";

fn receipts(facts: &Facts<'_>) -> String {
    format!(
        "## Receipts\n\nEvery answer of /verify/... and /score/... is signed (Ed25519). To verify one: take \
         the key whose keyVersion is attestation.key_version from {} (extension \
         urn:json-schema-verifier:extension:attestation:v1); make the object {{context, algorithm, \
         key_version, attested_at, response}}, where attested_at is attestation.timestamp, response is the \
         answer without attestation, and context is json-schema-verifier/verify-schema-attestation/v1, or \
         json-schema-verifier/trust-score-attestation/v1 for a score; write it as RFC 8785 canonical JSON; \
         verify attestation.signature over those bytes. Then compare output_hash, schema_hash, rules_hash \
         and request_hash (SHA-256 over RFC 8785) with your own data: only that ties the receipt to what you \
         received. aov verify-receipt does all of it.",
        facts.url.at("/.well-known/agent-card.json")
    )
}

fn scores(facts: &Facts<'_>) -> String {
    format!(
        "## Scores\n\n{} trust_score is the share of passes with each verification weighing \
         2^(-age/30 days), between the ends of confidence_interval_95; without history it is null and \
         reason is no_data. agent_id is a label that nobody verified.",
        facts.score_price()
    )
}
