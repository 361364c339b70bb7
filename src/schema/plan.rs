//! From a schema value to a [`Plan`]: every reachable schema object with its keywords typed and its
//! references resolved, or the fault that makes the schema unusable.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::Draft;
use referencing::{Resolver, Vocabulary};
use serde_json::{Map, Value};

use super::fault::Fault;
use super::keyword::{
    Assertion, Bound, Count, Format, Keyword, Limit, Rule, SchemaId, SchemaNode, TypeSet,
    keyword_alone,
};
use super::pattern::{Pattern, PatternError};

/// Schema objects in one plan. Dynamic scopes can multiply them.
const MAX_SCHEMAS: usize = 200_000;

/// Bytes that the patterns of one schema may hold compiled.
const MAX_PATTERN_MEMORY: usize = 16 << 20;

/// Everything that can be reached from the root schema.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) schemas: Vec<SchemaNode>,
    /// Whether any `unevaluated*` is among them, so that evaluation must be tracked.
    pub(super) tracks: bool,
    /// Whether its cost is linear in the data whoever evaluates it.
    pub(super) tame: bool,
}

/// The compiled patterns of a schema, by their source.
pub(super) type Patterns = HashMap<String, Arc<Pattern>>;

/// Builds the plan of the schema at `resolver`'s base.
pub(super) fn plan<'r>(
    root: &'r Value,
    resolver: Resolver<'r>,
    draft: Draft,
) -> Result<(Plan, Patterns), Fault> {
    let mut builder = Builder {
        plan: Plan::default(),
        known: HashMap::new(),
        waiting: Vec::new(),
        patterns: HashMap::new(),
        pattern_memory: 0,
        known_formats: jsonschema::options(),
    };
    builder.schedule(Site { value: root, resolver, draft, location: "#".to_owned() })?;
    while let Some((id, site)) = builder.waiting.pop() {
        builder.plan.schemas[id as usize] = builder.schema(&site)?;
    }
    Ok((builder.plan, builder.patterns))
}

/// A schema and how references in it resolve.
#[derive(Clone)]
struct Site<'r> {
    value: &'r Value,
    resolver: Resolver<'r>,
    draft: Draft,
    location: String,
}

/// What makes two visits of one schema the same: where it is, what its references are relative to,
/// and the resources passed on the way, which dynamic references look through.
type SiteKey = (usize, String, Vec<String>);

struct Builder<'r> {
    plan: Plan,
    known: HashMap<SiteKey, SchemaId>,
    waiting: Vec<(SchemaId, Site<'r>)>,
    patterns: Patterns,
    pattern_memory: usize,
    known_formats: jsonschema::ValidationOptions<'r>,
}

impl<'r> Builder<'r> {
    /// The number of the schema at a site, which is looked at later if it is new.
    fn schedule(&mut self, mut site: Site<'r>) -> Result<SchemaId, Fault> {
        site.draft = match site.draft.create_resource_ref(site.value).draft() {
            Draft::Unknown => site.draft,
            known => known,
        };
        let mut scope = Vec::new();
        // From the innermost to the outermost; only the outermost of equal ones decides.
        let visited: Vec<_> =
            site.resolver.dynamic_scope().iter().map(|uri| uri.as_str().to_owned()).collect();
        for uri in visited.into_iter().rev() {
            if !scope.contains(&uri) {
                scope.push(uri);
            }
        }
        let base = site.resolver.base_uri().as_str().to_owned();
        let key = (std::ptr::from_ref(site.value).addr(), base, scope);
        if let Some(id) = self.known.get(&key) {
            return Ok(*id);
        }
        if self.plan.schemas.len() >= MAX_SCHEMAS {
            return Err(Fault::too_many_schemas(&site.location));
        }
        let id = self.plan.schemas.len() as SchemaId;
        self.plan.schemas.push(SchemaNode::default());
        self.known.insert(key, id);
        self.waiting.push((id, site));
        Ok(id)
    }

    fn schema(&mut self, site: &Site<'r>) -> Result<SchemaNode, Fault> {
        let location = site.location.clone();
        let object = match site.value {
            Value::Object(object) => object,
            Value::Bool(boolean) => {
                return Ok(SchemaNode {
                    location,
                    boolean: Some(*boolean),
                    ..SchemaNode::default()
                });
            }
            _ => return Err(Fault::not_a_schema(&site.location)),
        };
        let legacy_reference =
            object.get("$ref").filter(|value| is_legacy(site.draft) && value.is_string());
        if let Some(reference) = legacy_reference {
            // Up to draft-07, `$ref` stands alone.
            let rule = self.reference(site, "$ref", reference)?;
            if let Some(definitions) = object.get("definitions") {
                self.named(site, "definitions", definitions)?;
            }
            let keywords = rule.map(|rule| Keyword { name: "$ref", rule }).into_iter().collect();
            return Ok(SchemaNode { location, keywords, ..SchemaNode::default() });
        }
        let vocabularies = site.resolver.find_vocabularies(site.draft, site.value);
        let validates =
            site.draft < Draft::Draft201909 || vocabularies.contains(&Vocabulary::Validation);
        let mut keywords = Vec::new();
        for (name, value) in object {
            let Some((name, rule)) = self.keyword(site, object, name, value)? else { continue };
            if validates || !matches!(rule, Rule::Assert(_)) || name == "format" {
                keywords.push(Keyword { name, rule });
            }
        }
        Ok(SchemaNode { location, keywords, described: described(object), ..SchemaNode::default() })
    }

    /// The meaning of one keyword beside its siblings; `None` where it means nothing here.
    fn keyword(
        &mut self,
        site: &Site<'r>,
        siblings: &'r Map<String, Value>,
        name: &str,
        value: &'r Value,
    ) -> Result<Option<(&'static str, Rule)>, Fault> {
        let draft = site.draft;
        let array_of_schemas =
            |value: &'r Value| value.as_array().map(Vec::as_slice).unwrap_or_default();
        let rule = match name {
            "$ref" => return Ok(self.reference(site, "$ref", value)?.map(|rule| ("$ref", rule))),
            "$dynamicRef" if draft >= Draft::Draft202012 => {
                return Ok(self
                    .reference(site, "$dynamicRef", value)?
                    .map(|rule| ("$dynamicRef", rule)));
            }
            "$recursiveRef" if draft == Draft::Draft201909 => {
                let rule = self.recursive_reference(site)?;
                return Ok(Some(("$recursiveRef", rule)));
            }
            "properties" => ("properties", Rule::Properties(self.named(site, name, value)?)),
            "patternProperties" => {
                let mut entries = Vec::new();
                for (source, schema) in self.named(site, name, value)? {
                    entries.push((
                        self.pattern(site, &["patternProperties", &source], &source)?,
                        schema,
                    ));
                }
                ("patternProperties", Rule::PatternProperties(entries))
            }
            "additionalProperties" => {
                let named = siblings.get("properties").and_then(Value::as_object);
                let patterned = siblings.get("patternProperties").and_then(Value::as_object);
                let mut patterns = Vec::new();
                for source in patterned.into_iter().flat_map(Map::keys) {
                    patterns.push(self.pattern(site, &["patternProperties", source], source)?);
                }
                let mut named: Vec<_> = named.into_iter().flat_map(Map::keys).cloned().collect();
                named.sort_unstable();
                let schema = self.child(site, &[name], value)?;
                ("additionalProperties", Rule::AdditionalProperties { schema, named, patterns })
            }
            "propertyNames" if draft > Draft::Draft4 => {
                ("propertyNames", Rule::PropertyNames(self.child(site, &[name], value)?))
            }
            "prefixItems" if draft >= Draft::Draft202012 => {
                ("prefixItems", Rule::PrefixItems(self.listed(site, name, value)?))
            }
            "items" => match value {
                Value::Array(_) if draft < Draft::Draft202012 => {
                    ("items", Rule::PrefixItems(self.listed(site, name, value)?))
                }
                Value::Array(_) => return Ok(None),
                _ => {
                    let prefix =
                        siblings.get("prefixItems").filter(|_| draft >= Draft::Draft202012);
                    let from = prefix.map_or(0, |prefix| array_of_schemas(prefix).len());
                    let schema = self.child(site, &[name], value)?;
                    ("items", Rule::Items { schema, from, count_once: false })
                }
            },
            "additionalItems" if draft < Draft::Draft202012 => {
                let schema = self.child(site, &[name], value)?;
                let Some(Value::Array(prefix)) = siblings.get("items") else { return Ok(None) };
                ("additionalItems", Rule::Items { schema, from: prefix.len(), count_once: true })
            }
            "contains" if draft > Draft::Draft4 => {
                let modern = draft >= Draft::Draft201909;
                let count = |name| siblings.get(name).filter(|_| modern).and_then(Count::parse);
                let (min, max) = (count("minContains"), count("maxContains"));
                let schema = self.child(site, &[name], value)?;
                let evaluates = draft >= Draft::Draft202012;
                ("contains", Rule::Contains { schema, min, max, evaluates })
            }
            "allOf" => ("allOf", Rule::AllOf(self.listed(site, name, value)?)),
            "anyOf" => ("anyOf", Rule::AnyOf(self.listed(site, name, value)?)),
            "oneOf" => ("oneOf", Rule::OneOf(self.listed(site, name, value)?)),
            "not" => ("not", Rule::Not(self.child(site, &[name], value)?)),
            "if" if draft >= Draft::Draft7 => {
                let mut branch = |name: &'static str| {
                    siblings.get(name).map(|value| self.child(site, &[name], value)).transpose()
                };
                let (then, otherwise) = (branch("then")?, branch("else")?);
                let condition = self.child(site, &[name], value)?;
                ("if", Rule::If { condition, then, otherwise })
            }
            "dependentSchemas" if draft >= Draft::Draft201909 => {
                ("dependentSchemas", Rule::DependentSchemas(self.named(site, name, value)?))
            }
            "dependencies" => return self.dependencies(site, value),
            // Applied by nobody or by a reference; every schema in them must be sound all the same.
            "$defs" | "definitions" => {
                self.named(site, name, value)?;
                return Ok(None);
            }
            "then" | "else" | "contentSchema" => {
                self.child(site, &[name], value)?;
                return Ok(None);
            }
            "unevaluatedProperties" if draft >= Draft::Draft201909 => {
                self.plan.tracks = true;
                (
                    "unevaluatedProperties",
                    Rule::UnevaluatedProperties(self.child(site, &[name], value)?),
                )
            }
            "unevaluatedItems" if draft >= Draft::Draft201909 => {
                self.plan.tracks = true;
                ("unevaluatedItems", Rule::UnevaluatedItems(self.child(site, &[name], value)?))
            }
            _ => return self.assertion(site, siblings, name, value),
        };
        Ok(Some(rule))
    }

    fn assertion(
        &mut self,
        site: &Site<'r>,
        siblings: &'r Map<String, Value>,
        name: &str,
        value: &'r Value,
    ) -> Result<Option<(&'static str, Rule)>, Fault> {
        let draft = site.draft;
        let count = |make: fn(Count) -> Assertion| Count::parse(value).map(make);
        let is_true = |name: &str| siblings.get(name) == Some(&Value::Bool(true));
        let limit = || value.as_number().map(|number| Limit::new(number.as_str().to_owned()));
        let bound = |bound| limit().map(|limit| Assertion::Bound { bound, limit });
        let assertion = match name {
            "type" => ("type", Some(Assertion::Type(TypeSet::parse(value, draft)))),
            "enum" => ("enum", value.as_array().cloned().map(Assertion::Enum)),
            "const" if draft > Draft::Draft4 => ("const", Some(Assertion::Const(value.clone()))),
            "minimum" if draft == Draft::Draft4 && is_true("exclusiveMinimum") => {
                ("minimum", bound(Bound::Above))
            }
            "maximum" if draft == Draft::Draft4 && is_true("exclusiveMaximum") => {
                ("maximum", bound(Bound::Below))
            }
            "minimum" => ("minimum", bound(Bound::AtLeast)),
            "maximum" => ("maximum", bound(Bound::AtMost)),
            "exclusiveMinimum" if draft > Draft::Draft4 => {
                ("exclusiveMinimum", bound(Bound::Above))
            }
            "exclusiveMaximum" if draft > Draft::Draft4 => {
                ("exclusiveMaximum", bound(Bound::Below))
            }
            "multipleOf" => ("multipleOf", multiple_of(value, draft)),
            "minLength" => ("minLength", count(Assertion::MinLength)),
            "maxLength" => ("maxLength", count(Assertion::MaxLength)),
            "minItems" => ("minItems", count(Assertion::MinItems)),
            "maxItems" => ("maxItems", count(Assertion::MaxItems)),
            "minProperties" => ("minProperties", count(Assertion::MinProperties)),
            "maxProperties" => ("maxProperties", count(Assertion::MaxProperties)),
            "uniqueItems" => {
                ("uniqueItems", (value == &Value::Bool(true)).then_some(Assertion::UniqueItems))
            }
            "required" => {
                ("required", value.is_array().then(|| Assertion::Required(strings(value))))
            }
            "dependentRequired" if draft >= Draft::Draft201909 => {
                let entries = value.as_object().map(|entries| {
                    entries.iter().map(|(name, names)| (name.clone(), strings(names))).collect()
                });
                ("dependentRequired", entries.map(Assertion::Dependencies))
            }
            "pattern" => {
                let Some(source) = value.as_str() else { return Ok(None) };
                ("pattern", Some(Assertion::Pattern(self.pattern(site, &["pattern"], source)?)))
            }
            "format" => {
                let name =
                    value.as_str().filter(|name| self.known_formats.is_known_format(draft, name));
                ("format", name.map(|name| Assertion::Format(Format::new(name, draft))))
            }
            _ => return Ok(None),
        };
        Ok(assertion.1.map(|made| (assertion.0, Rule::Assert(made))))
    }

    /// `dependencies` holds both kinds; the names count, the schemas apply.
    fn dependencies(
        &mut self,
        site: &Site<'r>,
        value: &'r Value,
    ) -> Result<Option<(&'static str, Rule)>, Fault> {
        let Some(entries) = value.as_object() else { return Ok(None) };
        let named: Vec<_> = entries
            .iter()
            .filter(|(_, needs)| !needs.is_object() && !needs.is_boolean())
            .map(|(name, needs)| (name.clone(), strings(needs)))
            .collect();
        let mut schemas = Vec::new();
        for (name, needs) in
            entries.iter().filter(|(_, needs)| needs.is_object() || needs.is_boolean())
        {
            schemas.push((name.clone(), self.child(site, &["dependencies", name], needs)?));
        }
        Ok(Some(match (named.is_empty(), schemas.is_empty()) {
            (true, _) => ("dependencies", Rule::DependentSchemas(schemas)),
            (false, true) => ("dependencies", Rule::Assert(Assertion::Dependencies(named))),
            (false, false) => {
                // Both kinds: the names go into a schema of their own that always applies.
                let id = self.plan.schemas.len() as SchemaId;
                let rule = Rule::Assert(Assertion::Dependencies(named));
                self.plan.schemas.push(SchemaNode {
                    location: site.location.clone(),
                    keywords: vec![
                        Keyword { name: "dependencies", rule },
                        Keyword { name: "dependencies", rule: Rule::DependentSchemas(schemas) },
                    ],
                    ..SchemaNode::default()
                });
                ("dependencies", Rule::Reference(id))
            }
        }))
    }

    fn reference(
        &mut self,
        site: &Site<'r>,
        keyword: &str,
        value: &Value,
    ) -> Result<Option<Rule>, Fault> {
        let Some(reference) = value.as_str() else { return Ok(None) };
        let resolved = site
            .resolver
            .lookup(reference)
            .map_err(|_| Fault::unresolvable(&site.location, keyword))?;
        let (value, resolver, draft) = resolved.into_inner();
        let location = location_of(&resolver, reference);
        self.schedule(Site { value, resolver, draft, location }).map(|id| Some(Rule::Reference(id)))
    }

    fn recursive_reference(&mut self, site: &Site<'r>) -> Result<Rule, Fault> {
        let resolved = site
            .resolver
            .lookup_recursive_ref()
            .map_err(|_| Fault::unresolvable(&site.location, "$recursiveRef"))?;
        let (value, resolver, draft) = resolved.into_inner();
        let location = location_of(&resolver, "#");
        self.schedule(Site { value, resolver, draft, location }).map(Rule::Reference)
    }

    fn child(
        &mut self,
        site: &Site<'r>,
        steps: &[&str],
        value: &'r Value,
    ) -> Result<SchemaId, Fault> {
        let location = below(&site.location, steps);
        let resource = site.draft.create_resource_ref(value);
        let unresolved = |_| Fault::unresolvable(&location, "$id");
        let resolver = site.resolver.in_subresource(resource).map_err(unresolved)?;
        self.schedule(Site { value, location, resolver, draft: site.draft })
    }

    fn named(
        &mut self,
        site: &Site<'r>,
        keyword: &str,
        value: &'r Value,
    ) -> Result<Vec<(String, SchemaId)>, Fault> {
        let entries = value.as_object().into_iter().flatten();
        entries
            .map(|(name, value)| Ok((name.clone(), self.child(site, &[keyword, name], value)?)))
            .collect()
    }

    fn listed(
        &mut self,
        site: &Site<'r>,
        keyword: &str,
        value: &'r Value,
    ) -> Result<Vec<SchemaId>, Fault> {
        let entries = value.as_array().into_iter().flatten().enumerate();
        entries.map(|(at, value)| self.child(site, &[keyword, &at.to_string()], value)).collect()
    }

    fn pattern(
        &mut self,
        site: &Site<'r>,
        steps: &[&str],
        source: &str,
    ) -> Result<Arc<Pattern>, Fault> {
        if let Some(known) = self.patterns.get(source) {
            return Ok(known.clone());
        }
        let location = below(&site.location, steps);
        let pattern = Pattern::compile(source).map_err(|error| match error {
            PatternError::Invalid => Fault::bad_pattern(&location),
            PatternError::TooCostly => Fault::costly_pattern(&location),
        })?;
        self.pattern_memory += pattern.memory();
        if self.pattern_memory > MAX_PATTERN_MEMORY {
            return Err(Fault::costly_pattern(&location));
        }
        let pattern = Arc::new(pattern);
        self.patterns.insert(source.to_owned(), pattern.clone());
        Ok(pattern)
    }
}

fn is_legacy(draft: Draft) -> bool {
    matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(single) => vec![single.clone()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn multiple_of(value: &Value, draft: Draft) -> Option<Assertion> {
    let divisor = value.as_number()?.as_str().to_owned();
    let exact = keyword_alone("multipleOf", value.clone(), draft)?;
    Some(Assertion::MultipleOf { divisor, exact })
}

fn described(object: &Map<String, Value>) -> Option<Vec<String>> {
    object.get("properties")?;
    Some(object.get("required").map(strings).unwrap_or_default())
}

/// The place that a reference leads to: a pointer in the root schema, else the whole URI.
fn location_of(resolver: &Resolver<'_>, reference: &str) -> String {
    let fragment = reference.split_once('#').map_or("", |(_, fragment)| fragment);
    let base = resolver.base_uri();
    let base = base.as_str().strip_prefix("json-schema:///").unwrap_or(base.as_str());
    format!("{base}#{fragment}")
}

/// A location some steps further, the steps as JSON Pointer tokens.
fn below(location: &str, steps: &[&str]) -> String {
    let mut location = location.to_owned();
    for step in steps {
        location.push('/');
        location.push_str(&step.replace('~', "~0").replace('/', "~1"));
    }
    location
}
