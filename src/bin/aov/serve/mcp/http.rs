//! MCP over HTTP (Streamable HTTP): who may ask, in which form, and how a reply is carried. There are
//! no sessions, so there is nothing to open with GET or to end with DELETE.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::protocol::{Fault, HEADER_MISMATCH, INVALID_REQUEST};
use super::{Dispatcher, Headers, Reply};
use crate::serve::config::{Config, PublicUrl};
use crate::serve::http::{Request, Response};
use crate::serve::negotiate::{sends_json, takes_json};
use crate::serve::problem::Problem;
use crate::serve::rest::{McpHandler, problem};

/// Fields that scripts of allowed origins may send.
const ALLOWED: &str =
    "Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id";

/// From where requests may come.
struct Gatekeeper {
    origins: Vec<String>,
    hosts: Vec<String>,
    /// Host has to be one of those: where the operator lists some, and where only this machine is
    /// served, since a name that leads here from elsewhere is an attack (DNS rebinding).
    checks_host: bool,
    /// Only this machine is served, so that pages of any of its ports may ask.
    loopback: bool,
}

/// The handler of `/mcp`.
pub(crate) fn handler(
    dispatcher: Arc<Dispatcher>,
    config: &Config,
    url: &PublicUrl,
) -> Box<McpHandler> {
    let host = url.authority().rsplit_once('@').map_or(url.authority(), |(_, host)| host);
    let gatekeeper = Gatekeeper {
        origins: config.allowed_origins.iter().cloned().chain([url.origin()]).collect(),
        hosts: config.allowed_hosts.iter().cloned().chain([host.to_owned()]).collect(),
        checks_host: config.listen.ip().is_loopback() || !config.allowed_hosts.is_empty(),
        loopback: config.listen.ip().is_loopback(),
    };
    Box::new(move |request, client| gatekeeper.answer(request, client, &dispatcher))
}

impl Gatekeeper {
    fn answer(&self, request: &Request, client: IpAddr, dispatcher: &Dispatcher) -> Response {
        let origin = request.fields.get("origin");
        if request.fields.all("origin").count() > 1
            || origin.is_some_and(|origin| !self.allows_origin(origin))
        {
            return forbidden("requests of this Origin are not answered");
        }
        if self.checks_host
            && !request.fields.get("host").is_some_and(|host| self.allows_host(host))
        {
            return forbidden("this Host is not one of this server");
        }
        let response = match &*request.method {
            "POST" => post(request, client, dispatcher),
            "OPTIONS" => Response::empty(204)
                .with("allow", "POST, OPTIONS")
                .with("access-control-allow-methods", "POST, OPTIONS")
                .with("access-control-allow-headers", ALLOWED),
            _ => {
                let message = "/mcp takes POST only: there are no sessions and no streams to open.";
                let refused = Problem::new("method_not_allowed", 405, message);
                problem(&refused.action("use_allowed_method")).with("allow", "POST, OPTIONS")
            }
        };
        match origin {
            Some(origin) => {
                response.with("access-control-allow-origin", origin).with("vary", "Origin")
            }
            None => response,
        }
        .with("x-content-type-options", "nosniff")
    }

    fn allows_origin(&self, origin: &str) -> bool {
        let known = self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin));
        let local = || {
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            host.is_some_and(is_local)
        };
        known || self.loopback && local()
    }

    fn allows_host(&self, host: &str) -> bool {
        is_local(host)
            || self.hosts.iter().any(|own| {
                own.eq_ignore_ascii_case(host) || own.eq_ignore_ascii_case(without_port(host))
            })
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// A name of this machine, with a port or without.
fn is_local(host: &str) -> bool {
    matches!(&*without_port(host).to_ascii_lowercase(), "localhost" | "127.0.0.1" | "[::1]")
}

fn forbidden(why: &str) -> Response {
    let fault = Fault::new(INVALID_REQUEST, 403, why);
    Response::json(403, fault.message(None).to_string()).with("cache-control", "no-store")
}

fn post(request: &Request, client: IpAddr, dispatcher: &Dispatcher) -> Response {
    if let Err(refused) = sends_json(&request.fields).and_then(|()| takes_json(&request.fields)) {
        return problem(&refused);
    }
    // What is said twice could be read in two ways.
    let names = ["mcp-protocol-version", "mcp-method", "mcp-name"];
    if let Some(name) = names.into_iter().find(|name| request.fields.all(name).count() > 1) {
        let fault = Fault::new(HEADER_MISMATCH, 400, format!("there is more than one {name}"));
        return Response::json(400, fault.message(None).to_string());
    }
    let headers = Headers {
        version: request.fields.get("mcp-protocol-version").map(str::trim),
        method: request.fields.get("mcp-method").map(str::trim),
        name: request.fields.get("mcp-name").map(str::trim),
    };
    match dispatcher.handle(&request.body, Some(headers), client) {
        Reply::Nothing => Response::empty(202),
        Reply::One(status, message) => Response::json(status, message.to_string()),
        Reply::Stream(messages) => Response::new(200, "text/event-stream", events(&messages))
            .with("x-accel-buffering", "no"),
    }
    .with("cache-control", "no-store")
}

fn events(messages: &[Value]) -> String {
    messages.iter().fold(String::new(), |mut all, message| {
        let _ = write!(all, "event: message\ndata: {message}\n\n");
        all
    })
}

/// A header that holds what headers cannot: `=?base64?…?=`. None if it says so and is not.
pub(super) fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => {
            STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok())
        }
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::http::Fields;
    use crate::serve::service::{Answer, Call, Service};

    struct Nobody;

    impl Service for Nobody {
        fn call(&self, _: &Call<'_>) -> Answer {
            Answer::Refused(crate::serve::engine::internal())
        }
    }

    fn status(gatekeeper: &Gatekeeper, host: &str) -> u16 {
        let mut fields = Fields::default();
        fields.add("host", host);
        fields.add("content-type", "application/json");
        let request = Request {
            method: "POST".into(),
            path: "/mcp".into(),
            query: None,
            fields,
            body: br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_vec(),
            peer: [127, 0, 0, 1].into(),
        };
        let dispatcher = Dispatcher::new(Arc::new(Nobody), false);
        gatekeeper.answer(&request, request.peer, &dispatcher).status
    }

    #[test]
    fn hosts_that_are_listed_bind_a_public_server_too() {
        let public = |checks_host| Gatekeeper {
            origins: vec![],
            hosts: vec!["verifier.example".into()],
            checks_host,
            loopback: false,
        };
        for host in ["verifier.example", "VERIFIER.example:443", "localhost:8402"] {
            assert_eq!(status(&public(true), host), 200, "{host}");
        }
        for host in ["evil.example", "verifier.example.evil.example", ""] {
            assert_eq!(status(&public(true), host), 403, "{host}");
            assert_eq!(status(&public(false), host), 200, "{host}");
        }
    }
}
