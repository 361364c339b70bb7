//! `aov check`: does this output meet what was agreed?

use std::path::{Path, PathBuf};

use agent_output_verifier::check::{Outcome, Work, check_with};
use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::request::{Detail, Part, Request};
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::response::{self, Stamp};
use agent_output_verifier::schema::Schema;
use clap::ValueEnum;

use super::{Failure, Session};
use crate::args::{Format, Parts, Terms};
use crate::exit::Exit;
use crate::input::JsonFile;
use crate::manual::Manual;
use crate::output::{self, Sink};
use crate::report::human::Amount;
use crate::report::{self, Checked, Rejection, Summary};
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
    /// Requests, or outputs; `-` is standard input, and the default where that is no terminal
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    parts: Parts,

    #[command(flatten)]
    terms: Terms,

    #[command(flatten)]
    signing: Signing,

    #[command(flatten)]
    out: Out,
}

/// How the result is given.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
struct Out {
    /// How to report; json prints exactly the response body (or the error), of one input
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,

    /// How much to report; full unless the request says otherwise
    #[arg(long, value_name = "AMOUNT", value_enum)]
    detail: Option<DetailName>,

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
    ],
    exits: &[
        (0, "Every output meets the requirements."),
        (1, "At least one output does not."),
        (
            2,
            "Something could not be checked: usage, invalid request, malformed JSON, unreadable file.",
        ),
    ],
};

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    let Args { mut files, parts, terms, signing, out } = arguments;
    if files.is_empty() {
        files.push(session.inputs.file_or_stdin(None)?);
    }
    refuse_what_cannot_be_done(&files, &parts, &out)?;
    let signer = signing.signer(&mut session.inputs)?;
    if signer.is_some() && out.format != Format::Json {
        return Err(Failure::Usage("a signed answer is JSON: add --format json".to_owned()));
    }
    let mut reporter = Reporter::new(&out, signer, session)?;
    let settings = Settings { terms: &terms, detail: out.detail.map(Detail::from) };
    match Agreed::load(&parts, &settings, session) {
        Ok(requirements) => {
            for file in &files {
                let exit = check_file(file, &requirements, &settings, session, &mut reporter)?;
                reporter.summary.add(exit);
            }
        }
        Err(failure) => {
            reporter.failure(&failure, session)?;
            reporter.summary.add(Exit::CannotRun);
        }
    }
    reporter.finish(files.len())
}

fn refuse_what_cannot_be_done(files: &[PathBuf], parts: &Parts, out: &Out) -> Result<(), Failure> {
    if out.format == Format::Json && files.len() > 1 {
        return Err(Failure::Usage(
            "--format json prints one response body; check one input at a time with it".to_owned(),
        ));
    }
    if let Some(output) = &out.output {
        let inputs = files.iter().chain(&parts.schema).chain(&parts.rules).chain(&parts.template);
        if let Some(input) = inputs.into_iter().find(|input| output::is_same_file(output, input)) {
            return Err(Failure::Usage(format!(
                "--output would overwrite the input {}; name another file",
                crate::term::safe_path(input)
            )));
        }
    }
    Ok(())
}

/// The requirements, and the schema they share if they do.
struct Agreed {
    requirements: Requirements,
    schema: Option<Schema>,
}

impl Agreed {
    fn load(parts: &Parts, settings: &Settings<'_>, session: &mut Session) -> Result<Self, Failure> {
        let requirements = Requirements::load(parts, settings.terms, &mut session.inputs)?;
        if requirements.is_whole() {
            return Ok(Self { requirements, schema: None });
        }
        let Some(node) = requirements.schema() else {
            return Err(Failure::Usage("--rules needs --schema as well".to_owned()));
        };
        // What is wrong with the parts is said once, not for each output.
        let trial = requirements.with(node, node, "task".to_owned(), settings);
        let schema = Schema::compile(node);
        let part = if let Requirements::Template(_) = requirements { Part::Rules } else { Part::Schema };
        let invalid = match (trial, schema) {
            (Ok(_), Ok(schema)) => return Ok(Self { requirements, schema: Some(schema) }),
            (Err(invalid), Ok(_)) => invalid,
            (Ok(_), Err(faults)) => Invalid::schema(faults, node, part),
            (Err(invalid), Err(faults)) => invalid.and(Invalid::schema(faults, node, part)),
        };
        let headline = "the requirements cannot be used".to_owned();
        Err(Rejection::new(headline, invalid, |part| requirements.file(part, None)).into())
    }

    fn check(&self, request: &Request<'_>, input: &JsonFile) -> Result<Outcome, Invalid> {
        let work = if input.document.text().len() < LARGE { Work::Inline } else { Work::TwoThreads };
        let own;
        let compiled = match &self.schema {
            Some(shared) => Ok(shared),
            None => {
                own = Schema::compile(request.expected_schema);
                own.as_ref().map_err(Clone::clone)
            }
        };
        compiled
            .and_then(|schema| check_with(request, schema, work))
            .map_err(|faults| Invalid::schema(faults, request.expected_schema, Part::Schema))
    }
}

fn check_file(
    path: &Path,
    agreed: &Agreed,
    settings: &Settings<'_>,
    session: &mut Session,
    reporter: &mut Reporter,
) -> Result<Exit, Failure> {
    let requirements = &agreed.requirements;
    let role = if requirements.is_whole() { "the request" } else { "the output" };
    let input = match session.inputs.read_json(path, role, requirements.input_depth()) {
        Ok(input) => input,
        Err(error) => return reporter.failure(&error.into(), session),
    };
    let found = requirements.request(&input, settings).and_then(|request| {
        let outcome = agreed.check(&request, &input)?;
        Ok((request, outcome))
    });
    match found {
        Ok((request, outcome)) => {
            let schema = requirements.file(Part::Schema, Some(&input)).unwrap_or(&input);
            let checked = Checked { input: &input, schema, request: &request, outcome: &outcome };
            reporter.checked(&checked)?;
            Ok(outcome.verdict().into())
        }
        Err(invalid) => {
            let file = |part| requirements.file(part, Some(&input));
            let rejection = Rejection::new(format!("{} cannot be checked", input.name), invalid, file);
            reporter.failure(&rejection.into(), session)
        }
    }
}

/// Writes results in the format asked for to where they shall go.
struct Reporter {
    format: Format,
    amount: Amount,
    quiet: bool,
    signer: Option<Signer>,
    sink: Sink,
    terminal: Terminal,
    summary: Summary,
    written: bool,
}

impl Reporter {
    fn new(out: &Out, signer: Option<Signer>, session: &Session) -> Result<Self, Failure> {
        let sink = match &signer {
            // Receipts are never overwritten (SPEC 10.2).
            Some(_) => Sink::fresh(out.output.as_deref())?,
            None => Sink::new(out.output.as_deref()),
        };
        Ok(Self {
            format: out.format,
            amount: match out.detail {
                Some(DetailName::Compact) => Amount::Compact,
                _ => Amount::Full,
            },
            quiet: out.quiet && !sink.is_file(),
            terminal: if sink.is_file() {
                Terminal::file(session.color)
            } else {
                Terminal::stdout(session.color)
            },
            signer,
            sink,
            summary: Summary::default(),
            written: false,
        })
    }

    fn checked(&mut self, checked: &Checked<'_>) -> Result<(), Failure> {
        if self.quiet {
            return Ok(());
        }
        match self.format {
            Format::Human => {
                let text = report::human::checked(checked, self.amount, self.terminal);
                self.paragraph(&text)
            }
            Format::Json => {
                let id = uuid::Uuid::new_v4().to_string();
                let at = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string();
                let verifier_version = env!("CARGO_PKG_VERSION");
                let stamp = Stamp { verification_id: &id, verified_at: &at, verifier_version };
                let verify = self.signer.as_ref().map(Signer::section);
                let body = response::body(checked.request, checked.outcome, stamp, verify);
                let text = match &self.signer {
                    Some(signer) => signer.seal(&body, Context::Verification)?,
                    None => report::json::line(&body),
                };
                Ok(self.sink.write(text.as_bytes())?)
            }
        }
    }

    /// There is no verdict. People read why on standard error; a report in a file, and one for
    /// programs, says so itself.
    fn failure(&mut self, failure: &Failure, session: &Session) -> Result<Exit, Failure> {
        let json = match self.format {
            Format::Json if !self.quiet => report::json::failure(failure),
            _ => None,
        };
        if json.is_none() || self.sink.is_file() {
            session.complain(failure);
        }
        match json {
            Some(json) => self.sink.write(json.as_bytes())?,
            None if self.sink.is_file() => {
                self.paragraph(&report::human::failure(failure, self.terminal))?;
            }
            None => {}
        }
        Ok(Exit::CannotRun)
    }

    /// Text for people, apart from what stands before it.
    fn paragraph(&mut self, text: &str) -> Result<(), Failure> {
        if self.written && self.amount == Amount::Full {
            self.sink.write(b"\n")?;
        }
        self.written = true;
        Ok(self.sink.write(text.as_bytes())?)
    }

    fn finish(mut self, inputs: usize) -> Result<Exit, Failure> {
        if inputs > 1 && self.format == Format::Human && !self.quiet {
            let summary = report::human::summary(&self.summary);
            self.paragraph(&summary)?;
        }
        self.sink.finish()?;
        Ok(self.summary.exit())
    }
}
