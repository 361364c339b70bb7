use serde_json::{Value, json};

use crate::server::{Server, cases, say};
use crate::support::Sandbox;

const JSON: &str = "Content-Type: application/json";

fn post(server: &Server, fields: &[&str], message: &Value) -> crate::server::Answer {
    let fields: Vec<_> = [JSON].into_iter().chain(fields.iter().copied()).collect();
    server.ask("POST", "/mcp", &fields, message.to_string().as_bytes())
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The cases about MCP, where they are at hand.
#[test]
fn cases_hold() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let mut count = 0;
    for (name, case) in cases("http") {
        let case: Value = serde_json::from_slice(&case).unwrap();
        if case["http"]["path"] != "/mcp" {
            continue;
        }
        count += 1;
        let fields: Vec<_> = case["http"]["headers"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.as_str().unwrap()))
            .collect();
        let fields: Vec<_> = fields.iter().map(String::as_str).collect();
        let body = case["http"]["body"].to_string();
        let answer = server.ask("POST", "/mcp", &fields, body.as_bytes());
        assert_eq!(u64::from(answer.status), case["expect"]["status"], "{name}");
        if case["expect"]["body"] == "empty" {
            assert!(answer.body.is_empty(), "{name}");
        }
        if case["http"]["body"]["method"] == "tools/call" {
            assert_ne!(answer.json()["result"]["isError"], true, "{name}");
        }
    }
    say(&format!("cases of MCP: {count}"));
}

#[test]
fn who_may_ask_and_how() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let list = request("tools/list", json!({}));
    let own = format!("Origin: http://{}", server.address);
    for (fields, status) in [
        (&[][..], 200),
        (&[&*own][..], 200),
        (&["Origin: http://localhost:3000"][..], 200),
        (&["Origin: https://evil.example"][..], 403),
        (&["Origin: null"][..], 403),
        (&["Origin: http://localhost.evil.example"][..], 403),
        (&["Accept: text/html"][..], 406),
        (&["Accept: */*"][..], 200),
        (&["Accept: application/json, text/event-stream"][..], 200),
        (&["MCP-Protocol-Version: 2025-06-18"][..], 200),
        (&["MCP-Protocol-Version: 1999-01-01"][..], 400),
        (&["Mcp-Session-Id: x"][..], 200),
    ] {
        let answer = post(&server, fields, &list);
        assert_eq!(answer.status, status, "{fields:?}");
        answer.json();
    }
    let text = server.ask("POST", "/mcp", &["Content-Type: text/plain"], b"{}");
    assert_eq!(text.status, 415);
    for method in ["GET", "DELETE", "PUT"] {
        let answer = server.ask(method, "/mcp", &["Accept: text/event-stream"], b"");
        assert_eq!(
            (answer.status, answer.field("allow")),
            (405, Some("POST, OPTIONS")),
            "{method}"
        );
    }
    // DNS rebinding: a name that leads here, but is not ours.
    let mut stream = std::net::TcpStream::connect(server.address).unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    let mut rebound = String::new();
    std::io::Read::read_to_string(&mut stream, &mut rebound).unwrap();
    assert!(rebound.starts_with("HTTP/1.1 403 "), "{rebound}");
}

#[test]
fn a_modern_request_says_itself_in_headers_too() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let meta = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } });
    let discover = request("server/discover", meta.clone());
    let good = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: server/discover"];
    let answer = post(&server, &good, &discover);
    assert_eq!((answer.status, &answer.json()["result"]["resultType"]), (200, &json!("complete")));
    let answer = post(&server, &good[..1], &discover);
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(-32020)));
    let listen = request("subscriptions/listen", meta);
    let fields = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen"];
    let answer = post(&server, &fields, &listen);
    assert_eq!(answer.field("content-type"), Some("text/event-stream"));
    let events: Vec<Value> = answer
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    assert_eq!(events[0]["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(events[1]["id"], 1);
}

/// The same answer over both doors, but for its id, time and signature; both verify.
#[test]
fn answers_equal_those_of_rest() {
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let card = server.url("/.well-known/agent-card.json");
    for real in ["draft", "final"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/real");
        let asked = std::fs::read_to_string(folder.join(format!("{real}-request.json"))).unwrap();
        let rest = server.post("/verify/schema", asked.as_bytes());
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"verify_schema","arguments":{asked}}}}}"#
        );
        let mcp = server.ask("POST", "/mcp", &[JSON], call.as_bytes()).json();
        let text = mcp["result"]["content"][0]["text"].as_str().unwrap();
        let mut bodies = [
            rest.json(),
            serde_json::from_str(text).unwrap(),
            mcp["result"]["structuredContent"].clone(),
        ];
        assert_eq!(bodies[1], bodies[2]);
        for body in &mut bodies {
            for own in ["verification_id", "verified_at", "attestation"] {
                assert!(body.as_object_mut().unwrap().remove(own).is_some());
            }
        }
        assert_eq!(bodies[0], bodies[1]);
        let structured = mcp["result"]["structuredContent"].to_string();
        for (name, receipt) in [("text", text), ("structured", &*structured)] {
            home.file("receipt.json", receipt);
            let verified = home
                .command()
                .args(["verify-receipt", "receipt.json", "--agent-card", &card])
                .output()
                .unwrap();
            assert_eq!(
                verified.status.code(),
                Some(0),
                "{real} {name}: {}",
                String::from_utf8_lossy(&verified.stdout)
            );
        }
    }
    let refused = server.post("/verify/schema", b"{}").json();
    let mcp = post(
        &server,
        &[],
        &request("tools/call", json!({ "name": "verify_schema", "arguments": {} })),
    )
    .json();
    assert_eq!(mcp["result"]["structuredContent"], refused);
    assert_eq!(mcp["result"]["isError"], true);
}
