//! `gte` and `lte` (SPEC 5.6), by hand.

use super::*;

#[test]
fn the_tolerance_is_inclusive_and_exact() {
    let sum = |total: &str, tolerance: &str| {
        rule(
            &format!("{{\"v\":[100.01],\"t\":{total}}}"),
            &format!("{{\"type\":\"sum_equals\",\"field\":\"v[]\",\"equals_field\":\"t\",\"tolerance\":{tolerance}}}"),
        )[0]
        .clone()
    };
    assert_eq!(sum("100.00", "0.01"), "1/1");
    assert_eq!(sum("100.02", "0.01"), "1/1");
    assert_eq!(sum("100.00", "0.0099999999999999999999"), "0/1");
    // The default is 1e-9.
    assert_eq!(
        rule(
            r#"{"v":[1],"t":1.000000001}"#,
            r#"{"type":"sum_equals","field":"v[]","equals_field":"t"}"#
        ),
        ["1/1"]
    );
    assert_eq!(
        rule(
            r#"{"v":[1],"t":1.0000000011}"#,
            r#"{"type":"sum_equals","field":"v[]","equals_field":"t"}"#
        )[0],
        "0/1"
    );
    // A gte that misses by no more than the tolerance holds; a lte likewise.
    for (kind, value, tolerance, passed) in [
        ("gte", "100.00", "0.01", "1/1"),
        ("gte", "100.01", "0", "1/1"),
        ("gte", "100.02", "0.01", "1/1"),
        ("gte", "100.02", "0.009999", "0/1"),
        ("lte", "100.00", "0.01", "1/1"),
        ("lte", "100.00", "0.009999", "0/1"),
        ("lte", "1e400", "0", "1/1"),
        ("gte", "1e400", "1e400", "1/1"),
    ] {
        let lines = rule(
            r#"{"v":100.01}"#,
            &format!(
                "{{\"type\":\"{kind}\",\"field\":\"v\",\"value\":{value},\"tolerance\":{tolerance}}}"
            ),
        );
        assert_eq!(lines[0], passed, "{kind} {value} ±{tolerance}");
    }
}

#[test]
fn order_against_a_value() {
    assert_eq!(
        rule(r#"{"v":[5,7,7.0,9]}"#, r#"{"type":"gte","field":"v[]","value":7}"#),
        ["3/4", "v[0]: 5 is below 7"]
    );
    assert_eq!(
        rule(r#"{"v":[5,9]}"#, r#"{"type":"lte","field":"v[]","value":7}"#),
        ["1/2", "v[1]: 9 is above 7"]
    );
    assert_eq!(
        rule(r#"{"v":"2026-03-01"}"#, r#"{"type":"gte","field":"v","value":"2026-03-02"}"#),
        ["0/1", r#"v: "2026-03-01" is before "2026-03-02""#]
    );
    // The tolerance is for numbers alone.
    assert_eq!(
        rule(
            r#"{"v":"2026-03-01"}"#,
            r#"{"type":"gte","field":"v","value":"2026-03-02","tolerance":1e9}"#
        )[0],
        "0/1"
    );
    let (finding, marks) = only(r#"{"v":5}"#, "null", r#"[{"type":"gte","field":"v","value":7}]"#);
    assert_eq!((finding.expected.as_str(), finding.found.as_str()), (">= 7", "5"));
    assert_eq!(marks, ["5 "]);
}

#[test]
fn order_against_another_field() {
    let one = r#"{"v":[5,7],"max":{"x":6}}"#;
    assert_eq!(
        rule(one, r#"{"type":"lte","field":"v[]","other_field":"max.x"}"#),
        ["1/2", "v[1]: 7 is above max.x (6)"]
    );
    let paired = r#"{"days":[{"min":1,"max":2},{"min":9,"max":3},{"min":3,"max":4}]}"#;
    let rules = r#"[{"type":"lte","field":"days[].min","other_field":"days[].max"}]"#;
    let (finding, marks) = only(paired, "null", rules);
    assert_eq!(finding.check, "consistency:lte");
    assert_eq!(finding.field, "days[1].min");
    assert_eq!(finding.detail, "9 is above days[1].max (3)");
    assert_eq!((finding.expected.as_str(), finding.found.as_str()), ("<= days[1].max (3)", "9"));
    assert_eq!(marks, ["9 ", "3 days[1].max is 3"]);
    // The outer array is shared, the inner one is the field's own.
    assert_eq!(
        rule(
            r#"{"a":[{"lim":3,"b":[{"q":1},{"q":4}]},{"lim":9,"b":[{"q":4}]},{"lim":0,"b":[]}]}"#,
            r#"{"type":"lte","field":"a[].b[].q","other_field":"$.a[].lim"}"#
        ),
        ["2/3", "a[0].b[1].q: 4 is above a[0].lim (3)"]
    );
    // From the root array on, and an element beside its own member.
    assert_eq!(
        rule("[[1,2],[3,1]]", r#"{"type":"gte","field":"[][]","other_field":"[][]"}"#),
        ["4/4"]
    );
    // Equal instants, whatever the offset.
    let instants = r#"{"a":"2026-05-05T10:00:00+02:00","b":"2026-05-05T08:00:00Z"}"#;
    for kind in ["gte", "lte"] {
        let rule_json = format!("{{\"type\":\"{kind}\",\"field\":\"a\",\"other_field\":\"b\"}}");
        assert_eq!(rule(instants, &rule_json), ["1/1"]);
    }
}

#[test]
fn an_order_that_cannot_run() {
    let gte = |output: &str, rest: &str| {
        rule(output, &format!("{{\"type\":\"gte\",\"field\":\"v[]\",{rest}}}")).join(" | ")
    };
    for (output, rest, expected) in [
        (
            r#"{"v":[1,2]}"#,
            r#""other_field":"t""#,
            "0/2 | v[0]: cannot run: t is missing | v[1]: cannot run: t is missing",
        ),
        (
            r#"{"v":[1],"t":7}"#,
            r#""other_field":"t.u""#,
            "0/1 | v[0]: cannot run: t is a number, not an object",
        ),
        (
            r#"{"v":[1],"t":null}"#,
            r#""other_field":"t""#,
            "0/1 | v[0]: not comparable: t (null) is neither a number nor a date",
        ),
        (
            r#"{"v":[1]}"#,
            r#""value":"x""#,
            r#"0/1 | v[0]: not comparable: "x" is neither a number nor a date"#,
        ),
        (
            r#"{"v":[1]}"#,
            r#""value":1e401"#,
            "0/1 | v[0]: not comparable: the exponent of 1e401 is beyond ±400",
        ),
        (
            r#"{"v":[1]}"#,
            r#""value":"2026-01-01""#,
            r#"0/1 | v[0]: not comparable: 1 is a number, "2026-01-01" is a date"#,
        ),
        (
            r#"{"v":["2026-01-01"],"t":1}"#,
            r#""other_field":"t""#,
            r#"0/1 | v[0]: not comparable: "2026-01-01" is a date, t (1) is a number"#,
        ),
        (
            r#"{"v":[{}]}"#,
            r#""value":1"#,
            "0/1 | v[0]: not comparable: {} is neither a number nor a date",
        ),
        (
            r#"{"v":[1,2],"w":[0,0]}"#,
            r#""other_field":"w[]""#,
            "0/2 | v[0]: cannot run: w[] and field do not go through the same arrays | v[1]: cannot run: w[] and field do not go through the same arrays",
        ),
        (
            r#"{"v":[1]}"#,
            r#""other_field":"v[].x[]""#,
            "0/1 | v[0]: cannot run: v[].x[] and field do not go through the same arrays",
        ),
        (
            r#"{"v":[1]}"#,
            r#""other_field":"t[0]""#,
            r"0/1 | v[0]: cannot run: malformed other_field: only [] (every element) can stand at character 2; a bracket in a key is \[",
        ),
        (
            r#"{"v":[1]}"#,
            r#""value":null"#,
            "0/1 | v[0]: cannot run: the rule has neither other_field nor value",
        ),
        (
            r#"{"v":[]}"#,
            r#""value":null"#,
            "0/1 | v[]: cannot run: the rule has neither other_field nor value",
        ),
        (r#"{"v":[]}"#, r#""other_field":"t""#, "0/0"),
        (r#"{"v":{"a":1}}"#, r#""value":0"#, "0/1 | v[]: cannot run: v is an object, not an array"),
    ] {
        assert_eq!(gte(output, rest), expected, "{output} {rest}");
    }
    assert_eq!(
        rule(
            r#"{"a":[{"x":1},{"x":1,"y":0}]}"#,
            r#"{"type":"gte","field":"a[].x","other_field":"a[].y"}"#
        ),
        ["1/2", "a[0].x: cannot run: a[0].y is missing"]
    );
    let (finding, marks) =
        only(r#"{"v":{}}"#, "null", r#"[{"type":"gte","field":"v.x","value":7}]"#);
    assert_eq!(
        (finding.field.as_str(), finding.expected.as_str(), finding.found.as_str()),
        ("v.x", ">= 7", "missing")
    );
    assert_eq!(marks, ["{} "]);
    let (finding, marks) =
        only(r#"{"v":"s"}"#, "null", r#"[{"type":"gte","field":"v.x","value":7}]"#);
    assert_eq!((finding.expected.as_str(), finding.found.as_str()), ("an object at v", "a string"));
    assert_eq!(marks, [r#""s" "#]);
}
