//! The files that a writing call may change: what is asked about them, and the only way to their text.
//!
//! Whatever comes of a writing call tells something of the text that was there: that an edit fits or not, a count of
//! lines, even which key is denied. So `read` is asked about every file that is there, beside `edit`, and for a file that
//! `read` does not simply allow nothing depends on the text before that is answered. [`WritePaths::prepare`] is where both
//! meet: only inside it a file can be opened, and its error is told after the same asks as its success.

use crate::permission::PermissionKey;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::file_encoding::KnownEncoding;
use super::{PathAsk, Prepared, SessionServices, ToolCx, ToolError, path_asks};
use crate::conversation::ErrorKind;
use crate::files::{ContentHash, FileError, PathKind, Resolved, TextFile};
use crate::permission::Ask;
use crate::text::encoding::Encoding;

/// The paths of a writing call. One may come several times, and is asked about once.
#[derive(Default)]
pub(super) struct WritePaths {
    asks: Vec<Ask>,
    /// Those of `asks` for leaving the project.
    outside: Vec<Ask>,
    /// Index in `asks` of each key and subject.
    places: HashMap<(PermissionKey, String), usize>,
    /// Real paths that may be opened.
    real: HashSet<PathBuf>,
}

impl WritePaths {
    /// Makes the paths of a call that changes one file.
    pub(super) fn one(cx: &ToolCx, path: &PathAsk) -> Self {
        let mut paths = Self::default();
        paths.add(cx, path, false);
        paths
    }

    /// Adds a path that the call may write, move or, with `is_deleted`, remove.
    pub(super) fn add(&mut self, cx: &ToolCx, path: &PathAsk, is_deleted: bool) {
        for ask in &path.asks {
            if !self.outside.contains(ask) {
                self.outside.push(ask.clone());
            }
            self.ask(ask.clone());
        }
        for mut ask in path_asks(&PermissionKey::EDIT, &path.resolved) {
            ask.destructive |= is_deleted;
            self.ask(ask);
        }
        for ask in cx.services.protected_asks(&path.resolved) {
            self.ask(ask);
        }
        // A file that is not there yet has no text to tell of.
        if path.resolved.kind != PathKind::Missing {
            for ask in path_asks(&PermissionKey::READ, &path.resolved) {
                self.ask(ask);
            }
        }
        self.real.insert(path.resolved.real.clone());
    }

    fn ask(&mut self, ask: Ask) {
        let name = (ask.key.clone(), ask.subject.text.clone());
        if let Some(&place) = self.places.get(&name) {
            self.asks[place].destructive |= ask.destructive;
            return;
        }
        self.places.insert(name, self.asks.len());
        self.asks.push(ask);
    }

    /// Works out, beside the runtime, what the call would do. `work` holds everything that depends on the text of the
    /// files; it changes nothing.
    pub(super) async fn prepare<T: Send + 'static>(
        self,
        cx: &ToolCx,
        work: impl FnOnce(&Originals) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<Prepared<T>, ToolError> {
        let Self {
            asks, outside, real, ..
        } = self;
        if let Some(refusal) = outside_of_tree(&cx.services, &real) {
            return Err(refusal);
        }
        let originals = Originals {
            services: Arc::clone(&cx.services),
            real,
        };
        match cx.blocking(move || work(&originals)).await {
            Ok(plan) => Ok(Prepared::new(plan, asks)),
            Err(error) => {
                // Of what everybody may read, an error is told without a question whether it may be changed.
                let first = if may_be_read(cx, &asks) {
                    outside
                } else {
                    asks.clone()
                };
                Err(error.after(first).unless_denied(asks))
            }
        }
    }
}

/// Refuses a path that a task with a work tree of its own does not write to.
fn outside_of_tree(services: &SessionServices, paths: &HashSet<PathBuf>) -> Option<ToolError> {
    let tree = services.settings.sandbox.tree.as_ref()?;
    let scratch = services.tree.scratch.path();
    let is_elsewhere = |path: &&PathBuf| !path.starts_with(&tree.root) && !path.starts_with(scratch);
    paths
        .iter()
        .filter(is_elsewhere)
        .min()
        .map(|path| tree.refusal(path))
}

/// Returns true if `read` allows all of these files without a question.
fn may_be_read(cx: &ToolCx, asks: &[Ask]) -> bool {
    let readable = cx.services.gate.readable();
    let mut reads = asks.iter().filter(|ask| ask.key == PermissionKey::READ);
    reads.all(|ask| readable.shows(&ask.subject))
}

/// Opens the files that the call asks about, and no others.
pub(super) struct Originals {
    services: Arc<SessionServices>,
    real: HashSet<PathBuf>,
}

impl Originals {
    /// Opens a file that is to be changed, or says that there is none. Nothing is read of what is no plain file. `encoding` is
    /// the one that the call names.
    pub(super) fn open(
        &self,
        path: &Resolved,
        encoding: Option<Encoding>,
    ) -> Result<Option<TextFile>, ToolError> {
        if !self.real.contains(&path.real) {
            let message = format!(
                "`{}` was to be changed without being asked about; please report this",
                path.display
            );
            return Err(ToolError::new(ErrorKind::Internal, message));
        }
        let named = |error: FileError| ToolError::from(error.named(&path.display));
        match path.kind {
            PathKind::Missing => {
                path.for_writing().map_err(named)?;
                Ok(None)
            }
            PathKind::Directory => Err(ToolError::new(
                ErrorKind::IsDirectory,
                format!("`{}` is a directory", path.display),
            )
            .hint("Name a file.")),
            PathKind::File | PathKind::Special | PathKind::DanglingLink => {
                path.for_writing().map_err(named)?;
                let known = KnownEncoding::of(encoding, &path.real, &self.services)?;
                let file = TextFile::open_real_in(&path.real, |hash| known.of_content(hash));
                Ok(Some(file.map_err(named)?))
            }
        }
    }

    /// Refuses to change a file that this session has not read, or not as it is now.
    pub(super) fn check_read(&self, path: &Resolved, hash: &ContentHash) -> Result<(), ToolError> {
        let services = &self.services;
        if !services.settings.require_read {
            return Ok(());
        }
        let record = services.tree.store.file_read(&services.session, &path.real)?;
        match record {
            None => Err(ToolError::new(
                ErrorKind::NotRead,
                format!(
                    "`{}` has not been read in this session; read it first",
                    path.display
                ),
            )),
            Some(record) if record.hash != hash.as_str() => Err(ToolError::new(
                ErrorKind::Stale,
                format!("`{}` changed since it was read; read it again", path.display),
            )),
            Some(_) => Ok(()),
        }
    }

    /// Like [`Self::check_read`], but returns the refusal beside, as `Ok(Some(_))`, where only commands of this session tree
    /// changed the file since: what fits the file for certain may be done all the same.
    pub(super) fn check_read_or_command(
        &self,
        path: &Resolved,
        hash: &ContentHash,
    ) -> Result<Option<ToolError>, ToolError> {
        let Err(error) = self.check_read(path, hash) else {
            return Ok(None);
        };
        if error.kind == ErrorKind::Stale && self.is_changed_by_commands(path, hash)? {
            return Ok(Some(error));
        }
        Err(error)
    }

    fn is_changed_by_commands(&self, path: &Resolved, hash: &ContentHash) -> Result<bool, ToolError> {
        let services = &self.services;
        let record = services.tree.store.file_read(&services.session, &path.real)?;
        let (Some(log), Some(record)) = (&services.log, record) else {
            return Ok(false);
        };
        Ok(log
            .journal()
            .is_changed_by_commands(&path.real, &record.hash, hash)?)
    }
}

#[cfg(test)]
mod tests;
