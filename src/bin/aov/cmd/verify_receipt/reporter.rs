//! The report as results come: a receipt in full, a line for each of many, or a format for programs,
//! which is whole whatever happens.

use std::io::IsTerminal as _;
use std::path::Path;

use agent_output_verifier::receipt::Audited;

use super::Args;
use super::work::Checked;
use crate::batch::progress::Progress;
use crate::cmd::{Failure, Session};
use crate::exit::Exit;
use crate::output::{self, Sink, Stdout};
use crate::report::receipt::Summary;
use crate::report::receipt::format::Style;
use crate::report::{Written, human};
use crate::term::{self, Terminal};

/// Writes the report as results come.
pub(super) struct Reporter<'a> {
    arguments: &'a Args,
    style: Style,
    stderr: Terminal,
    /// One receipt in full, instead of a line for each.
    single: bool,
    stdout: Stdout,
    summary: Summary,
    progress: Progress,
    begun: bool,
    written: bool,
}

impl<'a> Reporter<'a> {
    /// Before it is known how many receipts there are.
    pub(super) fn new(arguments: &'a Args, session: &Session) -> Self {
        let terminal = Terminal::stdout(session.color);
        Self {
            arguments,
            style: Style { format: arguments.format, redact: arguments.redact, terminal },
            stderr: Terminal::stderr(session.color),
            single: false,
            stdout: Stdout::default(),
            summary: Summary::default(),
            progress: Progress::new(None, true),
            begun: false,
            written: false,
        }
    }

    /// For `total` receipts, if that is known.
    pub(super) fn expect(&mut self, single: bool, total: Option<u64>) {
        let on_screen = !self.arguments.quiet && std::io::stdout().is_terminal();
        self.single = single;
        self.progress = Progress::new(total, single || on_screen);
    }

    /// Reports the receipts of a block at once: a line at a time would cost more than the line.
    pub(super) fn take(&mut self, block: &[Checked]) -> Result<(), Failure> {
        let mut text = String::new();
        for checked in block {
            if let (Some(path), Ok(receipt)) = (&self.arguments.emit_signed_bytes, &checked.result)
            {
                emit_signed_bytes(&receipt.audited, path)?;
            }
            let written = self.style.entry(checked, self.single);
            if self.style.is_human() && self.single && checked.result.is_err() {
                // As all that cannot be done, on standard error.
                output::complain(&written.text);
            } else {
                self.add(written, &mut text);
            }
            self.summary.count(checked);
        }
        self.progress.advance(block.len() as u64);
        self.print(&text)
    }

    /// An entry behind those that there are.
    fn add(&mut self, entry: Written, text: &mut String) {
        if !std::mem::replace(&mut self.begun, true) {
            text.push_str(&self.style.head());
        }
        if entry.text.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.written, true) {
            text.push_str(self.style.separator());
        }
        text.push_str(&entry.text);
        if !entry.rules.is_empty() {
            self.summary.note(entry.rules);
        }
    }

    /// Ends the report.
    pub(super) fn finish(mut self) -> Result<Exit, Failure> {
        self.progress.finish();
        if self.summary.total() == 0 {
            let message = "there is no receipt in what was named".to_owned();
            return self.fail(Failure::Other { code: "nothing_to_check", message });
        }
        let exit = self.summary.exit();
        let mut text = String::new();
        self.add(Written::default(), &mut text);
        text.push_str(&self.style.tail(&self.summary, exit, self.single, None));
        self.print(&text)?;
        Ok(exit)
    }

    /// Ends the report before its end. People read why on standard error, programs in the report.
    pub(super) fn fail(mut self, failure: Failure) -> Result<Exit, Failure> {
        self.progress.finish();
        let unwritable = matches!(failure, Failure::Write(_)) && self.begun;
        if self.style.is_human() || !self.is_printed() || unwritable {
            output::complain(&human::failure(&failure, self.arguments.redact, self.stderr));
        } else {
            let mut text = String::new();
            let entry = self.style.failure(&failure);
            self.add(entry, &mut text);
            let tail =
                self.style.tail(&self.summary, Exit::CannotRun, self.single, Some(&failure));
            text.push_str(&tail);
            self.print(&text)?;
        }
        Ok(Exit::CannotRun)
    }

    /// Whether there is a report at all.
    fn is_printed(&self) -> bool {
        let bytes_are_printed = self.arguments.emit_signed_bytes.as_deref() == Some(Path::new("-"));
        !self.arguments.quiet && !bytes_are_printed
    }

    fn print(&mut self, text: &str) -> Result<(), Failure> {
        if !self.is_printed() {
            return Ok(());
        }
        Ok(self.stdout.write(text.as_bytes())?)
    }
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
