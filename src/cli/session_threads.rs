//! The threads that sessions live on, beside the screen's.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use super::failure::Failure;
use super::logs::Logs;
use super::runtime;
use crate::config::Dirs;
use crate::session::host::Host;

/// Sessions that take longer to end are left to their next opening, which finds what was unfinished.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

pub(super) struct SessionThreads {
    pub(super) runtime: tokio::runtime::Handle,
    /// Takes the host whose sessions are to be closed.
    leave: oneshot::Sender<Host>,
    /// Closed when they have ended.
    gone: mpsc::Receiver<()>,
}

impl SessionThreads {
    /// `dirs` are for the log.
    pub(super) fn start(dirs: Dirs) -> Result<Self, Failure> {
        let threads = runtime::start()?;
        let handle = threads.handle().clone();
        let (leave, left) = oneshot::channel::<Host>();
        let (alive, gone) = mpsc::channel();
        let work = move || {
            let _alive = alive;
            let _logs = Logs::start(&dirs);
            runtime::run(threads, async {
                if let Ok(host) = left.await {
                    host.close_all().await;
                }
            });
        };
        thread::Builder::new()
            .name("lathe-runtime".to_owned())
            .spawn(work)
            .map_err(|error| Failure::system("the threads of lathe could not be started", error))?;
        Ok(Self {
            runtime: handle,
            leave,
            gone,
        })
    }

    /// Lets the sessions end and waits for them.
    pub(super) fn end(self, host: Host) {
        // Threads that are gone have nothing left to end.
        let _ = self.leave.send(host);
        let _ = self.gone.recv_timeout(SHUTDOWN_GRACE);
    }
}
