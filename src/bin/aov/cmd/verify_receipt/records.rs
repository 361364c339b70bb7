//! From arguments to receipts: files, the files of folders, lines of JSONL, standard input.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::cmd::Failure;
use crate::input::{Inputs, explain};
use crate::term;

/// The largest receipt (SPEC 10.2).
const MAX_RECORD: u64 = 64 << 20;

/// Where receipts come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// The name to show, fit for a terminal.
    pub(crate) name: String,
    /// The file; none for standard input.
    path: Option<PathBuf>,
    /// Whether each line is a receipt.
    lines: bool,
}

/// One receipt to be, or why there is none.
#[derive(Debug)]
pub(crate) struct Record {
    /// Which source it is from.
    pub(crate) source: usize,
    /// Its line in JSONL.
    pub(crate) line: Option<u64>,
    /// The bytes, or why they could not be read.
    pub(crate) bytes: Result<Vec<u8>, String>,
}

/// The sources that arguments name, in their order; the files of a folder by name.
pub(crate) fn sources(
    arguments: &[PathBuf],
    all_lines: bool,
    inputs: &mut Inputs,
) -> Result<Vec<Source>, Failure> {
    let mut found = Vec::new();
    for path in arguments {
        if path == Path::new("-") {
            inputs.claim_stdin("the receipts")?;
            found.push(Source { name: "<stdin>".to_owned(), path: None, lines: all_lines });
        } else if path.is_dir() {
            found.extend(files_of(path, all_lines)?);
        } else {
            found.push(Source::file(path.clone(), all_lines));
        }
    }
    Ok(found)
}

impl Source {
    fn file(path: PathBuf, all_lines: bool) -> Self {
        let lines = all_lines || has_extension(&path, &["jsonl", "ndjson"]);
        Self { name: term::safe_path(&path), path: Some(path), lines }
    }

    /// Whether this is standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path.is_none()
    }

    /// Whether this is at most one receipt.
    pub(crate) fn is_single(&self) -> bool {
        !self.lines
    }

    /// Gives its receipts one by one, until `take` has enough.
    pub(crate) fn read(&self, source: usize, take: &mut dyn FnMut(Record) -> bool) {
        let unreadable = |error: io::Error| Record { source, line: None, bytes: Err(explain(&error)) };
        match &self.path {
            None => self.read_from(source, io::stdin().lock(), take),
            Some(path) => match File::open(path) {
                Ok(file) => self.read_from(source, BufReader::with_capacity(1 << 16, file), take),
                Err(error) => {
                    take(unreadable(error));
                }
            },
        }
    }

    fn read_from(
        &self,
        source: usize,
        mut from: impl BufRead,
        take: &mut dyn FnMut(Record) -> bool,
    ) {
        if !self.lines {
            let mut bytes = Vec::new();
            let read = from.take(MAX_RECORD + 1).read_to_end(&mut bytes);
            let bytes = checked(read, bytes);
            take(Record { source, line: None, bytes });
            return;
        }
        for line in 1.. {
            let mut bytes = Vec::new();
            let read = (&mut from).take(MAX_RECORD + 1).read_until(b'\n', &mut bytes);
            if matches!(read, Ok(0)) {
                return;
            }
            if bytes.ends_with(b"\n") {
                bytes.pop();
            }
            let (failed, too_long) = (read.is_err(), bytes.len() as u64 > MAX_RECORD);
            if bytes.iter().all(u8::is_ascii_whitespace) && !failed && !too_long {
                continue;
            }
            let wants_more = take(Record { source, line: Some(line), bytes: checked(read, bytes) });
            if !wants_more || failed || (too_long && skip_line(&mut from).is_err()) {
                return;
            }
        }
    }
}

fn checked(read: io::Result<usize>, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    read.map_err(|error| explain(&error))?;
    if bytes.len() as u64 > MAX_RECORD {
        return Err("it is longer than 64 MiB".to_owned());
    }
    Ok(bytes)
}

/// The rest of a line that was too long to keep.
fn skip_line(from: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffered = from.fill_buf()?;
        let end = buffered.iter().position(|&byte| byte == b'\n');
        let (length, empty) = (buffered.len(), buffered.is_empty());
        from.consume(end.map_or(length, |at| at + 1));
        if end.is_some() || empty {
            return Ok(());
        }
    }
}

/// The `*.json`, `*.jsonl` and `*.ndjson` of a folder, sorted; hidden ones are left out.
fn files_of(folder: &Path, all_lines: bool) -> Result<Vec<Source>, Failure> {
    let unreadable = |error: io::Error| {
        Failure::Usage(format!("cannot read {}: {}", term::safe_path(folder), explain(&error)))
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && has_extension(&path, &["json", "jsonl", "ndjson"]) && !path.is_dir() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths.into_iter().map(|path| Source::file(path, all_lines)).collect())
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    path.extension().is_some_and(|it| known.iter().any(|known| it.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = (Option<u64>, Result<Vec<u8>, String>);

    fn read(source: &Source, text: &[u8]) -> Vec<Found> {
        let mut found = Vec::new();
        source.read_from(0, text, &mut |record| {
            found.push((record.line, record.bytes));
            true
        });
        found
    }

    fn jsonl() -> Source {
        Source { name: "x".into(), path: None, lines: true }
    }

    #[test]
    fn each_line_is_a_record_and_blank_ones_are_none() {
        let found = read(&jsonl(), b"{}\n\n  \r\n[1]\r\n2");
        let lines: Vec<_> = found.iter().map(|(line, bytes)| (line.unwrap(), bytes.as_ref().unwrap().as_slice())).collect();
        assert_eq!(lines, [(1, &b"{}"[..]), (4, b"[1]\r"), (5, b"2")]);
        assert_eq!(read(&jsonl(), b""), []);
    }

    #[test]
    fn a_line_that_is_too_long_does_not_stop_the_others() {
        let mut text = vec![b'x'; (MAX_RECORD + 5) as usize];
        text.extend_from_slice(b"\n{}\n");
        let found = read(&jsonl(), &text);
        assert_eq!(found.len(), 2);
        assert!(found[0].1.as_ref().unwrap_err().contains("64 MiB"));
        assert_eq!(found[1], (Some(2), Ok(b"{}".to_vec())));
        // A line of exactly the limit, its end not counted.
        let mut text = vec![b'x'; MAX_RECORD as usize];
        text.push(b'\n');
        assert_eq!(read(&jsonl(), &text)[0].1.as_ref().unwrap().len() as u64, MAX_RECORD);
    }

    #[test]
    fn a_folder_gives_its_files_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.json", "a.json", "c.jsonl", ".hidden.json", "notes.txt"] {
            fs::write(folder.path().join(name), "{}").unwrap();
        }
        fs::create_dir(folder.path().join("d.json")).unwrap();
        let found = sources(&[folder.path().to_owned()], false, &mut Inputs::default()).unwrap();
        let names: Vec<_> = found
            .iter()
            .map(|source| (source.name.rsplit('/').next().unwrap(), source.is_single()))
            .collect();
        assert_eq!(names, [("a.json", true), ("b.json", true), ("c.jsonl", false)]);
    }
}
