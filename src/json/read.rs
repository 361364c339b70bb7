//! The strict reader of RFC 8259, without recursion: bytes in, a [`Document`] out.
//!
//! It takes exactly the grammar, refuses duplicate names and nesting beyond a limit, and finds each
//! value's span on the way. Time is linear in the text, but for the sorting of the names of one
//! object with many members.

use std::fmt;

use super::document::{Document, Record, Tag};
use super::quoted;

/// The deepest nesting that any part of the program accepts in one value (SPEC 1.4).
pub const MAX_DEPTH: usize = 128;

/// U+FEFF in UTF-8, skipped at the start of a text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Objects with more members than this are looked up through a sorted index.
const LINEAR_MEMBERS: usize = 12;

/// Why a text is not accepted, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// Byte offset into the text.
    pub offset: usize,
    /// What is wrong there.
    pub kind: ReadErrorKind,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// Nothing but white space.
    Empty,
    /// Not UTF-8.
    NotUtf8,
    /// More than 4 GiB, which spans cannot address.
    TooLong,
    /// The text ends inside a value.
    UnexpectedEnd,
    /// Something else stands where this was due.
    Expected(&'static str),
    /// A Markdown fence in front of or behind the JSON.
    MarkdownFence,
    /// A second value, or other text, behind the first.
    TrailingText,
    /// `NaN`, `Infinity` or `-Infinity`.
    NotANumber(&'static str),
    /// A number that the grammar does not have: `01`, `.5`, `1.`, `+1`, `0x1`.
    BadNumber,
    /// A backslash before something that it does not escape.
    BadEscape,
    /// An unescaped U+0000 to U+001F in a string.
    ControlCharacter(u8),
    /// A comma before the closing bracket.
    TrailingComma,
    /// A comment.
    Comment,
    /// Single quotes, or a name without quotes.
    Unquoted,
    /// The same name twice in one object, compared after unescaping.
    DuplicateName(String),
    /// More levels than [`MAX_DEPTH`] allows in one value.
    TooDeep,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no JSON here: the text is empty"),
            Self::NotUtf8 => f.write_str("the text is not UTF-8; save it as UTF-8"),
            Self::TooLong => f.write_str("the text is longer than 4 GiB"),
            Self::UnexpectedEnd => f.write_str("the text ends inside a value; it may be cut off"),
            Self::Expected(what) => write!(f, "expected {what}"),
            Self::MarkdownFence => {
                f.write_str("this is a Markdown fence (```), not JSON; pass only what is inside it")
            }
            Self::TrailingText => {
                f.write_str("there is more text after the JSON value; pass one value at a time")
            }
            Self::NotANumber(word) => {
                write!(f, "{word} is not JSON; use null or leave the member out")
            }
            Self::BadNumber => f.write_str(
                "this is not a JSON number (no leading zero or plus, digits on both sides of a point)",
            ),
            Self::BadEscape => f.write_str(
                "this escape does not exist in JSON; it has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX",
            ),
            Self::ControlCharacter(byte) => {
                write!(f, "the control character U+{byte:04X} must be written as \\u{byte:04x} in a string")
            }
            Self::TrailingComma => f.write_str("JSON has no comma after the last element"),
            Self::Comment => f.write_str("JSON has no comments"),
            Self::Unquoted => f.write_str("names and strings stand in double quotes in JSON"),
            Self::DuplicateName(name) => write!(
                f,
                "the name {} stands twice in this object; readers would disagree about its value",
                crate::text::cut(&quoted(&crate::text::visible(name)), crate::text::MAX_ECHO)
            ),
            Self::TooDeep => write!(f, "nested too deep; a value may have at most {MAX_DEPTH} levels"),
        }
    }
}

/// Reads one JSON text with at most `max_depth` levels of nesting.
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
        bytes: text.as_bytes(),
        at: if text.as_bytes().starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 },
        max_depth,
        // About one value in ten bytes is what real data has; growing costs more than guessing low.
        records: Vec::with_capacity(text.len() / 12 + 8),
        children: Vec::with_capacity(text.len() / 24 + 8),
        decoded: String::new(),
        broken: Vec::new(),
        pending: Vec::new(),
        open: Vec::new(),
    };
    if let Err(error) = reader.text() {
        return Err((error, text.into_bytes()));
    }
    let Reader { records, children, decoded, broken, .. } = reader;
    Ok(Document { text, records, children, decoded, broken })
}

/// A container whose end has not been seen.
struct Open {
    record: u32,
    /// Where its children begin in `pending`.
    pending: usize,
    object: bool,
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    max_depth: usize,
    records: Vec<Record>,
    children: Vec<u32>,
    decoded: String,
    broken: Vec<(u32, Box<[u8]>)>,
    /// Children of the open containers, moved to `children` when one closes.
    pending: Vec<u32>,
    open: Vec<Open>,
}

type Step<T> = Result<T, ReadError>;

impl Reader<'_> {
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
    fn push(&mut self, tag: Tag, start: usize, a: u32, b: u32) -> u32 {
        let id = self.records.len() as u32;
        self.records.push(Record { start: start as u32, end: self.at as u32, a, b, tag });
        id
    }

    fn text(&mut self) -> Step<()> {
        self.skip_space();
        if self.peek().is_none() {
            return self.fail(self.at, ReadErrorKind::Empty);
        }
        self.begin_value()?;
        while let Some(open) = self.open.last() {
            let object = open.object;
            self.skip_space();
            match self.peek() {
                Some(b',') => {
                    let comma = self.at;
                    self.at += 1;
                    self.skip_space();
                    if let Some(b']' | b'}') = self.peek() {
                        return self.fail(comma, ReadErrorKind::TrailingComma);
                    }
                    self.begin_child(object)?;
                }
                Some(b']') if !object => self.close(Tag::Array)?,
                Some(b'}') if object => self.close(Tag::Object)?,
                _ => {
                    let due = if object { "`,` or `}`" } else { "`,` or `]`" };
                    return self.unexpected(due);
                }
            }
        }
        self.skip_space();
        match self.peek() {
            None => Ok(()),
            Some(b'`') => self.fail(self.at, ReadErrorKind::MarkdownFence),
            Some(_) => self.fail(self.at, ReadErrorKind::TrailingText),
        }
    }

    /// A member or an element; on return a scalar is complete and a container open.
    #[inline]
    fn begin_child(&mut self, object: bool) -> Step<()> {
        if object {
            if self.peek() != Some(b'"') {
                return match self.peek() {
                    Some(b'\'' | b'_' | b'a'..=b'z' | b'A'..=b'Z') => {
                        self.fail(self.at, ReadErrorKind::Unquoted)
                    }
                    _ => self.unexpected("a name in double quotes"),
                };
            }
            self.string()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return self.unexpected("`:` after the name");
            }
            self.at += 1;
            self.skip_space();
        }
        self.begin_value()
    }

    #[inline]
    fn begin_value(&mut self) -> Step<()> {
        let start = self.at;
        let id = match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'{') => return self.open(true),
            Some(b'[') => return self.open(false),
            Some(b't') => self.word(b"true", Tag::True)?,
            Some(b'f') => self.word(b"false", Tag::False)?,
            Some(b'n') => self.word(b"null", Tag::Null)?,
            _ => return self.unexpected("a JSON value"),
        };
        debug_assert!(self.at > start);
        if !self.open.is_empty() {
            self.pending.push(id);
        }
        Ok(())
    }

    fn open(&mut self, object: bool) -> Step<()> {
        if self.open.len() == self.max_depth {
            return self.fail(self.at, ReadErrorKind::TooDeep);
        }
        let start = self.at;
        self.at += 1;
        let record = self.push(if object { Tag::Object } else { Tag::Array }, start, 0, 0);
        if !self.open.is_empty() {
            self.pending.push(record);
        }
        self.open.push(Open { record, pending: self.pending.len(), object });
        self.skip_space();
        match self.peek() {
            Some(b']') if !object => self.close(Tag::Array),
            Some(b'}') if object => self.close(Tag::Object),
            _ => self.begin_child(object),
        }
    }

    fn close(&mut self, mut tag: Tag) -> Step<()> {
        self.at += 1;
        let Some(open) = self.open.pop() else { return Ok(()) };
        let first = self.children.len();
        let length = self.pending.len() - open.pending;
        self.children.extend(self.pending.drain(open.pending..));
        if tag == Tag::Object && self.check_names(first, length)? {
            tag = Tag::Indexed;
        }
        let record = &mut self.records[open.record as usize];
        *record = Record {
            start: record.start,
            end: self.at as u32,
            a: first as u32,
            b: length as u32,
            tag,
        };
        Ok(())
    }

    /// Refuses a second member of the same name; appends an index where there are many members,
    /// and says whether it did.
    #[inline]
    fn check_names(&mut self, first: usize, length: usize) -> Step<bool> {
        if length > LINEAR_MEMBERS {
            return self.index_names(first, length);
        }
        let values = &self.children[first..];
        for (at, &later) in values.iter().enumerate().skip(1) {
            let name = self.name(later);
            if values[..at].iter().any(|&earlier| self.name(earlier) == name) {
                return self.duplicate(later);
            }
        }
        Ok(false)
    }

    fn index_names(&mut self, first: usize, length: usize) -> Step<bool> {
        let mut sorted = self.children[first..].to_vec();
        sorted.sort_unstable_by(|&a, &b| self.name(a).cmp(self.name(b)).then(a.cmp(&b)));
        let repeated = sorted.windows(2).filter(|pair| self.name(pair[0]) == self.name(pair[1]));
        if let Some(later) = repeated.map(|pair| pair[1]).min() {
            return self.duplicate(later);
        }
        debug_assert_eq!(sorted.len(), length);
        self.children.extend(sorted);
        Ok(true)
    }

    fn duplicate<T>(&self, value: u32) -> Step<T> {
        let name = String::from_utf8_lossy(self.name(value)).into_owned();
        let offset = self.records[value as usize - 1].start as usize;
        self.fail(offset, ReadErrorKind::DuplicateName(name))
    }

    /// The exact name of the member with this value, as WTF-8.
    #[inline]
    fn name(&self, value: u32) -> &[u8] {
        let id = value - 1;
        let record = &self.records[id as usize];
        match record.tag {
            Tag::Escaped => &self.decoded.as_bytes()[record.a as usize..][..record.b as usize],
            Tag::Broken => self
                .broken
                .binary_search_by_key(&id, |(broken, _)| *broken)
                .map_or(&[], |at| &self.broken[at].1),
            _ => &self.bytes[record.start as usize + 1..record.end as usize - 1],
        }
    }

    #[inline]
    fn string(&mut self) -> Step<u32> {
        let start = self.at;
        self.at = scan_plain(self.bytes, start + 1);
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(self.push(Tag::Plain, start, 0, 0));
        }
        self.escaped_string(start)
    }

    /// From the first character that is not plain text; `self.at` stands on it.
    fn escaped_string(&mut self, start: usize) -> Step<u32> {
        let first = self.decoded.len();
        let mut exact: Option<Vec<u8>> = None;
        let mut copied = start + 1;
        loop {
            let piece = String::from_utf8_lossy(&self.bytes[copied..self.at]);
            self.decoded.push_str(&piece);
            if let Some(exact) = &mut exact {
                exact.extend_from_slice(piece.as_bytes());
            }
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let code = self.escape()?;
                    let character = char::from_u32(code);
                    if character.is_none() && exact.is_none() {
                        exact = Some(self.decoded.as_bytes()[first..].to_vec());
                    }
                    self.decoded.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                    if let Some(exact) = &mut exact {
                        push_wtf8(exact, code);
                    }
                }
                Some(byte) => return self.fail(self.at, ReadErrorKind::ControlCharacter(byte)),
                None => return self.fail(self.at, ReadErrorKind::UnexpectedEnd),
            }
            copied = self.at;
            self.at = scan_plain(self.bytes, self.at);
        }
        self.at += 1;
        let length = (self.decoded.len() - first) as u32;
        let tag = if exact.is_some() { Tag::Broken } else { Tag::Escaped };
        let id = self.push(tag, start, first as u32, length);
        if let Some(exact) = exact {
            self.broken.push((id, exact.into_boxed_slice()));
        }
        Ok(id)
    }

    /// The code point of the escape at the backslash, a pair of surrogates joined.
    fn escape(&mut self) -> Step<u32> {
        let start = self.at;
        self.at += 1;
        let simple = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0C,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.at += 1;
                let unit = self.four_digits(start)?;
                return self.join_surrogates(unit);
            }
            Some(_) => return self.fail(start, ReadErrorKind::BadEscape),
            None => return self.fail(self.at, ReadErrorKind::UnexpectedEnd),
        };
        self.at += 1;
        Ok(u32::from(simple))
    }

    fn join_surrogates(&mut self, unit: u32) -> Step<u32> {
        let followed = self.bytes[self.at..].starts_with(b"\\u");
        if !(0xD800..0xDC00).contains(&unit) || !followed {
            return Ok(unit);
        }
        let behind_first = self.at;
        self.at += 2;
        let low = self.four_digits(behind_first)?;
        if (0xDC00..0xE000).contains(&low) {
            return Ok(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
        }
        self.at = behind_first;
        Ok(unit)
    }

    fn four_digits(&mut self, escape: usize) -> Step<u32> {
        let Some(digits) = self.bytes.get(self.at..self.at + 4) else {
            return self.fail(self.bytes.len(), ReadErrorKind::UnexpectedEnd);
        };
        let mut value = 0;
        for &digit in digits {
            match (digit as char).to_digit(16) {
                Some(digit) => value = value * 16 + digit,
                None => return self.fail(escape, ReadErrorKind::BadEscape),
            }
        }
        self.at += 4;
        Ok(value)
    }

    #[inline]
    fn number(&mut self) -> Step<u32> {
        let start = self.at;
        if self.bytes[start..].starts_with(b"-Infinity") {
            return self.fail(start, ReadErrorKind::NotANumber("-Infinity"));
        }
        match scan_number(self.bytes, start) {
            Ok((end, float)) => {
                self.at = end;
                let tag = if float { Tag::Float } else { Tag::Integer };
                Ok(self.push(tag, start, 0, 0))
            }
            Err(at) if at == self.bytes.len() => self.fail(at, ReadErrorKind::UnexpectedEnd),
            Err(_) => self.fail(start, ReadErrorKind::BadNumber),
        }
    }

    #[inline]
    fn word(&mut self, word: &'static [u8], tag: Tag) -> Step<u32> {
        let start = self.at;
        if !self.bytes[start..].starts_with(word) {
            return self.unexpected("a JSON value").map(|()| 0);
        }
        self.at += word.len();
        Ok(self.push(tag, start, 0, 0))
    }

    /// Says as exactly as possible what stands where `due` should.
    fn unexpected(&self, due: &'static str) -> Step<()> {
        let rest = &self.bytes[self.at..];
        let word = |word: &'static str| rest.starts_with(word.as_bytes()).then_some(word);
        let kind = if rest.is_empty() {
            ReadErrorKind::UnexpectedEnd
        } else if let Some(word) = word("NaN").or(word("Infinity")).or(word("-Infinity")) {
            ReadErrorKind::NotANumber(word)
        } else if rest.starts_with(b"```") {
            ReadErrorKind::MarkdownFence
        } else if rest.starts_with(b"//") || rest.starts_with(b"/*") || rest[0] == b'#' {
            ReadErrorKind::Comment
        } else if matches!(rest[0], b'.' | b'+') {
            ReadErrorKind::BadNumber
        } else if rest[0] == b'\'' {
            ReadErrorKind::Unquoted
        } else {
            ReadErrorKind::Expected(due)
        };
        self.fail(self.at, kind)
    }
}

/// The first byte from `at` on that ends plain text: a quote, a backslash, a control character.
#[inline]
fn scan_plain(bytes: &[u8], mut at: usize) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Eight bytes at a time: the high bit of a lane is set where the lane is zero or below a bound.
    while let Some(chunk) = bytes.get(at..at + 8) {
        let word = u64::from_le_bytes(chunk.try_into().unwrap_or_default());
        let zero = |lanes: u64| lanes.wrapping_sub(LOW) & !lanes;
        let control = word.wrapping_sub(LOW * 0x20) & !word;
        let found = (zero(word ^ (LOW * 0x22)) | zero(word ^ (LOW * 0x5C)) | control) & HIGH;
        if found != 0 {
            // Borrows make only lanes above the first hit unreliable.
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        at += 1;
    }
    at
}

/// The end of the number literal at `at`, and whether it has a fraction or an exponent.
///
/// # Errors
/// The offset at which the grammar is left.
#[inline]
pub(super) fn scan_number(bytes: &[u8], mut at: usize) -> Result<(usize, bool), usize> {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let digits = |mut at: usize| -> Result<usize, usize> {
        if !digit(at) {
            return Err(at);
        }
        while digit(at) {
            at += 1;
        }
        Ok(at)
    };
    let mut float = false;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    if bytes.get(at) == Some(&b'0') {
        at += 1;
        // `01`, and `0x1` with it.
        if bytes.get(at).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'x') {
            return Err(at);
        }
    } else {
        at = digits(at)?;
    }
    if bytes.get(at) == Some(&b'.') {
        float = true;
        at = digits(at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        float = true;
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits(at)?;
    }
    Ok((at, float))
}

/// Appends a code point, a lone surrogate included, the way UTF-8 would.
fn push_wtf8(out: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => {
            out.extend([
                0xE0 | (code >> 12) as u8,
                0x80 | (code >> 6 & 0x3F) as u8,
                0x80 | (code & 0x3F) as u8,
            ]);
        }
    }
}
