//! JUnit XML, for the test reports of CI systems: a suite per input, a case per kind of requirement.
//! There is no official schema; this keeps to what the readers have in common: attributes `tests`,
//! `failures`, `errors` and `skipped` on suites, at most one `failure` or `error` in a case.

use agent_output_verifier::check::Outcome;

use super::Checked;
use super::located::{self, Located, Severity};
use crate::cmd::Failure;
use crate::input::Origin;

/// Before the first suite.
pub(super) fn head(title: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\">\n", escape(title))
}

/// Behind the last one.
pub(super) const TAIL: &str = "</testsuites>\n";

/// One case.
#[derive(Debug)]
pub(super) struct Case<'l> {
    /// What was looked at.
    pub(super) name: String,
    /// How it came out.
    pub(super) end: End<'l>,
    /// What else is to be said, and fails nothing.
    pub(super) notes: Vec<&'l Located>,
}

/// How a case came out.
#[derive(Debug)]
pub(super) enum End<'l> {
    /// As it should be.
    Passed,
    /// It was not looked at, and why.
    Skipped(String),
    /// Not as it should be; there is at least one reason.
    Failed(Vec<&'l Located>),
    /// There is no verdict; there is at least one reason.
    Error(Vec<&'l Located>),
}

/// The kinds of requirements, and the codes that belong to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Schema,
    StrictContent,
    Bounds,
    Rules,
    Content,
}

impl Kind {
    const ALL: [Self; 5] =
        [Self::Schema, Self::StrictContent, Self::Bounds, Self::Rules, Self::Content];

    fn of(located: &Located) -> Self {
        match &*located.check {
            "strict_content_check" => Self::StrictContent,
            "bounds" => Self::Bounds,
            check if check.starts_with("consistency:") => Self::Rules,
            "placeholder_content" | "truncation" | "unhashable_input" => Self::Content,
            // Too many to list them all.
            "flags_truncated" if located.severity == Severity::Warning => Self::Content,
            _ => Self::Schema,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::StrictContent => "strict content",
            Self::Bounds => "bounds",
            Self::Rules => "rules",
            Self::Content => "content",
        }
    }

    /// Whether it was asked for.
    fn applies(self, checked: &Checked<'_>, outcome: &Outcome) -> bool {
        match self {
            Self::Schema | Self::Content => true,
            Self::StrictContent => outcome.strict_content_check,
            Self::Bounds => !checked.request.bounds.is_empty(),
            Self::Rules => !checked.request.rules.is_empty(),
        }
    }
}

/// The suite of an output.
pub(super) fn checked(checked: &Checked<'_>) -> String {
    let list = located::all_findings(checked);
    let mut cases = Vec::new();
    for kind in Kind::ALL {
        let of_kind: Vec<_> = list.iter().filter(|located| Kind::of(located) == kind).collect();
        if of_kind.is_empty() && !kind.applies(checked, checked.outcome) {
            continue;
        }
        let (errors, notes): (Vec<_>, Vec<_>) =
            of_kind.into_iter().partition(|located| located.severity == Severity::Error);
        let end = if errors.is_empty() { End::Passed } else { End::Failed(errors) };
        cases.push(Case { name: kind.name().to_owned(), end, notes });
    }
    suite(&checked.input.origin(), &cases)
}

/// The suite of an input without a verdict.
pub(super) fn failure(origin: &Origin, failure: &Failure, redact: bool) -> String {
    let list = located::problems(origin, failure, redact);
    let end = End::Error(list.iter().collect());
    suite(origin, &[Case { name: "input".to_owned(), end, notes: Vec::new() }])
}

/// The suite of one input.
pub(super) fn suite(origin: &Origin, cases: &[Case<'_>]) -> String {
    let count = |is: fn(&End<'_>) -> bool| cases.iter().filter(|case| is(&case.end)).count();
    let cases_text: String = cases.iter().map(|case| testcase(origin, case)).collect();
    format!(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n\
         {cases_text}  </testsuite>\n",
        escape(&origin.title()),
        cases.len(),
        count(|end| matches!(end, End::Failed(_))),
        count(|end| matches!(end, End::Error(_))),
        count(|end| matches!(end, End::Skipped(_))),
    )
}

fn testcase(origin: &Origin, case: &Case<'_>) -> String {
    let mut inner = match &case.end {
        End::Passed => String::new(),
        End::Skipped(why) => format!("      <skipped message=\"{}\"/>\n", escape(why)),
        End::Failed(list) => reasons("failure", list),
        End::Error(list) => reasons("error", list),
    };
    if !case.notes.is_empty() {
        let notes = escape(&lines(&case.notes));
        inner.push_str(&format!("      <system-out>{notes}</system-out>\n"));
    }
    let open = format!(
        "    <testcase name=\"{}\" classname=\"{}\"",
        escape(&case.name),
        escape(&origin.title())
    );
    if inner.is_empty() {
        format!("{open}/>\n")
    } else {
        format!("{open}>\n{inner}    </testcase>\n")
    }
}

fn reasons(element: &str, list: &[&Located]) -> String {
    let (message, check) = match list {
        [] => (String::new(), ""),
        [one] => (one.message.clone(), &*one.check),
        [first, ..] => (format!("{} (and {} more)", first.message, list.len() - 1), &*first.check),
    };
    format!(
        "      <{element} message=\"{}\" type=\"{}\">{}</{element}>\n",
        escape(&message),
        escape(check),
        escape(&lines(list)),
    )
}

/// `file:line:column: error[check]: message`, one a line.
fn lines(list: &[&Located]) -> String {
    let lines: Vec<_> = list
        .iter()
        .map(|located| {
            let place = match located.place.span {
                Some((start, _)) => format!("{}:{start}", located.place.origin.name),
                None => located.place.origin.title(),
            };
            // A line break in our own words would look like another finding.
            let message = located.message.replace(['\n', '\r'], " ");
            format!("{place}: {}[{}]: {message}", located.severity.name(), located.check)
        })
        .collect();
    lines.join("\n")
}

/// Text for XML 1.0: what has a meaning there escaped, what is not allowed replaced by U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            // https://www.w3.org/TR/xml/#NT-Char
            '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..='\u{10FFFF}' => {
                out.push(character);
            }
            _ => out.push('\u{FFFD}'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_replaced() {
        assert_eq!(
            escape("a\u{0}\u{b}\u{1f}\u{fffe}\u{ffff}b"),
            "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}b"
        );
        assert_eq!(
            escape("<a b=\"c\">&'\t\n\r"),
            "&lt;a b=&quot;c&quot;&gt;&amp;&#39;&#9;&#10;&#13;"
        );
        assert_eq!(escape("]]> \u{85} 🧾"), "]]&gt; \u{85} 🧾");
    }
}
