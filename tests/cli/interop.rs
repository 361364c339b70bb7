//! Receipts of ours verify elsewhere, and receipts made elsewhere verify here: Python's
//! `cryptography` for Ed25519, and `rfc8785` for the canonical form. Both come from PyPI; without
//! them the tests say so and pass. `AOV_PYTHON` names another interpreter.

use crate::support::{Ended, Sandbox, end, project};

/// Signs the body in body.json under `v1-py` and writes the receipt and an agent card.
const SIGN: &str = r#"
import base64, json, sys
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

context = sys.argv[1]
key = Ed25519PrivateKey.generate()
body = json.load(open("body.json", encoding="utf-8"))
document = {
    "context": context,
    "algorithm": "Ed25519",
    "key_version": "v1-py",
    "attested_at": body["verified_at"],
    "response": body,
}
signature = key.sign(rfc8785.dumps(document))
body["attestation"] = {
    "algorithm": "Ed25519",
    "key_version": "v1-py",
    "timestamp": body["verified_at"],
    "signature": base64.b64encode(signature).decode(),
}
public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
json.dump(body, open("receipt.json", "w", encoding="utf-8"), ensure_ascii=True, indent=1)
json.dump({"capabilities": {"extensions": [{
    "uri": "urn:json-schema-verifier:extension:attestation:v1",
    "params": {"publicKeys": [{
        "keyVersion": "v1-py",
        "algorithm": "Ed25519",
        "publicKey": base64.b64encode(public).decode(),
    }]},
}]}}, open("card.json", "w"))
"#;

/// Verifies receipt.json with the extension entry in entry.json, as the seed's steps say.
const VERIFY: &str = r#"
import base64, json, sys
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

context = sys.argv[1]
receipt = json.load(open("receipt.json", encoding="utf-8"))
entry = json.load(open("entry.json"))
assert entry["uri"].startswith("urn:json-schema-verifier:extension:attestation:")
attestation = receipt.pop("attestation")
assert sorted(attestation) == ["algorithm", "key_version", "signature", "timestamp"]
[key] = [k for k in entry["params"]["publicKeys"] if k["keyVersion"] == attestation["key_version"]]
document = {
    "context": context,
    "algorithm": attestation["algorithm"],
    "key_version": attestation["key_version"],
    "attested_at": attestation["timestamp"],
    "response": receipt,
}
public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key["publicKey"]))
public.verify(base64.b64decode(attestation["signature"]), rfc8785.dumps(document))
"#;

const VERIFICATION: &str = "json-schema-verifier/verify-schema-attestation/v1";
const SCORE: &str = "json-schema-verifier/trust-score-attestation/v1";

fn python(sandbox: &Sandbox, script: &str, arguments: &[&str]) -> Ended {
    let interpreter = std::env::var("AOV_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = std::process::Command::new(interpreter);
    command.args(["-c", script]).args(arguments).current_dir(sandbox.path());
    end(&mut command, None)
}

fn has_packages() -> bool {
    let interpreter = std::env::var("AOV_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = std::process::Command::new(&interpreter)
        .args(["-c", "import cryptography, rfc8785"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !there {
        eprintln!(
            "{interpreter} has no cryptography and rfc8785: the interoperation was not tried"
        );
    }
    there
}

fn keygen(sandbox: &Sandbox) {
    let made = sandbox.aov(&["keygen", "aov.key"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    sandbox.file("entry.json", made.stdout);
}

#[test]
fn ours_verify_with_python() {
    if !has_packages() {
        return;
    }
    let sandbox = Sandbox::new();
    keygen(&sandbox);
    let request =
        std::fs::read_to_string(project().join("fixtures/real/draft-request.json")).unwrap();
    // Text of every kind in the signed body, and names that UTF-16 orders otherwise than bytes.
    let odd = request
        .replace("invoice-7731-draft", "é \u{1F9FE} \\\"q\\\" \\\\ \u{FB00}")
        .replace("\"sku\": \"CRWL-100\"", "\"sku\": 5, \"\u{1F9FE}\": 1, \"\u{FB00}\": 2");
    for (text, exit) in [(request, 1), (odd, 1)] {
        sandbox.file("request.json", text);
        for detail in ["full", "compact"] {
            let signed = sandbox.aov(&[
                "check",
                "request.json",
                "--detail",
                detail,
                "--format",
                "json",
                "--sign-key",
                "aov.key",
                "--public-url",
                "https://verifier.example",
                "--service",
                "Prüfer \u{1F9FE}",
            ]);
            assert_eq!(signed.code, Some(exit), "{}", signed.stderr);
            sandbox.file("receipt.json", &signed.stdout);
            let verified = python(&sandbox, VERIFY, &[VERIFICATION]);
            assert_eq!(verified.code, Some(0), "{}", verified.stderr);
            assert_ne!(python(&sandbox, VERIFY, &[SCORE]).code, Some(0));
            sandbox.file("receipt.json", signed.stdout.replace("\"fail\"", "\"pass\""));
            assert_ne!(python(&sandbox, VERIFY, &[VERIFICATION]).code, Some(0));
        }
    }
}

#[test]
fn theirs_verify_with_us() {
    if !has_packages() {
        return;
    }
    let verification = r#"{"result": "pass", "summary": {"result": "pass", "blocking_checks": []},
        "task_id": "é \ud83e\uddfe \u0000 \" \\ \ufb00", "\ud83e\uddfe": 1, "\ufb00": 2,
        "numbers": [1.0, 1e21, 1e-7, 0.000001, -0.0, 9007199254740991, 0.1, 1e300, 5e-324],
        "verified_at": "2026-11-01T10:00:00.000001+00:00",
        "verify": {"public_key_url": "https://verifier.example/.well-known/agent-card.json",
                   "key_version": "v1-py"}}"#;
    let score = r#"{"agent_id": "seller", "trust_score": 0.912345, "reason": null, "verified": 3,
        "passed": 2, "failed": 1, "verified_at": "2026-11-01T10:00:00.000001+00:00"}"#;
    for (body, context, other) in
        [(verification, VERIFICATION, SCORE), (score, SCORE, VERIFICATION)]
    {
        let sandbox = Sandbox::new();
        sandbox.file("body.json", body);
        let verify = ["verify-receipt", "receipt.json", "--agent-card", "card.json", "--offline"];
        let signed = python(&sandbox, SIGN, &[context]);
        assert_eq!(signed.code, Some(0), "{}", signed.stderr);
        let ended = sandbox.aov(&verify);
        assert_eq!(ended.code, Some(0), "{}", ended.stdout);
        let signed = python(&sandbox, SIGN, &[other]);
        assert_eq!(signed.code, Some(0), "{}", signed.stderr);
        let ended = sandbox.aov(&verify);
        assert_eq!(ended.code, Some(1));
        assert!(ended.stdout.contains("the other kind of receipt"), "{}", ended.stdout);
    }
}
