//! Real templates with a good and a bad output each: inferring from the good one gives a template
//! that accepts it, and what grading says is true.
#![allow(clippy::unwrap_used, reason = "a test ends where its data is not as expected")]

use std::path::{Path, PathBuf};

use agent_output_verifier::check::{Verdict, Work, check};
use agent_output_verifier::json::{Document, MAX_DEPTH, read};
use agent_output_verifier::request::{Request, UnknownFields};
use agent_output_verifier::template::{
    Caught, RemarkKind, TEMPLATE_DEPTH, Template, Trial, Values, grade, infer,
};
use serde_json::Value;

/// A template with its two outputs.
struct Pair {
    name: String,
    template: Document,
    good: String,
    bad: String,
    /// What is wrong with the bad one.
    kind: String,
}

/// The pairs that are beside the checkout, and a few of our own.
fn pairs() -> Vec<Pair> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = project.join("fixtures/template_pairs");
    let shared = project.join("../shared/cases/templates");
    let mut pairs = pairs_in(&own, &own);
    assert!(!pairs.is_empty());
    let found = pairs_in(&shared, &shared.join("pairs"));
    let state = if found.is_empty() { "not here, skipped" } else { "present" };
    let message = format!("shared template pairs: {state}\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes());
    pairs.extend(found);
    pairs
}

fn pairs_in(templates: &Path, folder: &Path) -> Vec<Pair> {
    let Ok(notes) = std::fs::read(folder.join("NOTES.json")) else { return Vec::new() };
    let notes: Value = serde_json::from_slice(&notes).unwrap();
    let text = |path: PathBuf| {
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let pairs = notes.as_array().unwrap().iter().map(|note| {
        let name = note["template"].as_str().unwrap().to_owned();
        Pair {
            template: read(text(templates.join(format!("{name}.json"))), TEMPLATE_DEPTH).unwrap(),
            good: text(folder.join(format!("{name}.ok.json"))),
            bad: text(folder.join(format!("{name}.bad.json"))),
            kind: note["kind"].as_str().unwrap().to_owned(),
            name,
        }
    });
    pairs.collect()
}

fn verdict(template: &Document, output: &str) -> Verdict {
    let output = read(output, MAX_DEPTH).unwrap();
    let template = Template::parse(template.root()).unwrap();
    let parts = template.parts("t".to_owned(), output.root());
    let request = Request::from_parts(parts, UnknownFields::Refuse).unwrap();
    check(&request, Work::Inline).unwrap().verdict()
}

#[test]
fn templates_tell_good_from_bad() {
    for pair in pairs() {
        assert_eq!(verdict(&pair.template, &pair.good), Verdict::Pass, "{}", pair.name);
        assert_eq!(verdict(&pair.template, &pair.bad), Verdict::Fail, "{}", pair.name);
    }
}

#[test]
fn inferring_from_the_good_output_accepts_it() {
    for pair in pairs() {
        let good = read(&*pair.good, MAX_DEPTH).unwrap();
        let inference = infer(&[good.root()], Values::Shown);
        let template = read(&*inference.text, TEMPLATE_DEPTH).unwrap();
        assert_eq!(verdict(&template, &pair.good), Verdict::Pass, "{}", pair.name);
        let given_up = inference.left_out.iter().any(|reason| reason.contains("rejected"));
        assert!(!given_up, "{}: {:?}", pair.name, inference.left_out);
        assert_eq!(infer(&[good.root()], Values::Shown), inference, "{}", pair.name);
        // What a single sample shows suffices for these.
        let kinds = ["schema-required", "rule-unique", "rule-lte", "rule-sum", "format"];
        if kinds.contains(&pair.kind.as_str()) {
            let of_bad = verdict(&template, &pair.bad);
            assert_eq!(of_bad, Verdict::Fail, "{} ({})", pair.name, pair.kind);
        }
    }
}

/// The JSON Pointer of a path such as `$.items[0].price` or `$['a b']`.
fn pointer(path: &str) -> String {
    let plain = path.strip_prefix('$').unwrap().replace("['", ".").replace("']", "");
    plain.replace('[', ".").replace(']', "").replace('/', "~1").replace('.', "/")
}

/// Every claim that a member may be missing or null is put to the test by other means: the change is
/// made with serde_json and checked on its own.
#[test]
fn what_grading_says_is_true() {
    let mut claims = 0;
    for pair in pairs() {
        let good = read(&*pair.good, MAX_DEPTH).unwrap();
        let template = Template::parse(pair.template.root()).unwrap();
        let grade = grade(&template, Some(good.root()));
        assert_eq!(grade.invalid, None, "{}", pair.name);
        let Trial::Broken(report) = &grade.trial else {
            panic!("{}: {:?}", pair.name, grade.trial);
        };
        assert_eq!(report.untried, 0);
        assert!(report.caught() > 0 && report.caught() <= report.breakages.len(), "{}", pair.name);
        for breakage in &report.breakages {
            let mut broken: Value = serde_json::from_str(&pair.good).unwrap();
            let pointer = pointer(&breakage.place);
            match breakage.how {
                "missing" => {
                    let (parent, name) = pointer.rsplit_once('/').unwrap();
                    let parent = broken.pointer_mut(parent).unwrap().as_object_mut().unwrap();
                    assert!(parent.remove(name).is_some(), "{}: {}", pair.name, breakage.place);
                }
                "null" => *broken.pointer_mut(&pointer).unwrap() = Value::Null,
                _ => continue,
            }
            let expected = match &breakage.caught {
                Caught::By(_) => Verdict::Fail,
                _ => Verdict::Pass,
            };
            let found = verdict(&pair.template, &broken.to_string());
            assert_eq!(found, expected, "{}: {breakage:?}", pair.name);
            claims += 1;
        }
    }
    assert!(claims > 20, "{claims}");
}

/// Of the real templates none has a rule that cannot run: they were made by a program that knows
/// its own schemas.
#[test]
fn real_templates_have_no_rule_that_cannot_run() {
    for pair in pairs() {
        let template = Template::parse(pair.template.root()).unwrap();
        let grade = grade(&template, None);
        assert_eq!(grade.trial, Trial::NoOutput);
        for remark in &grade.remarks {
            let sound = !matches!(
                remark.kind,
                RemarkKind::CannotRun | RemarkKind::Misspelt | RemarkKind::AdvisoryOnly
            );
            assert!(sound, "{}: {remark:?}", pair.name);
        }
    }
}
