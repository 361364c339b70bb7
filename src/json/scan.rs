//! What the reader, the writer and numbers look for in bytes: where plain text and number literals
//! end, and a word that stands for the beginning of a name.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The first byte from `at` on that ends plain text: a quote, a backslash, a control character.
#[inline]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    // Eight bytes at a time: the high bit of a lane is set where the lane is zero or below a bound.
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*chunk);
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

/// The end of the number literal at `at`, and whether it has a fraction or an exponent. What
/// follows the literal is not looked at, but for a digit behind a leading zero.
///
/// # Errors
/// The offset at which the grammar is left.
#[inline]
pub(super) fn number_end(bytes: &[u8], mut at: usize) -> Result<(usize, bool), usize> {
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
        if digit(at) {
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

/// The first eight of the `length` bytes at `start`, the first of them the most significant, with
/// zeros for those that are missing. Different words mean different texts, and order them as
/// their bytes do.
#[inline]
pub(super) fn prefix(bytes: &[u8], start: usize, length: usize) -> u64 {
    match bytes.get(start..).and_then(<[u8]>::first_chunk) {
        Some(_) if length == 0 => 0,
        Some(chunk) => u64::from_be_bytes(*chunk) & (u64::MAX << (64 - 8 * length.min(8))),
        None => {
            let mut word = [0; 8];
            word.iter_mut().zip(&bytes[start..][..length]).for_each(|(to, from)| *to = *from);
            u64::from_be_bytes(word)
        }
    }
}

/// Whether two texts of the same length are the same. Most names have at most sixteen bytes, which
/// two words hold, overlapping if need be; a call costs more than they do.
#[inline]
pub(super) fn is_same(left: &[u8], right: &[u8]) -> bool {
    fn ends<const N: usize>(left: &[u8], right: &[u8]) -> bool {
        left.first_chunk::<N>() == right.first_chunk::<N>()
            && left.last_chunk::<N>() == right.last_chunk::<N>()
    }
    match left.len() {
        0..4 => left.iter().eq(right),
        4..8 => ends::<4>(left, right),
        8..=16 => ends::<8>(left, right),
        _ => left == right,
    }
}

/// Whether a [`prefix`] is ASCII, so that its order is also that of UTF-16 code units.
#[inline]
pub(super) fn is_ascii(prefix: u64) -> bool {
    prefix & HIGH == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_ends_at_quotes_backslashes_and_controls_wherever_they_stand() {
        for at in 0..40 {
            for end in [b'"', b'\\', 0x00, 0x1F] {
                let mut bytes = vec![b'a'; 40];
                bytes[at] = end;
                assert_eq!(plain_end(&bytes, 0), at);
                assert_eq!(plain_end(&bytes, at), at);
            }
        }
        // The neighbours of what ends it do not, nor does anything beyond ASCII.
        for byte in [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0x9F, 0xA2, 0xDC, 0xFF] {
            assert_eq!(plain_end(&[byte; 19], 0), 19, "{byte:#x}");
        }
    }

    #[test]
    fn texts_are_the_same_only_if_every_byte_is() {
        for length in 0..40 {
            let left: Vec<u8> = (0..length).collect();
            assert!(is_same(&left, &left.clone()));
            for at in 0..left.len() {
                let mut right = left.clone();
                right[at] ^= 0x80;
                assert!(!is_same(&left, &right), "{length} {at}");
            }
        }
    }

    #[test]
    fn a_prefix_tells_texts_apart_and_orders_them() {
        let whole = b"abcdefghij";
        assert_eq!(prefix(whole, 0, 10), u64::from_be_bytes(*b"abcdefgh"));
        assert_eq!(prefix(whole, 1, 2), u64::from_be_bytes(*b"bc\0\0\0\0\0\0"));
        assert_eq!(prefix(whole, 8, 2), u64::from_be_bytes(*b"ij\0\0\0\0\0\0"));
        assert_eq!((prefix(whole, 0, 0), prefix(whole, 10, 0)), (0, 0));
        assert!(is_ascii(prefix(whole, 0, 10)) && !is_ascii(prefix("aé".as_bytes(), 0, 3)));
    }
}
