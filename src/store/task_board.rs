//! The task boards of projects.
//!
//! Each change is one transaction that takes the write lock first, so that processes that change one board lose nothing
//! of each other. A dependency is one row, which both of its ends are read from: they cannot disagree. An item that is
//! deleted keeps its row and loses its dependencies.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use rusqlite::{Connection, Row, params};
use serde_json::{Map, Value};

use super::statement::{execute, only_row, row, rows};
use super::{Store, StoreError, column, now, path_text};
use crate::conversation::{BoardItem, BoardItemId, BoardItemName, BoardRow, BoardStatus, SessionId};

/// An item to be created.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBoardItem {
    pub subject: String,
    pub description: String,
    pub active_form: Option<String>,
    pub owner: Option<String>,
    pub metadata: Map<String, Value>,
    pub blocks: Vec<BoardItemId>,
    pub blocked_by: Vec<BoardItemId>,
    pub session: SessionId,
}

/// A change to an item; what is `None` or empty stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoardItemChange {
    pub subject: Option<String>,
    pub description: Option<String>,
    pub status: Option<BoardStatus>,
    /// Empty text takes it away.
    pub active_form: Option<String>,
    /// Empty text takes it away.
    pub owner: Option<String>,
    pub add_blocks: Vec<BoardItemId>,
    pub add_blocked_by: Vec<BoardItemId>,
    /// Taken away before the others are added.
    pub remove_blocks: Vec<BoardItemId>,
    pub remove_blocked_by: Vec<BoardItemId>,
    /// Keys that are set; `null` takes one away.
    pub metadata: Map<String, Value>,
}

/// An item after a change.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedBoardItem {
    pub item: BoardItem,
    /// The status before the change.
    pub previous: BoardStatus,
    /// Items that waited for the completion of this one and for nothing else.
    pub unblocked: Vec<BoardItemName>,
}

/// Why a board was not changed.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    #[error("there is no item `{0}` on the task board of this project, so nothing was changed")]
    Unknown(BoardItemId),
    #[error("item `{0}` of the task board is deleted and can have no dependencies, so nothing was changed")]
    Deleted(BoardItemId),
    /// The items of the cycle, the first one again at the end.
    #[error("these items would wait for each other for ever, so nothing was changed: {}", arrows(.0))]
    Cycle(Vec<BoardItemId>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<rusqlite::Error> for BoardError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

fn arrows(cycle: &[BoardItemId]) -> String {
    let names: Vec<_> = cycle.iter().map(BoardItemId::as_str).collect();
    names.join(" blocks ")
}

impl Store {
    /// Puts a new item on the board of a project.
    pub fn create_board_item(&self, project: &Path, new: &NewBoardItem) -> Result<BoardItem, BoardError> {
        self.transact(|connection| {
            let board = Board::new(connection, project);
            let place = board.insert(new)?;
            board.link(place, &new.blocks, &new.blocked_by)?;
            Ok(board.item(place)?)
        })
    }

    pub fn board_item(&self, project: &Path, id: &BoardItemId) -> Result<Option<BoardItem>, StoreError> {
        let connection = self.connection();
        let board = Board::new(&connection, project);
        match board.find(id)? {
            Some((place, _)) => board.item(place).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the items with this status, or those that are neither completed nor deleted, in the order of their
    /// creation; only those of one owner, if one is given.
    pub fn board_rows(
        &self,
        project: &Path,
        status: Option<BoardStatus>,
        owner: Option<&str>,
    ) -> Result<Vec<BoardRow>, StoreError> {
        let status = status.map(BoardStatus::name);
        rows(
            &self.connection(),
            "SELECT id, subject, status, owner,
                    (SELECT group_concat(other.id, ' ' ORDER BY other.place) FROM board_blocks
                     JOIN board_items AS other ON other.place = board_blocks.blocker
                     WHERE board_blocks.blocked = item.place AND other.status <> 'completed')
             FROM board_items AS item
             WHERE project = ?1 AND (?3 IS NULL OR owner = ?3)
                   AND CASE WHEN ?2 IS NULL THEN status NOT IN ('completed', 'deleted') ELSE status = ?2 END
             ORDER BY place",
            params![path_text(project), status, owner],
            |row| {
                Ok(BoardRow {
                    id: column::parsed(row, 0)?,
                    subject: row.get(1)?,
                    status: column::parsed(row, 2)?,
                    owner: row.get(3)?,
                    blocked_by: ids(row, 4)?,
                })
            },
        )
    }

    /// Changes an item. Where a part of the change is refused, nothing of it is done.
    pub fn change_board_item(
        &self,
        project: &Path,
        id: &BoardItemId,
        change: &BoardItemChange,
    ) -> Result<ChangedBoardItem, BoardError> {
        self.transact(|connection| {
            let board = Board::new(connection, project);
            let (place, previous) = board.find(id)?.ok_or_else(|| BoardError::Unknown(id.clone()))?;
            if *change != BoardItemChange::default() {
                board.change(place, change)?;
            }
            let item = board.item(place)?;
            let is_completed = |status| status == BoardStatus::Completed;
            let unblocked = if is_completed(item.status) && !is_completed(previous) {
                board.waited_for_nothing_else(place)?
            } else {
                Vec::new()
            };
            Ok(ChangedBoardItem {
                item,
                previous,
                unblocked,
            })
        })
    }
}

/// The board of one project. Items are named by their places, which the database gives out.
struct Board<'a> {
    connection: &'a Connection,
    project: String,
}

impl<'a> Board<'a> {
    fn new(connection: &'a Connection, project: &Path) -> Self {
        Self {
            connection,
            project: path_text(project),
        }
    }

    fn find(&self, id: &BoardItemId) -> Result<Option<(i64, BoardStatus)>, StoreError> {
        let sql = "SELECT place, status FROM board_items WHERE project = ?1 AND id = ?2";
        row(self.connection, sql, [&self.project, id.as_str()], |row| {
            Ok((row.get(0)?, column::parsed(row, 1)?))
        })
    }

    fn insert(&self, new: &NewBoardItem) -> Result<i64, StoreError> {
        let mut id = BoardItemId::random();
        while self.find(&id)?.is_some() {
            id = BoardItemId::random();
        }
        let mut metadata = Map::new();
        merge(&mut metadata, &new.metadata);
        execute(
            self.connection,
            "INSERT INTO board_items (project, id, subject, description, status, active_form, owner, metadata,
                                      session, created, updated)
             VALUES (?1, ?2, ?3, ?4, ?5, nullif(?6, ''), nullif(?7, ''), ?8, ?9, ?10, ?10)",
            params![
                self.project,
                id.as_str(),
                new.subject,
                new.description,
                BoardStatus::Pending.name(),
                new.active_form,
                new.owner,
                column::to_json(&metadata)?,
                new.session.as_str(),
                now(),
            ],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    fn item(&self, place: i64) -> Result<BoardItem, StoreError> {
        only_row(
            self.connection,
            "SELECT id, subject, description, status, active_form, owner, metadata, session, created, updated,
                    (SELECT group_concat(other.id, ' ' ORDER BY other.place) FROM board_blocks
                     JOIN board_items AS other ON other.place = board_blocks.blocked
                     WHERE board_blocks.blocker = item.place),
                    (SELECT group_concat(other.id, ' ' ORDER BY other.place) FROM board_blocks
                     JOIN board_items AS other ON other.place = board_blocks.blocker
                     WHERE board_blocks.blocked = item.place)
             FROM board_items AS item WHERE place = ?1",
            [place],
            |row| {
                Ok(BoardItem {
                    id: column::parsed(row, 0)?,
                    subject: row.get(1)?,
                    description: row.get(2)?,
                    status: column::parsed(row, 3)?,
                    active_form: row.get(4)?,
                    owner: row.get(5)?,
                    metadata: column::json(row, 6)?,
                    session: column::parsed(row, 7)?,
                    created: row.get(8)?,
                    updated: row.get(9)?,
                    blocks: ids(row, 10)?,
                    blocked_by: ids(row, 11)?,
                })
            },
        )
    }

    fn change(&self, place: i64, change: &BoardItemChange) -> Result<(), BoardError> {
        let mut metadata = self.item(place)?.metadata;
        merge(&mut metadata, &change.metadata);
        execute(
            self.connection,
            "UPDATE board_items
                 SET subject = ifnull(?2, subject), description = ifnull(?3, description),
                     status = ifnull(?4, status), active_form = nullif(ifnull(?5, active_form), ''),
                     owner = nullif(ifnull(?6, owner), ''), metadata = ?7, updated = ?8
                 WHERE place = ?1",
            params![
                place,
                change.subject,
                change.description,
                change.status.map(BoardStatus::name),
                change.active_form,
                change.owner,
                column::to_json(&metadata)?,
                now(),
            ],
        )?;
        if change.status == Some(BoardStatus::Deleted) {
            self.unlink_all(place)?;
        }
        self.unlink(place, &change.remove_blocks, &change.remove_blocked_by)?;
        self.link(place, &change.add_blocks, &change.add_blocked_by)
    }

    /// Lets an item block the ones and wait for the others.
    fn link(&self, place: i64, blocks: &[BoardItemId], blocked_by: &[BoardItemId]) -> Result<(), BoardError> {
        if blocks.is_empty() && blocked_by.is_empty() {
            return Ok(());
        }
        let own = self.item(place)?;
        if own.status == BoardStatus::Deleted {
            return Err(BoardError::Deleted(own.id));
        }
        for id in blocks {
            self.add_dependency(place, self.linkable(id)?)?;
        }
        for id in blocked_by {
            self.add_dependency(self.linkable(id)?, place)?;
        }
        Ok(())
    }

    fn linkable(&self, id: &BoardItemId) -> Result<i64, BoardError> {
        match self.find(id)? {
            Some((_, BoardStatus::Deleted)) => Err(BoardError::Deleted(id.clone())),
            Some((place, _)) => Ok(place),
            None => Err(BoardError::Unknown(id.clone())),
        }
    }

    /// Lets one item wait for another. There was no cycle before, so one that there would be now goes through both.
    fn add_dependency(&self, blocker: i64, waiting: i64) -> Result<(), BoardError> {
        if let Some(path) = self.path(waiting, blocker)? {
            let around = path.into_iter().chain([waiting]);
            let cycle = around.map(|place| Ok(self.item(place)?.id));
            return Err(BoardError::Cycle(cycle.collect::<Result<_, StoreError>>()?));
        }
        let sql = "INSERT OR IGNORE INTO board_blocks (blocker, blocked) VALUES (?1, ?2)";
        execute(self.connection, sql, [blocker, waiting])?;
        Ok(())
    }

    /// Returns the items on the way from one that blocks to one that waits for it, both ends included.
    fn path(&self, from: i64, to: i64) -> Result<Option<Vec<i64>>, StoreError> {
        let waiting = "SELECT blocked FROM board_blocks WHERE blocker = ?1 ORDER BY blocked";
        let mut came_from = HashMap::from([(from, from)]);
        let mut open = vec![from];
        while let Some(place) = open.pop() {
            if place == to {
                let back = std::iter::successors(Some(to), |place| {
                    let before = came_from.get(place).copied();
                    before.filter(|before| before != place)
                });
                let mut path: Vec<i64> = back.collect();
                path.reverse();
                return Ok(Some(path));
            }
            for next in rows(self.connection, waiting, [place], |row| row.get::<_, i64>(0))? {
                if let Entry::Vacant(new) = came_from.entry(next) {
                    new.insert(place);
                    open.push(next);
                }
            }
        }
        Ok(None)
    }

    fn unlink(
        &self,
        place: i64,
        blocks: &[BoardItemId],
        blocked_by: &[BoardItemId],
    ) -> Result<(), BoardError> {
        let delete = |blocker: i64, blocked: i64| {
            let sql = "DELETE FROM board_blocks WHERE blocker = ?1 AND blocked = ?2";
            execute(self.connection, sql, [blocker, blocked])
        };
        let place_of = |id: &BoardItemId| match self.find(id)? {
            Some((place, _)) => Ok(place),
            None => Err(BoardError::Unknown(id.clone())),
        };
        for id in blocks {
            delete(place, place_of(id)?)?;
        }
        for id in blocked_by {
            delete(place_of(id)?, place)?;
        }
        Ok(())
    }

    fn unlink_all(&self, place: i64) -> Result<(), StoreError> {
        let sql = "DELETE FROM board_blocks WHERE blocker = ?1 OR blocked = ?1";
        execute(self.connection, sql, [place]).map(drop)
    }

    /// Returns the open items that waited for this one, which is completed now, and for no other that is not.
    fn waited_for_nothing_else(&self, place: i64) -> Result<Vec<BoardItemName>, StoreError> {
        rows(
            self.connection,
            "SELECT item.id, item.subject FROM board_items AS item
             JOIN board_blocks ON board_blocks.blocked = item.place
             WHERE board_blocks.blocker = ?1 AND item.status IN ('pending', 'in_progress')
                   AND NOT EXISTS (
                       SELECT 1 FROM board_blocks JOIN board_items AS other ON other.place = board_blocks.blocker
                       WHERE board_blocks.blocked = item.place AND other.status <> 'completed')
             ORDER BY item.place",
            [place],
            |row| {
                Ok(BoardItemName {
                    id: column::parsed(row, 0)?,
                    subject: row.get(1)?,
                })
            },
        )
    }
}

/// Reads ids with blanks between them.
fn ids(row: &Row<'_>, column: usize) -> Result<Vec<BoardItemId>, rusqlite::Error> {
    let text: Option<String> = row.get(column)?;
    let text = text.unwrap_or_default();
    let ids = text.split_whitespace().map(|id| column::parsed_text(id, column));
    ids.collect()
}

fn merge(metadata: &mut Map<String, Value>, changes: &Map<String, Value>) {
    for (key, value) in changes {
        if value.is_null() {
            metadata.shift_remove(key);
        } else {
            metadata.insert(key.clone(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests;
