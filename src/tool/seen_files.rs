//! Files that a conversation has seen: the record behind "read before edit", and instruction files, each shown once.
//!
//! A file that a call reads is in the conversation as soon as the call has its result, so it is noted at once. A file
//! that goes with a person's message is read before the message is sent, and that may never happen: what was read is
//! put aside until it does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::SessionServices;
use crate::store::StoreError;

/// Files that were read and are not noted yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFiles {
    /// Each with the hash that it had.
    files: Vec<(PathBuf, String)>,
    /// Names of the encodings in which they were read.
    #[serde(default)]
    encodings: BTreeMap<PathBuf, String>,
    instructions: Vec<PathBuf>,
}

impl SeenFiles {
    /// Notes it: the conversation has it now.
    pub fn note(&self, services: &SessionServices) -> Result<(), StoreError> {
        for path in &self.instructions {
            insert_instructions(services, path);
        }
        for (path, hash) in &self.files {
            let encoding = self.encodings.get(path).map(String::as_str);
            let store = &services.tree.store;
            store.record_read(&services.session, path, hash, encoding)?;
        }
        Ok(())
    }
}

/// When a call notes what it has read.
#[derive(Debug, Clone, Default)]
pub enum NoteTime {
    #[default]
    AtOnce,
    /// Whoever has this notes it, or does not.
    Later(Arc<Mutex<SeenFiles>>),
}

impl NoteTime {
    pub fn later() -> Self {
        Self::Later(Arc::default())
    }

    /// Returns what was put aside.
    pub fn take(&self) -> SeenFiles {
        match self {
            Self::AtOnce => SeenFiles::default(),
            Self::Later(seen) => std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Notes a file with the hash of its content and, for text, the name of its encoding.
    pub(super) fn file(
        &self,
        path: &Path,
        hash: &str,
        encoding: Option<&str>,
        services: &SessionServices,
    ) -> Result<(), StoreError> {
        match self {
            Self::AtOnce => {
                let store = &services.tree.store;
                store.record_read(&services.session, path, hash, encoding)
            }
            Self::Later(seen) => {
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.files.push((path.to_owned(), hash.to_owned()));
                if let Some(encoding) = encoding {
                    seen.encodings.insert(path.to_owned(), encoding.to_owned());
                }
                Ok(())
            }
        }
    }

    /// Says whether the conversation has not seen these instructions; it has now.
    pub(super) fn instructions(&self, path: &Path, services: &SessionServices) -> bool {
        let Self::Later(seen) = self else {
            return insert_instructions(services, path);
        };
        let known = services.instructions.lock();
        if known.unwrap_or_else(PoisonError::into_inner).contains(path) {
            return false;
        }
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !seen.instructions.iter().any(|seen| seen == path);
        if is_new {
            seen.instructions.push(path.to_owned());
        }
        is_new
    }
}

fn insert_instructions(services: &SessionServices, path: &Path) -> bool {
    let known = services.instructions.lock();
    known
        .unwrap_or_else(PoisonError::into_inner)
        .insert(path.to_owned())
}
