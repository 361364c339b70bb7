//! `aov check` where a fixture cannot say it: streams, files that are no files, large and hostile
//! inputs.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::{Ended, Sandbox, end, project};

/// The text of a fixture's file.
fn fixture(case: &str, file: &str) -> String {
    fs::read_to_string(project().join("fixtures").join(case).join(file)).unwrap()
}

/// A sandbox with the invoice, its schema and its rules, and the broken one as a request.
fn invoices() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.copy(&project().join("fixtures/pass_invoice"));
    sandbox.file("request.json", fixture("fail_broken_invoice", "request.json"));
    sandbox
}

const PARTS: [&str; 5] = ["check", "--schema", "schema.json", "--rules", "rules.json"];

#[test]
fn standard_input_is_an_input_like_any() {
    let sandbox = invoices();
    let invoice = fixture("pass_invoice", "invoice.json");
    for arguments in [vec!["-"], vec![]] {
        let ended = sandbox.aov_with(&[&PARTS[..], &arguments].concat(), &invoice);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.starts_with("PASS: <stdin> meets"), "{}", ended.stdout);
    }
    let ended = sandbox.aov_with(&["check", "-", "-"], &invoice);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("cannot read <stdin>: it was read already"), "{}", ended.stderr);
}

#[test]
fn a_file_that_must_not_be_read_is_named() {
    let sandbox = invoices();
    let secret = sandbox.file("secret.json", "{}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    }
    if fs::read(&secret).is_ok() {
        eprintln!("this user may read everything: nothing to see here");
        return;
    }
    let ended = sandbox.aov(&["check", "secret.json"]);
    assert_eq!(ended.code, Some(2));
    assert_eq!(ended.stderr, "error: cannot read secret.json: permission denied\n");
}

/// A gate whose output goes to `head` must not turn green.
#[test]
fn a_reader_that_went_away_does_not_change_the_verdict() {
    let sandbox = invoices();
    for (arguments, code) in [
        (vec!["check", "request.json"], 1),
        (vec!["check", "--format", "json", "request.json"], 1),
        (vec!["hash", "request.json"], 0),
        (vec!["--help"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = sandbox
            .command()
            .args(&arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut complaint = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut complaint).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{arguments:?}");
        assert_eq!(complaint, "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let sandbox = invoices();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut child = sandbox
        .command()
        .args(["check", "request.json"])
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut complaint = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut complaint).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert!(complaint.contains("cannot write to standard output"), "{complaint}");

    let before = sandbox.names();
    let ended = sandbox.aov(&["check", "--output", "/dev/full", "request.json"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("cannot write /dev/full"), "{}", ended.stderr);
    assert_eq!(sandbox.names(), before);
}

#[test]
fn a_report_goes_into_a_file_whole() {
    let sandbox = invoices();
    let printed = sandbox.aov(&["check", "request.json"]);
    sandbox.file("report.txt", "old");
    let ended = sandbox.aov(&["check", "--output", "report.txt", "request.json"]);
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(1), "", ""));
    assert_eq!(fs::read_to_string(sandbox.path().join("report.txt")).unwrap(), printed.stdout);
    let names =
        ["cmd", "code", "invoice.json", "report.txt", "request.json", "rules.json", "schema.json"];
    assert_eq!(sandbox.names(), names);
    // What is not asked to be printed is not printed, but the file is written all the same.
    sandbox.aov(&["check", "--quiet", "--output", "quiet.txt", "request.json"]);
    assert_eq!(fs::read_to_string(sandbox.path().join("quiet.txt")).unwrap(), printed.stdout);
}

/// A disk that fills while the report is written: the old report stays, and nothing else does.
#[cfg(unix)]
#[test]
fn an_error_keeps_the_old_file() {
    let sandbox = invoices();
    sandbox.file("report.txt", "old");
    let before = sandbox.names();
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" check --output report.txt request.json";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_aov")]).current_dir(sandbox.path()).env_clear();
    let ended = end(&mut command, None);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("cannot write report.txt"), "{}", ended.stderr);
    assert_eq!(fs::read_to_string(sandbox.path().join("report.txt")).unwrap(), "old");
    assert_eq!(sandbox.names(), before);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_written_not_replaced() {
    let sandbox = invoices();
    let pipe = sandbox.path().join("pipe");
    match Command::new("mkfifo").arg(&pipe).status() {
        Ok(status) if status.success() => {}
        _ => return eprintln!("there is no mkfifo: not tried"),
    }
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    let ended = sandbox.aov(&["check", "--output", "pipe", "request.json"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(reader.join().unwrap().starts_with("FAIL: request.json"));
    assert!(!fs::symlink_metadata(pipe).unwrap().is_file());
}

#[test]
fn an_input_is_never_overwritten() {
    let sandbox = invoices();
    let before = fixture("fail_broken_invoice", "request.json");
    // Not even by the report that says so.
    for format in ["human", "json", "jsonl", "junit", "sarif", "github"] {
        let words = ["check", "--output", "./request.json", "request.json", "--format", format];
        let ended = sandbox.aov(&words);
        assert_eq!(ended.code, Some(2));
        let told = ended.stderr.contains("would overwrite the input request.json");
        assert!(told, "{}", ended.stderr);
        assert_eq!(fs::read_to_string(sandbox.path().join("request.json")).unwrap(), before);
    }
}

#[test]
fn what_cannot_be_checked_is_in_the_report_file_too() {
    let sandbox = invoices();
    let ended = sandbox.aov(&["check", "--output", "report.txt", "none.json", "request.json"]);
    assert_eq!(ended.code, Some(2));
    let report = fs::read_to_string(sandbox.path().join("report.txt")).unwrap();
    for text in [&report, &ended.stderr] {
        assert!(
            text.starts_with("error: cannot read none.json: there is no such file\n"),
            "{text}"
        );
    }
    assert!(report.contains("\nFAIL: request.json"), "{report}");
    let ended = sandbox.aov(&["check", "--format", "json", "-o", "report.json", "none.json"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    let body = fs::read_to_string(sandbox.path().join("report.json")).unwrap();
    assert!(body.contains("\"code\": \"unreadable_input\""), "{body}");
}

#[test]
fn quiet_says_nothing_but_why_there_is_no_verdict() {
    let sandbox = invoices();
    for format in ["human", "json"] {
        let ended = sandbox.aov(&["check", "-q", "--format", format, "request.json"]);
        assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(1), "", ""));
        let ended = sandbox.aov(&["check", "-q", "--format", format, "none.json"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
        assert!(ended.stderr.contains("none.json"), "{}", ended.stderr);
    }
}

/// Ten megabytes in one line: the excerpts stay excerpts.
#[test]
fn a_huge_line_is_not_printed() {
    let sandbox = Sandbox::new();
    let items = vec![r#"{"price":1.5}"#; 800_000].join(",");
    sandbox.file("schema.json", r#"{"properties":{"last":{"maximum":1}}}"#);
    let output = format!("{{\"items\":[{items}],\"last\":2}}");
    sandbox.file("output.json", &output);
    let ended = sandbox.aov(&["check", "--schema", "schema.json", "output.json"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stdout.len() < 2_000, "{} bytes", ended.stdout.len());
    let column = output.find("2}").unwrap() + 1;
    assert!(ended.stdout.contains(&format!("--> output.json:1:{column}\n")), "{}", ended.stdout);
    assert!(ended.stdout.contains("\"last\":2}"), "{}", ended.stdout);
    // And one that is no JSON at its end.
    sandbox.file("output.json", output.replace("2}", "2,}"));
    let ended = sandbox.aov(&["check", "--schema", "schema.json", "output.json"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.len() < 1_000, "{} bytes", ended.stderr.len());
    assert!(ended.stderr.starts_with(&format!("error: output.json:1:{}: ", column + 1)));
}

#[test]
fn of_many_findings_fifty_are_shown_and_the_rest_counted() {
    let sandbox = Sandbox::new();
    sandbox.file("schema.json", r#"{"items":{"type":"string"}}"#);
    sandbox.file("output.json", format!("[{}]", vec!["1"; 120].join(",\n")));
    for (detail, line) in [("full", "\n… and 70 more that"), ("compact", "\n… and 70 more that")]
    {
        let ended =
            sandbox.aov(&["check", "--detail", detail, "--schema", "schema.json", "output.json"]);
        assert_eq!(ended.stdout.matches("error[type]").count(), 50, "{}", ended.stdout);
        assert!(ended.stdout.contains(line), "{}", ended.stdout);
        assert!(ended.stdout.contains("120 errors"), "{}", ended.stdout);
    }
}

/// SPEC 10.1, on pipes too. The JSON report has its escapes.
#[test]
fn data_and_file_names_cannot_write_on_the_terminal() {
    let sandbox = Sandbox::new();
    let nasty = "a\u{1b}[2J\u{202e}\u{200b}\u{9b}31m";
    sandbox.file("schema.json", r#"{"additionalProperties":{"maximum":0}}"#);
    let data = format!(
        "{{ \"{}\": 1, \"n\": [\"\u{202e}\u{200b}\u{9b}\"] }}",
        nasty.replace('\u{1b}', "\\u001b")
    );
    let name = format!("{nasty}\n.json");
    sandbox.file(&name, &data);
    sandbox.file("broken.json", data.replace("] }", "\u{202e} ]"));
    let ends = [
        sandbox.aov(&["check", "--schema", "schema.json", &name]),
        sandbox.aov(&["check", "--detail", "compact", "--schema", "schema.json", &name]),
        sandbox.aov(&["check", "--schema", "schema.json", "broken.json"]),
        sandbox.aov(&["check", &name]),
        sandbox.aov(&["check", &format!("none{name}")]),
        sandbox.aov(&["hash", "--value", &format!("none{name}")]),
        sandbox.aov(&[
            "check",
            "--output",
            &format!("none/{name}"),
            "--schema",
            "schema.json",
            &name,
        ]),
        sandbox.aov(&[&format!("--{name}")]),
    ];
    for Ended { code, stdout, stderr } in ends {
        assert!(code.is_some_and(|code| code > 0));
        for text in [stdout, stderr] {
            let raw = text.chars().find(|it| {
                (it.is_control() && *it != '\n') || matches!(it, '\u{202e}' | '\u{200b}')
            });
            assert_eq!(raw, None, "{text:?}");
        }
    }
}

#[test]
fn nesting_is_limited_per_part_and_the_envelope_does_not_count() {
    let sandbox = Sandbox::new();
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let schema = |levels: usize| {
        format!("{}{{}}{}", "{\"not\":{\"not\":".repeat(levels / 2), "}}".repeat(levels / 2))
    };
    sandbox.file("schema.json", "{}");
    for (levels, code) in [(128, 0), (129, 2), (10_000, 2)] {
        let output = nested(levels);
        sandbox.file("output.json", &output);
        let ended = sandbox.aov(&["check", "--schema", "schema.json", "output.json"]);
        assert_eq!(ended.code, Some(code), "{levels}: {ended:?}");
        let request =
            format!(r#"{{"task_id":"t","expected_schema":{{}},"submitted_output":{output}}}"#);
        sandbox.file("request.json", request);
        let ended = sandbox.aov(&["check", "request.json"]);
        assert_eq!(ended.code, Some(code), "{levels}: {ended:?}");
    }
    sandbox.file("output.json", "1");
    for (levels, code) in [(126, 0), (128, 2)] {
        let template = format!(
            r#"{{"schema":"verification-template/1","template":{{"expected_schema":{}}}}}"#,
            schema(levels)
        );
        sandbox.file("template.json", template);
        let ended = sandbox.aov(&["check", "--template", "template.json", "output.json"]);
        assert_eq!(ended.code, Some(code), "{levels}: {ended:?}");
    }
}

#[test]
fn the_task_is_called_like_the_file_unless_it_has_a_name() {
    let sandbox = invoices();
    let task = |arguments: &[&str], name: &str| {
        let ended = sandbox.aov(&[&PARTS[..], &["--format", "json"], arguments].concat());
        assert!(ended.stdout.contains(&format!("\"task_id\": \"{name}\"")), "{}", ended.stdout);
    };
    task(&["invoice.json"], "invoice.json");
    task(&["./invoice.json"], "invoice.json");
    task(&["--task-id", "7731", "invoice.json"], "7731");
    let odd = "a\u{1}b.json";
    sandbox.file(odd, fixture("pass_invoice", "invoice.json"));
    task(&[odd], r"a\\u0001b.json");
    let ended = sandbox.aov(&[&PARTS[..], &["--task-id", "", "invoice.json"]].concat());
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("task_id is empty"), "{}", ended.stderr);
}

#[test]
fn the_body_has_an_id_and_a_time_of_its_own() {
    let sandbox = invoices();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let body = sandbox.aov(&["check", "--format", "json", "request.json"]).stdout;
        let field = |name: &str| {
            let start = body.find(&format!("\n  \"{name}\": \"")).unwrap() + name.len() + 8;
            body[start..].split('"').next().unwrap().to_owned()
        };
        let id = field("verification_id");
        // RFC 9562: version 4, variant 10.
        assert_eq!((id.len(), &id[14..15]), (36, "4"), "{id}");
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
        ids.push(id);
        let at = field("verified_at");
        let shape: String =
            at.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).collect();
        assert_eq!(shape, "0000-00-00T00:00:00.000000+00:00");
        assert!(!body.contains("\"verify\"") && !body.contains("\"attestation\""));
    }
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn colour_repeats_what_the_words_say() {
    let sandbox = invoices();
    let plain = sandbox.aov(&["check", "request.json"]).stdout;
    let coloured = sandbox.aov(&["check", "--color", "always", "request.json"]).stdout;
    assert!(coloured.contains("\u{1b}["));
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        stripped.push_str(&rest[..at]);
        rest = &rest[at..][rest[at..].find('m').unwrap() + 1..];
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
    let json = sandbox.aov(&["check", "--color", "always", "--format", "json", "request.json"]);
    assert!(!json.stdout.contains('\u{1b}'));
}

/// Every template with an output that keeps it and one that does not, if they are there.
#[test]
fn templates_of_real_services() {
    let folder = project().join("../shared/cases/templates");
    if !folder.is_dir() {
        return eprintln!("there is no {}: not tried", folder.display());
    }
    let sandbox = Sandbox::new();
    let mut pairs = 0;
    for entry in fs::read_dir(folder.join("pairs")).unwrap() {
        let output = entry.unwrap().path();
        let name = output.file_name().unwrap().to_str().unwrap();
        let Some((template, kind)) = name.strip_suffix(".json").unwrap().split_once('.') else {
            continue;
        };
        let template = folder.join(format!("{template}.json"));
        let arguments =
            ["check", "--template", template.to_str().unwrap(), output.to_str().unwrap()];
        let ended = sandbox.aov(&arguments);
        assert_eq!(ended.code, Some(if kind == "ok" { 0 } else { 1 }), "{name}: {ended:?}");
        pairs += 1;
    }
    eprintln!("{pairs} outputs of templates");
    assert!(pairs > 0);
}
