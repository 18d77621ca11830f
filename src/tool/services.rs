//! Services that calls reach, in two scopes: those of a session tree and those of one session.
//!
//! A session has its own rules, directory and environment. What has to be one for all sessions of a tree (locks of files,
//! the queue of questions, the store) is in [`TreeServices`].

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use super::walk::SearchThreads;
use super::{Delegation, Gate, Gates, JudgedIndexes, ProtectedNames, Terminals, ToolSettings};
use crate::conversation::SessionId;
use crate::files::{ChangeLog, PathLocks, Roots, Transaction};
use crate::hook::Hooks;
use crate::journal::{CommandWatch, Journal, SessionLog};
use crate::permission::DelegatedTask;
use crate::process::git::RepositoryCache;
use crate::process::{Scratch, Support};
use crate::question::Questions;
use crate::store::{Outputs, Store, StoreError};

/// Services that all sessions of a tree share.
pub struct TreeServices {
    pub locks: PathLocks,
    pub store: Store,
    pub disk: DiskStore,
    /// The directory of the records that a multi-file change writes before it begins.
    pub records_dir: PathBuf,
    /// Whole outputs that are too long for the model.
    pub outputs: Outputs,
    pub questions: Questions,
    pub gates: Arc<Gates>,
    /// The directory for temporary files of commands.
    pub scratch: Scratch,
    /// Restrictions that the kernel can put on commands.
    pub kernel: Support,
    /// Git's answers about the directories that commands run in.
    pub repositories: RepositoryCache,
    pub judged_indexes: JudgedIndexes,
    /// True once the user was told that there is no sandbox for planning.
    pub told_of_no_sandbox: AtomicBool,
    /// How many threads may search at once.
    pub search_threads: SearchThreads,
    pub hooks: Hooks,
    /// Programs in terminals, which keep running between calls.
    pub terminals: Terminals,
    /// Contents of files before they are changed; `None` where nothing is kept: for a single call.
    pub journal: Option<Journal>,
    /// Runs tasks; nobody does for a single call.
    pub delegation: OnceLock<Arc<dyn Delegation>>,
}

impl TreeServices {
    /// Makes services that keep their files in the directory `data`.
    pub fn new(data: &Path, store: Store, questions: Questions, hooks: Hooks) -> Self {
        Self {
            locks: PathLocks::new(),
            store,
            disk: DiskStore::new(data),
            records_dir: records_dir(data),
            outputs: Outputs::new(data),
            questions,
            gates: Arc::default(),
            scratch: Scratch::new(),
            kernel: Support::of_kernel(),
            repositories: RepositoryCache::default(),
            judged_indexes: JudgedIndexes::default(),
            told_of_no_sandbox: AtomicBool::new(false),
            search_threads: SearchThreads::default(),
            hooks,
            terminals: Terminals::default(),
            journal: None,
            delegation: OnceLock::new(),
        }
    }
}

/// The database of all sessions and task boards, opened when a call first needs it: the session of a single call is in
/// memory alone, and what the call is about is not.
pub struct DiskStore {
    data: PathBuf,
    opened: OnceLock<Store>,
}

impl DiskStore {
    fn new(data: &Path) -> Self {
        Self {
            data: data.to_owned(),
            opened: OnceLock::new(),
        }
    }

    /// Blocks, and makes the database where there is none.
    pub(super) fn open(&self) -> Result<&Store, StoreError> {
        if let Some(store) = self.opened.get() {
            return Ok(store);
        }
        let store = Store::open(&self.data)?;
        Ok(self.opened.get_or_init(|| store))
    }
}

/// Returns the directory where changes of several files write down what they are about to do, in that of lathe's data.
pub fn records_dir(data: &Path) -> PathBuf {
    data.join("transactions")
}

/// Services of one session.
pub struct SessionServices {
    pub tree: Arc<TreeServices>,
    pub session: SessionId,
    pub settings: ToolSettings,
    pub roots: Roots,
    /// Instruction files that this conversation has seen.
    pub instructions: Mutex<HashSet<PathBuf>>,
    /// The environment of commands, scrubbed.
    pub environment: Vec<(OsString, OsString)>,
    /// The environment of programs in terminals, scrubbed.
    pub terminal_environment: Vec<(OsString, OsString)>,
    pub gate: Arc<Gate>,
    /// The agent that started the session of a task, and the purpose.
    pub delegated: Option<DelegatedTask>,
    /// Protected names that are there, so that those which a command creates are known as new.
    pub protected_names: ProtectedNames,
    /// Enters what the session changes in the journal of its tree. `None` where nothing is kept: for a single call, and
    /// in a repository of a task's own.
    pub log: Option<Arc<SessionLog>>,
}

impl SessionServices {
    /// Begins a change of project files that is entered in the journal.
    pub fn transaction(&self) -> Transaction {
        let log = self.log.clone().map(|log| log as Arc<dyn ChangeLog>);
        Transaction::new(&self.tree.records_dir, self.roots.project_root()).logged(log)
    }

    /// Looks at the project before a command, where there is a journal for what that changes.
    pub(super) fn watch_files(&self) -> Option<CommandWatch> {
        let log = self.log.as_ref()?;
        let watch = CommandWatch::begin(log, self.roots.project_root(), &self.gate.readable());
        // A command runs without it as well: its changes cannot be undone then.
        watch
            .inspect_err(
                |error| tracing::warn!(%error, "what a command changes is not entered in the journal"),
            )
            .ok()
    }

    /// Enters what has changed since.
    pub(super) fn enter_changed_files(&self, watch: CommandWatch) {
        let Some(log) = &self.log else { return };
        match watch.end(log, self.roots.project_root(), &self.gate.readable()) {
            Ok(changed) => self.protected_names.note_written(&changed),
            Err(error) => tracing::warn!(%error, "what a command changed was not entered in the journal"),
        }
    }

    /// A variable of the environment that commands are given.
    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// Returns the project that the session is about. A task may work in a repository of its own, and is about the project
    /// all the same.
    pub(super) fn project(&self) -> Result<PathBuf, StoreError> {
        let of_task = match self.delegated {
            Some(_) => self.tree.store.get(&self.session)?.map(|row| row.project),
            None => None,
        };
        Ok(of_task.unwrap_or_else(|| self.roots.project_root().to_owned()))
    }
}

#[cfg(test)]
mod tests;
