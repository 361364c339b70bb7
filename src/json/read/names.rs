//! The names of one object: all different, and sorted where there are many.

use super::{ReadErrorKind, Reader, Step};
use crate::json::scan::prefix;

/// Objects with more members than this are looked up through a sorted index.
pub(super) const LINEAR_MEMBERS: usize = 12;

impl Reader<'_> {
    /// Refuses a second member of the same name among `children[first..]`; appends an index where
    /// there are many members, and says whether it did.
    #[inline]
    pub(super) fn check_names(&mut self, first: usize) -> Step<bool> {
        let values = &self.arena.children[first..];
        if values.len() > LINEAR_MEMBERS {
            return self.index_names(first);
        }
        let mut seen = [0; LINEAR_MEMBERS];
        for (at, &value) in values.iter().enumerate() {
            let shown = self.arena.shown(self.text, value - 1);
            let word =
                shown.map_or(0, |(text, range)| prefix(text.as_bytes(), range.start, range.len()));
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
        // Nearly every comparison is decided by the beginnings, which are numbers.
        let beginning = |&value: &u32| {
            let name = self.name(value);
            (prefix(name, 0, name.len()), value)
        };
        let mut sorted: Vec<_> = self.arena.children[first..].iter().map(beginning).collect();
        sorted.sort_unstable_by(|&(one, a), &(other, b)| {
            let whole = || self.name(a).cmp(self.name(b)).then(a.cmp(&b));
            one.cmp(&other).then_with(whole)
        });
        let same = |pair: &&[(u64, u32)]| {
            pair[0].0 == pair[1].0 && self.name(pair[0].1) == self.name(pair[1].1)
        };
        if let Some(later) = sorted.windows(2).filter(same).map(|pair| pair[1].1).min() {
            return self.duplicate(later);
        }
        self.arena.children.extend(sorted.into_iter().map(|(_, value)| value));
        Ok(true)
    }

    fn duplicate<T>(&self, value: u32) -> Step<T> {
        let id = value - 1;
        let shown = self.arena.shown(self.text, id).map_or("", |(text, range)| &text[range]);
        self.fail(self.arena.start(id), ReadErrorKind::DuplicateName(shown.to_owned()))
    }

    /// The exact name of the member with this value, as WTF-8.
    #[inline]
    fn name(&self, value: u32) -> &[u8] {
        self.arena.exact(self.text, value - 1).unwrap_or_default()
    }
}
