//! Files and folders that are nobody else's business: made so from the first byte, and believed
//! only while they still are.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::term;

/// Why a file or folder is not private enough, and the command that mends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loose {
    /// The whole sentence.
    pub(crate) message: String,
}

/// A file or folder that others may change, though not read, is enough for some uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Nobody else may read or write.
    Secret,
    /// Nobody else may write.
    Owned,
}

/// Makes a file that only its owner can read, under a name that is free.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes a file as [`create`] does and fills it; nothing stays behind if that fails.
pub(crate) fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = create(path)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(path);
    }
    written
}

/// Puts content in the place of a file of ours, in one step.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    // Left by a process of the same number that ended in between.
    let _ = fs::remove_file(&temporary);
    write_new(&temporary, content)?;
    let moved = fs::rename(&temporary, path);
    if moved.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    moved
}

/// Makes a folder, and those above it, that only its owner can enter.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Whether a file or folder, by the metadata of what was opened, is ours and as private as it must
/// be. Where there are no modes, everything is.
#[cfg(unix)]
pub(crate) fn check(path: &Path, metadata: &fs::Metadata, need: Privacy) -> Result<(), Loose> {
    use std::os::unix::fs::MetadataExt;
    let shown = term::safe_path(path);
    let owner = metadata.uid();
    if owner != rustix::process::geteuid().as_raw() && !(owner == 0 && need == Privacy::Owned) {
        return Err(Loose {
            message: format!("{shown} belongs to another user; make a copy of your own"),
        });
    }
    let (bits, mode, others) = match (need, metadata.is_dir()) {
        (Privacy::Secret, false) => (0o077, "600", "read or written"),
        (Privacy::Secret, true) => (0o077, "700", "entered"),
        (Privacy::Owned, _) => (0o022, "go-w", "written"),
    };
    if metadata.mode() & bits != 0 {
        let message = format!(
            "{shown} can be {others} by other users; mend it with: chmod {mode} {}",
            shell_word(path)
        );
        return Err(Loose { message });
    }
    Ok(())
}

/// The same where there are no modes.
#[cfg(not(unix))]
pub(crate) fn check(_: &Path, _: &fs::Metadata, _: Privacy) -> Result<(), Loose> {
    Ok(())
}

/// A path as a shell takes it, and fit for a terminal.
#[cfg(unix)]
fn shell_word(path: &Path) -> String {
    let shown = term::safe_path(path);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,=@%".contains(&byte);
    let dash = if shown.starts_with('-') { "./" } else { "" };
    if shown.bytes().all(plain) {
        format!("{dash}{shown}")
    } else {
        format!("'{dash}{}'", shown.replace('\'', r"'\''"))
    }
}

/// A folder of the user's own by the XDG rules: the variable if it is an absolute path, else
/// `$HOME` and this. Never anything relative, which would be below the working folder.
pub(crate) fn xdg_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home))).map(|it| it.join("aov"))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("a file").mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a file of ours");
    }

    #[test]
    fn private_from_the_first_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        // The mode is that of the empty file already.
        let file = create(&path).unwrap();
        assert_eq!((mode(&path), file.metadata().unwrap().len()), (0o600, 0));
        assert_eq!(create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let inner = folder.path().join("a/b");
        create_folder(&inner).unwrap();
        assert_eq!((mode(&inner), mode(inner.parent().unwrap())), (0o700, 0o700));
    }

    #[test]
    fn replacing_keeps_it_private_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("card");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"two".to_vec(), 0o600));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn loose_modes_are_told_with_their_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my key's");
        write_new(&path, b"x").unwrap();
        let check = |need| check(&path, &fs::metadata(&path).unwrap(), need);
        assert_eq!(check(Privacy::Secret), Ok(()));
        for loose in [0o640, 0o604, 0o620, 0o601] {
            set_mode(&path, loose);
            let message = check(Privacy::Secret).unwrap_err().message;
            let remedy = format!("chmod 600 '{}/my key'\\''s'", folder.path().display());
            assert!(message.ends_with(&remedy), "{message}");
        }
        set_mode(&path, 0o644);
        assert_eq!(check(Privacy::Owned), Ok(()));
        set_mode(&path, 0o664);
        assert!(check(Privacy::Owned).is_err());
    }
}
