//! A facilitator on loopback that answers as it is told and counts what it is asked. It keeps the
//! one rule of a chain: a nonce is spent once.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// How one question is answered.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// As a good facilitator would.
    Honest,
    /// With this status and body, and nothing happens.
    With(u16, String),
    /// The connection ends without an answer, and nothing happens.
    Cut,
    /// Nothing is said for longer than anybody waits.
    Hang,
    /// It happens, and the answer is lost.
    Lost,
    /// It happens, and this is said.
    Done(u16, String),
}

#[derive(Debug, Default)]
struct State {
    verify: VecDeque<Reply>,
    settle: VecDeque<Reply>,
    /// Every body that came, by path.
    verified: Vec<Value>,
    settled: Vec<Value>,
    /// Nonces, or transactions, that were spent.
    spent: BTreeSet<String>,
    stopped: bool,
}

/// The facilitator.
#[derive(Debug, Clone)]
pub(crate) struct Scripted {
    pub(crate) address: SocketAddr,
    state: Arc<(Mutex<State>, Condvar)>,
    kinds: Value,
}

pub(crate) const FEE_PAYER: &str = "5xoBq7f7CDgZwqHrDBdRWM84ExRetg4gZq93dyJtoSwp";
pub(crate) const TRANSACTION: &str =
    "0x1111111111111111111111111111111111111111111111111111111111111111";

impl Scripted {
    /// Starts one that serves Base and Solana.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let kinds = json!({ "kinds": [
            { "x402Version": 2, "scheme": "exact", "network": "eip155:8453" },
            { "x402Version": 2, "scheme": "exact", "network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
              "extra": { "feePayer": FEE_PAYER } },
            { "x402Version": 1, "scheme": "exact", "network": "base" },
            { "x402Version": 2, "scheme": "upto", "network": "eip155:84532" },
        ] });
        let this = Self { address, state: Arc::default(), kinds };
        let server = this.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let server = server.clone();
                std::thread::spawn(move || server.answer(stream.unwrap()));
            }
        });
        this
    }

    /// Another process's.
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self { address, state: Arc::default(), kinds: Value::Null }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The next answers to `/verify`; honest ones behind them.
    pub(crate) fn verify(&self, replies: impl IntoIterator<Item = Reply>) {
        self.state.0.lock().unwrap().verify = replies.into_iter().collect();
    }

    /// The next answers to `/settle`; honest ones behind them.
    pub(crate) fn settle(&self, replies: impl IntoIterator<Item = Reply>) {
        self.state.0.lock().unwrap().settle = replies.into_iter().collect();
    }

    /// What was asked of `/verify`.
    pub(crate) fn verified(&self) -> Vec<Value> {
        self.state.0.lock().unwrap().verified.clone()
    }

    /// What was asked of `/settle`.
    pub(crate) fn settled(&self) -> Vec<Value> {
        self.state.0.lock().unwrap().settled.clone()
    }

    /// How many payments went through.
    pub(crate) fn charges(&self) -> usize {
        self.state.0.lock().unwrap().spent.len()
    }

    /// Whether this payment went through.
    pub(crate) fn has_charged(&self, payment: &Value) -> bool {
        let identity = identity(&json!({ "paymentPayload": payment }));
        self.state.0.lock().unwrap().spent.contains(&identity)
    }

    /// Ends whatever hangs.
    pub(crate) fn stop_hanging(&self) {
        self.state.0.lock().unwrap().stopped = true;
        self.state.1.notify_all();
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let Some((path, body)) = read_request(&mut reader) else { return };
        let (reply, honest) = {
            let mut state = self.state.0.lock().unwrap();
            match &*path {
                "/supported" => (Reply::With(200, self.kinds.to_string()), Value::Null),
                "/verify" => {
                    let honest = honest_verify(&state, &body);
                    state.verified.push(body);
                    (state.verify.pop_front().unwrap_or(Reply::Honest), honest)
                }
                "/settle" => {
                    state.settled.push(body.clone());
                    let reply = state.settle.pop_front().unwrap_or(Reply::Honest);
                    let honest = match reply {
                        Reply::Honest | Reply::Lost | Reply::Done(..) => settle(&mut state, &body),
                        _ => Value::Null,
                    };
                    (reply, honest)
                }
                _ => (Reply::With(404, String::new()), Value::Null),
            }
        };
        match reply {
            Reply::Honest => write_reply(&mut stream, 200, &honest.to_string()),
            Reply::With(status, body) | Reply::Done(status, body) => {
                write_reply(&mut stream, status, &body);
            }
            Reply::Cut | Reply::Lost => {}
            Reply::Hang => {
                let state = self.state.0.lock().unwrap();
                let limit = Duration::from_secs(60);
                drop(self.state.1.wait_timeout_while(state, limit, |it| !it.stopped).unwrap());
            }
        }
    }
}

fn identity(body: &Value) -> String {
    let payload = &body["paymentPayload"]["payload"];
    match payload["authorization"]["nonce"].as_str() {
        Some(nonce) => format!("{} {nonce}", payload["authorization"]["from"]).to_lowercase(),
        None => payload["transaction"].as_str().unwrap_or_default().to_owned(),
    }
}

fn honest_verify(state: &State, body: &Value) -> Value {
    if state.spent.contains(&identity(body)) {
        json!({ "isValid": false, "invalidReason": "invalid_exact_evm_nonce_already_used" })
    } else {
        json!({ "isValid": true })
    }
}

fn settle(state: &mut State, body: &Value) -> Value {
    let network = &body["paymentRequirements"]["network"];
    if state.spent.insert(identity(body)) {
        let transaction = match network.as_str() {
            Some(it) if it.starts_with("solana") => bs58::encode([7; 64]).into_string(),
            _ => TRANSACTION.to_owned(),
        };
        json!({ "success": true, "transaction": transaction, "network": network, "payer": "p" })
    } else {
        json!({ "success": false, "errorReason": "invalid_exact_evm_nonce_already_used", "transaction": "", "network": network })
    }
}

/// The path and the JSON body of one request.
pub(crate) fn read_request(reader: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, serde_json::from_slice(&body).unwrap_or_default()))
}

pub(crate) fn write_reply(stream: &mut TcpStream, status: u16, body: &str) {
    // The other side may have gone.
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}
