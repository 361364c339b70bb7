//! Where secret keys come from and go to: a file that only its owner can read, the environment, or
//! standard input. Never an argument, which every user of the machine can see.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use agent_output_verifier::key::{KeyTextError, SigningKey};
use zeroize::Zeroizing;

use crate::private::{self, Privacy};
use crate::term;

/// The variable that may hold a key instead of a file.
pub(crate) const VARIABLE: &str = "AOV_SECRET_KEY";

/// More than any key file needs.
const MAX_BYTES: u64 = 4096;

/// Why there is no key.
#[derive(Debug)]
pub(crate) struct KeyError {
    source: String,
    cause: String,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no signing key from {}: {}", self.source, self.cause)
    }
}

impl KeyError {
    fn new(source: &str, cause: impl fmt::Display) -> Self {
        Self { source: source.to_owned(), cause: cause.to_string() }
    }
}

/// Reads the key in a file, or on standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<SigningKey, KeyError> {
    if path == Path::new("-") {
        return parse("standard input", read_text(io::stdin().lock()));
    }
    let source = term::safe_path(path);
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            KeyError::new(&source, "there is no such file; make one with aov keygen")
        }
        _ => KeyError::new(&source, error),
    })?;
    // Of the file that was opened, not of the name, which may mean another by now.
    let metadata = file.metadata().map_err(|error| KeyError::new(&source, error))?;
    if !metadata.is_file() {
        return Err(KeyError::new(&source, "it is not a regular file; pipe it in with -"));
    }
    private::check(path, &metadata, Privacy::Secret)
        .map_err(|loose| KeyError::new(&source, loose.message))?;
    parse(&source, read_text(file))
}

/// Reads the key in the environment, if there is one.
pub(crate) fn from_environment() -> Option<Result<SigningKey, KeyError>> {
    let value = std::env::var_os(VARIABLE)?;
    let text = value.into_string().map(Zeroizing::new).map_err(|value| {
        drop(Zeroizing::new(value.into_encoded_bytes()));
        io::Error::other("it is not UTF-8")
    });
    Some(parse(VARIABLE, text))
}

/// Makes a key file. One that is there is never touched: receipts signed with its key need it.
pub(crate) fn write(path: &Path, key: &SigningKey) -> Result<(), String> {
    private::write_new(path, key.to_text().as_bytes()).map_err(|error| {
        let shown = term::safe_path(path);
        match error.kind() {
            io::ErrorKind::AlreadyExists => {
                format!(
                    "{shown} is there already, and keys are never overwritten; choose another name"
                )
            }
            io::ErrorKind::NotFound => format!("cannot write {shown}: its folder does not exist"),
            _ => format!("cannot write {shown}: {error}"),
        }
    })
}

fn read_text(from: impl Read) -> io::Result<Zeroizing<String>> {
    // Never grown, which would leave copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_BYTES as usize + 1));
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is longer than 4 KiB; this is not a key file"));
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(_) => Err(io::Error::other("it is not UTF-8; this is not a key file")),
    }
}

fn parse(source: &str, text: io::Result<Zeroizing<String>>) -> Result<SigningKey, KeyError> {
    let text = text.map_err(|error| KeyError::new(source, error))?;
    SigningKey::from_text(&text).map_err(|error: KeyTextError| KeyError::new(source, error))
}

#[cfg(test)]
mod tests {
    use agent_output_verifier::key::KeyVersion;

    use super::*;

    fn key() -> SigningKey {
        SigningKey::from_seed(&[5; 32], KeyVersion::new("v1-test").unwrap())
    }

    #[test]
    fn a_key_file_is_made_once_and_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aov.key");
        write(&path, &key()).unwrap();
        assert_eq!(read(&path).unwrap().public(), key().public());
        let before = std::fs::read(&path).unwrap();
        let other = SigningKey::from_seed(&[6; 32], KeyVersion::new("v2").unwrap());
        let error = write(&path, &other).unwrap_err();
        assert!(error.contains("never overwritten"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[cfg(unix)]
    #[test]
    fn the_new_file_is_0600_and_a_loose_one_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aov.key");
        write(&path, &key()).unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("chmod 600"), "{error}");
        // What the message says mends it.
        let command = error[error.find("chmod").unwrap()..].to_owned();
        assert!(
            std::process::Command::new("sh").args(["-c", &command]).status().unwrap().success()
        );
        assert!(read(&path).is_ok());
    }

    #[test]
    fn what_is_no_key_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            private::write_new(&path, content).unwrap();
            read(&path).unwrap_err().to_string()
        };
        assert!(file("long", &[b'#'; 5000]).contains("longer than 4 KiB"));
        assert!(file("binary", b"\xFF").contains("not UTF-8"));
        assert!(file("public", b"aov-public-key-v1:v1:AAAA").contains("this is a public key"));
        assert!(read(folder.path()).unwrap_err().to_string().contains("not a regular file"));
        let missing = read(&folder.path().join("none")).unwrap_err().to_string();
        assert!(missing.contains("aov keygen"), "{missing}");
    }
}
