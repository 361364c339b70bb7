//! The report as results come: a receipt in full, a line for each of many, or JSON.

use std::io::IsTerminal as _;
use std::path::Path;

use agent_output_verifier::receipt::Audited;

use super::Args;
use super::work::Checked;
use crate::args::Format;
use crate::batch::progress::Progress;
use crate::cmd::Failure;
use crate::exit::Exit;
use crate::output::{self, Sink, Stdout};
use crate::report::receipt as report;
use crate::term::{self, Terminal};

/// Writes the report as results come.
pub(super) struct Reporter<'a> {
    arguments: &'a Args,
    /// One receipt in full, instead of a line for each.
    single: bool,
    terminal: Terminal,
    stdout: Stdout,
    summary: report::Summary,
    exit: Exit,
    progress: Progress,
}

impl<'a> Reporter<'a> {
    /// For `total` receipts, if that is known.
    pub(super) fn new(
        arguments: &'a Args,
        single: bool,
        total: Option<u64>,
        color: anstream::ColorChoice,
    ) -> Self {
        let on_screen = !arguments.quiet && std::io::stdout().is_terminal();
        Self {
            arguments,
            single,
            terminal: Terminal::stdout(color),
            stdout: Stdout::default(),
            summary: report::Summary::default(),
            exit: Exit::Ok,
            progress: Progress::new(total, single || on_screen),
        }
    }

    /// Reports the receipts of a block at once: a line at a time would cost more than the line.
    pub(super) fn take(&mut self, block: &[Checked]) -> Result<(), Failure> {
        let mut text = String::new();
        for checked in block {
            if let (Some(path), Ok(receipt)) = (&self.arguments.emit_signed_bytes, &checked.result)
            {
                emit_signed_bytes(&receipt.audited, path)?;
            }
            self.write(checked, &mut text);
            self.summary.count(checked);
            self.exit = self.exit.merge(checked.exit());
        }
        self.progress.advance(block.len() as u64);
        self.print(&text)
    }

    fn write(&self, checked: &Checked, text: &mut String) {
        match self.arguments.format {
            Format::Human if self.single && checked.result.is_err() => {
                // As all that cannot be done, on standard error.
                output::complain(&report::human(checked, self.terminal));
            }
            Format::Human if self.single => text.push_str(&report::human(checked, self.terminal)),
            Format::Human => text.push_str(&report::human_line(checked, self.terminal)),
            Format::Json => {
                let first = self.summary.total() == 0;
                text.push_str(if first { report::JSON_BEGIN } else { "," });
                text.push_str(&report::json(checked));
                text.push('\n');
            }
        }
    }

    pub(super) fn finish(mut self) -> Result<Exit, Failure> {
        self.progress.finish();
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
        if nothing {
            let message = "there is no receipt in what was named".to_owned();
            return Err(Failure::Other { code: "nothing_to_check", message });
        }
        Ok(self.exit)
    }

    fn print(&mut self, text: &str) -> Result<(), Failure> {
        let bytes_are_printed = self.arguments.emit_signed_bytes.as_deref() == Some(Path::new("-"));
        if self.arguments.quiet || bytes_are_printed {
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
