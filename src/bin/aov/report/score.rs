//! Scores for people: the numbers, the interval, and a line of history.

use agent_output_verifier::json::Node;
use agent_output_verifier::score::{Score, instant};
use agent_output_verifier::text::{MAX_ECHO, cut};
use clap::builder::styling::AnsiColor;

use super::human::paint;
use crate::term::{self, Terminal};

/// So many verdicts are shown, the newest.
const MAX_HISTORY: usize = 60;

/// What is shown of a score; texts are fit for a terminal.
#[derive(Debug)]
pub(crate) struct Shown {
    agent_id: String,
    /// The score and the ends of its interval; none without data.
    estimate: Option<[String; 3]>,
    effective_sample_size: String,
    /// Verified, passed, failed.
    counts: [String; 3],
    last_seen: Option<String>,
}

impl Shown {
    /// A score that was computed here.
    pub(crate) fn of(agent_id: &str, score: &Score) -> Self {
        let number = |value: f64| format!("{value:.6}");
        let estimate = score.estimate.as_ref();
        Self {
            agent_id: shown(agent_id),
            estimate: estimate.map(|it| [it.score, it.low, it.high].map(number)),
            effective_sample_size: number(estimate.map_or(0.0, |it| it.effective_sample_size)),
            counts: [score.verified(), score.passed, score.failed].map(|it| it.to_string()),
            last_seen: score.last_seen.map(instant),
        }
    }

    /// A score that somebody signed. What it does not say is shown as a question mark.
    pub(crate) fn of_receipt(receipt: Node<'_>) -> Self {
        let text = |node: Option<Node<'_>>| {
            let node = node.filter(|node| !node.is_null());
            node.map(|node| shown(node.as_str().unwrap_or_else(|| node.source())))
        };
        let member = |name: &str| text(receipt.get(name)).unwrap_or_else(|| "?".to_owned());
        let interval = receipt.get("confidence_interval_95");
        let end =
            |at| text(interval.and_then(|it| it.element(at))).unwrap_or_else(|| "?".to_owned());
        Self {
            agent_id: member("agent_id"),
            estimate: text(receipt.get("trust_score")).map(|score| [score, end(0), end(1)]),
            effective_sample_size: member("effective_sample_size"),
            counts: ["verified", "passed", "failed"].map(member),
            last_seen: text(receipt.get("last_seen")),
        }
    }

    /// In a few lines. `history` is oldest first, and `source` says where all this is from.
    pub(crate) fn human(&self, history: &[bool], source: &str, terminal: Terminal) -> String {
        let bold = |text: &str| paint(text, AnsiColor::Cyan.on_default().bold(), terminal);
        let Some([score, low, high]) = &self.estimate else {
            return format!(
                "{}  {}: no verification of it is known\n  from {source}\n",
                self.agent_id,
                bold("no data")
            );
        };
        let [verified, passed, failed] = &self.counts;
        let mut out = format!(
            "{}  {} (95% interval {low} to {high})\n",
            self.agent_id,
            bold(&format!("trust score {score}"))
        );
        out.push_str(&format!(
            "  verified {verified}: {passed} passed, {failed} failed; effective sample size {}\n",
            self.effective_sample_size
        ));
        if let Some(last_seen) = &self.last_seen {
            out.push_str(&format!("  last seen {last_seen}\n"));
        }
        if !history.is_empty() {
            out.push_str(&format!("  history {}\n", history_line(history)));
        }
        out.push_str(&format!("  from {source}\n"));
        out.push_str("  agent_id is a label that callers chose, not a proven identity\n");
        out
    }
}

/// The newest verdicts, a sign each.
fn history_line(history: &[bool]) -> String {
    let newest = &history[history.len().saturating_sub(MAX_HISTORY)..];
    let signs: String = newest.iter().map(|passed| if *passed { '+' } else { 'x' }).collect();
    let which = if newest.len() < history.len() {
        format!("the last {MAX_HISTORY}, newest at the end")
    } else {
        "newest at the end".to_owned()
    };
    format!("{signs}  ({which}; + passed, x failed)")
}

fn shown(text: &str) -> String {
    term::safe(&cut(text, 5 * MAX_ECHO)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_history_has_the_newest_at_its_end() {
        assert_eq!(history_line(&[true, false]), "+x  (newest at the end; + passed, x failed)");
        let mut long = vec![false; 100];
        long.push(true);
        let line = history_line(&long);
        let signs = line.split(' ').next().unwrap_or_default();
        assert_eq!((signs.len(), signs.ends_with("xx+")), (60, true), "{line}");
        assert!(line.contains("the last 60"), "{line}");
    }
}
