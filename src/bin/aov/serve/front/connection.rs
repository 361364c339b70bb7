//! One connection: its requests, one after the other, each complete and checked before a worker sees
//! it.
//!
//! Deadlines are absolute: every read and every write has what is left of its own. What a client
//! sends ahead waits in its socket, not here: there is at most one request, and a piece of the next,
//! in memory.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::Utc;

use super::chunked::Decoder;
use super::head::{self, Framing, Head};
use super::pool::{Answered, Failed};
use super::scan::{Flaw, Scanner};
use super::seats::Seat;
use super::{Door, UnderWay, refusal};
use crate::serve::log::Entry;
use crate::serve::problem::Problem;
use crate::serve::tiny;

/// How often who waits for a request looks whether the door closes.
const LOOK: Duration = Duration::from_millis(200);

/// The most that is read of what a refused client still sends.
const LINGER_BYTES: usize = 1 << 20;

/// A piece read at once.
const PIECE: usize = 16 << 10;

/// Why a connection ends.
enum End {
    /// The client has gone, or nothing more is wanted of it.
    Gone,
    /// It is told why. The names of what was asked are there if they were read.
    Refused(Box<Problem>, Option<Box<Head>>),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

impl From<Box<Problem>> for End {
    fn from(problem: Box<Problem>) -> Self {
        Self::Refused(problem, None)
    }
}

/// Serves a connection to its end.
pub(super) fn serve(door: &Door, stream: &Arc<TcpStream>, peer: IpAddr, seat: &Seat) {
    let _ = stream.set_nodelay(true);
    let mut connection = Connection {
        door,
        stream,
        peer,
        lobby: seat.is_lobby(),
        arrived: Vec::new(),
        worker: Vec::new(),
        body: Vec::new(),
    };
    let mut first = true;
    loop {
        match connection.request(first) {
            Ok(true) => first = false,
            Ok(false) | Err(End::Gone) => break,
            Err(End::Refused(problem, head)) => {
                connection.refuse(&problem, head.as_deref());
                break;
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

struct Connection<'c> {
    door: &'c Door,
    stream: &'c TcpStream,
    peer: IpAddr,
    lobby: bool,
    /// What has arrived and is not done with.
    arrived: Vec<u8>,
    /// The head for the worker.
    worker: Vec<u8>,
    body: Vec<u8>,
}

impl Connection<'_> {
    /// Reads and answers one request; false if it was the last. The time for a head counts from the
    /// start of the connection, and then from the head's first byte.
    fn request(&mut self, first: bool) -> Result<bool, End> {
        let limits = &self.door.limits;
        if !first && self.arrived.is_empty() && !self.first_byte(Instant::now() + limits.idle)? {
            return Ok(false);
        }
        let wait = if self.lobby { limits.lobby_head } else { limits.head };
        let deadline = Instant::now() + wait;
        let started = Instant::now();
        let length = self.head(deadline, wait)?;
        let head = head::read(&self.arrived[..length], &mut self.worker)?;
        let refused = |problem, head| End::Refused(problem, Some(Box::new(head)));
        self.arrived.drain(..length);
        if self.door.is_draining() {
            return Err(refused(refusal::draining(), head));
        }
        if self.lobby && !head.is_health() {
            return Err(refused(refusal::busy(), head));
        }
        if let Err(end) = self.read_body(&head) {
            return Err(match end {
                End::Refused(problem, None) => refused(problem, head),
                other => other,
            });
        }
        head::finish(&mut self.worker, self.body.len(), self.peer);
        let _under_way = UnderWay::begin(self.door);
        let spare = head.is_health();
        let answered = self.door.pool.ask(&[&self.worker, &self.body], head.is_head(), spare);
        let answered = match answered {
            Ok(answered) => answered,
            Err(Failed::Busy) => return Err(refused(refusal::busy(), head)),
            Err(Failed::Broken) => {
                let has_payment = contains(&self.worker, tiny::PAYMENT.as_bytes());
                let paid = tiny::may_be_paid(&head.path, has_payment);
                return Err(refused(Box::new(Problem::fault(paid)), head));
            }
        };
        let keep = head.keep_alive && !self.lobby && !self.door.is_draining();
        self.log(Some(&head), answered.status, answered.body.len(), started);
        self.send(&answered, keep, Instant::now() + limits.write)?;
        self.body = Vec::new();
        Ok(keep)
    }

    /// Waits for the next request; false if none will come.
    fn first_byte(&mut self, deadline: Instant) -> Result<bool, End> {
        while !self.door.is_draining() {
            let now = Instant::now();
            if now >= deadline {
                return Ok(false);
            }
            match self.read_some(deadline.min(now + LOOK)) {
                Ok(0) => return Ok(false),
                Ok(_) => return Ok(true),
                Err(error) if is_timeout(&error) => {}
                Err(_) => return Err(End::Gone),
            }
        }
        Ok(false)
    }

    /// Reads on until the head is whole; its length.
    fn head(&mut self, deadline: Instant, wait: Duration) -> Result<usize, End> {
        let limit = self.door.limits.head_bytes;
        let mut scanner = Scanner::head();
        // One empty line before a request is ignored (RFC 9112 §2.2).
        if self.arrived.starts_with(b"\r\n") {
            self.arrived.drain(..2);
        }
        loop {
            match scanner.scan(&self.arrived, limit) {
                Ok(Some(2)) => {
                    return Err(refusal::bad_request("the request line is empty").into());
                }
                Ok(Some(length)) => return Ok(length),
                Ok(None) => {}
                Err(flaw) => return Err(self.flaw(flaw, limit).into()),
            }
            match self.read_some(deadline) {
                Ok(0) => return Err(End::Gone),
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {
                    return Err(refusal::timeout("head", wait.as_secs_f64()).into());
                }
                Err(_) => return Err(End::Gone),
            }
        }
    }

    fn flaw(&self, flaw: Flaw, limit: usize) -> Box<Problem> {
        match flaw {
            // HTTP/2 starts with this, and wants to hear that it is not spoken.
            _ if self.arrived.starts_with(b"PRI * HTTP/2") => refusal::unsupported_version(),
            Flaw::Malformed(what) => refusal::bad_request(what),
            Flaw::TooLarge => refusal::head_too_large(limit, super::scan::MAX_FIELDS),
        }
    }

    /// Reads the whole body.
    fn read_body(&mut self, head: &Head) -> Result<(), End> {
        let limits = &self.door.limits;
        let deadline = Instant::now() + limits.body;
        self.body.clear();
        match head.framing {
            Framing::None => return Ok(()),
            Framing::Length(length) if length > limits.body_bytes as u64 => {
                return Err(refusal::payload_too_large(limits.body_told).into());
            }
            Framing::Length(0) => return Ok(()),
            Framing::Length(_) | Framing::Chunked => {}
        }
        if head.expects_continue && self.arrived.is_empty() {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n", deadline)?;
        }
        match head.framing {
            Framing::Length(length) => self.read_length(length as usize, deadline),
            _ => self.read_chunks(deadline),
        }
    }

    fn read_length(&mut self, length: usize, deadline: Instant) -> Result<(), End> {
        loop {
            let part = self.arrived.len().min(length - self.body.len());
            self.body.extend(self.arrived.drain(..part));
            if self.body.len() == length {
                return Ok(());
            }
            self.more_body(deadline)?;
        }
    }

    fn read_chunks(&mut self, deadline: Instant) -> Result<(), End> {
        let mut decoder = Decoder::new(self.door.limits.body_bytes);
        loop {
            let step = decoder.push(&self.arrived, &mut self.body).map_err(|flaw| match flaw {
                Flaw::Malformed(what) => refusal::bad_request(what),
                Flaw::TooLarge => refusal::payload_too_large(self.door.limits.body_told),
            })?;
            self.arrived.drain(..step.used);
            if step.done {
                return Ok(());
            }
            self.more_body(deadline)?;
        }
    }

    fn more_body(&mut self, deadline: Instant) -> Result<(), End> {
        match self.read_some(deadline) {
            Ok(0) => Err(End::Gone),
            Ok(_) => Ok(()),
            Err(error) if is_timeout(&error) => {
                Err(refusal::timeout("body", self.door.limits.body.as_secs_f64()).into())
            }
            Err(_) => Err(End::Gone),
        }
    }

    /// Reads a piece more.
    fn read_some(&mut self, deadline: Instant) -> io::Result<usize> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut piece = [0; PIECE];
        loop {
            match (&mut &*self.stream).read(&mut piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(read) => {
                    self.arrived.extend_from_slice(&piece[..read]);
                    return Ok(read);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes the whole of an answer.
    fn send(&self, answered: &Answered, keep: bool, deadline: Instant) -> io::Result<()> {
        let mut out = Vec::with_capacity(256 + answered.fields.len() + answered.body.len());
        let reason = reason(answered.status);
        let date = Utc::now().format("%a, %d %b %Y %H:%M:%S GMT");
        let _ = write!(
            out,
            "HTTP/1.1 {} {reason}\r\nserver: aov/{}\r\ndate: {date}\r\n",
            answered.status,
            env!("CARGO_PKG_VERSION"),
        );
        // RFC 9110 §8.6: none in an answer that cannot have a body.
        if answered.status != 204 {
            let _ = write!(out, "content-length: {}\r\n", answered.length);
        }
        out.extend_from_slice(&answered.fields);
        out.extend_from_slice(if keep {
            b"connection: keep-alive\r\n\r\n"
        } else {
            b"connection: close\r\n\r\n"
        });
        out.extend_from_slice(&answered.body);
        self.write(&out, deadline)
    }

    fn write(&self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.stream.set_write_timeout(Some(left))?;
            match (&mut &*self.stream).write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Tells why, and reads what still comes for a while: closing at once would reset the connection,
    /// and the client would never see the answer.
    fn refuse(&mut self, problem: &Problem, head: Option<&Head>) {
        let body = problem.body().to_string().into_bytes();
        let mut fields = b"content-type: application/json\r\ncache-control: no-store\r\n".to_vec();
        if let Some(seconds) = problem.retry_after {
            fields.extend_from_slice(format!("retry-after: {seconds}\r\n").as_bytes());
        }
        let is_head = head.is_some_and(Head::is_head);
        let answered = Answered {
            status: problem.status,
            fields,
            length: body.len(),
            body: if is_head { Vec::new() } else { body },
        };
        self.log(head, problem.status, answered.body.len(), Instant::now());
        let limits = &self.door.limits;
        if self.send(&answered, false, Instant::now() + limits.write.min(limits.linger)).is_err() {
            return;
        }
        let _ = self.stream.shutdown(Shutdown::Write);
        let deadline = Instant::now() + limits.linger;
        let mut read = 0;
        while read < LINGER_BYTES {
            self.arrived.clear();
            match self.read_some(deadline) {
                Ok(0) | Err(_) => return,
                Ok(more) => read += more,
            }
        }
    }

    fn log(&self, head: Option<&Head>, status: u16, bytes: usize, started: Instant) {
        (self.door.witness)(&Entry {
            at: Utc::now(),
            peer: self.peer,
            method: head.map_or("", |head| &head.method),
            path: head.map_or("", |head| &head.path),
            status,
            bytes,
            took: started.elapsed(),
        });
    }
}

/// Whether a head has a name anywhere in it; to ask once too often does no harm here.
fn contains(head: &[u8], name: &[u8]) -> bool {
    head.windows(name.len()).any(|window| window.eq_ignore_ascii_case(name))
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The phrase of a status (RFC 9110 §15), for people only.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        304 => "Not Modified",
        400 => "Bad Request",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}
