//! What a head says, and whether it can be understood in one way only (RFC 9112).
//!
//! httparse splits the lines; what is strict about framing is here: a body has one length that
//! everybody agrees on, a request has one host, a target one form. A request that two programs
//! could read in two ways is refused, never repaired: that is how requests are smuggled.
//!
//! Targets (RFC 9112 §3.2): the origin form for all; the absolute form of `http` and `https`, whose
//! authority takes the place of `Host`, as RFC 9112 §3.2.2 says; the asterisk form for OPTIONS, which
//! a handler sees as the path `*`. The authority form belongs to CONNECT, which a server that is no
//! proxy does not answer. A `#` is in none of them.

use std::net::IpAddr;

use super::super::problem::Problem;
use super::super::tiny::PEER;
use super::refusal;
use super::scan::MAX_FIELDS;

/// A refusal is rare and large; boxed, the good way stays small.
type Checked<T> = Result<T, Box<Problem>>;

/// How the body is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// There is none.
    None,
    /// So many bytes; one that no number holds is as good as the largest.
    Length(u64),
    /// Chunks (RFC 9112 §7.1).
    Chunked,
}

/// HTTP/1.x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    Http11,
}

/// What the connection has to know of a head; the fields go on to the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// As written.
    pub(super) method: String,
    /// As written, without authority and query.
    pub(super) path: String,
    /// Where the body ends.
    pub(super) framing: Framing,
    /// Whether the client wants to go on with this connection.
    pub(super) keep_alive: bool,
    /// The version, which says what `Connection` has to say.
    pub(super) version: Version,
    /// Whether the client waits for `100 Continue` before it sends the body.
    pub(super) expects_continue: bool,
}

impl Head {
    /// Whether the answer has no body, whatever its length.
    pub(super) fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// Whether this is the question that is answered even under siege.
    pub(super) fn is_health(&self) -> bool {
        self.path == "/health"
            && self.framing == Framing::None
            && matches!(&*self.method, "GET" | "HEAD")
    }
}

/// Fields that concern one connection (RFC 9110 §7.6.1), and framing, which is written anew.
const DROPPED: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
];

/// Fields that nobody may declare to concern one connection only: who could make them vanish would
/// be taken for somebody else, or would have a request read in another way than it was sent.
fn end_to_end(name: &str) -> bool {
    ["content-", "x-forwarded-", "cf-", "x-real-"].iter().any(|start| starts_with(name, start))
        || [
            "authorization",
            "forwarded",
            "host",
            "payment-signature",
            "transfer-encoding",
            "true-client-ip",
            "via",
        ]
        .iter()
        .any(|other| name.eq_ignore_ascii_case(other))
}

fn starts_with(name: &str, start: &str) -> bool {
    name.get(..start.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(start))
}

/// Reads a head that [`super::scan`] found whole, and writes what the worker shall get of it, but
/// for the last lines, which [`finish`] adds once the body is there.
pub(super) fn read(head: &[u8], worker: &mut Vec<u8>) -> Checked<Head> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(head) {
        Ok(httparse::Status::Complete(length)) if length == head.len() => {}
        Err(httparse::Error::TooManyHeaders) => {
            return Err(refusal::head_too_large(head.len(), MAX_FIELDS));
        }
        Err(_) if other_version(head) => return Err(refusal::unsupported_version()),
        Err(error) => return Err(refusal::bad_request(flaw(error))),
        Ok(_) => return Err(refusal::bad_request("the head is not complete")),
    }
    let (Some(method), Some(target), Some(minor)) = (request.method, request.path, request.version)
    else {
        return Err(refusal::bad_request("the request line is not complete"));
    };
    let version = if minor == 0 { Version::Http10 } else { Version::Http11 };
    let fields = Lines(request.headers);
    let target = Target::read(method, target)?;
    let host = fields.host(version)?;
    let connection = fields.connection()?;
    let head = Head {
        method: method.to_owned(),
        path: target.path.split('?').next().unwrap_or_default().to_owned(),
        framing: fields.framing(version)?,
        keep_alive: connection.keeps(version),
        version,
        expects_continue: fields.expects_continue(version)?,
    };
    worker.clear();
    write(worker, &[method, " ", target.slash, target.path, " HTTP/1.1\r\n"]);
    if let Some(host) = target.authority.or(host) {
        write(worker, &["host: ", host, "\r\n"]);
    }
    fields.pass_on(&connection, worker)?;
    Ok(head)
}

/// The last lines for the worker: how long the body is, and who asks.
pub(super) fn finish(worker: &mut Vec<u8>, body: usize, peer: IpAddr) {
    write(worker, &["content-length: ", &body.to_string(), "\r\n"]);
    write(worker, &[PEER, ": ", &peer.to_string(), "\r\n\r\n"]);
}

fn write(to: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        to.extend_from_slice(part.as_bytes());
    }
}

/// What httparse found.
fn flaw(error: httparse::Error) -> &'static str {
    match error {
        httparse::Error::HeaderName => "a field's name is not a token",
        httparse::Error::HeaderValue => "a field's value has a character that is not allowed",
        httparse::Error::Token => "the method or the target has a character that is not allowed",
        httparse::Error::Version => "the request line does not end in a version",
        _ => "the request line or a field is malformed",
    }
}

/// Whether the first line ends in a version that exists, or could, but is not ours.
fn other_version(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let version = line.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    match version {
        [b'H', b'T', b'T', b'P', b'/', major, b'.', minor] => {
            let ours = *major == b'1' && matches!(minor, b'0' | b'1');
            !ours && major.is_ascii_digit() && minor.is_ascii_digit()
        }
        _ => false,
    }
}

/// A target, split.
struct Target<'h> {
    /// Of the absolute form.
    authority: Option<&'h str>,
    /// The `/` that an absolute form with an empty path leaves out.
    slash: &'static str,
    /// Path and query.
    path: &'h str,
}

impl<'h> Target<'h> {
    fn read(method: &str, target: &'h str) -> Checked<Self> {
        if method == "CONNECT" {
            return Err(refusal::not_a_proxy());
        }
        if target.contains('#') {
            return Err(refusal::bad_request("the target has a fragment"));
        }
        if target.starts_with('/') || (target == "*" && method == "OPTIONS") {
            return Ok(Self { authority: None, slash: "", path: target });
        }
        let Some(rest) = ["http://", "https://"]
            .iter()
            .find(|scheme| starts_with(target, scheme))
            .map(|scheme| &target[scheme.len()..])
        else {
            return Err(refusal::bad_request("the target is neither a path nor an http URL"));
        };
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.is_empty() || !is_host(authority) {
            return Err(refusal::bad_request("the target's authority is not a host"));
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        Ok(Self { authority: Some(authority), slash, path })
    }
}

/// Whether this is `uri-host [ ":" port ]` (RFC 9110 §7.2); a host may be empty, user information
/// may not be there.
fn is_host(value: &str) -> bool {
    let (host, port) = match value.strip_prefix('[') {
        Some(literal) => match literal.split_once(']') {
            Some((address, rest)) => {
                let address_fits = address.parse::<std::net::Ipv6Addr>().is_ok();
                if !address_fits {
                    return false;
                }
                ("", if rest.is_empty() { Some("") } else { rest.strip_prefix(':') })
            }
            None => return false,
        },
        None => match value.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (value, Some("")),
        },
    };
    // unreserved, sub-delims and "%" of RFC 3986 §3.2.2.
    let named = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%".contains(&byte);
    host.bytes().all(named)
        && port
            .is_some_and(|port| port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What `Connection` says.
#[derive(Debug, Default)]
struct Options<'h> {
    close: bool,
    keep_alive: bool,
    /// The fields that it names.
    named: Vec<&'h str>,
}

impl Options<'_> {
    /// RFC 9112 §9.3.
    fn keeps(&self, version: Version) -> bool {
        match version {
            _ if self.close => false,
            Version::Http11 => true,
            Version::Http10 => self.keep_alive,
        }
    }
}

/// The fields of a head.
struct Lines<'a, 'h>(&'a [httparse::Header<'h>]);

impl<'h> Lines<'_, 'h> {
    /// The values of a name.
    fn all(&self, name: &str) -> impl Iterator<Item = &'h str> {
        self.0
            .iter()
            .filter(move |field| field.name.eq_ignore_ascii_case(name))
            // The scan has found nothing but ASCII.
            .map(|field| std::str::from_utf8(field.value).unwrap_or_default())
    }

    /// The only value of a name; its second is refused.
    fn only(&self, name: &str, twice: &str) -> Checked<Option<&'h str>> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(refusal::bad_request(twice)),
            (value, None) => Ok(value),
        }
    }

    /// RFC 9112 §3.2.
    fn host(&self, version: Version) -> Checked<Option<&'h str>> {
        match self.only("host", "there is more than one Host")? {
            None if version == Version::Http11 => Err(refusal::bad_request("there is no Host")),
            Some(host) if !is_host(host) => {
                Err(refusal::bad_request("Host is not a host with, perhaps, a port"))
            }
            host => Ok(host),
        }
    }

    /// RFC 9112 §6.3, and stricter: what an intermediary could have read otherwise is refused.
    fn framing(&self, version: Version) -> Checked<Framing> {
        let coding = self.only("transfer-encoding", "there is more than one Transfer-Encoding")?;
        let length = self.only("content-length", "there is more than one Content-Length")?;
        match (coding, length) {
            (Some(_), Some(_)) => {
                Err(refusal::bad_request("there are both Content-Length and Transfer-Encoding"))
            }
            (Some(_), None) if version == Version::Http10 => {
                Err(refusal::bad_request("HTTP/1.0 has no Transfer-Encoding"))
            }
            (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
            (Some(_), None) => {
                Err(refusal::bad_request("the only Transfer-Encoding understood is chunked"))
            }
            (None, Some(length)) => length_of(length),
            (None, None) => Ok(Framing::None),
        }
    }

    /// RFC 9110 §7.6.1.
    fn connection(&self) -> Checked<Options<'h>> {
        let mut options = Options::default();
        for option in self.all("connection").flat_map(|value| value.split(',')) {
            let option = option.trim_matches([' ', '\t']);
            if option.eq_ignore_ascii_case("close") {
                options.close = true;
            } else if option.eq_ignore_ascii_case("keep-alive") {
                options.keep_alive = true;
            } else if end_to_end(option) {
                return Err(refusal::bad_request("Connection names a field that is not its own"));
            } else if !option.is_empty() {
                options.named.push(option);
            }
        }
        Ok(options)
    }

    /// RFC 9110 §10.1.1: one of HTTP/1.0 is not looked at.
    fn expects_continue(&self, version: Version) -> Checked<bool> {
        let mut values = self.all("expect").filter(|_| version == Version::Http11).peekable();
        let expects = values.peek().is_some();
        if values.all(|value| value.eq_ignore_ascii_case("100-continue")) {
            Ok(expects)
        } else {
            Err(refusal::expectation_failed())
        }
    }

    /// Writes all fields that are for the worker.
    fn pass_on(&self, connection: &Options<'_>, worker: &mut Vec<u8>) -> Checked<()> {
        for field in self.0 {
            let name = field.name;
            if name.is_empty() {
                return Err(refusal::bad_request("a field has no name"));
            }
            let dropped = name.eq_ignore_ascii_case(PEER)
                || name.eq_ignore_ascii_case("host")
                || name.eq_ignore_ascii_case("upgrade")
                || DROPPED.iter().any(|other| name.eq_ignore_ascii_case(other))
                || connection.named.iter().any(|other| name.eq_ignore_ascii_case(other));
            if !dropped {
                write(worker, &[name, ": "]);
                worker.extend_from_slice(field.value);
                write(worker, &["\r\n"]);
            }
        }
        Ok(())
    }
}

/// `1*DIGIT`, nothing else: no sign, no list, no white space (RFC 9110 §8.6).
fn length_of(value: &str) -> Checked<Framing> {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(refusal::bad_request("Content-Length is not a number"));
    }
    Ok(Framing::Length(value.parse().unwrap_or(u64::MAX)))
}
