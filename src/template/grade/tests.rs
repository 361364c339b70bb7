use super::*;
use crate::json::{Document, MAX_DEPTH, read};
use crate::template::TEMPLATE_DEPTH;

fn template(schema: &str, clauses: &str) -> Document {
    let text = format!(
        r#"{{"schema":"verification-template/1","label":"x","template":{{"expected_schema":{schema}{clauses}}}}}"#
    );
    read(text, TEMPLATE_DEPTH).unwrap()
}

fn graded(schema: &str, clauses: &str, output: Option<&str>) -> Grade {
    let document = template(schema, clauses);
    let output = output.map(|text| read(text, MAX_DEPTH).unwrap());
    let template = Template::parse(document.root()).unwrap();
    grade(&template, output.as_ref().map(Document::root))
}

/// The remarks of one kind: place and message.
fn remarks(grade: &Grade, kind: RemarkKind) -> Vec<(&str, &str)> {
    let all = grade.remarks.iter().filter(|remark| remark.kind == kind);
    all.map(|remark| (remark.at.trim_start_matches("$.template."), &*remark.message)).collect()
}

fn fixes(grade: &Grade, kind: RemarkKind) -> Vec<&str> {
    let all = grade.remarks.iter().filter(|remark| remark.kind == kind);
    all.map(|remark| &*remark.fix).collect()
}

#[test]
fn keywords_that_do_nothing() {
    let grade = graded(
        r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string","nullable":true,"minimum":3,"then":{}}}}"#,
        "",
        None,
    );
    assert_eq!(
        remarks(&grade, RemarkKind::DoesNothing),
        [
            (
                "expected_schema.properties.a.nullable",
                "nullable does nothing: it is a word of OpenAPI 3.0, not of JSON Schema"
            ),
            (
                "expected_schema.properties.a.minimum",
                "minimum does nothing here: it is about numbers, and type is string"
            ),
            ("expected_schema.properties.a.then", "then does nothing without if"),
        ]
    );
}

#[test]
fn misspelt_keywords_get_a_suggestion() {
    let grade = graded(
        r#"{"type":"object","requierd":["a"],"properties":{"a":{"type":"string","minlength":1,"regex":"x","colour":1,"x-ok":1,"title":"t"}}}"#,
        "",
        None,
    );
    assert_eq!(
        fixes(&grade, RemarkKind::Misspelt),
        ["Did you mean required?", "Did you mean minLength?", "Did you mean pattern?"]
    );
    assert_eq!(
        remarks(&grade, RemarkKind::DoesNothing),
        [(
            "expected_schema.properties.a.colour",
            "colour does nothing: it is no keyword of JSON Schema"
        )]
    );
    let grade = graded(
        r#"{"type":"object","required":["totl","other"],"properties":{"total":{"type":"number"}}}"#,
        "",
        None,
    );
    assert_eq!(fixes(&grade, RemarkKind::Misspelt), ["Did you mean total?"]);
}

#[test]
fn drafts_differ() {
    let old = "\"$schema\":\"http://json-schema.org/draft-07/schema#\"";
    let grade = graded(
        &format!(
            r##"{{{old},"definitions":{{"d":{{"type":"string"}}}},"properties":{{"a":{{"$ref":"#/definitions/d","maxLength":3}}}},"dependentRequired":{{}}}}"##
        ),
        "",
        None,
    );
    assert_eq!(
        remarks(&grade, RemarkKind::DoesNothing),
        [
            (
                "expected_schema.properties.a.maxLength",
                "maxLength does nothing beside $ref: up to draft-07, $ref stands alone"
            ),
            (
                "expected_schema.dependentRequired",
                "dependentRequired does nothing in draft-07, only in draft 2019-09 and later"
            ),
        ]
    );
    // In 2020-12 the same reference has siblings.
    let grade = graded(
        r##"{"$defs":{"d":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/d","maxLength":3}}}"##,
        "",
        None,
    );
    assert_eq!(remarks(&grade, RemarkKind::DoesNothing), []);
    // The boolean of draft-04 makes the schema unsound, and the grade says why.
    let grade = graded(r#"{"type":"number","minimum":0,"exclusiveMinimum":true}"#, "", Some("1"));
    assert_eq!(
        remarks(&grade, RemarkKind::DoesNothing),
        [(
            "expected_schema.exclusiveMinimum",
            "exclusiveMinimum with true or false is draft-04, not draft 2020-12"
        )]
    );
    assert!(grade.invalid.is_some());
    assert_eq!(grade.trial, Trial::Unusable);
}

#[test]
fn formats_nobody_knows() {
    let grade = graded(
        r#"{"type":"array","items":{"type":"string","format":"datetime"},"contains":{"format":"colour"},"maxItems":9}"#,
        "",
        None,
    );
    assert_eq!(
        fixes(&grade, RemarkKind::UnknownFormat),
        ["Did you mean date-time?", "Use pattern, if it matters."]
    );
}

#[test]
fn what_nothing_constrains() {
    let grade = graded(
        r##"{"type":"object","required":["a","z"],"properties":{"a":{},"b":{"type":"object"},"c":{"type":"array"},"d":{"$ref":"#/properties/a"},"e":{"anyOf":[{"type":"string"},{"type":"null"}]},"f":{"description":"x"}}}"##,
        "",
        None,
    );
    assert_eq!(
        remarks(&grade, RemarkKind::NothingConstrains),
        [
            (
                "expected_schema.required[1]",
                "z in the output must be there, but may be anything, null too"
            ),
            ("expected_schema.properties.a", "a may be anything, null too"),
            ("expected_schema.properties.b", "b may hold any members, or none"),
            ("expected_schema.properties.c", "c may hold any elements"),
            ("expected_schema.properties.d", "d may be anything, null too"),
            ("expected_schema.properties.f", "f may be anything, null too"),
        ]
    );
    assert_eq!(
        remarks(&grade, RemarkKind::MayBeMissing),
        [("expected_schema", "the output may lack b, c, d, e, f")]
    );
}

#[test]
fn totals_are_compared_or_not() {
    const SCHEMA: &str = r#"{"type":"object","required":["total","items"],"properties":{"total":{"type":"number"},"total_pages":{"type":"integer"},"items":{"type":"array","items":{"type":"object","required":["price"],"properties":{"price":{"type":"number"}}}}}}"#;
    let grade = graded(SCHEMA, "", None);
    assert_eq!(
        remarks(&grade, RemarkKind::TotalNotCompared),
        [(
            "expected_schema.properties.total",
            "no rule compares total with what it is the total of"
        )]
    );
    let rules = r#","enforce_rules":true,"rules":[{"type":"sum_equals","field":"items[].price","equals_field":"$.total"}]"#;
    let grade = graded(SCHEMA, rules, None);
    assert_eq!(remarks(&grade, RemarkKind::TotalNotCompared), []);
    assert_eq!(remarks(&grade, RemarkKind::CannotRun), []);
}

#[test]
fn rules_that_can_never_run() {
    const SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"properties":{"n":{"type":"number"},"s":{"type":"string"},"o":{"type":"object","properties":{"amount":{"type":"number"}}},"l":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"v":{"type":"number"}}}}}}"#;
    let one = |rule: &str| {
        let grade = graded(SCHEMA, &format!(r#","enforce_rules":true,"rules":[{rule}]"#), None);
        let found: Vec<_> = remarks(&grade, RemarkKind::CannotRun)
            .into_iter()
            .map(|(_, message)| message.to_owned())
            .collect();
        assert!(found.len() <= 1, "{found:?}");
        found.into_iter().next().unwrap_or_default()
    };
    for sound in [
        r#"{"type":"sum_equals","field":"l[].v","equals_field":"n"}"#,
        r#"{"type":"unique","field":"l[].id"}"#,
        r#"{"type":"unique","field":"l"}"#,
        r#"{"type":"lte","field":"l[].v","other_field":"n"}"#,
        r#"{"type":"exists_in","field":"l[].id","in_field":"s"}"#,
    ] {
        assert_eq!(one(sound), "", "{sound}");
    }
    for (rule, said) in [
        (r#"{"type":"unique","field":"l[0].id"}"#, "is no path"),
        (r#"{"type":"unique","field":"l.id"}"#, "the type of l is array, not object"),
        (r#"{"type":"unique","field":"n"}"#, "a single value"),
        (r#"{"type":"unique","field":"list[].id"}"#, "the schema refuses list"),
        (r#"{"type":"gte","field":"o.amout","value":0}"#, "does not describe o.amout"),
        (r#"{"type":"sum_equals","field":"l[].v"}"#, "nothing to compare with"),
        (r#"{"type":"sum_equals","field":"l[].id","equals_field":"n"}"#, "only numbers add up"),
        (r#"{"type":"sum_equals","field":"n","equals_field":"l[].v"}"#, "exactly one element"),
        (r#"{"type":"lte","field":"n","other_field":"l[].v"}"#, "the same arrays"),
        (r#"{"type":"lte","field":"n","other_field":"n"}"#, "with itself"),
        (r#"{"type":"gte","field":"o","value":1}"#, "only numbers and dates compare"),
    ] {
        let message = one(rule);
        assert!(message.contains(said), "{rule}: {message}");
    }
    let grade = graded(SCHEMA, r#","bounds":{"o.amout":{"min":0},"n":{}}"#, None);
    assert_eq!(
        fixes(&grade, RemarkKind::CannotRun),
        ["Did you mean amount?", "Give it one of them."]
    );
    assert_eq!(remarks(&grade, RemarkKind::AdvisoryOnly).len(), 1);
    let rules = r#","enforce_rules":true,"rules":[{"type":"unique","field":"l[].id","tolerance":1},{"type":"gte","field":"n","other_field":"o.amount","value":3}]"#;
    let grade = graded(SCHEMA, rules, None);
    let messages: Vec<_> =
        remarks(&grade, RemarkKind::DoesNothing).into_iter().map(|(_, message)| message).collect();
    assert_eq!(
        messages,
        ["tolerance does nothing in a unique rule", "value does nothing beside other_field"]
    );
}

fn report(grade: &Grade) -> &TrialReport {
    match &grade.trial {
        Trial::Broken(report) => report,
        other => panic!("{other:?}"),
    }
}

fn passing(grade: &Grade) -> Vec<(&str, &str)> {
    let breakages = report(grade).breakages.iter();
    breakages
        .filter(|breakage| !matches!(breakage.caught, Caught::By(_)))
        .map(|breakage| (breakage.how, &*breakage.place))
        .collect()
}

const ORDER: &str = r#"{"total": 3.50, "items": [ {"id":"a","v":1.25}, {"id":"b","v":2.25} ]}"#;
const ORDER_SCHEMA: &str = r#"{"type":"object","required":["total","items"],"properties":{"total":{"type":"number"},"items":{"type":"array","items":{"type":"object","required":["id","v"],"properties":{"id":{"type":"string"},"v":{"type":"number","minimum":0}}}}}}"#;

#[test]
fn breakages_that_still_pass() {
    let grade = graded(ORDER_SCHEMA, "", Some(ORDER));
    // The root: null, wrong type. total: missing, null, wrong type, negative, off by one cent.
    // items: missing, null, wrong type, duplicated. An element: null, wrong type. id: missing,
    // null, wrong type. v: missing, null, wrong type, below the minimum.
    assert_eq!(report(&grade).breakages.len(), 20);
    assert_eq!(
        passing(&grade),
        [("negative", "$.total"), ("off by one cent", "$.total"), ("duplicated", "$.items")]
    );
    assert_eq!(report(&grade).caught(), 17);
    let rules = r#","enforce_rules":true,"bounds":{"total":{"min":0}},"rules":[{"type":"sum_equals","field":"items[].v","equals_field":"total"},{"type":"unique","field":"items[].id"}]"#;
    let grade = graded(ORDER_SCHEMA, rules, Some(ORDER));
    // Two more: v off by one cent, the id of b duplicated. "negative" became "below the minimum".
    assert_eq!(report(&grade).breakages.len(), 22);
    assert_eq!(passing(&grade), []);
    // Advisory rules see it, and let it pass.
    let grade = graded(ORDER_SCHEMA, &rules.replace("true", "false"), Some(ORDER));
    assert_eq!(passing(&grade).len(), 5);
    assert!(report(&grade).breakages.iter().any(|breakage| {
        breakage.how == "off by one cent"
            && breakage.caught == Caught::Flagged("consistency:sum_equals at items[].v".to_owned())
    }));
}

#[test]
fn what_is_allowed_in_so_many_words_is_no_breakage() {
    let grade = graded(
        r#"{"type":["object","null"],"properties":{"a":{"type":["string","null"]},"b":{"type":["string","number"]}},"required":["a"],"additionalProperties":false}"#,
        "",
        Some(r#"{"a":"x","b":1}"#),
    );
    let all: Vec<_> =
        report(&grade).breakages.iter().map(|breakage| (breakage.how, &*breakage.place)).collect();
    assert_eq!(
        all,
        [
            ("wrong type", "$"),
            ("missing", "$.a"),
            ("wrong type", "$.a"),
            ("missing", "$.b"),
            ("null", "$.b"),
            ("wrong type", "$.b"),
            ("negative", "$.b"),
            ("unexpected member", "$"),
        ]
    );
    assert_eq!(passing(&grade), [("missing", "$.b"), ("negative", "$.b")]);
}

#[test]
fn dates_pairs_and_values() {
    let grade = graded(
        r#"{"type":"object","required":["start","end","kind","n","url"],"properties":{"start":{"type":"string","format":"date"},"end":{"type":"string"},"kind":{"enum":["x"]},"n":{"type":"integer","maximum":5},"url":{"type":"string","pattern":"^h","minLength":1}}}"#,
        r#","enforce_rules":true,"bounds":{"start":{"min":"2026-01-01"}}"#,
        Some(r#"{"start":"2026-02-01","end":"2026-03-01","kind":"x","n":3,"url":"h"}"#),
    );
    let how = |place: &str| -> Vec<&str> {
        let breakages = report(&grade).breakages.iter();
        breakages.filter(|breakage| breakage.place == place).map(|breakage| breakage.how).collect()
    };
    assert_eq!(
        how("$.start"),
        ["missing", "null", "wrong type", "malformed", "below the minimum", "out of order"]
    );
    assert_eq!(how("$.kind"), ["missing", "null", "wrong type", "not among the values"]);
    assert_eq!(
        how("$.n"),
        ["missing", "null", "wrong type", "a fraction", "negative", "above the maximum"]
    );
    assert_eq!(how("$.url"), ["missing", "null", "wrong type", "malformed", "empty"]);
    assert_eq!(passing(&grade), [("negative", "$.n"), ("out of order", "$.start")]);
}

#[test]
fn an_output_that_fails_is_not_broken_further() {
    let grade = graded(ORDER_SCHEMA, "", Some("{}"));
    assert_eq!(
        grade.trial,
        Trial::Rejected(vec!["required at $.total".to_owned(), "required at $.items".to_owned()])
    );
}

#[test]
fn recursive_and_hostile_templates_end() {
    let recursive = r##"{"type":"object","properties":{"child":{"$ref":"#"},"kids":{"type":"array","items":{"$ref":"#"}}}}"##;
    let output = format!("{}{{}}{}", r#"{"child":"#.repeat(60), "}".repeat(60));
    let grade = graded(recursive, "", Some(&output));
    assert!(matches!(grade.trial, Trial::Broken(_)));
    for schema in [
        "1",
        "[]",
        "null",
        r##"{"$ref":"#/nope"}"##,
        r#"{"type":7,"required":"x","properties":[]}"#,
    ] {
        let grade = graded(
            schema,
            r#","rules":[{"type":"unique"}],"bounds":7,"enforce_rule":1"#,
            Some("1"),
        );
        assert!(grade.invalid.is_some(), "{schema}");
        assert_eq!(grade.trial, Trial::Unusable);
    }
}

#[test]
fn a_large_output_is_not_broken_in_all_ways() {
    let members = |make: &dyn Fn(u32) -> String| -> String {
        (0..2500).map(make).collect::<Vec<_>>().join(",")
    };
    // 5,002 values, members included, leave room for 3,998 breakages of more than 5,000.
    let output = format!("{{{}}}", members(&|n| format!(r#""k{n}":true"#)));
    let changes = 2 + 3 * 2500;
    let document = read(&*output, MAX_DEPTH).unwrap();
    let room = trial::room(document.value_count(), changes);
    assert!(room < changes && room >= 3900, "{room}");
    let chosen: Vec<_> = (0..changes).filter(|at| trial::is_chosen(*at, room, changes)).collect();
    assert_eq!(chosen.len(), room);
    assert!(chosen.first() < Some(&3) && chosen.last() == Some(&(changes - 1)));
    assert_eq!(trial::room(3, 20), 20);
    assert!((0..20).all(|at| trial::is_chosen(at, 20, 20)));
}
