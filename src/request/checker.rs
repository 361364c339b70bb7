//! The checks that all fields share, and the list of what they find.

use super::suggest::nearest;
use super::{Detail, FIELDS, MAX_CLAUSES, MAX_ID, Part, Problem, UnknownFields};
use crate::json::jcs::{self, UnhashableReason};
use crate::json::{Kind, Member, Node};
use crate::place::{Place, Step};
use crate::text::{MAX_ECHO, code_points, visible};

/// Problems so far, and how to look.
pub(super) struct Checker {
    pub(super) part: Part,
    unknown: UnknownFields,
    pub(super) problems: Vec<Problem>,
}

/// A step into a field. Of its name, at most 40 code points are shown, escapes included (SPEC 2.1).
pub(super) fn step(name: Node<'_>) -> Step {
    let name = name.wtf8().unwrap_or_default();
    // Bytes that are shown, whole; and those that leave room for the sign of a cut.
    let (mut shown, mut cut, mut width) = (0, 0, 0);
    for code in code_points(name) {
        let mut buffer = [0; 4];
        let character = char::from_u32(code).map(|character| &*character.encode_utf8(&mut buffer));
        width += character.map_or(r"\ud800".len(), |text| visible(text).chars().count());
        if width > MAX_ECHO {
            return Step::Name([&name[..cut], "…".as_bytes()].concat().into());
        }
        // A lone surrogate has three bytes in WTF-8.
        shown += character.map_or(3, str::len);
        if width < MAX_ECHO {
            cut = shown;
        }
    }
    Step::Name(name.into())
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
            // A name with a lone surrogate is refused for that.
            if known.contains(&name) || member.name.has_lone_surrogate() {
                continue;
            }
            let fix = match nearest(name, known) {
                Some(meant) => format!("Did you mean {meant}?"),
                None if !field.is_empty() && FIELDS.contains(&name) => {
                    "Put it into the request itself.".to_owned()
                }
                None => format!("Remove it, or use one of: {}.", known.join(", ")),
            };
            let mut steps = field.to_vec();
            steps.push(step(member.name));
            self.push(&steps, Some(member.name), "is not a known field".to_owned(), fix);
        }
    }

    /// Outside the schema and the output, everything must have a canonical form (SPEC 1.3). The
    /// first that has none is reported for each field, and for each field of a bound or a rule.
    pub(super) fn canonical(&mut self, member: Member<'_>) {
        let levels = match member.name.as_str() {
            Some("bounds" | "rules") => 2,
            _ => 0,
        };
        self.canonical_member(&[], member, levels);
    }

    fn canonical_member(&mut self, field: &[Step], member: Member<'_>, levels: usize) {
        let field = [field, &[step(member.name)]].concat();
        if member.name.has_lone_surrogate() {
            self.unhashable(&field, member.name, UnhashableReason::LoneSurrogate);
        }
        self.canonical_value(&field, member.value, levels);
    }

    fn canonical_value(&mut self, field: &[Step], node: Node<'_>, levels: usize) {
        // More clauses than are allowed are looked at as one, or the problems would have no end.
        if levels > 0 && (1..=MAX_CLAUSES).contains(&node.len()) {
            for (at, element) in node.elements().enumerate() {
                let field = [field, &[Step::Index(at)]].concat();
                self.canonical_value(&field, element, levels - 1);
            }
            for member in node.members() {
                self.canonical_member(field, member, levels - 1);
            }
        } else if let Err(fault) = jcs::write(node, &mut Nowhere) {
            let (mut field, mut at) = (field.to_vec(), node);
            while let Some((index, child)) =
                at.child_towards(fault.node).filter(|_| at.id() < fault.node)
            {
                field.push(match at.kind() {
                    Kind::Object => step(at.document().node(child.id() - 1)),
                    _ => Step::Index(index),
                });
                at = child;
            }
            self.unhashable(&field, node.document().node(fault.node), fault.reason);
        }
    }

    /// Reports a string, a name or a number without canonical form.
    pub(super) fn unhashable(&mut self, field: &[Step], node: Node<'_>, reason: UnhashableReason) {
        let (problem, fix) = match reason {
            UnhashableReason::LoneSurrogate => (
                "has a lone surrogate",
                "Write both halves of the surrogate pair, or leave it out.",
            ),
            UnhashableReason::InfiniteNumber => {
                ("is too large for a double", "Use a number below 1.8e308 in absolute value.")
            }
        };
        self.report(field, node, problem, fix);
    }

    /// Whether something is wrong with this value already.
    pub(super) fn is_reported(&self, node: Node<'_>) -> bool {
        self.problems.iter().any(|problem| problem.at == Some((self.part, node.id())))
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
