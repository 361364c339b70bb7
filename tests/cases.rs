//! Small requests drawn from publicly reported faults of tools like this one, and templates of real
//! services, each with an output that meets it and one that does not.
//!
//! They are read from `AOV_CASES`, or `shared/cases` beside the checkout, if they are there.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use agent_output_verifier::check::{Outcome, Verdict, Work, check};
use agent_output_verifier::json::{self, Kind, MAX_DEPTH, Node};
use agent_output_verifier::place::{Place, Step, path_of_field};
use agent_output_verifier::request::{Detail, Parts, Request, UnknownFields, parse};

/// A case file has its request some levels down.
const CASE_DEPTH: usize = MAX_DEPTH + 8;

fn cases(name: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    let folder = std::env::var_os("AOV_CASES").map_or(beside, PathBuf::from).join(name);
    let found = folder.is_dir();
    let state = if found { "present" } else { "not here, skipped" };
    // Not `eprintln`, which would be kept back when all is well.
    let _ = std::io::stderr().write_all(format!("cases {name}: {state}\n").as_bytes());
    found.then_some(folder)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of cases").flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

/// The place that a JSON Pointer means in this value; its last name need not be there.
fn place(root: Node<'_>, pointer: &str) -> Place {
    let (mut steps, mut node) = (Vec::new(), Some(root));
    for token in pointer.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let at = node.expect("a value above each step");
        match at.kind() {
            Kind::Array => {
                let index = name.parse().expect("an index");
                steps.push(Step::Index(index));
                node = at.element(index);
            }
            _ => {
                steps.push(Step::name(&name));
                node = at.get(&name);
            }
        }
    }
    Place::from(steps)
}

/// Whether a hint is about this place, or points at it.
fn is_reported(outcome: &Outcome, output: Node<'_>, place: &Place) -> bool {
    let findings = outcome.content.strict_errors.iter().chain(&outcome.rules.findings);
    let at_node = |id: u32| Place::of(output, output.document().node(id)) == *place;
    outcome.schema.violations.iter().any(|violation| violation.place == *place)
        || findings.into_iter().any(|finding| {
            path_of_field(&finding.field) == place.path()
                || finding.marks.iter().any(|mark| at_node(mark.node))
        })
}

fn texts<'d>(list: Option<Node<'d>>) -> Vec<&'d str> {
    list.into_iter().flat_map(Node::elements).filter_map(Node::as_str).collect()
}

/// What is not as a case says.
fn faults_of_case(case: Node<'_>) -> Vec<String> {
    let expected = case.get("expect").expect("an expectation");
    let raw = case.get("request_raw").and_then(Node::as_str);
    let read = raw.map(|raw| json::read(raw, MAX_DEPTH + 1));
    let root = match &read {
        None => case.get("request"),
        Some(read) => read.as_ref().ok().map(json::Document::root),
    };
    let request = root.and_then(|root| parse(root, UnknownFields::Refuse).ok());
    let outcome = request.as_ref().and_then(|request| check(request, Work::TwoThreads).ok());

    let mut faults = Vec::new();
    let result = outcome.as_ref().map_or("invalid", |outcome| outcome.verdict().name());
    let mut allowed = texts(expected.get("also_ok"));
    allowed.extend(expected.get("result").and_then(Node::as_str));
    if !allowed.contains(&result) {
        faults.push(format!("{result}, not {}", allowed.join(" or ")));
    }
    let (Some(request), Some(outcome)) = (request, outcome) else { return faults };
    let hashes = &outcome.hashes;
    for (name, hash) in [
        ("output_hash", hashes.output.as_ref().ok()),
        ("schema_hash", hashes.schema.as_ref().ok()),
        ("request_hash", hashes.request.as_ref()),
    ] {
        let hash = hash.map(ToString::to_string);
        if let Some(expected) = expected.get(name)
            && expected.as_str() != hash.as_deref()
        {
            faults.push(format!("{name} is {hash:?}"));
        }
    }
    if outcome.verdict() == Verdict::Fail {
        for pointer in texts(expected.get("errors_at")) {
            let output = request.submitted_output;
            if !is_reported(&outcome, output, &place(output, pointer)) {
                faults.push(format!("nothing is reported at {pointer}"));
            }
        }
    }
    faults
}

#[test]
fn every_case_gets_its_verdict() {
    let Some(folder) = cases("check") else { return };
    let mut faults = Vec::new();
    for path in files(&folder) {
        let document = json::read(std::fs::read(&path).unwrap(), CASE_DEPTH).expect("JSON");
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        faults.extend(
            faults_of_case(document.root()).into_iter().map(|fault| format!("{name}: {fault}")),
        );
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A request for the output of a template.
fn request_of<'d>(template: Node<'d>, output: Node<'d>) -> Request<'d> {
    let parts = Parts {
        task_id: "t".to_owned(),
        agent_id: None,
        expected_schema: template.get("expected_schema").expect("a schema"),
        submitted_output: output,
        rules: Some(template),
        strict_content_check: false,
        enforce_rules: false,
        detail: Detail::Full,
    };
    Request::from_parts(parts, UnknownFields::Ignore).expect("a valid template")
}

#[test]
fn templates_of_real_services_tell_good_from_bad() {
    let Some(folder) = cases("templates") else { return };
    let notes = json::read(std::fs::read(folder.join("pairs/NOTES.json")).unwrap(), CASE_DEPTH);
    let notes = notes.expect("JSON");
    let mut faults = Vec::new();
    let mut outputs = 0;
    for path in files(&folder) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let document = json::read(std::fs::read(&path).unwrap(), CASE_DEPTH).expect("JSON");
        let template = document.root().get("template").expect("a template");
        for (kind, expected) in [("ok", Verdict::Pass), ("bad", Verdict::Fail)] {
            let Ok(output) = std::fs::read(folder.join(format!("pairs/{name}.{kind}.json"))) else {
                continue;
            };
            outputs += 1;
            let output = json::read(output, MAX_DEPTH).expect("JSON");
            let request = request_of(template, output.root());
            assert!(request.enforce_rules, "{name}: as the template says");
            let outcome = check(&request, Work::TwoThreads).expect("a verdict");
            if outcome.verdict() != expected {
                faults.push(format!("{name}.{kind}: {:?}", outcome.verdict()));
            }
            let note = |note: &Node<'_>| note.get("template").unwrap().as_str() == Some(&name);
            let note = notes.root().elements().find(note).filter(|_| kind == "bad");
            for pointer in texts(note.and_then(|note| note.get("at"))) {
                if !is_reported(&outcome, output.root(), &place(output.root(), pointer)) {
                    faults.push(format!("{name}: nothing is reported at {pointer}"));
                }
            }
        }
    }
    assert!(outputs > 0, "no output for any template");
    assert!(faults.is_empty(), "{faults:#?}");
}
