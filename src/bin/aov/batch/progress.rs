//! How far a long run has come, on a terminal only.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The line at the bottom, or nothing.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// For `total` inputs, if that is known. There is none where standard error is no terminal, and
    /// where the report itself moves over the screen.
    pub(crate) fn new(total: Option<u64>, report_on_screen: bool) -> Self {
        if report_on_screen || !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let (bar, template) = match total {
            Some(total) => {
                (ProgressBar::new(total), "{bar:40} {human_pos} of {human_len}, {per_sec}")
            }
            None => (ProgressBar::no_length(), "{spinner} {human_pos} records, {per_sec}"),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// So many inputs more.
    pub(crate) fn advance(&self, inputs: u64) {
        self.bar.inc(inputs);
    }

    /// Says something above the line.
    pub(crate) fn above(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
