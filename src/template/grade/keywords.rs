//! Keywords of a schema that do nothing: misspelt, of another draft, beside a `$ref` that stands
//! alone, on a type they do not apply to.

use jsonschema::Draft;

use super::described::{dialect, is_legacy};
use super::remark::{RemarkKind, Remarks};
use crate::json::{Kind, Member, Node};
use crate::request::suggest::nearest;
use crate::text::{MAX_ECHO, cut, visible};

/// A keyword: the drafts that have it, and the types it is about (none: all).
struct Known(&'static str, Draft, Draft, &'static [&'static str]);

use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};

const NUMBERS: &[&str] = &["number", "integer"];
const STRINGS: &[&str] = &["string"];
const ARRAYS: &[&str] = &["array"];
const OBJECTS: &[&str] = &["object"];

/// Everything that asserts or applies.
const KEYWORDS: [Known; 51] = [
    Known("$ref", Draft4, Draft202012, &[]),
    Known("$dynamicRef", Draft202012, Draft202012, &[]),
    Known("$recursiveRef", Draft201909, Draft201909, &[]),
    Known("$defs", Draft4, Draft202012, &[]),
    Known("definitions", Draft4, Draft202012, &[]),
    Known("type", Draft4, Draft202012, &[]),
    Known("enum", Draft4, Draft202012, &[]),
    Known("const", Draft6, Draft202012, &[]),
    Known("allOf", Draft4, Draft202012, &[]),
    Known("anyOf", Draft4, Draft202012, &[]),
    Known("oneOf", Draft4, Draft202012, &[]),
    Known("not", Draft4, Draft202012, &[]),
    Known("if", Draft7, Draft202012, &[]),
    Known("then", Draft7, Draft202012, &[]),
    Known("else", Draft7, Draft202012, &[]),
    Known("format", Draft4, Draft202012, &[]),
    Known("minimum", Draft4, Draft202012, NUMBERS),
    Known("maximum", Draft4, Draft202012, NUMBERS),
    Known("exclusiveMinimum", Draft4, Draft202012, NUMBERS),
    Known("exclusiveMaximum", Draft4, Draft202012, NUMBERS),
    Known("multipleOf", Draft4, Draft202012, NUMBERS),
    Known("minLength", Draft4, Draft202012, STRINGS),
    Known("maxLength", Draft4, Draft202012, STRINGS),
    Known("pattern", Draft4, Draft202012, STRINGS),
    Known("contentEncoding", Draft7, Draft202012, STRINGS),
    Known("contentMediaType", Draft7, Draft202012, STRINGS),
    Known("contentSchema", Draft201909, Draft202012, STRINGS),
    Known("items", Draft4, Draft202012, ARRAYS),
    Known("prefixItems", Draft202012, Draft202012, ARRAYS),
    Known("additionalItems", Draft4, Draft201909, ARRAYS),
    Known("unevaluatedItems", Draft201909, Draft202012, ARRAYS),
    Known("contains", Draft6, Draft202012, ARRAYS),
    Known("minContains", Draft201909, Draft202012, ARRAYS),
    Known("maxContains", Draft201909, Draft202012, ARRAYS),
    Known("minItems", Draft4, Draft202012, ARRAYS),
    Known("maxItems", Draft4, Draft202012, ARRAYS),
    Known("uniqueItems", Draft4, Draft202012, ARRAYS),
    Known("properties", Draft4, Draft202012, OBJECTS),
    Known("patternProperties", Draft4, Draft202012, OBJECTS),
    Known("additionalProperties", Draft4, Draft202012, OBJECTS),
    Known("unevaluatedProperties", Draft201909, Draft202012, OBJECTS),
    Known("propertyNames", Draft6, Draft202012, OBJECTS),
    Known("required", Draft4, Draft202012, OBJECTS),
    Known("minProperties", Draft4, Draft202012, OBJECTS),
    Known("maxProperties", Draft4, Draft202012, OBJECTS),
    Known("dependencies", Draft4, Draft202012, OBJECTS),
    Known("dependentRequired", Draft201909, Draft202012, OBJECTS),
    Known("dependentSchemas", Draft201909, Draft202012, OBJECTS),
    Known("$schema", Draft4, Draft202012, &[]),
    Known("$id", Draft6, Draft202012, &[]),
    Known("id", Draft4, Draft4, &[]),
];

/// What only informs, and is meant to.
const ANNOTATIONS: [&str; 18] = [
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "externalDocs",
    "xml",
    "discriminator",
    "enumNames",
    "propertyOrdering",
];

/// Names from other languages that are too far from a keyword to be a slip of the fingers.
const ALIASES: [(&str, &str); 14] = [
    ("min", "minimum"),
    ("max", "maximum"),
    ("gte", "minimum"),
    ("lte", "maximum"),
    ("gt", "exclusiveMinimum"),
    ("lt", "exclusiveMaximum"),
    ("regex", "pattern"),
    ("values", "enum"),
    ("optional", "required"),
    ("fields", "properties"),
    ("props", "properties"),
    ("unique", "uniqueItems"),
    ("element", "items"),
    ("elements", "items"),
];

/// The formats that any draft knows.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "uri-template",
    "iri",
    "iri-reference",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Looks at every keyword of a schema.
pub(super) fn remarks(schema: Node<'_>, remarks: &mut Remarks<'_>) {
    let mut reader = Reader { remarks, options: jsonschema::options() };
    reader.schema(schema, dialect(schema));
}

struct Reader<'r, 'd> {
    remarks: &'r mut Remarks<'d>,
    options: jsonschema::ValidationOptions<'static>,
}

impl Reader<'_, '_> {
    fn does_nothing(&mut self, node: Node<'_>, message: String, fix: &str) {
        self.remarks.add(RemarkKind::DoesNothing, node, message, fix.to_owned());
    }

    /// Recursion is bounded by the depth limit of the reader of JSON.
    fn schema(&mut self, schema: Node<'_>, draft: Draft) {
        if schema.kind() != Kind::Object {
            return;
        }
        let alone =
            is_legacy(draft) && schema.get("$ref").is_some_and(|node| node.as_str().is_some());
        for member in schema.members() {
            let name = member.name.as_str().unwrap_or_default();
            if ANNOTATIONS.contains(&name) || name.starts_with("x-") {
                continue;
            }
            if alone {
                if matches!(name, "definitions" | "$defs" | "$schema" | "$id" | "id") {
                    self.below(member, draft);
                } else if name != "$ref" {
                    let shown = visible(&cut(name, MAX_ECHO)).into_owned();
                    self.does_nothing(
                        member.name,
                        format!(
                            "{shown} does nothing beside $ref: up to draft-07, $ref stands alone"
                        ),
                        "Put both into allOf, or use draft 2019-09 or later.",
                    );
                }
                continue;
            }
            match KEYWORDS.iter().find(|known| known.0 == name) {
                Some(known) => {
                    self.known(schema, member, known, draft);
                    self.below(member, draft);
                }
                None => self.unknown(member, name),
            }
        }
    }

    fn unknown(&mut self, member: Member<'_>, name: &str) {
        if name == "nullable" {
            let fix = match member.value.as_bool() {
                Some(false) => "Remove it: what type does not name is refused.",
                _ => "Write \"null\" into type, as in [\"string\", \"null\"].",
            };
            let message =
                "nullable does nothing: it is a word of OpenAPI 3.0, not of JSON Schema".to_owned();
            return self.does_nothing(member.name, message, fix);
        }
        let names: Vec<&str> = KEYWORDS.iter().map(|known| known.0).collect();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, meant)| *meant);
        let shown = visible(&cut(name, MAX_ECHO)).into_owned();
        let message = format!("{shown} does nothing: it is no keyword of JSON Schema");
        // Case alone may differ: `minlength`.
        let meant = alias
            .or_else(|| names.iter().find(|known| known.eq_ignore_ascii_case(name)).copied())
            .or_else(|| nearest(name, &names));
        match meant {
            Some(meant) => {
                let fix = format!("Did you mean {meant}?");
                self.remarks.add(RemarkKind::Misspelt, member.name, message, fix);
            }
            None => self.does_nothing(member.name, message, "Remove it, or call it x-…."),
        }
    }

    fn known(&mut self, schema: Node<'_>, member: Member<'_>, known: &Known, draft: Draft) {
        let Known(name, from, until, about) = known;
        let value = member.value;
        if draft < *from || draft > *until {
            let message =
                format!("{name} does nothing in {}, only in {}", title(draft), span(*from, *until));
            return self.does_nothing(
                member.name,
                message,
                "Name the draft in $schema, or use a keyword of this one.",
            );
        }
        let types = types_of(schema);
        let applies =
            about.is_empty() || types.is_empty() || types.iter().any(|name| about.contains(name));
        if !applies {
            let message = format!(
                "{name} does nothing here: it is about {}s, and type is {}",
                about[0],
                types.join(" or ")
            );
            return self.does_nothing(member.name, message, "Correct the type, or remove it.");
        }
        self.beside(schema, member, name, draft);
        match *name {
            "exclusiveMinimum" | "exclusiveMaximum"
                if draft > Draft4 && value.as_bool().is_some() =>
            {
                let message =
                    format!("{name} with true or false is draft-04, not {}", title(draft));
                self.does_nothing(member.name, message, "Give it the limit itself, a number.");
            }
            "contentEncoding" | "contentMediaType" | "contentSchema" => {
                let message = format!("{name} only informs: nothing is checked");
                self.does_nothing(member.name, message, "Use pattern, if it matters.");
            }
            "minLength" | "minItems" | "minProperties"
                if value.as_number().is_some_and(|number| number.literal() == "0") =>
            {
                let message = format!("{name} 0 excludes nothing");
                self.does_nothing(member.name, message, "Use 1 or more.");
            }
            "format" => self.format(schema, value, draft),
            "required" => self.required(schema, value),
            _ => {}
        }
    }

    /// Keywords that need another one.
    fn beside(&mut self, schema: Node<'_>, member: Member<'_>, name: &str, draft: Draft) {
        let has = |other: &str| schema.get(other).is_some();
        let needs = match name {
            "minContains" | "maxContains" if !has("contains") => "contains",
            "then" | "else" if !has("if") => "if",
            "if" if !has("then") && !has("else") => "then or else",
            "additionalItems"
                if schema.get("items").is_none_or(|items| items.kind() != Kind::Array) =>
            {
                "items as an array"
            }
            "exclusiveMinimum" if draft == Draft4 && !has("minimum") => "minimum",
            "exclusiveMaximum" if draft == Draft4 && !has("maximum") => "maximum",
            _ => return,
        };
        let message = format!("{name} does nothing without {needs}");
        self.does_nothing(member.name, message, "Add that, or remove this.");
    }

    fn format(&mut self, schema: Node<'_>, value: Node<'_>, draft: Draft) {
        let Some(name) = value.as_str() else { return };
        let types = types_of(schema);
        if !types.is_empty() && !types.contains(&"string") {
            let message = format!(
                "format does nothing here: it is about strings, and type is {}",
                types.join(" or ")
            );
            return self.does_nothing(value, message, "Remove it.");
        }
        if self.options.is_known_format(draft, name) {
            return;
        }
        let shown = visible(&cut(name, MAX_ECHO)).into_owned();
        let message = format!("format {shown} is not checked: {} does not know it", title(draft));
        let known: Vec<&str> = FORMATS
            .into_iter()
            .filter(|known| self.options.is_known_format(draft, known))
            .collect();
        let fix = match nearest(name, &known) {
            Some(meant) => format!("Did you mean {meant}?"),
            None => "Use pattern, if it matters.".to_owned(),
        };
        self.remarks.add(RemarkKind::UnknownFormat, value, message, fix);
    }

    /// A required name that is almost one of those described.
    fn required(&mut self, schema: Node<'_>, value: Node<'_>) {
        let Some(properties) = schema.get("properties") else { return };
        let described: Vec<&str> =
            properties.members().filter_map(|member| member.name.as_str()).collect();
        for node in value.elements() {
            let Some(name) = node.as_str().filter(|name| !described.contains(name)) else {
                continue;
            };
            let near = nearest(name, &described);
            // Two described names that are alike are no slip.
            if let Some(near) = near
                && !value.elements().any(|other| other.as_str() == Some(near))
            {
                let shown = visible(&cut(name, MAX_ECHO)).into_owned();
                let message = format!("required names {shown}, which properties does not describe");
                let fix = format!("Did you mean {}?", visible(&cut(near, MAX_ECHO)));
                self.remarks.add(RemarkKind::Misspelt, node, message, fix);
            }
        }
    }

    /// The schemas inside a keyword.
    fn below(&mut self, member: Member<'_>, draft: Draft) {
        let value = member.value;
        match member.name.as_str().unwrap_or_default() {
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                value.elements().for_each(|schema| self.schema(schema, draft));
            }
            "items" if value.kind() == Kind::Array => {
                value.elements().for_each(|schema| self.schema(schema, draft));
            }
            "items"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "additionalProperties"
            | "additionalItems"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema" => self.schema(value, draft),
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
            | "dependencies" => {
                value.members().for_each(|member| self.schema(member.value, draft));
            }
            _ => {}
        }
    }
}

fn types_of(schema: Node<'_>) -> Vec<&str> {
    let Some(types) = schema.get("type") else { return Vec::new() };
    types.as_str().into_iter().chain(types.elements().filter_map(Node::as_str)).collect()
}

fn title(draft: Draft) -> &'static str {
    match draft {
        Draft4 => "draft-04",
        Draft6 => "draft-06",
        Draft7 => "draft-07",
        Draft201909 => "draft 2019-09",
        _ => "draft 2020-12",
    }
}

fn span(from: Draft, until: Draft) -> String {
    match (from == until, until == Draft202012) {
        (true, _) => title(from).to_owned(),
        (false, true) => format!("{} and later", title(from)),
        (false, false) => format!("{} to {}", title(from), title(until)),
    }
}
