//! `aov template`: a template from good outputs, and what passing a template is worth.

use std::path::{Path, PathBuf};

use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::json::{MAX_DEPTH, Node};
use agent_output_verifier::template::{self, TEMPLATE_DEPTH, Template, Trial, Values};

use super::{Failure, Session};
use crate::args::ReportFormat;
use crate::exit::Exit;
use crate::input::{JsonFile, Origin};
use crate::manual::Manual;
use crate::output::{self, Sink};
use crate::report::template::{Graded, evidence};
use crate::report::{Rejection, graded};
use crate::term::{self, Terminal};

/// Make a template from good outputs, or say what passing a template is worth
///
/// A template (`verification-template/1`) holds a schema, bounds and rules that many outputs are
/// checked against: `aov check --template TEMPLATE OUTPUT`.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, subcommand_value_name = "ACTION")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Infer a template from outputs that are good
    ///
    /// The template says what all of them have in common: types, required members, formats, values
    /// that are evidently one of a few; bounds and rules that all satisfy. It accepts each of them.
    /// What it rests on is told on standard error: what is in doubt, or with --explain everything.
    #[command(after_long_help = MANUAL.after_long_help())]
    Infer(InferArgs),
    /// Say what passing a template is worth
    ///
    /// Lists members that nothing constrains, totals that are never compared, keywords that do
    /// nothing, rules that can never run. With an output that is good, breaks it in every way that
    /// the template describes and says which of the broken ones still pass.
    #[command(after_long_help = MANUAL.after_long_help())]
    Grade(GradeArgs),
}

#[derive(Debug, clap::Args)]
struct InferArgs {
    /// Good outputs; `-` is standard input, and the default where that is no terminal
    #[arg(value_name = "OUTPUT")]
    outputs: Vec<PathBuf>,

    /// Tell what everything in the template rests on, not only what is in doubt
    #[arg(long, conflicts_with = "quiet")]
    explain: bool,

    /// Let no value of the outputs into the template, nor into what is told: types, names and formats
    /// only, no `enum`
    #[arg(long)]
    redact: bool,

    /// Tell nothing
    #[arg(short, long)]
    quiet: bool,

    /// Write the template into a file, whole or not at all, instead of printing it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct GradeArgs {
    /// The template
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,

    /// An output that is good
    #[arg(value_name = "OUTPUT")]
    good: Option<PathBuf>,

    /// How to report
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: ReportFormat,

    /// Show nothing of the output's values in a report on one that cannot be read
    #[arg(long)]
    redact: bool,

    /// Write the report into a file, whole or not at all, instead of printing it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        (
            "Make a template from good outputs, and see what it rests on",
            "aov template infer --explain march.json april.json --output invoice.template.json",
        ),
        (
            "See what it lets through",
            "aov template grade invoice.template.json april.json",
        ),
        ("Check outputs with it", "aov check --template invoice.template.json may.json"),
    ],
    exits: &[
        (0, "The template was made, or graded."),
        (1, "The output that is called good does not pass the template."),
        (
            2,
            "Cannot run as asked: usage, malformed JSON, unreadable file, a template that nothing can be checked with.",
        ),
    ],
};

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    let (done, redact) = match arguments.action {
        Action::Infer(arguments) => {
            let redact = arguments.redact;
            (infer(arguments, session), redact)
        }
        Action::Grade(arguments) => {
            let redact = arguments.redact;
            (grade_or_say_why_not(arguments, session), redact)
        }
    };
    done.or_else(|failure| {
        session.complain(&failure, redact);
        Ok(Exit::CannotRun)
    })
}

/// Where there is no grade, a format for programs says why.
fn grade_or_say_why_not(arguments: GradeArgs, session: &mut Session) -> Result<Exit, Failure> {
    let GradeArgs { format, redact, .. } = arguments;
    let mut sink = Sink::new(arguments.output.as_deref());
    let origin = Origin { name: "aov".to_owned(), path: None, line: None };
    let exit = match grade(arguments, session, &mut sink) {
        Ok(exit) => exit,
        Err(failure @ (Failure::Write(_) | Failure::Usage(_))) if sink.is_file() => {
            return Err(failure);
        }
        Err(failure) => match graded::failure(&origin, &failure, format, redact) {
            None => return Err(failure),
            Some(report) => {
                if sink.is_file() {
                    session.complain(&failure, redact);
                }
                sink.write(report.as_bytes())?;
                Exit::CannotRun
            }
        },
    };
    sink.finish()?;
    Ok(exit)
}

fn infer(arguments: InferArgs, session: &mut Session) -> Result<Exit, Failure> {
    let InferArgs { mut outputs, explain, quiet, redact, output } = arguments;
    if outputs.is_empty() {
        outputs.push(session.inputs.file_or_stdin(None)?);
    }
    keep_inputs(output.as_deref(), outputs.iter())?;
    let files = outputs
        .iter()
        .map(|path| session.inputs.read_json(path, "an output", MAX_DEPTH))
        .collect::<Result<Vec<JsonFile>, _>>()?;
    let samples: Vec<Node<'_>> = files.iter().map(|file| file.document.root()).collect();
    let values = if redact { Values::Hidden } else { Values::Shown };
    let inference = template::infer(&samples, values);
    let mut sink = Sink::new(output.as_deref());
    sink.write(inference.text.as_bytes())?;
    sink.finish()?;
    if !quiet {
        let terminal = Terminal::stderr(session.color);
        output::complain(&evidence(&inference, explain, terminal));
    }
    Ok(Exit::Ok)
}

fn grade(arguments: GradeArgs, session: &mut Session, sink: &mut Sink) -> Result<Exit, Failure> {
    let GradeArgs { template, good, format, redact, output } = arguments;
    keep_inputs(output.as_deref(), std::iter::once(&template).chain(&good))?;
    let file = session.inputs.read_json(&template, "the template", TEMPLATE_DEPTH)?;
    let good = good
        .map(|path| session.inputs.read_json(&path, "the output", MAX_DEPTH))
        .transpose()?;
    let template = Template::parse(file.document.root()).map_err(|problem| {
        let headline = format!("{} is no template", file.name);
        Rejection::new(headline, Invalid::from(vec![problem]), |_| Some(&file))
    })?;
    let grade = template::grade(&template, good.as_ref().map(|good| good.document.root()));
    let exit = match grade.trial {
        _ if grade.invalid.is_some() => Exit::CannotRun,
        Trial::Rejected(_) => Exit::No,
        Trial::Unusable => Exit::CannotRun,
        _ => Exit::Ok,
    };
    let graded = Graded { template: &file, output: good.as_ref(), grade: &grade };
    let terminal = if sink.is_file() {
        Terminal::file(session.color)
    } else {
        Terminal::stdout(session.color)
    };
    sink.write(graded::report(&graded, exit, format, redact, terminal).as_bytes())?;
    if let Some(invalid) = &grade.invalid
        && (format == ReportFormat::Human || sink.is_file())
    {
        let headline = format!("{} cannot be used", file.name);
        let rejection = Rejection::new(headline, invalid.clone(), |_| Some(&file));
        session.complain(&rejection.into(), redact);
    }
    Ok(exit)
}

/// Refuses to write over what is read.
fn keep_inputs<'p>(
    output: Option<&Path>,
    mut inputs: impl Iterator<Item = &'p PathBuf>,
) -> Result<(), Failure> {
    let Some(output) = output else { return Ok(()) };
    match inputs.find(|input| output::is_same_file(output, input)) {
        None => Ok(()),
        Some(input) => Err(Failure::Usage(format!(
            "--output would overwrite the input {}; name another file",
            term::safe_path(input)
        ))),
    }
}
