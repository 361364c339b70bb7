//! Findings written out as far as anybody will read them.
//!
//! A small request can have millions of findings (fifty rules over one long array), and each names
//! its place in full. All are counted, but text is made only for the first hundred thousand, or the
//! first 32 MiB; the rest are a number, which the body's `*_omitted` fields report.

use crate::finding::{Finding, Violation};
use crate::place::Step;

/// How many findings of one report are written out.
const MAX_FINDINGS: usize = 100_000;

/// How many bytes of text they may have together.
const MAX_BYTES: usize = 32 << 20;

/// What a listing holds.
pub(crate) trait Listed {
    /// About how many bytes its text has.
    fn weight(&self) -> usize;
}

impl Listed for Finding {
    fn weight(&self) -> usize {
        self.field.len() + self.expected.len() + self.found.len() + self.detail.len()
    }
}

impl Listed for Violation {
    fn weight(&self) -> usize {
        let step = |step: &Step| {
            size_of::<Step>() + if let Step::Name(name) = step { name.len() } else { 0 }
        };
        let place: usize = self.place.steps().iter().map(step).sum();
        place + self.expected.len() + self.found.len() + self.schema_location.len()
    }
}

/// Findings, and how many more there are.
#[derive(Debug)]
pub(crate) struct Listing<T = Finding> {
    findings: Vec<T>,
    unlisted: u64,
    bytes: usize,
    /// The next one is written out in any case.
    due: bool,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { findings: Vec::new(), unlisted: 0, bytes: 0, due: false }
    }
}

impl<T: Listed> Listing<T> {
    /// From here on another rule reports: its first finding is always written out, so that no
    /// check is missing from what is said about the whole.
    pub(crate) fn begin(&mut self) {
        self.due = true;
    }

    /// Adds a finding, whose text is made only if there is room.
    pub(crate) fn add(&mut self, make: impl FnOnce() -> T) {
        let full = self.findings.len() >= MAX_FINDINGS || self.bytes >= MAX_BYTES;
        if full && !self.due {
            self.unlisted += 1;
            return;
        }
        self.due = false;
        let finding = make();
        self.bytes += finding.weight();
        self.findings.push(finding);
    }

    /// The findings written out, and the number of the others.
    pub(crate) fn into_parts(self) -> (Vec<T>, u64) {
        (self.findings, self.unlisted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(field: &str) -> Finding {
        Finding {
            check: "bounds",
            field: field.to_owned(),
            expected: String::new(),
            found: String::new(),
            detail: String::new(),
            difference: None,
            marks: Vec::new(),
        }
    }

    #[test]
    fn beyond_the_limit_only_the_first_of_each_rule_is_written() {
        let mut listing = Listing::default();
        listing.begin();
        for _ in 0..MAX_FINDINGS + 5 {
            listing.add(|| finding("first"));
        }
        listing.begin();
        listing.add(|| finding("second"));
        listing.add(|| panic!("no text is made for what nobody reads"));
        let (findings, unlisted) = listing.into_parts();
        assert_eq!((findings.len(), unlisted), (MAX_FINDINGS + 1, 6));
        assert_eq!(findings[MAX_FINDINGS].field, "second");
    }

    #[test]
    fn long_texts_fill_it_too() {
        let mut listing = Listing::default();
        let long = "x".repeat(1 << 20);
        for _ in 0..40 {
            listing.add(|| finding(&long));
        }
        let (findings, unlisted) = listing.into_parts();
        assert_eq!((findings.len(), unlisted), (32, 8));
    }
}
