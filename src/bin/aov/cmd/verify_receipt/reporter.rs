//! The report as results come: a receipt in full, a line for each of many, or JSON.

use std::io::IsTerminal as _;
use std::path::Path;

use agent_output_verifier::receipt::Audited;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Args;
use super::work::Checked;
use crate::args::Format;
use crate::cmd::Failure;
use crate::exit::Exit;
use crate::output::{Sink, Stdout};
use crate::report::receipt as report;
use crate::term::{self, Terminal};

/// How much of a report is gathered before it is printed.
const MAX_PENDING: usize = 1 << 15;

/// Writes the report as results come.
pub(super) struct Reporter<'a> {
    arguments: &'a Args,
    /// One receipt in full, instead of a line for each.
    single: bool,
    terminal: Terminal,
    stdout: Stdout,
    /// What is still to be printed; a line at a time would cost more than the line.
    pending: String,
    /// Whether somebody may be waiting for each line: a person, or who writes the next receipt.
    at_once: bool,
    summary: report::Summary,
    exit: Exit,
    progress: Option<ProgressBar>,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(
        arguments: &'a Args,
        single: bool,
        at_once: bool,
        color: anstream::ColorChoice,
    ) -> Self {
        let wanted = !single && !arguments.quiet && std::io::stderr().is_terminal();
        Self {
            arguments,
            single,
            terminal: Terminal::stdout(color),
            stdout: Stdout::default(),
            pending: String::new(),
            at_once: at_once || std::io::stdout().is_terminal(),
            summary: report::Summary::default(),
            exit: Exit::Ok,
            progress: wanted.then(progress_bar),
        }
    }

    pub(super) fn take(&mut self, name: &str, checked: &Checked) -> Result<(), Failure> {
        if let (Some(path), Ok(receipt)) = (&self.arguments.emit_signed_bytes, &checked.result) {
            emit_signed_bytes(&receipt.audited, path)?;
        }
        let text = match self.arguments.format {
            Format::Human if self.single => report::human(name, checked, self.terminal),
            Format::Human => report::human_line(name, checked, self.terminal),
            Format::Json => {
                let first = self.summary.total() == 0;
                let before = if first { report::JSON_BEGIN } else { "," };
                format!("{before}{}\n", report::json(name, checked))
            }
        };
        self.summary.count(checked);
        self.exit = self.exit.merge(checked.exit());
        if let Some(progress) = &self.progress {
            progress.inc(1);
        }
        self.print(&text)
    }

    pub(super) fn finish(mut self) -> Result<Exit, Failure> {
        if let Some(progress) = self.progress.take() {
            progress.finish_and_clear();
        }
        let nothing = self.summary.total() == 0;
        if nothing {
            self.exit = Exit::CannotRun;
        }
        let begin = if nothing { report::JSON_BEGIN } else { "" };
        match self.arguments.format {
            Format::Json => {
                self.print(&format!("{begin}{}", report::json_end(&self.summary, self.exit)))?;
            }
            Format::Human if !self.single && !nothing => {
                self.print(&self.summary.human(self.exit))?;
            }
            Format::Human => {}
        }
        self.flush()?;
        if nothing {
            return Err(Failure::Usage("there is no receipt in what was named".to_owned()));
        }
        Ok(self.exit)
    }

    fn print(&mut self, text: &str) -> Result<(), Failure> {
        let bytes_are_printed = self.arguments.emit_signed_bytes.as_deref() == Some(Path::new("-"));
        if self.arguments.quiet || bytes_are_printed {
            return Ok(());
        }
        self.pending.push_str(text);
        if self.at_once || self.pending.len() > MAX_PENDING { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let Self { stdout, pending, progress, .. } = self;
        let mut write = || stdout.write(pending.as_bytes());
        let written = match progress {
            Some(progress) => progress.suspend(write),
            None => write(),
        };
        pending.clear();
        Ok(written?)
    }
}

/// On standard error, and only where that is a terminal.
fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} {human_pos} receipts, {per_sec}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

/// The bytes, whether the signature holds for them or not: the point is to look for oneself.
fn emit_signed_bytes(audited: &Audited, path: &Path) -> Result<(), Failure> {
    let bytes = match audited {
        Audited::Verified(receipt, _) => receipt.signed_bytes().to_vec(),
        Audited::Unverified(receipt, audit) => {
            receipt.signed_bytes(audit.context).map_err(|error| {
                let why = term::safe(&error.to_string()).into_owned();
                Failure::Usage(format!("there are no signed bytes to write: {why}"))
            })?
        }
    };
    let mut sink = Sink::new(Some(path));
    sink.write(&bytes)?;
    Ok(sink.finish()?)
}
