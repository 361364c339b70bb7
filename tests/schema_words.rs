//! What is said about a failed assertion: keyword, place, what was expected and what was found, and
//! in which order (SPEC 4.5 to 4.7).
#![allow(clippy::unwrap_used, reason = "a test ends where its data is not as expected")]

#[path = "support/schema.rs"]
mod schema;

use schema::report;

/// `check at 'path': expected …, found …` for every violation.
fn words(schema: &str, data: &str) -> Vec<String> {
    let line = |violation: &agent_output_verifier::finding::Violation| {
        format!(
            "{} at '{}': expected {}, found {}",
            violation.check,
            violation.place.path(),
            violation.expected,
            violation.found
        )
    };
    report(schema, data).violations.iter().map(line).collect()
}

fn assert_words(cases: &[(&str, &str, &[&str])]) {
    for (schema, data, expected) in cases {
        assert_eq!(words(schema, data), *expected, "{schema} on {data}");
    }
}

/// The path of every violation.
fn paths_of(schema: &str, data: &str) -> Vec<String> {
    report(schema, data).violations.iter().map(|violation| violation.place.path()).collect()
}

#[test]
fn every_row_of_the_table() {
    assert_words(&[
        (r#"{"type":"string"}"#, "1", &["type at '$': expected string, found integer"]),
        (r#"{"type":"integer"}"#, "1.5", &["type at '$': expected integer, found number"]),
        (r#"{"type":"string"}"#, "1.0", &["type at '$': expected string, found number"]),
        // In the order written.
        (
            r#"{"type":["string","null","boolean"]}"#,
            "[]",
            &["type at '$': expected string or null or boolean, found array"],
        ),
        (r#"{"type":"array"}"#, "null", &["type at '$': expected array, found null"]),
        (r#"{"type":"array"}"#, "true", &["type at '$': expected array, found boolean"]),
        (r#"{"type":"array"}"#, "{}", &["type at '$': expected array, found object"]),
        (r#"{"type":"array"}"#, r#""""#, &["type at '$': expected array, found string"]),
        (
            r#"{"required":["a","b"]}"#,
            r#"{"b":1}"#,
            &["required at '$.a': expected required property, found missing"],
        ),
        (
            r#"{"dependentRequired":{"a":["x"]}}"#,
            r#"{"a":1}"#,
            &["dependentRequired at '$.x': expected required property, found missing"],
        ),
        (
            r#"{"enum":["a",1.50,null,{"b":[true]}]}"#,
            r#""c""#,
            &[r#"enum at '$': expected one of: "a", 1.50, null, {"b":[true]}, found "c""#],
        ),
        (r#"{"const":{"a":1.0}}"#, "[ 1 ]", &[r#"const at '$': expected {"a":1.0}, found [1]"#]),
        (r#"{"minimum":0}"#, "-1.50", &["minimum at '$': expected >= 0, found -1.50"]),
        (
            r#"{"exclusiveMinimum":0.10}"#,
            "0.1",
            &["exclusiveMinimum at '$': expected > 0.10, found 0.1"],
        ),
        (r#"{"maximum":9}"#, "1e1", &["maximum at '$': expected <= 9, found 1e1"]),
        (r#"{"exclusiveMaximum":9e0}"#, "9", &["exclusiveMaximum at '$': expected < 9e0, found 9"]),
        (
            r#"{"multipleOf":0.01}"#,
            "1.005",
            &["multipleOf at '$': expected a multiple of 0.01, found 1.005"],
        ),
        (
            r#"{"minLength":1}"#,
            r#""""#,
            &["minLength at '$': expected at least 1 character(s), found 0 character(s)"],
        ),
        (
            r#"{"maxLength":2}"#,
            r#""🧾é!""#,
            &["maxLength at '$': expected at most 2 character(s), found 3 character(s)"],
        ),
        (
            r#"{"minItems":2}"#,
            "[1]",
            &["minItems at '$': expected at least 2 item(s), found 1 item(s)"],
        ),
        (
            r#"{"maxItems":0}"#,
            "[1]",
            &["maxItems at '$': expected at most 0 item(s), found 1 item(s)"],
        ),
        (
            r#"{"minProperties":1}"#,
            "{}",
            &["minProperties at '$': expected at least 1 property(ies), found 0 property(ies)"],
        ),
        (
            r#"{"maxProperties":0}"#,
            r#"{"a":1}"#,
            &["maxProperties at '$': expected at most 0 property(ies), found 1 property(ies)"],
        ),
        (
            r#"{"pattern":"^INV-\\d+$"}"#,
            r#""x""#,
            &[r#"pattern at '$': expected a string matching ^INV-\d+$, found "x""#],
        ),
        (
            r#"{"format":"date-time"}"#,
            r#""now""#,
            &[r#"format at '$': expected a valid date-time, found "now""#],
        ),
        (
            r#"{"uniqueItems":true}"#,
            "[1,2,1.0,2]",
            &["uniqueItems at '$': expected unique items, found items 0 and 2 are equal"],
        ),
        (
            r#"{"properties":{"a":{}},"additionalProperties":false}"#,
            r#"{"x":1,"a":1,"y":{}}"#,
            &[
                "additionalProperties at '$.x': expected no such property, found unexpected property",
                "additionalProperties at '$.y': expected no such property, found unexpected property",
            ],
        ),
        (
            r#"{"unevaluatedProperties":false}"#,
            r#"{"x":1}"#,
            &[
                "unevaluatedProperties at '$.x': expected no such property, found unexpected property",
            ],
        ),
        (
            r#"{"prefixItems":[true],"unevaluatedItems":false}"#,
            "[1,2]",
            &["unevaluatedItems at '$[1]': expected no such item, found unexpected item"],
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[true],"additionalItems":false}"#,
            "[1,2]",
            &["additionalItems at '$[1]': expected no such item, found unexpected item"],
        ),
        (
            r#"{"properties":{"a":false}}"#,
            r#"{"a":1}"#,
            &["false at '$.a': expected nothing, found integer"],
        ),
        ("false", "{}", &["false at '$': expected nothing, found object"]),
        (
            r#"{"not":{"type":"integer"}}"#,
            "1",
            &["not at '$': expected no match of the schema, found a match"],
        ),
        (
            r#"{"contains":{"const":1}}"#,
            "[2]",
            &["contains at '$': expected at least 1 matching item(s), found 0 matching item(s)"],
        ),
        (
            r#"{"contains":{"const":1},"minContains":2}"#,
            "[1,2]",
            &["contains at '$': expected at least 2 matching item(s), found 1 matching item(s)"],
        ),
        (
            r#"{"contains":{"const":1},"maxContains":1}"#,
            "[1,1,1]",
            &["contains at '$': expected at most 1 matching item(s), found 3 matching item(s)"],
        ),
        (
            r#"{"propertyNames":{"maxLength":1}}"#,
            r#"{"abc":1}"#,
            &["maxLength at '$.abc': expected at most 1 character(s), found 3 character(s)"],
        ),
        (
            r#"{"if":{"type":"integer"},"then":{"minimum":5}}"#,
            "1",
            &["minimum at '$': expected >= 5, found 1"],
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}"#,
            "1",
            &["minimum at '$': expected > 1, found 1"],
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["x"]}}"#,
            r#"{"a":1}"#,
            &["dependencies at '$.x': expected required property, found missing"],
        ),
    ]);
}

#[test]
fn one_violation_per_missing_name_in_the_order_of_the_schema() {
    assert_words(&[
        (
            r#"{"required":["z","a","m"]}"#,
            r#"{"a":1}"#,
            &[
                "required at '$.z': expected required property, found missing",
                "required at '$.m': expected required property, found missing",
            ],
        ),
        // Demanded twice, missing once.
        (
            r#"{"dependentRequired":{"a":["x","y"],"b":["y"],"c":["q"]}}"#,
            r#"{"a":1,"b":1}"#,
            &[
                "dependentRequired at '$.x': expected required property, found missing",
                "dependentRequired at '$.y': expected required property, found missing",
            ],
        ),
    ]);
    let report = report(r#"{"items":{"required":["a"]}}"#, r#"[{"a":1},{}]"#);
    let [violation] = &report.violations[..] else { panic!("one violation") };
    assert_eq!(violation.place.path(), "$[1].a");
    assert_eq!(violation.place.pointer(), "/1/a");
    assert_eq!(violation.schema_location, "#/items/required");
}

#[test]
fn what_is_long_is_cut_to_forty_code_points() {
    let quoted = |text: &str| format!("\"{text}\"");
    // Quotes included: 38 fit, of 39 the first 38 and the ellipsis are left behind the quote.
    let fits = quoted(&"é".repeat(38));
    let found = |data: &str| report(r#"{"enum":[1]}"#, data).violations.remove(0).found;
    assert_eq!(found(&fits), fits);
    assert_eq!(found(&quoted(&"é".repeat(39))), format!("\"{}…", "é".repeat(38)));
    assert_eq!(found(&quoted(&"🧾".repeat(4000))), format!("\"{}…", "🧾".repeat(38)));
    assert_eq!(found(&"7".repeat(40)), "7".repeat(40));
    assert_eq!(found(&"7".repeat(41)), format!("{}…", "7".repeat(39)));
    assert_eq!(found(r#"[ 1 , { "a" : "b" } ]"#), r#"[1,{"a":"b"}]"#);
    let long_array = format!("[{}]", vec!["1"; 100].join(" , "));
    assert_eq!(found(&long_array), format!("[{}…", "1,".repeat(19)));
    assert_eq!(found(&long_array).chars().count(), 40);

    let expected = |schema: &str, data: &str| report(schema, data).violations.remove(0).expected;
    let digits = "7".repeat(41);
    let cut = format!("{}…", "7".repeat(39));
    assert_eq!(expected(&format!(r#"{{"minimum":{digits}}}"#), "1"), format!(">= {cut}"));
    assert_eq!(
        expected(&format!(r#"{{"multipleOf":{digits}}}"#), "1"),
        format!("a multiple of {cut}")
    );
    assert_eq!(
        expected(&format!(r#"{{"minLength":{digits}}}"#), r#""""#),
        format!("at least {cut} character(s)")
    );
    assert_eq!(expected(&format!(r#"{{"const":{digits}}}"#), "1"), cut);
    let pattern = "x".repeat(41);
    assert_eq!(
        expected(&format!(r#"{{"pattern":"{pattern}"}}"#), r#""""#),
        format!("a string matching {}…", "x".repeat(39))
    );
    let many: Vec<_> = (10..60).map(|number| number.to_string()).collect();
    let one_of = expected(&format!(r#"{{"enum":[{}]}}"#, many.join(",")), "1");
    assert_eq!(one_of, "one of: 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,…");
}

#[test]
fn what_could_mislead_is_escaped() {
    let violation = |schema: &str, data: &str| report(schema, data).violations.remove(0);
    // C0, DEL, C1, bidi controls and lone surrogates, in values, names and what the schema says.
    let data = r#""a\u0000\u001b\u007f\u0085\u202e\u2066\ud800z""#;
    assert_eq!(
        violation(r#"{"const":1}"#, data).found,
        r#""a\u0000\u001b\u007f\u0085\u202e\u2066\…"#
    );
    assert_eq!(violation(r#"{"const":1}"#, r#""\udfffé\u200b🧾""#).found, "\"\\udfffé\u{200b}🧾\"");
    assert_eq!(violation(r#"{"const":"\u202e\ud800"}"#, "1").expected, r#""\u202e\ud800""#);
    assert_eq!(violation(r#"{"enum":["\u009b"]}"#, "1").expected, r#"one of: "\u009b""#);
    assert_eq!(
        violation(r#"{"pattern":"^\u202e$"}"#, r#""""#).expected,
        r"a string matching ^\u202e$"
    );
    // A backslash that is text is not an escape.
    assert_eq!(violation(r#"{"const":1}"#, r#""\\u0000""#).found, r#""\\u0000""#);
    let named = |name: &str| {
        let data = format!(r#"{{"{name}":1}}"#);
        violation(r#"{"additionalProperties":false}"#, &data).place.path()
    };
    assert_eq!(named(r"a\u0000"), r"$['a\u0000']");
    assert_eq!(named(r"\ud800"), r"$['\ud800']");
    assert_eq!(named(r"\u202e"), r"$['\u202e']");
    assert_eq!(named(r"it's"), r"$['it\'s']");
    assert_eq!(named(r"back\\slash"), r"$['back\\slash']");
    let missing =
        |name: &str| violation(&format!(r#"{{"required":["{name}"]}}"#), "{}").place.path();
    assert_eq!(missing(r"\ud800"), r"$['\ud800']");
    assert_eq!(missing(r"line\nfeed"), r"$['line\u000afeed']");
}

#[test]
fn names_in_paths() {
    let closed = r#"{"additionalProperties":{"additionalProperties":{"items":{"items":false}}}}"#;
    assert_eq!(paths_of(closed, r#"{"a_1":{"B":[[1]]}}"#), ["$.a_1.B[0][0]"]);
    let data = r#"{"odd name":{"1":[[1]]},"":{"é":[[1]]},"a.b":{"a[0]":[[1]]},"$":{"-":[[1]]}}"#;
    assert_eq!(
        paths_of(closed, data),
        [
            "$['odd name']['1'][0][0]",
            "$['']['é'][0][0]",
            "$['a.b']['a[0]'][0][0]",
            "$['$']['-'][0][0]",
        ]
    );
    assert_eq!(paths_of("false", "1"), ["$"]);
    // A name that is at fault is at the place of its value.
    assert_eq!(paths_of(r#"{"propertyNames":false}"#, r#"{"a":1,"b":[1]}"#), ["$.a", "$.b"]);
}

#[test]
fn order_is_by_place_and_then_by_the_schema() {
    let lines = |schema: &str, data: &str| -> Vec<String> {
        let report = report(schema, data);
        report
            .violations
            .iter()
            .map(|found| format!("{} {}", found.place.path(), found.check))
            .collect()
    };
    // The document decides first, whatever the order of the schema.
    assert_eq!(
        lines(
            r#"{"properties":{"c":{"type":"string"},"b":{"type":"string"},"a":{"type":"string"}},"required":["z"]}"#,
            r#"{"a":1,"c":{"x":1},"b":2}"#
        ),
        ["$.z required", "$.a type", "$.c type", "$.b type"]
    );
    // At one place the schema in the order written, a reference where it stands.
    assert_eq!(
        lines(
            r##"{"minimum":5,"$ref":"#/$defs/r","allOf":[{"multipleOf":2},{"type":"string"}],"enum":[9],
                "$defs":{"r":{"maximum":0,"const":3}}}"##,
            "1"
        ),
        ["$ minimum", "$ maximum", "$ const", "$ multipleOf", "$ type", "$ enum"]
    );
    // A parent before its children, arrays by index.
    assert_eq!(
        lines(
            r#"{"items":{"items":{"type":"string"},"maxItems":1},"maxItems":1}"#,
            "[[1,2],[],[3]]"
        ),
        ["$ maxItems", "$[0] maxItems", "$[0][0] type", "$[0][1] type", "$[2][0] type"]
    );
    // `unevaluated*` stands where it is written, although it is evaluated last.
    assert_eq!(
        lines(
            r#"{"unevaluatedProperties":{"type":"string"},"patternProperties":{"^x":false},"propertyNames":{"maxLength":1},"maxProperties":0}"#,
            r#"{"ab":1}"#
        ),
        ["$ maxProperties", "$.ab maxLength", "$.ab type"]
    );
    // The branch fails, so what it has looked at is not evaluated.
    let branch = r#"{"unevaluatedProperties":{"type":"string"},"allOf":[{"properties":{"ab":{"const":2}}}]}"#;
    assert_eq!(lines(branch, r#"{"ab":1}"#), ["$.ab type", "$.ab const"]);
    assert_eq!(
        lines(
            r#"{"unevaluatedItems":false,"items":true,"allOf":[{"unevaluatedItems":{"type":"null"}},{"items":{"const":2}}],"maxItems":0}"#,
            "[1]"
        ),
        ["$ maxItems", "$[0] type", "$[0] const"]
    );
    // Missing names stand at the object that lacks them.
    assert_eq!(
        lines(
            r#"{"properties":{"o":{"type":"object","required":["y","x"],"minProperties":3}},"required":["q"]}"#,
            r#"{"n":1,"o":{"w":1}}"#
        ),
        ["$.q required", "$.o.y required", "$.o.x required", "$.o minProperties"]
    );
}

#[test]
fn the_closest_branch() {
    let found = |schema: &str, data: &str| {
        let mut violations = report(schema, data).violations;
        assert_eq!(violations.len(), 1, "{schema} on {data}");
        let violation = violations.remove(0);
        (violation.check, violation.expected, violation.found)
    };
    let any = |schema: &str, data: &str| {
        let (check, expected, found) = found(schema, data);
        assert_eq!((&*check, &*expected), ("anyOf", "a match of at least one branch"));
        found
    };
    // The deepest first failure.
    assert_eq!(
        any(
            r#"{"anyOf":[{"type":"string"},{"properties":{"a":{"properties":{"b":{"type":"string"}}}}},{"required":["z"]}]}"#,
            r#"{"a":{"b":1}}"#
        ),
        "no match; closest is branch 1: type at '$.a.b': expected string, found integer"
    );
    // Then the fewest failures: one against two at the same depth.
    assert_eq!(
        any(
            r#"{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"type":"string"}}},{"properties":{"b":{"const":3}}}]}"#,
            r#"{"a":1,"b":2}"#
        ),
        "no match; closest is branch 1: const at '$.b': expected 3, found 2"
    );
    // Then the first written.
    assert_eq!(
        any(r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "1"),
        "no match; closest is branch 0: type at '$': expected string, found integer"
    );
    // A missing property is as deep as its place.
    assert_eq!(
        any(r#"{"anyOf":[{"type":"string"},{"required":["a"]}]}"#, "{}"),
        "no match; closest is branch 1: required at '$.a': expected required property, found missing"
    );
    // The first failure counts, not the deepest one.
    assert_eq!(
        any(
            r#"{"anyOf":[{"maxProperties":0,"properties":{"a":{"items":{"type":"string"}}}},{"properties":{"a":{"type":"null"}}}]}"#,
            r#"{"a":[1]}"#
        ),
        "no match; closest is branch 1: type at '$.a': expected null, found array"
    );
    // Groups inside groups.
    assert_eq!(
        any(r#"{"anyOf":[{"anyOf":[{"type":"string"},{"minimum":5}]}]}"#, "1"),
        "no match; closest is branch 0: anyOf at '$': expected a match of at least one branch, found \
         no match; closest is branch 0: type at '$': expected string, found integer"
    );
    let (check, expected, words) = found(r#"{"oneOf":[{"type":"string"},{"minimum":5}]}"#, "1");
    assert_eq!((&*check, &*expected), ("oneOf", "a match of exactly one branch"));
    assert_eq!(words, "no match; closest is branch 0: type at '$': expected string, found integer");
    // Several matches are named.
    let several = |schema: &str, data: &str| found(schema, data).2;
    assert_eq!(several(r#"{"oneOf":[true,false,true]}"#, "1"), "branches 0 and 2 match");
    assert_eq!(several(r#"{"oneOf":[true,true,false,true]}"#, "1"), "branches 0, 1 and 3 match");
    let many = format!(r#"{{"oneOf":[{}]}}"#, ["true"; 13].join(","));
    assert_eq!(several(&many, "1"), "branches 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more match");
    // Inside `not`, `if` and `contains` no words are needed.
    assert_eq!(
        any(r#"{"anyOf":[{"not":{"anyOf":[true]}}]}"#, "1"),
        "no match; closest is branch 0: not at '$': expected no match of the schema, found a match"
    );
}

#[test]
fn places_in_the_schema() {
    let locations = |schema: &str, data: &str| -> Vec<String> {
        report(schema, data)
            .violations
            .into_iter()
            .map(|violation| violation.schema_location)
            .collect()
    };
    assert_eq!(
        locations(r#"{"properties":{"a/b":{"items":{"type":"string"}}}}"#, r#"{"a/b":[1]}"#),
        ["#/properties/a~1b/items/type"]
    );
    assert_eq!(
        locations(r##"{"$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"minimum":5}]}}}"##, "1"),
        ["#/$defs/n/allOf/0/minimum"]
    );
    assert_eq!(locations(r#"{"prefixItems":[false]}"#, "[1]"), ["#/prefixItems/0"]);
    assert_eq!(
        locations(
            r##"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"##,
            r#"{"minLength":-1}"#
        ),
        ["https://json-schema.org/draft/2020-12/meta/validation#/$defs/nonNegativeInteger/minimum"]
    );
    assert_eq!(
        locations(
            r##"{"$id":"https://example.com/a","$ref":"b","$defs":{"b":{"$id":"b","$ref":"#x","$defs":{"x":{"$anchor":"x","type":"string"}}}}}"##,
            "1"
        ),
        ["https://example.com/b#x/type"]
    );
}
