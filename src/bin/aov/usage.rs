//! Usage errors in the format that was asked for: what programs read is a valid report even where the
//! command line cannot be understood.

use std::borrow::Cow;
use std::ffi::OsString;

use clap::ValueEnum as _;

use crate::args::ReportFormat;
use crate::cmd::Failure;
use crate::input::Origin;
use crate::report::{self, format};

/// The verbs that give verdicts, as reports call them. Their `--format` is a [`ReportFormat`].
const VERBS: [(&str, &str); 3] =
    [("check", "aov check"), ("verify-receipt", RECEIPTS), ("template", "aov template grade")];
const RECEIPTS: &str = "aov verify-receipt";

/// The whole report for standard output, if one was asked for there; the arguments are taken as far
/// as they can be understood without being parsed.
pub(crate) fn report(arguments: &[OsString], error: &clap::Error) -> Option<String> {
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    let verb = verb(&words)?;
    let title = VERBS.iter().find(|(known, _)| *known == verb).map(|(_, title)| *title)?;
    let is_to_file = |word: &str| word.starts_with("-o") || word.starts_with("--output");
    // With receipts that names the data in hand.
    if title != RECEIPTS && words.iter().any(|word| is_to_file(word)) {
        return None;
    }
    let format = words.iter().zip(words.iter().skip(1).map(Some).chain([None])).find_map(
        |(word, next)| match word.strip_prefix("--format")? {
            "" => ReportFormat::from_str(next?, false).ok(),
            rest => ReportFormat::from_str(rest.strip_prefix('=')?, false).ok(),
        },
    )?;
    let text = error.to_string();
    let what = text.split("\n\n").next().unwrap_or_default();
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    let failure = Failure::Usage(what.strip_prefix("error: ").unwrap_or(&what).to_owned());
    let origin = Origin { name: "aov".to_owned(), path: None, line: None };
    match format {
        ReportFormat::Human => None,
        _ if title == RECEIPTS => Some(report::receipt::format::of_failure(format, &failure)),
        _ => Some(format::of_failure(title, format, &origin, &failure, false)),
    }
}

/// The first word that is no option of the program's own.
fn verb<'w>(words: &'w [Cow<'_, str>]) -> Option<&'w str> {
    let mut words = words.iter().skip(1);
    loop {
        match &**words.next()? {
            "--color" => drop(words.next()),
            option if option.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verb_is_the_first_word() {
        let of = |line: &str| {
            let words: Vec<_> = line.split(' ').map(Cow::from).collect();
            verb(&words).map(str::to_owned)
        };
        assert_eq!(of("aov --color check hash check"), Some("hash".to_owned()));
        assert_eq!(of("aov --color=never check --format json"), Some("check".to_owned()));
        assert_eq!(of("aov --bogus"), None);
    }
}
