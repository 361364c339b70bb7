//! Why a text is not accepted, in words for whoever has to mend it.

use std::fmt;

use super::MAX_DEPTH;
use crate::json::quoted;
use crate::text::{MAX_ECHO, cut, visible};

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
    /// Text that does not even begin like JSON: an explanation, HTML.
    NotJson,
    /// The text ends inside a value.
    UnexpectedEnd,
    /// Something else stands where this was due.
    Expected(&'static str),
    /// A Markdown fence in front of or behind the JSON.
    MarkdownFence,
    /// A second JSON value behind the first.
    SecondValue,
    /// Other text behind the value.
    TrailingText,
    /// `NaN` or `Infinity`, signed or not.
    NotANumber(&'static str),
    /// A word of another language, and what JSON has instead: `True`, `None`, `undefined`.
    ForeignWord(&'static str, &'static str),
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
    /// Single or typographic quotes, or a name without quotes.
    Unquoted,
    /// The same name twice in one object, compared after unescaping. It is given here with U+FFFD
    /// for a lone surrogate.
    DuplicateName(String),
    /// More levels than the reader was asked to accept.
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
        f.write_str(match self {
            Self::Empty => "there is no JSON here: the text is empty",
            Self::NotUtf8 => "the text is not UTF-8; save it as UTF-8",
            Self::TooLong => "the text is longer than 4 GiB",
            Self::NotJson => "this is other text, not JSON; pass only the JSON value",
            Self::UnexpectedEnd => "the text ends inside a value; it may be cut off",
            Self::Expected(what) => return write!(f, "expected {what}"),
            Self::MarkdownFence => {
                "this is a Markdown fence (```), not JSON; pass only what is inside it"
            }
            Self::SecondValue => {
                "a second JSON value follows the first; pass one value at a time"
            }
            Self::TrailingText => {
                "other text follows the JSON value; pass only the value"
            }
            Self::NotANumber(word) => {
                return write!(f, "{word} is not JSON; use null or leave the member out");
            }
            Self::ForeignWord(word, instead) => {
                return write!(f, "{word} is not JSON; write {instead}");
            }
            Self::BadNumber => {
                "this is not a JSON number (no leading zero or plus, digits on both sides of a point)"
            }
            Self::BadEscape => {
                "this escape does not exist in JSON; it has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX"
            }
            Self::ControlCharacter(byte) => {
                return write!(
                    f,
                    "the control character U+{byte:04X} must be written as \\u{byte:04x} in a string"
                );
            }
            Self::TrailingComma => "JSON has no comma after the last element",
            Self::Comment => "JSON has no comments",
            Self::Unquoted => "names and strings stand in double quotes (\") in JSON",
            Self::DuplicateName(name) => {
                return write!(
                    f,
                    "the name {} stands twice in this object; readers would disagree about its value",
                    cut(&visible(&quoted(name)), MAX_ECHO)
                );
            }
            Self::TooDeep => {
                return write!(f, "nested too deep; a value may have at most {MAX_DEPTH} levels");
            }
        })
    }
}
