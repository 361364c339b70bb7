//! The official JSON-Schema-Test-Suite (SPEC 4.1), formats asserted in every draft.
#![allow(clippy::unwrap_used, reason = "a test ends where its data is not as expected")]

#[path = "support/suites.rs"]
mod suites;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agent_output_verifier::json::{self, Node};
use agent_output_verifier::schema::{RemoteDocuments, Schema};
use serde_json::Value;

/// Tests that we do not pass, by how their name begins, how many there are, and why. The README has
/// the same list.
const NOT_PASSED: [(&str, usize, &str); 2] = [
    ("draft2020-12/format.json: ", 19, "they demand that formats only annotate; here they assert"),
    (
        "draft7/optional/content.json: ",
        4,
        "contentEncoding and contentMediaType are not assertions",
    ),
];

const DRAFTS: [&str; 5] = ["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"];

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of the suite").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(json_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn remotes(folder: &Path) -> RemoteDocuments {
    json_files(folder)
        .into_iter()
        .map(|path| {
            let relative = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(&path).unwrap();
            let document = serde_json::from_str::<Value>(&text).unwrap();
            (format!("http://localhost:1234/{relative}"), document)
        })
        .collect()
}

/// The schema with the dialect of the draft, as a runner of the suite supplies it.
fn with_dialect(schema: &str, draft: &str) -> String {
    let dialect = match draft {
        "draft4" => "http://json-schema.org/draft-04/schema#",
        "draft6" => "http://json-schema.org/draft-06/schema#",
        "draft7" => "http://json-schema.org/draft-07/schema#",
        "draft2019-09" => "https://json-schema.org/draft/2019-09/schema",
        _ => "https://json-schema.org/draft/2020-12/schema",
    };
    match schema.strip_prefix('{') {
        Some(rest) if !schema.contains("\"$schema\"") => {
            let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
            format!("{{\"$schema\":\"{dialect}\"{comma}{rest}")
        }
        _ => schema.to_owned(),
    }
}

#[derive(Default)]
struct Counts {
    passed: usize,
    failed: BTreeSet<String>,
}

fn run(case: Node<'_>, draft: &str, file: &str, remotes: &RemoteDocuments, counts: &mut Counts) {
    let text = with_dialect(case.get("schema").unwrap().source(), draft);
    let document = json::read(text.into_bytes(), 200).unwrap();
    let compiled = Schema::compile_with(document.root(), remotes.clone());
    let name = case.get("description").unwrap().as_str().unwrap();
    for test in case.get("tests").unwrap().elements() {
        let id = format!(
            "{draft}/{file}: {name}: {}",
            test.get("description").unwrap().as_str().unwrap()
        );
        let expected = test.get("valid").unwrap().as_bool().unwrap();
        let data = json::read(test.get("data").unwrap().source(), 200).unwrap();
        let outcome = match &compiled {
            Err(faults) => format!("invalid schema: {faults:?}"),
            Ok(schema) => match schema.check(data.root()) {
                Err(fault) => format!("no verdict: {fault}"),
                Ok(report) => {
                    let valid = report.violations.is_empty();
                    assert_eq!(valid, report.assertions.passed == report.assertions.total, "{id}");
                    if valid == expected {
                        String::new()
                    } else {
                        format!("valid: {valid}, {:?}", report.violations)
                    }
                }
            },
        };
        if outcome.is_empty() {
            counts.passed += 1;
        } else {
            counts.failed.insert(format!("{id}: {outcome}"));
        }
    }
}

#[test]
fn the_official_suite_passes() {
    let Some(suite) = suites::suite("json-schema") else { return };
    let remotes = remotes(&suite.join("remotes"));
    let mut counts = Counts::default();
    for draft in DRAFTS {
        let folder = suite.join("tests").join(draft);
        for path in json_files(&folder) {
            let file = path.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/");
            let document = json::read(std::fs::read(&path).unwrap(), 200).unwrap();
            for case in document.root().elements() {
                run(case, draft, &file, &remotes, &mut counts);
            }
        }
    }
    let excused =
        |failure: &&String| NOT_PASSED.iter().any(|(start, ..)| failure.starts_with(start));
    let unexpected: Vec<_> = counts.failed.iter().filter(|failure| !excused(failure)).collect();
    println!("{} tests pass, {} do not", counts.passed, counts.failed.len());
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    for (start, number, reason) in NOT_PASSED {
        let failed = counts.failed.iter().filter(|failure| failure.starts_with(start)).count();
        assert_eq!(failed, number, "{start} ({reason})");
    }
}
