//! `bounds` (SPEC 5.4), by hand.

use super::*;

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
