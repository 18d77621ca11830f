//! The threads that sessions live on.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::failure::Failure;

/// Work that outlives its session (a connection's rest, a blocked disk) is given up after this long.
const LAST_WORK: Duration = Duration::from_secs(2);

/// Runs `work` on threads of its own and ends them after it.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    Ok(run(start()?, work))
}

pub(super) fn run<T>(runtime: Runtime, work: impl Future<Output = T>) -> T {
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(LAST_WORK);
    done
}

/// One thread: what arrives from a model goes through several tasks, and waking other threads for each delta costs more than
/// the work (measured at 200 deltas a second). What blocks runs beside it through `spawn_blocking`.
pub(super) fn start() -> Result<Runtime, Failure> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system("the threads of lathe could not be started", error))
}
