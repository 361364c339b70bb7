//! The chunked coding, undone (RFC 9112 §7.1).
//!
//! As strict as heads are: sizes are hexadecimal digits alone, lines end in CR LF. Extensions are
//! allowed, as the grammar has them, and ignored; trailers are read and dropped. Both are bounded.

use super::scan::{Flaw, Scanner};

/// The most bytes of the line that starts a chunk, extensions included.
const LINE: usize = 256;

/// The most bytes that all such lines of one body have, together with the trailer.
const OVERHEAD: usize = 64 << 10;

/// A part of the body at which more input is wanted.
#[derive(Debug)]
enum At {
    /// The line with a chunk's size.
    Size,
    /// Bytes of a chunk, so many of which are still to come.
    Data(usize),
    /// The line end behind a chunk.
    End,
    /// The trailer.
    Trailer(Scanner),
}

/// Undoes the coding piece by piece.
#[derive(Debug)]
pub(super) struct Decoder {
    at: At,
    /// The longest body.
    limit: usize,
    /// Bytes that were not of the body.
    overhead: usize,
}

/// Where a piece got to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// Bytes of the piece that are done with.
    pub(super) used: usize,
    /// Whether the body is whole.
    pub(super) done: bool,
}

impl Decoder {
    /// For a body of at most so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { at: At::Size, limit, overhead: 0 }
    }

    /// Takes what it can of the input into the body. What it leaves it wants to see again, with
    /// more behind it.
    pub(super) fn push(&mut self, input: &[u8], body: &mut Vec<u8>) -> Result<Step, Flaw> {
        let mut used = 0;
        loop {
            let rest = &input[used..];
            match &mut self.at {
                At::Size => match line(rest)? {
                    Some((size, length)) => {
                        used += length;
                        self.spend(length)?;
                        self.at = if size == 0 {
                            At::Trailer(Scanner::trailer())
                        } else if size > self.limit - body.len() {
                            return Err(Flaw::TooLarge);
                        } else {
                            At::Data(size)
                        };
                    }
                    None => return Ok(Step { used, done: false }),
                },
                At::Data(left) => {
                    let part = rest.len().min(*left);
                    body.extend_from_slice(&rest[..part]);
                    used += part;
                    *left -= part;
                    if *left > 0 {
                        return Ok(Step { used, done: false });
                    }
                    self.at = At::End;
                }
                At::End => match rest {
                    [b'\r', b'\n', ..] => {
                        used += 2;
                        self.at = At::Size;
                    }
                    [] | [b'\r'] => return Ok(Step { used, done: false }),
                    _ => return Err(Flaw::Malformed("a chunk is longer than its size")),
                },
                At::Trailer(scanner) => {
                    let left = OVERHEAD - self.overhead;
                    return Ok(match scanner.scan(rest, left).map_err(no_trailer)? {
                        Some(length) => Step { used: used + length, done: true },
                        None => Step { used, done: false },
                    });
                }
            }
        }
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Flaw> {
        self.overhead += bytes;
        if self.overhead > OVERHEAD {
            return Err(Flaw::Malformed("the chunks are too small for so many"));
        }
        Ok(())
    }
}

/// A trailer that is too long is a flaw of the framing; it is the body that has a limit of its own.
fn no_trailer(flaw: Flaw) -> Flaw {
    match flaw {
        Flaw::TooLarge => Flaw::Malformed("the trailer is too large"),
        malformed @ Flaw::Malformed(_) => malformed,
    }
}

/// The size of a chunk and the length of the line that says it, once the line is whole.
fn line(input: &[u8]) -> Result<Option<(usize, usize)>, Flaw> {
    let within = &input[..input.len().min(LINE)];
    let end = within.iter().position(|byte| !extension(*byte));
    let line = &within[..end.unwrap_or(within.len())];
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits == 0 && !(line.is_empty() && end.is_none()) {
        return Err(Flaw::Malformed("the size of a chunk is not a number"));
    }
    if !matches!(line[digits..].first(), None | Some(b';' | b' ' | b'\t')) {
        return Err(Flaw::Malformed("the size of a chunk is not a number"));
    }
    // White space is only good before an extension (RFC 9112 §7.1.1).
    let behind = line[digits..].trim_ascii_start();
    if line.len() > digits && (end.is_some() || !behind.is_empty()) && behind.first() != Some(&b';')
    {
        return Err(Flaw::Malformed("the size of a chunk is not a number"));
    }
    let Some(end) = end else {
        return match within.len() {
            LINE => Err(Flaw::Malformed("the line of a chunk is too long")),
            _ => Ok(None),
        };
    };
    match within[end..] {
        [b'\r', b'\n', ..] => Ok(Some((size(&line[..digits]), end + 2))),
        [b'\r'] if within.len() < LINE => Ok(None),
        _ => Err(Flaw::Malformed("the line of a chunk does not end in CR LF")),
    }
}

/// What may stand in the line of a chunk.
fn extension(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

/// One that no number holds is as good as the largest.
fn size(digits: &[u8]) -> usize {
    let text = std::str::from_utf8(digits).unwrap_or_default();
    usize::from_str_radix(text, 16).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole, and cut everywhere; the body and how many bytes of the input it took.
    fn decode(input: &[u8]) -> Result<Option<(Vec<u8>, usize)>, Flaw> {
        let mut body = Vec::new();
        let whole = Decoder::new(100).push(input, &mut body);
        let whole = whole.map(|step| step.done.then_some((body, step.used)));
        assert_eq!(drip(input), whole, "byte by byte");
        whole
    }

    fn drip(input: &[u8]) -> Result<Option<(Vec<u8>, usize)>, Flaw> {
        let mut decoder = Decoder::new(100);
        let (mut body, mut used) = (Vec::new(), 0);
        for end in 1..=input.len() {
            let step = decoder.push(&input[used..end], &mut body)?;
            used += step.used;
            if step.done {
                return Ok(Some((body, used)));
            }
        }
        Ok(None)
    }

    #[test]
    fn the_example_of_the_grammar() {
        let coded = b"4\r\nWiki\r\n5\r\npedia\r\nE\r\n in\r\n\r\nchunks.\r\n0\r\n\r\nGET";
        let (body, used) = decode(coded).unwrap().unwrap();
        assert_eq!(body, b"Wikipedia in\r\n\r\nchunks.");
        assert_eq!(used, coded.len() - 3, "the next request is left alone");
    }

    #[test]
    fn extensions_and_trailers_are_dropped() {
        let (body, _) = decode(b"2;a=b\r\nok\r\n0 ;c\r\nX: y\r\n\r\n").unwrap().unwrap();
        assert_eq!(body, b"ok");
    }

    #[test]
    fn what_is_not_whole_waits() {
        for input in [&b""[..], b"4", b"4\r\nWi", b"4\r\nWiki", b"4\r\nWiki\r\n0\r\n", b"4 "] {
            assert_eq!(decode(input), Ok(None), "{}", input.escape_ascii());
        }
    }

    #[test]
    fn sizes_are_hexadecimal_digits() {
        for size in ["+5", "-5", "0x5", "5 5", "g", " 5", "5 ", "5_0", "", "5\n", "5\r", "\u{0}5"] {
            let coded = format!("{size}\r\nhello\r\n0\r\n\r\n");
            assert!(matches!(decode(coded.as_bytes()), Err(Flaw::Malformed(_))), "{size:?}");
        }
    }

    #[test]
    fn chunks_end_where_they_say() {
        for coded in ["5\r\nhello!\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n"]
        {
            assert!(matches!(decode(coded.as_bytes()), Err(Flaw::Malformed(_))), "{coded:?}");
        }
    }

    #[test]
    fn bounded() {
        assert_eq!(decode(b"65\r\n"), Err(Flaw::TooLarge));
        assert_eq!(decode(b"ffffffffffffffff\r\n"), Err(Flaw::TooLarge));
        assert_eq!(decode(b"fffffffffffffffff1\r\n"), Err(Flaw::TooLarge));
        assert_eq!(decode(b"64\r\n"), Ok(None));
        assert_eq!(
            decode(
                b"40\r\n0123456789012345678901234567890123456789012345678901234567890123\r\n25\r\n"
            ),
            Err(Flaw::TooLarge)
        );
        let long = [&b"1;"[..], &[b'a'; 300], b"\r\n"].concat();
        assert!(matches!(decode(&long), Err(Flaw::Malformed(_))));
        let mut decoder = Decoder::new(1 << 20);
        let many =
            b"1;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nx\r\n".repeat(2000);
        assert!(matches!(decoder.push(&many, &mut Vec::new()), Err(Flaw::Malformed(_))));
    }
}
