//! What a chain says about an authorization whose settlement was lost (X402 rule 11).

use std::sync::{Arc, Mutex};

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::super::eip712::{Address, keccak};
use super::super::proof::Node;
use super::super::reconcile::Run;
use super::super::wire;
use super::scripted::{Reply, TRANSACTION};
use super::wallet::Wallet;
use super::world::{PAY_TO, World, is, start};

const USDC: &str = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

/// What happened to the nonce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum History {
    Nothing,
    Paid,
    Cancelled,
    ToSomebodyElse,
    LessThanAsked,
    /// Ours went elsewhere, and another payment to us is in the same transaction.
    BesideAnother,
    Reverted,
    OtherChain,
    Silent,
}

#[derive(Debug)]
struct Chain {
    history: Mutex<History>,
    from: Address,
    /// Seconds after the start of the newest block.
    age: Mutex<u64>,
    calls: Mutex<Vec<String>>,
}

impl Chain {
    fn new(history: History) -> Arc<Self> {
        let from = Wallet::new(5).address();
        Arc::new(Self {
            history: Mutex::new(history),
            from,
            age: Mutex::new(2),
            calls: Mutex::default(),
        })
    }
}

fn topic(event: &str) -> String {
    wire::to_hex(&keccak(event.as_bytes()))
}

fn word(address: Address) -> String {
    format!("0x{}{}", "0".repeat(24), &address.lower()[2..])
}

impl Node for Chain {
    fn call(&self, method: &str, parameters: Value) -> Result<Value, String> {
        self.calls.lock().unwrap().push(method.to_owned());
        let history = *self.history.lock().unwrap();
        let newest = u64::try_from(start().timestamp()).unwrap() + *self.age.lock().unwrap();
        match method {
            _ if history == History::Silent => Err("no answer".to_owned()),
            "eth_chainId" if history == History::OtherChain => Ok(json!("0x1")),
            "eth_chainId" => Ok(json!("0x2105")),
            "eth_getBlockByNumber" => {
                let newest_number = 0x10_0000u64;
                let number = match parameters[0].as_str().unwrap() {
                    "latest" => newest_number,
                    hex => u64::from_str_radix(&hex[2..], 16).unwrap(),
                };
                let timestamp = newest - (newest_number - number) * 2;
                Ok(
                    json!({ "number": format!("0x{number:x}"), "timestamp": format!("0x{timestamp:x}") }),
                )
            }
            "eth_getLogs" => {
                let filter = &parameters[0];
                assert_eq!(filter["address"].as_str().unwrap().to_lowercase(), USDC);
                assert_eq!(filter["topics"][1], word(self.from));
                let event = match history {
                    History::Nothing => return Ok(json!([])),
                    History::Cancelled => "AuthorizationCanceled(address,bytes32)",
                    _ => "AuthorizationUsed(address,bytes32)",
                };
                Ok(json!([{
                    "address": USDC, "transactionHash": TRANSACTION, "logIndex": "0x4",
                    "topics": [topic(event), word(self.from), filter["topics"][2]], "data": "0x",
                }]))
            }
            "eth_getTransactionReceipt" => Ok(self.receipt(history)),
            other => Err(format!("unexpected {other}")),
        }
    }
}

impl Chain {
    fn receipt(&self, history: History) -> Value {
        let pay_to = Address::parse(PAY_TO).unwrap();
        let transfer = |index: &str, to: Address, value: u32| {
            let bytes = BigUint::from(value).to_bytes_be();
            json!({
                "address": USDC, "logIndex": index,
                "topics": [topic("Transfer(address,address,uint256)"), word(self.from), word(to)],
                "data": format!("0x{:0>64}", &wire::to_hex(&bytes)[2..]),
            })
        };
        let logs = match history {
            History::ToSomebodyElse => vec![transfer("0x5", Address([9; 20]), 20_000)],
            History::LessThanAsked => vec![transfer("0x5", pay_to, 19_999)],
            History::BesideAnother => {
                vec![transfer("0x5", Address([9; 20]), 20_000), transfer("0x7", pay_to, 20_000)]
            }
            _ => vec![transfer("0x5", pay_to, 20_000)],
        };
        let status = if history == History::Reverted { "0x0" } else { "0x1" };
        json!({ "status": status, "logs": logs })
    }
}

/// Buys with a settlement that is done and lost; the chain says this.
fn lose(history: History) -> (World, Arc<Chain>, Value) {
    let chain = Chain::new(history);
    let world = World::proving(Arc::clone(&chain) as Arc<dyn Node>);
    let payment = world.payment(&Wallet::new(5), 1);
    world.facilitator.settle([Reply::Lost]);
    (world, chain, payment)
}

#[test]
fn rule_11_a_proved_payment_is_delivered_once() {
    let (world, chain, payment) = lose(History::Paid);
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
    is(&world.buy(&payment, "a"), 200, r#"{"answer":0}"#);
    assert_eq!((world.facilitator.charges(), world.counts()), (1, [0, 0, 1, 0]));
    // Proved at once: it was not even sent again.
    assert_eq!(world.facilitator.settled().len(), 1);
    let calls = chain.calls.lock().unwrap().clone();
    assert!(calls.contains(&"eth_getLogs".to_owned()), "{calls:?}");
}

#[test]
fn rule_11_a_used_nonce_alone_is_no_payment() {
    for history in [
        History::Cancelled,
        History::ToSomebodyElse,
        History::LessThanAsked,
        History::BesideAnother,
    ] {
        let (world, _, payment) = lose(history);
        let answer = world.buy(&payment, "a");
        let (status, error) = super::world::short(&answer);
        assert_eq!(status, 402, "{history:?}: {error}");
        assert_eq!(world.counts(), [0; 4], "{history:?}");
    }
}

/// The first settlement says that the nonce is used: paid by somebody who submitted it before the
/// facilitator did, or not.
#[test]
fn rule_11_a_nonce_used_before_our_settlement_is_looked_up() {
    for (history, status) in
        [(History::Paid, 200), (History::ToSomebodyElse, 402), (History::Silent, 504)]
    {
        let chain = Chain::new(history);
        let world = World::proving(chain);
        let used = json!({ "success": false, "errorReason": "invalid_exact_evm_nonce_already_used", "transaction": "", "network": "eip155:8453" });
        world.facilitator.settle([Reply::With(400, used.to_string())]);
        let answer = world.buy(&world.payment(&Wallet::new(5), 1), "a");
        assert_eq!(super::world::short(&answer).0, status, "{history:?}");
        assert_eq!(world.facilitator.settled().len(), 1);
    }
}

#[test]
fn rule_11_what_a_node_cannot_say_stays_unknown() {
    for history in [History::Silent, History::OtherChain, History::Reverted] {
        let (world, chain, payment) = lose(history);
        is(&world.buy(&payment, "a"), 504, "settlement_unknown");
        // Much later, too: nothing is forgotten on the word of such a node.
        *chain.age.lock().unwrap() = 100_000;
        world.wait(100_000);
        assert_eq!(
            world.reconciler.run(true).unwrap(),
            Run { open: 1, ..Run::default() },
            "{history:?}"
        );
        *chain.history.lock().unwrap() = History::Paid;
        assert_eq!(world.reconciler.run(true).unwrap(), Run { paid: 1, ..Run::default() });
    }
}

#[test]
fn rule_11_never_used_is_final_once_it_can_no_longer_be_used() {
    let chain = Chain::new(History::Nothing);
    let world = World::proving(Arc::clone(&chain) as Arc<dyn Node>);
    let payment = world.payment(&Wallet::new(5), 1);
    world.facilitator.settle([Reply::Cut, Reply::Cut]);
    is(&world.buy(&payment, "a"), 504, "settlement_unknown");
    // Valid for 300 s, and 600 s more for blocks that come late: by the chain's clock, not by ours.
    for (age, open) in [(300, 1), (900, 1), (901, 0)] {
        *chain.age.lock().unwrap() = age;
        // Our clock says that nothing is to be sent any more.
        world.wait(if age == 300 { 1_000 } else { 0 });
        let run = world.reconciler.run(true).unwrap();
        assert_eq!((run.open, run.not_paid), (open, 1 - open), "{age}");
    }
    assert_eq!((world.counts(), world.facilitator.charges()), ([0; 4], 0));
}
