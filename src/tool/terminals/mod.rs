//! The terminals of a session tree: programs that keep running between calls, each with a name.
//!
//! They belong to the tree, so agents of its tasks see the same ones, and need no front end. When the tree is closed all of
//! them are ended; after a crash the keeper of `process` does it. Those that the person started are in the same table, and
//! agents know nothing of them until the person hands them over: what is for agents takes the shared ones alone.

mod recipient;
mod session;
mod start;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::conversation::{TerminalOwner, TerminalRow};
use crate::process::pty::{ProcessList, PtySize, end_all};
use crate::process::{ShellCommand, SpawnError};

pub use recipient::{Recipient, ShellGrammar, ShellPrompt, TypedProgram};
pub use session::TerminalSession;
pub use start::{StartOwnError, user_shell};

/// Maximum number of live terminals of each owner in a tree.
const MAX_LIVE: usize = 8;
/// Maximum number of ended terminals whose last screen is kept.
const MAX_ENDED: usize = 8;

/// The terminals of a tree, in the order in which they were started.
#[derive(Debug)]
pub struct Terminals {
    table: Mutex<TerminalTable>,
    /// Changed with everything that a row tells.
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct TerminalTable {
    sessions: Vec<Arc<TerminalSession>>,
    is_closed: bool,
}

/// Reason why a terminal was not started.
#[derive(Debug, thiserror::Error)]
pub enum TerminalStartError {
    #[error("a terminal `{}` runs already", .0.name())]
    Exists(Arc<TerminalSession>),
    #[error("{MAX_LIVE} terminals run already, which is the limit")]
    Limit,
    #[error("the session is being closed")]
    Closing,
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

impl Default for Terminals {
    fn default() -> Self {
        Self {
            table: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

impl Terminals {
    /// Starts a command in a shared terminal of this name. Must be called within a runtime.
    pub fn start(
        &self,
        name: &str,
        shown: &str,
        command: &ShellCommand,
        size: PtySize,
    ) -> Result<Arc<TerminalSession>, TerminalStartError> {
        self.start_for(TerminalOwner::Shared, |_| name.to_owned(), shown, command, size)
    }

    fn start_for(
        &self,
        owner: TerminalOwner,
        name: impl FnOnce(&TerminalTable) -> String,
        shown: &str,
        command: &ShellCommand,
        size: PtySize,
    ) -> Result<Arc<TerminalSession>, TerminalStartError> {
        let mut table = self.lock();
        if table.is_closed {
            return Err(TerminalStartError::Closing);
        }
        let name = name(&table);
        if let Some(live) = table.live().find(|session| session.name() == name) {
            return Err(TerminalStartError::Exists(Arc::clone(live)));
        }
        if table.live().filter(|session| session.owner() == owner).count() >= MAX_LIVE {
            return Err(TerminalStartError::Limit);
        }
        let changed = watch::Sender::new(());
        let (own, all) = (changed.clone(), self.changed.clone());
        let terminal = command.spawn_in_terminal(size, move || {
            own.send_replace(());
            all.send_replace(());
        })?;
        let session = TerminalSession::new(&name, shown, owner, command.cwd.clone(), terminal, changed);
        let session = Arc::new(session);
        table.sessions.retain(|ended| ended.name() != name);
        table.sessions.push(Arc::clone(&session));
        table.forget_oldest();
        drop(table);
        self.changed.send_replace(());
        Ok(session)
    }

    /// Returns the shared terminal of this name, live or ended.
    pub fn find(&self, name: &str) -> Option<Arc<TerminalSession>> {
        self.find_any(name).filter(|session| session.is_shared())
    }

    /// Returns the terminal of this name, the person's own as well.
    pub fn find_any(&self, name: &str) -> Option<Arc<TerminalSession>> {
        let table = self.lock();
        table
            .sessions
            .iter()
            .find(|session| session.name() == name)
            .cloned()
    }

    /// Returns all shared terminals, live and ended.
    pub fn all(&self) -> Vec<Arc<TerminalSession>> {
        let sessions = &self.lock().sessions;
        sessions
            .iter()
            .filter(|session| session.is_shared())
            .cloned()
            .collect()
    }

    /// Returns the names of the live shared ones.
    pub fn live_names(&self) -> Vec<String> {
        let table = self.lock();
        let shared = table.live().filter(|session| session.is_shared());
        shared.map(|session| session.name()).collect()
    }

    /// Returns a row for each terminal, the person's own as well. Asks the kernel about each.
    pub fn rows(&self) -> Vec<TerminalRow> {
        let sessions = self.lock().sessions.clone();
        let processes = ProcessList::default();
        sessions.iter().map(|session| session.row(&processes)).collect()
    }

    /// Returns true if a program runs in one of them, the person's own as well.
    pub fn has_live(&self) -> bool {
        self.lock().live().next().is_some()
    }

    /// Returns a receiver of changes: output, an end, a start, and whatever else a row tells.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Notes that something which a row tells is another one.
    pub fn note_change(&self) {
        self.changed.send_replace(());
    }

    /// Ends everything in the terminal and forgets it. Takes 3.5 s at most.
    pub async fn stop(&self, session: Arc<TerminalSession>) {
        self.lock().sessions.retain(|other| !Arc::ptr_eq(other, &session));
        end(vec![session]).await;
        self.note_change();
    }

    /// Ends all shared terminals. Takes 3.5 s at most.
    pub async fn stop_all(&self) {
        let shared: Vec<_> = self
            .lock()
            .sessions
            .extract_if(.., |session| session.is_shared())
            .collect();
        end(shared).await;
        self.note_change();
    }

    /// Ends all terminals and starts none from now on.
    pub async fn close(&self) {
        let sessions = {
            let mut table = self.lock();
            table.is_closed = true;
            std::mem::take(&mut table.sessions)
        };
        end(sessions).await;
        self.note_change();
    }

    fn lock(&self) -> MutexGuard<'_, TerminalTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
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
