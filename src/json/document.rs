//! The arena that a reading leaves behind: one small record per value, in document order.
//!
//! Invariants: children come after their parent; a member's name is the record just before its
//! value; spans are byte offsets into the text, quotes and brackets included; the members of one
//! object have distinct names.

use std::ops::Range;

use super::scan::prefix;
use super::{EqualityKey, Number};

/// What a record is. Strings and objects come in variants that cost differently to look into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    False,
    True,
    /// A number literal without fraction and exponent.
    Integer,
    /// Any other number literal.
    Float,
    /// A string whose text is its source between the quotes.
    Plain,
    /// A string with escapes; its text is `decoded[a..][..b]`.
    Escaped,
    /// An escaped string with a lone surrogate, which `decoded` shows as U+FFFD.
    Broken,
    /// `children[a..][..b]` are the elements.
    Array,
    /// `children[a..][..b]` are the member values, in source order.
    Object,
    /// An object with many members: the same, followed by the members sorted by name.
    Indexed,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) tag: Tag,
}

/// A JSON text, read once. Values are reached through [`Document::root`].
#[derive(Debug)]
pub struct Document {
    pub(super) text: String,
    pub(super) records: Vec<Record>,
    pub(super) children: Vec<u32>,
    /// The text of all strings that have escapes, one after the other.
    pub(super) decoded: String,
    /// The exact text of strings with lone surrogates, as WTF-8, by record.
    pub(super) broken: Vec<(u32, Box<[u8]>)>,
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
        assert!((id as usize) < self.records.len(), "a node of another document");
        Node { document: self, id }
    }

    /// Whether the member with this value has this name.
    #[inline]
    fn is_named(&self, value: u32, name: &str) -> bool {
        let Some(record) = self.records.get((value as usize).wrapping_sub(1)) else { return false };
        match record.tag {
            // The length is known without a look at the text.
            Tag::Plain => {
                let (start, end) = (record.start as usize + 1, record.end as usize - 1);
                end - start == name.len() && self.text.as_bytes()[start..end] == *name.as_bytes()
            }
            Tag::Escaped => self.decoded[record.a as usize..][..record.b as usize] == *name,
            _ => false,
        }
    }

    /// How many values and names there are.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.records.len()
    }

    /// Whether any string, a name included, has a lone surrogate.
    #[must_use]
    pub fn has_lone_surrogates(&self) -> bool {
        !self.broken.is_empty()
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
    fn record(self) -> &'d Record {
        &self.document.records[self.id as usize]
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
        match self.record().tag {
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
        self.record().tag == Tag::Null
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.record().tag {
            Tag::True => Some(true),
            Tag::False => Some(false),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    #[inline]
    pub fn as_number(self) -> Option<Number<'d>> {
        match self.record().tag {
            Tag::Integer => Some(Number::new(self.source(), false)),
            Tag::Float => Some(Number::new(self.source(), true)),
            _ => None,
        }
    }

    /// The text, if it is a string. A lone surrogate shows as U+FFFD; see [`Node::wtf8`].
    #[must_use]
    #[inline]
    pub fn as_str(self) -> Option<&'d str> {
        let record = self.record();
        match record.tag {
            Tag::Plain => {
                Some(&self.document.text[record.start as usize + 1..record.end as usize - 1])
            }
            Tag::Escaped | Tag::Broken => {
                Some(&self.document.decoded[record.a as usize..][..record.b as usize])
            }
            _ => None,
        }
    }

    /// The exact text of a string as WTF-8: UTF-8, but a lone surrogate keeps its code point.
    #[must_use]
    pub fn wtf8(self) -> Option<&'d [u8]> {
        if self.record().tag != Tag::Broken {
            return self.as_str().map(str::as_bytes);
        }
        let broken = &self.document.broken;
        let at = broken.binary_search_by_key(&self.id, |(id, _)| *id).ok()?;
        Some(&broken[at].1)
    }

    /// Whether this string has a lone surrogate.
    #[must_use]
    pub fn has_lone_surrogate(self) -> bool {
        self.record().tag == Tag::Broken
    }

    /// Whether this is a string without a single escape, so that its source is its canonical form.
    pub(super) fn is_plain(self) -> bool {
        self.record().tag == Tag::Plain
    }

    /// The beginning of a string's text as [`prefix`] gives it; 0 for anything else.
    #[inline]
    pub(super) fn text_prefix(self) -> u64 {
        let record = self.record();
        let (a, b) = (record.a as usize, record.b as usize);
        match record.tag {
            Tag::Plain => {
                let length = (record.end - record.start) as usize - 2;
                prefix(self.document.text.as_bytes(), record.start as usize + 1, length)
            }
            Tag::Escaped | Tag::Broken => prefix(self.document.decoded.as_bytes(), a, b),
            _ => 0,
        }
    }

    /// How many elements or members; 0 for a scalar.
    #[must_use]
    pub fn len(self) -> usize {
        match self.record().tag {
            Tag::Array | Tag::Object | Tag::Indexed => self.record().b as usize,
            _ => 0,
        }
    }

    /// Whether there is no element and no member.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    fn child_ids(self) -> &'d [u32] {
        let record = self.record();
        match record.tag {
            Tag::Array | Tag::Object | Tag::Indexed => {
                &self.document.children[record.a as usize..][..record.b as usize]
            }
            _ => &[],
        }
    }

    /// The elements of an array; none for anything else.
    #[must_use]
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

    /// The value of the member with this name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Node<'d>> {
        self.member(name).map(|member| member.value)
    }

    /// The same as [`Node::get`], looking at the member with the index `near` first and moving it
    /// behind what is found: names that are asked for in the order written are found at once.
    #[must_use]
    #[inline]
    pub fn get_near(self, name: &str, near: &mut usize) -> Option<Node<'d>> {
        if self.kind() != Kind::Object {
            return None;
        }
        let ids = self.child_ids();
        if let Some(&id) = ids.get(*near)
            && self.document.is_named(id, name)
        {
            *near += 1;
            return Some(Node { document: self.document, id });
        }
        let found = self.get(name)?;
        *near = ids.binary_search(&found.id).map_or(0, |at| at + 1);
        Some(found)
    }

    /// The member with this name. A name with a lone surrogate is never equal to a `&str`.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Member<'d>> {
        let record = self.record();
        let at = |id: u32| Node { document: self.document, id: id - 1 };
        let value = match record.tag {
            Tag::Object => {
                *self.child_ids().iter().find(|&&id| self.document.is_named(id, name))?
            }
            Tag::Indexed => {
                let sorted =
                    &self.document.children[(record.a + record.b) as usize..][..record.b as usize];
                let found = sorted
                    .binary_search_by(|&id| at(id).wtf8().unwrap_or_default().cmp(name.as_bytes()))
                    .ok()?;
                sorted[found]
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
        self.record().start as usize..self.record().end as usize
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
