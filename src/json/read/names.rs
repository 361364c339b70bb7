//! The names of one object: all different, and sorted where there are many.

use super::{ReadErrorKind, Reader, Step};
use crate::json::document::Tag;
use crate::json::scan::prefix;

/// Objects with more members than this are looked up through a sorted index.
pub(super) const LINEAR_MEMBERS: usize = 12;

impl Reader<'_> {
    /// Refuses a second member of the same name among `children[first..]`; appends an index where
    /// there are many members, and says whether it did.
    #[inline]
    pub(super) fn check_names(&mut self, first: usize) -> Step<bool> {
        let values = &self.children[first..];
        if values.len() > LINEAR_MEMBERS {
            return self.index_names(first);
        }
        let mut seen = [0; LINEAR_MEMBERS];
        for (at, &value) in values.iter().enumerate() {
            let (bytes, start, length) = self.name_place(value);
            let word = prefix(bytes, start, length);
            // Most names differ in their first eight bytes.
            if seen[..at].contains(&word)
                && values[..at].iter().any(|&earlier| self.name(earlier) == self.name(value))
            {
                return self.duplicate(value);
            }
            seen[at] = word;
        }
        Ok(false)
    }

    fn index_names(&mut self, first: usize) -> Step<bool> {
        let mut sorted = self.children[first..].to_vec();
        sorted.sort_unstable_by(|&a, &b| self.name(a).cmp(self.name(b)).then(a.cmp(&b)));
        let repeated = sorted.windows(2).filter(|pair| self.name(pair[0]) == self.name(pair[1]));
        if let Some(later) = repeated.map(|pair| pair[1]).min() {
            return self.duplicate(later);
        }
        self.children.extend(sorted);
        Ok(true)
    }

    fn duplicate<T>(&self, value: u32) -> Step<T> {
        let name = &self.records[value as usize - 1];
        let shown = match name.tag {
            Tag::Plain => &self.text[name.start as usize + 1..name.end as usize - 1],
            _ => &self.decoded[name.a as usize..][..name.b as usize],
        };
        self.fail(name.start as usize, ReadErrorKind::DuplicateName(shown.to_owned()))
    }

    /// The exact name of the member with this value, as WTF-8.
    #[inline]
    fn name(&self, value: u32) -> &[u8] {
        let (bytes, start, length) = self.name_place(value);
        &bytes[start..][..length]
    }

    /// The same, as a place in a longer text.
    #[inline]
    fn name_place(&self, value: u32) -> (&[u8], usize, usize) {
        let id = value - 1;
        let record = &self.records[id as usize];
        match record.tag {
            Tag::Escaped => (self.decoded.as_bytes(), record.a as usize, record.b as usize),
            Tag::Broken => {
                let at = self.broken.binary_search_by_key(&id, |(broken, _)| *broken);
                let exact: &[u8] = at.map_or(&[], |at| &self.broken[at].1);
                (exact, 0, exact.len())
            }
            _ => (self.bytes, record.start as usize + 1, (record.end - record.start) as usize - 2),
        }
    }
}
