use super::*;
use crate::check::{Work, check};
use crate::json::{MAX_DEPTH, Node, read};
use crate::request::{UnknownFields, parse};

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
    assert_eq!(Json::Float(1.0).to_line(), "1.0");
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
