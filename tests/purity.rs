//! The library is pure: without the feature `cli` nothing in its dependencies reads or writes
//! anything, and nothing in its own source does.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the binary may have and the library may not: command line, terminals, sockets, files,
/// databases.
const IMPURE: [&str; 22] = [
    "anstream",
    "annotate-snippets",
    "anyhow",
    "clap",
    "console",
    "hyper",
    "indicatif",
    "mio",
    "native-tls",
    "openssl",
    "postgres",
    "reqwest",
    "ring",
    "rusqlite",
    "rustix",
    "rustls",
    "socket2",
    "tempfile",
    "terminal_size",
    "tiny_http",
    "tokio",
    "ureq",
];

/// Ways out of the library in its own source.
const WAYS_OUT: [&str; 15] = [
    "std::fs",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "ToSocketAddrs",
    "std::env",
    "std::process",
    "std::os",
    "stdin(",
    "stdout(",
    "stderr(",
    "println!",
    "SystemTime::now",
    "Instant::now",
    "Utc::now",
];

#[test]
fn no_dependency_reads_or_writes_anything() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--edges", "normal", "--no-default-features", "--prefix", "none"])
        .args(["--format", "{lib}", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("UTF-8");
    let crates: Vec<_> = tree.lines().map(|name| name.replace('_', "-")).collect();
    assert!(crates.iter().any(|name| name == "ed25519-dalek"), "{tree}");
    for name in IMPURE {
        assert!(!crates.contains(&name.replace('_', "-")), "the library depends on {name}");
    }
}

#[test]
fn the_source_has_no_way_out() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&source, &mut files);
    assert!(files.len() > 20);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        // Tests may do as they like; they stand last, or in files of their own.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for way in WAYS_OUT {
            assert!(!code.contains(way), "{}: {way}", file.display());
        }
    }
}

/// The source files of the library: not the binary's, and not those of tests.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "bin" && name != "tests" {
                collect(&path, files);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            files.push(path);
        }
    }
}
