//! A text that has been read, and its values: views into the [`Arena`], cheap to copy. The members
//! of one object have distinct names.

use std::ops::Range;

use super::arena::{Arena, Tag};
use super::scan::prefix;
use super::{EqualityKey, Number};

/// A JSON text, read once. Values are reached through [`Document::root`].
#[derive(Debug)]
pub struct Document {
    pub(super) text: String,
    pub(super) arena: Arena,
}

/// The six types of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// Any number
    Number,
    /// Any string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl Kind {
    /// The name JSON Schema uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl Document {
    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node { document: self, id: 0 }
    }

    /// The text as it was read, a byte order mark included.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value with this [`Node::id`].
    ///
    /// # Panics
    /// If `id` does not come from a node of this document.
    #[must_use]
    pub fn node(&self, id: u32) -> Node<'_> {
        assert!((id as usize) < self.arena.len(), "a node of another document");
        Node { document: self, id }
    }

    /// Whether the member with this value has this name.
    #[inline]
    fn is_named(&self, value: u32, name: &[u8]) -> bool {
        self.arena.is_text(&self.text, value - 1, name)
    }

    /// How many values and names there are.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.arena.len()
    }

    /// Whether any string, a name included, has a lone surrogate.
    #[must_use]
    pub fn has_lone_surrogates(&self) -> bool {
        !self.arena.broken.is_empty()
    }
}

/// A value in a [`Document`]; cheap to copy.
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document,
    id: u32,
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node({}, {:?})", self.id, self.kind())
    }
}

/// One member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member<'d> {
    /// The name, a string node with a span of its own.
    pub name: Node<'d>,
    /// The value.
    pub value: Node<'d>,
}

impl<'d> Node<'d> {
    #[inline]
    fn tag(self) -> Tag {
        self.document.arena.tag(self.id)
    }

    /// The document this value belongs to.
    #[must_use]
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// A number that no other value of the document has; it grows in document order.
    #[must_use]
    pub fn id(self) -> u32 {
        self.id
    }

    /// The type.
    #[must_use]
    #[inline]
    pub fn kind(self) -> Kind {
        match self.tag() {
            Tag::Null => Kind::Null,
            Tag::False | Tag::True => Kind::Boolean,
            Tag::Integer | Tag::Float => Kind::Number,
            Tag::Plain | Tag::Escaped | Tag::Broken => Kind::String,
            Tag::Array => Kind::Array,
            Tag::Object | Tag::Indexed => Kind::Object,
        }
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.tag() == Tag::Null
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.tag() {
            Tag::True => Some(true),
            Tag::False => Some(false),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    #[inline]
    pub fn as_number(self) -> Option<Number<'d>> {
        let float = match self.tag() {
            Tag::Integer => false,
            Tag::Float => true,
            _ => return None,
        };
        let span = self.document.arena.number_span(self.id);
        Some(Number::new(&self.document.text[span], float))
    }

    /// The text, if it is a string. A lone surrogate shows as U+FFFD; see [`Node::wtf8`].
    #[must_use]
    #[inline]
    pub fn as_str(self) -> Option<&'d str> {
        let (text, range) = self.document.arena.shown(&self.document.text, self.id)?;
        Some(&text[range])
    }

    /// The exact text of a string as WTF-8: UTF-8, but a lone surrogate keeps its code point.
    #[must_use]
    pub fn wtf8(self) -> Option<&'d [u8]> {
        self.document.arena.exact(&self.document.text, self.id)
    }

    /// Whether this string has a lone surrogate.
    #[must_use]
    pub fn has_lone_surrogate(self) -> bool {
        self.tag() == Tag::Broken
    }

    /// Whether this is a string without a single escape, so that its source is its canonical form.
    pub(super) fn is_plain(self) -> bool {
        self.tag() == Tag::Plain
    }

    /// The beginning of a string's text as [`prefix`] gives it; 0 for anything else.
    #[inline]
    pub(super) fn text_prefix(self) -> u64 {
        let shown = self.document.arena.shown(&self.document.text, self.id);
        shown.map_or(0, |(text, range)| prefix(text.as_bytes(), range.start, range.len()))
    }

    /// How many elements or members; 0 for a scalar.
    #[must_use]
    #[inline]
    pub fn len(self) -> usize {
        self.document.arena.child_count(self.id)
    }

    /// Whether there is no element and no member.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn child_ids(self) -> &'d [u32] {
        self.document.arena.children(self.id)
    }

    /// The elements of an array; none for anything else.
    #[must_use]
    #[inline]
    pub fn elements(self) -> Elements<'d> {
        let ids: &[u32] = if self.kind() == Kind::Array { self.child_ids() } else { &[] };
        Elements { document: self.document, ids: ids.iter() }
    }

    /// The element at `index`, if this is an array that has it.
    #[must_use]
    pub fn element(self, index: usize) -> Option<Node<'d>> {
        (self.kind() == Kind::Array)
            .then(|| self.child_ids().get(index))?
            .map(|&id| Node { document: self.document, id })
    }

    /// The members of an object in the order written; none for anything else.
    #[must_use]
    pub fn members(self) -> Members<'d> {
        let ids: &[u32] = if self.kind() == Kind::Object { self.child_ids() } else { &[] };
        Members { document: self.document, ids: ids.iter() }
    }

    /// The members of an object, by name where there is an index of names: of use to who sorts them.
    pub(super) fn members_by_name(self) -> Members<'d> {
        match self.tag() {
            Tag::Indexed => {
                let ids = self.document.arena.index(self.id).iter();
                Members { document: self.document, ids }
            }
            _ => self.members(),
        }
    }

    /// The value of the member with this name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Node<'d>> {
        self.get_wtf8(name.as_bytes())
    }

    /// The same for a name as WTF-8, which may have lone surrogates.
    #[must_use]
    pub fn get_wtf8(self, name: &[u8]) -> Option<Node<'d>> {
        self.member_wtf8(name).map(|member| member.value)
    }

    /// Looks up one name after the other.
    #[must_use]
    #[inline]
    pub fn finder(self) -> Finder<'d> {
        let ids: &[u32] = if self.kind() == Kind::Object { self.child_ids() } else { &[] };
        Finder { object: self, ids, near: 0 }
    }

    /// The member with this name. A name with a lone surrogate is never equal to a `&str`.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Member<'d>> {
        self.member_wtf8(name.as_bytes())
    }

    fn member_wtf8(self, name: &[u8]) -> Option<Member<'d>> {
        let at = |id: u32| Node { document: self.document, id: id - 1 };
        let value = match self.tag() {
            Tag::Object => {
                *self.child_ids().iter().find(|&&id| self.document.is_named(id, name))?
            }
            Tag::Indexed => {
                let sorted = self.document.arena.index(self.id);
                // Nearly every comparison is decided by the beginnings, which are numbers. That of
                // a name with lone surrogates is not its own.
                let wanted = prefix(name, 0, name.len());
                let compare = |&id: &u32| {
                    let (candidate, broken) = (at(id), at(id).has_lone_surrogate());
                    let whole = || candidate.wtf8().unwrap_or_default().cmp(name);
                    if broken {
                        whole()
                    } else {
                        candidate.text_prefix().cmp(&wanted).then_with(whole)
                    }
                };
                sorted[sorted.binary_search_by(compare).ok()?]
            }
            _ => return None,
        };
        Some(Member { name: at(value), value: Node { document: self.document, id: value } })
    }

    /// The position among the children of this container of the child that is, or contains, the
    /// node with this id; and that child. A member's name counts as part of its value.
    #[must_use]
    pub fn child_towards(self, id: u32) -> Option<(usize, Node<'d>)> {
        let ids = self.child_ids();
        let names = u32::from(self.kind() == Kind::Object);
        let at = ids.partition_point(|&child| child - names <= id).checked_sub(1)?;
        Some((at, Node { document: self.document, id: ids[at] }))
    }

    /// Where the value stands in the text, in bytes.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.document.arena.span(self.id)
    }

    /// The value as written.
    #[must_use]
    #[inline]
    pub fn source(self) -> &'d str {
        &self.document.text[self.span()]
    }

    /// The same as bytes.
    #[inline]
    pub(super) fn source_bytes(self) -> &'d [u8] {
        &self.document.text.as_bytes()[self.span()]
    }

    /// JSON equality (JSON Schema core §4.2.2): numbers by value, objects without regard to order.
    #[must_use]
    pub fn equals(self, other: Node<'_>) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::String, Kind::String) => self.wtf8() == other.wtf8(),
            (Kind::Number, Kind::Number) => match (self.as_number(), other.as_number()) {
                (Some(left), Some(right)) => left.parts() == right.parts(),
                _ => false,
            },
            (Kind::Array | Kind::Object, Kind::Array | Kind::Object) => {
                self.kind() == other.kind()
                    && self.len() == other.len()
                    && EqualityKey::of(self) == EqualityKey::of(other)
            }
            (left, right) => left == right && self.as_bool() == other.as_bool(),
        }
    }
}

/// The members of an object, to be asked for by name: those asked for in the order written are
/// found at once.
#[derive(Debug, Clone)]
pub struct Finder<'d> {
    object: Node<'d>,
    ids: &'d [u32],
    /// Behind what was found last.
    near: usize,
}

impl<'d> Finder<'d> {
    /// The value of the member with this name, in WTF-8; none if this is no object.
    #[must_use]
    #[inline]
    pub fn get(&mut self, name: &[u8]) -> Option<Node<'d>> {
        let document = self.object.document;
        let near = &self.ids[self.near..];
        let ahead = near.len().min(AHEAD);
        if let Some(at) = near[..ahead].iter().position(|&id| document.is_named(id, name)) {
            self.near += at + 1;
            return Some(Node { document, id: near[at] });
        }
        let found = self.object.member_wtf8(name)?.value;
        self.near = self.ids.binary_search(&found.id).map_or(0, |at| at + 1);
        Some(found)
    }
}

/// How far a [`Finder`] looks onwards before it asks the whole object: as many comparisons as an
/// index needs.
const AHEAD: usize = 5;

/// Iterator over [`Node::elements`].
#[derive(Debug, Clone)]
pub struct Elements<'d> {
    document: &'d Document,
    ids: std::slice::Iter<'d, u32>,
}

impl<'d> Iterator for Elements<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        self.ids.next().map(|&id| Node { document: self.document, id })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ids.size_hint()
    }
}

impl ExactSizeIterator for Elements<'_> {}

/// Iterator over [`Node::members`].
#[derive(Debug, Clone)]
pub struct Members<'d> {
    document: &'d Document,
    ids: std::slice::Iter<'d, u32>,
}

impl<'d> Iterator for Members<'d> {
    type Item = Member<'d>;

    fn next(&mut self) -> Option<Member<'d>> {
        self.ids.next().map(|&id| Member {
            name: Node { document: self.document, id: id - 1 },
            value: Node { document: self.document, id },
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ids.size_hint()
    }
}

impl ExactSizeIterator for Members<'_> {}
