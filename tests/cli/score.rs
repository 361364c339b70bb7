//! `aov check --record` and `aov score`: what is kept, and that ledger, receipts and arithmetic by
//! hand give the same numbers.

use std::process::Command;

use agent_output_verifier::json::{MAX_DEPTH, read};
use agent_output_verifier::key::{KeyVersion, SigningKey};
use agent_output_verifier::receipt::attestation::{Context, seal};
use serde_json::{Value, json};

use crate::support::{Ended, Sandbox, end, project};

#[allow(dead_code, reason = "other tests crash it")]
#[path = "../../src/bin/aov/ledger/tests/server.rs"]
mod server;

const SCHEMA: &str = r#"{"required": ["ok"]}"#;
const RECORD: [&str; 8] = [
    "check",
    "--schema",
    "schema.json",
    "--agent-id",
    "agent-7",
    "--record",
    "--ledger",
    "l.sqlite",
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("schema.json", SCHEMA);
    sandbox.file("good.json", r#"{"ok": 1}"#);
    sandbox.file("bad.json", "{}");
    sandbox
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// A score as a program reads it.
fn score(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let ended = sandbox.aov(&[&["score"], arguments, &["--format", "json"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

/// Without what is new each time, and what only receipts have.
fn numbers(mut score: Value) -> Value {
    let members = score.as_object_mut().unwrap();
    members.remove("verified_at");
    members.remove("receipts");
    score
}

/// A genuine receipt of key 9.
fn receipt(id: u32, agent_id: &str, at: &str, result: &str) -> String {
    let body = json!({
        "summary": {"result": result, "blocking_checks": []},
        "result": result,
        "verification_id": format!("00000000-0000-4000-8000-{id:012}"),
        "agent_id": agent_id,
        "verified_at": at,
    });
    sealed(&body, Context::Verification, 9)
}

fn sealed(body: &Value, context: Context, seed: u8) -> String {
    let key = SigningKey::from_seed(&[seed; 32], KeyVersion::new("v1").unwrap());
    seal(&read(body.to_string(), MAX_DEPTH).unwrap(), context, &key).unwrap()
}

fn public_key(seed: u8) -> String {
    let key = SigningKey::from_seed(&[seed; 32], KeyVersion::new("v1").unwrap());
    key.public().to_base64()
}

/// Four deliveries, three of them good: 0.75, and, as they are of the same minute, of equal weight:
/// n = 4, 1 + z²/n = 1.960365, centre (0.75 + 0.480182) / 1.960365 = 0.627527,
/// half 1.959964 / 1.960365 · √(0.046875 + 0.060023) = 0.326885.
#[test]
fn ledger_receipts_and_arithmetic_agree() {
    let sandbox = sandbox();
    let made = sandbox.aov(&["keygen", "aov.key"]);
    let entry = made.stdout;
    sandbox.file("card.json", format!(r#"{{"capabilities":{{"extensions":[{entry}]}}}}"#));
    std::fs::create_dir(sandbox.path().join("receipts")).unwrap();
    for (at, output) in ["good.json", "bad.json", "good.json", "good.json"].iter().enumerate() {
        let file = format!("receipts/{at}.json");
        let signing = ["--sign-key", "aov.key", "--public-url", "https://verifier.example"];
        let into = ["--format", "json", "--output", &file, output];
        let ended = sandbox.aov(&[&RECORD[..], &signing, &into].concat());
        assert_eq!(ended.code, Some(i32::from(*output == "bad.json")), "{}", ended.stderr);
    }
    let from_ledger = score(&sandbox, &["agent-7", "--ledger", "l.sqlite"]);
    let from_receipts = score(&sandbox, &["--receipts", "receipts", "--agent-card", "card.json"]);
    assert_eq!(from_receipts["receipts"], json!({"read": 4, "counted": 4, "skipped": []}));
    assert_eq!(numbers(from_ledger.clone()), numbers(from_receipts));
    let near = |value: &Value, expected: f64| {
        // The verifications are a little apart: 2^(-t / 30 d) differs from 1 by 3e-7 a second.
        assert!((number(value) - expected).abs() < 1e-4, "{value} is not {expected}");
    };
    near(&from_ledger["trust_score"], 0.75);
    near(&from_ledger["effective_sample_size"], 4.0);
    near(&from_ledger["confidence_interval_95"][0], 0.300_642);
    near(&from_ledger["confidence_interval_95"][1], 0.954_413);
    let counts = ["sample_size", "verified", "passed", "failed"].map(|it| from_ledger[it].as_u64());
    assert_eq!(counts, [Some(4), Some(4), Some(3), Some(1)]);
    assert_eq!(from_ledger["identity_verified"], json!(false));
    // The last receipt is when the agent was last seen, to the microsecond.
    let last: Value = serde_json::from_str(
        &std::fs::read_to_string(sandbox.path().join("receipts/3.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(from_ledger["last_seen"], last["verified_at"]);

    let human = sandbox.aov(&["score", "agent-7", "--ledger", "l.sqlite"]);
    assert!(human.stdout.starts_with("agent-7  trust score 0.75"), "{}", human.stdout);
    assert!(human.stdout.contains("\n  verified 4: 3 passed, 1 failed; "), "{}", human.stdout);
    assert!(human.stdout.contains("\n  history +x++  (newest at the end"), "{}", human.stdout);
    assert!(human.stdout.contains("\n  from the ledger l.sqlite\n"), "{}", human.stdout);
}

/// The example of the README: a pass, a fail 30 days before it, a pass 60 days before it. The
/// arithmetic stands at the formula.
#[test]
fn the_example_of_the_readme() {
    let sandbox = sandbox();
    let dates = ["2025-01-01", "2025-01-31", "2025-03-02"];
    for output in ["good.json", "bad.json", "good.json"] {
        sandbox.aov(&[&RECORD[..], &[output]].concat());
    }
    // In the ledger the clock is set back; receipts are signed for these days.
    let ledger = rusqlite::Connection::open(sandbox.path().join("l.sqlite")).unwrap();
    let ids: Vec<String> = ledger
        .prepare("SELECT id FROM aov_verification ORDER BY at")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let mut lines = String::new();
    for (number, (id, date)) in (0..).zip(ids.iter().zip(dates)) {
        let at = format!("{date}T12:00:00.000000+00:00");
        let micros = chrono::DateTime::parse_from_rfc3339(&at).unwrap().timestamp_micros();
        ledger.execute("UPDATE aov_verification SET at = ?1 WHERE id = ?2", (micros, id)).unwrap();
        let result = if number == 1 { "fail" } else { "pass" };
        lines = receipt(number, "agent-7", &at, result) + "\n" + &lines;
    }
    drop(ledger);
    sandbox.file("receipts.jsonl", lines);
    let expected = json!({
        "agent_id": "agent-7",
        "trust_score": 0.714286,
        "reason": null,
        "confidence_interval_95": [0.200534, 0.961415],
        "sample_size": 3,
        "effective_sample_size": 2.333333,
        "verified": 3,
        "passed": 2,
        "failed": 1,
        "last_seen": "2025-03-02T12:00:00.000000+00:00",
        "identity_verified": false,
    });
    let without_method = |score: Value| {
        let mut score = numbers(score);
        score.as_object_mut().unwrap().remove("method");
        score
    };
    let key = public_key(9);
    let from_receipts = ["agent-7", "--receipts", "receipts.jsonl", "--public-key", &key];
    assert_eq!(without_method(score(&sandbox, &from_receipts)), expected);
    assert_eq!(without_method(score(&sandbox, &["agent-7", "--ledger", "l.sqlite"])), expected);
}

#[test]
fn recording_prints_nothing_more() {
    let sandbox = sandbox();
    for format in ["human", "junit"] {
        for output in ["good.json", "bad.json"] {
            let words = ["check", "--schema", "schema.json", "--agent-id", "agent-7"];
            let words = [&words[..], &["--format", format, output]].concat();
            let without = sandbox.aov(&words);
            let with = sandbox.aov(&[&words[..], &["--record", "--ledger", "l.sqlite"]].concat());
            assert_eq!(
                (with.code, with.stdout, with.stderr),
                (without.code, without.stdout, without.stderr)
            );
        }
    }
    assert_eq!(score(&sandbox, &["agent-7", "--ledger", "l.sqlite"])["verified"], 4);
}

#[test]
fn what_names_no_agent_is_not_recorded() {
    let sandbox = sandbox();
    let record =
        ["check", "--schema", "schema.json", "good.json", "--record", "--ledger", "l.sqlite"];
    assert_eq!(sandbox.aov(&record).code, Some(0));
    assert_eq!(sandbox.aov(&[&record[..], &["--agent-id", "test-7"]].concat()).code, Some(0));
    // An input without a verdict is none.
    sandbox.file("not.json", "{");
    let broken = [&RECORD[..], &["not.json"]].concat();
    assert_eq!(sandbox.aov(&broken).code, Some(2));
    let ledger = rusqlite::Connection::open(sandbox.path().join("l.sqlite")).unwrap();
    let count = |sql: &str| ledger.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT COUNT(*) FROM aov_verification"), 0);
    let test = sandbox.aov(&["score", "test-7", "--ledger", "l.sqlite"]);
    assert_eq!(test.code, Some(0));
    assert!(test.stdout.starts_with("test-7  no data"), "{}", test.stdout);
    assert!(test.stderr.contains("never recorded"), "{}", test.stderr);
    let nobody = score(&sandbox, &["nobody", "--ledger", "l.sqlite"]);
    assert_eq!((&nobody["trust_score"], &nobody["reason"]), (&Value::Null, &json!("no_data")));
    for bad in ["", &"x".repeat(201), "a\u{7f}"] {
        assert_eq!(sandbox.aov(&["score", bad, "--ledger", "l.sqlite"]).code, Some(2), "{bad}");
    }
}

/// Every id in a report, wherever it stands.
fn ids(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("verification_id").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| ids(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| ids(item, found)),
        _ => {}
    }
}

#[test]
fn a_batch_is_recorded_as_it_is_reported() {
    let sandbox = sandbox();
    let lines: Vec<_> =
        (0..3000).map(|at| if at % 3 == 0 { "{}" } else { r#"{"ok": 1}"# }).collect();
    sandbox.file("many.jsonl", lines.join("\n"));
    let ended =
        sandbox.aov(&[&RECORD[..], &["--format", "jsonl", "--jobs", "2", "many.jsonl"]].concat());
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let mut reported = Vec::new();
    for line in ended.stdout.lines() {
        ids(&serde_json::from_str(line).unwrap(), &mut reported);
    }
    let ledger = rusqlite::Connection::open(sandbox.path().join("l.sqlite")).unwrap();
    let mut statement = ledger.prepare("SELECT id FROM aov_verification").unwrap();
    let recorded = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut recorded: Vec<_> = recorded.map(Result::unwrap).collect();
    reported.sort();
    recorded.sort();
    assert_eq!(recorded.len(), 3000);
    assert_eq!(recorded, reported);
    let found = score(&sandbox, &["agent-7", "--ledger", "l.sqlite"]);
    assert_eq!((&found["passed"], &found["failed"]), (&json!(2000), &json!(1000)));
}

#[test]
fn fail_fast_records_what_it_reports() {
    let sandbox = sandbox();
    sandbox.file("many.jsonl", ["{\"ok\":1}", "{}", "{\"ok\":1}"].join("\n"));
    let ended = sandbox.aov(&[&RECORD[..], &["--fail-fast", "many.jsonl"]].concat());
    assert_eq!(ended.code, Some(1));
    assert_eq!(score(&sandbox, &["agent-7", "--ledger", "l.sqlite"])["verified"], 2);
}

/// Processes that all make the ledger at once, and write to it.
#[test]
fn many_processes_share_a_new_ledger() {
    let sandbox = sandbox();
    let check = [&RECORD[..], &["good.json"]].concat();
    let children: Vec<_> = (0..8)
        .map(|_| {
            sandbox.command().args(&check).stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    assert_eq!(score(&sandbox, &["agent-7", "--ledger", "l.sqlite"])["verified"], 8);
}

fn run(sandbox: &Sandbox, environment: &[(&str, &str)], arguments: &[&str]) -> Ended {
    let mut command: Command = sandbox.command();
    end(command.args(arguments).envs(environment.iter().copied()), None)
}

#[test]
fn the_ledger_is_where_the_user_says() {
    let sandbox = sandbox();
    let check = [&RECORD[..6], &["good.json"]].concat();
    let home = sandbox.path().to_str().unwrap();
    let data = format!("{home}/data");
    let elsewhere = format!("{home}/elsewhere.sqlite");
    let cases: [(&[(&str, &str)], &str); 3] = [
        (&[("HOME", home)], ".local/share/aov/ledger.sqlite"),
        (&[("HOME", home), ("XDG_DATA_HOME", &data)], "data/aov/ledger.sqlite"),
        (&[("HOME", home), ("AOV_LEDGER", &elsewhere)], "elsewhere.sqlite"),
    ];
    for (environment, file) in cases {
        // Asking does not make one.
        let ended = run(&sandbox, environment, &["score", "agent-7"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
        assert!(ended.stderr.contains("there is no ledger at"), "{}", ended.stderr);
        assert!(!sandbox.path().join(file).exists());
        assert_eq!(run(&sandbox, environment, &check).code, Some(0));
        assert!(sandbox.path().join(file).exists(), "{file}");
        assert_eq!(run(&sandbox, environment, &["score", "agent-7"]).code, Some(0));
    }
    let ended = run(&sandbox, &[], &check);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("no place for a ledger"), "{}", ended.stderr);
    // The report does not take the place of the ledger.
    assert_eq!(sandbox.aov(&[&RECORD[..], &["good.json"]].concat()).code, Some(0));
    for format in ["human", "jsonl"] {
        let words = ["--output", "./l.sqlite", "--format", format, "good.json"];
        let ended = sandbox.aov(&[&RECORD[..], &words].concat());
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("would overwrite the ledger"), "{}", ended.stderr);
        assert_eq!(score(&sandbox, &["agent-7", "--ledger", "l.sqlite"])["verified"], 1);
    }
    // Options that would change nothing.
    let keys = ["score", "agent-7", "--ledger", "l.sqlite", "--trust", "verifier.example"];
    assert_eq!(sandbox.aov(&keys).code, Some(2));
    // --ledger alone would promise what it does not do.
    let alone = sandbox.aov(&["check", "--schema", "schema.json", "--ledger", "l", "good.json"]);
    assert_eq!(alone.code, Some(2));
}

#[test]
fn what_cannot_be_recorded_is_exit_2() {
    let sandbox = sandbox();
    // Before anything is checked, and as a valid report for programs.
    sandbox.file("l.sqlite", "no database, but a text as long as the head of one, or longer");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = sandbox.path().join("l.sqlite");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let ended = sandbox.aov(&[&RECORD[..], &["--format", "json", "good.json"]].concat());
    assert_eq!(ended.code, Some(2));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["code"], "ledger_unavailable", "{report}");
    // In the middle of the work: the verdict is there, and so is the failure.
    std::fs::remove_file(sandbox.path().join("l.sqlite")).unwrap();
    assert_eq!(sandbox.aov(&[&RECORD[..], &["good.json"]].concat()).code, Some(0));
    let sabotage = rusqlite::Connection::open(sandbox.path().join("l.sqlite")).unwrap();
    sabotage.execute_batch("DROP TABLE aov_verification").unwrap();
    let ended = sandbox.aov(&[&RECORD[..], &["--format", "json", "good.json"]].concat());
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["result"], "pass");
    assert!(
        ended.stderr.contains("1 verification was not recorded: the ledger l.sqlite"),
        "{ended:?}"
    );
}

#[test]
fn only_genuine_receipts_of_the_agent_count_once() {
    let sandbox = Sandbox::new();
    let at = |day: u32| format!("2026-11-{day:02}T00:00:00.000000+00:00");
    let good = |id| receipt(id, "agent-7", &at(1), "pass");
    let mut lines = vec![good(1), good(2), good(1), receipt(3, "agent-7", &at(2), "fail")];
    // Another agent, a test, none; a score; another issuer; changed; twice with different content.
    lines.push(receipt(4, "agent-8", &at(1), "fail"));
    lines.push(receipt(5, "test-7", &at(1), "fail"));
    let body = json!({"result": "fail", "agent_id": null, "verified_at": at(1)});
    lines.push(sealed(&body, Context::Verification, 9));
    let body = json!({"trust_score": 0.0, "agent_id": "agent-7", "verified_at": at(1)});
    lines.push(sealed(&body, Context::Score, 9));
    lines.push(receipt(6, "agent-7", "some day", "fail"));
    // From before there were ids: the same one twice.
    let body = json!({"result": "pass", "agent_id": "agent-7", "verified_at": at(3)});
    lines
        .extend([sealed(&body, Context::Verification, 9), sealed(&body, Context::Verification, 9)]);
    let key = public_key(9);
    let all = |lines: &[String]| {
        sandbox.file("all.jsonl", lines.join("\n"));
        sandbox.aov(&[
            "score",
            "agent-7",
            "--receipts",
            "all.jsonl",
            "--public-key",
            &key,
            "--format",
            "json",
        ])
    };
    let ended = all(&lines);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let found: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&found["passed"], &found["failed"]), (&json!(3), &json!(1)));
    let skipped: Vec<_> = found["receipts"]["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["reason"].as_str().unwrap(), it["count"].as_u64().unwrap()))
        .collect();
    assert_eq!(
        skipped,
        [
            ("duplicate", 2),
            ("other_agent", 1),
            ("no_agent", 1),
            ("reserved_agent", 1),
            ("score_receipt", 1),
            ("no_verdict", 1)
        ]
    );
    assert_eq!(found["receipts"]["read"], 11);
    assert_eq!(found["receipts"]["skipped"][0]["places"], json!(["all.jsonl:3", "all.jsonl:11"]));
    // In another order, the same numbers.
    lines.reverse();
    let turned: Value = serde_json::from_str(&all(&lines).stdout).unwrap();
    assert_eq!(numbers(turned), numbers(found.clone()));

    // What is wrong is told by the exit code, and does not change the number.
    for (line, code, reason) in [
        (good(7).replace("pass", "fail"), 1, "not_genuine"),
        (
            sealed(
                &json!({"result": "fail", "agent_id": "agent-7", "verified_at": at(1)}),
                Context::Verification,
                8,
            ),
            1,
            "not_genuine",
        ),
        ("{".to_owned(), 2, "unreadable"),
    ] {
        let mut more = lines.clone();
        more.push(line);
        let ended = all(&more);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        let with: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(with["receipts"]["skipped"][0]["reason"], reason);
        assert_eq!(numbers(with), numbers(found.clone()));
    }
    // Two contents under one id: nobody knows which is right, so neither counts.
    lines.push(receipt(2, "agent-7", &at(1), "fail"));
    let ended = all(&lines);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let with: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&with["passed"], &with["failed"]), (&json!(2), &json!(1)));
    assert_eq!(with["receipts"]["skipped"][0]["reason"], "contradiction");
}

#[test]
fn receipts_of_nobody_that_is_trusted_do_not_count() {
    let sandbox = Sandbox::new();
    let genuine =
        std::fs::read_to_string(project().join("fixtures/real/final-receipt.json")).unwrap();
    sandbox.file("hosted.json", &genuine);
    sandbox.file("own.json", receipt(1, "agent-7", "2026-11-01T00:00:00.000000+00:00", "pass"));
    let ended =
        sandbox.aov(&["score", "agent-7", "--offline", "--receipts", "hosted.json", "own.json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.starts_with("agent-7  no data"), "{}", ended.stdout);
    // The hosted one is genuine, and about an agent that is reserved for tests.
    assert!(
        ended.stdout.contains("skipped 1: about an agent_id that begins with test-"),
        "{ended:?}"
    );
    assert!(ended.stdout.contains("skipped 1: by an issuer that is not trusted"), "{ended:?}");
    let key = public_key(9);
    let named = sandbox.aov(&["score", "--receipts", "own.json", "--public-key", &key]);
    assert!(named.stdout.starts_with("agent-7  trust score 1.0"), "{}", named.stdout);
    sandbox.file("other.json", receipt(2, "agent-8", "2026-11-01T00:00:00.000000+00:00", "pass"));
    let both =
        sandbox.aov(&["score", "--receipts", "own.json", "other.json", "--public-key", &key]);
    assert_eq!((both.code, both.stdout.as_str()), (Some(2), ""));
    assert!(
        both.stderr.contains("2 agents; name one of them: agent-7, agent-8"),
        "{}",
        both.stderr
    );
    // Nothing at all is a mistake.
    sandbox.file("empty.jsonl", "\n");
    assert_eq!(sandbox.aov(&["score", "a", "--receipts", "empty.jsonl"]).code, Some(2));
    assert_eq!(sandbox.aov(&["score", "a", "--receipts", "missing.json"]).code, Some(2));
    assert_eq!(sandbox.aov(&["score"]).code, Some(2));
}

/// The program, its checks in PostgreSQL: the password from the environment only.
#[test]
fn postgres_is_used_and_its_password_never_shown() {
    let Some(server) = server::Server::start() else { return };
    let sandbox = sandbox();
    let url = server.database("cli");
    let bare = url.replace(":p%40ss%2Fword@", "@");
    assert_ne!(url, bare);
    let check = |ledger: &[&'static str]| [&RECORD[..6], ledger, &["good.json"]].concat();
    let with_url = [("AOV_LEDGER", &*url)];
    assert_eq!(run(&sandbox, &with_url, &["score", "agent-7"]).code, Some(2), "not made by asking");
    let ended = run(&sandbox, &with_url, &check(&[]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let with_password = [("AOV_LEDGER", &*bare), ("PGPASSWORD", "p@ss/word")];
    assert_eq!(run(&sandbox, &with_password, &check(&[])).code, Some(0));
    let ended = run(&sandbox, &with_password, &["score", "agent-7"]);
    assert!(ended.stdout.contains("verified 2: 2 passed, 0 failed"), "{ended:?}");
    let shown = |ended: &Ended| ended.stdout.contains("word") || ended.stderr.contains("word@");
    assert!(!shown(&ended) && ended.stdout.contains("from the ledger postgres://"), "{ended:?}");
    // On the command line everybody can see it.
    let ended = sandbox.aov(&["score", "agent-7", "--ledger", &url]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("PGPASSWORD") && !shown(&ended), "{ended:?}");
    let wrong = [("AOV_LEDGER", &*bare), ("PGPASSWORD", "wrong-word")];
    let ended = run(&sandbox, &wrong, &check(&[]));
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("password authentication failed"), "{ended:?}");
    assert!(!ended.stderr.contains("wrong-word"), "{ended:?}");
}
