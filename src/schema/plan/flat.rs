//! A plan as a schema without identifiers and anchors, for the second validator.
//!
//! That validator compiles a schema once for every path through the resources that lead to it: ten
//! resources that refer to each other are more than it can do. Here every schema of the plan
//! stands once, and references are plain pointers.

use std::sync::Arc;

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::super::keyword::{Assertion, Keyword, Name, Rule, SchemaId, SchemaNode};
use super::super::pattern::Pattern;
use super::Planned;

/// Long places above many schemas: that validator writes each of them out.
const MAX_LOCATIONS: usize = 4 << 20;

impl Planned<'_> {
    /// Whether the second validator should get the flat schema.
    pub(in super::super) fn needs_flattening(&self) -> bool {
        let length = |schema: &SchemaNode| self.plan.locations.length(schema.location);
        let locations: usize = self.plan.schemas.iter().map(length).sum();
        self.several_resources || locations > MAX_LOCATIONS
    }

    /// Whether a property is named by a pattern that only backtracking can match.
    pub(in super::super) fn names_are_irregular(&self) -> bool {
        self.plan.schemas.iter().flat_map(|schema| &schema.keywords).any(|keyword| {
            let Rule::PatternProperties(entries) = &keyword.rule else { return false };
            entries.iter().any(|(pattern, _)| !pattern.is_regular())
        })
    }

    /// Whether `contains` of 2019-09, which marks nothing as evaluated, stands where that matters.
    pub(in super::super) fn contains_evaluates_nothing(&self) -> bool {
        let mut keywords = self.plan.schemas.iter().flat_map(|schema| &schema.keywords);
        let silent = |rule: &Rule| matches!(rule, Rule::Contains { evaluates: false, .. });
        self.plan.tracks && keywords.any(|keyword| silent(&keyword.rule))
    }

    /// The plan as a schema; `None` where its parts are of several drafts.
    pub(in super::super) fn flat(&self) -> Option<Value> {
        let draft = self.sources.first()?.1;
        if self.sources.iter().any(|(_, other)| *other != draft) {
            return None;
        }
        let definitions: Map<String, Value> = (0..self.plan.schemas.len() as SchemaId)
            .filter(|id| self.plan.schemas[*id as usize].boolean.is_none())
            .map(|id| (id.to_string(), Value::Object(self.object(id, draft))))
            .collect();
        let root = self.target(0);
        let all = Value::Array(vec![root]);
        let members = [("allOf".to_owned(), all), ("$defs".to_owned(), definitions.into())];
        Some(Value::Object(members.into_iter().collect()))
    }

    /// A schema that leads to one of the plan.
    fn target(&self, id: SchemaId) -> Value {
        match self.plan.schemas[id as usize].boolean {
            Some(boolean) => Value::Bool(boolean),
            None => {
                let reference = Value::String(format!("#/$defs/{id}"));
                Value::Object([("$ref".to_owned(), reference)].into_iter().collect())
            }
        }
    }

    fn targets(&self, ids: &[SchemaId]) -> Value {
        Value::Array(ids.iter().map(|id| self.target(*id)).collect())
    }

    fn named(&self, entries: &[(Name, SchemaId)]) -> Map<String, Value> {
        entries.iter().map(|(name, id)| (text(name), self.target(*id))).collect()
    }

    fn object(&self, id: SchemaId, draft: Draft) -> Map<String, Value> {
        let written = self.sources[id as usize].0;
        let mut object = Map::new();
        // All references become branches of one `allOf`: in old drafts `$ref` would stand alone.
        let mut all = Vec::new();
        for Keyword { name, rule } in &self.plan.schemas[id as usize].keywords {
            let mut copy = |name: &str| {
                if let Some(value) = written.get(name) {
                    object.insert(name.to_owned(), value.clone());
                }
            };
            let value = match rule {
                Rule::Reference(id) => {
                    all.push(self.target(*id));
                    continue;
                }
                Rule::AllOf(ids) => {
                    all.extend(ids.iter().map(|id| self.target(*id)));
                    continue;
                }
                Rule::Assert(assertion) => match &**assertion {
                    Assertion::Dependencies(entries) if *name == "dependencies" => {
                        let names = |names: &[Name]| {
                            Value::Array(names.iter().map(|name| text(name).into()).collect())
                        };
                        let entries =
                            entries.iter().map(|(name, needs)| (text(name), names(needs)));
                        merge(&mut object, name, entries.collect());
                        continue;
                    }
                    _ => {
                        copy(name);
                        if draft == Draft::Draft4 && *name == "minimum" {
                            copy("exclusiveMinimum");
                        }
                        if draft == Draft::Draft4 && *name == "maximum" {
                            copy("exclusiveMaximum");
                        }
                        continue;
                    }
                },
                Rule::DependentSchemas(entries) => {
                    merge(&mut object, name, self.named(entries));
                    continue;
                }
                Rule::Contains { schema, .. } => {
                    copy("minContains");
                    copy("maxContains");
                    self.target(*schema)
                }
                Rule::If { condition, then, otherwise } => {
                    for (name, branch) in [("then", then), ("else", otherwise)] {
                        if let Some(id) = branch {
                            object.insert(name.to_owned(), self.target(*id));
                        }
                    }
                    self.target(*condition)
                }
                Rule::Properties(entries) => Value::Object(self.named(entries)),
                Rule::PatternProperties(entries) => {
                    let entry = |(pattern, id): &(Arc<Pattern>, SchemaId)| {
                        (pattern.source().to_owned(), self.target(*id))
                    };
                    Value::Object(entries.iter().map(entry).collect())
                }
                Rule::AnyOf(ids) | Rule::OneOf(ids) | Rule::PrefixItems(ids) => self.targets(ids),
                Rule::AdditionalProperties { schema: id, .. }
                | Rule::Items { schema: id, .. }
                | Rule::PropertyNames(id)
                | Rule::Not(id)
                | Rule::UnevaluatedProperties(id)
                | Rule::UnevaluatedItems(id) => self.target(*id),
            };
            object.insert((*name).to_owned(), value);
        }
        if !all.is_empty() {
            object.insert("allOf".to_owned(), Value::Array(all));
        }
        object
    }
}

fn merge(object: &mut Map<String, Value>, name: &str, entries: Map<String, Value>) {
    let known = object.entry(name).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(known) = known {
        known.extend(entries);
    }
}

/// A name as text; those with lone surrogates never come to the second validator.
fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
