//! What the process tells its caller: the codes of SPEC 10 and nothing else.
//!
//! A code comes from what happened, never from how it was reported. A panic is a bug and ends with
//! 101, which is none of these.

use std::process::ExitCode;

use agent_output_verifier::check::Verdict;

/// How a run, or the part of it that concerns one input, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Yes.
    Ok = 0,
    /// A verdict of no.
    No = 1,
    /// No verdict, because what was asked cannot be done.
    CannotRun = 2,
    #[allow(dead_code, reason = "only verbs that reach outside end so")]
    /// No verdict, because something outside was not there.
    Unavailable = 3,
    #[allow(dead_code, reason = "only verbs that reach outside end so")]
    /// A server wants to be paid first.
    PaymentRequired = 4,
}

/// Every code with what it means (SPEC 10), for help texts and manual pages.
pub(crate) const MEANINGS: [(u8, &str); 5] = [
    (0, "Every input passed; every receipt is genuine and meets every demand."),
    (
        1,
        "A verdict of no: fail, not genuine, not bound to the data, untrusted issuer, demand not met.",
    ),
    (
        2,
        "Cannot run as asked: usage, invalid request, malformed JSON, unreadable file, nothing to check.",
    ),
    (3, "No verdict, because something outside was unavailable: worth a retry."),
    (4, "Payment required."),
];

impl Exit {
    /// Every way to end.
    pub(crate) const ALL: [Self; 5] =
        [Self::Ok, Self::No, Self::CannotRun, Self::Unavailable, Self::PaymentRequired];

    /// The first that occurred in the order 2, 1, 3, 4, 0: a request that could not be checked
    /// outranks a verdict of no, and either outranks a "perhaps later".
    #[must_use]
    pub(crate) fn merge(self, other: Self) -> Self {
        if self.rank() <= other.rank() { self } else { other }
    }

    /// The number that the caller sees.
    #[must_use]
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    fn rank(self) -> usize {
        [2, 1, 3, 4, 0].iter().position(|&code| code == self.code()).unwrap_or(usize::MAX)
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Ok,
            Verdict::Fail => Self::No,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY_RANK: [Exit; 5] =
        [Exit::CannotRun, Exit::No, Exit::Unavailable, Exit::PaymentRequired, Exit::Ok];

    #[test]
    fn the_numbers_are_those_of_the_contract() {
        assert_eq!(BY_RANK.map(Exit::code), [2, 1, 3, 4, 0]);
        assert_eq!(MEANINGS.map(|(code, _)| code), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn the_first_of_2_1_3_4_0_wins_in_any_order() {
        for (higher, &winner) in BY_RANK.iter().enumerate() {
            for &other in &BY_RANK[higher..] {
                assert_eq!(winner.merge(other), winner);
                assert_eq!(other.merge(winner), winner);
            }
        }
    }
}
