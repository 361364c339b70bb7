//! `kill -9` at random moments: what was acknowledged is there, and the file opens.

use std::collections::HashSet;

use super::child::{AGENT, CLIENT, DAY, THREADS, Worker};
use super::server::Server;
use super::{Place, Taken, day};

/// Kills children in the middle of their work, each after another number of acknowledgements.
fn nothing_acknowledged_is_lost(ledger: &str, place: &Place) {
    let mut acknowledged = HashSet::new();
    for round in [1, 7, 50, 333, 1000] {
        let mut worker = Worker::start(ledger, "record");
        for _ in 0..round {
            acknowledged.insert(worker.acknowledged().expect("the child works"));
        }
        acknowledged.extend(worker.kill());
        let there = place.open().history(AGENT).unwrap();
        let there: HashSet<_> = there.into_iter().map(|it| it.verification_id).collect();
        let lost: Vec<_> = acknowledged.difference(&there).collect();
        assert!(lost.is_empty(), "lost {lost:?}");
        // What is there beyond that was under way when the child ended.
        assert!(there.len() <= acknowledged.len() + 5 * THREADS);
    }
    assert!(acknowledged.len() >= 1391);
}

/// A child is killed while it takes from an allowance; whoever comes next gets what is left, and
/// not one more.
fn the_allowance_stays_exact(ledger: &str, place: &Place) {
    let (limit, before) = (2000, 500);
    let mut worker = Worker::start(ledger, &limit.to_string());
    let mut taken: u32 = 0;
    while taken < before {
        worker.acknowledged().expect("the child works");
        taken += 1;
    }
    taken += u32::try_from(worker.kill().len()).unwrap();
    let ledger = place.open();
    let used = ledger.used(CLIENT, day(DAY)).unwrap();
    assert!(taken <= used && used <= taken + u32::try_from(THREADS).unwrap(), "{taken} {used}");
    for left in (used..limit).rev() {
        let remaining = left - used;
        assert_eq!(ledger.take(CLIENT, day(DAY), limit).unwrap(), Taken::Yes { remaining });
    }
    assert_eq!(ledger.take(CLIENT, day(DAY), limit).unwrap(), Taken::Exhausted);
}

/// Two processes with 32 callers each share an allowance.
fn two_processes_share(ledger: &str, limit: usize) {
    let mut workers = [(); 2].map(|()| Worker::start(ledger, &limit.to_string()));
    let count = |worker: &mut Worker| std::iter::from_fn(|| worker.acknowledged()).count();
    let taken: Vec<_> = std::thread::scope(|scope| {
        let counts: Vec<_> = workers.iter_mut().map(|it| scope.spawn(|| count(it))).collect();
        counts.into_iter().map(|count| count.join().unwrap()).collect()
    });
    assert_eq!(taken.iter().sum::<usize>(), limit, "{taken:?}");
}

fn file() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite").to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn a_file_survives() {
    let (_folder, path) = file();
    nothing_acknowledged_is_lost(&path, &Place::database(&path));
}

#[test]
fn allowances_in_a_file_survive() {
    let (_folder, path) = file();
    the_allowance_stays_exact(&path, &Place::database(&path));
}

#[test]
fn two_processes_share_a_file() {
    let (_folder, path) = file();
    two_processes_share(&path, 1000);
}

#[test]
fn postgres_is_shared_and_survives() {
    let Some(server) = Server::start() else { return };
    let url = server.database("records");
    nothing_acknowledged_is_lost(&url, &Place::database(&url));
    let url = server.database("allowance");
    the_allowance_stays_exact(&url, &Place::database(&url));
    two_processes_share(&server.database("shared"), 2000);
}
