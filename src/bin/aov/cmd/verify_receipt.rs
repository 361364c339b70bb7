//! `aov verify-receipt`: is this receipt genuine, whose is it, and is it about this data?

mod reporter;
pub(crate) mod trust;
pub(crate) mod work;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use agent_output_verifier::check::{Work, check};
use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::json::{MAX_DEPTH, Node};
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::receipt::replay::Replay;
use agent_output_verifier::receipt::{DataInHand, Demands, Questions};
use agent_output_verifier::request::{Part, UnknownFields, parse};
use chrono::{DateTime, TimeDelta, Utc};

use self::reporter::Reporter;
use self::trust::{Trust, Trusted};
use self::work::Plan;
use super::{Failure, Session};
use crate::args::ReportFormat;
use crate::exit::{self, Exit};
use crate::input::JsonFile;
use crate::manual::Manual;
use crate::output;
use crate::records::{Origin, Walk};
use crate::report::Rejection;

/// Verify receipts: genuine, whose, and about which data
///
/// A receipt is genuine if its signature holds with the key of an issuer that you trust. The key
/// that a receipt names is only a claim: it counts if the issuer is built in, in your own trust
/// file, or named with --trust, and a pinned key is never replaced. Or you give the key yourself.
///
/// That a receipt is genuine does not say that it is about your data, nor that the check passed.
/// Give the request, or its parts, and demand what you need; the report lists what was not checked.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Receipts: files, folders (their *.json and *.jsonl), or - for standard input
    #[arg(value_name = "RECEIPT", required = true)]
    receipts: Vec<PathBuf>,

    /// Every input has one receipt on each line, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz
    /// are always read so
    #[arg(long)]
    jsonl: bool,

    #[command(flatten)]
    trust: Trust,

    /// Which kind of receipt this must be [default: by its own fields]
    #[arg(long, value_name = "KIND", value_enum, help_heading = "Trust")]
    context: Option<Kind>,

    #[command(flatten)]
    data: Data,

    #[command(flatten)]
    demands: Demanded,

    /// How the report is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Report")]
    format: ReportFormat,

    /// Show types instead of values of receipts, in every format; the result, names, paths and
    /// codes stay
    #[arg(long, help_heading = "Report")]
    redact: bool,

    /// Print nothing; the exit code says it
    #[arg(short, long, help_heading = "Report")]
    quiet: bool,

    /// Write the exact bytes under the signature of a single receipt to FILE; with - they are
    /// printed, and no report
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    emit_signed_bytes: Option<PathBuf>,

    /// How many receipts to work on at a time [default: one for each core]
    #[arg(short, long, value_name = "N", help_heading = "Report")]
    jobs: Option<NonZeroUsize>,
}

/// What the receipt should be about.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Data in hand")]
struct Data {
    /// The whole request that the receipt should be about
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "schema", "rules"])]
    request: Option<PathBuf>,

    /// The output that the receipt should be about
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The schema that it should have been checked against
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// The rules and bounds that it should have been checked against: an object with `rules`,
    /// `bounds` and `enforce_rules`
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// Run the check again and compare its result with the receipt's
    #[arg(long, requires = "request")]
    replay: bool,

    /// Ignore fields that a request does not have, as the hosted service does
    #[arg(long)]
    allow_unknown_fields: bool,
}

/// What the receipt must say.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Demands")]
struct Demanded {
    /// The result must be pass; without this, a genuine receipt of a fail is accepted
    #[arg(long)]
    require_pass: bool,

    /// Rules and bounds must have been binding (enforce_rules)
    #[arg(long)]
    require_enforced: bool,

    /// task_id must be this
    #[arg(long, value_name = "ID")]
    task_id: Option<String>,

    /// agent_id must be this
    #[arg(long, value_name = "ID")]
    agent_id: Option<String>,

    /// Not older than this (s, min, h, d or w), and not more than 5 minutes in the future
    #[arg(long, value_name = "AGE", value_parser = age)]
    max_age: Option<TimeDelta>,
}

/// The kinds of receipts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Verification,
    Score,
}

pub(super) const MANUAL: Manual = Manual {
    examples: &[
        (
            "Pay only for what was checked: this very request, passed, its rules binding, lately",
            "aov verify-receipt receipt.json --request request.json \\\n--require-pass --require-enforced --max-age 7d && pay",
        ),
        (
            "The same, and run the check again",
            "aov verify-receipt receipt.json --request request.json --require-pass --replay",
        ),
        (
            "With a key that you got from the issuer yourself",
            "aov verify-receipt receipt.json --request request.json --require-pass \\\n--public-key 'd2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw='",
        ),
        (
            "Many at once, the report for a program",
            "aov verify-receipt receipts/ more.jsonl --require-pass --format json > report.json",
        ),
        (
            "Check the signature without aov. The bytes under it",
            "aov verify-receipt receipt.json --emit-signed-bytes signed.bin",
        ),
        (
            "The signature",
            r#"sed -n 's/.*"signature": *"\([^"]*\)".*/\1/p' receipt.json | base64 -d > sig.bin"#,
        ),
        (
            "The public key, from the issuer's agent card, in the form that openssl reads",
            "(printf '\\060\\052\\060\\005\\006\\003\\053\\145\\160\\003\\041\\000'; \\\necho 'd2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=' | base64 -d) > key.der",
        ),
        (
            "With openssl",
            "openssl pkeyutl -verify -pubin -keyform DER -inkey key.der \\\n-rawin -in signed.bin -sigfile sig.bin",
        ),
        (
            "With Python and its package cryptography, silent if the signature holds",
            "python3 -c 'import base64, cryptography.hazmat.primitives.asymmetric.ed25519 as ed; (\ned.Ed25519PublicKey.from_public_bytes(base64.b64decode(\n\"d2IHH0/Xduci/5J8IewYmauUvgqf+gFIeCEXDwjHUhw=\")).verify(\nopen(\"sig.bin\", \"rb\").read(), open(\"signed.bin\", \"rb\").read()))'",
        ),
    ],
    exits: &[
        (0, "Every receipt is genuine, is about the data where any was given, and meets every demand. Without --require-pass that includes a receipt of a fail."),
        exit::MEANINGS[1],
        (2, "Cannot run as asked: usage, malformed JSON, unreadable file, invalid request, no receipt at all."),
        (3, "Could not be decided: the key could not be fetched, or --offline forbids it. Worth a retry."),
    ],
};

/// A whole number and a unit.
fn age(text: &str) -> Result<TimeDelta, String> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds: i64 = match unit.trim_start() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return Err("a whole number with s, min, h, d or w, like 7d".to_owned()),
    };
    let seconds = number.parse::<i64>().ok().and_then(|number| number.checked_mul(seconds));
    seconds.and_then(TimeDelta::try_seconds).ok_or_else(|| "a whole number with a unit, like 7d".to_owned())
}

pub(super) fn run(arguments: Args, session: &mut Session) -> Result<Exit, Failure> {
    let mut reporter = Reporter::new(&arguments, session);
    match verify(&arguments, session, &mut reporter) {
        Ok(()) => reporter.finish(),
        Err(failure) => reporter.fail(failure),
    }
}

fn verify(
    arguments: &Args,
    session: &mut Session,
    reporter: &mut Reporter<'_>,
) -> Result<(), Failure> {
    let walk = Walk {
        all_lines: arguments.jsonl,
        extensions: &["json", "jsonl", "ndjson"],
        role: "the receipts",
    };
    let origins = walk.origins(&arguments.receipts, &mut session.inputs)?;
    let single = matches!(&*origins, [origin] if origin.is_single());
    if arguments.emit_signed_bytes.is_some() && !single {
        return Err(Failure::Usage(
            "--emit-signed-bytes is for a single receipt; name one file".to_owned(),
        ));
    }
    let plan = plan(arguments, session, Utc::now())?;
    let jobs = match arguments.jobs {
        _ if single => 1,
        Some(jobs) => jobs.get(),
        None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    let total = origins.iter().all(Origin::is_single).then_some(origins.len() as u64);
    reporter.expect(single, total);
    let origins: Arc<[Origin]> = origins.into();
    let mut written = Ok(());
    plan.run(&origins, jobs, |block| {
        written = reporter.take(block);
        written.is_ok()
    });
    for note in plan.keyring.take_notes() {
        output::complain(&format!("note: {note}\n"));
    }
    written
}

/// Gathers what the receipts are held against.
fn plan(arguments: &Args, session: &mut Session, now: DateTime<Utc>) -> Result<Plan, Failure> {
    let Trusted { keyring, decided } = arguments.trust.keyring(session, now)?;
    let (data, replay) = data_in_hand(&arguments.data, session)?;
    let demanded = &arguments.demands;
    let demands = Demands {
        pass: demanded.require_pass,
        enforced: demanded.require_enforced,
        task_id: demanded.task_id.clone(),
        agent_id: demanded.agent_id.clone(),
        max_age: demanded.max_age,
    };
    let context = arguments.context.map(|kind| match kind {
        Kind::Verification => Context::Verification,
        Kind::Score => Context::Score,
    });
    Ok(Plan {
        keyring,
        decided,
        questions: Questions { context, data, demands },
        replay,
    })
}

fn data_in_hand(data: &Data, session: &mut Session) -> Result<(DataInHand, Option<Replay>), Failure> {
    let unknown =
        if data.allow_unknown_fields { UnknownFields::Ignore } else { UnknownFields::Refuse };
    if let Some(path) = &data.request {
        // One level more for the envelope (SPEC 1.4).
        let file = session.inputs.read_json(path, "the request", MAX_DEPTH + 1)?;
        let request = parse(file.document.root(), unknown)
            .map_err(|problems| rejected("the request", &file, problems.into()))?;
        let replay = data.replay.then(|| {
            let outcome = check(&request, Work::Inline).map_err(|faults| {
                let invalid = Invalid::schema(faults, request.expected_schema, Part::Schema);
                rejected("the request", &file, invalid)
            })?;
            Replay::new(&request, &outcome, env!("CARGO_PKG_VERSION"))
                .map_err(|error| Failure::Usage(error.to_string()))
        });
        return Ok((DataInHand::of_request(&request), replay.transpose()?));
    }
    let mut read = |path: &Option<PathBuf>, role| -> Result<Option<JsonFile>, Failure> {
        let Some(path) = path else { return Ok(None) };
        Ok(Some(session.inputs.read_json(path, role, MAX_DEPTH)?))
    };
    let (output, schema) = (read(&data.output, "the output")?, read(&data.schema, "the schema")?);
    let rules = read(&data.rules, "the rules")?;
    let found = DataInHand::of_parts(root(&output), root(&schema), root(&rules), unknown);
    match (found, rules) {
        (Ok(data), _) => Ok((data, None)),
        (Err(problems), Some(rules)) => Err(rejected("the rules", &rules, problems.into())),
        // Only rules have problems.
        (Err(problems), None) => Err(Failure::Usage(Invalid::from(problems).message())),
    }
}

fn rejected(what: &str, file: &JsonFile, invalid: Invalid) -> Failure {
    Rejection::new(format!("{what} in {} cannot be used", file.name), invalid, |_| Some(file)).into()
}

fn root(file: &Option<JsonFile>) -> Option<Node<'_>> {
    file.as_ref().map(|file| file.document.root())
}

#[cfg(test)]
mod tests;
