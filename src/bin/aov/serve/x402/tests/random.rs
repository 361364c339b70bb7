//! Whatever a facilitator answers, in whatever order things happen: nobody pays twice, nobody gets an
//! answer unpaid, and nobody who was charged is asked to pay again.

use proptest::prelude::*;
use serde_json::json;

use super::super::super::service::Answer;
use super::scripted::{Reply, TRANSACTION};
use super::wallet::Wallet;
use super::world::{World, short};

#[derive(Debug, Clone, Copy)]
enum Step {
    Buy,
    BuyOther,
    /// With another payment under the same identifier.
    BuyAgain,
    Wait(i64),
    Reconcile,
    Tidy,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Buy),
        1 => Just(Step::BuyOther),
        1 => Just(Step::BuyAgain),
        2 => (1i64..400).prop_map(Step::Wait),
        2 => Just(Step::Reconcile),
        1 => Just(Step::Tidy),
    ]
}

fn settlement() -> impl Strategy<Value = Reply> {
    let answer = |reason: &str, transaction: &str| {
        json!({ "success": false, "errorReason": reason, "transaction": transaction, "network": "eip155:8453" })
            .to_string()
    };
    let pending = answer("settlement_pending", TRANSACTION);
    prop_oneof![
        Just(Reply::Honest),
        Just(Reply::Cut),
        Just(Reply::Lost),
        Just(Reply::With(500, "boom".to_owned())),
        Just(Reply::With(200, "<html>".to_owned())),
        Just(Reply::With(200, answer("insufficient_funds", ""))),
        Just(Reply::With(200, pending.clone())),
        Just(Reply::Done(500, pending)),
        Just(Reply::Done(200, "{}".to_owned())),
    ]
}

fn verification() -> impl Strategy<Value = Reply> {
    prop_oneof![
        4 => Just(Reply::Honest),
        1 => Just(Reply::With(500, String::new())),
        1 => Just(Reply::With(200, json!({ "isValid": false, "invalidReason": "no" }).to_string())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nobody_pays_twice_and_nothing_leaves_unpaid(
        steps in prop::collection::vec(step(), 1..14),
        settlements in prop::collection::vec(settlement(), 0..8),
        verifications in prop::collection::vec(verification(), 0..4),
    ) {
        let world = World::new();
        let wallet = Wallet::new(5);
        let identified = |nonce| {
            let mut payment = world.payment(&wallet, nonce);
            payment["extensions"]["payment-identifier"]["info"]["id"] = "order-0123456789abcdef".into();
            payment
        };
        let (payment, second) = (identified(1), identified(2));
        world.facilitator.settle(settlements);
        world.facilitator.verify(verifications);
        let mut delivered = None;
        for step in steps {
            let answer = match step {
                Step::Buy => world.buy(&payment, "a"),
                Step::BuyOther => world.buy(&payment, "b"),
                Step::BuyAgain => world.buy(&second, "a"),
                Step::Wait(seconds) => {
                    world.wait(seconds);
                    continue;
                }
                Step::Reconcile => {
                    world.reconciler.run(true).unwrap();
                    continue;
                }
                Step::Tidy => {
                    world.ledger.tidy(world.now()).unwrap();
                    continue;
                }
            };
            let charges = world.facilitator.charges();
            prop_assert!(charges <= 1, "charged twice");
            match &answer {
                Answer::Served(served) => {
                    prop_assert_eq!(charges, 1, "served unpaid");
                    // One answer for one request, whoever asks for it and whenever.
                    let what = (matches!(step, Step::BuyOther), served.body.clone());
                    let first = delivered.get_or_insert_with(|| what.clone());
                    prop_assert_eq!(&*first, &what);
                }
                Answer::PaymentRequired(_) => {
                    let sent = if matches!(step, Step::BuyAgain) { &second } else { &payment };
                    let charged = world.facilitator.has_charged(sent);
                    prop_assert!(!charged, "charged, and asked to pay: {:?}", short(&answer));
                }
                Answer::Refused(_) => {}
            }
        }
    }
}
