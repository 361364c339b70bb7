//! Verifications on their way into a ledger: many in one transaction where they come fast, each at
//! once where they come slowly.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cmd::Failure;
use crate::ledger::{Ledger, LedgerError, Verification};

/// So many wait at most.
const MAX_WAITING: usize = 1024;
/// For so long after the one before, a transaction can wait for more.
const PAUSE: Duration = Duration::from_millis(100);

/// Writes verifications into a ledger. The first failure ends that, not the run: the verdicts do
/// not depend on it.
pub(crate) struct Recorder {
    ledger: Arc<dyn Ledger>,
    waiting: Vec<Verification>,
    last: Option<Instant>,
    failed: Option<LedgerError>,
    missing: u64,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("missing", &self.missing).finish_non_exhaustive()
    }
}

impl Recorder {
    /// Into this ledger.
    pub(crate) fn new(ledger: Arc<dyn Ledger>) -> Self {
        Self { ledger, waiting: Vec::new(), last: None, failed: None, missing: 0 }
    }

    /// Takes some more.
    pub(crate) fn take(&mut self, verifications: impl IntoIterator<Item = Verification>) {
        self.waiting.extend(verifications);
        let due = self.last.is_none_or(|last| last.elapsed() >= PAUSE);
        if due || self.waiting.len() >= MAX_WAITING {
            self.write();
        }
    }

    fn write(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return;
        }
        if self.failed.is_none() {
            self.failed = self.ledger.record_all(&waiting).err();
            self.last = Some(Instant::now());
        }
        if self.failed.is_some() {
            self.missing += waiting.len() as u64;
        }
    }

    /// Writes what waits, and says what could not be written.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.write();
        let Some(LedgerError(why)) = self.failed.take() else { return Ok(()) };
        let what = match self.missing {
            1 => "1 verification was not recorded".to_owned(),
            missing => format!("{missing} verifications were not recorded"),
        };
        Err(Failure::Other { code: "not_recorded", message: format!("{what}: {why}") })
    }
}

/// A run that ends early keeps what it found out.
impl Drop for Recorder {
    fn drop(&mut self) {
        self.write();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Sqlite;

    fn seen(id: &str) -> Verification {
        Verification {
            verification_id: id.to_owned(),
            agent_id: "a".to_owned(),
            at: "2026-12-01T00:00:00Z".parse().unwrap(),
            passed: true,
        }
    }

    #[test]
    fn all_are_written_by_the_end() {
        let ledger: Arc<dyn Ledger> = Arc::new(Sqlite::in_memory());
        let mut recorder = Recorder::new(Arc::clone(&ledger));
        recorder.take([seen("first")]);
        // The first does not wait for others.
        assert_eq!(ledger.history("a").unwrap().len(), 1);
        for number in 0..3000 {
            recorder.take([seen(&number.to_string())]);
        }
        recorder.finish().unwrap();
        assert_eq!(ledger.history("a").unwrap().len(), 3001);
    }

    #[test]
    fn what_is_missing_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.sqlite");
        let ledger: Arc<dyn Ledger> = Arc::new(Sqlite::open(&path).unwrap());
        let sabotage = rusqlite::Connection::open(&path).unwrap();
        sabotage.execute_batch("DROP TABLE aov_verification").unwrap();
        let mut recorder = Recorder::new(ledger);
        recorder.take([seen("1"), seen("2")]);
        recorder.take([seen("3")]);
        let message = recorder.finish().unwrap_err().to_string();
        assert!(message.starts_with("3 verifications were not recorded: the ledger "), "{message}");
    }
}
