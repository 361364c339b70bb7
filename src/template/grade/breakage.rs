//! A good output broken in every way that its template describes, one change at a time. Of the
//! elements of an array one stands for all: the first.

use std::collections::HashSet;
use std::ops::Range;

use super::described::Described;
use crate::json::{Decimal, Kind, Node, Number, Sum, quoted};
use crate::path::{Path, Resolved};
use crate::place::{Place, Step};
use crate::request::Request;
use crate::rules::{Rule, RuleKind};
use crate::template::names;

/// A change of the text of an output.
#[derive(Debug)]
pub(super) struct Change {
    /// What kind of breakage it is.
    pub(super) how: &'static str,
    /// The place that is changed.
    pub(super) place: String,
    /// Pieces of the text and what stands there instead; they do not overlap.
    edits: Vec<(Range<usize>, String)>,
}

impl Change {
    /// The changed text.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut edits: Vec<_> = self.edits.iter().collect();
        edits.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(text.len() + 64);
        let mut copied = 0;
        for (range, new) in edits {
            out.push_str(&text[copied..range.start]);
            out.push_str(new);
            copied = range.end;
        }
        out.push_str(&text[copied..]);
        out
    }
}

/// All changes, in the order of the document, then those of the rules.
pub(super) fn changes<'d>(schema: Node<'d>, request: &Request<'d>) -> Vec<Change> {
    let output = request.submitted_output;
    let mut breaker =
        Breaker { request, changes: Vec::new(), done: HashSet::new(), summed: summed(request) };
    let at = At { place: Place::default(), path: Some(Path::default()), name: "" };
    breaker.value(output, &Described::root(schema), &at);
    for rule in &request.rules {
        breaker.rule(rule, output);
    }
    let mut seen = HashSet::new();
    breaker.changes.retain(|change| seen.insert(change.edits.clone()));
    breaker.changes
}

/// The paths whose values are added up or compared with a sum.
fn summed(request: &Request<'_>) -> Vec<Path> {
    let sums = request.rules.iter().filter(|rule| rule.kind == RuleKind::SumEquals);
    sums.flat_map(|rule| [Some(&rule.field), rule.equals_field.as_ref()])
        .flatten()
        .filter_map(|path| Path::parse(path).ok())
        .collect()
}

/// Where a value stands.
struct At<'d> {
    place: Place,
    /// The place in the notation of rules.
    path: Option<Path>,
    name: &'d str,
}

struct Breaker<'r, 'd> {
    request: &'r Request<'d>,
    changes: Vec<Change>,
    /// The places that were broken, elements standing for each other.
    done: HashSet<(&'static str, String)>,
    summed: Vec<Path>,
}

impl<'d> Breaker<'_, 'd> {
    fn add(&mut self, how: &'static str, at: &At<'_>, edits: Vec<(Range<usize>, String)>) {
        let general = at.path.as_ref().map_or_else(|| at.place.path(), Path::to_string);
        if self.done.insert((how, general)) {
            self.changes.push(Change { how, place: at.place.path(), edits });
        }
    }

    fn replace(&mut self, how: &'static str, at: &At<'_>, node: Node<'_>, new: String) {
        self.add(how, at, vec![(node.span(), new)]);
    }

    /// Recursion is bounded by the depth limit of the reader.
    fn value(&mut self, node: Node<'d>, described: &Described<'d>, at: &At<'d>) {
        if !node.is_null() && !described.names_type(Kind::Null) {
            self.replace("null", at, node, "null".to_owned());
        }
        self.wrong_type(node, described, at);
        match node.kind() {
            Kind::Number => self.number(node, described, at),
            Kind::String => self.text(node, described, at),
            Kind::Array => self.array(node, described, at),
            Kind::Object => self.object(node, described, at),
            Kind::Null | Kind::Boolean => {}
        }
    }

    fn wrong_type(&mut self, node: Node<'d>, described: &Described<'d>, at: &At<'d>) {
        let texts: [(Kind, String); 5] = [
            (Kind::String, quoted(node.source().get(..20).unwrap_or(node.source()))),
            (Kind::Number, "17".to_owned()),
            (Kind::Object, "{}".to_owned()),
            (Kind::Array, "[]".to_owned()),
            (Kind::Boolean, "true".to_owned()),
        ];
        if node.is_null() {
            return;
        }
        let allowed = |kind: Kind| kind == node.kind() || described.names_type(kind);
        let other = texts.into_iter().find(|(kind, _)| !allowed(*kind));
        if let Some((_, text)) = other {
            self.replace("wrong type", at, node, text);
        }
        let whole = described
            .types()
            .is_some_and(|types| types.contains(&"integer") && !types.contains(&"number"));
        if whole
            && let Some(number) = node.as_number()
            && !number.is_float_literal()
        {
            self.replace("a fraction", at, node, format!("{}.5", number.literal()));
        }
    }

    fn number(&mut self, node: Node<'d>, described: &Described<'d>, at: &At<'d>) {
        let Some(value) = node.as_number().and_then(Number::decimal) else { return };
        let one = decimal("1");
        let (lower, upper) = self.limits(described, at);
        if let Some(limit) = &lower {
            self.replace("below the minimum", at, node, limit.minus(&one).to_plain(false));
        } else if !names::is_signed(at.name) && !value.is_negative() {
            let negative = if value == Sum::of(&[]) { one.clone() } else { value.clone() };
            self.replace("negative", at, node, negative.negated().to_plain(false));
        }
        if let Some(limit) = &upper {
            self.replace("above the maximum", at, node, sum(limit, &one).to_plain(false));
        }
        let summed = at.path.as_ref().is_some_and(|path| self.summed.contains(path));
        if summed || names::is_total(at.name) || names::is_amount(at.name) {
            let new = sum(&value, &decimal("0.01")).to_plain(false);
            self.replace("off by one cent", at, node, new);
        }
        if described.has_any(&["enum", "const"]) {
            let new = sum(&value, &decimal("123456789")).to_plain(false);
            self.replace("not among the values", at, node, new);
        }
    }

    /// The limits that schema and bounds give to numbers.
    fn limits(&self, described: &Described<'d>, at: &At<'_>) -> (Option<Decimal>, Option<Decimal>) {
        let number = |node: Node<'_>| node.as_number().and_then(Number::decimal);
        let bound = |pick: fn(&crate::rules::Bound<'d>) -> Option<Node<'d>>| {
            let path = at.path.as_ref()?;
            let same = |written: &str| Path::parse(written).is_ok_and(|other| other == *path);
            let bounds = self.request.bounds.iter().filter(|bound| same(&bound.path));
            bounds.filter_map(pick).find_map(number)
        };
        let keyword = |names: [&str; 2]| {
            names.into_iter().find_map(|name| described.keyword(name).find_map(number))
        };
        (
            keyword(["minimum", "exclusiveMinimum"]).or_else(|| bound(|bound| bound.min)),
            keyword(["maximum", "exclusiveMaximum"]).or_else(|| bound(|bound| bound.max)),
        )
    }

    fn text(&mut self, node: Node<'d>, described: &Described<'d>, at: &At<'d>) {
        if described.has_any(&["enum", "const"]) {
            self.replace("not among the values", at, node, quoted("?no such value?"));
        } else if described.has_any(&["format", "pattern"]) {
            self.replace("malformed", at, node, quoted("? ?"));
        }
        let demands = described.keyword("minLength").any(|least| !is_zero(least));
        if demands && node.as_str() != Some("") {
            self.replace("empty", at, node, quoted(""));
        }
        let Some(path) = &at.path else { return };
        let same = |written: &str| Path::parse(written).is_ok_and(|other| other == *path);
        let is_date = |node: Option<Node<'_>>| node.is_some_and(|node| node.kind() == Kind::String);
        let bounds: Vec<_> =
            self.request.bounds.iter().filter(|bound| same(&bound.path)).cloned().collect();
        for bound in bounds {
            if is_date(bound.min) {
                self.replace("below the minimum", at, node, quoted("0001-01-01"));
            }
            if is_date(bound.max) {
                self.replace("above the maximum", at, node, quoted("9999-12-31"));
            }
        }
    }

    fn array(&mut self, node: Node<'d>, described: &Described<'d>, at: &At<'d>) {
        if let Some(first) = node.element(0) {
            let apart = described.keyword("uniqueItems").any(|node| node.as_bool() == Some(true));
            if first.kind() == Kind::Object || apart {
                let end = node.span().end - 1;
                self.add("duplicated", at, vec![(end..end, format!(",{}", first.source()))]);
            }
            if described.keyword("minItems").any(|least| !is_zero(least)) {
                self.replace("empty", at, node, "[]".to_owned());
            }
        }
        let step = described.element();
        for (index, element) in node.elements().enumerate() {
            let at = At {
                place: at.place.then(Step::Index(index)),
                path: at.path.as_ref().map(Path::elements),
                name: at.name,
            };
            self.value(element, &step.described, &at);
        }
    }

    fn object(&mut self, node: Node<'d>, described: &Described<'d>, at: &At<'d>) {
        let members: Vec<_> = node.members().collect();
        for (index, member) in members.iter().enumerate() {
            let name = member.name.as_str().unwrap_or_default();
            let step = described.member(name);
            let below = At {
                place: at.place.then(Step::member(member.name)),
                path: at.path.as_ref().and_then(|path| path.member(name)),
                name,
            };
            let end = member.value.span().end;
            let removed = match (members.get(index + 1), index.checked_sub(1)) {
                (Some(next), _) => member.name.span().start..next.name.span().start,
                (None, Some(before)) => members[before].value.span().end..end,
                (None, None) => member.name.span().start..end,
            };
            self.add("missing", &below, vec![(removed, String::new())]);
            self.value(member.value, &step.described, &below);
        }
        self.swapped(&members, at);
        const NAME: &str = "aov_unexpected";
        if described.member(NAME).closed {
            let start = node.span().start + 1;
            let comma = if members.is_empty() { "" } else { "," };
            self.add("unexpected member", at, vec![(start..start, format!("\"{NAME}\":0{comma}"))]);
        }
    }

    /// Pairs whose names say which comes first, the wrong way round.
    fn swapped(&mut self, members: &[crate::json::Member<'d>], at: &At<'d>) {
        const MANY: usize = 200;
        if members.len() > MANY {
            return;
        }
        for low in members {
            for high in members {
                let names = (low.name.as_str(), high.name.as_str());
                let (Some(first), Some(second)) = names else { continue };
                if names::is_ordered_pair(first, second) {
                    let below = At {
                        place: at.place.then(Step::member(low.name)),
                        path: at.path.as_ref().and_then(|path| path.member(first)),
                        name: first,
                    };
                    self.swap(&below, low.value, high.value);
                }
            }
        }
    }

    fn swap(&mut self, at: &At<'_>, one: Node<'d>, other: Node<'d>) {
        let scalar = |node: Node<'_>| matches!(node.kind(), Kind::Number | Kind::String);
        let overlap = one.id() == other.id();
        if scalar(one) && one.kind() == other.kind() && !overlap && !one.equals(other) {
            let edits = vec![
                (one.span(), other.source().to_owned()),
                (other.span(), one.source().to_owned()),
            ];
            self.add("out of order", at, edits);
        }
    }

    /// What only the rule knows of.
    fn rule(&mut self, rule: &Rule<'d>, output: Node<'d>) {
        let Ok(path) = Path::parse(&rule.field) else { return };
        let found = values(&path, output);
        let Some((first, place)) = found.first().cloned() else { return };
        let at = At { place, path: Some(path.clone()), name: "" };
        match rule.kind {
            RuleKind::Unique => {
                if let Some((second, place)) = found.get(1).cloned() {
                    let at = At { place, ..at };
                    self.replace("duplicated", &at, second, first.source().to_owned());
                }
            }
            RuleKind::ExistsIn => {
                let text = match first.kind() {
                    Kind::Number => "987654321".to_owned(),
                    _ => quoted("?no such value?"),
                };
                self.replace("not among the values", &at, first, text);
            }
            RuleKind::Gte | RuleKind::Lte => {
                let other = rule.other_field.as_ref().and_then(|other| Path::parse(other).ok());
                let other = other.and_then(|other| values(&other, output).first().cloned());
                if let Some((other, _)) = other {
                    self.swap(&at, first, other);
                }
            }
            // Its values are off by a cent already.
            RuleKind::SumEquals => {}
        }
    }
}

/// The values of a path with their places, two at most.
fn values<'d>(path: &Path, output: Node<'d>) -> Vec<(Node<'d>, Place)> {
    let mut places = path.resolve(output);
    let mut found = Vec::new();
    while let Some(resolved) = places.next() {
        if let Resolved::Value(node) = resolved {
            found.push((node, places.place()));
        }
        if found.len() == 2 {
            break;
        }
    }
    found
}

fn decimal(literal: &str) -> Decimal {
    Number::parse(literal).and_then(Number::decimal).unwrap_or_else(|| Sum::of(&[]))
}

fn sum(left: &Decimal, right: &Decimal) -> Decimal {
    Sum::of(&[left.clone(), right.clone()])
}

fn is_zero(node: Node<'_>) -> bool {
    node.as_number().and_then(Number::decimal).is_some_and(|value| value == Sum::of(&[]))
}
