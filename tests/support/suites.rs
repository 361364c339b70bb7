//! Where the public test suites are, if they are.

use std::io::Write as _;
use std::path::PathBuf;

/// The folder of the suites: `AOV_SUITES`, or `shared/suites` beside the checkout.
pub(crate) fn suite(name: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/suites");
    let folder = std::env::var_os("AOV_SUITES").map_or(beside, PathBuf::from).join(name);
    let found = folder.is_dir();
    let state = if found { "present" } else { "not here, skipped" };
    // Not `println`, which would be kept back when all is well.
    let _ = std::io::stderr().write_all(format!("suite {name}: {state}\n").as_bytes());
    found.then_some(folder)
}
