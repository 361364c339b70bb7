//! A place in a JSON value, and the two ways to write it: as a path (`$.items[3].price`) and as a
//! JSON Pointer (RFC 6901).

use crate::json::{Kind, Node};
use crate::text::{code_points, visible_wtf8};

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// Into the member of this name, as WTF-8.
    Name(Box<[u8]>),
    /// Into the element at this index.
    Index(usize),
    /// Into the elements of an array that is not there (`nope[].x`).
    Every,
}

impl Step {
    /// Into the member with this name.
    #[must_use]
    pub fn name(text: &str) -> Self {
        Self::Name(text.as_bytes().into())
    }

    /// Into the member whose name is this string node.
    #[must_use]
    pub fn member(name: Node<'_>) -> Self {
        Self::Name(name.wtf8().unwrap_or_default().into())
    }
}

/// The steps from the root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Place(Vec<Step>);

impl From<Vec<Step>> for Place {
    fn from(steps: Vec<Step>) -> Self {
        Self(steps)
    }
}

impl Place {
    /// The steps, outermost first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The place of `target` below `root`, which must contain it; of a member's name, the place of
    /// the member.
    #[must_use]
    pub fn of(root: Node<'_>, target: Node<'_>) -> Self {
        let (mut steps, mut at) = (Vec::new(), root);
        while at.id() < target.id() {
            let Some((index, child)) = at.child_towards(target.id()) else { break };
            steps.push(match at.kind() {
                Kind::Object => Step::member(at.document().node(child.id() - 1)),
                _ => Step::Index(index),
            });
            at = child;
        }
        Self(steps)
    }

    /// This place and one step more.
    #[must_use]
    pub fn then(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// `$`, `$.items[3].price`, `$['odd name']` (SPEC 4.5).
    #[must_use]
    pub fn path(&self) -> String {
        let mut out = String::from("$");
        for step in &self.0 {
            match step {
                Step::Index(index) => out.push_str(&format!("[{index}]")),
                Step::Every => out.push_str("[]"),
                Step::Name(name) if is_identifier(name) => {
                    out.push('.');
                    out.push_str(&visible_wtf8(name));
                }
                Step::Name(name) => {
                    out.push_str("['");
                    out.push_str(&quotable(name));
                    out.push_str("']");
                }
            }
        }
        out
    }

    /// The notation of flags: the path without `$.`, or without `$` before a bracket; the root is
    /// the empty text. [`path_of_field`] leads back.
    #[must_use]
    pub fn field(&self) -> String {
        let path = self.path();
        path.strip_prefix("$.").unwrap_or(&path[1..]).to_owned()
    }

    /// The JSON Pointer, lone surrogates as U+FFFD.
    #[must_use]
    pub fn pointer(&self) -> String {
        let mut out = String::new();
        for step in &self.0 {
            out.push('/');
            match step {
                Step::Index(index) => out.push_str(&index.to_string()),
                Step::Every => out.push('-'),
                Step::Name(name) => {
                    for code in code_points(name) {
                        match char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER) {
                            '~' => out.push_str("~0"),
                            '/' => out.push_str("~1"),
                            character => out.push(character),
                        }
                    }
                }
            }
        }
        out
    }
}

/// The path of a flag's field: `$.` + field, `$` + field before a bracket, `$` alone (SPEC 5.8). A
/// rule's path that was written from the root on (`$.items[]`) is one already; no other field
/// begins like this.
#[must_use]
pub fn path_of_field(field: &str) -> String {
    match field.as_bytes() {
        [] => "$".to_owned(),
        [b'$'] | [b'$', b'.' | b'[', ..] => field.to_owned(),
        [b'[', ..] => format!("${field}"),
        _ => format!("$.{field}"),
    }
}

fn is_identifier(name: &[u8]) -> bool {
    matches!(name.first(), Some(b'A'..=b'Z' | b'a'..=b'z' | b'_'))
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// A name between single quotes: `\'` and `\\`, and what is not fit to be shown as `\uXXXX`.
fn quotable(name: &[u8]) -> String {
    let mut escaped = Vec::with_capacity(name.len() + 2);
    for &byte in name {
        if matches!(byte, b'\'' | b'\\') {
            escaped.push(b'\\');
        }
        escaped.push(byte);
    }
    visible_wtf8(&escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_stand_in_brackets() {
        let place = |names: &[&str]| {
            Place::from(names.iter().map(|name| Step::name(name)).collect::<Vec<_>>())
        };
        assert_eq!(place(&[]).path(), "$");
        assert_eq!(place(&["a", "b_1"]).path(), "$.a.b_1");
        assert_eq!(place(&["odd name", "a/b", "1%"]).path(), "$['odd name']['a/b']['1%']");
        assert_eq!(place(&["it's", "back\\slash"]).path(), r"$['it\'s']['back\\slash']");
        assert_eq!(place(&["a\u{0}\u{202e}"]).path(), r"$['a\u0000\u202e']");
        assert_eq!(place(&["a~/b"]).pointer(), "/a~0~1b");
        let lone = Place::from(vec![Step::Name(b"\xED\xA0\x80".as_slice().into()), Step::Index(3)]);
        assert_eq!(lone.path(), r"$['\ud800'][3]");
    }

    #[test]
    fn a_field_leads_back_to_its_path() {
        for place in [
            Place::default(),
            Place::from(vec![Step::name("items"), Step::Index(3), Step::name("price")]),
            Place::from(vec![Step::Index(0)]),
            Place::from(vec![Step::name("odd name")]),
        ] {
            assert_eq!(path_of_field(&place.field()), place.path());
        }
        assert_eq!(path_of_field("$.items[].price"), "$.items[].price");
        assert_eq!(path_of_field("$[].price"), "$[].price");
        assert_eq!(path_of_field("$amount"), "$.$amount");
    }
}
