//! Hashes, one or several, and test vectors.

use agent_output_verifier::json::Lines;
use agent_output_verifier::json::jcs::Unhashable;
use agent_output_verifier::receipt::hashes::Sha256Hex;
use agent_output_verifier::response::Json;

use super::json::line;
use crate::args::Format;
use crate::input::JsonFile;
use crate::term;

/// The field of a hash with its value, or with the reason why it is null.
pub(crate) type Listed<'h> = (&'static str, Result<&'h Sha256Hex, String>);

/// How a test vector ended.
#[derive(Debug)]
pub(crate) struct Vector {
    /// Its name, as published.
    pub(crate) name: String,
    /// What came of it.
    pub(crate) end: Compared,
}

/// Ours against the published.
#[derive(Debug)]
pub(crate) enum Compared {
    /// Hash and canonical form are equal.
    Same,
    /// One of them is not.
    Differs {
        /// The hash in the vector.
        published: Sha256Hex,
        /// The hash of its request.
        computed: Sha256Hex,
        /// The first byte at which the canonical forms part.
        canonical_differs_at: Option<usize>,
    },
    /// It cannot be tried.
    Unusable(String),
}

/// Several hashes, each with its name.
pub(crate) fn list(hashes: &[Listed<'_>], format: Format) -> String {
    match format {
        Format::Json => {
            let members =
                hashes.iter().map(|(name, hash)| (*name, Json::optional(hash.as_ref().ok())));
            line(&Json::Object(members.collect()))
        }
        Format::Human => {
            let lines = hashes.iter().map(|(name, hash)| match hash {
                Ok(hash) => format!("{name:<12}  {hash}\n"),
                Err(why) => format!("{name:<12}  null ({})\n", term::safe(why)),
            });
            lines.collect()
        }
    }
}

/// One hash and nothing else.
pub(crate) fn one(hash: Option<&Sha256Hex>, format: Format) -> String {
    match (format, hash) {
        (Format::Json, hash) => line(&Json::optional(hash)),
        (Format::Human, Some(hash)) => format!("{hash}\n"),
        (Format::Human, None) => String::new(),
    }
}

/// What has no canonical form, and where.
pub(crate) fn without_form(file: &JsonFile, fault: &Unhashable) -> String {
    let at = file.document.node(fault.node).span().start;
    let position = Lines::new(file.document.text().as_bytes()).position(at);
    format!("{}:{position}: {} has no canonical form (RFC 8785)", file.name, fault.reason)
}

/// Test vectors, one a line, and how many match.
pub(crate) fn vectors(vectors: &[Vector], format: Format) -> String {
    match format {
        Format::Json => line(&Json::Array(vectors.iter().map(vector_json).collect())),
        Format::Human => {
            let same = vectors.iter().filter(|it| matches!(it.end, Compared::Same)).count();
            let mut out: String = vectors.iter().map(vector_text).collect();
            out.push_str(&format!("{same} of {} vectors match\n", vectors.len()));
            out
        }
    }
}

fn vector_text(vector: &Vector) -> String {
    let name = term::safe(&vector.name);
    match &vector.end {
        Compared::Same => format!("ok    {name}\n"),
        Compared::Unusable(why) => format!("?     {name}: cannot be tried: {}\n", term::safe(why)),
        Compared::Differs { published, computed, canonical_differs_at } => {
            let mut out = format!("FAIL  {name}\n");
            out.push_str(&format!("      published  {published}\n      computed   {computed}\n"));
            if let Some(at) = canonical_differs_at {
                out.push_str(&format!("      the canonical forms part at byte {at}\n"));
            }
            out
        }
    }
}

fn vector_json(vector: &Vector) -> Json {
    let (result, published, computed, why) = match &vector.end {
        Compared::Same => ("match", None, None, None),
        Compared::Differs { published, computed, .. } => {
            ("mismatch", Some(published), Some(computed), None)
        }
        Compared::Unusable(why) => ("unusable", None, None, Some(why)),
    };
    let mut members = vec![("name", Json::text(&*vector.name)), ("result", Json::text(result))];
    if let (Some(published), Some(computed)) = (published, computed) {
        members.push(("published", Json::text(published.as_str())));
        members.push(("computed", Json::text(computed.as_str())));
    }
    if let Some(why) = why {
        members.push(("reason", Json::text(&**why)));
    }
    Json::Object(members)
}
