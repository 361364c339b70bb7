//! All samples laid over each other: one [`Shape`] per place, with every value that stands there.

use std::collections::HashMap;

use crate::json::{Kind, Node};
use crate::path::Path;
use crate::text::{MAX_ECHO, cut, visible};

/// A value, and which sample it is from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting<'d> {
    pub(super) sample: usize,
    pub(super) node: Node<'d>,
}

/// What stands at one place of all samples; elements of an array share a place.
#[derive(Debug)]
pub(super) struct Shape<'d> {
    /// The place in the notation of rules, where that can express it.
    pub(super) path: Option<Path>,
    /// The place as people read it.
    pub(super) place: String,
    /// The member's name; of an element, that of the array.
    pub(super) name: &'d str,
    /// The name of the nearest array around it.
    pub(super) array: &'d str,
    /// The values, in order.
    pub(super) seen: Vec<Sighting<'d>>,
    /// The members of the objects among them, in the order first seen.
    pub(super) members: Vec<Shape<'d>>,
    /// The elements of the arrays among them, or, of a map, the values.
    pub(super) element: Option<Box<Shape<'d>>>,
    /// Whether the objects have names that are data: `{"EUR": 1.1, "USD": 1}` by day.
    pub(super) is_map: bool,
}

impl<'d> Shape<'d> {
    /// Lays samples over each other.
    pub(super) fn of(samples: &[Node<'d>]) -> Self {
        let seen = samples.iter().enumerate().map(|(sample, &node)| Sighting { sample, node });
        let mut root = Self::at(Some(Path::default()), "$".to_owned(), "", "");
        root.seen = seen.collect();
        root.descend();
        root
    }

    fn at(path: Option<Path>, place: String, name: &'d str, array: &'d str) -> Self {
        Self {
            path,
            place,
            name,
            array,
            seen: Vec::new(),
            members: Vec::new(),
            element: None,
            is_map: false,
        }
    }

    /// Recursion is bounded by the depth limit of the reader.
    fn descend(&mut self) {
        let mut known: HashMap<&'d str, usize> = HashMap::new();
        for sighting in &self.seen {
            // A name with a lone surrogate has no text that a schema could hold.
            for member in sighting.node.members().filter(|member| !member.name.has_lone_surrogate())
            {
                let name = member.name.as_str().unwrap_or_default();
                let at = *known.entry(name).or_insert_with(|| {
                    let path = self.path.as_ref().and_then(|path| path.member(name));
                    let shown = cut(name, MAX_ECHO);
                    let place = match self.place.as_str() {
                        "$" => visible(&shown).into_owned(),
                        above => format!("{above}.{}", visible(&shown)),
                    };
                    self.members.push(Self::at(path, place, name, self.array));
                    self.members.len() - 1
                });
                self.members[at].seen.push(Sighting { node: member.value, ..*sighting });
            }
        }
        self.is_map = self.has_data_for_names();
        if self.is_map {
            let mut seen: Vec<_> = self.members.drain(..).flat_map(|member| member.seen).collect();
            seen.sort_by_key(|sighting| (sighting.sample, sighting.node.id()));
            self.add_element(seen, None, ".*");
        } else {
            let mut seen = Vec::new();
            for sighting in &self.seen {
                let elements = sighting.node.elements();
                seen.extend(elements.map(|node| Sighting { node, ..*sighting }));
            }
            if self.has(Kind::Array) {
                self.add_element(seen, self.path.as_ref().map(Path::elements), "[]");
            }
        }
        self.members.iter_mut().for_each(Self::descend);
    }

    fn add_element(&mut self, seen: Vec<Sighting<'d>>, path: Option<Path>, mark: &str) {
        let place = match self.place.as_str() {
            "$" => format!("${mark}"),
            above => format!("{above}{mark}"),
        };
        let mut element = Self::at(path, place, self.name, self.name);
        element.seen = seen;
        element.descend();
        self.element = Some(Box::new(element));
    }

    /// At least three names, of which all look like data, or of which none is in all objects; and
    /// values of one type.
    fn has_data_for_names(&self) -> bool {
        let objects = self.count(Kind::Object);
        if self.members.len() < 3 || self.has(Kind::Array) {
            return false;
        }
        let all_data = self.members.iter().all(|member| looks_like_data(member.name));
        let none_common =
            objects >= 2 && self.members.iter().all(|member| member.seen.len() < objects);
        let mut kinds =
            self.members.iter().flat_map(|member| &member.seen).map(|seen| seen.node.kind());
        let first = kinds.next();
        (all_data || none_common) && kinds.all(|kind| Some(kind) == first)
    }

    /// How many values are of this type.
    pub(super) fn count(&self, kind: Kind) -> usize {
        self.seen.iter().filter(|seen| seen.node.kind() == kind).count()
    }

    /// Whether any value is of this type.
    pub(super) fn has(&self, kind: Kind) -> bool {
        self.seen.iter().any(|seen| seen.node.kind() == kind)
    }

    /// Whether there are values, and all are of this type.
    pub(super) fn is_only(&self, kind: Kind) -> bool {
        !self.seen.is_empty() && self.seen.iter().all(|seen| seen.node.kind() == kind)
    }

    /// In how many samples there is a value.
    pub(super) fn samples(&self) -> usize {
        let mut samples: Vec<_> = self.seen.iter().map(|seen| seen.sample).collect();
        samples.dedup();
        samples.len()
    }

    /// This shape and all below it, in the order of the document.
    pub(super) fn walk<'s>(&'s self, visit: &mut impl FnMut(&'s Self)) {
        visit(self);
        self.members.iter().for_each(|member| member.walk(visit));
        if let Some(element) = &self.element {
            element.walk(visit);
        }
    }
}

/// Names that nobody would write into a schema: numbers, dates, hashes, UUIDs.
fn looks_like_data(name: &str) -> bool {
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    let data = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b':' | b'.' | b'x');
    digits > 0 && (digits == name.len() || (name.len() >= 8 && name.bytes().all(data)))
}
