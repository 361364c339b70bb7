//! From arguments to inputs: files, the files of folders, lists of files, lines of JSONL, standard
//! input. Nothing is held but the block of lines that is being handed over.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;

use crate::batch::Take;
use crate::cmd::Failure;
use crate::input::{Inputs, explain, read_file};
use crate::term;

/// The largest record of JSONL, after unpacking too (SPEC 10.2).
pub(crate) const MAX_RECORD: usize = 64 << 20;
/// How much is read at once; about the size of a block of lines.
const BLOCK: usize = 256 << 10;
/// The first bytes of gzip (RFC 1952 §2.3.1).
const GZIP: &[u8] = &[0x1F, 0x8B];

/// Something that inputs come from.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The name to show, fit for a terminal.
    pub(crate) name: String,
    /// The file; none for standard input.
    pub(crate) path: Option<PathBuf>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// One JSON value.
    Single,
    /// One on each line.
    Lines,
    /// Nothing, and why.
    Unusable(String),
}

/// A piece of work: one or more inputs of one origin.
#[derive(Debug)]
pub(crate) enum Block {
    /// The whole of a file, yet to be read.
    Whole(PathBuf),
    /// The whole of something that may keep its reader waiting: a pipe, a device.
    Read(Vec<u8>),
    /// Whole lines, the first of which has this number.
    Lines(u64, Vec<u8>),
    /// What cannot be read: from which line on, and why.
    Unreadable(Option<u64>, String),
}

impl Block {
    /// How much memory it needs, in bytes.
    pub(crate) fn cost(&self) -> usize {
        match self {
            Self::Whole(path) => {
                let length = fs::metadata(path).ok();
                length.map_or(0, |metadata| usize::try_from(metadata.len()).unwrap_or(usize::MAX))
            }
            Self::Lines(_, bytes) | Self::Read(bytes) => bytes.len(),
            Self::Unreadable(..) => 0,
        }
    }
}

/// How arguments are understood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk {
    /// Whether every file is JSONL, whatever its name.
    pub(crate) all_lines: bool,
    /// What the files of a folder must end in to be taken, without the point.
    pub(crate) extensions: &'static [&'static str],
    /// What standard input would be read as.
    pub(crate) role: &'static str,
}

impl Walk {
    /// What the arguments name, in their order; the files of a folder by name.
    pub(crate) fn origins(
        &self,
        arguments: &[PathBuf],
        inputs: &mut Inputs,
    ) -> Result<Vec<Origin>, Failure> {
        let mut found = Vec::new();
        for path in arguments {
            if path == Path::new("-") {
                inputs.claim_stdin(self.role)?;
                let kind = if self.all_lines { Kind::Lines } else { Kind::Single };
                found.push(Origin { name: "<stdin>".to_owned(), path: None, kind });
            } else if path.is_dir() {
                self.folder(path, &mut found);
            } else {
                found.push(self.file(path.clone()));
            }
        }
        Ok(found)
    }

    fn file(&self, path: PathBuf) -> Origin {
        let lines = self.all_lines || is_jsonl(&path);
        let kind = if lines { Kind::Lines } else { Kind::Single };
        Origin { name: term::safe_path(&path), path: Some(path), kind }
    }

    /// Its files, sorted; hidden ones are left out. A folder that gives none is a mistake.
    fn folder(&self, folder: &Path, found: &mut Vec<Origin>) {
        let cause = match self.files_of(folder) {
            Ok(paths) if !paths.is_empty() => {
                found.extend(paths.into_iter().map(|path| self.file(path)));
                return;
            }
            Ok(_) => format!("there is no *.{} in this folder", self.extensions.join(" or *.")),
            Err(error) => explain(&error),
        };
        let name = term::safe_path(folder);
        found.push(Origin { name, path: Some(folder.to_owned()), kind: Kind::Unusable(cause) });
    }

    fn files_of(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let hidden = path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b"."));
            if !hidden && has_extension(&path, self.extensions) && !path.is_dir() {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }
}

/// The files that a list names: apart by NUL if there is one, else one a line.
pub(crate) fn listed(list: &[u8]) -> Vec<PathBuf> {
    let separator = if list.contains(&0) { 0 } else { b'\n' };
    let names = list.split(|&byte| byte == separator);
    let names = names.map(|name| match separator {
        0 => name,
        _ => name.strip_suffix(b"\r").unwrap_or(name),
    });
    names.filter(|name| !name.is_empty()).map(path_of).collect()
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}

impl Origin {
    /// Whether it is one input.
    pub(crate) fn is_single(&self) -> bool {
        !matches!(self.kind, Kind::Lines)
    }

    /// Hands over its blocks in order, until `take` has enough.
    pub(crate) fn blocks(&self, take: &mut dyn FnMut(Block) -> bool) -> bool {
        match (&self.kind, &self.path) {
            (Kind::Unusable(cause), _) => take(Block::Unreadable(None, cause.clone())),
            (Kind::Single, Some(path)) if fs::metadata(path).is_ok_and(|it| it.is_file()) => {
                take(Block::Whole(path.clone()))
            }
            // Whoever waits for one of these shall not be one that others wait for.
            (Kind::Single, path) => {
                let read = match path {
                    Some(path) => read_file(path),
                    None => Inputs::rest_of_stdin(),
                };
                take(match read {
                    Ok(bytes) => Block::Read(bytes),
                    Err(error) => Block::Unreadable(None, explain(&error)),
                })
            }
            (Kind::Lines, None) => unpacked(io::stdin().lock(), take),
            (Kind::Lines, Some(path)) => match open(path) {
                Ok(file) => unpacked(BufReader::with_capacity(BLOCK, file), take),
                Err(error) => take(Block::Unreadable(None, explain(&error))),
            },
        }
    }
}

/// Hands over the blocks of all origins in order, each with the number of its origin.
pub(crate) fn all_blocks(
    origins: Arc<[Origin]>,
) -> impl FnOnce(&mut Take<'_, (usize, Block)>) + Send + 'static {
    move |take| {
        for (at, origin) in origins.iter().enumerate() {
            let more = origin.blocks(&mut |block| {
                let cost = block.cost();
                take((at, block), cost)
            });
            if !more {
                return;
            }
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    Ok(file)
}

/// Lines, out of gzip if it begins like that.
fn unpacked(mut from: impl BufRead, take: &mut dyn FnMut(Block) -> bool) -> bool {
    match from.fill_buf() {
        Ok(start) if start.starts_with(GZIP) => blocks_of(MultiGzDecoder::new(from), take),
        Ok(_) => blocks_of(from, take),
        Err(error) => take(Block::Unreadable(Some(1), explain(&error))),
    }
}

/// Blocks of whole lines. What has been read is handed over at once, so that a slow writer's lines
/// do not wait for more.
fn blocks_of(mut from: impl Read, take: &mut dyn FnMut(Block) -> bool) -> bool {
    let (mut first, mut buffer) = (1, Vec::new());
    loop {
        let known = buffer.len();
        let read = match read_more(&mut from, &mut buffer) {
            Ok(read) => read,
            Err(error) => return take(Block::Unreadable(Some(first), explain(&error))),
        };
        if read == 0 {
            return buffer.is_empty() || take(Block::Lines(first, buffer));
        }
        if let Some(last) = memchr::memrchr(b'\n', &buffer[known..]) {
            let rest = buffer.split_off(known + last + 1);
            let lines = memchr::memchr_iter(b'\n', &buffer).count() as u64;
            if !take(Block::Lines(first, buffer)) {
                return false;
            }
            first += lines;
            buffer = rest;
        } else if buffer.len() > MAX_RECORD {
            let cause = too_long();
            buffer = match skip_line(&mut from) {
                Ok(rest) => rest,
                Err(error) => {
                    return take(Block::Unreadable(Some(first), cause))
                        && take(Block::Unreadable(Some(first), explain(&error)));
                }
            };
            if !take(Block::Unreadable(Some(first), cause)) {
                return false;
            }
            first += 1;
            // What came behind may have ended lines already.
            if let Some(last) = memchr::memrchr(b'\n', &buffer) {
                let rest = buffer.split_off(last + 1);
                let lines = memchr::memchr_iter(b'\n', &buffer).count() as u64;
                if !take(Block::Lines(first, buffer)) {
                    return false;
                }
                first += lines;
                buffer = rest;
            }
        }
    }
}

/// Why a record is refused for its length.
pub(crate) fn too_long() -> String {
    format!("the record is longer than {} MiB", MAX_RECORD >> 20)
}

/// One read behind what is there.
fn read_more(from: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let known = buffer.len();
    buffer.resize(known + BLOCK, 0);
    let read = loop {
        match from.read(&mut buffer[known..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    buffer.truncate(known + read.as_ref().map_or(0, |read| *read));
    read
}

/// Reads past the end of a line, and gives what was read behind it.
fn skip_line(from: &mut impl Read) -> io::Result<Vec<u8>> {
    loop {
        let mut piece = Vec::new();
        if read_more(from, &mut piece)? == 0 {
            return Ok(piece);
        }
        if let Some(end) = memchr::memchr(b'\n', &piece) {
            return Ok(piece.split_off(end + 1));
        }
    }
}

/// `.jsonl` and `.ndjson`, packed or not.
fn is_jsonl(path: &Path) -> bool {
    let unpacked = if has_extension(path, &["gz"]) { path.with_extension("") } else { path.into() };
    has_extension(&unpacked, &["jsonl", "ndjson"])
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    path.extension().is_some_and(|it| known.iter().any(|known| it.eq_ignore_ascii_case(known)))
}

/// The records of a block of lines with their numbers, without the blank ones.
pub(crate) fn lines(first: u64, bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let ends = memchr::memchr_iter(b'\n', whole).chain([whole.len()]);
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', whole).map(|end| end + 1));
    let records = starts.zip(ends).map(|(start, end)| &whole[start..end]);
    (first..).zip(records).filter(|(_, record)| !is_blank(record))
}

/// Whether there is nothing but white space.
pub(crate) fn is_blank(record: &[u8]) -> bool {
    record.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const WALK: Walk = Walk { all_lines: false, extensions: &["json"], role: "the inputs" };

    /// Every line with its number, and every fault; blocks are as they come.
    fn read(from: impl Read) -> Vec<(u64, Result<Vec<u8>, String>)> {
        let mut found = Vec::new();
        unpacked(BufReader::new(from), &mut |block| {
            match block {
                Block::Whole(_) | Block::Read(_) => panic!("lines were wanted"),
                Block::Unreadable(line, cause) => found.push((line.unwrap(), Err(cause))),
                Block::Lines(first, bytes) => {
                    let lines =
                        bytes.strip_suffix(b"\n").unwrap_or(&bytes).split(|it| *it == b'\n');
                    found.extend(
                        lines.enumerate().map(|(at, line)| (first + at as u64, Ok(line.to_vec()))),
                    );
                }
            }
            true
        });
        found
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Gives one byte at a time.
    struct Slow<'b>(&'b [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.by_ref().take(1).read(buffer)
        }
    }

    #[test]
    fn lines_keep_their_numbers_however_they_come() {
        let text = b"{}\n\n[1]\r\n2";
        let expected: Vec<_> = [(1, &b"{}"[..]), (2, b""), (3, b"[1]\r"), (4, b"2")]
            .map(|(line, text)| (line, Ok(text.to_vec())))
            .to_vec();
        assert_eq!(read(&text[..]), expected);
        assert_eq!(read(Slow(text)), expected);
        assert_eq!(read(&*gzip(text)), expected);
        // Members one after another are one file (RFC 1952 §2.2).
        let members = [gzip(b"{}\n\n[1"), gzip(b"]\r\n2")].concat();
        assert_eq!(read(&*members), expected);
        assert_eq!(read(&b""[..]), []);
        assert_eq!(read(&b"7\n"[..]), [(1, Ok(b"7".to_vec()))]);
    }

    #[test]
    fn many_lines_in_many_blocks() {
        let text: String = (1..=100_000).map(|line| format!("{line}\n")).collect();
        let found = read(text.as_bytes());
        assert_eq!(found.len(), 100_000);
        assert!(found.iter().all(|(line, text)| text == &Ok(line.to_string().into_bytes())));
    }

    #[test]
    fn a_record_that_is_too_long_does_not_stop_the_others() {
        let mut text = b"1\n".to_vec();
        text.resize(text.len() + MAX_RECORD + BLOCK, b'x');
        text.extend_from_slice(b"\n3\n4");
        for found in [read(&*text), read(&*gzip(&text))] {
            let lines: Vec<_> = found.iter().map(|(line, text)| (*line, text.is_ok())).collect();
            assert_eq!(lines, [(1, true), (2, false), (3, true), (4, true)]);
            assert_eq!(found[1].1, Err(too_long()));
        }
    }

    #[test]
    fn packed_data_that_is_cut_off_is_said_behind_what_was_read() {
        let whole = gzip(&b"{\"a\":1}\n".repeat(1000));
        let found = read(&whole[..whole.len() - 20]);
        assert!(found.len() > 1, "{found:?}");
        let (last, before) = found.split_last().unwrap();
        assert!(last.1.is_err(), "{last:?}");
        assert!(before.iter().all(|(_, text)| text == &Ok(b"{\"a\":1}".to_vec())));
    }

    #[test]
    fn a_folder_gives_its_files_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.json", "a.JSON", "c.jsonl", ".hidden.json", "notes.txt"] {
            fs::write(folder.path().join(name), "{}").unwrap();
        }
        fs::create_dir(folder.path().join("d.json")).unwrap();
        let inner = folder.path().join("d.json");
        let arguments = [folder.path().to_owned(), inner, folder.path().join("c.jsonl")];
        let found = WALK.origins(&arguments, &mut Inputs::default()).unwrap();
        let names: Vec<_> = found
            .iter()
            .map(|origin| {
                let unusable = matches!(origin.kind, Kind::Unusable(_));
                (origin.name.rsplit('/').next().unwrap(), origin.is_single(), unusable)
            })
            .collect();
        let expected = [
            ("a.JSON", true, false),
            ("b.json", true, false),
            ("d.json", true, true),
            ("c.jsonl", false, false),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn lists_are_apart_by_line_or_by_nul() {
        let paths = |list: &[u8]| {
            listed(list).iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(paths(b"a.json\r\n\n b.json\nc.json"), ["a.json", " b.json", "c.json"]);
        assert_eq!(paths(b"a\nb.json\0c.json\0"), ["a\nb.json", "c.json"]);
        assert!(paths(b"").is_empty());
    }

    #[test]
    fn names_tell_jsonl() {
        for (name, lines) in
            [("a.jsonl", true), ("a.ndjson.gz", true), ("a.json", false), ("a.json.gz", false)]
        {
            assert_eq!(is_jsonl(Path::new(name)), lines, "{name}");
        }
    }

    #[test]
    fn blank_lines_are_counted_and_left_out() {
        let of = |text: &'static str| lines(7, text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(of(""), []);
        assert_eq!(of("\n"), []);
        assert_eq!(of("a"), [(7, &b"a"[..])]);
        assert_eq!(of("a\n\n \r\nb\n"), [(7, &b"a"[..]), (10, b"b")]);
        assert_eq!(of("\n\na\r\n\n"), [(9, &b"a\r"[..])]);
    }
}
