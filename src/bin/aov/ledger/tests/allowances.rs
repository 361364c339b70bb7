//! Allowances are exact.

use super::{Place, Taken, at_once, day};

pub(super) fn one_day(place: &Place) {
    let ledger = place.open();
    let (monday, tuesday) = (day("2026-11-30"), day("2026-12-01"));
    let take = |client: &str, day| ledger.take(client, day, 2).unwrap();
    assert_eq!(ledger.used("a", monday).unwrap(), 0);
    assert_eq!(take("a", monday), Taken::Yes { remaining: 1 });
    assert_eq!(take("a", monday), Taken::Yes { remaining: 0 });
    assert_eq!(take("a", monday), Taken::Exhausted);
    assert_eq!(ledger.used("a", monday).unwrap(), 2);
    // Another client, and another day.
    assert_eq!(take("b", monday), Taken::Yes { remaining: 1 });
    assert_eq!(take("a", tuesday), Taken::Yes { remaining: 1 });
    // One that was not delivered, given back once.
    ledger.give_back("a", monday).unwrap();
    assert_eq!(take("a", monday), Taken::Yes { remaining: 0 });
    assert_eq!(take("a", monday), Taken::Exhausted);
    // Never below nothing.
    for _ in 0..3 {
        ledger.give_back("a", tuesday).unwrap();
        ledger.give_back("nobody", tuesday).unwrap();
    }
    assert_eq!(ledger.used("a", tuesday).unwrap(), 0);
    assert_eq!(take("a", tuesday), Taken::Yes { remaining: 1 });
    // A limit that was lowered in the meantime, and none at all.
    assert_eq!(ledger.take("a", monday, 1).unwrap(), Taken::Exhausted);
    assert_eq!(ledger.take("c", monday, 0).unwrap(), Taken::Exhausted);
    assert_eq!(ledger.used("c", monday).unwrap(), 0);
    assert_eq!(ledger.take("a", monday, 3).unwrap(), Taken::Yes { remaining: 0 });
}

/// 64 callers take 4 each, of 100: 100 get one, with every remainder from 99 to 0 once, and 156
/// get none. Two handles, as two processes have.
pub(super) fn sixty_four_at_once(place: &Place) {
    let ledgers = [place.open(), place.open()];
    let today = day("2026-11-30");
    let taken = at_once(64, |number| {
        let ledger = &ledgers[number % 2];
        (0..4).map(|_| ledger.take("a", today, 100).unwrap()).collect::<Vec<_>>()
    });
    let mut remaining: Vec<_> = taken
        .iter()
        .flatten()
        .filter_map(|taken| match taken {
            Taken::Yes { remaining } => Some(*remaining),
            Taken::Exhausted => None,
        })
        .collect();
    remaining.sort_unstable();
    assert_eq!(remaining, (0..100).collect::<Vec<_>>());
    assert_eq!(ledgers[0].used("a", today).unwrap(), 100);
    assert_eq!(ledgers[1].used("a", today).unwrap(), 100);
}
