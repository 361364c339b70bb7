//! From results to bytes. A reporter reads a result and returns text; it decides nothing.

mod excerpt;
mod finding;
pub(crate) mod format;
mod github;
pub(crate) mod graded;
pub(crate) mod hashes;
pub(crate) mod human;
pub(crate) mod json;
mod jsonl;
mod junit;
mod located;
pub(crate) mod receipt;
mod redact;
mod sarif;
pub(crate) mod score;
pub(crate) mod template;
mod uri;

use std::collections::BTreeSet;

use agent_output_verifier::check::Outcome;
use agent_output_verifier::invalid::Invalid;
use agent_output_verifier::json::Lines;
use agent_output_verifier::request::{Part, Request};

use crate::exit::Exit;
use crate::input::{JsonFile, Origin};
use excerpt::Excerpt;

/// At most this many findings, or problems, of one input are shown to people.
const MAX_SHOWN: usize = 50;

/// A part of a report.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The text.
    pub(crate) text: String,
    /// The rules that its results name; of SARIF, which lists them.
    pub(crate) rules: BTreeSet<String>,
}

impl From<String> for Written {
    fn from(text: String) -> Self {
        Self { text, rules: BTreeSet::new() }
    }
}

/// One output with its verdict.
#[derive(Debug)]
pub(crate) struct Checked<'r> {
    /// The file with the output; with a whole request that file.
    pub(crate) input: &'r JsonFile,
    /// The file with the schema.
    pub(crate) schema: &'r JsonFile,
    /// What was asked.
    pub(crate) request: &'r Request<'r>,
    /// What was found.
    pub(crate) outcome: &'r Outcome,
    /// Whether no value of the output may be shown.
    pub(crate) redact: bool,
}

/// A request that gets no verdict, with all that is needed to show why.
#[derive(Debug)]
pub(crate) struct Rejection {
    /// What cannot be done for it: a sentence without its end.
    pub(crate) headline: String,
    /// What is wrong.
    pub(crate) invalid: Invalid,
    /// The places of its problems, as many as are shown.
    places: Vec<Option<Spot>>,
}

/// A place in a file.
#[derive(Debug)]
struct Spot {
    origin: Origin,
    excerpt: Excerpt,
}

impl Rejection {
    /// Looks up the places; `file` knows which file a part of a request is.
    pub(crate) fn new<'f>(
        headline: String,
        invalid: Invalid,
        file: impl Fn(Part) -> Option<&'f JsonFile>,
    ) -> Self {
        let places = invalid.problems.iter().take(MAX_SHOWN).map(|problem| {
            let (part, node) = problem.at?;
            let file = file(part)?;
            let text = file.document.text().as_bytes();
            let span = human::marked(file.document.node(node));
            let excerpt = Excerpt::new(text, &Lines::new(text), span).in_record(file.line);
            Some(Spot { origin: file.origin(), excerpt })
        });
        let places = places.collect();
        Self { headline, invalid, places }
    }
}

/// How the inputs of a run ended, for the last line.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    ends: [u64; 5],
    /// The rules that results name.
    pub(crate) rules: BTreeSet<String>,
    /// Whether the first that did not pass ended the run.
    pub(crate) stopped: bool,
}

impl Summary {
    /// One more input.
    pub(crate) fn add(&mut self, exit: Exit) {
        self.ends[usize::from(exit.code())] += 1;
    }

    /// How many inputs ended so.
    fn count(&self, exit: Exit) -> u64 {
        self.ends[usize::from(exit.code())]
    }

    /// How many inputs there were.
    pub(crate) fn inputs(&self) -> u64 {
        self.ends.iter().sum()
    }

    /// The code of the run. Where nothing was checked, nothing passed.
    pub(crate) fn exit(&self) -> Exit {
        let ends = Exit::ALL.into_iter().filter(|exit| self.count(*exit) > 0);
        ends.reduce(Exit::merge).unwrap_or(Exit::CannotRun)
    }
}
