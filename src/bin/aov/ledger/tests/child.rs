//! Another process with the same ledger: this test binary, told by its environment what to do. It
//! says on standard output what was acknowledged.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use chrono::Utc;

use super::{Location, NamedBy, Taken, Verification, at_once, day};

const LEDGER: &str = "AOV_TEST_LEDGER";
const ROLE: &str = "AOV_TEST_ROLE";
/// The callers in a child.
pub(super) const THREADS: usize = 32;

pub(super) const AGENT: &str = "agent-7";
pub(super) const CLIENT: &str = "192.0.2.1";
pub(super) const DAY: &str = "2026-11-30";

/// A child at work, ended with its handle.
pub(super) struct Worker {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Worker {
    pub(super) fn start(ledger: &str, role: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["ledger::tests::child::work", "--exact", "--ignored", "--nocapture"])
            .env_clear()
            .env(LEDGER, ledger)
            .env(ROLE, role)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The next word that it says about an acknowledgement; none if it has ended.
    pub(super) fn acknowledged(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // A line that was cut off by the end of the process acknowledges nothing.
            let whole = line.strip_suffix('\n');
            if let Some(said) = whole.and_then(|line| line.strip_prefix("ack ")) {
                return Some(said.to_owned());
            }
        }
    }

    /// `kill -9`; then what it had said before.
    pub(super) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        std::iter::from_fn(|| self.acknowledged()).collect()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(what: &str) {
    let line = format!("ack {what}\n");
    // If nobody listens any more, the test is over.
    if std::io::stdout().lock().write_all(line.as_bytes()).is_err() {
        std::process::exit(1);
    }
}

#[test]
#[ignore = "the work of a child process, started by other tests"]
fn work() {
    let (Some(ledger), Ok(role)) = (std::env::var_os(LEDGER), std::env::var(ROLE)) else { return };
    let ledger = Location::named(&ledger, NamedBy::Setting).unwrap().open().unwrap();
    at_once(THREADS, |thread| {
        match &*role {
            // Until it is killed.
            "record" => loop {
                let id = uuid::Uuid::new_v4().to_string();
                let passed = thread % 2 == 0;
                let agent_id = AGENT.to_owned();
                let verification =
                    Verification { verification_id: id.clone(), agent_id, at: Utc::now(), passed };
                ledger.record(&verification).unwrap();
                say(&id);
            },
            // Until nothing is left of so many.
            limit => {
                let limit = limit.parse().unwrap();
                while ledger.take(CLIENT, day(DAY), limit).unwrap() != Taken::Exhausted {
                    say("taken");
                }
            }
        }
    });
}
