//! The threads that sessions live on, started for a command.

use std::future::Future;
use std::io;

use super::failure::Failure;
use super::logs::Logs;
use crate::config::Dirs;
use crate::session::host::{self, HostThread};

/// Runs `work` and ends what is left of it.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    host::block_on(work).map_err(not_started)
}

/// Starts the thread of the sessions beside the screen's. `dirs` are for the log.
pub(super) fn start_host_thread(dirs: Dirs) -> Result<HostThread, Failure> {
    HostThread::start(move || Logs::start(&dirs)).map_err(not_started)
}

fn not_started(error: io::Error) -> Failure {
    Failure::system("the threads of lathe could not be started", error)
}
