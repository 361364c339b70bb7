//! `exists_in` and `unique` (SPEC 5.7), by hand.

use super::*;

#[test]
fn membership_is_json_equality() {
    let exists = |value: &str, values: &str| {
        rule(
            &format!("{{\"v\":{value}}}"),
            &format!("{{\"type\":\"exists_in\",\"field\":\"v\",\"values\":{values}}}"),
        )[0] == "1/1"
    };
    assert!(exists("2.0", "[1,2]"));
    assert!(exists("1e2", "[100]"));
    assert!(exists("null", "[null]"));
    assert!(exists(r#""\u0061""#, r#"["a"]"#));
    assert!(exists(r#"{"a":1,"b":[2.0]}"#, r#"[{"b":[2],"a":1.0}]"#));
    assert!(exists("9007199254740993", "[9007199254740993.0]"));
    assert!(!exists("9007199254740993", "[9007199254740992]"));
    assert!(!exists(r#""2""#, "[1,2]"));
    assert!(!exists("true", "[1]"));
    assert!(!exists("0", "[false,null,\"\",[],{}]"));
    assert!(!exists("[1]", "[1]"));
    assert!(!exists("1", "[]"));

    let (finding, marks) = only(
        r#"{"picks":[1,"x"],"opts":[1,2]}"#,
        "null",
        r#"[{"type":"exists_in","field":"picks[]","in_field":"opts"}]"#,
    );
    assert_eq!((finding.check, finding.field.as_str()), ("consistency:exists_in", "picks[1]"));
    assert_eq!(finding.detail, r#""x" is not one of the values of opts"#);
    assert_eq!(
        (finding.expected.as_str(), finding.found.as_str()),
        ("one of the values of opts", r#""x""#)
    );
    assert_eq!(marks, [r#""x" "#, "[1,2] the values of opts"]);
    assert_eq!(
        rule(r#"{"v":3}"#, r#"{"type":"exists_in","field":"v","values":[1,"two"]}"#),
        ["0/1", r#"v: 3 is not one of: 1, "two""#]
    );
}

#[test]
fn where_the_values_of_in_field_come_from() {
    let exists = |output: &str, in_field: &str| {
        rule(
            output,
            &format!("{{\"type\":\"exists_in\",\"field\":\"v[]\",\"in_field\":\"{in_field}\"}}"),
        )
        .join(" | ")
    };
    let nested =
        r#"{"v":["a","c"],"g":[{"ids":["a"]},{"ids":["b","c"]}],"one":"a","all":[["a","c"]]}"#;
    assert_eq!(exists(nested, "g[].ids[]"), "2/2");
    assert_eq!(exists(nested, "g[].ids"), "2/2");
    assert_eq!(exists(nested, "one"), r#"1/2 | v[1]: "c" is not one of the values of one"#);
    // With the final [] the elements are the values, arrays too.
    assert_eq!(&exists(nested, "all[]")[..3], "0/2");
    assert_eq!(exists(nested, "all[][]"), "2/2");
    assert_eq!(exists(r#"{"v":[1],"o":[]}"#, "o"), "0/1 | v[0]: 1 is not one of the values of o");
    // One absent place is enough to make it unusable.
    let gap = r#"{"v":[1],"o":[{"id":1},{}]}"#;
    assert_eq!(exists(gap, "o[].id"), "0/1 | v[0]: cannot run: o[1].id is missing");
    assert_eq!(
        exists(r#"{"v":[1],"o":7}"#, "o[]"),
        "0/1 | v[0]: cannot run: o is a number, not an array"
    );
    assert_eq!(exists(r#"{"v":[],"o":7}"#, "nope"), "0/0");
    assert_eq!(
        exists(r#"{"v":[]}"#, "a..b"),
        "0/1 | v[]: cannot run: malformed in_field: a key is missing at character 3"
    );
    assert_eq!(
        rule(r#"{"v":[1]}"#, r#"{"type":"exists_in","field":"v[]"}"#),
        ["0/1", "v[0]: cannot run: the rule has neither in_field nor values"]
    );
}

#[test]
fn unique_names_the_first_equal_places() {
    let output = r#"{"rows":[{"id":10},{"id":"10"},{"id":3},{"id":10.0},{"id":3}]}"#;
    let (finding, marks) = only(output, "null", r#"[{"type":"unique","field":"$.rows[].id"}]"#);
    assert_eq!((finding.check, finding.field.as_str()), ("consistency:unique", "$.rows[].id"));
    assert_eq!(finding.detail, "rows[0].id and rows[3].id are both 10.0");
    assert_eq!(
        (finding.expected.as_str(), finding.found.as_str()),
        ("unique values", "rows[0].id and rows[3].id are equal")
    );
    assert_eq!(marks, ["10.0 ", "10 rows[0].id is 10"]);

    let unique = |output: &str, field: &str| {
        rule(output, &format!("{{\"type\":\"unique\",\"field\":\"{field}\"}}")).join(" | ")
    };
    // Without any [] an array stands for its elements; anything else is one value.
    assert_eq!(unique(r#"{"t":["a","b","a"]}"#, "t"), r#"0/1 | t: t[0] and t[2] are both "a""#);
    assert_eq!(unique(r#"["a","a"]"#, "$"), r#"0/1 | $: [0] and [1] are both "a""#);
    assert_eq!(unique(r#"{"t":"aa"}"#, "t"), "1/1");
    assert_eq!(unique(r#"{"t":[]}"#, "t"), "1/1");
    // With one, the arrays found are values themselves.
    assert_eq!(unique(r#"{"a":[{"t":[1,1]},{"t":[1]}]}"#, "a[].t"), "1/1");
    assert_eq!(
        unique(r#"{"a":[{"t":[1,2]},{"t":[1.0,2]}]}"#, "a[].t"),
        "0/1 | a[].t: a[0].t and a[1].t are both [1.0,2]"
    );
    // Over all places, not per parent.
    assert_eq!(
        unique(r#"{"o":[{"k":[1]},{"k":[2,1]}]}"#, "o[].k[]"),
        "0/1 | o[].k[]: o[0].k[0] and o[1].k[1] are both 1"
    );
    assert_eq!(unique(r#"{"a":[null,null]}"#, "a[]"), "0/1 | a[]: a[0] and a[1] are both null");
    assert_eq!(unique(r#"{"a":[1,true,"1",[1],{"1":1},null,false,0]}"#, "a[]"), "1/1");
    assert_eq!(unique(r#"{"a":[{"x":1,"y":2},{"y":2.0,"x":1}]}"#, "a[]")[..3], *"0/1");
    // What is missing cannot be shown to be unique.
    assert_eq!(
        unique(r#"{"a":[{"x":1},{"x":1},{}]}"#, "a[].x"),
        "0/1 | a[].x: cannot run: a[2].x is missing"
    );
    assert_eq!(unique("{}", "a"), "0/1 | a: cannot run: a is missing");
    assert_eq!(
        unique("{}", "a]"),
        r"0/1 | a]: cannot run: malformed path: the bracket at character 2 closes nothing; in a key it is \]"
    );
}
