//! Who is charged, how often, and what they get.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::super::counter::Offer;
use super::super::super::problem::Problem;
use super::super::super::service::{Answer, Payment};
use super::super::reconcile::short as short_key;
use super::super::{key, wire};
use super::scripted::{FEE_PAYER, Reply, Scripted, TRANSACTION};
use super::wallet::{self, Wallet};
use super::world::{LIMITS, World, is, short};
use crate::ledger::{Ledger, PaymentLimits, Sqlite};

#[test]
fn a_payment_buys_one_answer() {
    let world = World::new();
    let answer = world.buy(&world.payment(&Wallet::new(5), 1), "a");
    let Answer::Served(served) = &answer else { panic!("{answer:?}") };
    assert_eq!(served.body, r#"{"answer":0}"#);
    let settlement = served.settlement.as_ref().unwrap();
    assert_eq!(
        (&settlement["success"], &settlement["transaction"]),
        (&json!(true), &json!(TRANSACTION))
    );
    assert_eq!((world.counts(), world.facilitator.charges()), ([0, 0, 1, 0], 1));
}

/// Eight at once: one charge, one answer. Each ledger is of a server of its own.
fn use_at_once(ledgers: &[Arc<dyn Ledger>]) {
    let facilitator = Scripted::start();
    let with =
        |it: &Arc<dyn Ledger>| World::with(Arc::clone(it), facilitator.clone(), None, LIMITS);
    let worlds: Vec<_> = ledgers.iter().map(with).collect();
    let payment = worlds[0].payment(&Wallet::new(5), 1);
    let mut answers: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|at| (&worlds[at % worlds.len()], &payment))
            .map(|(world, payment)| scope.spawn(move || short(&world.buy(payment, "a"))))
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    answers.sort();
    answers.dedup();
    let served: Vec<_> = answers.iter().filter(|(status, _)| *status == 200).collect();
    assert_eq!(served.len(), 1, "{answers:?}");
    assert!(
        answers.iter().all(|(status, code)| *status == 200 || code == "payment_in_progress"),
        "{answers:?}"
    );
    let (verified, settled) = (facilitator.verified().len(), facilitator.settled().len());
    assert_eq!((verified, settled, facilitator.charges()), (1, 1, 1));
    // On whichever server, it is theirs again.
    for world in &worlds {
        assert_eq!(&short(&world.buy(&payment, "a")), served[0]);
        is(&world.buy(&payment, "b"), 409, "payment_already_used");
    }
}

#[test]
fn rule_04_parallel_uses_charge_once() {
    use_at_once(&[Arc::new(Sqlite::in_memory())]);
    let folder = tempfile::tempdir().unwrap();
    let open = || Arc::new(Sqlite::open(&folder.path().join("ledger")).unwrap()) as Arc<dyn Ledger>;
    use_at_once(&[open(), open()]);
}

#[test]
fn rule_04_holds_between_servers_on_one_postgresql() {
    use crate::ledger::open::{Location, NamedBy};
    let Some(server) = crate::ledger::tests::server::Server::start() else { return };
    let url = server.database("payments");
    let open = || Location::named(url.as_ref(), NamedBy::Setting).unwrap().open().unwrap();
    use_at_once(&[open(), open()]);
}

#[test]
fn rule_05_a_payment_is_known_by_its_content() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
    // Other text, same payment: spaces, another order, another case of the address, no padding.
    let spaced = STANDARD.encode(serde_json::to_string_pretty(&payment).unwrap());
    let mut cased = payment.clone();
    let from = cased["payload"]["authorization"]["from"].as_str().unwrap().to_lowercase();
    cased["payload"]["authorization"]["from"] = from.into();
    let nonce = cased["payload"]["authorization"]["nonce"].as_str().unwrap()[2..].to_uppercase();
    cased["payload"]["authorization"]["nonce"] = format!("0x{nonce}").into();
    let unpadded = wire::encode(&payment).trim_end_matches('=').to_owned();
    for text in [&spaced, &wire::encode(&cased), &unpadded] {
        is(&world.buy_at("/verify/schema", &[text], "a"), 200, r#"{"answer":0}"#);
    }
    assert_eq!((world.facilitator.charges(), world.worked()), (1, 1));
}

/// Two signers, one transfer; no more than that is looked at.
fn transaction(first_signature: u8, payer: u8) -> Vec<u8> {
    let mut bytes = vec![2];
    bytes.extend([first_signature; 64]);
    bytes.extend([9; 64]);
    bytes.extend([0x80, 2, 1, 1, 3]);
    bytes.extend(bs58::decode(FEE_PAYER).into_vec().unwrap());
    bytes.extend([payer; 32]);
    bytes.extend([8; 32]);
    bytes.extend([4; 40]);
    bytes
}

fn solana(world: &World, bytes: &[u8]) -> Value {
    let required = world.required();
    let payload = json!({ "transaction": STANDARD.encode(bytes) });
    wallet::payment(&required, &required["accepts"][1], payload)
}

#[test]
fn rule_05_solana_payments_are_known_by_their_message() {
    let world = World::new();
    is(&world.buy(&solana(&world, &transaction(0, 7)), "a"), 200, r#"{"answer":0}"#);
    // The fee payer's empty signature is anybody's to write into.
    is(&world.buy(&solana(&world, &transaction(1, 7)), "a"), 200, r#"{"answer":0}"#);
    is(&world.buy(&solana(&world, &transaction(1, 7)), "b"), 409, "payment_already_used");
    assert_eq!(world.facilitator.charges(), 1);
    let record = &world.ledger.payments(None, 9).unwrap()[0];
    assert_eq!(record.payer, bs58::encode([7; 32]).into_string());
    // Another message is another payment.
    is(&world.buy(&solana(&world, &transaction(0, 6)), "a"), 200, r#"{"answer":1}"#);
    assert_eq!(world.facilitator.charges(), 2);
}

#[test]
fn solana_transactions_that_are_none_are_refused() {
    let world = World::new();
    let good = transaction(0, 7);
    let mut one_signature = good.clone();
    one_signature[0] = 1;
    let mut legacy = good.clone();
    legacy[129] = 1;
    let mut long = good.clone();
    long.resize(1233, 0);
    for bad in [&one_signature, &legacy, &long, &good[..140].to_vec(), &Vec::new()] {
        is(&world.buy(&solana(&world, bad), "a"), 400, "invalid_payload");
    }
    // A fee payer that is not the accepted one, and an accepted one that is not ours.
    let mut other = good.clone();
    other[134] ^= 1;
    is(&world.buy(&solana(&world, &other), "a"), 402, "No matching payment requirements");
    let mut foreign = solana(&world, &good);
    foreign["accepted"]["extra"]["feePayer"] = bs58::encode([1; 32]).into_string().into();
    is(&world.buy(&foreign, "a"), 402, "No matching payment requirements");
    // A recent blockhash of the client's own is nobody's business.
    let mut hash = solana(&world, &good);
    hash["accepted"]["extra"]["recentBlockhash"] = "x".into();
    is(&world.buy(&hash, "a"), 200, r#"{"answer":0}"#);
}

#[test]
fn rule_06_a_payment_is_for_one_request() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
    is(&world.buy(&payment, "b"), 409, "payment_already_used");
    // A route of the same price; the echo of the resource is left out, as clients may.
    let mut bare = payment.clone();
    bare.as_object_mut().unwrap().remove("resource");
    let other_route = world.buy_at("/verify/deliverable", &[&wire::encode(&bare)], "a");
    is(&other_route, 409, "payment_already_used");
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
    assert_eq!((world.facilitator.charges(), world.worked()), (1, 1));
}

#[test]
fn rule_07_no_answer_without_a_settlement() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    let failure = json!({ "success": false, "errorReason": "insufficient_funds", "transaction": "", "network": "eip155:8453" });
    world.facilitator.settle([Reply::With(200, failure.to_string())]);
    let answer = world.buy(&payment, "a");
    let Answer::PaymentRequired(required) = &answer else { panic!("{answer:?}") };
    assert_eq!(required.required["error"], "insufficient_funds");
    assert_eq!(required.settlement.as_ref().unwrap()["success"], false);
    assert!(!format!("{answer:?}").contains("answer\\\":0"));
    // A failed attempt does not burn the payment.
    assert_eq!(world.counts(), [0; 4]);
    is(&world.buy(&payment, "a"), 200, r#"{"answer":1}"#);
}

#[test]
fn rule_08_work_that_failed_is_not_settled() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    let encoded = wire::encode(&payment);
    let fields = Payment::Header(vec![&encoded]);
    let mut fails = || Err(Problem::new("internal_error", 500, "x"));
    is(&world.buy_working("/verify/schema", fields, "a", &mut fails), 500, "internal_error");
    assert_eq!((world.facilitator.settled().len(), world.counts()), (0, [0; 4]));
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
}

/// Whoever was so slow that another took the payment over does not settle it.
#[test]
fn rule_04_a_claim_that_was_taken_over_is_not_settled() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    let encoded = wire::encode(&payment);
    let mut slow = || {
        world.wait(121);
        is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
        Ok("{}".to_owned())
    };
    let fields = Payment::Header(vec![&encoded]);
    let late = world.buy_working("/verify/schema", fields, "a", &mut slow);
    is(&late, 409, "payment_in_progress");
    assert_eq!((world.facilitator.settled().len(), world.counts()), (1, [0, 0, 1, 0]));
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
}

/// Work that took so long that the settlement might come too late.
#[test]
fn rule_15_a_settlement_is_not_begun_at_the_last_moment() {
    let world = World::new();
    let payment = wire::encode(&world.payment(&Wallet::new(5), 1));
    let mut slow = || {
        world.wait(295);
        Ok("{}".to_owned())
    };
    let fields = Payment::Header(vec![&payment]);
    let (status, error) = short(&world.buy_working("/verify/schema", fields, "a", &mut slow));
    assert_eq!((status, error.ends_with("valid_before")), (402, true), "{error}");
    assert_eq!((world.facilitator.settled().len(), world.counts()), (0, [0; 4]));
}

#[test]
fn a_payment_that_verify_refuses_leaves_nothing_behind() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    let body = json!({ "isValid": false, "invalidReason": "insufficient\u{1b}[31m_funds" });
    world.facilitator.verify([Reply::With(400, body.to_string())]);
    is(&world.buy(&payment, "a"), 402, "insufficient[31m_funds");
    assert_eq!((world.counts(), world.worked()), ([0; 4], 0));
    for reply in [
        Reply::With(500, "boom".to_owned()),
        Reply::With(200, "<html>oops</html>".to_owned()),
        Reply::With(200, "{}".to_owned()),
        Reply::With(200, r#"{"isValid":"true"}"#.to_owned()),
        Reply::With(429, "{}".to_owned()),
        Reply::With(302, String::new()),
        Reply::Cut,
        Reply::Hang,
    ] {
        world.facilitator.verify([reply]);
        is(&world.buy(&payment, "a"), 503, "facilitator_unavailable");
    }
    world.facilitator.stop_hanging();
    assert_eq!((world.counts(), world.worked(), world.facilitator.settled().len()), ([0; 4], 0, 0));
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
}

#[test]
fn rule_13_a_settled_payment_is_answered_for_a_day_and_never_charged_again() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
    // The signed time has passed for whoever comes back; what was bought is still theirs.
    for _ in 0..2 {
        world.wait(12 * 3600 - 60);
        world.ledger.tidy(world.now()).unwrap();
        is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
        is(&world.buy(&payment, "b"), 409, "payment_already_used");
    }
    world.wait(2 * 3600);
    world.ledger.tidy(world.now()).unwrap();
    is(&world.buy(&payment, "a"), 409, "payment_already_used");
    assert_eq!((world.facilitator.charges(), world.counts()), (1, [0, 0, 1, 0]));
}

#[test]
fn rules_13_16_open_payments_are_bounded_and_never_evicted() {
    let limits = PaymentLimits { open: 3, open_per_payer: 2 };
    let world = World::with(Arc::new(Sqlite::in_memory()), Scripted::start(), None, limits);
    world.facilitator.settle((0..4).map(|_| Reply::With(500, String::new())));
    for nonce in [1, 2] {
        let payment = world.payment(&Wallet::new(5), nonce);
        is(&world.buy(&payment, "a"), 504, "settlement_unknown");
    }
    is(&world.buy(&world.payment(&Wallet::new(5), 3), "a"), 503, "too_many_open_payments");
    let other = Wallet::new(6);
    is(&world.buy(&world.payment(&other, 1), "a"), 200, r#"{"answer":2}"#);
    assert_eq!(world.counts(), [0, 0, 1, 2]);
    // Those that can no longer be charged stay, and are in nobody's way.
    world.wait(301);
    is(&world.buy(&world.payment(&Wallet::new(5), 3), "a"), 200, r#"{"answer":3}"#);
    assert_eq!(world.counts(), [0, 0, 2, 2]);
}

fn with_identifier(world: &World, wallet: &Wallet, nonce: u8, id: &str) -> Value {
    let mut payment = world.payment(wallet, nonce);
    payment["extensions"]["payment-identifier"]["info"]["id"] = id.into();
    payment
}

#[test]
fn rule_20_an_identifier_is_its_payers_own() {
    let world = World::new();
    let (one, other) = (Wallet::new(5), Wallet::new(6));
    let id = "order-0123456789abcdef";
    is(&world.buy(&with_identifier(&world, &one, 1, id), "a"), 200, r#"{"answer":0}"#);
    // A second payment with the same identifier for the same request is not settled.
    is(&world.buy(&with_identifier(&world, &one, 2, id), "a"), 200, r#"{"answer":0}"#);
    assert_eq!(world.facilitator.charges(), 1);
    is(&world.buy(&with_identifier(&world, &one, 3, id), "b"), 409, "payment_already_used");
    // Somebody else's identifier of the same name is another.
    is(&world.buy(&with_identifier(&world, &other, 1, id), "a"), 200, r#"{"answer":1}"#);
    assert_eq!((world.facilitator.charges(), world.counts()), (2, [0, 0, 2, 0]));
    for bad in ["short", "has spaces in its middle", &"x".repeat(129), ""] {
        let payment = with_identifier(&world, &one, 9, bad);
        is(&world.buy(&payment, "a"), 400, "invalid_payment_identifier");
    }
}

/// X402 §5.2: nobody can occupy an identifier with a payment that is not good.
#[test]
fn an_identifier_is_not_taken_by_a_payment_that_is_refused() {
    let world = World::new();
    let id = "order-0123456789abcdef";
    let refused = json!({ "isValid": false, "invalidReason": "insufficient_funds" });
    world.facilitator.verify([Reply::With(200, refused.to_string())]);
    let wallet = Wallet::new(5);
    is(&world.buy(&with_identifier(&world, &wallet, 1, id), "a"), 402, "insufficient_funds");
    is(&world.buy(&with_identifier(&world, &wallet, 2, id), "b"), 200, r#"{"answer":0}"#);
}

/// The price has changed, or the server was started anew and its facilitator is silent or names another
/// fee payer: what was paid before is still theirs, and nobody is asked to pay for it again.
#[test]
fn rule_20_what_was_paid_is_theirs_whatever_is_offered_now() {
    use super::super::super::counter::Gate as _;
    use super::super::super::money::MicroUsd;
    use super::super::super::service::{Call, Question, Resource};
    use agent_output_verifier::receipt::hashes::Sha256Hex;

    let mut world = World::new();
    let on_base = world.payment(&Wallet::new(5), 1);
    let on_solana = solana(&world, &transaction(0, 7));
    is(&world.buy(&on_base, "a"), 200, r#"{"answer":0}"#);
    is(&world.buy(&on_solana, "a"), 200, r#"{"answer":1}"#);
    let ask = |world: &World, payment: &Value, body: &str| {
        let (field, path) = (wire::encode(payment), "/verify/schema");
        let call = Call {
            question: Question::Verify(body.as_bytes()),
            client: [127, 0, 0, 1].into(),
            payment: Some(Payment::Header(vec![&field])),
            fingerprint: Sha256Hex::of(format!("POST|{path}|{body}").as_bytes()),
            resource: Resource::Rest { method: "POST", path },
        };
        let dearer = Offer { price: MicroUsd(30_000), ..super::world::offer(path) };
        short(&world.gate.pay(&call, &dearer, &mut || panic!("there is nothing to do")))
    };
    let served = |answer: &str| (200, answer.to_owned());
    for silent in [false, true] {
        if silent {
            world.gate = Arc::new(super::super::gate::PaymentGate::new(
                super::super::gate::Seller {
                    public_url: "https://x".into(),
                    service: "aov".into(),
                },
                LIMITS,
                super::super::reconcile::Reconciler {
                    networks: Arc::new(super::super::supported::Networks::new(Vec::new())),
                    ..world.reconciler.clone()
                },
            ));
        }
        assert_eq!(ask(&world, &on_base, "a"), served(r#"{"answer":0}"#));
        assert_eq!(ask(&world, &on_solana, "a"), served(r#"{"answer":1}"#));
        assert_eq!(ask(&world, &on_base, "b").1, "payment_already_used");
        // An echo of what another version said.
        let mut old = on_base.clone();
        old["extensions"]["bazaar"]["info"]["output"] = json!({});
        old["resource"]["url"] = "https://before.example/verify/schema".into();
        assert_eq!(ask(&world, &old, "a"), served(r#"{"answer":0}"#));
        // Whoever only knows the nonce has nothing to come back for.
        let mut forged = on_base.clone();
        forged["payload"]["signature"] = format!("0x{}1b", "11".repeat(64)).into();
        let (status, _) = ask(&world, &forged, "a");
        assert!(status == 402 || status == 503, "{status}");
    }
    assert_eq!(world.facilitator.charges(), 2);
}

/// No line has anything in it that could be submitted, nor a signature, nor a header.
#[test]
fn rule_18_logs_hold_no_payment() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    world.facilitator.settle([Reply::Cut, Reply::With(500, payment.to_string())]);
    world
        .facilitator
        .verify([Reply::With(400, json!({ "isValid": false, "invalidReason": "no" }).to_string())]);
    for _ in 0..3 {
        world.buy(&payment, "a");
    }
    let lines = world.lines.lock().unwrap().join("\n");
    assert!(lines.contains("refused by") && lines.contains("not known whether paid"), "{lines}");
    let signature = payment["payload"]["signature"].as_str().unwrap();
    let nonce = payment["payload"]["authorization"]["nonce"].as_str().unwrap();
    let encoded = wire::encode(&payment);
    for secret in [&signature[2..40], &nonce[2..], &encoded[..40]] {
        assert!(!lines.contains(secret), "{lines}");
    }
    let record = &world.ledger.payments(None, 1).unwrap()[0];
    assert!(lines.contains(&short_key(&record.key)));
    for shown in [format!("{record:?}"), format!("{:?}", world.gate)] {
        assert!(!shown.contains(&signature[2..40]), "{shown}");
    }
}

#[test]
fn over_mcp_a_payment_is_an_object_or_the_text_of_one() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    let mut work = || Ok("{}".to_owned());
    let mut buy = |value: &Value| {
        short(&world.buy_working("/verify/schema", Payment::Meta(value), "a", &mut work))
    };
    assert_eq!(buy(&json!(7)).0, 400);
    assert_eq!(buy(&json!([])).0, 400);
    assert_eq!(buy(&payment).0, 200);
    assert_eq!(buy(&payment.to_string().into()).0, 200);
    assert_eq!(world.facilitator.charges(), 1);
}

/// X402 §4.3: nothing to offer is 503, not a 402 with an empty list.
#[test]
fn without_a_facilitator_there_is_nothing_to_pay() {
    use super::super::super::counter::Gate as _;
    let world = World::new();
    let empty = super::super::supported::Networks::new(Vec::new());
    let reconciler =
        super::super::reconcile::Reconciler { networks: Arc::new(empty), ..world.reconciler };
    let seller =
        super::super::gate::Seller { public_url: "https://x".into(), service: "aov".into() };
    let gate = super::super::gate::PaymentGate::new(seller, LIMITS, reconciler);
    let problem = gate.required(&super::world::offer("/verify/schema"), "x").unwrap_err();
    assert_eq!((problem.status, problem.charged), (503, Some(false)));
}

#[test]
fn keys_are_in_lower_case() {
    let chain = super::super::super::chain::Chain::of("eip155:8453").unwrap();
    let required = World::new().required();
    let authorization =
        Wallet::new(5).authorization(&required["accepts"][0], 0xAB, super::world::start());
    let key = key::of_authorization(chain, &authorization).0;
    assert_eq!(key, key.to_lowercase());
    assert_eq!(key.split('|').count(), 4);
}

/// Probes are answered from memory: no count is kept of them, and none is refused.
#[test]
fn rule_25_probes_always_get_their_402() {
    let world = World::new();
    let first = world.required();
    for _ in 0..500 {
        assert_eq!(world.required(), first);
    }
    assert_eq!((world.facilitator.verified().len(), world.counts()), (0, [0; 4]));
}
