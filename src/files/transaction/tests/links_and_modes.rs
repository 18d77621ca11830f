//! Links that are made, led elsewhere and removed, and files that become executable.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn transaction(scratch: &Scratch) -> Transaction {
    Transaction::new(&scratch.records(), &scratch.base)
}

fn target(scratch: &Scratch, name: &str) -> Option<String> {
    let target = fs::read_link(scratch.at(name)).ok()?;
    Some(target.to_str().unwrap().to_owned())
}

fn mode(scratch: &Scratch, name: &str) -> u32 {
    scratch.at(name).metadata().unwrap().permissions().mode() & 0o777
}

fn set_mode(scratch: &Scratch, name: &str, mode: u32) {
    fs::set_permissions(scratch.at(name), fs::Permissions::from_mode(mode)).unwrap();
}

/// A new link, one that leads elsewhere afterwards, one that goes, a file that becomes executable and one that changes.
fn changes(scratch: &Scratch) -> Transaction {
    scratch.write("script", "same");
    set_mode(scratch, "script", 0o640);
    scratch.write("text", "old");
    symlink("old", scratch.at("moved")).unwrap();
    symlink("old", scratch.at("gone")).unwrap();
    let mut transaction = transaction(scratch);
    transaction.link(&scratch.at("deep/made"), Some(b"../text".to_vec()), None);
    transaction.link(&scratch.at("moved"), Some(b"new".to_vec()), Some(b"old".to_vec()));
    transaction.link(&scratch.at("gone"), None, Some(b"old".to_vec()));
    let same = ExpectedContent::Hash(ContentHash::of(b"same"));
    transaction.replace_with_mode(&scratch.at("script"), b"same".to_vec(), same, true);
    transaction.replace_with_mode(&scratch.at("text"), b"new".to_vec(), ExpectedContent::Any, false);
    transaction
}

fn check_old(scratch: &Scratch) {
    assert!(!scratch.at("deep").exists());
    assert_eq!(target(scratch, "moved").as_deref(), Some("old"));
    assert_eq!(target(scratch, "gone").as_deref(), Some("old"));
    assert_eq!(mode(scratch, "script"), 0o640);
    assert_eq!(fs::read_to_string(scratch.at("text")).unwrap(), "old");
}

fn check_new(scratch: &Scratch) {
    assert_eq!(target(scratch, "deep/made").as_deref(), Some("../text"));
    assert_eq!(target(scratch, "moved").as_deref(), Some("new"));
    assert_eq!(target(scratch, "gone"), None);
    assert!(!scratch.at("gone").exists());
    assert_eq!(mode(scratch, "script"), 0o750, "who may read it may execute it");
    assert_eq!(fs::read_to_string(scratch.at("text")).unwrap(), "new");
}

fn names(scratch: &Scratch) -> usize {
    fs::read_dir(&scratch.base).unwrap().count()
}

#[test]
fn links_and_modes_change_with_the_other_files() {
    let scratch = Scratch::new();
    changes(&scratch).commit().unwrap();
    check_new(&scratch);
    assert_eq!(names(&scratch), 5, "script, text, moved, deep, data");
}

#[test]
fn a_link_that_is_another_by_now_is_left_alone() {
    let scratch = Scratch::new();
    let prepared = changes(&scratch);
    fs::remove_file(scratch.at("moved")).unwrap();
    symlink("theirs", scratch.at("moved")).unwrap();
    assert_eq!(prepared.commit().unwrap_err().kind(), ErrorKind::Stale);
    assert_eq!(target(&scratch, "moved").as_deref(), Some("theirs"));
    let mut taken = transaction(&scratch);
    taken.link(&scratch.at("text"), Some(b"x".to_vec()), None);
    assert_eq!(taken.commit().unwrap_err().kind(), ErrorKind::Exists);
    assert_eq!(fs::read_to_string(scratch.at("text")).unwrap(), "old");
}

#[test]
fn a_failure_takes_links_and_modes_back() {
    let scratch = Scratch::new();
    let mut failing = changes(&scratch);
    failing.replace(&scratch.at("stale"), b"x".to_vec(), ExpectedContent::Absent);
    let mut commit = Commit::prepare(failing).unwrap();
    scratch.write("stale", "theirs");
    let error = (0..6).find_map(|index| commit.place(index).err().map(|error| (index, error)));
    let (failed, error) = error.unwrap();
    commit.roll_back(failed, error);
    fs::remove_file(scratch.at("stale")).unwrap();
    check_old(&scratch);
    assert_eq!(names(&scratch), 5, "script, text, moved, gone, data");
}

#[test]
fn after_a_crash_links_and_modes_are_put_back_or_all_there() {
    for placed in 0..=5 {
        let scratch = Scratch::new();
        let mut commit = Commit::prepare(changes(&scratch)).unwrap();
        for index in 0..placed {
            commit.place(index).unwrap();
        }
        commit.die();
        let recovery = recover(&scratch.records());
        assert_eq!(recovery.problems, Vec::<String>::new());
        if placed == 5 {
            assert_eq!(recovery.finished, 1);
            check_new(&scratch);
        } else {
            check_old(&scratch);
        }
    }
}
