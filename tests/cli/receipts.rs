//! Receipts as their holders meet them: every verdict with its exit code.

use std::path::Path;

use crate::examples::commands;
use crate::signing::signing_arguments;
use crate::support::{Ended, Sandbox, end, project};

pub(crate) fn real(name: &str) -> String {
    std::fs::read_to_string(project().join("fixtures/real").join(name)).unwrap()
}

/// A folder with both genuine receipts and their requests.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["draft", "final"] {
        for part in ["receipt", "request"] {
            let file = format!("{name}-{part}.json");
            sandbox.file(&file, real(&file));
        }
    }
    sandbox
}

fn verify(sandbox: &Sandbox, arguments: &[&str]) -> Ended {
    sandbox.aov(&[&["verify-receipt"], arguments].concat())
}

pub(crate) fn code(sandbox: &Sandbox, arguments: &[&str]) -> Option<i32> {
    verify(sandbox, arguments).code
}

pub(crate) fn json(sandbox: &Sandbox, arguments: &[&str]) -> serde_json::Value {
    let ended = verify(sandbox, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&ended.stdout).unwrap()
}

/// The text of `fact.member` in the report on a single receipt.
pub(crate) fn fact<'j>(report: &'j serde_json::Value, fact: &str, member: &str) -> &'j str {
    report["receipts"][0]["facts"][fact][member].as_str().unwrap_or("missing")
}

#[test]
fn genuine_receipts_verify_offline_bind_and_replay() {
    let sandbox = sandbox();
    for name in ["draft", "final"] {
        let (receipt, request) = (format!("{name}-receipt.json"), format!("{name}-request.json"));
        let report = json(&sandbox, &["--offline", &receipt, "--request", &request, "--replay"]);
        assert_eq!(report["receipts"][0]["verdict"], "genuine_bound");
        assert_eq!(report["receipts"][0]["exit_code"], 0);
        assert_eq!(fact(&report, "key_source", "code"), "key_pinned");
        assert_eq!(fact(&report, "issuer", "code"), "issuer_built_in");
        assert_eq!(fact(&report, "replay", "code"), "replay_same");
        assert_eq!(report["receipts"][0]["replay"]["receipt_version"], "0.4.1");
        assert_eq!(report["receipts"][0]["replay"]["replay_version"], env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn every_verdict_has_its_exit_code() {
    let sandbox = sandbox();
    // Genuine and bound.
    let bound = ["final-receipt.json", "--request", "final-request.json"];
    assert_eq!(code(&sandbox, &bound), Some(0));
    // Genuine, and nothing was given to bind it to.
    assert_eq!(code(&sandbox, &["final-receipt.json"]), Some(0));
    // Genuine, and not about the data.
    let other = ["final-receipt.json", "--request", "draft-request.json"];
    assert_eq!(code(&sandbox, &other), Some(1));
    // An issuer nobody trusts.
    let text = real("final-receipt.json");
    let untrusted = text.replace("fastapi-service-5ag4.onrender.com", "evil.example");
    sandbox.file("untrusted.json", untrusted);
    assert_eq!(code(&sandbox, &["untrusted.json"]), Some(1));
    let report = json(&sandbox, &["untrusted.json"]);
    assert_eq!(report["receipts"][0]["verdict"], "untrusted_issuer");
    assert_eq!(fact(&report, "signature", "code"), "signature_not_checked");
    // Not genuine.
    sandbox.file("forged.json", text.replace("\"pass\"", "\"fail\""));
    assert_eq!(code(&sandbox, &["forged.json"]), Some(1));
    let report = json(&sandbox, &["forged.json"]);
    assert_eq!(report["receipts"][0]["verdict"], "not_genuine");
    assert_eq!(report["receipts"][0]["reason"]["code"], "signature_invalid");
    // Could not be decided: the key would have to be fetched.
    let moved = text
        .replace("fastapi-service-5ag4.onrender.com", "verify.sarnai.dev")
        .replace("v1-2026-09c", "v2");
    sandbox.file("moved.json", moved);
    assert_eq!(code(&sandbox, &["moved.json", "--offline"]), Some(3));
    assert_eq!(json(&sandbox, &["moved.json", "--offline"])["receipts"][0]["verdict"], "undecided");
    // Another key than the pinned one, loudly.
    let key = "hZrQJ0g22MaA+qphhJhTEN5L0xNTDwWIel7j8PX9qPM=";
    let differs = verify(&sandbox, &["final-receipt.json", "--public-key", key]);
    assert_eq!(differs.code, Some(1));
    assert!(differs.stdout.contains("differs from the one pinned"), "{}", differs.stdout);
}

/// `aov verify-receipt r && pay` is safe only with demands: a genuine receipt of a fail is genuine.
#[test]
fn a_receipt_of_a_fail_needs_the_demand() {
    let sandbox = sandbox();
    let draft = ["draft-receipt.json", "--request", "draft-request.json"];
    let without = verify(&sandbox, &draft);
    assert_eq!(without.code, Some(0));
    assert!(without.stdout.starts_with("genuine, and about the data in hand; the result is fail"));
    assert!(without.stdout.contains("a result of pass was not demanded"), "{}", without.stdout);
    let with = verify(&sandbox, &[&draft[..], &["--require-pass"]].concat());
    assert_eq!(with.code, Some(1));
    assert!(with.stdout.contains("not as demanded: require_pass"), "{}", with.stdout);
    let pass = ["final-receipt.json", "--request", "final-request.json", "--require-pass"];
    assert_eq!(code(&sandbox, &pass), Some(0));
    let help = verify(&sandbox, &["--help"]).stdout;
    assert!(help.contains("--require-pass --require-enforced --max-age 7d && pay"), "{help}");
    assert!(help.contains("that includes a receipt of a fail"), "{help}");
}

#[test]
fn demands_are_held() {
    let sandbox = sandbox();
    for (demand, met) in [
        (&["--require-enforced"][..], true),
        (&["--task-id", "invoice-7731-final"], true),
        (&["--task-id", "invoice-7731-draft"], false),
        (&["--agent-id", "test-seller-invoice-agent"], true),
        (&["--agent-id", "test-seller"], false),
        (&["--max-age", "5200w"], true),
        (&["--max-age", "1s"], false),
        (&["--context", "verification"], true),
        (&["--context", "score"], false),
    ] {
        let arguments = [&["final-receipt.json"], demand].concat();
        assert_eq!(code(&sandbox, &arguments), Some(i32::from(!met)), "{demand:?}");
    }
    assert_eq!(code(&sandbox, &["final-receipt.json", "--max-age", "7"]), Some(2));
}

#[test]
fn parts_bind_by_themselves() {
    let sandbox = sandbox();
    let request: serde_json::Value = serde_json::from_str(&real("final-request.json")).unwrap();
    sandbox.file("output.json", request["submitted_output"].to_string());
    sandbox.file("schema.json", request["expected_schema"].to_string());
    sandbox.file("rules.json", serde_json::json!({"rules": request["rules"]}).to_string());
    let all = ["--output", "output.json", "--schema", "schema.json", "--rules", "rules.json"];
    for count in [2, 4, 6] {
        let report = json(&sandbox, &[&["final-receipt.json"], &all[..count]].concat());
        assert_eq!(report["receipts"][0]["verdict"], "genuine_bound");
    }
    let swapped = ["draft-receipt.json", "--output", "output.json", "--schema", "schema.json"];
    let report = json(&sandbox, &swapped);
    assert_eq!(report["receipts"][0]["exit_code"], 1);
    assert_eq!(fact(&report, "output_hash", "code"), "differs");
    assert_eq!(fact(&report, "schema_hash", "code"), "matches");
    sandbox.file("typo.json", r#"{"rule": []}"#);
    let typo = verify(&sandbox, &["final-receipt.json", "--rules", "typo.json"]);
    assert_eq!(typo.code, Some(2));
    assert!(typo.stderr.contains("rule"), "{}", typo.stderr);
}

#[test]
fn what_cannot_be_run_is_2() {
    let sandbox = sandbox();
    assert_eq!(code(&sandbox, &[]), Some(2));
    assert_eq!(code(&sandbox, &["none.json"]), Some(2));
    sandbox.file("cut.json", &real("final-receipt.json")[..500]);
    let cut = verify(&sandbox, &["cut.json"]);
    assert_eq!(cut.code, Some(2));
    assert!(cut.stderr.contains("cut.json:1"), "{}", cut.stderr);
    let twice =
        real("final-receipt.json").replacen("\"result\"", "\"result\": \"pass\", \"result\"", 2);
    sandbox.file("twice.json", twice);
    let twice = verify(&sandbox, &["twice.json"]);
    assert_eq!(twice.code, Some(2));
    assert!(twice.stderr.contains("stands twice"), "{}", twice.stderr);
    std::fs::create_dir(sandbox.path().join("empty")).unwrap();
    let empty = verify(&sandbox, &["empty"]);
    assert_eq!((empty.code, empty.stdout.as_str()), (Some(2), ""));
    assert!(empty.stderr.contains("there is no *.json"), "{}", empty.stderr);
    sandbox.file("empty.jsonl", "\n\n");
    let report = json(&sandbox, &["empty.jsonl"]);
    assert_eq!(
        (&report["summary"]["total"], &report["summary"]["exit_code"]),
        (&0.into(), &2.into())
    );
    assert_eq!(code(&sandbox, &["final-receipt.json", "--request", "none.json"]), Some(2));
    assert_eq!(
        code(&sandbox, &["final-receipt.json", "--agent-card", "final-request.json"]),
        Some(2)
    );
    assert_eq!(code(&sandbox, &["final-receipt.json", "--public-key", "nonsense"]), Some(2));
    assert_eq!(code(&sandbox, &["final-receipt.json", "--trust", "http://a.example"]), Some(2));
    let http = ["final-receipt.json", "--agent-card", "http://a.example/card"];
    assert_eq!(code(&sandbox, &http), Some(2));
    assert_eq!(code(&sandbox, &["final-receipt.json", "--replay"]), Some(2));
}

#[test]
fn a_secret_key_is_never_taken_for_a_public_one() {
    let sandbox = sandbox();
    assert_eq!(sandbox.aov(&["keygen", "aov.key"]).code, Some(0));
    let ended = verify(&sandbox, &["final-receipt.json", "--public-key", "aov.key"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("secret key"), "{}", ended.stderr);
    let secret = std::fs::read_to_string(sandbox.path().join("aov.key")).unwrap();
    let line = secret.lines().last().unwrap();
    let ended = verify(&sandbox, &["final-receipt.json", "--public-key", line]);
    assert_eq!(ended.code, Some(2));
    let material = line.rsplit(':').next().unwrap();
    assert!(!ended.stderr.contains(material) && !ended.stdout.contains(material));
}

#[test]
fn trust_is_never_found_in_the_working_folder() {
    let sandbox = sandbox();
    let untrusted =
        real("final-receipt.json").replace("fastapi-service-5ag4.onrender.com", "evil.example");
    sandbox.file("untrusted.json", untrusted);
    let trust = r#"{"issuers":[{"host":"evil.example","keys":[{"keyVersion":"v1-2026-09c","publicKey":"d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw="}]}]}"#;
    for folder in ["aov", ".config/aov", "own/aov"] {
        std::fs::create_dir_all(sandbox.path().join(folder)).unwrap();
        sandbox.file(&format!("{folder}/trust.json"), trust);
    }
    sandbox.file("trust.json", trust);
    let run = |variables: &[(&str, &Path)]| {
        let mut command = sandbox.command();
        command.args(["verify-receipt", "untrusted.json", "--format", "json"]);
        let ended = end(command.envs(variables.iter().copied()), None);
        let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        report["receipts"][0]["facts"]["issuer"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(run(&[]), "issuer_unknown");
    assert_eq!(run(&[("XDG_CONFIG_HOME", Path::new("own"))]), "issuer_unknown", "relative");
    assert_eq!(run(&[("XDG_CONFIG_HOME", &sandbox.path().join("own"))]), "issuer_configured");
    assert_eq!(run(&[("HOME", sandbox.path())]), "issuer_configured");
}

/// The cases drawn from public faults, where they are at hand.
#[test]
fn shared_cases_end_as_they_say() {
    let Ok(entries) = std::fs::read_dir(project().join("../shared/cases/receipts")) else {
        eprintln!("shared receipt cases: not here, skipped");
        return;
    };
    let mut seen = 0;
    for entry in entries {
        let case = std::fs::read(entry.unwrap().path()).unwrap();
        let case: serde_json::Value = serde_json::from_slice(&case).unwrap();
        let sandbox = Sandbox::new();
        let raw = case["receipt_raw"].as_str().map(str::to_owned);
        sandbox.file("receipt.json", raw.unwrap_or_else(|| case["receipt"].to_string()));
        sandbox.file("card.json", case["agent_card"].to_string());
        let mut arguments = vec!["receipt.json", "--agent-card", "card.json", "--offline"];
        if let Some(pinned) = case["pinned_key"].as_str() {
            arguments.extend(["--public-key", pinned]);
        }
        if case.get("request").is_some() {
            sandbox.file("request.json", case["request"].to_string());
            arguments.extend(["--request", "request.json"]);
        }
        let expected = if case["expect"]["result"] == "valid" { 0 } else { 1 };
        let ended = verify(&sandbox, &arguments);
        assert_eq!(ended.code, Some(expected), "{}: {}{}", case["id"], ended.stdout, ended.stderr);
        seen += 1;
    }
    eprintln!("shared receipt cases: {seen}");
    assert!(seen > 0);
}

/// Files, a folder, JSONL and standard input in one run.
#[test]
fn many_at_once() {
    let sandbox = sandbox();
    let line = |name: &str| {
        let value: serde_json::Value = serde_json::from_str(&real(name)).unwrap();
        value.to_string()
    };
    let (draft, final_) = (line("draft-receipt.json"), line("final-receipt.json"));
    let forged = final_.replace("invoice-7731-final", "invoice-7731-other");
    sandbox.file("more.jsonl", format!("{draft}\n\nnot json\n{forged}\n{final_}\n"));
    std::fs::create_dir(sandbox.path().join("folder")).unwrap();
    sandbox.file("folder/b.json", &draft);
    sandbox.file("folder/a.json", &final_);
    sandbox.file("folder/.hidden.json", "nonsense");
    sandbox.file("folder/notes.txt", "nonsense");
    let arguments = ["verify-receipt", "folder", "more.jsonl", "-", "--format", "json"];
    let ended = sandbox.aov_with(&arguments, final_.as_bytes());
    assert_eq!(ended.code, Some(2));
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let lines: Vec<_> = report["receipts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let unique = it["facts"]["unique"]["code"].as_str().unwrap_or("");
            (
                it["receipt"].as_str().unwrap(),
                it["line"].as_u64(),
                it["exit_code"].as_u64().unwrap(),
                unique,
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("folder/a.json", None, 0, ""),
            ("folder/b.json", None, 0, ""),
            ("more.jsonl", Some(1), 0, "seen_same"),
            ("more.jsonl", Some(3), 2, ""),
            // The forgery has the id of a.json.
            ("more.jsonl", Some(4), 1, "seen_different"),
            ("more.jsonl", Some(5), 0, "seen_same"),
            ("<stdin>", None, 0, "seen_same"),
        ]
    );
    assert_eq!(
        report["summary"]["exit_codes"],
        serde_json::json!({"0": 5, "1": 1, "2": 1, "3": 0, "4": 0})
    );
    let human = verify(&sandbox, &["folder", "more.jsonl"]);
    assert_eq!(human.stdout.lines().count(), 7, "{}", human.stdout);
    assert!(human.stdout.contains("error more.jsonl:3:1:"), "{}", human.stdout);
    assert!(human.stdout.ends_with("exit code 2 (4 of 0, 1 of 1, 1 of 2)\n"), "{}", human.stdout);
    assert_eq!(human.stderr, "", "no progress bar where there is no terminal");
    let quiet = verify(&sandbox, &["folder", "--quiet"]);
    assert_eq!((quiet.code, quiet.stdout.as_str()), (Some(0), ""));
}

#[test]
fn the_order_is_that_of_the_input_whatever_the_jobs() {
    let sandbox = Sandbox::new();
    let value: serde_json::Value = serde_json::from_str(&real("final-receipt.json")).unwrap();
    // Receipts of every outcome and of very different cost.
    let lines: Vec<_> = (0..3_000)
        .map(|at| match at % 7 {
            0 => "[".to_owned(),
            1 => "{}".to_owned(),
            3 => format!("[{}]", "1,".repeat(20_000) + "1"),
            _ => value.to_string(),
        })
        .collect();
    sandbox.file("many.jsonl", lines.join("\n"));
    let report = |jobs: &str| {
        let ended = verify(&sandbox, &["many.jsonl", "--jobs", jobs]);
        assert_eq!(ended.code, Some(2));
        ended.stdout
    };
    let one = report("1");
    assert_eq!(one.lines().count(), 3_001);
    assert!(one == report("4"));
}

#[test]
fn a_verification_id_met_twice_with_different_content_is_a_failure() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.aov(&["keygen", "aov.key", "--key-version", "v1"]).code, Some(0));
    let public = sandbox.aov(&["keygen", "aov.key", "--show"]).stdout;
    sandbox.file("card.json", format!(r#"{{"capabilities":{{"extensions":[{public}]}}}}"#));
    for name in ["one", "two"] {
        sandbox.file(&format!("{name}-request.json"), real("final-request.json"));
        let request = format!("{name}-request.json");
        let ended = sandbox.aov(&[
            "check",
            &request,
            "--format",
            "json",
            "--output",
            &format!("{name}.json"),
            "--sign-key",
            "aov.key",
            "--public-url",
            "https://verifier.example",
        ]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let card = ["--agent-card", "card.json"];
    assert_eq!(code(&sandbox, &[&["one.json", "two.json"], &card[..]].concat()), Some(0));
    // The same again, laid out otherwise: a note.
    let one = std::fs::read_to_string(sandbox.path().join("one.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&one).unwrap();
    sandbox.file("again.json", value.to_string());
    let again = verify(&sandbox, &[&["one.json", "again.json"], &card[..]].concat());
    assert_eq!(again.code, Some(0));
    assert!(again.stdout.contains("the same receipt was met before: one.json"), "{}", again.stdout);
    // Two receipts that the issuer signed under one id.
    let id = value["verification_id"].as_str().unwrap();
    let mut other: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(sandbox.path().join("two.json")).unwrap())
            .unwrap();
    other["verification_id"] = id.into();
    other["task_id"] = "another".into();
    sandbox.file("forged.json", other.to_string());
    let both = verify(&sandbox, &[&["one.json", "forged.json"], &card[..]].concat());
    assert_eq!(both.code, Some(1));
    let report = json(&sandbox, &[&["one.json", "forged.json"], &card[..]].concat());
    assert_eq!(report["receipts"][1]["facts"]["unique"]["code"], "seen_different");
    assert_eq!(report["receipts"][0]["exit_code"], 0);
}

#[cfg(unix)]
fn shell(sandbox: &Sandbox, command: &str) -> Ended {
    let program = Path::new(env!("CARGO_BIN_EXE_aov")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{}:{path}", program.display(), sandbox.path().display());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", command]).current_dir(sandbox.path()).env("PATH", path);
    end(&mut shell, None)
}

#[cfg(unix)]
fn is_installed(sandbox: &Sandbox, command: &str, what: &str) -> bool {
    let there = shell(sandbox, command).code == Some(0);
    if !there {
        eprintln!("{what} is not installed: not tried");
    }
    there
}

/// The examples of `aov keygen` and `aov verify-receipt`: the first for a receipt that was just made
/// by an issuer in the user's own trust file, those with the hosted key for a hosted receipt.
#[cfg(unix)]
#[test]
fn the_examples_for_sellers_and_buyers_run() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    sandbox.file("agent-card.json", real("agent-card.json"));
    sandbox.file("request.json", real("final-request.json"));
    let pay = sandbox.file("pay", "#!/bin/sh\necho paid >> payments\n");
    std::fs::set_permissions(&pay, std::fs::Permissions::from_mode(0o755)).unwrap();
    for example in commands(&sandbox.aov(&["keygen", "--help"]).stdout) {
        let ended = shell(&sandbox, &example);
        assert_eq!(ended.code, Some(0), "{example}: {ended:?}");
    }
    let signed = sandbox.aov(&signing_arguments("aov.key"));
    sandbox.file("own.json", &signed.stdout);
    std::fs::create_dir_all(sandbox.path().join(".config/aov")).unwrap();
    let entry = std::fs::read_to_string(sandbox.path().join("entry.json")).unwrap();
    let entry: serde_json::Value = serde_json::from_str(&entry).unwrap();
    let trust = serde_json::json!({"issuers": [
        {"host": "verifier.example/aov", "keys": entry["params"]["publicKeys"]}
    ]});
    sandbox.file(".config/aov/trust.json", trust.to_string());
    std::fs::create_dir(sandbox.path().join("receipts")).unwrap();
    sandbox.file("receipts/one.json", real("final-receipt.json"));
    sandbox.file("more.jsonl", signed.stdout.replace('\n', " "));
    let (mut examples, mut payments) = (0, 0);
    for example in commands(&verify(&sandbox, &["--help"]).stdout) {
        if !example.starts_with("aov") {
            continue; // Those have a test of their own.
        }
        let hosted = example.contains("--public-key");
        sandbox.file(
            "receipt.json",
            if hosted { real("final-receipt.json") } else { signed.stdout.clone() },
        );
        let example = format!("HOME='{}'; export HOME; {example}", sandbox.path().display());
        let ended = shell(&sandbox, &example);
        assert_eq!(ended.code, Some(0), "{example}: {ended:?}");
        examples += 1;
        payments += usize::from(example.contains("&& pay"));
        // The buyer's guard, with a receipt of a fail, and with a forged one.
        if example.contains("&& pay") {
            for bad in [signed.stdout.replace("\"pass\"", "\"fail\""), real("draft-receipt.json")] {
                sandbox.file("receipt.json", bad);
                assert_eq!(shell(&sandbox, &example).code, Some(1));
            }
        }
    }
    assert!(examples >= 5 && payments == 1);
    let paid = std::fs::read_to_string(sandbox.path().join("payments")).unwrap();
    assert_eq!(paid, "paid\n", "once, for the good receipt alone");
}

/// A genuine receipt verifies without us, as the help says, and a changed one does not.
#[cfg(unix)]
#[test]
fn the_signed_bytes_verify_with_openssl_and_python_as_the_help_says() {
    let sandbox = Sandbox::new();
    let commands = commands(&verify(&sandbox, &["--help"]).stdout);
    let one = |start: &str| commands.iter().find(|it| it.starts_with(start)).unwrap();
    let prepare =
        ["aov verify-receipt receipt.json --emit-signed-bytes", "sed", "(printf"].map(one);
    let openssl = is_installed(&sandbox, "openssl version", "openssl");
    let python =
        is_installed(&sandbox, "python3 -c 'import cryptography'", "Python's cryptography");
    for name in ["draft-receipt.json", "final-receipt.json"] {
        sandbox.file("receipt.json", real(name));
        for command in prepare {
            let ended = shell(&sandbox, command);
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{command}");
        }
        let tries = |expected: bool| {
            for (there, start) in [(openssl, "openssl"), (python, "python3")] {
                if there {
                    let ended = shell(&sandbox, one(start));
                    assert_eq!(ended.code == Some(0), expected, "{start}: {ended:?}");
                }
            }
        };
        tries(true);
        let mut bytes = std::fs::read(sandbox.path().join("signed.bin")).unwrap();
        bytes[100] ^= 1;
        sandbox.file("signed.bin", bytes);
        tries(false);
    }
}

#[test]
fn signed_bytes_go_where_they_are_told() {
    let sandbox = sandbox();
    let printed = verify(&sandbox, &["final-receipt.json", "--emit-signed-bytes", "-"]);
    assert_eq!(printed.code, Some(0));
    assert!(printed.stdout.starts_with(r#"{"algorithm":"Ed25519","attested_at":"2026-10-01T01:01:15.158857+00:00","context":"json-schema-verifier/verify-schema-attestation/v1""#));
    assert!(printed.stdout.ends_with('}'), "nothing but the bytes");
    let filed = verify(&sandbox, &["final-receipt.json", "--emit-signed-bytes", "signed.bin"]);
    assert!(filed.stdout.starts_with("genuine"));
    assert_eq!(std::fs::read_to_string(sandbox.path().join("signed.bin")).unwrap(), printed.stdout);
    let many = ["final-receipt.json", "draft-receipt.json", "--emit-signed-bytes", "x"];
    assert_eq!(code(&sandbox, &many), Some(2));
    assert_eq!(code(&sandbox, &["final-request.json", "--emit-signed-bytes", "x"]), Some(2));
    assert!(!sandbox.path().join("x").exists());
}

/// Names and values that come from others cannot write on a terminal.
#[test]
fn hostile_text_is_shown_escaped() {
    let sandbox = Sandbox::new();
    let evil = "\\u001b[2J\\u202egnp";
    let receipt = real("final-receipt.json")
        .replace("invoice-7731-final", evil)
        .replace("fastapi-service-5ag4.onrender.com", "evil.example\\u001b[31m");
    sandbox.file(
        "receipt.json",
        receipt.replace("\"signature\"", "\"sig\\u009bnature\": 1, \"signature\""),
    );
    sandbox.file("two.json", receipt);
    for arguments in [&["receipt.json"][..], &["two.json"], &["receipt.json", "two.json"]] {
        let ended = verify(&sandbox, arguments);
        assert_eq!(ended.code, Some(1));
        let raw = |text: &str| text.contains(['\u{1b}', '\u{202e}', '\u{9b}']);
        assert!(!raw(&ended.stdout) && !raw(&ended.stderr), "{}", ended.stdout);
    }
}

/// README.md lists every verdict, subject and code with its meaning, and nothing else.
#[test]
fn the_documented_codes_are_those_there_are() {
    use agent_output_verifier::receipt::fact::{Code, NotChecked, Subject, Verdict};
    let text = std::fs::read_to_string(project().join("README.md")).unwrap();
    let rows = |heading: &str| -> Vec<(String, String)> {
        let section = text.split(&format!("# {heading}\n")).nth(1).unwrap();
        let section = section.split("\n#").next().unwrap();
        let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        cells.map(|(code, rest)| (code.into(), rest.split(" |").next().unwrap().into())).collect()
    };
    let pairs = |codes: Vec<(&str, &str)>| -> Vec<(String, String)> {
        codes.into_iter().map(|(code, meaning)| (code.into(), meaning.into())).collect()
    };
    assert_eq!(
        rows("Verdicts"),
        pairs(Verdict::ALL.iter().map(|it| (it.as_str(), it.meaning())).collect())
    );
    assert_eq!(
        rows("Subjects"),
        pairs(Subject::ALL.iter().map(|it| (it.as_str(), it.meaning())).collect())
    );
    assert_eq!(
        rows("Codes"),
        pairs(Code::ALL.iter().map(|it| (it.as_str(), it.meaning())).collect())
    );
    assert_eq!(
        rows("Not checked"),
        pairs(NotChecked::ALL.iter().map(|it| (it.as_str(), it.meaning())).collect())
    );
}
