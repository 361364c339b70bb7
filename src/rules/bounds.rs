//! `bounds`: an inclusive range for every place of a path (SPEC 5.4).

use std::cmp::Ordering;

use crate::json::Node;
use crate::path::Places;

use super::Bound;
use super::comparable::{Comparable, Incomparable};
use super::report::{Complaint, PlaceCheck, Report, Subject, check_places};

/// What makes a bound an invalid request, on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoundFault {
    /// What is wrong with `min`.
    pub min: Option<Fault>,
    /// What is wrong with `max`.
    pub max: Option<Fault>,
}

/// A fault of one field of a request, as predicate and as advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong: `is not a date`.
    pub problem: &'static str,
    /// What to do.
    pub fix: &'static str,
}

impl From<Incomparable> for Fault {
    fn from(reason: Incomparable) -> Self {
        match reason {
            Incomparable::Exponent => Self {
                problem: "has an exponent beyond ±400",
                fix: "Use an exponent from -400 to 400.",
            },
            Incomparable::NoDate => Self {
                problem: "is a string that is not a date",
                fix: "Use a number, or a date such as '2026-01-31' or '2026-01-31T09:30:00Z'.",
            },
            Incomparable::Kind => Self {
                problem: "is neither a number nor a date",
                fix: "Use a number, or a date such as '2026-01-31' or '2026-01-31T09:30:00Z'.",
            },
        }
    }
}

/// What SPEC 5.4 calls an invalid request: a side that cannot be compared with anything, a `min`
/// above its `max` or of another kind. A bound without either is none: it cannot run.
#[must_use]
pub fn bound_fault(bound: &Bound<'_>) -> Option<BoundFault> {
    let sides = [bound.min, bound.max].map(|side| side.map(Comparable::of));
    let fault = match sides {
        [Some(Ok(min)), Some(Ok(max))] => BoundFault { min: conflict(&min, &max), max: None },
        sides => {
            let [min, max] = sides.map(|side| side.and_then(Result::err).map(Fault::from));
            BoundFault { min, max }
        }
    };
    (fault != BoundFault::default()).then_some(fault)
}

/// What is wrong between two sides that are sound alone.
fn conflict(min: &Comparable<'_>, max: &Comparable<'_>) -> Option<Fault> {
    match min.compare(max) {
        Some(Ordering::Greater) => {
            Some(Fault { problem: "is above max", fix: "Use a min that is not above max." })
        }
        None => Some(Fault {
            problem: "is not of the same kind as max",
            fix: "Use two numbers or two dates.",
        }),
        _ => None,
    }
}

pub(super) fn check(root: Node<'_>, bound: &Bound<'_>, report: &mut Report) {
    let subject = Subject { check: "bounds", field: &bound.path, if_present: bound.if_present };
    if let Some(path) = subject.path(root, report) {
        check_places(&subject, &path, root, Range::of(bound), report);
    }
}

struct Range<'d> {
    min: Option<Limit<'d>>,
    max: Option<Limit<'d>>,
}

#[derive(Clone, Copy)]
struct Limit<'d> {
    node: Node<'d>,
    value: Comparable<'d>,
}

impl<'d> Range<'d> {
    /// A bound that cannot run is refused; requests with the other faults never come here, but a
    /// caller of the library may bring them.
    fn of(bound: &Bound<'d>) -> Result<Self, Complaint> {
        let unusable = |reason: String| Complaint::cannot_run("a usable min or max", reason);
        if bound.min.is_none() && bound.max.is_none() {
            return Err(unusable("the bound has neither min nor max".to_owned()));
        }
        if let Some(fault) = bound_fault(bound) {
            let (name, fault) = match (fault.min, fault.max) {
                (Some(fault), _) => ("min", fault.problem),
                (None, fault) => ("max", fault.map_or("is unusable", |fault| fault.problem)),
            };
            return Err(unusable(format!("{name} {fault}")));
        }
        let limit = |node: Option<Node<'d>>| {
            node.and_then(|node| Some(Limit { node, value: Comparable::of(node).ok()? }))
        };
        Ok(Self { min: limit(bound.min), max: limit(bound.max) })
    }
}

enum RangeFault {
    Incomparable(Incomparable),
    OtherKind,
    Below,
    Above,
}

impl<'d> PlaceCheck<'d> for Range<'_> {
    type Fault = RangeFault;

    fn wanted(&self) -> String {
        let side = |sign: &str, limit: Option<Limit<'_>>| {
            limit.map(|limit| format!("{sign} {}", limit.node.echo()))
        };
        let sides: Vec<_> = side(">=", self.min).into_iter().chain(side("<=", self.max)).collect();
        sides.join(" and ")
    }

    fn judge(&mut self, value: Node<'d>, _: &Places<'_, 'd>) -> Result<(), RangeFault> {
        let value = Comparable::of(value).map_err(RangeFault::Incomparable)?;
        let against = |limit: Option<Limit<'_>>, wrong, fault| match limit {
            None => Ok(()),
            Some(limit) => match value.compare(&limit.value) {
                None => Err(RangeFault::OtherKind),
                Some(order) if order == wrong => Err(fault),
                Some(_) => Ok(()),
            },
        };
        against(self.min, Ordering::Less, RangeFault::Below)?;
        against(self.max, Ordering::Greater, RangeFault::Above)
    }

    fn explain(&self, fault: RangeFault, value: Node<'d>, _: &Places<'_, 'd>) -> Complaint {
        let found = value.echo();
        let (sign, word, limit) = match fault {
            RangeFault::Incomparable(reason) => {
                let detail = format!("not comparable: {}", reason.clause(&found));
                return Complaint::new(self.wanted(), found, detail);
            }
            RangeFault::OtherKind => {
                let detail = match Comparable::of(value) {
                    Ok(Comparable::Date(_)) => {
                        format!("not comparable: {found} is a date, the bound a number")
                    }
                    _ => format!("not comparable: {found} is a number, the bound a date"),
                };
                return Complaint::new(self.wanted(), found, detail);
            }
            RangeFault::Below => (">=", "the minimum", self.min),
            RangeFault::Above => ("<=", "the maximum", self.max),
        };
        let limit_kind = limit.map(|limit| limit.value);
        let side = match (fault, limit_kind) {
            (RangeFault::Below, Some(kind)) => kind.less(),
            (_, Some(kind)) => kind.more(),
            (_, None) => "outside",
        };
        let limit = limit.map(|limit| limit.node.echo()).unwrap_or_default();
        Complaint::new(
            format!("{sign} {limit}"),
            found.clone(),
            format!("{found} is {side} {word} {limit}"),
        )
    }
}
