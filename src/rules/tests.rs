//! Bounds and rules against SPEC 5, by hand, and against the shared cases.

use proptest::prelude::*;

use super::*;
use crate::json::{Document, Kind, MAX_DEPTH, read};
use crate::place::{Place, Step};

/// Levels that a request has around its output.
const ENVELOPE: usize = 8;

fn document(json: &str) -> Document {
    read(json, MAX_DEPTH + ENVELOPE).expect("JSON")
}

fn text(node: Node<'_>, name: &str) -> Option<String> {
    node.get(name).and_then(Node::as_str).map(str::to_owned)
}

fn given<'d>(node: Node<'d>, name: &str) -> Option<Node<'d>> {
    node.get(name).filter(|value| !value.is_null())
}

fn bounds<'d>(request: Node<'d>) -> Vec<Bound<'d>> {
    let members = request.get("bounds").into_iter().flat_map(Node::members);
    members
        .map(|member| Bound {
            path: member.name.as_str().expect("a name").to_owned(),
            min: given(member.value, "min"),
            max: given(member.value, "max"),
            if_present: member.value.get("if_present").and_then(Node::as_bool) == Some(true),
        })
        .collect()
}

fn rules<'d>(request: Node<'d>) -> Vec<Rule<'d>> {
    let rules = request.get("rules").into_iter().flat_map(Node::elements);
    rules
        .map(|rule| Rule {
            kind: RuleKind::parse(&text(rule, "type").expect("a type")).expect("a known type"),
            field: text(rule, "field").expect("a field"),
            equals_field: text(rule, "equals_field"),
            equals: given(rule, "equals"),
            other_field: text(rule, "other_field"),
            value: given(rule, "value"),
            in_field: text(rule, "in_field"),
            values: given(rule, "values"),
            tolerance: given(rule, "tolerance")
                .and_then(Node::as_number)
                .map_or_else(default_tolerance, |number| number.decimal().expect("a tolerance")),
            if_present: rule.get("if_present").and_then(Node::as_bool) == Some(true),
        })
        .collect()
}

/// A report on one bound or rule, with `passed/total` and `field: detail` of each finding.
fn report_on(output: &str, bounds_json: &str, rules_json: &str) -> (RulesReport, Vec<String>) {
    let output = document(output);
    let request = document(&format!("{{\"bounds\":{bounds_json},\"rules\":{rules_json}}}"));
    let report = check(output.root(), &bounds(request.root()), &rules(request.root()));
    let findings = report.findings.len() as u64;
    assert_eq!(findings, report.tally.total - report.tally.passed, "a finding per failed check");
    let mut lines = vec![format!("{}/{}", report.tally.passed, report.tally.total)];
    lines.extend(report.findings.iter().map(|found| format!("{}: {}", found.field, found.detail)));
    (report, lines)
}

fn rule(output: &str, rule: &str) -> Vec<String> {
    report_on(output, "null", &format!("[{rule}]")).1
}

fn bound(output: &str, bound: &str) -> Vec<String> {
    report_on(output, bound, "null").1
}

/// Everything about the only finding: field, expected, found, detail, and what each mark shows.
fn only(output: &str, bounds: &str, rules: &str) -> (Finding, Vec<String>) {
    let (report, _) = report_on(output, bounds, rules);
    let [finding] = <[Finding; 1]>::try_from(report.findings).expect("one finding");
    let document = document(output);
    let marks = finding
        .marks
        .iter()
        .map(|mark| format!("{} {}", document.node(mark.node).source(), mark.label))
        .collect();
    (finding, marks)
}

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
fn names_lead_to_kinds_and_back() {
    for (name, kind) in [
        ("sum_equals", RuleKind::SumEquals),
        ("gte", RuleKind::Gte),
        ("lte", RuleKind::Lte),
        ("exists_in", RuleKind::ExistsIn),
        ("unique", RuleKind::Unique),
    ] {
        assert_eq!(RuleKind::parse(name), Some(kind));
        assert_eq!(kind.name(), name);
        assert_eq!(kind.check(), format!("consistency:{name}"));
    }
    assert_eq!(RuleKind::parse("sum_equal"), None);
    assert_eq!(RuleKind::parse("GTE"), None);
    assert_eq!(RuleKind::parse(""), None);
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

#[test]
fn if_present_skips_what_is_absent_and_nothing_else() {
    for kind in [
        r#""type":"sum_equals","equals_field":"t""#,
        r#""type":"unique""#,
        r#""type":"gte","value":0"#,
        r#""type":"exists_in","values":[1,2]"#,
    ] {
        let on = |output: &str| {
            rule(output, &format!("{{{kind},\"field\":\"v[].a\",\"if_present\":true}}"))[0].clone()
        };
        // Nothing there at all, or nothing in any element: skipped and not counted, whatever else.
        assert_eq!(on("{}"), "0/0", "{kind}");
        assert_eq!(on(r#"{"v":null}"#), "0/0", "{kind}");
        assert_eq!(on(r#"{"v":[{},null]}"#), "0/0", "{kind}");
        assert_eq!(on(r#"{"v":[{},{"a":1}],"t":1}"#), "1/1", "{kind}");
        // A value of another type in the way is a finding all the same.
        assert_eq!(on(r#"{"v":"x","t":1}"#), "0/1", "{kind}");
        assert_eq!(on(r#"{"v":[{},5],"t":1}"#), "0/1", "{kind}");
    }
    // Null is a value.
    assert_eq!(
        rule(r#"{"v":null}"#, r#"{"type":"gte","field":"v","value":0,"if_present":true}"#)[0],
        "0/1"
    );
    // An empty array is no absent place: it sums to 0, and has no equal values.
    assert_eq!(
        rule(r#"{"v":[]}"#, r#"{"type":"sum_equals","field":"v[]","equals":1,"if_present":true}"#)
            [0],
        "0/1"
    );
    assert_eq!(
        rule(r#"{"v":[]}"#, r#"{"type":"unique","field":"v[]","if_present":true}"#)[0],
        "1/1"
    );
    // What the rule refers to must exist.
    for referring in [
        r#""type":"sum_equals","equals_field":"t""#,
        r#""type":"gte","other_field":"t""#,
        r#""type":"exists_in","in_field":"t""#,
    ] {
        let lines =
            rule(r#"{"v":1}"#, &format!("{{{referring},\"field\":\"v\",\"if_present\":true}}"));
        assert_eq!(lines, ["0/1", "v: cannot run: t is missing"], "{referring}");
    }
    assert_eq!(bound(r#"{"x":1}"#, r#"{"p":{"min":0,"if_present":true}}"#), ["0/0"]);
    assert_eq!(bound(r#"{"p":"x"}"#, r#"{"p[]":{"min":0,"if_present":true}}"#)[0], "0/1");
    assert_eq!(
        bound(r#"{"x":1}"#, r#"{"p":{"min":0}}"#),
        ["0/1", "p: cannot run: the value is missing"]
    );
}

#[test]
fn bounds_are_inclusive_and_hold_for_each_place() {
    assert_eq!(
        bound(
            r#"{"rows":[{"p":0},{"p":1.0},{"p":1.2},{"p":-1}]}"#,
            r#"{"rows[].p":{"min":0,"max":1}}"#
        ),
        ["2/4", "rows[2].p: 1.2 is above the maximum 1", "rows[3].p: -1 is below the minimum 0",]
    );
    assert_eq!(
        bound(r#"{"risk":{"1%":7}}"#, r#"{"risk.1%":{"max":5}}"#),
        ["0/1", "risk['1%']: 7 is above the maximum 5"]
    );
    assert_eq!(bound("[]", r#"{"[]":{"max":5}}"#), ["0/0"]);
    assert_eq!(bound("6", r#"{"$":{"max":5}}"#), ["0/1", ": 6 is above the maximum 5"]);
    assert_eq!(bound("[6]", r#"{"$[]":{"max":5}}"#), ["0/1", "[0]: 6 is above the maximum 5"]);
    assert_eq!(bound("9007199254740993", r#"{"$":{"max":9007199254740992}}"#)[0], "0/1");
    assert_eq!(bound("0.30000000000000000001", r#"{"$":{"max":0.3}}"#)[0], "0/1");

    let (finding, marks) = only(r#"{"a":[{"b":3}]}"#, r#"{"a[].b":{"min":4,"max":9}}"#, "null");
    assert_eq!((finding.check, finding.field.as_str()), ("bounds", "a[0].b"));
    assert_eq!((finding.expected.as_str(), finding.found.as_str()), (">= 4", "3"));
    assert_eq!(marks, ["3 "]);
}

#[test]
fn dates_are_instants_in_bounds() {
    let day = |date: &str, limits: &str| {
        bound(&format!("{{\"d\":\"{date}\"}}"), &format!("{{\"d\":{{{limits}}}}}"))
    };
    assert_eq!(
        day("2026-01-01t00:00:00z", r#""min":"2026-01-01","max":"2026-01-01T00:00:00Z""#),
        ["1/1"]
    );
    assert_eq!(day("2026-12-31T23:30:00-01:00", r#""max":"2026-12-31T23:59:59Z""#)[0], "0/1");
    assert_eq!(
        day("2027-01-01", r#""max":"2026-12-31""#),
        ["0/1", r#"d: "2027-01-01" is after the maximum "2026-12-31""#]
    );
    assert_eq!(
        day("2026-01-01", r#""min":"2026-01-01T00:00:00.001Z""#),
        ["0/1", r#"d: "2026-01-01" is before the minimum "2026-01-01T00:00:00.001Z""#]
    );
    assert_eq!(
        day("10000-01-01", r#""max":"2026-12-31""#),
        ["0/1", r#"d: not comparable: "10000-01-01" is neither a number nor a date"#]
    );
}

#[test]
fn what_a_bound_cannot_compare_is_a_finding() {
    for (value, limits, detail) in [
        ("null", r#""min":0"#, "not comparable: null is neither a number nor a date"),
        ("true", r#""min":0"#, "not comparable: true is neither a number nor a date"),
        (r#""5""#, r#""min":0"#, r#"not comparable: "5" is neither a number nor a date"#),
        ("[1]", r#""min":0"#, "not comparable: [1] is neither a number nor a date"),
        ("1e401", r#""min":0"#, "not comparable: the exponent of 1e401 is beyond ±400"),
        ("1e-401", r#""min":0"#, "not comparable: the exponent of 1e-401 is beyond ±400"),
        ("5", r#""min":"2026-01-01""#, "not comparable: 5 is a number, the bound a date"),
        (
            r#""2026-01-01""#,
            r#""max":5"#,
            r#"not comparable: "2026-01-01" is a date, the bound a number"#,
        ),
        ("5", r#""min":null"#, "cannot run: the bound has neither min nor max"),
        ("5", r#""min":"x""#, "cannot run: min is a string that is not a date"),
        ("5", r#""max":1e999"#, "cannot run: max has an exponent beyond ±400"),
        ("5", r#""min":6,"max":5"#, "cannot run: min is above max"),
    ] {
        let lines = bound(&format!("{{\"v\":{value}}}"), &format!("{{\"v\":{{{limits}}}}}"));
        assert_eq!(lines, ["0/1".to_owned(), format!("v: {detail}")]);
    }
    assert_eq!(bound(r#"{"v":1e400}"#, r#"{"v":{"min":0}}"#), ["1/1"]);
    // A bound that cannot run does not pass because there was nothing to run on.
    assert_eq!(
        bound(r#"{"v":[]}"#, r#"{"v[]":{}}"#),
        ["0/1", "v[]: cannot run: the bound has neither min nor max"]
    );
    assert_eq!(bound(r#"{"v":[]}"#, r#"{"v[0]":{"min":1}}"#)[0], "0/1");
    assert_eq!(
        bound(r#"{"v":1}"#, r#"{"v.":{"min":1}}"#),
        ["0/1", "v.: cannot run: malformed path: a key is missing at character 3"]
    );
    assert_eq!(
        bound(r#"{"v":"x"}"#, r#"{"v[].a":{"min":1}}"#),
        ["0/1", "v[].a: cannot run: v is a string, not an array"]
    );
}

#[test]
fn bounds_that_are_invalid_requests() {
    let fault = |bound: &str| {
        let request = document(&format!("{{\"bounds\":{{\"v\":{bound}}}}}"));
        let fault = bound_fault(&bounds(request.root())[0])?;
        Some((fault.min.map(|fault| fault.problem), fault.max.map(|fault| fault.problem)))
    };
    let no_date = Some("is a string that is not a date");
    for sound in [
        "{}",
        r#"{"min":1}"#,
        r#"{"max":"2026-01-01"}"#,
        r#"{"min":1,"max":1.0}"#,
        r#"{"min":"2026-01-01","max":"2026-01-01T00:00:00Z"}"#,
        r#"{"min":1e400,"max":1e400}"#,
        r#"{"min":null,"max":null}"#,
    ] {
        assert_eq!(fault(sound), None, "{sound}");
    }
    assert_eq!(fault(r#"{"min":"soon"}"#), Some((no_date, None)));
    assert_eq!(fault(r#"{"min":"soon","max":"later"}"#), Some((no_date, no_date)));
    assert_eq!(fault(r#"{"min":"2026-01-01","max":"2026-02-30"}"#), Some((None, no_date)));
    assert_eq!(fault(r#"{"min":2,"max":1}"#), Some((Some("is above max"), None)));
    assert_eq!(
        fault(r#"{"min":"2026-01-01T01:00:00Z","max":"2026-01-01"}"#),
        Some((Some("is above max"), None))
    );
    assert_eq!(
        fault(r#"{"min":1,"max":"2026-01-01"}"#),
        Some((Some("is not of the same kind as max"), None))
    );
    assert_eq!(
        fault(r#"{"min":1e-401,"max":1}"#),
        Some((Some("has an exponent beyond ±400"), None))
    );
    assert_eq!(fault(r#"{"min":true}"#), Some((Some("is neither a number nor a date"), None)));
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

#[test]
fn what_is_shown_is_cut_and_escaped() {
    let (finding, _) = only(
        r#"{"a\u202e":1}"#,
        "null",
        r#"[{"type":"unique","field":"b\u202e\u0000"},{"type":"unique","field":"a\u202e"}]"#,
    );
    assert_eq!(finding.field, "b\\u202e\\u0000");
    assert_eq!(finding.detail, "cannot run: ['b\\u202e\\u0000'] is missing");
    let long = "x".repeat(100);
    let (finding, _) = only(
        &format!("{{\"v\":[1],\"{long}\":\"{long}\"}}"),
        "null",
        &format!("[{{\"type\":\"sum_equals\",\"field\":\"v[]\",\"equals_field\":\"{long}\"}}]"),
    );
    assert_eq!(
        finding.detail,
        format!("not comparable: {}… is a string, not a number", "x".repeat(39))
    );
    let (finding, _) = only(
        &format!("{{\"{long}\":\"{long}\"}}"),
        &format!("{{\"{long}\":{{\"min\":1}}}}"),
        "null",
    );
    assert_eq!(finding.field, long);
    assert_eq!(finding.found, format!("\"{}…", "x".repeat(38)));
}

#[test]
fn order_of_findings_is_bounds_then_rules() {
    let (_, lines) = report_on(
        r#"{"a":[9,9]}"#,
        r#"{"z":{"min":1},"a[]":{"max":1}}"#,
        r#"[{"type":"unique","field":"a"},{"type":"sum_equals","field":"a[]","equals":1}]"#,
    );
    let fields: Vec<_> = lines[1..].iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(lines[0], "0/5");
    assert_eq!(fields, ["z", "a[0]", "a[1]", "a", "a[]"]);
}

#[test]
fn a_hundred_thousand_elements_for_every_rule() {
    let rows: Vec<_> =
        (0..100_000).map(|id| format!("{{\"id\":{id},\"at\":0,\"s\":\"k{id}\"}}")).collect();
    let output = format!("{{\"rows\":[{}]}}", rows.join(","));
    let (report, _) = report_on(
        &output,
        r#"{"rows[].id":{"min":0,"max":99999}}"#,
        r#"[{"type":"sum_equals","field":"rows[].id","equals":4999950000},
            {"type":"gte","field":"rows[].id","other_field":"rows[].at"},
            {"type":"exists_in","field":"rows[].s","in_field":"rows[].s"},
            {"type":"unique","field":"rows[].s"},
            {"type":"unique","field":"rows[]"},
            {"type":"lte","field":"rows[].id","other_field":"rows[].at"}]"#,
    );
    let n = 100_000;
    // Only the last one fails, for every row but the first.
    assert_eq!(report.tally, Tally { passed: 3 * n + 3 + 1, total: 4 * n + 3 });
    assert_eq!(report.unlisted, 0);
}

#[test]
fn more_findings_than_anybody_reads_are_counted() {
    let output = document(&format!("[{}0]", "0,".repeat(149_999)));
    let request =
        document(r#"{"bounds":{"[]":{"min":1}},"rules":[{"type":"gte","field":"[]","value":1}]}"#);
    let report = check(output.root(), &bounds(request.root()), &rules(request.root()));
    assert_eq!(report.tally, Tally { passed: 0, total: 300_000 });
    assert_eq!(report.findings.len() as u64 + report.unlisted, 300_000);
    assert_eq!(report.findings.last().map(|found| found.check), Some("consistency:gte"));
}

/// The place of a node, found the slow way.
fn place_of(node: Node<'_>, id: u32, place: &Place) -> Option<Place> {
    if node.id() == id {
        return Some(place.clone());
    }
    let in_elements = node
        .elements()
        .enumerate()
        .find_map(|(index, element)| place_of(element, id, &place.then(Step::Index(index))));
    in_elements.or_else(|| {
        node.members()
            .find_map(|member| place_of(member.value, id, &place.then(Step::member(member.name))))
    })
}

/// The files of a folder of the shared data, or nothing, said aloud.
fn shared(folder: &str) -> Vec<(String, Document)> {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases").join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there are no shared cases here");
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, read(std::fs::read(&path).unwrap(), MAX_DEPTH + ENVELOPE).unwrap())
        })
        .collect()
}

#[test]
fn the_shared_cases() {
    let mut run = 0;
    for (name, case) in shared("check") {
        let case = case.root();
        let Some(request) = case.get("request") else { continue };
        let expect = case.get("expect").unwrap();
        let asked = ["bounds", "rules"].iter().any(|part| given(request, part).is_some());
        let result = text(expect, "result").unwrap();
        if !asked || result == "invalid" {
            continue;
        }
        run += 1;
        let output = request.get("submitted_output").unwrap();
        let report = check(output, &bounds(request), &rules(request));
        let enforced = request.get("enforce_rules").and_then(Node::as_bool) == Some(true);
        let failed = enforced && !report.findings.is_empty();
        assert_eq!(failed, result == "fail", "{name}: {:?}", report.findings);
        let pointers: Vec<_> = report
            .findings
            .iter()
            .filter_map(|found| place_of(output, found.marks[0].node, &Place::default()))
            .map(|place| place.pointer())
            .collect();
        for at in expect.get("errors_at").into_iter().flat_map(Node::elements) {
            let at = at.as_str().unwrap().to_owned();
            assert!(pointers.contains(&at), "{name}: {at} is not among {pointers:?}");
        }
    }
    eprintln!("{run} shared cases with bounds or rules");
}

#[test]
fn the_templates_of_real_services() {
    let templates = shared("templates");
    let pairs = shared("templates/pairs");
    let named =
        |files: &[(String, Document)], name: &str| files.iter().position(|(file, _)| file == name);
    let Some(notes) = named(&pairs, "NOTES.json") else { return };
    let mut run = 0;
    for note in pairs[notes].1.root().elements() {
        let template = text(note, "template").unwrap();
        let kind = text(note, "kind").unwrap();
        let request = templates[named(&templates, &format!("{template}.json")).unwrap()].1.root();
        let request = request.get("template").unwrap();
        let on = |suffix: &str| {
            let file = named(&pairs, &format!("{template}.{suffix}.json")).unwrap();
            let output = pairs[file].1.root();
            let report = check(output, &bounds(request), &rules(request));
            let places: Vec<_> = report
                .findings
                .iter()
                .flat_map(|found| &found.marks)
                .filter_map(|mark| place_of(output, mark.node, &Place::default()))
                .map(|place| place.pointer())
                .collect();
            places
        };
        assert_eq!(on("ok"), [""; 0], "{template}");
        if kind.contains("rule") || kind.contains("bound") {
            run += 1;
            let bad = on("bad");
            for at in note.get("at").unwrap().elements().filter_map(Node::as_str) {
                // The format of vt_03e89d73a71ef1d9 is the schema's business.
                assert!(
                    bad.iter().any(|place| place == at) || at == "/videoUrl",
                    "{template}: {bad:?}"
                );
            }
        }
    }
    eprintln!("{run} templates with bounds or rules");
}

proptest! {
    /// Sums, orders and bounds in whole cents, against integer arithmetic.
    #[test]
    fn cents(values in proptest::collection::vec(-500_i64..500, 0..8), other in -500_i64..500, tolerance in 0_i64..20) {
        let money = |cents: i64| {
            let sign = if cents < 0 { "-" } else { "" };
            format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
        };
        let listed: Vec<_> = values.iter().map(|value| money(*value)).collect();
        let output = format!("{{\"v\":[{}],\"t\":{}}}", listed.join(","), money(other));
        let passed = |rule_json: &str| {
            let rule_json = format!("{{\"field\":\"v[]\",\"tolerance\":{},{rule_json}}}", money(tolerance));
            rule(&output, &rule_json)[0].clone()
        };
        let holds = |sound: usize| format!("{sound}/{}", values.len());
        let sum: i64 = values.iter().sum();
        let sum_holds = if (sum - other).abs() <= tolerance { "1/1" } else { "0/1" };
        prop_assert_eq!(passed(r#""type":"sum_equals","equals_field":"t""#), sum_holds);
        let at_least = values.iter().filter(|value| **value >= other - tolerance).count();
        prop_assert_eq!(passed(r#""type":"gte","other_field":"t""#), holds(at_least));
        let at_most = values.iter().filter(|value| **value <= other + tolerance).count();
        prop_assert_eq!(passed(&format!("\"type\":\"lte\",\"value\":{}", money(other))), holds(at_most));
        let within = values.iter().filter(|value| (-100..=other.max(-100)).contains(*value)).count();
        let limits = format!("{{\"v[]\":{{\"min\":-1,\"max\":{}}}}}", money(other.max(-100)));
        prop_assert_eq!(bound(&output, &limits)[0].clone(), holds(within));
        let mut sorted = values.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let distinct = if sorted.len() == values.len() { "1/1" } else { "0/1" };
        prop_assert_eq!(passed(r#""type":"unique""#), distinct);
        prop_assert_eq!(document(&output).root().kind(), Kind::Object);
    }
}
