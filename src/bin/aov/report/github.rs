//! Workflow commands of GitHub Actions: `::error file=…,line=…,col=…,title=…::message`.
//!
//! Whatever is not ours is made safe before it is escaped, so that no text can begin a command of
//! its own (SPEC 10.1).

use super::located::{Located, Region};
use super::uri;
use crate::term;

/// One command per finding.
pub(super) fn entry(list: &[Located]) -> String {
    list.iter().map(command).collect()
}

/// What became of several inputs.
pub(super) fn summary(text: &str) -> String {
    format!("::notice title=aov::{}\n", message(text.trim_end()))
}

fn command(located: &Located) -> String {
    let Region { origin, span, .. } = &located.place;
    let mut properties = Vec::new();
    if let Some(path) = &origin.path {
        properties.push(("file", uri::slashes(path)));
    }
    let line = span.map(|(start, _)| start.line as u64).or(origin.line);
    if let Some(line) = line {
        properties.push(("line", line.to_string()));
    }
    if let Some((start, end)) = span {
        properties.push(("endLine", end.line.to_string()));
        properties.push(("col", start.column.to_string()));
        // The end is the last column, not the one behind it.
        let last = end.column.saturating_sub(1).max(1);
        if start.line == end.line {
            properties.push(("endColumn", last.max(start.column).to_string()));
        }
    }
    properties.push(("title", format!("aov {}", located.check)));
    let properties: Vec<_> =
        properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    let place = match (&origin.path, line) {
        (None, Some(line)) => format!("{}:{line}: ", origin.name),
        (None, None) => format!("{}: ", origin.name),
        _ => String::new(),
    };
    format!(
        "::{} {}::{}\n",
        located.severity.name(),
        properties.join(","),
        message(&format!("{place}{}", located.message))
    )
}

/// The text behind the second `::`.
fn message(text: &str) -> String {
    escape(&term::safe(text))
}

/// A value between the `::`.
fn property(text: &str) -> String {
    escape(&term::safe(text)).replace(':', "%3A").replace(',', "%2C")
}

fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_property_or_a_command_is_escaped() {
        // The runner undoes %25, %0D, %0A in both, %3A and %2C in properties
        // (actions/toolkit, packages/core/src/command.ts).
        assert_eq!(property("a:b,c%d"), "a%3Ab%2Cc%25d");
        assert_eq!(escape("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(message("a\n::error::b"), "a\\u000a::error::b");
    }
}
