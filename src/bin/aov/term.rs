//! The terminal: whether to colour, how wide, and what must not reach it raw.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use agent_output_verifier::text;
use anstream::{AutoStream, ColorChoice};

/// The width of lines that are not printed on a terminal, and the widest on one.
pub(crate) const WIDTH: usize = 100;

/// How a stream takes text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    /// Whether escape sequences for colour are wanted.
    pub(crate) colour: bool,
    /// How many columns a line has.
    pub(crate) width: usize,
}

impl Terminal {
    /// A file, or anything else that shall get plain text.
    pub(crate) fn file(choice: ColorChoice) -> Self {
        Self {
            colour: matches!(choice, ColorChoice::Always | ColorChoice::AlwaysAnsi),
            width: WIDTH,
        }
    }

    /// Standard output.
    pub(crate) fn stdout(choice: ColorChoice) -> Self {
        Self::of(choice, AutoStream::choice(&std::io::stdout()))
    }

    /// Standard error.
    pub(crate) fn stderr(choice: ColorChoice) -> Self {
        Self::of(choice, AutoStream::choice(&std::io::stderr()))
    }

    /// A flag beats the environment (`NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, `TERM=dumb`), which
    /// beats what the stream is.
    fn of(choice: ColorChoice, automatic: ColorChoice) -> Self {
        let effective = if choice == ColorChoice::Auto { automatic } else { choice };
        let width = match terminal_size::terminal_size() {
            Some((terminal_size::Width(columns), _)) => usize::from(columns).clamp(40, WIDTH),
            None => WIDTH,
        };
        Self { colour: effective != ColorChoice::Never, width }
    }
}

/// The `--color` of a command line that has not been parsed yet, so that `--help` and usage errors
/// obey it too. A word that is none of the three is left for the parser to refuse.
pub(crate) fn color_choice(arguments: &[OsString]) -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        let word = match argument.strip_prefix("--color") {
            _ if argument == "--" => break,
            Some("") => arguments.next().unwrap_or_default().into_owned(),
            Some(rest) if rest.starts_with('=') => rest[1..].to_owned(),
            _ => continue,
        };
        choice = match word.as_str() {
            "always" => ColorChoice::Always,
            "never" => ColorChoice::Never,
            _ => ColorChoice::Auto,
        };
    }
    choice
}

/// Text that is not ours, for people: what could move the cursor, change the direction or hide
/// something is written as `\uXXXX` (SPEC 10.1).
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    text::terminal_safe(text)
}

/// A path for people.
pub(crate) fn safe_path(path: &Path) -> String {
    safe(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(arguments: &[&str]) -> ColorChoice {
        color_choice(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn colour_is_known_before_parsing() {
        assert_eq!(choice(&["aov", "check"]), ColorChoice::Auto);
        assert_eq!(choice(&["aov", "check", "--color", "never", "--help"]), ColorChoice::Never);
        assert_eq!(choice(&["aov", "--color=always"]), ColorChoice::Always);
        assert_eq!(choice(&["aov", "--color=loud"]), ColorChoice::Auto);
        assert_eq!(choice(&["aov", "--color"]), ColorChoice::Auto);
        assert_eq!(choice(&["aov", "check", "--", "--color=always"]), ColorChoice::Auto);
        assert_eq!(choice(&["aov", "--colorful=always"]), ColorChoice::Auto);
    }

    #[test]
    fn names_cannot_write_on_the_terminal() {
        assert_eq!(safe_path(Path::new("a\u{1b}[31m\n\u{202e}b")), "a\\u001b[31m\\u000a\\u202eb");
    }
}
