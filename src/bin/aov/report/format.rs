//! A format as a writer of whole reports: what stands before, between and behind the entries. Entries
//! are made one by one, on any thread; what is kept of them is a [`Summary`].

use agent_output_verifier::response::Json;

use super::human::Amount;
use super::{Checked, Summary, Written, github, human, json, jsonl, junit, located, redact, sarif};
use crate::args::ReportFormat;
use crate::cmd::Failure;
use crate::exit::Exit;
use crate::input::Origin;
use crate::term::{self, Terminal};

/// How a report is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// The format.
    pub(crate) format: ReportFormat,
    /// How much people are told.
    pub(crate) amount: Amount,
    /// What takes the text.
    pub(crate) terminal: Terminal,
    /// Whether types stand for values.
    pub(crate) redact: bool,
    /// Whether outputs without any finding are only counted, for people.
    pub(crate) terse: bool,
}

impl Style {
    /// Whether people read it; programs get an entry for what has no verdict too.
    pub(crate) fn is_human(&self) -> bool {
        self.format == ReportFormat::Human
    }

    /// What the report begins with.
    pub(crate) fn head(&self) -> String {
        match self.format {
            ReportFormat::Junit => junit::head("aov check"),
            ReportFormat::Sarif => sarif::HEAD.to_owned(),
            _ => String::new(),
        }
    }

    /// What stands between two entries that are not empty.
    pub(crate) fn separator(&self) -> &'static str {
        match self.format {
            ReportFormat::Human if self.amount == Amount::Full => "\n",
            ReportFormat::Sarif => sarif::SEPARATOR,
            _ => "",
        }
    }

    /// An output with its verdict. `answer` makes its response body, where one is wanted.
    pub(crate) fn checked(
        &self,
        checked: &Checked<'_>,
        answer: impl FnOnce(&Checked<'_>) -> Json,
    ) -> Written {
        self.redacted(checked, |checked| self.entry(checked, answer))
    }

    /// What `write` makes of an output, without its values if they are not to be shown.
    pub(crate) fn redacted<T>(
        &self,
        checked: &Checked<'_>,
        write: impl FnOnce(&Checked<'_>) -> T,
    ) -> T {
        if !self.redact {
            return write(checked);
        }
        let outcome = redact::outcome(checked.outcome, checked.request.submitted_output);
        let Checked { input, schema, request, .. } = *checked;
        write(&Checked { input, schema, request, outcome: &outcome, redact: true })
    }

    fn entry(&self, checked: &Checked<'_>, answer: impl FnOnce(&Checked<'_>) -> Json) -> Written {
        let text = match self.format {
            ReportFormat::Human if self.terse && human::is_clean(checked) => String::new(),
            ReportFormat::Human => human::checked(checked, self.amount, self.terminal),
            ReportFormat::Json => json::line(&answer(checked)),
            ReportFormat::Jsonl => jsonl::checked(checked, answer(checked)),
            ReportFormat::Junit => junit::checked(checked),
            ReportFormat::Sarif => return sarif::entry(&located::all_findings(checked)),
            ReportFormat::Github => github::entry(&located::all_findings(checked)),
        };
        text.into()
    }

    /// What has no verdict, and why.
    pub(crate) fn failure(&self, origin: &Origin, failure: &Failure) -> Written {
        let problems = || located::problems(origin, failure, self.redact);
        let text = match self.format {
            ReportFormat::Human => human::failure(failure, self.redact, self.terminal),
            ReportFormat::Json => json::line(&json::error(failure)),
            ReportFormat::Jsonl => jsonl::failure(origin, failure, self.redact),
            ReportFormat::Junit => junit::failure(origin, failure, self.redact),
            ReportFormat::Sarif => return sarif::entry(&problems()),
            ReportFormat::Github => github::entry(&problems()),
        };
        text.into()
    }

    /// What the report ends with; `many` inputs could be meant, whatever their number was.
    pub(crate) fn tail(&self, summary: &Summary, many: bool) -> String {
        match self.format {
            ReportFormat::Human if many => human::summary(summary),
            ReportFormat::Github if many => github::summary(&human::summary(summary)),
            format => tail(format, summary),
        }
    }
}

/// What a report on a single input ends with.
pub(super) fn tail(format: ReportFormat, summary: &Summary) -> String {
    match format {
        ReportFormat::Human | ReportFormat::Json | ReportFormat::Github => String::new(),
        ReportFormat::Jsonl => jsonl::summary(summary),
        ReportFormat::Junit => junit::TAIL.to_owned(),
        ReportFormat::Sarif => sarif::tail(&summary.rules, summary.exit(), &[]),
    }
}

/// A whole report that says nothing but why there is no other.
pub(crate) fn of_failure(
    title: &str,
    format: ReportFormat,
    origin: &Origin,
    failure: &Failure,
    redact: bool,
) -> String {
    let terminal = Terminal { colour: false, width: term::WIDTH };
    let amount = Amount::Full;
    let style = Style { format, amount, terminal, redact, terse: false };
    let head = match format {
        ReportFormat::Junit => junit::head(title),
        _ => style.head(),
    };
    let Written { text, rules } = style.failure(origin, failure);
    let mut summary = Summary { rules, ..Summary::default() };
    summary.add(Exit::CannotRun);
    format!("{head}{text}{}", tail(format, &summary))
}
