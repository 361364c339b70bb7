//! `aov serve`: the checks, scores and receipts for clients elsewhere.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::Utc;

use super::{Failure, Session};
use crate::exit::Exit;
use crate::keyfile;
use crate::ledger::open::{Location, NamedBy};
use crate::manual::Manual;
use crate::output::{self, Stdout};
use crate::serve::config::{Config, Layers};
use crate::serve::counter::Gate;
use crate::serve::listen::{self, Doors};
use crate::serve::mcp::{Dispatcher, http as mcp};
use crate::serve::signals::Stop;
use crate::serve::start::{self, Admin, Parts, Public};
use crate::serve::tally::Tallies;
use crate::serve::x402::cdp;
use crate::serve::x402::start::{self as payments, Caretaker};
use crate::term;
use crate::wallet;

/// The variable that may name the configuration instead of the option.
const CONFIG_VARIABLE: &str = "AOV_CONFIG";

/// Variables of ours that are no keys of the configuration.
const OTHER_VARIABLES: [&str; 4] =
    [CONFIG_VARIABLE, keyfile::VARIABLE, cdp::VARIABLE, wallet::VARIABLE];

/// Serve checks, scores and receipts over HTTP
///
/// Without anything it serves free on 127.0.0.1:8402, with a key and a ledger that the first start
/// makes in your data folder. With [[networks]] in the configuration it takes payments (x402 v2, in
/// USDC). Settings come from one TOML file, AOV_* variables and options, each over the one before;
/// every key of the file is a variable too (limits.workers is AOV_LIMITS_WORKERS).
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The configuration, a TOML file [default: what AOV_CONFIG names, if anything]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The address to listen on; port 0 takes a free one [default: 127.0.0.1:8402]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,

    /// The address for GET /metrics; without it there is none
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,

    /// Where clients find the service, as receipts and payments name it [default: the address that
    /// it listens on, if that is this machine's own]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,

    /// The name of the service in receipts [default: aov]
    #[arg(long, value_name = "NAME")]
    service: Option<String>,

    /// The signing key, which aov keygen makes [default: AOV_SECRET_KEY, else aov.key in the data
    /// folder]
    #[arg(long, value_name = "FILE")]
    key_file: Option<String>,

    /// The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from
    /// PGPASSWORD [default: ledger.sqlite in the data folder]
    #[arg(long, value_name = "PATH|URL")]
    ledger: Option<String>,

    /// Free verifications for each client and day [default: 1000 where payments are taken, else no
    /// limit]
    #[arg(long, value_name = "N")]
    free_per_day: Option<String>,

    /// How requests are logged on standard error: text or json [default: text]
    #[arg(long, value_name = "FORMAT")]
    log: Option<String>,

    /// Set any key of the configuration, such as limits.workers=8
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Print the whole configuration that would be used, and stop
    #[arg(long)]
    print_config: bool,
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        ("Serve free on this machine", "aov serve"),
        (
            "Serve behind a proxy that ends TLS",
            "aov serve --public-url https://verifier.example --set trusted_proxies=127.0.0.1",
        ),
        ("See what a configuration comes to", "aov serve --config aov.toml --print-config"),
    ],
    exits: &[
        (0, "It was told to stop, and stopped in order."),
        (2, "It did not start: the configuration, the key, the ledger or the address cannot be used."),
    ],
};

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    let config = arguments.config()?;
    if arguments.print_config {
        Stdout::default().write(config.to_toml().as_bytes())?;
        return Ok(Exit::Ok);
    }
    serve(&config, session).map_err(|message| Failure::Other { code: "not_started", message })
}

impl Args {
    /// The layers, merged and decided.
    fn config(&self) -> Result<Config, Failure> {
        let mut layers = layers(self.config.as_deref())?;
        if let Some(ledger) = &self.ledger {
            // Here, since further on nobody knows who named it.
            Location::named(ledger.as_ref(), NamedBy::CommandLine)
                .map_err(|error| Failure::Usage(error.to_string()))?;
        }
        for (key, value) in [
            ("listen", &self.listen),
            ("admin", &self.admin),
            ("public_url", &self.public_url),
            ("service", &self.service),
            ("key_file", &self.key_file),
            ("ledger", &self.ledger),
            ("allowance.per_day", &self.free_per_day),
            ("log", &self.log),
        ] {
            if let Some(value) = value {
                layers.flag(key, value).map_err(Failure::Usage)?;
            }
        }
        for pair in &self.set {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| Failure::Usage("--set wants KEY=VALUE".to_owned()))?;
            if key == "ledger" {
                return Err(Failure::Usage("name the ledger with --ledger".to_owned()));
            }
            layers.flag(key, value).map_err(Failure::Usage)?;
        }
        decide(layers)
    }
}

/// The file, named or by the environment, and the variables over it.
fn layers(file: Option<&Path>) -> Result<Layers, Failure> {
    let mut layers = Layers::default();
    let file = file.map(Path::to_owned).or_else(|| {
        std::env::var_os(CONFIG_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from)
    });
    if let Some(path) = file {
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Failure::Usage(format!("cannot read {}: {error}", term::safe_path(&path)))
        })?;
        layers.file(&path, &text).map_err(Failure::Usage)?;
    }
    let variables = std::env::vars_os().filter(|(_, value): &(OsString, OsString)| !value.is_empty());
    let unknown = layers.environment(variables, &OTHER_VARIABLES).map_err(Failure::Usage)?;
    for name in unknown {
        output::complain(&format!("warning: {} is no setting of aov serve\n", term::safe(&name)));
    }
    Ok(layers)
}

fn decide(layers: Layers) -> Result<Config, Failure> {
    let settings = layers.settings().map_err(Failure::Usage)?;
    Config::decide(settings).map_err(|problems| {
        let lines: Vec<_> = problems.iter().map(|problem| format!("\n  {problem}")).collect();
        Failure::Usage(format!("the configuration cannot be used:{}", lines.concat()))
    })
}

/// The configuration that a server would have, for who works on the same ledger.
pub(super) fn configuration(file: Option<&Path>) -> Result<Config, Failure> {
    decide(layers(file)?)
}

/// Serves until it is told to stop.
fn serve(config: &Config, session: &Session) -> Result<Exit, String> {
    let (key, key_told) = start::key(config)?;
    let (ledger, ledger_told) = start::ledger(config)?;
    let stop = Stop::on_signals().map_err(|error| format!("cannot wait for signals: {error}"))?;
    let doors = Doors::open(config)?;
    let url = config.public_url(doors.public())?;
    let version = key.version().to_string();
    let reconciler = config.sale.as_ref().map(|sale| {
        payments::reconciler(sale, Arc::clone(&ledger), &session.net, config.log)
    });
    let reconciler = reconciler.transpose()?;
    let gate = reconciler.as_ref().map(|it| payments::gate(config, url.as_str(), it));
    // Until the end: it looks after payments.
    let _caretaker = reconciler.map(Caretaker::start).transpose()?;
    // The same of a server that takes none: it forgets allowances of past days.
    let _housekeeping = match config.sale {
        None => Some(start::housekeeping(Arc::clone(&ledger))?),
        Some(_) => None,
    };
    let tallies = Arc::new(Tallies::default());
    let parts = Parts {
        config,
        url: &url,
        key,
        ledger: Arc::clone(&ledger),
        gate: gate.map(|gate| Arc::new(gate) as Arc<dyn Gate>),
        tallies: Arc::clone(&tallies),
        clock: Utc::now,
    };
    let public = Public::new(parts, |counter| {
        let dispatcher = Arc::new(Dispatcher::new(counter, true));
        Some(mcp::handler(dispatcher, config, &url))
    });
    let admin = Admin::new(ledger, tallies);
    output::complain(&format!(
        "listening on {}\n  service  {url}\n{}  key      {version}, {key_told}\n  ledger   {ledger_told}\n",
        doors.public(),
        doors.admin().map_or_else(String::new, |at| format!("  metrics  http://{at}/metrics\n")),
    ));
    listen::serve(doors, config, &stop, Arc::new(public), Arc::new(admin))?;
    Ok(Exit::Ok)
}
