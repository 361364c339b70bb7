use crate::server::Server;
use crate::support::{Sandbox, end};

const VALID: &[u8] =
    br#"{"task_id":"t","agent_id":"seller","expected_schema":{},"submitted_output":1}"#;

#[test]
fn the_first_start_makes_key_and_ledger_and_says_where() {
    let home = Sandbox::new();
    let first = Server::start(&home, &[]);
    let folder = home.path().join(".local/share/aov");
    for name in ["aov.key", "ledger.sqlite"] {
        let path = folder.join(name);
        assert!(
            path.is_file() && first.greeting.contains(path.to_str().unwrap()),
            "{}",
            first.greeting
        );
    }
    assert!(first.greeting.contains("(new;"), "{}", first.greeting);
    let signed = first.post("/verify/schema", VALID).json();
    first.kill();
    // The second start uses both.
    let second = Server::start(&home, &[]);
    assert!(!second.greeting.contains("(new;"), "{}", second.greeting);
    let again = second.post("/verify/schema", VALID).json();
    assert_eq!(again["attestation"]["key_version"], signed["attestation"]["key_version"]);
    assert_eq!(second.get("/reputation/seller").json()["verified"], 2);
}

#[test]
fn the_allowance_survives_kill_9() {
    let home = Sandbox::new();
    for remaining in ["2", "1", "0"] {
        let server = Server::start(&home, &["--free-per-day", "3"]);
        let answer = server.post("/verify/schema", VALID);
        // The day may end between two of these; then the count begins anew.
        if answer.field("Free-Allowance-Remaining") != Some(remaining) {
            assert_eq!(answer.field("Free-Allowance-Remaining"), Some("2"));
            return;
        }
        server.kill();
    }
    let server = Server::start(&home, &["--free-per-day", "3"]);
    let refused = server.post("/verify/schema", VALID);
    assert_eq!((refused.status, refused.json()["code"].as_str()), (429, Some("rate_limited")));
    assert!(refused.field("Retry-After").unwrap().parse::<u64>().unwrap() <= 86_401);
}

#[test]
fn a_receipt_of_an_old_key_verifies_after_the_rotation() {
    let home = Sandbox::new();
    let made = home.aov(&["keygen", "old.key", "--key-version", "v1-old"]);
    let line = made.stderr.lines().find_map(|line| line.strip_prefix("public key: ")).unwrap();
    let config = home.file("aov.toml", format!("old_keys = ['{line}']\n"));
    assert_eq!(home.aov(&["keygen", "new.key", "--key-version", "v2-new"]).code, Some(0));
    let before = Server::start(&home, &["--key-file", "old.key"]);
    home.file("old.json", before.post("/verify/schema", VALID).body);
    before.kill();
    let after =
        Server::start(&home, &["--key-file", "new.key", "--config", config.to_str().unwrap()]);
    home.file("new.json", after.post("/verify/schema", VALID).body);
    let card = after.url("/.well-known/agent-card.json");
    let verified = home.aov(&["verify-receipt", "--agent-card", &card, "old.json", "new.json"]);
    assert_eq!(verified.code, Some(0), "{}\n{}", verified.stdout, verified.stderr);
    assert!(
        after.get("/.well-known/agent-card.json").body.contains("\"currentKeyVersion\":\"v2-new\"")
    );
}

#[test]
fn the_configuration_is_printed_and_reads_back() {
    let home = Sandbox::new();
    home.file("aov.toml", "service = 'from the file'\n[limits]\nworkers = 3\n");
    let mut command = home.command();
    command
        .args(["serve", "--config", "aov.toml", "--print-config", "--log", "json"])
        .env("AOV_LIMITS_WORKERS", "5")
        .env("AOV_LOG", "text");
    let printed = end(&mut command, None);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    for line in ["service = \"from the file\"", "workers = 5", "log = \"json\""] {
        assert!(printed.stdout.lines().any(|it| it == line), "{line} in {}", printed.stdout);
    }
    home.file("printed.toml", &printed.stdout);
    let again = home.aov(&["serve", "--config", "printed.toml", "--print-config"]);
    assert_eq!(again.stdout, printed.stdout);
}

#[test]
fn what_is_half_configured_does_not_start() {
    let home = Sandbox::new();
    home.file("unknown.toml", "listen_on = '127.0.0.1:1'\n");
    home.file("half.toml", "[[networks]]\nnetwork = 'eip155:8453'\npay_to = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'\n");
    for (arguments, said) in [
        (&["--config", "unknown.toml"][..], &["listen_on", "line 1"][..]),
        (&["--config", "half.toml"], &["EIP-55", "facilitators is missing"]),
        (&["--config", "missing.toml"], &["missing.toml"]),
        (&["--listen", "0.0.0.0:0"], &["public_url"]),
        (&["--key-file", "missing.key"], &["missing.key", "aov keygen"]),
        (&["--ledger", "postgres://u:hunter2@127.0.0.1/aov"], &["PGPASSWORD"]),
        (&["--set", "nonsense=1"], &["nonsense"]),
        (&["--set", "nonsense"], &["KEY=VALUE"]),
    ] {
        let mut command = home.command();
        let ended = end(command.env("HOME", home.path()).arg("serve").args(arguments), None);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        for said in said {
            assert!(ended.stderr.contains(said), "{arguments:?}: {}", ended.stderr);
        }
        assert!(!ended.stderr.contains("hunter2"));
    }
}

/// As far as it can be told without serving for ever.
#[test]
fn the_examples_of_the_help_are_right() {
    let home = Sandbox::new();
    home.file("aov.toml", "service = 'mine'\n");
    let help = home.aov(&["serve", "--help"]).stdout;
    let examples: Vec<_> =
        help.lines().filter_map(|line| line.strip_prefix("    $ aov ")).collect();
    assert_eq!(examples.len(), 3, "{help}");
    for example in examples {
        let mut words: Vec<_> = example.split(' ').collect();
        words.retain(|word| *word != "--print-config");
        words.push("--print-config");
        let ended = home.aov(&words);
        assert_eq!((ended.code, &*ended.stderr), (Some(0), ""), "{example}");
    }
}

#[test]
fn typing_errors_in_variables_are_pointed_at() {
    let home = Sandbox::new();
    let mut command = home.command();
    command
        .args(["serve", "--print-config"])
        .env("AOV_LISTN", "127.0.0.1:1")
        .env("AOV_SECRET_KEY", "x");
    let ended = end(&mut command, None);
    assert_eq!(
        (ended.code, &*ended.stderr),
        (Some(0), "warning: AOV_LISTN is no setting of aov serve\n")
    );
}
