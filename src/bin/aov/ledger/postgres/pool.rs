//! A few connections, each used by one caller at a time.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use postgres::{Client, NoTls};

use super::address::Address;
use super::explain;

/// The most connections at a time.
const MAX_OPEN: usize = 16;
/// How long a caller waits for one of them.
const PATIENCE: Duration = Duration::from_secs(15);

/// What every connection is told first: no statement and no lock is waited for without end, and
/// a commit waits for the disk even if the database is set up otherwise.
const GREETING: &str = "
SET statement_timeout = '15s';
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '30s';
SET default_transaction_isolation = 'read committed';
SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = 'off'";

/// Connections to one database.
pub(super) struct Pool {
    pub(super) address: Address,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Client>,
    /// Idle ones, used ones, and those that are being made.
    open: usize,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Pool {
    /// Without any connection yet.
    pub(super) fn new(address: Address) -> Self {
        Self { address, state: Mutex::default(), returned: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection for the caller alone: an idle one, a new one, or the next that is returned.
    pub(super) fn lease(&self) -> Result<Lease<'_>, String> {
        let busy = |state: &mut State| state.idle.is_empty() && state.open >= MAX_OPEN;
        let (mut state, timeout) = self
            .returned
            .wait_timeout_while(self.state(), PATIENCE, busy)
            .unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            return Err("all connections are in use".to_owned());
        }
        if let Some(client) = state.idle.pop() {
            return Ok(Lease { pool: self, client: Some(client) });
        }
        state.open += 1;
        drop(state);
        // Counted from now on, and no longer if this fails.
        let mut lease = Lease { pool: self, client: None };
        lease.client = Some(self.connect()?);
        Ok(lease)
    }

    fn connect(&self) -> Result<Client, String> {
        let client = self.address.config().connect(NoTls).and_then(|mut client| {
            client.batch_execute(GREETING)?;
            Ok(client)
        });
        client.map_err(|error| explain(&error))
    }

    /// Closes what is not in use.
    pub(super) fn forget_idle(&self) {
        let idle = {
            let mut state = self.state();
            state.open -= state.idle.len();
            std::mem::take(&mut state.idle)
        };
        // Not under the lock: saying goodbye may take a while.
        drop(idle);
        self.returned.notify_all();
    }
}

/// A connection in use; it goes back when this is dropped.
pub(super) struct Lease<'p> {
    pool: &'p Pool,
    client: Option<Client>,
}

impl Lease<'_> {
    /// The connection, unless it was discarded.
    pub(super) fn client(&mut self) -> Option<&mut Client> {
        self.client.as_mut()
    }

    /// It is of no use any more.
    pub(super) fn discard(&mut self) {
        self.client = None;
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        match self.client.take() {
            // A panic may have left a transaction open.
            Some(client) if !std::thread::panicking() => state.idle.push(client),
            _ => state.open -= 1,
        }
        drop(state);
        self.pool.returned.notify_one();
    }
}
