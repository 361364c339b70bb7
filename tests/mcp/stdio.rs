use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::memory::{MAX_GROWTH, resident};
use crate::support::Sandbox;

/// A conversation.
struct Conversation {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Conversation {
    fn start(home: &Sandbox) -> Self {
        let mut command = home.command();
        command.env("HOME", home.path()).arg("mcp");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().unwrap());
        Self { child, to, from }
    }

    fn send(&mut self, line: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(line.as_bytes()).unwrap();
        to.write_all(b"\n").unwrap();
        to.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.from.read_line(&mut line).unwrap() > 0, "it ended");
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(&message.to_string());
        self.receive()
    }

    /// Ends the input; what is still said, and the exit code.
    fn end(mut self) -> (String, i32) {
        drop(self.to.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.from, &mut rest).unwrap();
        (rest, self.child.wait().unwrap().code().unwrap())
    }
}

/// A call that passes.
pub(crate) fn verify(id: u64) -> Value {
    let arguments = json!({
        "task_id": format!("t-{id}"),
        "expected_schema": { "type": "object", "required": ["a"], "properties": { "a": { "type": "integer", "minimum": 0 } } },
        "submitted_output": { "a": id },
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "verify_schema", "arguments": arguments } })
}

#[test]
fn a_conversation_ends_with_its_input() {
    let home = Sandbox::new();
    let mut talk = Conversation::start(&home);
    let hello = talk.ask(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } } }));
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    talk.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    // A broken line is one error, and not the end; blank ones are nothing.
    for broken in ["{", "no JSON at all", "\u{feff}[", "{\"a\":1,\"a\":2}"] {
        talk.send("");
        talk.send(broken);
        let answer = talk.receive();
        assert_eq!(answer["error"]["code"], -32700, "{broken}");
        assert!(answer.get("id").is_none());
    }
    let answer = talk.ask(&verify(1));
    let body = &answer["result"]["structuredContent"];
    assert_eq!(
        (&answer["id"], &body["result"], &body["task_id"]),
        (&json!(1), &json!("pass"), &json!("t-1"))
    );
    assert!(body.get("attestation").is_none(), "nobody signs without a key");
    // Both eras on one pipe, as some clients have it.
    let discovered = talk.ask(&json!({ "jsonrpc": "2.0", "id": "d", "method": "server/discover", "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } } }));
    assert_eq!(discovered["result"]["resultType"], "complete");
    assert_eq!(
        talk.ask(&json!({ "jsonrpc": "2.0", "id": 5, "method": "ping" }))["result"],
        json!({})
    );
    assert_eq!(talk.end(), (String::new(), 0));
}

#[test]
fn a_line_that_is_too_long_is_one_error() {
    let home = Sandbox::new();
    let mut talk = Conversation::start(&home);
    talk.send(&format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(9 << 20)));
    assert_eq!(talk.receive()["error"]["code"], -32700);
    assert_eq!(talk.ask(&verify(2))["id"], 2);
    assert_eq!(talk.end().1, 0);
}

#[test]
fn the_last_line_needs_no_end() {
    let home = Sandbox::new();
    let mut talk = Conversation::start(&home);
    talk.to.as_mut().unwrap().write_all(verify(3).to_string().as_bytes()).unwrap();
    let (said, code) = talk.end();
    assert_eq!(code, 0);
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap()["id"], 3);
}

#[test]
fn ten_thousand_calls_leave_memory_as_it_was() {
    let home = Sandbox::new();
    let mut talk = Conversation::start(&home);
    for id in 0..500 {
        assert_eq!(talk.ask(&verify(id))["id"], id);
    }
    let before = resident(talk.child.id());
    for id in 500..10_000 {
        let answer = talk.ask(&verify(id));
        assert_eq!(answer["result"]["structuredContent"]["result"], "pass");
    }
    let grown = resident(talk.child.id()).saturating_sub(before);
    assert!(grown < MAX_GROWTH, "{before} KiB grew by {grown} KiB");
    assert_eq!(talk.end().1, 0);
}

#[test]
fn answers_are_signed_if_a_key_is_given() {
    let home = Sandbox::new();
    let made = home.command().args(["keygen", "aov.key"]).output().unwrap();
    assert!(made.status.success());
    let mut command = home.command();
    command.args(["mcp", "--sign-key", "aov.key", "--public-url", "https://verifier.example"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(verify(4).to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    home.file("receipt.json", text);
    let shown = home.command().args(["keygen", "--show", "aov.key"]).output().unwrap();
    let entry: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let key = entry["params"]["publicKeys"][0]["publicKey"].as_str().unwrap();
    let verified = home
        .command()
        .args([
            "verify-receipt",
            "receipt.json",
            "--offline",
            "--require-pass",
            "--public-key",
            key,
        ])
        .output()
        .unwrap();
    assert_eq!(verified.status.code(), Some(0), "{}", String::from_utf8_lossy(&verified.stdout));
}
