//! Running the check again: whether what a receipt says is what this program finds, with both
//! answers side by side where it is not.
//!
//! A verifier of another version may count otherwise and still be right; a different result is
//! another matter, and the only one that fails.

use super::fact::{Code, Fact, Status, Subject};
use crate::check::Outcome;
use crate::json::{Document, MAX_DEPTH, Node, ReadError, read};
use crate::request::{Detail, Request};
use crate::response::{Stamp, body};

/// What is compared, by its path in the body.
const COMPARED: [&[&str]; 8] = [
    &["result"],
    &["summary", "blocking_checks"],
    &["schema_compliance", "passed"],
    &["schema_compliance", "total"],
    &["integrity_checks", "passed"],
    &["integrity_checks", "total"],
    &["overall", "passed"],
    &["overall", "total"],
];

/// The answer of this program to a request, to compare any number of receipts with.
#[derive(Debug)]
pub struct Replay {
    /// The body, without what identifies a single verification.
    body: Document,
    /// The version of this program.
    version: String,
}

/// One member that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its path, like `overall.passed`.
    pub field: String,
    /// What the receipt has, as JSON.
    pub receipt: String,
    /// What running the check again gives, as JSON.
    pub replay: String,
}

/// What came of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// The version that made the receipt, as it says.
    pub receipt_version: Option<String>,
    /// The version of this program.
    pub replay_version: String,
    /// What differs.
    pub differences: Vec<Difference>,
}

impl Replay {
    /// Keeps the answer to a request.
    ///
    /// # Errors
    /// Never with a body of ours, which is JSON.
    pub fn new(request: &Request<'_>, outcome: &Outcome, version: &str) -> Result<Self, ReadError> {
        let request = Request { detail: Detail::Full, ..request.clone() };
        let stamp = Stamp { verification_id: "", verified_at: "", verifier_version: version };
        let text = body(&request, outcome, stamp, None).to_line();
        Ok(Self { body: read(text, MAX_DEPTH)?, version: version.to_owned() })
    }

    /// Compares a receipt with it: what the receipt leaves out, as a compact one does, is not
    /// compared.
    #[must_use]
    pub fn compare(&self, receipt: Node<'_>) -> Replayed {
        let ours = self.body.root();
        let differences = COMPARED
            .iter()
            .filter_map(|path| {
                let (said, found) = (at(receipt, path)?, at(ours, path)?);
                (!said.equals(found)).then(|| Difference {
                    field: path.join("."),
                    receipt: said.source().to_owned(),
                    replay: found.source().to_owned(),
                })
            })
            .collect();
        let version = receipt.get("verifier_version").and_then(Node::as_str);
        Replayed {
            receipt_version: version.map(str::to_owned),
            replay_version: self.version.clone(),
            differences,
        }
    }
}

impl Replayed {
    /// The fact for the audit.
    #[must_use]
    pub fn fact(&self) -> Fact {
        let (status, code) = if self.differences.is_empty() {
            (Status::Holds, Code::ReplaySame)
        } else if self.differences.iter().any(|difference| difference.field == "result") {
            (Status::Fails, Code::ReplayDiffers)
        } else {
            (Status::Open, Code::ReplayDetails)
        };
        Fact::new(Subject::Replay, status, code)
    }
}

fn at<'d>(root: Node<'d>, path: &[&str]) -> Option<Node<'d>> {
    path.iter().try_fold(root, |node, name| node.get(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Work, check};
    use crate::request::{UnknownFields, parse};

    const REQUEST: &str = include_str!("../../fixtures/real/draft-request.json");
    const RECEIPT: &str = include_str!("../../fixtures/real/draft-receipt.json");

    fn replay(request: &str, receipt: &str) -> Replayed {
        let request = read(request, MAX_DEPTH + 1).unwrap();
        let request = parse(request.root(), UnknownFields::Refuse).unwrap();
        let outcome = check(&request, Work::Inline).unwrap();
        let receipt = read(receipt, MAX_DEPTH).unwrap();
        Replay::new(&request, &outcome, "0.1.0").unwrap().compare(receipt.root())
    }

    fn fields(replayed: &Replayed) -> Vec<&str> {
        replayed.differences.iter().map(|difference| difference.field.as_str()).collect()
    }

    #[test]
    fn the_genuine_receipts_replay_to_the_same() {
        let compact = include_str!("../../fixtures/real/final-receipt.json");
        let request = include_str!("../../fixtures/real/final-request.json");
        for replayed in [replay(REQUEST, RECEIPT), replay(request, compact)] {
            assert_eq!(replayed.differences, []);
            assert_eq!(
                (replayed.fact().status, replayed.fact().code),
                (Status::Holds, Code::ReplaySame)
            );
            assert_eq!(replayed.receipt_version.as_deref(), Some("0.4.1"));
        }
    }

    #[test]
    fn another_result_fails_and_other_counts_do_not() {
        let counts = replay(
            REQUEST,
            &RECEIPT.replace("\"passed\": 7, \"total\": 8", "\"passed\": 6, \"total\": 8"),
        );
        assert_eq!(fields(&counts), ["integrity_checks.passed"]);
        let difference = &counts.differences[0];
        assert_eq!((difference.receipt.as_str(), difference.replay.as_str()), ("6", "7"));
        assert_eq!((counts.fact().status, counts.fact().code), (Status::Open, Code::ReplayDetails));
        // The total is right this time.
        let mended = REQUEST.replace("\"total\": 135.0", "\"total\": 129.5");
        let result = replay(&mended, RECEIPT);
        assert_eq!(
            fields(&result),
            ["result", "summary.blocking_checks", "integrity_checks.passed", "overall.passed"]
        );
        assert_eq!(
            (result.fact().status, result.fact().code),
            (Status::Fails, Code::ReplayDiffers)
        );
    }
}
