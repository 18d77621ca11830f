//! A shell command in a terminal: started as every other command, with the terminal in place of pipes.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::sync::{Arc, Weak};

use super::own_binary;
use super::pty::{ChildStreams, PtySize, Terminal, TerminalExit, control};
use super::screen::ScreenSettings;
use super::spawn::{ShellCommand, SpawnError};
use super::start::Leader;
use super::start_request::{Start, Streams};

impl ShellCommand {
    /// Starts the command in a terminal of its own. The observer is called after each change of the terminal; see
    /// [`Terminal::open`]. Must be called within a runtime, which has to go on for the end of the command to be seen.
    pub fn spawn_in_terminal(
        &self,
        size: PtySize,
        observer: impl Fn() + Send + Sync + 'static,
    ) -> Result<Arc<Terminal>, SpawnError> {
        if self.command.contains('\0') {
            return Err(SpawnError::Nul);
        }
        self.start_in_terminal(size, observer)
            .map_err(|error| self.explain(error))
    }

    fn start_in_terminal(
        &self,
        size: PtySize,
        observer: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Arc<Terminal>> {
        let (terminal, streams) = Terminal::open(size, ScreenSettings::default(), observer)?;
        let shell = self.shell.program().to_owned();
        let start = Start {
            program: own_binary::program()?,
            arguments: control::arguments(shell.into(), self.shell.arguments(&self.command)),
            cwd: self.cwd.clone(),
            environment: self.environment.clone(),
            confinement: self.confinement.clone(),
        };
        let ChildStreams {
            stdin,
            stdout,
            stderr,
        } = streams;
        let (leader, pid) = start.start(Streams {
            stdin,
            stdout,
            stderr,
        })?;
        terminal.started(pid);
        let terminal = Arc::new(terminal);
        tokio::spawn(note_end(leader, Arc::downgrade(&terminal)));
        Ok(terminal)
    }
}

/// Waits for the end of the program and notes it, unless the terminal is gone by then.
async fn note_end(mut leader: Leader, terminal: Weak<Terminal>) {
    let status = leader
        .wait()
        .await
        .inspect_err(|error| tracing::warn!(%error, "the end of a terminal's program could not be seen"));
    if let Some(terminal) = terminal.upgrade() {
        terminal.ended(TerminalExit {
            code: status.as_ref().ok().and_then(std::process::ExitStatus::code),
            signal: status.as_ref().ok().and_then(ExitStatusExt::signal),
        });
    }
}
