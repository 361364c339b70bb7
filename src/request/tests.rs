use super::*;
use crate::json::{MAX_DEPTH, read};

fn problems(text: &str) -> Vec<(String, String, String)> {
    let document = read(text, MAX_DEPTH + 1).expect("JSON");
    parse(document.root(), UnknownFields::Refuse)
        .err()
        .unwrap_or_default()
        .into_iter()
        .map(|problem| (problem.field, problem.problem, problem.fix))
        .collect()
}

fn fields(text: &str) -> Vec<String> {
    problems(text).into_iter().map(|(field, ..)| field).collect()
}

#[test]
fn every_problem_is_reported_at_once() {
    let found = fields(
        r#"{"task_id":"","submitted_output":null,"agent_id":7,"strict_content_check":"true","bounds":{"a[].b":{"min":"x","max":true}},
            "rules":[{"type":"sum_equal","field":"a"},{"field":3,"type":"gte","tolerance":-1,"if_present":null}],"enforce_rules":1,"detail":"short"}"#,
    );
    for field in [
        "task_id",
        "expected_schema",
        "agent_id",
        "strict_content_check",
        "bounds['a[].b'].min",
        "bounds['a[].b'].max",
        "rules[0].type",
        "rules[1].field",
        "rules[1].tolerance",
        "rules[1].if_present",
        "enforce_rules",
        "detail",
    ] {
        assert!(found.iter().any(|known| known == field), "{field} in {found:?}");
    }
    assert_eq!(found.len(), 12, "{found:?}");
}

#[test]
fn the_wording_of_an_unknown_rule_type_is_the_hosted_one() {
    let found = problems(
        r#"{"task_id":"t","expected_schema":{},"submitted_output":1,"rules":[{"type":"sum_equal","field":"a"}]}"#,
    );
    let expected = (
        "rules[0].type",
        "is not one of the allowed values",
        "Use one of: 'sum_equals', 'gte', 'lte', 'exists_in' or 'unique'.",
    );
    assert_eq!(found, [(expected.0.to_owned(), expected.1.to_owned(), expected.2.to_owned())]);
}

#[test]
fn types_are_not_coerced() {
    let with = |member: &str| {
        fields(&format!(
            r#"{{"task_id":"t","expected_schema":{{}},"submitted_output":1,{member}}}"#
        ))
    };
    for (member, field) in [
        (r#""agent_id":1"#, "agent_id"),
        (r#""enforce_rules":null"#, "enforce_rules"),
        (r#""enforce_rules":1"#, "enforce_rules"),
        (r#""detail":null"#, "detail"),
        (r#""rules":{}"#, "rules"),
        (r#""bounds":[]"#, "bounds"),
        (r#""bounds":{"a":{"min":true}}"#, "bounds.a.min"),
        (r#""bounds":{"a":{"min":2,"max":1}}"#, "bounds.a.min"),
        (r#""bounds":{"a":{"min":"2026-01-01","max":3}}"#, "bounds.a.min"),
        (r#""rules":[{"type":"gte","field":"a","tolerance":"5"}]"#, "rules[0].tolerance"),
        (r#""rules":[{"type":"gte","field":"a","tolerance":1e401}]"#, "rules[0].tolerance"),
        (r#""rules":[{"type":"gte","field":"a","tolerance":1e-401}]"#, "rules[0].tolerance"),
        (r#""rules":[{"type":"gte","field":"a","tolerance":null}]"#, "rules[0].tolerance"),
        (r#""rules":[{"type":"exists_in","field":"a","values":"x"}]"#, "rules[0].values"),
        (r#""rules":[7]"#, "rules[0]"),
        (r#""rules":[{"type":"gte","field":"a","value":1e400}]"#, "rules[0].value"),
        (r#""bounds":{"\ud800":{"min":1}}"#, r"bounds['\ud800']"),
        (r#""agent_id":"\udc00""#, "agent_id"),
    ] {
        assert_eq!(with(member).first().map(String::as_str), Some(field), "{member}");
    }
    for member in [
        r#""agent_id":null"#,
        r#""bounds":null,"rules":null"#,
        r#""bounds":{},"rules":[]"#,
        r#""rules":[{"type":"gte","field":"a","value":null,"equals":null}]"#,
    ] {
        assert!(with(member).is_empty(), "{member}");
    }
}

#[test]
fn ids_count_code_points() {
    let with = |id: &str| {
        fields(&format!(r#"{{"task_id":"{id}","expected_schema":{{}},"submitted_output":1}}"#))
    };
    assert!(with(&"🧾".repeat(200)).is_empty());
    assert_eq!(with(&"a".repeat(201)), ["task_id"]);
    assert_eq!(with(r"a\u007f"), ["task_id"]);
    assert!(with(r"a\u0080").is_empty());
}

#[test]
fn unknown_fields_are_refused_with_the_nearest_name_or_ignored() {
    let text = r#"{"task_id":"t","expected_schema":{},"submitted_output":1,"enforce_rule":true,
        "rules":[{"type":"unique","field":"a","feild":1}],"bounds":{"a":{"minimum":1,"x\u202e":2}}}"#;
    let found = problems(text);
    let expected = [
        ("enforce_rule", "Did you mean enforce_rules?"),
        ("bounds.a.minimum", "Did you mean min?"),
        (r"bounds.a['x\u202e']", "Remove it, or use one of: if_present, max, min."),
        ("rules[0].feild", "Did you mean field?"),
    ];
    for (field, fix) in expected {
        assert!(
            found.iter().any(|(known, _, given)| known == field && given == fix),
            "{field} {fix} {found:?}"
        );
    }
    assert_eq!(found.len(), expected.len());
    let document = read(text, MAX_DEPTH + 1).unwrap();
    assert!(parse(document.root(), UnknownFields::Ignore).is_ok());
}

#[test]
fn at_most_fifty_clauses() {
    let rules = |count: usize| vec![r#"{"type":"unique","field":"a"}"#; count].join(",");
    let with = |count| {
        fields(&format!(
            r#"{{"task_id":"t","expected_schema":{{}},"submitted_output":1,"rules":[{}]}}"#,
            rules(count)
        ))
    };
    assert!(with(50).is_empty());
    assert_eq!(with(51), ["rules"]);
}

/// As `field problem`, of a request with these members.
fn faults(members: &str) -> Vec<String> {
    let text = format!(r#"{{"task_id":"t","expected_schema":{{}},"submitted_output":1{members}}}"#);
    problems(&text).into_iter().map(|(field, problem, _)| format!("{field} {problem}")).collect()
}

#[test]
fn what_has_no_canonical_form_is_named_once_with_its_place() {
    for (members, expected) in [
        (r#","agent_id":"\ud800""#, "agent_id has a lone surrogate"),
        (r#","bounds":{"a\ud800":{"min":1}}"#, r"bounds['a\ud800'] has a lone surrogate"),
        (r#","bounds":{"a":{"max":1e400}}"#, "bounds.a.max is too large for a double"),
        (r#","bounds":{"a":{"max":"\ud800"}}"#, "bounds.a.max has a lone surrogate"),
        (r#","rules":[{"type":"unique","field":"\ud800"}]"#, "rules[0].field has a lone surrogate"),
        (
            r#","rules":[{"type":"exists_in","field":"a","values":[1,{"x":[2,1e400]}]}]"#,
            "rules[0].values[1].x[1] is too large for a double",
        ),
        (
            r#","rules":[{"type":"exists_in","field":"a","values":[{"\udfff":1}]}]"#,
            r"rules[0].values[0]['\udfff'] has a lone surrogate",
        ),
    ] {
        assert_eq!(faults(members), [expected], "{members}");
    }
    // An ignored field is a part of the request all the same.
    for members in [r#","x":1e400"#, r#","\ud800":1"#, r#","x":[{"\ud800":1}]"#] {
        let text =
            format!(r#"{{"task_id":"t","expected_schema":{{}},"submitted_output":1{members}}}"#);
        let document = read(text, MAX_DEPTH + 1).expect("JSON");
        let problems = parse(document.root(), UnknownFields::Ignore).unwrap_err();
        assert_eq!(problems.len(), 1, "{members}");
    }
    let text =
        r#"{"task_id":"t","expected_schema":{"\ud800":1e400},"submitted_output":["\udc00",1e400]}"#;
    assert_eq!(problems(text), []);
}

#[test]
fn a_tolerance_is_a_double_that_is_not_negative() {
    let of = |tolerance: &str| {
        faults(&format!(r#","rules":[{{"type":"gte","field":"a","tolerance":{tolerance}}}]"#))
    };
    for fine in ["0", "-0.0", "1", "0.01", "1e-400", "1e308", "10000000000000000000000"] {
        assert!(of(fine).is_empty(), "{fine}");
    }
    assert_eq!(of("-0.01"), ["rules[0].tolerance is negative"]);
    assert_eq!(of("1e-401"), ["rules[0].tolerance has an exponent beyond ±400"]);
    // 10^309: exact digits elsewhere, but no double.
    for infinite in ["1e309", "1e401", &format!("1{}", "0".repeat(309))] {
        assert_eq!(of(infinite), ["rules[0].tolerance is too large for a double"], "{infinite}");
    }
}

#[test]
fn the_problems_of_a_hostile_request_have_an_end() {
    let wrong = vec!["5"; 10_000].join(",");
    assert_eq!(faults(&format!(r#","rules":[{wrong}]"#)).len(), 51);
    let surrogates = vec![r#"{"type":"unique","field":"\ud800"}"#; 10_000].join(",");
    assert_eq!(faults(&format!(r#","rules":[{surrogates}]"#)).len(), 2);
    let numbers = vec!["1e400"; 10_000].join(",");
    assert_eq!(
        faults(&format!(
            r#","rules":[{{"type":"exists_in","field":"\ud800","values":[{numbers}]}}]"#
        )),
        ["rules[0].field has a lone surrogate", "rules[0].values[0] is too large for a double",]
    );
    let bounds: Vec<_> = (0..10_000).map(|at| format!(r#""p{at}":5"#)).collect();
    assert_eq!(faults(&format!(r#","bounds":{{{}}}"#, bounds.join(","))).len(), 51);
}

#[test]
fn names_are_escaped_and_cut_to_40_code_points() {
    let of = |name: &str| faults(&format!(r#","bounds":{{"{name}":5}}"#)).remove(0);
    let named = |field: &str| format!("bounds{field} is not an object");
    assert_eq!(of("items[].price"), named("['items[].price']"));
    assert_eq!(of(&"x".repeat(40)), named(&format!(".{}", "x".repeat(40))));
    assert_eq!(of(&"x".repeat(41)), named(&format!("['{}…']", "x".repeat(39))));
    // Six code points each: six of them leave room for the sign of a cut, seven do not.
    assert_eq!(of(&r"\u0001".repeat(9)), named(&format!("['{}…']", r"\u0001".repeat(6))));
    assert_eq!(of(&"\u{202e}".repeat(6)), named(&format!("['{}']", r"\u202e".repeat(6))));
}

#[test]
fn a_field_at_the_wrong_level_is_sent_to_the_right_one() {
    let text = r#"{"task_id":"t","expected_schema":{},"submitted_output":1,
        "rules":[{"type":"unique","field":"a","enforce_rules":true}]}"#;
    assert_eq!(problems(text)[0].2, "Put it into the request itself.");
}

#[test]
fn a_template_may_hold_the_schema_beside_its_rules() {
    let text = r#"{"expected_schema":{"maximum":1e400},"rules":[],"enforce_rules":true}"#;
    let template = read(text, MAX_DEPTH).unwrap();
    let other = read("{}", MAX_DEPTH).unwrap();
    let with = |schema| {
        let parts = Parts {
            task_id: "t".to_owned(),
            agent_id: None,
            expected_schema: schema,
            submitted_output: other.root(),
            rules: Some(template.root()),
            strict_content_check: false,
            enforce_rules: false,
            detail: Detail::Full,
        };
        Request::from_parts(parts, UnknownFields::Refuse).map(|request| request.enforce_rules)
    };
    assert_eq!(with(template.root().get("expected_schema").unwrap()), Ok(true));
    // A second schema would quietly bind nothing.
    let problems = with(other.root()).unwrap_err();
    assert!(problems.iter().any(|it| it.field == "expected_schema"), "{problems:?}");
}
