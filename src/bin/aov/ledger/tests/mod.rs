//! What a ledger promises, held against each kind of it, and against `kill -9`.

mod allowances;
mod child;
mod conformance;
mod crash;
mod files;
mod payments;
mod postgres;
pub(crate) mod server;

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use super::open::{Location, NamedBy};
use super::*;

/// A store that can be opened more than once.
pub(super) struct Place {
    location: Option<Location>,
    memory: Option<Arc<dyn Ledger>>,
    /// Goes away with the place.
    _folder: Option<tempfile::TempDir>,
}

impl Place {
    pub(super) fn memory() -> Self {
        Self { location: None, memory: Some(Arc::new(Sqlite::in_memory())), _folder: None }
    }

    pub(super) fn file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Some(Location::File(folder.path().join("ledger.sqlite")));
        Self { location, memory: None, _folder: Some(folder) }
    }

    pub(super) fn database(url: &str) -> Self {
        let location = Location::named(url.as_ref(), NamedBy::Setting).unwrap();
        Self { location: Some(location), memory: None, _folder: None }
    }

    /// A handle of its own, where there can be several.
    pub(super) fn open(&self) -> Arc<dyn Ledger> {
        match (&self.location, &self.memory) {
            (Some(location), _) => location.open().unwrap(),
            (None, Some(memory)) => Arc::clone(memory),
            (None, None) => unreachable!(),
        }
    }
}

pub(super) fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

pub(super) fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

pub(super) fn seen(id: &str, agent: &str, when: &str, passed: bool) -> Verification {
    Verification {
        verification_id: id.to_owned(),
        agent_id: agent.to_owned(),
        at: at(when),
        passed,
    }
}

/// Calls of many threads at once, each with its number.
pub(super) fn at_once<T: Send>(threads: usize, call: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = std::sync::Barrier::new(threads);
    std::thread::scope(|scope| {
        let run = |number| {
            let (start, call) = (&start, &call);
            scope.spawn(move || {
                start.wait();
                call(number)
            })
        };
        let running: Vec<_> = (0..threads).map(run).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
