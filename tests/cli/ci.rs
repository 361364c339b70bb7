//! README, "In CI": what is written there runs as it is written. Programs that are not installed
//! are said to be missing, and their part is not tried.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::formats::assert_valid;
use crate::receipts::real;
use crate::support::{Ended, Sandbox, end, project};

/// The code under a heading.
fn block(heading: &str) -> String {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    let section = text.split(&format!("\n### {heading}\n")).nth(1).expect(heading);
    let code = section.split("\n```").nth(1).unwrap();
    code.split_once('\n').unwrap().1.to_owned() + "\n"
}

/// A folder with the template of the README's story and outputs that meet it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let story = project().join("fixtures/pass_template_infer");
    sandbox.copy(&story);
    let made =
        ["template", "infer", "-q", "march.json", "april.json", "-o", "invoice.template.json"];
    assert_eq!(sandbox.aov(&made).code, Some(0));
    fs::create_dir(sandbox.path().join("outputs")).unwrap();
    for name in ["march.json", "april.json"] {
        fs::rename(sandbox.path().join(name), sandbox.path().join("outputs").join(name)).unwrap();
    }
    sandbox
}

/// Adds an output that does not meet the template.
fn spoil(sandbox: &Sandbox, content: &str) {
    sandbox.file("outputs/may.json", content);
}

fn executable(sandbox: &Sandbox, name: &str, script: &str) {
    let path = sandbox.file(name, script);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a program with `aov`, and what lies in the folder `bin`, on its path.
fn run(sandbox: &Sandbox, program: &str, arguments: &[&str]) -> Ended {
    let aov = Path::new(env!("CARGO_BIN_EXE_aov")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{}:{path}", sandbox.path().join("bin").display(), aov.display());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(sandbox.path()).env_clear();
    command.env("PATH", path).env("HOME", sandbox.path()).env("LANG", "C.UTF-8");
    for name in ["GIT_AUTHOR", "GIT_COMMITTER"] {
        command.env(format!("{name}_NAME"), "test");
        command.env(format!("{name}_EMAIL"), "test@example.org");
    }
    end(&mut command, None)
}

fn is_installed(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output();
    let there = there.is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("{program} is not installed: not tried");
    }
    there
}

#[test]
fn the_makefile_checks_what_has_changed_and_pays_once() {
    if !is_installed("make") {
        return;
    }
    let sandbox = sandbox();
    sandbox.file("Makefile", block("make"));
    sandbox.file("receipt.json", real("final-receipt.json"));
    sandbox.file("request.json", real("final-request.json"));
    executable(&sandbox, "pay", "#!/bin/sh\necho paid >> payments\n");
    let paid = || fs::read_to_string(sandbox.path().join("payments")).unwrap_or_default();
    let checks =
        |ended: &Ended| ended.stdout.lines().filter(|line| line.starts_with("aov check")).count();

    let first = run(&sandbox, "make", &["check"]);
    assert_eq!((first.code, checks(&first)), (Some(0), 2), "{first:?}");
    let again = run(&sandbox, "make", &["check"]);
    assert_eq!((again.code, checks(&again)), (Some(0), 0), "{again:?}");
    spoil(&sandbox, "{}");
    let spoilt = run(&sandbox, "make", &["pay"]);
    assert_eq!((spoilt.code, checks(&spoilt)), (Some(2), 1), "{spoilt:?}");
    assert!(spoilt.stdout.contains("FAIL: outputs/may.json"), "{spoilt:?}");
    assert!(!sandbox.path().join("outputs/may.checked").exists());
    assert_eq!(paid(), "");
    fs::remove_file(sandbox.path().join("outputs/may.json")).unwrap();
    let good = run(&sandbox, "make", &["pay"]);
    assert_eq!((good.code, &*paid()), (Some(0), "paid\n"), "{good:?}");
    // A receipt of a fail.
    sandbox.file("receipt.json", real("draft-receipt.json"));
    assert_eq!(run(&sandbox, "make", &["pay"]).code, Some(2));
    assert_eq!(paid(), "paid\n");
}

/// The steps of a workflow that are shell: name and script.
fn steps(workflow: &str) -> Vec<(String, String)> {
    let mut steps = Vec::new();
    let mut lines = workflow.lines().peekable();
    let mut name = String::new();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        if let Some(found) = text.strip_prefix("- name: ") {
            found.clone_into(&mut name);
        }
        let Some(script) = text.strip_prefix("run: ") else { continue };
        let mut script = script.to_owned();
        if script == "|" {
            let deep = line.len() - text.len();
            let is_inside = |line: &&str| line.len() - line.trim_start().len() > deep;
            script.clear();
            while let Some(line) = lines.next_if(is_inside) {
                script.push_str(line.trim_start());
                script.push('\n');
            }
        }
        steps.push((name.clone(), script));
    }
    steps
}

#[test]
fn the_workflow_annotates_and_reports() {
    if !is_installed("bash") {
        return;
    }
    let steps = steps(&block("GitHub Actions"));
    let names: Vec<_> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Install", "Check", "Report"]);
    let sandbox = sandbox();
    // Nothing is built here: what the step would have cargo do.
    fs::create_dir(sandbox.path().join("bin")).unwrap();
    executable(&sandbox, "bin/cargo", "#!/bin/sh\necho \"$*\" >> installed\n");
    // As the runner does it: bash -e {0}
    let step = |at: usize| {
        sandbox.file("step", &steps[at].1);
        run(&sandbox, "bash", &["-e", "step"])
    };
    assert_eq!(step(0).code, Some(0));
    let installed = fs::read_to_string(sandbox.path().join("installed")).unwrap();
    assert_eq!(installed, "install --locked --git https://git.example/aov\n");
    let sarif = || {
        let report = fs::read_to_string(sandbox.path().join("aov.sarif")).unwrap();
        assert_valid("sarif", &report);
        report
    };

    let (check, report) = (step(1), step(2));
    assert_eq!((check.code, report.code), (Some(0), Some(0)), "{check:?} {report:?}");
    assert!(sarif().contains("\"results\":[\n\n]"));
    let good = fs::read_to_string(sandbox.path().join("outputs/april.json")).unwrap();
    spoil(&sandbox, &good.replacen("\"total\": ", "\"total\": 7712345", 1));
    let (check, report) = (step(1), step(2));
    assert_eq!((check.code, report.code), (Some(1), Some(0)), "{check:?} {report:?}");
    assert!(check.stdout.contains("::error file=outputs/may.json,line="), "{check:?}");
    assert!(sarif().contains("consistency:sum_equals") && !sarif().contains("7712345"));
    // What was not checked is no report to go on with, and still one to read.
    spoil(&sandbox, "{");
    let (check, report) = (step(1), step(2));
    assert_eq!((check.code, report.code), (Some(2), Some(1)), "{check:?} {report:?}");
    assert!(sarif().contains("\"exitCode\":2"));
}

/// The hooks in a repository of their own, so that nothing depends on how this one was fetched; and
/// a repository that uses them.
fn repositories(sandbox: &Sandbox) {
    let hooks = sandbox.path().join("hooks");
    fs::create_dir(&hooks).unwrap();
    fs::copy(project().join(".pre-commit-hooks.yaml"), hooks.join(".pre-commit-hooks.yaml"))
        .unwrap();
    for folder in ["hooks", "."] {
        for arguments in [
            &["init", "-q"][..],
            &["add", "-A", "."],
            &["commit", "-q", "-m", "all"],
            &["tag", "v0.1.0"],
        ] {
            let ended = run(sandbox, "git", &[&["-C", folder], arguments].concat());
            assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        }
        if folder == "hooks" {
            sandbox.file(".gitignore", "hooks\n.cache\n");
        }
    }
}

#[test]
fn the_hook_stops_a_commit_of_a_bad_output() {
    if !is_installed("pre-commit") || !is_installed("git") {
        return;
    }
    let sandbox = sandbox();
    // The configuration as written, but for the address, and with the program that is tested here.
    let written = block("pre-commit");
    let configuration = written
        .replace("https://git.example/aov", "./hooks")
        .replace("aov-check", "aov-check-installed");
    assert_ne!(configuration, written);
    sandbox.file(".pre-commit-config.yaml", configuration);
    repositories(&sandbox);
    let all = || run(&sandbox, "pre-commit", &["run", "--all-files", "--verbose"]);
    let good = all();
    assert_eq!(good.code, Some(0), "{good:?}");
    assert!(good.stdout.contains("PASS: outputs/april.json"), "{}", good.stdout);
    spoil(&sandbox, "{}");
    assert_eq!(run(&sandbox, "git", &["add", "outputs/may.json"]).code, Some(0));
    let bad = all();
    assert_eq!(bad.code, Some(1), "{bad:?}");
    assert!(bad.stdout.contains("FAIL: outputs/may.json"), "{}", bad.stdout);
    assert!(bad.stdout.contains("exit code: 1"), "{}", bad.stdout);

    // Without arguments the files are whole requests.
    sandbox.file("request.json", real("final-request.json"));
    sandbox.file("draft.json", real("draft-request.json"));
    for (file, code) in [("request.json", 0), ("draft.json", 1)] {
        let arguments =
            ["try-repo", "./hooks", "aov-check-installed", "--verbose", "--files", file];
        let ended = run(&sandbox, "pre-commit", &arguments);
        assert_eq!(ended.code, Some(code), "{ended:?}");
    }
    // The two hooks differ in where the program comes from.
    let hooks = fs::read_to_string(project().join(".pre-commit-hooks.yaml")).unwrap();
    for line in ["entry: aov check", "types: [json]", "require_serial: true"] {
        assert_eq!(hooks.matches(line).count(), 2, "{line}");
    }
    assert!(hooks.contains("- id: aov-check\n") && hooks.contains("language: rust\n"));
}
