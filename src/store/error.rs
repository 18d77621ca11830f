//! Errors of the store, in sentences that say what became of the user's things and what to do.

use std::io;
use std::path::PathBuf;

use rusqlite::{ErrorCode, ffi};

use crate::conversation::{MessageId, SessionId};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the disk is full, so the last step of the session was not saved; free some space and try again")]
    Full,
    #[error(
        "lathe's database is read-only, so nothing was saved; make its directory writable, or set \
        `LATHE_DATA_DIR` to another one"
    )]
    ReadOnly,
    #[error(
        "lathe's database is damaged; move `lathe.db` in the data directory away and start again, or put its \
        backup in its place"
    )]
    Corrupt(#[source] rusqlite::Error),
    #[error(
        "another process keeps lathe's database locked, so the last step of the session is not saved; end that \
        process and try again"
    )]
    Locked,
    #[error("`{}` was written by a newer lathe (format version {found}, this one knows {known}); update lathe, or \
        set `LATHE_DATA_DIR` to another directory", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("`{}` cannot be opened ({source}); check its permissions, or set `LATHE_DATA_DIR` to another \
        directory", path.display())]
    Open {
        path: PathBuf,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("`{}` cannot be created, because it or a directory above it is a file; move that file away, or set \
        `LATHE_DATA_DIR` to another directory", .0.display())]
    NotDirectory(PathBuf),
    #[error("there is no session `{0}`; `lathe sessions` lists them all")]
    UnknownSession(SessionId),
    #[error("there is no message `{0}` in this session")]
    UnknownMessage(MessageId),
    #[error("part {seq} belongs to another message of the session than `{message}`, so it was not saved")]
    SeqTaken { message: MessageId, seq: u64 },
    #[error("an entry of lathe's database cannot be read: {0}")]
    Body(#[source] serde_json::Error),
    #[error("`{}` could not be used: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("lathe's database failed: {0}")]
    Sql(#[source] rusqlite::Error),
}

impl StoreError {
    /// Says what an error of the operating system means for a file beside the database.
    pub(super) fn io(path: impl Into<PathBuf>, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            _ => Self::Io {
                path: path.into(),
                source,
            },
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        // The file that processes share beside the database could not grow.
        let shared_file = |error: &ffi::Error| error.extended_code == ffi::SQLITE_IOERR_SHMSIZE;
        if error.sqlite_error().is_some_and(shared_file) {
            return Self::Full;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(error),
            _ => Self::Sql(error),
        }
    }
}
