//! `aov template`: a template from good outputs, and what passing a template is worth.

use std::path::{Path, PathBuf};

use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::json::{MAX_DEPTH, Node};
use agent_output_verifier::template::{self, TEMPLATE_DEPTH, Template, Trial};

use super::{Failure, Session};
use crate::args::Format;
use crate::exit::Exit;
use crate::input::JsonFile;
use crate::manual::Manual;
use crate::output::{self, Sink};
use crate::report::{self, Rejection, template as report_template};
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
    format: Format,

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
    match arguments.action {
        Action::Infer(arguments) => infer(arguments, session),
        Action::Grade(arguments) => {
            let format = arguments.format;
            let mut sink = Sink::new(arguments.output.as_deref());
            match grade(arguments, session, &mut sink) {
                Ok(exit) => {
                    sink.finish()?;
                    Ok(exit)
                }
                Err(failure) => unanswered(failure, format, sink, session),
            }
        }
    }
}

/// There is no grade; a program that wants JSON gets JSON.
fn unanswered(
    failure: Failure,
    format: Format,
    mut sink: Sink,
    session: &Session,
) -> Result<Exit, Failure> {
    match report::json::failure(&failure) {
        Some(json) if format == Format::Json => {
            if sink.is_file() {
                session.complain(&failure);
            }
            sink.write(json.as_bytes())?;
            sink.finish()?;
            Ok(Exit::CannotRun)
        }
        _ => Err(failure),
    }
}

fn infer(arguments: InferArgs, session: &mut Session) -> Result<Exit, Failure> {
    let InferArgs { mut outputs, explain, quiet, output } = arguments;
    if outputs.is_empty() {
        outputs.push(session.inputs.file_or_stdin(None)?);
    }
    keep_inputs(output.as_deref(), outputs.iter())?;
    let files = outputs
        .iter()
        .map(|path| session.inputs.read_json(path, "an output", MAX_DEPTH))
        .collect::<Result<Vec<JsonFile>, _>>()?;
    let samples: Vec<Node<'_>> = files.iter().map(|file| file.document.root()).collect();
    let inference = template::infer(&samples);
    let mut sink = Sink::new(output.as_deref());
    sink.write(inference.text.as_bytes())?;
    sink.finish()?;
    if !quiet {
        let terminal = Terminal::stderr(session.color);
        output::complain(&report_template::evidence(&inference, explain, terminal));
    }
    Ok(Exit::Ok)
}

fn grade(arguments: GradeArgs, session: &mut Session, sink: &mut Sink) -> Result<Exit, Failure> {
    let GradeArgs { template, good, format, output } = arguments;
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
    let graded = report_template::Graded { template: &file, output: good.as_ref(), grade: &grade };
    let text = match format {
        Format::Human => {
            let terminal = if sink.is_file() {
                Terminal::file(session.color)
            } else {
                Terminal::stdout(session.color)
            };
            report_template::grade(&graded, terminal)
        }
        Format::Json => report_template::grade_json(&graded),
    };
    sink.write(text.as_bytes())?;
    if let Some(invalid) = &grade.invalid {
        let headline = format!("{} cannot be used", file.name);
        let rejection = Rejection::new(headline, invalid.clone(), |_| Some(&file));
        session.complain(&rejection.into());
        return Ok(Exit::CannotRun);
    }
    Ok(match grade.trial {
        Trial::Rejected(_) => Exit::No,
        Trial::Unusable => Exit::CannotRun,
        _ => Exit::Ok,
    })
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
