//! For people: the verdict first, then each finding with its place, then the figures.
//!
//! Words carry the meaning; colour repeats it. The wording may change from version to version.

use std::ops::Range;

use agent_output_verifier::check::Verdict;
use agent_output_verifier::finding::Tally;
use agent_output_verifier::json::{Kind, Lines, Node};
use agent_output_verifier::request::Request;
use annotate_snippets::Level;
use clap::builder::styling::{AnsiColor, Style};

use super::excerpt::{self, Excerpt};
use super::finding::{Counts, Shown, shown};
use super::{Checked, MAX_SHOWN, Rejection, Summary};
use crate::cmd::Failure;
use crate::exit::Exit;
use crate::input::{InputError, JsonError, JsonFile};
use crate::term::{self, Terminal};

/// Values of more bytes than this are marked at their beginning only, if they are not scalars.
const MAX_MARKED: usize = 60;
/// Values shown for one finding.
pub(super) const MAX_MARKS: usize = 4;

const RED: Style = AnsiColor::BrightRed.on_default().bold();
const GREEN: Style = AnsiColor::BrightGreen.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const BLUE: Style = AnsiColor::BrightBlue.on_default().bold();
pub(super) const BOLD: Style = Style::new().bold();

/// How much is said about one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amount {
    /// Every finding with its line, and the figures in a table.
    Full,
    /// One line for the verdict and one per finding.
    Compact,
}

/// An output with its verdict.
pub(crate) fn checked(checked: &Checked<'_>, amount: Amount, terminal: Terminal) -> String {
    let counts = Counts::of(checked.outcome);
    let mut out = match amount {
        Amount::Full => verdict(checked, terminal) + "\n",
        Amount::Compact => one_line(checked, counts, terminal),
    };
    let mut places = Places::default();
    let mut left = counts.errors + counts.warnings;
    for finding in shown(checked.outcome).take(MAX_SHOWN) {
        left -= 1;
        match amount {
            Amount::Full => {
                out.push('\n');
                out.push_str(&full_finding(&finding, checked, &mut places, terminal));
            }
            Amount::Compact => {
                out.push_str(&short_finding(&finding, checked, &mut places, terminal));
            }
        }
    }
    if left > 0 {
        let gap = if amount == Amount::Full { "\n" } else { "" };
        out.push_str(&format!("{gap}… and {left} more that are not shown here\n"));
    }
    if amount == Amount::Full {
        out.push('\n');
        out.push_str(&figures(checked, counts));
    }
    out
}

/// Whether there is nothing to say but that it passed.
pub(super) fn is_clean(checked: &Checked<'_>) -> bool {
    let counts = Counts::of(checked.outcome);
    checked.outcome.verdict() == Verdict::Pass && counts.errors + counts.warnings == 0
}

fn verdict(checked: &Checked<'_>, terminal: Terminal) -> String {
    let (word, style, says) = match checked.outcome.verdict() {
        Verdict::Pass => ("PASS", GREEN, "meets the requirements"),
        Verdict::Fail => ("FAIL", RED, "does not meet the requirements"),
    };
    let word = paint(word, style, terminal);
    let name = checked.input.origin().title();
    format!("{word}: {name} {says} ({})", requirements(checked.request))
}

/// What the verdict is about: what binds, and what only advises.
fn requirements(request: &Request<'_>) -> String {
    let mut clauses = Vec::new();
    for (count, one, many) in
        [(request.rules.len(), "rule", "rules"), (request.bounds.len(), "bound", "bounds")]
    {
        match count {
            0 => {}
            1 => clauses.push(format!("1 {one}")),
            count => clauses.push(format!("{count} {many}")),
        }
    }
    let clauses = clauses.join(", ");
    let mut out = "schema".to_owned();
    if request.strict_content_check {
        out.push_str(", strict content");
    }
    if !clauses.is_empty() {
        out.push_str(if request.enforce_rules { ", " } else { "; advisory: " });
        out.push_str(&clauses);
    }
    out
}

fn one_line(checked: &Checked<'_>, counts: Counts, terminal: Terminal) -> String {
    let (schema, integrity) = (checked.outcome.schema.assertions, checked.outcome.integrity());
    format!(
        "{}: {}; schema {}, integrity {}, overall {}\n",
        verdict(checked, terminal),
        counted(counts),
        percent(schema),
        percent(integrity),
        percent(schema.plus(integrity)),
    )
}

fn counted(counts: Counts) -> String {
    let kinds = [(counts.errors, "error"), (counts.warnings, "warning")];
    let words = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, word)| {
        let plural = if *count == 1 { "" } else { "s" };
        format!("{count} {word}{plural}")
    });
    let words = words.collect::<Vec<_>>().join(", ");
    if words.is_empty() { "no findings".to_owned() } else { words }
}

fn full_finding<'r>(
    finding: &Shown<'r>,
    checked: &Checked<'r>,
    places: &mut Places<'r>,
    terminal: Terminal,
) -> String {
    let (level, word, style) = if finding.fails() {
        (Level::ERROR, "error", RED)
    } else {
        (Level::WARNING, "warning", YELLOW)
    };
    let title = paint(&format!("{word}[{}]", finding.check()), style, terminal);
    let path = paint(&term::safe(&finding.path()), BOLD, terminal);
    let mut out = format!("{title}: {path}\n");

    let (file, node) = finding.file(checked);
    let excerpts = places.excerpts(finding, file, node);
    out.push_str(&arrow(&file.name, &excerpts, terminal));
    let mut notes = vec![("expected", finding.expected()), ("found", finding.found())];
    notes.extend(finding.difference().map(|difference| ("difference", difference)));
    let shown = if checked.redact { &[] } else { &excerpts[..] };
    out.push_str(&excerpt::render(&level, shown, &notes, terminal));
    out
}

/// ` --> file:line:column`, aligned with the excerpts that follow.
fn arrow(name: &str, excerpts: &[Excerpt], terminal: Terminal) -> String {
    let indent = " ".repeat(excerpt::digits(excerpts));
    let place = excerpts.first().map(|first| format!(":{}", first.position)).unwrap_or_default();
    format!("{indent}{} {name}{place}\n", paint("-->", BLUE, terminal))
}

fn short_finding<'r>(
    finding: &Shown<'r>,
    checked: &Checked<'r>,
    places: &mut Places<'r>,
    terminal: Terminal,
) -> String {
    let (word, style) = if finding.fails() { ("error", RED) } else { ("warning", YELLOW) };
    let (file, node) = finding.file(checked);
    let place =
        places.excerpts(finding, file, node).first().map(|first| format!(":{}", first.position));
    format!(
        "{}{}: {}: {}: expected {}, found {}\n",
        file.name,
        place.unwrap_or_default(),
        paint(&format!("{word}[{}]", finding.check()), style, terminal),
        term::safe(&finding.path()),
        term::safe(finding.expected()),
        term::safe(finding.found()),
    )
}

fn figures(checked: &Checked<'_>, counts: Counts) -> String {
    let (schema, integrity) = (checked.outcome.schema.assertions, checked.outcome.integrity());
    let row = |name: &str, tally: Tally| {
        let of = match tally.total {
            0 => String::new(),
            total => format!("   {} of {total}", tally.passed),
        };
        format!("{name:<18} {:>9}{of}\n", percent(tally))
    };
    let mut out = row("schema compliance", schema);
    out.push_str(&row("integrity checks", integrity));
    out.push_str(&row("overall", schema.plus(integrity)));
    if counts.errors + counts.warnings > 0 {
        out.push_str(&format!("\n{}", counted(counts)));
        if counts.warnings > 0 {
            out.push_str("; warnings do not fail the result");
        }
        out.push('\n');
    }
    if counts.advisory > 0 {
        out.push_str(
            "rules and bounds are advisory here; with enforce_rules (or --enforce-rules) they bind\n",
        );
    }
    out
}

/// Never 100 % while something did not pass (SPEC 7.2): what is cut off is not rounded.
pub(super) fn percent(tally: Tally) -> String {
    if tally.total == 0 {
        return "no checks".to_owned();
    }
    if tally.passed == tally.total {
        return "100 %".to_owned();
    }
    let hundredths = u128::from(tally.passed) * 10_000 / u128::from(tally.total);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

/// What became of several inputs, with every code (SPEC 10).
pub(crate) fn summary(summary: &Summary) -> String {
    let mut ends =
        vec![(Exit::Ok, "passed"), (Exit::No, "failed"), (Exit::CannotRun, "could not be checked")];
    if summary.inputs() == 0 {
        ends.clear();
    }
    let parts: Vec<_> = ends
        .iter()
        .map(|(exit, says)| (summary.count(*exit), exit.code(), says))
        .filter(|(count, ..)| *count > 0)
        .map(|(count, code, says)| format!("{count} {says} (code {code})"))
        .collect();
    let parts = if parts.is_empty() { "nothing was checked".to_owned() } else { parts.join(", ") };
    let stopped = if summary.stopped { "; stopped at the first that did not pass" } else { "" };
    let (inputs, code) = (summary.inputs(), summary.exit().code());
    let plural = if inputs == 1 { "" } else { "s" };
    format!("{inputs} input{plural}: {parts}{stopped}; exit code {code}\n")
}

/// Why something could not be done.
pub(crate) fn failure(failure: &Failure, redact: bool, terminal: Terminal) -> String {
    let error = paint("error", RED, terminal);
    match failure {
        Failure::Invalid(rejection) => rejected(rejection, redact, terminal),
        Failure::Input(InputError::Json(json)) if !redact => {
            format!("{error}: {failure}\n{}", json_error(json, terminal))
        }
        _ => format!("{error}: {failure}\n"),
    }
}

fn json_error(error: &JsonError, terminal: Terminal) -> String {
    let lines = Lines::new(&error.bytes);
    let end = (error.offset + 1).min(error.bytes.len());
    let excerpt = Excerpt::new(&error.bytes, &lines, error.offset..end).in_record(error.line);
    excerpt::render(&Level::ERROR, &[excerpt], &[], terminal)
}

fn rejected(rejection: &Rejection, redact: bool, terminal: Terminal) -> String {
    let Rejection { headline, invalid, places } = rejection;
    let problems = match invalid.problems.len() {
        1 => "1 problem".to_owned(),
        count => format!("{count} problems"),
    };
    let error = paint("error", RED, terminal);
    let code = paint(&format!("error[{}]", invalid.code), RED, terminal);
    let mut out = format!("{code}: {headline}: {problems}\n");
    for (problem, place) in invalid.problems.iter().zip(places) {
        let text = format!("{} {}", problem.field, problem.problem);
        out.push_str(&format!("\n{error}: {}\n", paint(&term::safe(&text), BOLD, terminal)));
        let excerpts = match place {
            Some(spot) => {
                let excerpts = std::slice::from_ref(&spot.excerpt);
                out.push_str(&arrow(&spot.origin.name, excerpts, terminal));
                if redact { &[] } else { excerpts }
            }
            None => &[],
        };
        out.push_str(&excerpt::render(&Level::ERROR, excerpts, &[("fix", &problem.fix)], terminal));
    }
    if invalid.problems.len() > places.len() {
        let left = invalid.problems.len() - places.len();
        out.push_str(&format!("\n… and {left} more that are not shown here\n"));
    }
    out
}

/// The lines of the files that findings point into, found when the first one does.
#[derive(Debug, Default)]
struct Places<'d> {
    found: Vec<(&'d str, Lines<'d>)>,
}

impl<'d> Places<'d> {
    /// The values of a finding, in the document of `node`.
    fn excerpts(&mut self, finding: &Shown<'_>, file: &JsonFile, node: Node<'d>) -> Vec<Excerpt> {
        let document = node.document();
        let text = document.text();
        let at = self.found.iter().position(|(known, _)| std::ptr::eq(*known, text));
        let at = at.unwrap_or_else(|| {
            self.found.push((text, Lines::new(text.as_bytes())));
            self.found.len() - 1
        });
        let mut marks = finding.marks();
        marks.truncate(MAX_MARKS);
        let excerpts = marks.iter().enumerate().map(|(nth, mark)| {
            let span = marked(document.node(mark.node));
            let excerpt = Excerpt::new(text.as_bytes(), &self.found[at].1, span)
                .in_record(file.line)
                .label(&mark.label);
            if nth == 0 { excerpt } else { excerpt.secondary() }
        });
        excerpts.collect()
    }
}

/// What of a value to mark: a scalar, or a small array or object in one line, whole; of others the
/// opening bracket.
pub(crate) fn marked(node: Node<'_>) -> Range<usize> {
    let span = node.span();
    let large = || span.len() > MAX_MARKED || node.source().contains('\n');
    match node.kind() {
        Kind::Array | Kind::Object if large() => span.start..span.start + 1,
        _ => span,
    }
}

/// Text in a style, where colour is wanted.
pub(super) fn paint(text: &str, style: Style, terminal: Terminal) -> String {
    if terminal.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_never_round_up() {
        let of = |passed, total| percent(Tally { passed, total });
        assert_eq!(of(0, 0), "no checks");
        assert_eq!(of(7, 7), "100 %");
        assert_eq!(of(0, 7), "0.00 %");
        assert_eq!(of(29, 30), "96.66 %");
        assert_eq!(of(999_999, 1_000_000), "99.99 %");
        assert_eq!(of(u64::MAX - 1, u64::MAX), "99.99 %");
    }
}
