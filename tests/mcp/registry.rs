use serde_json::Value;

/// What the registry refuses beside its schema: versions that are not those of the package, and
/// descriptions of more than 100 characters.
#[test]
fn the_manifest_is_of_this_version_and_starts_mcp() {
    let manifest: Value = serde_json::from_str(include_str!("../../server.json")).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let package = &manifest["packages"][0];
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(package["identifier"], env!("CARGO_PKG_NAME"));
    assert_eq!(package["packageArguments"][0]["value"], "mcp");
    assert!(manifest["description"].as_str().unwrap().len() <= 100);
}
