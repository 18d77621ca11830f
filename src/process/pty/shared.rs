//! State that the thread of a terminal and its owner share.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::Pid;

use super::device::PtyDevice;
use super::fair::FairMutex;
use super::foreground::{self, ForegroundProcess};
use super::input::InputQueue;
use super::input_line::InputLine;
use super::process_list::ProcessList;
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
        if !answers.is_empty() && self.takes_answers() {
            self.input.answer(&answers);
        }
        self.state().last_output = Instant::now();
        (self.observer)();
    }

    /// Returns true if an answer to a query does no harm where it arrives: the program takes single keys, so that it is the
    /// one that asked and not a file that was printed, and there is no shell with text in its line.
    fn takes_answers(&self) -> bool {
        let takes_keys = self.device.line_modes().is_none_or(|modes| !modes.is_canonical);
        takes_keys && (self.has_no_text() || self.has_no_shell())
    }

    fn has_no_text(&self) -> bool {
        let line = self.input.state(self.foreground_group()).line;
        matches!(line, InputLine::Empty | InputLine::Answers | InputLine::Ended)
    }

    fn has_no_shell(&self) -> bool {
        let foreground = foreground::foreground(&self.device, &ProcessList::default());
        foreground.is_some_and(|found| !found.processes.iter().any(ForegroundProcess::is_shell))
    }

    pub(super) fn foreground_group(&self) -> Option<i32> {
        let group = self.device.foreground_group();
        group.map(|group| group.as_raw_nonzero().get())
    }

    pub(super) fn output_closed(&self) {
        self.state().is_output_closed = true;
        (self.observer)();
    }

    pub(super) fn state(&self) -> MutexGuard<'_, TerminalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
