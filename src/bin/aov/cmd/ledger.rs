//! `aov ledger`: for operators: which payments there are, and what became of those whose end is
//! unknown.

use std::path::PathBuf;

use chrono::{DateTime, SecondsFormat, Utc};
use clap::ValueEnum;
use serde_json::{Value, json};

use super::{Failure, Session, serve};
use crate::args::Format;
use crate::exit::Exit;
use crate::ledger::open::LedgerOption;
use crate::ledger::{PaymentRecord, PaymentState};
use crate::manual::Manual;
use crate::output::Stdout;
use crate::serve::chain::Chain;
use crate::serve::money::MicroUsd;
use crate::serve::start;
use crate::serve::x402::reconcile::{Run, short};
use crate::serve::x402::start as payments;
use crate::serve::x402::wire;
use crate::term;

/// List payments, and find out about those whose end is unknown
///
/// A payment is claimed while it is being verified, settling from the moment on at which it may have
/// been charged, settled once it was, and unknown if nobody could say. Neither list nor log shows
/// anything that could be submitted.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List payments, newest first
    Payments(Payments),
    /// Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url
    /// names one. The same payment is sent again, which can charge it once at most
    Reconcile(Reconcile),
}

#[derive(Debug, clap::Args)]
struct Payments {
    /// Only those in this state
    #[arg(long, value_name = "STATE", value_enum)]
    state: Option<State>,

    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,

    #[command(flatten)]
    ledger: LedgerOption,

    /// How the list is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct Reconcile {
    /// The configuration of the server, which names ledger, facilitators and nodes [default: what
    /// AOV_CONFIG names]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// How the result is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Claimed,
    Settling,
    Settled,
    Unknown,
}

impl From<State> for PaymentState {
    fn from(state: State) -> Self {
        match state {
            State::Claimed => Self::Claimed,
            State::Settling => Self::Settling,
            State::Settled => Self::Settled,
            State::Unknown => Self::Unknown,
        }
    }
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        ("Payments of which nobody knows whether they were charged", "aov ledger payments --state unknown"),
        ("Find out", "aov ledger reconcile --config aov.toml"),
    ],
    exits: &[
        (0, "There is a list; or no payment is left whose end is unknown."),
        (2, "Cannot run as asked: usage, configuration, no ledger, ledger out of reach."),
        (3, "Of some payments it is still unknown, or somebody else works on them: try again later."),
    ],
};

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    match arguments.action {
        Action::Payments(arguments) => list(&arguments),
        Action::Reconcile(arguments) => reconcile(&arguments, session),
    }
}

fn list(arguments: &Payments) -> Result<Exit, Failure> {
    let ledger = arguments.ledger.location()?.open_existing()?;
    let records = ledger.payments(arguments.state.map(PaymentState::from), arguments.limit)?;
    let line = |record: &PaymentRecord| match arguments.format {
        Format::Json => format!("{}\n", as_json(record)),
        Format::Human => as_line(record),
    };
    let text: String = records.iter().map(line).collect();
    Stdout::default().write(text.as_bytes())?;
    Ok(Exit::Ok)
}

fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn transaction(record: &PaymentRecord) -> Option<String> {
    let settlement = wire::parse(record.settlement.as_deref()?.as_bytes())?;
    settlement["transaction"].as_str().map(str::to_owned)
}

fn as_line(record: &PaymentRecord) -> String {
    let network = Chain::of(&record.network).map_or(&*record.network, |chain| chain.name);
    let amount = record.amount.parse().map_or_else(|_| record.amount.clone(), |it| MicroUsd(it).to_string());
    let end = transaction(record).or_else(|| record.reason.clone()).unwrap_or_default();
    let line = format!(
        "{}  {:8}  {}  {amount} USDC on {network}  {}  {}  {end}",
        instant(record.created),
        record.state.name(),
        short(&record.key),
        record.payer,
        record.resource,
    );
    format!("{}\n", term::safe(line.trim_end()))
}

fn as_json(record: &PaymentRecord) -> Value {
    json!({
        "payment": short(&record.key),
        "state": record.state.name(),
        "network": record.network,
        "amount": record.amount,
        "payer": record.payer,
        "resource": record.resource,
        "created": instant(record.created),
        "updated": instant(record.updated),
        "valid_before": instant(record.valid_before),
        "transaction": transaction(record),
        "reason": record.reason,
    })
}

fn reconcile(arguments: &Reconcile, session: &Session) -> Result<Exit, Failure> {
    let failed = |message| Failure::Other { code: "not_reconciled", message };
    let config = serve::configuration(arguments.config.as_deref())?;
    let sale = config.sale.as_ref().ok_or_else(|| {
        Failure::Usage("the configuration names no networks: nothing is sold".to_owned())
    })?;
    let (ledger, _) = start::ledger(&config).map_err(failed)?;
    let reconciler = payments::reconciler(sale, ledger, &session.net, config.log).map_err(failed)?;
    for problem in reconciler.networks.refresh(Utc::now()) {
        (reconciler.log)(&format!("facilitator {problem}"));
    }
    let Run { paid, not_paid, open, busy } = reconciler.run(true)?;
    let text = match arguments.format {
        Format::Json => {
            let run = json!({ "paid": paid, "not_paid": not_paid, "unknown": open, "busy": busy });
            format!("{run}\n")
        }
        Format::Human => format!(
            "{paid} were paid, {not_paid} were not and never will be, {open} are still unknown, {busy} are being worked on\n"
        ),
    };
    Stdout::default().write(text.as_bytes())?;
    Ok(if open + busy == 0 { Exit::Ok } else { Exit::Unavailable })
}
