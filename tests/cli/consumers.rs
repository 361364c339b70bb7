//! Reports in the programs that read them: junitparser and sarif-tools from PyPI, and Microsoft's
//! sarif-multitool from npm. Without them the tests say so and pass. `AOV_PYTHON` names another
//! interpreter, `AOV_SARIF_MULTITOOL` another path of the third.

use std::process::Command;

use crate::support::{Ended, Sandbox, end, project};

/// Counts and cases as the reader sees them, suite by suite.
const JUNIT: &str = r#"
import json, sys
from junitparser import JUnitXml
seen = []
for suite in JUnitXml.fromfile(sys.argv[1]):
    cases = [[case.name, [type(it).__name__ for it in case.result]] for case in suite]
    seen.append([suite.name, suite.tests, suite.failures, suite.errors, suite.skipped, cases])
print(json.dumps(seen))
"#;

/// Levels and rules as the reader sees them.
const SARIF: &str = r#"
import json, sys
from sarif import loader
file = loader.load_sarif_file(sys.argv[1])
print(json.dumps([[r["Severity"], r["Code"], r["Location"], r["Line"]] for r in file.get_records()]))
"#;

fn python(sandbox: &Sandbox, script: &str, arguments: &[&str]) -> Ended {
    let interpreter = std::env::var("AOV_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(interpreter);
    end(command.args(["-c", script]).args(arguments).current_dir(sandbox.path()), None)
}

fn has_package(name: &str) -> bool {
    let interpreter = std::env::var("AOV_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(&interpreter);
    let output = command.args(["-c", &format!("import {name}")]).output();
    let there = output.is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("{interpreter} has no {name}: not tried");
    }
    there
}

/// Reports of every verb, by name: of a pass, of a fail, and of what could not be checked.
fn reports(sandbox: &Sandbox, format: &str) -> Vec<(String, i32)> {
    sandbox.copy(&project().join("fixtures/real"));
    sandbox.copy(&project().join("fixtures/pass_template_grade"));
    sandbox.file("hostile<&>\n.json", "{\"a\": \"\\u0000]]>\"}");
    let runs: [(&[&str], i32); 6] = [
        (&["check", "final-request.json"], 0),
        (&["check", "draft-request.json", "none.json", "hostile<&>\n.json"], 2),
        (&["verify-receipt", "--offline", "final-receipt.json"], 0),
        (&["verify-receipt", "--offline", "draft-receipt.json", "--require-pass", "none.json"], 2),
        (&["template", "grade", "agreed.template.json", "april.json"], 0),
        (&["check", "--no-such-flag"], 2),
    ];
    let made = runs.iter().enumerate().map(|(at, (arguments, code))| {
        let ended = sandbox.aov(&[arguments, &["--format", format][..]].concat());
        assert_eq!(ended.code, Some(*code), "{arguments:?}: {ended:?}");
        let name = format!("report{at}.{format}");
        sandbox.file(&name, ended.stdout);
        (name, *code)
    });
    made.collect()
}

#[test]
fn junitparser_reads_what_is_meant() {
    if !has_package("junitparser") {
        return;
    }
    let sandbox = Sandbox::new();
    for (name, code) in reports(&sandbox, "junit") {
        let ended = python(&sandbox, JUNIT, &[&name]);
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.stderr);
        let suites: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        let suites = suites.as_array().unwrap();
        assert!(!suites.is_empty());
        let mut totals = [0; 3];
        for suite in suites {
            let cases = suite[5].as_array().unwrap();
            let count = |kind: &str| {
                let of = |case: &&serde_json::Value| {
                    case[1].as_array().unwrap().iter().any(|it| *it == kind)
                };
                cases.iter().filter(of).count()
            };
            assert_eq!(suite[1], cases.len(), "{name}: {suite}");
            for (at, kind) in [(2, "Failure"), (3, "Error"), (4, "Skipped")] {
                assert_eq!(suite[at], count(kind), "{name}: {suite}");
                totals[at - 2] += count(kind);
            }
        }
        assert_eq!(totals[0] + totals[1] > 0, code != 0, "{name}");
        assert_eq!(totals[1] > 0, code == 2, "{name}");
    }
}

#[test]
fn sarif_tools_read_what_is_meant() {
    if !has_package("sarif.loader") {
        return;
    }
    let sandbox = Sandbox::new();
    for (name, code) in reports(&sandbox, "sarif") {
        let ended = python(&sandbox, SARIF, &[&name]);
        assert_eq!(ended.code, Some(0), "{name}: {}", ended.stderr);
        let records: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        let records = records.as_array().unwrap();
        let errors = records.iter().filter(|record| record[0] == "error").count();
        assert_eq!(errors > 0, code != 0, "{name}: {records:?}");
        assert!(records.iter().all(|record| record[3].as_u64().is_some_and(|line| line > 0)));
        if name.starts_with("report1.") {
            // fixtures/real/draft-request.json: the total is off, on that line.
            let text = std::fs::read_to_string(sandbox.path().join("draft-request.json")).unwrap();
            let sum = records.iter().find(|it| it[1] == "consistency:sum_equals").unwrap();
            assert_eq!(sum[2], "draft-request.json");
            let line = text.lines().nth(sum[3].as_u64().unwrap() as usize - 1).unwrap();
            assert!(line.contains("line_total"), "{line}");
        }
    }
}

#[test]
fn the_sarif_validator_finds_no_error() {
    let tool =
        std::env::var("AOV_SARIF_MULTITOOL").unwrap_or_else(|_| "sarif-multitool".to_owned());
    let command = || {
        let mut command = Command::new(&tool);
        // It asks for ICU otherwise, which it does not need here.
        command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
        command
    };
    if !command().arg("version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("{tool} is not installed: not tried");
        return;
    }
    let sandbox = Sandbox::new();
    let mut reports = reports(&sandbox, "sarif");
    // That it would find one.
    sandbox.file("wrong.sarif", r#"{"version": "2.1.0", "runs": [{"results": []}]}"#);
    reports.push(("wrong.sarif".to_owned(), 0));
    for (name, _) in reports {
        let mut command = command();
        command.args(["validate", &name]).current_dir(sandbox.path());
        let ended = end(&mut command, None);
        let errors: Vec<_> =
            ended.stdout.lines().filter(|line| line.contains(": error ")).collect();
        let fine = errors.is_empty() && ended.code == Some(0);
        assert_eq!(fine, name != "wrong.sarif", "{name}: {ended:?}");
    }
}
