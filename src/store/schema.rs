//! Opening the database, and bringing an older one up to date.
//!
//! Opening a database that is up to date reads one page and sets a few pragmas. Migrations go forward only, all of them in
//! one exclusive transaction, after a copy of the old database was put beside it; a lock file keeps two new processes from
//! doing it together, because switching to WAL does not wait. A newer database is refused.

use std::cmp::Ordering;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

use super::{StoreError, database_path, private};
use crate::private_file;

/// How long a statement waits for another process that holds the database: longer than a backup or a check of it takes.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// There are about forty statements.
const CACHED_STATEMENTS: usize = 64;

/// A migration that was released is never changed.
const STEPS: &[M<'static>] = &[
    M::up(FIRST),
    M::up(TRUST),
    M::up(GRANT_ORIGIN),
    M::up(REQUESTS),
    M::up(TASKS),
    M::up(TASK_BOARD),
    M::up(CONTEXT_CHANGES),
    M::up(TEXT_INDEX),
    M::up(JOURNAL),
    M::up(LIBRARY),
    M::up(READ_ENCODINGS),
    M::up(PLACES),
];
const MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);
const LATEST: i64 = STEPS.len() as i64;

/// Times are milliseconds since the Unix epoch. `parts.seq` orders the parts of a session and `messages.position` its
/// messages; ids order nothing.
const FIRST: &str = "
CREATE TABLE sessions (
    id          TEXT PRIMARY KEY,
    parent      TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    project     TEXT NOT NULL,
    directory   TEXT NOT NULL,
    agent       TEXT NOT NULL,
    model       TEXT,
    title       TEXT NOT NULL,
    cost        REAL NOT NULL DEFAULT 0,
    unpriced    INTEGER NOT NULL DEFAULT 0, -- requests whose price is not known
    input       INTEGER NOT NULL DEFAULT 0,
    output      INTEGER NOT NULL DEFAULT 0,
    reasoning   INTEGER NOT NULL DEFAULT 0,
    cache_read  INTEGER NOT NULL DEFAULT 0,
    cache_write INTEGER NOT NULL DEFAULT 0,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_project ON sessions (project, updated);
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE prompts (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    agent   TEXT NOT NULL,
    text    TEXT NOT NULL,
    PRIMARY KEY (session, agent)
) STRICT;

CREATE TABLE messages (
    id       TEXT PRIMARY KEY,
    session  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    role     TEXT NOT NULL,
    state    TEXT NOT NULL,
    agent    TEXT,
    model    TEXT,
    created  INTEGER NOT NULL,
    stop     TEXT,
    usage    TEXT
) STRICT;
CREATE INDEX messages_in_order ON messages (session, position, state);
CREATE INDEX messages_streaming ON messages (session) WHERE state = 'streaming';

CREATE TABLE parts (
    id         INTEGER PRIMARY KEY, -- for the index of the full text
    message    TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    session    TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    unfinished INTEGER NOT NULL,    -- a call without its result
    body       TEXT NOT NULL,
    UNIQUE (session, seq)
) STRICT;
CREATE INDEX parts_by_message ON parts (message);
CREATE INDEX parts_unfinished ON parts (session) WHERE unfinished;

CREATE TABLE todos (
    session  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    body     TEXT NOT NULL,
    PRIMARY KEY (session, position)
) STRICT;

CREATE TABLE file_reads (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    path    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    time    INTEGER NOT NULL,
    PRIMARY KEY (session, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
    id      INTEGER PRIMARY KEY AUTOINCREMENT, -- an id that was revoked never names another grant
    key     TEXT NOT NULL,
    pattern TEXT NOT NULL,
    scope   TEXT NOT NULL,
    place   TEXT NOT NULL,                     -- the session or the project root; empty for everywhere
    created INTEGER NOT NULL,
    UNIQUE (key, pattern, scope, place)
) STRICT;

CREATE TABLE drafts (
    key     TEXT PRIMARY KEY,
    text    TEXT NOT NULL,
    updated INTEGER NOT NULL
) STRICT;
";

const TRUST: &str = "
CREATE TABLE trust (
    project TEXT NOT NULL,
    place   TEXT NOT NULL, -- the deepest directory that brings a part
    hash    TEXT NOT NULL,
    parts   TEXT NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (project, place)
) STRICT, WITHOUT ROWID;
";

/// Grants say in which session they were given; older ones do not know.
const GRANT_ORIGIN: &str = "ALTER TABLE grants ADD COLUMN origin TEXT NOT NULL DEFAULT '';";

/// `session` goes with the session; what was spent stays.
const REQUESTS: &str = "
CREATE TABLE requests (
    session     TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    project     TEXT NOT NULL,
    time        INTEGER NOT NULL,
    model       TEXT NOT NULL,
    agent       TEXT NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost        REAL -- NULL where the price is not known
) STRICT;
CREATE INDEX requests_by_time ON requests (time);
CREATE INDEX requests_by_session ON requests (session) WHERE session IS NOT NULL;
";

/// `place` is the order in which tasks were started.
const TASKS: &str = "
CREATE TABLE tasks (
    place   INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL UNIQUE REFERENCES sessions (id) ON DELETE CASCADE,
    is_told INTEGER NOT NULL, -- the session that started it knows how it ended, or is not to be told
    body    TEXT NOT NULL
) STRICT;
";

/// `place` is the order in which items were created. Items outlive the sessions that they name.
const TASK_BOARD: &str = "
CREATE TABLE board_items (
    place       INTEGER PRIMARY KEY AUTOINCREMENT,
    project     TEXT NOT NULL,
    id          TEXT NOT NULL,
    subject     TEXT NOT NULL,
    description TEXT NOT NULL,
    status      TEXT NOT NULL,
    active_form TEXT,
    owner       TEXT,
    metadata    TEXT NOT NULL,
    session     TEXT NOT NULL,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    UNIQUE (project, id)
) STRICT;

CREATE TABLE board_blocks (
    blocker INTEGER NOT NULL REFERENCES board_items (place) ON DELETE CASCADE,
    blocked INTEGER NOT NULL REFERENCES board_items (place) ON DELETE CASCADE,
    PRIMARY KEY (blocker, blocked)
) STRICT, WITHOUT ROWID;
CREATE INDEX board_blocks_by_blocked ON board_blocks (blocked);
";

/// Finds the changes of what models are sent of conversations.
const CONTEXT_CHANGES: &str = "CREATE INDEX parts_context ON parts (session) WHERE kind = 'context';";

/// Finds any three characters or more in what was said, whatever the script. `rowid` is that of the part. A reply that still
/// comes in is written down twice a second, so it is indexed when it has ended.
const TEXT_INDEX: &str = "
CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram');
INSERT INTO texts (rowid, text) SELECT id, json_extract(body, '$.text') FROM parts WHERE kind = 'text';

CREATE TRIGGER text_added AFTER INSERT ON parts
WHEN new.kind = 'text' AND (SELECT state FROM messages WHERE id = new.message) <> 'streaming'
BEGIN
    INSERT INTO texts (rowid, text) VALUES (new.id, json_extract(new.body, '$.text'));
END;
CREATE TRIGGER text_changed AFTER UPDATE OF body ON parts
WHEN new.kind = 'text' AND old.body <> new.body
    AND (SELECT state FROM messages WHERE id = new.message) <> 'streaming'
BEGIN
    DELETE FROM texts WHERE rowid = old.id;
    INSERT INTO texts (rowid, text) VALUES (new.id, json_extract(new.body, '$.text'));
END;
CREATE TRIGGER text_removed AFTER DELETE ON parts WHEN old.kind = 'text'
BEGIN
    DELETE FROM texts WHERE rowid = old.id;
END;
CREATE TRIGGER reply_ended AFTER UPDATE OF state ON messages
WHEN old.state = 'streaming' AND new.state <> 'streaming'
BEGIN
    DELETE FROM texts WHERE rowid IN (SELECT id FROM parts WHERE message = new.id AND kind = 'text');
    INSERT INTO texts (rowid, text)
        SELECT id, json_extract(body, '$.text') FROM parts WHERE message = new.id AND kind = 'text';
END;
";

/// Changes of files, and what was undone. `seq` is the last part of the tree's root when a change was made, and what an undo
/// took out of a conversation bears its number.
const JOURNAL: &str = "
CREATE TABLE journal_changes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    tree       TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    session    TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    origin     TEXT NOT NULL,
    is_pending INTEGER NOT NULL, -- entered, and not known to be done
    time       INTEGER NOT NULL
) STRICT;
CREATE INDEX journal_changes_of_tree ON journal_changes (tree, seq);
CREATE INDEX journal_changes_pending ON journal_changes (tree) WHERE is_pending;

CREATE TABLE journal_files (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    change  INTEGER NOT NULL REFERENCES journal_changes (id) ON DELETE CASCADE,
    path    BLOB NOT NULL,
    before  TEXT NOT NULL,
    after   TEXT NOT NULL,
    parents TEXT NOT NULL,
    undo    INTEGER
) STRICT;
CREATE INDEX journal_files_of_change ON journal_files (change);
CREATE INDEX journal_files_undone ON journal_files (undo) WHERE undo IS NOT NULL;

CREATE TABLE undos (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    tree   TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    begun  TEXT,                 -- undo or redo, where one of them is not known to be done
    record TEXT NOT NULL
) STRICT;
CREATE INDEX undos_of_tree ON undos (tree);

ALTER TABLE messages ADD COLUMN undo INTEGER;
CREATE INDEX messages_undone ON messages (session) WHERE undo IS NOT NULL;
";

/// Marks that a person gives sessions. `announced` is when a person was told that it is too old and will be removed.
const LIBRARY: &str = "
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN tags TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN announced INTEGER;
";

const READ_ENCODINGS: &str = "
ALTER TABLE file_reads ADD COLUMN encoding TEXT;
";

/// The identity of the root of each project, by which one that was moved is found again.
const PLACES: &str = "
CREATE TABLE project_places (
    project  TEXT PRIMARY KEY,
    identity TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX project_places_by_identity ON project_places (identity);
";

pub(super) fn open(data_dir: &Path) -> Result<Connection, StoreError> {
    let path = database_path(data_dir);
    let cannot = |source: Box<dyn std::error::Error + Send + Sync>| StoreError::Open {
        path: path.clone(),
        source,
    };
    private::create_dir(data_dir)?;
    // SQLite would make it readable for everybody; its side files take the permissions of this one.
    private_file::open(&path).map_err(|error| match StoreError::io(&path, error) {
        StoreError::Io { source, .. } => cannot(source.into()),
        known => known,
    })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(&path, flags).map_err(|error| cannot(error.into()))?;
    prepare(&connection)?;
    if is_older(&connection, &path)? {
        migrate(&mut connection, data_dir)?;
    }
    Ok(connection)
}

pub(super) fn open_in_memory() -> Result<Connection, StoreError> {
    let mut connection = Connection::open_in_memory()?;
    prepare(&connection)?;
    run_migrations(&mut connection)?;
    Ok(connection)
}

/// Sets what belongs to a connection and not to the database.
fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;")?;
    Ok(())
}

fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn is_older(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let found = version(connection)?;
    match found.cmp(&LATEST) {
        Ordering::Less => Ok(true),
        Ordering::Equal => Ok(false),
        Ordering::Greater => Err(StoreError::Newer {
            path: path.to_path_buf(),
            found,
            known: LATEST,
        }),
    }
}

fn migrate(connection: &mut Connection, data_dir: &Path) -> Result<(), StoreError> {
    let path = database_path(data_dir);
    let lock_path = data_dir.join("lathe.db.migrate");
    let lock = private_file::open(&lock_path).map_err(|error| StoreError::io(&lock_path, error))?;
    lock.lock().map_err(|error| StoreError::io(&lock_path, error))?;
    // Somebody else may have done it while we waited for the lock.
    if !is_older(connection, &path)? {
        return Ok(());
    }
    match version(connection)? {
        0 => connection.pragma_update(None, "journal_mode", "wal")?,
        old => back_up(connection, &path, old)?,
    }
    run_migrations(connection)
}

fn run_migrations(connection: &mut Connection) -> Result<(), StoreError> {
    connection.set_transaction_behavior(TransactionBehavior::Exclusive);
    let migrated = MIGRATIONS.to_latest(connection);
    connection.set_transaction_behavior(TransactionBehavior::Deferred);
    migrated.map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => err.into(),
        other => StoreError::Sql(rusqlite::Error::ToSqlConversionFailure(Box::new(other))),
    })
}

/// Copies the database to `lathe.db.v1.bak`. A half copy of an earlier try is replaced.
fn back_up(connection: &Connection, path: &Path, version: i64) -> Result<(), StoreError> {
    let backup = path.with_extension(format!("db.v{version}.bak"));
    let unfinished = path.with_extension(format!("db.v{version}.bak.new"));
    let failed = |error| StoreError::io(&backup, error);
    private_file::open(&unfinished)
        .and_then(|file| file.set_len(0))
        .map_err(failed)?;
    connection.execute("VACUUM INTO ?1", [super::path_text(&unfinished)])?;
    std::fs::rename(&unfinished, &backup).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_migrations_are_sound() {
        MIGRATIONS.validate().unwrap();
    }

    #[test]
    fn a_newer_database_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        drop(open(dir.path()).unwrap());
        let connection = Connection::open(database_path(dir.path())).unwrap();
        connection
            .pragma_update(None, "user_version", LATEST + 1)
            .unwrap();
        drop(connection);
        let error = open(dir.path()).unwrap_err();
        assert!(matches!(error, StoreError::Newer { .. }));
        assert!(error.to_string().contains("update lathe"), "{error}");
    }

    #[test]
    fn an_older_database_is_copied_before_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        let mut connection = open(dir.path()).unwrap();
        connection
            .execute("INSERT INTO drafts VALUES ('k', 'text', 0)", [])
            .unwrap();
        let path = database_path(dir.path());
        for _ in 0..2 {
            back_up(&connection, &path, 1).unwrap();
        }
        let copy = Connection::open(path.with_extension("db.v1.bak")).unwrap();
        let text: String = copy
            .query_row("SELECT text FROM drafts", [], |row| row.get(0))
            .unwrap();
        assert_eq!((text.as_str(), version(&copy).unwrap()), ("text", LATEST));
        assert!(!path.with_extension("db.v1.bak.new").exists());
        run_migrations(&mut connection).unwrap();
    }

    #[test]
    fn the_database_is_in_wal_mode_with_foreign_keys() {
        let dir = tempfile::tempdir().unwrap();
        drop(open(dir.path()).unwrap());
        let connection = open(dir.path()).unwrap();
        let text = |pragma: &str| {
            connection
                .query_row(pragma, [], |row| row.get::<_, String>(0))
                .unwrap()
        };
        let number = |pragma: &str| {
            connection
                .query_row(pragma, [], |row| row.get::<_, i64>(0))
                .unwrap()
        };
        assert_eq!(text("PRAGMA journal_mode"), "wal");
        assert_eq!(
            (number("PRAGMA foreign_keys"), number("PRAGMA synchronous")),
            (1, 1)
        );
    }

    #[test]
    fn many_processes_may_make_the_database_together() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let opened: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| open(dir.path()).map(drop)))
                .collect();
            for thread in opened {
                thread.join().unwrap().unwrap();
            }
        });
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_the_database() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data/lathe");
        let connection = open(&data).unwrap();
        connection
            .execute("INSERT INTO drafts VALUES ('k', 'text', 0)", [])
            .unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&database_path(&data))), (0o700, 0o600));
        assert_eq!(mode(&data.join("lathe.db-wal")), 0o600);
    }
}
