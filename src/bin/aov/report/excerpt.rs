//! A line of a text with a part of it marked, for people: cut to the width at hand, never the
//! whole of a long line, and nothing raw that could play tricks on a terminal.

use std::ops::Range;

use agent_output_verifier::json::{Lines, Position};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::input::in_file;
use crate::term::{self, Terminal};

/// Columns that the line number and the frame may take.
const GUTTER: usize = 12;
/// What stands for a part that is left out.
const CUT: &str = "…";

/// One marked line.
#[derive(Debug)]
pub(crate) struct Excerpt {
    /// Where the marked part begins in the text.
    pub(crate) position: Position,
    /// The line, or the part of it around the mark, fit for a terminal.
    line: String,
    /// What is marked, in bytes of `line`.
    mark: Range<usize>,
    /// What to write at the mark; may be empty.
    label: String,
    /// Whether this is what the finding is about, not what it is compared with.
    primary: bool,
}

impl Excerpt {
    /// The line around `span` of the text, as much of it as fits the widest terminal. What the span
    /// has beyond its first line is not marked.
    pub(crate) fn new(text: &[u8], lines: &Lines<'_>, span: Range<usize>) -> Self {
        let position = lines.position(span.start);
        let line = lines.line(position.line);
        let first = lines.start(position.line);
        let line_end = first + line.len();
        let start = span.start.clamp(first, line_end);
        let end = span.end.clamp(start, line_end);

        let room = term::WIDTH - GUTTER;
        let (from, to, end) = if count(line, room).is_some() {
            (first, line_end, end)
        } else {
            window(text, first..line_end, start..end, room)
        };
        let mut shown = String::new();
        if from > first {
            shown.push_str(CUT);
        }
        shown.push_str(&plain(&text[from..start]));
        let mark = shown.len();
        shown.push_str(&plain(&text[start..end]));
        let mark = mark..shown.len();
        shown.push_str(&plain(&text[end..to]));
        if to < line_end {
            shown.push_str(CUT);
        }
        Self { position, line: shown, mark, label: String::new(), primary: true }
    }

    /// As a part of a record that stands in this line of its file.
    pub(crate) fn in_record(mut self, line: Option<u64>) -> Self {
        self.position = in_file(line, self.position);
        self
    }

    /// The marked text, fit for a terminal.
    pub(crate) fn marked(&self) -> &str {
        &self.line[self.mark.clone()]
    }

    /// With a word at the mark.
    pub(crate) fn label(mut self, label: &str) -> Self {
        self.label = term::safe(label).into_owned();
        self
    }

    /// As something that matters to the finding but is not its place.
    pub(crate) fn secondary(mut self) -> Self {
        self.primary = false;
        self
    }
}

/// Excerpts below one another, in the order given, then the notes (`= name: text`).
pub(crate) fn render(
    level: &Level<'_>,
    excerpts: &[Excerpt],
    notes: &[(&str, &str)],
    terminal: Terminal,
) -> String {
    let renderer = if terminal.colour { Renderer::styled() } else { Renderer::plain() }
        .term_width(terminal.width);
    let widest = digits(excerpts);
    let mut out = String::new();
    if excerpts.is_empty() {
        for (name, text) in notes {
            out.push_str(&format!("  = {name}: {}\n", term::safe(text)));
        }
    }
    for (at, excerpt) in excerpts.iter().enumerate() {
        let kind = if excerpt.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut annotation = kind.span(excerpt.mark.clone());
        if !excerpt.label.is_empty() {
            annotation = annotation.label(excerpt.label.as_str());
        }
        let snippet = Snippet::source(excerpt.line.as_str())
            .line_start(excerpt.position.line)
            .annotation(annotation);
        let mut group = Group::with_level(level.clone()).element(snippet);
        if at + 1 == excerpts.len() {
            group = group.elements(notes.iter().map(|(name, text)| {
                Level::NOTE.with_name(*name).message(term::safe(text).into_owned())
            }));
        }
        let indent = " ".repeat(widest - digits(std::slice::from_ref(excerpt)));
        for line in renderer.render(&[group]).lines() {
            out.push_str(&indent);
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// What to show of a line that is too long: the mark, at most half of the room, and what stands
/// around it. Gives the start and the end of that, and the end of the mark.
fn window(
    text: &[u8],
    line: Range<usize>,
    mark: Range<usize>,
    room: usize,
) -> (usize, usize, usize) {
    let points = |range: Range<usize>| count(&text[range], room).unwrap_or(room);
    let end = forward(text, mark.clone(), room / 2);
    let around = room.saturating_sub(points(mark.start..end));
    let behind = points(end..forward(text, end..line.end, around));
    // What the end of the line leaves free is for what stands before.
    let from = backward(text, line.start..mark.start, (around - behind).max(around / 3));
    let before = points(from..mark.start);
    let to = forward(text, end..line.end, around.saturating_sub(before));
    (from, to, end)
}

/// How many digits the widest line number has.
pub(crate) fn digits(excerpts: &[Excerpt]) -> usize {
    excerpts.iter().map(|excerpt| excerpt.position.line.to_string().len()).max().unwrap_or(1)
}

/// Text as it can be shown in one line: tabs as spaces, the rest made safe.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\t', "    ");
    term::safe(&text).into_owned()
}

/// How many code points, if not more than `limit`.
fn count(bytes: &[u8], limit: usize) -> Option<usize> {
    // A code point has four bytes at most, so that a huge line is not looked through.
    if bytes.len() / 4 > limit {
        return None;
    }
    let points = bytes.iter().filter(|byte| begins(**byte)).count();
    (points <= limit).then_some(points)
}

/// Continuation bytes do not begin a code point.
fn begins(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The end of at most `points` code points from the start of the range.
fn forward(text: &[u8], range: Range<usize>, points: usize) -> usize {
    let mut starts = range.clone().filter(|&at| begins(text[at]));
    starts.nth(points).unwrap_or(range.end)
}

/// The start of at most `points` code points before the end of the range.
fn backward(text: &[u8], range: Range<usize>, points: usize) -> usize {
    if points == 0 {
        return range.end;
    }
    let mut starts = range.clone().rev().filter(|&at| begins(text[at]));
    starts.nth(points - 1).unwrap_or(range.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Terminal = Terminal { colour: false, width: term::WIDTH };

    fn excerpt(text: &str, span: Range<usize>) -> Excerpt {
        let lines = Lines::new(text.as_bytes());
        Excerpt::new(text.as_bytes(), &lines, span)
    }

    fn shown(text: &str, span: Range<usize>) -> String {
        render(&Level::ERROR, &[excerpt(text, span)], &[], TERMINAL)
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        let text = "{\n\t\"a\": -1\n}";
        assert_eq!(shown(text, 8..10), "  |\n2 |     \"a\": -1\n  |          ^^\n");
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let text = format!("[{}\"here\",{}]", "1,".repeat(500_000), "2,".repeat(500_000));
        let at = text.find("\"here\"").unwrap();
        let out = shown(&text, at..at + 6);
        assert!(out.len() < 300, "{out}");
        assert!(out.contains("1,1,1,1,1,1,\"here\",2,2,2,2,2,2,"), "{out}");
        assert!(out.lines().all(|line| line.chars().count() <= term::WIDTH), "{out}");
        let (line, carets) = (out.lines().nth(1).unwrap(), out.lines().nth(2).unwrap());
        let column = |text: &str, of: &str| text[..text.find(of).unwrap()].chars().count();
        assert_eq!(column(line, "\"here\""), column(carets, "^^^^^^"));
    }

    #[test]
    fn a_long_value_is_cut_itself() {
        let text = format!("\"{}\"", "x".repeat(1_000_000));
        assert!(shown(&text, 0..text.len()).len() < 300);
        let wide = "界".repeat(1_000_000);
        assert!(shown(&wide, 3_000..wide.len()).len() < 600);
    }

    #[test]
    fn what_could_mislead_is_escaped_and_the_mark_still_fits() {
        let text = "\"a\u{202e}b\", 7";
        let at = text.find('7').unwrap();
        let out = shown(text, at..at + 1);
        assert!(out.contains("\"a\\u202eb\", 7"), "{out}");
        assert!(out.contains(&format!("{}^", " ".repeat("\"a\\u202eb\", ".len()))), "{out}");
    }

    #[test]
    fn places_at_and_behind_the_end_are_shown() {
        for text in ["", "{", "{\n", "{\n\n"] {
            let out = shown(text, text.len()..text.len());
            assert!(out.contains('^'), "{text:?}: {out}");
        }
        assert_eq!(excerpt("{\n", 2..2).position.line, 2);
    }

    #[test]
    fn bytes_that_are_not_utf8_do_no_harm() {
        let text = b"{\"a\": \"\xff\xfe\"}";
        let lines = Lines::new(text);
        let excerpt = Excerpt::new(text, &lines, 7..7);
        assert!(render(&Level::ERROR, &[excerpt], &[], TERMINAL).contains('\u{fffd}'));
    }
}
