//! What the schema leaves open: members that may hold anything or be missing, totals that nothing is
//! compared with.

use std::collections::HashSet;

use super::described::Described;
use super::remark::{RemarkKind, Remarks};
use crate::json::Node;
use crate::path::Path;
use crate::request::Request;
use crate::template::names;
use crate::text::{MAX_ECHO, cut, visible};

/// How deep a schema is followed; recursive ones have no end.
const MAX_LEVELS: usize = 32;

/// Keywords that say something about any value.
const CONSTRAINTS: [&str; 24] = [
    "type",
    "enum",
    "const",
    "not",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "items",
    "prefixItems",
    "contains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "patternProperties",
    "required",
    "propertyNames",
    "minProperties",
];

/// Walks over all that the schema describes.
pub(super) fn remarks<'d>(
    schema: Node<'d>,
    request: Option<&Request<'d>>,
    remarks: &mut Remarks<'d>,
) {
    let mut walk = Walk { compared: compared(request), visited: HashSet::new(), remarks };
    walk.place(&Described::root(schema), Some(Path::default()), "the output", schema, 0);
}

/// The paths that `sum_equals`, `gte` and `lte` look at.
fn compared(request: Option<&Request<'_>>) -> Vec<Path> {
    let rules = request.map(|request| request.rules.as_slice()).unwrap_or_default();
    rules
        .iter()
        .filter(|rule| rule.kind.name() != "unique" && rule.kind.name() != "exists_in")
        .flat_map(|rule| [Some(&rule.field), rule.equals_field.as_ref(), rule.other_field.as_ref()])
        .flatten()
        .filter_map(|path| Path::parse(path).ok())
        .collect()
}

struct Walk<'r, 'd> {
    compared: Vec<Path>,
    visited: HashSet<u32>,
    remarks: &'r mut Remarks<'d>,
}

impl<'d> Walk<'_, 'd> {
    /// `shown` names the place; `written` is where the schema speaks of it.
    fn place(
        &mut self,
        described: &Described<'d>,
        path: Option<Path>,
        shown: &str,
        written: Node<'d>,
        level: usize,
    ) {
        let unconstrained = !described.elsewhere && !described.has_any(&CONSTRAINTS);
        if unconstrained {
            let message = format!("{shown} may be anything, null too");
            return self.open(written, message, "Give it a type.");
        }
        // A schema that is used in many places is looked at where it is met first.
        if level > MAX_LEVELS || !self.visited.insert(written.id()) {
            return;
        }
        self.object(described, path.as_ref(), shown, written, level);
        self.array(described, path.as_ref(), shown, written, level);
    }

    fn open(&mut self, node: Node<'d>, message: String, fix: &str) {
        self.remarks.add(RemarkKind::NothingConstrains, node, message, fix.to_owned());
    }

    fn object(
        &mut self,
        described: &Described<'d>,
        path: Option<&Path>,
        shown: &str,
        written: Node<'d>,
        level: usize,
    ) {
        let is_object = described.types().is_some_and(|types| types.contains(&"object"));
        let names = described.names();
        let speaks = described.has_any(&[
            "properties",
            "patternProperties",
            "additionalProperties",
            "propertyNames",
            "required",
        ]);
        if is_object && !speaks && !described.elsewhere {
            let message = format!("{shown} may hold any members, or none");
            self.open(written, message, "Describe them with properties and required.");
        }
        let mut optional = Vec::new();
        for name in &names {
            let short = visible(&cut(name, MAX_ECHO)).into_owned();
            let deeper = if level == 0 { short.clone() } else { format!("{shown}.{short}") };
            let step = described.member(name);
            let site = described
                .keyword("properties")
                .find_map(|properties| properties.get(name))
                .unwrap_or(written);
            if !described.requires(name) {
                optional.push(short);
            }
            let below = path.and_then(|path| path.member(name));
            self.total(name, below.as_ref(), &step.described, &deeper, site);
            self.place(&step.described, below, &deeper, site, level + 1);
        }
        if !optional.is_empty() {
            self.optional(&optional, shown, written);
        }
        let undescribed = described
            .always()
            .filter_map(|schema| schema.get("required"))
            .flat_map(Node::elements)
            .filter(|name| {
                name.as_str()
                    .is_some_and(|name| !names.contains(&name) && !described.member(name).declared)
            });
        for node in undescribed.collect::<Vec<_>>() {
            let name = visible(&cut(node.as_str().unwrap_or_default(), MAX_ECHO)).into_owned();
            let message = format!("{name} in {shown} must be there, but may be anything, null too");
            self.open(node, message, "Describe it with properties.");
        }
    }

    fn optional(&mut self, names: &[String], shown: &str, written: Node<'d>) {
        const SHOWN: usize = 8;
        let mut list = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        if names.len() > SHOWN {
            list.push_str(&format!(" and {} more", names.len() - SHOWN));
        }
        let message = format!("{shown} may lack {list}");
        let fix = "List in required what must be there.".to_owned();
        self.remarks.add(RemarkKind::MayBeMissing, written, message, fix);
    }

    fn total(
        &mut self,
        name: &str,
        path: Option<&Path>,
        described: &Described<'d>,
        shown: &str,
        site: Node<'d>,
    ) {
        let numeric = described
            .types()
            .is_none_or(|types| types.contains(&"number") || types.contains(&"integer"));
        let compared = path.is_some_and(|path| self.compared.contains(path));
        if names::is_total(name) && numeric && !compared {
            let message = format!("no rule compares {shown} with what it is the total of");
            let fix = "Add a sum_equals rule whose equals_field is this.".to_owned();
            self.remarks.add(RemarkKind::TotalNotCompared, site, message, fix);
        }
    }

    fn array(
        &mut self,
        described: &Described<'d>,
        path: Option<&Path>,
        shown: &str,
        written: Node<'d>,
        level: usize,
    ) {
        if !described.types().is_some_and(|types| types.contains(&"array")) {
            return;
        }
        let deeper = if level == 0 { "[]".to_owned() } else { format!("{shown}[]") };
        let step = described.element();
        if !step.declared {
            if !described.elsewhere {
                let message = format!("{shown} may hold any elements");
                self.open(written, message, "Describe them with items.");
            }
            return;
        }
        let site = described.keyword("items").next().unwrap_or(written);
        self.place(&step.described, path.map(Path::elements), &deeper, site, level + 1);
    }
}
