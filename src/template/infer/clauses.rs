//! Bounds and rules that every sample satisfies. Names and values suggest candidates; each is run on
//! every sample by the engine itself, and only what holds everywhere is kept.

use std::cmp::Reverse;

use serde_json::{Map, Value, json};

use super::schema::different;
use super::shape::Shape;
use super::{Ledger, counted};
use crate::json::{Decimal, Document, Kind, Node, Sum, read};
use crate::path::Path;
use crate::request::MAX_CLAUSES;
use crate::rules::{self, Bound, Rule, RuleKind, default_tolerance};
use crate::template::names::{self, Identity};

/// How many places of one kind are looked at in pairs: work is quadratic in them.
const MAX_PAIRED: usize = 200;

/// A bound or a rule that holds, and why it is there.
struct Clause {
    /// The path of its field.
    place: String,
    written: Value,
    claim: String,
    because: String,
    samples: usize,
    doubt: Option<String>,
}

/// The bounds, by path, and the rules.
pub(super) fn infer<'d>(
    shape: &Shape<'d>,
    samples: &[Node<'d>],
    ledger: &mut Ledger,
) -> (Map<String, Value>, Vec<Value>) {
    let mut shapes = Vec::new();
    shape.walk(&mut |shape| shapes.push(shape));
    let trial = Trial { samples };
    let bounds = bounds(&shapes, &trial);
    let mut rules = unique(&shapes, &trial);
    rules.extend(sums(&shapes, &trial, samples.len(), ledger));
    rules.extend(orders(&shapes, &trial, ledger));
    let bounds = admit(bounds, "bound", ledger);
    let rules = admit(rules, "rule", ledger);
    let bounds = bounds.into_iter().map(|clause| (clause.place, clause.written)).collect();
    (bounds, rules.into_iter().map(|clause| clause.written).collect())
}

/// The most certain of the clauses, as many as a request may have.
fn admit(mut clauses: Vec<Clause>, noun: &str, ledger: &mut Ledger) -> Vec<Clause> {
    if clauses.len() > MAX_CLAUSES {
        clauses.sort_by_key(|clause| (clause.doubt.is_some(), Reverse(clause.samples)));
        let more = clauses.split_off(MAX_CLAUSES);
        let reason = format!(
            "{}: a request has at most {MAX_CLAUSES}",
            counted(more.len(), &format!("more {noun}"))
        );
        ledger.left_out.push(reason);
    }
    for clause in &clauses {
        ledger.add(
            &clause.place,
            clause.claim.clone(),
            clause.because.clone(),
            clause.samples,
            clause.doubt.clone(),
        );
    }
    clauses
}

/// The samples, to try candidates on.
struct Trial<'s, 'd> {
    samples: &'s [Node<'d>],
}

/// What a candidate did on the samples.
struct Held {
    checks: u64,
    if_present: bool,
}

impl Trial<'_, '_> {
    /// How often a clause was checked, if it holds in every sample.
    fn checks(&self, bounds: &[Bound<'_>], rules: &[Rule<'_>]) -> Option<u64> {
        let mut checks = 0;
        for &sample in self.samples {
            let report = rules::check(sample, bounds, rules);
            if report.tally.passed != report.tally.total || !report.findings.is_empty() {
                return None;
            }
            checks += report.tally.total;
        }
        (checks > 0).then_some(checks)
    }

    fn bound(&self, path: &str, min: Option<&Document>, max: Option<&Document>) -> Option<Held> {
        [false, true].into_iter().find_map(|if_present| {
            let (min, max) = (min.map(Document::root), max.map(Document::root));
            let bound = Bound { path: path.to_owned(), min, max, if_present };
            Some(Held { checks: self.checks(&[bound], &[])?, if_present })
        })
    }

    fn rule(&self, kind: RuleKind, field: &str, other: Option<&str>) -> Option<Held> {
        [false, true].into_iter().find_map(|if_present| {
            let other = other.map(str::to_owned);
            let is_sum = kind == RuleKind::SumEquals;
            let (equals_field, other_field) = if is_sum { (other, None) } else { (None, other) };
            let rule = Rule {
                kind,
                field: field.to_owned(),
                equals_field,
                equals: None,
                other_field,
                value: None,
                in_field: None,
                values: None,
                tolerance: default_tolerance(),
                if_present,
            };
            Some(Held { checks: self.checks(&[], &[rule])?, if_present })
        })
    }
}

/// A rule as it stands in a template.
fn written(kind: RuleKind, field: &str, other: Option<(&str, &str)>, held: &Held) -> Value {
    let mut rule = Map::new();
    rule.insert("type".to_owned(), kind.name().into());
    rule.insert("field".to_owned(), field.into());
    if let Some((name, path)) = other {
        rule.insert(name.to_owned(), path.into());
    }
    if held.if_present {
        rule.insert("if_present".to_owned(), true.into());
    }
    rule.into()
}

/// The number as a document of its own.
fn constant(number: i32) -> Option<Document> {
    read(number.to_string(), 1).ok()
}

fn bounds(shapes: &[&Shape<'_>], trial: &Trial<'_, '_>) -> Vec<Clause> {
    let numbers = shapes.iter().filter(|shape| shape.is_only(Kind::Number));
    numbers.filter_map(|shape| bound(shape, trial)).collect()
}

fn bound(shape: &Shape<'_>, trial: &Trial<'_, '_>) -> Option<Clause> {
    let path = shape.path.as_ref()?.to_string();
    let natural = names::natural_range(shape.name).and_then(|(min, max)| {
        let held = trial.bound(&path, constant(min).as_ref(), constant(max).as_ref())?;
        let doubt = (min == 0).then(|| format!("only the name says that {max} is the most"));
        Some((json!({"min": min, "max": max}), format!("from {min} to {max}"), held, doubt))
    });
    let (mut value, claim, held, doubt) = match natural {
        Some(found) => found,
        None if names::is_signed(shape.name) => return None,
        None => {
            let held = trial.bound(&path, constant(0).as_ref(), None)?;
            let evident = names::is_never_negative(shape.name)
                || (shape.samples() >= 2 && different(shape) >= 5);
            let doubt =
                (!evident).then(|| "no value is below zero, perhaps by accident".to_owned());
            (json!({"min": 0}), "not below 0".to_owned(), held, doubt)
        }
    };
    if held.if_present {
        value["if_present"] = true.into();
    }
    Some(Clause {
        place: path,
        written: value,
        claim,
        because: format!("{}, all within", counted_checks(&held)),
        samples: shape.samples(),
        doubt,
    })
}

fn counted_checks(held: &Held) -> String {
    counted(usize::try_from(held.checks).unwrap_or(usize::MAX), "value")
}

/// Identifiers of the elements of an array, each there once.
fn unique(shapes: &[&Shape<'_>], trial: &Trial<'_, '_>) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for shape in shapes {
        let Some(path) = shape.path.as_ref().filter(|path| path.wildcards() > 0) else { continue };
        let scalar = shape.is_only(Kind::String) || shape.is_only(Kind::Number);
        let Some(identity) = names::identity(shape.name, shape.array) else { continue };
        let mut per_sample = vec![0_usize; trial.samples.len()];
        shape.seen.iter().for_each(|seen| per_sample[seen.sample] += 1);
        let most = per_sample.iter().copied().max().unwrap_or(0);
        if !scalar || path.ends_in_elements() || most < 2 {
            continue;
        }
        let doubt = match identity {
            Identity::Own => None,
            // Two that differ are chance, unless they are made to be unique.
            Identity::Perhaps if shape.seen.len() < 3 && !are_uuids(shape) => continue,
            Identity::Perhaps => {
                Some("it may name something that several elements share".to_owned())
            }
        };
        let path = path.to_string();
        let Some(held) = trial.rule(RuleKind::Unique, &path, None) else { continue };
        clauses.push(Clause {
            written: written(RuleKind::Unique, &path, None, &held),
            claim: "no value twice".to_owned(),
            because: format!("{}, up to {most} in one sample", counted(shape.seen.len(), "value")),
            samples: per_sample.iter().filter(|count| **count >= 2).count(),
            doubt,
            place: path,
        });
    }
    clauses
}

fn are_uuids(shape: &Shape<'_>) -> bool {
    let is_uuid = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
        text.len() == 36 && digits == 32 && text.matches('-').count() == 4
    };
    shape.seen.iter().all(|seen| seen.node.as_str().is_some_and(is_uuid))
}

/// The values of one place, by sample.
struct Column {
    path: String,
    name: String,
    /// The sum of the values; none where there is no value.
    sums: Vec<Option<Decimal>>,
    /// How many values there are.
    counts: Vec<usize>,
}

impl Column {
    fn of(shape: &Shape<'_>, samples: usize) -> Option<Self> {
        let path = shape.path.as_ref()?.to_string();
        let mut values: Vec<Vec<Decimal>> = vec![Vec::new(); samples];
        for seen in &shape.seen {
            values[seen.sample].push(seen.node.as_number()?.decimal()?);
        }
        let sums = values.iter().map(|values| (!values.is_empty()).then(|| Sum::of(values)));
        let counts = values.iter().map(Vec::len).collect();
        Some(Self { path, name: shape.name.to_owned(), sums: sums.collect(), counts })
    }
}

/// Columns of an array that add up to a value elsewhere.
fn sums(
    shapes: &[&Shape<'_>],
    trial: &Trial<'_, '_>,
    samples: usize,
    ledger: &mut Ledger,
) -> Vec<Clause> {
    let numbers = || shapes.iter().filter(|shape| shape.is_only(Kind::Number));
    let wildcards = |shape: &Shape<'_>| shape.path.as_ref().map_or(0, Path::wildcards);
    let columns = |single: bool| -> Vec<Column> {
        numbers()
            .filter(|shape| (wildcards(shape) == 0) == single)
            .filter_map(|shape| Column::of(shape, samples))
            .collect()
    };
    let (mut addends, mut targets) = (columns(false), columns(true));
    // Names that say so come first, so that they are never among what is not looked at.
    targets.sort_by_key(|column| !names::is_total(&column.name));
    for (list, noun) in [(&mut addends, "arrays"), (&mut targets, "totals")] {
        if list.len() > MAX_PAIRED {
            let reason =
                format!("sums: only the first {MAX_PAIRED} of {} {noun} were tried", list.len());
            ledger.left_out.push(reason);
            list.truncate(MAX_PAIRED);
        }
    }
    let mut clauses = Vec::new();
    for target in &targets {
        let matching: Vec<_> = addends.iter().filter(|addend| adds_up(addend, target)).collect();
        for addend in &matching {
            let path = addend.path.as_str();
            let Some(held) = trial.rule(RuleKind::SumEquals, path, Some(&target.path)) else {
                continue;
            };
            let telling = addend.counts.iter().filter(|count| **count >= 2).count();
            let doubt = if matching.len() > 1 {
                Some("other values of the samples add up to the same".to_owned())
            } else if !names::is_total(&target.name) {
                Some("only the numbers say so, not the name".to_owned())
            } else {
                None
            };
            clauses.push(Clause {
                place: addend.path.clone(),
                written: written(
                    RuleKind::SumEquals,
                    path,
                    Some(("equals_field", &target.path)),
                    &held,
                ),
                claim: format!("sum equal to {}", target.path),
                because: format!(
                    "exact in {}, up to {} values",
                    counted(telling, "sample"),
                    addend.counts.iter().max().unwrap_or(&0)
                ),
                samples: telling,
                doubt,
            });
        }
    }
    clauses
}

/// Whether the sums are the target in every sample, and that is more than chance would give: two
/// addends or more somewhere; and, for a target that is not called a total, different sums in two
/// samples.
fn adds_up(addend: &Column, target: &Column) -> bool {
    let tolerance = default_tolerance();
    let zero = Sum::of(&[]);
    let mut sums: Vec<&Decimal> = Vec::new();
    for ((sum, value), count) in addend.sums.iter().zip(&target.sums).zip(&addend.counts) {
        match (sum, value) {
            (Some(sum), Some(value)) if sum.minus(value).abs() <= tolerance => {
                if *count >= 2 && *sum != zero && !sums.contains(&sum) {
                    sums.push(sum);
                }
            }
            // An empty array sums to zero.
            (None, Some(value)) if *value == zero => {}
            (None, None) => {}
            _ => return false,
        }
    }
    sums.len() >= if names::is_total(&target.name) { 1 } else { 2 }
}

/// Members of one object of which one is never above the other.
fn orders(shapes: &[&Shape<'_>], trial: &Trial<'_, '_>, ledger: &mut Ledger) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for object in shapes.iter().filter(|shape| !shape.members.is_empty()) {
        let comparable: Vec<_> = object
            .members
            .iter()
            .filter(|member| member.is_only(Kind::Number) || are_dates(member))
            .take(MAX_PAIRED)
            .collect();
        for low in &comparable {
            for high in comparable.iter().filter(|high| high.name != low.name) {
                clauses.extend(order(low, high, trial, ledger));
            }
        }
    }
    clauses
}

fn are_dates(shape: &Shape<'_>) -> bool {
    let is_date = |text: &str| {
        let start = text.as_bytes().get(..10);
        start.is_some_and(|start| start[..4].iter().all(u8::is_ascii_digit) && start[4] == b'-')
    };
    shape.is_only(Kind::String)
        && shape.seen.iter().all(|seen| seen.node.as_str().is_some_and(is_date))
}

fn order(
    low: &Shape<'_>,
    high: &Shape<'_>,
    trial: &Trial<'_, '_>,
    ledger: &mut Ledger,
) -> Option<Clause> {
    let named = names::is_ordered_pair(low.name, high.name);
    // Without names that say so, only dates, and only if there are many.
    let by_values = are_dates(low) && are_dates(high) && low.samples() >= 2 && low.seen.len() >= 3;
    if !named && (!by_values || names::is_ordered_pair(high.name, low.name)) {
        return None;
    }
    let (field, other) = (low.path.as_ref()?.to_string(), high.path.as_ref()?.to_string());
    let Some(held) = trial.rule(RuleKind::Lte, &field, Some(&other)) else {
        if named && low.seen.len() == high.seen.len() {
            let reason = format!("{field} not above {other}: it is not so in every sample");
            ledger.left_out.push(reason);
        }
        return None;
    };
    if !named && trial.rule(RuleKind::Gte, &field, Some(&other)).is_some() {
        // Always the same: nothing is known of the order.
        return None;
    }
    Some(Clause {
        written: written(RuleKind::Lte, &field, Some(("other_field", &other)), &held),
        claim: format!("not above {other}"),
        because: counted_checks(&held),
        samples: low.samples(),
        doubt: (!named).then(|| "only the values say so, not the names".to_owned()),
        place: field,
    })
}
