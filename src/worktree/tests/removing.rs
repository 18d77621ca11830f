//! When a tree goes, and when it does not.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn a_tree_without_anything_of_its_own_goes_and_says_how_many_ignored_files_went() {
    let fixture = Fixture::new();
    let before = fixture.everything();
    let tree = fixture.tree();
    tree.write("target/debug/a.o", "o\n");
    tree.write("x.log", "log\n");
    let removed = tree.remove(&Removal::Settled).unwrap();
    assert_eq!((removed.discarded, removed.ignored), (HeldWork::default(), 2));
    assert!(!tree.path.exists() && !tree.path.parent().unwrap().exists());
    assert_eq!(
        fs::read_dir(fixture.base.join("data/worktree-records"))
            .unwrap()
            .count(),
        0
    );
    assert_eq!(fixture.everything(), before);
    let error = tree.remove(&Removal::Settled).unwrap_err();
    assert!(matches!(error, TreeError::NotFound(_)), "{error}");
}

#[test]
fn a_tree_with_changes_is_named_and_stays_until_it_is_applied_or_discarded() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    tree.write("a.txt", "work\n");
    tree.write("new.txt", "work\n");
    let error = tree.remove(&Removal::Settled).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("2 changed files not applied yet (`a.txt`, `new.txt`)"),
        "{said}"
    );
    assert!(said.contains("`--discard`"), "{said}");
    assert_eq!(tree.read("a.txt"), "work\n");
    let shown = fixture.trees.changes(&tree.task, Against::Applied).unwrap();
    tree.write("new.txt", "more\n");
    let removal = Removal::DiscardShown(shown.work());
    let said = tree.remove(&removal).unwrap_err().to_string();
    assert!(said.contains("changes that were not shown"), "{said}");
    assert_eq!(tree.read("new.txt"), "more\n");
    let mut named = Vec::new();
    let removed = fixture.trees.remove(&tree.task, &Removal::Discard, |held| {
        assert!(tree.path.exists(), "it is named before it goes");
        named.clone_from(&held.files);
    });
    assert_eq!(named, ["a.txt", "new.txt"]);
    assert_eq!(removed.unwrap().discarded.files, named);
    assert!(!tree.path.exists());

    let tree = fixture.tree();
    tree.write("a.txt", "work\n");
    tree.apply();
    tree.remove(&Removal::Settled).unwrap();
    assert_eq!(fixture.read("a.txt"), "work\n");
}

#[test]
fn a_change_that_keeps_size_and_time_is_seen() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    let file = tree.path.join("b.txt");
    let time = file.metadata().unwrap().modified().unwrap();
    tree.write("b.txt", "B\n");
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let error = tree.remove(&Removal::Settled).unwrap_err();
    assert!(matches!(error, TreeError::Unapplied { .. }), "{error}");
    assert_eq!(tree.state(), TreeState::Unapplied);
}

#[test]
fn a_tree_that_somebody_lives_in_stays() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    let lease = fixture.trees.lease(&tree.task).unwrap();
    let error = tree.remove(&Removal::Discard).unwrap_err();
    assert!(matches!(error, TreeError::Live(_)), "{error}");
    drop(lease);
    let mut child = Command::new("sleep")
        .arg("600")
        .current_dir(&tree.path)
        .spawn()
        .unwrap();
    let error = tree.remove(&Removal::Discard).unwrap_err();
    assert!(
        matches!(error, TreeError::Occupied { pid, .. } if pid == child.id()),
        "{error}"
    );
    assert_eq!(tree.state(), TreeState::Live);
    child.kill().unwrap();
    child.wait().unwrap();
    tree.remove(&Removal::Settled).unwrap();
}

/// Changes a tree in a way that no diff shows.
type Damage = fn(&Tree<'_>);

#[test]
fn what_no_diff_shows_keeps_a_tree_too() {
    let fixture = Fixture::new();
    let cases: [(&str, Damage); 6] = [
        ("the stash", |tree| {
            tree.write("a.txt", "work\n");
            tree.git("stash -q");
        }),
        ("`side`", |tree| {
            tree.git("checkout -q -b side");
            tree.write("a.txt", "work\n");
            tree.git("commit -q -a -m side");
            tree.git("checkout -q -");
        }),
        ("its last commit", |tree| {
            tree.write("a.txt", "work\n");
            tree.git("commit -q -a -m work");
            tree.git("checkout -q HEAD~1 -- .");
        }),
        ("repositories of its own: `inner`", |tree| {
            tree.write("inner/x", "x\n");
            tree.git("init -q inner");
        }),
        ("cannot be read", |tree| {
            fs::remove_file(tree.path.join(".git/HEAD")).unwrap();
        }),
        ("`forced.log`", |tree| {
            tree.write("forced.log", "work\n");
            tree.git("add -f forced.log");
        }),
    ];
    for (named, work) in cases {
        let tree = fixture.tree();
        work(&tree);
        assert_eq!(tree.state(), TreeState::Unapplied, "{named}");
        let error = tree.remove(&Removal::Settled).unwrap_err().to_string();
        assert!(error.contains(named), "{named}: {error}");
        assert!(tree.path.exists());
        let removed = tree.remove(&Removal::Discard).unwrap();
        assert_ne!(removed.discarded, HeldWork::default());
        assert!(!tree.path.exists());
    }
}

#[test]
fn a_removal_that_was_cut_off_loses_nothing_that_was_not_settled() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    tree.write("a.txt", "work\n");
    let record = fixture.trees.storage.record(&tree.task);
    Storage::take_back(&record, &tree.path).unwrap();
    assert!(!tree.path.exists());
    assert_eq!(tree.state(), TreeState::Unapplied, "it is back");
    assert_eq!(tree.read("a.txt"), "work\n");
    // A task that goes on in a tree that was on its way out finds it, too.
    Storage::take_back(&record, &tree.path).unwrap();
    fixture.trees.create(&fixture.order(&tree.task)).unwrap();
    assert_eq!(tree.read("a.txt"), "work\n");

    tree.apply();
    Storage::take_back(&record, &tree.path).unwrap();
    record.mark_settled().unwrap();
    fs::remove_file(record.removing().join("a.txt")).unwrap();
    // A program that another test starts may hold a copy of the lock for a moment.
    let deadline = Instant::now() + Duration::from_secs(10);
    while !fixture.trees.list().unwrap().is_empty() {
        assert!(Instant::now() < deadline, "what was begun is finished");
        std::thread::yield_now();
    }
    assert!(!record.path().exists());
}

#[test]
fn a_tree_that_was_not_handed_out_goes() {
    let fixture = Fixture::new();
    let task: TaskId = "tsk_half".parse().unwrap();
    let record = fixture.trees.storage.record(&task);
    record.make().unwrap();
    record.write(&record.new_tree().join("a.txt"), b"half\n").unwrap();
    assert_eq!(fixture.trees.list().unwrap(), []);
    assert!(!record.path().exists());
    let path = fixture.trees.create(&fixture.order(&task)).unwrap();
    assert!(path.join("a.txt").exists());
}

#[test]
fn a_tree_without_a_record_is_listed_and_stays() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    fs::remove_dir_all(fixture.trees.storage.record(&tree.task).path()).unwrap();
    let listed = fixture.trees.list().unwrap();
    assert_eq!((listed.len(), listed[0].state), (1, TreeState::Unapplied));
    assert_eq!(listed[0].path, tree.path);
    assert!(tree.remove(&Removal::Discard).is_err());
    assert!(tree.path.exists());
}

#[test]
fn trees_with_changes_are_known_without_a_look_once_their_task_has_ended() {
    let fixture = Fixture::new();
    let (changed, empty) = (fixture.tree(), fixture.tree());
    changed.write("a.txt", "work\n");
    let lease = fixture.trees.lease(&changed.task).unwrap();
    assert_eq!(fixture.trees.unapplied(&fixture.project()), []);
    drop(lease);
    assert_eq!(
        fixture.trees.unapplied(&fixture.project()),
        std::slice::from_ref(&changed.task)
    );
    assert_eq!(fixture.trees.unapplied(Path::new("/elsewhere")), []);
    changed.apply();
    assert_eq!(fixture.trees.unapplied(&fixture.project()), []);
    fixture.trees.begin(&empty.task).unwrap();
    empty.write("a.txt", "work\n");
    assert_eq!(
        fixture.trees.settle(&empty.task).unwrap().state,
        TreeState::Unapplied
    );
    assert_eq!(
        fixture.trees.unapplied(&fixture.project()),
        std::slice::from_ref(&empty.task)
    );
}
