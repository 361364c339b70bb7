use super::*;
use crate::check::{Verdict, Work, check};
use crate::json::{Document, MAX_DEPTH, read};
use crate::template::{TEMPLATE_DEPTH, Template};
use proptest::prelude::*;

fn documents(texts: &[&str]) -> Vec<Document> {
    texts.iter().map(|text| read(*text, MAX_DEPTH).unwrap()).collect()
}

fn inferred(texts: &[&str]) -> (Inference, Value) {
    let documents = documents(texts);
    let samples: Vec<_> = documents.iter().map(Document::root).collect();
    let inference = infer(&samples, Values::Shown);
    let value: Value = serde_json::from_str(&inference.text).unwrap();
    (inference, value["template"].clone())
}

/// Whether the template says that an output passes.
fn passes(template: &str, output: &str) -> bool {
    let template = read(template, TEMPLATE_DEPTH).unwrap();
    let output = read(output, MAX_DEPTH).unwrap();
    let template = Template::parse(template.root()).unwrap();
    let request = template.request(output.root()).unwrap();
    check(&request, Work::Inline).unwrap().verdict() == Verdict::Pass
}

fn doubt<'i>(inference: &'i Inference, place: &str, claim: &str) -> Option<&'i str> {
    let mut found = inference
        .evidence
        .iter()
        .filter(|evidence| evidence.place == place && evidence.claim == claim);
    let evidence = found
        .next()
        .unwrap_or_else(|| panic!("nothing about {place} {claim}: {:#?}", inference.evidence));
    evidence.doubt.as_deref()
}

const INVOICES: [&str; 3] = [
    r#"{"id":"INV-1","issue_date":"2026-03-01","due_date":"2026-03-31","currency":"EUR",
        "items":[{"id":"a","qty":2,"amount":20.50},{"id":"b","qty":1,"amount":9.50}],"total":30.00}"#,
    r#"{"id":"INV-2","issue_date":"2026-03-02","due_date":"2026-03-02","currency":"EUR","note":"x",
        "items":[{"id":"a","qty":1,"amount":0.10},{"id":"c","qty":3,"amount":0.20}],"total":0.3}"#,
    r#"{"id":"INV-3","issue_date":"2026-03-03","due_date":"2026-04-01","currency":"USD",
        "items":[],"total":0}"#,
];

#[test]
fn an_invoice_gives_what_an_auditor_would_write() {
    let (inference, template) = inferred(&INVOICES);
    assert_eq!(
        template["rules"],
        serde_json::json!([
            {"type": "unique", "field": "items[].id"},
            {"type": "sum_equals", "field": "items[].amount", "equals_field": "total"},
            {"type": "lte", "field": "issue_date", "other_field": "due_date"},
        ])
    );
    assert_eq!(
        template["bounds"],
        serde_json::json!({"items[].qty": {"min": 0}, "items[].amount": {"min": 0}, "total": {"min": 0}})
    );
    let schema = &template["expected_schema"];
    assert_eq!(
        schema["required"],
        serde_json::json!(["id", "issue_date", "due_date", "currency", "items", "total"])
    );
    assert_eq!(schema["properties"]["issue_date"]["format"], "date");
    assert_eq!(schema["properties"]["items"]["items"]["properties"]["qty"]["type"], "integer");
    assert_eq!(schema["properties"]["total"]["type"], "number");
    assert_eq!(template["enforce_rules"], true);
    // Two samples have items; the one that is empty proves nothing.
    assert_eq!(doubt(&inference, "items[].amount", "sum equal to total"), None);
    assert_eq!(doubt(&inference, "issue_date", "not above due_date"), None);
    assert!(doubt(&inference, "note", "type string").unwrap().contains("single sample"));
    assert_eq!(inference.left_out, [""; 0]);
}

#[test]
fn it_finds_what_is_wrong_and_lets_pass_what_is_right() {
    let (inference, _) = inferred(&INVOICES);
    for good in INVOICES {
        assert!(passes(&inference.text, good), "{good}");
    }
    let invoice = |item: &str, total: &str, due: &str| {
        format!(
            r#"{{"id":"INV-9","issue_date":"2026-05-01","due_date":"{due}","currency":"CHF",
                "items":[{{"id":"a","qty":1,"amount":{item}}},{{"id":"b","qty":1,"amount":1}}],"total":{total}}}"#
        )
    };
    assert!(passes(&inference.text, &invoice("2.25", "3.25", "2026-05-01")));
    assert!(!passes(&inference.text, &invoice("2.25", "3.26", "2026-05-01")), "off by a cent");
    assert!(!passes(&inference.text, &invoice("-2", "-1", "2026-05-01")), "negative");
    assert!(!passes(&inference.text, &invoice("2", "3", "2026-04-30")), "due before issued");
    assert!(!passes(&inference.text, &invoice("2", "3", "soon")), "no date");
    assert!(!passes(&inference.text, &invoice("\"2\"", "3", "2026-05-01")), "text for a number");
}

#[test]
fn one_sample_leaves_everything_in_doubt() {
    let (inference, _) = inferred(&INVOICES[..1]);
    assert!(inference.evidence.iter().all(|evidence| evidence.doubt.is_some()));
}

#[test]
fn a_whole_amount_is_no_integer() {
    let texts = [r#"{"price":100,"count":3,"code":7}"#, r#"{"price":200,"count":4,"code":8}"#];
    let (inference, template) = inferred(&texts);
    let properties = &template["expected_schema"]["properties"];
    assert_eq!(properties["price"]["type"], "number");
    assert_eq!(properties["count"]["type"], "integer");
    assert_eq!(properties["code"]["type"], "number");
    assert!(doubt(&inference, "price", "type number").unwrap().contains("by accident"));
    assert!(doubt(&inference, "code", "type number").unwrap().contains("by accident"));
    assert_eq!(doubt(&inference, "count", "type integer"), None);
    let (_, template) = inferred(&[r#"{"count":1.0}"#, r#"{"count":2.0}"#]);
    assert_eq!(template["expected_schema"]["properties"]["count"]["type"], "number");
}

#[test]
fn what_does_not_hold_everywhere_is_no_rule() {
    let texts = [
        r#"{"min":1,"max":2,"items":[{"id":1},{"id":1}],"a":[{"v":1},{"v":2}],"total":3}"#,
        r#"{"min":3,"max":2,"items":[{"id":1},{"id":2}],"a":[{"v":1},{"v":2}],"total":4}"#,
    ];
    let (inference, template) = inferred(&texts);
    assert_eq!(template["rules"], serde_json::json!([]));
    assert_eq!(inference.left_out, ["min not above max: it is not so in every sample"]);
}

#[test]
fn absent_places_need_if_present() {
    let texts = [
        r#"{"parts":[{"part_id":"a"},{"part_id":"b"}],"weight":5}"#,
        r#"{"parts":[{"part_id":"a"},{}]}"#,
    ];
    let (_, template) = inferred(&texts);
    assert_eq!(
        template["rules"],
        serde_json::json!([{"type": "unique", "field": "parts[].part_id", "if_present": true}])
    );
    assert_eq!(template["bounds"], serde_json::json!({"weight": {"min": 0, "if_present": true}}));
}

#[test]
fn signs_follow_from_the_values_and_the_name() {
    let texts = [
        r#"{"latitude":48.1,"longitude":190,"temperature":3,"confidence":0.5,"price":0,"loss":1}"#,
        r#"{"latitude":50.0,"longitude":11.6,"temperature":9,"confidence":1,"price":-1,"loss":2}"#,
    ];
    let (_, template) = inferred(&texts);
    assert_eq!(
        template["bounds"],
        serde_json::json!({"latitude": {"min": -90, "max": 90}, "confidence": {"min": 0, "max": 1}})
    );
}

#[test]
fn enums_are_only_those_that_are_evident() {
    let words = ["up", "down"].repeat(4);
    let texts: Vec<String> =
        words.iter().map(|word| format!(r#"{{"state":"{word}","kind":"x"}}"#)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (_, template) = inferred(&texts);
    let properties = &template["expected_schema"]["properties"];
    assert_eq!(properties["state"]["enum"], serde_json::json!(["down", "up"]));
    assert_eq!(properties["kind"].get("enum"), None);
    let (_, template) = inferred(&texts[..7]);
    assert_eq!(template["expected_schema"]["properties"]["state"].get("enum"), None);
}

#[test]
fn null_alone_says_nothing() {
    let (inference, template) = inferred(&[r#"{"a":null,"b":null}"#, r#"{"a":null,"b":1}"#]);
    let properties = &template["expected_schema"]["properties"];
    assert_eq!(properties["a"], serde_json::json!({}));
    assert_eq!(properties["b"]["type"], serde_json::json!(["number", "null"]));
    assert!(doubt(&inference, "a", "any value").is_some());
    assert_eq!(template["bounds"], serde_json::json!({}));
}

#[test]
fn names_that_are_data_are_not_described_one_by_one() {
    let (_, template) =
        inferred(&[r#"{"rates":{"2026-01-01":1.5,"2026-01-02":1.25,"2026-01-03":2}}"#]);
    assert_eq!(
        template["expected_schema"]["properties"]["rates"],
        serde_json::json!({"type": "object", "additionalProperties": {"type": "number"}})
    );
}

#[test]
fn odd_outputs_are_accepted_too() {
    let deep = format!("{}1{}", r#"{"a":["#.repeat(64), "]}".repeat(64));
    let wide =
        format!("{{{}}}", (0..300).map(|n| format!(r#""k{n}":{n}"#)).collect::<Vec<_>>().join(","));
    for text in [
        "null",
        "[]",
        "1e400",
        r#""\ud800""#,
        r#"{"\ud800":1,"":{"":[1]},"a.b":2,"$":[{"id":1},{"id":2}],"x[]":3}"#,
        r#"{"$ref":"x","$schema":1,"properties":{"type":"y"},"$id":"z"}"#,
        r#"{"$serde_json::private::Number":"12"}"#,
        r#"[1,"a",null,{"b":[]},[{"b":1}]]"#,
        r#"{"total":1e500,"items":[{"v":1e500},{"v":0}]}"#,
        &deep,
        &wide,
    ] {
        let documents = documents(&[text, text]);
        let inference =
            infer(&documents.iter().map(Document::root).collect::<Vec<_>>(), Values::Shown);
        assert!(passes(&inference.text, text), "{text}\n{}", inference.text);
    }
    assert!(passes(&inferred(&[]).0.text, "17"));
}

#[test]
fn no_more_clauses_than_a_request_may_have() {
    let wide = |factor: u32| {
        let members: Vec<_> = (1..=60).map(|n| format!(r#""size_{n}":{}"#, n * factor)).collect();
        format!("{{{}}}", members.join(","))
    };
    let (inference, template) = inferred(&[&wide(1), &wide(2)]);
    assert_eq!(template["bounds"].as_object().unwrap().len(), 50);
    assert_eq!(inference.left_out, ["10 more bounds: a request has at most 50"]);
}

/// Outputs with the names and values that candidates are made from.
fn outputs() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        (-3i32..6).prop_map(|number| number.to_string()),
        (-3i32..6).prop_map(|number| format!("{number}.5")),
        (1u32..13).prop_map(|month| format!("\"2026-{month:02}-03\"")),
        "[a-c@:/.]{0,3}".prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = prop_oneof![
            Just("id"),
            Just("total"),
            Just("min"),
            Just("max"),
            Just("items"),
            Just("price"),
            Just("count"),
            Just("confidence"),
            Just("created_at"),
            Just("updated_at"),
            Just("a.b"),
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|elements| format!("[{}]", elements.join(","))),
            proptest::collection::btree_map(name, inner, 0..5).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_sample_is_ever_rejected(texts in proptest::collection::vec(outputs(), 1..4)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (inference, _) = inferred(&texts);
        for text in &texts {
            prop_assert!(passes(&inference.text, text), "{}\n{}", text, inference.text);
        }
        // The same again, byte for byte; and nothing had to be given up.
        prop_assert_eq!(&inferred(&texts).0, &inference);
        let given_up = inference.left_out.iter().any(|reason| reason.contains("rejected"));
        prop_assert!(!given_up, "{:?}", inference.left_out);
    }
}
