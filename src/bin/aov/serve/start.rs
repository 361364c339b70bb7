//! From a configuration to a server that is ready: key, ledger, documents, doors.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use agent_output_verifier::key::SigningKey;
use chrono::{DateTime, Utc};

use super::config::{Config, PublicUrl};
use super::counter::{Counter, Gate};
use super::discovery::Documents;
use super::engine::Engine;
use super::http::{Request, Response};
use super::negotiate;
use super::rest::{McpHandler, Site, not_found, problem};
use super::route::{Route, route};
use super::tally::Tallies;
use crate::cmd::keygen::new_key;
use crate::keyfile;
use crate::ledger::Ledger;
use crate::ledger::open::{Location, NamedBy};
use crate::output;
use crate::private;
use crate::signing::Signer;
use crate::term;

/// The name of the key in the data folder.
const KEY_FILE: &str = "aov.key";

/// The key to sign with, and what people are told about where it is.
pub(crate) fn key(config: &Config) -> Result<(SigningKey, String), String> {
    if let Some(path) = &config.key_file {
        let key = keyfile::read(path).map_err(|error| error.to_string())?;
        return Ok((key, term::safe_path(path)));
    }
    if let Some(key) = keyfile::from_environment() {
        let key = key.map_err(|error| error.to_string())?;
        return Ok((key, format!("from {}", keyfile::VARIABLE)));
    }
    let folder = private::xdg_folder("XDG_DATA_HOME", ".local/share").ok_or_else(|| {
        "there is no place for a signing key: neither XDG_DATA_HOME nor HOME is set; name a file \
         with --key-file"
            .to_owned()
    })?;
    key_in(&folder)
}

/// The key in the data folder, made at the first start.
fn key_in(folder: &Path) -> Result<(SigningKey, String), String> {
    let path: PathBuf = folder.join(KEY_FILE);
    let shown = term::safe_path(&path);
    if !path.exists() {
        private::create_folder(folder)
            .map_err(|error| format!("cannot make {}: {error}", term::safe_path(folder)))?;
        let key = new_key(None).map_err(|failure| failure.to_string())?;
        match keyfile::write(&path, &key) {
            Ok(()) => return Ok((key, format!("{shown} (new; keep a copy in a safe place)"))),
            // Another process was faster: its key is the one.
            Err(_) if path.exists() => {}
            Err(message) => return Err(message),
        }
    }
    let key = keyfile::read(&path).map_err(|error| error.to_string())?;
    Ok((key, shown))
}

/// The ledger, and what people are told about where it is.
pub(crate) fn ledger(config: &Config) -> Result<(Arc<dyn Ledger>, String), String> {
    let location = match &config.ledger {
        Some(named) => Location::named(named.as_ref(), NamedBy::Setting),
        None => Location::of_user(),
    };
    let open = |location: Location| Ok((location.open()?, location.to_string()));
    location.and_then(open).map_err(|error| error.to_string())
}

/// How often allowances of past days are forgotten.
const TIDY: Duration = Duration::from_secs(3600);

/// Forgets what is over, for as long as what it returns is kept. A server that sells has a thread
/// that looks after payments and does this as well.
pub(crate) fn housekeeping(ledger: Arc<dyn Ledger>) -> Result<mpsc::Sender<()>, String> {
    let (stop, stopped) = mpsc::channel::<()>();
    let work = move || {
        loop {
            if let Err(error) = ledger.tidy(Utc::now()) {
                output::complain(&format!("warning: the ledger was not tidied: {error}\n"));
            }
            if stopped.recv_timeout(TIDY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    };
    let thread = std::thread::Builder::new().name("housekeeping".to_owned()).spawn(work);
    thread.map_err(|error| format!("cannot start a thread: {error}"))?;
    Ok(stop)
}

/// The handler behind the public door.
pub(crate) struct Public {
    site: Site,
    tallies: Arc<Tallies>,
}

/// What a public handler is made of.
pub(crate) struct Parts<'p> {
    /// What was decided.
    pub(crate) config: &'p Config,
    /// Where clients find us.
    pub(crate) url: &'p PublicUrl,
    /// The key to sign with.
    pub(crate) key: SigningKey,
    /// The ledger.
    pub(crate) ledger: Arc<dyn Ledger>,
    /// Who takes payments; there must be one if something is sold.
    pub(crate) gate: Option<Arc<dyn Gate>>,
    /// What is counted.
    pub(crate) tallies: Arc<Tallies>,
    /// The time.
    pub(crate) clock: fn() -> DateTime<Utc>,
}

impl Public {
    /// Puts it together; `mcp` makes the handler of `/mcp` over the counter.
    pub(crate) fn new(
        parts: Parts<'_>,
        mcp: impl FnOnce(Arc<Counter>) -> Option<Box<McpHandler>>,
    ) -> Self {
        let Parts { config, url, key, ledger, gate, tallies, clock } = parts;
        let documents = Documents::new(config, url, &key, gate.clone());
        let engine = Engine::new(Signer::new(key, url.as_str(), &config.service));
        let counter =
            Counter::new(config, engine, Arc::clone(&ledger), gate, Arc::clone(&tallies), clock);
        let counter = Arc::new(counter);
        let mcp = mcp(Arc::clone(&counter));
        let proxies = config.proxies.clone();
        Self { site: Site { counter, ledger, documents, proxies, mcp }, tallies }
    }

    /// Answers a request. This is where the clocks are read.
    pub(crate) fn handle(&self, request: &Request) -> Response {
        let started = Instant::now();
        let response = self.site.answer(request, Utc::now());
        let endpoint = match route(request) {
            Route::To(endpoint) | Route::Options(endpoint) | Route::WrongMethod(endpoint) => {
                endpoint.name()
            }
            Route::NotFound => "none",
        };
        self.tallies.request(endpoint, response.status, started.elapsed());
        response
    }
}

/// The handler behind the operator's door.
pub(crate) struct Admin {
    ledger: Arc<dyn Ledger>,
    tallies: Arc<Tallies>,
}

impl Admin {
    /// Over the same ledger and counts.
    pub(crate) fn new(ledger: Arc<dyn Ledger>, tallies: Arc<Tallies>) -> Self {
        Self { ledger, tallies }
    }

    /// Answers a request.
    pub(crate) fn handle(&self, request: &Request) -> Response {
        let reads = matches!(&*request.method, "GET" | "HEAD");
        match &*request.path {
            "/metrics" | "/health" if !reads => {
                let methods = "GET, HEAD";
                let refused = super::problem::Problem::new(
                    "method_not_allowed",
                    405,
                    format!("This path takes {methods} only."),
                );
                problem(&refused).with("allow", methods)
            }
            "/metrics" => {
                // What the ledger does not say is left out, not zero.
                let payments = self.ledger.payment_counts().ok();
                let text = self.tallies.prometheus(payments);
                Response::new(200, "text/plain; version=0.0.4; charset=utf-8", text)
                    .with("cache-control", "no-store")
            }
            "/health" => match negotiate::takes_json(&request.fields) {
                Ok(()) => super::rest::health(&*self.ledger),
                Err(refused) => problem(&refused),
            },
            _ => problem(&not_found()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_start_makes_a_key_and_later_ones_use_it() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("share/aov");
        let (first, told) = key_in(&folder).unwrap();
        assert!(told.contains("aov.key") && told.contains("new"), "{told}");
        let (second, told) = key_in(&folder).unwrap();
        assert!(!told.contains("new"), "{told}");
        assert_eq!(first.public(), second.public());
        assert_eq!(first.version(), second.version());
    }

    #[test]
    fn a_broken_key_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        private::write_new(&home.path().join(KEY_FILE), b"nonsense").unwrap();
        assert!(key_in(home.path()).is_err());
        assert_eq!(std::fs::read(home.path().join(KEY_FILE)).unwrap(), b"nonsense");
    }
}
