//! The dynamic scope: the schema resources that evaluation has entered, as far as `$dynamicRef` and
//! `$recursiveRef` can tell them apart (JSON Schema core §7.1, §8.2.3.2).
//!
//! Both look for the *outermost* resource that answers to a name. So of a scope only the first
//! resource per name matters, and two scopes that agree in that are one: schemas that refer to
//! each other in circles have few scopes, not one per path through them.

use std::collections::HashMap;

/// A resource, by number.
pub(super) type BaseId = u32;

/// A dynamic scope, by number.
pub(super) type ScopeId = u32;

/// What a resource offers to dynamic references.
#[derive(Debug, Default)]
pub(super) struct Offer {
    /// Its `$dynamicAnchor`s.
    pub(super) anchors: Vec<String>,
    /// Whether its root has `$recursiveAnchor: true`.
    pub(super) recursive: bool,
}

/// Names and resources that all scopes of one plan may hold together.
const MAX_ENTRIES: usize = 1 << 20;

/// Names and resources that may be looked at while scopes are made.
const MAX_WORK: usize = 1 << 26;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Scope {
    /// The outermost resource for each name, by the number of the name.
    anchors: Vec<(u32, BaseId)>,
    recursive: Option<BaseId>,
}

/// All scopes of a plan. Number 0 is the empty one.
#[derive(Debug)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    known: HashMap<Scope, ScopeId>,
    entered: HashMap<(ScopeId, BaseId), ScopeId>,
    names: HashMap<String, u32>,
    entries: usize,
    work: usize,
}

impl Default for Scopes {
    fn default() -> Self {
        Self {
            scopes: vec![Scope::default()],
            known: HashMap::from([(Scope::default(), 0)]),
            entered: HashMap::new(),
            names: HashMap::new(),
            entries: 0,
            work: 0,
        }
    }
}

impl Scopes {
    /// The scope after entering a resource; `None` where all scopes together become too large.
    pub(super) fn enter(&mut self, scope: ScopeId, base: BaseId, offer: &Offer) -> Option<ScopeId> {
        if let Some(known) = self.entered.get(&(scope, base)) {
            return Some(*known);
        }
        let mut next = self.scopes[scope as usize].clone();
        self.work += next.anchors.len() + offer.anchors.len();
        if self.work > MAX_WORK {
            return None;
        }
        for name in &offer.anchors {
            let count = self.names.len() as u32;
            let name = *self.names.entry(name.clone()).or_insert(count);
            if let Err(at) = next.anchors.binary_search_by_key(&name, |(name, _)| *name) {
                next.anchors.insert(at, (name, base));
            }
        }
        if offer.recursive && next.recursive.is_none() {
            next.recursive = Some(base);
        }
        let id = match self.known.get(&next) {
            Some(known) => *known,
            None => {
                self.entries += 1 + next.anchors.len();
                if self.entries > MAX_ENTRIES {
                    return None;
                }
                let id = self.scopes.len() as ScopeId;
                self.known.insert(next.clone(), id);
                self.scopes.push(next);
                id
            }
        };
        self.entered.insert((scope, base), id);
        Some(id)
    }

    /// The outermost resource with this `$dynamicAnchor`.
    pub(super) fn anchor(&self, scope: ScopeId, name: &str) -> Option<BaseId> {
        let name = self.names.get(name)?;
        let anchors = &self.scopes[scope as usize].anchors;
        let at = anchors.binary_search_by_key(name, |(name, _)| *name).ok()?;
        Some(anchors[at].1)
    }

    /// The outermost resource with `$recursiveAnchor: true`.
    pub(super) fn recursive(&self, scope: ScopeId) -> Option<BaseId> {
        self.scopes[scope as usize].recursive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_counts_and_paths_meet_again() {
        let mut scopes = Scopes::default();
        let node = Offer { anchors: vec!["node".to_owned()], recursive: true };
        let plain = Offer::default();
        let first = scopes.enter(0, 1, &node).unwrap();
        assert_eq!(scopes.anchor(first, "node"), Some(1));
        assert_eq!(scopes.anchor(first, "other"), None);
        assert_eq!(scopes.recursive(first), Some(1));
        // Whatever is entered further in changes nothing.
        assert_eq!(scopes.enter(first, 2, &node), Some(first));
        assert_eq!(scopes.enter(first, 3, &plain), Some(first));
        assert_eq!(scopes.enter(0, 3, &plain), Some(0));
        let other = scopes.enter(0, 2, &node).unwrap();
        assert_eq!(scopes.anchor(other, "node"), Some(2));
    }
}
