//! Where a head ends, found while it arrives, and what may never be in one.
//!
//! Lines end in CR LF and in nothing else; no NUL, no other control character, no byte beyond ASCII,
//! no continued line (RFC 9112 §2.2, §5.2). What is wrong is refused at its first byte: nobody is
//! kept waiting for the end of a head that cannot become a good one.

/// The most fields of a head, and of a trailer.
pub(super) const MAX_FIELDS: usize = 100;

/// Why the bytes are no head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Against the grammar, which the text names.
    Malformed(&'static str),
    /// Too many bytes or fields.
    TooLarge,
}

/// Reads a head line by line, over several calls; what was read once is not read again.
#[derive(Debug)]
pub(super) struct Scanner {
    /// How many bytes have been looked at.
    at: usize,
    /// Where the current line starts.
    line: usize,
    /// How many lines have ended.
    lines: usize,
    /// How many lines there may be before the empty one.
    most: usize,
}

impl Scanner {
    /// For a head: a request line and fields.
    pub(super) fn head() -> Self {
        Self { at: 0, line: 0, lines: 0, most: MAX_FIELDS + 1 }
    }

    /// For a trailer: fields alone.
    pub(super) fn trailer() -> Self {
        Self { at: 0, line: 0, lines: 0, most: MAX_FIELDS }
    }

    /// Goes on in what has arrived so far, from its beginning; the length of the head, with its
    /// empty line, once that is there.
    pub(super) fn scan(&mut self, arrived: &[u8], limit: usize) -> Result<Option<usize>, Flaw> {
        while let Some(&byte) = arrived.get(self.at) {
            if self.at >= limit {
                return Err(Flaw::TooLarge);
            }
            self.check(byte, self.at.checked_sub(1).and_then(|before| arrived.get(before)))?;
            self.at += 1;
            if byte == b'\n' && self.end_line()? {
                return Ok(Some(self.at));
            }
        }
        Ok(None)
    }

    /// Whether a byte may stand behind the one before it.
    fn check(&self, byte: u8, before: Option<&u8>) -> Result<(), Flaw> {
        let after_cr = self.at > self.line && before == Some(&b'\r');
        match byte {
            b'\n' if after_cr => Ok(()),
            b'\n' => Err(Flaw::Malformed("a line ends in a bare LF")),
            _ if after_cr => Err(Flaw::Malformed("a CR stands without LF")),
            b' ' | b'\t' if self.at == self.line => {
                Err(Flaw::Malformed("a line starts with white space"))
            }
            b'\r' | b'\t' | b' '..=b'~' => Ok(()),
            0x80.. => Err(Flaw::Malformed("the head has a byte that is not ASCII")),
            _ => Err(Flaw::Malformed("the head has a control character")),
        }
    }

    /// At the end of a line: whether it was the empty one.
    fn end_line(&mut self) -> Result<bool, Flaw> {
        if self.at - self.line == 2 {
            return Ok(true);
        }
        self.line = self.at;
        self.lines += 1;
        if self.lines > self.most { Err(Flaw::TooLarge) } else { Ok(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(head: &[u8]) -> Result<Option<usize>, Flaw> {
        let whole = Scanner::head().scan(head, 1000);
        // However the bytes are cut, the answer is the same.
        let mut scanner = Scanner::head();
        let mut cut = Ok(None);
        for end in 1..=head.len() {
            cut = scanner.scan(&head[..end], 1000);
            if cut != Ok(None) {
                break;
            }
        }
        assert_eq!(whole, cut);
        whole
    }

    #[test]
    fn a_head_ends_with_its_empty_line() {
        assert_eq!(scan(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nrest"), Ok(Some(27)));
        assert_eq!(scan(b"GET / HTTP/1.1\r\nHost: a\r\n\r"), Ok(None));
        assert_eq!(scan(b""), Ok(None));
        assert_eq!(scan(b"\r\n"), Ok(Some(2)));
    }

    #[test]
    fn only_crlf_ends_a_line() {
        let bare = Err(Flaw::Malformed("a line ends in a bare LF"));
        assert_eq!(scan(b"GET / HTTP/1.1\nHost: a\n\n"), bare);
        assert_eq!(scan(b"GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n"), bare);
        assert_eq!(scan(b"\n"), bare);
        let cr = Err(Flaw::Malformed("a CR stands without LF"));
        assert_eq!(scan(b"GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n"), cr);
        assert_eq!(scan(b"GET / HTTP/1.1\r\r\n\r\n"), cr);
    }

    #[test]
    fn no_folding_and_no_strange_bytes() {
        let folded = Err(Flaw::Malformed("a line starts with white space"));
        assert_eq!(scan(b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"), folded);
        assert_eq!(scan(b"GET / HTTP/1.1\r\n\tA: b\r\n\r\n"), folded);
        assert_eq!(scan(b" GET / HTTP/1.1\r\n\r\n"), folded);
        for byte in (0..=u8::MAX).filter(|byte| !matches!(byte, b'\t' | b' '..=b'~')) {
            let head = [b"GET / HTTP/1.1\r\nA: b", &[byte][..], b"c\r\n\r\n"].concat();
            assert!(matches!(scan(&head), Err(Flaw::Malformed(_))), "byte {byte}");
        }
    }

    #[test]
    fn bounded_in_bytes_and_fields() {
        let fits = [&b"GET / HTTP/1.1\r\nA: "[..], &[b'b'; 1000 - 23], b"\r\n\r\n"].concat();
        assert_eq!(fits.len(), 1000);
        assert_eq!(scan(&fits), Ok(Some(1000)));
        let over = [&b"GET / HTTP/1.1\r\nA: "[..], &[b'b'; 1001 - 23], b"\r\n\r\n"].concat();
        assert_eq!(scan(&over), Err(Flaw::TooLarge));
        let with = |fields: usize| {
            [&b"GET / HTTP/1.1\r\n"[..], &b"A:b\r\n".repeat(fields), b"\r\n"].concat()
        };
        assert_eq!(scan(&with(100)), Ok(Some(16 + 500 + 2)));
        assert_eq!(scan(&with(101)), Err(Flaw::TooLarge));
    }
}
