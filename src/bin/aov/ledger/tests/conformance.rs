//! The suite, over each kind of ledger.

use super::server::Server;
use super::{Place, allowances, at, payments, seen};

type Case = (&'static str, fn(&Place));

const CASES: &[Case] = &[
    ("history", history),
    ("a_verification_counts_once", a_verification_counts_once),
    ("allowance", allowances::one_day),
    ("allowance_at_once", allowances::sixty_four_at_once),
    ("claims_at_once", payments::of_eight_claims_one_is_granted),
    ("life", payments::from_claim_to_settled),
    ("unknown", payments::an_unknown_end_is_held_and_resolved),
    ("takeover", payments::only_a_dead_claim_is_taken_over),
    ("release", payments::only_the_holder_releases),
    ("limits", payments::open_payments_are_limited),
    ("identifier", payments::identifiers_are_of_a_payer),
    ("lists", payments::lists_and_counts),
    ("tidy", payments::tidy_forgets_what_it_may),
];

#[test]
fn sqlite_in_memory() {
    for (name, case) in CASES {
        eprintln!("{name}");
        case(&Place::memory());
    }
}

#[test]
fn sqlite_in_a_file() {
    for (name, case) in CASES {
        eprintln!("{name}");
        case(&Place::file());
    }
}

#[test]
fn postgres() {
    let Some(server) = Server::start() else { return };
    for (name, case) in CASES {
        eprintln!("{name}");
        case(&Place::database(&server.database(name)));
    }
}

fn history(place: &Place) {
    let ledger = place.open();
    ledger.ping().unwrap();
    assert_eq!(ledger.history("a").unwrap(), []);
    let (first, second) = (
        seen("2", "a", "2026-10-01T00:00:00.000001Z", true),
        seen("1", "a", "2026-10-01T00:00:00.000002Z", false),
    );
    let odd = seen("3", "'; DROP TABLE aov_verification; -- é🧾", "1969-12-31T23:59:59Z", true);
    let test = seen("4", "test-a", "2026-10-01T00:00:00Z", true);
    ledger.record(&second).unwrap();
    ledger.record_all(&[first.clone(), odd.clone(), test.clone()]).unwrap();
    ledger.record_all(&[]).unwrap();
    ledger.record(&test).unwrap();
    // Through another handle, oldest first, and only this agent's.
    let other = place.open();
    assert_eq!(other.history("a").unwrap(), [first, second]);
    assert_eq!(other.history(&odd.agent_id).unwrap(), [odd]);
    for nobody in ["A", "a%", "test-a", ""] {
        assert_eq!(other.history(nobody).unwrap(), [], "{nobody}");
    }
}

fn a_verification_counts_once(place: &Place) {
    let ledger = place.open();
    let once = seen("id", "a", "2026-10-01T00:00:00Z", true);
    super::at_once(8, |_| ledger.record(&once).unwrap());
    // What was recorded first stands.
    ledger.record(&seen("id", "a", "2026-10-02T00:00:00Z", false)).unwrap();
    ledger.record_all(&[once.clone(), once.clone()]).unwrap();
    assert_eq!(ledger.history("a").unwrap(), [once]);
    assert_eq!(ledger.history("a").unwrap()[0].at, at("2026-10-01T00:00:00Z"));
}
