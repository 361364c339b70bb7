//! A request and a response as handlers see them: whole, in memory, without a socket.

use std::net::IpAddr;

/// The fields of a message, in the order in which they came. Names are kept in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Adds a field, beside others of its name.
    pub(crate) fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_ascii_lowercase(), value.into()));
    }

    /// All values of a name.
    pub(crate) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0
            .iter()
            .filter(move |(at, _)| at.eq_ignore_ascii_case(name))
            .map(|(_, value)| &**value)
    }

    /// The first value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(at, _)| at.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// Every field.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }
}

/// A complete request whose framing the front door has checked (SPEC 11.5).
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// As written: methods are case-sensitive (RFC 9110 §9.1).
    pub(crate) method: String,
    /// The path, as written: percent-encoding is not undone.
    pub(crate) path: String,
    /// Behind the first `?`, as written.
    pub(crate) query: Option<String>,
    /// The header fields, without those that concern one connection only.
    pub(crate) fields: Fields,
    /// The whole body, not longer than the front door's limit.
    pub(crate) body: Vec<u8>,
    /// Who is at the other end of the connection; a proxy, possibly.
    pub(crate) peer: IpAddr,
}

/// An answer. Framing (`Content-Length`, `Connection`, `Date`) is for the front door to add.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    /// The status code.
    pub(crate) status: u16,
    /// The header fields.
    pub(crate) fields: Fields,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Without a body.
    pub(crate) fn empty(status: u16) -> Self {
        Self { status, fields: Fields::default(), body: Vec::new() }
    }

    /// With a body of this media type.
    pub(crate) fn new(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, fields: Fields::default(), body: body.into() }
            .with("content-type", media_type)
    }

    /// A JSON text.
    pub(crate) fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, "application/json", body)
    }

    /// With one more field.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.fields.add(name, value);
        self
    }
}
