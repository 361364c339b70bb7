//! What strict content does not allow (SPEC 6.3): control characters, markup, `javascript:`.

use std::fmt;

use crate::text::is_control;

use super::Bytes;

/// The elements of the HTML Standard (its index, `svg` and `math` included) and its obsolete ones
/// (§16.2), with `image`, which parsers read as `img`. Sorted.
#[rustfmt::skip]
const ELEMENTS: [&str; 145] = [
    "a", "abbr", "acronym", "address", "applet", "area", "article", "aside", "audio", "b", "base",
    "basefont", "bdi", "bdo", "bgsound", "big", "blink", "blockquote", "body", "br", "button",
    "canvas", "caption", "center", "cite", "code", "col", "colgroup", "data", "datalist", "dd",
    "del", "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "embed", "fieldset",
    "figcaption", "figure", "font", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4",
    "h5", "h6", "head", "header", "hgroup", "hr", "html", "i", "iframe", "image", "img", "input",
    "ins", "isindex", "kbd", "keygen", "label", "legend", "li", "link", "listing", "main", "map",
    "mark", "marquee", "math", "menu", "menuitem", "meta", "meter", "multicol", "nav", "nextid",
    "nobr", "noembed", "noframes", "noscript", "object", "ol", "optgroup", "option", "output",
    "p", "param", "picture", "plaintext", "pre", "progress", "q", "rb", "rp", "rt", "rtc", "ruby",
    "s", "samp", "script", "search", "section", "select", "selectedcontent", "slot", "small",
    "source", "spacer", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg",
    "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "time", "title", "tr",
    "track", "tt", "u", "ul", "var", "video", "wbr", "xmp",
];

const LONGEST_ELEMENT: usize = 15;

/// Something that does not belong in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intruder {
    /// A control character.
    Control(char),
    /// The beginning of markup.
    Markup(Markup),
    /// `javascript:` at the start.
    ScriptUrl,
}

/// Markup by its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Markup {
    /// `<script`
    Open(&'static str),
    /// `</script`
    Close(&'static str),
    /// `<!--`
    Comment,
    /// `<!doctype`
    Doctype,
    /// `<?`
    Instruction,
}

impl Intruder {
    /// What the check wants instead.
    pub(super) fn unwanted(self) -> &'static str {
        match self {
            Self::Control(_) => "no control character",
            Self::Markup(_) => "no markup",
            Self::ScriptUrl => "no javascript: URL",
        }
    }
}

impl fmt::Display for Intruder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Control(character) => write!(f, "control character U+{:04X}", *character as u32),
            Self::Markup(Markup::Open(name)) => write!(f, "markup <{name}>"),
            Self::Markup(Markup::Close(name)) => write!(f, "markup </{name}>"),
            Self::Markup(Markup::Comment) => f.write_str("markup <!--"),
            Self::Markup(Markup::Doctype) => f.write_str("markup <!doctype>"),
            Self::Markup(Markup::Instruction) => f.write_str("markup <?"),
            Self::ScriptUrl => f.write_str("javascript: URL"),
        }
    }
}

/// The first control character that is not tab, LF or CR.
pub(super) fn control_character(text: &str, seen: Bytes) -> Option<char> {
    let unwanted =
        |character: &char| is_control(*character) && !matches!(character, '\t' | '\n' | '\r');
    if seen.has(Bytes::CONTROL) { text.chars().find(unwanted) } else { None }
}

/// The first markup.
pub(super) fn first_markup(text: &str, seen: Bytes) -> Option<Markup> {
    if !seen.has(Bytes::ANGLE) {
        return None;
    }
    let bytes = text.as_bytes();
    let angles = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'<');
    angles.map(|(at, _)| &bytes[at + 1..]).find_map(markup)
}

/// The markup that `<` and these bytes begin.
fn markup(behind: &[u8]) -> Option<Markup> {
    match behind {
        [b'?', ..] => Some(Markup::Instruction),
        [b'!', b'-', b'-', ..] => Some(Markup::Comment),
        [b'!', rest @ ..] => rest
            .get(..7)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"))
            .then_some(Markup::Doctype),
        [b'/', rest @ ..] => element(rest).map(Markup::Close),
        _ => element(behind).map(Markup::Open),
    }
}

/// The element whose name these bytes are, up to a white space, `/`, `>` or the end.
fn element(bytes: &[u8]) -> Option<&'static str> {
    let length = bytes
        .iter()
        .take(LONGEST_ELEMENT + 1)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let ends = match bytes.get(length) {
        None => true,
        Some(byte) => matches!(byte, b'/' | b'>') || byte.is_ascii_whitespace(),
    };
    let mut name = [0; LONGEST_ELEMENT];
    let name = name.get_mut(..length).filter(|_| ends)?;
    name.copy_from_slice(&bytes[..length]);
    name.make_ascii_lowercase();
    ELEMENTS
        .binary_search_by(|element| element.as_bytes().cmp(name))
        .ok()
        .map(|found| ELEMENTS[found])
}

/// Whether a browser that is given the text as a URL would run it: white space in front does not
/// count, and tab, LF and CR do not count anywhere (URL Standard, "basic URL parser").
pub(super) fn is_script_url(text: &str) -> bool {
    let trimmed = text.trim_start_matches(|first: char| first.is_whitespace() || first <= ' ');
    let mut bytes = trimmed.bytes().filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r'));
    "javascript:"
        .bytes()
        .all(|wanted| bytes.next().is_some_and(|byte| byte.eq_ignore_ascii_case(&wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_found() {
        assert!(ELEMENTS.is_sorted());
        assert_eq!(ELEMENTS.iter().map(|name| name.len()).max(), Some(LONGEST_ELEMENT));
        for name in ELEMENTS {
            assert_eq!(element(name.to_uppercase().as_bytes()), Some(name));
            assert_eq!(element(format!("{name}.").as_bytes()), None);
        }
    }
}
