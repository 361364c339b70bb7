//! How many assertions there are and how many hold (SPEC 4.4), and how many objects are complete
//! (SPEC 6.4). Every number is counted by hand.
#![allow(clippy::unwrap_used, reason = "a test ends where its data is not as expected")]

#[path = "support/schema.rs"]
mod schema;

use agent_output_verifier::json;
use agent_output_verifier::schema::Schema;
use schema::report;

const DRAFT_4: &str = "http://json-schema.org/draft-04/schema#";
const DRAFT_6: &str = "http://json-schema.org/draft-06/schema#";
const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019: &str = "https://json-schema.org/draft/2019-09/schema";

/// The schema in an older draft.
fn old(draft: &str, schema: &str) -> String {
    format!(r#"{{"$schema":"{draft}",{}"#, &schema[1..])
}

/// `passed/total` for each.
fn assert_counts(cases: &[(&str, &str, &str)]) {
    for (schema, data, expected) in cases {
        let report = report(schema, data);
        let counts = format!("{}/{}", report.assertions.passed, report.assertions.total);
        assert_eq!(counts, *expected, "{schema} on {data}: {:?}", report.violations);
        let valid = report.assertions.passed == report.assertions.total;
        assert_eq!(report.violations.is_empty(), valid, "{schema} on {data}");
        assert_eq!(report.unlisted_violations, 0);
    }
}

#[test]
fn the_real_invoice() {
    let path = format!("{}/fixtures/real/draft-request.json", env!("CARGO_MANIFEST_DIR"));
    let request = json::read(std::fs::read(path).expect("a fixture"), 200).expect("JSON");
    let part = |name| request.root().get(name).expect("a part of the request");
    let schema = Schema::compile(part("expected_schema")).expect("a sound schema");
    let report = schema.check(part("submitted_output")).expect("a verdict");
    assert_eq!((report.assertions.passed, report.assertions.total), (22, 22));
    assert_eq!((report.completeness.passed, report.completeness.total), (3, 3));
    assert!(report.violations.is_empty() && report.incomplete.is_empty());
}

#[test]
fn every_assertion_counts_where_it_applies() {
    assert_counts(&[
        (r#"{"type":"string"}"#, "1", "0/1"),
        (r#"{"type":["string","integer"]}"#, "1", "1/1"),
        (r#"{"enum":[1,2]}"#, "2", "1/1"),
        (r#"{"const":null}"#, "0", "0/1"),
        (r#"{"minimum":1,"maximum":3,"exclusiveMinimum":1,"exclusiveMaximum":4}"#, "1", "3/4"),
        (r#"{"multipleOf":0.01}"#, "1.13", "1/1"),
        (r#"{"minLength":1,"maxLength":2,"pattern":"^a","format":"date"}"#, r#""abc""#, "2/4"),
        (r#"{"minItems":1,"maxItems":2,"uniqueItems":true}"#, "[1,1,1]", "1/3"),
        (r#"{"minProperties":1,"maxProperties":1}"#, r#"{"a":1,"b":2}"#, "1/2"),
        // Three names are one assertion, whether one is missing or all.
        (r#"{"required":["a","b","c"]}"#, r#"{"a":1,"b":2,"c":3}"#, "1/1"),
        (r#"{"required":["a","b","c"]}"#, r#"{"a":1}"#, "0/1"),
        (r#"{"required":["a","b","c"]}"#, "{}", "0/1"),
        (r#"{"dependentRequired":{"a":["x","y"],"b":["z"]}}"#, r#"{"a":1,"b":1,"z":1}"#, "0/1"),
        (r#"{"dependentRequired":{"a":["x"]}}"#, r#"{"q":1}"#, "1/1"),
        // An empty list asserts too.
        (r#"{"required":[]}"#, "{}", "1/1"),
    ]);
}

#[test]
fn what_does_not_apply_does_not_count() {
    let of_all_types = r#"{"minimum":9,"maximum":1,"exclusiveMinimum":9,"exclusiveMaximum":1,"multipleOf":7,
        "minLength":9,"maxLength":0,"pattern":"^x","format":"date",
        "minItems":9,"maxItems":0,"uniqueItems":true,
        "minProperties":9,"maxProperties":0,"required":["x"],"dependentRequired":{"a":["x"]}}"#;
    assert_counts(&[
        (of_all_types, "null", "0/0"),
        (of_all_types, "true", "0/0"),
        (of_all_types, "5", "0/5"),
        (of_all_types, r#""abc""#, "0/4"),
        (of_all_types, "[1,1]", "0/3"),
        (of_all_types, r#"{"a":1}"#, "0/4"),
        ("{}", "1", "0/0"),
        ("true", "1", "0/0"),
        // Unknown, or not for validation.
        (
            r#"{"format":"no-such-format","contentEncoding":"base64","contentMediaType":"application/json",
                "title":"t","default":1,"readOnly":true,"nullable":true,"x-mine":1,"uniqueItems":false}"#,
            r#""!""#,
            "0/0",
        ),
        (r#"{"uniqueItems":false}"#, "[1,1]", "0/0"),
    ]);
}

#[test]
fn applicators_count_what_they_apply_and_nothing_else() {
    assert_counts(&[
        (
            r#"{"properties":{"a":{"type":"integer","minimum":1},"b":{"type":"string"}}}"#,
            r#"{"a":0}"#,
            "1/2",
        ),
        (r#"{"properties":{"a":true,"b":{}}}"#, r#"{"a":0,"b":1}"#, "0/0"),
        (r#"{"properties":{"a":{"type":"integer"}}}"#, "[1]", "0/0"),
        (
            r#"{"patternProperties":{"^a":{"type":"integer"},"b$":{"minimum":5}}}"#,
            r#"{"ab":1,"b":"x","c":1}"#,
            "1/2",
        ),
        (r#"{"items":{"type":"integer"}}"#, r#"[1,"x",3]"#, "2/3"),
        (
            r#"{"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"null"}}"#,
            "[1,2,null,null]",
            "3/4",
        ),
        (r#"{"prefixItems":[{"type":"integer"},{"type":"string"}]}"#, "[1]", "1/1"),
        (
            r#"{"dependentSchemas":{"a":{"required":["b"],"minProperties":1},"z":{"required":["q"]}}}"#,
            r#"{"a":1}"#,
            "1/2",
        ),
        (r#"{"propertyNames":{"maxLength":2,"pattern":"^[a-z]+$"}}"#, r#"{"ab":1,"ABC":2}"#, "2/4"),
        (r#"{"allOf":[{"type":"integer"},{"minimum":3},{"allOf":[{"maximum":9}]}]}"#, "1", "2/3"),
        // With a schema these count what they apply, per value that is left over.
        (
            r#"{"properties":{"a":{}},"additionalProperties":{"type":"integer","minimum":0}}"#,
            r#"{"a":"x","b":1,"c":-1}"#,
            "3/4",
        ),
        (r#"{"prefixItems":[{}],"unevaluatedItems":{"type":"integer"}}"#, r#"[0,1,"x"]"#, "1/2"),
        (
            r#"{"properties":{"a":{}},"unevaluatedProperties":{"type":"integer"}}"#,
            r#"{"a":0,"b":1}"#,
            "1/1",
        ),
        (r#"{"additionalProperties":true,"unevaluatedProperties":true}"#, r#"{"b":1}"#, "0/0"),
    ]);
}

#[test]
fn groups_count_once_and_nothing_inside() {
    assert_counts(&[
        (r#"{"anyOf":[{"type":"integer","minimum":1},{"type":"string"}]}"#, "5", "1/1"),
        (r#"{"anyOf":[{"type":"integer","minimum":1},{"type":"string"}]}"#, "null", "0/1"),
        (r#"{"oneOf":[{"type":"integer"},{"minimum":1}]}"#, "5", "0/1"),
        (r#"{"oneOf":[{"type":"integer"},{"minimum":9}]}"#, "5", "1/1"),
        (r#"{"oneOf":[{"anyOf":[{"const":1},{"const":2}]},{"const":3}]}"#, "2", "1/1"),
        (r#"{"not":{"type":"integer","minimum":1}}"#, "5", "0/1"),
        (r#"{"not":{"not":{"type":"integer"}}}"#, "5", "1/1"),
        (r#"{"not":{"anyOf":[{"allOf":[{"type":"string"}]}]}}"#, "5", "1/1"),
        (r#"{"contains":{"type":"integer","minimum":1}}"#, r#"["a",5]"#, "1/1"),
        (r#"{"contains":{"type":"integer"},"minContains":2,"maxContains":3}"#, "[1,2]", "1/1"),
        (r#"{"contains":{"type":"integer"},"minContains":2,"maxContains":3}"#, "[1]", "0/1"),
        (r#"{"contains":{"type":"integer"},"minContains":2,"maxContains":3}"#, "[1,2,3,4]", "0/1"),
        (r#"{"contains":{"type":"integer"},"minContains":0}"#, "[]", "1/1"),
        (r#"{"contains":{"type":"integer"}}"#, r#"{"a":1}"#, "0/0"),
        // Alone they mean nothing.
        (r#"{"minContains":2,"maxContains":3}"#, "[1]", "0/0"),
    ]);
}

#[test]
fn conditions() {
    let schema = r#"{"if":{"type":"integer","minimum":3},"then":{"multipleOf":2,"maximum":9},"else":{"type":"string"}}"#;
    assert_counts(&[
        // `if` is one that always holds; of the branches only the one that applies.
        (schema, "4", "3/3"),
        (schema, "5", "2/3"),
        (schema, "1", "1/2"),
        (schema, r#""x""#, "2/2"),
        (r#"{"if":{"type":"integer"},"then":{"minimum":3}}"#, "1", "1/2"),
        (r#"{"if":{"type":"integer"},"then":{"minimum":3}}"#, r#""x""#, "1/1"),
        (r#"{"if":{"type":"integer"},"else":false}"#, "1", "1/1"),
        (r#"{"if":{"type":"integer"},"else":false}"#, "null", "1/2"),
        (r#"{"if":{"type":"integer"}}"#, "1", "0/0"),
        (r#"{"then":{"type":"integer"},"else":{"type":"string"}}"#, "null", "0/0"),
        (r#"{"if":true,"then":{"if":true,"then":{"type":"string"}}}"#, "1", "2/3"),
        // Inside a group nothing counts, a condition neither.
        (r#"{"anyOf":[{"if":true,"then":{"type":"integer"}}]}"#, "1", "1/1"),
    ]);
}

#[test]
fn false_schemas() {
    assert_counts(&[
        ("false", "1", "0/1"),
        (r#"{"properties":{"a":false}}"#, r#"{"a":1}"#, "0/1"),
        (r#"{"properties":{"a":false}}"#, r#"{"b":1}"#, "0/0"),
        // One failed for every place.
        (r#"{"items":false}"#, "[1,2]", "0/2"),
        (r#"{"items":false}"#, "[]", "0/0"),
        (r#"{"prefixItems":[{}],"items":false}"#, "[1,2,3]", "0/2"),
        (r#"{"propertyNames":false}"#, r#"{"a":1,"b":2}"#, "0/2"),
        (r#"{"propertyNames":false}"#, "{}", "0/0"),
        (r#"{"patternProperties":{"^a":false}}"#, r#"{"a":1,"ab":2,"c":3}"#, "0/2"),
        (r#"{"allOf":[false,false]}"#, "1", "0/2"),
        (r#"{"dependentSchemas":{"a":false}}"#, r#"{"a":1}"#, "0/1"),
        (r##"{"$ref":"#/$defs/no","$defs":{"no":false}}"##, "1", "0/1"),
        (r#"{"anyOf":[false,true]}"#, "1", "1/1"),
        (r#"{"not":false}"#, "1", "1/1"),
        // One for all that is left over, passed where nothing is.
        (r#"{"properties":{"a":{}},"additionalProperties":false}"#, r#"{"a":1}"#, "1/1"),
        (
            r#"{"properties":{"a":{}},"additionalProperties":false}"#,
            r#"{"a":1,"b":2,"c":3}"#,
            "0/1",
        ),
        (r#"{"additionalProperties":false}"#, "{}", "1/1"),
        (r#"{"additionalProperties":false}"#, "[1]", "0/0"),
        (r#"{"properties":{"a":{}},"unevaluatedProperties":false}"#, r#"{"a":1,"b":2}"#, "0/1"),
        (r#"{"properties":{"a":{}},"unevaluatedProperties":false}"#, r#"{"a":1}"#, "1/1"),
        (r#"{"prefixItems":[{}],"unevaluatedItems":false}"#, "[1,2,3]", "0/1"),
        (r#"{"prefixItems":[{}],"unevaluatedItems":false}"#, "[1]", "1/1"),
        (r#"{"unevaluatedItems":false}"#, r#""x""#, "0/0"),
        // A reference to `false` is a schema, which counts per place.
        (
            r##"{"additionalProperties":{"$ref":"#/$defs/no"},"$defs":{"no":false}}"##,
            r#"{"a":1,"b":2}"#,
            "0/2",
        ),
    ]);
}

#[test]
fn unevaluated_sees_what_its_siblings_evaluate() {
    assert_counts(&[
        (
            r#"{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}"#,
            r#"{"a":1}"#,
            "1/1",
        ),
        (
            r#"{"anyOf":[{"properties":{"a":{"const":1}}},{"properties":{"b":{}}}],"unevaluatedProperties":false}"#,
            r#"{"a":2,"b":1}"#,
            "1/2",
        ),
        (
            r#"{"unevaluatedProperties":false,"properties":{"a":{"type":"string"}}}"#,
            r#"{"a":"x"}"#,
            "2/2",
        ),
        (
            r#"{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":true,"unevaluatedProperties":false}"#,
            r#"{"a":1}"#,
            "2/2",
        ),
        (r#"{"not":{"properties":{"a":{}}},"unevaluatedProperties":false}"#, r#"{"a":1}"#, "0/2"),
        (r#"{"contains":{"const":1},"unevaluatedItems":false}"#, "[1,1]", "2/2"),
        (r#"{"contains":{"const":1},"unevaluatedItems":false}"#, "[1,2]", "1/2"),
        (
            r#"{"dependentSchemas":{"a":{"properties":{"a":{},"b":{}}}},"unevaluatedProperties":false}"#,
            r#"{"a":1,"b":1}"#,
            "1/1",
        ),
        // It cannot see its cousins: one of the two `unevaluatedProperties` fails.
        (
            r#"{"allOf":[{"properties":{"a":{}},"unevaluatedProperties":true},{"unevaluatedProperties":false}]}"#,
            r#"{"a":1}"#,
            "0/1",
        ),
    ]);
    // `contains` evaluates nothing in 2019-09.
    let contains = old(DRAFT_2019, r#"{"contains":{"const":1},"unevaluatedItems":false}"#);
    assert_counts(&[(&contains, "[1,1]", "1/2")]);
}

#[test]
fn a_schema_reached_twice_counts_twice() {
    let shared = r##"{"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer","minimum":0}}}"##;
    let twice_at_one_place = r##"{"allOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}],"$defs":{"n":{"type":"integer"}}}"##;
    let tree = r##"{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"l":{"$ref":"#"},"r":{"$ref":"#"}}}"##;
    assert_counts(&[
        (shared, r#"{"a":1,"b":-1}"#, "3/4"),
        (twice_at_one_place, "1", "2/2"),
        (twice_at_one_place, "null", "0/2"),
        (
            r#"{"properties":{"a":{"type":"integer"}},"patternProperties":{"^a$":{"type":"integer"}}}"#,
            r#"{"a":1}"#,
            "2/2",
        ),
        // Three objects, three assertions each.
        (tree, r#"{"v":1,"l":{"v":2},"r":{"v":3}}"#, "9/9"),
        (tree, r#"{"v":1,"l":{"v":2,"r":{}}}"#, "7/8"),
    ]);
}

#[test]
fn references_of_every_kind() {
    let dynamic = r##"{"$id":"https://example.com/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,
        "$defs":{"tree":{"$id":"https://example.com/tree","$dynamicAnchor":"node","type":"object",
            "properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}}"##;
    let recursive = old(
        DRAFT_2019,
        r##"{"$id":"https://example.com/strict","$recursiveAnchor":true,"$ref":"tree","unevaluatedProperties":false,
        "$defs":{"tree":{"$id":"https://example.com/tree","$recursiveAnchor":true,"type":"object",
            "properties":{"data":true,"children":{"type":"array","items":{"$recursiveRef":"#"}}}}}}"##,
    );
    assert_counts(&[
        // Per object `type` and `unevaluatedProperties`, and `type` of each `children`.
        (dynamic, r#"{"children":[{"data":1}]}"#, "5/5"),
        (dynamic, r#"{"children":[{"daat":1}]}"#, "3/5"),
        (&recursive, r#"{"children":[{"data":1}]}"#, "5/5"),
        (&recursive, r#"{"children":[{"daat":1}]}"#, "3/5"),
        (
            r##"{"properties":{"a":{"$ref":"#num"}},"$defs":{"x":{"$anchor":"num","type":"integer"}}}"##,
            r#"{"a":1}"#,
            "1/1",
        ),
        (
            r##"{"properties":{"a":{"$ref":"other"}},"$defs":{"x":{"$id":"https://example.com/other","type":"integer"}},"$id":"https://example.com/x"}"##,
            r#"{"a":"x"}"#,
            "0/1",
        ),
        (r##"{"$ref":"#/$defs/a%25b~1c","$defs":{"a%b/c":{"type":"integer"}}}"##, "1", "1/1"),
        // Siblings of `$ref` assert since 2019-09.
        (r##"{"$ref":"#/$defs/n","minimum":5,"$defs":{"n":{"type":"integer"}}}"##, "1", "1/2"),
    ]);
    let siblings =
        r##"{"$ref":"#/definitions/n","minimum":5,"definitions":{"n":{"type":"integer"}}}"##;
    for draft in [DRAFT_4, DRAFT_6, DRAFT_7] {
        assert_counts(&[(&old(draft, siblings), "1", "1/1")]);
    }
}

#[test]
fn a_plain_reference_to_a_dynamic_anchor_is_not_dynamic() {
    // 2020-12 core §8.2.3.1: only `$dynamicRef` looks through the scope.
    let schema = |keyword: &str| {
        format!(
            r##"{{"$id":"https://example.com/outer","$ref":"inner","$defs":{{
            "o":{{"$dynamicAnchor":"t","type":"string"}},
            "inner":{{"$id":"https://example.com/inner","properties":{{"a":{{"{keyword}":"#t"}}}},
                "$defs":{{"i":{{"$dynamicAnchor":"t","type":"integer"}}}}}}}}}}"##
        )
    };
    assert_counts(&[
        (&schema("$ref"), r#"{"a":1}"#, "1/1"),
        (&schema("$ref"), r#"{"a":"x"}"#, "0/1"),
        (&schema("$dynamicRef"), r#"{"a":1}"#, "0/1"),
        (&schema("$dynamicRef"), r#"{"a":"x"}"#, "1/1"),
    ]);
    // A resource that is entered without any reference is in the scope all the same (§7.1).
    let inline = r##"{"$id":"https://example.com/outer","$defs":{"o":{"$dynamicAnchor":"t","type":"string"}},
        "properties":{"p":{"$id":"https://example.com/inner","properties":{"a":{"$dynamicRef":"#t"}},
            "$defs":{"i":{"$dynamicAnchor":"t","type":"integer"}}}}}"##;
    assert_counts(&[(inline, r#"{"p":{"a":"x"}}"#, "1/1"), (inline, r#"{"p":{"a":1}}"#, "0/1")]);
}

#[test]
fn old_drafts() {
    let exclusive = r#"{"minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}"#;
    let alone = r#"{"exclusiveMinimum":true,"minimum":0,"maximum":5}"#;
    let both =
        r#"{"dependencies":{"a":["b","c"],"d":["e"],"f":{"required":["g"],"maxProperties":9}}}"#;
    let only_schemas = r#"{"dependencies":{"f":{"required":["g"]}}}"#;
    let positional =
        r#"{"items":[{"type":"integer"},{"type":"string"}],"additionalItems":{"type":"null"}}"#;
    let closed = r#"{"items":[{"type":"integer"}],"additionalItems":false}"#;
    let no_use = r#"{"items":{"type":"integer"},"additionalItems":false}"#;
    assert_counts(&[
        // Booleans are no assertions of their own.
        (&old(DRAFT_4, exclusive), "1", "1/2"),
        (&old(DRAFT_4, exclusive), "9", "2/2"),
        (&old(DRAFT_4, alone), "0", "1/2"),
        // All names are one assertion, the schemas count their own where they apply.
        (&old(DRAFT_7, both), r#"{"a":1,"b":1,"c":1,"f":1,"g":1}"#, "3/3"),
        (&old(DRAFT_7, both), r#"{"a":1,"d":1}"#, "0/1"),
        (&old(DRAFT_7, both), r#"{"f":1}"#, "2/3"),
        (&old(DRAFT_4, both), r#"{"f":1}"#, "2/3"),
        (&old(DRAFT_7, both), "[]", "0/0"),
        (&old(DRAFT_7, only_schemas), r#"{"f":1}"#, "0/1"),
        (&old(DRAFT_7, only_schemas), "{}", "0/0"),
        (&old(DRAFT_6, r#"{"dependencies":{"a":[]}}"#), "{}", "1/1"),
        (&old(DRAFT_6, r#"{"dependencies":{"a":false,"b":true}}"#), r#"{"a":1,"b":1}"#, "0/1"),
        (&old(DRAFT_7, positional), r#"[1,2,null,3]"#, "2/4"),
        (&old(DRAFT_7, closed), "[1,2,3]", "1/2"),
        (&old(DRAFT_7, closed), "[1]", "2/2"),
        (&old(DRAFT_4, closed), "[]", "1/1"),
        (&old(DRAFT_7, no_use), "[1,2]", "2/2"),
        // Keywords of later drafts.
        (
            &old(
                DRAFT_4,
                r#"{"const":1,"contains":{"const":1},"propertyNames":false,"if":false,"else":false}"#,
            ),
            r#"{"a":1}"#,
            "0/0",
        ),
        (&old(DRAFT_6, r#"{"if":true,"then":false}"#), "1", "0/0"),
        (
            &old(
                DRAFT_7,
                r#"{"unevaluatedProperties":false,"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":false}}"#,
            ),
            r#"{"a":1}"#,
            "0/0",
        ),
        (&old(DRAFT_7, r#"{"contains":{"const":1},"minContains":5}"#), "[1]", "1/1"),
        (&old(DRAFT_2019, r#"{"prefixItems":[false],"$dynamicRef":"nowhere"}"#), "[1]", "0/0"),
        // In draft-04 `1.0` is no integer.
        (&old(DRAFT_4, r#"{"type":"integer"}"#), "1.0", "0/1"),
        (&old(DRAFT_6, r#"{"type":"integer"}"#), "1.0", "1/1"),
    ]);
}

#[test]
fn numbers_are_exact() {
    assert_counts(&[
        (r#"{"multipleOf":0.1}"#, "0.3", "1/1"),
        (r#"{"multipleOf":0.01}"#, "1.00000000000000000001", "0/1"),
        (r#"{"multipleOf":0.01}"#, "1e308", "1/1"),
        (r#"{"maximum":9007199254740992}"#, "9007199254740993", "0/1"),
        (r#"{"exclusiveMaximum":1}"#, "0.99999999999999999999999", "1/1"),
        (r#"{"minimum":1e400}"#, "1e401", "1/1"),
        (r#"{"const":1}"#, "1.0", "1/1"),
        (r#"{"const":9007199254740993}"#, "9007199254740992", "0/1"),
        (r#"{"enum":[[1,{"a":2.0}]]}"#, r#"[1.0,{"a":2}]"#, "1/1"),
        (r#"{"uniqueItems":true}"#, "[1,1.0]", "0/1"),
        (r#"{"uniqueItems":true}"#, "[1,true,\"1\",[1]]", "1/1"),
        (r#"{"minLength":2.0}"#, r#""ab""#, "1/1"),
    ]);
}

#[test]
fn lone_surrogates_equal_only_themselves() {
    assert_counts(&[
        (r#"{"const":"\ud800"}"#, r#""\ud800""#, "1/1"),
        (r#"{"const":"\ud800"}"#, r#""\ud801""#, "0/1"),
        (r#"{"const":"\ud800"}"#, r#""\ufffd""#, "0/1"),
        (r#"{"enum":["\ud800",{"\udc00":1}]}"#, r#"{"\udc00":1}"#, "1/1"),
        (r#"{"properties":{"\ud800":false}}"#, r#"{"\ufffd":1,"\ud801":2}"#, "0/0"),
        (r#"{"properties":{"\ud800":false}}"#, r#"{"\ud800":1}"#, "0/1"),
        (
            r#"{"properties":{"\ud800":{},"\ud801":{}},"additionalProperties":false}"#,
            r#"{"\ud800":1,"\ud801":1}"#,
            "1/1",
        ),
        (r#"{"required":["\ud800"]}"#, r#"{"\ufffd":1}"#, "0/1"),
        (r#"{"required":["\ud800"]}"#, r#"{"\ud800":1}"#, "1/1"),
        (r#"{"minLength":2,"maxLength":2}"#, r#""\ud800\ud800""#, "2/2"),
        (r#"{"title":"\ud800","type":"string"}"#, r#""x""#, "1/1"),
    ]);
}

/// `complete/described` for each.
fn assert_complete(cases: &[(&str, &str, &str)]) {
    for (schema, data, expected) in cases {
        let report = report(schema, data);
        let counts = format!("{}/{}", report.completeness.passed, report.completeness.total);
        assert_eq!(counts, *expected, "{schema} on {data}");
        let lacking = report.completeness.total - report.completeness.passed;
        assert_eq!(report.incomplete.len() as u64, lacking, "{schema} on {data}");
    }
}

#[test]
fn described_objects() {
    let point = r#"{"properties":{"x":{},"y":{}},"required":["x","y"]}"#;
    let wrap = |outside: &str| outside.replace("POINT", point);
    assert_complete(&[
        (point, r#"{"x":1,"y":2}"#, "1/1"),
        (point, r#"{"x":1}"#, "0/1"),
        (point, "[1]", "0/0"),
        // Without `properties` nothing is described, and nothing required makes it complete.
        (r#"{"required":["x"]}"#, "{}", "0/0"),
        (r#"{"properties":{}}"#, "{}", "1/1"),
        // Whatever else is wrong does not matter.
        (r#"{"properties":{"x":{"type":"string"}},"required":["x"]}"#, r#"{"x":1}"#, "1/1"),
        (&wrap(r#"{"properties":{"p":POINT,"q":POINT}}"#), r#"{"p":{"x":1,"y":1},"q":{}}"#, "2/3"),
        (&wrap(r#"{"items":POINT}"#), r#"[{"x":1,"y":1},{"y":1},3]"#, "1/2"),
        (&wrap(r#"{"additionalProperties":POINT}"#), r#"{"a":{"x":1,"y":1}}"#, "1/1"),
        (&wrap(r#"{"allOf":[POINT]}"#), "{}", "0/1"),
        (&wrap(r##"{"$ref":"#/$defs/p","$defs":{"p":POINT}}"##), "{}", "0/1"),
        (
            &wrap(r#"{"if":{"minProperties":1},"then":POINT,"else":{"properties":{}}}"#),
            r#"{"x":1}"#,
            "0/1",
        ),
        (&wrap(r#"{"if":{"minProperties":1},"then":POINT,"else":{"properties":{}}}"#), "{}", "1/1"),
        // Not there.
        (&wrap(r#"{"anyOf":[POINT,true]}"#), "{}", "0/0"),
        (&wrap(r#"{"oneOf":[POINT,true]}"#), "{}", "0/0"),
        (&wrap(r#"{"not":POINT}"#), "{}", "0/0"),
        (&wrap(r#"{"if":POINT,"then":true}"#), "{}", "0/0"),
        (&wrap(r#"{"contains":POINT}"#), "[{}]", "0/0"),
        (&wrap(r#"{"patternProperties":{"^p":POINT}}"#), r#"{"p":{}}"#, "0/0"),
        (&wrap(r#"{"prefixItems":[POINT]}"#), "[{}]", "0/0"),
        (&wrap(r#"{"dependentSchemas":{"a":POINT}}"#), r#"{"a":1}"#, "0/0"),
        (&wrap(r#"{"unevaluatedProperties":POINT}"#), r#"{"a":{}}"#, "0/0"),
        // Inside a group nothing is reached, however it is described there.
        (&wrap(r#"{"anyOf":[{"properties":{"p":POINT}},true]}"#), r#"{"p":{}}"#, "0/0"),
        (&wrap(r#"{"properties":{"p":{"anyOf":[POINT]}}}"#), r#"{"p":{}}"#, "1/1"),
        // One object is one check, however many describe it; any of them makes it incomplete.
        (
            r#"{"properties":{"a":{}},"allOf":[{"properties":{"b":{}},"required":["b"]}]}"#,
            r#"{"a":1}"#,
            "0/1",
        ),
        (
            r#"{"properties":{"a":{}},"required":["a"],"allOf":[{"required":["b"]}]}"#,
            r#"{"a":1}"#,
            "1/1",
        ),
    ]);
    let positional = old(DRAFT_7, &wrap(r#"{"items":[POINT]}"#));
    assert_complete(&[(&positional, "[{}]", "0/1")]);
}

#[test]
fn what_is_missing_is_flagged() {
    let schema = r#"{"items":{"properties":{"a":{}},"required":["b","a"],"allOf":[{"properties":{},"required":["c","b"]}]}}"#;
    let report = report(schema, r#"[{"a":1,"b":1,"c":1},{"a":1},{}]"#);
    let flags: Vec<_> = report.incomplete.iter().map(|flag| (&*flag.field, &*flag.found)).collect();
    assert_eq!(flags, [("[1]", "missing b, c"), ("[2]", "missing b, a, c")]);
    assert!(report.incomplete.iter().all(|flag| flag.check == "truncation"));
}
