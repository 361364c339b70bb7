//! Hostile schemas and data: a clear error or a true verdict, never a hang, a crash or a guess
//! (SPEC 2.4).

use agent_output_verifier::json::{self, ReadErrorKind};
use agent_output_verifier::schema::{Schema, SchemaReport};

#[derive(Debug, PartialEq)]
enum Answer {
    Valid,
    Invalid,
    Fault(&'static str),
}

fn report(schema: &str, data: &str) -> Result<SchemaReport, &'static str> {
    let schema = json::read(schema, 129).expect("the schema is JSON");
    let data = json::read(data, 129).expect("the data is JSON");
    let schema = Schema::compile(schema.root()).map_err(|faults| faults[0].code)?;
    schema.check(data.root()).map_err(|fault| fault.code)
}

/// On a stack like that of the program's own threads.
fn answer(schema: impl Into<String>, data: impl Into<String>) -> Answer {
    let (schema, data) = (schema.into(), data.into());
    let work = move || match report(&schema, &data) {
        Err(code) => Answer::Fault(code),
        Ok(report) if report.violations.is_empty() => Answer::Valid,
        Ok(_) => Answer::Invalid,
    };
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(work)
        .expect("a thread")
        .join()
        .expect("no panic")
}

fn chain(steps: usize, link: impl Fn(String) -> String, end: &str) -> String {
    let definitions: Vec<_> = (0..steps)
        .map(|step| {
            format!(r##""d{step}":{}"##, link(format!(r##"{{"$ref":"#/$defs/d{}"}}"##, step + 1)))
        })
        .chain([format!(r#""d{steps}":{end}"#)])
        .collect();
    format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, definitions.join(","))
}

#[test]
fn doubling_chains() {
    for (keyword, expected) in [
        ("allOf", "schema_too_costly"),
        ("anyOf", "schema_too_costly"),
        ("oneOf", "schema_too_costly"),
    ] {
        let schema =
            chain(40, |next| format!(r#"{{"{keyword}":[{next},{next}]}}"#), r#"{"type":"object"}"#);
        assert_eq!(answer(schema, "{}"), Answer::Fault(expected), "{keyword}");
    }
    let through_properties =
        chain(40, |next| format!(r#"{{"properties":{{"a":{{"allOf":[{next},{next}]}}}}}}"#), "{}");
    let deep = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    assert_eq!(answer(&through_properties, deep(41)), Answer::Fault("schema_too_costly"));
    assert_eq!(answer(&through_properties, deep(3)), Answer::Valid);
    let in_items = chain(40, |next| format!(r#"{{"items":{{"anyOf":[{next},{next}]}}}}"#), "{}");
    assert_eq!(
        answer(in_items, format!("{}{}", "[".repeat(41), "]".repeat(41))),
        Answer::Fault("schema_too_costly")
    );
    // Unevaluated properties ask every branch once more.
    let unevaluated = chain(
        40,
        |next| format!(r#"{{"allOf":[{next}],"unevaluatedProperties":false}}"#),
        r#"{"properties":{"a":true}}"#,
    );
    assert_eq!(answer(unevaluated, r#"{"a":1}"#), Answer::Fault("schema_too_costly"));
}

#[test]
fn long_chains_and_loops() {
    let long = |steps| chain(steps, |next| next, r#"{"type":"object"}"#);
    assert_eq!(answer(long(20), "{}"), Answer::Valid);
    assert_eq!(answer(long(20), "1"), Answer::Invalid);
    assert!(matches!(
        answer(long(20_000), "{}"),
        Answer::Valid | Answer::Fault("schema_too_costly")
    ));
    for looped in [
        r##"{"$ref":"#"}"##,
        r##"{"$ref":""}"##,
        r##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##,
        r##"{"not":{"$ref":"#"}}"##,
        r##"{"if":true,"then":{"$ref":"#"}}"##,
        r##"{"$dynamicAnchor":"a","$dynamicRef":"#a"}"##,
        r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
    ] {
        assert_eq!(answer(looped, r#"{"v":1}"#), Answer::Fault("schema_too_costly"), "{looped}");
    }
    // Recursion that goes with the data is no loop.
    let tree = r##"{"type":"object","properties":{"children":{"items":{"$ref":"#"}}}}"##;
    assert_eq!(answer(tree, r#"{"children":[{"children":[]},{"children":[{}]}]}"#), Answer::Valid);
    assert_eq!(answer(tree, r#"{"children":[{"children":[1]}]}"#), Answer::Invalid);
}

#[test]
fn nesting() {
    let arrays = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(answer(r##"{"items":{"$ref":"#"}}"##, arrays(128)), Answer::Valid);
    assert_eq!(json::read(arrays(10_000), 128).unwrap_err().kind, ReadErrorKind::TooDeep);
    assert_eq!(json::read("[".repeat(1_000_000), 128).unwrap_err().kind, ReadErrorKind::TooDeep);
    let nots = |levels: usize| format!("{}true{}", r#"{"not":"#.repeat(levels), "}".repeat(levels));
    assert_eq!(answer(nots(100), "1"), Answer::Valid);
    assert_eq!(answer(nots(101), "1"), Answer::Invalid);
}

#[test]
fn patterns() {
    let pattern = |pattern: &str, text: &str| {
        answer(format!(r#"{{"pattern":{}}}"#, json::quoted(pattern)), json::quoted(text))
    };
    assert_eq!(pattern("^(a+)+$", &format!("{}b", "a".repeat(50_000))), Answer::Invalid);
    assert_eq!(
        pattern("^(a{1,100}){1,100}$", &"a".repeat(5_000)),
        Answer::Fault("pattern_too_costly")
    );
    assert_eq!(pattern("((x{1,1000}){1,1000}){1,1000}", "x"), Answer::Fault("pattern_too_costly"));
    assert_eq!(pattern(r"^(x+x+)+\1y$", &"x".repeat(60)), Answer::Fault("pattern_too_costly"));
    // No answer is no answer under `not` too, where "no match" would be a pass.
    let negated = format!(r#"{{"not":{{"pattern":{}}}}}"#, json::quoted(r"^(x+x+)+\1y$"));
    assert_eq!(answer(negated, json::quoted(&"x".repeat(60))), Answer::Fault("pattern_too_costly"));
    let names = format!(r#"{{"patternProperties":{{{}:false}}}}"#, json::quoted(r"^(x+x+)+\1y$"));
    assert_eq!(
        answer(names, format!("{{{}:1}}", json::quoted(&"x".repeat(60)))),
        Answer::Fault("pattern_too_costly")
    );
    // Many texts, each cheap enough on its own.
    let many: Vec<_> = (0..20_000).map(|_| json::quoted(&"x".repeat(20))).collect();
    let schema = format!(r#"{{"items":{{"pattern":{}}}}}"#, json::quoted(r"^(x+x+)+\1y$"));
    assert_eq!(
        answer(schema, format!("[{}]", many.join(","))),
        Answer::Fault("pattern_too_costly")
    );
}

#[test]
fn large_data() {
    let names: Vec<_> = (0..100_000).map(|at| format!(r#""n{at}":{at}"#)).collect();
    let object = format!("{{{}}}", names.join(","));
    assert_eq!(
        answer(
            r#"{"additionalProperties":{"type":"integer"},"propertyNames":{"pattern":"^n"}}"#,
            &object
        ),
        Answer::Valid
    );
    assert_eq!(answer(r#"{"properties":{"n99999":{"type":"string"}}}"#, &object), Answer::Invalid);
    assert_eq!(
        answer(r#"{"unevaluatedProperties":false,"patternProperties":{"^n":true}}"#, &object),
        Answer::Valid
    );
    let numbers: Vec<_> = (0..100_000).map(|at| at.to_string()).collect();
    assert_eq!(
        answer(r#"{"uniqueItems":true}"#, format!("[{}]", numbers.join(","))),
        Answer::Valid
    );
    assert_eq!(
        answer(r#"{"uniqueItems":true}"#, format!("[{},5.0]", numbers.join(","))),
        Answer::Invalid
    );
    assert_eq!(
        answer(
            r#"{"contains":{"const":99999},"items":{"minimum":0}}"#,
            format!("[{}]", numbers.join(","))
        ),
        Answer::Valid
    );
}

#[test]
fn extreme_numbers() {
    for (schema, data, expected) in [
        (r#"{"minimum":1}"#, "1e999999999", Answer::Valid),
        (r#"{"maximum":1}"#, "1e999999999", Answer::Invalid),
        (r#"{"type":"integer"}"#, "1e999999999", Answer::Valid),
        (r#"{"multipleOf":0.01}"#, "1e308", Answer::Valid),
        (r#"{"multipleOf":0.1}"#, "0.3", Answer::Valid),
        (r#"{"multipleOf":3}"#, "1000000000000000000000000000000000000000", Answer::Invalid),
        (r#"{"multipleOf":3}"#, "3000000000000000000000000000000000000000", Answer::Valid),
        (r#"{"const":1e400}"#, "10e399", Answer::Valid),
        (r#"{"enum":[9007199254740993]}"#, "9007199254740992", Answer::Invalid),
    ] {
        assert_eq!(answer(schema, data), expected, "{schema} {data}");
    }
    assert!(matches!(
        answer(r#"{"multipleOf":7}"#, "1e999999999"),
        Answer::Valid | Answer::Invalid | Answer::Fault(_)
    ));
    assert!(matches!(
        answer(r#"{"multipleOf":1e-999999999}"#, "7"),
        Answer::Valid | Answer::Invalid | Answer::Fault(_)
    ));
    assert!(matches!(
        answer(r#"{"multipleOf":7}"#, "9".repeat(500_000)),
        Answer::Valid | Answer::Invalid | Answer::Fault(_)
    ));
}

#[test]
fn nothing_is_fetched_or_opened() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("schema.json");
    std::fs::write(&file, "true").unwrap();
    let file = format!("file://{}", file.display());
    for reference in [
        format!("http://{address}/x"),
        format!("https://{address}/x"),
        file,
        "other.json".to_owned(),
    ] {
        let quoted = json::quoted(&reference);
        for schema in [
            format!(r#"{{"$ref":{quoted}}}"#),
            format!(r#"{{"$schema":{quoted}}}"#),
            format!(r#"{{"properties":{{"a":{{"$ref":{quoted}}}}}}}"#),
            format!(r#"{{"$dynamicRef":{quoted}}}"#),
        ] {
            assert_eq!(answer(&schema, "1"), Answer::Fault("invalid_schema"), "{schema}");
        }
    }
    let connection = listener.accept();
    assert_eq!(connection.err().map(|error| error.kind()), Some(std::io::ErrorKind::WouldBlock));
}
