//! A payment is worked on by one, and never lost.

use chrono::TimeDelta;

use super::*;

const NOW: &str = "2026-12-01T12:00:00Z";
const ROOMY: PaymentLimits = PaymentLimits { open: 100, open_per_payer: 100 };

fn token(text: &str) -> ClaimToken {
    ClaimToken(text.to_owned())
}

fn key(text: &str) -> PaymentKey {
    PaymentKey(text.to_owned())
}

fn after(minutes: i64) -> DateTime<Utc> {
    at(NOW) + TimeDelta::minutes(minutes)
}

/// A claim of now, with two minutes to work and ten to settle.
fn record(key: &str) -> PaymentRecord {
    PaymentRecord {
        key: PaymentKey(key.to_owned()),
        state: PaymentState::Claimed,
        fingerprint: Sha256Hex::of(b"request"),
        payer: "0xpayer".to_owned(),
        network: "eip155:8453".to_owned(),
        amount: "20000".to_owned(),
        resource: "POST /verify/schema".to_owned(),
        identifier: None,
        valid_before: after(10),
        created: after(0),
        updated: after(0),
        lease_until: after(2),
        payload: Some("{\"signed\":1}".to_owned()),
        answer: None,
        settlement: None,
        reason: None,
    }
}

fn claim(ledger: &dyn Ledger, record: &PaymentRecord, who: &str, minute: i64) -> Claimed {
    ledger.claim(record, &token(who), ROOMY, after(minute)).unwrap()
}

pub(super) fn of_eight_claims_one_is_granted(place: &Place) {
    let ledgers = [place.open(), place.open()];
    for round in 0..10 {
        let record = record(&format!("k{round}"));
        let claimed =
            at_once(8, |number| claim(&*ledgers[number % 2], &record, &number.to_string(), 0));
        let granted: Vec<_> = (0..8).filter(|&at| claimed[at] == Claimed::Yes).collect();
        assert_eq!(granted.len(), 1, "{claimed:?}");
        let known = claimed.iter().filter(|it| matches!(it, Claimed::Known(it) if **it == record));
        assert_eq!(known.count(), 7);
        // Only who was granted it can go on.
        for (number, ledger) in (0..8).zip(ledgers.iter().cycle()) {
            let begun = ledger.begin_settlement(
                &record.key,
                &token(&number.to_string()),
                "answer",
                after(3),
                after(1),
            );
            assert_eq!(begun.unwrap(), number == granted[0]);
        }
    }
}

pub(super) fn from_claim_to_settled(place: &Place) {
    let ledger = place.open();
    let claimed = PaymentRecord { identifier: Some("id".to_owned()), ..record("k") };
    assert_eq!(claim(&*ledger, &claimed, "one", 0), Claimed::Yes);
    assert_eq!(ledger.payment(&key("k")).unwrap(), Some(claimed.clone()));
    assert_eq!(ledger.payment(&key("K")).unwrap(), None);
    // Nothing was asked for yet.
    assert!(ledger.settled(&key("k"), "{}", after(1)).is_err());
    assert!(ledger.unknown(&key("k"), "why", after(1)).is_err());
    let begin = |who: &str| {
        ledger.begin_settlement(&key("k"), &token(who), "the answer", after(5), after(1)).unwrap()
    };
    assert!(!begin("two"));
    assert!(begin("one"));
    assert!(!begin("one"), "once is enough");
    let settling = PaymentRecord {
        state: PaymentState::Settling,
        answer: Some("the answer".to_owned()),
        lease_until: after(5),
        updated: after(1),
        ..claimed
    };
    assert_eq!(ledger.payment(&key("k")).unwrap(), Some(settling.clone()));
    assert_eq!(
        claim(&*ledger, &record("k"), "two", 60),
        Claimed::Known(Box::new(settling.clone()))
    );
    ledger.settled(&key("k"), "{\"success\":true}", after(2)).unwrap();
    let settled = PaymentRecord {
        state: PaymentState::Settled,
        payload: None,
        settlement: Some("{\"success\":true}".to_owned()),
        updated: after(2),
        ..settling
    };
    // A second word about it changes nothing, and it cannot be forgotten.
    ledger.settled(&key("k"), "{}", after(3)).unwrap();
    ledger.unknown(&key("k"), "late", after(3)).unwrap();
    ledger.release(&key("k"), &token("one")).unwrap();
    assert_eq!(ledger.hold(&key("k"), &token("three"), after(90), after(60)).unwrap(), None);
    assert_eq!(place.open().payment(&key("k")).unwrap(), Some(settled.clone()));
    assert_eq!(claim(&*ledger, &record("k"), "two", 6000), Claimed::Known(Box::new(settled)));
    // One that is not there cannot be settled: that would be money without a trace.
    assert!(ledger.settled(&key("nothing"), "{}", after(3)).is_err());
    assert!(ledger.unknown(&key("nothing"), "why", after(3)).is_err());
}

pub(super) fn an_unknown_end_is_held_and_resolved(place: &Place) {
    let ledger = place.open();
    assert_eq!(claim(&*ledger, &record("k"), "one", 0), Claimed::Yes);
    let hold = |who: &str, until, now| {
        place.open().hold(&key("k"), &token(who), after(until), after(now)).unwrap()
    };
    assert_eq!(hold("two", 9, 8), None, "a claim is not held: it was not charged");
    assert!(ledger.begin_settlement(&key("k"), &token("one"), "a", after(5), after(1)).unwrap());
    assert_eq!(hold("two", 9, 4), None, "somebody is alive until minute 5");
    // Whoever writes that down is done with it.
    ledger.unknown(&key("k"), "timeout", after(2)).unwrap();
    let unknown = ledger.payment(&key("k")).unwrap().unwrap();
    assert_eq!(
        (unknown.state, unknown.reason.as_deref()),
        (PaymentState::Unknown, Some("timeout"))
    );
    assert_eq!(unknown.payload.as_deref(), Some("{\"signed\":1}"), "it may have to be sent again");
    ledger.unknown(&key("k"), "still", after(3)).unwrap();
    let held = at_once(8, |number| hold(&number.to_string(), 9, 5));
    let held: Vec<_> = held.into_iter().flatten().collect();
    let [held] = &*held else { panic!("{held:?}") };
    assert_eq!((held.lease_until, held.reason.as_deref()), (after(9), Some("still")));
    assert_eq!(hold("late", 20, 8), None);
    ledger.settled(&key("k"), "{}", after(6)).unwrap();
    let settled = ledger.payment(&key("k")).unwrap().unwrap();
    assert_eq!(
        (settled.state, settled.reason, settled.payload),
        (PaymentState::Settled, None, None)
    );
    // One that was known to fail is forgotten by who holds it.
    assert_eq!(claim(&*ledger, &record("f"), "one", 0), Claimed::Yes);
    assert!(ledger.begin_settlement(&key("f"), &token("one"), "a", after(5), after(1)).unwrap());
    assert!(ledger.hold(&key("f"), &token("two"), after(9), after(5)).unwrap().is_some());
    ledger.release(&key("f"), &token("one")).unwrap();
    assert!(ledger.payment(&key("f")).unwrap().is_some(), "it is two's now");
    ledger.release(&key("f"), &token("two")).unwrap();
    assert_eq!(ledger.payment(&key("f")).unwrap(), None);
}

pub(super) fn only_a_dead_claim_is_taken_over(place: &Place) {
    let ledger = place.open();
    assert_eq!(claim(&*ledger, &record("k"), "one", 0), Claimed::Yes);
    let later = PaymentRecord {
        fingerprint: Sha256Hex::of(b"another request"),
        created: after(2),
        updated: after(2),
        lease_until: after(4),
        ..record("k")
    };
    // The lease is until minute 2, and the one who had it is not asked.
    let before = ledger.claim(&later, &token("two"), ROOMY, after(2) - TimeDelta::microseconds(1));
    assert_eq!(before.unwrap(), Claimed::Known(Box::new(record("k"))));
    let granted = at_once(8, |number| claim(&*place.open(), &later, &number.to_string(), 2));
    assert_eq!(granted.iter().filter(|it| **it == Claimed::Yes).count(), 1);
    let taken = ledger.payment(&key("k")).unwrap().unwrap();
    assert_eq!(taken, PaymentRecord { created: after(0), ..later });
    let begin =
        |who: &str| ledger.begin_settlement(&key("k"), &token(who), "a", after(5), after(3));
    assert!(!begin("one").unwrap(), "its claim is no longer its own");
    ledger.release(&key("k"), &token("one")).unwrap();
    assert_eq!((0..8).filter(|who| begin(&who.to_string()).unwrap()).count(), 1);
}

pub(super) fn only_the_holder_releases(place: &Place) {
    let ledger = place.open();
    assert_eq!(claim(&*ledger, &record("k"), "one", 0), Claimed::Yes);
    ledger.release(&key("k"), &token("two")).unwrap();
    ledger.release(&key("other"), &token("one")).unwrap();
    assert!(ledger.payment(&key("k")).unwrap().is_some());
    ledger.release(&key("k"), &token("one")).unwrap();
    assert_eq!(ledger.payment(&key("k")).unwrap(), None);
    assert_eq!(claim(&*ledger, &record("k"), "two", 0), Claimed::Yes);
}

pub(super) fn open_payments_are_limited(place: &Place) {
    let ledger = place.open();
    let limits = PaymentLimits { open: 5, open_per_payer: 3 };
    let of = |payer: &str, key: &str| PaymentRecord { payer: payer.to_owned(), ..record(key) };
    // Many at once, and exactly as many as may be.
    let claimed = at_once(16, |number| {
        let record = of("a", &format!("a{number}"));
        place.open().claim(&record, &token("t"), limits, after(0)).unwrap()
    });
    assert_eq!(claimed.iter().filter(|it| **it == Claimed::Yes).count(), 3);
    assert_eq!(claimed.iter().filter(|it| **it == Claimed::Full).count(), 13);
    let claim = |record: &PaymentRecord, minute| {
        ledger.claim(record, &token("t"), limits, after(minute)).unwrap()
    };
    assert_eq!(claim(&of("b", "b0"), 0), Claimed::Yes);
    assert_eq!(claim(&of("c", "c0"), 0), Claimed::Yes);
    assert_eq!(claim(&of("d", "d0"), 0), Claimed::Full);
    // One that is known is told even then, and taking over a dead claim opens no new one.
    assert!(matches!(claim(&of("b", "b0"), 0), Claimed::Known(_)));
    let again = PaymentRecord { lease_until: after(60), ..of("b", "b0") };
    assert_eq!(claim(&again, 3), Claimed::Yes);
    // What is settled is not open; what is being settled, or unknown, is.
    assert!(ledger.begin_settlement(&key("c0"), &token("t"), "a", after(60), after(1)).unwrap());
    assert_eq!(claim(&of("d", "d0"), 3), Claimed::Full);
    ledger.unknown(&key("c0"), "why", after(3)).unwrap();
    assert_eq!(claim(&of("d", "d0"), 3), Claimed::Full);
    ledger.settled(&key("c0"), "{}", after(4)).unwrap();
    assert_eq!(claim(&PaymentRecord { lease_until: after(60), ..of("d", "d0") }, 3), Claimed::Yes);
    // A dead claim makes room once its authorization has run out (after minute 10), not before.
    assert_eq!(claim(&of("e", "e0"), 10), Claimed::Full);
    assert_eq!(claim(&of("e", "e0"), 11), Claimed::Yes);
    assert_eq!(ledger.payment_counts().unwrap(), [3, 0, 1, 0]);
}

pub(super) fn identifiers_are_of_a_payer(place: &Place) {
    let ledger = place.open();
    let with = |key: &str, payer: &str, created| PaymentRecord {
        payer: payer.to_owned(),
        identifier: Some("id".to_owned()),
        created: after(created),
        ..record(key)
    };
    for record in [with("k1", "a", 0), with("k2", "b", 0), with("k3", "a", 1)] {
        assert_eq!(claim(&*ledger, &record, "t", 0), Claimed::Yes);
    }
    let found = |payer: &str, identifier: &str, other_than: &str| {
        let found = ledger.payment_by_identifier(payer, identifier, &key(other_than)).unwrap();
        found.map(|record| record.key.0)
    };
    assert_eq!(found("a", "id", "k3").as_deref(), Some("k1"));
    assert_eq!(found("a", "id", "k1").as_deref(), Some("k3"));
    assert_eq!(found("b", "id", "k2"), None, "there is no other");
    assert_eq!((found("c", "id", "k1"), found("a", "ID", "k1")), (None, None));
    // Not the first, but the one that has come furthest.
    assert!(ledger.begin_settlement(&key("k3"), &token("t"), "a", after(5), after(0)).unwrap());
    assert_eq!(found("a", "id", "k2").as_deref(), Some("k3"));
}

pub(super) fn lists_and_counts(place: &Place) {
    let ledger = place.open();
    assert_eq!(ledger.payment_counts().unwrap(), [0; 4]);
    for number in 0..6 {
        let record = PaymentRecord { created: after(number), ..record(&format!("k{number}")) };
        assert_eq!(claim(&*ledger, &record, "t", 0), Claimed::Yes);
        let key = record.key;
        if number > 1 {
            assert!(ledger.begin_settlement(&key, &token("t"), "a", after(5), after(0)).unwrap());
        }
        match number {
            3 => ledger.unknown(&key, "why", after(0)).unwrap(),
            4 | 5 => ledger.settled(&key, "{}", after(0)).unwrap(),
            _ => {}
        }
    }
    assert_eq!(ledger.payment_counts().unwrap(), [2, 1, 2, 1]);
    let keys = |state, limit| -> Vec<String> {
        let found = ledger.payments(state, limit).unwrap();
        found.into_iter().map(|record| record.key.0).collect()
    };
    assert_eq!(keys(None, 10), ["k5", "k4", "k3", "k2", "k1", "k0"]);
    assert_eq!(keys(None, 2), ["k5", "k4"]);
    assert_eq!(keys(Some(PaymentState::Settled), 10), ["k5", "k4"]);
    assert_eq!(keys(Some(PaymentState::Claimed), 1), ["k1"]);
    assert_eq!(keys(Some(PaymentState::Unknown), 10), ["k3"]);
}

pub(super) fn tidy_forgets_what_it_may(place: &Place) {
    let ledger = place.open();
    for (name, steps) in [("claimed", 0), ("settling", 1), ("unknown", 2), ("settled", 3)] {
        assert_eq!(claim(&*ledger, &record(name), "t", 0), Claimed::Yes);
        let key = key(name);
        if steps > 0 {
            assert!(ledger.begin_settlement(&key, &token("t"), "a", after(5), after(1)).unwrap());
        }
        match steps {
            2 => ledger.unknown(&key, "why", after(2)).unwrap(),
            3 => ledger.settled(&key, "{}", after(2)).unwrap(),
            _ => {}
        }
    }
    for date in ["2026-11-29", "2026-11-30", "2026-12-01"] {
        assert!(matches!(ledger.take("a", day(date), 9).unwrap(), Taken::Yes { .. }));
    }
    // It can be settled until minute 10, and is kept an hour longer.
    assert_eq!(ledger.tidy(after(69)).unwrap(), 0);
    assert_eq!(ledger.payment_counts().unwrap(), [1, 1, 1, 1]);
    let used = |date| ledger.used("a", day(date)).unwrap();
    assert_eq!(["2026-11-29", "2026-11-30", "2026-12-01"].map(used), [0, 1, 1]);
    assert_eq!(ledger.tidy(after(70)).unwrap(), 1);
    assert_eq!(ledger.payment_counts().unwrap(), [0, 1, 1, 1]);
    // The answer stays for a day after minute 2, the key for ever.
    let answer = || ledger.payment(&key("settled")).unwrap().unwrap().answer;
    assert_eq!(ledger.tidy(after(24 * 60 + 1)).unwrap(), 0);
    assert_eq!(answer().as_deref(), Some("a"));
    assert_eq!(ledger.tidy(after(24 * 60 + 2)).unwrap(), 1);
    assert_eq!(answer(), None);
    assert_eq!(ledger.tidy(after(1_000_000)).unwrap(), 0);
    assert_eq!(ledger.payment_counts().unwrap(), [0, 1, 1, 1]);
    assert!(matches!(claim(&*ledger, &record("settled"), "t", 1_000_000), Claimed::Known(_)));
}
