//! What a check may cost (SPEC 2.4), counted in steps of some ten nanoseconds.

/// Steps that every check may take, however small its data: well under a second.
const BASE_STEPS: u64 = 20_000_000;

/// Steps that each value of the data adds.
const STEPS_PER_VALUE: u64 = 60;

/// Looks at the data that the second validator may take, however small it is.
const BASE_LOOKS: u64 = 30_000_000;

/// Looks that each value of the data adds.
const LOOKS_PER_VALUE: u64 = 100;

/// Steps for the words about all that failed.
const WORD_STEPS: u64 = 10_000_000;

/// Applications of schemas inside each other. Data has at most 128 levels; a chain of references
/// that is deeper makes no progress or is made to exhaust the stack.
const MAX_NESTING: usize = 1_000;

/// A check has cost too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

/// The remaining steps of one check.
#[derive(Debug)]
pub(super) struct Budget {
    steps: u64,
    nesting: usize,
}

impl Budget {
    /// The budget for data with this many values.
    pub(super) fn for_values(values: usize) -> Self {
        let steps = BASE_STEPS.saturating_add(STEPS_PER_VALUE.saturating_mul(values as u64));
        Self { steps, nesting: 0 }
    }

    /// How often the second validator may look at data with this many values.
    pub(super) fn looks_for_values(values: usize) -> u64 {
        BASE_LOOKS.saturating_add(LOOKS_PER_VALUE.saturating_mul(values as u64))
    }

    /// The budget for explaining what failed.
    pub(super) fn for_words() -> Self {
        Self { steps: WORD_STEPS, nesting: 0 }
    }

    /// Takes steps. Once there are too few, there are none.
    #[inline]
    pub(super) fn charge(&mut self, steps: u64) -> Result<(), Exhausted> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => {
                self.steps = 0;
                Err(Exhausted)
            }
        }
    }

    /// Goes one application deeper, which costs one step and these; every `enter` has its `leave`
    /// unless the check ends.
    #[inline]
    pub(super) fn enter(&mut self, steps: u64) -> Result<(), Exhausted> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING { Err(Exhausted) } else { self.charge(1 + steps) }
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        self.nesting -= 1;
    }
}
