//! `aov template`: what goes where.

use crate::support::{Sandbox, project};

const ONE: &str = r#"{"id":"a","items":[{"v":1.5},{"v":2}],"total":3.5}"#;
const TWO: &str = r#"{"id":"b","items":[{"v":0.1},{"v":0.2}],"total":0.3}"#;

#[test]
fn the_template_is_all_that_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.file("one.json", ONE);
    sandbox.file("two.json", TWO);
    let ended = sandbox.aov(&["template", "infer", "one.json", "two.json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let template: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(template["schema"], "verification-template/1");
    assert_eq!(template["template"]["rules"][0]["equals_field"], "total");
    assert!(ended.stderr.starts_with("Uncertain:\n"), "{}", ended.stderr);
    let quiet = sandbox.aov(&["template", "infer", "-q", "one.json", "two.json"]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), (ended.stdout.as_str(), ""));
    let explained = sandbox.aov(&["template", "infer", "--explain", "one.json", "two.json"]);
    assert_eq!(explained.stdout, ended.stdout);
    assert!(
        explained.stderr.contains("  items[].v: sum equal to total (exact in 2 samples"),
        "{}",
        explained.stderr
    );
    // The same into a file, and the file does its work.
    let written = sandbox.aov(&["template", "infer", "one.json", "two.json", "-o", "made.json"]);
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(sandbox.path().join("made.json")).unwrap(), ended.stdout);
    for output in ["one.json", "two.json"] {
        let checked = sandbox.aov(&["check", "-q", "--template", "made.json", output]);
        assert_eq!(checked.code, Some(0), "{checked:?}");
    }
    sandbox.file("off.json", TWO.replace("0.3}", "0.31}"));
    let checked = sandbox.aov(&["check", "-q", "--template", "made.json", "off.json"]);
    assert_eq!(checked.code, Some(1));
}

#[test]
fn one_sample_on_standard_input() {
    let sandbox = Sandbox::new();
    for arguments in [&["template", "infer"][..], &["template", "infer", "-"]] {
        let ended = sandbox.aov_with(arguments, ONE);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stderr.starts_with("Everything rests on a single sample"));
    }
    let twice = sandbox.aov_with(&["template", "infer", "-", "-"], ONE);
    assert_eq!((twice.code, twice.stdout.as_str()), (Some(2), ""));
}

#[test]
fn inputs_are_not_written_over() {
    let sandbox = Sandbox::new();
    sandbox.file("one.json", ONE);
    let template = sandbox.aov(&["template", "infer", "one.json"]).stdout;
    sandbox.file("t.json", &template);
    for arguments in [
        &["template", "infer", "one.json", "-o", "./one.json"][..],
        &["template", "grade", "t.json", "one.json", "-o", "one.json"],
        &["template", "grade", "t.json", "-o", "t.json"],
    ] {
        let ended = sandbox.aov(arguments);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("would overwrite the input"), "{}", ended.stderr);
    }
    assert_eq!(std::fs::read_to_string(sandbox.path().join("one.json")).unwrap(), ONE);
    // Nothing is written where an input cannot be read.
    let ended = sandbox.aov(&["template", "infer", "one.json", "no.json", "-o", "new.json"]);
    assert_eq!((ended.code, sandbox.names().contains(&"new.json".to_owned())), (Some(2), false));
}

#[test]
fn programs_always_get_json() {
    let sandbox = Sandbox::new();
    sandbox.file("bad.json", "{");
    sandbox.file("none.json", r#"{"schema":"verification-template/2"}"#);
    for file in ["bad.json", "none.json", "missing.json"] {
        let ended = sandbox.aov(&["template", "grade", "--format", "json", file]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let error: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        assert!(error["code"].is_string(), "{error}");
    }
    let fixture = project().join("fixtures/pass_template_grade");
    sandbox.copy(&fixture);
    let ended = sandbox.aov(&[
        "template",
        "grade",
        "--format",
        "json",
        "agreed.template.json",
        "april.json",
        "--output",
        "grade.json",
    ]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
    let grade = std::fs::read(sandbox.path().join("grade.json")).unwrap();
    let grade: serde_json::Value = serde_json::from_slice(&grade).unwrap();
    let breakages = grade["trial"]["breakages"].as_array().unwrap();
    let caught = breakages.iter().filter(|breakage| breakage["caught"] == true).count();
    assert_eq!(grade["trial"]["caught"], caught);
    assert_eq!(grade["trial"]["total"], breakages.len());
}

#[test]
fn names_that_would_write_on_the_terminal_do_not() {
    let sandbox = Sandbox::new();
    sandbox.file("odd.json", "{\"a\\u001b[31m\\n\\u202eb\": 1, \"\\u200bc\": null}");
    let ended = sandbox.aov(&["template", "infer", "--explain", "odd.json"]);
    assert_eq!(ended.code, Some(0));
    sandbox.file("t.json", &ended.stdout);
    let graded = sandbox.aov(&["template", "grade", "t.json", "odd.json"]);
    assert_eq!(graded.code, Some(0), "{graded:?}");
    for (text, shown) in [(&ended.stderr, "\\u001b"), (&graded.stdout, "\\u200b")] {
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{text}");
        assert!(text.contains(shown), "{text}");
    }
}

/// Help texts of both actions, short and long.
#[test]
fn help_texts() {
    let sandbox = Sandbox::new();
    for action in ["infer", "grade"] {
        for flag in ["-h", "--help"] {
            let ended = sandbox.aov(&["template", action, flag]);
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
            let name = format!("help_template_{action}_{}", flag.trim_matches('-'));
            insta::assert_snapshot!(name, ended.stdout);
        }
    }
}
