//! `multipleOf` by exact division, at any length and any exponent (SPEC 4.3).

use num_bigint::BigUint;

use super::budget::{Budget, Exhausted};
use crate::json::Number;

/// The number of a `multipleOf`.
#[derive(Debug)]
pub(super) struct Divisor {
    /// As written.
    pub(super) literal: String,
    /// Its value is `digits` × 10^`exponent`; `None` for zero, of which nothing is a multiple.
    value: Option<(BigUint, i128)>,
    /// The number as whole units of 10^-`places`, where it is short.
    short: Option<(i128, u32)>,
}

/// Digits in a divisor: more would make every division slow.
const MAX_DIGITS: usize = 20_000;

impl Divisor {
    /// The divisor with this literal; `None` if it is no number, or one that is too long.
    pub(super) fn new(literal: &str) -> Option<Self> {
        let (digits, exponent) = Number::parse(literal)?.parts().digits_and_exponent();
        if digits.len() > MAX_DIGITS {
            return None;
        }
        let value = BigUint::parse_bytes(digits.as_bytes(), 10).map(|digits| (digits, exponent));
        Some(Self { literal: literal.to_owned(), value, short: short(literal) })
    }

    /// Whether the number is this divisor times a whole number.
    pub(super) fn divides(
        &self,
        number: Number<'_>,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        if let (Some(value), Some(step)) = (short(number.literal()), self.short)
            && let Some(divides) = divides_short(value, step)
        {
            return Ok(divides);
        }
        let (length, step) = (number.literal().len() as u64, self.literal.len() as u64);
        // Reading and dividing are quadratic.
        budget.charge(length + length.saturating_mul(length + step) / 5_000)?;
        let Some((divisor, scale)) = &self.value else { return Ok(false) };
        let (digits, exponent) = number.parts().digits_and_exponent();
        // Without trailing zeros, so zero has no digits.
        let Some(digits) = BigUint::parse_bytes(digits.as_bytes(), 10) else { return Ok(true) };
        let Ok(shift) = u128::try_from(exponent.saturating_sub(*scale)) else {
            // The last digit counts for less than one unit of the divisor's last digit.
            return Ok(false);
        };
        let zero = BigUint::ZERO;
        let rest = digits % divisor;
        if rest == zero || shift == 0 {
            return Ok(rest == zero);
        }
        budget.charge((1 + step * step / 200) * u64::from(u128::BITS - shift.leading_zeros()))?;
        let power = BigUint::from(10_u8).modpow(&BigUint::from(shift), divisor);
        Ok(rest * power % divisor == zero)
    }
}

/// A short decimal without exponent as a whole number and the places behind its point.
fn short(literal: &str) -> Option<(i128, u32)> {
    let (negative, digits) = match literal.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, literal),
    };
    if digits.len() > 19 {
        return None;
    }
    let (mut value, mut places, mut in_fraction) = (0_i128, 0, false);
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                value = value * 10 + i128::from(byte - b'0');
                places += u32::from(in_fraction);
            }
            b'.' => in_fraction = true,
            _ => return None,
        }
    }
    Some((if negative { -value } else { value }, places))
}

/// The same for short ones, on a common scale.
fn divides_short((value, places): (i128, u32), (step, step_places): (i128, u32)) -> Option<bool> {
    let scale = places.max(step_places);
    let lift = |number: i128, places: u32| number.checked_mul(10_i128.pow(scale - places));
    let (value, step) = (lift(value, places)?, lift(step, step_places)?);
    (step != 0).then(|| value % step == 0)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;

    use super::*;

    fn divides(step: &str, number: &str) -> bool {
        let number = Number::parse(number).expect("a number");
        let step = Divisor::new(step).expect("a divisor");
        step.divides(number, &mut Budget::for_values(1)).expect("affordable")
    }

    #[test]
    fn division_is_exact() {
        for (step, number, expected) in [
            ("0.1", "0.3", true),
            ("0.01", "1.13", true),
            ("0.01", "1.135", false),
            ("0.01", "1e308", true),
            ("0.01", "1.00000000000000000001", false),
            ("0.1", "0.30000000000000001", false),
            ("3", "1000000000000000000000000000000000000000", false),
            ("3", "3000000000000000000000000000000000000000", true),
            ("7", "1e999999999", false),
            ("1e-999999999", "7", true),
            ("5e-1", "1e-1", false),
            ("4", "100", true),
            ("4", "1e2", true),
            ("8", "1e2", false),
            ("8", "1e3", true),
            ("1e400", "10e399", true),
            ("1e400", "1e399", false),
            ("0.0001", "-0.0", true),
            ("123456789012345678901234567890", "-370370367037037036703703703670", true),
            ("1e38", "1e99999999999999999999999999999999999999999", true),
        ] {
            assert_eq!(divides(step, number), expected, "{number} by {step}");
        }
    }

    fn literal() -> impl Strategy<Value = String> {
        ("-?(0|[1-9][0-9]{0,22})", proptest::option::of("[0-9]{1,22}"), -30_i32..30).prop_map(
            |(whole, fraction, exponent)| {
                let fraction = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
                let exponent =
                    if exponent % 3 == 0 { format!("e{exponent}") } else { String::new() };
                format!("{whole}{fraction}{exponent}")
            },
        )
    }

    fn rational(literal: &str) -> BigRational {
        let (mantissa, exponent) = literal.split_once('e').unwrap_or((literal, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
        let scale = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
        BigRational::from_integer(digits) * BigRational::from_integer(BigInt::from(10)).pow(scale)
    }

    proptest! {
        #[test]
        fn division_agrees_with_rationals(
            step in literal(),
            number in literal(),
            times in proptest::option::of(-1000_i64..1000),
        ) {
            let (divisor, mut value) = (rational(&step), rational(&number));
            prop_assume!(divisor != rational("0"));
            let mut number = number;
            if let Some(times) = times {
                // A true multiple, written in full.
                value = &divisor * BigRational::from_integer(times.into());
                let scale = BigRational::from_integer(BigInt::from(10).pow(60));
                number = format!("{}e-60", (&value * scale).to_integer());
            }
            let step = step.trim_start_matches('-');
            prop_assert_eq!(divides(step, &number), (value / divisor).is_integer());
        }
    }
}
