//! What is to be said of a template without any output.

use std::collections::HashSet;

use crate::json::Node;
use crate::place::Place;

/// What a remark is about, the most serious first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RemarkKind {
    /// A bound or rule that cannot run on any output, or whose running says nothing.
    CannotRun,
    /// Findings of bounds and rules do not fail anything.
    AdvisoryOnly,
    /// A word that looks like a slip of the fingers.
    Misspelt,
    /// A format that is not checked.
    UnknownFormat,
    /// A keyword, or a field of a rule, that does nothing.
    DoesNothing,
    /// A total that no rule compares with anything.
    TotalNotCompared,
    /// A member that may hold anything.
    NothingConstrains,
    /// Members that may be missing.
    MayBeMissing,
}

impl RemarkKind {
    /// The name for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CannotRun => "cannot_run",
            Self::AdvisoryOnly => "advisory_only",
            Self::Misspelt => "misspelt",
            Self::UnknownFormat => "unknown_format",
            Self::DoesNothing => "does_nothing",
            Self::TotalNotCompared => "total_not_compared",
            Self::NothingConstrains => "nothing_constrains",
            Self::MayBeMissing => "may_be_missing",
        }
    }
}

/// One thing that a pass does not say, or that somebody may believe it says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Remark {
    /// What it is about.
    pub kind: RemarkKind,
    /// The place in the template: `$.template.rules[0]`.
    pub at: String,
    /// [`Node::id`] of that place.
    pub node: u32,
    /// What is so.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

/// Remarks so far.
pub(super) struct Remarks<'d> {
    root: Node<'d>,
    list: Vec<Remark>,
    known: HashSet<(RemarkKind, u32, String)>,
}

impl<'d> Remarks<'d> {
    /// For the template with this root.
    pub(super) fn new(root: Node<'d>) -> Self {
        Self { root, list: Vec::new(), known: HashSet::new() }
    }

    /// A remark about a node of the template; the same is said once.
    pub(super) fn add(&mut self, kind: RemarkKind, node: Node<'_>, message: String, fix: String) {
        if self.known.insert((kind, node.id(), message.clone())) {
            let at = Place::of(self.root, self.root.document().node(node.id())).path();
            self.list.push(Remark { kind, at, node: node.id(), message, fix });
        }
    }

    /// The most serious first, else in the order of the template.
    pub(super) fn finish(mut self) -> Vec<Remark> {
        self.list.sort_by_key(|remark| (remark.kind, remark.node));
        self.list
    }
}
