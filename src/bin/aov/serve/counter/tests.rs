use std::net::Ipv4Addr;
use std::sync::Mutex;

use agent_output_verifier::key::{KeyVersion, SigningKey};
use agent_output_verifier::receipt::hashes::Sha256Hex;
use serde_json::json;

use super::*;
use crate::ledger::Sqlite;
use crate::serve::config::{Layers, Limits};
use crate::serve::service::Payment;
use crate::signing::Signer;

const VALID: &str = r#"{"task_id":"t","agent_id":"seller","expected_schema":{"type":"object"},"submitted_output":{}}"#;

/// Takes every payment, or refuses all, and remembers what it was asked.
pub(crate) struct FakeGate {
    settles: bool,
    pub(crate) settled: Mutex<Vec<String>>,
}

impl Gate for FakeGate {
    fn required(&self, offer: &Offer<'_>, error: &str) -> Result<Value, Problem> {
        let Resource::Rest { path, .. } = offer.resource else { return Err(engine::internal()) };
        Ok(json!({
            "x402Version": 2,
            "error": error,
            "resource": { "url": path },
            "accepts": [{
                "scheme": "exact",
                "network": "eip155:8453",
                "amount": offer.price.atomic(),
                "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                "payTo": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                "maxTimeoutSeconds": 300,
            }],
        }))
    }

    fn pay(
        &self,
        _: &Call<'_>,
        offer: &Offer<'_>,
        work: &mut dyn FnMut() -> Result<String, Problem>,
    ) -> Answer {
        let body = match work() {
            Ok(body) => body,
            Err(problem) => return Answer::Refused(problem),
        };
        if !self.settles {
            return Answer::Refused(Problem::new("settlement_unknown", 504, "not known").retry(5));
        }
        self.settled.lock().unwrap().push(offer.price.atomic());
        Answer::Served(Served {
            body,
            allowance: None,
            settlement: Some(json!({ "success": true })),
        })
    }
}

pub(crate) fn gate(settles: bool) -> Arc<FakeGate> {
    Arc::new(FakeGate { settles, settled: Mutex::default() })
}

pub(crate) fn config(text: &str) -> Config {
    let mut layers = Layers::default();
    layers.file("aov.toml".as_ref(), text).unwrap();
    Config::decide(layers.settings().unwrap()).unwrap()
}

/// A configuration that sells.
pub(crate) const SELLS: &str = "public_url = 'https://v.example'\n[[networks]]\nnetwork = 'eip155:8453'\n\
    pay_to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'\nfacilitators = ['https://f.example']\n";

pub(crate) fn engine() -> Engine {
    let key = SigningKey::from_seed(&[7; 32], KeyVersion::new("v1-test").unwrap());
    Engine::new(Signer::new(key, "https://v.example", "aov"))
}

fn epoch() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

pub(crate) fn counter(text: &str, gate: Option<Arc<FakeGate>>) -> (Counter, Arc<dyn Ledger>) {
    let ledger: Arc<dyn Ledger> = Arc::new(Sqlite::in_memory());
    let gate = gate.map(|gate| gate as Arc<dyn Gate>);
    let counter =
        Counter::new(&config(text), engine(), Arc::clone(&ledger), gate, Arc::default(), epoch);
    (counter, ledger)
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn noon() -> DateTime<Utc> {
    at("2026-11-30T12:00:00Z")
}

fn call<'c>(question: Question<'c>, pays: bool) -> Call<'c> {
    Call {
        question,
        client: Ipv4Addr::new(203, 0, 113, 9).into(),
        payment: pays.then(|| Payment::Header(vec!["x"])),
        fingerprint: Sha256Hex::of(b""),
        resource: Resource::Rest { method: "POST", path: "/verify/schema" },
    }
}

fn verify(counter: &Counter, body: &str, pays: bool, now: DateTime<Utc>) -> Answer {
    counter.answer(&call(Question::Verify(body.as_bytes()), pays), now)
}

fn served(answer: Answer) -> Served {
    match answer {
        Answer::Served(served) => served,
        other => panic!("{other:?}"),
    }
}

fn refused(answer: Answer) -> Problem {
    match answer {
        Answer::Refused(problem) => problem,
        other => panic!("{other:?}"),
    }
}

fn required(answer: Answer) -> PaymentRequired {
    match answer {
        Answer::PaymentRequired(required) => required,
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_a_gate_everything_is_free_and_nothing_is_asked_for() {
    let (counter, ledger) = counter("", None);
    let answer = served(verify(&counter, VALID, false, noon()));
    assert_eq!((answer.allowance, answer.settlement), (None, None));
    // A payment that nobody asked for is not taken.
    assert_eq!(served(verify(&counter, VALID, true, noon())).settlement, None);
    let probe = refused(verify(&counter, "", false, noon()));
    assert_eq!((probe.code, probe.status), ("invalid_request", 422));
    assert_eq!(probe.fields[0]["field"], "body");
    assert_eq!(ledger.history("seller").unwrap().len(), 2);
}

#[test]
fn the_order_of_11_1_holds() {
    let gate = gate(true);
    let (counter, _) = counter(
        &format!("[limits]\nbody_bytes = 2000\n{SELLS}")
            .replace("public_url = 'https://v.example'\n", ""),
        Some(Arc::clone(&gate)),
    );
    let large = format!("{{\"task_id\":\"{}\"", "x".repeat(3000));
    for pays in [false, true] {
        // Too large before anything else is looked at.
        assert_eq!(refused(verify(&counter, &large, pays, noon())).status, 413);
        // The probe before validity, with a payment too.
        let probe = required(verify(&counter, "", pays, noon()));
        assert_eq!(probe.required["accepts"][0]["amount"], "20000");
        // Validity before payment and allowance.
        let problem = refused(verify(&counter, r#"{"task_id":"t"}"#, pays, noon()));
        assert_eq!((problem.status, problem.charged), (422, Some(false)));
    }
    assert!(gate.settled.lock().unwrap().is_empty());
    // A payment before the allowance.
    let paid = served(verify(&counter, VALID, true, noon()));
    assert!(paid.settlement.is_some() && paid.allowance.is_none());
    assert_eq!(*gate.settled.lock().unwrap(), ["20000"]);
    let free = served(verify(&counter, VALID, false, noon()));
    assert_eq!(free.allowance.unwrap().remaining, 999);
}

#[test]
fn the_allowance_ends_and_begins_anew_at_midnight() {
    let text = format!("{SELLS}[allowance]\nper_day = 2\n");
    let (counter, _) = counter(&text, Some(gate(true)));
    let just_before = at("2026-11-30T23:59:59.999999Z");
    for remaining in [1, 0] {
        let left = served(verify(&counter, VALID, false, just_before)).allowance.unwrap();
        assert_eq!(
            (left.remaining, left.limit, &*left.resets),
            (remaining, 2, "2026-12-01T00:00:00Z")
        );
    }
    let required = required(verify(&counter, VALID, false, just_before));
    let trial = required.free_trial.unwrap();
    assert_eq!(
        (&trial["available"], &trial["code"]),
        (&false.into(), &"free_trial_exhausted".into())
    );
    assert_eq!(trial["calls_per_client_per_day"], 2);
    // Another client, and the next day.
    let mut other = call(Question::Verify(VALID.as_bytes()), false);
    other.client = "2001:db8::1".parse().unwrap();
    assert_eq!(served(counter.answer(&other, just_before)).allowance.unwrap().remaining, 1);
    other.client = "2001:db8::ffff:1".parse().unwrap();
    assert_eq!(served(counter.answer(&other, just_before)).allowance.unwrap().remaining, 0);
    let next =
        served(verify(&counter, VALID, false, at("2026-12-01T00:00:00Z"))).allowance.unwrap();
    assert_eq!((next.remaining, &*next.resets), (1, "2026-12-02T00:00:00Z"));
}

#[test]
fn what_is_too_large_or_invalid_uses_nothing_up() {
    let text = format!("{SELLS}[allowance]\nper_day = 3\nmax_body_bytes = 300\n");
    let (counter, ledger) = counter(&text, Some(gate(true)));
    let padded = format!("{VALID}{}", " ".repeat(300));
    let trial = required(verify(&counter, &padded, false, noon())).free_trial.unwrap();
    assert_eq!((&trial["available"], &trial["remaining_calls_today"]), (&true.into(), &3.into()));
    refused(verify(&counter, "[]", false, noon()));
    // A check that costs too much is found out while it runs; the call is given back.
    let costly = r#"{"task_id":"t","expected_schema":{"pattern":"^(a?){30}(?=b)a{30}$"},"submitted_output":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}"#;
    let problem = refused(verify(&counter, costly, false, noon()));
    assert_eq!((problem.code, problem.status), ("pattern_too_costly", 422));
    assert_eq!(ledger.used("203.0.113.9", noon().date_naive()).unwrap(), 0);
    assert_eq!(served(verify(&counter, VALID, false, noon())).allowance.unwrap().remaining, 2);
}

#[test]
fn a_free_server_with_a_limit_says_when_to_come_back() {
    let (counter, _) = counter("[allowance]\nper_day = 1\n", None);
    assert_eq!(served(verify(&counter, VALID, false, noon())).allowance.unwrap().remaining, 0);
    let problem = refused(verify(&counter, VALID, false, noon()));
    assert_eq!(
        (problem.code, problem.status, problem.retry_after),
        ("rate_limited", 429, Some(43_201))
    );
}

#[test]
fn test_agents_are_never_recorded() {
    let (counter, ledger) = counter("", None);
    let body = VALID.replace("seller", "test-seller");
    served(verify(&counter, &body, false, noon()));
    assert!(ledger.history("test-seller").unwrap().is_empty());
    let anonymous = VALID.replace("\"agent_id\":\"seller\",", "");
    served(verify(&counter, &anonymous, false, noon()));
}

#[test]
fn a_paid_verification_is_recorded_when_it_is_delivered() {
    let (sold, ledger) = counter(SELLS, Some(gate(true)));
    served(verify(&sold, VALID, true, noon()));
    let history = ledger.history("seller").unwrap();
    assert_eq!((history.len(), history[0].passed, history[0].at), (1, true, noon()));
    let (unknown, ledger) = counter(SELLS, Some(gate(false)));
    assert_eq!(refused(verify(&unknown, VALID, true, noon())).code, "settlement_unknown");
    assert!(ledger.history("seller").unwrap().is_empty());
}

#[test]
fn a_score_is_sold_where_there_is_one() {
    let gate = gate(true);
    let (counter, ledger) = counter(SELLS, Some(Arc::clone(&gate)));
    let ask = |id: &'static str, pays| counter.answer(&call(Question::Score(id), pays), noon());
    for id in ["nobody", "test-seller"] {
        for pays in [false, true] {
            let body: Value = serde_json::from_str(&served(ask(id, pays)).body).unwrap();
            assert_eq!((&body["reason"], &body["trust_score"]), (&"no_data".into(), &Value::Null));
            assert_eq!(body["attestation"]["key_version"], "v1-test");
        }
    }
    let verification = Verification {
        verification_id: "v".to_owned(),
        agent_id: "seller".to_owned(),
        at: noon(),
        passed: true,
    };
    ledger.record(&verification).unwrap();
    let price = required(ask("seller", false));
    assert_eq!(
        (&price.required["accepts"][0]["amount"], price.free_trial),
        (&"10000".into(), None)
    );
    let body: Value = serde_json::from_str(&served(ask("seller", true)).body).unwrap();
    // One pass: the share is 1; n = 1, so the interval is [1/(1+z²), 1] = [0.206549, 1].
    assert_eq!(body["trust_score"], json!(1.0));
    assert_eq!(body["confidence_interval_95"], json!([0.206549, 1.0]));
    assert_eq!(body["sample_size"], 1);
    assert_eq!(*gate.settled.lock().unwrap(), ["10000"]);
    let bad = "x".repeat(201);
    let problem = refused(counter.answer(&call(Question::Score(&bad), true), noon()));
    assert_eq!((problem.status, &problem.fields[0]["field"]), (422, &"agent_id".into()));
}

#[test]
fn a_reputation_is_free() {
    let (counter, _) = counter(SELLS, Some(gate(true)));
    served(verify(&counter, VALID, false, noon()));
    served(verify(&counter, &VALID.replace("{}}", "1}"), false, noon()));
    let body: Value =
        serde_json::from_str(&counter.reputation("seller", noon()).unwrap().to_line()).unwrap();
    assert_eq!(
        (&body["verified"], &body["passed"], &body["failed"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert_eq!(counter.reputation("", noon()).unwrap_err().status, 422);
}

/// Every call asks the ledger's own transaction; here that the counter adds none of its own races.
#[test]
fn sixty_four_callers_at_once_get_exactly_the_allowance() {
    let text = format!("{SELLS}[allowance]\nper_day = 100\n");
    let (counter, ledger) = counter(&text, Some(gate(true)));
    let counter = &counter;
    let free: usize = std::thread::scope(|scope| {
        let ask = || {
            (0..5)
                .filter(|_| matches!(verify(counter, VALID, false, noon()), Answer::Served(_)))
                .count()
        };
        let stack = || std::thread::Builder::new().stack_size(crate::STACK);
        let threads: Vec<_> = (0..64).map(|_| stack().spawn_scoped(scope, ask).unwrap()).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(free, 100);
    assert_eq!(ledger.used("203.0.113.9", noon().date_naive()).unwrap(), 100);
    assert_eq!(ledger.history("seller").unwrap().len(), 100);
}

#[test]
fn limits_are_those_of_the_configuration() {
    let Limits { body_bytes, .. } = config("[limits]\nbody_bytes = 4096").limits;
    assert_eq!(body_bytes, 4096);
}

#[test]
fn what_is_for_sale_is_not_given_away_for_want_of_a_gate() {
    let (counter, _) = counter(&format!("{SELLS}[allowance]\nper_day = 0\n"), None);
    for pays in [false, true] {
        assert_eq!(refused(verify(&counter, VALID, pays, noon())).status, 503);
    }
}
