//! tiny_http behind the front door: it hands complete, checked requests to workers, over a private
//! socket that nobody else can reach (SPEC 11.5).
//!
//! Invariants: the socket's folder is 0700 and gone when the door is; there are as many workers as
//! requests can be on their way, so that none waits for another; a panic of a handler is one answer
//! 500, not the end of a worker.

use std::io;
use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::http::{Fields, Request, Response};
use super::problem::Problem;

/// The field in which the front door says who asks. It is taken out of what clients send.
pub(super) const PEER: &str = "aov-peer";

/// Answers a request.
pub(crate) type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// tiny_http and its workers.
pub(super) struct Inner {
    folder: PathBuf,
    server: Arc<tiny_http::Server>,
    stopping: Arc<AtomicBool>,
    workers: Vec<JoinHandle<()>>,
}

impl Inner {
    /// Starts so many workers, each with such a stack.
    pub(super) fn start(handler: Arc<Handler>, workers: usize, stack: usize) -> io::Result<Self> {
        let folder = private_folder()?;
        let listener = UnixListener::bind(folder.join(SOCKET))?;
        let server = tiny_http::Server::from_listener(listener, None).map_err(io::Error::other)?;
        let stopping = Arc::new(AtomicBool::new(false));
        let mut inner = Self { folder, server: Arc::new(server), stopping, workers: Vec::new() };
        for number in 0..workers {
            let (server, handler) = (Arc::clone(&inner.server), Arc::clone(&handler));
            let stopping = Arc::clone(&inner.stopping);
            let worker = Builder::new().name(format!("worker-{number}")).stack_size(stack);
            inner.workers.push(worker.spawn(move || work(&server, &stopping, &*handler))?);
        }
        Ok(inner)
    }

    /// A new way to the workers.
    pub(super) fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(self.folder.join(SOCKET))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Release);
        for worker in self.workers.drain(..) {
            // Wakes one of those that wait.
            while !worker.is_finished() {
                self.server.unblock();
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = worker.join();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The socket's name in its folder.
const SOCKET: &str = "workers";

/// A new folder that only we can enter.
fn private_folder() -> io::Result<PathBuf> {
    let base = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let base = base.filter(|path| path.is_absolute() && path.is_dir());
    let named = |base: &Path| base.join(format!("aov-{}", uuid::Uuid::new_v4().simple()));
    let make = |path: PathBuf| {
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    };
    match base.map(|base| make(named(&base))) {
        Some(Ok(path)) => Ok(path),
        _ => make(named(&std::env::temp_dir())),
    }
}

fn work(server: &tiny_http::Server, stopping: &AtomicBool, handler: &Handler) {
    while !stopping.load(Ordering::Acquire) {
        // An error is either the end, or one of accepting, which is not ours to end with.
        let Ok(mut inner) = server.recv() else { continue };
        let response = match request(&mut inner) {
            Ok(request) => answer(&request, handler),
            // tiny_http answers what is dropped with an empty 500: that is how a way is tried.
            Err(_) => continue,
        };
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

fn request(inner: &mut tiny_http::Request) -> io::Result<Request> {
    let mut body = Vec::with_capacity(inner.body_length().unwrap_or(0));
    inner.as_reader().read_to_end(&mut body)?;
    let mut fields = Fields::default();
    let mut peer = None;
    for field in inner.headers() {
        match field.field.as_str().as_str() {
            name if name.eq_ignore_ascii_case(PEER) => peer = field.value.as_str().parse().ok(),
            name => fields.add(name, field.value.as_str()),
        }
    }
    let (path, query) = match inner.url().split_once('?') {
        Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
        None => (inner.url().to_owned(), None),
    };
    let peer: IpAddr = peer.ok_or_else(|| io::Error::other("nobody asked"))?;
    Ok(Request { method: inner.method().to_string(), path, query, fields, body, peer })
}

fn answer(request: &Request, handler: &Handler) -> Response {
    catch_unwind(AssertUnwindSafe(|| handler(request))).unwrap_or_else(|_| {
        let paid = may_be_paid(&request.path, request.fields.get(PAYMENT).is_some());
        let problem = Problem::fault(paid);
        Response::json(problem.status, problem.body().to_string())
    })
}

/// The field that carries a payment over REST; over MCP it is in the body.
pub(super) const PAYMENT: &str = "payment-signature";

/// Whether a request that was lost in here may have been paid for.
pub(super) fn may_be_paid(path: &str, has_payment: bool) -> bool {
    has_payment || path == "/mcp"
}
