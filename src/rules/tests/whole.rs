//! What all bounds and rules have in common.

use proptest::prelude::*;

use super::*;

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
    }
}
