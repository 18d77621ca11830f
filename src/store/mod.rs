//! The store: sessions with their messages and parts, todos, read records, grants, drafts, the task boards of projects and
//! the projects that are trusted.
//!
//! One SQLite database in the data directory, shared by all lathe processes of a user; one connection in each. A
//! [`Store`] is cheap to clone; its methods block, for well under a millisecond as a rule, and async callers use
//! `spawn_blocking`. [`Store::write`] makes a boundary of the conversation one commit. After `kill -9` nothing that a
//! method returned from is lost.
//!
//! The history of the composer is in a file of its own, in the state directory: [`Prompts`].
//!
//! Beside the database lie [`outputs`], the full texts of cut tool results, [`Blobs`], earlier contents of files, and
//! [`locks`], which say what process owns a session tree. The store decides nothing: who may write a session is the lock's holder's business.
//!
//! ```text
//! let store = Store::open(&data_dir)?;
//! store.create(&NewSession { id: session.clone(), parent: None, project, directory, agent, model, title })?;
//! store.write(&session, &[Change::Message(head), Change::Part { message, part }])?;
//! let messages = store.load(&session)?;
//! ```

mod blob;
mod column;
mod drafts;
mod error;
mod fork;
mod journal;
pub mod locks;
mod messages;
mod opencode;
pub mod outputs;
mod permissions;
mod places;
mod private;
mod prompts;
mod reads;
mod relocation;
mod requests;
mod schema;
mod search;
mod session_facts;
mod sessions;
mod statement;
mod stored_part;
mod task_board;
mod tasks;
mod todos;
mod told_notices;
mod trust;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, TransactionBehavior};

pub use blob::{Blobs, StoredBlob};
pub use drafts::DraftKey;
pub use error::StoreError;
pub use fork::Fork;
pub use journal::{
    ChangeOrigin, FileImage, JournalFile, JournalRow, NewJournalChange, StoredPath, StoredUndo, Surroundings,
    UndoDirection, UndoRecord, UndoneFile,
};
pub use locks::{LockError, SessionLock};
pub use messages::{InterruptedCounts, MessageChange};
pub use opencode::{OpencodeRow, read_opencode_session};
pub use outputs::{OutputFile, Outputs};
pub use permissions::{Grant, GrantOrigin, GrantScope};
pub use prompts::{Prompt, Prompts};
pub use relocation::Relocation;
pub use requests::{PaidRequest, Spender, Spending};
pub use search::{FoundText, Hit, SearchScope, TextMatch};
pub use session_facts::SessionFacts;
pub use sessions::{NewSession, SessionMarks, SessionRow};
pub use task_board::{BoardError, BoardItemChange, ChangedBoardItem, NewBoardItem};
pub use told_notices::ToldNotices;
pub use trust::{TrustRow, TrustedPlace};

/// The database. Clones share one connection.
#[derive(Debug, Clone)]
pub struct Store {
    connection: Arc<Mutex<Connection>>,
}

impl Store {
    /// Opens the database of `data_dir`, and makes the directory and the database when they are missing.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        Ok(Self::over(schema::open(data_dir)?))
    }

    /// Opens the database of `data_dir` if there is one, and makes nothing.
    pub fn open_existing(data_dir: &Path) -> Result<Option<Self>, StoreError> {
        if database_path(data_dir).exists() {
            return Self::open(data_dir).map(Some);
        }
        Ok(None)
    }

    /// Makes a store that is gone with the last clone.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::over(schema::open_in_memory()?))
    }

    fn over(connection: Connection) -> Self {
        Self {
            connection: Arc::new(Mutex::new(connection)),
        }
    }

    /// Lends the connection. A panic of another holder left no half transaction: SQLite rolled it back.
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if no other process holds the database at the moment. Does not wait.
    pub fn is_free(&self) -> Result<bool, StoreError> {
        let connection = self.connection();
        connection.busy_timeout(Duration::ZERO)?;
        let tried = connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK");
        connection.busy_timeout(schema::BUSY_TIMEOUT)?;
        match tried.map_err(StoreError::from) {
            Err(StoreError::Locked) => Ok(false),
            tried => tried.map(|()| true),
        }
    }

    /// Runs `work` as one commit. It takes the write lock at once: a read that turns into a write later could be
    /// refused without waiting.
    fn transact<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.connection();
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(StoreError::from)?;
        let done = work(&transaction)?;
        transaction.commit().map_err(StoreError::from)?;
        Ok(done)
    }
}

/// Milliseconds since the Unix epoch.
fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}

/// Returns a path as a column holds it. A path that is not Unicode is kept as it is shown.
fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn database_path(data_dir: &Path) -> PathBuf {
    data_dir.join("lathe.db")
}

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;
