//! `exists_in` and `unique`: which values are equal to which (SPEC 5.7), in linear time.

use std::collections::{HashMap, HashSet};

use crate::finding::Mark;
use crate::json::{Kind, Node};
use crate::path::{Path, Places, Resolved};
use crate::text::{MAX_ECHO, cut};

use super::Rule;
use super::key::Key;
use super::report::{
    Complaint, PlaceCheck, Report, Subject, check_places, malformed_path, name_of, obstacle,
    path_name,
};

fn subject<'r>(rule: &'r Rule<'_>) -> Subject<'r> {
    Subject { check: rule.kind.check(), field: &rule.field, if_present: rule.if_present }
}

pub(super) fn check_exists_in<'d>(root: Node<'d>, rule: &Rule<'d>, report: &mut Report) {
    let subject = subject(rule);
    if let Some(path) = subject.path(root, report) {
        check_places(&subject, &path, root, Membership::of(root, rule), report);
    }
}

/// The values allowed, made ready for every place.
struct Membership<'d> {
    /// The set, or why there is none.
    allowed: Result<HashSet<Key<'d>>, String>,
    /// What a value should be.
    wanted: String,
    /// Where the allowed values stand in the output.
    source: Option<Mark>,
}

impl<'d> Membership<'d> {
    fn of(root: Node<'d>, rule: &Rule<'d>) -> Result<Self, Complaint> {
        let Some(written) = &rule.in_field else {
            let values = rule.values.ok_or_else(|| {
                Complaint::cannot_run(
                    "an in_field or values to compare with",
                    "the rule has neither in_field nor values",
                )
            })?;
            let allowed = Ok(values.elements().map(Key::of).collect());
            return Ok(Self { allowed, wanted: one_of(values), source: None });
        };
        let path = Path::parse(written).map_err(|error| malformed_path("in_field", error))?;
        let name = path_name(written);
        let allowed = values_of(root, &path);
        let label = match allowed {
            Ok(_) => format!("the values of {name}"),
            Err(_) => format!("{name} should be here"),
        };
        let source = Some(Mark::also(path.common(root).id(), label));
        Ok(Self { allowed, wanted: format!("one of the values of {name}"), source })
    }
}

/// `one of: 1, 2, "x"`, as far as it is shown.
fn one_of(values: Node<'_>) -> String {
    let mut list = String::new();
    for (index, value) in values.elements().take(MAX_ECHO).enumerate() {
        if index > 0 {
            list.push_str(", ");
        }
        list.push_str(&value.echo());
    }
    format!("one of: {}", cut(&list, MAX_ECHO))
}

/// The values at every place of `path`. Without a final `[]` an array stands for its elements.
fn values_of<'d>(root: Node<'d>, path: &Path) -> Result<HashSet<Key<'d>>, String> {
    let mut allowed = HashSet::new();
    let mut places = path.resolve(root);
    while let Some(resolved) = places.next() {
        if let Some(reason) = obstacle(resolved, path, &places) {
            return Err(reason);
        }
        let node = resolved.node();
        if node.kind() == Kind::Array && !path.ends_in_elements() {
            allowed.extend(node.elements().map(Key::of));
        } else {
            allowed.insert(Key::of(node));
        }
    }
    Ok(allowed)
}

enum MembershipFault {
    NoSet,
    NotAmong,
}

impl<'d> PlaceCheck<'d> for Membership<'d> {
    type Fault = MembershipFault;

    fn wanted(&self) -> String {
        self.wanted.clone()
    }

    fn judge(&mut self, value: Node<'d>, _: &Places<'_, 'd>) -> Result<(), MembershipFault> {
        let allowed = self.allowed.as_ref().map_err(|_| MembershipFault::NoSet)?;
        if allowed.contains(&Key::of(value)) { Ok(()) } else { Err(MembershipFault::NotAmong) }
    }

    fn explain(&self, fault: MembershipFault, value: Node<'d>, _: &Places<'_, 'd>) -> Complaint {
        let complaint = match (fault, &self.allowed) {
            (MembershipFault::NoSet, Err(reason)) => {
                Complaint::cannot_run(self.wanted.clone(), reason.clone())
            }
            _ => {
                let found = value.echo();
                let detail = format!("{found} is not {}", self.wanted);
                Complaint::new(self.wanted.clone(), found, detail)
            }
        };
        complaint.with(self.source.clone())
    }
}

pub(super) fn check_unique(root: Node<'_>, rule: &Rule<'_>, report: &mut Report) {
    let subject = subject(rule);
    let Some(mut path) = subject.path(root, report) else { return };
    let only = (path.wildcards() == 0).then(|| path.resolve(root).next()).flatten();
    if let Some(Resolved::Value(array)) = only
        && array.kind() == Kind::Array
    {
        path = path.elements();
    }
    match unique(root, &path, rule.if_present) {
        Uniqueness::Skipped => {}
        Uniqueness::Holds => report.pass(),
        Uniqueness::Stopped { node, reason } => report.fail(|| {
            Complaint::cannot_run("unique values", reason).at(
                subject.check,
                subject.written(),
                node,
            )
        }),
        Uniqueness::Equal { first, second } => report.fail(|| {
            equal(root, &path, first, second).at(subject.check, subject.written(), second)
        }),
    }
}

enum Uniqueness<'d> {
    /// All places are absent, and `if_present` lets them.
    Skipped,
    Holds,
    /// The first place that has no value.
    Stopped {
        node: Node<'d>,
        reason: String,
    },
    /// The first value that is equal to an earlier one.
    Equal {
        first: Node<'d>,
        second: Node<'d>,
    },
}

fn unique<'d>(root: Node<'d>, path: &Path, if_present: bool) -> Uniqueness<'d> {
    let mut seen = HashMap::new();
    let mut absent = false;
    let mut equal = None;
    let mut places = path.resolve(root);
    while let Some(resolved) = places.next() {
        match resolved {
            Resolved::Value(_) if equal.is_some() => {}
            Resolved::Value(node) => {
                if let Some(first) = seen.insert(Key::of(node), node) {
                    equal = Some(Uniqueness::Equal { first, second: node });
                }
            }
            Resolved::Absent { .. } if if_present => absent = true,
            _ => {
                let reason = obstacle(resolved, path, &places).unwrap_or_default();
                return Uniqueness::Stopped { node: resolved.node(), reason };
            }
        }
    }
    match equal {
        Some(equal) => equal,
        None if absent && seen.is_empty() => Uniqueness::Skipped,
        None => Uniqueness::Holds,
    }
}

/// That two values are equal, with their places.
fn equal(root: Node<'_>, path: &Path, first: Node<'_>, second: Node<'_>) -> Complaint {
    let names = [first, second].map(|node| place_name(root, path, node));
    let [earlier, later] = &names;
    Complaint::new(
        "unique values",
        format!("{earlier} and {later} are equal"),
        format!("{earlier} and {later} are both {}", second.echo()),
    )
    .with(Some(Mark::also(first.id(), format!("{earlier} is {}", first.echo()))))
}

/// The place of a value that `path` leads to, found by going there again.
fn place_name(root: Node<'_>, path: &Path, node: Node<'_>) -> String {
    let mut places = path.resolve(root);
    _ = places.find(|resolved| resolved.node().id() == node.id());
    name_of(&places.place())
}
