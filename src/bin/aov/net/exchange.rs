//! A question to a server that somebody configured or typed, with whatever it answers: the status
//! decides nothing here, and no answer leads elsewhere (X402 rule 18).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agent_output_verifier::receipt::fact::Code;
use agent_output_verifier::trust::Refusal;
use ureq::config::Config;
use ureq::http::Uri;

use super::{Asker, CheckedResolver, Net, check_scheme, explain, read_body};

/// A question.
#[derive(Clone)]
pub(crate) struct Exchange<'q> {
    /// To whom.
    pub(crate) url: &'q str,
    /// A JSON text to POST; nothing for GET.
    pub(crate) body: Option<&'q str>,
    /// More header fields. They may be secret.
    pub(crate) fields: Vec<(&'static str, String)>,
    /// Until there is a connection.
    pub(crate) connect: Duration,
    /// Until the answer is complete.
    pub(crate) total: Duration,
}

impl fmt::Debug for Exchange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("url", &self.url).finish_non_exhaustive()
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    /// The status code.
    pub(crate) status: u16,
    /// The header fields with values of ASCII, names in lower case.
    pub(crate) fields: Vec<(String, String)>,
    /// The whole body.
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// The only value of a field; none if there are several.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(at, _)| at == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }
}

impl Net {
    /// Asks, once: nothing is followed and nothing repeated.
    pub(crate) fn exchange(&self, question: &Exchange<'_>) -> Result<Reply, Refusal> {
        let target: Uri = question
            .url
            .parse()
            .map_err(|_| Refusal::with(Code::AddressRefused, "it is not an address"))?;
        check_scheme(&target, Asker::User)?;
        let config = Config::builder()
            .timeout_connect(Some(question.connect))
            .timeout_global(Some(question.total))
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .user_agent(concat!("aov/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .build();
        let resolver =
            CheckedResolver { connector: Arc::clone(&self.connector), asker: Asker::User };
        let agent = self.connector.agent(config, resolver);
        let sent = match question.body {
            Some(body) => {
                let mut request = agent.post(target).content_type("application/json");
                for (name, value) in &question.fields {
                    request = request.header(*name, value);
                }
                request.send(body)
            }
            None => {
                let mut request = agent.get(target);
                for (name, value) in &question.fields {
                    request = request.header(*name, value);
                }
                request.call()
            }
        };
        let response = sent.map_err(|error| explain(&error))?;
        let fields = response.headers().iter().filter_map(|(name, value)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        });
        let (status, fields) = (response.status().as_u16(), fields.collect());
        Ok(Reply { status, fields, body: read_body(response)? })
    }
}
