//! SIGTERM and SIGINT: the first asks for an orderly end, a second one ends at once.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// The status of a program that was ended by a signal, as shells report SIGINT.
const INTERRUPTED: i32 = 130;

/// The signal to stop.
#[derive(Debug)]
pub(crate) struct Stop(UnixStream);

impl Stop {
    /// From now on the signals do not end the program by themselves.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let stopping = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT] {
            // In this order: the first signal finds the flag down.
            flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&stopping))?;
            flag::register(signal, Arc::clone(&stopping))?;
            pipe::register(signal, theirs.try_clone()?)?;
        }
        Ok(Self(ours))
    }

    /// Waits for the first one.
    pub(crate) fn wait(&self) {
        let mut byte = [0];
        while matches!((&self.0).read(&mut byte), Err(error) if error.kind() == io::ErrorKind::Interrupted)
        {
        }
    }
}
