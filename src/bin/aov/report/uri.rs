//! Paths as programs on any system read them.

use std::path::{Component, Path};

/// A path with forward slashes.
pub(super) fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    text.strip_prefix("./").map_or_else(|| text.clone(), str::to_owned)
}

/// A path as a URI reference (RFC 3986): relative to where the program runs, or `file:` from the
/// root. Bytes that are no UTF-8 are kept as they are, by their numbers.
pub(super) fn reference(path: &Path) -> String {
    let mut parts = Vec::new();
    let mut absolute = false;
    for component in path.components() {
        match component {
            Component::RootDir => absolute = true,
            Component::CurDir => {}
            Component::Prefix(prefix) => {
                absolute = true;
                parts.push(encode(prefix.as_os_str().as_encoded_bytes(), b":"));
            }
            other => parts.push(encode(other.as_os_str().as_encoded_bytes(), b"")),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("file:///{joined}") } else { joined }
}

/// Everything but the unreserved characters and `also` as `%XX`.
fn encode(bytes: &[u8], also: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || also.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_reference() {
        let of = |path: &str| reference(Path::new(path));
        assert_eq!(of("a/b.json"), "a/b.json");
        assert_eq!(of("./a b/ü#?.json"), "a%20b/%C3%BC%23%3F.json");
        assert_eq!(of("../x:y.json"), "../x%3Ay.json");
        assert_eq!(of("/srv/a.json"), "file:///srv/a.json");
        assert_eq!(slashes(Path::new("./a/b.json")), "a/b.json");
    }
}
