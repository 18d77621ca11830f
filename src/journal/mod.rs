//! The journal of a tree of sessions: what files were before tools and commands changed them, and the way back.
//!
//! [`SessionLog`] enters every transaction of `files` before anything is changed; [`CommandWatch`] finds what a command
//! changed by two bounded looks at the project; [`SessionLog::enter_hook_change`] adds what a hook made of a file that a
//! tool had written. [`Plan`] says what an undo would do to which file, and [`Journal::undo`]
//! does it: the files through one transaction, whose last step is the commit in the database that takes the messages out
//! of the conversation. What a crash interrupts is brought to one of its two ends by [`Journal::settle`].
//!
//! Contents are kept compressed by their hash up to a quota; what the quota or the time takes away cannot be undone, and
//! the plan says so. Nothing here needs git.
//!
//! Everything blocks.

mod apply;
mod command_chain;
mod command_watch;
mod hook_change;
mod image;
mod known_files;
mod plan;
mod quota;
mod record;
mod settle;
mod stamp;
mod walked;

use std::path::Path;
use std::sync::Arc;

pub use apply::UndoError;
pub use command_watch::CommandWatch;
pub use plan::{Plan, PlannedAction, PlannedFile, Refusal};
pub use quota::{JournalLimits, clean};
pub use record::SessionLog;

use self::known_files::KnownFiles;
use crate::conversation::SessionId;
use crate::store::{Blobs, Store};

/// The journal of one tree. Clones share it.
#[derive(Debug, Clone)]
pub struct Journal {
    store: Store,
    blobs: Blobs,
    /// The root of the tree.
    tree: SessionId,
    known: Arc<KnownFiles>,
}

impl Journal {
    /// The journal of the tree with the root `tree`, which has to be stored before anything is entered.
    pub fn new(data: &Path, store: Store, tree: SessionId) -> Self {
        Self {
            store,
            blobs: Blobs::new(data),
            tree,
            known: Arc::default(),
        }
    }
}
