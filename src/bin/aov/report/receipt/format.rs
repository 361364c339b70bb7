//! The report on receipts as a whole: what stands before, between and behind them in each format.

use agent_output_verifier::response::Json;

use super::{Summary, findings, human, members};
use crate::args::ReportFormat;
use crate::cmd::Failure;
use crate::cmd::verify_receipt::work::Checked;
use crate::exit::Exit;
use crate::input::Origin;
use crate::report::{Written, github, json, junit, located, sarif};
use crate::term::{self, Terminal};

/// How the report is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// The format.
    pub(crate) format: ReportFormat,
    /// Whether types stand for values.
    pub(crate) redact: bool,
    /// What takes the text.
    pub(crate) terminal: Terminal,
}

impl Style {
    /// Whether people read it.
    pub(crate) fn is_human(&self) -> bool {
        self.format == ReportFormat::Human
    }

    /// What the report begins with.
    pub(crate) fn head(&self) -> String {
        match self.format {
            ReportFormat::Json => "{\"format_version\":1,\"receipts\":[\n".to_owned(),
            ReportFormat::Junit => junit::head("aov verify-receipt"),
            ReportFormat::Sarif => sarif::HEAD.to_owned(),
            ReportFormat::Human | ReportFormat::Jsonl | ReportFormat::Github => String::new(),
        }
    }

    /// What stands between two entries that are not empty.
    pub(crate) fn separator(&self) -> &'static str {
        match self.format {
            ReportFormat::Json => ",",
            ReportFormat::Sarif => sarif::SEPARATOR,
            _ => "",
        }
    }

    /// One record; `single` is told to people in full.
    pub(crate) fn entry(&self, checked: &Checked, single: bool) -> Written {
        let redact = self.redact;
        let text = match self.format {
            ReportFormat::Human if single => human::full(checked, redact, self.terminal),
            ReportFormat::Human => human::line(checked, redact, self.terminal),
            ReportFormat::Json => Json::Object(members::of(checked, redact)).to_line() + "\n",
            ReportFormat::Jsonl => {
                let kind = if checked.result.is_ok() { "receipt" } else { "error" };
                line(kind, members::of(checked, redact))
            }
            ReportFormat::Junit => findings::junit(checked, redact),
            ReportFormat::Sarif => return sarif::entry(&findings::located(checked, redact)),
            ReportFormat::Github => github::entry(&findings::located(checked, redact)),
        };
        text.into()
    }

    /// Why there are no more receipts than there are, as an entry of its own. In JSON that is a
    /// member of the whole; see [`Style::tail`].
    pub(crate) fn failure(&self, failure: &Failure) -> Written {
        let nowhere = Origin { name: "aov".to_owned(), path: None, line: None };
        let problems = || located::problems(&nowhere, failure, self.redact);
        let text = match self.format {
            ReportFormat::Human | ReportFormat::Json => String::new(),
            ReportFormat::Jsonl => {
                let exit = Json::Count(Exit::CannotRun.code().into());
                line("error", vec![("exit_code", exit), ("error", json::error(failure))])
            }
            ReportFormat::Junit => junit::failure(&nowhere, failure, self.redact),
            ReportFormat::Sarif => return sarif::entry(&problems()),
            ReportFormat::Github => github::entry(&problems()),
        };
        text.into()
    }

    /// What the report ends with. Formats without room for it in their entries say here what was
    /// not checked.
    pub(crate) fn tail(
        &self,
        summary: &Summary,
        exit: Exit,
        single: bool,
        failure: Option<&Failure>,
    ) -> String {
        match self.format {
            ReportFormat::Human if single || failure.is_some() => String::new(),
            ReportFormat::Human => summary.human(exit),
            ReportFormat::Json => {
                let error = failure.map(|failure| json::error(failure).to_line());
                let error = error.map(|error| format!("\"error\":{error},")).unwrap_or_default();
                format!("],{error}\"summary\":{}}}\n", summary.json(exit).to_line())
            }
            ReportFormat::Jsonl => {
                let Json::Object(counts) = summary.json(exit) else { return String::new() };
                line("summary", counts)
            }
            ReportFormat::Junit => junit::TAIL.to_owned(),
            ReportFormat::Sarif => {
                let notes = summary.not_checked().map(|(item, count)| {
                    let of = format!("{count} of {}", summary.total());
                    (item.as_str(), format!("Not checked for {of}: {}", item.meaning()))
                });
                sarif::tail(&summary.rules, exit, &notes.collect::<Vec<_>>())
            }
            ReportFormat::Github => {
                let items: Vec<_> = summary.not_checked().map(|(it, _)| it.as_str()).collect();
                let open = match &*items {
                    [] => String::new(),
                    items => format!("; not checked: {}", items.join(", ")),
                };
                github::summary(&format!("{}{open}", summary.human(exit).trim_end()))
            }
        }
    }
}

/// A whole report that says nothing but why there is no other.
pub(crate) fn of_failure(format: ReportFormat, failure: &Failure) -> String {
    let terminal = Terminal { colour: false, width: term::WIDTH };
    let style = Style { format, redact: false, terminal };
    let mut summary = Summary::default();
    let Written { text, rules } = style.failure(failure);
    summary.note(rules);
    let tail = style.tail(&summary, Exit::CannotRun, false, Some(failure));
    format!("{}{text}{tail}", style.head())
}

fn line(kind: &str, members: Vec<(&'static str, Json)>) -> String {
    let head = [("format_version", Json::Count(1)), ("type", Json::text(kind))];
    Json::Object(head.into_iter().chain(members).collect()).to_line() + "\n"
}
