//! JSON strings as RFC 8785 §3.2.2.2 writes them.

use super::scan::plain_end;

/// Appends `text` as a JSON string: the two-character escapes, `\u00xx` for the other control
/// characters, everything else literal.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut copied = 0;
    loop {
        let end = plain_end(bytes, copied);
        out.extend_from_slice(&bytes[copied..end]);
        let Some(&byte) = bytes.get(end) else { break };
        let short = match byte {
            0x08 => b'b',
            0x09 => b't',
            0x0A => b'n',
            0x0C => b'f',
            0x0D => b'r',
            0x00..=0x1F => b'u',
            quote_or_backslash => quote_or_backslash,
        };
        out.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            out.extend_from_slice(b"00");
            out.extend([byte >> 4, byte & 0xF].map(|digit| b"0123456789abcdef"[digit as usize]));
        }
        copied = end + 1;
    }
    out.push(b'"');
}

/// `text` as a JSON string.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}
