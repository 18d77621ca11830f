//! Transactions against a real directory.

mod crashes;
mod links_and_modes;
mod removals;
mod swaps;

use std::fs;

use tempfile::TempDir;

use super::replacement::Method;
use super::*;
use crate::conversation::ErrorKind;

struct Scratch {
    keep: TempDir,
    base: PathBuf,
}

impl Scratch {
    fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(keep.path()).unwrap();
        Self { keep, base }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        fs::write(self.at(name), content).unwrap();
        self.at(name)
    }

    fn records(&self) -> PathBuf {
        self.at("data/records")
    }

    fn transaction(&self, changes: &[(&str, &str)]) -> Transaction {
        let mut transaction = Transaction::new(&self.records(), &self.base);
        for (name, content) in changes {
            transaction.replace(&self.at(name), content.as_bytes().to_vec(), ExpectedContent::Any);
        }
        transaction
    }

    /// All files and directories but the records, each with its content.
    #[track_caller]
    fn check(&self, expected: &[(&str, &str)]) {
        let mut found = Vec::new();
        collect(&self.base, "", &mut found);
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, text)| (name.to_string(), text.to_string()))
            .collect();
        assert_eq!(found, expected);
        let records = fs::read_dir(self.records()).into_iter().flatten();
        let left: Vec<_> = records.map(|entry| entry.unwrap().file_name()).collect();
        assert!(
            left.iter().all(|name| name == commit_lock::NAME),
            "records are left: {left:?}"
        );
        assert!(self.keep.path().exists());
    }
}

fn collect(dir: &Path, prefix: &str, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(dir).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if name == "data" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            found.push((format!("{name}/"), String::new()));
            collect(&entry.path(), &format!("{name}/"), found);
        } else {
            found.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

#[test]
fn a_file_is_created_with_its_parents_and_replaced() {
    let scratch = Scratch::new();
    let written = scratch.transaction(&[("a/b/c.txt", "one")]).commit().unwrap();
    assert_eq!(written[0].before, None);
    assert_eq!(written[0].hash, Some(ContentHash::of(b"one")));
    let written = scratch.transaction(&[("a/b/c.txt", "two")]).commit().unwrap();
    assert_eq!(written[0].before.as_deref(), Some(&b"one"[..]));
    scratch.check(&[("a/", ""), ("a/b/", ""), ("a/b/c.txt", "two")]);
}

#[test]
fn a_file_that_changed_since_it_was_read_is_stale() {
    let scratch = Scratch::new();
    let path = scratch.write("f", "theirs");
    let commit = |expected| {
        let mut transaction = scratch.transaction(&[("new/g", "x")]);
        transaction.replace(&path, b"ours".to_vec(), expected);
        transaction.commit().map_err(|error| error.kind())
    };
    assert_eq!(
        commit(ExpectedContent::Hash(ContentHash::of(b"read"))),
        Err(ErrorKind::Stale)
    );
    assert_eq!(commit(ExpectedContent::Absent), Err(ErrorKind::Exists));
    scratch.check(&[("f", "theirs")]);
    assert!(commit(ExpectedContent::Hash(ContentHash::of(b"theirs"))).is_ok());
    scratch.check(&[("f", "ours"), ("new/", ""), ("new/g", "x")]);
}

#[test]
fn a_file_that_vanished_since_it_was_read_is_stale() {
    let scratch = Scratch::new();
    let mut transaction = scratch.transaction(&[]);
    transaction.replace(
        &scratch.at("f"),
        b"x".to_vec(),
        ExpectedContent::Hash(ContentHash::of(b"read")),
    );
    assert_eq!(transaction.commit().unwrap_err().kind(), ErrorKind::Stale);
    scratch.check(&[]);
}

#[test]
fn the_hash_is_checked_again_just_before_the_rename() {
    let scratch = Scratch::new();
    scratch.write("f", "old");
    for (name, kind) in [("f", ErrorKind::Stale), ("g", ErrorKind::Exists)] {
        let mut commit = Commit::prepare(scratch.transaction(&[(name, "ours")])).unwrap();
        scratch.write(name, "theirs");
        let error = commit.place(0).unwrap_err();
        assert_eq!(commit.roll_back(0, error).kind(), kind);
    }
    scratch.check(&[("f", "theirs"), ("g", "theirs")]);
}

#[test]
fn the_later_bytes_for_a_path_count() {
    let scratch = Scratch::new();
    let written = scratch
        .transaction(&[("f", "one"), ("f", "two")])
        .commit()
        .unwrap();
    assert_eq!(written.len(), 1);
    scratch.check(&[("f", "two")]);
}

#[test]
fn a_failure_in_the_middle_undoes_what_was_done() {
    let scratch = Scratch::new();
    scratch.write("a", "old a");
    scratch.write("c", "old c");
    let changes = [
        ("a", "new a"),
        ("made/b", "new b"),
        ("c", "new c"),
        ("d", "new d"),
    ];
    let mut commit = Commit::prepare(scratch.transaction(&changes)).unwrap();
    commit.place(0).unwrap();
    commit.place(1).unwrap();
    fs::remove_file(scratch.at("c")).unwrap();
    fs::create_dir(scratch.at("c")).unwrap();
    let error = commit.place(2).unwrap_err();
    assert_eq!(commit.roll_back(2, error).kind(), ErrorKind::IsDirectory);
    scratch.check(&[("a", "old a"), ("c/", "")]);
}

#[test]
fn a_target_that_cannot_be_a_file_changes_nothing() {
    let scratch = Scratch::new();
    scratch.write("plain", "x");
    fs::create_dir(scratch.at("dir")).unwrap();
    let kind = |name| {
        scratch
            .transaction(&[("ok/new", "y"), (name, "z")])
            .commit()
            .unwrap_err()
            .kind()
    };
    assert_eq!(kind("dir"), ErrorKind::IsDirectory);
    assert_eq!(kind("plain/below"), ErrorKind::NotDirectory);
    scratch.check(&[("dir/", ""), ("plain", "x")]);
}

#[test]
fn an_unreadable_records_directory_leaves_the_files_alone() {
    let scratch = Scratch::new();
    scratch.write("f", "old");
    let mut transaction = Transaction::new(&scratch.at("f/records"), &scratch.base);
    transaction.replace(&scratch.at("f"), b"new".to_vec(), ExpectedContent::Any);
    assert!(transaction.commit().is_err());
    scratch.check(&[("f", "old")]);
}

/// Has a file written in place, as one of another owner is, whoever runs the test.
fn in_place(transaction: Transaction) -> Result<Commit, FileError> {
    let turn = CommitLock::take(&transaction.records)?;
    let mut directories = Directories::new(&transaction.root);
    let inspected = |change| Step::inspect(change, &mut directories).transpose();
    let mut steps: Vec<_> = transaction
        .changes
        .into_iter()
        .filter_map(inspected)
        .collect::<Result<_, _>>()?;
    for step in &mut steps {
        if let Step::Replace(replacement) = step {
            replacement.method = Method::InPlace;
        }
    }
    Commit::begin(turn, steps, &transaction.records, None)
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn mode_bits_are_kept() {
        let scratch = Scratch::new();
        let path = scratch.write("run.sh", "old");
        for bits in [0o755, 0o600, 0o664] {
            fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
            scratch
                .transaction(&[("run.sh", &format!("new {bits}"))])
                .commit()
                .unwrap();
            assert_eq!(mode(&path), bits);
        }
    }

    #[test]
    fn a_new_file_has_the_mode_that_the_umask_gives() {
        let scratch = Scratch::new();
        let reference = scratch.write("reference", "");
        scratch.transaction(&[("new", "x")]).commit().unwrap();
        assert_eq!(mode(&scratch.at("new")), mode(&reference));
    }

    #[test]
    fn a_link_is_neither_followed_nor_replaced() {
        let scratch = Scratch::new();
        scratch.write("target", "old");
        symlink("target", scratch.at("link")).unwrap();
        symlink("gone", scratch.at("dangling")).unwrap();
        for name in ["link", "dangling"] {
            let error = scratch.transaction(&[(name, "new")]).commit().unwrap_err();
            assert!(matches!(error.problem(), FileProblem::Link), "{error}");
            assert!(fs::symlink_metadata(scratch.at(name)).unwrap().is_symlink());
        }
        fs::remove_file(scratch.at("dangling")).unwrap();
        scratch.check(&[("link", "old"), ("target", "old")]);
    }

    #[test]
    fn the_other_names_of_a_file_keep_what_it_was() {
        let scratch = Scratch::new();
        let one = scratch.write("one", "a long old text");
        fs::set_permissions(&one, fs::Permissions::from_mode(0o640)).unwrap();
        for name in ["two", "three"] {
            fs::hard_link(&one, scratch.at(name)).unwrap();
        }
        let written = scratch.transaction(&[("one", "short")]).commit().unwrap();
        assert_eq!(written[0].other_names, 2);
        assert_eq!(fs::metadata(&one).unwrap().mode() & 0o7777, 0o640);
        let old = "a long old text";
        scratch.check(&[("one", "short"), ("three", old), ("two", old)]);
    }

    #[test]
    fn a_file_that_got_another_name_is_not_written_in_place() {
        let scratch = Scratch::new();
        let one = scratch.write("one", "old");
        let mut commit = in_place(scratch.transaction(&[("one", "new")])).unwrap();
        fs::hard_link(&one, scratch.at("two")).unwrap();
        let error = commit.place(0).unwrap_err();
        assert!(error.to_string().contains("it has 1 other name"), "{error}");
        commit.roll_back(0, error);
        fs::remove_file(scratch.at("two")).unwrap();
        let inode = fs::metadata(&one).unwrap().ino();
        let mut commit = in_place(scratch.transaction(&[("one", "new")])).unwrap();
        commit.place(0).unwrap();
        assert_eq!(commit.finish()[0].other_names, 0);
        assert_eq!(fs::metadata(&one).unwrap().ino(), inode);
        scratch.check(&[("one", "new")]);
    }

    #[test]
    fn a_file_that_was_half_written_in_place_is_put_back() {
        for half in ["neold", "new o", "new text and", "old"] {
            let scratch = Scratch::new();
            scratch.write("one", "old o");
            let commit = in_place(scratch.transaction(&[("one", "new text and more")])).unwrap();
            commit.die();
            // `neold` is no mixture that a crash leaves, so it is somebody else's.
            scratch.write("one", half);
            let recovery = recover(&scratch.records());
            let is_ours = half == "new o" || half == "new text and";
            assert_eq!(
                recovery.rolled_back.len(),
                usize::from(is_ours),
                "{half}: {recovery:?}"
            );
            let left = if is_ours { "old o" } else { half };
            scratch.check(&[("one", left)]);
        }
    }

    #[test]
    fn protected_files_and_directories_keep_their_content() {
        if rustix::process::geteuid().is_root() {
            // Root may write everything; a file system of the kernel's own refuses even root.
            let mut transaction = Scratch::new().transaction(&[]);
            transaction.replace(Path::new("/proc/lathe-test"), b"x".to_vec(), ExpectedContent::Any);
            assert!(transaction.commit().is_err());
            return;
        }
        let scratch = Scratch::new();
        fs::create_dir(scratch.at("dir")).unwrap();
        let inside = scratch.write("dir/inside", "old");
        let protected = scratch.write("protected", "old");
        fs::set_permissions(&protected, fs::Permissions::from_mode(0o444)).unwrap();
        fs::set_permissions(scratch.at("dir"), fs::Permissions::from_mode(0o555)).unwrap();
        assert_eq!(
            scratch
                .transaction(&[("protected", "new")])
                .commit()
                .unwrap_err()
                .kind(),
            ErrorKind::Io
        );
        assert!(scratch.transaction(&[("dir/new", "new")]).commit().is_err());
        let inode = fs::metadata(&inside).unwrap().ino();
        scratch.transaction(&[("dir/inside", "new")]).commit().unwrap();
        assert_eq!(fs::metadata(&inside).unwrap().ino(), inode);
        fs::set_permissions(scratch.at("dir"), fs::Permissions::from_mode(0o755)).unwrap();
        scratch.check(&[("dir/", ""), ("dir/inside", "new"), ("protected", "old")]);
    }
}
