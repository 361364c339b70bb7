use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::server::{Server, say};
use crate::support::Sandbox;

/// What is bought.
pub(crate) const BODY: &str = r#"{"task_id":"t-1","agent_id":"seller-7","expected_schema":{"type":"object","required":["total"]},"submitted_output":{"total":1}}"#;
/// A request whose answer is `fail`.
pub(crate) const FAILING: &str =
    r#"{"task_id":"t-2","expected_schema":{"type":"string"},"submitted_output":{"total":1}}"#;
/// One that is not valid.
pub(crate) const INVALID: &str = r#"{"task_id":"t-3","expected_schema":{},"submitted_output":1,"rules":[{"type":"nope","field":"a"}]}"#;

/// Where the packages are, if they are.
pub(crate) fn packages() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/payments");
    let folder = std::env::var_os("AOV_PAYMENTS").map_or(beside, Into::into);
    let there = folder.join("node_modules/@x402/fetch").is_dir()
        && folder.join("node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil").is_file()
        && folder.join("python/bin/python").is_file();
    if !there {
        say("payments: tests/payments/world/install.sh has not been run, skipped");
    }
    there.then_some(folder)
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payments/world").join(name)
}

/// A script of npm packages, which finds them beside itself only.
fn node(packages: &Path, name: &str) -> Command {
    let here = packages.join(name);
    std::fs::copy(script(name), &here).unwrap();
    let mut command = Command::new("node");
    command.current_dir(packages).arg(here);
    command
}

fn python(packages: &Path, name: &str) -> Command {
    let mut command = Command::new(packages.join("python/bin/python"));
    command.current_dir(packages).arg(script(name));
    command
}

/// A chain with its facilitator; it ends with the test.
pub(crate) struct Chain {
    child: Child,
    /// What it said at its start.
    pub(crate) told: Value,
}

impl Chain {
    pub(crate) fn base(packages: &Path) -> Self {
        let mut command = node(packages, "base.mjs");
        command.arg(script("Dollar.sol"));
        Self::start(command)
    }

    pub(crate) fn solana(packages: &Path) -> Self {
        Self::start(python(packages, "svm.py"))
    }

    fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told =
            serde_json::from_str(&line).unwrap_or_else(|_| panic!("it did not start: {line}"));
        Self { child, told }
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.told[name].as_str().unwrap()
    }

    /// Asks its facilitator something of our own.
    pub(crate) fn ask(&self, path: &str, body: &str) -> Value {
        let address = self.text("facilitator").strip_prefix("http://").unwrap().parse().unwrap();
        let fields = ["Content-Type: application/json"];
        crate::server::ask(address, "POST", path, &fields, body.as_bytes()).json()
    }

    /// How the next answers are wrong.
    pub(crate) fn fault(&self, fault: &str) {
        self.ask("/fault", fault);
    }

    /// What payer and seller have.
    pub(crate) fn balances(&self) -> (u64, u64) {
        let balances = self.ask("/balances", "{}");
        (balances["payer"].as_u64().unwrap(), balances["payTo"].as_u64().unwrap())
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        // The end of its input is what it waits for.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// A server that sells for whatever these chains take.
pub(crate) fn seller(home: &Sandbox, chains: &[(&str, &Chain)], allowance: u32) -> Server {
    home.file("aov.toml", config(chains, allowance, true).as_bytes());
    Server::start(home, &["--config", "aov.toml"])
}

/// Its configuration, with nodes for proofs or without.
pub(crate) fn config(chains: &[(&str, &Chain)], allowance: u32, nodes: bool) -> String {
    let mut config = format!("allowance.per_day = {allowance}\n");
    for (network, chain) in chains {
        config.push_str(&format!(
            "[[networks]]\nnetwork = \"{network}\"\npay_to = \"{}\"\nfacilitators = [\"{}\"]\n",
            chain.text("pay_to"),
            chain.text("facilitator"),
        ));
        if nodes && network.starts_with("eip155") {
            config.push_str(&format!("rpc_url = \"{}\"\n", chain.text("rpc")));
        }
    }
    config
}

/// What a client got.
pub(crate) fn bought(mut command: Command, key: &str) -> Value {
    let output = command.env("PAYER_KEY", key).stderr(Stdio::inherit()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.trim()).unwrap_or_else(|_| panic!("{:?}: {text}", output.status))
}

pub(crate) fn buy_npm(packages: &Path, url: &str, body: &str, key: &str) -> Value {
    let mut command = node(packages, "buy.mjs");
    command.args([url, body]);
    bought(command, key)
}

pub(crate) fn buy_pypi(packages: &Path, url: &str, body: &str, key: &str) -> Value {
    let mut command = python(packages, "buy.py");
    command.args([url, body]);
    bought(command, key)
}

/// A call of `verify_schema` over MCP.
pub(crate) fn buy_mcp(packages: &Path, url: &str, arguments: &str, key: &str) -> Value {
    let mut command = python(packages, "buy_mcp.py");
    command.args([url, arguments]);
    bought(command, key)
}

pub(crate) fn buy_solana(packages: &Path, url: &str, body: &str, rpc: &str) -> Value {
    let mut command = python(packages, "buy_svm.py");
    command.args([url, body, rpc]);
    bought(command, "")
}

/// What the validator of npm says about a 402.
pub(crate) fn validate_bazaar(packages: &Path, field: &str) -> (bool, String) {
    let mut command = node(packages, "bazaar.mjs");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(field.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}
