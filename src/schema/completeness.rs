//! Which objects the schema describes, and which of them lack required properties (SPEC 6.4).

use std::collections::HashSet;

use super::keyword::Name;
use crate::finding::{Finding, Mark, Tally};
use crate::json::Node;
use crate::listing::Listing;
use crate::place::Place;
use crate::text::{MAX_ECHO, cut, visible_wtf8};

/// Objects met by subschemas with `properties`.
#[derive(Debug, Default)]
pub(super) struct Completeness<'p> {
    described: Vec<u32>,
    missing: Vec<(u32, &'p Name)>,
}

/// What [`Completeness::report`] says.
pub(super) struct Report {
    pub(super) tally: Tally,
    pub(super) incomplete: Vec<Finding>,
    pub(super) unlisted: u64,
}

impl<'p> Completeness<'p> {
    /// A subschema with `properties` applies to the object.
    pub(super) fn describe(&mut self, object: Node<'_>) {
        self.described.push(object.id());
    }

    /// Such a subschema requires a name that the object lacks.
    pub(super) fn miss(&mut self, object: Node<'_>, name: &'p Name) {
        self.missing.push((object.id(), name));
    }

    /// One check per object, and one flag per object that lacks something, in document order.
    pub(super) fn report(mut self, root: Node<'_>) -> Report {
        self.described.sort_unstable();
        self.described.dedup();
        // Stable, so that the names of one object stay in the order of the schema.
        self.missing.sort_by_key(|(object, _)| *object);
        let (mut listing, mut incomplete) = (Listing::default(), 0);
        for group in self.missing.chunk_by(|(left, _), (right, _)| left == right) {
            incomplete += 1;
            listing.add(|| flag(root, group));
        }
        let total = self.described.len() as u64;
        let (findings, unlisted) = listing.into_parts();
        let tally = Tally { passed: total - incomplete, total };
        Report { tally, incomplete: findings, unlisted }
    }
}

fn flag(root: Node<'_>, group: &[(u32, &Name)]) -> Finding {
    let object = root.document().node(group[0].0);
    let (mut listed, mut seen) = (String::new(), HashSet::new());
    for (_, name) in group {
        if listed.len() > MAX_ECHO * 4 {
            break;
        }
        if seen.insert(name) {
            listed.push_str(if listed.is_empty() { "" } else { ", " });
            // A name that is cut here is cut below too.
            listed.push_str(&visible_wtf8(&name[..name.len().min(MAX_ECHO * 4)]));
        }
    }
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
