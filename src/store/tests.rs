//! The database as a file: reopened, shared, damaged, full.

use std::fs;

use super::fixture::{new_session, reply, text};
use super::*;
use crate::conversation::{MessageState, SessionId};

fn one_message(store: &Store) -> SessionId {
    let session = new_session("/p");
    store.create(&session).unwrap();
    let message = reply(MessageState::Complete);
    let part = MessageChange::Part {
        message: message.id.clone(),
        part: text(1, "kept"),
    };
    store
        .write(&session.id, &[MessageChange::Message(message), part])
        .unwrap();
    session.id
}

#[test]
fn what_was_written_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let session = one_message(&store);
    let before = store.load(&session).unwrap();
    drop(store);
    assert_eq!(Store::open(dir.path()).unwrap().load(&session).unwrap(), before);
}

#[test]
fn what_was_written_survives_a_process_that_never_closes() {
    let (dir, after) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::open(dir.path()).unwrap();
    let session = one_message(&store);
    // What the disk holds while the connection is open is what a killed process leaves.
    for name in ["lathe.db", "lathe.db-wal"] {
        fs::copy(dir.path().join(name), after.path().join(name)).unwrap();
    }
    let reopened = Store::open(after.path()).unwrap();
    assert_eq!(reopened.load(&session).unwrap()[0].text(), "kept");
}

#[test]
fn several_connections_write_and_see_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let session = one_message(&Store::open(dir.path()).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let store = Store::open(dir.path()).unwrap();
                for _ in 0..50 {
                    let change = MessageChange::Message(reply(MessageState::Complete));
                    store.write(&session, &[change]).unwrap();
                    store.load(&session).unwrap();
                }
            });
        }
    });
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(store.load(&session).unwrap().len(), 201);
}

#[test]
fn clones_share_one_connection_across_threads() {
    let store = Store::in_memory().unwrap();
    let session = one_message(&store);
    let clone = store.clone();
    let loaded = std::thread::spawn(move || clone.load(&session).unwrap())
        .join()
        .unwrap();
    assert_eq!(loaded.len(), 1);
}

#[test]
fn a_file_that_is_no_database_is_named_damaged() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        database_path(dir.path()),
        "this is a text file, and not a short one at all ".repeat(40),
    )
    .unwrap();
    let error = Store::open(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt(_)), "{error}");
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let session = one_message(&store);
    let pages: i64 = store
        .connection()
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    store
        .connection()
        .pragma_update(None, "max_page_count", pages)
        .unwrap();
    let message = reply(MessageState::Complete);
    let part = MessageChange::Part {
        message: message.id.clone(),
        part: text(2, &"x".repeat(100_000)),
    };
    let error = store
        .write(&session, &[MessageChange::Message(message), part])
        .unwrap_err();
    assert!(matches!(error, StoreError::Full), "{error}");
    assert_eq!(store.load(&session).unwrap().len(), 1);
}

#[test]
fn a_database_that_cannot_be_written_says_so() {
    let store = Store::in_memory().unwrap();
    store
        .connection()
        .pragma_update(None, "query_only", true)
        .unwrap();
    let error = store.create(&new_session("/p")).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly), "{error}");
    assert!(error.to_string().contains("LATHE_DATA_DIR"));
}

#[test]
fn a_database_that_somebody_keeps_locked_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (Store::open(dir.path()).unwrap(), Store::open(dir.path()).unwrap());
    two.connection().busy_timeout(Duration::ZERO).unwrap();
    one.connection().execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = two.create(&new_session("/p")).unwrap_err();
    assert!(matches!(error, StoreError::Locked), "{error}");
}

#[test]
fn a_database_that_is_locked_for_eight_seconds_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let waits = |store: &Store| -> i64 {
        let connection = store.connection();
        connection
            .query_row("PRAGMA busy_timeout", [], |row| row.get(0))
            .unwrap()
    };
    assert!(waits(&store) > 20_000, "{}", waits(&store));
    // To look whether it is free changes nothing about that.
    assert!(store.is_free().unwrap());
    assert!(waits(&store) > 20_000, "{}", waits(&store));
}

#[test]
fn a_locked_database_is_recognised_without_waiting() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (Store::open(dir.path()).unwrap(), Store::open(dir.path()).unwrap());
    one.connection().execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(!two.is_free().unwrap());
    one.connection().execute_batch("ROLLBACK").unwrap();
    assert!(two.is_free().unwrap());
}

#[test]
fn a_data_directory_that_cannot_be_made_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Store::open(&file.join("data")).unwrap_err();
    assert!(error.to_string().contains("file/data"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_data_directory_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::geteuid().is_root() {
        // Root may write anywhere but in the kernel's own file system.
        let error = Store::open(Path::new("/proc/self")).unwrap_err();
        assert!(error.to_string().contains("/proc/self/lathe.db"), "{error}");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let error = Store::open(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::Open { .. }), "{error}");
}
