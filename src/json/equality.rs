//! JSON equality as bytes, so that sets and maps find equal values in linear time.

use std::collections::HashMap;

use super::{Kind, Node};

/// Two values have the same key exactly when they are equal (JSON Schema core §4.2.2): `1` and
/// `1.0` are, `1` and `true` are not, the order of members does not count.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EqualityKey(Vec<u8>);

impl EqualityKey {
    /// The key of a value.
    #[must_use]
    pub fn of(node: Node<'_>) -> Self {
        let mut bytes = Vec::with_capacity(32);
        append(node, &mut bytes);
        Self(bytes)
    }
}

/// Recursion is bounded by the depth limit of the reader.
fn append(node: Node<'_>, bytes: &mut Vec<u8>) {
    match node.kind() {
        Kind::Null => bytes.push(b'n'),
        Kind::Boolean => bytes.push(if node.as_bool() == Some(true) { b't' } else { b'f' }),
        Kind::Number => {
            bytes.push(b'#');
            if let Some(number) = node.as_number() {
                number.parts().append_key(bytes);
            }
        }
        Kind::String => append_string(node, bytes),
        Kind::Array => {
            bytes.push(b'[');
            node.elements().for_each(|element| append(element, bytes));
            bytes.push(b']');
        }
        Kind::Object => {
            bytes.push(b'{');
            let mut members: Vec<_> = node.members().collect();
            members.sort_unstable_by_key(|member| member.name.wtf8());
            for member in members {
                append_string(member.name, bytes);
                append(member.value, bytes);
            }
            bytes.push(b'}');
        }
    }
}

/// With its length in front, so that no string can imitate what follows it.
fn append_string(node: Node<'_>, bytes: &mut Vec<u8>) {
    let text = node.wtf8().unwrap_or_default();
    bytes.push(b'"');
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text);
}

/// The indices of the first equal pair: the earliest node that equals one before it, and that one
/// first. Linear in the size of the values.
#[must_use]
pub fn first_equal_pair<'d>(
    nodes: impl ExactSizeIterator<Item = Node<'d>>,
) -> Option<(usize, usize)> {
    if nodes.len() < 2 {
        return None;
    }
    let mut seen = HashMap::with_capacity(nodes.len());
    nodes
        .enumerate()
        .find_map(|(at, node)| seen.insert(EqualityKey::of(node), at).map(|earlier| (earlier, at)))
}
