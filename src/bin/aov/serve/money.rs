//! Prices: dollars exact to the millionth, which is the atomic unit of USDC.

use std::fmt;

/// Millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MicroUsd(pub(crate) u64);

impl MicroUsd {
    /// Reads `0.02` or `$0.02`; at most six decimals and nine digits before them.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('$').unwrap_or(text);
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || whole.len() > 9 || fraction.len() > 6 {
            return None;
        }
        let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
        Some(Self(whole.parse::<u64>().ok()? * 1_000_000 + fraction))
    }

    /// As `amount` of x402: atomic units, decimal.
    pub(crate) fn atomic(self) -> String {
        self.0.to_string()
    }
}

impl fmt::Display for MicroUsd {
    /// At least two decimals, and no more than are needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        let cents = text.len() - 4;
        f.write_str(&text[..cents])?;
        f.write_str(text[cents..].trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_and_written_exactly() {
        for (text, micro, shown) in [
            ("0.02", 20_000, "0.02"),
            ("$0.01", 10_000, "0.01"),
            ("1", 1_000_000, "1.00"),
            ("0.000001", 1, "0.000001"),
            ("0.0015", 1_500, "0.0015"),
            ("12.30", 12_300_000, "12.30"),
            ("0", 0, "0.00"),
        ] {
            let price = MicroUsd::parse(text).unwrap();
            assert_eq!((price.0, &*price.to_string()), (micro, shown), "{text}");
        }
        for bad in ["", "$", ".5", "1.", "-1", "+1", "1e2", "0.0000001", "1,5", "1234567890", "1 "]
        {
            assert_eq!(MicroUsd::parse(bad), None, "{bad}");
        }
    }
}
