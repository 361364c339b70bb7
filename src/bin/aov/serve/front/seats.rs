//! Who may come in: so many in all, so many from one address, and a lobby for those beyond, where
//! `/health` is answered (SPEC 11.5).
//!
//! Who waits longest in a full lobby makes room for who comes next: however many connections
//! somebody opens, a question that comes with its head gets its answer.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::limits::Limits;
use crate::serve::allowance::client_key;

/// All seats of a door.
pub(super) struct Seats {
    connections: usize,
    per_address: usize,
    lobby: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    seated: usize,
    by_address: HashMap<String, usize>,
    lobby: VecDeque<(u64, Arc<TcpStream>)>,
    /// Those that have been shown out of the lobby and are not gone yet.
    leaving: usize,
    next: u64,
}

/// A place, given back when dropped.
pub(super) struct Seat {
    seats: Arc<Seats>,
    kind: Kind,
}

enum Kind {
    Seated(String),
    Lobby(u64),
}

impl Seats {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            connections: limits.connections,
            per_address: limits.per_address,
            lobby: limits.lobby,
            taken: Mutex::default(),
        })
    }

    /// A place for a new connection; none if even the lobby cannot take it.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr, stream: &Arc<TcpStream>) -> Option<Seat> {
        let client = client_key(peer);
        let mut taken = self.lock();
        let of_client = taken.by_address.get(&client).copied().unwrap_or(0);
        if taken.seated < self.connections && of_client < self.per_address {
            taken.seated += 1;
            taken.by_address.insert(client.clone(), of_client + 1);
            return Some(Seat { seats: Arc::clone(self), kind: Kind::Seated(client) });
        }
        if taken.lobby.len() >= self.lobby {
            if taken.leaving >= self.lobby {
                return None;
            }
            if let Some((_, oldest)) = taken.lobby.pop_front() {
                let _ = oldest.shutdown(Shutdown::Both);
                taken.leaving += 1;
            }
        }
        let number = taken.next;
        taken.next += 1;
        taken.lobby.push_back((number, Arc::clone(stream)));
        Some(Seat { seats: Arc::clone(self), kind: Kind::Lobby(number) })
    }

    /// How many connections there are.
    pub(super) fn count(&self) -> usize {
        let taken = self.lock();
        taken.seated + taken.lobby.len() + taken.leaving
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Whether only `/health` is answered here.
    pub(super) fn is_lobby(&self) -> bool {
        matches!(self.kind, Kind::Lobby(_))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.lock();
        match &self.kind {
            Kind::Seated(client) => {
                taken.seated -= 1;
                let left = taken.by_address.get_mut(client).map(|count| {
                    *count -= 1;
                    *count
                });
                if left == Some(0) {
                    taken.by_address.remove(client);
                }
            }
            Kind::Lobby(number) => {
                let before = taken.lobby.len();
                taken.lobby.retain(|(other, _)| other != number);
                if taken.lobby.len() == before {
                    taken.leaving -= 1;
                }
            }
        }
    }
}
