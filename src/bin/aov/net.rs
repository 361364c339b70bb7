//! What is fetched from elsewhere (agent cards) or asked there (a server, a facilitator, a node of a
//! chain), and nothing because a receipt alone says so.
//!
//! Policy (what may be fetched, and from which addresses) is apart from the connector (how names
//! are resolved and connections made). Tests bring another connector; the program has no switch
//! that loosens the policy. This is the only user of ureq. Proxies of the environment are not
//! used: through one, the address connected to could not be checked.

mod address;
mod exchange;

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use agent_output_verifier::receipt::fact::Code;
use agent_output_verifier::text::{MAX_ECHO, cut};
use agent_output_verifier::trust::Refusal;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Connector as UreqConnector, NextTimeout, RustlsConnector, TcpConnector,
};
use ureq::{Agent, Error};

use crate::term;
pub(crate) use exchange::{Exchange, Reply};

/// For the whole of a fetch, redirects included.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The largest answer.
const SIZE_LIMIT: u64 = 1 << 20;
/// How often an answer may point elsewhere on the same host.
const MAX_REDIRECTS: usize = 3;

/// Who wants something fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// A receipt, whose issuer is trusted. Its addresses must be public.
    Receipt,
    /// The user, who typed the address. It may be in the user's own network, and plain http on
    /// the user's own machine.
    User,
}

/// How names are resolved and connections made.
pub(crate) trait Connector: fmt::Debug + Send + Sync + 'static {
    /// The addresses of a name.
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;

    /// An agent that connects to what the resolver says and nowhere else.
    fn agent(&self, config: Config, resolver: CheckedResolver) -> Agent;
}

/// The way of the system: its resolver, TCP, and TLS for https.
#[derive(Debug)]
pub(crate) struct System;

impl Connector for System {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((host, port).to_socket_addrs()?.collect())
    }

    fn agent(&self, config: Config, resolver: CheckedResolver) -> Agent {
        let chain = ().chain(TcpConnector::default()).chain(RustlsConnector::default());
        Agent::with_parts(config, chain, resolver)
    }
}

/// Fetches, within the policy.
#[derive(Debug, Clone)]
pub(crate) struct Net {
    connector: Arc<dyn Connector>,
    time_limit: Duration,
}

impl Net {
    /// With the way of the system.
    pub(crate) fn system() -> Self {
        Self { connector: Arc::new(System), time_limit: TIME_LIMIT }
    }

    /// With another way, and less patience.
    #[cfg(test)]
    pub(crate) fn with(connector: Arc<dyn Connector>, time_limit: Duration) -> Self {
        Self { connector, time_limit }
    }

    /// Gets what an address serves.
    pub(crate) fn fetch(&self, url: &str, asker: Asker) -> Result<Vec<u8>, Refusal> {
        let deadline = Instant::now() + self.time_limit;
        let mut target: Uri =
            url.parse().map_err(|_| Refusal::with(Code::AddressRefused, "it is not an address"))?;
        check_scheme(&target, asker)?;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.get(&target, asker, deadline)?;
            match next_hop(&target, &response)? {
                Some(next) => target = next,
                None => return read_body(response),
            }
        }
        Err(Refusal::with(Code::Redirected, "it redirects again and again"))
    }

    fn get(
        &self,
        target: &Uri,
        asker: Asker,
        deadline: Instant,
    ) -> Result<ureq::http::Response<ureq::Body>, Refusal> {
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let config = Config::builder()
            .timeout_global(Some(left))
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .user_agent(concat!("aov/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .build();
        let resolver = CheckedResolver { connector: Arc::clone(&self.connector), asker };
        let agent = self.connector.agent(config, resolver);
        agent.get(target.clone()).call().map_err(|error| explain(&error))
    }
}

/// Whether an address that a user typed may be fetched at all; what is wrong with it if not.
pub(crate) fn check_typed(url: &str) -> Result<(), String> {
    let target: Uri = url.parse().map_err(|_| "it is not an address".to_owned())?;
    check_scheme(&target, Asker::User).map_err(|refusal| refusal.detail)
}

/// https, or for the user's own machine and at the user's own word http.
fn check_scheme(target: &Uri, asker: Asker) -> Result<(), Refusal> {
    let host = target.host().unwrap_or_default();
    let refuse = |why: &str| Err(Refusal::with(Code::AddressRefused, why));
    if target.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return refuse("it has a user name in it");
    }
    match (target.scheme_str(), asker) {
        _ if host.is_empty() => refuse("it has no host"),
        (Some("https"), _) => Ok(()),
        (Some("http"), Asker::User) if address::is_loopback_name(host) => Ok(()),
        (Some("http"), Asker::User) => {
            refuse("http:// is for this machine only (127.0.0.1, [::1], localhost); use https://")
        }
        _ => refuse("it does not begin with https://"),
    }
}

/// Where an answer points to, if it does; elsewhere than on the same host is an error.
fn next_hop(
    target: &Uri,
    response: &ureq::http::Response<ureq::Body>,
) -> Result<Option<Uri>, Refusal> {
    let status = response.status();
    if status.as_u16() == 200 {
        return Ok(None);
    }
    if !status.is_redirection() {
        return Err(Refusal::with(Code::HttpStatus, status.as_str()));
    }
    let location = response.headers().get("location").and_then(|value| value.to_str().ok());
    let Some(location) = location else {
        return Err(Refusal::with(Code::HttpStatus, status.as_str()));
    };
    let elsewhere = || {
        let shown = term::safe(location);
        Err(Refusal::with(Code::Redirected, &cut(&shown, 2 * MAX_ECHO)))
    };
    let (Some(scheme), Some(authority)) = (target.scheme_str(), target.authority()) else {
        return elsewhere();
    };
    let absolute = if location.starts_with('/') && !location.starts_with("//") {
        format!("{scheme}://{authority}{location}")
    } else {
        location.to_owned()
    };
    match absolute.parse::<Uri>() {
        Ok(next) if next.scheme() == target.scheme() && next.authority() == Some(authority) => {
            Ok(Some(next))
        }
        _ => elsewhere(),
    }
}

fn read_body(mut response: ureq::http::Response<ureq::Body>) -> Result<Vec<u8>, Refusal> {
    // One byte more than the limit is read, to know that there is more.
    let body = response.body_mut().with_config().limit(SIZE_LIMIT + 1).read_to_vec();
    match body {
        Ok(bytes) if bytes.len() as u64 > SIZE_LIMIT => Err(too_large()),
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(explain(&error)),
    }
}

fn too_large() -> Refusal {
    Refusal::with(Code::TooLarge, "more than 1 MiB")
}

/// Resolves a name and lets none of its addresses through that the policy forbids. What it returns
/// is what is connected to: there is no second look-up that could say something else.
#[derive(Debug)]
pub(crate) struct CheckedResolver {
    connector: Arc<dyn Connector>,
    asker: Asker,
}

/// An address that is not connected to.
#[derive(Debug)]
struct Refused(IpAddr);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Refused {}

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        _: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let https = uri.scheme_str() == Some("https");
        let host = uri.host().unwrap_or_default();
        let host = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host);
        let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
        let mut found = self.empty();
        for address in self.look_up(host, port, timeout)? {
            // One bad address among good ones is a reason to distrust the name.
            if !self.may_connect(address.ip(), https) {
                return Err(Error::Other(Box::new(Refused(address.ip()))));
            }
            if found.len() < 8 {
                found.push(address);
            }
        }
        if found.is_empty() { Err(Error::HostNotFound) } else { Ok(found) }
    }
}

impl CheckedResolver {
    fn may_connect(&self, address: IpAddr, https: bool) -> bool {
        match self.asker {
            Asker::Receipt => address::is_public(address),
            Asker::User => https || address::is_loopback(address),
        }
    }

    /// In a thread of its own: a name server that does not answer must not hold us up.
    fn look_up(
        &self,
        host: &str,
        port: u16,
        timeout: NextTimeout,
    ) -> Result<Vec<SocketAddr>, Error> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let (connector, name) = (Arc::clone(&self.connector), host.to_owned());
        std::thread::Builder::new()
            .spawn(move || drop(sender.send(connector.resolve(&name, port))))
            .map_err(Error::Io)?;
        match receiver.recv_timeout(*timeout.after) {
            Ok(Ok(addresses)) => Ok(addresses),
            Ok(Err(_)) => Err(Error::HostNotFound),
            Err(_) => Err(Error::Timeout(timeout.reason)),
        }
    }
}

/// Our words for what went wrong.
fn explain(error: &Error) -> Refusal {
    match error {
        Error::Timeout(_) => Refusal::new(Code::Timeout),
        Error::HostNotFound => Refusal::new(Code::NameNotFound),
        Error::Other(cause) if cause.is::<Refused>() => {
            Refusal::with(Code::AddressRefused, &cause.to_string())
        }
        Error::BodyExceedsLimit(_) | Error::LargeResponseHeader(..) => too_large(),
        Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) | Error::TlsRequired => {
            Refusal::with(Code::Tls, &shown(error))
        }
        // A handshake that fails while bytes are exchanged.
        Error::Io(cause) if cause.kind() == io::ErrorKind::InvalidData => {
            Refusal::with(Code::Tls, &shown(cause))
        }
        Error::Io(cause) if cause.kind() == io::ErrorKind::TimedOut => Refusal::new(Code::Timeout),
        other => Refusal::with(Code::Unreachable, &shown(other)),
    }
}

/// Errors may quote what a server sent.
fn shown(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    cut(&term::safe(&text), 4 * MAX_ECHO).into_owned()
}

#[cfg(test)]
pub(crate) mod tests;
