//! Where the public test suites are, if they are.

use std::path::PathBuf;

/// The folder of the suites: `AOV_SUITES`, or `shared/suites` beside the checkout.
pub fn suite(name: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/suites");
    let folder = std::env::var_os("AOV_SUITES").map_or(beside, PathBuf::from).join(name);
    let found = folder.is_dir();
    println!("suite {name}: {}", if found { "present" } else { "not here, skipped" });
    found.then_some(folder)
}
