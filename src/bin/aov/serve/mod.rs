//! `aov serve`: the checks, scores and receipts of this program for clients elsewhere (SPEC 11).
//!
//! `front` owns the network and lets only complete, well-formed requests through; a handler gets a
//! plain [`http::Request`] and returns a plain [`http::Response`]. What is sold is behind one
//! [`service::Service`], which REST and MCP share, so that neither can be cheaper than the other.
#![allow(dead_code, reason = "grows with its users")]
#![allow(
    clippy::result_large_err,
    reason = "a refusal is made once a request, where its size is nothing"
)]

pub(crate) mod allowance;
pub(crate) mod chain;
pub(crate) mod codes;
pub(crate) mod config;
pub(crate) mod counter;
pub(crate) mod discovery;
pub(crate) mod engine;
pub(crate) mod front;
pub(crate) mod http;
pub(crate) mod listen;
pub(crate) mod local;
pub(crate) mod log;
pub(crate) mod mcp;
pub(crate) mod money;
pub(crate) mod negotiate;
pub(crate) mod problem;
pub(crate) mod rest;
pub(crate) mod route;
pub(crate) mod schemas;
pub(crate) mod service;
pub(crate) mod signals;
pub(crate) mod start;
pub(crate) mod tally;
pub(crate) mod tiny;
pub(crate) mod x402;
