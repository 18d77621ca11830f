//! The steps of every writing tool once its call is allowed: the lock, the transaction, the record. What comes before is in
//! `write_paths`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::conversation::ErrorKind;
use crate::files::{ExpectedContent, FileError, FileProblem, Resolved, Roots, SpliceError, Transaction};
use crate::hook::HookEvent;
use crate::text::diff::unified;
use crate::text::encoding::Encoding;
use crate::view::card::{Card, CardPart, DiffBody};

use super::hook_changes::ToolFile;
use super::{RenderCx, ToolCx, ToolError, plural};

/// Lines of a diff that a card shows unless it is expanded.
pub(super) const COLLAPSED_LINES: usize = 40;
/// Edits that the card of a call in progress shows unless it is expanded.
pub(super) const STREAMED_EDITS: usize = 3;

/// New content for one file.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) path: Resolved,
    pub(super) bytes: Vec<u8>,
    /// The encoding of `bytes`.
    pub(super) encoding: Encoding,
    /// The state of the file when the change was worked out.
    pub(super) expected: ExpectedContent,
}

/// How a file of a change is named in results, and the encoding of what is written to it.
struct WrittenName {
    display: String,
    encoding: Option<Encoding>,
}

/// The change of one file of several that change together.
#[derive(Debug)]
pub(super) enum FileChange {
    Write(Change),
    /// A new file that gets the mode bits of the one that it is moved from.
    WriteLike {
        change: Change,
        like: PathBuf,
    },
    /// The file goes: a plain one, not a link to one.
    Remove {
        path: Resolved,
        expected: ExpectedContent,
    },
}

impl FileChange {
    fn path(&self) -> &Resolved {
        match self {
            Self::Write(change) | Self::WriteLike { change, .. } => &change.path,
            Self::Remove { path, .. } => path,
        }
    }

    fn written_name(&self) -> WrittenName {
        WrittenName {
            display: self.path().display.clone(),
            encoding: match self {
                Self::Write(change) | Self::WriteLike { change, .. } => Some(change.encoding),
                Self::Remove { .. } => None,
            },
        }
    }

    /// The file as it will be.
    fn file(&self) -> ToolFile {
        ToolFile {
            display: self.path().display.clone(),
            bytes: match self {
                Self::Write(change) | Self::WriteLike { change, .. } => Some(change.bytes.clone()),
                Self::Remove { .. } => None,
            },
        }
    }

    fn join(self, transaction: &mut Transaction) {
        match self {
            Self::Write(change) => transaction.replace(&change.path.real, change.bytes, change.expected),
            Self::WriteLike { change, like } => {
                transaction.replace_like(&change.path.real, change.bytes, change.expected, &like);
            }
            Self::Remove { path, expected } => transaction.remove(&path.real, expected),
        }
    }
}

/// The kind of change that a call makes to a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChangeKind {
    Add,
    #[default]
    Update,
    Delete,
    Move,
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

/// Says why an edit of the file that is shown as `display` could not be carried out in memory.
pub(super) fn not_made(error: SpliceError, display: &str) -> ToolError {
    let message = format!("the edit of `{display}` was not made: {error}");
    match error {
        SpliceError::Unencodable(missing) => {
            ToolError::invalid_args(format!("{missing}, which `{display}` is in"))
                .hint("Nothing was written. Use characters that the encoding has.")
        }
        SpliceError::TooLarge => ToolError::new(ErrorKind::TooLarge, message),
        SpliceError::Undecodable(_) | SpliceError::Merged(_) => ToolError::new(ErrorKind::Encoding, message)
            .hint("Nothing was written. Change a part of the text that does not touch those bytes."),
        SpliceError::Overlap | SpliceError::Outside => {
            ToolError::new(ErrorKind::Internal, format!("{message}; please report this"))
        }
    }
}

/// Refuses to remove a link: it would go in place of the file that it leads to.
pub(super) fn check_no_link(path: &Resolved) -> Result<(), ToolError> {
    let is_link = fs::symlink_metadata(&path.absolute).is_ok_and(|metadata| metadata.is_symlink());
    if is_link {
        return Err(FileError::new(&path.display, FileProblem::Link).into());
    }
    Ok(())
}

/// Writes the change, all or nothing, and notes that the session knows the file as it is now.
///
/// Once the bytes are on their way the change is seen through, even if nobody waits for it any more.
pub(super) async fn apply(cx: &ToolCx, change: Change) -> Result<ChangeEffects, ToolError> {
    apply_all(cx, vec![FileChange::Write(change)]).await
}

/// Like [`apply`], for several files: all of them change, or none.
pub(super) async fn apply_all(cx: &ToolCx, changes: Vec<FileChange>) -> Result<ChangeEffects, ToolError> {
    let paths: Vec<PathBuf> = changes.iter().map(|change| change.path().real.clone()).collect();
    let lock = cx.services.tree.locks.lock(&paths).await;
    let services = Arc::clone(&cx.services);
    let cancel = cx.cancel.clone();
    let tool_files = files_before_hooks(cx, &changes);
    let applied = cx.blocking(move || {
        let _lock = lock;
        if cancel.is_cancelled() {
            return Err(ToolError::not_executed());
        }
        let mut names = HashMap::new();
        let mut transaction = services.transaction();
        for change in changes {
            let path = change.path();
            check_place(&services.roots, path)?;
            names.insert(path.real.clone(), change.written_name());
            change.join(&mut transaction);
        }
        let written = transaction
            .commit()
            .map_err(|error| not_written(error, &services.tree.records_dir, &names))?;
        let mut applied = ChangeEffects::default();
        for file in written {
            let name = names.get(&file.path);
            if file.other_names > 0 {
                let display = name.map_or("", |name| name.display.as_str());
                applied.unlinked.push(unlinked(display, file.other_names));
            }
            // What is gone needs no record: whatever comes in its place is another file.
            let Some(hash) = &file.hash else { continue };
            let encoding = name.and_then(|name| name.encoding).map(Encoding::name);
            let store = &services.tree.store;
            let noted = store.record_read(&services.session, &file.path, hash.as_str(), encoding);
            // The file is written; at worst it has to be read before the next change.
            if let Err(error) = noted {
                tracing::warn!(%error, "a write could not be noted");
            }
        }
        Ok(applied)
    });
    let applied = applied.await?;
    cx.tool_files.add(tool_files);
    Ok(applied)
}

/// Returns the files as the changes will leave them, to be compared when the hooks after the call have run; none where
/// there are no such hooks.
fn files_before_hooks(cx: &ToolCx, changes: &[FileChange]) -> Vec<(PathBuf, ToolFile)> {
    if !cx.services.tree.hooks.has(HookEvent::PostToolUse) {
        return Vec::new();
    }
    changes
        .iter()
        .map(|change| (change.path().real.clone(), change.file()))
        .collect()
}

/// Side effects of a finished change that the model is told of.
#[derive(Debug, Default)]
#[must_use]
pub(super) struct ChangeEffects {
    /// A sentence for each file that had other names.
    pub(super) unlinked: Vec<String>,
}

impl ChangeEffects {
    /// Adds it to the text for the model.
    pub(super) fn append_unlinked(&self, text: &str) -> String {
        self.unlinked
            .iter()
            .fold(text.to_owned(), |text, sentence| format!("{text}\n{sentence}"))
    }
}

fn unlinked(name: &str, others: u64) -> String {
    let (others, keep) = match others {
        1 => ("1 other name (a hard link)".to_owned(), "keeps"),
        others => (format!("{others} other names (hard links)"), "keep"),
    };
    format!("`{name}` had {others}, which {keep} the text of before.")
}

/// Shows on a card which files had other names.
pub(super) fn with_unlinked(card: Card, unlinked: &[String]) -> Card {
    unlinked
        .iter()
        .fold(card, |card, sentence| card.part(CardPart::Text(sentence.clone())))
}

/// Tells a failure of a file from one of the record that is written before.
fn not_written(error: FileError, records: &Path, names: &HashMap<PathBuf, WrittenName>) -> ToolError {
    if error.path().starts_with(records) {
        return not_noted(&error, records, names);
    }
    let error = match names.get(error.path()) {
        Some(name) => error.named(&name.display),
        None => error,
    };
    let hint = match error.problem() {
        FileProblem::NotRestored(_) => {
            Some("Tell the user: the change is half done until lathe starts again.")
        }
        _ if names.len() > 1 => Some("No file of this call was changed."),
        _ => None,
    };
    let error = ToolError::from(error);
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Says that nothing was written, because the record comes first.
fn not_noted(error: &FileError, records: &Path, names: &HashMap<PathBuf, WrittenName>) -> ToolError {
    let left = match names.values().next() {
        Some(name) if names.len() == 1 => format!("`{}` was left as it is", name.display),
        _ => format!("{} were left as they are", plural(names.len(), "file")),
    };
    let records = records.display();
    let why = match error.problem() {
        FileProblem::Busy => "another lathe is in the middle of a change; try again".to_owned(),
        FileProblem::DiskFull => {
            format!(
                "the change could not be noted in `{records}`: the disk is full; free some space and try again"
            )
        }
        FileProblem::ReadOnlyFileSystem => {
            format!("the change could not be noted in `{records}`: the file system is read-only")
        }
        FileProblem::Denied => format!("the change could not be noted in `{records}`: permission denied"),
        _ => format!("the change could not be noted: {error}"),
    };
    ToolError::new(ErrorKind::Io, format!("{left}, because {why}"))
        .hint("Tell the user: lathe's data directory needs a look.")
}

/// Refuses to write where the person was not asked about: a link may have been put in the way since.
fn check_place(roots: &Roots, path: &Resolved) -> Result<(), ToolError> {
    if roots.leads_where_it_did(path) {
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

/// The diff as a card's body.
pub(super) fn diff_part(path: &str, diff: &str, cx: RenderCx) -> CardPart {
    CardPart::Diff(DiffBody {
        path: path.to_owned(),
        unified: diff.to_owned(),
        max_lines: if cx.expanded { 0 } else { COLLAPSED_LINES },
        is_unplaced: false,
    })
}

/// Adds the diff to a card, where there is one.
pub(super) fn with_diff(card: Card, path: &str, diff: &str, cx: RenderCx) -> Card {
    if diff.is_empty() {
        return card;
    }
    card.part(diff_part(path, diff, cx))
}

/// Keeps the edits that the card of a call in progress shows, and counts those above them.
pub(super) fn newest_edits<T>(card: Card, mut edits: Vec<T>, cx: RenderCx) -> (Card, Vec<T>) {
    let skipped = if cx.expanded {
        0
    } else {
        edits.len().saturating_sub(STREAMED_EDITS)
    };
    let card = card.leaving_out(skipped, |above| format!("{} above", plural(above, "edit")));
    (card, edits.split_off(skipped))
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
