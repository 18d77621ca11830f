//! What every writing tool shares: the guard, the lock, the transaction, the record.

use std::path::Path;
use std::sync::Arc;

use crate::conversation::ErrorKind;
use crate::files::{ContentHash, Expected, FileError, PathKind, Resolved, Roots, TextFile, Transaction};
use crate::text::diff::unified;
use crate::view::card::{Card, CardPart, DiffBody};

use super::{RenderCx, ToolCx, ToolError};

/// Lines of a diff that a card shows unless it is expanded.
const COLLAPSED_LINES: usize = 40;

/// New content for one file.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) path: Resolved,
    pub(super) bytes: Vec<u8>,
    /// What the file was when the change was worked out.
    pub(super) expected: Expected,
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

/// Opens a file that is to be changed, or says that there is none. Nothing is read of what is no plain file.
pub(super) fn open_for_change(path: &Resolved) -> Result<Option<TextFile>, ToolError> {
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
            Ok(Some(TextFile::open(&path.real).map_err(named)?))
        }
    }
}

/// Refuses to change a file that this session has not read, or not as it is now.
pub(super) fn check_read(cx: &ToolCx, path: &Resolved, hash: &ContentHash) -> Result<(), ToolError> {
    if !cx.services.settings.require_read {
        return Ok(());
    }
    let record = cx.services.store.file_read(&cx.session, &path.real)?;
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

/// Writes the change, all or nothing, and notes that the session knows the file as it is now.
///
/// Once the bytes are on their way the change is seen through, even if nobody waits for it any more.
pub(super) async fn apply(cx: &ToolCx, change: Change) -> Result<(), ToolError> {
    let lock = cx
        .services
        .locks
        .lock(std::slice::from_ref(&change.path.real))
        .await;
    let services = Arc::clone(&cx.services);
    let (session, cancel) = (cx.session.clone(), cx.cancel.clone());
    cx.blocking(move || {
        let _lock = lock;
        if cancel.is_cancelled() {
            return Err(ToolError::not_executed());
        }
        check_place(&services.roots, &change.path)?;
        let mut transaction = Transaction::new(&services.records_dir);
        transaction.replace(&change.path.real, change.bytes, change.expected);
        let written = transaction
            .commit()
            .map_err(|error| not_written(error, &services.records_dir, &change.path.display))?;
        for file in written {
            let noted = services
                .store
                .record_read(&session, &change.path.real, file.hash.as_str());
            // The file is written; at worst it has to be read before the next change.
            if let Err(error) = noted {
                tracing::warn!(%error, "a write could not be noted");
            }
        }
        Ok(())
    })
    .await
}

/// Tells a failure of the file from one of the record that is written before it.
fn not_written(error: FileError, records: &Path, display: &str) -> ToolError {
    if error.path().starts_with(records) {
        let message =
            format!("`{display}` was left as it is, because the change could not be noted: {error}");
        return ToolError::new(ErrorKind::Io, message)
            .hint("Tell the user: lathe's data directory needs a look.");
    }
    ToolError::from(error.named(display))
}

/// Refuses to write where the person was not asked about: a link may have been put in the way since.
fn check_place(roots: &Roots, path: &Resolved) -> Result<(), ToolError> {
    let now = roots.resolve(&path.given);
    if now
        .is_ok_and(|now| now.real == path.real && now.absolute == path.absolute && now.inside == path.inside)
    {
        return Ok(());
    }
    let message = format!(
        "`{}` leads to another place than when the change was worked out, so nothing was written",
        path.display
    );
    Err(ToolError::new(ErrorKind::Stale, message).hint("Read it again."))
}

impl From<crate::store::StoreError> for ToolError {
    fn from(error: crate::store::StoreError) -> Self {
        Self::new(ErrorKind::Io, error.to_string())
    }
}

/// `+6 −2`, with a true minus sign.
pub(super) fn signed_counts(additions: usize, deletions: usize) -> String {
    format!("+{additions} \u{2212}{deletions}")
}

/// The diff as a card's body.
pub(super) fn diff_part(path: &str, diff: &str, cx: RenderCx) -> CardPart {
    CardPart::Diff(DiffBody {
        path: path.to_owned(),
        unified: diff.to_owned(),
        max_lines: if cx.expanded { 0 } else { COLLAPSED_LINES },
        is_unplaced: false,
    })
}

/// Adds the diff of text that is still being written, as far as it has come.
pub(super) fn growing_diff(card: Card, path: &str, old: &str, new: &str, cx: RenderCx) -> Card {
    if old.is_empty() && new.is_empty() {
        return card;
    }
    let mut part = diff_part(path, &unified(path, old, new).text, cx);
    if let CardPart::Diff(body) = &mut part {
        body.is_unplaced = true;
    }
    card.part(part)
}
