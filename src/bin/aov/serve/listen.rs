//! The doors, until the front door of SPEC 11.5 stands in front of them: tiny_http as it is.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use chrono::Utc;

use super::config::{Config, LogFormat};
use super::http::{Fields, Request, Response};
use super::log::Entry;
use super::start::{Admin, Public};
use crate::output;

/// The addresses that are listened on.
pub(crate) struct Doors {
    public: (tiny_http::Server, SocketAddr),
    admin: Option<(tiny_http::Server, SocketAddr)>,
}

impl Doors {
    /// Opens them.
    pub(crate) fn open(config: &Config) -> Result<Self, String> {
        let open = |at: SocketAddr| {
            let server = tiny_http::Server::http(at);
            let server = server.map_err(|error| format!("cannot listen on {at}: {error}"))?;
            let at = server.server_addr().to_ip().ok_or("no address")?;
            Ok::<_, String>((server, at))
        };
        Ok(Self { public: open(config.listen)?, admin: config.admin.map(open).transpose()? })
    }

    /// Where clients come in.
    pub(crate) fn public(&self) -> SocketAddr {
        self.public.1
    }

    /// Where the operator comes in.
    pub(crate) fn admin(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(|(_, at)| *at)
    }
}

/// Serves for ever.
pub(crate) fn serve(
    doors: Doors,
    config: &Config,
    public: Arc<Public>,
    admin: Arc<Admin>,
) -> Result<(), String> {
    let log = config.log;
    let mut threads = Vec::new();
    let server = Arc::new(doors.public.0);
    for _ in 0..config.limits.workers {
        let (server, public) = (Arc::clone(&server), Arc::clone(&public));
        threads.push(worker(move || work(&server, log, |request| public.handle(request)))?);
    }
    if let Some((server, _)) = doors.admin {
        threads.push(worker(move || work(&server, log, |request| admin.handle(request)))?);
    }
    for thread in threads {
        let _ = thread.join();
    }
    Ok(())
}

fn worker(work: impl FnOnce() + Send + 'static) -> Result<std::thread::JoinHandle<()>, String> {
    let thread = std::thread::Builder::new().stack_size(crate::STACK).spawn(work);
    thread.map_err(|error| format!("cannot start a thread: {error}"))
}

fn work(server: &tiny_http::Server, log: LogFormat, answer: impl Fn(&Request) -> Response) {
    while let Ok(mut inner) = server.recv() {
        let started = Instant::now();
        let mut fields = Fields::default();
        for field in inner.headers() {
            fields.add(field.field.as_str().as_str(), field.value.as_str());
        }
        let mut body = Vec::new();
        if std::io::Read::read_to_end(inner.as_reader(), &mut body).is_err() {
            continue;
        }
        let (path, query) = match inner.url().split_once('?') {
            Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
            None => (inner.url().to_owned(), None),
        };
        let peer = inner.remote_addr().map_or([0, 0, 0, 0].into(), SocketAddr::ip);
        let request =
            Request { method: inner.method().to_string(), path, query, fields, body, peer };
        let response = answer(&request);
        let line = Entry {
            at: Utc::now(),
            peer,
            method: &request.method,
            path: &request.path,
            status: response.status,
            bytes: response.body.len(),
            took: started.elapsed(),
        };
        output::complain(&line.line(log));
        let mut outer = tiny_http::Response::from_data(response.body)
            .with_status_code(response.status)
            .with_chunked_threshold(usize::MAX);
        for (name, value) in response.fields.iter() {
            if let Ok(field) = tiny_http::Header::from_bytes(name, value) {
                outer.add_header(field);
            }
        }
        let _ = inner.respond(outer);
    }
}
