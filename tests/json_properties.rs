//! What must hold for every JSON text, held against independent and slow ways to find it out.

use agent_output_verifier::json::{
    self, Document, EqualityKey, Kind, Lines, MAX_DEPTH, Member, Node, Number, Position,
    ReadErrorKind, jcs,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

#[path = "support/tree.rs"]
mod tree;

use tree::{Tree, canonical, equal, number, spelled, tree};

fn read(text: &str) -> Document {
    json::read(text, MAX_DEPTH).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

/// Whether a node holds what serde_json read.
fn same(node: Node<'_>, value: &Value) -> bool {
    match value {
        Value::Null => node.is_null(),
        Value::Bool(boolean) => node.as_bool() == Some(*boolean),
        Value::String(text) => node.as_str() == Some(text),
        Value::Number(number) => {
            // It spells exponents its own way.
            let theirs = Number::parse(number.as_str());
            node.as_number().zip(theirs).is_some_and(|(ours, theirs)| {
                ours.parts() == theirs.parts()
                    && ours.is_float_literal() == theirs.is_float_literal()
            })
        }
        Value::Array(elements) => {
            node.kind() == Kind::Array
                && node.len() == elements.len()
                && node.elements().zip(elements).all(|(node, value)| same(node, value))
        }
        Value::Object(members) => {
            node.kind() == Kind::Object
                && node.len() == members.len()
                && node.members().zip(members).all(|(member, (name, value))| {
                    member.name.as_str() == Some(name) && same(member.value, value)
                })
        }
    }
}

/// Runs through a value and all inside it, names too.
fn walk<'d>(node: Node<'d>, visit: &mut impl FnMut(Node<'d>)) {
    visit(node);
    node.elements().for_each(|element| walk(element, visit));
    for member in node.members() {
        visit(member.name);
        walk(member.value, visit);
    }
}

/// Where a byte stands, counted from the start character by character.
fn counted(text: &str, offset: usize) -> Position {
    let mut position = Position { line: 1, column: 1 };
    for (at, character) in text.char_indices() {
        if at >= offset {
            break;
        }
        match character {
            '\n' => position = Position { line: position.line + 1, column: 1 },
            '\u{FEFF}' if at == 0 => {}
            _ => position.column += 1,
        }
    }
    position
}

/// A change to a text: where, how many bytes go, what comes.
type Change = (prop::sample::Index, usize, &'static [u8]);

fn change() -> impl Strategy<Value = Change> {
    let pieces: [&[u8]; 40] = [
        b"",
        b"",
        b"",
        b"\"",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b" ",
        b"\n",
        b"\t",
        b"-",
        b"+",
        b".",
        b"e",
        b"E5",
        b"0",
        b"1",
        b"00",
        b"x",
        b"\\u",
        b"\\u00e9",
        b"\\ud800",
        b"\\udc00",
        b"\xC3",
        b"\xA9",
        b"\xED\xA0\x80",
        b"\0",
        b"\x1F",
        b"\x7F",
        b"true",
        b"nul",
        b"NaN",
        b"null",
        b"//",
        b"'",
        b"\xEF\xBB\xBF",
    ];
    (any::<prop::sample::Index>(), 0_usize..3, select(pieces.to_vec()))
}

fn changed(text: &str, changes: &[Change]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (at, removed, piece) in changes {
        let start = at.index(bytes.len() + 1);
        let end = (start + removed).min(bytes.len());
        bytes.splice(start..end, piece.iter().copied());
    }
    bytes
}

#[test]
fn no_value_imitates_the_key_of_another() {
    let texts = [
        r#"["a","b"]"#,
        r#"["a\"b"]"#,
        r#"["a\",\"b"]"#,
        r#"["a"]"#,
        r#"[["a"]]"#,
        r#"{"a":"a"}"#,
        r#"["a","a"]"#,
        "[[],[]]",
        "[[[]]]",
        "[1,1]",
        "[11]",
        "[1,[1]]",
        "[[1],1]",
        r#""1""#,
        "1",
        "true",
        r#""true""#,
        r#"{"a":{"b":1}}"#,
        r#"{"a":{},"b":1}"#,
        "-1",
        "10",
        "1e-1",
        "null",
        r#""""#,
        "{}",
        "[]",
    ];
    for (at, left) in texts.iter().enumerate() {
        for (other, right) in texts.iter().enumerate() {
            let equal = EqualityKey::of(read(left).root()) == EqualityKey::of(read(right).root());
            assert_eq!(equal, at == other, "{left} {right}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn reads_what_serde_json_reads(
        tree in tree(false), seed in any::<u64>(), changes in vec(change(), 0..4),
    ) {
        let bytes = changed(&spelled(&tree, seed), &changes);
        let theirs = serde_json::from_slice::<Value>(&bytes);
        match json::read(bytes.as_slice(), MAX_DEPTH) {
            // serde_json keeps the last of two, and knows no mark.
            Err(error) if matches!(error.kind, ReadErrorKind::DuplicateName(_)) => {}
            Ok(_) if bytes.starts_with(b"\xEF\xBB\xBF") => {}
            Err(error) => {
                prop_assert!(theirs.is_err(), "only we refuse: {}", error);
                prop_assert!(error.offset <= bytes.len());
                if let Ok(text) = std::str::from_utf8(&bytes) {
                    prop_assert!(text.is_char_boundary(error.offset));
                }
            }
            Ok(document) => match theirs {
                Ok(value) => prop_assert!(same(document.root(), &value)),
                // serde_json has no place for lone surrogates.
                Err(error) => prop_assert!(document.has_lone_surrogates(), "only they refuse: {}", error),
            },
        }
    }

    #[test]
    fn canonical_form_is_that_of_the_rfc_whatever_the_spelling(
        tree in tree(true), seeds in any::<[u64; 2]>(),
    ) {
        let expected = canonical(&tree);
        for seed in seeds {
            let document = read(&spelled(&tree, seed));
            let bytes = jcs::canonical(document.root());
            let text = bytes.as_ref().ok().map(|bytes| std::str::from_utf8(bytes).expect("UTF-8"));
            prop_assert_eq!(text, expected.as_deref());
            match &bytes {
                Ok(bytes) => {
                    let again = json::read(bytes.as_slice(), MAX_DEPTH).expect("JSON");
                    let twice = jcs::canonical(again.root());
                    prop_assert_eq!(twice.as_ref(), Ok(bytes));
                }
                Err(unhashable) => {
                    let node = document.node(unhashable.node);
                    let infinite = node.as_number().is_some_and(|number| number.canonical().is_none());
                    prop_assert!(infinite || node.has_lone_surrogate());
                }
            }
        }
    }

    #[test]
    fn every_span_is_its_value(tree in tree(true), seed in any::<u64>()) {
        let text = spelled(&tree, seed);
        let document = read(&text);
        prop_assert_eq!(document.text(), &text);
        let mut last = None;
        walk(document.root(), &mut |node: Node<'_>| {
            let alone = read(node.source());
            assert!(node.equals(alone.root()) && alone.root().equals(node), "{node:?}");
            assert_eq!(node.span().len(), alone.root().span().len(), "no space belongs to a span");
            assert_eq!(node.wtf8(), alone.root().wtf8());
            assert!(last < Some((node.span().start, node.id())), "document order");
            last = Some((node.span().start, node.id()));
        });
    }

    #[test]
    fn every_child_is_found(
        tree in tree(true), seed in any::<u64>(), order in vec(any::<prop::sample::Index>(), 1..8),
    ) {
        let text = spelled(&tree, seed);
        let document = read(&text);
        walk(document.root(), &mut |node| {
            for (index, element) in node.elements().enumerate() {
                assert_eq!(node.element(index).map(Node::id), Some(element.id()));
            }
            assert!(node.element(node.len()).is_none());
            let members: Vec<_> = node.members().collect();
            for member in &members {
                // A lone surrogate shows as U+FFFD, and no text is equal to it.
                let shown = member.name.as_str().expect("a string");
                let expected = members.iter().find(|other| {
                    !other.name.has_lone_surrogate() && other.name.as_str() == Some(shown)
                });
                let ids = |member: &Member<'_>| (member.name.id(), member.value.id());
                assert_eq!(node.member(shown).as_ref().map(ids), expected.map(ids));
                let other = format!("{shown}\u{1}");
                let there = members.iter().any(|member| member.name.as_str() == Some(&other));
                assert!(there || node.get(&other).is_none());
            }
            // In any order, each from where the last one was found.
            let mut finder = node.finder();
            for index in &order {
                let name = match members.get(index.index(members.len() + 1)) {
                    Some(member) => member.name.as_str().expect("a string"),
                    None => "a",
                };
                let found = finder.get(name.as_bytes()).map(Node::id);
                assert_eq!(found, node.get(name).map(Node::id));
            }
        });
    }

    #[test]
    fn keys_are_equal_exactly_where_values_are(
        trees in vec(tree(true), 1..4), numbers in [number(), number()], seeds in any::<[u64; 2]>(),
    ) {
        // Single numbers too: whole trees are seldom equal by chance.
        let trees: Vec<_> = trees.into_iter().chain(numbers.map(Tree::Number)).collect();
        for left in &trees {
            for right in &trees {
                let documents = (read(&spelled(left, seeds[0])), read(&spelled(right, seeds[1])));
                let (a, b) = (documents.0.root(), documents.1.root());
                let expected = equal(left, right);
                prop_assert_eq!(EqualityKey::of(a) == EqualityKey::of(b), expected);
                prop_assert_eq!(a.equals(b), expected);
            }
        }
    }

    #[test]
    fn positions_are_those_counted_by_hand(text in "\u{FEFF}?[a\n\ré😀\u{FEFF}]{0,60}") {
        let lines = Lines::new(text.as_bytes());
        for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            prop_assert_eq!(lines.position(offset), counted(&text, offset));
        }
        let body = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        let expected: Vec<_> =
            body.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).as_bytes()).collect();
        let found: Vec<_> = (1..=lines.count()).map(|line| lines.line(line)).collect();
        prop_assert_eq!(found, expected);
    }
}
