//! A loopback server that answers as it is told, and a connector that leads every name to it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use ureq::unversioned::transport::{Buffers, ConnectionDetails, Transport};

use super::*;

/// What a test server does with a connection.
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    /// Answers with this.
    Answer { status: &'static str, headers: String, body: Vec<u8> },
    /// Reads the request and says nothing until the client goes away.
    Hang,
    /// Sends one byte and hangs.
    Drip,
}

impl Behaviour {
    pub(crate) fn body(body: impl Into<Vec<u8>>) -> Self {
        Self::Answer { status: "200 OK", headers: String::new(), body: body.into() }
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self::Answer {
            status: "302 Found",
            headers: format!("Location: {to}\r\n"),
            body: Vec::new(),
        }
    }
}

/// The answers of a server by path; any other path is 404.
pub(crate) fn serve(answers: Vec<(&'static str, Behaviour)>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let answers = answers.clone();
            std::thread::spawn(move || {
                let _ = answer(stream.unwrap(), &answers);
            });
        }
    });
    address
}

fn answer(mut stream: std::net::TcpStream, answers: &[(&str, Behaviour)]) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let Some(Ok(request)) = lines.next() else {
        // What plain servers say to somebody who begins with TLS.
        return stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    };
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let path = request.split(' ').nth(1).unwrap_or_default();
    let missing =
        Behaviour::Answer { status: "404 Not Found", headers: String::new(), body: vec![] };
    let found = answers.iter().find(|(known, _)| *known == path).map_or(&missing, |(_, it)| it);
    match found {
        Behaviour::Answer { status, headers, body } => {
            write!(stream, "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len())?;
            stream.write_all(body)
        }
        Behaviour::Drip => {
            stream.write_all(b"H")?;
            lines.next();
            Ok(())
        }
        Behaviour::Hang => {
            lines.next();
            Ok(())
        }
    }
}

/// Leads every name to one server: says that it has `claimed`, and connects to `real` without TLS
/// where a connection to any of those was allowed.
#[derive(Debug)]
pub(crate) struct Rerouted {
    pub(crate) claimed: Vec<SocketAddr>,
    pub(crate) real: SocketAddr,
    /// Connections made.
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Rerouted {
    /// A server at an address that passes for public.
    pub(crate) fn public(real: SocketAddr) -> Arc<Self> {
        Self::claiming(&["93.184.216.34:443"], real)
    }

    pub(crate) fn claiming(claimed: &[&str], real: SocketAddr) -> Arc<Self> {
        let claimed = claimed.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self { claimed, real, connections: Arc::default() })
    }

    pub(crate) fn net(self: &Arc<Self>) -> Net {
        Net::with(Arc::clone(self) as Arc<dyn Connector>, Duration::from_millis(500))
    }
}

impl Connector for Rerouted {
    fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        Ok(self.claimed.clone())
    }

    fn agent(&self, config: Config, resolver: CheckedResolver) -> Agent {
        let chain =
            ().chain(Divert { real: self.real, connections: Arc::clone(&self.connections) })
                .chain(PretendTls);
        Agent::with_parts(config, chain, resolver)
    }
}

/// A connector that must never be used.
#[derive(Debug)]
pub(crate) struct Forbidden;

impl Connector for Forbidden {
    fn resolve(&self, host: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        panic!("resolved {host}")
    }

    fn agent(&self, _: Config, _: CheckedResolver) -> Agent {
        panic!("made a connection")
    }
}

/// Connects to the real server instead of the address that passed the policy.
#[derive(Debug)]
struct Divert {
    real: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl UreqConnector<()> for Divert {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        _: Option<()>,
    ) -> Result<Option<Self::Out>, Error> {
        assert!(!details.addrs.is_empty());
        self.connections.fetch_add(1, Ordering::SeqCst);
        let mut addrs = details.resolver.empty();
        addrs.push(self.real);
        let details = ConnectionDetails {
            addrs,
            current_time: Arc::clone(&details.current_time),
            run_connector: Arc::clone(&details.run_connector),
            register_shutdown: Arc::clone(&details.register_shutdown),
            ..*details
        };
        let transport = UreqConnector::<()>::connect(&TcpConnector::default(), &details, None)?;
        Ok(transport.map(|transport| Box::new(transport) as Box<dyn Transport>))
    }
}

/// Says that a plain connection is a TLS one, so that https addresses can be served here.
#[derive(Debug)]
struct PretendTls;

#[derive(Debug)]
struct Pretended(Box<dyn Transport>);

impl UreqConnector<Box<dyn Transport>> for PretendTls {
    type Out = Pretended;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<Box<dyn Transport>>,
    ) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(Pretended))
    }
}

impl Transport for Pretended {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.0.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

const URL: &str = "https://verifier.example/card";

fn fetch(behaviour: Behaviour) -> Result<Vec<u8>, Code> {
    let server = serve(vec![("/card", behaviour), ("/there", Behaviour::body("there"))]);
    let net = Rerouted::public(server).net();
    net.fetch(URL, Asker::Receipt).map_err(|refusal| refusal.code)
}

#[test]
fn a_body_is_fetched() {
    assert_eq!(fetch(Behaviour::body("{}")), Ok(b"{}".to_vec()));
}

#[test]
fn one_mebibyte_is_the_limit() {
    assert_eq!(fetch(Behaviour::body(vec![b' '; 1 << 20])).map(|body| body.len()), Ok(1 << 20));
    assert_eq!(fetch(Behaviour::body(vec![b' '; (1 << 20) + 1])), Err(Code::TooLarge));
    assert_eq!(fetch(Behaviour::body(vec![b' '; 2 << 20])), Err(Code::TooLarge));
}

#[test]
fn a_server_that_hangs_is_given_up() {
    assert_eq!(fetch(Behaviour::Hang), Err(Code::Timeout));
    assert_eq!(fetch(Behaviour::Drip), Err(Code::Timeout));
}

#[test]
fn redirects_stay_on_the_host() {
    for to in ["/there", "https://verifier.example/there"] {
        assert_eq!(fetch(Behaviour::redirect(to)), Ok(b"there".to_vec()), "{to}");
    }
    for to in [
        "https://evil.example/there",
        "https://verifier.example.evil.example/there",
        "https://verifier.example:8443/there",
        "http://verifier.example/there",
        "//evil.example/there",
        "https://verifier.example@evil.example/there",
        "ftp://verifier.example/there",
        "there",
    ] {
        assert_eq!(fetch(Behaviour::redirect(to)), Err(Code::Redirected), "{to}");
    }
    assert_eq!(fetch(Behaviour::redirect("/card")), Err(Code::Redirected), "for ever");
    assert_eq!(fetch(Behaviour::redirect("/none")), Err(Code::HttpStatus));
}

#[test]
fn an_error_status_is_one() {
    for status in ["404 Not Found", "500 Oops", "204 No Content", "304 Not Modified"] {
        let answer = Behaviour::Answer { status, headers: String::new(), body: vec![] };
        assert_eq!(fetch(answer), Err(Code::HttpStatus), "{status}");
    }
}

#[test]
fn addresses_are_checked_before_anything_is_connected() {
    let server = serve(vec![("/card", Behaviour::body("{}"))]);
    for claimed in [
        &["127.0.0.1:443"][..],
        &["10.1.2.3:443"],
        &["169.254.169.254:443"],
        &["100.64.0.1:443"],
        &["[::1]:443"],
        &["[fd00::1]:443"],
        &["[fe80::1]:443"],
        &["[::ffff:192.168.0.1]:443"],
        // One bad address among good ones.
        &["93.184.216.34:443", "10.0.0.1:443"],
    ] {
        let connector = Rerouted::claiming(claimed, server);
        let refusal = connector.net().fetch(URL, Asker::Receipt).unwrap_err();
        assert_eq!(refusal.code, Code::AddressRefused, "{claimed:?}");
        assert_eq!(connector.connections.load(Ordering::SeqCst), 0, "{claimed:?}");
        // The user may well name a verifier in the own network.
        assert!(connector.net().fetch(URL, Asker::User).is_ok(), "{claimed:?}");
    }
}

#[test]
fn http_is_for_the_users_own_machine() {
    let server = serve(vec![("/card", Behaviour::body("{}"))]);
    let connector = Rerouted::claiming(&["127.0.0.1:80"], server);
    let code = |url: &str, asker| connector.net().fetch(url, asker).map_err(|it| it.code);
    for url in ["http://127.0.0.1:1/card", "http://localhost:1/card", "http://[::1]:1/card"] {
        assert!(code(url, Asker::User).is_ok(), "{url}");
        assert_eq!(code(url, Asker::Receipt), Err(Code::AddressRefused), "{url}");
        assert_eq!(check_typed(url), Ok(()));
    }
    for url in [
        "http://verifier.example/card",
        "ftp://localhost/card",
        "https://a@localhost/",
        "https:///x",
        "/card",
        "",
    ] {
        assert_eq!(code(url, Asker::User), Err(Code::AddressRefused), "{url}");
        assert!(check_typed(url).is_err(), "{url}");
    }
    // A name of this machine that leads elsewhere.
    let astray = Rerouted::claiming(&["93.184.216.34:80"], server);
    let refusal = astray.net().fetch("http://localhost:1/card", Asker::User).unwrap_err();
    assert_eq!(refusal.code, Code::AddressRefused);
}

/// A resolver of its own for what cannot be resolved.
#[derive(Debug)]
struct NoNames;

impl Connector for NoNames {
    fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        Err(io::Error::other("no such name"))
    }

    fn agent(&self, config: Config, resolver: CheckedResolver) -> Agent {
        System.agent(config, resolver)
    }
}

#[test]
fn names_servers_and_tls_that_are_not_there_are_told_apart() {
    let net = |connector| Net::with(connector, Duration::from_secs(5));
    let code = |net: &Net, url: &str| net.fetch(url, Asker::User).unwrap_err().code;
    assert_eq!(code(&net(Arc::new(NoNames)), URL), Code::NameNotFound);
    let system = net(Arc::new(System));
    // A port that was just free.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(code(&system, &format!("http://{free}/card")), Code::Unreachable);
    // The system's own way, against a server that does not speak TLS.
    let server = serve(vec![("/card", Behaviour::body("{}"))]);
    assert_eq!(code(&system, &format!("https://{server}/card")), Code::Tls);
    let plain = system.fetch(&format!("http://{server}/card"), Asker::User);
    assert_eq!(plain, Ok(b"{}".to_vec()));
}
