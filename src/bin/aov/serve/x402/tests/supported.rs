//! What is offered follows what facilitators say (X402 §4.3).

use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};

use super::super::super::chain::Chain;
use super::super::super::money::MicroUsd;
use super::super::facilitator::{Facilitator, Kind, Submission};
use super::super::matching;
use super::super::supported::{Network, Networks};
use super::super::verdict::{Settled, Verified};
use super::world::{PAY_TO, PAY_TO_SOLANA, start};

const SOLANA: &str = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";

#[derive(Debug, Default)]
struct Says(Mutex<Option<Vec<Kind>>>);

impl Says {
    fn serves(&self, kinds: &[(&str, Option<&str>)]) {
        let kind = |(network, fee_payer): &(&str, Option<&str>)| Kind {
            network: (*network).to_owned(),
            fee_payer: fee_payer.map(str::to_owned),
        };
        *self.0.lock().unwrap() = Some(kinds.iter().map(kind).collect());
    }

    fn is_silent(&self) {
        *self.0.lock().unwrap() = None;
    }
}

impl Facilitator for Says {
    fn name(&self) -> &str {
        "says"
    }

    fn verify(&self, _: &Submission, _: DateTime<Utc>) -> Verified {
        unreachable!("nothing is sold here")
    }

    fn settle(&self, _: &Submission, _: DateTime<Utc>) -> Settled {
        unreachable!("nothing is sold here")
    }

    fn supported(&self, _: DateTime<Utc>) -> Result<Vec<Kind>, String> {
        self.0.lock().unwrap().clone().ok_or_else(|| "silence".to_owned())
    }
}

fn world() -> (Arc<Says>, Networks) {
    let says = Arc::<Says>::default();
    let network = |id: &str, pay_to: &str| Network {
        chain: Chain::of(id).unwrap(),
        pay_to: pay_to.to_owned(),
        facilitators: vec![Arc::clone(&says) as Arc<dyn Facilitator>],
        node: None,
    };
    let networks = vec![network("eip155:8453", PAY_TO), network(SOLANA, PAY_TO_SOLANA)];
    (says, Networks::new(networks))
}

fn offered(networks: &Networks) -> Vec<&'static str> {
    networks.offers(MicroUsd(20_000)).iter().map(|it| it.requirements.chain.id).collect()
}

#[test]
fn only_what_is_served_is_offered_and_a_good_answer_outlives_bad_ones() {
    let (says, networks) = world();
    assert_eq!(networks.refresh(start()).len(), 2);
    assert_eq!(offered(&networks), Vec::<&str>::new());
    says.serves(&[("eip155:8453", None), ("eip155:1", None)]);
    assert_eq!(networks.refresh(start()).len(), 1);
    assert_eq!(offered(&networks), ["eip155:8453"]);
    says.is_silent();
    networks.refresh(start());
    assert_eq!(offered(&networks), ["eip155:8453"]);
    // It says itself that it no longer serves it.
    says.serves(&[(SOLANA, Some("A"))]);
    networks.refresh(start());
    assert_eq!(offered(&networks), [SOLANA]);
}

#[test]
fn rule_22_our_own_wallet_is_no_fee_payer() {
    let (says, networks) = world();
    for fee_payer in [Some(PAY_TO_SOLANA), None] {
        says.serves(&[(SOLANA, fee_payer)]);
        assert_eq!(networks.refresh(start()).len(), 2);
        assert_eq!(offered(&networks), Vec::<&str>::new());
    }
}

/// The facilitator names another of its fee payers each time; a client may have any of them.
#[test]
fn fee_payers_that_were_offered_are_taken() {
    let (says, networks) = world();
    let mut old = None;
    for fee_payer in ["A", "B", "C"] {
        says.serves(&[(SOLANA, Some(fee_payer))]);
        networks.refresh(start());
        let offers = networks.offers(MicroUsd(20_000));
        assert_eq!(offers[0].requirements.fee_payer.as_deref(), Some(fee_payer));
        old.get_or_insert(offers[0].requirements.to_json());
    }
    let offers = networks.offers(MicroUsd(20_000));
    let mut accepted = old.unwrap();
    let matched = matching::find(&accepted, &offers).unwrap();
    // What goes on is ours, with the fee payer that the transaction is for.
    assert_eq!(matched.to_json(), accepted);
    assert_eq!(networks.facilitators(&matched).len(), 1);
    accepted["extra"]["feePayer"] = "D".into();
    assert!(matching::find(&accepted, &offers).is_none());
}
