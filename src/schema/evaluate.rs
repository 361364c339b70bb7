//! The walk over schema and data: what fails, in which order, and how many assertions there were.
//!
//! Nothing is cut short, so the counts do not depend on what fails first. Inside `anyOf`, `oneOf`,
//! `not`, `if` and `contains` only the outcome matters; nothing is counted there (SPEC 4.4).

use super::SchemaReport;
use super::budget::{Budget, Exhausted};
use super::completeness::Completeness;
use super::explain::{self, Words};
use super::fault;
use super::keyword::{Keyword, Rule, SchemaId, SchemaNode};
use super::pattern::PatternError;
use super::plan::Plan;
use crate::finding::{Tally, Violation};
use crate::json::{Kind, Node};
use crate::place::{Place, Step};

/// Boxed: it is rare, and every step hands back a result.
type Fault = Box<fault::Fault>;

/// Evaluates the plan's root schema against a value.
pub(super) fn evaluate(plan: &Plan, root: Node<'_>, values: usize) -> Result<SchemaReport, Fault> {
    let mut walk = Walk {
        plan,
        root,
        budget: Budget::for_values(values),
        assertions: Tally::default(),
        violations: Vec::new(),
        completeness: Completeness::default(),
    };
    walk.apply(0, root, Region::COUNTED, &mut Vec::new())?;
    let Walk { mut violations, assertions, completeness, .. } = walk;
    // By place; what is found at one place stays in the order of evaluation.
    violations.sort_by_key(|violation| violation.node);
    let (completeness, incomplete) = completeness.report(root);
    Ok(SchemaReport { violations, assertions, completeness, incomplete })
}

/// What an application of a schema is for.
#[derive(Clone, Copy)]
struct Region {
    /// Its assertions count.
    counts: bool,
    /// Its failures are described.
    reports: bool,
    /// It describes objects (SPEC 6.4).
    describes: bool,
}

impl Region {
    const COUNTED: Self = Self { counts: true, reports: true, describes: true };
    /// Only whether it matches.
    const PROBED: Self = Self { counts: false, reports: false, describes: false };
    /// Why it does not match.
    const QUESTIONED: Self = Self { counts: false, reports: true, describes: false };

    fn undescribed(self) -> Self {
        Self { describes: false, ..self }
    }
}

struct Walk<'p, 'd> {
    plan: &'p Plan,
    root: Node<'d>,
    budget: Budget,
    assertions: Tally,
    violations: Vec<Violation>,
    completeness: Completeness<'p>,
}

/// The children of one value that some schema has evaluated, by id; only kept where the plan has
/// an `unevaluated*` to ask for them.
type Evaluated = Vec<u32>;

/// Where a keyword is applied.
#[derive(Clone, Copy)]
struct Here<'p, 'd> {
    schema: &'p SchemaNode,
    keyword: &'p Keyword,
    node: Node<'d>,
    region: Region,
    /// Where in `seen` this schema's own evaluations begin: it cannot look into its cousins.
    own: usize,
}

impl<'p, 'd> Walk<'p, 'd> {
    /// Whether the value is valid against the schema. What it evaluates is added to `seen` if so.
    fn apply(
        &mut self,
        id: SchemaId,
        node: Node<'d>,
        region: Region,
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let schema = &self.plan.schemas[id as usize];
        self.budget.enter().map_err(|_| costly(schema))?;
        self.charge(schema, schema.surcharge)?;
        let mark = seen.len();
        let valid = match schema.boolean {
            Some(valid) => {
                self.outcome_of_boolean(schema, valid, node, region);
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
    fn apply_to_child(
        &mut self,
        id: SchemaId,
        node: Node<'d>,
        region: Region,
    ) -> Result<bool, Fault> {
        self.apply(id, node, region, &mut Vec::new())
    }

    fn outcome_of_boolean(
        &mut self,
        schema: &'p SchemaNode,
        valid: bool,
        node: Node<'d>,
        region: Region,
    ) {
        if valid {
            return;
        }
        if region.counts {
            self.assertions.count(false);
        }
        if region.reports {
            self.push("false", node, explain::nothing(node), &schema.location);
        }
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
            self.completeness.describe(node, required);
        }
        let own = seen.len();
        let mut valid = true;
        let mut deferred: Vec<(&'p Keyword, usize)> = Vec::new();
        for keyword in &schema.keywords {
            if matches!(keyword.rule, Rule::UnevaluatedProperties(_) | Rule::UnevaluatedItems(_)) {
                // Needs to know what all its siblings evaluate, wherever it is written.
                deferred.push((keyword, self.violations.len()));
                continue;
            }
            valid &= self.keyword(Here { schema, keyword, node, region, own }, seen)?;
        }
        let mut moved = 0;
        for (keyword, position) in deferred {
            let start = self.violations.len();
            valid &= self.keyword(Here { schema, keyword, node, region, own }, seen)?;
            let late = self.violations.split_off(start);
            let length = late.len();
            self.violations.splice(position + moved..position + moved, late);
            moved += length;
        }
        Ok(valid)
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
                Ok(self.outcome(here, !matched, explain::no_match))
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
                for (name, id) in entries {
                    self.charge(schema, 1)?;
                    if node.get(name).is_some() {
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
        let Rule::Assert(assertion) = &here.keyword.rule else { return Ok(true) };
        let tested = assertion.test(here.node, &mut self.budget).map_err(|error| match error {
            PatternError::TooCostly if here.keyword.name == "pattern" => {
                Box::new(fault::Fault::costly_pattern(&format!("{}/pattern", here.schema.location)))
            }
            _ => costly(here.schema),
        })?;
        let Some(holds) = tested else { return Ok(true) };
        if here.region.counts {
            self.assertions.count(holds);
        }
        if !holds && here.region.reports {
            let names = explain::missing_names(assertion, here.node);
            if names.is_empty() {
                self.report(here, explain::assertion(assertion, here.node));
            }
            for name in names {
                let place = Place::of(self.root, here.node).then(Step::name(name));
                self.push_at(
                    here.keyword.name,
                    place,
                    here.node,
                    explain::missing(),
                    &here.schema.location,
                );
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
        self.branches_outcome(here, branches, matched, false)
    }

    fn one_of(
        &mut self,
        here: Here<'p, 'd>,
        branches: &'p [SchemaId],
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let mut matching = Vec::new();
        for (at, id) in branches.iter().enumerate() {
            if self.apply(*id, here.node, Region::PROBED, seen)? {
                matching.push(at);
            }
        }
        if matching.len() > 1 {
            return Ok(self.outcome(here, false, || explain::several(&matching)));
        }
        self.branches_outcome(here, branches, matching.len() == 1, true)
    }

    /// Counts an `anyOf` or `oneOf`, and names the closest branch if none matched (SPEC 4.6).
    fn branches_outcome(
        &mut self,
        here: Here<'p, 'd>,
        branches: &'p [SchemaId],
        matched: bool,
        exactly_one: bool,
    ) -> Result<bool, Fault> {
        let words = if !matched && here.region.reports {
            let closest = self.closest(branches, here.node)?;
            explain::closest(exactly_one, closest.as_ref().map(|(at, first)| (*at, first)))
        } else {
            explain::no_match()
        };
        Ok(self.outcome(here, matched, || words))
    }

    /// The branch with the deepest first failure, then the fewest, then the first written.
    fn closest(
        &mut self,
        branches: &'p [SchemaId],
        node: Node<'d>,
    ) -> Result<Option<(usize, Violation)>, Fault> {
        let mut best: Option<((usize, usize), usize, Violation)> = None;
        for (at, id) in branches.iter().enumerate() {
            let start = self.violations.len();
            self.apply(*id, node, Region::QUESTIONED, &mut Vec::new())?;
            let mut failures = self.violations.split_off(start);
            failures.sort_by_key(|violation| violation.node);
            let count = failures.len();
            let Some(first) = failures.into_iter().next() else { continue };
            let rank = (first.place.steps().len(), usize::MAX - count);
            if best.as_ref().is_none_or(|(known, ..)| rank > *known) {
                best = Some((rank, at, first));
            }
        }
        Ok(best.map(|(_, at, first)| (at, first)))
    }

    fn members(&mut self, here: Here<'p, 'd>, seen: &mut Evaluated) -> Result<bool, Fault> {
        let Here { schema, keyword, node, region, own } = here;
        self.charge(schema, 1 + node.len() as u64 / 4)?;
        let mut valid = true;
        match &keyword.rule {
            Rule::Properties(entries) => {
                let mut near = 0;
                self.charge(schema, entries.len() as u64)?;
                for (name, id) in entries {
                    if let Some(value) = node.get_near(name, &mut near) {
                        valid &= self.apply_to_child(*id, value, region)?;
                        self.saw(value, seen);
                    }
                }
            }
            Rule::PatternProperties(entries) => {
                for member in node.members() {
                    let name = member.name.as_str().unwrap_or_default();
                    for (pattern, id) in entries {
                        if self.matches(here, pattern, name)? {
                            valid &=
                                self.apply_to_child(*id, member.value, region.undescribed())?;
                            self.saw(member.value, seen);
                        }
                    }
                }
            }
            Rule::AdditionalProperties { schema: id, named, patterns } => {
                let mut rest = Vec::new();
                for member in node.members() {
                    let name = member.name.as_str().unwrap_or_default();
                    let known = !member.name.has_lone_surrogate()
                        && named.binary_search_by(|known| known.as_str().cmp(name)).is_ok();
                    if !known && !self.matches_any(here, patterns, name)? {
                        rest.push(member.value);
                    }
                }
                valid = self.remaining(here, *id, &rest, Some("property"), seen)?;
            }
            Rule::UnevaluatedProperties(id) => {
                let values = node.members().map(|member| member.value);
                let rest = unseen(values, &seen[own..]);
                let here = Here { region: region.undescribed(), ..here };
                valid = self.remaining(here, *id, &rest, Some("property"), seen)?;
            }
            Rule::PropertyNames(id) => {
                for member in node.members() {
                    valid &= self.apply_to_child(*id, member.name, region.undescribed())?;
                }
            }
            _ => {}
        }
        Ok(valid)
    }

    fn elements(&mut self, here: Here<'p, 'd>, seen: &mut Evaluated) -> Result<bool, Fault> {
        let Here { schema, keyword, node, region, own } = here;
        self.charge(schema, 1)?;
        match &keyword.rule {
            Rule::PrefixItems(schemas) => {
                let region = if keyword.name == "items" { region } else { region.undescribed() };
                let mut valid = true;
                for (element, id) in node.elements().zip(schemas) {
                    valid &= self.apply_to_child(*id, element, region)?;
                    self.saw(element, seen);
                }
                Ok(valid)
            }
            Rule::Items { schema: id, from, count_once: false } => {
                let boolean = self.plan.schemas[*id as usize].boolean;
                let mut valid = true;
                for element in node.elements().skip(*from) {
                    if boolean != Some(true) {
                        valid &= self.apply_to_child(*id, element, region)?;
                    }
                    self.saw(element, seen);
                }
                Ok(valid)
            }
            Rule::Items { schema: id, from, count_once: true } => {
                let rest: Vec<_> = node.elements().skip(*from).collect();
                self.remaining(
                    Here { region: region.undescribed(), ..here },
                    *id,
                    &rest,
                    Some("item"),
                    seen,
                )
            }
            Rule::UnevaluatedItems(id) => {
                let rest = unseen(node.elements(), &seen[own..]);
                self.remaining(
                    Here { region: region.undescribed(), ..here },
                    *id,
                    &rest,
                    Some("item"),
                    seen,
                )
            }
            Rule::Contains { .. } => self.contains(here, seen),
            _ => Ok(true),
        }
    }

    fn contains(&mut self, here: Here<'p, 'd>, seen: &mut Evaluated) -> Result<bool, Fault> {
        let Rule::Contains { schema: id, min, max, evaluates } = &here.keyword.rule else {
            return Ok(true);
        };
        let mut count = 0;
        for element in here.node.elements() {
            if self.apply_to_child(*id, element, Region::PROBED)? {
                count += 1;
                if *evaluates {
                    self.saw(element, seen);
                }
            }
        }
        let unit = "matching item(s)";
        if count < min.as_ref().map_or(1, |min| min.value) {
            let bound = min.as_ref().map_or("1", |min| min.shown());
            return Ok(self.outcome(here, false, || explain::at_least(bound, count, unit)));
        }
        let most = max.as_ref().filter(|max| count > max.value);
        let words = || explain::at_most(most.map_or("", |max| max.shown()), count, unit);
        Ok(self.outcome(here, most.is_none(), words))
    }

    /// What no sibling takes care of: a schema is applied to each, `false` counts once for all.
    fn remaining(
        &mut self,
        here: Here<'p, 'd>,
        id: SchemaId,
        rest: &[Node<'d>],
        what: Option<&str>,
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let mut valid = true;
        match self.plan.schemas[id as usize].boolean {
            Some(true) => {}
            Some(false) => {
                valid = rest.is_empty();
                if here.region.counts {
                    self.assertions.count(valid);
                }
                for value in rest.iter().filter(|_| here.region.reports) {
                    let words = explain::no_such(what.unwrap_or("value"));
                    self.push(here.keyword.name, *value, words, &here.schema.location);
                }
            }
            None => {
                for value in rest {
                    valid &= self.apply_to_child(id, *value, here.region)?;
                }
            }
        }
        for value in rest {
            self.saw(*value, seen);
        }
        Ok(valid)
    }

    fn matches_any(
        &mut self,
        here: Here<'p, 'd>,
        patterns: &[std::sync::Arc<super::pattern::Pattern>],
        name: &str,
    ) -> Result<bool, Fault> {
        for pattern in patterns {
            if self.matches(here, pattern, name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn matches(
        &mut self,
        here: Here<'p, 'd>,
        pattern: &super::pattern::Pattern,
        name: &str,
    ) -> Result<bool, Fault> {
        pattern.is_match(name, &mut self.budget).map_err(|_| {
            Box::new(fault::Fault::costly_pattern(&format!(
                "{}/patternProperties",
                here.schema.location
            )))
        })
    }

    /// Counts and reports one assertion.
    fn outcome(&mut self, here: Here<'p, 'd>, holds: bool, words: impl FnOnce() -> Words) -> bool {
        if here.region.counts {
            self.assertions.count(holds);
        }
        if !holds && here.region.reports {
            self.report(here, words());
        }
        holds
    }

    fn report(&mut self, here: Here<'p, 'd>, words: Words) {
        self.push(here.keyword.name, here.node, words, &here.schema.location);
    }

    fn push(&mut self, check: &str, node: Node<'d>, words: Words, location: &str) {
        self.push_at(check, Place::of(self.root, node), node, words, location);
    }

    fn push_at(&mut self, check: &str, place: Place, node: Node<'d>, words: Words, location: &str) {
        self.violations.push(Violation {
            check: check.to_owned(),
            place,
            expected: words.expected,
            found: words.found,
            node: node.id(),
            schema_location: if check == "false" {
                location.to_owned()
            } else {
                format!("{location}/{check}")
            },
        });
    }

    #[inline]
    fn saw(&self, child: Node<'d>, seen: &mut Evaluated) {
        if self.plan.tracks {
            seen.push(child.id());
        }
    }

    fn charge(&mut self, schema: &SchemaNode, steps: u64) -> Result<(), Fault> {
        self.budget.charge(steps).map_err(|Exhausted| costly(schema))
    }
}

fn costly(schema: &SchemaNode) -> Fault {
    let problem = "costs too much to evaluate on this output";
    Box::new(fault::Fault::costly_schema(&schema.location, problem))
}

/// The children that are not in `seen`.
fn unseen<'d>(children: impl Iterator<Item = Node<'d>>, seen: &[u32]) -> Vec<Node<'d>> {
    let seen: std::collections::HashSet<u32> = seen.iter().copied().collect();
    children.filter(|child| !seen.contains(&child.id())).collect()
}
