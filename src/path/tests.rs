//! Paths against SPEC 5.1 and 5.2, by hand and against a slow resolver.

use proptest::prelude::*;

use super::*;
use crate::json::{Document, MAX_DEPTH, read};

fn key(name: &str) -> Segment {
    Segment::Key(name.into())
}

fn document(json: &str) -> Document {
    read(json, MAX_DEPTH).expect("JSON")
}

#[test]
fn what_paths_mean() {
    use Segment::Every;
    for (text, segments) in [
        ("$", vec![]),
        ("a", vec![key("a")]),
        ("$.a", vec![key("a")]),
        ("items[].price", vec![key("items"), Every, key("price")]),
        ("$.items[].price", vec![key("items"), Every, key("price")]),
        ("[].id", vec![Every, key("id")]),
        ("$[].id", vec![Every, key("id")]),
        ("[][]", vec![Every, Every]),
        ("a[].b[].c", vec![key("a"), Every, key("b"), Every, key("c")]),
        ("$amount", vec![key("$amount")]),
        ("$amount.x", vec![key("$amount"), key("x")]),
        ("a.$", vec![key("a"), key("$")]),
        ("$.$", vec![key("$")]),
        ("$.$.a", vec![key("$"), key("a")]),
        (r"a\.b\[\]\\", vec![key(r"a.b[]\")]),
        ("risk.1%", vec![key("risk"), key("1%")]),
        (" a b .ü", vec![key(" a b "), key("ü")]),
        ("*", vec![key("*")]),
    ] {
        assert_eq!(Path::parse(text), Ok(Path { segments }), "{text}");
    }
}

#[test]
fn malformed_paths_name_the_character() {
    use PathErrorKind::*;
    for (text, at, kind) in [
        ("", 1, Empty),
        ("a..b", 3, EmptyKey),
        ("a.", 3, EmptyKey),
        (".a", 1, EmptyKey),
        ("$.", 3, EmptyKey),
        ("$..a", 3, EmptyKey),
        ("a.[]", 3, EmptyKey),
        ("ä.[0]", 3, EmptyKey),
        ("a[0]", 2, NotEvery),
        ("a[", 2, NotEvery),
        ("$[", 2, NotEvery),
        ("$['a']", 2, NotEvery),
        ("[", 1, NotEvery),
        ("a[]b", 4, KeyAfterEvery),
        ("a[] ", 4, KeyAfterEvery),
        ("a[]]", 4, StrayBracket),
        ("a]", 2, StrayBracket),
        ("]", 1, StrayBracket),
        (r"a\b", 2, Escape),
        (r"a\", 2, Escape),
        (r"\$.a", 1, Escape),
    ] {
        assert_eq!(Path::parse(text), Err(PathError { at, kind }), "{text}");
    }
}

/// What a path finds, one line each.
fn found(path: &str, json: &str) -> Vec<String> {
    let (path, document) = (Path::parse(path).unwrap(), document(json));
    let mut places = path.resolve(document.root());
    let mut lines = Vec::new();
    while let Some(resolved) = places.next() {
        let place = places.place().path();
        lines.push(match resolved {
            Resolved::Value(node) => format!("{place} = {}", node.source()),
            Resolved::Absent { nearest } => format!("{place} absent from {}", nearest.source()),
            Resolved::Unreachable { met, segment } => {
                let met_at = places.place_before(segment).path();
                format!("{place} behind {met_at} = {}", met.source())
            }
        });
    }
    lines
}

#[test]
fn places_are_values_absent_or_unreachable() {
    assert_eq!(found("$", "7"), ["$ = 7"]);
    assert_eq!(found("a.b", r#"{"a.b":1,"a":{"b":9}}"#), ["$.a.b = 9"]);
    assert_eq!(found(r"a\.b", r#"{"a.b":1,"a":{"b":9}}"#), ["$['a.b'] = 1"]);
    assert_eq!(
        found("items[].price", r#"{"items":[{"price":1},{"price":null},{},null,5,[]]}"#),
        [
            "$.items[0].price = 1",
            "$.items[1].price = null",
            "$.items[2].price absent from {}",
            "$.items[3].price absent from null",
            "$.items[4].price behind $.items[4] = 5",
            "$.items[5].price behind $.items[5] = []",
        ]
    );
    assert_eq!(found("nope[].x", "{}"), ["$.nope[].x absent from {}"]);
    assert_eq!(found("a[].x", r#"{"a":null}"#), ["$.a[].x absent from null"]);
    assert_eq!(found("a[].x", r#"{"a":{"x":1}}"#), [r#"$.a[].x behind $.a = {"x":1}"#]);
    assert_eq!(found("a[].x", r#"{"a":[]}"#), [""; 0]);
    assert_eq!(
        found("[][].x[]", r#"[[],[{"x":[1,2]},{"x":[]},{"x":"s"}],7]"#),
        [
            "$[1][0].x[0] = 1",
            "$[1][0].x[1] = 2",
            r#"$[1][2].x[] behind $[1][2].x = "s""#,
            "$[2][].x[] behind $[2] = 7",
        ]
    );
    assert_eq!(found("a.length", r#"{"a":"text"}"#), [r#"$.a.length behind $.a = "text""#]);
    assert_eq!(found("__proto__", "{}"), ["$.__proto__ absent from {}"]);
}

#[test]
fn a_path_is_paired_over_shared_arrays() {
    let pairs = |other: &str, field: &str| {
        let (other, field) = (Path::parse(other).unwrap(), Path::parse(field).unwrap());
        other.pairing(&field).map(|pairing| pairing.level)
    };
    assert_eq!(pairs("items[].max", "items[].min"), Some(1));
    assert_eq!(pairs("$.items[].a.b", "items[].lines[].x"), Some(1));
    assert_eq!(pairs("items[].lines[].y", "items[].lines[].x"), Some(2));
    assert_eq!(pairs("items[]", "items[].min"), Some(1));
    assert_eq!(pairs("items[].lines[].y", "items[].x"), None);
    assert_eq!(pairs("rows[].y", "items[].x"), None);
    assert_eq!(pairs("items[].y", "items"), None);
    assert_eq!(pairs("total", "items[].x"), None);
}

#[test]
fn a_hundred_thousand_elements() {
    let json = format!("[{}{{}}]", "{\"a\":1},".repeat(99_999));
    let (path, document) = (Path::parse("[].a").unwrap(), document(&json));
    let mut places = path.resolve(document.root());
    assert_eq!(places.by_ref().filter(|found| matches!(found, Resolved::Value(_))).count(), 99_999);
    let long = format!("{}x", "[]".repeat(50_000) + ".");
    assert_eq!(Path::parse(&long).unwrap().resolve(document.root()).count(), 100_000);
}

fn arbitrary_path() -> impl Strategy<Value = Path> {
    let segment = prop_oneof![
        3 => "[ab$]|[.\\\\\\[\\]$a ü]{1,4}".prop_map(|name| key(&name)),
        2 => Just(Segment::Every),
    ];
    proptest::collection::vec(segment, 0..6).prop_map(|segments| Path { segments })
}

fn arbitrary_json() -> impl Strategy<Value = String> {
    let leaf = "null|true|1|\"s\"".prop_map(|text: String| text);
    leaf.prop_recursive(4, 40, 4, |inner| {
        let inner = inner.boxed();
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|elements| format!("[{}]", elements.join(","))),
            proptest::collection::btree_map("[ab$]", inner, 0..3).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// SPEC 5.2 word by word, with recursion and a copy of the place at every step.
fn slowly(node: Node<'_>, rest: &[Segment], so_far: &Place, lines: &mut Vec<String>) {
    let as_far_as_known = || {
        rest.iter().fold(so_far.clone(), |place, segment| {
            place.then(match segment {
                Segment::Key(name) => Step::name(name),
                Segment::Every => Step::Every,
            })
        })
    };
    let Some((segment, behind)) = rest.split_first() else {
        lines.push(format!("{} = {}", so_far.path(), node.source()));
        return;
    };
    match (segment, node.kind()) {
        (_, Kind::Null) => {
            lines.push(format!("{} absent from null", as_far_as_known().path()));
        }
        (Segment::Key(name), Kind::Object) => match node.get(name) {
            Some(value) => slowly(value, behind, &so_far.then(Step::name(name)), lines),
            None => {
                lines.push(format!("{} absent from {}", as_far_as_known().path(), node.source()))
            }
        },
        (Segment::Every, Kind::Array) => {
            for (index, element) in node.elements().enumerate() {
                slowly(element, behind, &so_far.then(Step::Index(index)), lines);
            }
        }
        _ => lines.push(format!(
            "{} behind {} = {}",
            as_far_as_known().path(),
            so_far.path(),
            node.source()
        )),
    }
}

proptest! {
    #[test]
    fn a_path_is_read_as_it_is_written(path in arbitrary_path()) {
        prop_assert_eq!(Path::parse(&path.to_string()), Ok(path));
    }

    #[test]
    fn any_text_is_a_path_or_a_fault_inside_it(text in "[a$.\\[\\]\\\\é]{0,8}") {
        match Path::parse(&text) {
            Ok(path) => prop_assert_eq!(Path::parse(&path.to_string()), Ok(path)),
            Err(error) => prop_assert!((1..=text.chars().count() + 1).contains(&error.at)),
        }
    }

    #[test]
    fn walking_agrees_with_the_slow_way(path in arbitrary_path(), json in arbitrary_json()) {
        let mut expected = Vec::new();
        slowly(document(&json).root(), path.segments(), &Place::default(), &mut expected);
        prop_assert_eq!(found(&path.to_string(), &json), expected);
    }
}
