use super::*;
use crate::json::{jcs, quoted};
use crate::key::{GivenKey, KeyVersion, Signature, SigningKey};
use crate::receipt::attestation::seal;
use crate::receipt::binding::Due;
use crate::receipt::card::CardKeys;
use crate::receipt::hashes::Sha256Hex;
use crate::request::UnknownFields;
use crate::trust::{Given, Lookup, TrustList};

const DRAFT: &str = include_str!("../../fixtures/real/draft-receipt.json");
const FINAL: &str = include_str!("../../fixtures/real/final-receipt.json");

fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-10-02T00:00:00Z").unwrap().to_utc()
}

/// The decision of the built-in list, or of the user's own keys; a fetch finds nobody.
fn decide(receipt: &UnverifiedReceipt, given: &Given) -> KeyDecision {
    let Some(claim) = receipt.key_claim() else {
        return KeyDecision::Untrusted(Refusal::new(Code::IssuerUnnamed));
    };
    match TrustList::built_in().look_up(claim, given) {
        Lookup::Settled(decision) => decision,
        Lookup::Fetch(_) => KeyDecision::Unavailable(Refusal::new(Code::Offline)),
    }
}

fn audit_with(text: &str, given: &Given, questions: &Questions) -> Audit {
    let receipt = UnverifiedReceipt::read(text).unwrap();
    let key = decide(&receipt, given);
    receipt.audit(&key, questions, now()).audit().clone()
}

fn audit(text: &str) -> Audit {
    audit_with(text, &Given::default(), &Questions::default())
}

fn failures(audit: &Audit) -> Vec<Code> {
    audit.facts.iter().filter(|fact| fact.status == Status::Fails).map(|fact| fact.code).collect()
}

fn key() -> SigningKey {
    SigningKey::from_seed(&[3; 32], KeyVersion::new("v1-own").unwrap())
}

fn own() -> Given {
    Given { key: Some(GivenKey { key: key().public(), version: None }), card: None }
}

/// A body signed by our own key.
fn signed(body: &str, context: Context) -> String {
    seal(&read(body, MAX_DEPTH).unwrap(), context, &key()).unwrap()
}

#[test]
fn the_genuine_receipts_verify_with_the_pin() {
    for text in [DRAFT, FINAL] {
        let receipt = UnverifiedReceipt::read(text).unwrap();
        let key = decide(&receipt, &Given::default());
        let Audited::Verified(verified, audit) = receipt.audit(&key, &Questions::default(), now())
        else {
            panic!("not verified");
        };
        assert_eq!(audit.verdict, Verdict::GenuineNotBound);
        assert_eq!(audit.answer(), Answer::Yes);
        assert_eq!(audit.reason(), None);
        assert!(verified.root().get("verification_id").is_some());
        let codes: Vec<_> = audit.facts.iter().map(|fact| fact.code).collect();
        assert_eq!(
            codes,
            [
                Code::StructureValid,
                Code::KeyPinned,
                Code::IssuerBuiltIn,
                Code::SignatureValid,
                Code::Consistent,
                Code::AgeKnown,
            ]
        );
        assert!(audit.not_checked.contains(&NotChecked::Data));
        assert!(audit.not_checked.contains(&NotChecked::Result));
    }
}

/// A genuine receipt of a `fail` is genuine; only the demand makes it a no.
#[test]
fn pass_is_a_demand_of_its_own() {
    let demands = Demands { pass: true, ..Demands::default() };
    let questions = Questions { demands, ..Questions::default() };
    let fail = audit_with(DRAFT, &Given::default(), &questions);
    assert_eq!((fail.verdict, fail.answer()), (Verdict::GenuineNotBound, Answer::No));
    assert_eq!(fail.reason().unwrap().code, Code::ResultNotPass);
    let pass = audit_with(FINAL, &Given::default(), &questions);
    assert_eq!(pass.answer(), Answer::Yes);
    assert!(!pass.not_checked.contains(&NotChecked::Result));
}

#[test]
fn data_in_hand_binds_or_makes_it_a_no() {
    let output = "39e3d0a1431e3ce9cda89a1d2873e1ffb4e34f4eeded2ffa87946fbd941a34c3";
    let with = |output: &str| {
        let data = DataInHand {
            output: Some(Due::Hash(Sha256Hex::parse(output).unwrap())),
            ..DataInHand::default()
        };
        audit_with(FINAL, &Given::default(), &Questions { data, ..Questions::default() })
    };
    let bound = with(output);
    assert_eq!((bound.verdict, bound.answer()), (Verdict::GenuineBound, Answer::Yes));
    assert!(bound.not_checked.contains(&NotChecked::Schema));
    assert!(!bound.not_checked.contains(&NotChecked::Data));
    let other = with(&"0".repeat(64));
    assert_eq!((other.verdict, other.answer()), (Verdict::GenuineNotBound, Answer::No));
    assert_eq!(failures(&other), [Code::Differs]);

    // Genuine, but from before there were hashes: nothing ties it to the data.
    let old =
        signed(r#"{"result":"pass","verified_at":"2026-01-01T00:00:00Z"}"#, Context::Verification);
    let data = DataInHand {
        output: Some(Due::Hash(Sha256Hex::parse(output).unwrap())),
        ..DataInHand::default()
    };
    let audit = audit_with(&old, &own(), &Questions { data, ..Questions::default() });
    assert_eq!((audit.verdict, audit.answer()), (Verdict::GenuineNotBound, Answer::No));
    assert_eq!(audit.reason().unwrap().code, Code::NothingToCompare);
    assert_eq!(audit_with(&old, &own(), &Questions::default()).answer(), Answer::Yes);
}

/// Both genuine receipts are about their requests; the compact one has no request hash.
#[test]
fn the_genuine_receipts_bind_to_their_requests() {
    let requests = [
        include_str!("../../fixtures/real/draft-request.json"),
        include_str!("../../fixtures/real/final-request.json"),
    ];
    for (receipt, own) in [(DRAFT, 0), (FINAL, 1)] {
        for (at, request) in requests.iter().enumerate() {
            let document = read(*request, MAX_DEPTH + 1).unwrap();
            let request = crate::request::parse(document.root(), UnknownFields::Refuse).unwrap();
            let data = DataInHand::of_request(&request);
            let questions = Questions { data, ..Questions::default() };
            let audit = audit_with(receipt, &Given::default(), &questions);
            if at == own {
                assert_eq!((audit.verdict, audit.answer()), (Verdict::GenuineBound, Answer::Yes));
                assert!(!audit.not_checked.contains(&NotChecked::Options));
            } else {
                assert_eq!((audit.verdict, audit.answer()), (Verdict::GenuineNotBound, Answer::No));
                assert_eq!(audit.reason().map(|fact| fact.subject), Some(Subject::OutputHash));
            }
        }
    }
}

/// The public fault this program exists for: a forger signs with an own key and names an own card.
#[test]
fn a_forgers_own_key_proves_nothing() {
    let body = FINAL[..FINAL.rfind(",\n  \"attestation\"").unwrap()].to_owned() + "\n}\n";
    let body = body.replace("v1-2026-09c", "v1-own");
    let forged = signed(
        &body.replace("fastapi-service-5ag4.onrender.com", "evil.example"),
        Context::Verification,
    );
    let elsewhere = audit(&forged);
    assert_eq!((elsewhere.verdict, elsewhere.answer()), (Verdict::UntrustedIssuer, Answer::No));
    assert_eq!(failures(&elsewhere), [Code::IssuerUnknown]);
    // Naming the trusted card does not help.
    let claimed = audit(&signed(&body, Context::Verification));
    assert_eq!(failures(&claimed), [Code::IssuerVersionNotPinned]);
    let hosted = body.replace("fastapi-service-5ag4.onrender.com", "verify.sarnai.dev");
    let undecided = audit(&signed(&hosted, Context::Verification));
    assert_eq!((undecided.verdict, undecided.answer()), (Verdict::Undecided, Answer::Unavailable));
    // Nor does the pinned version.
    let key = SigningKey::from_seed(&[3; 32], KeyVersion::new("v1-2026-09c").unwrap());
    let body = read(body.replace("v1-own", "v1-2026-09c"), MAX_DEPTH).unwrap();
    let pinned = audit(&seal(&body, Context::Verification, &key).unwrap());
    assert_eq!(pinned.verdict, Verdict::NotGenuine);
    assert_eq!(failures(&pinned), [Code::SignatureInvalid]);
    // With the forger's key the user says so: then it is genuine, by the user's own decision.
    let given = audit_with(&forged, &own(), &Questions::default());
    assert_eq!(given.verdict, Verdict::GenuineNotBound);
    assert!(given.facts.iter().any(|fact| fact.code == Code::IssuerGiven));
}

#[test]
fn a_signed_contradiction_is_not_genuine() {
    let body =
        r#"{"summary":{"result":"pass"},"result":"fail","verified_at":"2026-01-01T00:00:00Z"}"#;
    let audit = audit_with(&signed(body, Context::Verification), &own(), &Questions::default());
    assert_eq!((audit.verdict, audit.answer()), (Verdict::NotGenuine, Answer::No));
    assert_eq!(failures(&audit), [Code::ResultContradiction]);
}

#[test]
fn contexts_are_apart() {
    let score = r#"{"agent_id":"a","trust_score":0.5,"verified_at":"2026-01-01T00:00:00Z"}"#;
    let audit_as = |text: &str, context| {
        audit_with(text, &own(), &Questions { context, ..Questions::default() })
    };
    let genuine = signed(score, Context::Score);
    assert_eq!(audit_as(&genuine, None).verdict, Verdict::GenuineNotBound);
    assert_eq!(audit_as(&genuine, None).context, Context::Score);
    let forced = audit_as(&genuine, Some(Context::Verification));
    assert_eq!(failures(&forced), [Code::SignatureOtherContext]);
    let crossed = audit_as(&signed(score, Context::Verification), None);
    assert_eq!(failures(&crossed), [Code::SignatureOtherContext]);
    assert_eq!(crossed.verdict, Verdict::NotGenuine);
}

#[test]
fn what_cannot_have_been_signed_is_not_genuine() {
    for (from, to) in
        [("invoice-7731-final", "\\ud800"), ("false,\n  \"verify\"", "1e400,\n  \"verify\"")]
    {
        let text = FINAL.replacen(from, to, 1);
        assert_ne!(text, FINAL);
        let audit = audit(&text);
        assert_eq!(
            (audit.verdict, failures(&audit)),
            (Verdict::NotGenuine, vec![Code::NoCanonicalForm])
        );
        assert!(audit.not_checked.contains(&NotChecked::SignatureUnchecked));
    }
    let twice =
        FINAL.replacen("\"result\": \"pass\"", "\"result\": \"pass\", \"result\": \"pass\"", 1);
    assert!(UnverifiedReceipt::read(twice).is_err());
    // The same name, spelled with an escape.
    let twice = FINAL.replacen("\"task_id\"", "\"t\\u0061sk_id\": 1, \"task_id\"", 1);
    assert!(UnverifiedReceipt::read(twice).is_err());
}

/// The reason is what decided, whatever else is odd.
#[test]
fn the_reason_is_the_one_that_decided() {
    // Inconsistent in a smaller matter, too old, and unbound.
    let body = r#"{"result":"pass","verification_id":"x","verified_at":"2026-01-01T00:00:00Z",
        "verify":{"public_key_url":"https://verify.sarnai.dev/.well-known/agent-card.json","key_version":"v1-own"}}"#;
    let text = signed(body, Context::Verification);
    let data = DataInHand { output: Some(Due::Unhashable), ..DataInHand::default() };
    let unbound = audit_with(&text, &own(), &Questions { data, ..Questions::default() });
    assert_eq!(unbound.warnings.len(), 1);
    assert_eq!(unbound.reason().unwrap().code, Code::NothingToCompare);
    let demands = Demands { max_age: Some(chrono::TimeDelta::days(1)), ..Demands::default() };
    let questions = Questions { demands, ..Questions::default() };
    let old = audit_with(&text, &own(), &questions);
    assert_eq!(old.reason().unwrap().code, Code::TooOld);
    let undecided = audit_with(&text, &Given::default(), &questions);
    assert_eq!(undecided.answer(), Answer::Unavailable);
    assert_eq!(undecided.reason().unwrap().code, Code::Offline);
}

#[test]
fn later_facts_count() {
    let mut audit = audit(FINAL);
    assert!(audit.not_checked.contains(&NotChecked::Replay));
    audit.add(Fact::new(Subject::Replay, Status::Holds, Code::ReplaySame));
    assert!(!audit.not_checked.contains(&NotChecked::Replay));
    assert_eq!(audit.answer(), Answer::Yes);
    audit.add(Fact::new(Subject::Unique, Status::Fails, Code::SeenDifferent));
    assert_eq!(audit.answer(), Answer::No);
}

/// Each byte of both genuine receipts, each changed in several ways: what is still accepted says
/// the same, canonically, as what was signed.
#[test]
fn every_single_byte_change_is_refused_or_means_the_same() {
    for original in [DRAFT, FINAL] {
        let canonical =
            |text: &[u8]| jcs::canonical(read(text, MAX_DEPTH).unwrap().root()).unwrap();
        let signed = canonical(original.as_bytes());
        let (mut accepted, mut refused) = (0, 0);
        for at in 0..original.len() {
            let byte = original.as_bytes()[at];
            let others = [byte ^ 1, byte ^ 0x20, byte ^ 0x80, b' ', b'\n', b'"', b'0', b'}'];
            for other in others.into_iter().filter(|other| *other != byte) {
                let mut changed = original.as_bytes().to_vec();
                changed[at] = other;
                let Ok(receipt) = UnverifiedReceipt::read(changed.as_slice()) else {
                    refused += 1;
                    continue;
                };
                let key = decide(&receipt, &Given::default());
                match receipt.audit(&key, &Questions::default(), now()).audit().answer() {
                    Answer::Yes => {
                        assert_eq!(canonical(&changed), signed, "byte {at} as {other:#x}");
                        accepted += 1;
                    }
                    Answer::No | Answer::Unavailable => refused += 1,
                }
            }
        }
        assert!(accepted > 0 && refused > 10 * accepted, "{accepted} {refused}");
    }
}

/// The cases drawn from public faults, where they are at hand.
#[test]
fn shared_receipt_cases() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/receipts");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("shared receipt cases: not here, skipped");
        return;
    };
    let expected = |id: &str| match id.split('-').next().unwrap_or_default() {
        "R01" | "R02" | "R03" | "R10" => None,
        "R07" => Some(Code::GivenKeysDisagree),
        "R09" => Some(Code::VersionConflict),
        "R11" | "R12" => Some(Code::SignatureInvalid),
        "R13" => Some(Code::AttestationMembers),
        "R14" => Some(Code::AlgorithmNotEd25519),
        "R15" => Some(Code::TimestampDiffers),
        "R17" => Some(Code::SignatureFormat),
        "R18" => Some(Code::SignatureOtherContext),
        "R19" => Some(Code::Differs),
        "R22" => Some(Code::NoCanonicalForm),
        _ => panic!("a case without an expected reason: {id}"),
    };
    let mut seen = 0;
    for entry in entries {
        let case = read(std::fs::read(entry.unwrap().path()).unwrap(), MAX_DEPTH).unwrap();
        let case = case.root();
        let id = case.get("id").unwrap().as_str().unwrap();
        let text = match case.get("receipt_raw") {
            Some(raw) => raw.as_str().unwrap(),
            None => case.get("receipt").unwrap().source(),
        };
        let card = CardKeys::read(case.get("agent_card").unwrap().source()).unwrap();
        let pinned = case.get("pinned_key").map(|key| GivenKey {
            key: PublicKey::from_base64(key.as_str().unwrap()).unwrap(),
            version: None,
        });
        let given = Given { key: pinned, card: Some((card, KeySource::CardFile)) };
        let data = case.get("request").map_or_else(DataInHand::default, |request| {
            DataInHand::of_request(&crate::request::parse(request, UnknownFields::Refuse).unwrap())
        });
        let had_data = !data.is_empty();
        let found = audit_with(text, &given, &Questions { data, ..Questions::default() });
        let valid = case.get("expect").unwrap().get("result").unwrap().as_str() == Some("valid");
        assert_eq!(found.answer() == Answer::Yes, valid, "{id}: {:?}", found.reason());
        assert_eq!(found.reason().map(|fact| fact.code), expected(id), "{id}");
        if valid && had_data {
            assert_eq!(found.verdict, Verdict::GenuineBound, "{id}");
        }
        seen += 1;
    }
    eprintln!("shared receipt cases: {seen}");
}

/// Project Wycheproof's vectors for Ed25519, where they are at hand.
#[test]
fn wycheproof() {
    let path = std::env::var_os("AOV_SUITES").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/suites"),
        std::path::PathBuf::from,
    );
    let Ok(bytes) = std::fs::read(path.join("ed25519/ed25519_test.json")) else {
        eprintln!("Wycheproof Ed25519: not here, skipped");
        return;
    };
    let suite = read(bytes, MAX_DEPTH).unwrap();
    let hex = |node: Node<'_>, name: &str| -> Vec<u8> {
        let text = node.get(name).unwrap().as_str().unwrap();
        (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
            .collect()
    };
    let (mut valid, mut invalid) = (0, 0);
    for group in suite.root().get("testGroups").unwrap().elements() {
        let key = PublicKey::from_bytes(&hex(group.get("publicKey").unwrap(), "pk"));
        for test in group.get("tests").unwrap().elements() {
            // As a receipt would bring it: in base64, so that wrong lengths are seen too.
            let signature = base64::Engine::encode(
                &base64::engine::general_purpose::STANDARD,
                hex(test, "sig"),
            );
            let accepted = key.as_ref().is_ok_and(|key| {
                Signature::from_base64(&signature)
                    .is_ok_and(|signature| key.verifies(&hex(test, "msg"), &signature))
            });
            let expected = test.get("result").unwrap().as_str() == Some("valid");
            assert_eq!(accepted, expected, "tcId {}", quoted(test.get("tcId").unwrap().source()));
            *(if expected { &mut valid } else { &mut invalid }) += 1;
        }
    }
    eprintln!("Wycheproof Ed25519: {valid} valid, {invalid} invalid");
    assert_eq!((valid, invalid), (88, 63));
}
