use serde_json::Value;

use crate::server::{Server, ask, cases};
use crate::support::Sandbox;

const VALID: &[u8] = br#"{"task_id":"t","expected_schema":{},"submitted_output":1}"#;

/// The REST cases that need no facilitator; those are with the payments.
#[test]
fn reported_faults_of_other_servers_are_not_ours() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    for (name, case) in cases("http") {
        let case: Value = serde_json::from_slice(&case).unwrap();
        let http = &case["http"];
        let rest = http["path"].as_str().is_some_and(|path| path.starts_with("/verify"));
        let Some(status) = case["expect"]["status"].as_u64().filter(|_| rest) else { continue };
        let headers = http["headers"].as_object().into_iter().flatten();
        let fields: Vec<_> =
            headers.map(|(name, value)| format!("{name}: {}", value.as_str().unwrap())).collect();
        let fields: Vec<_> = fields.iter().map(String::as_str).collect();
        let body = match http["body_bytes"].as_u64() {
            Some(length) => vec![b' '; usize::try_from(length).unwrap()],
            None => http["body"].to_string().into_bytes(),
        };
        let path = http["path"].as_str().unwrap();
        let answer = server.ask(http["method"].as_str().unwrap(), path, &fields, &body);
        assert_eq!(u64::from(answer.status), status, "{name}: {}", answer.body);
        assert_eq!(answer.json()["charged"], false, "{name}");
        assert_eq!(server.get("/health").status, 200, "{name}");
    }
}

#[test]
fn the_limit_is_told_and_a_body_below_it_is_served() {
    let home = Sandbox::new();
    let server = Server::start(&home, &["--set", "limits.body_bytes=5000"]);
    let mut body = VALID.to_vec();
    body.resize(5000, b' ');
    assert_eq!(server.post("/verify/schema", &body).status, 200);
    body.push(b' ');
    let refused = server.post("/verify/schema", &body);
    assert_eq!((refused.status, &refused.json()["limit_bytes"]), (413, &5000.into()));
}

#[test]
fn a_payment_that_nobody_asked_for_changes_nothing() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let fields = ["Content-Type: application/json", "Payment-Signature: nonsense"];
    let answer = server.ask("POST", "/verify/schema", &fields, VALID);
    assert_eq!((answer.status, answer.field("Payment-Response")), (200, None));
}

#[test]
fn other_methods_are_told_which_there_are() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let answer = server.get("/verify/schema");
    assert_eq!((answer.status, answer.field("Allow")), (405, Some("POST, OPTIONS")));
    let options = server.ask("OPTIONS", "/verify/schema", &["Origin: https://a.example"], b"");
    assert_eq!((options.status, options.field("Access-Control-Allow-Origin")), (204, Some("*")));
    let head = server.ask("HEAD", "/health", &[], b"");
    assert_eq!((head.status, &*head.body), (200, ""));
    assert_eq!(head.field("Content-Length"), server.get("/health").field("Content-Length"));
    assert_eq!(server.get("/nowhere").json()["code"], "not_found");
}

#[test]
fn metrics_are_for_the_operator_alone() {
    let home = Sandbox::new();
    let server = Server::start(&home, &["--admin", "127.0.0.1:0"]);
    assert_eq!(server.get("/metrics").status, 404);
    assert_eq!(server.post("/verify/schema", VALID).status, 200);
    let metrics = server.greeting.lines().find_map(|line| line.strip_prefix("  metrics  http://"));
    let admin = metrics.unwrap().strip_suffix("/metrics").unwrap().parse().unwrap();
    let answer = ask(admin, "GET", "/metrics", &[], b"");
    assert_eq!(answer.status, 200);
    for line in [
        "aov_requests_total{endpoint=\"none\",status=\"404\"} 1",
        "aov_requests_total{endpoint=\"verify_schema\",status=\"200\"} 1",
        "aov_verifications_total{result=\"pass\"} 1",
    ] {
        assert!(answer.body.lines().any(|it| it == line), "{line} in {}", answer.body);
    }
    assert_eq!(ask(admin, "GET", "/verify/schema", &[], b"").status, 404);
    assert_eq!(ask(admin, "POST", "/metrics", &[], b"").field("Allow"), Some("GET, HEAD"));
}
