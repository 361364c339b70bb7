//! What one client, and all of them together, may take (SPEC 11.5).

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The bounds of one front door. Deadlines are absolute: a client that sends a byte now and then
/// does not move them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Connections that are served at the same time.
    pub(crate) connections: usize,
    /// Of these, from one address (IPv6: from one /64).
    pub(crate) per_address: usize,
    /// Connections beyond the above, which may ask for `/health` and get 503 for all else.
    pub(crate) lobby: usize,
    /// Requests that are answered at the same time.
    pub(crate) workers: usize,
    /// Workers beyond these that answer nothing but `/health`.
    pub(crate) reserved: usize,
    /// The stack of a worker.
    pub(crate) stack: usize,
    /// Bytes of a head: request line, fields and the empty line.
    pub(crate) head_bytes: usize,
    /// Bytes of a body, chunks put together.
    pub(crate) body_bytes: usize,
    /// The limit that clients are told: that of the handlers, which may be lower.
    pub(crate) body_told: usize,
    /// From the first byte of a head, or from the start of the connection, to the head's end.
    pub(crate) head: Duration,
    /// The same in the lobby.
    pub(crate) lobby_head: Duration,
    /// From the end of the head to the end of the body.
    pub(crate) body: Duration,
    /// From an answer to the next request.
    pub(crate) idle: Duration,
    /// How long a request waits for a free worker.
    pub(crate) wait: Duration,
    /// For the client to take the answer.
    pub(crate) write: Duration,
    /// How long what a refused client still sends is read, so that it sees the refusal.
    pub(crate) linger: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            per_address: 256,
            lobby: 32,
            workers: 32,
            reserved: 2,
            stack: crate::STACK,
            head_bytes: 32 << 10,
            body_bytes: 1 << 20,
            body_told: 1 << 20,
            head: Duration::from_secs(5),
            lobby_head: Duration::from_secs(1),
            body: Duration::from_secs(10),
            idle: Duration::from_secs(10),
            wait: Duration::from_secs(10),
            write: Duration::from_secs(10),
            linger: Duration::from_secs(1),
        }
    }
}

/// File descriptors of one request on its way to a worker: our end, and tiny_http's two.
const FILES_PER_WORKER: usize = 3;

/// File descriptors left to the rest of the program: ledger, facilitators, standard streams.
const FILES_ELSEWHERE: usize = 64;

impl Limits {
    /// For few, known clients: the admin address.
    pub(crate) fn admin() -> Self {
        Self {
            connections: 16,
            per_address: 16,
            lobby: 2,
            workers: 2,
            reserved: 1,
            body_bytes: 16 << 10,
            body_told: 16 << 10,
            ..Self::default()
        }
    }

    /// Lowered to what the process may open, after its soft limit was raised as far as needed: a
    /// connection that is refused costs less than an `accept` that fails.
    pub(super) fn within_open_files(mut self) -> Self {
        let allowed = allow_files(self.files().saturating_add(files_open()));
        let free = allowed.saturating_sub(files_open()).saturating_sub(FILES_ELSEWHERE);
        // Half for the way in, half for the way to the workers, down to what still works.
        let inner = (free / 2 / FILES_PER_WORKER).max(2);
        self.reserved = self.reserved.clamp(1, inner.div_ceil(4));
        self.workers = self.workers.clamp(1, inner.saturating_sub(self.reserved).max(1));
        let outer = free.saturating_sub((self.workers + self.reserved) * FILES_PER_WORKER).max(4);
        self.lobby = self.lobby.clamp(1, outer.div_ceil(4));
        self.connections = self.connections.clamp(1, outer.saturating_sub(self.lobby).max(1));
        self
    }

    /// The file descriptors that the front door and the rest take at most.
    fn files(&self) -> usize {
        self.connections
            + self.lobby
            + (self.workers + self.reserved) * FILES_PER_WORKER
            + FILES_ELSEWHERE
    }
}

/// Lets the process open so many files if its hard limit does; says how many it can.
fn allow_files(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let number = |value: Option<u64>| {
        value.map_or(usize::MAX, |value| usize::try_from(value).unwrap_or(usize::MAX))
    };
    let current = number(limit.current);
    if current >= wanted {
        return current;
    }
    let raised = wanted.min(number(limit.maximum));
    let new = Rlimit { current: u64::try_from(raised).ok(), maximum: limit.maximum };
    if raised > current && setrlimit(Resource::Nofile, new).is_ok() { raised } else { current }
}

/// How many files are open now, where the system tells.
fn files_open() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(16, Iterator::count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_bounds() {
        let limits = Limits::default();
        assert_eq!(limits.head_bytes, 32_768);
        assert_eq!(limits.body_bytes, 1_048_576);
        assert_eq!(limits.head, Duration::from_secs(5));
        assert_eq!(limits.body, Duration::from_secs(10));
        assert_eq!(limits.idle, Duration::from_secs(10));
        assert_eq!(limits.write, Duration::from_secs(10));
        assert!(limits.per_address < limits.connections, "one address must leave seats to others");
    }

    #[test]
    fn never_more_than_asked_for() {
        let asked =
            Limits { connections: 3, lobby: 1, workers: 1, reserved: 1, ..Limits::default() };
        assert_eq!(asked.clone().within_open_files(), asked);
    }
}
