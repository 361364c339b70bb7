//! `aov serve` as clients meet it: over a socket, and with the clients of others.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]

#[path = "../support/mod.rs"]
mod support;

/// The answers of the server are those of `aov check`.
mod agreement;
/// The free allowance.
mod allowance;
/// The clients and validators of others; each is skipped where it is not installed.
mod clients;
/// A facilitator for what is asked before anybody pays.
mod facilitator;
/// Requests drawn from reported faults of servers like this one.
mod requests;
/// A server that sells, up to the payment.
mod selling;
/// A server that runs, and a plain client.
mod server;
/// Starting: keys, ledgers, configurations.
mod starting;
