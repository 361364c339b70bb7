//! Text that is not ours, made fit to be shown: cut, and with what could mislead a reader escaped.

use std::borrow::Cow;

/// How much of a value or a name a message shows, in code points (SPEC 2.1, 4.5).
pub const MAX_ECHO: usize = 40;

/// `text`, or its first `limit - 1` code points and `…`.
#[must_use]
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let end = text.char_indices().nth(limit - 1).map_or(text.len(), |(at, _)| at);
            Cow::Owned(format!("{}…", &text[..end]))
        }
    }
}

/// Control characters (C0, DEL, C1) and bidirectional controls as `\uXXXX` text, for bodies that
/// are signed (SPEC 10.1).
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, |character| is_control(character) || is_bidi_control(character))
}

/// The same, zero-width characters too, for terminals and logs (SPEC 10.1).
#[must_use]
pub fn terminal_safe(text: &str) -> Cow<'_, str> {
    escape(text, |character| {
        is_control(character) || is_bidi_control(character) || is_zero_width(character)
    })
}

/// The code points of WTF-8 text, lone surrogates included.
pub fn code_points(wtf8: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut rest = wtf8;
    std::iter::from_fn(move || {
        let (&first, _) = rest.split_first()?;
        let (length, lead) = match first {
            0x00..=0x7F => (1, u32::from(first)),
            0x80..=0xDF => (2, u32::from(first & 0x1F)),
            0xE0..=0xEF => (3, u32::from(first & 0x0F)),
            0xF0..=0xFF => (4, u32::from(first & 0x07)),
        };
        let length = length.min(rest.len());
        let code =
            rest[1..length].iter().fold(lead, |code, byte| code << 6 | u32::from(byte & 0x3F));
        rest = &rest[length..];
        Some(code)
    })
}

/// WTF-8 text as [`visible`] shows it, lone surrogates as `\uXXXX` text.
#[must_use]
pub fn visible_wtf8(wtf8: &[u8]) -> String {
    let mut out = String::with_capacity(wtf8.len());
    for code in code_points(wtf8) {
        match char::from_u32(code) {
            Some(character) => out.push_str(&visible(character.encode_utf8(&mut [0; 4]))),
            None => out.push_str(&format!("\\u{code:04x}")),
        }
    }
    out
}

fn escape(text: &str, unsafe_character: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&unsafe_character) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if unsafe_character(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// C0, DEL and C1.
#[must_use]
pub fn is_control(character: char) -> bool {
    character.is_control()
}

/// Characters that change the direction in which text is shown (Unicode UAX #9).
#[must_use]
pub fn is_bidi_control(character: char) -> bool {
    matches!(character,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn is_zero_width(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{180E}' | '\u{200B}'..='\u{200D}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}'
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_counts_code_points() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("äbcd", 3), "äb…");
        assert_eq!(cut("🧾📦🚚🏁", 3), "🧾📦…");
    }

    #[test]
    fn what_misleads_is_escaped() {
        assert_eq!(visible("a\u{0}b\u{202e}c\u{7f}\u{9b}"), "a\\u0000b\\u202ec\\u007f\\u009b");
        assert_eq!(visible("plain é 🧾 \u{200b}"), "plain é 🧾 \u{200b}");
        assert_eq!(terminal_safe("a\u{200b}\n\u{e0041}"), "a\\u200b\\u000a\\udb40\\udc41");
    }
}
