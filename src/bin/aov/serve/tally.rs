//! What the server has done since it started, for `GET /metrics` (SPEC 11.6): numbers only, never
//! anything of a client's.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use agent_output_verifier::check::Verdict;

use crate::ledger::PaymentState;

/// Upper bounds of the histogram, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0];

/// The counts.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    /// By endpoint and status.
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    passed: AtomicU64,
    failed: AtomicU64,
    scores: AtomicU64,
    free: AtomicU64,
    durations: [AtomicU64; BUCKETS.len()],
    duration_count: AtomicU64,
    duration_micros: AtomicU64,
}

impl Tallies {
    /// A request to an endpoint was answered.
    pub(crate) fn request(&self, endpoint: &'static str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((endpoint, status)).or_default() += 1;
        drop(requests);
        for (bound, count) in BUCKETS.iter().zip(&self.durations) {
            if took.as_secs_f64() <= *bound {
                add(count);
            }
        }
        add(&self.duration_count);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.duration_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// A verification was made.
    pub(crate) fn verified(&self, verdict: Verdict) {
        add(match verdict {
            Verdict::Pass => &self.passed,
            Verdict::Fail => &self.failed,
        });
    }

    /// A score was made.
    pub(crate) fn scored(&self) {
        add(&self.scores);
    }

    /// A free call was used.
    pub(crate) fn allowance_used(&self) {
        add(&self.free);
    }

    /// All of it as Prometheus reads it; payments come from the ledger.
    pub(crate) fn prometheus(&self, payments: Option<[u64; 4]>) -> String {
        let mut out = String::new();
        let head = |out: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        head(&mut out, "aov_requests_total", "counter", "Requests answered.");
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((endpoint, status), count) in &*requests {
            let _ = writeln!(
                out,
                "aov_requests_total{{endpoint=\"{endpoint}\",status=\"{status}\"}} {count}"
            );
        }
        drop(requests);
        head(&mut out, "aov_request_seconds", "histogram", "Time to answer a request.");
        for (bound, count) in BUCKETS.iter().zip(&self.durations) {
            let _ = writeln!(out, "aov_request_seconds_bucket{{le=\"{bound}\"}} {}", read(count));
        }
        let count = read(&self.duration_count);
        let seconds = Duration::from_micros(read(&self.duration_micros)).as_secs_f64();
        let _ = writeln!(
            out,
            "aov_request_seconds_bucket{{le=\"+Inf\"}} {count}\naov_request_seconds_sum {seconds}\naov_request_seconds_count {count}"
        );
        head(&mut out, "aov_verifications_total", "counter", "Verifications made, by result.");
        for (result, count) in [("pass", &self.passed), ("fail", &self.failed)] {
            let _ = writeln!(out, "aov_verifications_total{{result=\"{result}\"}} {}", read(count));
        }
        head(&mut out, "aov_scores_total", "counter", "Scores made.");
        let _ = writeln!(out, "aov_scores_total {}", read(&self.scores));
        head(
            &mut out,
            "aov_free_verifications_total",
            "counter",
            "Verifications paid from an allowance.",
        );
        let _ = writeln!(out, "aov_free_verifications_total {}", read(&self.free));
        if let Some(payments) = payments {
            head(&mut out, "aov_payments", "gauge", "Payments in the ledger, by state.");
            for (state, count) in PaymentState::ALL.iter().zip(payments) {
                let _ = writeln!(out, "aov_payments{{state=\"{}\"}} {count}", state.name());
            }
        }
        out
    }
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_counted() {
        let tallies = Tallies::default();
        tallies.request("verify_schema", 200, Duration::from_millis(3));
        tallies.request("verify_schema", 200, Duration::from_secs(60));
        tallies.request("health", 200, Duration::ZERO);
        tallies.verified(Verdict::Fail);
        let text = tallies.prometheus(Some([1, 2, 3, 4]));
        for line in [
            "aov_requests_total{endpoint=\"verify_schema\",status=\"200\"} 2",
            "aov_request_seconds_bucket{le=\"0.0025\"} 1",
            "aov_request_seconds_bucket{le=\"0.005\"} 2",
            "aov_request_seconds_bucket{le=\"+Inf\"} 3",
            "aov_request_seconds_count 3",
            "aov_request_seconds_sum 60.003",
            "aov_verifications_total{result=\"pass\"} 0",
            "aov_verifications_total{result=\"fail\"} 1",
            "aov_payments{state=\"settled\"} 3",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
        }
    }
}
