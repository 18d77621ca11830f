//! Plans of an undo or a redo: for each file the state to bring back, or why that is not done.
//!
//! The changes of a file form a chain. Its first link says what the file was, its last what it has to be now. Where one link
//! does not begin as the one before ended, or the file is another now, something else has changed it, and it is left alone.
//!
//! A command may be a link only if the journal has what the file was before it. Otherwise the whole chain is refused, and
//! with it every longer one: a file that one undo refuses is not written by the next. What a tool moved away from a refused
//! file is refused as well, because it is all that is left of that file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
    /// A tool moved it here from a file that stays as it is.
    Moved,
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
            Self::Moved => "was moved from a file that cannot be restored".to_owned(),
            Self::NotKept => "has no stored earlier version".to_owned(),
            Self::Unreadable(why) => format!("cannot be looked at: {why}"),
        }
    }

    /// True for a file that keeps all the others from being undone unless it is left out by name. What a command changed, or
    /// what was moved from such a file, is only told of: there is nothing that could be put back.
    pub fn is_in_the_way(&self) -> bool {
        !matches!(self, Self::ByCommand | Self::Moved)
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

    /// Refuses each file that came from one that stays as it is. `lost` are the files whose earlier content is not known.
    fn refuse_moved(&mut self, moves: &[Move], lost: BTreeSet<PathBuf>) {
        let refused = self.files.iter().filter(|file| file.is_refused());
        let mut stays = lost;
        stays.extend(refused.map(|file| file.path.clone()));
        // A file may have been moved several times, also through one that is gone again.
        while let Some(moved) = moves
            .iter()
            .find(|moved| stays.contains(&moved.from) && !stays.contains(&moved.to))
        {
            stays.insert(moved.to.clone());
        }
        for file in self.files.iter_mut().filter(|file| stays.contains(&file.path)) {
            if !file.is_refused() {
                file.refusal = Some(Refusal::Moved);
                file.diff.clear();
            }
        }
    }
}

/// The changes of one file, put together.
struct Chain {
    rows: Vec<i64>,
    from: FileImage,
    to: FileImage,
    parents: Vec<PathBuf>,
    is_broken: bool,
    /// A command changed or made it, and what it was before that is not known.
    is_lost: bool,
    by_command: bool,
}

/// A move of a file by a tool, as far as a change tells: one file went, another was written.
struct Move {
    from: PathBuf,
    to: PathBuf,
}

impl Journal {
    /// Says what undoing everything since part `seq` of the root would do to files.
    pub fn plan_undo(&self, seq: u64) -> Result<Plan, StoreError> {
        let rows = self.store.journal_since(&self.tree, seq)?;
        let moves = moves(&rows);
        let mut by_path: BTreeMap<PathBuf, Vec<JournalRow>> = BTreeMap::new();
        for row in rows {
            by_path.entry(row.file.path.clone()).or_default().push(row);
        }
        let mut plan = Plan::default();
        // Also files that are gone again: what was in them is now where a tool moved it.
        let mut lost = BTreeSet::new();
        for (path, rows) in by_path {
            let chain = Chain::of(&rows);
            if chain.is_lost {
                lost.insert(path.clone());
            }
            self.add(&mut plan, path, chain)?;
        }
        plan.refuse_moved(&moves, lost);
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
                is_lost: false,
                by_command: false,
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
            // A command's change stays where it is known: a longer undo is refused because of it.
            if !chain.is_lost {
                plan.settled.extend(chain.rows);
            }
            return Ok(());
        }
        let (now, mut refusal) = match looked {
            Ok(now) => {
                let refusal = chain.refusal(&now.image);
                (Some(now), refusal)
            }
            Err(_) if chain.is_lost => (None, Some(Refusal::ByCommand)),
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
    fn of(rows: &[JournalRow]) -> Self {
        let before = |first: &JournalRow| first.file.before.clone();
        let after = |last: &JournalRow| last.file.after.clone();
        Self {
            rows: rows.iter().map(|row| row.id).collect(),
            to: rows.first().map_or(FileImage::Unknown, before),
            from: rows.last().map_or(FileImage::Unknown, after),
            parents: rows
                .first()
                .map_or_else(Vec::new, |first| first.file.parents.clone()),
            is_broken: rows
                .windows(2)
                .any(|pair| !same_content(&pair[0].file.after, &pair[1].file.before)),
            is_lost: rows.iter().any(is_lost),
            by_command: rows.iter().any(|row| row.origin == ChangeOrigin::Command),
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
        if self.is_lost || self.to == FileImage::Unknown {
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

/// Returns true for a command's change of a file whose content before it is not in the journal. A file that a command made
/// counts as well: nothing but the look at the project says that it was not there.
fn is_lost(row: &JournalRow) -> bool {
    row.origin == ChangeOrigin::Command && matches!(row.file.before, FileImage::Unknown | FileImage::Absent)
}

/// Returns the moves among changes: each file that went with each that was made in the same change, or that was written in a
/// change of these two alone.
fn moves(rows: &[JournalRow]) -> Vec<Move> {
    let mut moves = Vec::new();
    for change in rows.chunk_by(|one, next| one.change == next.change) {
        let of_tool = || change.iter().filter(|row| row.origin == ChangeOrigin::Lathe);
        for gone in of_tool().filter(|row| row.file.after == FileImage::Absent) {
            let is_target = |row: &&JournalRow| {
                let is_made = row.file.before == FileImage::Absent;
                row.file.after != FileImage::Absent && (is_made || change.len() == 2)
            };
            let written = of_tool().filter(is_target);
            moves.extend(written.map(|written| Move {
                from: gone.file.path.clone(),
                to: written.file.path.clone(),
            }));
        }
    }
    moves
}

fn diff(path: &Path, now: Option<&[u8]>, then: Option<&[u8]>) -> String {
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
        let chain = Chain::of(&rows(&[
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
        let chain = Chain::of(&rows(&[
            (Lathe, file("a"), file("b")),
            (Lathe, file("p"), file("q")),
        ]));
        assert_eq!(chain.refusal(&file("q")), Some(Refusal::ChangedBetween));
    }

    #[test]
    fn what_a_command_did_to_an_unknown_file_is_not_taken_back() {
        use ChangeOrigin::{Command, Lathe};
        let lost = |steps: &[(ChangeOrigin, FileImage, FileImage)], now: &FileImage| {
            let chain = Chain::of(&rows(steps));
            assert_eq!(chain.refusal(now), Some(Refusal::ByCommand), "{steps:?}");
        };
        let absent = || FileImage::Absent;
        lost(
            &[
                (Command, FileImage::Unknown, file("b")),
                (Command, file("b"), file("c")),
            ],
            &file("c"),
        );
        lost(&[(Command, absent(), file("b"))], &file("b"));
        // A tool that changes the file later does not know what it was before the command either.
        lost(
            &[
                (Command, FileImage::Unknown, file("b")),
                (Lathe, file("b"), file("c")),
            ],
            &file("c"),
        );
        lost(
            &[
                (Command, FileImage::Unknown, absent()),
                (Lathe, absent(), file("b")),
            ],
            &file("b"),
        );
        lost(
            &[(Command, absent(), file("b")), (Lathe, file("b"), file("c"))],
            &file("c"),
        );
        // A longer chain is refused where the shorter one was.
        lost(
            &[(Lathe, file("a"), absent()), (Command, absent(), file("b"))],
            &file("b"),
        );
        let known = Chain::of(&rows(&[
            (Lathe, file("a"), file("b")),
            (Command, file("b"), absent()),
            (Lathe, absent(), file("c")),
        ]));
        assert_eq!((known.refusal(&file("c")), &known.to), (None, &file("a")));
    }

    #[test]
    fn what_was_moved_from_a_refused_file_stays() {
        use ChangeOrigin::{Command, Lathe};
        let planned = |path: &str| PlannedFile {
            path: path.into(),
            action: PlannedAction::Delete,
            refusal: None,
            by_command: false,
            diff: "diff".to_owned(),
            from: file("b"),
            to: FileImage::Absent,
            parents: Vec::new(),
            rows: Vec::new(),
        };
        let mut steps = rows(&[
            (Lathe, file("a"), FileImage::Absent),
            (Lathe, FileImage::Absent, file("b")),
            (Lathe, file("b"), FileImage::Absent),
            (Lathe, FileImage::Absent, file("c")),
            (Command, file("x"), FileImage::Absent),
            (Command, FileImage::Absent, file("y")),
        ]);
        for (row, (path, change)) in steps.iter_mut().zip([
            ("/p/a", 1),
            ("/p/b", 1),
            ("/p/b", 2),
            ("/p/c", 2),
            ("/p/x", 3),
            ("/p/y", 3),
        ]) {
            row.file.path = path.into();
            row.change = change;
        }
        let mut plan = Plan {
            // `/p/b` is gone again, and nothing would be done to it.
            files: ["/p/c", "/p/y"].map(planned).into(),
            settled: Vec::new(),
        };
        plan.refuse_moved(&moves(&steps), BTreeSet::from(["/p/a".into(), "/p/x".into()]));
        let refusals: Vec<_> = plan.files.iter().map(|file| file.refusal.clone()).collect();
        assert_eq!(refusals, [Some(Refusal::Moved), None]);
        assert_eq!(
            (plan.files[0].diff.as_str(), plan.files[1].diff.as_str()),
            ("", "diff")
        );
    }
}
