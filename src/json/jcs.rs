//! The canonical form of RFC 8785, with one addition (SPEC 3.1): a literal without fraction and
//! exponent keeps its digits at any length, where the RFC would round it to a double.
//!
//! Canonical bytes go to a [`Sink`], so that a hash needs no copy of them.

use std::cmp::Ordering;

use super::scan::is_ascii;
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

/// Writes the canonical bytes of a value, in pieces of a few thousand bytes. Recursion is bounded
/// by the depth limit of the reader.
///
/// # Errors
/// Names the first string or number without canonical form; part of the bytes is then written.
pub fn write(node: Node<'_>, sink: &mut impl Sink) -> Result<(), Unhashable> {
    let buffer = Vec::with_capacity(2 * PIECE);
    let mut writer = Writer { sink, buffer, piece: PIECE, members: Vec::new() };
    writer.value(node)?;
    writer.sink.put(&writer.buffer);
    Ok(())
}

/// Appends the canonical bytes of an object as if the member `left_out` were not there.
///
/// # Errors
/// As [`write`].
pub fn append_without(
    object: Node<'_>,
    left_out: &str,
    bytes: &mut Vec<u8>,
) -> Result<(), Unhashable> {
    // With all of them wanted in one place, that is where they are gathered.
    let mut rest = Vec::new();
    let buffer = std::mem::take(bytes);
    let mut writer = Writer { sink: &mut rest, buffer, piece: usize::MAX, members: Vec::new() };
    let left_out = object.get(left_out).map(Node::id);
    let written = writer
        .object(object.members_by_name().filter(|member| Some(member.value.id()) != left_out));
    *bytes = writer.buffer;
    written
}

/// What is gathered before a sink gets it: many small pieces would cost more than they carry.
const PIECE: usize = 4096;

struct Writer<'s, 'd, S> {
    sink: &'s mut S,
    buffer: Vec<u8>,
    /// The length from which the buffer goes to the sink.
    piece: usize,
    /// The sorted members of the objects that are being written, the innermost last.
    members: Vec<Named<'d>>,
}

impl<'d, S: Sink> Writer<'_, 'd, S> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= self.piece {
            self.sink.put(&self.buffer);
            self.buffer.clear();
        }
    }

    fn value(&mut self, node: Node<'d>) -> Result<(), Unhashable> {
        match node.kind() {
            Kind::Null | Kind::Boolean => self.put(node.source_bytes()),
            Kind::Number => match node.as_number().map(Number::canonical) {
                Some(Some(text)) => self.put(text.as_bytes()),
                _ => {
                    let reason = UnhashableReason::InfiniteNumber;
                    return Err(Unhashable { node: node.id(), reason });
                }
            },
            Kind::String => self.string(node)?,
            Kind::Array => {
                self.buffer.push(b'[');
                for (at, element) in node.elements().enumerate() {
                    if at > 0 {
                        self.buffer.push(b',');
                    }
                    self.value(element)?;
                }
                self.put(b"]");
            }
            // The order of an index is mostly the canonical one already.
            Kind::Object => self.object(node.members_by_name())?,
        }
        Ok(())
    }

    fn object(&mut self, members: impl Iterator<Item = Member<'d>>) -> Result<(), Unhashable> {
        let first = self.members.len();
        self.members
            .extend(members.map(|member| Named { prefix: member.name.text_prefix(), member }));
        self.members[first..].sort_unstable();
        self.buffer.push(b'{');
        for at in first..self.members.len() {
            if at > first {
                self.buffer.push(b',');
            }
            let member = self.members[at].member;
            self.string(member.name)?;
            self.buffer.push(b':');
            self.value(member.value)?;
        }
        self.members.truncate(first);
        self.put(b"}");
        Ok(())
    }

    #[inline]
    fn string(&mut self, node: Node<'d>) -> Result<(), Unhashable> {
        if node.is_plain() {
            self.put(node.source_bytes());
        } else if node.has_lone_surrogate() {
            let reason = UnhashableReason::LoneSurrogate;
            return Err(Unhashable { node: node.id(), reason });
        } else {
            write_string(node.as_str().unwrap_or_default(), &mut self.buffer);
        }
        Ok(())
    }
}

/// The members of an object as the canonical form orders them.
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

/// A member in the order of the UTF-16 code units of its name (RFC 8785 §3.2.3).
#[derive(Clone, Copy)]
struct Named<'d> {
    prefix: u64,
    member: Member<'d>,
}

impl Ord for Named<'_> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.prefix != other.prefix && is_ascii(self.prefix | other.prefix) {
            return self.prefix.cmp(&other.prefix);
        }
        compare_utf16(
            self.member.name.as_str().unwrap_or_default(),
            other.member.name.as_str().unwrap_or_default(),
        )
    }
}

impl PartialOrd for Named<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Named<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Named<'_> {}

/// Compares by UTF-16 code units. That is the order of bytes unless, at the first difference, one
/// side is a supplementary character (a surrogate pair, D800…) and the other is U+E000 or above.
#[must_use]
pub fn compare_utf16(left: &str, right: &str) -> Ordering {
    let (a, b) = (left.as_bytes(), right.as_bytes());
    let Some(at) = a.iter().zip(b).position(|(x, y)| x != y) else {
        return a.len().cmp(&b.len());
    };
    // Lead bytes: F0… is supplementary, EE and EF begin U+E000 to U+FFFF.
    match (a[at], b[at]) {
        (0xF0.., 0xEE | 0xEF) => Ordering::Less,
        (0xEE | 0xEF, 0xF0..) => Ordering::Greater,
        (x, y) => x.cmp(&y),
    }
}
