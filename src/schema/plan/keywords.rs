//! The meaning of one keyword beside its siblings, in the draft of its schema.

use std::sync::Arc;

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::super::fault::Fault;
use super::super::keyword::{
    Assertion, Bound, Count, Format, Keyword, Limit, Name, Rule, SchemaId, SchemaNode, TypeSet,
};
use super::super::location::SchemaStep::{self, Keyword as At};
use super::super::multiple::Divisor;
use super::super::pattern::Pattern;
use super::super::values::ValueSet;
use super::super::written::wtf8;
use super::{Builder, Site};

/// A keyword's name and what it does; `None` where it means nothing.
type Meaning = Option<(&'static str, Rule)>;

impl<'r> Builder<'r> {
    /// The meaning of a keyword.
    pub(super) fn keyword(
        &mut self,
        site: Site<'r>,
        siblings: &'r Map<String, Value>,
        name: &str,
        value: &'r Value,
    ) -> Result<Meaning, Fault> {
        let draft = site.draft;
        let rule = match name {
            "$ref" => return Ok(self.reference(site, "$ref", value)?.map(|rule| ("$ref", rule))),
            "$dynamicRef" if draft >= Draft::Draft202012 => {
                let rule = self.reference(site, "$dynamicRef", value)?;
                return Ok(rule.map(|rule| ("$dynamicRef", rule)));
            }
            "$recursiveRef" if draft == Draft::Draft201909 => {
                ("$recursiveRef", self.recursive_reference(site)?)
            }
            "properties" => {
                ("properties", Rule::Properties(self.named(site, "properties", value)?))
            }
            "patternProperties" => {
                ("patternProperties", Rule::PatternProperties(self.patterned(site, value)?))
            }
            "additionalProperties" => {
                ("additionalProperties", self.additional_properties(site, siblings, value)?)
            }
            "propertyNames" if draft > Draft::Draft4 => {
                let schema = self.child(site, &[At("propertyNames")], value)?;
                ("propertyNames", Rule::PropertyNames(schema))
            }
            "prefixItems" if draft >= Draft::Draft202012 => {
                ("prefixItems", Rule::PrefixItems(self.listed(site, "prefixItems", value)?))
            }
            "items" => return self.items(site, siblings, value),
            "additionalItems" if draft < Draft::Draft202012 => {
                let schema = self.child(site, &[At("additionalItems")], value)?;
                let Some(Value::Array(prefix)) = siblings.get("items") else { return Ok(None) };
                ("additionalItems", Rule::Items { schema, from: prefix.len(), count_once: true })
            }
            "contains" if draft > Draft::Draft4 => {
                let modern = draft >= Draft::Draft201909;
                let count = |name| siblings.get(name).filter(|_| modern).and_then(Count::parse);
                let (min, max) = (count("minContains"), count("maxContains"));
                let schema = self.child(site, &[At("contains")], value)?;
                let evaluates = draft >= Draft::Draft202012;
                ("contains", Rule::Contains { schema, min, max, evaluates })
            }
            "allOf" => ("allOf", Rule::AllOf(self.listed(site, "allOf", value)?)),
            "anyOf" => ("anyOf", Rule::AnyOf(self.listed(site, "anyOf", value)?)),
            "oneOf" => ("oneOf", Rule::OneOf(self.listed(site, "oneOf", value)?)),
            "not" => ("not", Rule::Not(self.child(site, &[At("not")], value)?)),
            "if" if draft >= Draft::Draft7 => {
                let mut branch = |name: &'static str| {
                    siblings.get(name).map(|value| self.child(site, &[At(name)], value)).transpose()
                };
                let (then, otherwise) = (branch("then")?, branch("else")?);
                let condition = self.child(site, &[At("if")], value)?;
                ("if", Rule::If { condition, then, otherwise })
            }
            "dependentSchemas" if draft >= Draft::Draft201909 => {
                let entries = self.named(site, "dependentSchemas", value)?;
                ("dependentSchemas", Rule::DependentSchemas(entries))
            }
            "dependencies" => return self.dependencies(site, value),
            // Applied by nobody or by a reference; every schema in them must be sound all the same.
            "$defs" => return self.named(site, "$defs", value).map(|_| None),
            "definitions" => return self.named(site, "definitions", value).map(|_| None),
            "then" => return self.child(site, &[At("then")], value).map(|_| None),
            "else" => return self.child(site, &[At("else")], value).map(|_| None),
            "contentSchema" => {
                return self.child(site, &[At("contentSchema")], value).map(|_| None);
            }
            "unevaluatedProperties" if draft >= Draft::Draft201909 => {
                self.plan.tracks = true;
                let schema = self.child(site, &[At("unevaluatedProperties")], value)?;
                ("unevaluatedProperties", Rule::UnevaluatedProperties(schema))
            }
            "unevaluatedItems" if draft >= Draft::Draft201909 => {
                self.plan.tracks = true;
                let schema = self.child(site, &[At("unevaluatedItems")], value)?;
                ("unevaluatedItems", Rule::UnevaluatedItems(schema))
            }
            _ => {
                let Some(name) = assertion_name(name, draft) else { return Ok(None) };
                let assertion = self.assertion(site, siblings, name, value)?;
                return Ok(assertion.map(|assertion| (name, Rule::Assert(assertion))));
            }
        };
        Ok(Some(rule))
    }

    fn patterned(
        &mut self,
        site: Site<'r>,
        value: &'r Value,
    ) -> Result<Vec<(Arc<Pattern>, SchemaId)>, Fault> {
        let entries = value.as_object().into_iter().flatten();
        let mut patterned = Vec::new();
        for (source, schema) in entries {
            let steps = [At("patternProperties"), SchemaStep::Name(source)];
            let pattern = self.pattern(site, &steps, source)?;
            patterned.push((pattern, self.child(site, &steps, schema)?));
        }
        Ok(patterned)
    }

    fn additional_properties(
        &mut self,
        site: Site<'r>,
        siblings: &'r Map<String, Value>,
        value: &'r Value,
    ) -> Result<Rule, Fault> {
        let names = |keyword| siblings.get(keyword).and_then(Value::as_object);
        let mut patterns = Vec::new();
        for source in names("patternProperties").into_iter().flat_map(Map::keys) {
            let steps = [At("patternProperties"), SchemaStep::Name(source)];
            patterns.push(self.pattern(site, &steps, source)?);
        }
        let named = names("properties").into_iter().flat_map(Map::keys);
        let mut named: Vec<Name> = named.map(|name| wtf8(name).into()).collect();
        named.sort_unstable();
        let schema = self.child(site, &[At("additionalProperties")], value)?;
        Ok(Rule::AdditionalProperties { schema, named, patterns })
    }

    fn items(
        &mut self,
        site: Site<'r>,
        siblings: &'r Map<String, Value>,
        value: &'r Value,
    ) -> Result<Meaning, Fault> {
        let positional = site.draft < Draft::Draft202012;
        let rule = match value {
            Value::Array(_) if positional => Rule::PrefixItems(self.listed(site, "items", value)?),
            Value::Array(_) => return Ok(None),
            _ => {
                let prefix = siblings.get("prefixItems").filter(|_| !positional);
                let from = prefix.and_then(Value::as_array).map_or(0, Vec::len);
                let schema = self.child(site, &[At("items")], value)?;
                Rule::Items { schema, from, count_once: false }
            }
        };
        Ok(Some(("items", rule)))
    }

    /// `dependencies` holds both kinds; the names count, the schemas apply.
    fn dependencies(&mut self, site: Site<'r>, value: &'r Value) -> Result<Meaning, Fault> {
        let Some(entries) = value.as_object() else { return Ok(None) };
        let is_schema = |needs: &Value| needs.is_object() || needs.is_boolean();
        let mut named = Vec::new();
        let mut schemas = Vec::new();
        for (name, needs) in entries {
            if is_schema(needs) {
                let steps = [At("dependencies"), SchemaStep::Name(name)];
                schemas.push((wtf8(name).into(), self.child(site, &steps, needs)?));
            } else {
                named.push((wtf8(name).into(), strings(needs)));
            }
        }
        let names = || Rule::Assert(Arc::new(Assertion::Dependencies(named)));
        Ok(Some(match (schemas.len() == entries.len(), schemas.is_empty()) {
            (true, _) => ("dependencies", Rule::DependentSchemas(schemas)),
            (false, true) => ("dependencies", names()),
            (false, false) => {
                // Both kinds: they go into a schema of their own that always applies.
                let id = self.reserve(site)?;
                self.plan.schemas[id as usize] = SchemaNode {
                    location: site.location,
                    keywords: vec![
                        Keyword { name: "dependencies", rule: names() },
                        Keyword { name: "dependencies", rule: Rule::DependentSchemas(schemas) },
                    ],
                    ..SchemaNode::default()
                };
                ("dependencies", Rule::Reference(id))
            }
        }))
    }

    /// The names that an object requires, for those that have `properties`.
    pub(super) fn required(
        &mut self,
        site: Site<'r>,
        object: &'r Map<String, Value>,
    ) -> Result<Arc<Assertion>, Fault> {
        let required = object.get("required");
        let names = required.map(|value| self.assertion(site, object, "required", value));
        let names = names.transpose()?.flatten();
        Ok(names.unwrap_or_else(|| Arc::new(Assertion::Required(Vec::new()))))
    }

    /// An assertion; the same one for the same place in the schema.
    fn assertion(
        &mut self,
        site: Site<'r>,
        siblings: &'r Map<String, Value>,
        name: &'static str,
        value: &'r Value,
    ) -> Result<Option<Arc<Assertion>>, Fault> {
        let key = (std::ptr::from_ref(value).addr(), name);
        if let Some(known) = self.assertions.get(&key) {
            return Ok(known.clone());
        }
        let made = self.make_assertion(site, siblings, name, value)?.map(Arc::new);
        self.assertions.insert(key, made.clone());
        Ok(made)
    }

    fn make_assertion(
        &mut self,
        site: Site<'r>,
        siblings: &'r Map<String, Value>,
        name: &'static str,
        value: &'r Value,
    ) -> Result<Option<Assertion>, Fault> {
        let count = |make: fn(Count) -> Assertion| Count::parse(value).map(make);
        let is_true = |name: &str| siblings.get(name) == Some(&Value::Bool(true));
        let number = || value.as_number().map(|number| number.as_str().to_owned());
        let bound = |bound| Some(Assertion::Bound { bound, limit: Limit::new(number()?) });
        let legacy = site.draft == Draft::Draft4;
        Ok(match name {
            "type" => Some(Assertion::Type(TypeSet::parse(value, site.draft))),
            "enum" => value.as_array().and_then(ValueSet::new).map(Assertion::Enum),
            "const" => ValueSet::new([value]).map(Assertion::Const),
            "minimum" if legacy && is_true("exclusiveMinimum") => bound(Bound::Above),
            "maximum" if legacy && is_true("exclusiveMaximum") => bound(Bound::Below),
            "minimum" => bound(Bound::AtLeast),
            "maximum" => bound(Bound::AtMost),
            "exclusiveMinimum" => bound(Bound::Above),
            "exclusiveMaximum" => bound(Bound::Below),
            "multipleOf" => {
                let Some(literal) = number() else { return Ok(None) };
                let divisor = Divisor::new(&literal).ok_or_else(|| {
                    let location = self.plan.locations.text_of_keyword(site.location, name);
                    Fault::costly_schema(&location, "has too many digits to divide by")
                })?;
                Some(Assertion::MultipleOf(Arc::new(divisor)))
            }
            "minLength" => count(Assertion::MinLength),
            "maxLength" => count(Assertion::MaxLength),
            "minItems" => count(Assertion::MinItems),
            "maxItems" => count(Assertion::MaxItems),
            "minProperties" => count(Assertion::MinProperties),
            "maxProperties" => count(Assertion::MaxProperties),
            "uniqueItems" => (value == &Value::Bool(true)).then_some(Assertion::UniqueItems),
            "required" => value.is_array().then(|| Assertion::Required(strings(value))),
            "dependentRequired" => value.as_object().map(|entries| {
                let entry = |(name, names): (&String, &Value)| (wtf8(name).into(), strings(names));
                Assertion::Dependencies(entries.iter().map(entry).collect())
            }),
            "pattern" => {
                let Some(source) = value.as_str() else { return Ok(None) };
                Some(Assertion::Pattern(self.pattern(site, &[At("pattern")], source)?))
            }
            "format" => value.as_str().and_then(|name| self.format(name, site.draft)),
            _ => None,
        })
    }

    /// A format that the draft knows.
    fn format(&mut self, name: &str, draft: Draft) -> Option<Assertion> {
        if !self.known_formats.is_known_format(draft, name) {
            return None;
        }
        let known = self.formats.entry((name.to_owned(), draft));
        let format = known.or_insert_with(|| Arc::new(Format::new(name, draft)));
        Some(Assertion::Format(format.clone()))
    }
}

/// The name of an assertion that the draft knows.
fn assertion_name(name: &str, draft: Draft) -> Option<&'static str> {
    let known = [
        ("type", Draft::Draft4),
        ("enum", Draft::Draft4),
        ("const", Draft::Draft6),
        ("minimum", Draft::Draft4),
        ("maximum", Draft::Draft4),
        // In draft-04 booleans that go with `minimum` and `maximum`.
        ("exclusiveMinimum", Draft::Draft6),
        ("exclusiveMaximum", Draft::Draft6),
        ("multipleOf", Draft::Draft4),
        ("minLength", Draft::Draft4),
        ("maxLength", Draft::Draft4),
        ("minItems", Draft::Draft4),
        ("maxItems", Draft::Draft4),
        ("minProperties", Draft::Draft4),
        ("maxProperties", Draft::Draft4),
        ("uniqueItems", Draft::Draft4),
        ("required", Draft::Draft4),
        ("dependentRequired", Draft::Draft201909),
        ("pattern", Draft::Draft4),
        ("format", Draft::Draft4),
    ];
    known.into_iter().find(|(known, since)| *known == name && draft >= *since).map(|(name, _)| name)
}

fn strings(value: &Value) -> Vec<Name> {
    match value {
        Value::String(single) => vec![wtf8(single).into()],
        Value::Array(list) => {
            list.iter().filter_map(Value::as_str).map(|name| wtf8(name).into()).collect()
        }
        _ => Vec::new(),
    }
}
