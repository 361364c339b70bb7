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
        (r#""rules":[{"type":"gte","field":"a","tolerance":1e401}]"#, "rules"),
        (r#""rules":[{"type":"gte","field":"a","tolerance":1e-401}]"#, "rules[0].tolerance"),
        (r#""rules":[{"type":"gte","field":"a","tolerance":null}]"#, "rules[0].tolerance"),
        (r#""rules":[{"type":"exists_in","field":"a","values":"x"}]"#, "rules[0].values"),
        (r#""rules":[7]"#, "rules[0]"),
        (r#""rules":[{"type":"gte","field":"a","value":1e400}]"#, "rules"),
        (r#""bounds":{"\ud800":{"min":1}}"#, "bounds"),
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
        ("bounds.a.minimum", "Remove it, or use one of: if_present, max, min."),
        (r"bounds.a['x\u202e']", "Did you mean max?"),
        ("rules[0].feild", "Did you mean field?"),
    ];
    for (field, fix) in expected {
        assert!(found.iter().any(|(known, _, _)| known == field), "{field} {found:?}");
        if field != r"bounds.a['x\u202e']" {
            assert!(
                found.iter().any(|(known, _, given)| known == field && given == fix),
                "{fix} {found:?}"
            );
        }
    }
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
