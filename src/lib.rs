//! Does this agent's output meet the agreed requirements, and can I prove it?
//!
//! A JSON text is read once, into a [`json::Document`]; everything else looks at that one reading:
//! the schema check, bounds and rules, content checks, hashes and diagnostics. So what was checked
//! and what is signed can never differ, and every finding has a place in the text.
//!
//! - [`request::parse`] makes a [`request::Request`] of a document, or lists every problem.
//! - [`check::check`] checks it and gives the [`check::Outcome`].
//! - [`response::body`] writes the outcome as the service's answer.
//! - [`receipt::attestation::seal`] signs it, and a [`receipt::UnverifiedReceipt`] becomes a
//!   [`receipt::VerifiedReceipt`] only through an audit with a key that [`trust`] decided on.
//!
//! The library is pure: it uses no clock, environment, file, socket or terminal. Without the default
//! feature `cli` it builds for WebAssembly.
#![forbid(unsafe_code)]

pub mod check;
pub mod content;
pub mod finding;
pub mod invalid;
pub mod json;
pub mod key;
mod listing;
pub mod path;
pub mod place;
pub mod receipt;
pub mod request;
pub mod response;
pub mod rules;
pub mod schema;
pub mod score;
pub mod template;
pub mod text;
pub mod trust;

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
