//! JUnit XML, for the test reports of CI systems: a suite per input, a case per kind of requirement.
//! There is no official schema; this keeps to what the readers have in common: attributes `tests`,
//! `failures`, `errors` and `skipped` on suites, at most one `failure` or `error` in a case.

use agent_output_verifier::check::Outcome;

use super::Checked;
use super::located::{self, Located, Severity};
use crate::cmd::Failure;
use crate::input::Origin;

/// Before the first suite.
pub(super) const HEAD: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"aov check\">\n";
/// Behind the last one.
pub(super) const TAIL: &str = "</testsuites>\n";

/// The kinds of requirements, and the codes that belong to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Schema,
    StrictContent,
    Bounds,
    Rules,
    Content,
}

impl Case {
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
    let origin = checked.input.origin();
    let (mut cases, mut tests, mut failures) = (String::new(), 0, 0);
    for case in Case::ALL {
        let of_case = || list.iter().filter(|located| Case::of(located) == case);
        if !case.applies(checked, checked.outcome) && of_case().next().is_none() {
            continue;
        }
        tests += 1;
        let errors: Vec<_> =
            of_case().filter(|located| located.severity == Severity::Error).collect();
        let warnings: Vec<_> =
            of_case().filter(|located| located.severity == Severity::Warning).collect();
        failures += u64::from(!errors.is_empty());
        cases.push_str(&testcase(&origin, case.name(), "failure", &errors, &warnings));
    }
    suite(&origin, tests, failures, 0, &cases)
}

/// The suite of an input without a verdict.
pub(super) fn failure(origin: &Origin, failure: &Failure, redact: bool) -> String {
    let list = located::problems(origin, failure, redact);
    let cases = testcase(origin, "input", "error", &list.iter().collect::<Vec<_>>(), &[]);
    suite(origin, 1, 0, 1, &cases)
}

fn suite(origin: &Origin, tests: u64, failures: u64, errors: u64, cases: &str) -> String {
    format!(
        "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"0\">\n{cases}  </testsuite>\n",
        escape(&origin.title())
    )
}

fn testcase(
    origin: &Origin,
    name: &str,
    element: &str,
    errors: &[&Located],
    warnings: &[&Located],
) -> String {
    let mut inner = String::new();
    if let Some(first) = errors.first() {
        let message = match errors.len() {
            1 => first.message.clone(),
            count => format!("{} (and {} more)", first.message, count - 1),
        };
        inner.push_str(&format!(
            "      <{element} message=\"{}\" type=\"{}\">{}</{element}>\n",
            escape(&message),
            escape(&first.check),
            escape(&lines(errors)),
        ));
    }
    if !warnings.is_empty() {
        inner.push_str(&format!("      <system-out>{}</system-out>\n", escape(&lines(warnings))));
    }
    let open = format!(
        "    <testcase name=\"{}\" classname=\"{}\"",
        escape(name),
        escape(&origin.title())
    );
    if inner.is_empty() {
        format!("{open}/>\n")
    } else {
        format!("{open}>\n{inner}    </testcase>\n")
    }
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
