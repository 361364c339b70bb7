//! The doors: the public one, the operator's, and how they close.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::config::Config;
use super::front::{Front, Limits};
use super::log::Entry;
use super::signals::Stop;
use super::start::{Admin, Public};
use super::tiny::Handler;
use crate::output;

/// How long what is being worked on may take after the signal to stop: a settlement has 90 s, twice.
const DRAIN: Duration = Duration::from_secs(200);

/// What the front door lets through beyond the limit for bodies, so that a handler can refuse it with
/// the fields that all its answers have.
const BEYOND: usize = 64 << 10;

/// The addresses that are listened on.
pub(crate) struct Doors {
    public: (TcpListener, SocketAddr),
    admin: Option<(TcpListener, SocketAddr)>,
}

impl Doors {
    /// Opens them.
    pub(crate) fn open(config: &Config) -> Result<Self, String> {
        let open = |at: SocketAddr| {
            let cannot = |error| format!("cannot listen on {at}: {error}");
            let listener = TcpListener::bind(at).map_err(cannot)?;
            let at = listener.local_addr().map_err(cannot)?;
            Ok::<_, String>((listener, at))
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

/// Serves until the signal to stop, and then until what is being worked on is answered (SPEC 11.6).
pub(crate) fn serve(
    doors: Doors,
    config: &Config,
    stop: &Stop,
    public: Arc<Public>,
    admin: Arc<Admin>,
) -> Result<(), String> {
    let limits = Limits {
        connections: config.limits.connections,
        per_address: config.limits.connections_per_address,
        workers: config.limits.workers,
        body_bytes: config.limits.body_bytes + BEYOND,
        body_told: config.limits.body_bytes,
        ..Limits::default()
    };
    let open = |listener: TcpListener, limits: Limits, handler: Arc<Handler>| {
        let log = config.log;
        let witness = Box::new(move |entry: &Entry<'_>| output::complain(&entry.line(log)));
        Front::open(listener, limits, handler, witness)
            .map_err(|error| format!("cannot open the front door: {error}"))
    };
    let public = open(doors.public.0, limits, Arc::new(move |request| public.handle(request)))?;
    let admin = doors.admin.map(|(listener, _)| {
        open(listener, Limits::admin(), Arc::new(move |request| admin.handle(request)))
    });
    let admin = admin.transpose()?;
    stop.wait();
    let deadline = Instant::now() + DRAIN;
    let finished = public.drain(deadline);
    if let Some(admin) = admin {
        admin.drain(deadline);
    }
    if finished {
        Ok(())
    } else {
        Err("stopped before every request was answered; `aov ledger payments` shows what is open"
            .to_owned())
    }
}
