//! What a schema says of one place of the output, without an output: the schema objects that may
//! apply there, references followed.

use jsonschema::Draft;

use crate::json::{Kind, Node};

/// How many schema objects are looked at for one place.
const MAX_SCHEMAS: usize = 500;

/// The schema objects that may apply at one place.
#[derive(Debug, Clone)]
pub(super) struct Described<'d> {
    root: Node<'d>,
    draft: Draft,
    /// Each with whether it always applies, not only in a branch.
    schemas: Vec<(Node<'d>, bool)>,
    /// Whether a reference leads where this does not look, so that nothing can be said.
    pub(super) elsewhere: bool,
}

/// One step further.
#[derive(Debug)]
pub(super) struct Step<'d> {
    pub(super) described: Described<'d>,
    /// Whether any schema names the step, or allows it by a pattern.
    pub(super) declared: bool,
    /// Whether what is not named is refused.
    pub(super) closed: bool,
}

/// The dialect that a schema says it is in; 2020-12 without a word.
pub(super) fn dialect(schema: Node<'_>) -> Draft {
    match schema.get("$schema").and_then(Node::as_str).map(Draft::from_schema_uri) {
        None | Some(Draft::Unknown) => Draft::Draft202012,
        Some(draft) => draft,
    }
}

/// Whether `$ref` stands alone.
pub(super) fn is_legacy(draft: Draft) -> bool {
    draft < Draft::Draft201909
}

impl<'d> Described<'d> {
    /// The root of the output.
    pub(super) fn root(schema: Node<'d>) -> Self {
        let mut described =
            Self { root: schema, draft: dialect(schema), schemas: Vec::new(), elsewhere: false };
        described.add(schema, true);
        described
    }

    fn nothing(&self) -> Self {
        Self { schemas: Vec::new(), elsewhere: self.elsewhere, ..*self }
    }

    /// Adds a schema and those it applies to the same place.
    fn add(&mut self, schema: Node<'d>, always: bool) {
        let mut waiting = vec![(schema, always)];
        while let Some((schema, always)) = waiting.pop() {
            if schema.kind() != Kind::Object
                || self.schemas.len() >= MAX_SCHEMAS
                || self.schemas.iter().any(|(known, _)| known.id() == schema.id())
            {
                continue;
            }
            self.schemas.push((schema, always));
            if let Some(reference) = schema.get("$ref") {
                match reference.as_str().and_then(|text| self.local(text)) {
                    Some(target) => waiting.push((target, always)),
                    None => self.elsewhere = true,
                }
                if is_legacy(self.draft) {
                    continue;
                }
            }
            self.elsewhere |=
                schema.get("$dynamicRef").is_some() || schema.get("$recursiveRef").is_some();
            for (keyword, branch) in [("allOf", false), ("anyOf", true), ("oneOf", true)] {
                let list = schema.get(keyword).into_iter().flat_map(Node::elements);
                waiting.extend(list.map(|schema| (schema, always && !branch)));
            }
            for keyword in ["then", "else"] {
                waiting.extend(schema.get(keyword).map(|schema| (schema, false)));
            }
            let dependent = schema.get("dependentSchemas").into_iter().flat_map(Node::members);
            waiting.extend(dependent.map(|member| (member.value, false)));
        }
    }

    /// Where a reference within the document leads.
    fn local(&self, reference: &str) -> Option<Node<'d>> {
        let pointer = reference.strip_prefix('#')?;
        if pointer.contains('%') || !(pointer.is_empty() || pointer.starts_with('/')) {
            return None;
        }
        pointer.split('/').skip(1).try_fold(self.root, |node, token| {
            let token = token.replace("~1", "/").replace("~0", "~");
            match node.kind() {
                Kind::Array => node.element(token.parse().ok()?),
                _ => node.get(&token),
            }
        })
    }

    /// The schema objects, the first always being the one written at the place itself.
    pub(super) fn schemas(&self) -> impl Iterator<Item = Node<'d>> + '_ {
        self.schemas.iter().map(|(schema, _)| *schema)
    }

    /// The same without those that only apply in a branch.
    pub(super) fn always(&self) -> impl Iterator<Item = Node<'d>> + '_ {
        self.schemas.iter().filter(|(_, always)| *always).map(|(schema, _)| *schema)
    }

    /// The values of this keyword.
    pub(super) fn keyword(&self, name: &str) -> impl Iterator<Item = Node<'d>> + use<'_, 'd> {
        let name = name.to_owned();
        // Beside a reference that stands alone nothing else counts.
        let legacy = is_legacy(self.draft);
        self.schemas()
            .filter(move |schema| !(legacy && schema.get("$ref").is_some()))
            .filter_map(move |schema| schema.get(&name))
    }

    /// Whether any of these keywords is there.
    pub(super) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.keyword(name).next().is_some())
    }

    /// The types allowed, as far as `type`, `enum` and `const` say; none where any is.
    pub(super) fn types(&self) -> Option<Vec<&'d str>> {
        let mut types = Vec::new();
        for node in self.keyword("type") {
            types.extend(node.as_str());
            types.extend(node.elements().filter_map(Node::as_str));
        }
        let values = self.keyword("enum").flat_map(Node::elements).chain(self.keyword("const"));
        types.extend(values.map(|value| value.kind().name()));
        (!types.is_empty()).then_some(types)
    }

    /// Whether a value of this type is allowed in so many words.
    pub(super) fn names_type(&self, kind: Kind) -> bool {
        self.types().is_some_and(|types| {
            types
                .iter()
                .any(|name| *name == kind.name() || (kind == Kind::Number && *name == "integer"))
        })
    }

    /// The names that `properties` describes.
    pub(super) fn names(&self) -> Vec<&'d str> {
        let mut names: Vec<&str> = self
            .keyword("properties")
            .flat_map(Node::members)
            .filter_map(|member| member.name.as_str())
            .collect();
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(*name));
        names
    }

    /// Whether this name is always required.
    pub(super) fn requires(&self, name: &str) -> bool {
        self.always()
            .filter_map(|schema| schema.get("required"))
            .flat_map(Node::elements)
            .any(|required| required.as_str() == Some(name))
    }

    /// Into the member of this name.
    pub(super) fn member(&self, name: &str) -> Step<'d> {
        let mut step = Step { described: self.nothing(), declared: false, closed: false };
        let mut rest = Vec::new();
        for &(schema, always) in &self.schemas {
            if let Some(found) = schema.get("properties").and_then(|known| known.get(name)) {
                step.declared = true;
                step.described.add(found, always);
                continue;
            }
            // Which names a pattern matches is not looked at.
            let patterns = schema.get("patternProperties").filter(|patterns| !patterns.is_empty());
            for pattern in patterns.into_iter().flat_map(Node::members) {
                step.declared = true;
                step.described.add(pattern.value, false);
            }
            for keyword in ["additionalProperties", "unevaluatedProperties"] {
                let Some(others) = schema.get(keyword) else { continue };
                match others.as_bool() {
                    Some(false) if patterns.is_none() => step.closed = true,
                    Some(_) => {}
                    None => rest.push((others, always)),
                }
            }
        }
        for (schema, always) in rest {
            if !step.declared {
                step.described.add(schema, always);
            }
        }
        step.declared |= !step.described.schemas.is_empty();
        step.closed &= !step.declared;
        step
    }

    /// Into the elements.
    pub(super) fn element(&self) -> Step<'d> {
        let mut step = Step { described: self.nothing(), declared: false, closed: false };
        for &(schema, always) in &self.schemas {
            for keyword in ["items", "prefixItems", "additionalItems", "unevaluatedItems"] {
                let Some(items) = schema.get(keyword) else { continue };
                step.declared = true;
                match items.kind() {
                    Kind::Array => {
                        items.elements().for_each(|items| step.described.add(items, false));
                    }
                    _ => step.described.add(items, always),
                }
            }
        }
        step
    }
}
