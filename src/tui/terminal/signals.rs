//! Signals that the screen must know of, as values in its event loop.

use std::io;
use std::time::Duration;

use rustix::process::kill_current_process_group;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Interrupt,
    Terminate,
    Hangup,
    /// We were stopped, by ourselves or by somebody else, and go on.
    Continue,
    /// The window has another size.
    Resize,
}

impl Signal {
    /// Returns the number, for the exit status.
    pub(crate) fn number(self) -> i32 {
        match self {
            Self::Interrupt => rustix::process::Signal::INT.as_raw(),
            Self::Terminate => rustix::process::Signal::TERM.as_raw(),
            Self::Hangup => rustix::process::Signal::HUP.as_raw(),
            Self::Continue => rustix::process::Signal::CONT.as_raw(),
            Self::Resize => rustix::process::Signal::WINCH.as_raw(),
        }
    }
}

pub(crate) struct Signals {
    interrupt: Stream,
    terminate: Stream,
    hangup: Stream,
    continued: Stream,
    resized: Stream,
}

impl Signals {
    /// Starts listening. Must run inside the runtime that will wait.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            continued: signal(SignalKind::from_raw(Signal::Continue.number()))?,
            resized: signal(SignalKind::window_change())?,
        })
    }

    /// Waits for the next one. Cancel safe.
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hangup.recv() => Signal::Hangup,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.continued.recv() => Signal::Continue,
            _ = self.resized.recv() => Signal::Resize,
        }
    }

    /// Forgets interrupts that were meant for a program in front of us, such as the editor.
    pub(crate) async fn forget_interrupts(&mut self) {
        let pause = Duration::from_millis(1);
        while tokio::time::timeout(pause, self.interrupt.recv()).await.is_ok() {}
    }

    /// Stops the whole process group, as a shell expects of `ctrl+z`, and returns when it goes on.
    ///
    /// The signal's default action stays in place, so the kernel leaves it out where nobody could let us go on again
    /// (no shell with job control); then this returns after a moment.
    pub(crate) async fn stop(&mut self) {
        if kill_current_process_group(rustix::process::Signal::TSTP).is_ok() {
            let moment = Duration::from_millis(300);
            let _ = tokio::time::timeout(moment, self.continued.recv()).await;
        }
    }
}
