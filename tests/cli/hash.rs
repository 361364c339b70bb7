//! `aov hash` where a fixture cannot say it.

use std::fs;

use crate::support::{Sandbox, project};

fn real(name: &str) -> String {
    fs::read_to_string(project().join("fixtures/real").join(name)).unwrap()
}

fn requests() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("request.json", real("draft-request.json"));
    sandbox.file("vectors.json", real("request-hash-vectors.json"));
    sandbox
}

/// The bytes are exact: no line break behind them.
#[test]
fn canonical_bytes_are_printed_bare() {
    let sandbox = requests();
    let canonical = sandbox.aov(&["hash", "--canonical", "rules", "request.json"]);
    let expected = r#"{"bounds":null,"rules":[{"equals_field":"total","field":"line_items[].line_total","type":"sum_equals"}]}"#;
    assert_eq!((canonical.code, canonical.stdout.as_str()), (Some(0), expected));
    // A hash of the canonical form is the hash, for every one of them.
    for name in ["output", "schema", "rules", "request"] {
        let bytes = sandbox.aov(&["hash", "--canonical", name, "request.json"]).stdout;
        let hash = sandbox.aov(&["hash", name, "request.json"]).stdout;
        assert_eq!(sandbox.aov_with(&["hash", "--value", "-"], bytes).stdout, hash, "{name}");
    }
}

#[test]
fn a_name_and_a_file_are_told_apart() {
    let sandbox = requests();
    let hash = "d4fb804e434eb3ee047068cbb3691ea1e07066928e7e3efc73b94317e53ee305\n";
    let ended = sandbox.aov_with(&["hash", "output"], real("draft-request.json"));
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), hash));
    sandbox.file("output", real("draft-request.json"));
    let ended = sandbox.aov(&["hash", "output"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("write ./output for the file"), "{}", ended.stderr);
    assert_eq!(sandbox.aov(&["hash", "output", "output"]).stdout, hash);
    assert!(sandbox.aov(&["hash", "./output"]).stdout.contains(hash));
    for arguments in [
        vec!["hash", "other", "request.json"],
        vec!["hash", "--canonical", "request.json"],
        vec!["hash", "--value", "output", "request.json"],
        vec!["hash", "--vectors", "vectors.json", "request.json"],
        vec!["hash", "--value", "--schema", "request.json", "request.json"],
    ] {
        let ended = sandbox.aov(&arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}");
    }
}

#[test]
fn of_parts_what_is_there_is_hashed() {
    let sandbox = requests();
    let request: serde_json::Value = serde_json::from_str(&real("draft-request.json")).unwrap();
    let part = |name: &str| request[name].to_string();
    sandbox.file("schema.json", part("expected_schema"));
    sandbox.file("output.json", part("submitted_output"));
    sandbox.file("rules.json", format!(r#"{{"rules":{},"enforce_rules":true}}"#, part("rules")));
    let listed = |arguments: &[&str]| sandbox.aov(&[&["hash"], arguments].concat()).stdout;
    let all = listed(&["request.json"]);
    let line = |at: usize| format!("{}\n", all.lines().nth(at).unwrap());
    assert_eq!(listed(&["--schema", "schema.json"]), line(1));
    assert_eq!(listed(&["--rules", "rules.json"]), line(2));
    assert_eq!(listed(&["--rules", "rules.json", "output.json"]), line(0) + &line(2));
    let ids = ["--task-id", "invoice-7731-draft", "--agent-id", "test-seller-invoice-agent"];
    let parts = ["--schema", "schema.json", "--rules", "rules.json", "output.json"];
    assert_eq!(listed(&[&ids[..], &parts].concat()), all);
    let ended = sandbox.aov(&["hash", "request", "--schema", "schema.json"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("request_hash needs an output"), "{}", ended.stderr);
}

#[test]
fn vectors_are_found_in_an_agent_card() {
    let sandbox = requests();
    let card = format!(
        r#"{{"capabilities":{{"extensions":[{{"params":{{"requestHashTestVectors":{{"description":"","vectors":{}}}}}}}]}}}}"#,
        real("request-hash-vectors.json")
    );
    sandbox.file("card.json", card);
    let expected =
        "ok    minimal\nok    rules-and-bounds\nok    strict-and-unicode\n3 of 3 vectors match\n";
    for arguments in [vec!["hash", "--vectors", "card.json"], vec!["hash", "--vectors"]] {
        let ended = sandbox.aov(&arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), expected), "{arguments:?}");
    }
    // Where nothing was compared, nothing matches.
    for (name, content) in [
        ("empty.json", "[]"),
        ("none.json", "{}"),
        ("hollow.json", r#"{"requestHashTestVectors":{"vectors":[]}}"#),
        ("half.json", r#"[{"name":"half","request":{}}]"#),
        (
            "invalid.json",
            r#"[{"request":{},"requestHash":"5366542000b4226c5efb411c15ec8f0aac3c63844343997aa1bcc3c585086f97"}]"#,
        ),
    ] {
        sandbox.file(name, content);
        let ended = sandbox.aov(&["hash", "--vectors", name]);
        assert_eq!(ended.code, Some(2), "{name}: {ended:?}");
    }
}

#[test]
fn null_is_null_for_programs_and_an_error_for_people() {
    let sandbox = Sandbox::new();
    let request = r#"{"task_id":"t","expected_schema":{},"submitted_output":["\ud800"]}"#;
    sandbox.file("request.json", request);
    for name in ["output", "rules", "request"] {
        let ended = sandbox.aov(&["hash", "--format", "json", name, "request.json"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "null\n"), "{name}");
        let ended = sandbox.aov(&["hash", name, "request.json"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{name}");
    }
    let ended = sandbox.aov(&["hash", "output", "request.json"]);
    assert!(ended.stderr.contains("request.json:1:57: a lone surrogate"), "{}", ended.stderr);
}
