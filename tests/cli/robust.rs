//! What happens around a run: pipes that stay open or close early, full disks, files that go away,
//! folders that must not be read. A clear error, the right code, nothing half-written.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use crate::batch::{BASE, entries, gzip, sandbox};
use crate::support::{Sandbox, end, project};

/// A reader that goes away early (`| head -1`): the verdict is that of all inputs.
#[test]
fn a_reader_that_goes_away_gets_no_other_verdict() {
    let sandbox = sandbox();
    let mut text = "{\"id\": 1}\n".repeat(20_000);
    text.push_str("{}\n");
    sandbox.file("many.jsonl", &text);
    for (jobs, format) in [("1", "jsonl"), ("3", "jsonl"), ("3", "sarif"), ("2", "human")] {
        let mut child = sandbox
            .command()
            .args(["check", "--schema", "schema.json", "--format", format, "--jobs", jobs])
            .arg("many.jsonl")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 8];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let mut complaint = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{format} {jobs}");
        assert_eq!(complaint, "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_report_into_a_full_disk_is_said_and_leaves_nothing() {
    let sandbox = sandbox();
    sandbox.file("many.jsonl", "{\"id\": 1}\n".repeat(3000));
    let ended = sandbox.aov(&[&BASE[..], &["--output", "/dev/full", "many.jsonl"]].concat());
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("cannot write /dev/full"), "{}", ended.stderr);
    // A limit on the size of files stands in for a disk that fills on the way.
    sandbox.file("report", "old");
    let before = sandbox.names();
    let script = "trap '' XFSZ; ulimit -f 1500; exec \"$0\" check --schema schema.json --format jsonl --output report many.jsonl";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_aov")]).current_dir(sandbox.path()).env_clear();
    let ended = end(&mut command, None);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("cannot write report"), "{}", ended.stderr);
    assert_eq!(fs::read_to_string(sandbox.path().join("report")).unwrap(), "old");
    assert_eq!(sandbox.names(), before);
    // With room the report is whole.
    let ended = sandbox.aov(&[&BASE[..], &["--output", "report", "many.jsonl"]].concat());
    assert_eq!((ended.code, &*ended.stdout), (Some(0), ""));
    let report = fs::read_to_string(sandbox.path().join("report")).unwrap();
    assert!(report.len() > 2 << 20);
    assert_eq!(entries(&report).0.len(), 3000);
    assert_eq!(sandbox.names(), before);
}

/// The name is in the list, the file is gone: as if it vanished on the way.
#[test]
fn a_file_that_is_gone_does_not_stop_the_others() {
    let sandbox = sandbox();
    for name in ["a.json", "c.json"] {
        sandbox.file(name, r#"{"id": 1}"#);
    }
    let ended =
        sandbox.aov_with(&[&BASE[..], &["--files-from", "-"]].concat(), "a.json\nb.json\nc.json\n");
    assert_eq!(ended.code, Some(2));
    let codes: Vec<_> = entries(&ended.stdout).0.into_iter().map(|(.., code)| code).collect();
    assert_eq!(codes, [0, 2, 0]);
    assert!(ended.stdout.contains("b.json: there is no such file"), "{}", ended.stdout);
}

#[cfg(unix)]
#[test]
fn pipes_are_read_as_files_and_as_lines() {
    let sandbox = sandbox();
    for (name, content, code) in
        [("one.json", "{\"id\": 1}", 0), ("many.jsonl", "{\"id\": 1}\n{}\n", 1)]
    {
        let Some(pipe) = fifo(&sandbox, name) else { return };
        let writer = std::thread::spawn(move || fs::write(pipe, content));
        let ended = sandbox.aov(&[&BASE[..], &[name]].concat());
        writer.join().unwrap().unwrap();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(code), ""), "{name}");
        assert_eq!(entries(&ended.stdout).0.len(), content.lines().count());
    }
}

/// Whether a test that needs a user who may not do everything can be run: as somebody else if this
/// one may.
#[cfg(unix)]
fn as_somebody(sandbox: &Sandbox) -> Option<Command> {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let closed = sandbox.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read_dir(&closed).is_err() {
        return Some(sandbox.command());
    }
    // The numbers that by custom belong to nobody.
    fs::set_permissions(sandbox.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = sandbox.command();
    command.uid(65534).gid(65534);
    let mut probe = Command::new(env!("CARGO_BIN_EXE_aov"));
    probe.arg("--version").uid(65534).gid(65534).stdout(Stdio::null());
    if probe.status().is_ok_and(|status| status.success()) {
        return Some(command);
    }
    eprintln!("this user may read everything and be nobody else: not tried");
    None
}

#[cfg(unix)]
#[test]
fn a_folder_that_must_not_be_read_is_named_and_the_others_checked() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    sandbox.file("a.json", r#"{"id": 1}"#);
    let Some(mut command) = as_somebody(&sandbox) else { return };
    let ended = end(command.args(BASE).args(["closed", "a.json"]), None);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let codes: Vec<_> = entries(&ended.stdout).0.into_iter().map(|(.., code)| code).collect();
    assert_eq!(codes, [2, 0]);
    assert!(ended.stdout.contains("closed: permission denied"), "{}", ended.stdout);
    fs::set_permissions(sandbox.path().join("closed"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_folder_that_must_not_be_written_gets_no_report() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    sandbox.file("a.json", r#"{"id": 1}"#);
    let Some(mut command) = as_somebody(&sandbox) else { return };
    let ended = end(command.args(BASE).args(["a.json", "--output", "closed/report"]), None);
    assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{ended:?}");
    assert!(ended.stderr.contains("cannot write closed/report: "), "{}", ended.stderr);
    let closed = sandbox.path().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(fs::read_dir(closed).unwrap().count(), 0);
}

#[cfg(unix)]
fn fifo(sandbox: &Sandbox, name: &str) -> Option<std::path::PathBuf> {
    let pipe = sandbox.path().join(name);
    match Command::new("mkfifo").arg(&pipe).status() {
        Ok(status) if status.success() => Some(pipe),
        _ => {
            eprintln!("there is no mkfifo: not tried");
            None
        }
    }
}

/// The program has the list, and has opened the pipe, when the file goes.
#[cfg(unix)]
#[test]
fn a_file_that_vanishes_on_the_way_does_not_stop_the_others() {
    let sandbox = sandbox();
    for name in ["b.json", "c.json"] {
        sandbox.file(name, r#"{"id": 1}"#);
    }
    let Some(pipe) = fifo(&sandbox, "a.json") else { return };
    let mut child = sandbox
        .command()
        .args(BASE)
        .args(["--jobs", "1", "."])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Opening waits for the reader.
    let mut writer = fs::OpenOptions::new().write(true).open(pipe).unwrap();
    fs::remove_file(sandbox.path().join("b.json")).unwrap();
    writer.write_all(b"{\"id\": 1}").unwrap();
    drop(writer);
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(2), ""), "{stdout}");
    let (entries, _) = entries(&stdout);
    let ends: Vec<_> = entries.iter().map(|(name, _, code)| (name.as_str(), *code)).collect();
    let expected = [("./a.json", 0), ("./b.json", 2), ("./c.json", 0), ("./schema.json", 1)];
    assert_eq!(ends, expected);
    assert!(stdout.contains("b.json: there is no such file"), "{stdout}");
}

/// Ends by itself, or is ended when a test has waited for too long.
fn wait(mut child: Child) -> Option<i32> {
    let (ended, wait) = std::sync::mpsc::channel();
    let id = child.id();
    let waiter = std::thread::spawn(move || {
        let status = child.wait();
        let _ = ended.send(());
        status
    });
    if wait.recv_timeout(std::time::Duration::from_secs(60)).is_err() {
        drop(Command::new("kill").arg(id.to_string()).status());
        drop(waiter.join());
        panic!("it still waits");
    }
    waiter.join().unwrap().unwrap().code()
}

/// `(cat good; cat bad; sleep 1000) | aov check --jsonl --fail-fast`
#[test]
fn a_run_that_stops_does_not_wait_for_a_pipe_that_stays_open() {
    let sandbox = sandbox();
    for (jobs, packed) in [("1", false), ("2", false), ("5", false), ("3", true)] {
        let mut child = sandbox
            .command()
            .args(BASE)
            .args(["--jsonl", "--fail-fast", "--jobs", jobs, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        if packed {
            // A whole member; more could follow.
            pipe.write_all(&gzip("{\"id\": 1}\n{}\n")).unwrap();
        } else {
            pipe.write_all(b"{\"id\": 1}\n").unwrap();
            pipe.write_all(b"{}\n{\"id\": 2}\n").unwrap();
        }
        pipe.flush().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        assert_eq!(wait(child), Some(1), "{jobs}");
        let mut report = String::new();
        stdout.read_to_string(&mut report).unwrap();
        let (entries, summary) = entries(&report);
        assert_eq!(entries.iter().map(|(.., code)| *code).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(summary["stopped_early"], true);
        drop(pipe);
    }
}

/// The same with named pipes that nobody writes to.
#[cfg(unix)]
#[test]
fn a_run_that_stops_does_not_wait_for_a_named_pipe() {
    let sandbox = sandbox();
    sandbox.file("bad.json", "{}");
    for name in ["one.json", "two.json", "three.jsonl"] {
        let Some(pipe) = fifo(&sandbox, name) else { return };
        for jobs in ["2", "5"] {
            let mut command = sandbox.command();
            command.args(BASE).args(["--fail-fast", "--jobs", jobs, "bad.json"]).arg(&pipe);
            let child = command.stdout(Stdio::null()).spawn().unwrap();
            assert_eq!(wait(child), Some(1), "{name} {jobs}");
        }
    }
}

/// Commands that end with 1 and print a report, of every verb that gives verdicts.
fn failing(sandbox: &Sandbox) -> Vec<Vec<&'static str>> {
    sandbox.copy(&project().join("fixtures/real"));
    sandbox.copy(&project().join("fixtures/pass_template_grade"));
    sandbox.file("bad.json", "{}");
    vec![
        vec!["check", "--schema", "schema.json", "bad.json"],
        vec!["verify-receipt", "--offline", "draft-receipt.json", "--require-pass"],
        vec!["template", "grade", "agreed.template.json", "bad.json"],
    ]
}

#[test]
fn a_reader_that_goes_away_at_once_gets_no_other_verdict() {
    let sandbox = sandbox();
    for arguments in failing(&sandbox) {
        for format in ["human", "json", "jsonl", "junit", "sarif", "github"] {
            let mut command = sandbox.command();
            command.args(&arguments).args(["--format", format]);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            drop(child.stdout.take());
            let mut complaint = String::new();
            child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
            let code = child.wait().unwrap().code();
            assert_eq!((code, &*complaint), (Some(1), ""), "{arguments:?} {format}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_printed_is_no_report() {
    let sandbox = sandbox();
    for arguments in failing(&sandbox) {
        for format in ["human", "json", "jsonl", "junit", "sarif", "github"] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let mut command = sandbox.command();
            command.args(&arguments).args(["--format", format]).stdout(full);
            let ended = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
            let complaint = String::from_utf8(ended.stderr).unwrap();
            assert_eq!(ended.status.code(), Some(2), "{arguments:?} {format}: {complaint}");
            let expected = "error: cannot write to standard output: No space left on device";
            assert!(complaint.starts_with(expected), "{arguments:?} {format}: {complaint}");
            assert_eq!(complaint.lines().count(), 1, "{complaint}");
        }
    }
}
