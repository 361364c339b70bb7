//! Which path means what, and which methods it takes: a pure function of the request.

use std::borrow::Cow;

use super::http::Request;

/// A path that is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// `/verify/schema`
    VerifySchema,
    /// `/verify/deliverable`, the same check under a second name.
    VerifyDeliverable,
    /// `/score/{agent_id}`
    Score(AgentId),
    /// `/reputation/{agent_id}`
    Reputation(AgentId),
    /// `/health`
    Health,
    /// `/.well-known/agent-card.json`
    AgentCard,
    /// `/.well-known/x402`
    X402,
    /// `/llms.txt`
    Llms,
    /// `/openapi.json`
    OpenApi,
    /// `/docs`
    Docs,
    /// The script of `/docs`.
    DocsScript,
    /// `/mcp`
    Mcp,
}

/// An id out of a path, percent-encoding undone; none if it is not UTF-8 then, or the encoding is
/// broken. Whether it is an id, SPEC 2's rule says, not this.
pub(crate) type AgentId = Option<String>;

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// To an endpoint, by a method that it has.
    To(Endpoint),
    /// A question for the methods of an endpoint (`OPTIONS`).
    Options(Endpoint),
    /// To an endpoint that has other methods.
    WrongMethod(Endpoint),
    /// Nowhere.
    NotFound,
}

impl Endpoint {
    /// The endpoint of a path, as it was written.
    fn of(path: &str) -> Option<Self> {
        Some(match path {
            "/verify/schema" => Self::VerifySchema,
            "/verify/deliverable" => Self::VerifyDeliverable,
            "/health" => Self::Health,
            "/.well-known/agent-card.json" => Self::AgentCard,
            "/.well-known/x402" => Self::X402,
            "/llms.txt" => Self::Llms,
            "/openapi.json" => Self::OpenApi,
            "/docs" => Self::Docs,
            "/docs/openapi-explorer.js" => Self::DocsScript,
            "/mcp" => Self::Mcp,
            _ => {
                let id =
                    |prefix| path.strip_prefix(prefix).filter(|id| is_segment(id)).map(decoded);
                match id("/score/") {
                    Some(id) => Self::Score(id),
                    None => Self::Reputation(id("/reputation/")?),
                }
            }
        })
    }

    /// Its name in metrics, which no client chooses.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::VerifySchema => "verify_schema",
            Self::VerifyDeliverable => "verify_deliverable",
            Self::Score(_) => "score",
            Self::Reputation(_) => "reputation",
            Self::Health => "health",
            Self::AgentCard => "agent_card",
            Self::X402 => "x402",
            Self::Llms => "llms",
            Self::OpenApi => "openapi",
            Self::Docs | Self::DocsScript => "docs",
            Self::Mcp => "mcp",
        }
    }

    /// The methods that it has, as `Allow` lists them.
    pub(crate) fn methods(&self) -> &'static str {
        match self {
            Self::VerifySchema | Self::VerifyDeliverable | Self::Mcp => "POST, OPTIONS",
            _ => "GET, HEAD, OPTIONS",
        }
    }
}

/// One segment, not empty.
fn is_segment(text: &str) -> bool {
    !text.is_empty() && !text.contains('/')
}

/// Percent-encoding undone (RFC 3986 §2.1).
fn decoded(text: &str) -> AgentId {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digit = |at: usize| char::from(digits[at]).to_digit(16);
        bytes.push(u8::try_from(digit(0)? * 16 + digit(1)?).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

/// Where a request goes.
pub(crate) fn route(request: &Request) -> Route {
    let Some(endpoint) = Endpoint::of(&request.path) else { return Route::NotFound };
    let posts = endpoint.methods().starts_with("POST");
    match &*request.method {
        // What else `/mcp` takes, its own rules say.
        _ if endpoint == Endpoint::Mcp => Route::To(endpoint),
        "OPTIONS" => Route::Options(endpoint),
        "POST" if posts => Route::To(endpoint),
        "GET" | "HEAD" if !posts => Route::To(endpoint),
        _ => Route::WrongMethod(endpoint),
    }
}

/// The text of a path for a log: fit for a terminal, and not endless.
pub(crate) fn shown(path: &str) -> Cow<'_, str> {
    const LONGEST: usize = 200;
    match agent_output_verifier::text::cut(path, LONGEST) {
        Cow::Borrowed(path) => crate::term::safe(path),
        Cow::Owned(path) => Cow::Owned(crate::term::safe(&path).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::http::Fields;

    fn at(method: &str, path: &str) -> Route {
        route(&Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: None,
            fields: Fields::default(),
            body: Vec::new(),
            peer: [127, 0, 0, 1].into(),
        })
    }

    #[test]
    fn every_path_has_its_methods() {
        for path in ["/verify/schema", "/verify/deliverable"] {
            assert!(matches!(at("POST", path), Route::To(_)));
            for method in ["GET", "HEAD", "PUT", "DELETE", "post", "CONNECT"] {
                assert!(matches!(at(method, path), Route::WrongMethod(_)), "{method} {path}");
            }
        }
        for path in [
            "/health",
            "/.well-known/agent-card.json",
            "/.well-known/x402",
            "/llms.txt",
            "/openapi.json",
            "/docs",
            "/docs/openapi-explorer.js",
            "/score/a",
            "/reputation/a",
        ] {
            assert!(matches!(at("GET", path), Route::To(_)), "{path}");
            assert!(matches!(at("HEAD", path), Route::To(_)), "{path}");
            assert!(matches!(at("OPTIONS", path), Route::Options(_)), "{path}");
            assert!(matches!(at("POST", path), Route::WrongMethod(_)), "{path}");
        }
        assert_eq!(at("DELETE", "/mcp"), Route::To(Endpoint::Mcp));
    }

    #[test]
    fn other_paths_lead_nowhere() {
        for path in [
            "/",
            "",
            "*",
            "/verify",
            "/verify/schema/",
            "/Health",
            "/score",
            "/score/",
            "/score/a/b",
            "/metrics",
            "/docs/",
            "//health",
            "/%68ealth",
        ] {
            assert_eq!(at("GET", path), Route::NotFound, "{path}");
        }
    }

    #[test]
    fn ids_are_decoded_once() {
        let id = |path: &str| match at("GET", path) {
            Route::To(Endpoint::Score(id)) => id,
            other => panic!("{other:?}"),
        };
        assert_eq!(id("/score/agent-7").as_deref(), Some("agent-7"));
        assert_eq!(id("/score/a%2Fb%3f%20%C3%A9").as_deref(), Some("a/b? é"));
        assert_eq!(id("/score/a+b%252F").as_deref(), Some("a+b%2F"));
        assert_eq!(id("/score/%00").as_deref(), Some("\0"));
        for broken in ["/score/%", "/score/%4", "/score/%zz", "/score/%ff", "/score/%+1"] {
            assert_eq!(id(broken), None, "{broken}");
        }
    }
}
