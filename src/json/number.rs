//! Numbers as written: the literal is kept, compared and summed exactly; a double appears only
//! where RFC 8785 asks for one.

use std::borrow::Cow;
use std::cmp::Ordering;

/// The largest written exponent, up or down, that rules compute with (SPEC 5.4).
const COMPARABLE_EXPONENT: i128 = 400;

/// A number literal of the JSON grammar.
#[derive(Debug, Clone, Copy)]
pub struct Number<'d> {
    literal: &'d str,
    float: bool,
}

/// The exact value of a literal, borrowed from it: ±0.d₁d₂… × 10^magnitude, where d₁ and the last
/// digit are not zero. Zero has no digits. An exponent of more than 38 digits counts as the
/// largest that has 38.
#[derive(Debug, Clone, Copy)]
pub struct NumberParts<'d> {
    negative: bool,
    /// The digits, as they stand before and after the decimal point.
    digits: [&'d str; 2],
    magnitude: i128,
}

impl<'d> Number<'d> {
    pub(super) fn new(literal: &'d str, float: bool) -> Self {
        Self { literal, float }
    }

    /// Reads a literal of the JSON grammar, for numbers that stand outside any document.
    #[must_use]
    pub fn parse(literal: &'d str) -> Option<Self> {
        let (end, float) = super::scan::number_end(literal.as_bytes(), 0).ok()?;
        (end == literal.len()).then_some(Self { literal, float })
    }

    /// The number as written.
    #[must_use]
    pub fn literal(self) -> &'d str {
        self.literal
    }

    /// Whether it is written with a fraction or an exponent.
    #[must_use]
    pub fn is_float_literal(self) -> bool {
        self.float
    }

    /// The nearest double; infinite where there is none.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        // The JSON grammar is a part of what `f64::from_str` accepts, and it rounds correctly.
        self.literal.parse().unwrap_or(f64::NAN)
    }

    /// The canonical form (SPEC 3.1); `None` where the double is infinite.
    #[must_use]
    pub fn canonical(self) -> Option<Cow<'d, str>> {
        if !self.float {
            return Some(Cow::Borrowed(if self.literal == "-0" { "0" } else { self.literal }));
        }
        if self.is_canonical_decimal() {
            return Some(Cow::Borrowed(self.literal));
        }
        self.canonical_double().map(Cow::Owned)
    }

    /// The canonical form of the nearest double, whatever the literal; `None` where it is infinite.
    #[must_use]
    pub fn canonical_double(self) -> Option<String> {
        let double = self.to_f64();
        double.is_finite().then(|| ryu_js::Buffer::new().format_finite(double).to_owned())
    }

    /// Whether the literal is its own canonical form, decided without a double. Up to 15
    /// significant digits name different doubles, so the shortest text that reads back as the
    /// double is the literal itself, if it ends in a digit that counts and needs no exponent.
    fn is_canonical_decimal(self) -> bool {
        let digits = self.literal.strip_prefix('-').unwrap_or(self.literal).as_bytes();
        let plain = digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
        let large_enough = digits.first() != Some(&b'0') || !digits.starts_with(b"0.00000");
        digits.len() <= 16 && plain && large_enough && digits.last() != Some(&b'0')
    }

    /// Whether the literal has at most 15 digits and no exponent.
    #[must_use]
    pub fn has_few_digits(self) -> bool {
        self.literal.len() <= 16 && self.literal.bytes().all(|byte| !matches!(byte, b'e' | b'E'))
    }

    /// The exact value.
    #[must_use]
    pub fn parts(self) -> NumberParts<'d> {
        let negative = self.literal.starts_with('-');
        let unsigned = self.literal.strip_prefix('-').unwrap_or(self.literal);
        let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
            Some(at) => (&unsigned[..at], parse_exponent(&unsigned[at + 1..])),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut whole = whole.trim_start_matches('0');
        let mut fraction = fraction.trim_end_matches('0');
        let mut magnitude = exponent.saturating_add(whole.len() as i128);
        if whole.is_empty() {
            let stripped = fraction.trim_start_matches('0');
            magnitude = magnitude.saturating_sub((fraction.len() - stripped.len()) as i128);
            fraction = stripped;
        }
        if fraction.is_empty() {
            whole = whole.trim_end_matches('0');
        }
        if whole.is_empty() && fraction.is_empty() {
            return NumberParts { negative: false, digits: ["", ""], magnitude: 0 };
        }
        NumberParts { negative, digits: [whole, fraction], magnitude }
    }

    /// The exact value to compute with; `None` where the written exponent is beyond ±400.
    #[must_use]
    pub fn decimal(self) -> Option<Decimal> {
        let exponent =
            self.literal.find(['e', 'E']).map(|at| parse_exponent(&self.literal[at + 1..]));
        if exponent.is_some_and(|exponent| exponent.abs() > COMPARABLE_EXPONENT) {
            return None;
        }
        let parts = self.parts();
        let mut digits = Vec::with_capacity(parts.digits[0].len() + parts.digits[1].len());
        for written in parts.digits {
            digits.extend(written.bytes().map(|digit| digit - b'0'));
        }
        // In range: the exponent is within ±400 and the rest is the length of the literal.
        let exponent = i64::try_from(parts.magnitude).ok()? - i64::try_from(digits.len()).ok()?;
        Some(Decimal { negative: parts.negative, digits, exponent })
    }
}

fn parse_exponent(text: &str) -> i128 {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    const LARGEST: i128 = 10_i128.pow(38) - 1;
    let value = digits
        .trim_start_matches('0')
        .parse::<i128>()
        .map_or(if digits.bytes().all(|digit| digit == b'0') { 0 } else { LARGEST }, |value| {
            value.min(LARGEST)
        });
    if negative { -value } else { value }
}

impl<'d> NumberParts<'d> {
    fn digits(&self) -> impl Iterator<Item = u8> + use<'d> {
        self.digits[0].bytes().chain(self.digits[1].bytes())
    }

    fn is_zero(&self) -> bool {
        self.digits[0].is_empty() && self.digits[1].is_empty()
    }

    /// Whether the value is a whole number, however written.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.magnitude >= (self.digits[0].len() + self.digits[1].len()) as i128
    }

    /// Bytes that are the same for the same value, and never a prefix of another value's.
    pub(super) fn append_key(&self, bytes: &mut Vec<u8>) {
        bytes.push(if self.negative { b'-' } else { b'+' });
        bytes.extend(self.digits());
        bytes.push(b'e');
        bytes.extend_from_slice(&self.magnitude.to_le_bytes());
    }

    fn compare_absolute(&self, other: &NumberParts<'_>) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => {
                self.magnitude.cmp(&other.magnitude).then_with(|| self.digits().cmp(other.digits()))
            }
        }
    }
}

impl Ord for NumberParts<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.compare_absolute(other),
            (true, true) => other.compare_absolute(self),
        }
    }
}

impl PartialOrd for NumberParts<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for NumberParts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for NumberParts<'_> {}

/// An exact decimal: ±digits × 10^exponent, the first and last digit not zero. Zero has no digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// 0 to 9, the most significant first.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// The value without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        Self { negative: false, ..self }
    }

    /// The value with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { negative: !self.negative && !self.digits.is_empty(), ..self }
    }

    /// Whether it is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The exact difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Sum::of(&[self.clone(), other.clone().negated()])
    }

    /// Without exponent and trailing zeros; with `fraction`, at least one digit after the point
    /// (SPEC 5.5).
    #[must_use]
    pub fn to_plain(&self, fraction: bool) -> String {
        let mut whole: Vec<u8> = self.digits.iter().map(|digit| digit + b'0').collect();
        let mut after = Vec::new();
        if self.exponent >= 0 {
            whole.resize(whole.len() + usize::try_from(self.exponent).unwrap_or(0), b'0');
        } else {
            let places = usize::try_from(-self.exponent).unwrap_or(usize::MAX);
            let zeros = places.saturating_sub(whole.len());
            after.resize(zeros, b'0');
            after.extend(whole.split_off(whole.len().saturating_sub(places)));
        }
        let text = |bytes| String::from_utf8(bytes).unwrap_or_default();
        let (whole, mut after) = (text(whole), text(after));
        if after.is_empty() && fraction {
            after.push('0');
        }
        let sign = if self.negative { "-" } else { "" };
        let whole = if whole.is_empty() { "0" } else { &whole };
        if after.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{after}") }
    }

    /// The power of ten just above the first digit.
    fn top(&self) -> i64 {
        self.exponent + self.digits.len() as i64
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let absolute = || match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => {
                self.top().cmp(&other.top()).then_with(|| self.digits.cmp(&other.digits))
            }
        };
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => absolute(),
            (true, true) => absolute().reverse(),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Exact addition of many decimals in time linear in their digits: one signed counter per
/// power of ten, carried once at the end.
#[derive(Debug)]
pub struct Sum;

impl Sum {
    /// The exact sum; 0 for none.
    #[must_use]
    pub fn of(addends: &[Decimal]) -> Decimal {
        let nonzero = || addends.iter().filter(|addend| !addend.digits.is_empty());
        let low = nonzero().map(|addend| addend.exponent).min().unwrap_or(0);
        let high = nonzero().map(Decimal::top).max().unwrap_or(0);
        let mut counters = vec![0_i64; usize::try_from(high - low).unwrap_or(0)];
        for addend in nonzero() {
            let offset = usize::try_from(addend.exponent - low).unwrap_or(0);
            let sign = if addend.negative { -1 } else { 1 };
            for (at, digit) in addend.digits.iter().rev().enumerate() {
                counters[offset + at] += sign * i64::from(*digit);
            }
        }
        let mut carry = carry_through(&mut counters);
        let negative = carry < 0;
        if negative {
            // The complement of what is there, so that every digit is positive again.
            counters.iter_mut().for_each(|digit| *digit = -*digit);
            carry = carry_through(&mut counters) - carry;
        }
        while carry > 0 {
            counters.push(carry % 10);
            carry /= 10;
        }
        Self::normalized(negative, &counters, low)
    }

    fn normalized(negative: bool, least_first: &[i64], low: i64) -> Decimal {
        let skipped = least_first.iter().take_while(|digit| **digit == 0).count();
        let digits: Vec<u8> = least_first[skipped..]
            .iter()
            .rev()
            .skip_while(|digit| **digit == 0)
            .map(|digit| *digit as u8)
            .collect();
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: 0 };
        }
        Decimal { negative, digits, exponent: low + skipped as i64 }
    }
}

/// Brings every counter into 0..=9 and returns what is carried out at the top.
fn carry_through(counters: &mut [i64]) -> i64 {
    let mut carry = 0;
    for counter in counters {
        let value = *counter + carry;
        *counter = value.rem_euclid(10);
        carry = value.div_euclid(10);
    }
    carry
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;

    use super::*;

    fn number(literal: &str) -> Number<'_> {
        Number::parse(literal).expect("a JSON number")
    }

    fn decimal(literal: &str) -> Decimal {
        number(literal).decimal().expect("comparable")
    }

    /// An independent reading of the same literal.
    fn rational(literal: &str) -> BigRational {
        let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
        let exponent: i32 = exponent.parse().unwrap();
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
        let scale = exponent - fraction.len() as i32;
        let ten = BigRational::from_integer(BigInt::from(10));
        BigRational::from_integer(digits) * ten.pow(scale)
    }

    #[test]
    fn sums_are_exact() {
        let sum = |literals: &[&str], fraction| {
            Sum::of(&literals.iter().map(|text| decimal(text)).collect::<Vec<_>>())
                .to_plain(fraction)
        };
        assert_eq!(sum(&["0.1", "0.2"], true), "0.3");
        assert_eq!(sum(&["87.0", "42.5"], true), "129.5");
        assert_eq!(sum(&["87.0", "42"], true), "129.0");
        assert_eq!(sum(&["1e16", "0.5", "-1e16"], true), "0.5");
        assert_eq!(sum(&["-1", "-99"], false), "-100");
        assert_eq!(sum(&["1", "-1"], false), "0");
        assert_eq!(sum(&[], false), "0");
        assert_eq!(sum(&["5", "-1005"], false), "-1000");
    }

    #[test]
    fn the_written_exponent_decides_what_is_comparable() {
        assert!(number("1e400").decimal().is_some());
        assert!(number("1e-400").decimal().is_some());
        assert!(number("1e401").decimal().is_none());
        assert!(number("0e-401").decimal().is_none());
        assert!(number("1e999999999999999999999999999999999999999999").decimal().is_none());
    }

    #[test]
    fn values_compare_whatever_their_spelling() {
        for (left, right) in
            [("1", "1.0"), ("100", "1e2"), ("-0", "0.0"), ("0.10", "1E-1"), ("10e-1", "1")]
        {
            assert_eq!(number(left).parts(), number(right).parts(), "{left} {right}");
        }
        for (less, more) in [
            ("9007199254740992", "9007199254740993"),
            ("-2", "-1"),
            ("-1", "0"),
            ("0.09", "0.1"),
            ("99.99999999999999", "100"),
            ("1e1000000000", "1e1000000001"),
            ("-1e1000000000", "1"),
        ] {
            assert!(number(less).parts() < number(more).parts(), "{less} {more}");
        }
    }

    #[test]
    fn canonical_doubles() {
        // RFC 8785 appendix B and SPEC 3.1.
        for (literal, expected) in [
            ("1.0", "1"),
            ("1e21", "1e+21"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("-0.0", "0"),
            ("0.0000001", "1e-7"),
            ("0.00000123", "0.00000123"),
            ("10.50", "10.5"),
            ("333333333.33333329", "333333333.3333333"),
            ("1E30", "1e+30"),
            ("4.50", "4.5"),
            ("2e-3", "0.002"),
            ("0.000000000000000000000000001", "1e-27"),
            ("9007199254740993", "9007199254740993"),
            ("9007199254740993.0", "9007199254740992"),
            ("-0", "0"),
            ("123456789012345.6", "123456789012345.6"),
            ("0.30000000000000004", "0.30000000000000004"),
        ] {
            assert_eq!(number(literal).canonical().as_deref(), Some(expected), "{literal}");
        }
        assert_eq!(number("1e400").canonical(), None);
    }

    fn literal() -> impl Strategy<Value = String> {
        (
            any::<bool>(),
            "0|[1-9][0-9]{0,25}",
            proptest::option::of("[0-9]{1,25}"),
            proptest::option::of(-40_i32..40),
        )
            .prop_map(|(negative, whole, fraction, exponent)| {
                let sign = if negative { "-" } else { "" };
                let fraction = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
                let exponent = exponent.map(|power| format!("e{power}")).unwrap_or_default();
                format!("{sign}{whole}{fraction}{exponent}")
            })
    }

    proptest! {
        #[test]
        fn sum_and_order_agree_with_big_rationals(literals in proptest::collection::vec(literal(), 0..12)) {
            let decimals: Vec<_> = literals.iter().map(|text| decimal(text)).collect();
            let expected: BigRational = literals.iter().map(|text| rational(text)).sum();
            let sum = Sum::of(&decimals);
            prop_assert_eq!(rational(&sum.to_plain(false)), expected);
            for (left, a) in literals.iter().zip(&decimals) {
                for (right, b) in literals.iter().zip(&decimals) {
                    let expected = rational(left).cmp(&rational(right));
                    prop_assert_eq!(a.cmp(b), expected);
                    prop_assert_eq!(number(left).parts().cmp(&number(right).parts()), expected);
                    prop_assert_eq!(rational(&a.minus(b).to_plain(true)), rational(left) - rational(right));
                }
            }
        }

        #[test]
        fn canonical_doubles_are_what_ryu_prints(literal in literal()) {
            let literal = if literal.contains(['.', 'e']) { literal } else { format!("{literal}.0") };
            let double: f64 = literal.parse().unwrap();
            let canonical = number(&literal).canonical().unwrap();
            let mut buffer = ryu_js::Buffer::new();
            prop_assert_eq!(canonical.as_ref(), buffer.format_finite(double));
        }
    }
}
