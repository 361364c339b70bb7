//! The schema: types, what is required, formats, enums where they are evident.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::shape::Shape;
use super::{Ledger, Values, counted, seen};
use crate::json::{EqualityKey, Kind, MAX_DEPTH, Node, read};
use crate::schema::Schema;
use crate::template::names;
use crate::text::{MAX_ECHO, cut, visible};

/// The formats that are looked for, the most telling first.
const FORMATS: [&str; 7] = ["date-time", "date", "uuid", "ipv4", "ipv6", "email", "uri"];

/// The dialect of the schemas made here.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema that the samples suggest.
pub(super) fn infer(shape: &Shape<'_>, values: Values, ledger: &mut Ledger) -> Value {
    let mut writer = Writer { ledger, formats: Formats::default(), values };
    // The schema itself, and what stands inside it.
    let mut object = writer.schema(shape, MAX_DEPTH - 1);
    object.shift_insert(0, "$schema".to_owned(), DIALECT.into());
    Value::Object(object)
}

struct Writer<'l> {
    ledger: &'l mut Ledger,
    formats: Formats,
    values: Values,
}

impl Writer<'_> {
    /// `levels` are how many levels more a schema may have.
    fn schema(&mut self, shape: &Shape<'_>, levels: usize) -> Map<String, Value> {
        let mut schema = Map::new();
        let doubt = self.types(shape, &mut schema);
        let claim = match schema.get("type") {
            Some(types) => format!("type {}", types.to_string().replace('"', "")),
            None => "any value".to_owned(),
        };
        self.ledger.add(&shape.place, claim, seen(shape), shape.samples(), doubt);
        if shape.is_only(Kind::String) {
            self.texts(shape, &mut schema);
        }
        // A member lies two levels deeper, `properties` being one.
        let too_deep = levels < 4;
        if too_deep && (!shape.members.is_empty() || shape.element.is_some()) {
            let reason = format!("{}: nested too deep to be described further", shape.place);
            self.ledger.left_out.push(reason);
            return schema;
        }
        if !shape.members.is_empty() {
            self.members(shape, levels - 2, &mut schema);
        }
        if let Some(element) = &shape.element {
            let keyword = if shape.is_map { "additionalProperties" } else { "items" };
            if element.seen.is_empty() {
                let doubt = "the array is empty in all samples".to_owned();
                self.ledger.add(&element.place, "any value", "nothing", 0, Some(doubt));
            } else {
                if shape.is_map {
                    let because =
                        format!("{} under other names", counted(element.seen.len(), "value"));
                    let doubt = "the names are taken for data; describe them if they are fixed";
                    self.ledger.add(
                        &element.place,
                        "values of one kind under any name",
                        because,
                        shape.samples(),
                        Some(doubt.to_owned()),
                    );
                }
                schema.insert(keyword.to_owned(), self.schema(element, levels - 1).into());
            }
        }
        schema
    }

    fn members(&mut self, shape: &Shape<'_>, levels: usize, schema: &mut Map<String, Value>) {
        let objects = shape.count(Kind::Object);
        let (mut required, mut optional) = (Vec::new(), Vec::new());
        let mut properties = Map::new();
        for member in &shape.members {
            let list = if member.seen.len() == objects { &mut required } else { &mut optional };
            list.push(member.name);
            properties.insert(member.name.to_owned(), self.schema(member, levels).into());
        }
        schema.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
            let doubt = (objects < 2).then(|| "only one such object was seen".to_owned());
            self.ledger.add(
                &shape.place,
                format!("requires {}", listed(&required)),
                format!("in all of {}", counted(objects, "object")),
                shape.samples(),
                doubt,
            );
        }
        if !optional.is_empty() {
            self.ledger.add(
                &shape.place,
                format!("may have {}", listed(&optional)),
                format!("in some of {}", counted(objects, "object")),
                shape.samples(),
                None,
            );
        }
    }

    /// Writes `type`, and says why it may be wrong.
    fn types(&mut self, shape: &Shape<'_>, schema: &mut Map<String, Value>) -> Option<String> {
        if shape.seen.is_empty() {
            return Some("there is no value".to_owned());
        }
        if shape.is_only(Kind::Null) {
            return Some(
                "it is null in all samples, so nothing is known of other values".to_owned(),
            );
        }
        let mut doubt = None;
        let mut types: Vec<&str> = Vec::new();
        for kind in
            [Kind::Object, Kind::Array, Kind::String, Kind::Number, Kind::Boolean, Kind::Null]
        {
            if !shape.has(kind) {
                continue;
            }
            types.push(match kind {
                Kind::Number => {
                    let (name, reason) = number_type(shape);
                    doubt = reason;
                    name
                }
                kind => kind.name(),
            });
        }
        let values = types.iter().filter(|name| **name != "null").count();
        if values > 1 {
            doubt = Some("values of different types were seen".to_owned());
        }
        let types = match types.as_slice() {
            [single] => json!(single),
            several => json!(several),
        };
        schema.insert("type".to_owned(), types);
        doubt
    }

    fn texts(&mut self, shape: &Shape<'_>, schema: &mut Map<String, Value>) {
        let texts: Vec<_> = shape.seen.iter().map(|seen| seen.node).collect();
        if let Some(format) = self.formats.of_all(&texts) {
            schema.insert("format".to_owned(), format.into());
            let claim = format!("format {format}");
            self.ledger.add(&shape.place, claim, seen(shape), shape.samples(), None);
        } else if let Some(values) = evident_enum(&texts) {
            if self.values == Values::Hidden {
                let count = counted(values.len(), "value");
                let reason = format!("{}: one of {count}, which are not to be shown", shape.place);
                self.ledger.left_out.push(reason);
                return;
            }
            let claim = format!("one of {}", listed(&values));
            schema.insert("enum".to_owned(), json!(values));
            self.ledger.add(&shape.place, claim, seen(shape), shape.samples(), None);
        }
    }
}

/// `integer` only where the name says so or many different values do: an amount of 100 is a whole
/// number by accident.
fn number_type(shape: &Shape<'_>) -> (&'static str, Option<String>) {
    let numbers = shape.seen.iter().filter_map(|seen| seen.node.as_number());
    if !numbers.clone().all(|number| number.parts().is_integer()) {
        return ("number", None);
    }
    if numbers.clone().any(|number| number.is_float_literal()) {
        return (
            "number",
            Some("all values are whole, but some are written with a point".to_owned()),
        );
    }
    if names::is_count(shape.name) || shape.name.to_lowercase().ends_with("id") {
        return ("integer", None);
    }
    let different = different(shape);
    if shape.samples() >= 2 && different >= 5 && !names::is_amount(shape.name) {
        return ("integer", None);
    }
    let doubt = format!(
        "all values seen are whole ({different} different), perhaps by accident; integer would be stricter"
    );
    ("number", Some(doubt))
}

/// How many different values there are.
pub(super) fn different(shape: &Shape<'_>) -> usize {
    shape.seen.iter().map(|seen| EqualityKey::of(seen.node)).collect::<HashSet<_>>().len()
}

/// The values of an enum that is evident: a handful of short words, each seen again and again.
fn evident_enum(texts: &[Node<'_>]) -> Option<Vec<String>> {
    const MOST: usize = 6;
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for node in texts {
        let text = node.as_str().filter(|text| is_word(text))?;
        match counts.iter().position(|(known, _)| *known == text) {
            Some(at) => counts[at].1 += 1,
            None if counts.len() == MOST => return None,
            None => counts.push((text, 1)),
        }
    }
    let evident = counts.len() >= 2
        && texts.len() >= 8
        && texts.len() >= 4 * counts.len()
        && counts.iter().all(|(_, count)| *count >= 2);
    counts.sort_unstable();
    evident.then(|| counts.into_iter().map(|(text, _)| text.to_owned()).collect())
}

fn is_word(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=32).contains(&text.len())
        && text.bytes().all(plain)
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Names for people, each cut, and no more than a line of them.
fn listed(names: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 12;
    let mut shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| visible(&cut(name.as_ref(), MAX_ECHO)).into_owned())
        .collect();
    if names.len() > SHOWN {
        shown.push(format!("and {} more", names.len() - SHOWN));
    }
    shown.join(", ")
}

/// The checks of formats: the same that give verdicts, behind a look at the first bytes.
#[derive(Default)]
struct Formats(HashMap<&'static str, Option<Schema>>);

impl Formats {
    /// The first format that all texts have.
    fn of_all(&mut self, texts: &[Node<'_>]) -> Option<&'static str> {
        FORMATS.into_iter().find(|format| {
            texts.iter().all(|node| {
                let text = node.as_str().unwrap_or_default();
                might_be(format, text) && self.holds(format, *node)
            })
        })
    }

    fn holds(&mut self, format: &'static str, node: Node<'_>) -> bool {
        let schema = self.0.entry(format).or_insert_with(|| {
            let text = format!("{{\"$schema\":\"{DIALECT}\",\"format\":\"{format}\"}}");
            let document = read(text, MAX_DEPTH).ok()?;
            Schema::compile(document.root()).ok()
        });
        let report = schema.as_ref().and_then(|schema| schema.check(node).ok());
        report.is_some_and(|report| report.violations.is_empty())
    }
}

fn might_be(format: &str, text: &str) -> bool {
    let bytes = text.as_bytes();
    match format {
        "date-time" => bytes.len() >= 20 && bytes[4] == b'-',
        "date" => bytes.len() == 10 && bytes[4] == b'-',
        "uuid" => bytes.len() == 36 && bytes[8] == b'-',
        "ipv4" => bytes.iter().filter(|byte| **byte == b'.').count() == 3,
        "ipv6" => bytes.iter().filter(|byte| **byte == b':').count() >= 2,
        "email" => bytes.contains(&b'@'),
        // Anything with a colon is a URI by the letter of RFC 3986.
        _ => text.contains("://"),
    }
}
