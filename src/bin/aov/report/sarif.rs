//! SARIF 2.1.0 (OASIS), for code scanning: one run, a result per finding. What has no place in a
//! file gets its first line, because readers refuse results without a location.

use agent_output_verifier::receipt::hashes::Sha256Hex;
use agent_output_verifier::response::Json;

use super::located::{Located, Region};
use super::{Summary, uri};
use crate::exit::Exit;

/// The rules: our codes, and what each means. A result may have a keyword that is not here.
const RULES: &[(&str, &str)] = &[
    ("type", "The value has another JSON type than the schema asks for."),
    ("required", "A required property is missing."),
    ("enum", "The value is none of those that the schema lists."),
    ("const", "The value is not the one that the schema asks for."),
    ("minimum", "The number is too small."),
    ("maximum", "The number is too large."),
    ("exclusiveMinimum", "The number is too small."),
    ("exclusiveMaximum", "The number is too large."),
    ("multipleOf", "The number is not a multiple of what the schema asks for."),
    ("minLength", "The string is too short."),
    ("maxLength", "The string is too long."),
    ("pattern", "The string does not match the pattern."),
    ("format", "The string does not have the format."),
    ("minItems", "The array has too few items."),
    ("maxItems", "The array has too many items."),
    ("uniqueItems", "Two items of the array are equal."),
    ("minProperties", "The object has too few properties."),
    ("maxProperties", "The object has too many properties."),
    ("additionalProperties", "The object has a property that the schema does not allow."),
    ("anyOf", "The value matches none of the branches."),
    ("oneOf", "The value does not match exactly one branch."),
    ("not", "The value matches what it must not match."),
    ("bounds", "The value is outside the agreed bounds."),
    ("consistency:sum_equals", "The values do not add up to the total."),
    ("consistency:gte", "The value is smaller than the one it is compared with."),
    ("consistency:lte", "The value is larger than the one it is compared with."),
    ("consistency:exists_in", "The value is not among those it must be among."),
    ("consistency:unique", "A value that must be unique occurs twice."),
    ("placeholder_content", "The text looks like a placeholder."),
    ("truncation", "The output looks cut off."),
    ("strict_content_check", "The text has control characters, markup or a script URL."),
    ("unhashable_input", "The value has no canonical form and no hash."),
    ("invalid_request", "The request cannot be checked."),
    ("schema_too_costly", "Checking against this schema would cost too much."),
    ("pattern_too_costly", "A pattern of the schema would cost too much."),
    ("unreadable_input", "The input cannot be read."),
    ("flags_truncated", "There are more findings than are listed."),
];

/// Before the first result.
pub(super) fn head() -> String {
    let rules = RULES.iter().map(|(id, text)| {
        Json::Object(vec![
            ("id", Json::text(*id)),
            ("shortDescription", Json::Object(vec![("text", Json::text(*text))])),
        ])
    });
    let driver = Json::Object(vec![
        ("name", Json::text("aov")),
        ("fullName", Json::text("Agent Output Verifier")),
        ("version", Json::text(env!("CARGO_PKG_VERSION"))),
        ("semanticVersion", Json::text(env!("CARGO_PKG_VERSION"))),
        ("rules", Json::Array(rules.collect())),
    ]);
    let tool = Json::Object(vec![("driver", driver)]);
    format!(
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\
         \"runs\":[{{\"tool\":{},\"columnKind\":\"unicodeCodePoints\",\"results\":[\n",
        tool.to_line()
    )
}

/// Between two results.
pub(super) const SEPARATOR: &str = ",\n";

/// Behind the last result.
pub(super) fn tail(summary: &Summary) -> String {
    let invocation = Json::Object(vec![
        ("executionSuccessful", Json::Bool(summary.exit() != Exit::CannotRun)),
        ("exitCode", Json::Count(summary.exit().code().into())),
    ]);
    format!("\n],\"invocations\":[{}]}}]}}\n", invocation.to_line())
}

/// The findings of one input.
pub(super) fn entry(list: &[Located]) -> String {
    list.iter().map(|located| result(located).to_line()).collect::<Vec<_>>().join(SEPARATOR)
}

fn result(located: &Located) -> Json {
    let message = |text: &str| Json::Object(vec![("text", Json::text(text))]);
    let related = located.also.iter().map(|region| {
        Json::Object(vec![
            ("physicalLocation", physical(region)),
            ("message", message(&region.label)),
        ])
    });
    let mut fields = vec![
        ("ruleId", Json::text(&*located.check)),
        ("level", Json::text(located.severity.name())),
        ("message", message(&located.message)),
        ("locations", Json::Array(vec![location(located)])),
    ];
    if !located.also.is_empty() {
        fields.push(("relatedLocations", Json::Array(related.collect())));
    }
    let fingerprint = Json::Object(vec![("aovFinding/v1", Json::text(fingerprint(located)))]);
    fields.push(("partialFingerprints", fingerprint));
    Json::Object(fields)
}

fn location(located: &Located) -> Json {
    let logical = Json::Object(vec![("fullyQualifiedName", Json::text(&*located.path))]);
    Json::Object(vec![
        ("physicalLocation", physical(&located.place)),
        ("logicalLocations", Json::Array(vec![logical])),
    ])
}

fn physical(region: &Region) -> Json {
    let uri = match &region.origin.path {
        Some(path) => uri::reference(path),
        None => "stdin".to_owned(),
    };
    let mut artifact = vec![("uri", Json::text(&*uri))];
    if !uri.starts_with("file:") {
        artifact.push(("uriBaseId", Json::text("%SRCROOT%")));
    }
    let count = |number: usize| Json::Count(number as u64);
    let mut fields = match region.span {
        Some((start, end)) => vec![
            ("startLine", count(start.line)),
            ("startColumn", count(start.column)),
            ("endLine", count(end.line)),
            ("endColumn", count(end.column)),
        ],
        None => vec![("startLine", Json::Count(region.origin.line.unwrap_or(1)))],
    };
    if let Some(snippet) = &region.snippet {
        fields.push(("snippet", Json::Object(vec![("text", Json::text(&**snippet))])));
    }
    Json::Object(vec![
        ("artifactLocation", Json::Object(artifact)),
        ("region", Json::Object(fields)),
    ])
}

/// What stays the same while other parts of the file change: code, path and file. Records of JSONL
/// have nothing but their line to tell them apart.
fn fingerprint(located: &Located) -> String {
    let origin = &located.place.origin;
    let file = origin.path.as_deref().map(uri::reference).unwrap_or_default();
    let line = origin.line.map(|line| line.to_string()).unwrap_or_default();
    let parts = [&*located.check, &*located.path, &*file, &*line];
    Sha256Hex::of(parts.join("\0").as_bytes()).as_str()[..32].to_owned()
}
