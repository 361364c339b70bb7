//! What the server publishes about itself: agent card, x402 manifest, `llms.txt`, OpenAPI and its
//! pages. All of it is made from the same facts, so that no two documents can disagree.

mod card;
mod facts;
mod llms;
mod openapi;
pub(crate) mod schemas;
mod wellknown;

use std::io::Read as _;
use std::sync::Arc;

use agent_output_verifier::key::SigningKey;

use super::config::{Config, PublicUrl};
use super::counter::Gate;
use super::http::{Request, Response};
use super::negotiate::takes_gzip;
use super::rest::{not_found, problem};
use super::route::Endpoint;
use facts::Facts;
use wellknown::Manifest;

/// The page of `/docs`; see docs/NOTICE.md for its script.
const PAGE: &str = include_str!("../docs/index.html");
const SCRIPT: &[u8] = include_bytes!("../docs/openapi-explorer.min.js.gz");
/// The page runs its own script and nothing else. Requests go to the server that its document
/// names, which may have another name than the page's.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                           img-src 'self' data:; font-src 'self' data:; connect-src *; base-uri 'none'; \
                           form-action 'none'; frame-ancestors 'none'";

/// Documents, ready to be sent.
pub(crate) struct Documents {
    card: String,
    llms: String,
    openapi: String,
    manifest: Manifest,
}

impl Documents {
    /// Those of a service with this configuration and this key, at this address.
    pub(crate) fn new(
        config: &Config,
        url: &PublicUrl,
        key: &SigningKey,
        gate: Option<Arc<dyn Gate>>,
    ) -> Self {
        let facts = Facts::new(config, url, key);
        Self {
            card: card::card(&facts).to_string(),
            llms: llms::text(&facts),
            openapi: openapi::document(&facts).to_string(),
            manifest: Manifest::new(&facts, gate),
        }
    }

    /// The document at an endpoint.
    pub(crate) fn answer(&self, endpoint: &Endpoint, request: &Request) -> Response {
        let cached = |response: Response| response.with("cache-control", "public, max-age=60");
        match endpoint {
            Endpoint::AgentCard => cached(Response::json(200, &*self.card)),
            Endpoint::OpenApi => cached(Response::json(200, &*self.openapi)),
            Endpoint::Llms => cached(Response::new(200, "text/plain; charset=utf-8", &*self.llms)),
            Endpoint::X402 => match self.manifest.document() {
                Ok(document) => {
                    Response::json(200, document.to_string()).with("cache-control", "no-store")
                }
                Err(refused) => problem(&refused),
            },
            Endpoint::Docs => cached(Response::new(200, "text/html; charset=utf-8", PAGE))
                .with("content-security-policy", PAGE_POLICY),
            Endpoint::DocsScript => script(request),
            _ => problem(&not_found()),
        }
    }
}

fn script(request: &Request) -> Response {
    let media_type = "text/javascript; charset=utf-8";
    let response = if takes_gzip(&request.fields) {
        Response::new(200, media_type, SCRIPT).with("content-encoding", "gzip")
    } else {
        let mut plain = Vec::new();
        // The bytes are a part of the program; a test unpacks them.
        let unpacked = flate2::read::GzDecoder::new(SCRIPT).read_to_end(&mut plain);
        match unpacked {
            Ok(_) => Response::new(200, media_type, plain),
            Err(_) => problem(&super::engine::internal()),
        }
    };
    response.with("vary", "accept-encoding").with("cache-control", "public, max-age=86400")
}

#[cfg(test)]
mod tests;
