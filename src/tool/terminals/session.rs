//! One terminal with its name, and who may type to it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use crate::conversation::{TerminalInput, TerminalOwner, TerminalRow, TerminalStatus, Typist};
use crate::process::pty::{InputState, InputWait, ProcessList, Terminal, TerminalExit, WriteError, assess};
use crate::tool::SessionServices;
use crate::tool::protected_names::{CommandStart, TouchedNames};

/// A terminal with its name.
#[derive(Debug)]
pub struct TerminalSession {
    /// As the person and the model know it.
    pub command: String,
    /// The directory that it was started in.
    pub directory: PathBuf,
    pub terminal: Arc<Terminal>,
    changed: watch::Sender<()>,
    state: Mutex<SharedControl>,
    /// Configuration as it was before the program could change it. Dropped with the terminal, it is compared by the next
    /// who reads configuration.
    names: Mutex<Option<CommandStart>>,
}

/// Ownership of a terminal, which changes while its program runs.
#[derive(Debug)]
struct SharedControl {
    name: String,
    owner: TerminalOwner,
    is_exclusive: bool,
    typed_by: Option<Typist>,
    /// Line feeds on the screen when a whole line was last typed for an agent.
    line_feeds: Option<u64>,
}

impl TerminalSession {
    pub(super) fn new(
        name: &str,
        command: &str,
        owner: TerminalOwner,
        directory: PathBuf,
        terminal: Arc<Terminal>,
        changed: watch::Sender<()>,
    ) -> Self {
        Self {
            command: command.to_owned(),
            directory,
            terminal,
            changed,
            state: Mutex::new(SharedControl {
                name: name.to_owned(),
                owner,
                is_exclusive: false,
                typed_by: None,
                line_feeds: None,
            }),
            names: Mutex::default(),
        }
    }

    /// Watches from now on which protected names are created and changed; `began` is the state before.
    pub(in crate::tool) fn watch_names(&self, began: CommandStart) {
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = Some(began);
    }

    /// Returns what was created and changed since it was asked last. Looks at files.
    pub(in crate::tool) fn touched_names(&self, services: &SessionServices) -> TouchedNames {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(began) = names.take() else {
            return TouchedNames::default();
        };
        let touched = services.protected_names.touched_since(began, services);
        *names = self.is_live().then(|| services.protected_names.before(services));
        touched
    }

    /// Its name, which is unique in the tree. One that is handed over gets another.
    pub fn name(&self) -> String {
        self.state().name.clone()
    }

    pub fn owner(&self) -> TerminalOwner {
        self.state().owner
    }

    /// Returns true if agents know of it.
    pub fn is_shared(&self) -> bool {
        self.owner() == TerminalOwner::Shared
    }

    /// Returns true if only the person types and resizes.
    pub fn is_exclusive(&self) -> bool {
        self.state().is_exclusive
    }

    /// Returns true until the program has ended.
    pub fn is_live(&self) -> bool {
        self.terminal.exit().is_none()
    }

    pub fn status(&self) -> TerminalStatus {
        match self.terminal.exit() {
            None => TerminalStatus::Running,
            Some(TerminalExit { code: Some(code), .. }) => TerminalStatus::Exited(code),
            Some(TerminalExit {
                signal: Some(signal), ..
            }) => TerminalStatus::Killed(signal),
            Some(_) => TerminalStatus::Ended,
        }
    }

    /// Returns a receiver of changes of the terminal.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Types for an agent, unless something was typed since the state was looked up. Returns the state by then.
    pub(in crate::tool) fn type_for_agent(
        &self,
        seen: InputState,
        bytes: &[u8],
    ) -> Result<InputState, WriteError> {
        let state = self.terminal.write_after(seen, bytes)?;
        self.note_typist(Typist::Agent);
        Ok(state)
    }

    /// Types a whole line and Enter for an agent: [`Terminal::write_whole_line`].
    pub(in crate::tool) fn type_line_for_agent(
        &self,
        seen: InputState,
        line: &str,
    ) -> Result<(), WriteError> {
        let line_feeds = self.terminal.screen().line_feeds();
        self.terminal.write_whole_line(seen, line)?;
        self.state().line_feeds = Some(line_feeds);
        self.note_typist(Typist::Agent);
        Ok(())
    }

    /// Returns true once the shell has taken the line that was last typed for an agent: it ends a row on the screen then.
    pub(in crate::tool) fn is_line_taken(&self) -> bool {
        let before = self.state().line_feeds;
        before.is_none_or(|before| self.terminal.screen().line_feeds() > before)
    }

    /// Types for the person. Nothing of it is kept.
    pub fn type_for_person(&self, bytes: &[u8]) -> Result<(), WriteError> {
        self.terminal.write(bytes)?;
        self.note_typist(Typist::Person);
        Ok(())
    }

    fn note_typist(&self, typist: Typist) {
        self.state().typed_by = Some(typist);
        self.changed.send_replace(());
    }

    pub fn set_exclusive(&self, is_exclusive: bool) {
        self.state().is_exclusive = is_exclusive;
        self.changed.send_replace(());
    }

    /// Lets agents know of it, under this name. They see the screen as it stands and nothing from before.
    pub(super) fn hand_over(&self, name: String) {
        self.terminal.screen().forget_hidden();
        let mut state = self.state();
        state.name = name;
        state.owner = TerminalOwner::Shared;
    }

    pub(super) fn row(&self, processes: &ProcessList) -> TerminalRow {
        let silence = self.terminal.silence(Instant::now());
        let facts = self.terminal.input_facts_after(silence, processes);
        let waits_for = match facts.map(|facts| assess(facts, silence)) {
            Some(InputWait::Line) => Some(TerminalInput::Line),
            Some(InputWait::Hidden) => Some(TerminalInput::Hidden),
            Some(InputWait::No | InputWait::Maybe) | None => None,
        };
        let title = self.terminal.screen().title().map(str::to_owned);
        let status = self.status();
        let state = self.state();
        TerminalRow {
            name: state.name.clone(),
            command: self.command.clone(),
            owner: state.owner,
            status,
            waits_for: waits_for.filter(|_| status.is_running()),
            typed_by: state.typed_by,
            is_exclusive: state.is_exclusive,
            title,
        }
    }

    fn state(&self) -> MutexGuard<'_, SharedControl> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
