//! Where results go: standard output, or a file that is replaced whole or not at all (SPEC 10.2).

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::term;

/// A place that takes a result. `-` is standard output.
#[derive(Debug)]
pub(crate) enum Sink {
    /// Standard output, written as results come.
    Stdout(Stdout),
    /// A file, which is in its place with [`Sink::finish`] and not before.
    File {
        /// Its name.
        path: PathBuf,
        /// What it will hold, as far as it is not in `draft`.
        content: Vec<u8>,
        /// A neighbour that holds the beginning of what is too much to keep.
        draft: Option<Draft>,
        /// Whether a file that is there stays as it is.
        fresh: bool,
    },
}

/// A file that is not in its place yet, and goes away if it never gets there.
#[derive(Debug)]
pub(crate) struct Draft {
    file: File,
    /// Its name; none where the file itself is written, because it is no regular one.
    temporary: Option<PathBuf>,
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // There is nobody left to tell if that fails.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// From this many bytes on the beginning of a report is no longer kept in memory.
const KEPT: usize = 1 << 20;

/// Why a result could not be written.
#[derive(Debug)]
pub(crate) struct WriteError {
    target: String,
    cause: String,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.target, self.cause)
    }
}

impl WriteError {
    fn taken(path: &Path) -> Self {
        let cause = "it is there already, and receipts are never overwritten; name another file";
        Self { target: term::safe_path(path), cause: cause.to_owned() }
    }

    /// For a result that would take the place of something that is in use. It is never written
    /// there, not even to say so.
    pub(crate) fn in_use(path: &Path, what: &str) -> Self {
        let cause = format!("--output would overwrite the {what}; name another file");
        Self { target: term::safe_path(path), cause }
    }

    fn new(path: &Path, error: &io::Error) -> Self {
        let cause = match error.kind() {
            io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
            io::ErrorKind::IsADirectory => "it is a folder; name a file".to_owned(),
            _ => error.to_string(),
        };
        Self { target: term::safe_path(path), cause }
    }
}

impl Sink {
    /// The file named, or standard output for none and for `-`.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path != Path::new("-") => {
                Self::File { path: path.to_owned(), content: Vec::new(), draft: None, fresh: false }
            }
            _ => Self::Stdout(Stdout::default()),
        }
    }

    /// Whether this is a file.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// The same for what must not take the place of anything (SPEC 10.2); it is tried at once,
    /// before the work, and again when it is done.
    pub(crate) fn fresh(path: Option<&Path>) -> Result<Self, WriteError> {
        let mut sink = Self::new(path);
        if let Self::File { path, fresh, .. } = &mut sink {
            *fresh = true;
            if fs::metadata(&*path).is_ok_and(|metadata| metadata.is_file()) {
                return Err(WriteError::taken(path));
            }
        }
        Ok(sink)
    }

    /// Takes a piece of the result.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File { path, content, draft, fresh } => {
                content.extend_from_slice(bytes);
                // A receipt is short, and takes its name in one step only.
                if *fresh || content.len() < KEPT {
                    return Ok(());
                }
                let draft = match draft {
                    Some(draft) => draft,
                    None => draft.insert(Draft::of(path).map_err(|it| WriteError::new(path, &it))?),
                };
                let written = draft.file.write_all(content);
                content.clear();
                written.or_else(ignore_broken_pipe).map_err(|error| WriteError::new(path, &error))
            }
        }
    }

    /// Puts the file in its place.
    pub(crate) fn finish(self) -> Result<(), WriteError> {
        match self {
            Self::Stdout(_) => Ok(()),
            Self::File { path, content, fresh: true, .. } => add(&path, &content),
            Self::File { path, content, draft: None, .. } => replace(&path, &content),
            Self::File { path, content, draft: Some(draft), .. } => {
                draft.finish(&path, &content).map_err(|error| WriteError::new(&path, &error))
            }
        }
    }
}

/// Standard output. A reader that went away (`aov … | head`) ends the writing, not the run: the
/// verdict still becomes the exit code.
#[derive(Debug, Default)]
pub(crate) struct Stdout {
    closed: bool,
}

impl Stdout {
    /// Writes and flushes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        if self.closed || bytes.is_empty() {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(error) => Err(WriteError {
                target: "to standard output".to_owned(),
                cause: error.to_string(),
            }),
        }
    }
}

/// Writes a message for people to standard error; there is nobody left to tell if that fails.
pub(crate) fn complain(message: &str) {
    let _ = io::stderr().lock().write_all(message.as_bytes());
}

/// Whether both names lead to the same regular file, so that writing one destroys the other.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let regular = |path: &Path| {
        let path = fs::canonicalize(path).ok()?;
        path.is_file().then_some(path)
    };
    regular(one).is_some_and(|path| regular(other) == Some(path))
}

/// Replaces the file, or makes it. A regular file, or a name that is free, gets the new content in
/// one step, and keeps the old one if anything fails; whatever else has the name (a pipe, a device,
/// a link) is opened and written.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let existing = match fs::symlink_metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(WriteError::new(path, &error)),
    };
    let written = match existing {
        Some(metadata) if !metadata.is_file() => write_through(path, content),
        existing => {
            rename_over(path, content, existing.map(|metadata| metadata.permissions()).as_ref())
        }
    };
    written.map_err(|error| WriteError::new(path, &error))
}

impl Draft {
    /// Beside the file, or the file itself if it is a pipe, a device or a link.
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match metadata {
            Some(metadata) if !metadata.is_file() => {
                let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
                Ok(Self { file, temporary: None })
            }
            metadata => {
                let (temporary, file) = create_neighbour(path)?;
                let draft = Self { file, temporary: Some(temporary) };
                if let Some(metadata) = metadata {
                    draft.file.set_permissions(metadata.permissions())?;
                }
                Ok(draft)
            }
        }
    }

    fn finish(mut self, path: &Path, rest: &[u8]) -> io::Result<()> {
        self.file.write_all(rest).or_else(ignore_broken_pipe)?;
        if let Some(temporary) = &self.temporary {
            self.file.sync_all()?;
            fs::rename(temporary, path)?;
            self.temporary = None;
        }
        Ok(())
    }
}

/// A reader that went away is no fault of the report's.
fn ignore_broken_pipe(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// Makes the file in one step if the name is free. What has the name and is no regular file (a pipe,
/// a device) is opened and written.
fn add(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::taken(path),
        _ => WriteError::new(path, &error),
    };
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return write_through(path, content).map_err(failed);
    }
    let (temporary, mut file) = create_neighbour(path).map_err(failed)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    // A link, unlike a rename, takes no name that is taken.
    let linked = written.and_then(|()| fs::hard_link(&temporary, path));
    let _ = fs::remove_file(&temporary);
    match linked {
        // Not every file system has links.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let mut file = File::create_new(path).map_err(failed)?;
            file.write_all(content).and_then(|()| file.sync_all()).map_err(failed)
        }
        linked => linked.map_err(failed),
    }
}

fn write_through(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.write_all(content).or_else(ignore_broken_pipe)
}

fn rename_over(
    path: &Path,
    content: &[u8],
    permissions: Option<&fs::Permissions>,
) -> io::Result<()> {
    let (temporary, mut file) = create_neighbour(path)?;
    let result = permissions
        .map_or(Ok(()), |permissions| file.set_permissions(permissions.clone()))
        .and_then(|()| file.write_all(content))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// A new file in the same folder, which a rename can move over `path`.
fn create_neighbour(path: &Path) -> io::Result<(PathBuf, File)> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    };
    let mut attempt = 0_u32;
    loop {
        let mut temporary = std::ffi::OsString::from(".");
        // A long name must not become too long by what is added.
        let name = name.to_string_lossy();
        temporary.push(name.chars().take(40).collect::<String>());
        temporary.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["report"]);
    }

    #[test]
    fn a_long_report_is_in_its_place_at_the_end_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        fs::write(&path, "old").unwrap();
        let piece = vec![b'x'; KEPT / 2 + 1];
        for finished in [false, true] {
            let mut sink = Sink::new(Some(&path));
            for _ in 0..7 {
                sink.write(&piece).unwrap();
                assert_eq!(fs::read(&path).unwrap(), b"old");
            }
            assert_eq!(names(folder.path()).len(), 2);
            if finished {
                sink.finish().unwrap();
            } else {
                drop(sink);
                assert_eq!(fs::read(&path).unwrap(), b"old");
            }
            assert_eq!(names(folder.path()), ["report"]);
        }
        assert_eq!(fs::read(&path).unwrap(), piece.repeat(7));
    }

    #[test]
    fn a_folder_is_refused_and_nothing_stays_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub");
        fs::create_dir(&path).unwrap();
        let error = replace(&path, b"x").unwrap_err().to_string();
        assert!(error.contains("it is a folder"), "{error}");
        let error = replace(&folder.path().join("none/report"), b"x").unwrap_err().to_string();
        assert!(error.contains("its folder does not exist"), "{error}");
        assert_eq!(names(folder.path()), ["sub"]);
    }

    #[test]
    fn a_receipt_takes_a_free_name_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipt");
        let fresh = || Sink::fresh(Some(&path));
        let (mut one, mut two) = (fresh().unwrap(), fresh().unwrap());
        one.write(b"one").unwrap();
        two.write(b"two").unwrap();
        one.finish().unwrap();
        for error in [two.finish().unwrap_err(), fresh().unwrap_err()] {
            assert!(error.to_string().contains("never overwritten"), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(names(folder.path()), ["receipt"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_of_the_old_file_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&target, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
