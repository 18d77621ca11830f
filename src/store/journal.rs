//! The journal: what files were before and after each change that tools and commands made, and what was undone.
//!
//! A change is entered before the files change (`is_pending`) and confirmed afterwards. Whoever opens the tree of sessions
//! after a crash settles what is still pending. Contents lie beside the database ([`Blobs`](super::Blobs)) by their hash.
//!
//! An undo is entered in the same way. It takes changes of single files and messages out of the conversation: both keep
//! their rows, marked with the undo, until it is taken back or a new turn makes that impossible.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Params, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::statement::{execute, row, rows};
use super::{Store, StoreError, column, drafts, now, todos};
use crate::conversation::{MessageId, SessionId};
use crate::store::DraftKey;

/// The state of a file before or after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FileImage {
    Absent,
    File {
        /// SHA-256 of the content.
        hash: String,
        /// Permission bits, where they are known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
    },
    Link {
        target: Vec<u8>,
    },
    /// A command changed it, and nothing had looked at it before.
    Unknown,
}

/// Whoever made a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeOrigin {
    /// A tool, or lathe itself for the person.
    Lathe,
    Command,
}

/// One file of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalFile {
    pub path: PathBuf,
    pub before: FileImage,
    pub after: FileImage,
    /// Directories that were made for it, the outermost first.
    pub parents: Vec<PathBuf>,
}

/// A change to enter.
#[derive(Debug, Clone)]
pub struct NewJournalChange<'a> {
    /// The root of the tree of sessions.
    pub tree: &'a SessionId,
    pub session: &'a SessionId,
    pub origin: ChangeOrigin,
    pub is_pending: bool,
    pub files: &'a [JournalFile],
}

/// A stored change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRow {
    pub id: i64,
    /// The change that it belongs to. Changes are numbered in the order in which they were made.
    pub change: i64,
    pub origin: ChangeOrigin,
    pub file: JournalFile,
}

/// A file that an undo brought from one state to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoneFile {
    pub path: StoredPath,
    pub from: FileImage,
    pub to: FileImage,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<StoredPath>,
}

/// A path of any bytes, as JSON has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredPath(Vec<u8>);

/// What one undo does, and what it takes to do it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UndoRecord {
    /// The message with which the conversation ends no more; `None` where the conversation stays.
    pub cut: Option<MessageId>,
    pub files: Vec<UndoneFile>,
    /// Rows of the journal that it takes back.
    pub rows: Vec<i64>,
    pub before: Surroundings,
    pub after: Surroundings,
}

/// What belongs to a conversation beside its messages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Surroundings {
    pub draft: String,
    pub todos: Vec<Value>,
}

/// A stored undo.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredUndo {
    pub id: i64,
    /// What was begun with it and not confirmed.
    pub begun: Option<UndoDirection>,
    pub record: UndoRecord,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoDirection {
    Undo,
    Redo,
}

impl StoredPath {
    pub fn new(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }

    pub fn to_path(&self) -> PathBuf {
        OsStr::from_bytes(&self.0).into()
    }
}

impl Store {
    /// Enters a change and returns its number.
    pub fn add_change(&self, change: &NewJournalChange<'_>) -> Result<i64, StoreError> {
        self.transact(|connection| {
            execute(
                connection,
                "INSERT INTO journal_changes (tree, session, seq, origin, is_pending, time)
                 VALUES (?1, ?2, (SELECT coalesce(max(seq), 0) FROM parts WHERE session = ?1), ?3, ?4, ?5)",
                params![
                    change.tree.as_str(),
                    change.session.as_str(),
                    column::name(&change.origin)?,
                    change.is_pending,
                    now(),
                ],
            )?;
            let number = connection.last_insert_rowid();
            let mut insert = connection.prepare_cached(
                "INSERT INTO journal_files (change, path, before, after, parents) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for file in change.files {
                let parents: Vec<_> = file.parents.iter().map(|path| StoredPath::new(path)).collect();
                insert.execute(params![
                    number,
                    file.path.as_os_str().as_bytes(),
                    column::to_json(&file.before)?,
                    column::to_json(&file.after)?,
                    column::to_json(&parents)?,
                ])?;
            }
            Ok(number)
        })
    }

    /// Confirms a change that was entered as pending, or forgets it.
    pub fn settle_change(&self, change: i64, is_done: bool) -> Result<(), StoreError> {
        let sql = if is_done {
            "UPDATE journal_changes SET is_pending = 0 WHERE id = ?1"
        } else {
            "DELETE FROM journal_changes WHERE id = ?1"
        };
        execute(&self.connection(), sql, [change]).map(drop)
    }

    /// Returns the files of the changes of a tree that a crash left pending.
    pub fn pending_changes(&self, tree: &SessionId) -> Result<Vec<JournalRow>, StoreError> {
        self.journal_rows("journal_changes.is_pending", [tree.as_str()])
    }

    /// Returns what was changed in a tree since part `seq` of its root and was not undone, in order.
    pub fn journal_since(&self, tree: &SessionId, seq: u64) -> Result<Vec<JournalRow>, StoreError> {
        self.journal_rows(
            "NOT journal_changes.is_pending AND journal_files.undo IS NULL AND journal_changes.seq >= ?2",
            params![tree.as_str(), seq as i64],
        )
    }

    /// Returns the changes of one file in a tree that were not undone, in order.
    pub fn changes_of_file(&self, tree: &SessionId, path: &Path) -> Result<Vec<JournalRow>, StoreError> {
        self.journal_rows(
            "NOT journal_changes.is_pending AND journal_files.undo IS NULL AND journal_files.path = ?2",
            params![tree.as_str(), path.as_os_str().as_bytes()],
        )
    }

    /// Returns the rows of the tree `?1` for which the condition `which` holds, in order.
    fn journal_rows(&self, which: &str, values: impl Params) -> Result<Vec<JournalRow>, StoreError> {
        let sql = format!(
            "SELECT journal_files.id, change, origin, path, before, after, parents
             FROM journal_changes JOIN journal_files ON journal_files.change = journal_changes.id
             WHERE tree = ?1 AND {which} ORDER BY journal_files.id"
        );
        rows(&self.connection(), &sql, values, journal_row)
    }

    /// Enters an undo that is about to begin, and returns its number.
    pub fn begin_undo(&self, tree: &SessionId, record: &UndoRecord) -> Result<i64, StoreError> {
        let connection = self.connection();
        let sql = "INSERT INTO undos (tree, begun, record) VALUES (?1, 'undo', ?2)";
        execute(&connection, sql, params![tree.as_str(), column::to_json(record)?])?;
        Ok(connection.last_insert_rowid())
    }

    /// Notes that an undo is about to be taken back.
    pub fn begin_redo(&self, undo: i64) -> Result<(), StoreError> {
        let sql = "UPDATE undos SET begun = 'redo' WHERE id = ?1";
        execute(&self.connection(), sql, [undo]).map(drop)
    }

    /// Carries out in the database what was begun: the undo or the redo, in one commit.
    pub fn finish_undo(&self, tree: &SessionId, undo: &StoredUndo) -> Result<(), StoreError> {
        self.transact(|connection| match undo.begun {
            None => Ok(()),
            Some(UndoDirection::Undo) => take_out(connection, tree, undo),
            Some(UndoDirection::Redo) => put_back(connection, tree, undo),
        })
    }

    /// Forgets what was begun.
    pub fn drop_begun_undo(&self, undo: &StoredUndo) -> Result<(), StoreError> {
        let sql = match undo.begun {
            None => return Ok(()),
            Some(UndoDirection::Undo) => "DELETE FROM undos WHERE id = ?1",
            Some(UndoDirection::Redo) => "UPDATE undos SET begun = NULL WHERE id = ?1",
        };
        execute(&self.connection(), sql, [undo.id]).map(drop)
    }

    /// Returns the undos of a tree that can be taken back, the last one at the end, and what was begun and not confirmed.
    pub fn undos(&self, tree: &SessionId) -> Result<Vec<StoredUndo>, StoreError> {
        let sql = "SELECT id, begun, record FROM undos WHERE tree = ?1 ORDER BY id";
        rows(&self.connection(), sql, [tree.as_str()], |row| {
            Ok(StoredUndo {
                id: row.get(0)?,
                begun: column::optional(row, 1, column::variant)?,
                record: column::json(row, 2)?,
            })
        })
    }

    /// Returns the trees in which something is pending: a change of files, an undo or a redo.
    pub fn unsettled_trees(&self) -> Result<Vec<SessionId>, StoreError> {
        rows(
            &self.connection(),
            "SELECT tree FROM journal_changes WHERE is_pending UNION SELECT tree FROM undos WHERE begun IS NOT NULL",
            [],
            |row| column::parsed(row, 0),
        )
    }

    /// Returns the hashes that the journal refers to, each with when it was last referred to, in milliseconds since the Unix
    /// epoch.
    pub fn journal_hashes(&self) -> Result<Vec<(String, i64)>, StoreError> {
        rows(
            &self.connection(),
            "SELECT hash, max(time) FROM (
                 SELECT json_extract(before, '$.hash') AS hash, time
                 FROM journal_files JOIN journal_changes ON journal_changes.id = change
                 UNION ALL
                 SELECT json_extract(after, '$.hash'), time
                 FROM journal_files JOIN journal_changes ON journal_changes.id = change
             ) WHERE hash IS NOT NULL GROUP BY hash",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }
}

/// Removes for good what was undone in a tree: a new turn begins, and there is no way back to it.
pub(super) fn forget_undone(connection: &Connection, tree: &SessionId) -> Result<(), StoreError> {
    let id = [tree.as_str()];
    let statements = [
        "DELETE FROM messages WHERE session = ?1 AND undo IS NOT NULL",
        "DELETE FROM journal_files WHERE undo IN (SELECT id FROM undos WHERE tree = ?1)",
        "DELETE FROM undos WHERE tree = ?1",
    ];
    for sql in statements {
        execute(connection, sql, id)?;
    }
    Ok(())
}

fn take_out(connection: &Connection, tree: &SessionId, undo: &StoredUndo) -> Result<(), StoreError> {
    let record = &undo.record;
    let mut mark = connection.prepare_cached("UPDATE journal_files SET undo = ?2 WHERE id = ?1")?;
    for row in &record.rows {
        mark.execute([*row, undo.id])?;
    }
    execute(
        connection,
        "UPDATE undos SET begun = NULL WHERE id = ?1",
        [undo.id],
    )?;
    let Some(cut) = &record.cut else { return Ok(()) };
    let sql = "SELECT created FROM messages WHERE id = ?1 AND session = ?2";
    let created = row(connection, sql, [cut.as_str(), tree.as_str()], |row| row.get(0))?;
    let created: i64 = created.ok_or_else(|| StoreError::UnknownMessage(cut.clone()))?;
    execute(
        connection,
        "UPDATE messages SET undo = ?1 WHERE session = ?2 AND undo IS NULL
                 AND position >= (SELECT position FROM messages WHERE id = ?3)",
        params![undo.id, tree.as_str(), cut.as_str()],
    )?;
    // What was read later is not in the conversation any more.
    let sql = "DELETE FROM file_reads WHERE session = ?1 AND time >= ?2";
    execute(connection, sql, params![tree.as_str(), created])?;
    surround(connection, tree, &record.after)
}

fn put_back(connection: &Connection, tree: &SessionId, undo: &StoredUndo) -> Result<(), StoreError> {
    for sql in [
        "UPDATE journal_files SET undo = NULL WHERE undo = ?1",
        "UPDATE messages SET undo = NULL WHERE undo = ?1",
        "DELETE FROM undos WHERE id = ?1",
    ] {
        execute(connection, sql, [undo.id])?;
    }
    match undo.record.cut {
        Some(_) => surround(connection, tree, &undo.record.before),
        None => Ok(()),
    }
}

fn surround(connection: &Connection, tree: &SessionId, with: &Surroundings) -> Result<(), StoreError> {
    todos::replace(connection, tree, &with.todos)?;
    drafts::put(connection, DraftKey::Session(tree), &with.draft)
}

fn journal_row(row: &Row<'_>) -> Result<JournalRow, rusqlite::Error> {
    let parents: Vec<StoredPath> = column::json(row, 6)?;
    Ok(JournalRow {
        id: row.get(0)?,
        change: row.get(1)?,
        origin: column::variant(row, 2)?,
        file: JournalFile {
            path: std::ffi::OsString::from_vec(row.get(3)?).into(),
            before: column::json(row, 4)?,
            after: column::json(row, 5)?,
            parents: parents.iter().map(StoredPath::to_path).collect(),
        },
    })
}
