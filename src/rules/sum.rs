//! `sum_equals`: the exact sum of all values against one value (SPEC 5.5).

use crate::finding::Mark;
use crate::json::{Decimal, Node, Sum};
use crate::path::{Path, Resolved};
use crate::text::{MAX_ECHO, cut};

use super::Rule;
use super::report::{
    Complaint, Report, Subject, malformed, name_of, obstacle, path_name, with_article,
};

pub(super) fn check<'d>(root: Node<'d>, rule: &Rule<'d>, report: &mut Report) {
    let subject =
        Subject { check: rule.kind.check(), field: &rule.field, if_present: rule.if_present };
    let Some(path) = subject.path(root, report) else { return };
    match judge(root, rule, &path) {
        Outcome::Skipped => {}
        Outcome::Holds => report.pass(),
        Outcome::Fails { node, complaint } => {
            report.fail(|| complaint.at(subject.check, subject.written(), node));
        }
    }
}

enum Outcome<'d> {
    /// All places are absent, and `if_present` lets them.
    Skipped,
    Holds,
    Fails {
        /// The value to point at.
        node: Node<'d>,
        complaint: Complaint,
    },
}

/// The values to add up.
struct Addends<'d> {
    decimals: Vec<Decimal>,
    /// Whether any is written with a fraction or an exponent.
    float: bool,
    first: Option<Node<'d>>,
    absent: bool,
}

fn judge<'d>(root: Node<'d>, rule: &Rule<'d>, path: &Path) -> Outcome<'d> {
    let addends = match addends(root, rule, path) {
        Ok(addends) => addends,
        Err((node, reason)) => {
            let detail = reason.detail();
            let complaint = Complaint::new(wanted(rule), reason.clause(), detail);
            return Outcome::Fails { node, complaint };
        }
    };
    if addends.first.is_none() && addends.absent {
        return Outcome::Skipped;
    }
    let node = addends.first.unwrap_or_else(|| path.common(root));
    let sum = Sum::of(&addends.decimals);
    let found = format!("sum {}", plain(&sum, addends.float));
    let target = match target(root, rule) {
        Ok(target) => target,
        Err((mark, reason)) => {
            let complaint = Complaint::new(wanted(rule), found, reason.detail()).with(mark);
            return Outcome::Fails { node, complaint };
        }
    };
    let difference = sum.minus(&target.value);
    if difference.clone().abs() <= rule.tolerance {
        return Outcome::Holds;
    }
    let mut complaint = Complaint::new(
        format!("a sum equal to {}", target.text),
        found,
        format!("values sum to {}, expected {}", plain(&sum, addends.float), target.text),
    );
    complaint.difference = Some(plain(&difference, addends.float));
    Outcome::Fails { node, complaint: complaint.with(target.mark) }
}

/// Why a value cannot be computed with.
enum Reason {
    /// There is none, or too many.
    CannotRun(String),
    /// It is not a number to compute with.
    NotComparable(String),
}

impl Reason {
    fn detail(&self) -> String {
        match self {
            Self::CannotRun(text) => format!("cannot run: {text}"),
            Self::NotComparable(text) => format!("not comparable: {text}"),
        }
    }

    fn clause(self) -> String {
        match self {
            Self::CannotRun(text) | Self::NotComparable(text) => text,
        }
    }
}

/// The number to compute with, or a clause about the value, which `name` names.
fn decimal(node: Node<'_>, name: impl FnOnce() -> String) -> Result<Decimal, Reason> {
    let Some(number) = node.as_number() else {
        let (name, kind) = (name(), with_article(node.kind()));
        return Err(Reason::NotComparable(format!("{name} is {kind}, not a number")));
    };
    number.decimal().ok_or_else(|| {
        let (name, echo) = (name(), node.echo());
        Reason::NotComparable(format!("the exponent of {name} ({echo}) is beyond ±400"))
    })
}

/// All addends, or the first place that has none.
fn addends<'d>(
    root: Node<'d>,
    rule: &Rule<'_>,
    path: &Path,
) -> Result<Addends<'d>, (Node<'d>, Reason)> {
    let mut addends = Addends { decimals: Vec::new(), float: false, first: None, absent: false };
    let mut places = path.resolve(root);
    while let Some(resolved) = places.next() {
        let node = resolved.node();
        match resolved {
            Resolved::Value(_) => {
                let decimal =
                    decimal(node, || name_of(&places.place())).map_err(|reason| (node, reason))?;
                addends.decimals.push(decimal);
                addends.float |= node.as_number().is_some_and(|number| number.is_float_literal());
                addends.first.get_or_insert(node);
            }
            Resolved::Absent { .. } if rule.if_present => addends.absent = true,
            _ => {
                let reason = obstacle(resolved, path, &places).unwrap_or_default();
                return Err((node, Reason::CannotRun(reason)));
            }
        }
    }
    Ok(addends)
}

/// What the sum must equal.
struct Target {
    value: Decimal,
    /// `total (135.0)`, or `135.0` for `equals`.
    text: String,
    mark: Option<Mark>,
}

/// Why there is no target, and what of the output to look at.
type NoTarget = (Option<Mark>, Reason);

fn target<'d>(root: Node<'d>, rule: &Rule<'d>) -> Result<Target, NoTarget> {
    if let Some(written) = &rule.equals_field {
        return target_field(root, written);
    }
    let Some(equals) = rule.equals else {
        let reason = "the rule has neither equals_field nor equals".to_owned();
        return Err((None, Reason::CannotRun(reason)));
    };
    let value = decimal(equals, || "equals".to_owned()).map_err(|reason| (None, reason))?;
    Ok(Target { value, text: equals.echo(), mark: None })
}

fn target_field(root: Node<'_>, written: &str) -> Result<Target, NoTarget> {
    let name = path_name(written);
    let path = Path::parse(written)
        .map_err(|error| (None, Reason::CannotRun(malformed("equals_field", error))))?;
    let mut places = path.resolve(root);
    let Some(first) = places.next() else {
        return Err((None, Reason::CannotRun(format!("{name} has no value, only an empty array"))));
    };
    let node = first.node();
    if let Some(reason) = obstacle(first, &path, &places) {
        let mark = Mark::also(node.id(), format!("{name} should be here"));
        return Err((Some(mark), Reason::CannotRun(reason)));
    }
    let mark = Some(Mark::also(node.id(), format!("{name} is {}", node.echo())));
    if places.next().is_some() {
        return Err((mark, Reason::CannotRun(format!("{name} has more than one value"))));
    }
    match decimal(node, || name.clone()) {
        Ok(value) => Ok(Target { value, text: format!("{name} ({})", node.echo()), mark }),
        Err(reason) => Err((mark, reason)),
    }
}

/// What the rule asks for, before any value is known.
fn wanted(rule: &Rule<'_>) -> String {
    match (&rule.equals_field, rule.equals) {
        (Some(written), _) => format!("a sum equal to {}", path_name(written)),
        (None, Some(equals)) => format!("a sum equal to {}", equals.echo()),
        (None, None) => "an equals_field or an equals to compare with".to_owned(),
    }
}

/// A sum as messages show it.
fn plain(sum: &Decimal, fraction: bool) -> String {
    cut(&sum.to_plain(fraction), MAX_ECHO).into_owned()
}
