use agent_output_verifier::json::{MAX_DEPTH, read};
use serde_json::Value;

use crate::server::{Server, cases};
use crate::support::{Sandbox, project};

/// The requests of the cases, as text: `(name, text)`.
fn requests() -> Vec<(String, String)> {
    let mut requests: Vec<_> = cases("check")
        .into_iter()
        .map(|(name, case)| {
            let case = read(case, MAX_DEPTH + 8).unwrap();
            let raw = case.root().get("request_raw").and_then(|raw| raw.as_str());
            // The text itself: numbers keep their digits.
            let request = || case.root().get("request").unwrap().source();
            (name, raw.unwrap_or_else(request).to_owned())
        })
        .collect();
    // What is here in any case.
    for name in ["draft", "final"] {
        let path = project().join(format!("fixtures/real/{name}-request.json"));
        requests.push((name.to_owned(), std::fs::read_to_string(path).unwrap()));
    }
    for text in ["", "{", "[]", "null", r#"{"task_id":1}"#, "{\"a\":1,\"a\":2}", "\u{FEFF}{}"] {
        if !text.is_empty() {
            requests.push((text.to_owned(), text.to_owned()));
        }
    }
    requests
}

/// Without what is different each time.
fn lasting(mut body: Value) -> Value {
    if let Some(members) = body.as_object_mut() {
        for name in ["verification_id", "verified_at", "verify", "attestation"] {
            members.shift_remove(name);
        }
    }
    body
}

#[test]
fn the_server_answers_what_the_command_line_prints_and_signs_it() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let mut faults = Vec::new();
    let mut receipts = String::new();
    for (name, request) in requests() {
        let arguments = ["check", "--format", "json", "--allow-unknown-fields", "-"];
        let local = home.aov_with(&arguments, &request);
        let printed: Value =
            serde_json::from_str(&local.stdout.replace("<stdin>:", "body:")).unwrap();
        for path in ["/verify/schema", "/verify/deliverable"] {
            let answer = server.post(path, request.as_bytes());
            let status = if local.code == Some(2) { 422 } else { 200 };
            // As text: the order of members counts, and every digit.
            let served = lasting(answer.json()).to_string();
            let wanted = lasting(printed.clone()).to_string();
            if answer.status != status || served != wanted {
                faults
                    .push(format!("{name} at {path}: {} {served}\n  not {wanted}", answer.status));
            }
            if answer.status == 200 {
                receipts.push_str(&answer.body);
                receipts.push('\n');
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    home.file("receipts.jsonl", &receipts);
    let card = server.url("/.well-known/agent-card.json");
    let verified = home.aov(&["verify-receipt", "--agent-card", &card, "receipts.jsonl"]);
    assert_eq!(verified.code, Some(0), "{}\n{}", verified.stdout, verified.stderr);
    assert!(receipts.lines().count() >= 4);
}

#[test]
fn a_score_is_signed_so_that_it_verifies() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let request =
        r#"{"task_id":"t","agent_id":"an agent/é","expected_schema":{},"submitted_output":1}"#;
    assert_eq!(server.post("/verify/schema", request.as_bytes()).status, 200);
    let answer = server.get("/score/an%20agent%2F%C3%A9");
    let body = answer.json();
    assert_eq!(
        (answer.status, &body["agent_id"], &body["verified"]),
        (200, &"an agent/é".into(), &1.into())
    );
    home.file("score.json", &answer.body);
    let card = server.url("/.well-known/agent-card.json");
    let verified = home.aov(&["verify-receipt", "--agent-card", &card, "score.json"]);
    assert_eq!(verified.code, Some(0), "{}\n{}", verified.stdout, verified.stderr);
    let reputation = server.get("/reputation/an%20agent%2F%C3%A9").json();
    assert_eq!((&reputation["passed"], &reputation["failed"]), (&1.into(), &0.into()));
}
