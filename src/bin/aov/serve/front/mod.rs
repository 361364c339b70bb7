//! The front door: the only part that the network touches (SPEC 11.5).
//!
//! It owns the listener and every connection: seats, deadlines, the size of head and body, strict
//! framing. What it lets through is one complete request at a time, over a private socket to
//! tiny_http, whose faults (no deadlines, bodies of any announced size, requests in requests) are so
//! out of everybody's reach.
//!
//! Invariants: no more threads than seats and workers; an error of `accept` never ends the door;
//! `/health` is answered while any seat of the lobby can be had; after [`Front::drain`] every request
//! that a worker has seen was answered.

mod chunked;
mod connection;
mod head;
mod limits;
mod pool;
mod refusal;
mod scan;
mod seats;
#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

pub(crate) use limits::Limits;

use self::pool::Pool;
use self::seats::{Seat, Seats};
use super::log::Entry;
use super::tiny::{Handler, Inner};

/// The stack of a connection's thread: it holds a piece of input and the fields of a head.
const STACK: usize = 256 << 10;

/// How long after an error of `accept` the next one is tried: mostly files have run out.
const PAUSE: Duration = Duration::from_millis(20);

/// Is told of every answer.
pub(crate) type Witness = dyn Fn(&Entry<'_>) + Send + Sync;

/// An open door.
pub(crate) struct Front {
    door: Arc<Door>,
    accepting: JoinHandle<()>,
}

/// What all connections of a door share.
struct Door {
    at: SocketAddr,
    limits: Limits,
    pool: Pool,
    seats: Arc<Seats>,
    witness: Box<Witness>,
    /// Requests whose answer is not yet with the client.
    under_way: AtomicUsize,
    draining: AtomicBool,
    closed: AtomicBool,
}

impl Door {
    fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Acquire)
    }
}

/// A request on its way, until its answer is written.
struct UnderWay<'d>(&'d Door);

impl<'d> UnderWay<'d> {
    fn begin(door: &'d Door) -> Self {
        door.under_way.fetch_add(1, Ordering::AcqRel);
        Self(door)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Front {
    /// Opens a door at a listener.
    pub(crate) fn open(
        listener: TcpListener,
        limits: Limits,
        handler: Arc<Handler>,
        witness: Box<Witness>,
    ) -> io::Result<Self> {
        let limits = limits.within_open_files();
        let inner = Inner::start(handler, limits.workers + limits.reserved, limits.stack)?;
        let door = Arc::new(Door {
            at: listener.local_addr()?,
            pool: Pool::new(inner, &limits)?,
            seats: Seats::new(&limits),
            limits,
            witness,
            under_way: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            closed: AtomicBool::new(false),
        });
        let own = Arc::clone(&door);
        let accepting =
            Builder::new().name("door".to_owned()).spawn(move || accept(&listener, &own))?;
        Ok(Self { door, accepting })
    }

    /// Where it is.
    #[cfg(test)]
    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.door.at
    }

    /// Answers new requests with 503 from now on.
    pub(crate) fn start_draining(&self) {
        self.door.draining.store(true, Ordering::Release);
    }

    /// Waits until what is being worked on is answered and every client gone, at most until the
    /// deadline; then closes. Whether all of it was answered.
    pub(crate) fn drain(self, deadline: Instant) -> bool {
        self.start_draining();
        // Clients that hold on to a connection without a request do not count.
        let limits = &self.door.limits;
        let idle = Instant::now() + limits.head + limits.body + limits.linger;
        loop {
            let (busy, now) = (self.door.under_way(), Instant::now());
            let nobody = self.door.seats.count() == 0;
            if nobody || now >= deadline || (busy == 0 && now >= idle) {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        let finished = self.door.under_way() == 0;
        self.door.closed.store(true, Ordering::Release);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect_timeout(&reachable(self.door.at), Duration::from_secs(1));
        let _ = self.accepting.join();
        finished
    }
}

/// An address by which a listener reaches itself.
fn reachable(mut at: SocketAddr) -> SocketAddr {
    if at.ip().is_unspecified() {
        at.set_ip(match at {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    at
}

fn accept(listener: &TcpListener, door: &Arc<Door>) {
    loop {
        let accepted = listener.accept();
        if door.closed.load(Ordering::Acquire) {
            return;
        }
        match accepted {
            Ok((stream, peer)) => {
                let stream = Arc::new(stream);
                match door.seats.take(peer.ip(), &stream) {
                    Some(seat) => seat_down(door, stream, peer, seat),
                    None => turn_away(&stream),
                }
            }
            // The client has gone already: the next may wait.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ConnectionAborted
                        | ErrorKind::ConnectionReset
                        | ErrorKind::Interrupted
                ) => {}
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

fn seat_down(door: &Arc<Door>, stream: Arc<TcpStream>, peer: SocketAddr, seat: Seat) {
    let own = Arc::clone(door);
    let for_thread = Arc::clone(&stream);
    let started = Builder::new().stack_size(STACK).spawn(move || {
        connection::serve(&own, &for_thread, peer.ip(), &seat);
    });
    if started.is_err() {
        turn_away(&stream);
    }
}

/// Without a seat there is no time for more than this.
fn turn_away(stream: &TcpStream) {
    let body = refusal::busy().body().to_string();
    let _ = stream.set_nonblocking(true);
    let _ = (&mut &*stream).write(
        format!(
            "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .as_bytes(),
    );
}
