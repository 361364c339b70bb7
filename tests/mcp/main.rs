//! MCP from outside: `aov mcp` over its standard streams, `/mcp` of `aov serve`, and the clients of
//! others. `tests/mcp/clients/install.sh` installs those; without them their tests are skipped.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]
#![allow(dead_code, reason = "shared with other tests")]

/// A server that runs, and a plain client.
#[path = "../serve/server.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;

/// The clients of others.
mod clients;
/// `/mcp`.
mod http;
/// `/mcp` on one connection.
mod keep_alive;
/// How much memory a process has.
mod memory;
/// `server.json`.
mod registry;
/// `aov mcp`.
mod stdio;
