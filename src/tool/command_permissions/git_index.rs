//! Judgement of all the names in an index at once.
//!
//! `git diff` of the work tree shows nothing that the index does not name. Where every name in it may be read, git need
//! not say which of them have changed; and for as long as the index and the rules are the same, nothing is judged again.
//! Names are judged by their letters, without a look at the files, so that nothing in the work tree decides.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::CommandContext;
use super::git_query::GitQuery;
use crate::permission::{Permissions, ReadGate};
use crate::process::git::{GitAnswer, Repository};

/// Indexes whose judgement is kept.
const MAX_KEPT: usize = 4;
/// To judge a larger index (some 20,000 names) takes longer than to ask git twice what has changed.
const MAX_INDEX_BYTES: u64 = 2 << 20;

/// Judgements of the last indexes, newest first.
#[derive(Debug, Default)]
pub struct JudgedIndexes {
    kept: Mutex<VecDeque<JudgedIndex>>,
}

#[derive(Debug)]
struct JudgedIndex {
    /// Both are held, so that no other takes the place by which they are known.
    names: Arc<GitAnswer>,
    permissions: Arc<Permissions>,
    is_readable: bool,
}

impl CommandContext<'_> {
    /// Returns true if `read` would show every file that the index names without asking. False also where that cannot be
    /// said, or not soon.
    pub(super) fn index_is_readable(&self, git: &GitQuery<'_>, repository: &Repository) -> bool {
        let Some(top) = &repository.top else { return false };
        let index = repository.git_dir.join("index").metadata();
        if index.is_ok_and(|index| index.len() > MAX_INDEX_BYTES) {
            return false;
        }
        let Some(names) = git.at(top.clone()).and_then(|git| git.index()) else {
            return false;
        };
        let gate = self.services.gate.readable();
        let index = IndexNames {
            gate: &gate,
            top,
            display: match self.services.roots.display(top).as_str() {
                "." => String::new(),
                top => format!("{top}/"),
            },
        };
        let judged = &self.services.tree.judged_indexes;
        judged.is_readable(names, &gate, |name| index.is_readable(name))
    }
}

/// The names of one index.
struct IndexNames<'a> {
    gate: &'a ReadGate,
    top: &'a Path,
    /// The beginning of a path as rules see it.
    display: String,
}

impl IndexNames<'_> {
    fn is_readable(&self, name: &[u8]) -> bool {
        let name = String::from_utf8_lossy(name);
        if name.split('/').any(|part| matches!(part, "" | "." | "..")) {
            // No name that git would write.
            return false;
        }
        let path = self.top.join(&*name);
        let (display, whole) = (format!("{}{name}", self.display), path.to_string_lossy());
        // Where a link leads elsewhere, the rules for names in the project do not count.
        self.gate.allows(&display, &path) && (display == whole || self.gate.allows(&whole, &path))
    }
}

impl JudgedIndexes {
    fn is_readable(
        &self,
        names: Arc<GitAnswer>,
        gate: &ReadGate,
        is_readable: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let is_same = |judged: &JudgedIndex| {
            Arc::ptr_eq(&judged.names, &names) && Arc::ptr_eq(&judged.permissions, gate.permissions())
        };
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(judged) = kept().iter().find(|judged| is_same(judged)) {
            return judged.is_readable;
        }
        let all = names.stdout.bytes.split(|byte| *byte == 0);
        let is_readable = all.filter(|name| !name.is_empty()).all(is_readable);
        let mut kept = kept();
        kept.truncate(MAX_KEPT - 1);
        kept.push_front(JudgedIndex {
            names,
            permissions: Arc::clone(gate.permissions()),
            is_readable,
        });
        is_readable
    }
}
