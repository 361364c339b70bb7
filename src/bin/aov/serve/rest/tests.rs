use agent_output_verifier::json::read as read_json;
use agent_output_verifier::key::{KeyVersion, SigningKey};
use agent_output_verifier::receipt::card::CardKeys;
use serde_json::Value;

use super::*;
use crate::serve::config::PublicUrl;
use crate::serve::counter::Gate;
use crate::serve::counter::tests::{SELLS, config, counter, gate};
use crate::serve::http::Fields;

const VALID: &str = r#"{"task_id":"t","agent_id":"seller","expected_schema":{"type":"object"},"submitted_output":{}}"#;

pub(crate) fn site(text: &str, sells: bool) -> Site {
    let gate = sells.then(|| gate(true));
    let (counter, ledger) = counter(text, gate.clone());
    let url = PublicUrl::parse("https://v.example").unwrap();
    let key = SigningKey::from_seed(&[7; 32], KeyVersion::new("v1-test").unwrap());
    let gate = gate.map(|gate| gate as Arc<dyn Gate>);
    let config = config(text);
    let documents = Documents::new(&config, &url, &key, gate);
    Site { counter: Arc::new(counter), ledger, documents, proxies: config.proxies, mcp: None }
}

fn now() -> DateTime<Utc> {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn request(method: &str, path: &str, fields: &[(&str, &str)], body: &str) -> Request {
    let mut all = Fields::default();
    for (name, value) in fields {
        all.add(name, *value);
    }
    Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: None,
        fields: all,
        body: body.as_bytes().to_vec(),
        peer: [203, 0, 113, 9].into(),
    }
}

fn ask(site: &Site, method: &str, path: &str, fields: &[(&str, &str)], body: &str) -> Response {
    site.answer(&request(method, path, fields, body), now())
}

fn json(response: &Response) -> Value {
    assert_eq!(response.fields.get("content-type"), Some("application/json"));
    serde_json::from_slice(&response.body).unwrap()
}

#[test]
fn a_free_answer_says_what_is_left() {
    let site = site(SELLS, true);
    for (path, remaining) in [("/verify/schema", "999"), ("/verify/deliverable", "998")] {
        let response = ask(&site, "POST", path, &[("Content-Type", "application/json")], VALID);
        assert_eq!(response.status, 200);
        assert_eq!(response.fields.get("Free-Allowance-Remaining"), Some(remaining));
        assert_eq!(response.fields.get("Free-Allowance-Limit"), Some("1000"));
        assert_eq!(response.fields.get("Free-Allowance-Resets"), Some("2026-12-01T00:00:00Z"));
        assert_eq!(response.fields.get("Cache-Control"), Some("private, no-store"));
        assert_eq!(response.fields.get("Access-Control-Allow-Origin"), Some("*"));
        assert_eq!(json(&response)["result"], "pass");
    }
}

#[test]
fn the_probe_gets_402_with_header_and_body() {
    let site = site(SELLS, true);
    for fields in [&[][..], &[("Content-Type", "text/plain")], &[("Payment-Signature", "x")]] {
        let response = ask(&site, "POST", "/verify/schema", fields, "");
        assert_eq!(
            (response.status, response.fields.get("Cache-Control")),
            (402, Some("no-store"))
        );
        let header = STANDARD.decode(response.fields.get("Payment-Required").unwrap()).unwrap();
        let header: Value = serde_json::from_slice(&header).unwrap();
        let mut body = json(&response);
        let trial = body.as_object_mut().unwrap().remove("free_trial").unwrap();
        assert_eq!(body, header);
        assert_eq!(
            (&header["x402Version"], &trial["remaining_calls_today"]),
            (&2.into(), &1000.into())
        );
    }
}

#[test]
fn a_paid_answer_has_its_receipt() {
    let site = site(SELLS, true);
    let response = ask(&site, "POST", "/verify/schema", &[("Payment-Signature", "x")], VALID);
    assert_eq!((response.status, response.fields.get("Free-Allowance-Remaining")), (200, None));
    let receipt = STANDARD.decode(response.fields.get("Payment-Response").unwrap()).unwrap();
    assert_eq!(receipt, br#"{"success":true}"#);
}

/// Every error has the seed's members, in its order.
#[test]
fn errors_have_one_shape() {
    let site = site("", false);
    let large = format!("\"{}\"", "x".repeat(1 << 20));
    let json_type = ("Content-Type", "application/json");
    for (method, path, fields, body, status, code) in [
        ("GET", "/nowhere", &[][..], "", 404, "not_found"),
        ("GET", "/mcp", &[], "", 404, "not_found"),
        ("GET", "/verify/schema", &[], "", 405, "method_not_allowed"),
        ("POST", "/verify/schema", &[json_type], "{", 422, "invalid_request"),
        ("POST", "/verify/schema", &[], "", 422, "invalid_request"),
        ("POST", "/verify/schema", &[], &large, 413, "payload_too_large"),
        (
            "POST",
            "/verify/schema",
            &[("Content-Type", "text/plain")],
            VALID,
            415,
            "unsupported_media_type",
        ),
        ("POST", "/verify/schema", &[("Accept", "text/html")], VALID, 406, "not_acceptable"),
        ("GET", "/score/%00", &[], "", 422, "invalid_request"),
        ("GET", "/score/%ff", &[], "", 422, "invalid_request"),
        ("GET", "/reputation/%", &[], "", 422, "invalid_request"),
        ("GET", "/reputation/a", &[("Accept", "image/png")], "", 406, "not_acceptable"),
    ] {
        let response = ask(&site, method, path, fields, body);
        let body = json(&response);
        assert_eq!((response.status, &body["code"]), (status, &code.into()), "{method} {path}");
        let names: Vec<_> = body.as_object().unwrap().keys().take(7).cloned().collect();
        let wanted =
            ["code", "message", "status", "retryable", "charged", "next_actions", "fields"];
        assert_eq!(names, wanted);
        assert_eq!((&body["status"], &body["charged"]), (&status.into(), &false.into()));
    }
    let wrong = ask(&site, "PUT", "/verify/schema", &[], "");
    assert_eq!(wrong.fields.get("Allow"), Some("POST, OPTIONS"));
    assert_eq!(
        ask(&site, "POST", "/health", &[], "").fields.get("Allow"),
        Some("GET, HEAD, OPTIONS")
    );
}

#[test]
fn browsers_may_ask_first() {
    let site = site("", false);
    let response = ask(&site, "OPTIONS", "/verify/schema", &[("Origin", "https://a.example")], "");
    assert_eq!((response.status, response.body.len()), (204, 0));
    let allowed = response.fields.get("Access-Control-Allow-Headers").unwrap();
    assert_eq!(allowed, "Content-Type, Payment-Signature, Access-Control-Expose-Headers");
    assert!(
        response.fields.get("Access-Control-Expose-Headers").unwrap().contains("Payment-Required")
    );
    assert_eq!(ask(&site, "OPTIONS", "/nowhere", &[], "").status, 404);
}

#[test]
fn head_is_never_charged() {
    let site = site(SELLS, true);
    ask(&site, "POST", "/verify/schema", &[], VALID);
    let paid = [("Payment-Signature", "x")];
    assert_eq!(ask(&site, "HEAD", "/score/seller", &paid, "").status, 402);
    assert_eq!(ask(&site, "GET", "/score/seller", &paid, "").status, 200);
    assert_eq!(ask(&site, "GET", "/score/seller", &[], "").status, 402);
    assert_eq!(ask(&site, "GET", "/reputation/seller", &[], "").status, 200);
}

#[test]
fn the_same_request_has_the_same_fingerprint_and_others_do_not() {
    let one = request("POST", "/verify/schema", &[], VALID);
    let same = request("POST", "/verify/schema", &[("User-Agent", "x")], VALID);
    assert_eq!(fingerprint(&one), fingerprint(&same));
    for other in [
        request("POST", "/verify/deliverable", &[], VALID),
        request("GET", "/verify/schema", &[], VALID),
        request("POST", "/verify/schema", &[], &format!("{VALID} ")),
    ] {
        assert_ne!(fingerprint(&one), fingerprint(&other));
    }
}

#[test]
fn health_says_ok() {
    let response = ask(&site("", false), "GET", "/health", &[], "");
    assert_eq!((response.status, &json(&response)["status"]), (200, &"ok".into()));
}

#[test]
fn what_was_signed_verifies_with_the_card_that_is_served() {
    let site = site("", false);
    let card = ask(&site, "GET", "/.well-known/agent-card.json", &[], "");
    let keys = CardKeys::read(card.body).unwrap();
    for (method, path, body) in [("POST", "/verify/schema", VALID), ("GET", "/score/nobody", "")] {
        use agent_output_verifier::receipt::attestation::{Attestation, Context};
        let answer = ask(&site, method, path, &[], body).body;
        let answer = read_json(answer, 128).unwrap();
        let attestation = Attestation::of(answer.root()).unwrap();
        let bytes = attestation.signed_bytes(answer.root(), Context::of(answer.root())).unwrap();
        let key = keys.key("v1-test").unwrap();
        assert!(key.verifies(&bytes, &attestation.signature), "{path}");
    }
}
