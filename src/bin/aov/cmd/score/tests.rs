use agent_output_verifier::json::{MAX_DEPTH, read};
use agent_output_verifier::key::{KeyVersion, SigningKey};
use agent_output_verifier::receipt::attestation::{Context, seal};
use agent_output_verifier::receipt::card::card;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use clap::Parser;

use super::*;
use crate::args::Cli;
use crate::cmd::Verb;
use crate::net::Net;
use crate::net::tests::{Behaviour, Forbidden, Rerouted, serve};

const CARD: &str = "/.well-known/agent-card.json";
const BASE: &str = "https://verifier.example";

fn now() -> DateTime<Utc> {
    "2026-12-01T00:00:00Z".parse().unwrap()
}

fn key(seed: u8) -> SigningKey {
    SigningKey::from_seed(&[seed; 32], KeyVersion::new("v1").unwrap())
}

fn listing(seed: u8) -> String {
    card("s", BASE, key(seed).version(), key(seed).public())
}

/// A score as our own server would sign it.
fn signed(agent_id: &str, at: DateTime<Utc>, context: Context) -> String {
    let observations = vec![
        Observation { at: now(), passed: true },
        Observation { at: now() - TimeDelta::days(30), passed: false },
    ];
    let verify = agent_output_verifier::response::VerifySection {
        public_key_url: format!("{BASE}{CARD}"),
        key_version: "v1".to_owned(),
        service: "s".to_owned(),
        mcp: format!("{BASE}/mcp"),
    };
    let score = Score::of(observations, now());
    let body = body(agent_id, &score, &instant(at), Some(&verify));
    seal(&read(body.to_line(), MAX_DEPTH).unwrap(), context, &key(1)).unwrap()
}

/// Asks for a score in this process.
fn ask(net: Net, words: &[&str]) -> Result<(String, Exit), Failure> {
    let line = ["aov", "score"].iter().chain(words);
    let Verb::Score(arguments) = Cli::try_parse_from(line).unwrap().verb else { panic!() };
    let mut session = Session {
        net,
        cache: crate::cache::Cache::nowhere(),
        trust_file: None,
        ..Session::new(anstream::ColorChoice::Never)
    };
    let asked = remote::Asked {
        agent_id: arguments.agent_id.as_deref().unwrap(),
        base: arguments.url.as_deref().unwrap(),
        format: arguments.format,
        terminal: Terminal::stdout(anstream::ColorChoice::Never),
    };
    remote::score(&asked, &arguments.trust, None, &mut session, now())
}

/// With this answer to the question for agent-7.
fn answered(answer: Behaviour, words: &[&str]) -> (String, Exit) {
    let server = serve(vec![("/score/agent-7", answer), (CARD, Behaviour::body(listing(1)))]);
    let words = [&["agent-7", "--url", BASE, "--trust", "verifier.example"], words].concat();
    ask(Rerouted::public(server).net(), &words).unwrap()
}

fn status(status: &'static str, headers: &str, body: &str) -> Behaviour {
    Behaviour::Answer { status, headers: headers.to_owned(), body: body.into() }
}

#[test]
fn a_genuine_score_is_shown() {
    let receipt = signed("agent-7", now(), Context::Score);
    let (text, exit) = answered(Behaviour::body(&*receipt), &[]);
    assert_eq!(exit, Exit::Ok);
    // w = 1, ½: 1 / 1.5 = 0.666667; 1.5² / 1.25 = 1.8.
    assert!(text.starts_with("agent-7  trust score 0.666667 (95% interval "), "{text}");
    assert!(text.contains("verified 2: 1 passed, 1 failed; effective sample size 1.8"), "{text}");
    assert!(text.contains("https://verifier.example, signed with the key v1"), "{text}");
    let (text, _) = answered(Behaviour::body(&*receipt), &["--format", "json"]);
    assert_eq!(text, receipt + "\n", "as it was signed");
}

#[test]
fn nothing_is_shown_of_any_other() {
    let good = || signed("agent-7", now(), Context::Score);
    for (body, exit) in [
        (good().replace("0.666667", "0.966667"), Exit::No),
        (signed("agent-8", now(), Context::Score), Exit::No),
        (signed("agent-7", now(), Context::Verification), Exit::No),
        // Kept back, or from a clock that is wrong.
        (signed("agent-7", now() - TimeDelta::seconds(3601), Context::Score), Exit::No),
        (signed("agent-7", now() + TimeDelta::seconds(301), Context::Score), Exit::No),
        ("{\"trust_score\":1.0}".to_owned(), Exit::No),
        ("<!doctype html>".to_owned(), Exit::Unavailable),
        (String::new(), Exit::Unavailable),
    ] {
        assert_eq!(answered(Behaviour::body(&*body), &[]), (String::new(), exit), "{body}");
    }
    // An issuer that nobody trusts, and one that signed with another key.
    let server = || {
        serve(vec![
            ("/score/agent-7", Behaviour::body(good())),
            (CARD, Behaviour::body(listing(2))),
        ])
    };
    for words in [&["agent-7", "--url", BASE][..], &["agent-7", "--url", BASE, "--trust", "verifier.example"]] {
        let answer = ask(Rerouted::public(server()).net(), words).unwrap();
        assert_eq!(answer, (String::new(), Exit::No));
    }
    // A key that cannot be had.
    let server = serve(vec![("/score/agent-7", Behaviour::body(good()))]);
    let words = ["agent-7", "--url", BASE, "--trust", "verifier.example"];
    let answer = ask(Rerouted::public(server).net(), &words).unwrap();
    assert_eq!(answer, (String::new(), Exit::Unavailable));
}

#[test]
fn the_servers_errors_have_their_exit_codes() {
    let problem = r#"{"code":"invalid_request","message":"no","status":422,"retryable":false}"#;
    let later = r#"{"code":"overloaded","message":"no","status":503,"retryable":true}"#;
    for (behaviour, exit) in [
        (status("422 Unprocessable Content", "", problem), Exit::CannotRun),
        (status("503 Service Unavailable", "", later), Exit::Unavailable),
        (status("404 Not Found", "", "<html>"), Exit::Unavailable),
        (Behaviour::redirect("https://elsewhere.example/score"), Exit::Unavailable),
        (Behaviour::Hang, Exit::Unavailable),
        (Behaviour::body(vec![b' '; 2 << 20]), Exit::Unavailable),
    ] {
        assert_eq!(answered(behaviour, &[]), (String::new(), exit));
    }
}

#[test]
fn a_price_is_shown_and_not_paid() {
    let required = concat!(
        r#"{"x402Version":2,"accepts":[{"scheme":"exact","network":"eip155:8453","amount":"10000","#,
        r#""asset":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","payTo":"0x1"},{"scheme":"exact","#,
        r#""network":"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp","amount":"10000","#,
        r#""asset":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v","payTo":"s"}]}"#
    );
    let with = |field: &str| {
        let field = format!("Payment-Required: {}\r\n", STANDARD.encode(field));
        status("402 Payment Required", &field, "{}")
    };
    let (text, exit) = answered(with(required), &[]);
    assert_eq!(exit, Exit::PaymentRequired);
    assert!(
        text.starts_with(
            "payment required: 0.01 USDC on Base (eip155:8453), or 0.01 USDC on Solana \
             (solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp)\n"
        ),
        "{text}"
    );
    let (text, exit) = answered(with(required), &["--format", "json"]);
    assert_eq!((text, exit), (format!("{{\"payment_required\":{required}}}\n"), Exit::PaymentRequired));
    for unclear in [with("{"), with("{\"accepts\":[]}"), status("402 Payment Required", "", "{}")] {
        assert_eq!(answered(unclear, &[]), (String::new(), Exit::PaymentRequired));
    }
    // What is not a coin that we know is not called one, and cannot write on the terminal.
    let odd = r#"{"accepts":[{"network":"eip155:8453","amount":"1","asset":"\u001b[31mUSDC"}]}"#;
    let (text, _) = answered(with(odd), &[]);
    assert!(text.contains("1 units of \\u001b[31mUSDC on eip155:8453"), "{text}");
}

#[test]
fn ids_are_encoded_and_addresses_checked() {
    let id = "a/b ü?";
    let path = "/aov/score/a%2Fb%20%C3%BC%3F";
    let server = serve(vec![
        (path, Behaviour::body(signed(id, now(), Context::Score))),
        (CARD, Behaviour::body(listing(1))),
    ]);
    let net = Rerouted::public(server).net();
    for base in ["https://verifier.example/aov", "https://verifier.example/aov/"] {
        let words = [id, "--url", base, "--trust", "verifier.example"];
        assert_eq!(ask(net.clone(), &words).unwrap().1, Exit::Ok);
    }
    let forbidden = || Net::with(std::sync::Arc::new(Forbidden), std::time::Duration::from_secs(1));
    for bad in ["http://verifier.example", "ftp://x", "https://a@b", "https://x/?a", "verifier.example"] {
        assert!(ask(forbidden(), &["x", "--url", bad]).is_err(), "{bad}");
    }
    let offline = ask(forbidden(), &["x", "--url", BASE, "--offline"]).unwrap();
    assert_eq!(offline, (String::new(), Exit::Unavailable));
}
