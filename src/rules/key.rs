//! Values as keys of sets and maps, borrowed where that is possible.

use crate::json::{EqualityKey, Kind, Node, Number};

/// Two values have the same key exactly when they are equal (JSON Schema core §4.2.2). Strings,
/// booleans, null and whole numbers up to 2⁵³ take no memory of their own.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Key<'d> {
    Null,
    Boolean(bool),
    /// As WTF-8.
    Text(&'d [u8]),
    /// A whole number of at most [`WHOLE`], however written.
    Whole(i64),
    /// Any other number, an array, an object.
    Other(EqualityKey),
}

/// 2⁵³: up to here every whole number is a double.
const WHOLE: i64 = 1 << 53;

impl<'d> Key<'d> {
    pub(super) fn of(node: Node<'d>) -> Self {
        match node.kind() {
            Kind::Null => Self::Null,
            Kind::Boolean => Self::Boolean(node.as_bool() == Some(true)),
            Kind::String => Self::Text(node.wtf8().unwrap_or_default()),
            Kind::Number => node
                .as_number()
                .and_then(whole)
                .map_or_else(|| Self::Other(EqualityKey::of(node)), Self::Whole),
            Kind::Array | Kind::Object => Self::Other(EqualityKey::of(node)),
        }
    }
}

/// The value, if it is a whole number of at most [`WHOLE`].
fn whole(number: Number<'_>) -> Option<i64> {
    let candidate = if number.is_float_literal() {
        let double = number.to_f64();
        let small = double.fract() == 0.0 && double.abs() <= WHOLE as f64;
        // The double may have been rounded to a whole number; the literal decides.
        let candidate = small.then_some(double as i64)?;
        let same = Number::parse(&candidate.to_string())?.parts() == number.parts();
        same.then_some(candidate)?
    } else {
        number.literal().parse().ok()?
    };
    (-WHOLE..=WHOLE).contains(&candidate).then_some(candidate)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{MAX_DEPTH, read};

    #[test]
    fn whole_numbers_have_one_key_however_written() {
        let key_is = |literal: &str, expected: Option<i64>| {
            let document = read(literal, MAX_DEPTH).unwrap();
            let whole = match Key::of(document.root()) {
                Key::Whole(value) => Some(value),
                _ => None,
            };
            assert_eq!(whole, expected, "{literal}");
        };
        key_is("0", Some(0));
        key_is("-0", Some(0));
        key_is("-0.0", Some(0));
        key_is("0e999999", Some(0));
        key_is("1.0", Some(1));
        key_is("-1e2", Some(-100));
        key_is("9007199254740992", Some(WHOLE));
        key_is("9007199254740992.0", Some(WHOLE));
        key_is("9007199254740993", None);
        key_is("9007199254740993.0", None);
        key_is("0.5", None);
        key_is("1.00000000000000000001", None);
        key_is("1e400", None);
        key_is("1e-400", None);
    }

    fn number() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?(0|[1-9][0-9]{0,2})(\\.[0-9]{1,2}0{0,2})?([eE][+-]?[0-3])?",
            "-?900719925474099[0-5](\\.0{1,2}|\\.[0-9])?",
            "-?90071992547409[0-9]{1,3}e[01]",
        ]
    }

    fn value() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => number(),
            1 => "null|true|false|\"1\"|\"true\"|\"\"|\"a\"|\"\\\\u0061\"",
            1 => number().prop_map(|number| format!("[{number}]")),
            1 => number().prop_map(|number| format!("{{\"b\":1,\"a\":{number}}}")),
            1 => number().prop_map(|number| format!("{{\"a\":{number},\"b\":1.0}}")),
        ]
    }

    proptest! {
        #[test]
        fn keys_are_equal_exactly_when_values_are(left in value(), right in value()) {
            let (left, right) = (read(left, MAX_DEPTH).unwrap(), read(right, MAX_DEPTH).unwrap());
            prop_assert_eq!(
                Key::of(left.root()) == Key::of(right.root()),
                left.root().equals(right.root())
            );
        }
    }
}
