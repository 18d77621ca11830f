//! The threads that sessions live on, and how a session is left so that everything is on disk.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::failure::Failure;
use crate::session::wire::Opened;
use crate::session::{Op, SendError};

/// Work that outlives its session (a connection's rest, a blocked disk) is given up after this long.
const LAST_WORK: Duration = Duration::from_secs(2);
/// Between two tries to hand a message to a session that is busy.
const AGAIN: Duration = Duration::from_millis(5);

/// Runs `work` on threads of its own and ends them after it.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = start()?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(LAST_WORK);
    Ok(done)
}

/// One thread: what arrives from a model goes through several tasks, and waking other threads for each delta costs more than
/// the work (measured at 200 deltas a second). What blocks runs beside it through `spawn_blocking`.
fn start() -> Result<Runtime, Failure> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system("the threads of lathe could not be started", error))
}

/// Ends a session and waits until it has written everything.
pub(super) async fn close(opened: Opened) {
    while opened.handle.send(Op::Close) == Err(SendError::Busy) {
        tokio::time::sleep(AGAIN).await;
    }
    if let Err(error) = opened.actor.await {
        tracing::error!(%error, "the session ended by a fault");
    }
}
