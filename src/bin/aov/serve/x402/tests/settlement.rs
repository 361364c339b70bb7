//! What a settlement came to: paid, not paid, or unknown, by the body and never by the status.

use serde_json::{Value, json};

use super::super::super::chain::Chain;
use super::super::super::service::Answer;
use super::super::reconcile::Run;
use super::super::verdict::{Settled, settled};
use super::scripted::{Reply, TRANSACTION};
use super::wallet::Wallet;
use super::world::{World, is, short};

fn answer(success: bool, reason: &str, transaction: &str) -> Value {
    let mut answer =
        json!({ "success": success, "transaction": transaction, "network": "eip155:8453" });
    if !success {
        answer["errorReason"] = reason.into();
    }
    answer
}

fn read(status: u16, body: &Value) -> Settled {
    settled(status, body.to_string().as_bytes(), Chain::of("eip155:8453").unwrap())
}

#[test]
fn rules_09_21_the_body_decides_and_not_the_status() {
    for status in [200, 202, 400, 402, 429, 500, 503] {
        let paid = read(status, &answer(true, "", TRANSACTION));
        assert!(matches!(paid, Settled::Success(_)), "{status}: {paid:?}");
        let failed = read(status, &answer(false, "insufficient_funds", ""));
        assert!(matches!(failed, Settled::Failed(_)), "{status}: {failed:?}");
        // Circle says pending with 200, CDP with 500.
        for reason in ["settlement_pending", "settle_exact_evm_transaction_confirmation_timed_out"]
        {
            let pending = read(status, &answer(false, reason, TRANSACTION));
            let transaction = Some(TRANSACTION.to_owned());
            assert!(
                matches!(&pending, Settled::Unknown { transaction: it, .. } if *it == transaction)
            );
            assert!(matches!(read(status, &answer(false, reason, "")), Settled::Unknown { .. }));
        }
        // A transaction that perhaps went through is no failure, whatever it is called.
        let perhaps = read(status, &answer(false, "something_new", TRANSACTION));
        assert!(matches!(perhaps, Settled::Unknown { .. }));
        for body in ["", "<html>", "[]", "{}", "null", r#"{"success":"true"}"#, r#"{"success":1}"#]
        {
            let read = settled(status, body.as_bytes(), Chain::of("eip155:8453").unwrap());
            assert!(matches!(read, Settled::Unknown { .. }), "{status} {body}: {read:?}");
        }
    }
}

#[test]
fn rule_17_a_success_must_be_of_our_network_with_a_transaction() {
    for (network, transaction) in [
        (json!("eip155:84532"), TRANSACTION),
        (json!(null), TRANSACTION),
        (json!("eip155:8453"), ""),
        (json!("eip155:8453"), "0x12"),
        (json!("eip155:8453"), "<script>"),
    ] {
        let mut body = answer(true, "", transaction);
        body["network"] = network;
        assert!(matches!(read(200, &body), Settled::Unknown { .. }), "{body}");
    }
    let mut body = answer(true, "", TRANSACTION);
    body["payer"] = "0xabc\r\nSet-Cookie: x".into();
    body["errorMessage"] = "x".repeat(5000).into();
    body["extra"] = json!({ "anything": "x" });
    let Settled::Success(response) = read(200, &body) else { panic!("not a success") };
    assert_eq!(response["payer"], "0xabcSet-Cookie: x");
    assert_eq!(response["errorMessage"].as_str().unwrap().chars().count(), 200);
    assert_eq!(response.get("extra"), None);
}

/// Every answer that leaves the end open: 504, never an offer to pay again, and no answer.
#[test]
fn rules_09_10_an_open_end_is_unknown_and_sent_once_more() {
    for reply in [
        Reply::With(500, "boom".to_owned()),
        Reply::With(200, "<html>oops</html>".to_owned()),
        Reply::With(200, answer(false, "settlement_pending", TRANSACTION).to_string()),
        Reply::Cut,
        Reply::Hang,
    ] {
        let world = World::new();
        let payment = world.payment(&Wallet::new(5), 1);
        world.facilitator.settle([reply.clone(), reply]);
        let answer = world.buy(&payment, "a");
        let Answer::Refused(problem) = &answer else { panic!("{answer:?}") };
        assert_eq!((problem.status, problem.code), (504, "settlement_unknown"));
        assert_eq!((problem.charged, problem.retry_after.is_some()), (None, true));
        let body = problem.body().to_string();
        assert!(
            !body.contains("accepts") && !body.contains("x402Version") && !body.contains("answer")
        );
        // The identical payload, once more and no more.
        let sent = world.facilitator.settled();
        assert_eq!((sent.len(), sent[0] == sent[1]), (2, true));
        assert_eq!(world.counts(), [0, 0, 0, 1]);
        // Whoever comes back is not charged anew and causes no third sending.
        is(&world.buy(&payment, "a"), 504, "settlement_unknown");
        is(&world.buy(&payment, "b"), 409, "payment_already_used");
        assert_eq!(world.facilitator.settled().len(), 2);
        // In the background it is settled, once; then the answer of before is theirs.
        world.facilitator.stop_hanging();
        assert_eq!(world.reconciler.run(false).unwrap(), Run { open: 1, ..Run::default() });
        world.wait(60);
        let run = world.reconciler.run(false).unwrap();
        assert_eq!(run, Run { paid: 1, ..Run::default() });
        is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
        assert_eq!((world.facilitator.charges(), world.worked()), (1, 1));
    }
}

#[test]
fn a_second_sending_that_succeeds_delivers() {
    for reply in [Reply::Cut, Reply::With(503, String::new())] {
        let world = World::new();
        world.facilitator.settle([reply]);
        is(&world.buy(&world.payment(&Wallet::new(5), 1), "a"), 200, r#"{"answer":0}"#);
        assert_eq!((world.facilitator.settled().len(), world.facilitator.charges()), (2, 1));
    }
}

/// Without a node the used nonce of a lost answer proves nothing: no result, no second charge.
#[test]
fn rule_11_without_a_node_it_stays_unknown() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    world.facilitator.settle([Reply::Lost]);
    is(&world.buy(&payment, "a"), 504, "settlement_unknown");
    for _ in 0..3 {
        world.wait(60);
        assert_eq!(world.reconciler.run(false).unwrap(), Run { open: 1, ..Run::default() });
        is(&world.buy(&payment, "a"), 504, "settlement_unknown");
    }
    assert_eq!((world.facilitator.charges(), world.counts()), (1, [0, 0, 0, 1]));
    let lines = world.lines.lock().unwrap().join("\n");
    assert!(lines.contains("not known whether paid"), "{lines}");
    // Ten minutes past its validity it is asked about by hand only (rule 10).
    let sent = world.facilitator.settled().len();
    world.wait(20 * 60);
    assert_eq!(world.reconciler.run(false).unwrap().open, 1);
    assert_eq!(world.facilitator.settled().len(), sent);
}

/// A failure of the second sending says nothing about the first.
#[test]
fn a_failure_after_an_open_end_is_not_believed() {
    let world = World::new();
    let payment = world.payment(&Wallet::new(5), 1);
    let failure = answer(false, "insufficient_funds", "").to_string();
    world.facilitator.settle([Reply::Cut, Reply::With(200, failure)]);
    is(&world.buy(&payment, "a"), 504, "settlement_unknown");
    assert_eq!(world.counts(), [0, 0, 0, 1]);
}

/// Verify falls back to the next facilitator; settle never does.
#[test]
fn only_verify_falls_back() {
    use std::sync::Arc;
    use std::time::Duration;

    use super::super::facilitator::{Facilitator, HttpFacilitator, Patience};
    use super::super::gate::{PaymentGate, Seller};
    use super::super::reconcile::Reconciler;
    use super::super::supported::{Network, Networks};
    use super::scripted::Scripted;
    use super::world::{LIMITS, PAY_TO, start};
    use crate::net::Net;

    let (first, second) = (Scripted::start(), Scripted::start());
    let mut world = World::new();
    let patience = Patience {
        connect: Duration::from_secs(2),
        verify: Duration::from_millis(400),
        settle: Duration::from_millis(400),
    };
    let http = |it: &Scripted| -> Arc<dyn Facilitator> {
        Arc::new(HttpFacilitator::new(Net::system(), &it.url(), None, patience))
    };
    let networks = Networks::new(vec![Network {
        chain: Chain::of("eip155:8453").unwrap(),
        pay_to: PAY_TO.to_owned(),
        facilitators: vec![http(&first), http(&second)],
        node: None,
    }]);
    assert!(networks.refresh(start()).is_empty());
    let reconciler = Reconciler { networks: Arc::new(networks), ..world.reconciler.clone() };
    let seller = Seller { public_url: "https://verifier.example".into(), service: "aov".into() };
    world.gate = Arc::new(PaymentGate::new(seller, LIMITS, reconciler));
    first.verify([Reply::With(500, String::new())]);
    is(&world.buy(&world.payment(&Wallet::new(5), 1), "a"), 200, r#"{"answer":0}"#);
    assert_eq!((first.verified().len(), second.verified().len()), (1, 1));
    assert_eq!((first.settled().len(), second.settled().len()), (0, 1));
    // A verdict is a verdict: nobody else is asked.
    first
        .verify([Reply::With(200, json!({ "isValid": false, "invalidReason": "no" }).to_string())]);
    is(&world.buy(&world.payment(&Wallet::new(5), 2), "a"), 402, "no");
    assert_eq!(second.verified().len(), 1);
    first.settle([Reply::Cut, Reply::Cut]);
    let (status, _) = short(&world.buy(&world.payment(&Wallet::new(5), 3), "a"));
    assert_eq!((status, first.settled().len(), second.settled().len()), (504, 2, 1));
}
