//! The strict reader of RFC 8259, without recursion: bytes in, a [`Document`] out.
//!
//! It takes exactly the grammar, refuses duplicate names and nesting beyond a limit, and finds each
//! value's span on the way. Time is linear in the text, but for the sorting of the names of one
//! object with many members.

mod error;
mod names;
mod string;
#[cfg(test)]
mod tests;

use super::arena::{Arena, Detail, Tag};
use super::document::Document;
use super::scan::number_end;

pub use error::{ReadError, ReadErrorKind};

/// The deepest nesting that any part of the program accepts in one value (SPEC 1.4).
pub const MAX_DEPTH: usize = 128;

/// The deepest nesting that a caller can ask for. What walks a document may do so by recursion
/// because of it.
const DEEPEST: usize = 1024;

/// U+FEFF in UTF-8, skipped at the start of a text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads one JSON text with at most `max_depth` levels of nesting, and never more than 1,024.
///
/// # Errors
/// The first thing that is not JSON, a duplicate name, or too deep a nesting, with its offset.
pub fn read(bytes: impl Into<Vec<u8>>, max_depth: usize) -> Result<Document, ReadError> {
    read_or_return(bytes.into(), max_depth).map_err(|(error, _)| error)
}

/// The same, and gives the bytes back if they are refused, so that the place can be shown.
///
/// # Errors
/// As [`read`].
pub fn read_or_return(bytes: Vec<u8>, max_depth: usize) -> Result<Document, (ReadError, Vec<u8>)> {
    if bytes.len() > u32::MAX as usize {
        return Err((ReadError { offset: 0, kind: ReadErrorKind::TooLong }, bytes));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        (ReadError { offset, kind: ReadErrorKind::NotUtf8 }, error.into_bytes())
    })?;
    let mut reader = Reader {
        text: &text,
        bytes: text.as_bytes(),
        at: if text.as_bytes().starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 },
        max_depth: max_depth.min(DEEPEST),
        arena: Arena::for_text(text.len()),
        pending: Vec::new(),
        open: Vec::new(),
    };
    if let Err(error) = reader.whole_text() {
        return Err((error, text.into_bytes()));
    }
    let arena = reader.arena;
    Ok(Document { text, arena })
}

/// A container whose end has not been seen.
struct Open {
    record: u32,
    /// Where its children begin in `pending`.
    pending: usize,
    object: bool,
}

struct Reader<'t> {
    text: &'t str,
    /// The same text.
    bytes: &'t [u8],
    at: usize,
    max_depth: usize,
    arena: Arena,
    /// Children of the open containers, moved to `children` when one closes.
    pending: Vec<u32>,
    open: Vec<Open>,
}

type Step<T> = Result<T, ReadError>;

impl Reader<'_> {
    #[cold]
    fn fail<T>(&self, offset: usize, kind: ReadErrorKind) -> Step<T> {
        Err(ReadError { offset, kind })
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn push(&mut self, tag: Tag, start: usize) -> u32 {
        self.arena.push(tag, start..self.at)
    }

    fn whole_text(&mut self) -> Step<()> {
        self.skip_space();
        if self.peek().is_none() {
            return self.fail(self.at, ReadErrorKind::Empty);
        }
        while self.value()? || self.behind_value()? {}
        self.skip_space();
        self.end()
    }

    /// Reads a scalar or an empty container, or opens another container. True if the first value
    /// inside it is next, its name already read.
    #[inline]
    fn value(&mut self) -> Step<bool> {
        let id = match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'{') => return self.open(true),
            Some(b'[') => return self.open(false),
            Some(b't') => self.word("true", Tag::True)?,
            Some(b'f') => self.word("false", Tag::False)?,
            Some(b'n') => self.word("null", Tag::Null)?,
            _ => return self.not_a_value(),
        };
        if !self.open.is_empty() {
            self.pending.push(id);
        }
        Ok(false)
    }

    /// Closes what ends behind a value. True if another value is next, its name already read.
    #[inline]
    fn behind_value(&mut self) -> Step<bool> {
        while let Some(&Open { object, .. }) = self.open.last() {
            self.skip_space();
            match self.peek() {
                Some(b',') => {
                    let comma = self.at;
                    self.at += 1;
                    self.skip_space();
                    if self.peek() == Some(if object { b'}' } else { b']' }) {
                        return self.fail(comma, ReadErrorKind::TrailingComma);
                    }
                    if object {
                        self.name_and_colon()?;
                    }
                    return Ok(true);
                }
                Some(b']') if !object => self.close(Tag::Array)?,
                Some(b'}') if object => self.close(Tag::Object)?,
                _ => return self.unexpected(if object { "`,` or `}`" } else { "`,` or `]`" }),
            }
        }
        Ok(false)
    }

    #[inline]
    fn name_and_colon(&mut self) -> Step<()> {
        if self.peek() != Some(b'"') {
            return self.not_a_name();
        }
        self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return self.unexpected("`:` after the name");
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn open(&mut self, object: bool) -> Step<bool> {
        if self.open.len() == self.max_depth {
            return self.fail(self.at, ReadErrorKind::TooDeep);
        }
        let start = self.at;
        self.at += 1;
        let tag = if object { Tag::Object } else { Tag::Array };
        let record = self.arena.push_detailed(tag, start, Detail::default());
        if !self.open.is_empty() {
            self.pending.push(record);
        }
        self.open.push(Open { record, pending: self.pending.len(), object });
        self.skip_space();
        match self.peek() {
            Some(b']') if !object => self.close(Tag::Array).map(|()| false),
            Some(b'}') if object => self.close(Tag::Object).map(|()| false),
            _ if object => self.name_and_colon().map(|()| true),
            _ => Ok(true),
        }
    }

    fn close(&mut self, mut tag: Tag) -> Step<()> {
        self.at += 1;
        let Some(open) = self.open.pop() else { return Ok(()) };
        let first = self.arena.children.len();
        let length = self.pending.len() - open.pending;
        self.arena.children.extend_from_slice(&self.pending[open.pending..]);
        self.pending.truncate(open.pending);
        if tag == Tag::Object && self.check_names(first)? {
            tag = Tag::Indexed;
        }
        let detail = Detail { end: self.at as u32, a: first as u32, b: length as u32 };
        self.arena.complete(open.record, tag, detail);
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Step<u32> {
        let start = self.at;
        match number_end(self.bytes, start) {
            Ok((end, float)) if !self.is_word(end) => {
                self.at = end;
                Ok(self.push(if float { Tag::Float } else { Tag::Integer }, start))
            }
            Err(at) if at == self.bytes.len() => self.fail(at, ReadErrorKind::UnexpectedEnd),
            _ => match self.not_a_number() {
                Some(word) => self.fail(start, ReadErrorKind::NotANumber(word)),
                None => self.fail(start, ReadErrorKind::BadNumber),
            },
        }
    }

    #[inline]
    fn word(&mut self, word: &'static str, tag: Tag) -> Step<u32> {
        let start = self.at;
        let end = start + word.len();
        if !self.bytes[start..].starts_with(word.as_bytes()) || self.is_word(end) {
            return self.not_a_value();
        }
        self.at = end;
        Ok(self.push(tag, start))
    }

    /// Whether a word or a number would go on here.
    #[inline]
    fn is_word(&self, at: usize) -> bool {
        self.bytes.get(at).is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-')
        })
    }

    /// Only white space has been found behind the outermost value, up to here.
    fn end(&self) -> Step<()> {
        let rest = &self.bytes[self.at..];
        let starts = |word: &&str| rest.starts_with(word.as_bytes());
        match rest.first() {
            None => Ok(()),
            Some(_) if self.intruder().is_some() => self.unexpected("the end"),
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9') => {
                self.fail(self.at, ReadErrorKind::SecondValue)
            }
            Some(_) if ["true", "false", "null"].iter().any(starts) => {
                self.fail(self.at, ReadErrorKind::SecondValue)
            }
            Some(_) => self.fail(self.at, ReadErrorKind::TrailingText),
        }
    }
}

/// What stands where something else is due, said as exactly as possible.
impl Reader<'_> {
    #[cold]
    fn unexpected<T>(&self, due: &'static str) -> Step<T> {
        let kind = self.intruder().unwrap_or(ReadErrorKind::Expected(due));
        self.fail(self.at, kind)
    }

    #[cold]
    fn not_a_name<T>(&self) -> Step<T> {
        match self.peek() {
            Some(b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z') => {
                self.fail(self.at, ReadErrorKind::Unquoted)
            }
            _ => self.unexpected("a name in double quotes"),
        }
    }

    #[cold]
    fn not_a_value<T>(&self) -> Step<T> {
        let rest = &self.text[self.at..];
        let stands = |word: &str| rest.starts_with(word) && !self.is_word(self.at + word.len());
        let kind = if let Some(word) = self.not_a_number() {
            ReadErrorKind::NotANumber(word)
        } else if let Some((word, instead)) =
            FOREIGN_WORDS.into_iter().find(|(word, _)| stands(word))
        {
            ReadErrorKind::ForeignWord(word, instead)
        } else if ["true", "false", "null"].iter().any(|word| word.starts_with(rest)) {
            return self.fail(self.bytes.len(), ReadErrorKind::UnexpectedEnd);
        } else if rest.starts_with(['.', '+']) {
            ReadErrorKind::BadNumber
        } else if let Some(kind) = self.intruder() {
            kind
        } else if self.open.is_empty() {
            ReadErrorKind::NotJson
        } else {
            ReadErrorKind::Expected("a JSON value")
        };
        self.fail(self.at, kind)
    }

    fn not_a_number(&self) -> Option<&'static str> {
        let rest = &self.bytes[self.at..];
        NOT_NUMBERS
            .into_iter()
            .find(|word| rest.starts_with(word.as_bytes()) && !self.is_word(self.at + word.len()))
    }

    /// What is never right between values.
    fn intruder(&self) -> Option<ReadErrorKind> {
        let rest = &self.text[self.at..];
        let kind = if rest.is_empty() {
            ReadErrorKind::UnexpectedEnd
        } else if rest.starts_with("```") {
            ReadErrorKind::MarkdownFence
        } else if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#') {
            ReadErrorKind::Comment
        } else if rest.starts_with(['\'', '\u{2018}', '\u{2019}', '\u{201C}', '\u{201D}']) {
            ReadErrorKind::Unquoted
        } else {
            return None;
        };
        Some(kind)
    }
}

/// What other languages print for numbers that JSON does not have.
const NOT_NUMBERS: [&str; 9] =
    ["NaN", "nan", "-NaN", "Infinity", "-Infinity", "+Infinity", "Inf", "inf", "-inf"];

/// Words of other languages for what JSON has too.
const FOREIGN_WORDS: [(&str, &str); 7] = [
    ("True", "true"),
    ("TRUE", "true"),
    ("False", "false"),
    ("FALSE", "false"),
    ("None", "null"),
    ("NULL", "null"),
    ("undefined", "null"),
];
