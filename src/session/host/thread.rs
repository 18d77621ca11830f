//! The thread that sessions live on.

use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{self, Builder, Runtime};
use tokio::sync::oneshot;

use super::Host;

/// Sessions that take longer to end are left to their next opening, which finds what was unfinished.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);
/// Work that outlives its session (a connection's rest, a blocked disk) is given up after this long.
const LAST_WORK: Duration = Duration::from_secs(2);

/// The thread that the sessions of a host live on, beside that of a front end.
pub struct HostThread {
    runtime: runtime::Handle,
    /// Takes the host whose sessions are to be closed.
    leave: oneshot::Sender<Host>,
    /// Closed when they have ended.
    gone: mpsc::Receiver<()>,
}

impl HostThread {
    /// `begin` is run on the thread first; what it returns is dropped when the sessions have ended.
    pub fn start<G>(begin: impl FnOnce() -> G + Send + 'static) -> io::Result<Self> {
        let own = start()?;
        let handle = own.handle().clone();
        let (leave, left) = oneshot::channel::<Host>();
        let (alive, gone) = mpsc::channel();
        let work = move || {
            let _alive = alive;
            let _guard = begin();
            run(own, async {
                if let Ok(host) = left.await {
                    host.close_all().await;
                }
            });
        };
        thread::Builder::new()
            .name("lathe-runtime".to_owned())
            .spawn(work)?;
        Ok(Self {
            runtime: handle,
            leave,
            gone,
        })
    }

    /// The runtime of the thread.
    pub fn runtime(&self) -> &runtime::Handle {
        &self.runtime
    }

    /// Lets the sessions end and waits for them.
    pub fn end(self, host: Host) {
        // A thread that is gone has nothing left to end.
        let _ = self.leave.send(host);
        let _ = self.gone.recv_timeout(SHUTDOWN_GRACE);
    }
}

/// Runs `work`, and the sessions that it opens, on this thread, and ends what is left of them after it.
pub fn block_on<T>(work: impl Future<Output = T>) -> io::Result<T> {
    Ok(run(start()?, work))
}

fn run<T>(runtime: Runtime, work: impl Future<Output = T>) -> T {
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(LAST_WORK);
    done
}

/// One thread: what arrives from a model goes through several tasks, and waking other threads for each delta costs more than
/// the work (measured at 200 deltas a second). What blocks runs beside it through `spawn_blocking`.
fn start() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
