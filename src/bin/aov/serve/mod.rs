//! `aov serve`: the checks, scores and receipts of this program for clients elsewhere (SPEC 11).
//!
//! `front` owns the network and lets only complete, well-formed requests through; a handler gets a
//! plain [`http::Request`] and returns a plain [`http::Response`]. What is sold is behind one
//! [`service::Service`], which REST and MCP share, so that neither can be cheaper than the other.
#![allow(dead_code, reason = "grows with its users")]

pub(crate) mod chain;
pub(crate) mod counter;
pub(crate) mod http;
pub(crate) mod money;
pub(crate) mod problem;
pub(crate) mod service;
pub(crate) mod x402;
