use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::server::{Server, say};
use crate::support::Sandbox;

/// Where `install.sh` puts them.
fn folder() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mcp-clients");
    std::env::var_os("AOV_MCP_CLIENTS").map_or(beside, Into::into)
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/clients").join(name)
}

/// A program among them, or a line that its test is skipped.
fn installed(program: &str) -> Option<PathBuf> {
    let path = folder().join(program);
    if !path.exists() {
        say(&format!("mcp: {program} is not installed, its test is skipped"));
        return None;
    }
    Some(path)
}

fn run(home: &Sandbox, program: &Path, arguments: &[&str]) -> (bool, String) {
    let node = folder().join("node_modules/.bin");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder())
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", format!("{}:{path}", node.display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = String::from_utf8_lossy(&output.stderr);
    (
        output.status.success(),
        if output.status.success() { text } else { format!("{text}\n{told}") },
    )
}

/// What every client should have seen.
fn assert_worked(what: &str, (worked, text): (bool, String)) {
    assert!(worked, "{what}: {text}");
    let seen: Value = serde_json::from_str(text.lines().last().unwrap_or_default())
        .unwrap_or_else(|_| panic!("{what}: {text}"));
    let expected = json!({
        "tools": ["verify_schema", "get_verification_record", "verify_receipt", "hash"],
        "passed": "pass",
        "failed": "fail",
        "failed_is_error": false,
        "refused_is_error": true,
    });
    assert_eq!(seen, expected, "{what}");
}

#[test]
fn the_client_of_pypi() {
    let Some(python) = installed("python/bin/python") else { return };
    let (home, script) = (Sandbox::new(), script("python_client.py"));
    let server = Server::start(&home, &[]);
    let url = server.url("/mcp");
    for mode in ["auto", "legacy", "2026-07-28"] {
        for (transport, at) in [("http", &*url), ("stdio", env!("CARGO_BIN_EXE_aov"))] {
            let arguments = [script.to_str().unwrap(), mode, transport, at];
            assert_worked(&format!("{mode} {transport}"), run(&home, &python, &arguments));
        }
    }
}

#[test]
fn the_clients_of_npm() {
    let Some(node) = installed("node_modules/.bin/node") else { return };
    let (home, script) = (Sandbox::new(), script("node_client.mjs"));
    let server = Server::start(&home, &[]);
    let url = server.url("/mcp");
    for (library, mode) in
        [("sdk", "default"), ("client", "default"), ("client", "auto"), ("client", "2026-07-28")]
    {
        for (transport, at) in [("http", &*url), ("stdio", env!("CARGO_BIN_EXE_aov"))] {
            let arguments = [script.to_str().unwrap(), library, mode, transport, at];
            assert_worked(&format!("{library} {mode} {transport}"), run(&home, &node, &arguments));
        }
    }
}

#[test]
fn the_inspector_finds_nothing() {
    let Some(inspector) = installed("node_modules/.bin/mcp-inspector") else { return };
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let url = server.url("/mcp");
    let over_http = ["--cli", &url, "--transport", "http", "--method", "tools/list", "--strict"];
    let over_stdio = [
        "--cli",
        env!("CARGO_BIN_EXE_aov"),
        "mcp",
        "--stdio",
        "--method",
        "tools/list",
        "--strict",
    ];
    for arguments in [&over_http[..], &over_stdio[..]] {
        let (worked, text) = run(&home, &inspector, arguments);
        assert!(worked, "{arguments:?}: {text}");
        assert!(text.contains("verify_schema"), "{text}");
    }
}

#[test]
fn the_conformance_suite_passes() {
    let Some(conformance) = installed("node_modules/.bin/conformance") else { return };
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let url = server.url("/mcp");
    let failures = script("expected-failures.yaml");
    let check = |version: &str, scenario: &str, fails: &[&str]| {
        let arguments = [
            "server",
            "--url",
            &url,
            "--scenario",
            scenario,
            "--spec-version",
            version,
            "--expected-failures",
            failures.to_str().unwrap(),
        ];
        let (worked, text) = run(&home, &conformance, &arguments);
        assert!(worked, "{version} {scenario}: {text}");
        // The file knows scenarios only: which of their checks fail is held here.
        let failed = text.split_once("=== Failed Checks ===").map_or("", |(_, failed)| failed);
        let mut failed: Vec<_> = failed
            .lines()
            .filter_map(|line| line.strip_prefix("  - ")?.split_once(": ").map(|(name, _)| name))
            .collect();
        failed.sort_unstable();
        assert_eq!(failed, fails, "{version} {scenario}: {text}");
    };
    for scenario in ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"] {
        check("2025-11-25", scenario, &[]);
    }
    for scenario in [
        "tools-list",
        "dns-rebinding-protection",
        "http-header-validation",
        "server-sse-multiple-streams",
    ] {
        check("2026-07-28", scenario, &[]);
    }
    check(
        "2026-07-28",
        "server-stateless",
        &[
            "HttpServerNoIndependentRequestsOnStream",
            "MissingCapabilityHttp400",
            "ServerNoLogWithoutLogLevel",
            "ServerRejectsUndeclaredCapability",
        ],
    );
    check(
        "2026-07-28",
        "caching",
        &[
            "PromptsListCachingHints",
            "ResourcesListCachingHints",
            "ResourcesTemplatesListCachingHints",
        ],
    );
}
