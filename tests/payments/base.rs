use std::process::Output;

use serde_json::Value;

use crate::server::Server;
use crate::support::Sandbox;
use crate::world::{
    BODY, Chain, FAILING, INVALID, buy_npm, buy_pypi, config, packages, seller, validate_bazaar,
};

const BASE: &str = "eip155:8453";
const PRICE: u64 = 20_000;

/// Both balances moved by this many prices.
fn moved(chain: &Chain, before: (u64, u64), prices: u64) {
    let after = chain.balances();
    let price = PRICE * prices;
    assert_eq!(after, (before.0 - price, before.1 + price), "from {before:?}");
}

fn result(answer: &Value) -> String {
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    body["result"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn clients_of_npm_and_pypi_buy() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::base(&packages));
    let server = seller(&home, &[(BASE, &chain)], 0);
    let (url, key) = (server.url("/verify/schema"), chain.text("payer_key"));
    for buy in [buy_npm, buy_pypi] {
        for (body, verdict) in [(BODY, "pass"), (FAILING, "fail")] {
            let before = chain.balances();
            let answer = buy(&packages, &url, body, key);
            assert_eq!(answer["status"], 200, "{answer}");
            assert_eq!(result(&answer), verdict);
            assert_eq!(answer["settlement"]["success"], true);
            assert_eq!(answer["settlement"]["network"], BASE);
            moved(&chain, before, 1);
        }
        // Never told to pay, never charged.
        let before = chain.balances();
        assert_eq!(buy(&packages, &url, INVALID, key)["status"], 422);
        moved(&chain, before, 0);
    }
}

#[test]
fn a_facilitator_that_fails_costs_nobody_anything() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::base(&packages));
    let server = seller(&home, &[(BASE, &chain)], 0);
    let (url, key) = (server.url("/verify/schema"), chain.text("payer_key"));
    for (fault, status) in [
        (r#"{"verify":"500"}"#, 503),
        (r#"{"verify":"html"}"#, 503),
        (r#"{"verify":"false"}"#, 402),
        (r#"{"settle":"false"}"#, 402),
        (r#"{"settle":"500"}"#, 504),
        (r#"{"settle":"html"}"#, 504),
    ] {
        let before = chain.balances();
        chain.fault(fault);
        let answer = buy_npm(&packages, &url, BODY, key);
        assert_eq!(answer["status"], status, "{fault}: {answer}");
        assert!(!answer["body"].as_str().unwrap().contains("attestation"), "{fault}: {answer}");
        // A settlement that failed is told as such.
        let failed = fault == r#"{"settle":"false"}"#;
        assert_eq!(answer["settlement"]["success"] == false, failed, "{fault}: {answer}");
        moved(&chain, before, 0);
    }
    // The settlement that was lost is found on the chain: one charge, one answer.
    let before = chain.balances();
    chain.fault(r#"{"settle":"lost"}"#);
    let answer = buy_npm(&packages, &url, BODY, key);
    assert_eq!((&answer["status"], &*result(&answer)), (&200.into(), "pass"), "{answer}");
    moved(&chain, before, 1);
}

fn aov(home: &Sandbox, server: &Server, arguments: &[&str]) -> Output {
    asked(home, server, &[&["check", "request.json"], arguments].concat())
}

fn asked(home: &Sandbox, server: &Server, arguments: &[&str]) -> Output {
    let card = server.url("/.well-known/agent-card.json");
    let base = server.url("");
    let mut command = home.command();
    command.env("HOME", home.path()).args(arguments);
    command.args(["--url", &base, "--agent-card", &card]).output().unwrap()
}

/// A file that only its owner can read.
fn key_file(home: &Sandbox, chain: &Chain) {
    let path = home.file("wallet.key", chain.text("payer_key"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}", text(&output.stdout), text(&output.stderr))
}

#[test]
fn aov_check_buys_from_aov_serve() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::base(&packages));
    let server = seller(&home, &[(BASE, &chain)], 0);
    home.file("request.json", BODY.as_bytes());
    key_file(&home, &chain);
    let before = chain.balances();
    let unpaid = aov(&home, &server, &[]);
    assert_eq!(unpaid.status.code(), Some(4), "{}", said(&unpaid));
    assert!(said(&unpaid).contains("0.02 USDC on Base"), "{}", said(&unpaid));
    let pay = ["--pay", "--wallet-key-file", "wallet.key", "--max-price"];
    let capped = aov(&home, &server, &[&pay[..], &["0.019999"]].concat());
    assert_eq!(capped.status.code(), Some(4), "{}", said(&capped));
    moved(&chain, before, 0);

    let paying = [&pay[..], &["0.02"]].concat();
    let paid = aov(&home, &server, &paying);
    assert_eq!(paid.status.code(), Some(0), "{}", said(&paid));
    assert!(said(&paid).contains("pass") && said(&paid).contains("0x"), "{}", said(&paid));
    moved(&chain, before, 1);

    // A facilitator that is out of order for a moment: the same payment is sent again.
    chain.fault(r#"{"verify":"500","times":1}"#);
    let again = aov(&home, &server, &paying);
    assert_eq!(again.status.code(), Some(0), "{}", said(&again));
    moved(&chain, before, 2);

    // Settled and lost on the way.
    chain.fault(r#"{"settle":"lost"}"#);
    let lost = aov(&home, &server, &paying);
    assert_eq!(lost.status.code(), Some(0), "{}", said(&lost));
    moved(&chain, before, 3);
    assert_eq!(
        std::fs::read_dir(home.path().join(".local/share/aov/payments")).unwrap().count(),
        0
    );
}

#[test]
fn the_allowance_comes_first_and_its_end_is_told() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::base(&packages));
    let server = seller(&home, &[(BASE, &chain)], 1);
    let before = chain.balances();
    let free = server.post("/verify/schema", BODY.as_bytes());
    assert_eq!((free.status, free.field("payment-response")), (200, None));
    moved(&chain, before, 0);
    let priced = server.post("/verify/schema", BODY.as_bytes());
    assert_eq!(priced.status, 402);
    assert_eq!(priced.json()["free_trial"]["code"], "free_trial_exhausted");
    let answer = buy_pypi(&packages, &server.url("/verify/schema"), BODY, chain.text("payer_key"));
    assert_eq!(answer["status"], 200, "{answer}");
    moved(&chain, before, 1);
}

#[test]
fn the_validator_of_npm_takes_our_402() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::base(&packages));
    let server = seller(&home, &[(BASE, &chain)], 0);
    for path in ["/verify/schema", "/verify/deliverable"] {
        let probe = server.post(path, b"");
        assert_eq!(probe.status, 402);
        let field = probe.field("payment-required").unwrap();
        assert!(field.len() < 3 << 10, "{}", field.len());
        let (valid, told) = validate_bazaar(&packages, field);
        assert!(valid, "{told}");
    }
}

/// Without a node nobody can say what became of it, and nobody is charged again; with one, the
/// operator finds out, and the log never held anything to submit.
#[test]
fn operators_find_out_about_a_lost_settlement() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::base(&packages));
    let chains = [(BASE, &chain)];
    let ledger = home.path().join("ledger.sqlite").display().to_string();
    home.file("proving.toml", format!("ledger = \"{ledger}\"\n{}", config(&chains, 0, true)));
    home.file("aov.toml", config(&chains, 0, false));
    let server = Server::start(&home, &["--config", "aov.toml", "--ledger", &ledger]);
    let before = chain.balances();
    chain.fault(r#"{"settle":"lost"}"#);
    let url = server.url("/verify/schema");
    let answer = buy_npm(&packages, &url, BODY, chain.text("payer_key"));
    assert_eq!(answer["status"], 504, "{answer}");
    chain.fault("{}");
    moved(&chain, before, 1);

    let list = |state| home.aov(&["ledger", "payments", "--ledger", &ledger, "--state", state]);
    let unknown = list("unknown");
    assert_eq!(unknown.stdout.lines().count(), 1, "{} {}", unknown.stdout, unknown.stderr);
    assert!(unknown.stdout.contains("0.02 USDC on Base"), "{}", unknown.stdout);
    let found = home.aov(&["ledger", "reconcile", "--config", "proving.toml", "--format", "json"]);
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert_eq!(found.stdout.trim(), r#"{"paid":1,"not_paid":0,"unknown":0,"busy":0}"#);
    let (unknown, settled) = (list("unknown"), list("settled"));
    assert_eq!((&*unknown.stdout, settled.stdout.lines().count()), ("", 1));
    assert!(settled.stdout.contains("  0x"), "{}", settled.stdout);
    moved(&chain, before, 1);

    let sent = chain.ask("/sent", "{}");
    let sent = &sent["payload"];
    let log = server.log.lock().unwrap().clone() + &found.stderr + &settled.stdout;
    assert!(log.contains("not known whether paid") && log.contains("proved"), "{log}");
    for secret in [&sent["signature"], &sent["authorization"]["nonce"]] {
        let secret = &secret.as_str().unwrap()[2..];
        assert!(secret.len() >= 64 && !log.contains(secret), "{log}");
    }
}

#[test]
fn aov_score_buys_what_there_is_and_gets_nothing_for_nothing() {
    let Some(packages) = packages() else { return };
    let (home, chain) = (Sandbox::new(), Chain::base(&packages));
    let server = seller(&home, &[(BASE, &chain)], 10);
    key_file(&home, &chain);
    assert_eq!(server.post("/verify/schema", BODY.as_bytes()).status, 200);
    let pay = ["--pay", "--max-price", "0.01", "--wallet-key-file", "wallet.key"];
    let before = chain.balances();
    // Nobody knows that agent: free, and signed.
    let nobody = asked(&home, &server, &[&["score", "nobody"], &pay[..]].concat());
    assert_eq!(nobody.status.code(), Some(0), "{}", said(&nobody));
    moved(&chain, before, 0);
    let unpaid = asked(&home, &server, &["score", "seller-7"]);
    assert_eq!(unpaid.status.code(), Some(4), "{}", said(&unpaid));
    assert!(said(&unpaid).contains("0.01 USDC on Base"), "{}", said(&unpaid));
    moved(&chain, before, 0);
    let paid =
        asked(&home, &server, &[&["score", "seller-7", "--format", "json"], &pay[..]].concat());
    assert_eq!(paid.status.code(), Some(0), "{}", said(&paid));
    let score: Value = serde_json::from_slice(&paid.stdout).unwrap();
    assert_eq!((&score["agent_id"], &score["passed"]), (&"seller-7".into(), &1.into()));
    assert_eq!(chain.balances(), (before.0 - 10_000, before.1 + 10_000));
}
