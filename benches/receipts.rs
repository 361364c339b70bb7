//! What an audit costs beside the signature check itself: a batch of receipts through the library
//! and through the program, each held against bare `verify_strict` calls of the same run.
//!
//! `cargo bench --bench receipts` prints ratios; the rates themselves depend on the machine.

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use agent_output_verifier::json::{MAX_DEPTH, read};
use agent_output_verifier::key::{GivenKey, KeyVersion, PublicKey, Signature, SigningKey};
use agent_output_verifier::receipt::attestation::{Attestation, Context, seal};
use agent_output_verifier::receipt::{Answer, Questions, UnverifiedReceipt};
use agent_output_verifier::trust::{Given, KeyClaim, KeyDecision, Lookup, TrustList};

const RECEIPTS: usize = 20_000;
const ROUNDS: usize = 9;

/// Receipts with ids of their own, one a line.
fn receipts(key: &SigningKey) -> Vec<String> {
    let real = include_str!("../fixtures/real/draft-receipt.json");
    let value: serde_json::Value = serde_json::from_str(real).expect("a fixture");
    let serde_json::Value::Object(mut body) = value else { panic!("a fixture") };
    body.remove("attestation");
    body["verify"]["key_version"] = key.version().as_str().into();
    (0..RECEIPTS)
        .map(|at| {
            body["verification_id"] = format!("00000000-0000-4000-8000-{at:012}").into();
            let text = serde_json::to_string(&body).expect("JSON");
            let body = read(text, MAX_DEPTH).expect("JSON");
            seal(&body, Context::Verification, key).expect("a body")
        })
        .collect()
}

/// Receipts per second.
fn rate(round: impl FnOnce()) -> f64 {
    let start = Instant::now();
    round();
    RECEIPTS as f64 / start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What is signed, and the signatures.
fn prepared(receipts: &[String]) -> Vec<(Vec<u8>, Signature)> {
    receipts
        .iter()
        .map(|text| {
            let document = read(text.as_str(), MAX_DEPTH).expect("JSON");
            let found = Attestation::of(document.root()).expect("an attestation");
            let bytes = found.signed_bytes(document.root(), Context::Verification);
            (bytes.expect("a canonical form"), found.signature)
        })
        .collect()
}

fn bare(prepared: &[(Vec<u8>, Signature)], key: &PublicKey) -> f64 {
    rate(|| {
        for (bytes, signature) in prepared {
            assert!(black_box(key.verifies(bytes, signature)));
        }
    })
}

fn library(receipts: &[String], key: &SigningKey) -> f64 {
    let trust = TrustList::built_in();
    let given = Given {
        key: Some(GivenKey { key: key.public(), version: Some(key.version().clone()) }),
        card: None,
    };
    let claim = KeyClaim { url: None, version: key.version().as_str() };
    let Lookup::Settled(decision @ KeyDecision::Trusted(_)) = trust.look_up(claim, &given) else {
        panic!("the key was given")
    };
    let (questions, now) = (Questions::default(), chrono::Utc::now());
    rate(|| {
        for text in receipts {
            let receipt = UnverifiedReceipt::read(text.as_str()).expect("JSON");
            let audited = receipt.audit(&decision, &questions, now);
            assert!(black_box(audited.audit().answer()) == Answer::Yes);
        }
    })
}

fn program(file: &std::path::Path, key: &SigningKey, jobs: usize) -> f64 {
    let given = GivenKey { key: key.public(), version: None }.to_text();
    rate(|| {
        let output = Command::new(env!("CARGO_BIN_EXE_aov"))
            .args(["verify-receipt", "--offline", "--public-key", &given, "--jobs"])
            .arg(jobs.to_string())
            .arg(file)
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), RECEIPTS + 1);
    })
}

fn main() {
    let key = SigningKey::from_seed(&[1; 32], KeyVersion::new("v1-bench").expect("a version"));
    let receipts = receipts(&key);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("receipts.jsonl");
    std::fs::write(&file, receipts.join("\n")).expect("a file");

    let prepared = prepared(&receipts);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // Side by side in every round, so that what disturbs the machine disturbs all of them.
    let rounds: Vec<[f64; 4]> = (0..ROUNDS)
        .map(|_| {
            [
                bare(&prepared, &key.public()),
                library(&receipts, &key),
                program(&file, &key, 1),
                program(&file, &key, cores),
            ]
        })
        .collect();
    let show = |name: &str, at: usize| {
        let rate = median(rounds.iter().map(|rates| rates[at]).collect());
        let ratio = median(rounds.iter().map(|rates| rates[at] / rates[0]).collect());
        println!("{name:<22} {rate:>9.0} /s   {ratio:.2}");
    };
    show("bare verify_strict", 0);
    show("library, one thread", 1);
    show("program, one thread", 2);
    show(&format!("program, {cores} threads"), 3);
    let scale = median(rounds.iter().map(|rates| rates[3] / rates[2]).collect());
    println!("all cores against one thread: {scale:.2}");
}
