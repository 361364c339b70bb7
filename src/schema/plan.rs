//! From a schema value to a [`Plan`]: every reachable schema object with its keywords typed and its
//! references resolved, or the fault that makes the schema unusable.

mod flat;
mod keywords;

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::Draft;
use referencing::{Registry, Resolver, Uri, Vocabulary, VocabularySet};
use serde_json::Value;

use super::fault::Fault;
use super::keyword::{Assertion, Format, Keyword, Name, Rule, SchemaId, SchemaNode};
use super::location::{LocationId, Locations, SchemaStep};
use super::pattern::{Pattern, PatternError};
use super::scope::{BaseId, Offer, ScopeId, Scopes};
use super::written::{is_escaped, wtf8};

/// Schema objects in one plan beyond those that are written: dynamic scopes can multiply them.
const MAX_MULTIPLIED: usize = 20_000;

/// Bytes that the patterns of one schema may hold compiled.
const MAX_PATTERN_MEMORY: usize = 16 << 20;

/// Bytes in an identifier that others are resolved against.
const MAX_URI: usize = 2_000;

/// Everything that can be reached from the root schema.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) schemas: Vec<SchemaNode>,
    pub(super) locations: Locations,
    /// Whether any `unevaluated*` is among them, so that evaluation must be tracked.
    pub(super) tracks: bool,
    /// Whether its cost is linear in the data whoever evaluates it.
    pub(super) tame: bool,
}

/// The compiled patterns of a schema, by their source.
pub(super) type Patterns = HashMap<String, Arc<Pattern>>;

/// A plan, and what the second validator needs to know about it.
pub(super) struct Planned<'r> {
    pub(super) plan: Plan,
    pub(super) patterns: Patterns,
    /// For each schema what is written there, and the draft it is read in.
    sources: Vec<(&'r Value, Draft)>,
    /// Whether references lead from one resource to another.
    several_resources: bool,
}

/// Builds the plan of the schema at `base`.
pub(super) fn plan<'r>(
    root: &'r Value,
    registry: &'r Registry<'r>,
    base: Uri<String>,
    draft: Draft,
) -> Result<Planned<'r>, Fault> {
    let mut builder = Builder {
        registry,
        plan: Plan::default(),
        sources: Vec::new(),
        limit: MAX_MULTIPLIED + size(root),
        known: HashMap::new(),
        waiting: Vec::new(),
        bases: Vec::new(),
        base_ids: HashMap::new(),
        scopes: Scopes::default(),
        patterns: HashMap::new(),
        pattern_memory: 0,
        formats: HashMap::new(),
        assertions: HashMap::new(),
        known_formats: jsonschema::options(),
    };
    let base = builder.base(Arc::new(base), None)?;
    let location = builder.bases[base as usize].start;
    builder.schedule(Site { value: root, base, scope: 0, draft, location })?;
    while let Some((id, site)) = builder.waiting.pop() {
        builder.plan.schemas[id as usize] = builder.schema(site)?;
    }
    let several_resources = builder.bases.len() > 1;
    let Builder { plan, patterns, sources, .. } = builder;
    Ok(Planned { plan, patterns, sources, several_resources })
}

/// Values in a schema, itself included.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// A schema and how references in it resolve.
#[derive(Clone, Copy)]
struct Site<'r> {
    value: &'r Value,
    base: BaseId,
    scope: ScopeId,
    draft: Draft,
    location: LocationId,
}

/// A schema resource.
struct Base<'r> {
    uri: Arc<Uri<String>>,
    start: LocationId,
    /// Without any dynamic scope: the scope is kept here.
    resolver: Resolver<'r>,
    offer: Arc<Offer>,
    /// Of a schema in it that names no dialect itself.
    vocabularies: Option<VocabularySet>,
}

/// What makes two visits of one schema the same: where it is, what its references are relative to,
/// and what dynamic references find.
type SiteKey = (usize, BaseId, ScopeId);

struct Builder<'r> {
    registry: &'r Registry<'r>,
    plan: Plan,
    sources: Vec<(&'r Value, Draft)>,
    /// How many schemas the plan may have.
    limit: usize,
    known: HashMap<SiteKey, SchemaId>,
    waiting: Vec<(SchemaId, Site<'r>)>,
    bases: Vec<Base<'r>>,
    base_ids: HashMap<Arc<Uri<String>>, BaseId>,
    scopes: Scopes,
    patterns: Patterns,
    pattern_memory: usize,
    formats: HashMap<(String, Draft), Arc<Format>>,
    /// By the address of the keyword's value: a schema that is visited again shares them.
    assertions: HashMap<(usize, &'static str), Option<Arc<Assertion>>>,
    known_formats: jsonschema::ValidationOptions<'r>,
}

impl<'r> Builder<'r> {
    /// The number of the schema at a site, which is looked at later if it is new.
    fn schedule(&mut self, mut site: Site<'r>) -> Result<SchemaId, Fault> {
        match site.draft.detect(site.value) {
            Draft::Unknown => {}
            known => site.draft = known,
        }
        let offer = self.bases[site.base as usize].offer.clone();
        site.scope = self
            .scopes
            .enter(site.scope, site.base, &offer)
            .ok_or_else(|| self.too_many(site.location))?;
        let key = (std::ptr::from_ref(site.value).addr(), site.base, site.scope);
        if let Some(id) = self.known.get(&key) {
            return Ok(*id);
        }
        let id = self.reserve(site)?;
        self.known.insert(key, id);
        self.waiting.push((id, site));
        Ok(id)
    }

    /// The number of one schema more.
    fn reserve(&mut self, site: Site<'r>) -> Result<SchemaId, Fault> {
        if self.plan.schemas.len() >= self.limit {
            return Err(self.too_many(site.location));
        }
        let id = self.plan.schemas.len() as SchemaId;
        self.plan.schemas.push(SchemaNode { location: site.location, ..SchemaNode::default() });
        self.sources.push((site.value, site.draft));
        Ok(id)
    }

    fn schema(&mut self, site: Site<'r>) -> Result<SchemaNode, Fault> {
        let location = site.location;
        let object = match site.value {
            Value::Object(object) => object,
            Value::Bool(boolean) => {
                return Ok(SchemaNode {
                    location,
                    boolean: Some(*boolean),
                    ..SchemaNode::default()
                });
            }
            _ => return Err(Fault::not_a_schema(&self.plan.locations.text(location))),
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
        let validates = site.draft < Draft::Draft201909
            || self.vocabularies(site).contains(&Vocabulary::Validation);
        let mut keywords = Vec::new();
        for (name, value) in object {
            let Some((name, rule)) = self.keyword(site, object, name, value)? else { continue };
            if validates || !matches!(rule, Rule::Assert(_)) || name == "format" {
                keywords.push(Keyword { name, rule });
            }
        }
        let described = object.contains_key("properties").then(|| self.required(site, object));
        let described = described.transpose()?;
        Ok(SchemaNode { location, keywords, described, ..SchemaNode::default() })
    }

    fn vocabularies(&mut self, site: Site<'r>) -> VocabularySet {
        let base = &mut self.bases[site.base as usize];
        if site.value.get("$schema").is_some() {
            return base.resolver.find_vocabularies(site.draft, site.value);
        }
        let find = || base.resolver.find_vocabularies(site.draft, site.value);
        base.vocabularies.get_or_insert_with(find).clone()
    }

    /// The number of the resource with this URI, met at this site.
    fn base(&mut self, uri: Arc<Uri<String>>, met: Option<Site<'r>>) -> Result<BaseId, Fault> {
        if let Some(id) = self.base_ids.get(&uri) {
            return Ok(*id);
        }
        if uri.as_str().len() > MAX_URI {
            let location = met.map_or_else(|| "#".to_owned(), |site| self.text(site.location));
            return Err(Fault::costly_schema(&location, "has an identifier that is too long"));
        }
        let id = self.bases.len() as BaseId;
        // In the schema that was given, a place is a plain JSON Pointer.
        let uri_of_start = if met.is_none() { "" } else { uri.as_str() };
        let start = self.plan.locations.start(&format!("{uri_of_start}#"));
        let resolver = self.registry.resolver((*uri).clone());
        let offer = Arc::new(offer(&resolver));
        self.bases.push(Base { uri: uri.clone(), start, resolver, offer, vocabularies: None });
        self.base_ids.insert(uri, id);
        Ok(id)
    }

    fn reference(
        &mut self,
        site: Site<'r>,
        keyword: &'static str,
        value: &Value,
    ) -> Result<Option<Rule>, Fault> {
        let Some(reference) = value.as_str() else { return Ok(None) };
        let (uri, fragment) = reference.rsplit_once('#').unwrap_or((reference, ""));
        let base = if uri.is_empty() { site.base } else { self.against(site, keyword, uri)? };
        let mut target = self.lookup(site, keyword, base, fragment)?;
        if keyword == "$dynamicRef"
            && is_dynamic_anchor(target.value, fragment)
            && let Some(outermost) = self.scopes.anchor(site.scope, fragment)
        {
            target = self.lookup(site, keyword, outermost, fragment)?;
        }
        self.schedule(target).map(|id| Some(Rule::Reference(id)))
    }

    fn recursive_reference(&mut self, site: Site<'r>) -> Result<Rule, Fault> {
        let outermost = match self.bases[site.base as usize].offer.recursive {
            true => self.scopes.recursive(site.scope),
            false => None,
        };
        let base = outermost.unwrap_or(site.base);
        let target = self.lookup(site, "$recursiveRef", base, "")?;
        self.schedule(target).map(Rule::Reference)
    }

    /// The resource that a URI means at a site.
    fn against(
        &mut self,
        site: Site<'r>,
        keyword: &'static str,
        uri: &str,
    ) -> Result<BaseId, Fault> {
        let Base { resolver, uri: base, .. } = &self.bases[site.base as usize];
        match resolver.resolve_uri(&base.borrow(), uri) {
            Ok(uri) => self.base(uri, Some(site)),
            Err(_) => Err(self.unresolvable(site, keyword)),
        }
    }

    /// The schema that a fragment means in a resource, seen from a site.
    fn lookup(
        &mut self,
        site: Site<'r>,
        keyword: &'static str,
        base: BaseId,
        fragment: &str,
    ) -> Result<Site<'r>, Fault> {
        let Base { resolver, start, .. } = &self.bases[base as usize];
        let start = *start;
        let resolved = resolver
            .lookup(&format!("#{fragment}"))
            .map_err(|_| self.unresolvable(site, keyword))?;
        let (value, resolver, draft) = resolved.into_inner();
        // A pointer may lead into a resource within the resource.
        let base = self.base(resolver.base_uri(), Some(site))?;
        let location = self.plan.locations.fragment(start, fragment);
        Ok(Site { value, base, scope: site.scope, draft, location })
    }

    /// The schema in the value of a keyword.
    fn child(
        &mut self,
        site: Site<'r>,
        steps: &[SchemaStep<'_>],
        value: &'r Value,
    ) -> Result<SchemaId, Fault> {
        let location = self.plan.locations.below(site.location, steps);
        let mut site = Site { value, location, ..site };
        if let Some(id) = site.draft.create_resource_ref(value).id() {
            site.base = self.against(site, "$id", id)?;
        }
        self.schedule(site)
    }

    fn named(
        &mut self,
        site: Site<'r>,
        keyword: &'static str,
        value: &'r Value,
    ) -> Result<Vec<(Name, SchemaId)>, Fault> {
        let entries = value.as_object().into_iter().flatten();
        let mut named = Vec::new();
        for (name, value) in entries {
            let steps = [SchemaStep::Keyword(keyword), SchemaStep::Name(name)];
            named.push((wtf8(name).into(), self.child(site, &steps, value)?));
        }
        Ok(named)
    }

    fn listed(
        &mut self,
        site: Site<'r>,
        keyword: &'static str,
        value: &'r Value,
    ) -> Result<Vec<SchemaId>, Fault> {
        let entries = value.as_array().into_iter().flatten().enumerate();
        let step = |at| [SchemaStep::Keyword(keyword), SchemaStep::Index(at)];
        entries.map(|(at, value)| self.child(site, &step(at), value)).collect()
    }

    /// The pattern with this source, which stands some steps below the site.
    fn pattern(
        &mut self,
        site: Site<'r>,
        steps: &[SchemaStep<'_>],
        source: &str,
    ) -> Result<Arc<Pattern>, Fault> {
        if let Some(known) = self.patterns.get(source) {
            return Ok(known.clone());
        }
        let pattern = match Pattern::compile(source) {
            // No text of a pattern can be half a character.
            Ok(_) if is_escaped(source) => Err(PatternError::Invalid),
            Ok(pattern) => {
                self.pattern_memory += pattern.memory();
                let fits = self.pattern_memory <= MAX_PATTERN_MEMORY;
                fits.then_some(pattern).ok_or(PatternError::TooCostly)
            }
            Err(error) => Err(error),
        };
        let pattern = pattern.map_err(|error| {
            let location = self.plan.locations.below(site.location, steps);
            match error {
                PatternError::Invalid => Fault::bad_pattern(&self.text(location)),
                PatternError::TooCostly => Fault::costly_pattern(&self.text(location)),
            }
        })?;
        let pattern = Arc::new(pattern);
        self.patterns.insert(source.to_owned(), pattern.clone());
        Ok(pattern)
    }

    fn text(&self, location: LocationId) -> String {
        self.plan.locations.text(location)
    }

    fn too_many(&self, location: LocationId) -> Fault {
        Fault::too_many_schemas(&self.text(location))
    }

    fn unresolvable(&self, site: Site<'r>, keyword: &str) -> Fault {
        Fault::unresolvable(&self.text(site.location), keyword)
    }
}

/// What a resource offers to dynamic references, as far as it is written in it.
fn offer(resolver: &Resolver<'_>) -> Offer {
    let Ok(resolved) = resolver.lookup("#") else { return Offer::default() };
    let (root, _, draft) = resolved.into_inner();
    let mut offer = Offer {
        anchors: Vec::new(),
        recursive: draft == Draft::Draft201909
            && root.get("$recursiveAnchor") == Some(&Value::Bool(true)),
    };
    let mut waiting = if draft >= Draft::Draft202012 { vec![root] } else { Vec::new() };
    while let Some(value) = waiting.pop() {
        let anchor = value.get("$dynamicAnchor").and_then(Value::as_str);
        offer.anchors.extend(anchor.map(str::to_owned));
        let own = |value: &&Value| draft.create_resource_ref(value).id().is_none();
        waiting.extend(draft.subresources_of(value).filter(own));
    }
    offer
}

fn is_dynamic_anchor(value: &Value, name: &str) -> bool {
    !name.is_empty() && value.get("$dynamicAnchor").and_then(Value::as_str) == Some(name)
}

fn is_legacy(draft: Draft) -> bool {
    matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
}
