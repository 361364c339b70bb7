//! The canonical form of RFC 8785, with one addition (SPEC 3.1): a literal without fraction and
//! exponent keeps its digits at any length, where the RFC would round it to a double.
//!
//! Canonical bytes go to a [`Sink`], so that a hash needs no copy of them.

use super::{Kind, Member, Node, Number, write_string};

/// Why a value has no canonical form (SPEC 1.3), and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unhashable {
    /// The [`Node::id`] of the string, name or number.
    pub node: u32,
    /// What is wrong with it.
    pub reason: UnhashableReason,
}

/// The two things that grammatical JSON can hold and RFC 8785 cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnhashableReason {
    /// A string or a name with half of a surrogate pair.
    LoneSurrogate,
    /// A number beyond the largest double.
    InfiniteNumber,
}

impl std::fmt::Display for UnhashableReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::LoneSurrogate => "a lone surrogate",
            Self::InfiniteNumber => "a number too large for a double",
        })
    }
}

/// Where canonical bytes go.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// The canonical bytes of a value.
///
/// # Errors
/// Names the first string or number without canonical form.
pub fn canonical(node: Node<'_>) -> Result<Vec<u8>, Unhashable> {
    let mut bytes = Vec::new();
    write(node, &mut bytes)?;
    Ok(bytes)
}

/// Writes the canonical bytes of a value. Recursion is bounded by the depth limit of the reader.
///
/// # Errors
/// Names the first string or number without canonical form; part of the bytes is then written.
pub fn write(node: Node<'_>, sink: &mut impl Sink) -> Result<(), Unhashable> {
    match node.kind() {
        Kind::Null | Kind::Boolean => sink.put(node.source().as_bytes()),
        Kind::Number => match node.as_number().map(Number::canonical) {
            Some(Some(text)) => sink.put(text.as_bytes()),
            _ => {
                return Err(Unhashable {
                    node: node.id(),
                    reason: UnhashableReason::InfiniteNumber,
                });
            }
        },
        Kind::String => write_text(node, sink)?,
        Kind::Array => {
            sink.put(b"[");
            for (at, element) in node.elements().enumerate() {
                if at > 0 {
                    sink.put(b",");
                }
                write(element, sink)?;
            }
            sink.put(b"]");
        }
        Kind::Object => write_members(&sorted_members(node), sink)?,
    }
    Ok(())
}

/// Writes the canonical bytes of an object as if the member `left_out` were not there.
///
/// # Errors
/// As [`write`].
pub fn write_without(
    object: Node<'_>,
    left_out: &str,
    sink: &mut impl Sink,
) -> Result<(), Unhashable> {
    let left_out = object.member(left_out).map(|member| member.name.id());
    let mut members = sorted_members(object);
    members.retain(|member| Some(member.name.id()) != left_out);
    write_members(&members, sink)
}

fn write_members(members: &[Member<'_>], sink: &mut impl Sink) -> Result<(), Unhashable> {
    sink.put(b"{");
    for (at, member) in members.iter().enumerate() {
        if at > 0 {
            sink.put(b",");
        }
        write_text(member.name, sink)?;
        sink.put(b":");
        write(member.value, sink)?;
    }
    sink.put(b"}");
    Ok(())
}

fn write_text(node: Node<'_>, sink: &mut impl Sink) -> Result<(), Unhashable> {
    if node.is_plain() {
        sink.put(node.source().as_bytes());
        return Ok(());
    }
    if node.has_lone_surrogate() {
        return Err(Unhashable { node: node.id(), reason: UnhashableReason::LoneSurrogate });
    }
    let mut bytes = Vec::new();
    write_string(node.as_str().unwrap_or_default(), &mut bytes);
    sink.put(&bytes);
    Ok(())
}

/// Members by the UTF-16 code units of their names (RFC 8785 §3.2.3).
#[must_use]
pub fn sorted_members(object: Node<'_>) -> Vec<Member<'_>> {
    let mut members: Vec<_> = object.members().collect();
    members.sort_unstable_by(|left, right| {
        compare_utf16(
            left.name.as_str().unwrap_or_default(),
            right.name.as_str().unwrap_or_default(),
        )
    });
    members
}

/// Compares by UTF-16 code units. That is the order of bytes unless, at the first difference, one
/// side is a supplementary character (a surrogate pair, D800…) and the other is U+E000 or above.
#[must_use]
pub fn compare_utf16(left: &str, right: &str) -> std::cmp::Ordering {
    let (a, b) = (left.as_bytes(), right.as_bytes());
    let Some(at) = a.iter().zip(b).position(|(x, y)| x != y) else {
        return a.len().cmp(&b.len());
    };
    // Lead bytes: F0… is supplementary, EE and EF begin U+E000 to U+FFFF.
    match (a[at], b[at]) {
        (0xF0.., 0xEE | 0xEF) => std::cmp::Ordering::Less,
        (0xEE | 0xEF, 0xF0..) => std::cmp::Ordering::Greater,
        (x, y) => x.cmp(&y),
    }
}
