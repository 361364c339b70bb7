//! A schema made ready: dialect, metaschema, references, patterns, cost. Nothing is ever fetched or
//! opened because a schema says so (SPEC 2.3).

use std::sync::Arc;

use jsonschema::json::Node as _;
use jsonschema::{
    Draft, Keyword, PatternOptions, Registry, Retrieve, Uri, ValidationError, Validator, uri,
};
use serde_json::Value;

use super::SchemaReport;
use super::budget::Budget;
use super::evaluate::evaluate;
use super::fault::{Fault, SchemaFault};
use super::multiple::Divisor;
use super::pattern::Pattern;
use super::plan::{Plan, Planned, plan};
use super::progress::ensure_progress;
use super::representation::{Meter, Reading, View};
use super::written::{is_escaped, to_value};
use crate::json::Node;

/// A usable schema.
pub struct Schema {
    plan: Plan,
    /// None where a second opinion is not to be had.
    referee: Option<Validator<Reading>>,
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schema").field("schemas", &self.plan.schemas.len()).finish()
    }
}

/// Documents that references may lead to, by URI; only tests of the engine itself have any.
pub type RemoteDocuments = Vec<(String, Value)>;

struct Offline(RemoteDocuments);

impl Retrieve for Offline {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let wanted = uri.as_str().trim_end_matches('#');
        let found = self.0.iter().find(|(known, _)| known == wanted);
        found.map(|(_, document)| document.clone()).ok_or_else(|| "nothing is fetched".into())
    }
}

impl Schema {
    /// Makes the schema ready, or says what is wrong with it.
    ///
    /// # Errors
    /// Every fault that was found: an unknown dialect, violations of the metaschema, a pattern that
    /// does not compile, a reference that leads nowhere, unreasonable cost.
    pub fn compile(schema: Node<'_>) -> Result<Self, Vec<SchemaFault>> {
        Self::compile_with(schema, Vec::new())
    }

    /// The same with documents at hand that references may lead to. No request reaches this.
    ///
    /// # Errors
    /// As [`Schema::compile`].
    pub fn compile_with(
        schema: Node<'_>,
        remotes: RemoteDocuments,
    ) -> Result<Self, Vec<SchemaFault>> {
        let value = to_value(schema);
        let draft = dialect(&value, &remotes).map_err(|fault| vec![fault])?;
        super::metaschema::check(schema, &value, draft)?;
        Self::build(&value, draft, remotes).map_err(|fault| vec![fault])
    }

    /// For a schema that is known to meet its metaschema.
    pub(super) fn build(
        value: &Value,
        draft: Draft,
        remotes: RemoteDocuments,
    ) -> Result<Self, Fault> {
        let resource = draft.create_resource_ref(value);
        let invalid_id = |_| Fault::unresolvable("#", "$id");
        let base = uri::from_str(resource.id().unwrap_or("json-schema:///")).map_err(invalid_id)?;
        let base = without_empty_fragment(base);
        let registry = Registry::new()
            .retriever(Offline(remotes.clone()))
            .draft(draft)
            .add(base.as_str(), resource)
            .and_then(|builder| builder.prepare())
            .map_err(|_| Fault::unresolvable("#", "$ref"))?;
        let mut planned = plan(value, &registry, base, draft)?;
        ensure_progress(&mut planned.plan)?;
        let referee = referee(value, draft, remotes, &planned)?;
        Ok(Self { plan: planned.plan, referee })
    }

    /// Checks an output.
    ///
    /// # Errors
    /// Where the check would cost too much, or two validators disagree: there is no verdict.
    pub fn check(&self, output: Node<'_>) -> Result<SchemaReport, SchemaFault> {
        // The walk goes first: it is the one that stops early where the cost is too high.
        let report = self.walk(output)?;
        let opinion = self.second_opinion(output)?;
        agree(report, opinion)
    }

    /// Whether [`Schema::walk`] and [`Schema::second_opinion`] may run side by side: both are then
    /// known to end in time linear in the output.
    #[must_use]
    pub fn is_tame(&self) -> bool {
        self.plan.tame
    }

    /// The first half of [`Schema::check`]: our own walk, which counts and explains.
    ///
    /// # Errors
    /// Where it would cost too much.
    pub fn walk(&self, output: Node<'_>) -> Result<SchemaReport, SchemaFault> {
        evaluate(&self.plan, output, output.document().value_count()).map_err(|fault| *fault)
    }

    /// The second half: whether the other validator finds the output valid. `None` where it cannot
    /// see all there is: it takes a lone surrogate for U+FFFD.
    ///
    /// # Errors
    /// Where it would cost too much.
    pub fn second_opinion(&self, output: Node<'_>) -> Result<Option<bool>, SchemaFault> {
        let Some(referee) = &self.referee else { return Ok(None) };
        let document = output.document();
        if document.has_lone_surrogates() {
            return Ok(None);
        }
        let meter = Meter::new(Budget::looks_for_values(document.value_count()));
        let valid = referee.is_valid(View::Value(output, &meter));
        if meter.is_exhausted() {
            return Err(Fault::costly_schema("#", "costs too much to evaluate on this output"));
        }
        Ok(Some(valid))
    }
}

/// The report, if the other validator has nothing against it. Two engines that share nothing but
/// the reading, the patterns and the formats: a payment must not hang on a fault in one of them.
///
/// # Errors
/// If they differ.
pub fn agree(report: SchemaReport, opinion: Option<bool>) -> Result<SchemaReport, SchemaFault> {
    match opinion {
        Some(valid) if valid != report.violations.is_empty() => Err(SchemaFault::disagreement()),
        _ => Ok(report),
    }
}

/// The dialect that `$schema` names; 2020-12 without it.
fn dialect(value: &Value, remotes: &RemoteDocuments) -> Result<Draft, Fault> {
    let Some(named) = value.get("$schema").and_then(Value::as_str) else {
        return Ok(Draft::Draft202012);
    };
    match Draft::from_schema_uri(named) {
        Draft::Unknown => {
            let named = named.trim_end_matches('#');
            let metaschema = remotes.iter().find(|(known, _)| known == named);
            metaschema.map_or(Err(Fault::unknown_dialect()), |(_, metaschema)| {
                dialect(metaschema, remotes)
            })
        }
        draft => Ok(draft),
    }
}

fn without_empty_fragment(mut base: Uri<String>) -> Uri<String> {
    if base.fragment().is_some_and(|fragment| fragment.as_str().is_empty()) {
        base.set_fragment(None);
    }
    base
}

/// The validator of the jsonschema crate, which every verdict must agree with. It shares the
/// patterns of the plan, whose cost is bounded, and the division of `multipleOf`, which is exact.
/// There is none where a schema has lone surrogates, of which that validator knows nothing, mixes
/// drafts, or names properties by patterns that need backtracking, which it does without bound; and
/// where `contains` stands in a 2019-09 schema with `unevaluatedItems`, which it takes for 2020-12.
fn referee(
    value: &Value,
    draft: Draft,
    remotes: RemoteDocuments,
    planned: &Planned<'_>,
) -> Result<Option<Validator<Reading>>, Fault> {
    if planned.names_are_irregular() || has_escapes(value) || planned.contains_evaluates_nothing() {
        return Ok(None);
    }
    let flat = if planned.needs_flattening() {
        let Some(flat) = planned.flat() else { return Ok(None) };
        Some(flat)
    } else {
        None
    };
    let unusable =
        |location: String| Fault::invalid(&location, "cannot be used", "Correct the schema.");
    let registry = Registry::new().retriever(Offline(remotes.clone())).draft(draft).prepare();
    let registry = registry.map_err(|_| unusable("#".to_owned()))?;
    let patterns = planned.patterns.clone();
    jsonschema::options_for::<Reading>()
        .with_registry(&registry)
        .with_retriever(Offline(remotes))
        .should_validate_formats(true)
        .without_content_media_type_support("application/json")
        .without_content_encoding_support("base64")
        .with_pattern_options(
            PatternOptions::fancy_regex().backtrack_limit(2_000_000).size_limit(64 << 20),
        )
        .with_keyword("pattern", move |_, value, _| {
            let known = value.as_str().and_then(|source| patterns.get(source));
            Ok(Box::new(Shared(known.cloned())))
        })
        .with_keyword("multipleOf", |_, value, _| {
            let literal = value.as_number().map(serde_json::Number::as_str);
            Ok(Box::new(Shared(literal.and_then(Divisor::new))))
        })
        .with_draft(draft)
        .build(flat.as_ref().unwrap_or(value))
        .map(Some)
        .map_err(|error| unusable(format!("#{}", error.schema_path())))
}

fn has_escapes(value: &Value) -> bool {
    match value {
        Value::String(text) => is_escaped(text),
        Value::Array(elements) => elements.iter().any(has_escapes),
        Value::Object(members) => {
            members.iter().any(|(name, value)| is_escaped(name) || has_escapes(value))
        }
        _ => false,
    }
}

/// A keyword by the plan's own means; none for what the plan has not met, which is never reached.
struct Shared<T>(Option<T>);

impl<'i> Keyword<'i, Reading> for Shared<Arc<Pattern>> {
    fn validate(&self, instance: View<'i>) -> Result<(), ValidationError<'i>> {
        verdict(self.is_valid(instance))
    }

    fn is_valid(&self, instance: View<'i>) -> bool {
        let (Some(pattern), Some(text)) = (&self.0, instance.as_string()) else { return true };
        pattern.is_match(&text, &mut Budget::for_values(0)).unwrap_or(false)
    }
}

impl<'i> Keyword<'i, Reading> for Shared<Divisor> {
    fn validate(&self, instance: View<'i>) -> Result<(), ValidationError<'i>> {
        verdict(self.is_valid(instance))
    }

    fn is_valid(&self, instance: View<'i>) -> bool {
        let View::Value(node, _) = instance else { return true };
        let (Some(divisor), Some(number)) = (&self.0, node.as_number()) else { return true };
        divisor.divides(number, &mut Budget::for_values(0)).unwrap_or(false)
    }
}

fn verdict<'i>(valid: bool) -> Result<(), ValidationError<'i>> {
    if valid { Ok(()) } else { Err(ValidationError::custom("does not hold")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};

    fn locations(schema: &str) -> Vec<String> {
        let document = read(schema, MAX_DEPTH).unwrap();
        let faults = Schema::compile(document.root()).err().unwrap_or_default();
        faults.into_iter().map(|fault| fault.location).collect()
    }

    #[test]
    fn unused_definitions_must_be_sound_too() {
        assert_eq!(locations(r#"{"$defs":{"a":{"pattern":"("}}}"#), ["#/$defs/a/pattern"]);
        assert_eq!(locations(r##"{"$defs":{"a":{"$ref":"#/nope"}}}"##), ["#/$defs/a/$ref"]);
        assert_eq!(locations(r#"{"then":{"pattern":"("}}"#), ["#/then/pattern"]);
        let legacy = r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"pattern":"("},"b":true},"$ref":"#/definitions/b"}"##;
        assert_eq!(locations(legacy), ["#/definitions/a/pattern"]);
        assert_eq!(locations(r#"{"enum":[{"pattern":"("}],"x-unknown":{"pattern":"("}}"#), [""; 0]);
    }

    #[test]
    fn what_the_metaschema_finds_is_explained() {
        assert_eq!(locations(r#"{"properties":{"a":{"type":"strnig"}}}"#), ["#/properties/a/type"]);
        assert_eq!(locations(r#"{"minimum":"3"}"#), ["#/minimum"]);
        assert_eq!(
            locations(r#"{"$schema":"http://json-schema.org/draft-04/schema#","required":[]}"#),
            ["#/required"]
        );
        assert_eq!(locations(r#"{"$schema":"https://example.com/mine"}"#), ["#/$schema"]);
    }
}
