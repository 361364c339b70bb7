//! Keys and signed answers: private, never overwritten, and verified as they are made.

use crate::receipts::{code, fact, json, real};
use crate::support::{Sandbox, end};

#[test]
fn keygen_makes_private_keys_once() {
    let sandbox = Sandbox::new();
    let made = sandbox.aov(&["keygen", "aov.key"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let path = sandbox.path().join("aov.key");
    let secret = std::fs::read_to_string(&path).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let material = secret.trim_end().rsplit(':').next().unwrap();
    assert!(!made.stdout.contains(material) && !made.stderr.contains(material));
    let entry: serde_json::Value = serde_json::from_str(&made.stdout).unwrap();
    let version = entry["params"]["currentKeyVersion"].as_str().unwrap();
    assert!(
        version.starts_with("v1-") && entry["params"]["publicKeys"][0]["keyVersion"] == version
    );
    assert_eq!(sandbox.aov(&["keygen", "aov.key", "--show"]).stdout, made.stdout);

    let again = sandbox.aov(&["keygen", "aov.key"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(2), ""));
    assert!(again.stderr.contains("never overwritten"), "{}", again.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), secret);

    // Rotation: the new key in front, the old one kept.
    sandbox.file("card.json", format!(r#"{{"capabilities":{{"extensions":[{}]}}}}"#, made.stdout));
    let rotated =
        sandbox.aov(&["keygen", "next.key", "--key-version", "v2", "--agent-card", "card.json"]);
    assert_eq!(rotated.code, Some(0), "{}", rotated.stderr);
    let card: serde_json::Value = serde_json::from_str(&rotated.stdout).unwrap();
    let params = &card["capabilities"]["extensions"][0]["params"];
    assert_eq!(params["currentKeyVersion"], "v2");
    assert_eq!(params["publicKeys"][0]["keyVersion"], "v2");
    assert_eq!(params["publicKeys"][1]["keyVersion"], version);
    // A card that cannot take the key leaves none behind.
    sandbox.file("new.json", &rotated.stdout);
    let taken =
        sandbox.aov(&["keygen", "third.key", "--key-version", "v2", "--agent-card", "new.json"]);
    assert_eq!(taken.code, Some(2));
    assert!(!sandbox.path().join("third.key").exists());
}

pub(crate) fn signing_arguments(key: &str) -> Vec<&str> {
    vec![
        "check",
        "request.json",
        "--format",
        "json",
        "--public-url",
        "https://verifier.example/aov/",
        "--sign-key",
        key,
    ]
}

#[test]
fn a_signed_answer_verifies_and_says_where() {
    let sandbox = Sandbox::new();
    sandbox.file("request.json", real("draft-request.json"));
    let entry = sandbox.aov(&["keygen", "aov.key"]).stdout;
    sandbox.file("card.json", format!(r#"{{"capabilities":{{"extensions":[{entry}]}}}}"#));
    for detail in ["full", "compact"] {
        let ended =
            sandbox.aov(&[&signing_arguments("aov.key")[..], &["--detail", detail]].concat());
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        let receipt: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(
            receipt["verify"]["public_key_url"],
            "https://verifier.example/aov/.well-known/agent-card.json"
        );
        assert_eq!(receipt["verify"]["mcp"], "https://verifier.example/aov/mcp");
        assert_eq!(receipt["verify"]["service"], "aov");
        assert_eq!(receipt["verified_at"], receipt["attestation"]["timestamp"]);
        assert_eq!(receipt.get("request_hash").is_some(), detail == "full");
        let id = receipt["verification_id"].as_str().unwrap();
        assert!(id.len() == 36 && &id[14..15] == "4" && "89ab".contains(&id[19..20]), "{id}");
        sandbox.file("receipt.json", &ended.stdout);
        let report = json(
            &sandbox,
            &[
                "receipt.json",
                "--agent-card",
                "card.json",
                "--request",
                "request.json",
                "--replay",
                "--max-age",
                "1h",
            ],
        );
        assert_eq!(report["receipts"][0]["verdict"], "genuine_bound", "{report}");
        assert_eq!(report["receipts"][0]["exit_code"], 0);
        assert_eq!(report["receipts"][0]["warnings"], serde_json::json!([]));
        assert_eq!(fact(&report, "issuer", "code"), "issuer_given");
        assert_eq!(fact(&report, "key_source", "code"), "key_card_file");
        // Nobody else has to trust this issuer.
        assert_eq!(code(&sandbox, &["receipt.json"]), Some(1));
    }
}

#[test]
fn a_key_comes_from_a_file_the_environment_or_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.file("request.json", real("final-request.json"));
    sandbox.aov(&["keygen", "aov.key"]);
    let secret = std::fs::read_to_string(sandbox.path().join("aov.key")).unwrap();
    let arguments =
        ["check", "request.json", "--format", "json", "--public-url", "https://verifier.example"];
    let from_environment =
        end(sandbox.command().args(arguments).env("AOV_SECRET_KEY", &secret), None);
    assert_eq!(from_environment.code, Some(0), "{}", from_environment.stderr);
    let line = secret.lines().last().unwrap();
    let from_line = end(sandbox.command().args(arguments).env("AOV_SECRET_KEY", line), None);
    assert_eq!(from_line.code, Some(0), "{}", from_line.stderr);
    let from_stdin = sandbox.aov_with(&signing_arguments("-"), &secret);
    assert_eq!(from_stdin.code, Some(0), "{}", from_stdin.stderr);
    // One standard input is not two things.
    let both = [
        "check",
        "-",
        "--format",
        "json",
        "--public-url",
        "https://verifier.example",
        "--sign-key",
        "-",
    ];
    assert_eq!(sandbox.aov_with(&both, &secret).code, Some(2));
    // Without a key nothing is signed, and nothing is answered as if it were.
    let none = sandbox.aov(&arguments);
    assert_eq!(none.code, Some(2));
    assert!(none.stdout.contains("\"code\": \"usage\""), "{}", none.stdout);
    assert!(!none.stdout.contains("attestation"), "{}", none.stdout);
    let human = sandbox.aov(&[
        "check",
        "request.json",
        "--public-url",
        "https://v.example",
        "--sign-key",
        "aov.key",
    ]);
    assert_eq!(human.code, Some(2));
    let local = ["check", "request.json", "--format", "json", "--sign-key", "aov.key"];
    assert_eq!(sandbox.aov(&local).code, Some(2), "signing needs an address");
    let damaged = end(
        sandbox.command().args(arguments).env("AOV_SECRET_KEY", "aov-secret-key-v1:v1:c2VjcmV0"),
        None,
    );
    assert_eq!(damaged.code, Some(2));
    assert!(!format!("{damaged:?}").contains("c2VjcmV0"), "{damaged:?}");
}

#[cfg(unix)]
#[test]
fn a_loose_key_file_is_refused_with_its_remedy() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.file("request.json", real("final-request.json"));
    sandbox.aov(&["keygen", "aov.key"]);
    let path = sandbox.path().join("aov.key");
    for mode in [0o644, 0o640, 0o660, 0o604] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let ended = sandbox.aov(&signing_arguments("aov.key"));
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), ""));
        assert!(ended.stdout.contains("chmod 600 aov.key"), "{}", ended.stdout);
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
    assert_eq!(sandbox.aov(&signing_arguments("aov.key")).code, Some(0));
}

#[test]
fn a_receipt_is_never_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.file("request.json", real("final-request.json"));
    sandbox.aov(&["keygen", "aov.key"]);
    let arguments = [&signing_arguments("aov.key")[..], &["--output", "receipt.json"]].concat();
    assert_eq!(sandbox.aov(&arguments).code, Some(0));
    let first = std::fs::read(sandbox.path().join("receipt.json")).unwrap();
    let again = sandbox.aov(&arguments);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("never overwritten"), "{}", again.stderr);
    assert_eq!(std::fs::read(sandbox.path().join("receipt.json")).unwrap(), first);
    assert_eq!(sandbox.names(), ["aov.key", "receipt.json", "request.json"]);
}
