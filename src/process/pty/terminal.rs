//! A terminal with its screen, its thread and the program in it.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::device::{PtyDevice, PtySize};
use super::ending::TerminalProcesses;
use super::fair::{FairGuard, FairMutex};
use super::foreground::{self, Foreground};
use super::input::{InputQueue, WriteError};
use super::input_line::InputState;
use super::process_list::ProcessList;
use super::shared::{SharedTerminal, TerminalExit, TerminalState};
use super::waiting::{self, InputFacts};
use super::{pump, settle};
use crate::process::screen::{Screen, ScreenSettings};

/// A pseudo-terminal with its screen. Dropping it closes our end, at which the kernel sends HUP to the program; ending
/// everything that runs in it is up to [`TerminalProcesses`].
#[derive(Debug)]
pub struct Terminal {
    shared: Arc<SharedTerminal>,
    wake: UnixStream,
}

/// The streams that the program of a terminal is started with.
#[derive(Debug)]
pub struct ChildStreams {
    pub stdin: OwnedFd,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
}

impl ChildStreams {
    fn of(program_end: File) -> io::Result<Self> {
        Ok(Self {
            stdin: program_end.try_clone()?.into(),
            stdout: program_end.try_clone()?.into(),
            stderr: program_end.into(),
        })
    }
}

impl Terminal {
    /// Opens a terminal. The observer is called after each piece of output and after the end, from other threads and
    /// without a lock held; it should only wake somebody.
    pub fn open(
        size: PtySize,
        settings: ScreenSettings,
        observer: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<(Self, ChildStreams)> {
        let (device, program_end) = PtyDevice::open(size)?;
        let shared = Arc::new(SharedTerminal {
            device,
            input: InputQueue::default(),
            is_dropped: AtomicBool::new(false),
            screen: FairMutex::new(Screen::new(size, settings)),
            state: Mutex::new(TerminalState {
                leader: None,
                exit: None,
                last_output: Instant::now(),
                is_output_closed: false,
            }),
            observer: Box::new(observer),
        });
        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        let streams = ChildStreams::of(program_end)?;
        thread::Builder::new().name("pty".into()).spawn({
            let shared = Arc::clone(&shared);
            move || pump::run(&shared, woken)
        })?;
        Ok((Self { shared, wake }, streams))
    }

    /// Notes the process that was started with the streams, which leads the session of the terminal.
    pub fn started(&self, leader: u32) {
        self.shared.state().leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
    }

    /// Notes how that process ended. Others may go on in the terminal.
    pub fn ended(&self, exit: TerminalExit) {
        self.shared.state().exit = Some(exit);
        (self.shared.observer)();
    }

    pub fn exit(&self) -> Option<TerminalExit> {
        self.shared.state().exit
    }

    /// Returns true when no process can print to the terminal any more.
    pub fn is_output_closed(&self) -> bool {
        self.shared.state().is_output_closed
    }

    /// The screen. Locks are given in order, so a flood of output keeps nobody out; do not hold it for long.
    pub fn screen(&self) -> FairGuard<'_, Screen> {
        self.shared.screen.lock()
    }

    /// Types bytes. They wait here until the program reads; none of them is kept after that.
    pub fn write(&self, bytes: &[u8]) -> Result<(), WriteError> {
        self.shared.input.write(bytes, self.shared.foreground_group())?;
        self.wake();
        Ok(())
    }

    /// Types bytes, unless something was typed since the state was looked up. Returns the state by then.
    pub fn write_after(&self, seen: InputState, bytes: &[u8]) -> Result<InputState, WriteError> {
        let group = self.shared.foreground_group();
        let state = self.shared.input.write_after(seen, bytes, group)?;
        self.wake();
        Ok(state)
    }

    /// Types a line and Enter into an empty line, which is empty again after that: the caller answers for the line being
    /// whole and for a shell at its prompt. Nothing is typed if something else was since the state was looked up.
    pub fn write_whole_line(&self, seen: InputState, line: &str) -> Result<(), WriteError> {
        let bytes: Vec<u8> = line.bytes().chain([b'\r']).collect();
        self.shared.input.write_whole_line(seen, &bytes)?;
        self.wake();
        Ok(())
    }

    /// Returns the contents of the input line, as far as they follow from what was written.
    pub fn input_state(&self) -> InputState {
        self.shared.input.state(self.shared.foreground_group())
    }

    /// Notes that the line is clear, unless something was typed since the state was looked up.
    pub fn note_clear(&self, seen: InputState) -> Result<(), WriteError> {
        self.shared.input.note_clear(seen)
    }

    /// Returns true while bytes wait for the kernel to take them.
    pub fn has_waiting_input(&self) -> bool {
        !self.shared.input.is_empty()
    }

    /// Returns the processes in the foreground; `None` where nothing tells of them. Looks at all processes.
    pub fn foreground(&self) -> Option<Foreground> {
        foreground::foreground(&self.shared.device, &ProcessList::default())
    }

    /// Changes the size of the screen and tells the program, if there is one.
    pub fn resize(&self, size: PtySize) -> io::Result<()> {
        let mut screen = self.screen();
        screen.resize(size);
        // While it is locked, so that what the program draws anew meets the new size.
        let told = self.shared.device.resize(screen.size());
        drop(screen);
        (self.shared.observer)();
        told
    }

    /// Sends a signal to the foreground group, or to the group of the program where there is none.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        let group = self.shared.device.foreground_group();
        let TerminalState { leader, exit, .. } = *self.shared.state();
        let leader = leader.filter(|_| exit.is_none());
        match group.or(leader) {
            Some(group) => Ok(kill_process_group(group, signal)?),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The processes of the terminal, for ending them.
    pub fn processes(&self) -> TerminalProcesses {
        let TerminalState { leader, exit, .. } = *self.shared.state();
        TerminalProcesses::new(self.shared.device.number(), leader.filter(|_| exit.is_none()))
    }

    /// Returns the kernel's facts about the program's input; `None` where there are none, and after the end.
    pub fn input_facts(&self) -> Option<InputFacts> {
        self.input_facts_among(&ProcessList::default())
    }

    fn input_facts_among(&self, processes: &ProcessList) -> Option<InputFacts> {
        if self.shared.state().is_output_closed {
            return None;
        }
        waiting::facts(&self.shared.device, processes)
    }

    /// Time since the last output.
    pub fn silence(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.shared.state().last_output)
    }

    /// Returns the state for [`settle::Settle`]. The caller says if its pattern is on the screen.
    pub fn settle_events(&self, now: Instant, is_pattern_seen: bool) -> settle::SettleEvents {
        let silence = self.silence(now);
        let state = *self.shared.state();
        settle::SettleEvents {
            silence,
            is_pattern_seen,
            has_ended: state.exit.is_some() && (state.is_output_closed || silence >= settle::DRAIN),
            input: match self.input_facts_after(silence, &ProcessList::default()) {
                Some(facts) => waiting::assess(facts, silence),
                None => waiting::InputWait::No,
            },
        }
    }

    /// Returns the facts about the program's input, which are not read while output arrives: nothing depends on them before
    /// it is quiet, and the processes of the machine are listed for them.
    pub fn input_facts_after(&self, silence: Duration, processes: &ProcessList) -> Option<InputFacts> {
        let is_quiet = silence >= settle::QUIET;
        is_quiet.then(|| self.input_facts_among(processes)).flatten()
    }

    fn wake(&self) {
        // A full pipe wakes as well.
        let _ = (&self.wake).write(&[0]);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.shared.is_dropped.store(true, Ordering::Release);
        self.wake();
    }
}
