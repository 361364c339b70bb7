//! `aov check`: does this output meet what was agreed?

mod remote;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_output_verifier::request::Detail;
use clap::ValueEnum;

use super::{Failure, Session};
use crate::agreed::{Agreed, Kept};
use crate::args::{Parts, ReportFormat, Terms};
use crate::batch::{in_order, progress::Progress};
use crate::exit::Exit;
use crate::input;
use crate::ledger::open::{LedgerOption, Location};
use crate::manual::Manual;
use crate::output::{self, WriteError};
use crate::recorder::Recorder;
use crate::records::{self, Origin, Walk};
use crate::report::format::Style;
use crate::report::human::Amount;
use crate::reporter::{Checker, Reporter, Scribe};
use crate::requirements::{Requirements, Settings};
use crate::signing::{Signer, Signing};
use crate::term::Terminal;

/// From this many bytes on a second thread costs less than it saves.
const LARGE: usize = 256 << 10;

/// Check outputs against agreed requirements
///
/// Each FILE is a whole request: an object with task_id, expected_schema, submitted_output and, if
/// wanted, rules, bounds and more. With --schema or --template each FILE is a bare output instead.
///
/// Schema errors, content that --strict-content forbids, and enforced findings of rules and bounds
/// fail an output. Placeholders, cut-off texts and advisory findings are warnings.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Requests, or outputs; of a folder its *.json; `-` is standard input, and the default where
    /// that is no terminal
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    many: Many,

    #[command(flatten)]
    parts: Parts,

    #[command(flatten)]
    terms: Terms,

    #[command(flatten)]
    signing: Signing,

    #[command(flatten)]
    keeping: Keeping,

    #[command(flatten)]
    out: Out,

    #[command(flatten)]
    remote: remote::Remote,
}

/// Inputs by the thousand.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Many inputs")]
struct Many {
    /// Check the files that this file lists, one a line or apart by NUL; `-` is standard input
    #[arg(long, value_name = "LIST")]
    files_from: Option<PathBuf>,

    /// Take each line of each FILE as an input, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz
    /// are always read so
    #[arg(long)]
    jsonl: bool,

    /// Stop at the first input that does not pass
    #[arg(long)]
    fail_fast: bool,

    /// How many threads check [default: one per processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// What is kept of verifications.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Ledger")]
struct Keeping {
    /// Record each verdict that is about an agent_id, for aov score; ids that begin with test- are
    /// never recorded
    #[arg(long)]
    record: bool,

    #[command(flatten)]
    ledger: LedgerOption,
}

/// How the result is given.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
struct Out {
    /// How to report
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: ReportFormat,

    /// How much to report; full unless the request says otherwise
    #[arg(long, value_name = "AMOUNT", value_enum)]
    detail: Option<DetailName>,

    /// Show types instead of values of outputs, in every format; names, paths and hashes stay
    #[arg(long)]
    redact: bool,

    /// Print no report: the exit code tells
    #[arg(short, long)]
    quiet: bool,

    /// Write the report into a file, whole or not at all, instead of printing it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DetailName {
    Full,
    Compact,
}

impl From<DetailName> for Detail {
    fn from(name: DetailName) -> Self {
        match name {
            DetailName::Full => Self::Full,
            DetailName::Compact => Self::Compact,
        }
    }
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        ("Check a whole request", "aov check request.json"),
        (
            "Check an invoice against a schema and rules that bind",
            "aov check --schema schema.json --rules rules.json --enforce-rules invoice.json",
        ),
        (
            "Check what an agent prints, for a script",
            "my-agent | aov check --schema schema.json --format json -",
        ),
        (
            "Answer with a signed receipt, which is never overwritten",
            "aov check request.json --format json --output receipt.json \\\n--sign-key aov.key --public-url https://verifier.example",
        ),
        (
            "Check a delivery and keep the verdict, for aov score seller-7",
            "aov check --schema schema.json --agent-id seller-7 --record invoice.json",
        ),
        (
            "Check a folder of outputs, for the test report of a CI system",
            "aov check --schema schema.json --format junit --output report.xml outputs/",
        ),
        (
            "Let a server check, which signs its answer, and pay it at most 2 cents (x402, USDC on Base)",
            "aov check request.json --url https://verify.sarnai.dev \\\n--pay --max-price 0.02 --wallet-key-file wallet.key",
        ),
        (
            "Check each line of a packed file, one verdict a line",
            "aov check --schema schema.json --format jsonl outputs.jsonl.gz",
        ),
    ],
    exits: &[
        (0, "Every output meets the requirements."),
        (1, "At least one output does not."),
        (
            2,
            "Something could not be checked, or not be recorded: usage, invalid request, malformed JSON, unreadable file, ledger out of reach.",
        ),
        (
            3,
            "With --url: the server or a key is out of reach, or it is not known yet whether a payment was taken; run the same command again, which sends the same payment.",
        ),
        (
            4,
            "With --url: the server wants to be paid first; price and networks are shown. With --pay: it asks for something that must not be paid, or refused the payment.",
        ),
    ],
};

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    if let Some(url) = &arguments.remote.url {
        return send(&arguments, url, session);
    }
    if arguments.remote.is_partly_given() {
        let message = "--trust, --public-key, --agent-card and --offline are for the answer of a server: add --url";
        return Err(Failure::Usage(message.to_owned()));
    }
    let signer = arguments.signing.signer(&mut session.inputs);
    let signs = !matches!(signer, Ok(None));
    let (signer, unsigned) = match signer {
        Ok(signer) => (signer, None),
        Err(failure) => (None, Some(failure)),
    };
    let mut scribe = arguments.out.scribe(signer.as_ref(), session);
    scribe.records = arguments.keeping.record;
    let nowhere = || input::Origin { name: "aov".to_owned(), path: None, line: None };
    let out = arguments.out.output.clone();
    let done = match unsigned {
        Some(failure) => Err(failure),
        None => check_all(arguments, scribe, session),
    };
    done.or_else(|failure| {
        if let (Failure::Write(_), _) | (_, true) = (&failure, scribe.style.is_human()) {
            return Err(failure);
        }
        // An error never takes the name of a receipt.
        let out = out.filter(|_| !signs);
        // What programs read is a valid report whatever happens.
        let mut reporter = Reporter::new(Scribe { signer: None, ..scribe }, out.as_deref(), Progress::new(None, true))?;
        reporter.note(&scribe.failure(&nowhere(), &failure))?;
        reporter.finish(false)?;
        Ok(Exit::CannotRun)
    })
}

/// One whole request to a server.
fn send(arguments: &Args, url: &str, session: &mut Session) -> Result<Exit, Failure> {
    let Args { files, many, parts, terms, signing, keeping, out, remote } = arguments;
    let here = many.is_given()
        || parts.is_given()
        || terms.is_given()
        || signing.is_given()
        || keeping.record
        || out.detail.is_some()
        || out.redact;
    let one = match &**files {
        [] => None,
        [file] => Some(&**file),
        _ => return Err(Failure::Usage("--url sends one request: name one file".to_owned())),
    };
    if here {
        return Err(Failure::Usage(
            "--url sends a whole request as it is: put schema, rules and options into it".to_owned(),
        ));
    }
    let file = session.inputs.file_or_stdin(one)?;
    let order = remote::Order {
        file: &file,
        format: out.format,
        quiet: out.quiet,
        output: out.output.as_ref(),
    };
    remote::check(remote, url, &order, session)
}

fn check_all(arguments: Args, scribe: Scribe<'_>, session: &mut Session) -> Result<Exit, Failure> {
    let Args { files, many, parts, terms, keeping, out, signing: _, remote: _ } = arguments;
    if scribe.signer.is_some() && out.format != ReportFormat::Json {
        return Err(Failure::Usage("a signed answer is JSON: add --format json".to_owned()));
    }
    let settings = Settings { terms: &terms, detail: out.detail.map(Detail::from) };
    let requirements = Requirements::load(&parts, &terms, &mut session.inputs)?;
    let agreed = Agreed::new(&requirements, &settings)?;
    let (origins, by_thousands) = many.origins(files, agreed.requirements.is_whole(), session)?;
    refuse_what_cannot_be_done(&origins, &parts, &out)?;

    let one = matches!(&*origins, [origin] if origin.is_single());
    let jobs = match many.jobs {
        _ if one => 1,
        Some(jobs) => jobs.get(),
        None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    let style = Style { terse: by_thousands, ..scribe.style };
    let scribe = Scribe { style, ..scribe };
    let large = if one { LARGE } else { usize::MAX };
    let checker = Checker { agreed: &agreed, scribe, large, fail_fast: many.fail_fast };
    let progress = out.progress(&origins, scribe);
    let recorder = keeping.recorder(out.output.as_deref())?;
    let mut reporter =
        Reporter::new(scribe, out.output.as_deref(), progress)?.recording(recorder);
    let origins: Arc<[Origin]> = origins.into();
    let mut written = Ok(());
    in_order(
        jobs,
        records::all_blocks(Arc::clone(&origins)),
        Kept::default,
        |kept, (at, block)| checker.block(&origins[at], block, kept),
        |entries| match reporter.take(&entries, many.fail_fast) {
            Ok(more) => more,
            Err(error) => {
                written = Err(error);
                false
            }
        },
    );
    written?;
    if reporter.inputs() == 0 {
        let message = "there is nothing to check: no input was found".to_owned();
        let failure = Failure::Other { code: "nothing_to_check", message };
        let origin = match &*origins {
            [only] => input::Origin { name: only.name.clone(), path: only.path.clone(), line: None },
            _ => input::Origin { name: "aov".to_owned(), path: None, line: None },
        };
        reporter.note(&scribe.failure(&origin, &failure))?;
    }
    Ok(reporter.finish(!one)?)
}

impl Keeping {
    /// The ledger, open before anything is checked.
    fn recorder(&self, output: Option<&Path>) -> Result<Option<Recorder>, Failure> {
        if !self.record {
            return match self.ledger.ledger {
                Some(_) => Err(Failure::Usage("--ledger is for --record; add it".to_owned())),
                None => Ok(None),
            };
        }
        let location = self.ledger.location()?;
        let apart = || match (&location, output) {
            (Location::File(ledger), Some(output)) if output::is_same_file(output, ledger) => {
                Err(WriteError::in_use(output, "ledger"))
            }
            _ => Ok(()),
        };
        // Before, so that what is wrong with it is not reported into it; and behind, for a new one.
        apart()?;
        let recorder = Recorder::new(location.open()?);
        apart()?;
        Ok(Some(recorder))
    }
}

impl Many {
    fn is_given(&self) -> bool {
        self.files_from.is_some() || self.jsonl || self.fail_fast || self.jobs.is_some()
    }

    /// Where inputs come from, and whether so many may be meant that only those are of interest
    /// about which there is something to say.
    fn origins(
        &self,
        mut files: Vec<PathBuf>,
        whole: bool,
        session: &mut Session,
    ) -> Result<(Vec<Origin>, bool), Failure> {
        if let Some(list) = &self.files_from {
            let list = session.inputs.read(list, "the list of files")?;
            files.extend(records::listed(&list.bytes));
        } else if files.is_empty() {
            files.push(session.inputs.file_or_stdin(None)?);
        }
        let role = if whole { "the request" } else { "the output" };
        let walk = Walk { all_lines: self.jsonl, extensions: &["json"], role };
        let origins = walk.origins(&files, &mut session.inputs)?;
        let by_thousands = self.files_from.is_some()
            || origins.len() != files.len()
            || origins.iter().any(|origin| !origin.is_single())
            || files.iter().any(|file| file.is_dir());
        Ok((origins, by_thousands))
    }
}

fn refuse_what_cannot_be_done(
    origins: &[Origin],
    parts: &Parts,
    out: &Out,
) -> Result<(), Failure> {
    let one = matches!(origins, [origin] if origin.is_single());
    if out.format == ReportFormat::Json && !one {
        return Err(Failure::Usage(
            "--format json prints one response body; use --format jsonl for several inputs"
                .to_owned(),
        ));
    }
    let Some(output) = &out.output else { return Ok(()) };
    let inputs = origins.iter().filter_map(|origin| origin.path.as_ref());
    let mut inputs = inputs.chain(&parts.schema).chain(&parts.rules).chain(&parts.template);
    match inputs.find(|input| output::is_same_file(output, input)) {
        Some(input) => {
            let what = format!("input {}", crate::term::safe_path(input));
            Err(WriteError::in_use(output, &what).into())
        }
        None => Ok(()),
    }
}

impl Out {
    fn to_file(&self) -> bool {
        self.output.as_deref().is_some_and(|path| path != Path::new("-"))
    }

    fn scribe<'s>(&self, signer: Option<&'s Signer>, session: &Session) -> Scribe<'s> {
        let to_file = self.to_file();
        let style = Style {
            format: self.format,
            amount: match self.detail {
                Some(DetailName::Compact) => Amount::Compact,
                _ => Amount::Full,
            },
            terminal: if to_file {
                Terminal::file(session.color)
            } else {
                Terminal::stdout(session.color)
            },
            redact: self.redact,
            terse: false,
        };
        let stderr = Terminal::stderr(session.color);
        let quiet = self.quiet && !to_file;
        Scribe { style, signer, quiet, to_file, records: false, stderr }
    }

    fn progress(&self, origins: &[Origin], scribe: Scribe<'_>) -> Progress {
        use std::io::IsTerminal;
        let report_on_screen = !self.to_file() && !scribe.quiet && std::io::stdout().is_terminal();
        let total = origins.iter().all(Origin::is_single).then_some(origins.len() as u64);
        Progress::new(total, report_on_screen || origins.len() == 1 && total.is_some())
    }
}
