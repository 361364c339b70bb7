use std::collections::HashSet;
use std::sync::Arc;

use agent_output_verifier::json::read;
use agent_output_verifier::key::{KeyVersion, SigningKey};
use agent_output_verifier::receipt::attestation::seal;
use agent_output_verifier::receipt::card::card;
use agent_output_verifier::receipt::fact::Code;
use clap::Parser;

use super::*;
use crate::args::Cli;
use crate::cmd::Verb;
use crate::net::Net;
use crate::net::tests::{Behaviour, Forbidden, Rerouted, serve};

const PATH: &str = "/.well-known/agent-card.json";

fn key(seed: u8, version: &str) -> SigningKey {
    SigningKey::from_seed(&[seed; 32], KeyVersion::new(version).unwrap())
}

/// A receipt that names verifier.example, signed by key 1 under v1.
fn receipt() -> String {
    let body = concat!(
        r#"{"result":"pass","verification_id":"00000000-0000-4000-8000-000000000001","#,
        r#""verified_at":"2026-11-01T10:00:00.000001+00:00","#,
        r#""verify":{"public_key_url":"https://verifier.example/.well-known/agent-card.json","key_version":"v1"}}"#
    );
    seal(&read(body, MAX_DEPTH).unwrap(), Context::Verification, &key(1, "v1")).unwrap()
}

fn card_of(seed: u8, version: &str) -> String {
    let key = key(seed, version);
    card("s", "https://verifier.example", key.version(), key.public())
}

/// Runs the verb in this process, without its report: what each record ended with, and why.
fn run_with(net: Net, arguments: &[&str]) -> Result<Vec<(Exit, Option<Code>)>, Failure> {
    let line = ["aov", "verify-receipt"].iter().chain(arguments);
    let Verb::VerifyReceipt(arguments) = Cli::try_parse_from(line).unwrap().verb else { panic!() };
    let mut session = Session {
        net,
        cache: crate::cache::Cache::nowhere(),
        trust_file: None,
        ..Session::new(anstream::ColorChoice::Never)
    };
    let walk = Walk { all_lines: arguments.jsonl, extensions: &["json"], role: "the receipts" };
    let origins = walk.origins(&arguments.receipts, &mut session.inputs)?;
    let plan = plan(&arguments, &mut session, "2026-11-02T00:00:00Z".parse().unwrap())?;
    let mut ended = Vec::new();
    plan.run(&origins.into(), 2, |block| {
        ended.extend(block.iter().map(|checked| {
            let receipt = checked.result.as_ref().ok();
            let reason = receipt.and_then(|receipt| receipt.audited.audit().reason());
            (checked.exit(), reason.map(|fact| fact.code))
        }));
        true
    });
    Ok(ended)
}

/// The same with one receipt file, whose name is put in front.
fn one(net: Net, arguments: &[&str]) -> (Exit, Option<Code>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("receipt.json");
    std::fs::write(&path, receipt()).unwrap();
    let ended = run_with(net, &[&[path.to_str().unwrap()], arguments].concat()).unwrap();
    let [ended] = ended[..] else { panic!("{ended:?}") };
    ended
}

fn served(behaviour: Behaviour) -> Net {
    Rerouted::public(serve(vec![(PATH, behaviour)])).net()
}

#[test]
fn a_trusted_issuers_key_is_fetched() {
    let good = || served(Behaviour::body(card_of(1, "v1")));
    assert_eq!(one(good(), &["--trust", "verifier.example"]), (Exit::Ok, None));
    assert_eq!(one(good(), &[]), (Exit::No, Some(Code::IssuerUnknown)));
    assert_eq!(one(good(), &["--trust", "other.example"]), (Exit::No, Some(Code::IssuerUnknown)));
    // The issuer has another key than the one that signed.
    let other = served(Behaviour::body(card_of(2, "v1")));
    assert_eq!(one(other, &["--trust", "verifier.example"]), (Exit::No, Some(Code::SignatureInvalid)));
}

#[test]
fn each_failure_of_a_fetch_has_its_reason_and_exit_code() {
    let twice = card_of(1, "v1").replacen(
        "\"publicKeys\": [",
        &format!(
            "\"publicKeys\": [{{\"keyVersion\":\"v1\",\"algorithm\":\"Ed25519\",\"publicKey\":\"{}\"}},",
            key(2, "v1").public().to_base64()
        ),
        1,
    );
    for (behaviour, exit, code) in [
        (Behaviour::redirect("https://evil.example/card"), Exit::Unavailable, Code::Redirected),
        (Behaviour::body(vec![b' '; 2 << 20]), Exit::Unavailable, Code::TooLarge),
        (Behaviour::Hang, Exit::Unavailable, Code::Timeout),
        (Behaviour::body("<!doctype html>"), Exit::Unavailable, Code::NotACard),
        (Behaviour::body(card_of(1, "v2")), Exit::No, Code::VersionAbsent),
        (Behaviour::body(twice), Exit::No, Code::VersionConflict),
    ] {
        let ended = one(served(behaviour.clone()), &["--trust", "verifier.example"]);
        assert_eq!(ended, (exit, Some(code)));
        let typed = one(served(behaviour), &["--agent-card", "https://keys.example/.well-known/agent-card.json"]);
        assert_eq!(typed, (exit, Some(code)));
    }
    let server = serve(vec![(PATH, Behaviour::body(card_of(1, "v1")))]);
    let private = Rerouted::claiming(&["192.168.1.1:443"], server);
    let ended = one(private.net(), &["--trust", "verifier.example"]);
    assert_eq!(ended, (Exit::Unavailable, Some(Code::AddressRefused)));
}

#[test]
fn the_user_may_type_an_address() {
    let server = serve(vec![(PATH, Behaviour::body(card_of(1, "v1")))]);
    let url = format!("http://{server}{PATH}");
    assert_eq!(one(Net::system(), &["--agent-card", &url]), (Exit::Ok, None));
    let named = key(1, "v1").public().to_base64();
    assert_eq!(one(Net::system(), &["--agent-card", &url, "--public-key", &named]), (Exit::Ok, None));
    let other = key(2, "v1").public().to_base64();
    assert_eq!(
        one(Net::system(), &["--agent-card", &url, "--public-key", &other]),
        (Exit::No, Some(Code::GivenKeysDisagree))
    );
    let public = "http://verifier.example/.well-known/agent-card.json";
    let error = run_with(Net::system(), &["x", "--agent-card", public]).unwrap_err().to_string();
    assert!(error.contains("use https://"), "{error}");
}

#[test]
fn offline_opens_no_socket() {
    let forbidden = || Net::with(Arc::new(Forbidden), std::time::Duration::from_secs(1));
    for arguments in [
        &["--offline", "--trust", "verifier.example"][..],
        &["--offline", "--agent-card", "https://verifier.example/.well-known/agent-card.json"],
    ] {
        assert_eq!(one(forbidden(), arguments), (Exit::Unavailable, Some(Code::Offline)));
    }
    // Nor does anything that needs no key from elsewhere, online.
    let named = key(1, "v1").public().to_base64();
    assert_eq!(one(forbidden(), &["--public-key", &named]), (Exit::Ok, None));
    assert_eq!(one(forbidden(), &[]), (Exit::No, Some(Code::IssuerUnknown)));
}

#[test]
fn one_issuer_is_asked_once_for_many_receipts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("receipts.jsonl");
    std::fs::write(&path, format!("{}\n", receipt()).repeat(200)).unwrap();
    let connector = Rerouted::public(serve(vec![(PATH, Behaviour::body(card_of(1, "v1")))]));
    let ended =
        run_with(connector.net(), &[path.to_str().unwrap(), "--trust", "verifier.example"]).unwrap();
    let distinct: HashSet<_> = ended.iter().map(|(exit, _)| exit.code()).collect();
    assert_eq!((ended.len(), distinct), (200, HashSet::from([0])));
    assert_eq!(connector.connections.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[test]
fn ages() {
    for (text, seconds) in [("7d", 604_800), ("90s", 90), ("5min", 300), ("5 m", 300), ("2h", 7_200), ("1w", 604_800), ("0s", 0)] {
        assert_eq!(age(text), Ok(TimeDelta::seconds(seconds)), "{text}");
    }
    for bad in ["7", "d", "", "-1d", "1.5h", "7 days", "99999999999999999999d", "9999999999999999d"] {
        assert!(age(bad).is_err(), "{bad}");
    }
}
