//! The checks that all fields share, and the list of what they find.

use super::suggest::nearest;
use super::{Detail, MAX_ID, Part, Problem, UnknownFields};
use crate::json::{Kind, Member, Node, jcs};
use crate::place::{Place, Step};
use crate::text::{MAX_ECHO, code_points, cut};

/// Problems so far, and how to look.
pub(super) struct Checker {
    pub(super) part: Part,
    unknown: UnknownFields,
    pub(super) problems: Vec<Problem>,
}

/// A step into a field, the name cut to what may be shown.
pub(super) fn step(name: Node<'_>) -> Step {
    match name.as_str() {
        Some(text) if !name.has_lone_surrogate() => Step::name(&cut(text, MAX_ECHO)),
        _ => {
            let wtf8 = name.wtf8().unwrap_or_default();
            if code_points(wtf8).nth(MAX_ECHO).is_some() {
                return Step::name(&cut(name.as_str().unwrap_or_default(), MAX_ECHO));
            }
            Step::member(name)
        }
    }
}

impl Checker {
    pub(super) fn new(part: Part, unknown: UnknownFields) -> Self {
        Self { part, unknown, problems: Vec::new() }
    }

    pub(super) fn report(&mut self, field: &[Step], node: Node<'_>, problem: &str, fix: &str) {
        self.push(field, Some(node), problem.to_owned(), fix.to_owned());
    }

    pub(super) fn push(
        &mut self,
        field: &[Step],
        node: Option<Node<'_>>,
        problem: String,
        fix: String,
    ) {
        let field = match field {
            [] => "body".to_owned(),
            steps => Place::from(steps.to_vec()).field(),
        };
        self.problems.push(Problem {
            field,
            problem,
            fix,
            at: node.map(|node| (self.part, node.id())),
        });
    }

    /// The member that must be there.
    pub(super) fn required<'d>(&mut self, object: Node<'d>, name: &str) -> Option<Node<'d>> {
        let found = object.get(name);
        if found.is_none() {
            self.report(&[Step::name(name)], object, "is missing", &format!("Add {name}."));
        }
        found
    }

    /// Refuses members that are not among `known`.
    pub(super) fn unknown_fields(&mut self, field: &[Step], object: Node<'_>, known: &[&str]) {
        if self.unknown == UnknownFields::Ignore {
            return;
        }
        for member in object.members() {
            let name = member.name.as_str().unwrap_or_default();
            if known.contains(&name) && !member.name.has_lone_surrogate() {
                continue;
            }
            let fix = match nearest(name, known) {
                Some(meant) => format!("Did you mean {meant}?"),
                None => format!("Remove it, or use one of: {}.", known.join(", ")),
            };
            let mut steps = field.to_vec();
            steps.push(step(member.name));
            self.push(&steps, Some(member.name), "is not a known field".to_owned(), fix);
        }
    }

    /// Outside the schema and the output, everything must have a canonical form (SPEC 1.3).
    pub(super) fn canonical(&mut self, member: Member<'_>) {
        let name = member.name;
        let fault = if name.has_lone_surrogate() {
            Some(jcs::Unhashable { node: name.id(), reason: jcs::UnhashableReason::LoneSurrogate })
        } else {
            jcs::write(member.value, &mut Nowhere).err()
        };
        let Some(fault) = fault else { return };
        let node = name.document().node(fault.node);
        let problem = format!("has {}, which has no canonical form (RFC 8785)", fault.reason);
        self.push(
            &[step(name)],
            Some(node),
            problem,
            "Use numbers up to 1.8e308 and whole characters.".to_owned(),
        );
    }

    /// A flag that is false where it is not given; null is no flag.
    pub(super) fn flag(&mut self, field: &[Step], object: Node<'_>, name: &str) -> bool {
        let Some(node) = object.get(name) else { return false };
        if node.as_bool().is_none() {
            let mut steps = field.to_vec();
            steps.push(Step::name(name));
            self.report(&steps, node, "is not a boolean", "Use true or false, without quotes.");
        }
        node.as_bool() == Some(true)
    }

    pub(super) fn detail(&mut self, root: Node<'_>) -> Detail {
        match root.get("detail").map(|node| (node, node.as_str())) {
            None | Some((_, Some("full"))) => Detail::Full,
            Some((_, Some("compact"))) => Detail::Compact,
            Some((node, _)) => {
                let problem = "is not one of the allowed values";
                self.report(
                    &[Step::name("detail")],
                    node,
                    problem,
                    "Use one of: 'full' or 'compact'.",
                );
                Detail::Full
            }
        }
    }

    /// `task_id` or `agent_id`.
    pub(super) fn id<'d>(&mut self, name: &str, node: Node<'d>) -> Option<&'d str> {
        let Some(text) = node.as_str() else {
            let fix = format!("Use a string of 1 to {MAX_ID} characters.");
            self.report(&[Step::name(name)], node, "is not a string", &fix);
            return None;
        };
        self.id_text(name, text, Some(node));
        Some(text)
    }

    pub(super) fn id_text(&mut self, name: &str, text: &str, node: Option<Node<'_>>) {
        let problem = if text.is_empty() {
            "is empty"
        } else if text.chars().nth(MAX_ID).is_some() {
            "is longer than 200 characters"
        } else if text.chars().any(|character| matches!(character, '\0'..='\u{1F}' | '\u{7F}')) {
            "has a control character"
        } else {
            return;
        };
        let fix = format!("Use 1 to {MAX_ID} characters, none of them U+0000 to U+001F or U+007F.");
        self.push(&[Step::name(name)], node, problem.to_owned(), fix);
    }

    /// Whether the node is of one of these types; reports it if not.
    pub(super) fn is_one_of(&mut self, field: &[Step], node: Node<'_>, kinds: &[Kind]) -> bool {
        let fits = kinds.contains(&node.kind());
        if !fits {
            let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
            let names = names.join(" or ");
            let article = if names.starts_with(['a', 'o']) { "an" } else { "a" };
            self.report(
                field,
                node,
                &format!("is not {article} {names}"),
                &format!("Use {article} {names}, or leave it out."),
            );
        }
        fits
    }
}

/// Takes canonical bytes that nobody needs.
struct Nowhere;

impl jcs::Sink for Nowhere {
    fn put(&mut self, _: &[u8]) {}
}
