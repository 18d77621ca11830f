//! What is typed, read on a thread of its own.
//!
//! The thread waits for the terminal, takes all that is there and hands it on; it wakes for nothing else. Reading can
//! block in the middle of a key that came in parts, so the screen's own thread never reads. crossterm's stream of events
//! is not used: it is told of new input once only, and where it takes less than all of it, or is woken for another
//! reason at the same moment, the rest stays unseen until the next key.
//!
//! Only what crossterm calls `use-dev-tty` asks the terminal anew each time. It says nothing where it is asked with no
//! time to wait, hence [`SETTLE`]. Changes of the window's size come as a signal.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use crossterm::event::{Event as Input, poll, read};
use rustix::event::{PollFd, PollFlags, Timespec};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long the thread waits for more of what has begun to arrive, which delays nothing that is there.
const SETTLE: Duration = Duration::from_millis(10);
/// How long stopping waits for a key that came in parts. Longer than [`SETTLE`].
const PATIENCE: Duration = Duration::from_millis(200);
const AT_ONCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

/// Reads what is typed, while it is started.
pub(crate) struct Reader {
    /// Without a bound, so that the thread never waits for the loop and can always be stopped; the loop takes keys
    /// before all else.
    inputs: UnboundedReceiver<io::Result<Input>>,
    sender: UnboundedSender<io::Result<Input>>,
    worker: Option<Worker>,
}

struct Worker {
    /// Closed to stop it.
    go_on: PipeWriter,
    ended: Receiver<()>,
}

impl Reader {
    /// Returns one that does not read yet.
    pub(crate) fn new() -> Self {
        let (sender, inputs) = unbounded_channel();
        Self {
            inputs,
            sender,
            worker: None,
        }
    }

    /// Reads from now on.
    pub(crate) fn start(&mut self) -> io::Result<()> {
        let (stop, go_on) = io::pipe()?;
        let (end, ended) = sync_channel(1);
        let sender = self.sender.clone();
        thread::Builder::new().name("keys".to_owned()).spawn(move || {
            if let Err(error) = hand_on(&sender, &stop) {
                // The loop may be gone by now, as whoever stopped us may be.
                let _ = sender.send(Err(error));
            }
            let _ = end.send(());
        })?;
        self.worker = Some(Worker { go_on, ended });
        Ok(())
    }

    /// Leaves the terminal to others: what is typed from now on is theirs. What was read before stays here.
    pub(crate) fn stop(&mut self) {
        let Some(worker) = self.worker.take() else { return };
        drop(worker.go_on);
        // A thread that waits for the rest of a key hands that key on and ends then.
        let _ = worker.ended.recv_timeout(PATIENCE);
    }

    /// Waits for what is typed. An error: the terminal is gone. Cancel safe.
    pub(crate) async fn next(&mut self) -> io::Result<Input> {
        let input = self.inputs.recv().await;
        input.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))
    }

    /// Returns what was read already.
    pub(crate) fn ready(&mut self) -> Option<io::Result<Input>> {
        self.inputs.try_recv().ok()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Hands on what is typed until it is stopped. What came before the terminal was given away comes first.
fn hand_on(sender: &UnboundedSender<io::Result<Input>>, stop: &PipeReader) -> io::Result<()> {
    loop {
        while poll(SETTLE)? {
            let is_taken = sender.send(Ok(read()?)).is_ok();
            if !is_taken || wait(stop, Some(&AT_ONCE))? == Woken::Stopped {
                return Ok(());
            }
        }
        if wait(stop, None)? == Woken::Stopped {
            return Ok(());
        }
    }
}

#[derive(Debug, PartialEq)]
enum Woken {
    Stopped,
    Typed,
    /// Only where it was not to wait.
    Neither,
}

/// Waits until something is typed or the thread is to stop.
fn wait(stop: &PipeReader, time: Option<&Timespec>) -> io::Result<Woken> {
    let terminal = io::stdin();
    let mut fds = [
        PollFd::new(stop, PollFlags::IN),
        PollFd::new(&terminal, PollFlags::IN),
    ];
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut fds, time))?;
    let (stopped, typed) = (fds[0].revents(), fds[1].revents());
    if !stopped.is_empty() {
        return Ok(Woken::Stopped);
    }
    if typed.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(if typed.is_empty() {
        Woken::Neither
    } else {
        Woken::Typed
    })
}
