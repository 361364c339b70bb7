//! Texts that look cut off (SPEC 6.2). White space behind an ending does not hide it.

use super::Bytes;

/// How a text shows that it goes on. ASCII case ignored.
const ENDINGS: [&str; 6] = ["[...]", "...", "…", "[truncated]", "(truncated)", "[cut]"];

/// Why a text looks cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truncation {
    /// It ends in this.
    Ending(&'static str),
    /// An odd number of lines begin with three backticks.
    OpenFence,
}

impl Truncation {
    pub(super) fn found(self) -> String {
        match self {
            Self::Ending(ending) => format!("the text ends in '{ending}'"),
            Self::OpenFence => "a code block is opened and not closed".to_owned(),
        }
    }
}

pub(super) fn find(text: &str, seen: Bytes) -> Option<Truncation> {
    let text = text.trim_end();
    // The last byte of every ending; that of `…` is shared by few other characters.
    if matches!(text.as_bytes().last(), Some(b'.' | b']' | b')' | 0xA6)) {
        let ending =
            ENDINGS.into_iter().find(|ending| ends_with(text.as_bytes(), ending.as_bytes()));
        if let Some(ending) = ending {
            return Some(Truncation::Ending(ending));
        }
    }
    let open = seen.has(Bytes::FENCE)
        && text.split('\n').filter(|line| line.starts_with("```")).count() % 2 == 1;
    open.then_some(Truncation::OpenFence)
}

fn ends_with(text: &[u8], ending: &[u8]) -> bool {
    text.len() >= ending.len() && text[text.len() - ending.len()..].eq_ignore_ascii_case(ending)
}
