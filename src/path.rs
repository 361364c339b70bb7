//! Paths of bounds and rules (SPEC 5.1, 5.2): `items[].price`, read once and walked over a value.
//!
//! Walking allocates nothing per place: [`Places`] keeps only the arrays it stands in, and builds a
//! [`Place`] when a finding asks for one. Its time is linear in the values it visits.

use std::fmt;

use crate::json::{Elements, Kind, Node};
use crate::place::{Place, Step};

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Into the member of this name.
    Key(Box<str>),
    /// `[]`: into every element.
    Every,
}

/// A path of well-formed text. `$` alone has no segments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    segments: Vec<Segment>,
}

/// Why a text is no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathError {
    /// The character at which the fault shows, from 1; one more than there are at the end.
    pub at: usize,
    /// What is wrong there.
    pub kind: PathErrorKind,
}

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathErrorKind {
    /// No text at all.
    Empty,
    /// No key where one is due: `a..b`, `a.`.
    EmptyKey,
    /// An opening bracket that is not `[]`: `a[0]`, `a[`.
    NotEvery,
    /// A key right behind `[]`: `a[]b`.
    KeyAfterEvery,
    /// A closing bracket without an opening one.
    StrayBracket,
    /// A backslash before something that needs none, or at the end.
    Escape,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        match self.kind {
            PathErrorKind::Empty => f.write_str("it is empty; $ stands for the whole output"),
            PathErrorKind::EmptyKey => write!(f, "a key is missing at character {at}"),
            PathErrorKind::NotEvery => write!(
                f,
                "only [] (every element) can stand at character {at}; a bracket in a key is \\["
            ),
            PathErrorKind::KeyAfterEvery => {
                write!(f, "a dot is missing after [] at character {at}")
            }
            PathErrorKind::StrayBracket => {
                write!(f, "the bracket at character {at} closes nothing; in a key it is \\]")
            }
            PathErrorKind::Escape => {
                write!(f, "the backslash at character {at} must stand before . [ ] or \\")
            }
        }
    }
}

impl std::error::Error for PathError {}

/// The characters that a key escapes.
const SPECIAL: [char; 4] = ['.', '[', ']', '\\'];

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// The first fault of a malformed path.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let mut reader = Reader { rest: text, at: 1 };
        let mut segments = Vec::new();
        match text.as_bytes() {
            [] => return Err(reader.fault(PathErrorKind::Empty)),
            [b'$'] => return Ok(Self { segments }),
            [b'$', b'.', ..] => {
                reader.take();
                reader.take();
                segments.push(reader.key()?);
            }
            [b'$', b'[', ..] => _ = reader.take(),
            [b'[', ..] => {}
            _ => segments.push(reader.key()?),
        }
        while let Some(next) = reader.peek() {
            match next {
                '[' => segments.push(reader.every()?),
                '.' => {
                    reader.take();
                    segments.push(reader.key()?);
                }
                ']' => return Err(reader.fault(PathErrorKind::StrayBracket)),
                _ => return Err(reader.fault(PathErrorKind::KeyAfterEvery)),
            }
        }
        Ok(Self { segments })
    }

    /// The steps, outermost first.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// How often `[]` stands in it.
    #[must_use]
    pub fn wildcards(&self) -> usize {
        wildcards(&self.segments)
    }

    /// Whether it ends in `[]`.
    #[must_use]
    pub fn ends_in_elements(&self) -> bool {
        self.segments.last() == Some(&Segment::Every)
    }

    /// This path with `[]` behind it.
    #[must_use]
    pub fn elements(&self) -> Self {
        let mut segments = self.segments.clone();
        segments.push(Segment::Every);
        Self { segments }
    }

    /// This path and one step into the member with this name. An empty name cannot be written.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        let mut segments = self.segments.clone();
        segments.push(Segment::Key(name.into()));
        (!name.is_empty()).then_some(Self { segments })
    }

    /// How this path is paired by index with `field`: its part up to and with the last `[]` must
    /// begin `field` (SPEC 5.6). `None` for other shapes, and for a path without `[]`.
    #[must_use]
    pub fn pairing(&self, field: &Self) -> Option<Pairing<'_>> {
        let last = self.segments.iter().rposition(|segment| *segment == Segment::Every)?;
        let (shared, keys) = self.segments.split_at(last + 1);
        field.segments.starts_with(shared).then(|| Pairing {
            level: wildcards(shared),
            before: shared.len(),
            keys,
        })
    }

    /// Every place that the path means under `root`, in document order.
    #[must_use]
    pub fn resolve<'p, 'd>(&'p self, root: Node<'d>) -> Places<'p, 'd> {
        Places { segments: &self.segments, start: Some(root), open: Vec::new() }
    }

    /// The deepest value that all places have in common: the array of the first `[]`, or the last
    /// value on the way to it.
    #[must_use]
    pub fn common<'d>(&self, root: Node<'d>) -> Node<'d> {
        let first = self.segments.iter().position(|segment| *segment == Segment::Every);
        match follow(root, &self.segments[..first.unwrap_or(self.segments.len())]) {
            Followed::End(node) => node,
            Followed::Stopped(resolved) => resolved.node(),
            // There is no `[]` among the steps followed.
            Followed::Array(node, _) => node,
        }
    }
}

fn wildcards(segments: &[Segment]) -> usize {
    segments.iter().filter(|segment| **segment == Segment::Every).count()
}

/// Writes the path so that reading it gives it back.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.segments.first() {
            None => return f.write_str("$"),
            // Without the root in front, this key would itself be read as the root.
            Some(Segment::Key(key)) if &**key == "$" => f.write_str("$.")?,
            _ => {}
        }
        for (index, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Every => f.write_str("[]")?,
                Segment::Key(key) => {
                    if index > 0 {
                        f.write_str(".")?;
                    }
                    for character in key.chars() {
                        if SPECIAL.contains(&character) {
                            f.write_str("\\")?;
                        }
                        write!(f, "{character}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

struct Reader<'t> {
    rest: &'t str,
    /// The character that comes next, from 1.
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        self.at += 1;
        Some(next)
    }

    fn fault(&self, kind: PathErrorKind) -> PathError {
        PathError { at: self.at, kind }
    }

    fn every(&mut self) -> Result<Segment, PathError> {
        if !self.rest.starts_with("[]") {
            return Err(self.fault(PathErrorKind::NotEvery));
        }
        self.take();
        self.take();
        Ok(Segment::Every)
    }

    /// A key up to an unescaped `.`, `[` or the end.
    fn key(&mut self) -> Result<Segment, PathError> {
        let mut key = String::new();
        while let Some(next) = self.peek() {
            match next {
                '.' | '[' => break,
                ']' => return Err(self.fault(PathErrorKind::StrayBracket)),
                '\\' => {
                    let fault = self.fault(PathErrorKind::Escape);
                    self.take();
                    key.push(self.take().filter(|next| SPECIAL.contains(next)).ok_or(fault)?);
                }
                _ => {
                    key.push(next);
                    self.take();
                }
            }
        }
        if key.is_empty() {
            return Err(self.fault(PathErrorKind::EmptyKey));
        }
        Ok(Segment::Key(key.into()))
    }
}

/// What a path finds at one place.
#[derive(Debug, Clone, Copy)]
pub enum Resolved<'d> {
    /// A value, `null` too.
    Value(Node<'d>),
    /// Nothing: a member is missing, or a step leads into `null`.
    Absent {
        /// The last value on the way.
        nearest: Node<'d>,
    },
    /// A step meets a value that has no such steps.
    Unreachable {
        /// That value.
        met: Node<'d>,
        /// Which segment could not be followed.
        segment: usize,
    },
}

impl<'d> Resolved<'d> {
    /// The value, or the last one on the way to it.
    #[must_use]
    pub fn node(self) -> Node<'d> {
        match self {
            Self::Value(node) | Self::Absent { nearest: node } => node,
            Self::Unreachable { met, .. } => met,
        }
    }
}

enum Followed<'d> {
    /// All segments were followed.
    End(Node<'d>),
    /// The segment with this index is `[]`, and this is the array.
    Array(Node<'d>, usize),
    /// No further.
    Stopped(Resolved<'d>),
}

/// Follows segments up to the first array or fault.
fn follow<'d>(mut node: Node<'d>, segments: &[Segment]) -> Followed<'d> {
    for (index, segment) in segments.iter().enumerate() {
        let unreachable = Followed::Stopped(Resolved::Unreachable { met: node, segment: index });
        match (segment, node.kind()) {
            (_, Kind::Null) => return Followed::Stopped(Resolved::Absent { nearest: node }),
            (Segment::Every, Kind::Array) => return Followed::Array(node, index),
            (Segment::Key(key), Kind::Object) => match node.get(key) {
                Some(value) => node = value,
                None => return Followed::Stopped(Resolved::Absent { nearest: node }),
            },
            _ => return unreachable,
        }
    }
    Followed::End(node)
}

/// Iterator over what a path finds; [`Places::place`] is the place of the item given last.
#[derive(Debug)]
pub struct Places<'p, 'd> {
    segments: &'p [Segment],
    start: Option<Node<'d>>,
    /// The arrays that are open, outermost first. Never more than the value has levels.
    open: Vec<Open<'d>>,
}

#[derive(Debug)]
struct Open<'d> {
    /// The segment behind the `[]`.
    behind: usize,
    elements: Elements<'d>,
    /// The element given last, and how many were given.
    element: Node<'d>,
    given: usize,
}

impl<'d> Iterator for Places<'_, 'd> {
    type Item = Resolved<'d>;

    fn next(&mut self) -> Option<Resolved<'d>> {
        if let Some(root) = self.start.take()
            && let Some(resolved) = self.descend(root, 0)
        {
            return Some(resolved);
        }
        while let Some(innermost) = self.open.last_mut() {
            let Some(element) = innermost.elements.next() else {
                self.open.pop();
                continue;
            };
            innermost.element = element;
            innermost.given += 1;
            let behind = innermost.behind;
            if let Some(resolved) = self.descend(element, behind) {
                return Some(resolved);
            }
        }
        None
    }
}

impl<'d> Places<'_, 'd> {
    /// Follows the segments from `from` on; `None` where they lead into an array, now open.
    fn descend(&mut self, node: Node<'d>, from: usize) -> Option<Resolved<'d>> {
        match follow(node, &self.segments[from..]) {
            Followed::End(node) => Some(Resolved::Value(node)),
            Followed::Stopped(Resolved::Unreachable { met, segment }) => {
                Some(Resolved::Unreachable { met, segment: from + segment })
            }
            Followed::Stopped(resolved) => Some(resolved),
            Followed::Array(array, at) => {
                self.open.push(Open {
                    behind: from + at + 1,
                    elements: array.elements(),
                    element: array,
                    given: 0,
                });
                None
            }
        }
    }

    /// The place of the item given last, as far as it is known: `items[2].price`, `nope[].x`.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place_along(self.segments)
    }

    /// The place of the first `count` segments of the item given last.
    #[must_use]
    pub fn place_before(&self, count: usize) -> Place {
        self.place_along(&self.segments[..count.min(self.segments.len())])
    }

    /// The place that `segments` mean when each `[]` is at the index it has here.
    #[must_use]
    pub fn place_along(&self, segments: &[Segment]) -> Place {
        let mut indices = self.open.iter().map(|open| open.given.saturating_sub(1));
        let steps = segments.iter().map(|segment| match segment {
            Segment::Key(key) => Step::name(key),
            Segment::Every => indices.next().map_or(Step::Every, Step::Index),
        });
        Place::from(steps.collect::<Vec<_>>())
    }

    /// The element that the item given last lies in, by how many arrays there are around it: 1 is
    /// the element of the outermost.
    #[must_use]
    pub fn element(&self, level: usize) -> Option<Node<'d>> {
        self.open.get(level.checked_sub(1)?).map(|open| open.element)
    }
}

/// How one path goes along with another: it leads into some of the same arrays, and from the same
/// element on through keys alone.
#[derive(Debug, Clone, Copy)]
pub struct Pairing<'p> {
    /// How many arrays they share; see [`Places::element`].
    pub level: usize,
    before: usize,
    keys: &'p [Segment],
}

impl Pairing<'_> {
    /// What the path finds in the element that it shares.
    #[must_use]
    pub fn resolve<'d>(&self, element: Node<'d>) -> Resolved<'d> {
        match follow(element, self.keys) {
            Followed::End(node) | Followed::Array(node, _) => Resolved::Value(node),
            Followed::Stopped(Resolved::Unreachable { met, segment }) => {
                Resolved::Unreachable { met, segment: self.before + segment }
            }
            Followed::Stopped(resolved) => resolved,
        }
    }
}

#[cfg(test)]
mod tests;
