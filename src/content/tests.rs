//! Content checks against SPEC 6.1 to 6.4, by hand, and against a slow reading of the same text.

use proptest::prelude::*;

use super::*;
use crate::json::{Document, MAX_DEPTH, quoted, read};

fn document(json: &str) -> Document {
    read(json, MAX_DEPTH).expect("JSON")
}

/// The codes of the flags of one string.
fn flags(text: &str) -> Vec<&'static str> {
    let report = check(document(&quoted(text)).root(), false);
    assert!(report.strict_errors.is_empty());
    let flags: Vec<_> = report.flags.iter().map(|flag| flag.check).collect();
    // Placeholder and truncation are one check together.
    assert_eq!(report.tally, Tally { passed: u64::from(flags.is_empty()), total: 1 }, "{text:?}");
    flags
}

/// The strict errors of one string, without their place.
fn strict(text: &str) -> Vec<String> {
    let document = document(&quoted(text));
    let report = check(document.root(), true);
    let errors = report.strict_errors.iter().map(|error| {
        assert_eq!(error.check, "strict_content_check");
        error.detail.strip_suffix(" at '$'").expect("the place").to_owned()
    });
    errors.collect()
}

#[test]
fn placeholders() {
    for text in [
        "todo",
        "TODO",
        "Tbd",
        "tba",
        "FIXME",
        "xxx",
        "XXXX",
        "placeholder",
        "ChangeMe",
        "change me",
        "insert here",
        "Your Text Here",
        "sample text",
        "string",
        "lorem ipsum",
        "  TODO\n",
        "\u{a0}tbd\u{2003}",
        "Lorem ipsum dolor sit amet",
        "before LOREM IPSUM DOLOR",
        "llorem ipsum dolor",
        "{{name}}",
        "{{ name }}",
        "Dear {{customer.name}}, thank you",
        "${NAME}",
        "a ${b} c",
        "<insert name>",
        "<INSERT NAME HERE>",
        "to <your name> from",
        "[insert date]",
        "[Your company]",
        "[your\tname]",
        "{{}} {{x}}",
        "< <your name>",
        "${} ${x}",
        "[insert [your name]",
        "{{ {{x}}",
        "é{{é}}é",
    ] {
        assert_eq!(flags(text), ["placeholder_content"], "{text:?}");
    }
}

#[test]
fn content_that_is_no_placeholder() {
    for text in [
        "",
        " ",
        "N/A",
        "none",
        "test",
        "example",
        "null",
        "-",
        "TODO: call them",
        "todo list",
        "not todo",
        "strings",
        "a string",
        "xx",
        "xxxxx",
        "x x x",
        "change  me",
        "lorem ipsum.",
        "placeholders are words",
        "lorem  ipsum dolor",
        "lorem ipsum dolo",
        "{{",
        "}}",
        "{{}}",
        "{{ }}",
        "{x}",
        "}} {{",
        "$ {x}",
        "${",
        "${}",
        "$5",
        "{\"a\":{\"b\":1}}",
        "<insert>",
        "<insertion point>",
        "<yours truly>",
        "<your>",
        "<your >",
        "insert name",
        "<your name",
        "[insert name",
        "your name]",
        "[inserted by the editor]",
        "[your_name]",
        "{{x}",
        "{{ x } }",
        "< insert x >",
        "(insert name)",
    ] {
        assert_eq!(flags(text), [""; 0], "{text:?}");
    }
}

#[test]
fn cut_off_texts() {
    for text in [
        "and so on...",
        "and so on…",
        "...",
        "…",
        "more ...\n",
        "and more [truncated]",
        "(truncated)",
        "text [...]",
        "text [cut]",
        "[CUT]",
        "Text (Truncated) ",
        "```\ncode",
        "a\n```rust\ncode\n",
        "```\na\n```\nb\n```",
        "````\nx",
        "a\r\n```\r\nb",
    ] {
        assert_eq!(flags(text), ["truncation"], "{text:?}");
    }
    for text in [
        "The end.",
        "..",
        ". . .",
        "...and so on",
        "a … b",
        "[truncated] is a word",
        "truncated",
        "(cut)",
        "[truncated",
        "¦",
        "```\ncode\n```",
        "a ``` b",
        " ```\nindented",
        "``\nx",
        "`x`",
        "a```",
        "he said \"...\"",
        "...)",
        "[....]x",
    ] {
        assert_eq!(flags(text), [""; 0], "{text:?}");
    }
    assert_eq!(flags("{{name}}..."), ["placeholder_content", "truncation"]);
    // U+2026 shares its last byte with others.
    assert_eq!(flags("æ"), [""; 0]);
}

#[test]
fn what_flags_say() {
    let json = r#"{"a":["TODO",{"odd key":"Dear {{customer}}"}],"b":"wait...","c":"```\nx","d":"Lorem ipsum dolor sit amet, consectetur adipiscing"}"#;
    let output = document(json);
    let report = check(output.root(), false);
    let lines: Vec<_> = report
        .flags
        .iter()
        .map(|flag| (flag.check, &*flag.field, &*flag.expected, &*flag.found, &*flag.detail))
        .collect();
    let (placeholder, truncation) = ("placeholder_content", "truncation");
    assert_eq!(
        lines,
        [
            (placeholder, "a[0]", "finished content", "\"TODO\"", "placeholder text \"TODO\""),
            (
                placeholder,
                "a[1]['odd key']",
                "finished content",
                "{{customer}}",
                "unfilled template {{customer}}"
            ),
            (
                truncation,
                "b",
                "a complete text",
                "the text ends in '...'",
                "possibly cut off: the text ends in '...'"
            ),
            (
                truncation,
                "c",
                "a complete text",
                "a code block is opened and not closed",
                "possibly cut off: a code block is opened and not closed"
            ),
            (
                placeholder,
                "d",
                "finished content",
                "\"Lorem ipsum dolor sit amet, consectetu…",
                "placeholder text \"Lorem ipsum dolor sit amet, consectetu…"
            ),
        ]
    );
    for flag in &report.flags {
        let [mark] = &flag.marks[..] else { panic!("one mark") };
        assert!(output.node(mark.node).as_str().is_some());
    }
    assert_eq!(report.tally, Tally { passed: 0, total: 5 });
    let template =
        check(document(&quoted(&format!("{{{{{}\u{202e}}}}}", "x".repeat(35)))).root(), false);
    assert_eq!(template.flags[0].found, format!("{{{{{}\\u…", "x".repeat(35)));
}

#[test]
fn names_are_no_content() {
    let report = check(document(r#"{"TODO":1,"{{x}}":null,"more...":[]}"#).root(), false);
    assert!(report.flags.is_empty());
    assert_eq!(report.tally, Tally::default());
}

#[test]
fn strict_content() {
    for (text, errors) in [
        ("a\u{0}b\u{1}", &["control character U+0000"][..]),
        ("\u{7f}", &["control character U+007F"]),
        ("x\u{9b}", &["control character U+009B"]),
        ("\u{b}", &["control character U+000B"]),
        ("<script>alert(1)</script>", &["markup <script>"]),
        ("a <b and c", &["markup <b>"]),
        ("</DIV>", &["markup </div>"]),
        ("x<br/>", &["markup <br>"]),
        ("<img\nsrc=x>", &["markup <img>"]),
        ("<h1", &["markup <h1>"]),
        ("<A HREF=x>", &["markup <a>"]),
        ("<svg/onload=x>", &["markup <svg>"]),
        ("<math>", &["markup <math>"]),
        ("<marquee>", &["markup <marquee>"]),
        ("<basefont size=1>", &["markup <basefont>"]),
        ("<selectedcontent>", &["markup <selectedcontent>"]),
        ("<<p>", &["markup <p>"]),
        ("<my-tag> </p>", &["markup </p>"]),
        ("<!-- x", &["markup <!--"]),
        ("<!DOCTYPE html>", &["markup <!doctype>"]),
        ("<?xml version", &["markup <?"]),
        ("javascript:alert(1)", &["javascript: URL"]),
        (" \n JavaScript:x", &["javascript: URL"]),
        ("java\nscr\tipt:x", &["javascript: URL"]),
        ("\u{a0}javascript:", &["javascript: URL"]),
        (
            "javascript:\u{0}<p><b>\u{1}",
            &["control character U+0000", "markup <p>", "javascript: URL"],
        ),
    ] {
        assert_eq!(strict(text), errors, "{text:?}");
    }
    for text in [
        "",
        "plain",
        "tab\tlf\ncr\r",
        "£ é ü \u{a0}",
        "a < b",
        "3 <4",
        "<3",
        "List<String>",
        "Map<K,V>",
        "keep it if a < b and c > d, i.e. 3 <4",
        "<foo>",
        "<my-element>",
        "<p2>",
        "<bx>",
        "<selectedcontents>",
        "<ab",
        "< script>",
        "<\u{212a}bd>",
        "<-",
        "<!",
        "<!doc",
        "</",
        "</ p>",
        "<",
        "a<",
        "<b:x>",
        "<p.x>",
        "see javascript: URLs",
        "javascript",
        "java script:x",
        "javascript :x",
        "xjavascript:",
        "\u{200b}javascript:",
    ] {
        assert_eq!(strict(text), [""; 0], "{text:?}");
    }
}

#[test]
fn strict_content_looks_at_names_too() {
    let output = document(r#"{"a\u0000b":"<p>","ok":["\u0007",{"<i>":1}]}"#);
    let report = check(output.root(), true);
    let details: Vec<_> = report.strict_errors.iter().map(|error| error.detail.as_str()).collect();
    assert_eq!(
        details,
        [
            r"control character U+0000 at '$['a\u0000b']'",
            r"markup <p> at '$['a\u0000b']'",
            "control character U+0007 at '$.ok[0]'",
            "markup <i> at '$.ok[1]['<i>']'",
        ]
    );
    let error = &report.strict_errors[2];
    assert_eq!(error.field, "ok[0]");
    assert_eq!(
        (&*error.expected, &*error.found),
        ("no control character", "control character U+0007")
    );
    // Two strings twice, three names once; of these five strict checks one passes.
    assert_eq!(report.tally, Tally { passed: 2 + 1, total: 4 + 3 });
    assert!(report.flags.is_empty());
    let lone = document(r#"{"a\ud800":"\ud800<p>\u0001"}"#);
    let report = check(lone.root(), true);
    assert_eq!(report.strict_errors[0].detail, r"control character U+0001 at '$['a\ud800']'");
    assert_eq!(report.strict_errors.len(), 2);
}

#[test]
fn the_invoice_has_four_strings() {
    let json = r#"{"invoice_id":"INV-7731","currency":"USD","line_items":[{"sku":"CRWL-100","qty":3},{"sku":"CRWL-200","qty":1}],"total":135.0}"#;
    let output = document(json);
    assert_eq!(check(output.root(), false).tally, Tally { passed: 4, total: 4 });
    // Four names at the top, two in each line.
    assert_eq!(check(output.root(), true).tally, Tally { passed: 16, total: 16 });
}

#[test]
fn large_and_deep_documents() {
    let deep = format!("{}\"TODO\"{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    let report = check(document(&deep).root(), true);
    assert_eq!(report.flags[0].field, "[0]".repeat(MAX_DEPTH));
    let many = format!("[{}\"x\"]", "\"TODO\",".repeat(150_000));
    let report = check(document(&many).root(), false);
    assert_eq!(report.tally, Tally { passed: 1, total: 150_001 });
    assert_eq!(report.flags.len() as u64 + report.unlisted_flags, 150_000);
    // Openings without an end, in every kind, are looked at once.
    for opening in ["{{", "${", "<insert ", "[your ", "{{ }}", "<your >", "<", "```\n"] {
        let text = opening.repeat(100_000);
        let report = check(document(&quoted(&text)).root(), true);
        assert_eq!(report.tally.total, 2);
    }
}

#[test]
fn the_shared_cases() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/check");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there are no shared cases here");
        return;
    };
    let mut run = 0;
    for path in entries.map(|entry| entry.unwrap().path()) {
        let case = read(std::fs::read(&path).unwrap(), MAX_DEPTH * 2).unwrap();
        let Some(request) = case.root().get("request") else { continue };
        if request.get("strict_content_check").and_then(Node::as_bool) != Some(true) {
            continue;
        }
        run += 1;
        let report = check(request.get("submitted_output").unwrap(), true);
        let result = case.root().get("expect").unwrap().get("result").unwrap().as_str();
        let expected = if report.strict_errors.is_empty() { "pass" } else { "fail" };
        assert_eq!(result, Some(expected), "{}", path.display());
    }
    eprintln!("{run} shared cases with strict content");
}

/// SPEC 6.1, with copies in lower case and searches from every position.
fn slow_placeholder(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let words = "todo,tbd,tba,fixme,xxx,xxxx,placeholder,changeme,change me,insert here,\
                 your text here,sample text,string,lorem ipsum";
    let between = |open: &str, close: &str, spaced: bool| {
        lower.match_indices(open).any(|(at, _)| {
            let inside = &lower[at + open.len()..];
            let begins = !spaced || inside.starts_with([' ', '\t', '\n', '\r', '\u{c}']);
            begins && inside.find(close).is_some_and(|end| !inside[..end].trim().is_empty())
        })
    };
    words.split(',').any(|word| lower.trim() == word)
        || lower.contains("lorem ipsum dolor")
        || between("{{", "}}", false)
        || between("${", "}", false)
        || ["insert", "your"].iter().any(|word| {
            between(&format!("<{word}"), ">", true) || between(&format!("[{word}"), "]", true)
        })
}

/// SPEC 6.2 the same way.
fn slow_truncation(text: &str) -> bool {
    let lower = text.to_lowercase();
    let endings = ["...", "…", "[truncated]", "(truncated)", "[...]", "[cut]"];
    let fences = format!("\n{text}").matches("\n```").count();
    endings.iter().any(|ending| lower.trim_end().ends_with(ending)) || fences % 2 == 1
}

/// Texts made of what the checks look for.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ \n\tax.…{}<>$\\[\\]/`é]",
        "todo|STRING|lorem ipsum|Lorem ipsum dolor|```|\n```|\\.\\.\\.|\\[cut\\]|\\(truncated\\)",
        "<insert |\\[your |<your\t|\\[insert x\\]|\\{\\{|\\}\\}|\\$\\{",
        "<p|</b>|<!--|<\\?|<!doctype|javascript:|\u{0}|\u{9f}",
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn flags_agree_with_a_slow_reading(text in texts()) {
        let mut expected = Vec::new();
        if slow_placeholder(&text) {
            expected.push("placeholder_content");
        }
        if slow_truncation(&text) {
            expected.push("truncation");
        }
        prop_assert_eq!(flags(&text), expected);
    }

    #[test]
    fn strict_errors_agree_with_a_slow_reading(text in texts()) {
        let control = text.chars().any(|c| (c < ' ' && !"\t\n\r".contains(c)) || ('\u{7f}'..='\u{9f}').contains(&c));
        let lower = text.to_ascii_lowercase();
        let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r', '\u{c}', '/', '>']);
        let markup = lower.match_indices('<').any(|(at, _)| {
            let behind = &lower[at + 1..];
            // The pieces make no element but these.
            let name = behind.strip_prefix('/').unwrap_or(behind);
            ["p", "b", "a"].iter().any(|element| name.strip_prefix(element).is_some_and(ends))
                || ["!--", "!doctype", "?"].iter().any(|begin| behind.starts_with(begin))
        });
        let bare: String = lower.trim_start_matches(|c: char| c.is_whitespace() || c <= ' ')
            .chars().filter(|c| !"\t\n\r".contains(*c)).collect();
        let kinds = strict(&text);
        prop_assert_eq!(kinds.iter().any(|kind| kind.starts_with("control")), control);
        prop_assert_eq!(kinds.iter().any(|kind| kind.starts_with("javascript")), bare.starts_with("javascript:"));
        prop_assert_eq!(kinds.iter().any(|kind| kind.starts_with("markup")), markup);
        prop_assert!(kinds.len() <= 3);
    }
}
