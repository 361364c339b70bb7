//! What holds for every verb that gives verdicts, in every format: the report is valid whatever
//! happens, and `--redact` shows no value.

use std::fs;

use serde_json::{Value, json};

use crate::formats::{MACHINE, assert_valid};
use crate::receipts::real;
use crate::support::{Ended, Sandbox, project};

/// The hosted service's receipts and requests, and what was made of them.
fn receipts() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.copy(&project().join("fixtures/real"));
    let text = real("final-receipt.json");
    sandbox.file("forged.json", text.replace("\"pass\"", "\"fail\""));
    let host = "fastapi-service-5ag4.onrender.com";
    sandbox.file("untrusted.json", text.replace(host, "evil.example"));
    let moved = text.replace(host, "verify.sarnai.dev").replace("v1-2026-09c", "v2");
    sandbox.file("moved.json", moved);
    sandbox.file("cut.json", &text[..500]);
    sandbox.file("other.json", "[1]");
    let line = text.replace('\n', " ");
    sandbox.file("many.jsonl", format!("{line}\nnot json\n\n{line}\n[]\n"));
    sandbox.file("empty.jsonl", "\n\n");
    fs::create_dir(sandbox.path().join("folder")).unwrap();
    sandbox
}

/// Arguments with the exit code they end with.
type Case = (&'static [&'static str], i32);

const RECEIPTS: [Case; 16] = [
    (&["final-receipt.json", "--request", "final-request.json", "--replay"], 0),
    (&["draft-receipt.json", "final-receipt.json"], 0),
    (&["final-receipt.json", "--request", "draft-request.json", "--replay"], 1),
    (&["draft-receipt.json", "--require-pass", "--max-age", "1s", "--task-id", "x"], 1),
    (&["forged.json"], 1),
    (&["untrusted.json", "final-receipt.json"], 1),
    (&["other.json"], 1),
    (&["moved.json"], 3),
    (&["cut.json"], 2),
    (&["none.json", "final-receipt.json"], 2),
    (&["many.jsonl"], 2),
    (&["empty.jsonl"], 2),
    (&["folder"], 2),
    (&["final-receipt.json", "--request", "none.json"], 2),
    (&["final-receipt.json", "--request", "cut.json"], 2),
    (&["final-receipt.json", "--public-key", "nonsense"], 2),
];

const GRADES: [Case; 8] = [
    (&["agreed.template.json", "april.json"], 0),
    (&["agreed.template.json"], 0),
    (&["agreed.template.json", "bad.json"], 1),
    (&["unusable.json", "april.json"], 2),
    (&["april.json"], 2),
    (&["none.json"], 2),
    (&["agreed.template.json", "none.json"], 2),
    (&["agreed.template.json", "broken.json"], 2),
];

/// Command lines that the parser refuses.
const USAGE: [&[&str]; 6] = [
    &["check", "--bogus\u{1b}[2J", "x"],
    &["check", "--jobs", "0", "x.json"],
    &["verify-receipt"],
    &["verify-receipt", "x.json", "--trust", "http://a.example"],
    &["verify-receipt", "x.json", "--output", "y.json", "--max-age", "7"],
    &["template", "grade"],
];

fn templates() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.copy(&project().join("fixtures/pass_template_grade"));
    sandbox.file("bad.json", "{}");
    sandbox.file("broken.json", "{\"a\": }");
    let unusable = json!({"schema": "verification-template/1",
        "template": {"expected_schema": {"type": "strin"}, "rules": [{"type": "sum"}]}});
    sandbox.file("unusable.json", unusable.to_string());
    sandbox
}

fn assert_all_valid(sandbox: &Sandbox, verb: &[&str], cases: &[Case]) {
    for (arguments, code) in cases {
        let plain = sandbox.aov(&[verb, arguments].concat());
        assert_eq!(plain.code, Some(*code), "{arguments:?}: {plain:?}");
        for format in MACHINE {
            for redact in [&[][..], &["--redact"]] {
                let ended = sandbox.aov(&[verb, &["--format", format], redact, arguments].concat());
                assert_eq!(
                    (ended.code, &*ended.stderr),
                    (Some(*code), ""),
                    "{format} {arguments:?}"
                );
                assert_valid(format, &ended.stdout);
                // A verdict that is not yes is never without a word.
                let says = match format {
                    "junit" => {
                        ended.stdout.contains("<failure ") || ended.stdout.contains("<error ")
                    }
                    "sarif" => ended.stdout.contains("\"level\":\"error\""),
                    "github" => ended.stdout.contains("::error "),
                    _ => *code != 0,
                };
                assert_eq!(says, *code != 0, "{format} {arguments:?}: {}", ended.stdout);
            }
        }
    }
}

#[test]
fn reports_on_receipts_are_valid_whatever_happens() {
    assert_all_valid(&receipts(), &["verify-receipt", "--offline"], &RECEIPTS);
}

#[test]
fn reports_on_templates_are_valid_whatever_happens() {
    assert_all_valid(&templates(), &["template", "grade"], &GRADES);
}

#[test]
fn a_command_line_that_cannot_be_understood_gets_a_valid_report_too() {
    let sandbox = Sandbox::new();
    for arguments in USAGE {
        let plain = sandbox.aov(arguments);
        assert_eq!((plain.code, &*plain.stdout), (Some(2), ""), "{arguments:?}");
        for format in MACHINE {
            for flag in [vec!["--format", format], vec![&*format!("--format={format}")]] {
                let ended = sandbox.aov(&[arguments, &flag].concat());
                assert_eq!(ended.code, Some(2), "{format} {arguments:?}");
                assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
                assert_valid(format, &ended.stdout);
                assert!(!ended.stdout.is_empty() && !ended.stdout.contains('\u{1b}'));
            }
        }
    }
    // Not where the report was to go into a file, nor for people.
    for arguments in [
        &["check", "--format", "json", "-o", "report", "--bogus"][..],
        &["check", "--format", "human", "--bogus"],
        &["check", "--format", "nonsense"],
    ] {
        let ended = sandbox.aov(arguments);
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{arguments:?}");
    }
}

#[test]
fn a_receipt_is_a_suite_with_what_was_not_checked_as_skipped() {
    let sandbox = receipts();
    let run = |arguments: &[&str]| {
        let fixed = ["verify-receipt", "--offline", "--format", "junit"];
        sandbox.aov(&[&fixed[..], arguments].concat()).stdout
    };
    let text = run(&["draft-receipt.json", "--require-pass", "moved.json", "cut.json"]);
    let document = roxmltree::Document::parse(&text).unwrap();
    let suites: Vec<_> =
        document.root_element().children().filter(roxmltree::Node::is_element).collect();
    let case = |suite: usize, name: &str| {
        let case = suites[suite].children().find(|case| case.attribute("name") == Some(name));
        let case = case.unwrap_or_else(|| panic!("{name}: {text}"));
        case.first_element_child().map_or("", |child| child.tag_name().name())
    };
    assert_eq!(case(0, "signature"), "");
    assert_eq!(case(0, "require_pass"), "failure");
    assert_eq!(case(0, "not checked: data"), "skipped");
    assert_eq!(case(1, "key_source"), "error");
    assert_eq!(case(1, "signature"), "skipped");
    assert_eq!(case(2, "input"), "error");
    for suite in suites {
        let count = |tag: &str| suite.descendants().filter(|it| it.has_tag_name(tag)).count();
        for (attribute, tag) in [
            ("tests", "testcase"),
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ] {
            assert_eq!(suite.attribute(attribute), Some(&*count(tag).to_string()), "{attribute}");
        }
    }
}

#[test]
fn findings_on_receipts_and_templates_have_their_places() {
    let sandbox = receipts();
    let result = |text: &str, id: &str| {
        let report: Value = serde_json::from_str(text).unwrap();
        let results = report["runs"][0]["results"].as_array().unwrap().clone();
        results.into_iter().find(|result| result["ruleId"] == id).expect(id)
    };
    let line_of = |file: &str, text: &str| {
        let content = fs::read_to_string(sandbox.path().join(file)).unwrap();
        content.lines().position(|line| line.contains(text)).unwrap() + 1
    };
    let ended = sandbox.aov(&["verify-receipt", "forged.json", "--format", "sarif"]);
    let place = &result(&ended.stdout, "signature_invalid")["locations"][0];
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "$.attestation.signature");
    let region = &place["physicalLocation"]["region"];
    assert_eq!(region["startLine"], line_of("forged.json", "\"signature\""));
    // What a verdict does not cover is said, in those formats too that have no entry for a yes.
    let ended = sandbox.aov(&["verify-receipt", "final-receipt.json", "--format", "sarif"]);
    assert!(ended.stdout.contains("nothing was given to compare the receipt with"));
    let ended = sandbox.aov(&["verify-receipt", "final-receipt.json", "--format", "github"]);
    assert!(ended.stdout.contains("; not checked: data, result, "), "{}", ended.stdout);

    let sandbox = templates();
    let arguments = ["template", "grade", "agreed.template.json", "april.json"];
    let ended = sandbox.aov(&[&arguments[..], &["--format", "sarif"]].concat());
    let place = &result(&ended.stdout, "misspelt")["locations"][0]["physicalLocation"];
    // As the report for people says; see README.
    assert_eq!(
        (&place["region"]["startLine"], &place["region"]["startColumn"]),
        (&12.into(), &41.into())
    );
    let ended = sandbox.aov(&[&arguments[..], &["--format", "jsonl"]].concat());
    let lines: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["type"]), (2, &"grade".into()));
    assert_eq!(
        (&lines[0]["trial"]["caught"], &lines[0]["trial"]["total"]),
        (&18.into(), &45.into())
    );
}

/// Whether one of the values stands in a report, or beside it.
fn leaks<'v>(ended: &Ended, values: &[&'v str]) -> Vec<&'v str> {
    let shows = |value: &&&str| ended.stdout.contains(**value) || ended.stderr.contains(**value);
    values.iter().filter(shows).copied().collect()
}

const HUMAN_TOO: [&str; 6] = ["human", "json", "jsonl", "junit", "sarif", "github"];

#[test]
fn redaction_shows_no_value_of_a_receipt() {
    let sandbox = receipts();
    let task = "SECRETtask";
    let mut request: Value = serde_json::from_str(&real("final-request.json")).unwrap();
    request["task_id"] = task.into();
    request["agent_id"] = "SECRETagent".into();
    sandbox.file("request.json", request.to_string());
    request["agent_id"] = "SECREThand".into();
    request["task_id"] = "SECREThand".into();
    request["submitted_output"]["total"] = 8812345.into();
    sandbox.file("hand.json", request.to_string());
    assert_eq!(sandbox.aov(&["keygen", "aov.key", "--key-version", "SECRETversion"]).code, Some(0));
    let signed = sandbox.aov(&[
        "check",
        "request.json",
        "--format",
        "json",
        "--output",
        "signed.json",
        "--sign-key",
        "aov.key",
        "--public-url",
        "https://secret-host.example",
    ]);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    let public = sandbox.aov(&["keygen", "aov.key", "--show"]).stdout;
    sandbox.file("card.json", format!(r#"{{"capabilities":{{"extensions":[{public}]}}}}"#));
    let signed: Value =
        serde_json::from_str(&fs::read_to_string(sandbox.path().join("signed.json")).unwrap())
            .unwrap();
    let mut odd = signed.clone();
    odd["summary"] = json!({"result": "SECRETsummary"});
    odd["result"] = "SECRETresult".into();
    odd["overall"] = json!({"passed": 7712345, "total": 6612345, "ratio": 5512345});
    odd["schema_compliance"] = "SECRETmember".into();
    odd["verified_at"] = "SECRETtime".into();
    odd["verifier_version"] = "SECRETverifier".into();
    odd["attestation"]["timestamp"] = "SECRETtime".into();
    odd["errors"] = json!({"SECRETname": "SECRETerror"});
    odd["enforce_rules"] = "SECRETflag".into();
    sandbox.file("odd.json", odd.to_string());
    odd["attestation"]["algorithm"] = "SECRETalgorithm".into();
    sandbox.file("form.json", odd.to_string());
    let line = |receipt: &Value| receipt.to_string() + "\n";
    sandbox.file("many.jsonl", line(&signed) + "{\"a\": SECRETjson}\n" + &line(&odd));
    sandbox.file("broken.json", "{\n\"a\": SECRETjson}");
    let values = [
        task,
        "SECRETagent",
        "SECREThand",
        "SECRETversion",
        "secret-host",
        "SECRETsummary",
        "SECRETresult",
        "7712345",
        "6612345",
        "5512345",
        "8812345",
        "SECRETmember",
        "SECRETtime",
        "SECRETverifier",
        "SECRETerror",
        "SECRETflag",
        "SECRETalgorithm",
        "SECRETjson",
        signed["verification_id"].as_str().unwrap(),
        signed["verified_at"].as_str().unwrap(),
    ];
    let demands = ["--require-pass", "--require-enforced", "--task-id", "y", "--agent-id", "z"];
    let hand = ["--request", "hand.json", "--replay"];
    let card = ["--agent-card", "card.json"];
    let cases: [(&[&str], usize); 8] = [
        (&["signed.json"], 2),
        (&["odd.json"], 6),
        (&["form.json"], 6),
        (&["many.jsonl"], 2),
        (&["signed.json", "odd.json"], 3),
        (&["broken.json"], 0),
        (&["signed.json", "--request", "broken.json"], 0),
        (&["odd.json", "--offline", "--trust", "secret-host.example"], 2),
    ];
    for format in HUMAN_TOO {
        for (arguments, planted) in cases {
            let mut more: Vec<&str> = [&demands[..], &["--max-age", "1s"]].concat();
            if !arguments.contains(&"--request") {
                more.extend(hand);
            }
            if !arguments.contains(&"--trust") {
                more.extend(card);
            }
            let run = |redact: &[&str]| {
                let fixed = ["verify-receipt", "--format", format];
                sandbox.aov(&[&fixed[..], redact, arguments, &more].concat())
            };
            let (plain, ended) = (run(&[]), run(&["--redact"]));
            assert_eq!(plain.code, ended.code);
            assert_ne!(ended.code, Some(0), "{arguments:?}");
            assert_eq!(leaks(&ended, &values), [""; 0], "{format} {arguments:?}: {ended:?}");
            // A line for people names one reason, a list of findings no more than those.
            let shown = leaks(&plain, &values).len();
            let least = match format {
                "json" | "jsonl" => planted,
                "human" if arguments == ["signed.json"] || arguments == ["odd.json"] => planted,
                "human" => 0,
                _ => planted.min(1),
            };
            assert!(shown >= least, "{format} {arguments:?}: {shown}: {plain:?}");
        }
    }
    // The answer stays.
    let ended = sandbox.aov(&[&["verify-receipt", "--redact", "signed.json"], &card[..]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("result            pass"), "{}", ended.stdout);
    assert!(ended.stdout.contains("task_id           string"), "{}", ended.stdout);
}

#[test]
fn redaction_shows_no_value_of_the_outputs_of_templates() {
    let sandbox = templates();
    let sample = |total: &str| {
        let item = |kind: &str| format!(r#"{{"kind": "SECRET{kind}", "amount": 7712345}}"#);
        let items: Vec<_> = ["one", "two", "one", "two", "one", "two"].map(item).into();
        format!(r#"{{"items": [{}], "note": "SECRETnote", "total": {total}}}"#, items.join(", "))
    };
    sandbox.file("a.json", sample("46274070"));
    sandbox.file("b.json", sample("46274070"));
    sandbox.file("broken.json", sample("SECRETbroken"));
    let values = ["SECRETone", "SECRETtwo", "SECRETnote", "7712345", "46274070", "SECRETbroken"];
    let infer = |more: &[&str]| sandbox.aov(&[&["template", "infer", "--explain"], more].concat());
    let (plain, hidden) = (infer(&["a.json", "b.json"]), infer(&["--redact", "a.json", "b.json"]));
    assert_eq!(leaks(&plain, &values), ["SECRETone", "SECRETtwo"]);
    assert_eq!(leaks(&hidden, &values), [""; 0], "{hidden:?}");
    assert!(
        hidden.stderr.contains("items[].kind: one of 2 values, which are not to be shown"),
        "{}",
        hidden.stderr
    );
    sandbox.file("t.json", &hidden.stdout);
    assert_eq!(sandbox.aov(&["check", "-q", "--template", "t.json", "a.json"]).code, Some(0));
    assert!(infer(&["broken.json"]).stderr.contains("SECRETbroken"));
    assert_eq!(leaks(&infer(&["--redact", "broken.json"]), &values), [""; 0]);

    for format in HUMAN_TOO {
        for (template, output, code) in [
            ("t.json", "a.json", 0),
            ("agreed.template.json", "a.json", 1),
            ("t.json", "broken.json", 2),
            ("broken.json", "a.json", 2),
            ("a.json", "a.json", 2),
        ] {
            let fixed = ["template", "grade", "--redact", "--format", format];
            let ended = sandbox.aov(&[&fixed[..], &[template, output]].concat());
            assert_eq!(ended.code, Some(code), "{template} {output}: {ended:?}");
            assert_eq!(leaks(&ended, &values), [""; 0], "{format} {template} {output}: {ended:?}");
        }
    }
}

/// The tables of the README name the formats and the exit codes that the help names.
#[test]
fn the_readme_has_every_format_and_exit_code() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let column = |header: &str| -> Vec<String> {
        let table = readme.split(header).nth(1).expect(header);
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        rows.map(|row| row.split('|').nth(1).unwrap().trim().replace('`', "")).collect()
    };
    let sandbox = Sandbox::new();
    for verb in [&["check"][..], &["verify-receipt"], &["template", "grade"]] {
        let help = sandbox.aov(&[verb, &["--help"]].concat()).stdout;
        let formats = help.split("--format <FORMAT>").nth(1).unwrap();
        let formats = formats.split("Possible values:\n").nth(1).unwrap().lines();
        let formats = formats.map_while(|line| line.trim_start().strip_prefix("- "));
        let formats: Vec<_> = formats.map(|it| it.split(':').next().unwrap()).collect();
        assert_eq!(column("| `--format` | what it is |"), formats, "{verb:?}");
    }
    let help = sandbox.aov(&["--help"]).stdout;
    let words = help.split("Exit status:\n").nth(1).unwrap().lines();
    let words = words.filter_map(|line| line.split_whitespace().next());
    let codes: Vec<_> = words.filter(|word| word.parse::<u8>().is_ok()).collect();
    assert_eq!(column("| code | meaning |"), codes);
}
