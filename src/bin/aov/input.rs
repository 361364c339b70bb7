//! What is read: files named on the command line, and standard input under the name `-`.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use agent_output_verifier::json::{self, Document, Lines, Position, ReadErrorKind};

use crate::term;

/// More than the reader of JSON takes, so that it says so itself.
const MAX_BYTES: u64 = u32::MAX as u64 + 1;

/// Reads inputs, standard input once at most.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// What standard input was read as.
    stdin: Option<&'static str>,
}

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The name to show, fit for a terminal.
    pub(crate) name: String,
    /// The file; none for standard input.
    pub(crate) path: Option<PathBuf>,
    /// For a record of JSONL its line, from 1.
    pub(crate) line: Option<u64>,
}

impl Origin {
    /// Name and line, as sentences call it.
    pub(crate) fn title(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A position in the text of a record as one in its file.
pub(crate) fn in_file(line: Option<u64>, mut position: Position) -> Position {
    let before = line.map_or(0, |line| line.saturating_sub(1));
    position.line = position.line.saturating_add(usize::try_from(before).unwrap_or(usize::MAX));
    position
}

/// The bytes of one input.
#[derive(Debug)]
pub(crate) struct Source {
    /// The name to show, fit for a terminal.
    pub(crate) name: String,
    /// The file; none for standard input.
    pub(crate) path: Option<PathBuf>,
    /// For a record of JSONL its line, from 1.
    pub(crate) line: Option<u64>,
    /// What it holds.
    pub(crate) bytes: Vec<u8>,
}

/// One input, read as JSON.
#[derive(Debug)]
pub(crate) struct JsonFile {
    /// The name to show, fit for a terminal.
    pub(crate) name: String,
    /// The file; none for standard input.
    pub(crate) path: Option<PathBuf>,
    /// For a record of JSONL its line, from 1.
    pub(crate) line: Option<u64>,
    /// The value and its text.
    pub(crate) document: Document,
}

impl JsonFile {
    /// Where it comes from.
    pub(crate) fn origin(&self) -> Origin {
        Origin { name: self.name.clone(), path: self.path.clone(), line: self.line }
    }
}

/// Why an input cannot be used.
#[derive(Debug)]
pub(crate) enum InputError {
    /// It could not be read.
    Unreadable {
        /// Its name, fit for a terminal.
        name: String,
        /// Why, and what to do.
        cause: String,
    },
    /// It is not JSON.
    Json(Box<JsonError>),
}

/// Text that is not JSON, with what is needed to show the place.
#[derive(Debug)]
pub(crate) struct JsonError {
    /// The input's name, fit for a terminal.
    pub(crate) name: String,
    /// For a record of JSONL its line, from 1.
    pub(crate) line: Option<u64>,
    /// The text.
    pub(crate) bytes: Vec<u8>,
    /// Where the reading stopped, in bytes.
    pub(crate) offset: usize,
    /// What is wrong there.
    pub(crate) kind: ReadErrorKind,
}

impl JsonError {
    /// Line and column.
    pub(crate) fn position(&self) -> Position {
        in_file(self.line, Lines::new(&self.bytes).position(self.offset))
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { name, cause } => write!(f, "cannot read {name}: {cause}"),
            Self::Json(error) => {
                let message = error.kind.to_string();
                write!(f, "{}:{}: {}", error.name, error.position(), term::safe(&message))
            }
        }
    }
}

impl Inputs {
    /// Reads an input that serves as `role` ("the schema").
    pub(crate) fn read(&mut self, path: &Path, role: &'static str) -> Result<Source, InputError> {
        if path == Path::new("-") {
            return self.read_stdin(role);
        }
        let name = term::safe_path(path);
        match read_file(path) {
            Ok(bytes) => Ok(Source { name, path: Some(path.to_owned()), line: None, bytes }),
            Err(error) => Err(InputError::Unreadable { name, cause: explain(&error) }),
        }
    }

    /// Reads an input as JSON with at most `max_depth` levels.
    pub(crate) fn read_json(
        &mut self,
        path: &Path,
        role: &'static str,
        max_depth: usize,
    ) -> Result<JsonFile, InputError> {
        self.read(path, role)?.parse(max_depth)
    }

    /// Reserves standard input for a `role`: it can be read as one thing only.
    pub(crate) fn claim_stdin(&mut self, role: &'static str) -> Result<(), InputError> {
        let Some(earlier) = self.stdin.replace(role) else { return Ok(()) };
        let cause = format!(
            "it was read already as {earlier} and cannot serve as {role} too; \
             put one of them in a file"
        );
        Err(InputError::Unreadable { name: "<stdin>".to_owned(), cause })
    }

    /// The file named, or standard input for none, unless somebody would have to type it.
    pub(crate) fn file_or_stdin(&self, file: Option<&Path>) -> Result<PathBuf, InputError> {
        match file {
            Some(path) => Ok(path.to_owned()),
            None if io::stdin().is_terminal() => Err(InputError::Unreadable {
                name: "<stdin>".to_owned(),
                cause: "no file is named and standard input is a terminal; name a file".to_owned(),
            }),
            None => Ok(PathBuf::from("-")),
        }
    }

    fn read_stdin(&mut self, role: &'static str) -> Result<Source, InputError> {
        let name = "<stdin>".to_owned();
        self.claim_stdin(role)?;
        match Self::rest_of_stdin() {
            Ok(bytes) => Ok(Source { name, path: None, line: None, bytes }),
            Err(error) => Err(InputError::Unreadable { name, cause: explain(&error) }),
        }
    }

    /// Standard input to its end, for who has claimed it.
    pub(crate) fn rest_of_stdin() -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Source {
    /// Reads the bytes as JSON.
    pub(crate) fn parse(self, max_depth: usize) -> Result<JsonFile, InputError> {
        let Self { name, path, line, bytes } = self;
        match json::read_or_return(bytes, max_depth) {
            Ok(document) => Ok(JsonFile { name, path, line, document }),
            Err((error, bytes)) => Err(InputError::Json(Box::new(JsonError {
                name,
                line,
                bytes,
                offset: error.offset,
                kind: error.kind,
            }))),
        }
    }
}

/// A whole file; a pipe and the like to its end.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let mut bytes = Vec::new();
    if metadata.is_file() {
        // One byte more, so that the end is seen without growing.
        let expected = metadata.len().min(MAX_BYTES).saturating_add(1);
        bytes.reserve_exact(usize::try_from(expected).unwrap_or(0));
    }
    file.by_ref().take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Why reading failed, in our words.
pub(crate) fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder; name a file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let mut inputs = Inputs::default();
        let error = inputs.read(folder.path(), "the request").unwrap_err().to_string();
        assert!(error.ends_with("it is a folder; name a file"), "{error}");
        let missing = folder.path().join("none\u{1b}.json");
        let error = inputs.read(&missing, "the request").unwrap_err().to_string();
        assert!(error.contains("none\\u001b.json: there is no such file"), "{error}");
    }

    #[test]
    fn a_json_error_has_line_and_column() {
        let source = Source {
            name: "a.json".to_owned(),
            path: None,
            line: None,
            bytes: b"{\n  \"a\": NaN\n}".to_vec(),
        };
        let error = source.parse(8).unwrap_err().to_string();
        assert!(error.starts_with("a.json:2:8: NaN is not JSON"), "{error}");
    }
}
