use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::facilitator::configuration;
use crate::server::{Server, cases};
use crate::support::Sandbox;

const VALID: &[u8] =
    br#"{"task_id":"t","agent_id":"seller","expected_schema":{},"submitted_output":1}"#;

#[test]
fn the_probe_is_told_what_the_manifest_says() {
    let home = Sandbox::new();
    let server = Server::start(&home, &["--config", &configuration(&home, "")]);
    let manifest = server.get("/.well-known/x402").json();
    for (at, path) in ["/verify/schema", "/verify/deliverable"].iter().enumerate() {
        let answer = server.ask("POST", path, &[], b"");
        assert_eq!(answer.status, 402, "{}", answer.body);
        let header = answer.field("Payment-Required").unwrap();
        assert!(header.len() < 3072, "{} bytes", header.len());
        let required: Value = serde_json::from_slice(&STANDARD.decode(header).unwrap()).unwrap();
        assert_eq!(required["resource"]["url"], server.url(path));
        assert_eq!(required["accepts"][0]["amount"], "20000");
        assert_eq!(required["accepts"], manifest["items"][at]["accepts"]);
        assert_eq!(manifest["resources"][at], server.url(path));
        let mut body = answer.json();
        let trial = body.as_object_mut().unwrap().shift_remove("free_trial").unwrap();
        assert_eq!(body, required);
        assert_eq!(trial["url"], server.url("/mcp"));
    }
}

/// H06: invalid before payment, whatever payment comes with it.
#[test]
fn an_invalid_request_is_never_told_to_pay() {
    let home = Sandbox::new();
    let server = Server::start(&home, &["--config", &configuration(&home, "")]);
    let mut bodies = vec![b"{".to_vec(), b"{}".to_vec()];
    for (name, case) in cases("http") {
        if name.starts_with("H06") {
            let case: Value = serde_json::from_slice(&case).unwrap();
            bodies.push(case["http"]["body"].to_string().into_bytes());
        }
    }
    for body in bodies {
        for payment in ["eyJ4IjoxfQ==", "nonsense"] {
            let fields =
                ["Content-Type: application/json", &format!("Payment-Signature: {payment}")];
            let answer = server.ask("POST", "/verify/schema", &fields, &body);
            assert_eq!((answer.status, &answer.json()["charged"]), (422, &false.into()));
        }
    }
    // Nothing of the allowance was used up.
    let answer = server.post("/verify/schema", VALID);
    assert_eq!(answer.field("Free-Allowance-Remaining"), Some("999"));
}

#[test]
fn what_is_no_payment_is_refused_and_not_taken_for_none() {
    let home = Sandbox::new();
    let server = Server::start(&home, &["--config", &configuration(&home, "")]);
    let one = ["Content-Type: application/json", "Payment-Signature: nonsense!"];
    let answer = server.ask("POST", "/verify/schema", &one, VALID);
    assert_eq!((answer.status, answer.json()["code"].as_str()), (400, Some("invalid_payload")));
    let two = ["Payment-Signature: e30=", "Payment-Signature: e30="];
    assert_eq!(server.ask("POST", "/verify/schema", &two, VALID).status, 400);
}

#[test]
fn a_used_up_allowance_leads_to_payment_and_a_score_does_at_once() {
    let home = Sandbox::new();
    let configuration = configuration(&home, "[allowance]\nper_day = 1\n");
    let server = Server::start(&home, &["--config", &configuration]);
    assert_eq!(server.post("/verify/schema", VALID).field("Free-Allowance-Remaining"), Some("0"));
    let answer = server.post("/verify/deliverable", VALID);
    // The day may have ended in between.
    if answer.status != 200 {
        assert_eq!(answer.status, 402);
        assert_eq!(answer.json()["free_trial"]["code"], "free_trial_exhausted");
    }
    let score = server.get("/score/seller");
    assert_eq!((score.status, &score.json()["accepts"][0]["amount"]), (402, &"10000".into()));
    assert_eq!(server.get("/score/nobody").status, 200);
    assert_eq!(server.get("/reputation/seller").status, 200);
}
