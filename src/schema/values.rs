//! The values of an `enum` or a `const`, found by what makes values equal, however many there are.

use std::collections::HashSet;

use serde_json::Value;

use super::written::to_document;
use crate::json::{EqualityKey, Node};
use crate::text::{MAX_ECHO, cut};

/// A set of JSON values.
#[derive(Debug)]
pub(super) struct ValueSet {
    keys: HashSet<EqualityKey>,
    /// The values as JSON, as far as messages show them.
    pub(super) shown: String,
}

impl ValueSet {
    /// The set of the values; `None` where they are no JSON, which cannot be.
    pub(super) fn new<'v>(values: impl IntoIterator<Item = &'v Value>) -> Option<Self> {
        let mut set = Self { keys: HashSet::new(), shown: String::new() };
        for (at, value) in values.into_iter().enumerate() {
            let document = to_document(value)?;
            set.keys.insert(EqualityKey::of(document.root()));
            if set.shown.len() <= MAX_ECHO * 4 {
                set.shown.push_str(if at > 0 { ", " } else { "" });
                set.shown.push_str(&document.root().echo());
            }
        }
        set.shown = cut(&set.shown, MAX_ECHO).into_owned();
        Some(set)
    }

    /// Whether one of the values equals this one (JSON Schema core §4.2.2).
    pub(super) fn contains(&self, node: Node<'_>) -> bool {
        self.keys.contains(&EqualityKey::of(node))
    }
}
