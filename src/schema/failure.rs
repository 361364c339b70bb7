//! A failed assertion as the walk notes it, and how it becomes a [`Violation`].
//!
//! There can be millions of failures in one small request. All are noted and counted, but words
//! and places are made only for those that are written out ([`Listing`]).

use super::budget::Budget;
use super::evaluate::{Region, Walk};
use super::explain::{self, Words};
use super::keyword::{Keyword, Name, Rule, SchemaId, SchemaNode};
use crate::finding::Violation;
use crate::json::Node;
use crate::listing::Listing;
use crate::place::{Place, Step};

/// How deep the closest branch of a closest branch is told.
const MAX_QUOTED: usize = 3;

/// A failed assertion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure<'p> {
    /// The value, or the object that lacks a property.
    pub(super) node: u32,
    pub(super) schema: &'p SchemaNode,
    pub(super) cause: Cause<'p>,
}

/// What failed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cause<'p> {
    /// A `false` schema.
    False,
    /// Any keyword about the value itself.
    Keyword(&'p Keyword),
    /// A keyword that demands a name.
    Missing(&'p Keyword, &'p Name),
    /// A `false` for what no sibling takes care of.
    Unexpected(&'p Keyword),
}

impl Failure<'_> {
    /// How deep in the data it is; a missing property is where it should be.
    fn depth(&self, root: Node<'_>) -> usize {
        let (mut depth, mut at) = (0, root);
        while at.id() < self.node {
            let Some((_, child)) = at.child_towards(self.node) else { break };
            at = child;
            depth += 1;
        }
        depth + usize::from(matches!(self.cause, Cause::Missing(..)))
    }
}

/// The failures in order, the first of them in words, and how many more there are.
pub(super) fn describe<'p>(
    walk: &mut Walk<'p, '_>,
    failures: &[Failure<'p>],
) -> (Vec<Violation>, u64) {
    let mut listing = Listing::default();
    let mut seen: Vec<&str> = Vec::new();
    for failure in failures {
        let check = failure.check();
        if !seen.contains(&check) {
            // The body names every check that failed (SPEC 7.1).
            seen.push(check);
            listing.begin();
        }
        listing.add(|| walk.violation(failure, 0));
    }
    listing.into_parts()
}

impl<'p> Failure<'p> {
    fn check(&self) -> &'static str {
        match self.cause {
            Cause::False => "false",
            Cause::Keyword(keyword) | Cause::Missing(keyword, _) | Cause::Unexpected(keyword) => {
                keyword.name
            }
        }
    }
}

impl<'p, 'd> Walk<'p, 'd> {
    /// The failure in words; `quoted` inside so many others.
    fn violation(&mut self, failure: &Failure<'p>, quoted: usize) -> Violation {
        let node = self.root.document().node(failure.node);
        let mut place = Place::of(self.root, node);
        let words = match failure.cause {
            Cause::False => explain::nothing(node),
            Cause::Missing(_, name) => {
                place = place.then(Step::Name(name.clone()));
                explain::missing()
            }
            Cause::Unexpected(keyword) => explain::no_such(keyword.name),
            Cause::Keyword(keyword) => self.words(keyword, node, quoted),
        };
        let check = failure.check();
        let location = failure.schema.location;
        Violation {
            check: check.to_owned(),
            place,
            expected: words.expected,
            found: words.found,
            node: failure.node,
            schema_location: match failure.cause {
                Cause::False => self.plan.locations.text(location),
                _ => self.plan.locations.text_of_keyword(location, check),
            },
        }
    }

    fn words(&mut self, keyword: &'p Keyword, node: Node<'d>, quoted: usize) -> Words {
        match &keyword.rule {
            Rule::Assert(assertion) => explain::assertion(assertion, node),
            Rule::Not(_) => explain::no_match(),
            Rule::Contains { schema, min, max, .. } => {
                let matches = |element| self.matches(*schema, element);
                let count = node.elements().map(matches).filter(|matches| *matches).count() as u64;
                explain::contains(min.as_ref(), max.as_ref(), count)
            }
            Rule::AnyOf(branches) => {
                explain::closest(false, self.closest_branch(branches, node, quoted))
            }
            Rule::OneOf(branches) => {
                let matching: Vec<_> =
                    (0..branches.len()).filter(|at| self.matches(branches[*at], node)).collect();
                if matching.len() > 1 {
                    explain::several(&matching)
                } else {
                    explain::closest(true, self.closest_branch(branches, node, quoted))
                }
            }
            _ => explain::no_match(),
        }
    }

    /// Whether the value is valid; not, where that costs too much to tell once more.
    fn matches(&mut self, id: SchemaId, node: Node<'d>) -> bool {
        self.apply(id, node, Region::PROBED, &mut Vec::new()).unwrap_or(false)
    }

    /// The branch with the deepest first failure, then the fewest, then the first written
    /// (SPEC 4.6), and that failure in words.
    fn closest_branch(
        &mut self,
        branches: &'p [SchemaId],
        node: Node<'d>,
        quoted: usize,
    ) -> Option<(usize, Violation)> {
        if quoted >= MAX_QUOTED {
            return None;
        }
        let mut best: Option<((usize, usize), usize, Failure<'p>)> = None;
        for (at, id) in branches.iter().enumerate() {
            let start = self.failures.len();
            let applied = self.apply(*id, node, Region::QUESTIONED, &mut Vec::new());
            let failures = self.failures.split_off(start);
            // Where that costs too much, no branch is said to be the closest.
            applied.ok()?;
            let Some(first) = failures.iter().min_by_key(|failure| failure.node) else { continue };
            let rank = (first.depth(self.root), usize::MAX - failures.len());
            if best.as_ref().is_none_or(|(known, ..)| rank > *known) {
                best = Some((rank, at, *first));
            }
        }
        let (_, at, first) = best?;
        Some((at, self.violation(&first, quoted + 1)))
    }

    /// A budget for words alone: they must not cost the verdict.
    pub(super) fn begin_words(&mut self) {
        self.budget = Budget::for_words();
    }
}
