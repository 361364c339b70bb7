//! `sum_equals` (SPEC 5.5), by hand.

use super::*;

#[test]
fn the_invoice_draft() {
    let output = r#"{"line_items":[{"line_total":87.0},{"line_total":42.5}],"total":135.0}"#;
    let rules =
        r#"[{"type":"sum_equals","field":"line_items[].line_total","equals_field":"total"}]"#;
    let (finding, marks) = only(output, "null", rules);
    assert_eq!(finding.check, "consistency:sum_equals");
    assert_eq!(finding.field, "line_items[].line_total");
    assert_eq!(finding.detail, "values sum to 129.5, expected total (135.0)");
    assert_eq!(finding.expected, "a sum equal to total (135.0)");
    assert_eq!(finding.found, "sum 129.5");
    assert_eq!(marks, ["87.0 ", "135.0 total is 135.0"]);
}

#[test]
fn sums_are_exact_and_print_as_the_contract_says() {
    let sum = |values: &str, rest: &str| {
        let output = format!("{{\"v\":{values},\"t\":6}}");
        rule(&output, &format!("{{\"type\":\"sum_equals\",\"field\":\"v[]\",{rest}}}"))
    };
    assert_eq!(sum("[1,2,3]", r#""equals_field":"t""#), ["1/1"]);
    assert_eq!(sum("[0.1,0.2]", r#""equals":0.3,"tolerance":0"#), ["1/1"]);
    assert_eq!(sum("[1e16,0.5,-1e16]", r#""equals":0.5,"tolerance":0"#), ["1/1"]);
    assert_eq!(sum("[]", r#""equals":0"#), ["1/1"]);
    let failed = |values, rest, detail: &str| {
        assert_eq!(sum(values, rest), ["0/1".to_owned(), format!("v[]: {detail}")]);
    };
    failed("[87.0,42]", r#""equals":1"#, "values sum to 129.0, expected 1");
    failed("[1.1,2.20]", r#""equals":3.30001"#, "values sum to 3.3, expected 3.30001");
    failed("[1e2,1]", r#""equals":100.50"#, "values sum to 101.0, expected 100.50");
    failed("[1,2]", r#""equals":1e2"#, "values sum to 3, expected 1e2");
    failed("[]", r#""equals_field":"t""#, "values sum to 0, expected t (6)");
    failed(
        "[9007199254740993]",
        r#""equals":9007199254740992"#,
        "values sum to 9007199254740993, expected 9007199254740992",
    );
    let long = format!("[1e300,{}]", "1".repeat(45));
    let shown = format!("values sum to 1{}…, expected {}…", "0".repeat(38), "2".repeat(39));
    failed(&long, &format!("\"equals\":{}", "2".repeat(50)), &shown);
}

#[test]
fn a_sum_that_cannot_run_names_the_first_bad_place() {
    let sum = |output: &str, rest: &str| {
        let lines =
            rule(output, &format!("{{\"type\":\"sum_equals\",\"field\":\"v[].a\",{rest}}}"));
        lines.join(" | ")
    };
    let t = r#""equals_field":"t""#;
    let sums: [(&str, &str, &str); 14] = [
        (r#"{"v":[{"a":1},{}],"t":1}"#, t, "0/1 | v[].a: cannot run: v[1].a is missing"),
        (
            r#"{"v":[{"a":1},7,{}],"t":1}"#,
            t,
            "0/1 | v[].a: cannot run: v[1] is a number, not an object",
        ),
        (r#"{"v":"x","t":1}"#, t, "0/1 | v[].a: cannot run: v is a string, not an array"),
        (r#"{"t":1}"#, t, "0/1 | v[].a: cannot run: v[].a is missing"),
        (
            r#"{"v":[{"a":5},{"a":null}],"t":5}"#,
            t,
            "0/1 | v[].a: not comparable: v[1].a is null, not a number",
        ),
        (
            r#"{"v":[{"a":"5"}],"t":5}"#,
            t,
            "0/1 | v[].a: not comparable: v[0].a is a string, not a number",
        ),
        (
            r#"{"v":[{"a":true}],"t":1}"#,
            t,
            "0/1 | v[].a: not comparable: v[0].a is a boolean, not a number",
        ),
        (
            r#"{"v":[{"a":1e401}],"t":1}"#,
            t,
            "0/1 | v[].a: not comparable: the exponent of v[0].a (1e401) is beyond ±400",
        ),
        (r#"{"v":[]}"#, t, "0/1 | v[].a: cannot run: t is missing"),
        (r#"{"v":[],"t":null}"#, t, "0/1 | v[].a: not comparable: t is null, not a number"),
        (r#"{"v":[],"t":[0]}"#, r#""equals_field":"t[]""#, "1/1"),
        (
            r#"{"v":[],"t":[0,0]}"#,
            r#""equals_field":"t[]""#,
            "0/1 | v[].a: cannot run: t[] has more than one value",
        ),
        (
            r#"{"v":[],"t":[]}"#,
            r#""equals_field":"t[]""#,
            "0/1 | v[].a: cannot run: t[] has no value, only an empty array",
        ),
        (
            r#"{"v":[]}"#,
            r#""equals":null"#,
            "0/1 | v[].a: cannot run: the rule has neither equals_field nor equals",
        ),
    ];
    for (output, rest, expected) in sums {
        assert_eq!(sum(output, rest), expected);
    }
    assert_eq!(
        sum(r#"{"v":[]}"#, r#""equals_field":"a..b""#),
        "0/1 | v[].a: cannot run: malformed equals_field: a key is missing at character 3"
    );
    let equals_wins = r#""equals_field":"t","equals":1"#;
    assert_eq!(
        sum(r#"{"v":[{"a":1}],"t":2}"#, equals_wins),
        "0/1 | v[].a: values sum to 1, expected t (2)"
    );
}
