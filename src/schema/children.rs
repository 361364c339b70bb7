//! The keywords that lead into an object or an array.

use std::collections::HashSet;
use std::sync::Arc;

use super::evaluate::{Evaluated, Fault, Here, Region, Walk};
use super::failure::Cause;
use super::keyword::{Rule, SchemaId};
use super::pattern::Pattern;
use crate::json::Node;

impl<'p, 'd> Walk<'p, 'd> {
    /// A keyword about the members of an object.
    pub(super) fn members(
        &mut self,
        here: Here<'p, 'd>,
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let Here { schema, keyword, node, region, own } = here;
        let members = node.len() as u64;
        let mut valid = true;
        match &keyword.rule {
            Rule::Properties(entries) => {
                let mut finder = node.finder();
                self.charge(schema, entries.len() as u64 + members / 4)?;
                for (name, id) in entries {
                    if let Some(value) = finder.get(name) {
                        valid &= self.apply_to_child(*id, value, region)?;
                        self.saw(value, seen);
                    }
                }
            }
            Rule::PatternProperties(entries) => {
                for member in node.members() {
                    let name = member.name.as_str().unwrap_or_default();
                    for (pattern, id) in entries {
                        if self.name_matches(here, pattern, name)? {
                            valid &=
                                self.apply_to_child(*id, member.value, region.undescribed())?;
                            self.saw(member.value, seen);
                        }
                    }
                }
            }
            Rule::AdditionalProperties { schema: id, .. } if self.allows_all(*id) => {}
            Rule::AdditionalProperties { schema: id, named, patterns } => {
                let look_up = u64::from(named.len().checked_ilog2().unwrap_or(0));
                self.charge(schema, members * (1 + look_up / 2))?;
                let mut rest = Vec::new();
                for member in node.members() {
                    let name = member.name.wtf8().unwrap_or_default();
                    let known = named.binary_search_by(|known| (**known).cmp(name)).is_ok();
                    if !known && !self.matches_any(here, patterns, member.name)? {
                        rest.push(member.value);
                    }
                }
                valid = self.remaining(here, *id, &rest, seen)?;
            }
            Rule::UnevaluatedProperties(id) => {
                self.charge(schema, members + (seen.len() - own) as u64)?;
                let values = node.members().map(|member| member.value);
                let rest = unseen(values, &seen[own..]);
                let here = Here { region: region.undescribed(), ..here };
                valid = self.remaining(here, *id, &rest, seen)?;
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

    /// A keyword about the elements of an array.
    pub(super) fn elements(
        &mut self,
        here: Here<'p, 'd>,
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let Here { schema, keyword, node, region, own } = here;
        let undescribed = Here { region: region.undescribed(), ..here };
        match &keyword.rule {
            Rule::PrefixItems(schemas) => {
                // The positional `items` of old drafts describes objects as any `items` does.
                let region = if keyword.name == "items" { region } else { region.undescribed() };
                let mut valid = true;
                for (element, id) in node.elements().zip(schemas) {
                    valid &= self.apply_to_child(*id, element, region)?;
                    self.saw(element, seen);
                }
                Ok(valid)
            }
            Rule::Items { schema: id, from, count_once: false } => {
                let mut valid = true;
                if self.plan.schemas[*id as usize].boolean != Some(true) {
                    for element in node.elements().skip(*from) {
                        valid &= self.apply_to_child(*id, element, region)?;
                    }
                }
                self.saw_all(here, node.elements().skip(*from), seen)?;
                Ok(valid)
            }
            Rule::Items { schema: id, from, count_once: true } => {
                let rest: Vec<_> = node.elements().skip(*from).collect();
                self.remaining(undescribed, *id, &rest, seen)
            }
            Rule::UnevaluatedItems(id) => {
                self.charge(schema, (node.len() + seen.len() - own) as u64)?;
                let rest = unseen(node.elements(), &seen[own..]);
                self.remaining(undescribed, *id, &rest, seen)
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
        let enough = count >= min.as_ref().map_or(1, |min| min.value);
        let too_many = max.as_ref().is_some_and(|max| count > max.value);
        self.outcome(here, enough && !too_many)
    }

    /// Whether there is nothing to do for a schema: it is `true`, and nobody asks who evaluated what.
    fn allows_all(&self, id: SchemaId) -> bool {
        self.plan.schemas[id as usize].boolean == Some(true) && !self.plan.tracks
    }

    /// What no sibling takes care of: a schema is applied to each, `false` counts once for all.
    fn remaining(
        &mut self,
        here: Here<'p, 'd>,
        id: SchemaId,
        rest: &[Node<'d>],
        seen: &mut Evaluated,
    ) -> Result<bool, Fault> {
        let Here { schema, keyword, region, .. } = here;
        self.charge(schema, rest.len() as u64 / 4)?;
        let mut valid = true;
        match self.plan.schemas[id as usize].boolean {
            Some(true) => {}
            Some(false) => {
                valid = rest.is_empty();
                self.count(region, valid);
                for value in rest {
                    self.fail(schema, *value, region, Cause::Unexpected(keyword))?;
                }
            }
            None => {
                for value in rest {
                    valid &= self.apply_to_child(id, *value, region)?;
                }
            }
        }
        self.saw_all(here, rest.iter().copied(), seen)?;
        Ok(valid)
    }

    fn saw_all(
        &mut self,
        here: Here<'p, 'd>,
        children: impl ExactSizeIterator<Item = Node<'d>>,
        seen: &mut Evaluated,
    ) -> Result<(), Fault> {
        if self.plan.tracks {
            self.charge(here.schema, children.len() as u64)?;
            seen.extend(children.map(Node::id));
        }
        Ok(())
    }

    fn matches_any(
        &mut self,
        here: Here<'p, 'd>,
        patterns: &[Arc<Pattern>],
        name: Node<'d>,
    ) -> Result<bool, Fault> {
        for pattern in patterns {
            if self.name_matches(here, pattern, name.as_str().unwrap_or_default())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn name_matches(
        &mut self,
        here: Here<'p, 'd>,
        pattern: &Pattern,
        name: &str,
    ) -> Result<bool, Fault> {
        let matched = pattern.is_match(name, &mut self.budget);
        matched.map_err(|_| self.costly_pattern(here.schema, "patternProperties"))
    }
}

/// The children that are not in `seen`.
fn unseen<'d>(children: impl Iterator<Item = Node<'d>>, seen: &[u32]) -> Vec<Node<'d>> {
    let seen: HashSet<u32> = seen.iter().copied().collect();
    children.filter(|child| !seen.contains(&child.id())).collect()
}
