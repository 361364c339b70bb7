//! From a configuration to a gate that takes payments, and the thread that looks after it.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use chrono::Utc;

use super::super::config::{Config, LogFormat, Sale};
use super::cdp::{self, Credentials};
use super::facilitator::{Facilitator, HttpFacilitator, Patience};
use super::gate::{PaymentGate, Seller};
use super::proof::{HttpNode, Node};
use super::reconcile::{Log, Reconciler};
use super::supported::{Network, Networks, REFRESH_SECONDS, RETRY_SECONDS};
use crate::ledger::{Ledger, PaymentLimits};
use crate::net::Net;
use crate::output;
use crate::term;

/// How often it is seen whether there are payments to find out about: one that was being settled when
/// its server died is valid for minutes only.
const RECONCILE: Duration = Duration::from_secs(10);
/// How often what need not be kept is forgotten.
const TIDY: Duration = Duration::from_secs(3600);

/// What there is to find out about payments with; also without a server.
pub(crate) fn reconciler(
    sale: &Sale,
    ledger: Arc<dyn Ledger>,
    net: &Net,
    log: LogFormat,
) -> Result<Reconciler, String> {
    let networks: Result<_, String> = sale.networks.iter().map(|it| network(it, net)).collect();
    Ok(Reconciler {
        networks: Arc::new(Networks::new(networks?)),
        ledger,
        clock: Arc::new(Utc::now),
        log: to_stderr(log),
    })
}

/// The gate of a server under this public address.
pub(crate) fn gate(config: &Config, public_url: &str, reconciler: &Reconciler) -> PaymentGate {
    let seller = Seller {
        public_url: public_url.trim_end_matches('/').to_owned(),
        service: config.service.clone(),
    };
    let limits = PaymentLimits {
        open: config.limits.open_payments,
        open_per_payer: config.limits.open_payments_per_payer,
    };
    PaymentGate::new(seller, limits, reconciler.clone())
}

fn network(configured: &super::super::config::Network, net: &Net) -> Result<Network, String> {
    let credentials = configured.cdp_key_file.as_deref().map(Path::new);
    let mut facilitators: Vec<Arc<dyn Facilitator>> = Vec::new();
    for url in &configured.facilitators {
        let credentials = match (is_cdp(url), credentials) {
            (false, _) => None,
            (true, Some(path)) => Some(Credentials::read(path)?),
            (true, None) => Some(Credentials::from_environment().ok_or_else(|| {
                format!("{} needs a key: name a cdp_key_file, or set {}", cdp::HOST, cdp::VARIABLE)
            })??),
        };
        let credentials = credentials.map(Arc::new);
        facilitators.push(Arc::new(HttpFacilitator::new(
            net.clone(),
            url,
            credentials,
            Patience::default(),
        )));
    }
    let node = |url: &String| Arc::new(HttpNode::new(net.clone(), url)) as Arc<dyn Node>;
    Ok(Network {
        chain: configured.chain,
        pay_to: configured.pay_to.clone(),
        facilitators,
        node: configured.rpc_url.as_ref().map(node),
    })
}

/// Exactly that host, over TLS: a token for another would be a gift.
fn is_cdp(url: &str) -> bool {
    url.strip_prefix("https://")
        .and_then(|rest| rest.strip_prefix(cdp::HOST))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn to_stderr(format: LogFormat) -> Log {
    Arc::new(move |line| {
        let at = Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        let line = term::safe(line);
        output::complain(&match format {
            LogFormat::Text => format!("{at} {line}\n"),
            LogFormat::Json => format!("{}\n", serde_json::json!({ "at": at, "message": line })),
        });
    })
}

/// Keeps what is offered fresh, finds out about payments, and forgets what is over. It stops when it
/// is dropped; an attempt that is under way then is as good as one that was killed.
#[derive(Debug)]
pub(crate) struct Caretaker {
    _stop: Sender<()>,
}

impl Caretaker {
    /// Asks the facilitators once, and goes on in a thread of its own.
    pub(crate) fn start(reconciler: Reconciler) -> Result<Self, String> {
        let complete = refresh(&reconciler);
        let (sender, stop) = mpsc::channel::<()>();
        let work = move || {
            let mut duties = Duties::new(complete);
            loop {
                duties.do_what_is_due(&reconciler);
                match stop.recv_timeout(duties.time_left()) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        std::thread::Builder::new()
            .name("payments".to_owned())
            .spawn(work)
            .map_err(|error| format!("cannot start the thread for payments: {error}"))?;
        Ok(Self { _stop: sender })
    }
}

/// Whether every facilitator answered.
fn refresh(reconciler: &Reconciler) -> bool {
    let problems = reconciler.networks.refresh((reconciler.clock)());
    problems.iter().for_each(|problem| (reconciler.log)(&format!("facilitator {problem}")));
    problems.is_empty()
}

struct Duties {
    refresh: Instant,
    reconcile: Instant,
    tidy: Instant,
}

impl Duties {
    fn new(complete: bool) -> Self {
        let now = Instant::now();
        Self { refresh: now + next_refresh(complete), reconcile: now, tidy: now }
    }

    fn do_what_is_due(&mut self, reconciler: &Reconciler) {
        let now = Instant::now();
        if self.refresh <= now {
            let complete = refresh(reconciler);
            self.refresh = Instant::now() + next_refresh(complete);
        }
        if self.reconcile <= now {
            if let Err(error) = reconciler.run(false) {
                (reconciler.log)(&format!("payments: {error}"));
            }
            self.reconcile = Instant::now() + RECONCILE;
        }
        if self.tidy <= now {
            if let Err(error) = reconciler.ledger.tidy((reconciler.clock)()) {
                (reconciler.log)(&format!("payments: {error}"));
            }
            self.tidy = Instant::now() + TIDY;
        }
    }

    fn time_left(&self) -> Duration {
        self.refresh.min(self.reconcile).min(self.tidy).saturating_duration_since(Instant::now())
    }
}

fn next_refresh(complete: bool) -> Duration {
    Duration::from_secs(if complete { REFRESH_SECONDS } else { RETRY_SECONDS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_18_only_coinbase_gets_a_token_of_coinbase() {
        assert!(is_cdp("https://api.cdp.coinbase.com/platform/v2/x402"));
        for other in [
            "http://api.cdp.coinbase.com/platform/v2/x402",
            "https://api.cdp.coinbase.com.evil.example/x",
            "https://api.cdp.coinbase.com@evil.example/x",
            "https://api.cdp.coinbase.com:444/x",
            "https://evil.example/api.cdp.coinbase.com",
        ] {
            assert!(!is_cdp(other), "{other}");
        }
    }
}
