//! For people: the verdict first, then each finding with its place, then the figures.

use agent_output_verifier::json::Lines;
use annotate_snippets::Level;
use clap::builder::styling::{AnsiColor, Style};

use super::excerpt::{self, Excerpt};
use crate::cmd::Failure;
use crate::input::{InputError, JsonError};
use crate::term::Terminal;

/// Why something could not be done; for malformed JSON with the line.
pub(crate) fn failure(failure: &Failure, terminal: Terminal) -> String {
    let mut out = paint("error", AnsiColor::Red.on_default().bold(), terminal);
    out.push_str(&format!(": {failure}\n"));
    if let Failure::Input(InputError::Json(error)) = failure {
        out.push_str(&json_error(error, terminal));
    }
    out
}

fn json_error(error: &JsonError, terminal: Terminal) -> String {
    let lines = Lines::new(&error.bytes);
    let end = (error.offset + 1).min(error.bytes.len());
    let excerpt = Excerpt::new(&error.bytes, &lines, error.offset..end, terminal.width);
    excerpt::render(&Level::ERROR, &[excerpt], &[], terminal)
}

/// Text in a style, where colour is wanted.
pub(super) fn paint(text: &str, style: Style, terminal: Terminal) -> String {
    if terminal.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}
