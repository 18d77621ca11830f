//! One shell command from its start to its end.
//!
//! The command leads a session of its own, so it has no terminal to ask for a password on, and everything it starts
//! stays in its group unless it takes pains to leave. stdout and stderr are the two ends of one pipe: only so is their
//! order kept.
//!
//! A new session costs a plain fork, which copies the page tables of a parent: the quick start that the standard
//! library has can make a group, but no session. From start to result `echo x` takes 0.8 ms in a small process,
//! 2.2 ms in one that uses 100 MB and about 4 ms at 200 MB, where the quick start takes 0.65 ms in each. The keeper,
//! which starts commands for the program, is a small process.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::kill::Group;
use super::sandbox::Confinement;
use super::shell::Shell;
use super::start::Leader;
use super::start_request::{Start, Streams};

/// Between the polite signal and the other one.
const KILL_AFTER: Duration = Duration::from_secs(3);
/// How long a killed command may take to be gone before we return without it: with [`KILL_AFTER`] less than 3.5 s.
const KILL_PATIENCE: Duration = Duration::from_millis(400);
/// How long output is waited for when the shell has ended.
const DRAIN: Duration = Duration::from_millis(500);
/// The time that what was left behind is given between the two signals: nobody waits for it any more.
const LEFTOVER_PATIENCE: Duration = Duration::from_millis(200);
/// How soon we look again whether the group is gone, which nothing tells us; each look doubles it up to the second.
const LOOK_AGAIN: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));
/// Capacity of a pipe on Linux, in bytes.
const BUFFER: usize = 64 * 1024;

/// A command to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellCommand {
    pub shell: Shell,
    pub command: String,
    /// Absolute.
    pub cwd: PathBuf,
    /// All of the environment: nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// Enforced by the kernel; `None` is free.
    pub confinement: Option<Confinement>,
}

/// Why a command did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("the directory `{}` does not exist", .0.display())]
    NoDirectory(PathBuf),
    #[error("the shell `{}` does not exist or is not executable", .0.display())]
    NoShell(PathBuf),
    #[error("the command contains a NUL byte, which no command can")]
    Nul,
    #[error("the command has {0} bytes, more than the system takes; write it to a file and run that")]
    TooLong(usize),
    #[error(
        "the process that watches over commands was ended from outside, and the command with it; what it had done until \
         then is not known"
    )]
    Interrupted,
    #[error("the command could not be started: {0}")]
    System(#[from] io::Error),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandOutcome {
    /// `None` when a signal ended the shell, or when even KILL did not end it in time.
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub timed_out: bool,
    pub cancelled: bool,
    /// The shell ended by itself, but something it had started went on; it was stopped as far as it could be found.
    pub left_behind: bool,
    /// Until the shell's end.
    pub duration: Duration,
    pub pid: u32,
}

impl ShellCommand {
    /// Starts the command. Must be called within a runtime.
    pub fn spawn(&self) -> Result<RunningCommand, SpawnError> {
        self.start(File::open("/dev/null")?.into(), None)
    }

    /// Starts the command with something to read, and with its errors apart where they have a place of their own.
    pub(super) fn start(
        &self,
        stdin: OwnedFd,
        stderr: Option<OwnedFd>,
    ) -> Result<RunningCommand, SpawnError> {
        if self.command.contains('\0') {
            return Err(SpawnError::Nul);
        }
        let start = Start {
            program: self.shell.program().to_owned(),
            arguments: self.shell.arguments(&self.command),
            cwd: self.cwd.clone(),
            environment: self.environment.clone(),
            confinement: self.confinement.clone(),
        };
        RunningCommand::start(start, stdin, stderr).map_err(|error| self.explain(error))
    }

    pub(super) fn explain(&self, error: io::Error) -> SpawnError {
        if error.kind() == io::ErrorKind::ConnectionAborted {
            SpawnError::Interrupted
        } else if error.kind() == io::ErrorKind::ArgumentListTooLong {
            SpawnError::TooLong(self.command.len())
        } else if !self.cwd.is_dir() {
            SpawnError::NoDirectory(self.cwd.clone())
        } else if matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
        ) {
            SpawnError::NoShell(self.shell.program().to_owned())
        } else {
            SpawnError::System(error)
        }
    }
}

/// A command that runs. Dropping it kills its whole group.
#[derive(Debug)]
pub struct RunningCommand {
    leader: Leader,
    group: Guard,
    pid: u32,
    /// `None` when every process has closed it.
    output: Option<Receiver>,
    started: Instant,
    ended: Option<ShellExit>,
}

#[derive(Debug, Clone, Copy)]
struct ShellExit {
    /// `None` when the system would not tell.
    status: Option<ExitStatus>,
    at: Instant,
}

/// Why we do not wait any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopReason {
    ShellEnded,
    TimedOut,
    Cancelled,
}

/// How waiting for the end of everything came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupStatus {
    Gone,
    /// Processes of the group, or somebody who holds the pipe.
    Remains,
}

impl RunningCommand {
    pub(super) fn start(start: Start, stdin: OwnedFd, stderr: Option<OwnedFd>) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let stderr = match stderr {
            Some(stderr) => stderr,
            None => writer.try_clone()?.into(),
        };
        let streams = Streams {
            stdin,
            stdout: writer.into(),
            stderr,
        };
        let started = Instant::now();
        let (leader, pid) = start.start(streams)?;
        let group = Group::led_by(pid).ok_or_else(|| io::Error::other("it has no number"))?;
        Ok(Self {
            leader,
            group: Guard { group, armed: true },
            pid,
            output: Some(Receiver::from_owned_fd(reader.into())?),
            started,
            ended: None,
        })
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Follows the command to its end, which comes within 3.5 s of the timeout or of the cancellation.
    ///
    /// The sink gets the bytes as they arrive and holds up the command while it is busy.
    pub async fn finish(
        mut self,
        timeout: Duration,
        cancel: &CancellationToken,
        mut sink: impl FnMut(&[u8]) + Send,
    ) -> CommandOutcome {
        let mut buffer = vec![0; BUFFER];
        let mut reading = OutputReader {
            command: &mut self,
            buffer: &mut buffer,
            sink: &mut sink,
        };
        let reason = reading.follow(timeout, cancel).await;
        let left_behind = match reason {
            StopReason::ShellEnded => reading.clear_up().await,
            StopReason::TimedOut | StopReason::Cancelled => {
                reading.stop().await;
                false
            }
        };
        self.group.armed = false;
        let status = self.ended.and_then(|ended| ended.status);
        let end = self.ended.map_or_else(Instant::now, |ended| ended.at);
        CommandOutcome {
            exit: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            timed_out: reason == StopReason::TimedOut,
            cancelled: reason == StopReason::Cancelled,
            left_behind,
            duration: end - self.started,
            pid: self.pid,
        }
    }

    /// Waits for the shell; never ends once it has.
    async fn wait(leader: &mut Leader, ended: Option<ShellExit>) -> io::Result<ExitStatus> {
        match ended {
            None => leader.wait().await,
            Some(_) => std::future::pending().await,
        }
    }

    /// Waits for output; never ends once it was closed.
    async fn read(output: &mut Option<Receiver>, buffer: &mut [u8]) -> io::Result<usize> {
        match output {
            Some(output) => output.read(buffer).await,
            None => std::future::pending().await,
        }
    }
}

/// A command together with where its output goes.
struct OutputReader<'a, F> {
    command: &'a mut RunningCommand,
    buffer: &'a mut [u8],
    sink: &'a mut F,
}

impl<F: FnMut(&[u8]) + Send> OutputReader<'_, F> {
    /// Until the shell has ended or may not go on.
    async fn follow(&mut self, timeout: Duration, cancel: &CancellationToken) -> StopReason {
        // A timeout beyond what the clock can say is none.
        let deadline = self.command.started.checked_add(timeout);
        let expired = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(expired);
        while self.command.ended.is_none() {
            tokio::select! {
                () = &mut expired => return StopReason::TimedOut,
                () = cancel.cancelled() => return StopReason::Cancelled,
                () = self.step() => {}
            }
        }
        StopReason::ShellEnded
    }

    /// Ends the processes that the shell has left when it ended by itself; returns true if there were any.
    async fn clear_up(&mut self) -> bool {
        if self.rest(DRAIN).await == GroupStatus::Gone {
            return false;
        }
        let group = self.command.group.group;
        if group.is_alive() {
            group.terminate();
            self.rest(LEFTOVER_PATIENCE).await;
            if group.is_alive() {
                group.kill();
            }
        }
        true
    }

    /// Stops the command: politely, and then not.
    async fn stop(&mut self) {
        let group = self.command.group.group;
        group.terminate();
        if self.rest(KILL_AFTER).await == GroupStatus::Gone {
            return;
        }
        if self.command.ended.is_none() || group.is_alive() {
            group.kill();
            self.rest(KILL_PATIENCE).await;
        }
    }

    /// Reads on until everything has ended, for this long at most, and for [`DRAIN`] at most once no process of the
    /// group is left: then somebody outside it holds the pipe.
    async fn rest(&mut self, patience: Duration) -> GroupStatus {
        let mut deadline = Instant::now() + patience;
        let (mut pause, longest_pause) = LOOK_AGAIN;
        loop {
            if let Some(ended) = self.command.ended
                && !self.command.group.group.is_alive()
            {
                if self.command.output.is_none() {
                    return GroupStatus::Gone;
                }
                deadline = deadline.min(ended.at + DRAIN);
            }
            tokio::select! {
                biased;
                () = self.step() => {}
                () = sleep(pause), if self.command.ended.is_some() => pause = longest_pause.min(pause * 2),
                () = sleep_until(deadline) => return GroupStatus::Remains,
            }
            if Instant::now() >= deadline {
                return GroupStatus::Remains;
            }
        }
    }

    /// Takes the next piece of output or the shell's end, whichever is there first.
    async fn step(&mut self) {
        let RunningCommand {
            leader,
            output,
            ended,
            ..
        } = &mut *self.command;
        tokio::select! {
            read = RunningCommand::read(output, self.buffer) => match read {
                Ok(read @ 1..) => (self.sink)(&self.buffer[..read]),
                Ok(0) => *output = None,
                Err(error) => {
                    tracing::warn!(%error, "the output of a command could not be read");
                    *output = None;
                }
            },
            status = RunningCommand::wait(leader, *ended) => {
                let status = status
                    .inspect_err(|error| tracing::warn!(%error, "the end of a command could not be seen"));
                *ended = Some(ShellExit { status: status.ok(), at: Instant::now() });
            }
        }
    }
}

/// Kills the group when the command is dropped before its end.
#[derive(Debug)]
struct Guard {
    group: Group,
    armed: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.armed {
            self.group.kill();
        }
    }
}

#[cfg(test)]
mod tests;
