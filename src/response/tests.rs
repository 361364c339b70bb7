use super::*;
use crate::check::{Work, check};
use crate::json::{MAX_DEPTH, Node, read};
use crate::request::{UnknownFields, parse};
use crate::text::{is_bidi_control, is_control};

const STAMP: Stamp<'_> = Stamp {
    verification_id: "00000000-0000-4000-8000-000000000000",
    verified_at: "2026-01-01T00:00:00.000000+00:00",
    verifier_version: "0",
};

/// Looks at the body of the answer to a request with these members.
fn answer(members: &str, look: impl FnOnce(Node<'_>)) {
    let text = format!(r#"{{"task_id":"t"{members}}}"#);
    let document = read(text, MAX_DEPTH + 1).unwrap();
    let request = parse(document.root(), UnknownFields::Refuse).unwrap();
    let outcome = check(&request, Work::TwoThreads).unwrap();
    let text = body(&request, &outcome, STAMP, None).to_pretty();
    look(read(text, MAX_DEPTH).unwrap().root());
}

fn count(body: Node<'_>, name: &str) -> u64 {
    body.get(name).and_then(Node::as_number).unwrap().literal().parse().unwrap()
}

#[test]
fn caps_and_counts_hold_together() {
    // 150 schema errors, 130 placeholders, 130 enforced findings.
    let items: Vec<_> = (0..150).map(|at| if at < 130 { r#""todo""# } else { "{}" }).collect();
    let members = format!(
        r#","expected_schema":{{"items":{{"type":"number"}}}},"submitted_output":[{}],"enforce_rules":true,"rules":[{{"type":"gte","field":"[]","value":1}}]"#,
        items.join(",")
    );
    answer(&members, |body| {
        assert_eq!(count(body, "errors_total"), 300);
        assert_eq!(body.get("errors").unwrap().len(), 250);
        assert_eq!(count(body, "errors_omitted"), 50);
        assert_eq!(body.get("errors_detail").unwrap().len(), 20);
        assert_eq!(
            (count(body, "errors_detail_total"), count(body, "errors_detail_omitted")),
            (20, 280)
        );
        assert_eq!(count(body, "flags_total"), 280);
        let flags = body.get("flags").unwrap();
        assert_eq!(flags.len(), 101);
        let marker = flags.element(100).unwrap();
        assert_eq!(marker.get("check").unwrap().as_str(), Some("flags_truncated"));
        assert_eq!(marker.get("detail").unwrap().as_str(), Some("180 more"));
        assert_eq!(count(body, "flags_omitted"), 180);
        assert_eq!((count(body, "hints_total"), count(body, "hints_omitted")), (430, 410));
        assert_eq!(body.get("hints").unwrap().len(), 20);
        let blocking = body.get("summary").unwrap().get("blocking_checks").unwrap();
        assert_eq!(
            blocking.elements().filter_map(Node::as_str).collect::<Vec<_>>(),
            ["type", "consistency:gte"]
        );
    });
}

#[test]
fn an_unhashable_part_is_flagged_last_and_never_cut() {
    let items = vec![r#""tbd""#; 150].join(",");
    let members =
        format!(r#","expected_schema":{{"const":1e400}},"submitted_output":[{items},"\ud800"]"#);
    answer(&members, |body| {
        let flags: Vec<_> = body.get("flags").unwrap().elements().collect();
        let checks: Vec<_> =
            flags.iter().map(|flag| flag.get("check").unwrap().as_str().unwrap()).collect();
        assert_eq!(checks[98..], ["unhashable_input", "unhashable_input", "flags_truncated"]);
        let fields: Vec<_> =
            flags.iter().map(|flag| flag.get("field").unwrap().as_str().unwrap()).collect();
        assert_eq!(fields[98..100], ["submitted_output", "expected_schema"]);
        assert_eq!((count(body, "flags_total"), count(body, "flags_omitted")), (152, 52));
        for hash in ["output_hash", "schema_hash", "request_hash", "rules_hash"] {
            assert!(body.get(hash).unwrap().is_null(), "{hash}");
        }
    });
}

#[test]
fn ratios_round_half_to_even_on_the_double() {
    let ratio = |passed, total| ratio(Tally { passed, total });
    assert_eq!(ratio(29, 30), Some(0.966_667));
    assert_eq!(ratio(7, 8), Some(0.875));
    assert_eq!(ratio(0, 0), None);
    assert_eq!(ratio(1, 1), Some(1.0));
    // 1/128 = 0.0078125 is exact: the tie goes to the even digit.
    assert_eq!(ratio(1, 128), Some(0.007_812));
    assert_eq!(ratio(3, 128), Some(0.023_438));
    for (tally, printed) in [
        ((1, 1), "1.0"),
        ((1, 2), "0.5"),
        ((1, 10_000), "0.0001"),
        // What Python prints below that.
        ((1, 20_000), "5e-05"),
        ((1, 78_125), "1.3e-05"),
        ((1, 1_000_000), "1e-06"),
        ((1, 3_000_000), "0.0"),
    ] {
        let rounded = ratio(tally.0, tally.1).unwrap();
        assert_eq!(Json::Float(rounded).to_line(), printed, "{tally:?}");
    }
}

#[test]
fn nothing_to_check_has_no_ratio() {
    answer(r#","expected_schema":{},"submitted_output":1"#, |body| {
        for score in ["schema_compliance", "integrity_checks", "overall"] {
            assert_eq!(
                body.get(score).unwrap().source().replace([' ', '\n'], ""),
                r#"{"ratio":null,"passed":0,"total":0}"#
            );
        }
        assert_eq!(body.get("result").unwrap().as_str(), Some("pass"));
    });
}

/// Every string below a value.
fn strings<'d>(node: Node<'d>, found: &mut Vec<&'d str>) {
    assert!(!node.has_lone_surrogate(), "a body is always signable");
    found.extend(node.as_str());
    node.elements().for_each(|element| strings(element, found));
    node.members().for_each(|member| strings(member.value, found));
}

#[test]
fn what_could_mislead_a_reader_is_escaped_wherever_data_is_shown() {
    // SPEC 10.1: C0, DEL, C1, bidi controls, lone surrogates, in names, values and paths.
    let odd = r"\u0000\n\u007f\u009b\u061c\u200e\u202e\u2066";
    let all = format!(r"{odd}\ud800");
    let members = format!(
        r#","strict_content_check":true,"enforce_rules":true,
        "expected_schema":{{
            "properties":{{
                "a{odd}":{{"type":"integer","const":"{all}","enum":["{all}"],"pattern":"^{odd}$","format":"date","minLength":99}},
                "o":{{"required":["r{odd}"],"additionalProperties":false,"propertyNames":{{"maxLength":1}},"dependentRequired":{{"x{all}":["y{odd}"]}}}},
                "list":{{"uniqueItems":true,"contains":{{"const":"{odd}"}},"items":{{"anyOf":[{{"const":"{odd}"}},false]}}}}
            }},
            "required":["m{odd}"]
        }},
        "submitted_output":{{
            "a{odd}":"{all}","o":{{"x{all}":"{all}"}},"list":["tbd{odd}","tbd","tbd"],
            "cut":"{all}...","<script>{odd}":"<script>{all}","d{odd}":"2026-99-99","n":1
        }},
        "bounds":{{"a{odd}":{{"min":1}},"nope{odd}":{{"max":2}},"n":{{"min":"2026-01-01"}},"bad..{odd}":{{"min":1}}}},
        "rules":[
            {{"type":"sum_equals","field":"a{odd}","equals_field":"n{odd}"}},
            {{"type":"gte","field":"d{odd}","value":"{odd}"}},
            {{"type":"lte","field":"n","other_field":"a{odd}"}},
            {{"type":"exists_in","field":"a{odd}","values":["{odd}"]}},
            {{"type":"exists_in","field":"list[]","in_field":"o{odd}"}},
            {{"type":"unique","field":"list[]"}}
        ]"#
    );
    answer(&members, |body| {
        let misleading = |text: &&str| text.chars().any(|c| is_control(c) || is_bidi_control(c));
        let mut shown = Vec::new();
        for name in ["errors", "errors_detail", "flags", "hints", "summary"] {
            strings(body.get(name).unwrap(), &mut shown);
        }
        let mut bad = shown.clone();
        bad.retain(misleading);
        assert!(bad.is_empty(), "{bad:#?}");
        for written in [r"\u0000", r"\u009b", r"\u202e", r"\ud800"] {
            assert!(shown.iter().any(|text| text.contains(written)), "{written} is not shown");
        }
        assert!(count(body, "errors_total") > 20);
    });
}

#[test]
fn only_enforced_findings_fail_the_result() {
    let members = |enforced: bool| {
        format!(
            r#","expected_schema":{{}},"submitted_output":{{"a":"tbd","b":2}},"enforce_rules":{enforced},
            "bounds":{{"b":{{"max":1}}}}"#
        )
    };
    for (enforced, result, severity) in [(false, "pass", "info"), (true, "fail", "error")] {
        answer(&members(enforced), |body| {
            let text = |node: Node<'_>, name: &str| node.get(name).unwrap().source().to_owned();
            assert_eq!(text(body, "result"), format!("\"{result}\""));
            assert_eq!(text(body.get("summary").unwrap(), "result"), format!("\"{result}\""));
            let flags = body.get("flags").unwrap();
            // A placeholder never fails by itself.
            assert_eq!(text(flags.element(0).unwrap(), "check"), "\"placeholder_content\"");
            assert_eq!(text(flags.element(0).unwrap(), "severity"), "\"info\"");
            assert_eq!(text(flags.element(1).unwrap(), "check"), "\"bounds\"");
            assert_eq!(text(flags.element(1).unwrap(), "severity"), format!("\"{severity}\""));
            assert_eq!(count(body, "errors_total"), u64::from(enforced));
            assert_eq!(count(body, "hints_total"), 2);
        });
    }
}
