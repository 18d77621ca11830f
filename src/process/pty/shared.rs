//! State that the thread of a terminal and its owner share.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::Pid;

use super::device::PtyDevice;
use super::fair::FairMutex;
use super::input::InputQueue;
use crate::process::screen::Screen;

pub(super) struct SharedTerminal {
    pub(super) device: PtyDevice,
    pub(super) input: InputQueue,
    pub(super) is_dropped: AtomicBool,
    pub(super) screen: FairMutex<Screen>,
    pub(super) state: Mutex<TerminalState>,
    pub(super) observer: Box<dyn Fn() + Send + Sync>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TerminalState {
    pub(super) leader: Option<Pid>,
    pub(super) exit: Option<TerminalExit>,
    pub(super) last_output: Instant,
    pub(super) is_output_closed: bool,
}

/// How the program of a terminal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalExit {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl std::fmt::Debug for SharedTerminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedTerminal")
            .field("device", &self.device)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl SharedTerminal {
    /// Feeds output to the screen and queues the answers.
    pub(super) fn take_output(&self, bytes: &[u8]) {
        let answers = self.screen.lock().feed(bytes);
        if !answers.is_empty() {
            self.input.answer(&answers);
        }
        self.state().last_output = Instant::now();
        (self.observer)();
    }

    pub(super) fn output_closed(&self) {
        self.state().is_output_closed = true;
        (self.observer)();
    }

    pub(super) fn state(&self) -> MutexGuard<'_, TerminalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
