//! `aov score`: how often has an agent's output passed?

mod receipts;
mod remote;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use agent_output_verifier::request::check_id;
use agent_output_verifier::response::Json;
use agent_output_verifier::score::{Observation, Score, body, instant, is_reserved};
use chrono::{DateTime, Utc};

use super::verify_receipt::trust::Trust;
use super::{Failure, Session};
use crate::args::Format;
use crate::buyer::PayOptions;
use crate::exit::Exit;
use crate::ledger::open::LedgerOption;
use crate::manual::Manual;
use crate::output::{self, Stdout};
use crate::report::score::Shown;
use crate::term::Terminal;

/// Show how often an agent's output has passed
///
/// The score is the share of verifications that passed; one of today weighs twice as much as one
/// of 30 days ago. The 95% interval says how much that is worth: it is Wilson's, at the effective
/// sample size. It is read from your own ledger, which aov check --record and aov serve write; or
/// from a server, whose signature is verified before anything is shown; or computed from receipts
/// that you hold, so that anyone with the same files gets the same number.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Whose score; with --receipts it may be left out if they are all about one agent
    #[arg(value_name = "AGENT_ID", required_unless_present = "receipts")]
    agent_id: Option<String>,

    #[command(flatten)]
    ledger: LedgerOption,

    /// Ask the server at this address instead: GET URL/score/AGENT_ID. If it wants to be paid, price
    /// and networks are shown (exit code 4); nothing is paid without --pay
    #[arg(long, value_name = "URL", conflicts_with_all = ["ledger", "receipts"])]
    url: Option<String>,

    /// Compute it from these receipts instead: files, folders (their *.json and *.jsonl), or - for
    /// standard input. Only genuine ones of trusted issuers count, each once
    #[arg(long, value_name = "RECEIPT", num_args = 1.., conflicts_with = "ledger")]
    receipts: Vec<PathBuf>,

    /// Every input of --receipts has one receipt on each line, also out of gzip; *.jsonl, *.ndjson
    /// and *.jsonl.gz are always read so
    #[arg(long, requires = "receipts")]
    jsonl: bool,

    #[command(flatten)]
    trust: Trust,

    #[command(flatten)]
    pay: PayOptions,

    /// How the score is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Report")]
    format: Format,
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        ("The score of an agent in your own ledger", "aov score seller-7"),
        (
            "From a server that you trust, for a program",
            "aov score seller-7 --url https://score.sarnai.dev --format json",
        ),
        (
            "From receipts that a seller shows, by issuers that you trust",
            "aov score seller-7 --receipts receipts/ --trust verifier.example",
        ),
    ],
    exits: &[
        (0, "There is an answer; it may be that nothing is known of the agent (no_data)."),
        (
            1,
            "The server's answer is not genuine, not about this agent or not fresh, or its issuer is not trusted; or some of the receipts are not genuine or contradict each other.",
        ),
        (
            2,
            "Cannot run as asked: usage, no ledger, ledger out of reach, receipts that cannot be read.",
        ),
        (
            3,
            "The server, or a key that is needed, is out of reach, or the server cannot answer now: worth a retry.",
        ),
        (
            4,
            "The server wants to be paid first; price and networks are shown. With --pay: it asks for something that must not be paid, or refused the payment.",
        ),
    ],
};

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    let now = Utc::now();
    if let Some(agent_id) = &arguments.agent_id {
        check_id("AGENT_ID", agent_id).map_err(|problem| {
            Failure::Usage(format!("AGENT_ID {}: {}", problem.problem, problem.fix))
        })?;
    }
    let terminal = Terminal::stdout(session.color);
    let (text, exit) = match (&arguments.agent_id, &arguments.url) {
        (_, None) if !arguments.receipts.is_empty() => {
            receipts::score(&arguments, session, now, terminal)?
        }
        (Some(agent_id), Some(url)) => {
            let asked = remote::Asked { agent_id, base: url, format: arguments.format, terminal };
            let purse = arguments.pay.purse()?;
            remote::score(&asked, &arguments.trust, purse.as_ref(), session, now)?
        }
        (Some(agent_id), None) => (local(agent_id, &arguments, now, terminal)?, Exit::Ok),
        (None, _) => return Err(Failure::Usage("name an AGENT_ID".to_owned())),
    };
    Stdout::default().write(text.as_bytes())?;
    Ok(exit)
}

/// From the ledger.
fn local(
    agent_id: &str,
    arguments: &Args,
    now: DateTime<Utc>,
    terminal: Terminal,
) -> Result<String, Failure> {
    if arguments.trust.is_given() {
        let message = "your own ledger needs no key: --public-key, --agent-card, --trust and \
                       --offline are for --url and --receipts";
        return Err(Failure::Usage(message.to_owned()));
    }
    let location = arguments.ledger.location()?;
    let known = location.open_existing()?.history(agent_id)?;
    if is_reserved(agent_id) {
        output::complain("note: agent ids that begin with test- are never recorded\n");
    }
    let history: Vec<_> = known.iter().map(|it| it.passed).collect();
    let observations = known.iter().map(|it| Observation { at: it.at, passed: it.passed });
    let score = Score::of(observations.collect(), now);
    Ok(match arguments.format {
        Format::Human => {
            let source = format!("the ledger {location}");
            Shown::of(agent_id, &score).human(&history, &source, terminal)
        }
        Format::Json => pretty(&body(agent_id, &score, &instant(now), None)),
    })
}

fn pretty(body: &Json) -> String {
    body.to_pretty() + "\n"
}
