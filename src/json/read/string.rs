//! Strings: plain ones are left where they stand, escaped ones are decoded once.

use super::{ReadErrorKind, Reader, Step};
use crate::json::arena::{Detail, Tag};
use crate::json::scan::plain_end;

impl Reader<'_> {
    /// The string at the quote.
    #[inline]
    pub(super) fn string(&mut self) -> Step<u32> {
        let start = self.at;
        self.at = plain_end(self.bytes, start + 1);
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(self.push(Tag::Plain, start));
        }
        self.escaped_string(start)
    }

    /// From the first character that is not plain text; `self.at` stands on it.
    fn escaped_string(&mut self, start: usize) -> Step<u32> {
        let first = self.arena.decoded.len();
        let mut exact: Option<Vec<u8>> = None;
        let mut copied = start + 1;
        loop {
            // What ends plain text is ASCII, so this never cuts a character.
            let piece = &self.text[copied..self.at];
            self.arena.decoded.push_str(piece);
            if let Some(exact) = &mut exact {
                exact.extend_from_slice(piece.as_bytes());
            }
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let code = self.escape()?;
                    let character = char::from_u32(code);
                    if character.is_none() && exact.is_none() {
                        exact = Some(self.arena.decoded.as_bytes()[first..].to_vec());
                    }
                    self.arena.decoded.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                    if let Some(exact) = &mut exact {
                        push_wtf8(exact, code);
                    }
                }
                Some(byte) => return self.fail(self.at, ReadErrorKind::ControlCharacter(byte)),
                None => return self.fail(self.at, ReadErrorKind::UnexpectedEnd),
            }
            copied = self.at;
            self.at = plain_end(self.bytes, self.at);
        }
        self.at += 1;
        let length = (self.arena.decoded.len() - first) as u32;
        let tag = if exact.is_some() { Tag::Broken } else { Tag::Escaped };
        let detail = Detail { end: self.at as u32, a: first as u32, b: length };
        let id = self.arena.push_detailed(tag, start, detail);
        if let Some(exact) = exact {
            self.arena.broken.push((id, exact.into_boxed_slice()));
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
                let unit = self.code_unit(start)?;
                return self.join_surrogates(unit);
            }
            Some(_) => return self.fail(start, ReadErrorKind::BadEscape),
            None => return self.fail(self.at, ReadErrorKind::UnexpectedEnd),
        };
        self.at += 1;
        Ok(u32::from(simple))
    }

    /// A high surrogate takes in the low one behind it; anything else stands for itself, and what
    /// follows is read on its own.
    fn join_surrogates(&mut self, unit: u32) -> Step<u32> {
        let next = self.at;
        if !(0xD800..0xDC00).contains(&unit) || !self.bytes[next..].starts_with(b"\\u") {
            return Ok(unit);
        }
        let low = self.code_unit(next)?;
        if (0xDC00..0xE000).contains(&low) {
            return Ok(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
        }
        self.at = next;
        Ok(unit)
    }

    /// The four digits of the `\u` at `escape`.
    fn code_unit(&mut self, escape: usize) -> Step<u32> {
        self.at = escape + 2;
        let mut value = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else {
                return self.fail(self.at, ReadErrorKind::UnexpectedEnd);
            };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return self.fail(escape, ReadErrorKind::BadEscape);
            };
            value = value * 16 + digit;
            self.at += 1;
        }
        Ok(value)
    }
}

/// Appends a code point, a lone surrogate included, the way UTF-8 would. Two surrogates that make
/// a pair never arrive apart, so this is WTF-8.
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
