//! SARIF 2.1.0 (OASIS), for code scanning: one run, a result per finding. What has no place in a
//! file gets its first line, because readers refuse results without a location.

use std::collections::BTreeSet;

use agent_output_verifier::receipt::fact::{Code, Verdict};
use agent_output_verifier::receipt::hashes::Sha256Hex;
use agent_output_verifier::response::Json;

use super::located::{Located, Region};
use super::{Written, uri};
use crate::exit::Exit;

/// What the rules mean: our codes but for those of receipts, which know it themselves. Results may
/// name others.
const MEANINGS: &[(&str, &str)] = &[
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
    ("items", "The array has an item that the schema does not allow."),
    ("prefixItems", "The array has an item that the schema does not allow."),
    ("additionalItems", "The array has an item that the schema does not allow."),
    ("unevaluatedItems", "The array has an item that no part of the schema allows."),
    ("contains", "No item of the array, or not as many as asked for, is of the kind asked for."),
    ("minContains", "Too few items of the array are of the kind asked for."),
    ("maxContains", "Too many items of the array are of the kind asked for."),
    ("minProperties", "The object has too few properties."),
    ("maxProperties", "The object has too many properties."),
    ("properties", "The object has a property that the schema does not allow."),
    ("patternProperties", "The object has a property that the schema does not allow."),
    ("additionalProperties", "The object has a property that the schema does not allow."),
    ("unevaluatedProperties", "The object has a property that no part of the schema allows."),
    ("propertyNames", "A property has a name that the schema does not allow."),
    ("dependencies", "What a property demands that is there, is not so."),
    ("dependentRequired", "A property is missing that another one demands."),
    ("dependentSchemas", "What a property demands that is there, is not so."),
    ("allOf", "The value does not match every branch."),
    ("anyOf", "The value matches none of the branches."),
    ("oneOf", "The value does not match exactly one branch."),
    ("not", "The value matches what it must not match."),
    ("if", "The value does not match what follows from the condition."),
    ("then", "The value does not match what follows from the condition."),
    ("else", "The value does not match what follows from the condition."),
    ("$ref", "The value does not match what is referred to."),
    ("$dynamicRef", "The value does not match what is referred to."),
    ("$recursiveRef", "The value does not match what is referred to."),
    ("false", "The schema allows no value here."),
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
    ("flags_truncated", "There are more findings than are listed."),
    ("invalid_request", "What is asked cannot be checked."),
    ("schema_too_costly", "Checking against this schema would cost too much."),
    ("pattern_too_costly", "A pattern of the schema would cost too much."),
    ("no_agreement", "Two validators disagree about the output, so there is no verdict."),
    ("unreadable_input", "The input cannot be read."),
    ("unwritable_output", "The report cannot be written."),
    ("nothing_to_check", "No input was found, and nothing checked is no pass."),
    ("usage", "The arguments do not fit together."),
    ("internal_error", "A fault in aov; please report it."),
    ("unreadable", "The receipt cannot be read."),
    ("not_json", "The receipt is not JSON."),
    ("good_output_fails", "The output that is called good does not pass the template."),
    ("breakage_passes", "An output that was broken on purpose passes the template."),
    ("cannot_run", "A bound or rule cannot run on any output, or says nothing."),
    ("advisory_only", "Bounds and rules bind nothing."),
    ("misspelt", "A keyword is probably misspelt, and does nothing."),
    ("unknown_format", "A format is not checked."),
    ("does_nothing", "A word of the template does nothing."),
    ("total_not_compared", "A total is compared with nothing."),
    ("nothing_constrains", "A member may hold anything."),
    ("may_be_missing", "A member may be missing."),
];

/// What a rule means. The fallback is for codes that are newer than this list.
fn meaning(id: &str) -> String {
    let known = MEANINGS.iter().find(|(known, _)| *known == id).map(|(_, text)| *text);
    let receipts = || {
        let codes = Code::ALL.iter().map(|code| (code.as_str(), code.meaning()));
        let verdicts = Verdict::ALL.iter().map(|verdict| (verdict.as_str(), verdict.meaning()));
        codes.chain(verdicts).find(|(known, _)| *known == id).map(|(_, meaning)| meaning)
    };
    match known {
        Some(text) => text.to_owned(),
        None => receipts().map_or_else(
            || "The result says what is wrong.".to_owned(),
            |meaning| format!("{}.", capitalised(meaning)),
        ),
    }
}

fn capitalised(sentence: &str) -> String {
    let mut rest = sentence.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Before the first result.
pub(super) const HEAD: &str = concat!(
    r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","#,
    r#""runs":[{"columnKind":"unicodeCodePoints","results":["#,
    "\n"
);

/// Between two results.
pub(super) const SEPARATOR: &str = ",\n";

/// Behind the last result: the rules that results name, so that none is missing, how the run ended,
/// and `notes` about the run as a whole, each with its code.
pub(super) fn tail(
    rules: &BTreeSet<String>,
    exit: Exit,
    notes: &[(&'static str, String)],
) -> String {
    let text = |text: &str| Json::Object(vec![("text", Json::text(text))]);
    let rules = rules.iter().map(|id| {
        Json::Object(vec![("id", Json::text(&**id)), ("shortDescription", text(&meaning(id)))])
    });
    let driver = Json::Object(vec![
        ("name", Json::text("aov")),
        ("fullName", Json::text("Agent Output Verifier")),
        ("version", Json::text(env!("CARGO_PKG_VERSION"))),
        ("semanticVersion", Json::text(env!("CARGO_PKG_VERSION"))),
        ("rules", Json::Array(rules.collect())),
    ]);
    let mut invocation = vec![
        ("executionSuccessful", Json::Bool(exit != Exit::CannotRun)),
        ("exitCode", Json::Count(exit.code().into())),
    ];
    if !notes.is_empty() {
        let notes = notes.iter().map(|(code, note)| {
            Json::Object(vec![
                ("descriptor", Json::Object(vec![("id", Json::text(*code))])),
                ("level", Json::text("note")),
                ("message", text(note)),
            ])
        });
        invocation.push(("toolExecutionNotifications", Json::Array(notes.collect())));
    }
    format!(
        "\n],\"tool\":{},\"invocations\":[{}]}}]}}\n",
        Json::Object(vec![("driver", driver)]).to_line(),
        Json::Object(invocation).to_line()
    )
}

/// The findings of one input.
pub(super) fn entry(list: &[Located]) -> Written {
    let results: Vec<_> = list.iter().map(|located| result(located).to_line()).collect();
    let rules = list.iter().map(|located| located.check.clone()).collect();
    Written { text: results.join(SEPARATOR), rules }
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
