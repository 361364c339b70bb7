//! Runs the program sealed off: in a folder of its own, without the environment of whoever tests.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that lasts as long as a test.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; none if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).expect("a file in the temporary folder");
        path
    }

    /// Copies the files of a folder into this one.
    pub(crate) fn copy(&self, from: &Path) {
        for entry in std::fs::read_dir(from).expect("a fixture folder") {
            let entry = entry.expect("a fixture");
            if entry.file_type().expect("a file type").is_file() {
                std::fs::copy(entry.path(), self.path().join(entry.file_name())).expect("a copy");
            }
        }
    }

    /// The program, ready to run in here.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aov"));
        command.current_dir(self.path()).env_clear().stdin(Stdio::null());
        command
    }

    /// Runs it with these arguments and nothing on standard input.
    pub(crate) fn aov(&self, arguments: &[&str]) -> Ended {
        end(self.command().args(arguments), None)
    }

    /// Runs it with bytes on standard input.
    pub(crate) fn aov_with(&self, arguments: &[&str], stdin: impl AsRef<[u8]>) -> Ended {
        end(self.command().args(arguments), Some(stdin.as_ref()))
    }

    /// The names in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).expect("the temporary folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// Runs a command to its end.
pub(crate) fn end(command: &mut Command, stdin: Option<&[u8]>) -> Ended {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if stdin.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().expect("the program starts");
    let feeder = stdin.map(|bytes| {
        let bytes = bytes.to_vec();
        let mut pipe = child.stdin.take().expect("a pipe");
        // The program may end before it has read everything.
        std::thread::spawn(move || drop(pipe.write_all(&bytes)))
    });
    let output = child.wait_with_output().expect("the program ends");
    if let Some(feeder) = feeder {
        feeder.join().expect("the feeder ends");
    }
    let ended = Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    };
    assert!(!ended.stderr.contains("panicked"), "a panic: {}", ended.stderr);
    ended
}

/// The project's folder.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether `text` is what `pattern` says: line by line, `[..]` for any text within a line, a line
/// `...` for any number of lines.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<_> = pattern.lines().collect();
    let text: Vec<_> = text.lines().collect();
    lines_match(&pattern, &text)
}

fn lines_match(pattern: &[&str], text: &[&str]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((&"...", rest)) => (0..=text.len()).any(|skip| lines_match(rest, &text[skip..])),
        Some((first, rest)) => text
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && lines_match(rest, others)),
    }
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let mut pieces = pattern.split("[..]");
    let Some(mut rest) = line.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}

#[test]
fn patterns_match_what_they_say() {
    assert!(matches("a\nb\n", "a\nb\n"));
    assert!(!matches("a\n", "a\nb\n"));
    assert!(matches("a [..] c [..]\n", "a b c \n"));
    assert!(!matches("a [..] c\n", "a b d\n"));
    assert!(matches("a\n...\nd\n", "a\nb\nc\nd\n"));
    assert!(!matches("a\n...\nd\n", "a\nb\nc\n"));
}
