//! Content checks (SPEC 6.1 to 6.3): placeholders and cut-off texts, which are flags, and what
//! `strict_content_check` does not allow.
//!
//! One pass over all strings. Nearly all of them are in order, and that is decided from their bytes
//! without any allocation; a place is built for findings only.

mod markup;
mod placeholder;
mod truncation;

use crate::finding::{Finding, Mark, Tally};
use crate::json::{Kind, Node};
use crate::listing::Listing;
use crate::place::{Place, Step};

/// What the strings of an output look like.
#[derive(Debug, Clone, Default)]
pub struct ContentReport {
    /// `placeholder_content` and `truncation`, in document order.
    pub flags: Vec<Finding>,
    /// How many more flags there are: counted in `tally`, not written out.
    pub unlisted_flags: u64,
    /// `strict_content_check`, in document order; empty unless it was asked for.
    pub strict_errors: Vec<Finding>,
    /// How many more of them there are: counted, not written out.
    pub unlisted_strict_errors: u64,
    /// One check per string; under strict content one more, and one per property name (SPEC 6.4).
    pub tally: Tally,
}

/// Checks every string of `output`, and with `strict` every property name.
#[must_use]
pub fn check(output: Node<'_>, strict: bool) -> ContentReport {
    let mut walk = Walk {
        strict,
        trail: Vec::new(),
        flags: Listing::default(),
        strict_errors: Listing::default(),
        tally: Tally::default(),
    };
    walk.value(output);
    let (flags, unlisted_flags) = walk.flags.into_parts();
    let (strict_errors, unlisted_strict_errors) = walk.strict_errors.into_parts();
    ContentReport {
        flags,
        unlisted_flags,
        strict_errors,
        unlisted_strict_errors,
        tally: walk.tally,
    }
}

struct Walk<'d> {
    strict: bool,
    trail: Vec<Trail<'d>>,
    flags: Listing,
    strict_errors: Listing,
    tally: Tally,
}

/// One step down, before anybody needs it written.
#[derive(Clone, Copy)]
enum Trail<'d> {
    Name(Node<'d>),
    Index(usize),
}

/// The place that a trail leads to.
fn place(trail: &[Trail<'_>]) -> Place {
    let steps = trail.iter().map(|step| match step {
        Trail::Name(name) => Step::member(*name),
        Trail::Index(index) => Step::Index(*index),
    });
    Place::from(steps.collect::<Vec<_>>())
}

impl<'d> Walk<'d> {
    /// Recursion is bounded by the depth limit of the reader.
    fn value(&mut self, node: Node<'d>) {
        match node.kind() {
            Kind::String => self.string(node),
            Kind::Array => {
                for (index, element) in node.elements().enumerate() {
                    self.trail.push(Trail::Index(index));
                    self.value(element);
                    self.trail.pop();
                }
            }
            Kind::Object => {
                for member in node.members() {
                    self.trail.push(Trail::Name(member.name));
                    if self.strict {
                        self.strict(member.name);
                    }
                    self.value(member.value);
                    self.trail.pop();
                }
            }
            Kind::Null | Kind::Boolean | Kind::Number => {}
        }
    }

    fn string(&mut self, node: Node<'d>) {
        let text = node.as_str().unwrap_or_default();
        let seen = Bytes::of(text);
        let placeholder = placeholder::find(text, seen);
        let truncation = truncation::find(text, seen);
        self.tally.count(placeholder.is_none() && truncation.is_none());
        let trail = &self.trail;
        if let Some(placeholder) = placeholder {
            self.flags.add(|| {
                let (found, detail) = placeholder.texts(node);
                flag("placeholder_content", trail, node, "finished content", found, detail)
            });
        }
        if let Some(truncation) = truncation {
            self.flags.add(|| {
                let found = truncation.found();
                let detail = format!("possibly cut off: {found}");
                flag("truncation", trail, node, "a complete text", found, detail)
            });
        }
        if self.strict {
            self.strict(node);
        }
    }

    /// Strict content: at most one error per kind.
    fn strict(&mut self, node: Node<'d>) {
        let text = node.as_str().unwrap_or_default();
        let seen = Bytes::of(text);
        let control = markup::control_character(text, seen).map(markup::Intruder::Control);
        let markup = markup::first_markup(text, seen).map(markup::Intruder::Markup);
        let script = markup::is_script_url(text).then_some(markup::Intruder::ScriptUrl);
        let intruders = [control, markup, script];
        self.tally.count(intruders.iter().all(Option::is_none));
        let trail = &self.trail;
        for intruder in intruders.into_iter().flatten() {
            self.strict_errors.add(|| {
                let place = place(trail);
                let found = intruder.to_string();
                let detail = format!("{found} at '{}'", place.path());
                Finding {
                    check: "strict_content_check",
                    field: place.field(),
                    expected: intruder.unwanted().to_owned(),
                    found,
                    detail,
                    difference: None,
                    marks: vec![Mark::here(node.id())],
                }
            });
        }
    }
}

fn flag(
    check: &'static str,
    trail: &[Trail<'_>],
    node: Node<'_>,
    expected: &str,
    found: String,
    detail: String,
) -> Finding {
    let (field, expected) = (place(trail).field(), expected.to_owned());
    let marks = vec![Mark::here(node.id())];
    Finding { check, field, expected, found, detail, difference: None, marks }
}

/// Which bytes a text has that any check wants to look at more closely.
#[derive(Clone, Copy)]
struct Bytes(u8);

impl Bytes {
    /// `{ $ < [`, which begin a template.
    const TEMPLATE: u8 = 1;
    /// A backtick.
    const FENCE: u8 = 2;
    /// `<`
    const ANGLE: u8 = 4;
    /// A control character that is not white space, or the first byte of one.
    const CONTROL: u8 = 8;
    /// `p` and `m`, which "lorem ipsum" cannot do without.
    const P: u8 = 16;
    const M: u8 = 32;

    /// What each byte stands for.
    const CLASSES: [u8; 256] = {
        let mut classes = [0; 256];
        let mut control = 0;
        while control < 0x20 {
            classes[control] = Self::CONTROL;
            control += 1;
        }
        classes[b'\t' as usize] = 0;
        classes[b'\n' as usize] = 0;
        classes[b'\r' as usize] = 0;
        classes[0x7F] = Self::CONTROL;
        // U+0080 to U+009F are C2 80 to C2 9F.
        classes[0xC2] = Self::CONTROL;
        classes[b'{' as usize] = Self::TEMPLATE;
        classes[b'$' as usize] = Self::TEMPLATE;
        classes[b'[' as usize] = Self::TEMPLATE;
        classes[b'<' as usize] = Self::TEMPLATE | Self::ANGLE;
        classes[b'`' as usize] = Self::FENCE;
        classes[b'p' as usize] = Self::P;
        classes[b'P' as usize] = Self::P;
        classes[b'm' as usize] = Self::M;
        classes[b'M' as usize] = Self::M;
        classes
    };

    fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |seen, byte| seen | Self::CLASSES[byte as usize]))
    }

    fn has(self, classes: u8) -> bool {
        self.0 & classes == classes
    }
}

#[cfg(test)]
mod tests;
