//! `gte` and `lte`: each value against another value (SPEC 5.6).

use std::cell::OnceCell;
use std::cmp::Ordering;

use crate::finding::Mark;
use crate::json::{Decimal, Node};
use crate::path::{Pairing, Path, Places, Resolved};

use super::comparable::{Comparable, Incomparable};
use super::report::{
    Complaint, PlaceCheck, Report, Subject, check_places, malformed_path, name_of, obstacle,
    path_name,
};
use super::{Rule, RuleKind};

pub(super) fn check<'d>(root: Node<'d>, rule: &Rule<'d>, report: &mut Report) {
    let subject =
        Subject { check: rule.kind.check(), field: &rule.field, if_present: rule.if_present };
    let Some(path) = subject.path(root, report) else { return };
    let other = rule.other_field.as_deref().map(Path::parse);
    let plan = match &other {
        Some(Ok(other)) => Order::with_field(root, rule, &path, other),
        Some(Err(error)) => Err(malformed_path("other_field", *error)),
        None => Order::with_value(rule),
    };
    check_places(&subject, &path, root, plan, report);
}

/// A rule made ready for every place.
struct Order<'a, 'd> {
    rule: &'a Rule<'d>,
    /// The path of the other side, if it has one.
    other: Option<&'a Path>,
    /// How that path goes along with the places; `None` where one value serves all.
    pairing: Option<Pairing<'a>>,
    /// The other side at the place judged last.
    side: Side<'d>,
}

/// The other side of a comparison.
struct Side<'d> {
    /// [`Node::id`] of the element it was looked up in, if there is one.
    element: Option<u32>,
    resolved: Resolved<'d>,
    value: Result<Comparable<'d>, SideFault>,
    /// The farthest number that still passes: the side with the tolerance added or taken.
    threshold: OnceCell<Option<Decimal>>,
}

#[derive(Clone, Copy)]
enum SideFault {
    /// There is no value.
    Stopped,
    Incomparable(Incomparable),
}

enum OrderFault {
    Incomparable(Incomparable),
    Side(SideFault),
    OtherKind,
    Violated,
}

impl<'d> Side<'d> {
    fn of(resolved: Resolved<'d>, element: Option<u32>) -> Self {
        let value = match resolved {
            Resolved::Value(node) => Comparable::of(node).map_err(SideFault::Incomparable),
            _ => Err(SideFault::Stopped),
        };
        Self { element, resolved, value, threshold: OnceCell::new() }
    }
}

impl<'a, 'd> Order<'a, 'd> {
    fn with_value(rule: &'a Rule<'d>) -> Result<Self, Complaint> {
        let value = rule.value.ok_or_else(|| {
            Complaint::cannot_run(
                "an other_field or a value to compare with",
                "the rule has neither other_field nor value",
            )
        })?;
        let side = Side::of(Resolved::Value(value), None);
        Ok(Self { rule, other: None, pairing: None, side })
    }

    fn with_field(
        root: Node<'d>,
        rule: &'a Rule<'d>,
        field: &Path,
        other: &'a Path,
    ) -> Result<Self, Complaint> {
        let pairing = other.pairing(field);
        if other.wildcards() > 0 && pairing.is_none() {
            let written = path_name(rule.other_field.as_deref().unwrap_or_default());
            return Err(Complaint::cannot_run(
                "an other_field over the same arrays as field",
                format!("{written} and field do not go through the same arrays"),
            ));
        }
        // Without `[]` there is exactly one place. With it, this stands for "not looked up yet".
        let first = match pairing {
            None => other.resolve(root).next(),
            Some(_) => None,
        };
        let side = Side::of(first.unwrap_or(Resolved::Absent { nearest: root }), None);
        Ok(Self { rule, other: Some(other), pairing, side })
    }

    fn at_least(&self) -> bool {
        self.rule.kind == RuleKind::Gte
    }

    /// Looks the other side up for the place where `places` stands.
    fn turn_to(&mut self, places: &Places<'_, 'd>) {
        let Some(pairing) = self.pairing else { return };
        // A pairing shares its arrays with the field, and the field has a value here.
        let Some(element) = places.element(pairing.level) else { return };
        if self.side.element != Some(element.id()) {
            self.side = Side::of(pairing.resolve(element), Some(element.id()));
        }
    }

    /// Whether a number on the wrong side is no farther off than the tolerance.
    fn within_tolerance(&self, value: Node<'d>) -> bool {
        let threshold = self.side.threshold.get_or_init(|| {
            let side = self.side.resolved.node().as_number()?.decimal()?;
            let tolerance = self.rule.tolerance.clone();
            Some(side.minus(&if self.at_least() { tolerance } else { tolerance.negated() }))
        });
        let (Some(threshold), Some(value)) =
            (threshold, value.as_number().and_then(|number| number.decimal()))
        else {
            return false;
        };
        if self.at_least() { value >= *threshold } else { value <= *threshold }
    }

    /// The other side as a sentence shows it: `7`, `max (7)`.
    fn side_text(&self, places: &Places<'_, 'd>) -> String {
        let echo = self.side.resolved.node().echo();
        match self.other {
            None => echo,
            Some(other) => {
                format!("{} ({echo})", name_of(&places.place_along(other.segments())))
            }
        }
    }

    fn expected(&self, side: &str) -> String {
        format!("{} {side}", if self.at_least() { ">=" } else { "<=" })
    }

    /// The place of the other side, for the reader to look at.
    fn side_mark(&self, places: &Places<'_, 'd>) -> Option<Mark> {
        let name = name_of(&places.place_along(self.other?.segments()));
        let node = self.side.resolved.node();
        Some(match self.side.resolved {
            Resolved::Value(_) => Mark::also(node.id(), format!("{name} is {}", node.echo())),
            _ => Mark::also(node.id(), format!("{name} should be here")),
        })
    }
}

impl<'d> PlaceCheck<'d> for Order<'_, 'd> {
    type Fault = OrderFault;

    fn wanted(&self) -> String {
        match (self.other, self.side.resolved) {
            (None, Resolved::Value(value)) => self.expected(&value.echo()),
            _ => self.expected(&path_name(self.rule.other_field.as_deref().unwrap_or_default())),
        }
    }

    fn judge(&mut self, node: Node<'d>, places: &Places<'_, 'd>) -> Result<(), OrderFault> {
        let value = Comparable::of(node).map_err(OrderFault::Incomparable)?;
        self.turn_to(places);
        let side = self.side.value.as_ref().map_err(|fault| OrderFault::Side(*fault))?;
        match value.compare(side) {
            None => Err(OrderFault::OtherKind),
            Some(Ordering::Equal) => Ok(()),
            Some(Ordering::Greater) if self.at_least() => Ok(()),
            Some(Ordering::Less) if !self.at_least() => Ok(()),
            Some(_) if self.within_tolerance(node) => Ok(()),
            Some(_) => Err(OrderFault::Violated),
        }
    }

    fn explain(&self, fault: OrderFault, value: Node<'d>, places: &Places<'_, 'd>) -> Complaint {
        let found = value.echo();
        if let OrderFault::Incomparable(reason) = fault {
            let detail = format!("not comparable: {}", reason.clause(&found));
            return Complaint::new(self.wanted(), found, detail);
        }
        let side = self.side_text(places);
        let expected = self.expected(&side);
        let complaint = match fault {
            OrderFault::Side(SideFault::Stopped) => {
                let reason =
                    self.other.and_then(|other| obstacle(self.side.resolved, other, places));
                Complaint::cannot_run(self.wanted(), reason.unwrap_or_default())
            }
            OrderFault::Side(SideFault::Incomparable(reason)) => {
                Complaint::new(expected, found, format!("not comparable: {}", reason.clause(&side)))
            }
            OrderFault::OtherKind => {
                let kind = |value: Option<&Comparable<'_>>| value.map_or("", Comparable::kind);
                let detail = format!(
                    "not comparable: {found} is {}, {side} is {}",
                    kind(Comparable::of(value).ok().as_ref()),
                    kind(self.side.value.as_ref().ok()),
                );
                Complaint::new(expected, found, detail)
            }
            OrderFault::Violated | OrderFault::Incomparable(_) => {
                let word = match (&self.side.value, self.at_least()) {
                    (Ok(side), true) => side.less(),
                    (Ok(side), false) => side.more(),
                    (Err(_), _) => "beyond",
                };
                let detail = format!("{found} is {word} {side}");
                Complaint::new(expected, found, detail)
            }
        };
        complaint.with(self.side_mark(places))
    }
}
