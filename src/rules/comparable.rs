//! Values that have an order: numbers among numbers, dates among dates (SPEC 5.4).

use std::cmp::Ordering;

use crate::json::{Kind, Node, NumberParts};

use super::instant::Instant;

/// A value that can be compared.
#[derive(Debug, Clone, Copy)]
pub(super) enum Comparable<'d> {
    Number(NumberParts<'d>),
    Date(Instant<'d>),
}

/// Why a value cannot be compared with anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Incomparable {
    /// A number whose written exponent is beyond ±400.
    Exponent,
    /// A string that is no date.
    NoDate,
    /// Any other type.
    Kind,
}

impl<'d> Comparable<'d> {
    pub(super) fn of(node: Node<'d>) -> Result<Self, Incomparable> {
        if let Some(number) = node.as_number() {
            // An integer literal has no exponent.
            let in_range = !number.is_float_literal()
                || !number.literal().contains(['e', 'E'])
                || number.decimal().is_some();
            return if in_range {
                Ok(Self::Number(number.parts()))
            } else {
                Err(Incomparable::Exponent)
            };
        }
        if node.kind() != Kind::String {
            return Err(Incomparable::Kind);
        }
        node.as_str().and_then(Instant::parse).map(Self::Date).ok_or(Incomparable::NoDate)
    }

    /// The order of two numbers or two dates.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => Some(left.cmp(right)),
            (Self::Date(left), Self::Date(right)) => Some(left.cmp(right)),
            _ => None,
        }
    }

    /// `a number`, `a date`.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Date(_) => "a date",
        }
    }

    /// `below` or `before`.
    pub(super) fn less(&self) -> &'static str {
        match self {
            Self::Number(_) => "below",
            Self::Date(_) => "before",
        }
    }

    /// `above` or `after`.
    pub(super) fn more(&self) -> &'static str {
        match self {
            Self::Number(_) => "above",
            Self::Date(_) => "after",
        }
    }
}

impl Incomparable {
    /// A clause about the value, which `subject` names.
    pub(super) fn clause(self, subject: &str) -> String {
        match self {
            Self::Exponent => format!("the exponent of {subject} is beyond ±400"),
            Self::NoDate | Self::Kind => format!("{subject} is neither a number nor a date"),
        }
    }
}
