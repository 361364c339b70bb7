//! Which objects the schema describes, and which of them lack required properties (SPEC 6.4).

use crate::finding::{Finding, Mark, Tally};
use crate::json::Node;
use crate::place::Place;
use crate::text::{MAX_ECHO, cut, visible};

/// Objects met by subschemas with `properties`.
#[derive(Debug, Default)]
pub(super) struct Completeness<'p> {
    described: Vec<u32>,
    missing: Vec<(u32, &'p str)>,
}

impl<'p> Completeness<'p> {
    /// A subschema with `properties` and these required names applies to the object.
    pub(super) fn describe(&mut self, object: Node<'_>, required: &'p [String]) {
        self.described.push(object.id());
        let mut near = 0;
        let missing = required.iter().filter(|name| object.get_near(name, &mut near).is_none());
        self.missing.extend(missing.map(|name| (object.id(), name.as_str())));
    }

    /// One check per object, and one flag per object that lacks something, in document order.
    pub(super) fn report(mut self, root: Node<'_>) -> (Tally, Vec<Finding>) {
        self.described.sort_unstable();
        self.described.dedup();
        // Stable, so that the names of one object stay in the order of the schema.
        self.missing.sort_by_key(|(object, _)| *object);
        let flags: Vec<_> = self
            .missing
            .chunk_by(|(left, _), (right, _)| left == right)
            .map(|group| incomplete(root, group))
            .collect();
        let total = self.described.len() as u64;
        (Tally { passed: total - flags.len() as u64, total }, flags)
    }
}

fn incomplete(root: Node<'_>, group: &[(u32, &str)]) -> Finding {
    let object = root.document().node(group[0].0);
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in group {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let listed = names.join(", ");
    let listed = visible(&listed);
    let listed = cut(&listed, MAX_ECHO);
    Finding {
        check: "truncation",
        field: Place::of(root, object).field(),
        expected: "all required properties".to_owned(),
        found: format!("missing {listed}"),
        detail: format!("possibly cut off: required properties are missing: {listed}"),
        difference: None,
        marks: vec![Mark::here(object.id())],
    }
}
