//! Removes sessions that are too old, and announces those that will be removed (`retention.rs` says when).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::retention::{LastWritten, NOTICE, now};
use super::stored::{ListedSession, StoredSessions};
use crate::session::ErrorReport;
use crate::store::{SessionRow, StoreError};

/// Counts of the sessions that are too old.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldSessions {
    /// They will be removed.
    pub announced: usize,
    pub removed: usize,
    /// How long sessions are kept after their last message.
    pub kept_for: Duration,
}

impl StoredSessions {
    /// Removes the sessions that are too old and were announced a day ago, and announces the others that are too old.
    pub fn remove_old(&self, kept_for: Duration) -> Result<OldSessions, ErrorReport> {
        let mut old = OldSessions {
            kept_for,
            ..OldSessions::default()
        };
        let (mut announced, mut anew) = (Vec::new(), Vec::new());
        for listed in self.list(Some(kept_for))? {
            match listed.removed_in {
                Some(left) if left.is_zero() && self.remove_if_old(&listed, kept_for) => old.removed += 1,
                Some(left) if left < NOTICE => announced.push(listed.row.id),
                Some(NOTICE) => anew.push(listed.row.id),
                // Those that are not old yet have more time than that.
                _ => {}
            }
        }
        self.store.announce_removal(&announced, &anew)?;
        old.announced = announced.len() + anew.len();
        Ok(old)
    }

    /// Removes a session if it is open nowhere and still as old as it was listed.
    fn remove_if_old(&self, listed: &ListedSession, kept_for: Duration) -> bool {
        let removed = self.lock(&listed.row.id, "removed").and_then(|_lock| {
            let row = self.store.get(&listed.row.id)?;
            let is_old = match &row {
                Some(row) => !row.marks.pinned && self.is_old(row, kept_for)?,
                None => false,
            };
            if is_old {
                self.remove(&listed.row.id)?;
            }
            Ok(is_old)
        });
        removed.unwrap_or_else(|error| {
            tracing::warn!(error = error.message, "an old session stays for now");
            false
        })
    }

    fn is_old(&self, row: &SessionRow, kept_for: Duration) -> Result<bool, StoreError> {
        let last = LastWritten::of(&self.store.tree_rows(&row.id)?);
        Ok(!row.marks.pinned && last.idle(&row.id, now()) >= kept_for)
    }
}
