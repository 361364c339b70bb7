//! Our [`Document`](crate::json::Document) as the jsonschema crate sees it, and values of a schema
//! as that crate wants them: one reading serves the validator too.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object};
use serde_json::{Map, Number as SerdeNumber, Value};

use crate::json::{self, Elements, Kind, Members, Node, Number};

/// The representation whose nodes are [`View`]s.
#[derive(Debug)]
pub(super) struct Reading;

/// A value of a document, or a property name on its own, which `propertyNames` looks at.
#[derive(Debug, Clone, Copy)]
pub(super) enum View<'d> {
    /// A value.
    Value(Node<'d>),
    /// A property name.
    Name(&'d str),
}

impl<'d> View<'d> {
    fn node(&self) -> Option<Node<'d>> {
        match self {
            Self::Value(node) => Some(*node),
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
    type Array = Node<'d>;
    type Number = Number<'d>;

    fn as_object(&self) -> Option<ObjectView<'d>> {
        self.node().filter(|node| node.kind() == Kind::Object).map(ObjectView)
    }

    fn as_array(&self) -> Option<Node<'d>> {
        self.node().filter(|node| node.kind() == Kind::Array)
    }

    fn as_string(&self) -> Option<Cow<'d, str>> {
        match self {
            Self::Value(node) => node.as_str().map(Cow::Borrowed),
            Self::Name(name) => Some(Cow::Borrowed(name)),
        }
    }

    fn as_number(&self) -> Option<Number<'d>> {
        self.node()?.as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        self.node()?.as_bool()
    }

    fn is_null(&self) -> bool {
        self.node().is_some_and(Node::is_null)
    }

    fn json_type(&self) -> JsonType {
        match self.node().map_or(Kind::String, Node::kind) {
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
            Self::Value(node) => equals(*node, expected),
            Self::Name(name) => expected.as_str() == Some(name),
        }
    }

    fn to_value(&self) -> Cow<'d, Value> {
        Cow::Owned(match self {
            Self::Value(node) => to_value(*node),
            Self::Name(name) => Value::String((*name).to_owned()),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(match self {
            Self::Value(node) => {
                NodeIdentity::tagged(std::ptr::from_ref(node.document()).addr(), node.id())
            }
            Self::Name(name) => NodeIdentity::tagged(name.as_ptr().addr(), u32::MAX),
        })
    }
}

/// An object for the validator.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObjectView<'d>(Node<'d>);

impl<'d> Object<'d, Reading> for ObjectView<'d> {
    type Node = View<'d>;
    type MemberName = &'d str;
    type MembersIter = MemberViews<'d>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<View<'d>> {
        self.0.get(key).map(View::Value)
    }

    fn members(&self) -> MemberViews<'d> {
        MemberViews(self.0.members())
    }
}

/// The members of an [`ObjectView`].
#[derive(Debug)]
pub(super) struct MemberViews<'d>(Members<'d>);

impl<'d> Iterator for MemberViews<'d> {
    type Item = (&'d str, View<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.0.next()?;
        Some((member.name.as_str().unwrap_or_default(), View::Value(member.value)))
    }
}

/// The elements of an array as the validator sees them.
#[derive(Debug)]
pub(super) struct ElementViews<'d>(Elements<'d>);

impl<'d> Iterator for ElementViews<'d> {
    type Item = View<'d>;

    fn next(&mut self) -> Option<View<'d>> {
        self.0.next().map(View::Value)
    }
}

impl<'d> Array<'d, Reading> for Node<'d> {
    type Node = View<'d>;
    type ElementsIter = ElementViews<'d>;

    fn len(&self) -> usize {
        Node::len(*self)
    }

    fn elements(&self) -> ElementViews<'d> {
        ElementViews(Node::elements(*self))
    }

    fn is_unique(&self) -> bool {
        json::first_equal_pair(Node::elements(*self)).is_none()
    }
}

impl JsonNumber for Number<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.literal().parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.literal().parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.to_f64()).filter(|double| double.is_finite())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.literal())
    }

    fn to_number(&self) -> Cow<'_, SerdeNumber> {
        Cow::Owned(to_number(*self))
    }

    fn is_integer(&self) -> bool {
        self.parts().is_integer()
    }

    fn is_written_as_integer(&self) -> bool {
        !self.is_float_literal()
    }
}

/// The value as serde_json holds it, numbers as written, members in their order. It is built member
/// by member: no text goes through serde_json, whose private names could change a value.
pub(super) fn to_value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::Boolean => Value::Bool(node.as_bool() == Some(true)),
        Kind::Number => {
            node.as_number().map_or(Value::Null, |number| Value::Number(to_number(number)))
        }
        Kind::String => Value::String(node.as_str().unwrap_or_default().to_owned()),
        Kind::Array => Value::Array(node.elements().map(to_value).collect()),
        Kind::Object => {
            let name = |name: Node<'_>| name.as_str().unwrap_or_default().to_owned();
            let members = node.members().map(|member| (name(member.name), to_value(member.value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

fn to_number(number: Number<'_>) -> SerdeNumber {
    // `str::parse` would respell exponents, and messages show a bound as the schema writes it.
    SerdeNumber::from_string_unchecked(number.literal().to_owned())
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
        jsonschema::json::conformance::assert_conformance::<Reading>(&View::Value(document.root()));
    }

    #[test]
    fn a_private_name_of_serde_json_is_an_ordinary_name() {
        let text = r#"{"$serde_json::private::Number":"12","$serde_json::private::RawValue":"[]"}"#;
        let value = to_value(read(text, MAX_DEPTH).unwrap().root());
        assert_eq!(value.as_object().map(Map::len), Some(2));
    }

    #[test]
    fn numbers_keep_their_digits() {
        for literal in ["12345678901234567890123", "1.0", "1e400", "-0", "1E+2", "0.10"] {
            let document = read(literal, MAX_DEPTH).unwrap();
            assert_eq!(to_value(document.root()).as_number().unwrap().as_str(), literal);
        }
    }
}
