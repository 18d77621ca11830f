//! Files that a session has read, with their hashes: the record behind "read before edit".

use std::path::Path;

use rusqlite::params;

use super::statement::{execute, row};
use super::{Store, StoreError, now, path_text};
use crate::conversation::SessionId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    /// SHA-256 of the bytes, in hexadecimal.
    pub hash: String,
    /// Milliseconds since the Unix epoch, and in each session later than that of every record before.
    pub time: i64,
    /// Name of the encoding in which this content was read or written; `None` for what is no text.
    pub encoding: Option<String>,
}

impl Store {
    /// Records that the session knows the content of a file, because it read or wrote it.
    pub fn record_read(
        &self,
        session: &SessionId,
        real_path: &Path,
        hash: &str,
        encoding: Option<&str>,
    ) -> Result<(), StoreError> {
        execute(
            &self.connection(),
            "INSERT INTO file_reads (session, path, hash, time, encoding)
                 VALUES (?1, ?2, ?3,
                         max(?4, 1 + coalesce((SELECT max(time) FROM file_reads WHERE session = ?1), 0)), ?5)
                 ON CONFLICT DO UPDATE SET hash = excluded.hash, time = excluded.time, encoding = excluded.encoding",
            params![session.as_str(), path_text(real_path), hash, now(), encoding],
        )?;
        Ok(())
    }

    /// Returns what the session knows of a file, if it read it.
    pub fn file_read(&self, session: &SessionId, real_path: &Path) -> Result<Option<FileRead>, StoreError> {
        let sql = "SELECT hash, time, encoding FROM file_reads WHERE session = ?1 AND path = ?2";
        let file = [session.as_str(), &path_text(real_path)];
        row(&self.connection(), sql, file, |row| {
            Ok(FileRead {
                hash: row.get(0)?,
                time: row.get(1)?,
                encoding: row.get(2)?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{new_session, store_with};
    use super::*;

    #[test]
    fn the_last_read_counts_and_each_session_has_its_own() {
        let (store, session) = store_with("/p");
        let path = Path::new("/p/a.rs");
        assert_eq!(store.file_read(&session, path).unwrap(), None);
        store.record_read(&session, path, "one", Some("GBK")).unwrap();
        let read = store.file_read(&session, path).unwrap().unwrap();
        assert_eq!((&*read.hash, read.encoding.as_deref()), ("one", Some("GBK")));
        store.record_read(&session, path, "two", None).unwrap();
        let read = store.file_read(&session, path).unwrap().unwrap();
        assert_eq!((&*read.hash, read.encoding), ("two", None));
        let other = new_session("/p");
        store.create(&other).unwrap();
        assert_eq!(store.file_read(&other.id, path).unwrap(), None);
    }

    #[test]
    fn records_of_one_moment_keep_their_order() {
        let (store, session) = store_with("/p");
        let mut last = 0;
        for name in ["d", "c", "b", "a", "d"] {
            let path = Path::new("/p").join(name);
            store.record_read(&session, &path, "hash", None).unwrap();
            let time = store.file_read(&session, &path).unwrap().unwrap().time;
            assert!(time > last, "{name}: {time} is not after {last}");
            last = time;
        }
    }
}
