//! Our [`Document`](crate::json::Document) as the jsonschema crate sees it: one reading serves the
//! validator too.

use std::borrow::Cow;
use std::cell::Cell;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object};
use serde_json::{Number as SerdeNumber, Value};

use crate::json::{self, Elements, Kind, Members, Node, Number};

use super::written::to_value;

/// The representation whose nodes are [`View`]s.
#[derive(Debug)]
pub(super) struct Reading;

/// How often the validator may still look at the data. It has no bounds of its own: when this is
/// used up, every value looks empty, it comes to an end, and its answer is worth nothing.
#[derive(Debug)]
pub(super) struct Meter(Cell<u64>);

impl Meter {
    /// A meter for so many looks.
    pub(super) fn new(looks: u64) -> Self {
        Self(Cell::new(looks))
    }

    /// Whether it is used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.0.get() == 0
    }

    #[inline]
    fn take(&self, looks: usize) -> bool {
        let left = self.0.get().saturating_sub(looks as u64);
        self.0.set(left);
        left > 0
    }
}

/// A value of a document, or a property name on its own, which `propertyNames` looks at.
#[derive(Debug, Clone, Copy)]
pub(super) enum View<'d> {
    /// A value.
    Value(Node<'d>, &'d Meter),
    /// A property name.
    Name(&'d str),
}

/// What looking at `bytes` costs: a short value one look.
#[inline]
fn looks(bytes: usize) -> usize {
    1 + bytes / 32
}

impl<'d> View<'d> {
    /// The value, for as long as the meter has looks left.
    #[inline]
    fn node(&self) -> Option<Node<'d>> {
        match self {
            Self::Value(node, meter) => meter.take(1).then_some(*node),
            Self::Name(_) => None,
        }
    }

    /// The same for a scalar or an array that is about to be looked at as a whole.
    fn whole(&self) -> Option<Node<'d>> {
        match self {
            Self::Value(node, meter) => meter.take(looks(node.source().len())).then_some(*node),
            Self::Name(_) => None,
        }
    }
}

impl Json for Reading {
    type Node<'a> = View<'a>;
    type PreparedKey = String;
    type StringBuffer = String;

    // Small objects are searched name by name.
    const KEYS_PER_LOOKUP: usize = 2;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut String, string: &str, f: impl FnOnce(View<'_>) -> T) -> T {
        buffer.clear();
        buffer.push_str(string);
        f(View::Name(buffer))
    }
}

impl<'d> JsonNode<'d, Reading> for View<'d> {
    type Object = ObjectView<'d>;
    type Array = ArrayView<'d>;
    type Number = NumberView<'d>;

    fn as_object(&self) -> Option<ObjectView<'d>> {
        let Self::Value(_, meter) = self else { return None };
        self.node().filter(|node| node.kind() == Kind::Object).map(|node| ObjectView(node, meter))
    }

    fn as_array(&self) -> Option<ArrayView<'d>> {
        let Self::Value(_, meter) = self else { return None };
        self.node().filter(|node| node.kind() == Kind::Array).map(|node| ArrayView(node, meter))
    }

    fn as_string(&self) -> Option<Cow<'d, str>> {
        match self {
            Self::Value(node, _) if node.kind() == Kind::String => {
                self.whole()?.as_str().map(Cow::Borrowed)
            }
            Self::Value(..) => None,
            Self::Name(name) => Some(Cow::Borrowed(name)),
        }
    }

    fn as_number(&self) -> Option<NumberView<'d>> {
        let Self::Value(node, meter) = self else { return None };
        let number = node.as_number()?;
        self.whole().map(|_| NumberView(number, meter))
    }

    fn as_boolean(&self) -> Option<bool> {
        self.node()?.as_bool()
    }

    fn is_null(&self) -> bool {
        match self {
            Self::Value(..) => self.node().is_none_or(Node::is_null),
            Self::Name(_) => false,
        }
    }

    fn json_type(&self) -> JsonType {
        let kind = match self {
            Self::Value(..) => self.node().map_or(Kind::Null, Node::kind),
            Self::Name(_) => Kind::String,
        };
        match kind {
            Kind::Null => JsonType::Null,
            Kind::Boolean => JsonType::Boolean,
            Kind::Number => JsonType::Number,
            Kind::String => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match self {
            Self::Value(..) => self.whole().is_some_and(|node| equals(node, expected)),
            Self::Name(name) => expected.as_str() == Some(name),
        }
    }

    fn to_value(&self) -> Cow<'d, Value> {
        Cow::Owned(match self {
            Self::Value(..) => self.whole().map_or(Value::Null, to_value),
            Self::Name(name) => Value::String((*name).to_owned()),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(match self {
            Self::Value(node, _) => {
                NodeIdentity::tagged(std::ptr::from_ref(node.document()).addr(), node.id())
            }
            Self::Name(name) => NodeIdentity::tagged(name.as_ptr().addr(), u32::MAX),
        })
    }
}

/// An object for the validator.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObjectView<'d>(Node<'d>, &'d Meter);

impl<'d> Object<'d, Reading> for ObjectView<'d> {
    type Node = View<'d>;
    type MemberName = &'d str;
    type MembersIter = MemberViews<'d>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<View<'d>> {
        if !self.1.take(1) {
            return None;
        }
        self.0.get(key).map(|value| View::Value(value, self.1))
    }

    fn members(&self) -> MemberViews<'d> {
        MemberViews(self.0.members(), self.1)
    }
}

/// The members of an [`ObjectView`].
#[derive(Debug)]
pub(super) struct MemberViews<'d>(Members<'d>, &'d Meter);

impl<'d> Iterator for MemberViews<'d> {
    type Item = (&'d str, View<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.0.next()?;
        let name = member.name.as_str().unwrap_or_default();
        self.1.take(looks(name.len())).then_some((name, View::Value(member.value, self.1)))
    }
}

/// An array for the validator.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrayView<'d>(Node<'d>, &'d Meter);

/// The elements of an [`ArrayView`].
#[derive(Debug)]
pub(super) struct ElementViews<'d>(Elements<'d>, &'d Meter);

impl<'d> Iterator for ElementViews<'d> {
    type Item = View<'d>;

    fn next(&mut self) -> Option<View<'d>> {
        let element = self.0.next()?;
        self.1.take(1).then_some(View::Value(element, self.1))
    }
}

impl<'d> Array<'d, Reading> for ArrayView<'d> {
    type Node = View<'d>;
    type ElementsIter = ElementViews<'d>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn elements(&self) -> ElementViews<'d> {
        ElementViews(self.0.elements(), self.1)
    }

    fn is_unique(&self) -> bool {
        let affordable = self.1.take(self.0.len() + looks(self.0.source().len()));
        affordable && json::first_equal_pair(self.0.elements()).is_none()
    }
}

/// A number for the validator.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberView<'d>(Number<'d>, &'d Meter);

impl NumberView<'_> {
    /// The literal, which the validator takes to arithmetic that is quadratic in its length.
    fn literal(&self) -> &str {
        let length = self.0.literal().len();
        if self.1.take(length.saturating_mul(length) / 128) { self.0.literal() } else { "0" }
    }
}

impl JsonNumber for NumberView<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.literal().parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.literal().parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.0.to_f64()).filter(|double| double.is_finite())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.literal())
    }

    fn to_number(&self) -> Cow<'_, SerdeNumber> {
        Cow::Owned(SerdeNumber::from_string_unchecked(self.literal().to_owned()))
    }

    fn is_integer(&self) -> bool {
        self.0.parts().is_integer()
    }

    fn is_written_as_integer(&self) -> bool {
        !self.0.is_float_literal()
    }
}

/// JSON equality (JSON Schema core §4.2.2) with a value of a schema.
pub(super) fn equals(node: Node<'_>, expected: &Value) -> bool {
    match expected {
        Value::Null => node.is_null(),
        Value::Bool(expected) => node.as_bool() == Some(*expected),
        Value::String(expected) => node.as_str() == Some(expected) && !node.has_lone_surrogate(),
        Value::Number(expected) => node.as_number().is_some_and(|number| {
            let expected = expected.as_str();
            number.literal() == expected
                || Number::parse(expected)
                    .is_some_and(|expected| number.parts() == expected.parts())
        }),
        Value::Array(expected) => {
            node.kind() == Kind::Array
                && node.len() == expected.len()
                && node.elements().zip(expected).all(|(node, expected)| equals(node, expected))
        }
        Value::Object(expected) => {
            node.kind() == Kind::Object
                && node.len() == expected.len()
                && expected.iter().all(|(name, expected)| {
                    node.get(name).is_some_and(|node| equals(node, expected))
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MAX_DEPTH, read};

    #[test]
    fn keeps_the_contract_of_the_validator() {
        let text = jsonschema::json::conformance::document().to_string();
        let document = read(text, MAX_DEPTH).unwrap();
        jsonschema::json::conformance::assert_conformance::<Reading>(&View::Value(
            document.root(),
            &Meter::new(u64::MAX),
        ));
    }

    #[test]
    fn an_exhausted_meter_shows_nothing() {
        let document = read(r#"{"a":[1,2,3]}"#, MAX_DEPTH).unwrap();
        let meter = Meter::new(3);
        let view = View::Value(document.root(), &meter);
        assert!(view.as_object().is_some());
        assert!(!meter.is_exhausted());
        assert!(view.as_object().is_some_and(|object| object.members().next().is_none()));
        assert!(meter.is_exhausted());
        assert!(view.as_object().is_none() && view.is_null());
    }
}
