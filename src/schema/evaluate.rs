//! The walk over schema and data: what fails, in which order, and how many assertions there were.
//!
//! Nothing is cut short, so the counts do not depend on what fails first. Inside `anyOf`, `oneOf`,
//! `not`, `if` and `contains` only the outcome matters; nothing is counted there (SPEC 4.4).

use super::SchemaReport;
use super::budget::{Budget, Exhausted};
use super::completeness::Completeness;
use super::failure::{Cause, Failure, describe};
use super::fault;
use super::keyword::{Assertion, Keyword, Rule, SchemaId, SchemaNode};
use super::pattern::PatternError;
use super::plan::Plan;
use crate::finding::Tally;
use crate::json::{Kind, Node};

use super::assertion::{look_ups, missing, missing_dependencies};

/// Boxed: it is rare, and every step hands back a result.
pub(super) type Fault = Box<fault::Fault>;

/// What noting a failure costs, in steps: it is remembered.
const FAILURE_STEPS: u64 = 10;

/// Evaluates the plan's root schema against a value.
pub(super) fn evaluate(plan: &Plan, root: Node<'_>, values: usize) -> Result<SchemaReport, Fault> {
    let mut walk = Walk {
        plan,
        root,
        budget: Budget::for_values(values),
        assertions: Tally::default(),
        failures: Vec::new(),
        completeness: Completeness::default(),
    };
    walk.apply(0, root, Region::COUNTED, &mut Vec::new())?;
    let assertions = walk.assertions;
    let completeness = std::mem::take(&mut walk.completeness).report(root);
    let mut failures = std::mem::take(&mut walk.failures);
    // By place; what is found at one place stays in the order of evaluation.
    failures.sort_by_key(|failure| failure.node);
    walk.begin_words();
    let (violations, unlisted_violations) = describe(&mut walk, &failures);
    Ok(SchemaReport {
        violations,
        unlisted_violations,
        assertions,
        completeness: completeness.tally,
        incomplete: completeness.incomplete,
        unlisted_incomplete: completeness.unlisted,
    })
}

/// What an application of a schema is for.
#[derive(Clone, Copy)]
pub(super) struct Region {
    /// Its assertions count.
    counts: bool,
    /// Its failures are noted.
    reports: bool,
    /// It describes objects (SPEC 6.4).
    describes: bool,
}

impl Region {
    const COUNTED: Self = Self { counts: true, reports: true, describes: true };
    /// Only whether it matches.
    pub(super) const PROBED: Self = Self { counts: false, reports: false, describes: false };
    /// Why it does not match.
    pub(super) const QUESTIONED: Self = Self { counts: false, reports: true, describes: false };

    pub(super) fn undescribed(self) -> Self {
        Self { describes: false, ..self }
    }
}

pub(super) struct Walk<'p, 'd> {
    pub(super) plan: &'p Plan,
    pub(super) root: Node<'d>,
    pub(super) budget: Budget,
    assertions: Tally,
    pub(super) failures: Vec<Failure<'p>>,
    completeness: Completeness<'p>,
}

/// The children of one value that some schema has evaluated, by id; only kept where the plan has
/// an `unevaluated*` to ask for them.
pub(super) type Evaluated = Vec<u32>;

/// Where a keyword is applied.
#[derive(Clone, Copy)]
pub(super) struct Here<'p, 'd> {
    pub(super) schema: &'p SchemaNode,
    pub(super) keyword: &'p Keyword,
    pub(super) node: Node<'d>,
    pub(super) region: Region,
    /// Where in `seen` this schema's own evaluations begin: it cannot look into its cousins.
    pub(super) own: usize,
}

impl<'p, 'd> Walk<'p, 'd> {
    /// Whether the value is valid against the schema. What it evaluates is added to `seen` if so.
    pub(super) fn apply(
        &mut self,
        id: SchemaId,
        node: Node<'d>,
        region: Region,
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let schema = &self.plan.schemas[id as usize];
        let steps = schema.surcharge + schema.keywords.len() as u64 / 4;
        self.budget.enter(steps).map_err(|Exhausted| self.costly(schema))?;
        let mark = seen.len();
        let valid = match schema.boolean {
            Some(valid) => {
                if !valid {
                    if region.counts {
                        self.assertions.count(false);
                    }
                    self.fail(schema, node, region, Cause::False)?;
                }
                valid
            }
            None => self.keywords(schema, node, region, seen)?,
        };
        if !valid {
            seen.truncate(mark);
        }
        self.budget.leave();
        Ok(valid)
    }

    /// Applies a schema to a child, whose own children are nobody's business here.
    pub(super) fn apply_to_child(
        &mut self,
        id: SchemaId,
        node: Node<'d>,
        region: Region,
    ) -> Result<bool, Fault> {
        self.apply(id, node, region, &mut Vec::new())
    }

    fn keywords(
        &mut self,
        schema: &'p SchemaNode,
        node: Node<'d>,
        region: Region,
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        if let (true, Some(required), Kind::Object) =
            (region.describes, &schema.described, node.kind())
        {
            self.describe_object(schema, required, node)?;
        }
        let own = seen.len();
        let mut valid = true;
        let mut deferred: Vec<(&'p Keyword, usize)> = Vec::new();
        for keyword in &schema.keywords {
            if matches!(keyword.rule, Rule::UnevaluatedProperties(_) | Rule::UnevaluatedItems(_)) {
                // Needs to know what all its siblings evaluate, wherever it is written.
                deferred.push((keyword, self.failures.len()));
                continue;
            }
            valid &= self.keyword(Here { schema, keyword, node, region, own }, seen)?;
        }
        let mut moved = 0;
        for (keyword, position) in deferred {
            let start = self.failures.len();
            valid &= self.keyword(Here { schema, keyword, node, region, own }, seen)?;
            let late = self.failures.len() - start;
            self.charge(schema, (start - position) as u64 / 8)?;
            self.failures[position + moved..].rotate_right(late);
            moved += late;
        }
        Ok(valid)
    }

    fn describe_object(
        &mut self,
        schema: &'p SchemaNode,
        required: &'p Assertion,
        object: Node<'d>,
    ) -> Result<(), Fault> {
        self.completeness.describe(object);
        let Assertion::Required(names) = required else { return Ok(()) };
        self.charge(schema, look_ups(names.len(), object) as u64)?;
        for name in missing(names, object) {
            self.completeness.miss(object, name);
        }
        Ok(())
    }

    fn keyword(&mut self, here: Here<'p, 'd>, seen: &mut Evaluated) -> Result<bool, Fault> {
        let Here { schema, keyword, node, region, .. } = here;
        match &keyword.rule {
            Rule::Assert(_) => self.assertion(here),
            Rule::Reference(id) => self.apply(*id, node, region, seen),
            Rule::AllOf(branches) => {
                let mut valid = true;
                for id in branches {
                    valid &= self.apply(*id, node, region, seen)?;
                }
                Ok(valid)
            }
            Rule::AnyOf(branches) => self.any_of(here, branches, seen),
            Rule::OneOf(branches) => self.one_of(here, branches, seen),
            Rule::Not(id) => {
                let matched = self.apply(*id, node, Region::PROBED, &mut Vec::new())?;
                self.outcome(here, !matched)
            }
            Rule::If { condition, then, otherwise } => {
                let held = self.apply(*condition, node, Region::PROBED, seen)?;
                if region.counts && (then.is_some() || otherwise.is_some()) {
                    self.assertions.count(true);
                }
                match if held { then } else { otherwise } {
                    Some(id) => self.apply(*id, node, region, seen),
                    None => Ok(true),
                }
            }
            Rule::DependentSchemas(entries) => {
                let mut valid = true;
                self.charge(schema, look_ups(entries.len(), node) as u64)?;
                for (name, id) in entries {
                    if node.get_wtf8(name).is_some() {
                        valid &= self.apply(*id, node, region.undescribed(), seen)?;
                    }
                }
                Ok(valid)
            }
            Rule::Properties(_)
            | Rule::PatternProperties(_)
            | Rule::AdditionalProperties { .. }
            | Rule::PropertyNames(_)
            | Rule::UnevaluatedProperties(_) => {
                if node.kind() == Kind::Object {
                    self.members(here, seen)
                } else {
                    Ok(true)
                }
            }
            Rule::PrefixItems(_)
            | Rule::Items { .. }
            | Rule::Contains { .. }
            | Rule::UnevaluatedItems(_) => {
                if node.kind() == Kind::Array {
                    self.elements(here, seen)
                } else {
                    Ok(true)
                }
            }
        }
    }

    fn assertion(&mut self, here: Here<'p, 'd>) -> Result<bool, Fault> {
        let Here { schema, keyword, node, region, .. } = here;
        let Rule::Assert(assertion) = &keyword.rule else { return Ok(true) };
        let tested = assertion.test(node, &mut self.budget).map_err(|error| match error {
            PatternError::TooCostly if keyword.name == "pattern" => {
                self.costly_pattern(schema, "pattern")
            }
            _ => self.costly(schema),
        })?;
        let Some(holds) = tested else { return Ok(true) };
        if region.counts {
            self.assertions.count(holds);
        }
        if !holds && region.reports {
            match &**assertion {
                Assertion::Required(names) => {
                    for name in missing(names, node) {
                        self.fail(schema, node, region, Cause::Missing(keyword, name))?;
                    }
                }
                Assertion::Dependencies(entries) => {
                    let mut seen = std::collections::HashSet::new();
                    for name in missing_dependencies(entries, node) {
                        if seen.insert(name) {
                            self.fail(schema, node, region, Cause::Missing(keyword, name))?;
                        }
                    }
                }
                _ => self.fail(schema, node, region, Cause::Keyword(keyword))?,
            }
        }
        Ok(holds)
    }

    fn any_of(
        &mut self,
        here: Here<'p, 'd>,
        branches: &'p [SchemaId],
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let mut matched = false;
        for id in branches {
            matched |= self.apply(*id, here.node, Region::PROBED, seen)?;
        }
        self.outcome(here, matched)
    }

    fn one_of(
        &mut self,
        here: Here<'p, 'd>,
        branches: &'p [SchemaId],
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let mut matching = 0;
        for id in branches {
            matching += usize::from(self.apply(*id, here.node, Region::PROBED, seen)?);
        }
        self.outcome(here, matching == 1)
    }

    /// Counts and notes one assertion.
    pub(super) fn outcome(&mut self, here: Here<'p, 'd>, holds: bool) -> Result<bool, Fault> {
        self.count(here.region, holds);
        if !holds {
            self.fail(here.schema, here.node, here.region, Cause::Keyword(here.keyword))?;
        }
        Ok(holds)
    }

    pub(super) fn count(&mut self, region: Region, holds: bool) {
        if region.counts {
            self.assertions.count(holds);
        }
    }

    /// Notes a failure, where failures are asked for.
    pub(super) fn fail(
        &mut self,
        schema: &'p SchemaNode,
        node: Node<'d>,
        region: Region,
        cause: Cause<'p>,
    ) -> Result<(), Fault> {
        if region.reports {
            self.charge(schema, FAILURE_STEPS)?;
            self.failures.push(Failure { node: node.id(), schema, cause });
        }
        Ok(())
    }

    /// Remembers that a child is evaluated, if anybody asks.
    #[inline]
    pub(super) fn saw(&self, child: Node<'d>, seen: &mut Evaluated) {
        if self.plan.tracks {
            seen.push(child.id());
        }
    }

    pub(super) fn charge(&mut self, schema: &SchemaNode, steps: u64) -> Result<(), Fault> {
        self.budget.charge(steps).map_err(|Exhausted| self.costly(schema))
    }

    fn costly(&self, schema: &SchemaNode) -> Fault {
        let location = self.plan.locations.text(schema.location);
        let problem = "costs too much to evaluate on this output";
        Box::new(fault::Fault::costly_schema(&location, problem))
    }

    pub(super) fn costly_pattern(&self, schema: &SchemaNode, keyword: &str) -> Fault {
        let location = self.plan.locations.text_of_keyword(schema.location, keyword);
        Box::new(fault::Fault::costly_pattern(&location))
    }
}
