//! Entries of a report on their way out: made one by one, on any thread, written in their order.

use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use agent_output_verifier::check::{Verdict, Work};
use agent_output_verifier::receipt::attestation::Context;
use agent_output_verifier::request::Part;
use agent_output_verifier::score::is_reserved;

use crate::agreed::{Agreed, Kept};
use crate::batch::progress::Progress;
use crate::cmd::Failure;
use crate::exit::Exit;
use crate::input::{InputError, Origin, Source, explain, read_file};
use crate::ledger::Verification;
use crate::output::{self, Sink, WriteError};
use crate::recorder::Recorder;
use crate::records::{self, Block};
use crate::report::format::Style;
use crate::report::{Checked, Rejection, Summary, Written, human};
use crate::signing::{Signer, Stamped};
use crate::term::Terminal;

/// One input, done.
#[derive(Debug)]
pub(crate) struct Entry {
    /// How it ended.
    pub(crate) exit: Exit,
    /// What the report says about it.
    written: Written,
    /// What people are told on standard error.
    complaint: String,
    /// What a ledger keeps of it.
    verification: Option<Verification>,
}

/// Makes entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scribe<'s> {
    /// How they are written.
    pub(crate) style: Style,
    /// Who signs answers, if they are to be signed.
    pub(crate) signer: Option<&'s Signer>,
    /// Whether nothing is written.
    pub(crate) quiet: bool,
    /// Whether the report goes into a file, where people do not see it at once.
    pub(crate) to_file: bool,
    /// Whether verifications are kept in a ledger.
    pub(crate) records: bool,
    /// What takes complaints.
    pub(crate) stderr: Terminal,
}

impl Scribe<'_> {
    fn checked(&self, checked: &Checked<'_>) -> Result<Entry, Failure> {
        let verify = self.signer.map(Signer::section);
        // What is recorded is what the answer says, down to its id.
        let stamped = OnceCell::new();
        let stamped = || stamped.get_or_init(Stamped::now);
        let answer =
            |checked: &Checked<'_>| stamped().body(checked.request, checked.outcome, verify);
        let written = match self.signer {
            _ if self.quiet => Written::default(),
            None => self.style.checked(checked, answer),
            Some(signer) => {
                let body = self.style.redacted(checked, answer);
                signer.seal(body.to_pretty(), Context::Verification)?.into()
            }
        };
        let verdict = checked.outcome.verdict();
        let agent_id = checked.request.agent_id.as_deref().filter(|_| self.records);
        let verification = agent_id.filter(|id| !is_reserved(id)).map(|agent_id| Verification {
            verification_id: stamped().id.clone(),
            agent_id: agent_id.to_owned(),
            at: stamped().at,
            passed: verdict == Verdict::Pass,
        });
        Ok(Entry { exit: verdict.into(), written, complaint: String::new(), verification })
    }

    /// There is no verdict. People read why on standard error; a report in a file, and one for
    /// programs, says so itself.
    pub(crate) fn failure(&self, origin: &Origin, failure: &Failure) -> Entry {
        let in_report = !self.quiet && (self.to_file || !self.style.is_human());
        let complain = self.quiet || self.to_file || self.style.is_human();
        let written =
            if in_report { self.style.failure(origin, failure) } else { Written::default() };
        let plain =
            Style { format: crate::args::ReportFormat::Human, terminal: self.stderr, ..self.style };
        let complaint = if complain { plain.failure(origin, failure).text } else { String::new() };
        Entry { exit: Exit::CannotRun, written, complaint, verification: None }
    }
}

/// Checks inputs against requirements and makes their entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checker<'a> {
    /// The requirements.
    pub(crate) agreed: &'a Agreed<'a>,
    /// Who writes.
    pub(crate) scribe: Scribe<'a>,
    /// From this many bytes on, if ever, a second thread helps with one input.
    pub(crate) large: usize,
    /// Whether the first input that does not pass is the last.
    pub(crate) fail_fast: bool,
}

impl Checker<'_> {
    /// All inputs of a block; with `fail_fast` up to the first that does not pass.
    pub(crate) fn block(
        &self,
        from: &records::Origin,
        block: Block,
        kept: &mut Kept,
    ) -> Vec<Entry> {
        let origin = |line| Origin { name: from.name.clone(), path: from.path.clone(), line };
        match block {
            Block::Whole(path) => {
                let read = read_file(&path).map_err(|error| explain(&error));
                vec![self.input(origin(None), read, kept)]
            }
            Block::Read(bytes) => vec![self.input(origin(None), Ok(bytes), kept)],
            Block::Unreadable(line, cause) => vec![self.input(origin(line), Err(cause), kept)],
            Block::Lines(first, bytes) => self.lines(&origin, first, bytes, kept),
        }
    }

    fn lines(
        &self,
        origin: &impl Fn(Option<u64>) -> Origin,
        first: u64,
        mut bytes: Vec<u8>,
        kept: &mut Kept,
    ) -> Vec<Entry> {
        if bytes.ends_with(b"\n") {
            bytes.pop();
        }
        if memchr::memchr(b'\n', &bytes).is_none() {
            // A record that came alone, perhaps because it is large, is not copied.
            let alone = !records::is_blank(&bytes);
            return alone
                .then(|| self.record(origin(Some(first)), bytes, kept))
                .into_iter()
                .collect();
        }
        let mut entries = Vec::new();
        for (line, record) in records::lines(first, &bytes) {
            let entry = self.record(origin(Some(line)), record.to_vec(), kept);
            let stop = self.fail_fast && entry.exit != Exit::Ok;
            entries.push(entry);
            if stop {
                break;
            }
        }
        entries
    }

    fn record(&self, origin: Origin, bytes: Vec<u8>, kept: &mut Kept) -> Entry {
        let bytes = match bytes.len() <= records::MAX_RECORD {
            true => Ok(bytes),
            false => Err(records::too_long()),
        };
        self.input(origin, bytes, kept)
    }

    /// One input. A fault in this program costs that one its verdict, not the others.
    fn input(&self, origin: Origin, bytes: Result<Vec<u8>, String>, kept: &mut Kept) -> Entry {
        let known = origin.clone();
        let done = catch_unwind(AssertUnwindSafe(|| {
            self.try_input(origin, bytes, kept)
                .unwrap_or_else(|failure| self.scribe.failure(&known, &failure))
        }));
        done.unwrap_or_else(|_| {
            let message = format!(
                "{} has no verdict because of a fault in aov; please report it",
                known.title()
            );
            self.scribe.failure(&known, &Failure::Other { code: "internal_error", message })
        })
    }

    fn try_input(
        &self,
        origin: Origin,
        bytes: Result<Vec<u8>, String>,
        kept: &mut Kept,
    ) -> Result<Entry, Failure> {
        let requirements = self.agreed.requirements;
        let title = origin.title();
        let Origin { name, path, line } = origin;
        let bytes = bytes.map_err(|cause| InputError::Unreadable { name: title.clone(), cause })?;
        let source = Source { name, path, line, bytes };
        let input = source.parse(requirements.input_depth())?;
        let large = input.document.text().len() >= self.large;
        let work = if large { Work::TwoThreads } else { Work::Inline };
        let (request, outcome) = self.agreed.check(&input, work, kept).map_err(|invalid| {
            let file = |part| requirements.file(part, Some(&input));
            Rejection::new(format!("{title} cannot be checked"), invalid, file)
        })?;
        let schema = requirements.file(Part::Schema, Some(&input)).unwrap_or(&input);
        let (request, outcome) = (&request, &outcome);
        let checked = Checked { input: &input, schema, request, outcome, redact: false };
        self.scribe.checked(&checked)
    }
}

/// Writes entries in the order in which they come.
#[derive(Debug)]
pub(crate) struct Reporter<'s> {
    scribe: Scribe<'s>,
    sink: Sink,
    summary: Summary,
    progress: Progress,
    recorder: Option<Recorder>,
    begun: bool,
    written: bool,
}

impl<'s> Reporter<'s> {
    /// At the start of a report into the file named, or to standard output.
    pub(crate) fn new(
        scribe: Scribe<'s>,
        output: Option<&Path>,
        progress: Progress,
    ) -> Result<Self, WriteError> {
        let sink = match scribe.signer {
            // Receipts are never overwritten (SPEC 10.2).
            Some(_) => Sink::fresh(output)?,
            None => Sink::new(output),
        };
        let summary = Summary::default();
        let recorder = None;
        Ok(Self { scribe, sink, summary, progress, recorder, begun: false, written: false })
    }

    /// With a ledger that keeps the verifications.
    pub(crate) fn recording(self, recorder: Option<Recorder>) -> Self {
        Self { recorder, ..self }
    }

    /// Writes some; false if there shall be no more.
    pub(crate) fn take(&mut self, entries: &[Entry], fail_fast: bool) -> Result<bool, WriteError> {
        if let Some(recorder) = &mut self.recorder {
            // With `fail_fast` no entry stands behind the one that ends the run.
            recorder.take(entries.iter().filter_map(|entry| entry.verification.clone()));
        }
        for entry in entries {
            self.summary.add(entry.exit);
            if !entry.complaint.is_empty() {
                self.progress.above(|| output::complain(&entry.complaint));
            }
            self.summary.stopped = fail_fast && entry.exit != Exit::Ok;
            if self.summary.stopped {
                break;
            }
        }
        self.progress.advance(entries.len() as u64);
        self.write(entries)?;
        Ok(!self.summary.stopped)
    }

    /// Says something that is about no input.
    pub(crate) fn note(&mut self, entry: &Entry) -> Result<(), WriteError> {
        output::complain(&entry.complaint);
        self.write(std::slice::from_ref(entry))
    }

    fn write(&mut self, entries: &[Entry]) -> Result<(), WriteError> {
        let mut text = self.head();
        let written = entries.iter().map(|entry| &entry.written);
        for Written { text: entry, rules } in written.filter(|written| !written.text.is_empty()) {
            if self.written {
                text.push_str(self.scribe.style.separator());
            }
            self.written = true;
            text.push_str(entry);
            self.summary.rules.extend(rules.iter().cloned());
        }
        self.sink.write(text.as_bytes())
    }

    fn head(&mut self) -> String {
        if self.scribe.quiet || std::mem::replace(&mut self.begun, true) {
            return String::new();
        }
        self.scribe.style.head()
    }

    /// Ends the report. `many` inputs could be meant, whatever their number was.
    pub(crate) fn finish(mut self, many: bool) -> Result<Exit, WriteError> {
        self.progress.finish();
        if !self.scribe.quiet {
            let mut text = self.head();
            let tail = self.scribe.style.tail(&self.summary, many);
            if self.written && self.scribe.style.is_human() && !tail.is_empty() {
                text.push_str(self.scribe.style.separator());
            }
            self.sink.write((text + &tail).as_bytes())?;
        }
        self.sink.finish()?;
        let exit = self.summary.exit();
        match self.recorder.map_or(Ok(()), Recorder::finish) {
            Ok(()) => Ok(exit),
            Err(failure) => {
                output::complain(&human::failure(&failure, false, self.scribe.stderr));
                Ok(exit.merge(Exit::CannotRun))
            }
        }
    }

    /// How many inputs were reported.
    pub(crate) fn inputs(&self) -> u64 {
        self.summary.inputs()
    }
}
