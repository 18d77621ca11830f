//! Files that are removed and moved.

use super::*;

/// Removes `gone`, replaces `a`, moves `old` to `made/new`.
fn mixed(scratch: &Scratch) -> Transaction {
    scratch.write("a", "old a");
    scratch.write("gone", "old gone");
    scratch.write("old", "moved");
    let mut transaction = scratch.transaction(&[]);
    transaction.remove(
        &scratch.at("gone"),
        ExpectedContent::Hash(ContentHash::of(b"old gone")),
    );
    transaction.replace(&scratch.at("a"), b"new a".to_vec(), ExpectedContent::Any);
    let target = scratch.at("made/new");
    transaction.replace_like(
        &target,
        b"moved!".to_vec(),
        ExpectedContent::Absent,
        &scratch.at("old"),
    );
    transaction.remove(
        &scratch.at("old"),
        ExpectedContent::Hash(ContentHash::of(b"moved")),
    );
    transaction
}

const OLD: &[(&str, &str)] = &[("a", "old a"), ("gone", "old gone"), ("old", "moved")];
const NEW: &[(&str, &str)] = &[("a", "new a"), ("made/", ""), ("made/new", "moved!")];

#[test]
fn a_file_is_removed_and_its_bytes_are_told() {
    let scratch = Scratch::new();
    let written = mixed(&scratch).commit().unwrap();
    scratch.check(NEW);
    assert_eq!(
        (written[0].hash.as_ref(), &written[0].path),
        (None, &scratch.at("gone"))
    );
    assert_eq!(written[0].before.as_deref(), Some(&b"old gone"[..]));
    assert_eq!(written[2].before, None);
}

#[test]
fn what_is_not_as_expected_is_not_removed() {
    let scratch = Scratch::new();
    scratch.write("f", "theirs");
    fs::create_dir(scratch.at("dir")).unwrap();
    let commit = |name: &str, expected| {
        let mut transaction = scratch.transaction(&[("new", "x")]);
        transaction.remove(&scratch.at(name), expected);
        transaction.commit().map_err(|error| error.kind())
    };
    let read = || ExpectedContent::Hash(ContentHash::of(b"read"));
    assert_eq!(commit("f", read()), Err(ErrorKind::Stale));
    assert_eq!(commit("f", ExpectedContent::Absent), Err(ErrorKind::Exists));
    assert_eq!(commit("missing", read()), Err(ErrorKind::Stale));
    assert_eq!(commit("dir", ExpectedContent::Any), Err(ErrorKind::IsDirectory));
    scratch.check(&[("dir/", ""), ("f", "theirs")]);
    assert_eq!(
        commit("missing", ExpectedContent::Any).map(|written| written.len()),
        Ok(1)
    );
    scratch.check(&[("dir/", ""), ("f", "theirs"), ("new", "x")]);
}

#[test]
fn the_content_is_checked_again_just_before() {
    let scratch = Scratch::new();
    let mut commit = Commit::prepare(mixed(&scratch)).unwrap();
    scratch.write("gone", "theirs");
    let error = commit.place(0).unwrap_err();
    assert_eq!(commit.roll_back(0, error).kind(), ErrorKind::Stale);
    scratch.check(&[("a", "old a"), ("gone", "theirs"), ("old", "moved")]);
}

#[test]
fn a_failure_in_the_middle_brings_removed_files_back() {
    for placed in 0..4 {
        let scratch = Scratch::new();
        let mut commit = Commit::prepare(mixed(&scratch)).unwrap();
        for index in 0..placed {
            commit.place(index).unwrap();
        }
        let error = FileError::new("x", FileProblem::DiskFull);
        assert_eq!(commit.roll_back(placed, error).path(), Path::new("x"));
        scratch.check(OLD);
    }
}

#[test]
fn after_a_crash_everything_is_old_or_everything_is_new() {
    for placed in 0..=4 {
        let scratch = Scratch::new();
        let mut commit = Commit::prepare(mixed(&scratch)).unwrap();
        for index in 0..placed {
            commit.place(index).unwrap();
        }
        commit.die();
        let recovery = recover(&scratch.records());
        assert_eq!(recovery.problems, Vec::<String>::new());
        assert_eq!(recovery.finished, usize::from(placed == 4));
        scratch.check(if placed == 4 { NEW } else { OLD });
    }
}

#[test]
fn a_crash_while_the_old_files_go_leaves_everything_new() {
    let scratch = Scratch::new();
    let mut commit = Commit::prepare(mixed(&scratch)).unwrap();
    for index in 0..4 {
        commit.place(index).unwrap();
    }
    commit.steps[0].finish().unwrap();
    commit.die();
    assert_eq!(recover(&scratch.records()).finished, 1);
    scratch.check(NEW);
}

#[test]
fn a_single_removal_happened_or_did_not() {
    for (placed, expected) in [(0, &[("f", "x")][..]), (1, &[])] {
        let scratch = Scratch::new();
        scratch.write("f", "x");
        let mut transaction = scratch.transaction(&[]);
        transaction.remove(&scratch.at("f"), ExpectedContent::Any);
        let mut commit = Commit::prepare(transaction).unwrap();
        for index in 0..placed {
            commit.place(index).unwrap();
        }
        commit.die();
        assert_eq!(recover(&scratch.records()).problems, Vec::<String>::new());
        scratch.check(expected);
    }
}

#[test]
fn a_file_that_took_the_place_is_left_and_the_old_one_is_kept_and_named() {
    let scratch = Scratch::new();
    let mut commit = Commit::prepare(mixed(&scratch)).unwrap();
    commit.place(0).unwrap();
    commit.die();
    scratch.write("gone", "theirs");
    let recovery = recover(&scratch.records());
    assert_eq!(recovery.problems.len(), 1);
    assert!(recovery.problems[0].contains(".lathe-"), "{recovery:?}");
    assert_eq!(fs::read_to_string(scratch.at("gone")).unwrap(), "theirs");
    fs::remove_file(scratch.at("gone")).unwrap();
    assert_eq!(recover(&scratch.records()).problems, Vec::<String>::new());
    scratch.check(OLD);
}

#[cfg(unix)]
#[test]
fn a_moved_file_keeps_its_mode_and_a_removed_one_comes_back_itself() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let scratch = Scratch::new();
    let transaction = mixed(&scratch);
    let old = scratch.at("old");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(&old, scratch.at("second")).unwrap();
    let inode = fs::metadata(&old).unwrap().ino();
    let mut commit = Commit::prepare(transaction).unwrap();
    for index in 0..4 {
        commit.place(index).unwrap();
    }
    let mode = fs::metadata(scratch.at("made/new")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
    let error = FileError::new("x", FileProblem::DiskFull);
    let _ = commit.roll_back(4, error);
    assert_eq!(fs::metadata(&old).unwrap().ino(), inode);
    symlink("old", scratch.at("link")).unwrap();
    let mut transaction = scratch.transaction(&[]);
    transaction.remove(&scratch.at("link"), ExpectedContent::Any);
    assert!(
        transaction
            .commit()
            .unwrap_err()
            .to_string()
            .contains("is a symbolic link")
    );
}
