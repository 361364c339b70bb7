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
    pub(super) fn lease(&self) -> Result<(Client, Slot<'_>), String> {
        let busy = |state: &mut State| state.idle.is_empty() && state.open >= MAX_OPEN;
        let (mut state, timeout) = self
            .returned
            .wait_timeout_while(self.state(), PATIENCE, busy)
            .unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            return Err("all connections are in use".to_owned());
        }
        let slot = Slot { pool: self };
        if let Some(client) = state.idle.pop() {
            return Ok((client, slot));
        }
        // Counted from now on, and no longer if this fails.
        state.open += 1;
        drop(state);
        Ok((self.connect()?, slot))
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

/// The place of a connection in use. It is free for another one when this is dropped.
pub(super) struct Slot<'p> {
    pool: &'p Pool,
}

impl Slot<'_> {
    /// The connection can be used by the next.
    pub(super) fn give_back(self, client: Client) {
        let mut state = self.pool.state();
        state.idle.push(client);
        // It stays open; the drop below counts it out.
        state.open += 1;
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.pool.state().open -= 1;
        self.pool.returned.notify_one();
    }
}
