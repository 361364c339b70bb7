use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use base64::Engine as _;
use serde_json::json;

use crate::support::Sandbox;

const REQUEST: &str = r#"{"task_id":"t","expected_schema":{},"submitted_output":1}"#;
/// The second account of the well-known test mnemonic.
const KEY: &str = "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";

/// Answers every request with a price for something at this address; its own where none is given.
fn seller(resource: Option<&'static str>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let url = resource.map_or_else(|| format!("{base}/verify/schema"), str::to_owned);
    let required = json!({
        "x402Version": 2,
        "error": "Payment required",
        "resource": { "url": url },
        "accepts": [{
            "scheme": "exact", "network": "eip155:8453", "amount": "20000",
            "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            "payTo": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "maxTimeoutSeconds": 300,
            "extra": { "name": "USD Coin", "version": "2" },
        }],
    });
    let field = base64::engine::general_purpose::STANDARD.encode(required.to_string());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut seen = Vec::new();
            // The request is small, and complete with its body.
            while !seen.ends_with(REQUEST.as_bytes()) && !seen.ends_with(b"GET\r\n\r\n") {
                let mut some = [0; 4096];
                match stream.read(&mut some) {
                    Ok(0) | Err(_) => break,
                    Ok(read) => seen.extend(&some[..read]),
                }
            }
            let _ = write!(
                stream,
                "HTTP/1.1 402 X\r\nPayment-Required: {field}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            );
        }
    });
    base
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("request.json", REQUEST);
    let key = sandbox.file("wallet.key", KEY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    sandbox
}

#[test]
fn a_price_is_told_and_nothing_is_paid() {
    let (sandbox, base) = (sandbox(), seller(None));
    let ended = sandbox.aov(&["check", "--url", &base, "request.json"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stdout.contains("0.02 USDC on Base (eip155:8453)"), "{}", ended.stdout);
    assert!(ended.stdout.contains("nothing was paid"), "{}", ended.stdout);
}

#[test]
fn what_must_not_be_paid_is_not() {
    let sandbox = sandbox();
    let pay = |base: &str, price: &str, key: &[&str]| {
        let mut command = sandbox.command();
        command.env("HOME", sandbox.path()).args(["check", "request.json", "--url", base]);
        let ended = command.args(["--pay", "--max-price", price]).args(key).output().unwrap();
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    };
    let file = ["--wallet-key-file", "wallet.key"];
    let (code, told) = pay(&seller(None), "0.019999", &file);
    assert!(code == Some(4) && told.contains("--max-price allows 0.019999"), "{code:?} {told}");
    let elsewhere = seller(Some("https://elsewhere.example/verify/schema"));
    let (code, told) = pay(&elsewhere, "0.02", &file);
    assert!(code == Some(4) && told.contains("another address"), "{code:?} {told}");
    // Nothing was signed, nor anything kept.
    assert!(!sandbox.path().join(".local").exists());
    let (code, told) = pay(&seller(None), "0.02", &[]);
    assert!(code == Some(2) && told.contains("AOV_WALLET_KEY"), "{code:?} {told}");
    assert!(!told.contains(&KEY[..16]));
}

#[test]
fn a_request_that_is_not_valid_is_not_sent() {
    let sandbox = sandbox();
    sandbox.file("bad.json", r#"{"task_id":"t","expected_schema":{}}"#);
    // Nobody listens there: to be told 2 and not 3, nothing may have been asked.
    let ended = sandbox.aov(&["check", "--url", "http://127.0.0.1:9", "bad.json"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    let ended = sandbox.aov(&["check", "--url", "http://127.0.0.1:9", "request.json"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
}

#[test]
fn options_that_do_not_fit_together_are_usage_errors() {
    let sandbox = sandbox();
    let url = ["check", "request.json", "--url", "http://127.0.0.1:9"];
    for more in [
        &["--enforce-rules"][..],
        &["--schema", "request.json"],
        &["--jsonl"],
        &["--record"],
        &["--format", "sarif"],
        &["request.json"],
        &["--pay"],
        &["--max-price", "0.02"],
        &["--pay", "--max-price", "2 cents"],
        &["--pay", "--max-price", "0"],
    ] {
        let ended = sandbox.aov(&[&url[..], more].concat());
        assert_eq!(ended.code, Some(2), "{more:?}: {}", ended.stderr);
    }
    for without in [
        &["check", "request.json", "--pay", "--max-price", "0.02"][..],
        &["check", "request.json", "--trust", "verifier.example"],
        &["check", "--url", "http://verifier.example", "request.json"],
        &["check", "--url", "https://verifier.example/?x", "request.json"],
        &["ledger"],
        &["ledger", "payments", "--state", "paid"],
        &["ledger", "payments", "--ledger", "there-is-none"],
        &["ledger", "reconcile"],
    ] {
        let ended = sandbox.aov(without);
        assert_eq!(ended.code, Some(2), "{without:?}: {}", ended.stderr);
    }
}
