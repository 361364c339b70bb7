//! Texts that stand where content should be (SPEC 6.1).
//!
//! Where the contract leaves room: a template has something in it other than white space (`{{}}` is
//! none), and `<insert`, `<your` and the like are followed by white space and closed somewhere
//! behind (`<yours>`, `[your_name]` and an unclosed `<your name` are none).

use crate::json::Node;
use crate::text::{MAX_ECHO, cut, visible};

use super::Bytes;

/// A whole string that is one of these is a placeholder.
const WORDS: [&str; 14] = [
    "todo",
    "tbd",
    "tba",
    "fixme",
    "xxx",
    "xxxx",
    "placeholder",
    "changeme",
    "change me",
    "insert here",
    "your text here",
    "sample text",
    "string",
    "lorem ipsum",
];

const LONGEST_WORD: usize = 14;

/// A text with this in it is one.
const FILLER: &str = "lorem ipsum dolor";

/// Why a text is a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placeholder<'t> {
    /// It is one of the words.
    Word,
    /// It contains filler text.
    Filler,
    /// It contains an unfilled template, which is this.
    Template(&'t str),
}

impl Placeholder<'_> {
    /// What was found, and the sentence about it.
    pub(super) fn texts(self, node: Node<'_>) -> (String, String) {
        match self {
            Self::Word | Self::Filler => {
                let found = node.echo();
                let detail = format!("placeholder text {found}");
                (found, detail)
            }
            Self::Template(template) => {
                // Cut twice: before the escaping for its cost, behind it for its length.
                let shown = visible(&cut(template, MAX_ECHO + 1)).into_owned();
                let found = cut(&shown, MAX_ECHO).into_owned();
                let detail = format!("unfilled template {found}");
                (found, detail)
            }
        }
    }
}

pub(super) fn find(text: &str, seen: Bytes) -> Option<Placeholder<'_>> {
    let trimmed = text.trim();
    if trimmed.len() <= LONGEST_WORD && WORDS.iter().any(|word| trimmed.eq_ignore_ascii_case(word))
    {
        return Some(Placeholder::Word);
    }
    if seen.has(Bytes::P | Bytes::M) && has_filler(text.as_bytes()) {
        return Some(Placeholder::Filler);
    }
    if seen.has(Bytes::TEMPLATE) { template(text).map(Placeholder::Template) } else { None }
}

fn has_filler(text: &[u8]) -> bool {
    text.windows(FILLER.len()).any(|window| {
        matches!(window[0], b'l' | b'L') && window.eq_ignore_ascii_case(FILLER.as_bytes())
    })
}

/// The kinds of templates: how they begin and end.
#[derive(Clone, Copy)]
enum Template {
    Braces,
    Dollar,
    Angle,
    Bracket,
}

impl Template {
    /// The kind that begins at the start of `text`, and the length of its beginning.
    fn begins(text: &[u8]) -> Option<(Self, usize)> {
        match text {
            [b'{', b'{', ..] => Some((Self::Braces, 2)),
            [b'$', b'{', ..] => Some((Self::Dollar, 2)),
            [b'<', inner @ ..] => addressed(inner).map(|length| (Self::Angle, length + 1)),
            [b'[', inner @ ..] => addressed(inner).map(|length| (Self::Bracket, length + 1)),
            _ => None,
        }
    }

    fn end(self) -> &'static str {
        match self {
            Self::Braces => "}}",
            Self::Dollar => "}",
            Self::Angle => ">",
            Self::Bracket => "]",
        }
    }
}

/// The length of `insert ` or `your ` at the start of what stands in brackets.
fn addressed(inner: &[u8]) -> Option<usize> {
    ["insert", "your"].into_iter().find_map(|word| {
        let begins = inner.get(..word.len())?.eq_ignore_ascii_case(word.as_bytes());
        (begins && inner.get(word.len())?.is_ascii_whitespace()).then_some(word.len() + 1)
    })
}

/// The first template with anything in it. Linear: a kind whose end is nowhere to be found is not
/// looked for again.
fn template(text: &str) -> Option<&str> {
    let mut endless = [false; 4];
    let mut at = 0;
    while at < text.len() {
        let Some((kind, length)) = Template::begins(&text.as_bytes()[at..]) else {
            at += 1;
            continue;
        };
        let inside = at + length;
        if endless[kind as usize] {
            at = inside;
            continue;
        }
        let Some(end) = text[inside..].find(kind.end()).map(|end| inside + end) else {
            endless[kind as usize] = true;
            at = inside;
            continue;
        };
        if !text[inside..end].trim().is_empty() {
            return Some(&text[at..end + kind.end().len()]);
        }
        at = end;
    }
    None
}
