//! One JSON object a line: a `result` or an `error` for each input in its order, then a `summary`.

use agent_output_verifier::response::Json;

use super::located::{self, Located, Region};
use super::{Checked, Summary, json};
use crate::cmd::Failure;
use crate::exit::Exit;
use crate::input::Origin;

/// Raised when a field changes its meaning or goes; new fields do not count.
const FORMAT_VERSION: u64 = 1;

/// An output with its verdict; `response` is the body that `--format json` prints.
pub(super) fn checked(checked: &Checked<'_>, response: Json) -> String {
    let (list, omitted) = located::findings(checked);
    let verdict = checked.outcome.verdict();
    let mut fields = head("result", &checked.input.origin(), verdict.into());
    fields.extend([
        ("result", Json::text(verdict.name())),
        ("findings", Json::Array(list.iter().map(finding).collect())),
        ("findings_omitted", Json::Count(omitted)),
        ("response", response),
    ]);
    line(fields)
}

/// An input without a verdict; `error` is the error shape of the hosted service.
pub(super) fn failure(origin: &Origin, failure: &Failure, redact: bool) -> String {
    let list = located::problems(origin, failure, redact);
    let mut fields = head("error", origin, Exit::CannotRun);
    fields.extend([
        ("result", Json::Null),
        ("findings", Json::Array(list.iter().map(finding).collect())),
        ("error", json::error(failure)),
    ]);
    line(fields)
}

/// The last line.
pub(super) fn summary(summary: &Summary) -> String {
    let count = |exit| Json::Count(summary.count(exit));
    line(vec![
        ("format_version", Json::Count(FORMAT_VERSION)),
        ("type", Json::text("summary")),
        ("inputs", Json::Count(summary.inputs())),
        ("passed", count(Exit::Ok)),
        ("failed", count(Exit::No)),
        ("not_checked", count(Exit::CannotRun)),
        ("exit_code", Json::Count(summary.exit().code().into())),
        ("stopped_early", Json::Bool(summary.stopped)),
    ])
}

fn head(kind: &str, origin: &Origin, exit: Exit) -> Vec<(&'static str, Json)> {
    vec![
        ("format_version", Json::Count(FORMAT_VERSION)),
        ("type", Json::text(kind)),
        ("input", Json::text(&*origin.name)),
        ("line", origin.line.map_or(Json::Null, Json::Count)),
        ("exit_code", Json::Count(exit.code().into())),
    ]
}

fn finding(located: &Located) -> Json {
    let Located { severity, check, path, expected, found, message, place, also } = located;
    let mut fields = vec![
        ("severity", Json::text(severity.name())),
        ("check", Json::text(check)),
        ("path", Json::text(path)),
        ("expected", Json::text(expected)),
        ("found", Json::text(found)),
        ("message", Json::text(message)),
    ];
    fields.extend(region(place));
    let also = also.iter().map(|other| {
        let mut fields = region(other);
        fields.push(("label", Json::text(&*other.label)));
        Json::Object(fields)
    });
    fields.push(("related", Json::Array(also.collect())));
    Json::Object(fields)
}

fn region(region: &Region) -> Vec<(&'static str, Json)> {
    let count = |number: usize| Json::Count(number as u64);
    let mut fields = vec![("file", Json::text(&*region.origin.name))];
    match region.span {
        Some((start, end)) => fields.extend([
            ("line", count(start.line)),
            ("column", count(start.column)),
            ("end_line", count(end.line)),
            ("end_column", count(end.column)),
        ]),
        None => fields.push(("line", region.origin.line.map_or(Json::Null, Json::Count))),
    }
    fields
}

fn line(fields: Vec<(&'static str, Json)>) -> String {
    Json::Object(fields).to_line() + "\n"
}
