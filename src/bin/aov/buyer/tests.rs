//! Against a scripted seller on loopback.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::Purse;
use super::call::{Buyer, Outcome, Question};
use super::pending::Folder;
use crate::net::Net;
use crate::private;
use crate::serve::money::MicroUsd;
use crate::serve::x402::wire;
use crate::wallet::Wallet;

/// What the seller says next.
#[derive(Clone)]
enum Says {
    /// 402.
    Price,
    /// This status with this body.
    This(u16, &'static str),
    /// A settled answer.
    Sold,
    /// Nothing: the connection ends.
    Cut,
}

/// Answers in this order, and remembers the payment of each request.
struct Seller {
    url: String,
    heard: Arc<Mutex<Vec<Option<String>>>>,
}

impl Seller {
    fn new(script: Vec<Says>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/verify/schema", listener.local_addr().unwrap());
        let heard = Arc::<Mutex<Vec<Option<String>>>>::default();
        let (here, log) = (url.clone(), Arc::clone(&heard));
        std::thread::spawn(move || {
            for (stream, says) in listener.incoming().zip(script) {
                let mut stream = stream.unwrap();
                log.lock().unwrap().push(payment(&mut stream));
                answer(&mut stream, &says, &here);
            }
        });
        Self { url, heard }
    }

    fn heard(&self) -> Vec<Option<String>> {
        self.heard.lock().unwrap().clone()
    }

    /// The payments that were sent, each once.
    fn payments(&self) -> Vec<String> {
        let mut all: Vec<_> = self.heard().into_iter().flatten().collect();
        all.sort();
        all.dedup();
        all
    }
}

fn payment(stream: &mut TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let (mut found, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim().split_once(": ") else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        match &*name.to_lowercase() {
            "payment-signature" => found = Some(value.to_owned()),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
    found
}

fn required(url: &str) -> Value {
    json!({
        "x402Version": 2,
        "error": "Payment required",
        "resource": { "url": url },
        "accepts": [{
            "scheme": "exact", "network": "eip155:8453", "amount": "20000",
            "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            "payTo": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "maxTimeoutSeconds": 300,
            "extra": { "name": "USD Coin", "version": "2" },
        }],
        "extensions": { "bazaar": { "info": { "x": 1 } } },
    })
}

fn answer(stream: &mut TcpStream, says: &Says, url: &str) {
    let (status, field, body) = match says {
        Says::Cut => return,
        Says::Price => {
            let field = format!("Payment-Required: {}\r\n", wire::encode(&required(url)));
            (402, field, "{}")
        }
        Says::Sold => {
            let settled =
                json!({ "success": true, "transaction": "0xabc", "network": "eip155:8453" });
            (200, format!("Payment-Response: {}\r\n", wire::encode(&settled)), "{\"result\":1}")
        }
        Says::This(status, body) => (*status, String::new(), *body),
    };
    // The other side may have gone.
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\n{field}Retry-After: 3\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}

struct Customer {
    purse: Purse,
    home: tempfile::TempDir,
    /// Seconds since the start.
    ahead: i64,
    pauses: RefCell<Vec<Duration>>,
}

impl Customer {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let key = home.path().join("wallet.key");
        private::write_new(&key, "05".repeat(32).as_bytes()).unwrap();
        let purse = Purse {
            wallet: Wallet::load(Some(&key)).unwrap(),
            max_price: MicroUsd(20_000),
            folder: Folder::at(&home.path().join("payments")),
        };
        Self { purse, home, ahead: 0, pauses: RefCell::default() }
    }

    fn ask(&self, seller: &Seller, pays: bool) -> Outcome {
        let start: DateTime<Utc> = "2026-12-01T12:00:00Z".parse().unwrap();
        let clock = || start + TimeDelta::seconds(self.ahead);
        let pause = |time| self.pauses.borrow_mut().push(time);
        let (net, purse) = (Net::system(), pays.then_some(&self.purse));
        let buyer = Buyer { net: &net, purse, clock: &clock, pause: &pause };
        let question = Question { url: &seller.url, body: Some("{}") };
        let outcome = buyer.ask(&question);
        if matches!(&outcome, Outcome::Answered(answer) if answer.reply.status == 200) {
            buyer.done(&question);
        }
        outcome
    }

    fn kept(&self) -> usize {
        std::fs::read_dir(self.home.path().join("payments")).map_or(0, Iterator::count)
    }
}

fn is_sold(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Answered(answer) if answer.reply.status == 200 && answer.paid.is_some())
}

#[test]
fn nothing_is_paid_without_being_told() {
    let seller = Seller::new(vec![Says::Price]);
    let customer = Customer::new();
    assert!(matches!(customer.ask(&seller, false), Outcome::PaymentRequired(Some(_))));
    assert_eq!((seller.heard(), customer.kept()), (vec![None], 0));
}

#[test]
fn what_is_free_is_not_paid() {
    let seller = Seller::new(vec![Says::This(200, "{}")]);
    let customer = Customer::new();
    let outcome = customer.ask(&seller, true);
    assert!(matches!(&outcome, Outcome::Answered(answer) if answer.paid.is_none()), "{outcome:?}");
    assert_eq!(seller.heard(), [None]);
}

#[test]
fn a_payment_is_signed_kept_and_sent() {
    let seller = Seller::new(vec![Says::Price, Says::Sold]);
    let customer = Customer::new();
    let outcome = customer.ask(&seller, true);
    let Outcome::Answered(answer) = &outcome else { panic!("{outcome:?}") };
    assert_eq!(answer.paid.as_deref(), Some("0.02 USDC on Base, transaction 0xabc"));
    let sent = wire::decode(&seller.payments()[0]).unwrap();
    let asked = required(&seller.url);
    for (name, at) in [("accepted", &asked["accepts"][0]), ("extensions", &asked["extensions"])] {
        assert_eq!(&sent[name], at);
    }
    assert_eq!(sent["payload"]["authorization"]["value"], "20000");
    assert_eq!(customer.kept(), 0);
}

#[test]
fn the_price_is_checked_before_anything_is_signed() {
    let seller = Seller::new(vec![Says::Price]);
    let mut customer = Customer::new();
    customer.purse.max_price = MicroUsd(19_999);
    let outcome = customer.ask(&seller, true);
    assert!(
        matches!(&outcome, Outcome::NotPaid(why) if why.contains("--max-price")),
        "{outcome:?}"
    );
    assert_eq!((seller.heard().len(), customer.kept()), (1, 0));
}

#[test]
fn the_same_payment_is_sent_until_its_outcome_is_known() {
    let seller = Seller::new(vec![
        Says::Price,
        Says::Cut,
        Says::This(504, r#"{"code":"settlement_unknown","charged":null}"#),
        Says::This(409, r#"{"code":"payment_in_progress","charged":false}"#),
        Says::This(502, "<html>"),
        Says::This(429, ""),
        Says::Sold,
    ]);
    let customer = Customer::new();
    assert!(is_sold(&customer.ask(&seller, true)));
    assert_eq!((seller.heard().len(), seller.payments().len()), (7, 1));
    assert_eq!(customer.pauses.borrow()[1], Duration::from_secs(3), "Retry-After");
}

/// The first run ends without knowing; the second sends the same payment and signs none.
#[test]
fn another_run_goes_on_with_the_same_payment() {
    let mut script = vec![Says::Price];
    script.extend(vec![Says::This(504, ""); 8]);
    script.push(Says::Sold);
    let seller = Seller::new(script);
    let customer = Customer::new();
    let outcome = customer.ask(&seller, true);
    let Outcome::Unknown(why) = &outcome else { panic!("{outcome:?}") };
    assert!(why.contains("same payment") && customer.kept() == 1, "{why}");
    #[cfg(unix)]
    for entry in std::fs::read_dir(customer.home.path().join("payments")).unwrap() {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(is_sold(&customer.ask(&seller, true)));
    assert_eq!((seller.payments().len(), customer.kept()), (1, 0));
}

/// A refused payment is good until it has run out: until then no other is signed.
#[test]
fn a_refused_payment_is_not_followed_by_another_while_it_is_good() {
    let seller = Seller::new(vec![
        Says::Price,
        Says::Price,
        Says::Price,
        Says::Price,
        Says::Price,
        Says::Sold,
    ]);
    let mut customer = Customer::new();
    for _ in 0..2 {
        let outcome = customer.ask(&seller, true);
        assert!(
            matches!(&outcome, Outcome::NotPaid(why) if why.contains("refused")),
            "{outcome:?}"
        );
        assert_eq!((seller.payments().len(), customer.kept()), (1, 1));
    }
    customer.ahead = 300 + 600 + 1;
    assert!(is_sold(&customer.ask(&seller, true)));
    assert_eq!((seller.payments().len(), customer.kept()), (2, 0));
}

#[test]
fn an_error_that_says_uncharged_ends_it() {
    let body = r#"{"code":"invalid_request","message":"m","charged":false,"retryable":false}"#;
    let seller = Seller::new(vec![Says::Price, Says::This(422, body)]);
    let customer = Customer::new();
    let outcome = customer.ask(&seller, true);
    assert!(matches!(&outcome, Outcome::Answered(answer) if answer.reply.status == 422));
    assert_eq!((customer.kept(), customer.pauses.borrow().len()), (0, 0));
}

#[test]
fn a_payment_that_cannot_be_read_is_never_replaced() {
    let seller = Seller::new(vec![Says::Price, Says::Cut]);
    let customer = Customer::new();
    let question = Question { url: &seller.url, body: Some("{}") };
    let path = customer.purse.folder.file(&question);
    private::create_folder(path.parent().unwrap()).unwrap();
    private::write_new(&path, b"{").unwrap();
    assert!(matches!(customer.ask(&seller, true), Outcome::Failed(_)));
    assert_eq!((seller.heard().len(), std::fs::read(&path).unwrap()), (0, b"{".to_vec()));
}
