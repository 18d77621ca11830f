//! The terminals of a session tree: programs that keep running between calls, each with a name.
//!
//! They belong to the tree, so agents of its tasks see the same ones, and need no front end. When the tree is closed all of
//! them are ended; after a crash the keeper of `process` does it.

mod typed_line;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::process::pty::{PtySize, Terminal, end_all};
use crate::process::{ShellCommand, SpawnError};

pub use typed_line::{CompletedLine, TypedLine};

/// Maximum number of live terminals in a tree.
const MAX_LIVE: usize = 8;
/// Maximum number of ended terminals whose last screen is kept.
const MAX_ENDED: usize = 8;

/// The terminals of a tree, in the order in which they were started.
#[derive(Debug, Default)]
pub struct Terminals(Mutex<TerminalTable>);

#[derive(Debug, Default)]
struct TerminalTable {
    sessions: Vec<Arc<TerminalSession>>,
    is_closed: bool,
}

/// One terminal with its name.
#[derive(Debug)]
pub struct TerminalSession {
    pub name: String,
    /// As the person and the model know it.
    pub command: String,
    /// The directory that it was started in.
    pub directory: PathBuf,
    pub terminal: Arc<Terminal>,
    changed: Arc<Notify>,
    typed: Mutex<TypedLine>,
}

/// Reason why a terminal was not started.
#[derive(Debug, thiserror::Error)]
pub enum TerminalStartError {
    #[error("a terminal `{}` runs already", .0.name)]
    Exists(Arc<TerminalSession>),
    #[error("{MAX_LIVE} terminals run already, which is the limit")]
    Limit,
    #[error("the session is being closed")]
    Closing,
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

impl Terminals {
    /// Starts a command in a terminal of this name. Must be called within a runtime.
    pub fn start(
        &self,
        name: &str,
        shown: &str,
        command: &ShellCommand,
        size: PtySize,
    ) -> Result<Arc<TerminalSession>, TerminalStartError> {
        let mut table = self.lock();
        if table.is_closed {
            return Err(TerminalStartError::Closing);
        }
        if let Some(live) = table.live().find(|session| session.name == name) {
            return Err(TerminalStartError::Exists(Arc::clone(live)));
        }
        if table.live().count() >= MAX_LIVE {
            return Err(TerminalStartError::Limit);
        }
        let changed = Arc::new(Notify::new());
        let observer = Arc::clone(&changed);
        let terminal = command.spawn_in_terminal(size, move || observer.notify_one())?;
        let session = Arc::new(TerminalSession {
            name: name.to_owned(),
            command: shown.to_owned(),
            directory: command.cwd.clone(),
            terminal,
            changed,
            typed: Mutex::default(),
        });
        table.sessions.retain(|ended| ended.name != name);
        table.sessions.push(Arc::clone(&session));
        table.forget_oldest();
        Ok(session)
    }

    /// Returns the terminal of this name, live or ended.
    pub fn find(&self, name: &str) -> Option<Arc<TerminalSession>> {
        let table = self.lock();
        table
            .sessions
            .iter()
            .find(|session| session.name == name)
            .cloned()
    }

    /// Returns all terminals, live and ended.
    pub fn all(&self) -> Vec<Arc<TerminalSession>> {
        self.lock().sessions.clone()
    }

    /// Returns the names of the live ones.
    pub fn live_names(&self) -> Vec<String> {
        self.lock().live().map(|session| session.name.clone()).collect()
    }

    /// Ends everything in the terminal and forgets it. Takes 3.5 s at most.
    pub async fn stop(&self, session: Arc<TerminalSession>) {
        self.lock().sessions.retain(|other| !Arc::ptr_eq(other, &session));
        end(vec![session]).await;
    }

    /// Ends all terminals. Takes 3.5 s at most.
    pub async fn stop_all(&self) {
        let sessions = std::mem::take(&mut self.lock().sessions);
        end(sessions).await;
    }

    /// Ends all terminals and starts none from now on.
    pub async fn close(&self) {
        self.lock().is_closed = true;
        self.stop_all().await;
    }

    fn lock(&self) -> MutexGuard<'_, TerminalTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn end(sessions: Vec<Arc<TerminalSession>>) {
    if sessions.is_empty() {
        return;
    }
    let ended = tokio::task::spawn_blocking(move || {
        let processes: Vec<_> = sessions
            .iter()
            .map(|session| session.terminal.processes())
            .collect();
        end_all(&processes);
    });
    if let Err(error) = ended.await {
        tracing::error!(%error, "the programs of terminals could not be ended");
    }
}

impl TerminalTable {
    fn live(&self) -> impl Iterator<Item = &Arc<TerminalSession>> {
        self.sessions.iter().filter(|session| session.is_live())
    }

    fn forget_oldest(&mut self) {
        let ended = self.sessions.iter().filter(|session| !session.is_live()).count();
        let mut surplus = ended.saturating_sub(MAX_ENDED);
        self.sessions.retain(|session| {
            let is_forgotten = surplus > 0 && !session.is_live();
            surplus -= usize::from(is_forgotten);
            !is_forgotten
        });
    }
}

impl TerminalSession {
    /// Returns true until the program has ended.
    pub fn is_live(&self) -> bool {
        self.terminal.exit().is_none()
    }

    /// Waits for the next change of the terminal since the last wait.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// The line that is being typed.
    pub fn typed_line(&self) -> MutexGuard<'_, TypedLine> {
        self.typed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
