//! `aov hash --vectors`: does this program hash like whoever published the vectors?

use std::path::Path;

use agent_output_verifier::json::{self, Kind, MAX_DEPTH, Node};
use agent_output_verifier::receipt::hashes::{Sha256Hex, canonical_request};
use agent_output_verifier::request::{UnknownFields, parse};
use agent_output_verifier::text::{MAX_ECHO, cut};

use super::{Failure, Session};
use crate::args::Format;
use crate::exit::Exit;
use crate::input::JsonFile;
use crate::output::Stdout;
use crate::report::hashes::{self as report, Compared, Vector};

/// The vectors of the hosted service.
const BUILT_IN: &str = include_str!("../../../../../fixtures/real/request-hash-vectors.json");

/// A request in a vector, in a list, in a card, in extensions: more levels than a request has.
const DEPTH: usize = MAX_DEPTH + 16;

pub(super) fn run(
    path: Option<&Path>,
    format: Format,
    session: &mut Session,
    out: &mut Stdout,
) -> Result<Exit, Failure> {
    let file = match path {
        Some(path) => session.inputs.read_json(path, "the vectors", DEPTH)?,
        None => JsonFile {
            name: "the built-in vectors".to_owned(),
            path: None,
            line: None,
            document: json::read(BUILT_IN, DEPTH)
                .map_err(|error| Failure::Usage(format!("the built-in vectors: {error}")))?,
        },
    };
    let list = find(file.document.root()).filter(|list| !list.is_empty());
    let Some(list) = list else {
        return Err(Failure::Usage(format!(
            "{} has no vectors: give a list, or an agent card with requestHashTestVectors",
            file.name
        )));
    };
    let vectors: Vec<Vector> =
        list.elements().enumerate().map(|(at, node)| compare(at, node)).collect();
    out.write(report::vectors(&vectors, format).as_bytes())?;
    let exits = vectors.iter().map(|vector| match vector.end {
        Compared::Same => Exit::Ok,
        Compared::Differs { .. } => Exit::No,
        Compared::Unusable(_) => Exit::CannotRun,
    });
    Ok(exits.fold(Exit::Ok, Exit::merge))
}

/// The list itself, or the one under `requestHashTestVectors`, however deep.
fn find(node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() == Kind::Array && node.element(0)?.get("request").is_some() {
        return Some(node);
    }
    if let Some(inner) = node.get("requestHashTestVectors") {
        let list = inner.get("vectors").unwrap_or(inner);
        return (list.kind() == Kind::Array).then_some(list);
    }
    let children = node.elements().chain(node.members().map(|member| member.value));
    children.filter(|child| !child.is_empty()).find_map(find)
}

fn compare(at: usize, vector: Node<'_>) -> Vector {
    let text = |name: &str| vector.get(name).and_then(Node::as_str);
    let name = text("name").map_or_else(|| format!("vector {}", at + 1), |name| cut(name, MAX_ECHO).into_owned());
    let end = match (vector.get("request"), text("requestHash").or(text("request_hash"))) {
        (Some(request), Some(hash)) => against(request, hash, text("canonical")),
        _ => Compared::Unusable("it has no request or no requestHash".to_owned()),
    };
    Vector { name, end }
}

fn against(request: Node<'_>, published: &str, canonical: Option<&str>) -> Compared {
    let Some(published) = Sha256Hex::parse(published) else {
        return Compared::Unusable("its requestHash is not 64 lowercase hex digits".to_owned());
    };
    // Unknown fields are in no hash, and the hosted service ignores them.
    let request = match parse(request, UnknownFields::Ignore) {
        Ok(request) => request,
        Err(problems) => {
            let problem = problems.first().map(|it| format!("{} {}", it.field, it.problem));
            return Compared::Unusable(problem.unwrap_or_default());
        }
    };
    let bytes = match canonical_request(&request) {
        Ok(bytes) => bytes,
        Err(fault) => return Compared::Unusable(fault.reason.to_string()),
    };
    let computed = Sha256Hex::of(&bytes);
    let canonical_differs_at = canonical.and_then(|canonical| {
        let canonical = canonical.as_bytes();
        let same = canonical.iter().zip(&bytes).take_while(|(one, other)| one == other).count();
        (canonical != bytes).then_some(same)
    });
    if computed == published && canonical_differs_at.is_none() {
        Compared::Same
    } else {
        Compared::Differs { published, computed, canonical_differs_at }
    }
}
