//! Whether an authorization was used to pay us, asked of a node of the chain (X402 rule 11).
//!
//! That a nonce is used proves nothing: it may have been cancelled, or spent on somebody else. The
//! proof is the event of its use with the transfer to us right behind it.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use num_bigint::BigUint;
use serde_json::{Value, json};

use super::super::chain::Chain;
use super::eip712::{Address, keccak};
use super::facilitator::Submission;
use super::wire;
use crate::net::{Exchange, Net};

const CONNECT: Duration = Duration::from_secs(3);
const TOTAL: Duration = Duration::from_secs(10);
/// Blocks in one question; nodes refuse more than some thousands.
const WINDOW: u64 = 2_000;
/// At most this many windows: four days of Base.
const MAX_WINDOWS: u64 = 100;
/// Seconds before the payment came at which the search begins.
const EARLIER: u64 = 900;
/// Seconds after the end of validity at which "never used" is final (X402 rule 10).
const LATER: u64 = 600;

/// Answers JSON-RPC.
pub(crate) trait Node: Send + Sync + fmt::Debug {
    /// One call; its result.
    fn call(&self, method: &str, parameters: Value) -> Result<Value, String>;
}

/// One that is reached over HTTP.
pub(crate) struct HttpNode {
    net: Net,
    url: String,
}

impl fmt::Debug for HttpNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may have a key in it.
        f.write_str("HttpNode")
    }
}

impl HttpNode {
    /// At an address.
    pub(crate) fn new(net: Net, url: &str) -> Self {
        Self { net, url: url.to_owned() }
    }
}

impl Node for HttpNode {
    fn call(&self, method: &str, parameters: Value) -> Result<Value, String> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": parameters });
        let question = Exchange {
            url: &self.url,
            body: Some(&body.to_string()),
            fields: Vec::new(),
            connect: CONNECT,
            total: TOTAL,
        };
        let reply = self
            .net
            .exchange(&question)
            .map_err(|it| format!("the node does not answer ({})", it.code))?;
        let object = wire::parse(&reply.body)
            .ok_or_else(|| format!("{method}: status {} without JSON", reply.status))?;
        match (object.get("result"), object["error"]["message"].as_str()) {
            (Some(result), _) if object.get("error").is_none_or(Value::is_null) => {
                Ok(result.clone())
            }
            (_, Some(message)) => Err(format!("{method}: {}", wire::foreign(message))),
            _ => Err(format!("{method}: status {} without a result", reply.status)),
        }
    }
}

/// What the chain says about an authorization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It paid us.
    Paid {
        /// In this transaction.
        transaction: String,
    },
    /// It did not and never will.
    NotPaid {
        /// Why.
        why: &'static str,
    },
    /// It is not used, and still could be.
    Open,
}

/// What is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    chain: &'static Chain,
    asset: Address,
    from: Address,
    to: Address,
    value: BigUint,
    nonce: [u8; 32],
    /// When it came to us.
    created: u64,
    valid_before: u64,
}

impl Question {
    /// About a payment by authorization; there is no such proof for others.
    pub(crate) fn of(submission: &Submission, created: DateTime<Utc>) -> Option<Self> {
        let object: Value = serde_json::from_str(&submission.body).ok()?;
        let signed = &object["paymentPayload"]["payload"]["authorization"];
        let address = |value: &Value| Address::parse(value.as_str()?);
        Some(Self {
            chain: submission.chain,
            asset: Address::parse(submission.chain.usdc)?,
            from: address(&signed["from"])?,
            to: address(&object["paymentRequirements"]["payTo"])?,
            value: BigUint::parse_bytes(
                object["paymentRequirements"]["amount"].as_str()?.as_bytes(),
                10,
            )?,
            nonce: wire::hex_array(signed["nonce"].as_str()?)?,
            created: u64::try_from(created.timestamp()).ok()?,
            valid_before: signed["validBefore"].as_str()?.parse().ok()?,
        })
    }
}

/// Asks a node.
pub(crate) fn prove(node: &dyn Node, question: &Question) -> Result<Proof, String> {
    // A node of another chain would say "never used" about everything.
    let chain = quantity(&node.call("eth_chainId", json!([]))?).ok_or("eth_chainId: no number")?;
    if question.chain.id != format!("eip155:{chain}") {
        return Err(format!("the node is of chain {chain}"));
    }
    let latest = block(node, "latest")?;
    let first = first_block(node, question, &latest)?;
    let mut from = first;
    for _ in 0..MAX_WINDOWS {
        let to = latest.number.min(from.saturating_add(WINDOW - 1));
        if let Some(proof) = in_window(node, question, from, to)? {
            return Ok(proof);
        }
        if to == latest.number {
            let over = latest.timestamp > question.valid_before.saturating_add(LATER);
            let why = "it was not used while it was valid";
            return Ok(if over { Proof::NotPaid { why } } else { Proof::Open });
        }
        from = to + 1;
        // Nothing can have happened behind the end of validity.
        if block(node, &format!("0x{from:x}"))?.timestamp
            > question.valid_before.saturating_add(LATER)
        {
            return Ok(Proof::NotPaid { why: "it was not used while it was valid" });
        }
    }
    Err("it was too long ago to search for".to_owned())
}

struct Block {
    number: u64,
    timestamp: u64,
}

fn block(node: &dyn Node, which: &str) -> Result<Block, String> {
    let block = node.call("eth_getBlockByNumber", json!([which, false]))?;
    let number = |name: &str| quantity(&block[name]);
    match (number("number"), number("timestamp")) {
        (Some(number), Some(timestamp)) => Ok(Block { number, timestamp }),
        _ => Err("eth_getBlockByNumber: no block".to_owned()),
    }
}

/// A block from before the payment came: blocks come every two seconds on Base, but that is checked.
fn first_block(node: &dyn Node, question: &Question, latest: &Block) -> Result<u64, String> {
    let target = question.created.saturating_sub(EARLIER);
    let mut back = latest.timestamp.saturating_sub(target) / 2 + 1;
    for _ in 0..24 {
        let number = latest.number.saturating_sub(back);
        if number == 0 || block(node, &format!("0x{number:x}"))?.timestamp <= target {
            return Ok(number);
        }
        back = back.saturating_mul(2);
    }
    Err("it was too long ago to search for".to_owned())
}

fn in_window(
    node: &dyn Node,
    question: &Question,
    from: u64,
    to: u64,
) -> Result<Option<Proof>, String> {
    let used = topic("AuthorizationUsed(address,bytes32)");
    let canceled = topic("AuthorizationCanceled(address,bytes32)");
    let filter = json!({
        "address": question.asset.checksummed(),
        "fromBlock": format!("0x{from:x}"),
        "toBlock": format!("0x{to:x}"),
        "topics": [[used, canceled], word(question.from), wire::to_hex(&question.nonce)],
    });
    let logs = node.call("eth_getLogs", json!([filter]))?;
    let logs = logs.as_array().ok_or("eth_getLogs: no list")?;
    // Nodes are believed, but not to have understood the filter.
    let of_ours = |log: &&Value| {
        is_of(log, question.asset)
            && is_word(&log["topics"][1], &word(question.from))
            && is_word(&log["topics"][2], &wire::to_hex(&question.nonce))
    };
    let Some(log) = logs.iter().find(of_ours) else { return Ok(None) };
    if !is_word(&log["topics"][0], &used) {
        return Ok(Some(Proof::NotPaid { why: "the payer cancelled it" }));
    }
    let transaction =
        log["transactionHash"].as_str().filter(|it| wire::hex_array::<32>(it).is_some());
    let transaction = transaction.ok_or("eth_getLogs: no transaction")?;
    let index = quantity(&log["logIndex"]).ok_or("eth_getLogs: no index")?;
    let receipt = node.call("eth_getTransactionReceipt", json!([transaction]))?;
    if quantity(&receipt["status"]) != Some(1) {
        return Err("eth_getTransactionReceipt: the transaction did not succeed".to_owned());
    }
    let paid = receipt["logs"].as_array().into_iter().flatten().any(|log| {
        // Right behind: another payment in the same transaction proves nothing about this one.
        quantity(&log["logIndex"]) == index.checked_add(1) && pays(log, question)
    });
    Ok(Some(if paid {
        Proof::Paid { transaction: transaction.to_ascii_lowercase() }
    } else {
        Proof::NotPaid { why: "it was used for another transfer" }
    }))
}

fn pays(log: &Value, question: &Question) -> bool {
    let value = log["data"].as_str().and_then(wire::hex);
    is_of(log, question.asset)
        && is_word(&log["topics"][0], &topic("Transfer(address,address,uint256)"))
        && is_word(&log["topics"][1], &word(question.from))
        && is_word(&log["topics"][2], &word(question.to))
        && value.is_some_and(|it| it.len() == 32 && BigUint::from_bytes_be(&it) == question.value)
}

fn is_of(log: &Value, asset: Address) -> bool {
    log["address"].as_str().and_then(Address::parse) == Some(asset)
        && log["removed"].as_bool() != Some(true)
}

fn is_word(value: &Value, word: &str) -> bool {
    value.as_str().is_some_and(|it| it.eq_ignore_ascii_case(word))
}

fn topic(event: &str) -> String {
    wire::to_hex(&keccak(event.as_bytes()))
}

fn word(address: Address) -> String {
    format!("0x{:0>64}", &address.lower()[2..])
}

/// `0x…` without leading zeros.
fn quantity(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
}
