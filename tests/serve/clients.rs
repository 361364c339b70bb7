use std::path::{Path, PathBuf};
use std::process::Command;

use crate::facilitator::configuration;
use crate::server::{Server, say};
use crate::support::Sandbox;

/// Where `tests/serve/clients/install.sh` puts them.
fn installed(program: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/serve-clients");
    let folder = std::env::var_os("AOV_SERVE_CLIENTS").map_or(beside, PathBuf::from);
    let path = folder.join(program);
    if path.exists() {
        return Some(path);
    }
    say(&format!("{program}: not installed, skipped"));
    None
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/serve/clients").join(name)
}

fn succeed(command: &mut Command, home: &Sandbox) {
    let output = command.current_dir(home.path()).output().expect("the program starts");
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", said(&output.stdout), said(&output.stderr));
}

/// The hosted service's own client (PyPI sarnai 0.2.1), as it is.
#[test]
fn the_client_of_the_hosted_service_works() {
    let Some(python) = installed("sarnai/bin/python") else { return };
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let other = Sandbox::new();
    let selling = Server::start(&other, &["--config", &configuration(&other, "")]);
    let mut command = Command::new(python);
    command.arg(script("sarnai_client.py")).args([server.url(""), selling.url("")]);
    succeed(&mut command, &home);
}

#[test]
fn openapi_is_valid_for_two_validators() {
    let home = Sandbox::new();
    let python = installed("tools/bin/openapi-spec-validator");
    let redocly = installed("node_modules/.bin/redocly");
    let selling = configuration(&home, "");
    for arguments in [&[][..], &["--free-per-day", "5"], &["--config", &selling]] {
        let server = Server::start(&home, arguments);
        home.file("openapi.json", server.get("/openapi.json").body);
        if let Some(python) = &python {
            succeed(Command::new(python).arg("openapi.json"), &home);
        }
        if let Some(redocly) = &redocly {
            let mut command = Command::new(redocly);
            command.args(["lint", "--max-problems", "50", "openapi.json"]);
            succeed(command.env("REDOCLY_TELEMETRY", "off").env("CI", "1"), &home);
        }
    }
}

#[test]
fn schemathesis_finds_nothing() {
    let Some(schemathesis) = installed("tools/bin/schemathesis") else { return };
    let home = Sandbox::new();
    let selling =
        configuration(&home, "[allowance]\nper_day = 1000000\nmax_body_bytes = 1048576\n");
    for arguments in [&[][..], &["--config", &selling]] {
        let server = Server::start(&home, arguments);
        home.file("openapi.json", server.get("/openapi.json").body);
        let mut command = Command::new(&schemathesis);
        if !arguments.is_empty() {
            command.arg("--config-file").arg(script("schemathesis-selling.toml"));
        }
        command
            .args(["run", "openapi.json", "--url", &server.url(""), "-n", "50", "--seed", "1"])
            .args(["--phases", "examples,coverage,fuzzing"])
            .env("SCHEMATHESIS_HOOKS", script("schemathesis_hooks.py"));
        succeed(&mut command, &home);
    }
}

#[test]
fn both_generations_of_a2a_take_the_card() {
    let home = Sandbox::new();
    let selling = configuration(&home, "");
    for arguments in [&[][..], &["--config", &selling]] {
        let server = Server::start(&home, arguments);
        home.file("card.json", server.get("/.well-known/agent-card.json").body);
        for folder in ["a2a-0.3", "a2a-1"] {
            let Some(python) = installed(&format!("{folder}/bin/python")) else { continue };
            succeed(Command::new(python).arg(script("a2a_card.py")).arg("card.json"), &home);
        }
    }
}

/// The page draws itself and sends a request, in a browser without any other network.
#[test]
fn the_page_works_in_a_browser() {
    let (Some(puppeteer), Some(browser)) = (installed("node_modules/puppeteer-core"), browser())
    else {
        return;
    };
    let home = Sandbox::new();
    let server = Server::start(&home, &[]);
    let mut command = Command::new("node");
    command.arg(script("docs.mjs")).arg(puppeteer).arg(browser).arg(server.url("")).arg("docs.png");
    succeed(&mut command, &home);
    if let Some(keep) = std::env::var_os("AOV_SCREENSHOT") {
        std::fs::copy(home.path().join("docs.png"), keep).unwrap();
    }
}

fn browser() -> Option<PathBuf> {
    let names = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let found = names.iter().map(PathBuf::from).find(|path| path.exists());
    if found.is_none() {
        say("chromium: not installed, skipped");
    }
    found
}
