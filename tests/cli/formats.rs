//! The formats that programs read, held by reading them: JSON and SARIF with the official schema,
//! JUnit as XML, GitHub as its runner does.

use std::fs;

use agent_output_verifier::json::{MAX_DEPTH, read};
use agent_output_verifier::schema::Schema;
use serde_json::Value;

use crate::support::{Ended, Sandbox, project};

pub(crate) const MACHINE: [&str; 5] = ["json", "jsonl", "junit", "sarif", "github"];

const SCHEMA: &str = r#"{
  "type": "object",
  "required": ["number"],
  "properties": {
    "items": {"items": {"properties": {"price": {"type": "number", "minimum": 0}}}},
    "note": {"type": "string", "maxLength": 30}
  },
  "additionalProperties": true
}
"#;
const RULES: &str = r#"{"rules": [
  {"type": "sum_equals", "field": "items[].price", "equals_field": "total"},
  {"type": "unique", "field": "items[].id"}
], "bounds": {"total": {"max": 100}}, "enforce_rules": true}"#;
/// Line 3 has the first price, at column 24.
const BAD: &str = "{\n  \"items\": [\n    {\"id\": \"a\", \"price\": -7.25},\n    {\"id\": \"a\", \"price\": 3}\n  ],\n  \"total\": 120.5,\n  \"note\": \"TODO\"\n}\n";
const GOOD: &str = r#"{"number": 1, "items": [{"id": "a", "price": 1.5}], "total": 1.5}"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("schema.json", SCHEMA);
    sandbox.file("rules.json", RULES);
    sandbox.file("bad.json", BAD);
    sandbox.file("good.json", GOOD);
    sandbox.file("broken.json", "{\"a\": 1,}");
    sandbox
}

fn check(sandbox: &Sandbox, format: &str, more: &[&str]) -> Ended {
    let parts = ["check", "--schema", "schema.json", "--rules", "rules.json", "--format", format];
    sandbox.aov(&[&parts[..], more].concat())
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Reads SARIF and holds it against the official schema, with our own check.
/// Every rule that a result names is in the table, with a meaning of its own.
pub(crate) fn sarif(text: &str) -> Value {
    let file = project().join("fixtures/sarif/sarif-schema-2.1.0.json");
    // A stray `]` makes this no pattern where the `u` flag is understood, as it is here.
    let (stray, meant) = ("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$");
    let schema = fs::read_to_string(file).unwrap().replace(stray, meant);
    let schema = read(schema, MAX_DEPTH).unwrap();
    let schema = Schema::compile(schema.root()).unwrap();
    let report = read(text, MAX_DEPTH).unwrap_or_else(|error| panic!("{error}: {text}"));
    let violations = schema.check(report.root()).unwrap().violations;
    assert!(violations.is_empty(), "{violations:#?}");
    let report: Value = serde_json::from_str(text).unwrap();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let run = &report["runs"][0];
    let rules = list(&run["tool"]["driver"]["rules"]);
    for result in list(&run["results"]) {
        let rule = rules.iter().find(|rule| rule["id"] == result["ruleId"]);
        let meaning = &rule.unwrap_or_else(|| panic!("no rule for {result}"))["shortDescription"];
        assert_ne!(meaning["text"], "The result says what is wrong.", "{result}");
    }
    report
}

/// Whether a report can be read as its format, which every one must be.
pub(crate) fn assert_valid(format: &str, text: &str) {
    match format {
        "json" => drop(serde_json::from_str::<Value>(text).expect(text)),
        "jsonl" => {
            let lines = lines(text);
            assert_eq!(lines.last().unwrap()["type"], "summary", "{text}");
        }
        "junit" => {
            let document = roxmltree::Document::parse(text).expect(text);
            assert_eq!(document.root_element().tag_name().name(), "testsuites");
        }
        "sarif" => drop(sarif(text)),
        _ => {
            for line in text.lines() {
                let kinds = ["::error ", "::warning ", "::notice "];
                assert!(kinds.iter().any(|kind| line.starts_with(kind)), "{line}");
            }
        }
    }
}

#[test]
fn jsonl_has_a_line_per_input_with_places_and_a_summary() {
    let sandbox = sandbox();
    let ended = check(&sandbox, "jsonl", &["good.json", "bad.json", "broken.json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), ""));
    let lines = lines(&ended.stdout);
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["result", "result", "error", "summary"]);
    assert_eq!(lines[0]["result"], "pass");
    assert_eq!(lines[0]["findings"].as_array().unwrap().len(), 0);
    assert_eq!(lines[1]["input"], "bad.json");
    assert_eq!(lines[1]["response"]["result"], "fail");
    let findings = lines[1]["findings"].as_array().unwrap();
    let minimum = findings.iter().find(|it| it["check"] == "minimum").unwrap();
    assert_eq!(minimum["path"], "$.items[0].price");
    assert_eq!((&minimum["line"], &minimum["column"]), (&3.into(), &26.into()));
    assert_eq!((&minimum["end_line"], &minimum["end_column"]), (&3.into(), &31.into()));
    let sum = findings.iter().find(|it| it["check"] == "consistency:sum_equals").unwrap();
    // -7.25 + 3 - 120.5
    assert!(sum["message"].as_str().unwrap().ends_with("(difference -124.75)"), "{sum}");
    assert_eq!(sum["related"][0]["line"], 6);
    assert_eq!(lines[2]["error"]["code"], "invalid_request");
    assert_eq!(lines[2]["findings"][0]["column"], 8);
    let summary = &lines[3];
    for (name, count) in
        [("inputs", 3), ("passed", 1), ("failed", 1), ("not_checked", 1), ("exit_code", 2)]
    {
        assert_eq!(summary[name], count, "{name}");
    }
}

#[test]
fn sarif_meets_its_official_schema() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.path().join("a b")).unwrap();
    fs::copy(sandbox.path().join("bad.json"), sandbox.path().join("a b/bad#.json")).unwrap();
    let inputs = ["good.json", "./a b/bad#.json", "broken.json", "none.json"];
    let ended = check(&sandbox, "sarif", &inputs);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), ""));
    let report = sarif(&ended.stdout);
    let run = &report["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(run["invocations"][0]["exitCode"], 2);
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let results = run["results"].as_array().unwrap();
    let mut prints = std::collections::BTreeSet::new();
    for result in results {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.contains('\\') && !uri.contains(' '), "{uri}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1, "{result}");
        assert!(prints.insert(result["partialFingerprints"]["aovFinding/v1"].to_string()));
    }
    let of = |id: &str| results.iter().find(|result| result["ruleId"] == id).expect(id);
    let minimum = &of("minimum")["locations"][0]["physicalLocation"];
    assert_eq!(minimum["artifactLocation"]["uri"], "a%20b/bad%23.json");
    assert_eq!(minimum["region"]["startLine"], 3);
    assert_eq!(minimum["region"]["startColumn"], 26);
    assert_eq!(minimum["region"]["snippet"]["text"], "-7.25");
    let sum = of("consistency:sum_equals");
    assert_eq!(sum["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 6);
    assert_eq!(of("placeholder_content")["level"], "warning");
    assert_eq!(of("unreadable_input")["level"], "error");
    assert_eq!(of("invalid_request")["level"], "error");
    assert_eq!(
        sarif(&check(&sandbox, "sarif", &["good.json"]).stdout)["runs"][0]["results"],
        Value::Array(vec![])
    );
}

/// A value for each keyword that can fail, and for `false`.
#[test]
fn every_rule_of_a_result_is_in_the_table() {
    let sandbox = Sandbox::new();
    let modern = r##"{"properties": {
        "type": {"type": "string"}, "enum": {"enum": [1]}, "const": {"const": 1},
        "minimum": {"minimum": 9}, "maximum": {"maximum": 0}, "exclusiveMinimum": {"exclusiveMinimum": 9},
        "exclusiveMaximum": {"exclusiveMaximum": 0}, "multipleOf": {"multipleOf": 7},
        "minLength": {"minLength": 9}, "maxLength": {"maxLength": 0}, "pattern": {"pattern": "^x$"},
        "format": {"format": "date"}, "minItems": {"minItems": 9}, "maxItems": {"maxItems": 0},
        "uniqueItems": {"uniqueItems": true}, "items": {"items": false}, "prefixItems": {"prefixItems": [false]},
        "unevaluatedItems": {"unevaluatedItems": false}, "contains": {"contains": {"const": 7}},
        "minContains": {"contains": {"const": 1}, "minContains": 3},
        "maxContains": {"contains": {"const": 1}, "maxContains": 1},
        "minProperties": {"minProperties": 9}, "maxProperties": {"maxProperties": 0},
        "required": {"required": ["x"]}, "properties": {"properties": {"a": false}},
        "patternProperties": {"patternProperties": {"a": false}},
        "additionalProperties": {"additionalProperties": false},
        "unevaluatedProperties": {"unevaluatedProperties": false},
        "propertyNames": {"propertyNames": {"maxLength": 0}},
        "dependentRequired": {"dependentRequired": {"a": ["b"]}},
        "dependentSchemas": {"dependentSchemas": {"a": false}},
        "allOf": {"allOf": [false]}, "anyOf": {"anyOf": [false, false]}, "oneOf": {"oneOf": [true, true]},
        "not": {"not": true}, "if": {"if": true, "then": false, "else": true},
        "$ref": {"$ref": "#/$defs/never"}, "false": false
    }, "$defs": {"never": false}}"##;
    let old = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {
        "items": {"items": [true], "additionalItems": false}, "required": {"dependencies": {"a": ["b"]}},
        "properties": {"dependencies": {"a": false}}
    }}"#;
    let schema: Value = serde_json::from_str(modern).unwrap();
    let value = |keyword: &str| match keyword {
        it if it.contains("Length") || matches!(it, "pattern" | "format") => Value::from("abc"),
        it if it.contains("tems") || it.contains("ontains") => serde_json::json!([1, 1]),
        it if it.contains("ropert") || it.starts_with("depend") || it == "required" => {
            serde_json::json!({"a": 1})
        }
        _ => Value::from(5),
    };
    let keywords = schema["properties"].as_object().unwrap().keys();
    let output: serde_json::Map<_, _> = keywords.map(|it| (it.clone(), value(it))).collect();
    let keywords = output.len();
    sandbox.file("all.json", Value::from(output).to_string());
    for (schema, at_least) in [(modern, keywords), (old, 3)] {
        sandbox.file("keywords.json", schema);
        let ended =
            sandbox.aov(&["check", "--schema", "keywords.json", "--format", "sarif", "all.json"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let found = sarif(&ended.stdout)["runs"][0]["results"].as_array().unwrap().len();
        assert!(found >= at_least, "{found} of {at_least}: {}", ended.stdout);
    }
}

#[test]
fn junit_has_a_suite_per_input_and_a_case_per_requirement() {
    let sandbox = sandbox();
    let hostile = "{\"note\": \"<b>&amp; ]]> \\u0001\\ufffe 'x' \\\"y\\\" and more than thirty\"}";
    sandbox.file("hostile<&>.json", hostile);
    let ended =
        check(&sandbox, "junit", &["good.json", "bad.json", "hostile<&>.json", "none.json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), ""));
    let document = roxmltree::Document::parse(&ended.stdout).expect(&ended.stdout);
    let suites: Vec<_> =
        document.root_element().children().filter(|node| node.has_tag_name("testsuite")).collect();
    let names: Vec<_> = suites.iter().map(|suite| suite.attribute("name").unwrap()).collect();
    assert_eq!(names, ["good.json", "bad.json", "hostile<&>.json", "none.json"]);
    for suite in &suites {
        let count = |tag: &str| {
            suite.descendants().filter(|node| node.has_tag_name(tag)).count().to_string()
        };
        assert_eq!(suite.attribute("tests").unwrap(), count("testcase"));
        assert_eq!(suite.attribute("failures").unwrap(), count("failure"));
        assert_eq!(suite.attribute("errors").unwrap(), count("error"));
    }
    let failures = suites.iter().map(|suite| suite.attribute("failures").unwrap());
    assert_eq!(failures.collect::<Vec<_>>(), ["0", "3", "3", "0"]);
    let cases: Vec<_> = suites[1]
        .children()
        .filter_map(|node| Some((node.attribute("name")?, node.first_element_child())))
        .map(|(name, child)| (name, child.map_or("", |child| child.tag_name().name())))
        .collect();
    let expected = [
        ("schema", "failure"),
        ("bounds", "failure"),
        ("rules", "failure"),
        ("content", "system-out"),
    ];
    assert_eq!(cases, expected);
    let text = suites[1].descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert!(text.text().unwrap().contains("bad.json:3:26: error[minimum]"), "{text:?}");
    assert_eq!(suites[3].attribute("errors"), Some("1"));
}

/// What actions/runner makes of a command: `ActionCommand.TryParseV2`.
fn runner(line: &str) -> (String, Vec<(String, String)>, String) {
    let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
    let (command, properties) = head.split_once(' ').unwrap_or((head, ""));
    let unescape = |text: &str| {
        text.replace("%0D", "\r")
            .replace("%0A", "\n")
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%25", "%")
    };
    let properties = properties.split(',').map(|pair| {
        let (name, value) = pair.split_once('=').unwrap();
        (name.to_owned(), unescape(value))
    });
    (command.to_owned(), properties.collect(), unescape(message))
}

#[test]
fn github_annotations_lead_to_the_line() {
    let sandbox = sandbox();
    sandbox.file("a,b:c%.json", BAD);
    let ended = check(&sandbox, "github", &["a,b:c%.json", "good.json", "none.json"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), ""));
    let commands: Vec<_> = ended.stdout.lines().map(runner).collect();
    let (command, properties, message) =
        commands.iter().find(|(.., message)| message.contains(">= 0")).unwrap();
    assert_eq!(command, "error");
    let expected = [
        ("file", "a,b:c%.json"),
        ("line", "3"),
        ("endLine", "3"),
        ("col", "26"),
        ("endColumn", "30"),
        ("title", "aov minimum"),
    ];
    let properties: Vec<_> = properties.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(properties, expected);
    assert_eq!(message, "$.items[0].price: expected >= 0, found -7.25");
    assert!(commands.iter().any(|(command, ..)| command == "warning"));
    let (last, .., message) = commands.last().unwrap();
    assert_eq!(last, "notice");
    assert_eq!(
        message,
        "3 inputs: 1 passed (code 0), 1 failed (code 1), 1 could not be checked (code 2); exit code 2"
    );
}

/// Data and names cannot make commands, elements or lines of their own.
#[test]
fn nothing_that_is_not_ours_breaks_a_format() {
    let sandbox = sandbox();
    let name = "x\n::error::y\u{1b}[2J\u{202e}<z>.json";
    let data = "{\"note\": 1, \"a\\n::error::b<\\u001b\\ud800\": 1, \"items\": [{\"price\": \"\\n::warning::\\u0000\\ufffe\"}]}";
    sandbox.file(name, data);
    sandbox
        .file("closed.json", r#"{"additionalProperties": false, "required": ["n\n::error::x"]}"#);
    for format in MACHINE {
        for schema in ["schema.json", "closed.json"] {
            let ended = sandbox.aov(&["check", "--schema", schema, "--format", format, name]);
            assert_eq!(ended.code, Some(1), "{format}: {ended:?}");
            assert_valid(format, &ended.stdout);
            let raw = ended.stdout.chars().find(|it| it.is_control() && *it != '\n');
            assert_eq!(raw, None, "{format}");
        }
    }
}

#[test]
fn reports_are_valid_whatever_happens() {
    let sandbox = sandbox();
    sandbox.file("bad-schema.json", r#"{"type": "strin", "minimum": "x"}"#);
    sandbox
        .file("request.json", r#"{"task_id": "", "expected_schema": [], "rules": 1, "ruels": 2}"#);
    sandbox.file("empty.jsonl", "\n");
    fs::create_dir(sandbox.path().join("folder")).unwrap();
    let cases: [(&[&str], i32); 10] = [
        (&["request.json"], 2),
        (&["none.json"], 2),
        (&["broken.json"], 2),
        (&["--schema", "bad-schema.json", "good.json"], 2),
        (&["--schema", "none.json", "good.json"], 2),
        (&["--rules", "rules.json", "good.json"], 2),
        (&["--task-id", "x", "good.json"], 2),
        (&["--schema", "schema.json", "folder"], 2),
        (&["--schema", "schema.json", "empty.jsonl"], 2),
        (&["--schema", "schema.json", "good.json"], 0),
    ];
    for format in MACHINE {
        for (arguments, code) in cases {
            let ended = sandbox.aov(&[&["check", "--format", format], arguments].concat());
            assert_eq!(ended.code, Some(code), "{format} {arguments:?}: {ended:?}");
            assert_valid(format, &ended.stdout);
            assert_eq!(ended.stderr, "", "{format} {arguments:?}");
            let says_nothing = ended.stdout.is_empty();
            assert_eq!(says_nothing, format == "github" && code == 0, "{format} {arguments:?}");
            if code == 2 && format == "junit" {
                assert!(ended.stdout.contains("<error "), "{}", ended.stdout);
            }
            // The same into a file.
            let ended =
                sandbox.aov(&[&["check", "--format", format, "-o", "report"], arguments].concat());
            assert_eq!((ended.code, &*ended.stdout), (Some(code), ""));
            assert_valid(format, &fs::read_to_string(sandbox.path().join("report")).unwrap());
        }
    }
}

#[test]
fn redaction_leaks_no_value_in_any_format() {
    let sandbox = Sandbox::new();
    // Each value is planted once and found by some check.
    let values = [
        "SECRETnote",
        "SECRETenum",
        "SECRETpattern",
        "SECRETuri",
        "SECRETscript",
        "SECRETid",
        "SECRETref",
        "SECRETbranch",
        "SECRETtodo",
        "8812345",
        "7712345",
        "6612345",
        "5512345",
        "2031-07-09",
        "2030-01-02",
    ];
    sandbox.file(
        "schema.json",
        r#"{"properties": {
            "note": {"maxLength": 3}, "kind": {"enum": ["a"]}, "code": {"pattern": "^x$"},
            "link": {"format": "uri"}, "price": {"maximum": 5}, "list": {"uniqueItems": true},
            "other": {"const": 1}, "branch": {"anyOf": [{"type": "number"}, {"maxLength": 2}]},
            "closed": {"additionalProperties": false}, "needs": {"required": ["x"]},
            "number": {"type": "string"}, "odd": {"multipleOf": 2}, "names": {"propertyNames": {"maxLength": 1}}
        }}"#,
    );
    sandbox.file(
        "rules.json",
        r#"{"rules": [
            {"type": "sum_equals", "field": "items[].n", "equals_field": "total"},
            {"type": "gte", "field": "end", "other_field": "begin"},
            {"type": "lte", "field": "total", "value": 1},
            {"type": "exists_in", "field": "ref", "in_field": "items[].id"},
            {"type": "unique", "field": "items[].id"},
            {"type": "gte", "field": "note", "value": 3}
        ], "bounds": {"total": {"max": 3}, "begin": {"max": "2001-01-01"}}, "enforce_rules": true}"#,
    );
    let data = r#"{"note": "SECRETnote <b>x</b>", "kind": "SECRETenum", "code": "SECRETpattern",
        "link": "SECRETuri not", "price": 8812345, "list": ["SECRETid", "SECRETid"], "other": "SECRETref",
        "branch": "SECRETbranch", "closed": {"k": "SECRETref"}, "needs": {"y": "SECRETnote"},
        "number": 7712345, "odd": 5512345, "names": {"long": "SECRETnote"},
        "items": [{"n": 6612345, "id": "SECRETid"}, {"n": 1, "id": "SECRETid"}],
        "total": 7712345, "begin": "2031-07-09", "end": "2030-01-02", "ref": "SECRETref",
        "script": "javascript:SECRETscript", "todo": "TODO SECRETtodo", "cut": "SECRETnote and then..."}"#;
    sandbox.file("data.json", data);
    sandbox.file("data.jsonl", data.replace('\n', " "));
    sandbox.file("broken.json", data.replace("7712345,", "7712345x,"));
    let schema: Value =
        serde_json::from_str(&fs::read_to_string(sandbox.path().join("schema.json")).unwrap())
            .unwrap();
    let rules: Value =
        serde_json::from_str(&fs::read_to_string(sandbox.path().join("rules.json")).unwrap())
            .unwrap();
    let request = serde_json::json!({
        "task_id": "t", "expected_schema": schema, "rules": rules["rules"], "bounds": rules["bounds"],
        "submitted_output": serde_json::from_str::<Value>(data).unwrap(), "strict_content_check": true,
    });
    sandbox.file("request.json", serde_json::to_string_pretty(&request).unwrap());
    let mut invalid = request;
    invalid["ruels"] = "SECRETtodo".into();
    invalid["detail"] = "SECRETenum".into();
    sandbox.file("invalid.json", invalid.to_string());

    let parts = ["--schema", "schema.json", "--rules", "rules.json", "--strict-content"];
    for format in MACHINE.iter().chain(&["human"]) {
        for detail in ["full", "compact"] {
            let run = |redact: bool, parts: &[&str], input: &str| {
                let redact: &[&str] = if redact { &["--redact"] } else { &[] };
                let fixed = ["check", "--format", format, "--detail", detail];
                let ended = sandbox.aov(&[&fixed[..], redact, parts, &[input]].concat());
                assert!(matches!(ended.code, Some(1 | 2)), "{format} {input}: {ended:?}");
                ended
            };
            let mut cases = vec![
                (&parts[..], "data.json"),
                (&[], "request.json"),
                (&parts, "broken.json"),
                (&[], "invalid.json"),
            ];
            if *format != "json" {
                cases.push((&parts, "data.jsonl"));
            }
            for (parts, input) in cases {
                let plain = run(false, parts, input);
                let ended = run(true, parts, input);
                assert_eq!(ended.code, plain.code);
                for value in values {
                    let leak = [&ended.stdout, &ended.stderr]
                        .into_iter()
                        .find(|text| text.contains(value));
                    assert_eq!(leak, None, "{format} {detail} {input}: {value}");
                }
                let planted = values.iter().filter(|value| plain.stdout.contains(**value)).count();
                let shows = input.starts_with("data") || input == "request.json";
                let bare = *format == "json" && detail == "compact";
                assert!(!shows || bare || planted > 8, "{format} {detail} {input}: {planted}");
                if shows && !bare {
                    assert!(
                        (ended.stdout.contains("found number")
                            || ended.stdout.contains("found: number")),
                        "{format} {input}: {}",
                        ended.stdout
                    );
                }
            }
        }
    }
}
