//! Real clients buy from `aov serve` through real facilitators: pinned public packages of npm and
//! PyPI, over a chain of this machine. `tests/payments/world/install.sh` installs them; without them
//! each test is skipped.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]
#![allow(dead_code, reason = "shared with other tests")]

/// A server that runs, and a plain client.
#[path = "../serve/server.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;

/// Buying on Base.
mod base;
/// Buying over MCP.
mod mcp;
/// Buying on Solana.
mod solana;
/// Chains, facilitators and clients of others.
mod world;
