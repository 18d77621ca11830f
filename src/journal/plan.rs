//! Plans of an undo or a redo: for each file the state to bring back, or why that is not done.
//!
//! The changes of a file form a chain. Its first link says what the file was, its last what it has to be now. Where one link
//! does not begin as the one before ended, or the file is another now, something else has changed it, and it is left alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Journal;
use super::image::{Looked, mode_of, same_content};
use crate::store::{ChangeOrigin, FileImage, JournalRow, StoreError, StoredUndo, UndoneFile};
use crate::text::diff::unified;

/// Largest text in bytes that a diff is made of.
const MAX_DIFF: usize = 1 << 20;

/// All that an undo or a redo would do to files, in the order of their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub files: Vec<PlannedFile>,
    /// Rows of the journal whose files are as they were before already.
    pub(super) settled: Vec<i64>,
}

/// One file that an undo or a redo is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    pub path: PathBuf,
    pub action: PlannedAction,
    /// Why it is left as it is.
    pub refusal: Option<Refusal>,
    /// A command took part in the changes that are taken back.
    pub by_command: bool,
    /// The file goes back to what a command made of it, and not to what it was before that.
    pub stops_at_command: bool,
    /// From now to then; empty for what is no text, or too large, or refused.
    pub diff: String,
    pub(super) from: FileImage,
    pub(super) to: FileImage,
    pub(super) parents: Vec<PathBuf>,
    pub(super) rows: Vec<i64>,
}

/// The change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannedAction {
    /// It gets its other content.
    Restore,
    /// It was not there, and goes.
    Delete,
    /// It was there, and is made again.
    Create,
    /// Only its permission bits change.
    Mode,
}

/// Why a file is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It is another now than lathe left it.
    Changed,
    /// Something else changed it between two changes of lathe's.
    ChangedBetween,
    /// A command changed or made it, and what it was before is not known.
    ByCommand,
    /// Its content is not kept any more, or was too large to keep.
    NotKept,
    /// It cannot be looked at.
    Unreadable(String),
}

impl PlannedAction {
    /// Returns the participle, as in "it would be restored".
    pub fn done(self) -> &'static str {
        match self {
            Self::Restore => "restored",
            Self::Delete => "deleted",
            Self::Create => "created again",
            Self::Mode => "given its permissions back",
        }
    }
}

impl Refusal {
    /// The rest of a sentence that begins with the file.
    pub fn reason(&self) -> String {
        match self {
            Self::Changed => "has changed since".to_owned(),
            Self::ChangedBetween => "was changed by something else in between".to_owned(),
            Self::ByCommand => "was changed by a command, and has no stored earlier version".to_owned(),
            Self::NotKept => "has no stored earlier version".to_owned(),
            Self::Unreadable(why) => format!("cannot be looked at: {why}"),
        }
    }

    /// True for a file that keeps all the others from being undone unless it is left out by name. What a command changed is
    /// only told of: there is nothing that could be put back.
    pub fn is_in_the_way(&self) -> bool {
        *self != Self::ByCommand
    }
}

impl PlannedFile {
    pub fn is_refused(&self) -> bool {
        self.refusal.is_some()
    }
}

impl Plan {
    /// Returns true if there is nothing that would be done.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(PlannedFile::is_refused)
    }
}

/// The changes of one file, put together.
struct Chain {
    rows: Vec<i64>,
    from: FileImage,
    to: FileImage,
    parents: Vec<PathBuf>,
    is_broken: bool,
    /// Nothing but commands changed it, and what it was before that is not known.
    is_foreign: bool,
    by_command: bool,
    stops_at_command: bool,
}

impl Journal {
    /// Says what undoing everything since part `seq` of the root would do to files.
    pub fn plan_undo(&self, seq: u64) -> Result<Plan, StoreError> {
        let mut by_path: BTreeMap<PathBuf, Vec<JournalRow>> = BTreeMap::new();
        for row in self.store.journal_since(&self.tree, seq)? {
            by_path.entry(row.file.path.clone()).or_default().push(row);
        }
        let mut plan = Plan::default();
        for (path, rows) in by_path {
            self.add(&mut plan, path, Chain::of(rows))?;
        }
        Ok(plan)
    }

    /// Says what taking an undo back would do to files.
    pub fn plan_redo(&self, undo: &StoredUndo) -> Result<Plan, StoreError> {
        let mut plan = Plan::default();
        for file in &undo.record.files {
            let UndoneFile {
                path,
                from,
                to,
                parents,
            } = file.clone();
            let chain = Chain {
                rows: Vec::new(),
                from: to,
                to: from,
                parents: parents.iter().map(crate::store::StoredPath::to_path).collect(),
                is_broken: false,
                is_foreign: false,
                by_command: false,
                stops_at_command: false,
            };
            self.add(&mut plan, path.to_path(), chain)?;
        }
        Ok(plan)
    }

    fn add(&self, plan: &mut Plan, path: PathBuf, chain: Chain) -> Result<(), StoreError> {
        let looked = Looked::at(&path);
        if let Ok(now) = &looked
            && chain.is_as_before(&now.image)
        {
            plan.settled.extend(chain.rows);
            return Ok(());
        }
        let (now, mut refusal) = match looked {
            Ok(now) => {
                let refusal = chain.refusal(&now.image);
                (Some(now), refusal)
            }
            Err(_) if chain.is_foreign => (None, Some(Refusal::ByCommand)),
            Err(error) => (None, Some(Refusal::Unreadable(error.problem().to_string()))),
        };
        let then = match &chain.to {
            FileImage::File { hash, .. } if refusal.is_none() => {
                let content = self.content(hash)?;
                refusal = content.is_none().then_some(Refusal::NotKept);
                content
            }
            _ => None,
        };
        let diff = match (&refusal, &now) {
            (None, Some(now)) => diff(&path, now.bytes.as_deref(), then.as_deref()),
            _ => String::new(),
        };
        plan.files.push(PlannedFile {
            action: chain.action(),
            refusal,
            by_command: chain.by_command,
            stops_at_command: chain.stops_at_command,
            diff,
            // The mode bits are those of now unless they were changed as well.
            to: chain.target(now.as_ref().map(|now| &now.image)),
            from: now.map_or(FileImage::Unknown, |now| now.image),
            parents: chain.parents,
            rows: chain.rows,
            path,
        });
        Ok(())
    }
}

impl Chain {
    /// `rows` are those of one file, in order, and at least one.
    fn of(mut rows: Vec<JournalRow>) -> Self {
        let is_known = |row: &JournalRow| {
            row.origin == ChangeOrigin::Lathe
                || !matches!(row.file.before, FileImage::Unknown | FileImage::Absent)
        };
        // What a command did before lathe had looked at the file cannot be taken back; what came after it can.
        let has_own = rows.iter().any(|row| row.origin == ChangeOrigin::Lathe);
        let unknown = rows.iter().take_while(|row| !is_known(row)).count();
        let is_foreign = unknown > 0 && !has_own;
        let stops_at_command = unknown > 0 && has_own;
        if stops_at_command {
            let own = rows.iter().position(|row| row.origin == ChangeOrigin::Lathe);
            rows.drain(..own.unwrap_or(0));
        }
        let ids = rows.iter().map(|row| row.id).collect();
        let is_broken = rows
            .windows(2)
            .any(|pair| !same_content(&pair[0].file.after, &pair[1].file.before));
        let by_command = rows.iter().any(|row| row.origin == ChangeOrigin::Command);
        let before = |first: &JournalRow| first.file.before.clone();
        let to = rows.first().map_or(FileImage::Unknown, before);
        Self {
            rows: ids,
            to,
            from: rows
                .last()
                .map_or(FileImage::Unknown, |last| last.file.after.clone()),
            parents: rows
                .first()
                .map_or_else(Vec::new, |first| first.file.parents.clone()),
            is_broken,
            is_foreign,
            by_command,
            stops_at_command,
        }
    }

    /// Returns true if nothing has to be done: the file is what it was.
    fn is_as_before(&self, now: &FileImage) -> bool {
        same_content(now, &self.to) && (self.is_mode_kept() || mode_of(now) == mode_of(&self.to))
    }

    /// Returns true if the mode bits were not changed, as far as that is known.
    fn is_mode_kept(&self) -> bool {
        match (mode_of(&self.to), mode_of(&self.from)) {
            (Some(then), Some(now)) => then == now,
            _ => true,
        }
    }

    fn refusal(&self, now: &FileImage) -> Option<Refusal> {
        if self.is_foreign || self.to == FileImage::Unknown {
            return Some(Refusal::ByCommand);
        }
        if self.is_broken {
            return Some(Refusal::ChangedBetween);
        }
        let is_other_kind = matches!(
            (&self.to, now),
            (FileImage::File { .. }, FileImage::Link { .. })
                | (FileImage::Link { .. }, FileImage::File { .. })
        );
        if is_other_kind || !same_content(now, &self.from) {
            return Some(Refusal::Changed);
        }
        None
    }

    fn action(&self) -> PlannedAction {
        match (&self.from, &self.to) {
            (_, FileImage::Absent) => PlannedAction::Delete,
            (FileImage::Absent, _) => PlannedAction::Create,
            (from, to) if same_content(from, to) => PlannedAction::Mode,
            _ => PlannedAction::Restore,
        }
    }

    /// The state to bring about, where the file is `now`.
    fn target(&self, now: Option<&FileImage>) -> FileImage {
        match (&self.to, now) {
            (FileImage::File { hash, .. }, Some(now @ FileImage::File { .. })) if self.is_mode_kept() => {
                FileImage::File {
                    hash: hash.clone(),
                    mode: mode_of(now),
                }
            }
            (to, _) => to.clone(),
        }
    }
}

fn diff(path: &std::path::Path, now: Option<&[u8]>, then: Option<&[u8]>) -> String {
    let text = |bytes: Option<&[u8]>| {
        let bytes = bytes.unwrap_or_default();
        (bytes.len() <= MAX_DIFF && !bytes.contains(&0))
            .then(|| std::str::from_utf8(bytes).ok().map(str::to_owned))
            .flatten()
    };
    match (text(now), text(then)) {
        (Some(now), Some(then)) => unified(&path.to_string_lossy(), &now, &then).text,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::store::JournalFile;

    fn file(hash: &str) -> FileImage {
        FileImage::File {
            hash: hash.to_owned(),
            mode: Some(0o644),
        }
    }

    fn rows(steps: &[(ChangeOrigin, FileImage, FileImage)]) -> Vec<JournalRow> {
        let row =
            |(index, (origin, before, after)): (usize, &(ChangeOrigin, FileImage, FileImage))| JournalRow {
                id: index as i64,
                change: index as i64,
                origin: *origin,
                file: JournalFile {
                    path: PathBuf::from("/p/a"),
                    before: before.clone(),
                    after: after.clone(),
                    parents: Vec::new(),
                },
            };
        steps.iter().enumerate().map(row).collect()
    }

    #[test]
    fn a_chain_leads_from_its_end_to_its_beginning() {
        use ChangeOrigin::{Command, Lathe};
        let chain = Chain::of(rows(&[
            (Lathe, FileImage::Absent, file("a")),
            (Command, file("a"), file("b")),
        ]));
        assert_eq!((&chain.from, &chain.to), (&file("b"), &FileImage::Absent));
        assert_eq!(
            (chain.refusal(&file("b")), chain.action()),
            (None, PlannedAction::Delete)
        );
        assert_eq!(chain.refusal(&file("c")), Some(Refusal::Changed));
        assert!(chain.is_as_before(&FileImage::Absent) && chain.by_command);
    }

    #[test]
    fn what_something_else_changed_in_between_is_left_alone() {
        use ChangeOrigin::Lathe;
        let chain = Chain::of(rows(&[
            (Lathe, file("a"), file("b")),
            (Lathe, file("p"), file("q")),
        ]));
        assert_eq!(chain.refusal(&file("q")), Some(Refusal::ChangedBetween));
    }

    #[test]
    fn what_a_command_did_to_an_unknown_file_is_not_taken_back() {
        use ChangeOrigin::{Command, Lathe};
        let only = Chain::of(rows(&[
            (Command, FileImage::Unknown, file("b")),
            (Command, file("b"), file("c")),
        ]));
        assert_eq!(only.refusal(&file("c")), Some(Refusal::ByCommand));
        let made = Chain::of(rows(&[(Command, FileImage::Absent, file("b"))]));
        assert_eq!(made.refusal(&file("b")), Some(Refusal::ByCommand));
        let then_edited = Chain::of(rows(&[
            (Command, FileImage::Unknown, file("b")),
            (Command, file("b"), file("c")),
            (Lathe, file("c"), file("d")),
        ]));
        assert_eq!(then_edited.to, file("c"));
        assert!(then_edited.stops_at_command && then_edited.refusal(&file("d")).is_none());
        assert_eq!(then_edited.rows, [2], "what the commands did stays done");
    }
}
