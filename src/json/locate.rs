//! From byte offsets to lines and columns.

use std::fmt;

/// A place in a text: both 1-based, columns in code points (SPEC 1.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in code points, from 1. A byte order mark does not count.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The line starts of a text, found once, for any number of look-ups.
#[derive(Debug)]
pub struct Lines<'t> {
    text: &'t [u8],
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of `text`, which may be cut in the middle of a character.
    #[must_use]
    pub fn new(text: &'t [u8]) -> Self {
        let first = if text.starts_with(super::read::BYTE_ORDER_MARK) { 3 } else { 0 };
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(first).chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// The position of the byte at `offset`.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts[line - 1];
        let before = self.text.get(start..offset.min(self.text.len())).unwrap_or_default();
        // Continuation bytes do not begin a code point.
        let column = before.iter().filter(|byte| (**byte & 0xC0) != 0x80).count() + 1;
        Position { line, column }
    }

    /// How many lines there are; a final line break begins another.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of a line (from 1) without its line break.
    #[must_use]
    pub fn line(&self, line: usize) -> &'t [u8] {
        let Some(&start) = line.checked_sub(1).and_then(|at| self.starts.get(at)) else {
            return &[];
        };
        let end = self.starts.get(line).map_or(self.text.len(), |next| next - 1);
        let bytes = &self.text[start..end];
        bytes.strip_suffix(b"\r").unwrap_or(bytes)
    }

    /// Where a line (from 1) begins, in bytes.
    #[must_use]
    pub fn start(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or(self.text.len())
    }
}
