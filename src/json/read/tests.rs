//! What is refused, where, and in which words; and what is read as what.

use super::ReadErrorKind::{
    BadEscape, BadNumber, Comment, ControlCharacter, DuplicateName, Empty, Expected, ForeignWord,
    MarkdownFence, NotANumber, NotJson, NotUtf8, SecondValue, TooDeep, TrailingComma, TrailingText,
    UnexpectedEnd, Unquoted,
};
use super::*;
use crate::json::{Kind, Lines};

#[track_caller]
fn refused(text: impl AsRef<[u8]>, offset: usize, kind: ReadErrorKind) {
    let text = text.as_ref();
    let error = read(text, MAX_DEPTH).expect_err("must be refused");
    assert_eq!(error, ReadError { offset, kind }, "{:?}", String::from_utf8_lossy(text));
}

fn accepted(text: impl AsRef<[u8]>) -> Document {
    let text = text.as_ref();
    read(text, MAX_DEPTH)
        .unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(text)))
}

#[test]
fn nothing_and_what_is_no_json_at_all() {
    refused("", 0, Empty);
    refused(" \n\t\r", 4, Empty);
    refused("\u{FEFF}", 3, Empty);
    refused("hello", 0, NotJson);
    refused("Here is the invoice:\n{}", 0, NotJson);
    refused("  <html>", 2, NotJson);
    refused("}", 0, NotJson);
    refused("truely", 0, NotJson);
    refused("\u{2060}1", 0, NotJson);
    // White space is four characters only.
    refused("\u{C}1", 0, NotJson);
    refused("1\u{A0}", 1, TrailingText);
}

#[test]
fn what_is_not_utf8() {
    refused(b"\xFF\xFE{\0", 0, NotUtf8);
    refused(b"[\"a\xE9\"]", 3, NotUtf8);
    refused(b"\"\xED\xA0\x80\"", 1, NotUtf8);
    refused(b"\"\xC0\xAF\"", 1, NotUtf8);
    refused(b"\xEF\xBB{}", 0, NotUtf8);
}

#[test]
fn what_is_cut_off_is_said_to_be() {
    for text in [
        "[",
        "{",
        "[1",
        "[1,",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "\"abc",
        "\"abc\\",
        "\"\\u",
        "\"\\u00",
        "\"\\ud800\\u",
        "\"\\ud800\\udc",
        "-",
        "1.",
        "1e",
        "1e+",
        "-0.",
        "tru",
        "[fal",
        "{\"a\":nul",
        "[tru",
        "n",
        "[[[]",
    ] {
        refused(text, text.len(), UnexpectedEnd);
    }
}

#[test]
fn what_was_due_is_named() {
    refused("[1 2]", 3, Expected("`,` or `]`"));
    refused("[1}", 2, Expected("`,` or `]`"));
    refused("[1:2]", 2, Expected("`,` or `]`"));
    refused("{\"a\":1 \"b\":2}", 7, Expected("`,` or `}`"));
    refused("{\"a\":1]", 6, Expected("`,` or `}`"));
    refused("{\"a\" 1}", 5, Expected("`:` after the name"));
    refused("{\"a\"}", 4, Expected("`:` after the name"));
    refused("{1:2}", 1, Expected("a name in double quotes"));
    refused("{,}", 1, Expected("a name in double quotes"));
    refused("{\"a\":1,,}", 7, Expected("a name in double quotes"));
    refused("{\"a\":1,]", 7, Expected("a name in double quotes"));
    refused("[1,,2]", 3, Expected("a JSON value"));
    refused("[,1]", 1, Expected("a JSON value"));
    refused("[1,}", 3, Expected("a JSON value"));
    refused("{\"a\":}", 5, Expected("a JSON value"));
    refused("{\"a\"::1}", 5, Expected("a JSON value"));
    refused("[nulll]", 1, Expected("a JSON value"));
    refused("[\u{0}]", 1, Expected("a JSON value"));
}

#[test]
fn text_around_the_value_is_named() {
    refused("```json\n{}\n```", 0, MarkdownFence);
    refused("{}\n```", 3, MarkdownFence);
    refused("{} `", 3, TrailingText);
    refused("{\"a\":1}\n{\"a\":2}", 8, SecondValue);
    refused("1 2", 2, SecondValue);
    refused("[] null", 3, SecondValue);
    refused("[]]", 2, TrailingText);
    refused("{}}", 2, TrailingText);
    refused("{}, Thanks!", 2, TrailingText);
    refused("{} // done", 3, Comment);
    refused("true#", 4, Comment);
    refused("1\u{FEFF}", 1, TrailingText);
}

#[test]
fn words_of_other_languages() {
    for word in NOT_NUMBERS {
        refused(word, 0, NotANumber(word));
        refused(format!("{{\"a\": {word}}}"), 6, NotANumber(word));
    }
    for (word, instead) in FOREIGN_WORDS {
        refused(format!("[{word}]"), 1, ForeignWord(word, instead));
    }
    // Where a value cannot stand, the missing comma is the fault.
    refused("[1 NaN]", 3, Expected("`,` or `]`"));
    refused("[NaNny]", 1, Expected("a JSON value"));
    refused("None at all", 0, ForeignWord("None", "null"));
    refused("[Nonesuch]", 1, Expected("a JSON value"));
}

#[test]
fn numbers_outside_the_grammar() {
    for text in [
        "01", "-01", "00", "- 1", "-x", "--1", "+1", "++1", ".5", "-.5", "1.e3", "1.x", "1..2",
        "1.2.3", "1e", "1e+ 3", "1ee3", "1e3.5", "0x1F", "1_000", "12abc", "1-2", "-NaN0", "1e5e5",
        "-foo", "0e+-1",
    ] {
        refused(format!("[{text} ]"), 1, BadNumber);
    }
    refused("1.2.3", 0, BadNumber);
    refused("{\"a\":1.}", 5, BadNumber);
}

#[test]
fn escapes_that_do_not_exist() {
    for text in [
        r#""ab\x41""#,
        r#""ab\'""#,
        r#""ab\U0041""#,
        r#""ab\u00g1""#,
        r#""ab\u+123""#,
        r#""ab\u12""#,
    ] {
        refused(text, 3, BadEscape);
    }
    refused("\"\\\u{e9}\"", 1, BadEscape);
    refused("\"\\\n\"", 1, BadEscape);
    // The second half of what looks like a pair.
    refused(r#""\ud800\u12x4""#, 7, BadEscape);
    refused(r#""\ud800\x""#, 7, BadEscape);
}

#[test]
fn control_characters_in_strings() {
    for byte in 0..0x20 {
        refused([b'"', b'a', byte, b'"'], 2, ControlCharacter(byte));
        refused([b'"', b'\\', b'n', byte, b'"'], 3, ControlCharacter(byte));
    }
    assert_eq!(accepted("\"\u{7f}\u{80}\"").root().as_str(), Some("\u{7f}\u{80}"));
}

#[test]
fn commas_comments_and_quotes_of_other_notations() {
    refused("[1, 2 , ]", 6, TrailingComma);
    refused("{\"a\": 1,\n}", 7, TrailingComma);
    refused("[1, // one\n2]", 4, Comment);
    refused("[1 /* one */]", 3, Comment);
    refused("{ # none\n}", 2, Comment);
    refused("['a']", 1, Unquoted);
    refused("{'a': 1}", 1, Unquoted);
    refused("{a: 1}", 1, Unquoted);
    refused("{$a: 1}", 1, Unquoted);
    refused("{\u{201C}a\u{201D}: 1}", 1, Unquoted);
    refused("[\"a\", \u{2018}b\u{2019}]", 6, Unquoted);
}

fn duplicate(name: &str) -> ReadErrorKind {
    DuplicateName(name.to_owned())
}

#[test]
fn duplicate_names_are_found_after_unescaping() {
    refused(r#"{"a":1,"a":1}"#, 7, duplicate("a"));
    refused(r#"{"a":1,"\u0061":2}"#, 7, duplicate("a"));
    refused(r#"{"\u0061":1,"a":2}"#, 12, duplicate("a"));
    refused(r#"{"":1,"":2}"#, 6, duplicate(""));
    refused(r#"[{"x":{"b":1,"c":2,"b":3}}]"#, 19, duplicate("b"));
    refused(r#"{"/":1,"\/":2}"#, 7, duplicate("/"));
    refused(r#"{"\ud83d\ude00":1,"😀":2}"#, 18, duplicate("😀"));
    refused(r#"{"a\ud800":1,"a\uD800":2}"#, 13, duplicate("a\u{FFFD}"));
    // Names that only look alike, or agree in their first eight bytes.
    accepted(r#"{"a\ud800":1,"a\ud801":2,"a\ufffd":3,"a�x":4}"#);
    accepted(r#"{"line_total":1,"line_totals":2,"line_tot":3,"line_tot\u0000":4,"A":5,"a":6}"#);
    accepted(r#"[{"a":1},{"a":1},{"b":{"a":1},"a":2}]"#);
    refused(r#"{"line_total":1,"line_items":2,"line_total":3}"#, 31, duplicate("line_total"));
}

#[test]
fn duplicate_names_are_found_in_objects_of_any_size() {
    for length in [2, 11, 12, 13, 14, 40] {
        let names: Vec<_> = (0..length).map(|at| format!("name {at:02}")).collect();
        let object = |names: &[String]| {
            let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":0")).collect();
            format!("{{{}}}", members.join(","))
        };
        accepted(object(&names));
        for earlier in 0..length {
            for later in earlier + 1..length {
                let mut names = names.clone();
                names[later] = names[earlier].clone();
                // `{`, then `"name 00":0,` for each: 12 bytes.
                refused(object(&names), 1 + 12 * later, duplicate(&names[earlier]));
                names[later] = names[later].replacen('n', "\\u006e", 1);
                refused(object(&names), 1 + 12 * later, duplicate(&names[earlier]));
            }
        }
    }
}

#[test]
fn of_several_duplicates_the_first_is_named() {
    refused(r#"{"a":1,"b":2,"b":3,"a":4}"#, 13, duplicate("b"));
    let many = (0..20).map(|at| format!("\"{at:02}\":0,")).collect::<String>();
    refused(format!("{{{many}\"19\":0,\"00\":0}}"), 1 + 20 * 7, duplicate("19"));
}

#[test]
fn an_object_with_a_hundred_thousand_names() {
    // Not sorted: 7919 is prime and no divisor of the length.
    let names = || (0..100_000_u32).map(|at| at.wrapping_mul(7919) % 100_000);
    let members: Vec<_> = names().map(|name| format!("\"n{name}\":{name}")).collect();
    let document = accepted(format!("{{{}}}", members.join(",")));
    let root = document.root();
    assert_eq!(root.len(), 100_000);
    for name in names().step_by(997) {
        let value = root.get(&format!("n{name}")).expect("a member");
        assert_eq!(value.source(), name.to_string());
    }
    assert!(root.get("n100000").is_none());
    let offset = members.iter().map(|member| member.len() + 1).sum::<usize>() + 1;
    refused(format!("{{{},\"\\u006e77\":0}}", members.join(",")), offset, duplicate("n77"));
}

#[test]
fn nesting_beyond_the_limit() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    accepted(nested(MAX_DEPTH));
    refused(nested(MAX_DEPTH + 1), MAX_DEPTH, TooDeep);
    refused("[".repeat(100_000), MAX_DEPTH, TooDeep);
    refused("{\"a\":".repeat(100_000), 5 * MAX_DEPTH, TooDeep);
    // Side by side is not deep.
    accepted(format!("[{}[]]", "[[]],".repeat(1000)));
    let error =
        |levels, limit| read(nested(levels), limit).map(|_| ()).map_err(|error| error.offset);
    assert_eq!(error(1, 0), Err(0));
    assert_eq!(error(1, 1), Ok(()));
    // Whoever asks for no limit gets one all the same.
    assert_eq!(error(DEEPEST, usize::MAX), Ok(()));
    assert_eq!(error(100_000, usize::MAX), Err(DEEPEST));
}

#[test]
fn a_byte_order_mark_is_skipped_and_no_column() {
    let text = "\u{FEFF}{\"é\": tru}";
    let error = read(text, MAX_DEPTH).expect_err("must be refused");
    assert_eq!(error.offset, 10);
    let position = Lines::new(text.as_bytes()).position(error.offset);
    assert_eq!((position.line, position.column), (1, 7));
    assert_eq!(accepted("\u{FEFF} 1").root().span(), 4..5);
    // Only at the start, and only one.
    refused("\u{FEFF}\u{FEFF}1", 3, NotJson);
    refused("[\u{FEFF}1]", 1, Expected("a JSON value"));
}

#[test]
fn surrogates_pair_only_with_their_neighbour() {
    let read_as = |literal: &str, wtf8: &[u8]| {
        let document = accepted(literal);
        assert_eq!(document.root().wtf8(), Some(wtf8), "{literal}");
        assert_eq!(document.root().has_lone_surrogate(), std::str::from_utf8(wtf8).is_err());
    };
    const D800: &[u8] = b"\xED\xA0\x80";
    const DC00: &[u8] = b"\xED\xB0\x80";
    read_as(r#""\ud83d\ude00""#, "😀".as_bytes());
    read_as(r#""\uD83D\uDE00\u0041""#, "😀A".as_bytes());
    read_as(r#""\ud800""#, D800);
    read_as(r#""\udc00\ud800""#, &[DC00, D800].concat());
    read_as(r#""\ud800\ud83d\ude00""#, &[D800, "😀".as_bytes()].concat());
    read_as(r#""\ud83d\ude00\udc00""#, &["😀".as_bytes(), DC00].concat());
    read_as(r#""\ud800\ud800\udc00""#, &[D800, "\u{10000}".as_bytes()].concat());
    read_as(r#""\ud800 \udc00""#, &[D800, b" ", DC00].concat());
    read_as(r#""\ud800\n\udc00""#, &[D800, b"\n", DC00].concat());
    read_as(r#""\ud800\u0041""#, &[D800, b"A"].concat());
    read_as(r#""é\ud800é""#, &["é".as_bytes(), D800, "é".as_bytes()].concat());
    let shown = accepted(r#"["x", "a\ud800\ufffd", "b\udc00"]"#);
    let text = |at: usize| shown.root().element(at).and_then(|node| node.as_str());
    assert_eq!(
        [text(0), text(1), text(2)],
        [Some("x"), Some("a\u{FFFD}\u{FFFD}"), Some("b\u{FFFD}")]
    );
}

#[test]
fn escapes_are_read_as_what_they_stand_for() {
    let document = accepted(r#"["\"\\\/\b\f\n\r\t", "\u0000\u001F\u007f\u00e9\u2028\uFFFF", ""]"#);
    let texts: Vec<_> = document.root().elements().map(|node| node.as_str()).collect();
    let expected =
        ["\"\\/\u{8}\u{c}\n\r\t", "\u{0}\u{1f}\u{7f}\u{e9}\u{2028}\u{ffff}", ""].map(Some);
    assert_eq!(texts, expected);
}

#[test]
fn spans_and_literals_are_those_of_the_text() {
    let text = " {\"a\" : [ -0 , 1.50e+3,\ttrue ] , \"b\\n\":\"x\" }\n";
    let document = accepted(text);
    let root = document.root();
    assert_eq!(root.span(), 1..text.len() - 1);
    let list = root.get("a").expect("a member");
    assert_eq!(list.source(), "[ -0 , 1.50e+3,\ttrue ]");
    let sources: Vec<_> = list.elements().map(|node| (node.kind(), node.source())).collect();
    assert_eq!(sources, [(Kind::Number, "-0"), (Kind::Number, "1.50e+3"), (Kind::Boolean, "true")]);
    let floats: Vec<_> =
        list.elements().filter_map(|node| node.as_number()).map(|n| n.is_float_literal()).collect();
    assert_eq!(floats, [false, true]);
    let member = root.member("b\n").expect("a member");
    assert_eq!((member.name.source(), member.value.source()), ("\"b\\n\"", "\"x\""));
}

#[test]
fn a_refused_text_comes_back_as_it_was() {
    for text in [b"[1,".as_slice(), b"\"\xFF\""] {
        let (_, returned) = read_or_return(text.to_vec(), MAX_DEPTH).expect_err("must be refused");
        assert_eq!(returned, text);
    }
}

#[test]
fn messages_say_what_happened_and_what_to_do() {
    for (kind, message) in [
        (Empty, "there is no JSON here: the text is empty"),
        (NotUtf8, "the text is not UTF-8; save it as UTF-8"),
        (ReadErrorKind::TooLong, "the text is longer than 4 GiB"),
        (NotJson, "this is other text, not JSON; pass only the JSON value"),
        (UnexpectedEnd, "the text ends inside a value; it may be cut off"),
        (Expected("`,` or `]`"), "expected `,` or `]`"),
        (MarkdownFence, "this is a Markdown fence (```), not JSON; pass only what is inside it"),
        (SecondValue, "a second JSON value follows the first; pass one value at a time"),
        (TrailingText, "other text follows the JSON value; pass only the value"),
        (NotANumber("NaN"), "NaN is not JSON; use null or leave the member out"),
        (ForeignWord("True", "true"), "True is not JSON; write true"),
        (
            BadNumber,
            "this is not a JSON number (no leading zero or plus, digits on both sides of a point)",
        ),
        (
            BadEscape,
            r#"this escape does not exist in JSON; it has \" \\ \/ \b \f \n \r \t and \uXXXX"#,
        ),
        (
            ControlCharacter(0x0A),
            r"the control character U+000A must be written as \u000a in a string",
        ),
        (TrailingComma, "JSON has no comma after the last element"),
        (Comment, "JSON has no comments"),
        (Unquoted, r#"names and strings stand in double quotes (") in JSON"#),
        (TooDeep, "nested too deep; a value may have at most 128 levels"),
        (
            duplicate("total"),
            r#"the name "total" stands twice in this object; readers would disagree about its value"#,
        ),
        (
            duplicate("a\u{0}\u{202e}\"\n"),
            r#"the name "a\u0000\u202e\"\n" stands twice in this object; readers would disagree about its value"#,
        ),
        (
            duplicate(&"n".repeat(60)),
            "the name \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn… stands twice in this object; readers would disagree about its value",
        ),
    ] {
        let error = ReadError { offset: 0, kind };
        assert_eq!(error.to_string(), message);
    }
}
