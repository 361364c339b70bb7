//! JSON values made at random, written down in many ways, and what is true of them, found out
//! slowly and without the library.

use std::fmt::Write as _;

use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A JSON value before it is written down.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Null,
    Boolean(bool),
    /// A literal.
    Number(String),
    /// UTF-16 code units, lone surrogates among them.
    String(Vec<u16>),
    Array(Vec<Tree>),
    /// Names are distinct.
    Object(Vec<(Vec<u16>, Tree)>),
}

pub(crate) fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(vec!["0", "-0", "0.0", "1", "1.0", "10e-1", "1E+1", "10", "100e-1", "0.1"])
            .prop_map(str::to_owned),
        1 => "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?",
        1 => any::<f64>().prop_filter("finite", |double| double.is_finite())
            .prop_map(|double| format!("{double:e}")),
    ]
}

/// Units that matter: escapes, controls, quotes, surrogates of both kinds, and what sorts
/// differently by UTF-16 and by UTF-8.
fn text(lone: bool) -> impl Strategy<Value = Vec<u16>> {
    let units = select(vec![
        'a',
        'b',
        '"',
        '\\',
        '/',
        '\n',
        '\u{8}',
        '\t',
        '\u{c}',
        '\r',
        '\0',
        '\u{1f}',
        '\u{7f}',
        'é',
        '\u{ffff}',
        '\u{e000}',
        '😀',
        '\u{10ffff}',
    ])
    .prop_map(|character| character.encode_utf16(&mut [0; 2]).to_vec());
    let piece = prop_oneof![
        12 => units,
        2 => "[a-z_]{1,12}".prop_map(|word| word.encode_utf16().collect::<Vec<_>>()),
        u32::from(lone) => select(vec![0xD800, 0xDBFF, 0xDC00, 0xDFFF]).prop_map(|unit| vec![unit]),
    ];
    vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

pub(crate) fn tree(lone: bool) -> impl Strategy<Value = Tree> {
    let scalar = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Boolean),
        number().prop_map(Tree::Number),
        text(lone).prop_map(Tree::String),
    ];
    scalar.prop_recursive(4, 40, 16, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Tree::Array),
            // More than 12 names make an index.
            vec((text(lone), inner), 0..18).prop_map(|mut members| {
                members.sort_by(|(left, _), (right, _)| left.cmp(right));
                members.dedup_by(|(left, _), (right, _)| left == right);
                Tree::Object(members)
            }),
        ]
    })
}

/// Decisions about spelling, from a seed.
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn space(&mut self, out: &mut String) {
        out.push_str(["", "", "", " ", "\n", "\r\n\t"][self.below(6)]);
    }
}

/// Writes a tree: the same value for every seed, in another order, with other spaces and escapes.
fn spell(tree: &Tree, choices: &mut Choices, out: &mut String) {
    choices.space(out);
    match tree {
        Tree::Null => out.push_str("null"),
        Tree::Boolean(boolean) => out.push_str(if *boolean { "true" } else { "false" }),
        Tree::Number(literal) => out.push_str(literal),
        Tree::String(units) => spell_string(units, choices, out),
        Tree::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                spell(element, choices, out);
            }
            choices.space(out);
            out.push(']');
        }
        Tree::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            for at in (1..members.len()).rev() {
                members.swap(at, choices.below(at + 1));
            }
            out.push('{');
            for (at, (name, value)) in members.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                choices.space(out);
                spell_string(name, choices, out);
                choices.space(out);
                out.push(':');
                spell(value, choices, out);
            }
            choices.space(out);
            out.push('}');
        }
    }
    choices.space(out);
}

fn spell_string(units: &[u16], choices: &mut Choices, out: &mut String) {
    out.push('"');
    for read in char::decode_utf16(units.iter().copied()) {
        match read {
            Ok(character) => {
                let short = "\"\"\\\\//\u{8}b\u{c}f\nn\rr\tt".find(character).and_then(|at| {
                    let rest = &"\"\"\\\\//\u{8}b\u{c}f\nn\rr\tt"[at..];
                    rest.chars().nth(1).filter(|_| at % 2 == 0)
                });
                let literal = character >= ' ' && !matches!(character, '"' | '\\');
                match (choices.below(3), short) {
                    (0, Some(short)) => out.extend(['\\', short]),
                    (1, _) if literal => out.push(character),
                    _ => character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                        let _ = write!(out, "\\u{unit:04x}");
                    }),
                }
            }
            Err(lone) => {
                let _ = write!(out, "\\u{:04X}", lone.unpaired_surrogate());
            }
        }
    }
    out.push('"');
}

pub(crate) fn spelled(tree: &Tree, seed: u64) -> String {
    let mut out = String::new();
    spell(tree, &mut Choices(seed), &mut out);
    out
}

/// The exact value of a literal, found another way.
fn rational(literal: &str) -> BigRational {
    let lower = literal.to_lowercase();
    let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().expect("digits");
    let exponent: i32 = exponent.parse().expect("an exponent");
    let ten = BigRational::from_integer(BigInt::from(10));
    BigRational::from_integer(digits) * ten.pow(exponent - fraction.len() as i32)
}

/// JSON equality, slowly.
pub(crate) fn equal(left: &Tree, right: &Tree) -> bool {
    match (left, right) {
        (Tree::Null, Tree::Null) => true,
        (Tree::Boolean(left), Tree::Boolean(right)) => left == right,
        (Tree::Number(left), Tree::Number(right)) => rational(left) == rational(right),
        (Tree::String(left), Tree::String(right)) => left == right,
        (Tree::Array(left), Tree::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| equal(a, b))
        }
        (Tree::Object(left), Tree::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, value)| {
                    right.iter().any(|(other, there)| name == other && equal(value, there))
                })
        }
        _ => false,
    }
}

/// RFC 8785 and SPEC 3.1, slowly; `None` without canonical form.
pub(crate) fn canonical(tree: &Tree) -> Option<String> {
    Some(match tree {
        Tree::Null => "null".to_owned(),
        Tree::Boolean(boolean) => boolean.to_string(),
        Tree::Number(literal) if literal.contains(['.', 'e', 'E']) => {
            let double: f64 = literal.parse().expect("a number");
            double.is_finite().then(|| ryu_js::Buffer::new().format_finite(double).to_owned())?
        }
        Tree::Number(literal) => if literal == "-0" { "0" } else { literal }.to_owned(),
        Tree::String(units) => canonical_string(units)?,
        Tree::Array(elements) => {
            let elements: Option<Vec<_>> = elements.iter().map(canonical).collect();
            format!("[{}]", elements?.join(","))
        }
        Tree::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(left, _), (right, _)| left.cmp(right));
            let members: Option<Vec<_>> = members
                .into_iter()
                .map(|(name, value)| {
                    Some(format!("{}:{}", canonical_string(name)?, canonical(value)?))
                })
                .collect();
            format!("{{{}}}", members?.join(","))
        }
    })
}

fn canonical_string(units: &[u16]) -> Option<String> {
    let mut out = String::from("\"");
    for character in String::from_utf16(units).ok()?.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..'\u{20}' => out.push_str(&format!("\\u{:04x}", character as u32)),
            _ => out.push(character),
        }
    }
    Some(out + "\"")
}
