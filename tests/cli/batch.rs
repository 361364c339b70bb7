//! Many inputs: folders, lists, JSONL packed or not; order, limits, and what a bad one does to the
//! others.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::support::{Sandbox, end};

const SCHEMA: &str = r#"{"required": ["id"], "properties": {"n": {"maximum": 9}}}"#;
pub(crate) const BASE: [&str; 5] = ["check", "--schema", "schema.json", "--format", "jsonl"];

pub(crate) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("schema.json", SCHEMA);
    sandbox
}

pub(crate) fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// Input, line and exit code of each entry; the last line is the summary.
pub(crate) fn entries(stdout: &str) -> (Vec<(String, Option<u64>, u64)>, Value) {
    let mut lines: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["type"], "summary");
    let entries = lines.iter().map(|line| {
        let input = line["input"].as_str().unwrap().to_owned();
        (input, line["line"].as_u64(), line["exit_code"].as_u64().unwrap())
    });
    (entries.collect(), summary)
}

#[test]
fn a_folder_is_its_json_files_sorted() {
    let sandbox = sandbox();
    let folder = sandbox.path().join("out");
    fs::create_dir(&folder).unwrap();
    for number in 0..1000 {
        let content = if number == 7 { "{}" } else { r#"{"id": 1}"# };
        fs::write(folder.join(format!("{number:03}.json")), content).unwrap();
    }
    fs::write(folder.join("notes.txt"), "no").unwrap();
    fs::write(folder.join(".hidden.json"), "no").unwrap();
    let ended = sandbox.aov(&[&BASE[..], &["out"]].concat());
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), ""));
    let (entries, summary) = entries(&ended.stdout);
    let expected: Vec<_> = (0..1000)
        .map(|number| (format!("out/{number:03}.json"), None, u64::from(number == 7)))
        .collect();
    assert_eq!(entries, expected);
    assert_eq!((&summary["passed"], &summary["failed"]), (&999.into(), &1.into()));
    // People see what there is to say, and the count.
    let ended = sandbox.aov(&["check", "--schema", "schema.json", "out"]);
    assert!(ended.stdout.starts_with("FAIL: out/007.json does not meet"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("PASS"), "{}", ended.stdout);
    let last = "1000 inputs: 999 passed (code 0), 1 failed (code 1); exit code 1\n";
    assert!(ended.stdout.ends_with(last), "{}", ended.stdout);
}

#[test]
fn lines_are_inputs_wherever_they_come_from() {
    let sandbox = sandbox();
    let text = "{\"id\": 1}\n\n{\"id\": 2, \"n\": 10}\r\n{\"id\": \n  \n{\"id\": 3}";
    sandbox.file("a.jsonl", text);
    sandbox.file("b.jsonl.gz", gzip(text));
    sandbox.file("c.txt", text);
    let cases = [
        (&["a.jsonl"][..], None, "a.jsonl"),
        (&["b.jsonl.gz"], None, "b.jsonl.gz"),
        (&["--jsonl", "c.txt"], None, "c.txt"),
        (&["--jsonl", "-"], Some(text.into()), "<stdin>"),
        (&["--jsonl"], Some(gzip(text)), "<stdin>"),
    ];
    for (arguments, stdin, name) in cases {
        let ended =
            end(sandbox.command().args(BASE).args(arguments), stdin.as_deref().or(Some(b"")));
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), ""), "{arguments:?}");
        let (entries, _) = entries(&ended.stdout);
        let expected = [(1, 0), (3, 1), (4, 2), (6, 0)]
            .map(|(line, code)| (name.to_owned(), Some(line), code));
        assert_eq!(entries, expected, "{arguments:?}");
    }
    // The place of a finding is one in the file.
    let ended = sandbox.aov(&["check", "--schema", "schema.json", "a.jsonl"]);
    assert!(ended.stdout.starts_with("FAIL: a.jsonl:3 does not meet"), "{}", ended.stdout);
    assert!(ended.stdout.contains("--> a.jsonl:3:16\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("3 | {\"id\": 2, \"n\": 10}"), "{}", ended.stdout);
    assert!(ended.stderr.starts_with("error: a.jsonl:4:8: "), "{}", ended.stderr);
    let line = ended.stdout.lines().last().unwrap();
    assert!(
        line.starts_with("4 inputs: 2 passed (code 0), 1 failed (code 1), 1 could not"),
        "{line}"
    );
}

#[test]
fn whole_requests_are_lines_too_and_each_has_its_schema() {
    let sandbox = Sandbox::new();
    let request = |schema: &str, output: &str| {
        format!(
            "{{\"task_id\":\"t\",\"expected_schema\":{schema},\"submitted_output\":{output}}}\n"
        )
    };
    let mut text = String::new();
    for number in 0..200 {
        // Forty schemas, more than are kept; output 5 meets those from 5 on.
        let schema = format!(r#"{{"maximum":{}}}"#, number % 40);
        text.push_str(&request(&schema, "5"));
    }
    text.push_str(&request(r#"{"type":"strin"}"#, "5"));
    text.push_str(&request("{}", "5"));
    sandbox.file("r.jsonl", &text);
    for jobs in ["1", "3"] {
        let ended = sandbox.aov(&["check", "--format", "jsonl", "--jobs", jobs, "r.jsonl"]);
        let (entries, _) = entries(&ended.stdout);
        let codes: Vec<_> = entries.iter().map(|(.., code)| *code).collect();
        let mut expected: Vec<_> = (0..200).map(|number| u64::from(number % 40 < 5)).collect();
        expected.extend([2, 0]);
        assert_eq!(codes, expected);
    }
}

#[test]
fn order_and_verdicts_do_not_depend_on_the_number_of_threads() {
    let sandbox = sandbox();
    let text: String = (0..30_000)
        .map(|number| match number % 1000 {
            3 => "{\"id\": 1, \"n\": 10}\n".to_owned(),
            7 => "nonsense\n".to_owned(),
            11 => format!("{{\"id\": \"{}\"}}\n", "x".repeat(20_000)),
            _ => format!("{{\"id\": {number}}}\n"),
        })
        .collect();
    sandbox.file("many.jsonl", &text);
    let reports: Vec<_> = ["1", "2", "5"]
        .iter()
        .map(|jobs| {
            let ended =
                sandbox.aov(&["check", "--schema", "schema.json", "--jobs", jobs, "many.jsonl"]);
            assert_eq!(ended.code, Some(2));
            (ended.stdout, ended.stderr)
        })
        .collect();
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0], reports[2]);
    assert_eq!(reports[0].0.matches("FAIL: ").count(), 30);
    assert_eq!(reports[0].1.matches("error: ").count(), 30);
}

#[test]
fn a_run_stops_at_the_first_that_does_not_pass_if_asked() {
    let sandbox = sandbox();
    let mut text = "{\"id\": 1}\n".repeat(5000);
    text.insert_str(10 * 100, "{}\n");
    text.insert_str(10 * 4000, "nonsense\n");
    sandbox.file("many.jsonl", &text);
    for jobs in ["1", "4"] {
        let arguments = ["--fail-fast", "--jobs", jobs, "many.jsonl", "none.json"];
        let ended = sandbox.aov(&[&BASE[..], &arguments].concat());
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), ""));
        let (entries, summary) = entries(&ended.stdout);
        assert_eq!(entries.len(), 101);
        assert_eq!(entries[100], ("many.jsonl".to_owned(), Some(101), 1));
        assert_eq!((&summary["inputs"], &summary["stopped_early"]), (&101.into(), &true.into()));
    }
}

#[test]
fn a_list_names_the_files() {
    let sandbox = sandbox();
    sandbox.file("a.json", r#"{"id": 1}"#);
    sandbox.file("b c.json", "{}");
    sandbox.file("list", "b c.json\n\na.json\r\n");
    let of = |arguments: &[&str], stdin: &str| {
        let ended = sandbox.aov_with(&[&BASE[..], arguments].concat(), stdin);
        let (entries, _) = entries(&ended.stdout);
        (ended.code, entries.into_iter().map(|(input, ..)| input).collect::<Vec<_>>())
    };
    assert_eq!(
        of(&["--files-from", "list"], ""),
        (Some(1), vec!["b c.json".into(), "a.json".into()])
    );
    assert_eq!(of(&["--files-from", "-"], "a.json\0"), (Some(0), vec!["a.json".into()]));
    assert_eq!(
        of(&["--files-from", "-", "a.json"], "b c.json"),
        (Some(1), vec!["a.json".into(), "b c.json".into()])
    );
    assert_eq!(of(&["--files-from", "none"], "").0, Some(2));
    // Standard input cannot be the list and an input.
    assert_eq!(of(&["--files-from", "-", "-"], "a.json").0, Some(2));
}

/// Nothing checked is never a pass.
#[test]
fn nothing_to_check_is_no_pass() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.path().join("folder")).unwrap();
    sandbox.file("empty.jsonl", "");
    sandbox.file("blank.jsonl", "\n \n");
    sandbox.file("empty", "");
    for format in ["human", "jsonl", "junit", "sarif", "github"] {
        for arguments in [
            &["folder"][..],
            &["empty.jsonl"],
            &["blank.jsonl"],
            &["--files-from", "empty"],
            &["--jsonl", "-"],
        ] {
            let fixed = ["check", "--schema", "schema.json", "--format", format];
            for quiet in [&[][..], &["--quiet"]] {
                let ended = sandbox.aov_with(&[&fixed[..], quiet, arguments].concat(), "");
                assert_eq!(ended.code, Some(2), "{format} {arguments:?}: {ended:?}");
                let says = format!("{}{}", ended.stdout, ended.stderr);
                let why = ["there is nothing to check", "there is no *.json in this folder"];
                assert!(why.iter().any(|why| says.contains(why)), "{format} {arguments:?}: {says}");
            }
        }
    }
}

#[test]
fn one_body_is_for_one_input() {
    let sandbox = sandbox();
    sandbox.file("a.jsonl", "{}\n");
    let ended = sandbox.aov(&["check", "--schema", "schema.json", "--format", "json", "a.jsonl"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stdout.contains("use --format jsonl for several inputs"), "{ended:?}");
}

/// A gigabyte that is a megabyte on disk: what is unpacked is limited too.
#[test]
fn a_record_is_limited_after_unpacking() {
    let sandbox = sandbox();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(b"{\"id\": 1}\n\"").unwrap();
    for _ in 0..66 {
        encoder.write_all(&vec![b'x'; 1 << 20]).unwrap();
    }
    encoder.write_all(b"\"\n{\"id\": 2}\n").unwrap();
    sandbox.file("bomb.jsonl.gz", encoder.finish().unwrap());
    let ended = sandbox.aov(&[&BASE[..], &["bomb.jsonl.gz"]].concat());
    assert_eq!(ended.code, Some(2));
    let (entries, _) = entries(&ended.stdout);
    let lines: Vec<_> = entries.iter().map(|(_, line, code)| (line.unwrap(), *code)).collect();
    assert_eq!(lines, [(1, 0), (2, 2), (3, 0)]);
    assert!(ended.stdout.contains("longer than 64 MiB"), "{}", ended.stdout);
}

#[test]
fn each_record_has_a_task_of_its_own() {
    let sandbox = sandbox();
    sandbox.file("a.jsonl", "{\"id\": 1}\n{\"id\": 1}\n");
    let tasks = |more: &[&str]| {
        let ended = sandbox.aov(&[&BASE[..], more, &["a.jsonl"]].concat());
        let tasks = ended.stdout.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["response"]["task_id"].as_str().map(str::to_owned)
        });
        tasks.collect::<Vec<_>>()
    };
    assert_eq!(tasks(&[]), ["a.jsonl:1", "a.jsonl:2"]);
    assert_eq!(tasks(&["--task-id", "7"]), ["7", "7"]);
}
