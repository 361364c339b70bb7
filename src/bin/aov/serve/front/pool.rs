//! The ways to the workers: connections to the inner server that are used again and again, as many
//! as there are workers, and a few more for `/health` alone.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::tiny::Inner;
use super::limits::Limits;

/// Longer than any handler takes: a settlement has 90 s, twice (X402 §4.3).
const ANSWER: Duration = Duration::from_secs(300);

/// An answer as the workers gave it.
pub(super) struct Answered {
    /// The status code.
    pub(super) status: u16,
    /// The fields, each a line with its end, without those that the front door writes itself.
    pub(super) fields: Vec<u8>,
    /// The length of the body, which is not there in an answer to HEAD.
    pub(super) length: usize,
    /// The body.
    pub(super) body: Vec<u8>,
}

/// All ways.
pub(super) struct Pool {
    inner: Inner,
    workers: usize,
    reserved: usize,
    wait: Duration,
    ways: Mutex<Ways>,
    freed: Condvar,
    opening: Mutex<()>,
}

#[derive(Default)]
struct Ways {
    idle: Vec<UnixStream>,
    busy: usize,
}

/// Why there is no answer.
pub(super) enum Failed {
    /// No worker became free in time.
    Busy,
    /// The inner server did not answer as it must.
    Broken,
}

impl Pool {
    /// All ways are opened now: later there may be no files left for them.
    pub(super) fn new(inner: Inner, limits: &Limits) -> io::Result<Self> {
        let pool = Self {
            inner,
            workers: limits.workers,
            reserved: limits.reserved,
            wait: limits.wait,
            ways: Mutex::default(),
            freed: Condvar::new(),
            opening: Mutex::default(),
        };
        for _ in 0..limits.workers + limits.reserved {
            let way = pool.open()?;
            pool.lock().idle.push(way);
        }
        Ok(pool)
    }

    /// Has a request answered: its head and body as written for the worker. `spare` ones may use what
    /// is reserved.
    pub(super) fn ask(
        &self,
        request: &[&[u8]],
        is_head: bool,
        spare: bool,
    ) -> Result<Answered, Failed> {
        let idle = self.take(spare).ok_or(Failed::Busy)?;
        let done = self.exchange(idle, request, is_head);
        let mut ways = self.lock();
        ways.busy -= 1;
        let answered = done.map(|(way, answered)| {
            ways.idle.push(way);
            answered
        });
        drop(ways);
        // Those that wait want different things: whoever can go on does.
        self.freed.notify_all();
        answered.map_err(|_| Failed::Broken)
    }

    /// How many requests are with the workers.
    #[cfg(test)]
    pub(super) fn busy(&self) -> usize {
        self.lock().busy
    }

    /// A permit, with a connection if one is idle.
    fn take(&self, spare: bool) -> Option<Option<UnixStream>> {
        let most = self.workers + if spare { self.reserved } else { 0 };
        let full = |ways: &mut Ways| ways.busy >= most;
        let waited = self.freed.wait_timeout_while(self.lock(), self.wait, full);
        let (mut ways, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() && ways.busy >= most {
            return None;
        }
        ways.busy += 1;
        Some(ways.idle.pop())
    }

    fn exchange(
        &self,
        idle: Option<UnixStream>,
        request: &[&[u8]],
        is_head: bool,
    ) -> io::Result<(UnixStream, Answered)> {
        let mut way = match idle {
            Some(way) => way,
            None => self.open()?,
        };
        way.write_all(&request.concat())?;
        let answered = read_answer(&mut way, is_head)?;
        Ok((way, answered))
    }

    /// A new way that is known to be served. tiny_http counts the threads that wait for connections
    /// after the fact: of two that come at once one may be left waiting for a thread for ever. So they
    /// come one at a time, and each has to answer before it is used.
    fn open(&self) -> io::Result<UnixStream> {
        let _one_at_a_time = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let mut patience = Duration::from_millis(200);
        loop {
            let mut way = self.inner.connect()?;
            way.set_write_timeout(Some(ANSWER))?;
            way.set_read_timeout(Some(patience))?;
            // Nobody asks this, so no handler sees it: see `tiny`.
            way.write_all(b"GET / HTTP/1.1\r\nhost: aov\r\n\r\n")?;
            if read_answer(&mut way, false).is_ok() {
                way.set_read_timeout(Some(ANSWER))?;
                return Ok(way);
            }
            patience *= 2;
            if patience > self.wait {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ways> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tiny_http writes: a head of known form, and a body of a known length.
fn read_answer(way: &mut UnixStream, is_head: bool) -> io::Result<Answered> {
    let malformed = || io::Error::other("an answer that is none");
    let deadline = Instant::now() + ANSWER;
    let mut bytes = Vec::with_capacity(4096);
    let mut part = [0; 16 << 10];
    let mut searched = 0_usize;
    let end = loop {
        if let Some(at) = bytes[searched..].windows(4).position(|four| four == b"\r\n\r\n") {
            break searched + at + 4;
        }
        searched = bytes.len().saturating_sub(3);
        match way.read(&mut part)? {
            0 => return Err(malformed()),
            _ if Instant::now() > deadline => return Err(malformed()),
            read => bytes.extend_from_slice(&part[..read]),
        }
    };
    let mut body = bytes.split_off(end);
    let mut fields = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Response::new(&mut fields);
    head.parse(&bytes).map_err(|_| malformed())?;
    let mut answered = Answered {
        status: head.code.ok_or_else(malformed)?,
        fields: Vec::with_capacity(end),
        length: 0,
        body: Vec::new(),
    };
    for field in &*head.headers {
        if field.name.eq_ignore_ascii_case("content-length") {
            let length = std::str::from_utf8(field.value).ok().and_then(|it| it.parse().ok());
            answered.length = length.ok_or_else(malformed)?;
        } else if !["server", "date", "connection", "transfer-encoding"]
            .iter()
            .any(|own| field.name.eq_ignore_ascii_case(own))
        {
            answered.fields.extend_from_slice(field.name.as_bytes());
            answered.fields.extend_from_slice(b": ");
            answered.fields.extend_from_slice(field.value);
            answered.fields.extend_from_slice(b"\r\n");
        }
    }
    if !is_head && !matches!(answered.status, 204 | 304) {
        let rest = answered.length.checked_sub(body.len()).ok_or_else(malformed)?;
        body.reserve_exact(rest);
        way.take(rest as u64).read_to_end(&mut body)?;
        if body.len() != answered.length {
            return Err(malformed());
        }
        answered.body = body;
    }
    Ok(answered)
}
