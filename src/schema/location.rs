//! Places in a schema as a tree, so that a long name above a hundred thousand subschemas is kept
//! once. A place is written out only where a fault or a violation needs it.

/// A place in a [`Locations`], by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LocationId(u32);

/// All places of a plan.
#[derive(Debug, Default)]
pub(super) struct Locations(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    above: Option<LocationId>,
    token: Token,
    /// How long the place is, written out.
    length: u32,
}

#[derive(Debug)]
enum Token {
    /// The text where a place begins: `#`, a URI, or a URI with a fragment.
    Start(Box<str>),
    /// What stands behind the `#` of a reference.
    Fragment(Box<str>),
    Keyword(&'static str),
    Name(Box<str>),
    Index(u32),
}

/// A step down in a schema.
#[derive(Debug, Clone, Copy)]
pub(super) enum SchemaStep<'s> {
    /// Into the value of a keyword.
    Keyword(&'static str),
    /// Into the member of this name.
    Name(&'s str),
    /// Into the element at this index.
    Index(usize),
}

impl Locations {
    /// A place that a reference leads to.
    pub(super) fn start(&mut self, text: &str) -> LocationId {
        self.add(None, Token::Start(text.into()), text.len())
    }

    /// The place that a fragment leads to from the start of its resource.
    pub(super) fn fragment(&mut self, start: LocationId, fragment: &str) -> LocationId {
        if fragment.is_empty() {
            return start;
        }
        self.add(Some(start), Token::Fragment(fragment.into()), fragment.len())
    }

    /// The place some steps further.
    pub(super) fn below(&mut self, above: LocationId, steps: &[SchemaStep<'_>]) -> LocationId {
        steps.iter().fold(above, |at, step| match *step {
            SchemaStep::Keyword(name) => self.add(Some(at), Token::Keyword(name), name.len()),
            SchemaStep::Name(name) => self.add(Some(at), Token::Name(name.into()), name.len()),
            SchemaStep::Index(index) => {
                self.add(Some(at), Token::Index(u32::try_from(index).unwrap_or(u32::MAX)), 1)
            }
        })
    }

    fn add(&mut self, above: Option<LocationId>, token: Token, length: usize) -> LocationId {
        let before = above.map_or(0, |id| self.length(id) + 1);
        let length = u32::try_from(before + length).unwrap_or(u32::MAX);
        let id = LocationId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(Entry { above, token, length });
        id
    }

    /// About how long the place is, written out.
    pub(super) fn length(&self, id: LocationId) -> usize {
        self.0.get(id.0 as usize).map_or(0, |entry| entry.length as usize)
    }

    /// The place written out, its steps as JSON Pointer tokens.
    pub(super) fn text(&self, id: LocationId) -> String {
        let mut tokens = Vec::new();
        let mut next = Some(id);
        while let Some(entry) = next.and_then(|id| self.0.get(id.0 as usize)) {
            tokens.push(&entry.token);
            next = entry.above;
        }
        let mut out = String::with_capacity(self.length(id) + 8);
        for token in tokens.into_iter().rev() {
            match token {
                Token::Start(text) | Token::Fragment(text) => out.push_str(text),
                Token::Keyword(name) => out.extend(["/", name]),
                Token::Name(name) => {
                    out.push('/');
                    out.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
                Token::Index(index) => out.push_str(&format!("/{index}")),
            }
        }
        out
    }

    /// The place of a keyword, written out.
    pub(super) fn text_of_keyword(&self, id: LocationId, keyword: &str) -> String {
        format!("{}/{keyword}", self.text(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_json_pointers() {
        let mut locations = Locations::default();
        let root = locations.start("#");
        let steps = [
            SchemaStep::Keyword("properties"),
            SchemaStep::Name("a/b~c"),
            SchemaStep::Keyword("anyOf"),
            SchemaStep::Index(12),
        ];
        let branch = locations.below(root, &steps);
        assert_eq!(locations.text(root), "#");
        assert_eq!(locations.text(branch), "#/properties/a~1b~0c/anyOf/12");
        assert_eq!(locations.text_of_keyword(root, "type"), "#/type");
    }
}
