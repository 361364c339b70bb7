//! What a reading leaves behind: small records, one per value and name, in document order.
//!
//! Invariants: children come after their parent; a member's name is the record just before its
//! value; spans are byte offsets into the text, quotes and brackets included.
//!
//! A record is nine bytes, in two columns: pages touched for the first time cost more than anything
//! else that is done with a value.

use std::ops::Range;

use super::scan::is_same;

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
struct Extent {
    start: u32,
    /// The length; of what has a [`Detail`], the index of that.
    length: u32,
}

/// What a container and a string with escapes have besides.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Detail {
    pub(super) end: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

#[derive(Debug)]
pub(super) struct Arena {
    tags: Vec<Tag>,
    extents: Vec<Extent>,
    details: Vec<Detail>,
    pub(super) children: Vec<u32>,
    /// The text of all strings that have escapes, one after the other.
    pub(super) decoded: String,
    /// The exact text of strings with lone surrogates, as WTF-8, by record.
    pub(super) broken: Vec<(u32, Box<[u8]>)>,
}

impl Arena {
    /// For a text of this length.
    pub(super) fn for_text(length: usize) -> Self {
        Self {
            // About one value or name in ten bytes is what real data has.
            tags: Vec::with_capacity(length / 9 + 8),
            extents: Vec::with_capacity(length / 9 + 8),
            details: Vec::new(),
            children: Vec::with_capacity(length / 20 + 8),
            decoded: String::new(),
            broken: Vec::new(),
        }
    }

    /// How many records there are, which is also the id of the next.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.tags.len()
    }

    /// Adds a value without detail.
    #[inline]
    pub(super) fn push(&mut self, tag: Tag, span: Range<usize>) -> u32 {
        self.push_extent(tag, span.start, span.len())
    }

    /// Adds a value with detail.
    #[inline]
    pub(super) fn push_detailed(&mut self, tag: Tag, start: usize, detail: Detail) -> u32 {
        let at = self.details.len();
        self.details.push(detail);
        self.push_extent(tag, start, at)
    }

    #[inline]
    fn push_extent(&mut self, tag: Tag, start: usize, length: usize) -> u32 {
        let id = self.tags.len() as u32;
        self.tags.push(tag);
        self.extents.push(Extent { start: start as u32, length: length as u32 });
        id
    }

    /// Completes a container.
    #[inline]
    pub(super) fn complete(&mut self, id: u32, tag: Tag, detail: Detail) {
        let at = self.extents[id as usize].length as usize;
        self.details[at] = detail;
        self.tags[id as usize] = tag;
    }

    #[inline]
    pub(super) fn tag(&self, id: u32) -> Tag {
        self.tags[id as usize]
    }

    #[inline]
    pub(super) fn start(&self, id: u32) -> usize {
        self.extents[id as usize].start as usize
    }

    #[inline]
    pub(super) fn span(&self, id: u32) -> Range<usize> {
        let Extent { start, length } = self.extents[id as usize];
        let end = match self.tag(id) {
            Tag::Escaped | Tag::Broken | Tag::Array | Tag::Object | Tag::Indexed => {
                self.details[length as usize].end
            }
            _ => start + length,
        };
        start as usize..end as usize
    }

    /// The span of a number, which has no detail.
    #[inline]
    pub(super) fn number_span(&self, id: u32) -> Range<usize> {
        let Extent { start, length } = self.extents[id as usize];
        start as usize..start as usize + length as usize
    }

    /// Of a value that has one.
    #[inline]
    fn detail(&self, id: u32) -> Detail {
        self.details[self.extents[id as usize].length as usize]
    }

    /// The children of a container; none of anything else.
    #[inline]
    pub(super) fn children(&self, id: u32) -> &[u32] {
        match self.tag(id) {
            Tag::Array | Tag::Object | Tag::Indexed => {
                let Detail { a, b, .. } = self.detail(id);
                &self.children[a as usize..][..b as usize]
            }
            _ => &[],
        }
    }

    /// How many children there are.
    #[inline]
    pub(super) fn child_count(&self, id: u32) -> usize {
        match self.tag(id) {
            Tag::Array | Tag::Object | Tag::Indexed => self.detail(id).b as usize,
            _ => 0,
        }
    }

    /// The members sorted by name, of an object that has an index.
    pub(super) fn index(&self, id: u32) -> &[u32] {
        match self.tag(id) {
            Tag::Indexed => {
                let Detail { a, b, .. } = self.detail(id);
                &self.children[(a + b) as usize..][..b as usize]
            }
            _ => &[],
        }
    }

    /// Where the text of a string stands: in `text`, which is what was read, or in what was
    /// decoded. A lone surrogate shows as U+FFFD.
    #[inline]
    pub(super) fn shown<'a>(&'a self, text: &'a str, id: u32) -> Option<(&'a str, Range<usize>)> {
        match self.tag(id) {
            Tag::Plain => {
                let Extent { start, length } = self.extents[id as usize];
                let start = start as usize + 1;
                Some((text, start..start + length as usize - 2))
            }
            Tag::Escaped | Tag::Broken => {
                let Detail { a, b, .. } = self.detail(id);
                Some((&self.decoded, a as usize..a as usize + b as usize))
            }
            _ => None,
        }
    }

    /// The exact text of a string, as WTF-8.
    #[inline]
    pub(super) fn exact<'a>(&'a self, text: &'a str, id: u32) -> Option<&'a [u8]> {
        if self.tag(id) == Tag::Broken {
            let at = self.broken.binary_search_by_key(&id, |(broken, _)| *broken).ok()?;
            return Some(&self.broken[at].1);
        }
        let (text, range) = self.shown(text, id)?;
        Some(&text.as_bytes()[range])
    }

    /// Whether this is a string with exactly this text, in WTF-8.
    #[inline]
    pub(super) fn is_text(&self, text: &str, id: u32, expected: &[u8]) -> bool {
        if self.tag(id) != Tag::Plain {
            return self.exact(text, id) == Some(expected);
        }
        // The length is known without a look at the text.
        let Extent { start, length } = self.extents[id as usize];
        length as usize == expected.len() + 2
            && is_same(&text.as_bytes()[start as usize + 1..][..expected.len()], expected)
    }
}
