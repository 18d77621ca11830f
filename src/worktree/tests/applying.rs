//! Changes in a tree, and their way into the project.

use super::ChangeKind::{Added, Changed, Moved, Removed};
use super::*;

#[test]
fn a_tree_of_a_project_that_was_moved_is_applied_where_it_is_now() {
    let fixture = Fixture::new();
    let (tree, other) = (fixture.tree(), Fixture::new());
    tree.write("new.txt", "x\n");
    for place in ["moved", "moved again"] {
        let old = fixture.trees.find(&tree.task).unwrap().project.unwrap();
        let new = fixture.base.join(place);
        fs::rename(&old, &new).unwrap();
        fixture
            .trees
            .follow(&old, &new, |task| *task == tree.task)
            .unwrap();
    }
    // Neither a tree of another task nor one of another project is meant.
    let now = fixture.base.join("moved again");
    fixture.trees.follow(&now, &other.base, |_| false).unwrap();
    fixture
        .trees
        .follow(&other.project(), &other.base, |_| true)
        .unwrap();
    let applied = fixture.trees.apply(&tree.task, &Selection::All).unwrap();
    assert_eq!(applied.applied, ["new.txt"]);
    let new = fixture.base.join("moved again/new.txt");
    assert_eq!(fs::read_to_string(new).unwrap(), "x\n");
    assert!(!fixture.project().exists());
    assert_eq!(fixture.trees.find(&tree.task).unwrap().path, tree.path);
}

#[test]
fn every_kind_of_change_is_listed_and_applied() {
    let fixture = Fixture::new();
    fixture.write("moved.txt", &lines(40));
    fixture.write("gone.txt", "gone\n");
    fixture.write("script.sh", "echo\n");
    fixture.write("picture", "\0one");
    link("a.txt", &fixture.path("link"));
    link("a.txt", &fixture.path("old-link"));
    fixture.commit();
    let tree = fixture.tree();
    tree.write("a.txt", &lines(30).replace("\n7\n", "\nseven\n"));
    tree.write("new/n.txt", "1\n2\n");
    tree.write("new/run.sh", "echo\n");
    set_executable(&tree.path.join("new/run.sh"));
    fs::remove_file(tree.path.join("gone.txt")).unwrap();
    fs::rename(tree.path.join("moved.txt"), tree.path.join("new/moved.txt")).unwrap();
    set_executable(&tree.path.join("script.sh"));
    tree.write("picture", "\0two");
    fs::remove_file(tree.path.join("link")).unwrap();
    link("b.txt", &tree.path.join("link"));
    fs::remove_file(tree.path.join("old-link")).unwrap();
    link("../a.txt", &tree.path.join("new/link"));
    tree.write("build.log", "ignored\n");
    let files = tree.changes();
    let listed: Vec<_> = files
        .iter()
        .map(|file| {
            (
                file.path.as_str(),
                file.kind,
                (file.additions, file.deletions),
                file.hunks.len(),
                file.note.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("a.txt", Changed, (1, 1), 1, None),
            ("gone.txt", Removed, (0, 1), 1, None),
            ("link", Changed, (1, 1), 0, Some("a link to b.txt")),
            ("new/link", Added, (1, 0), 0, Some("a link to ../a.txt")),
            ("new/moved.txt", Moved, (0, 0), 0, None),
            ("new/n.txt", Added, (2, 0), 1, None),
            ("new/run.sh", Added, (1, 0), 1, Some("executable now")),
            ("old-link", Removed, (0, 1), 0, Some("a link to a.txt")),
            ("picture", Changed, (0, 0), 0, Some("not text")),
            ("script.sh", Changed, (0, 0), 0, Some("executable now")),
        ]
    );
    assert_eq!(files[4].from.as_deref(), Some("moved.txt"));
    let summary = fixture.trees.find(&tree.task).unwrap();
    assert_eq!((summary.additions, summary.deletions, summary.files), (6, 4, 10));
    assert_eq!(summary.state, TreeState::Unapplied);

    let git = files_below(&fixture.path(".git"));
    let applied = tree.apply();
    assert_eq!(applied.conflicts, []);
    assert_eq!(applied.applied.len(), 10);
    assert_eq!(
        files_below(&fixture.path(".git")),
        git,
        "neither index nor references"
    );
    let own = |root: &Path| -> Vec<_> {
        let files = files_below(root).into_iter();
        let files = files.map(|(path, bytes)| (path.strip_prefix(root).unwrap().to_owned(), bytes));
        let kept = files.filter(|(path, _)| !path.starts_with(".git") && !path.ends_with("build.log"));
        kept.collect()
    };
    assert_eq!(own(&fixture.project()), own(&tree.path));
    assert!(is_executable(&fixture.path("script.sh")) && is_executable(&fixture.path("new/run.sh")));
    assert!(!is_executable(&fixture.path("new/n.txt")));
    assert_eq!(tree.state(), TreeState::Applied);
    assert_eq!(tree.changes(), []);
    assert_eq!(tree.apply(), ApplyResult::default());
}

#[test]
fn what_the_person_changed_meanwhile_is_kept() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    tree.write("a.txt", &lines(30).replace("\n7\n", "\nseven\n"));
    fixture.write("a.txt", &lines(30).replace("\n20\n", "\ntwenty\n"));
    set_executable(&fixture.path("a.txt"));
    assert_eq!(tree.apply().applied, ["a.txt"]);
    let both = lines(30)
        .replace("\n7\n", "\nseven\n")
        .replace("\n20\n", "\ntwenty\n");
    assert_eq!(fixture.read("a.txt"), both);
    assert!(is_executable(&fixture.path("a.txt")));
    // The tree goes on from what was applied, and so does the person.
    tree.write("a.txt", &lines(30).replace("\n7\n", "\nseven!\n"));
    assert_eq!(tree.state(), TreeState::Unapplied);
    assert_eq!(tree.apply().applied, ["a.txt"]);
    assert_eq!(fixture.read("a.txt"), both.replace("seven", "seven!"));
}

#[test]
fn one_conflict_keeps_everything_from_being_written() {
    let fixture = Fixture::new();
    fixture.write("bin", "\0one");
    fixture.write("gone.txt", "x\n");
    fixture.write("kept.txt", "x\n");
    fixture.commit();
    let tree = fixture.tree();
    tree.write("a.txt", &lines(30).replace("\n7\n", "\nseven\n"));
    tree.write("b.txt", "tree\n");
    tree.write("bin", "\0tree");
    tree.write("new.txt", "tree\n");
    tree.write("gone.txt", "tree\n");
    tree.write("in/the/way", "tree\n");
    fs::remove_file(tree.path.join("kept.txt")).unwrap();
    fixture.write("b.txt", "project\n");
    fixture.write("bin", "\0project");
    fixture.write("new.txt", "project\n");
    fs::remove_file(fixture.path("gone.txt")).unwrap();
    fixture.write("kept.txt", "project\n");
    fixture.write("in", "a file\n");
    let before = fixture.everything();
    let applied = tree.apply();
    assert_eq!(applied.applied, [""; 0]);
    let conflicts: Vec<_> = applied
        .conflicts
        .iter()
        .map(|conflict| conflict.path.as_str())
        .collect();
    assert_eq!(
        conflicts,
        ["b.txt", "bin", "gone.txt", "in/the/way", "kept.txt", "new.txt"]
    );
    assert_eq!(fixture.everything(), before);
    assert_eq!(tree.state(), TreeState::Unapplied);
}

#[test]
fn a_change_that_the_project_has_already_is_applied_without_a_write() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    tree.write("a.txt", "same\n");
    tree.write("new.txt", "same\n");
    link("x", &tree.path.join("link"));
    fs::remove_file(tree.path.join("b.txt")).unwrap();
    fixture.write("a.txt", "same\n");
    fixture.write("new.txt", "same\n");
    link("x", &fixture.path("link"));
    fs::remove_file(fixture.path("b.txt")).unwrap();
    let before = fixture.everything();
    assert_eq!(tree.apply().applied.len(), 4);
    assert_eq!(fixture.everything(), before);
    assert_eq!(tree.state(), TreeState::Applied);
}

#[test]
fn a_moved_file_takes_along_what_the_person_made_of_it() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    fs::remove_file(tree.path.join("a.txt")).unwrap();
    tree.write("sub/moved.txt", &lines(30).replace("\n7\n", "\nseven\n"));
    fixture.write("a.txt", &lines(30).replace("\n20\n", "\ntwenty\n"));
    assert_eq!(tree.apply().applied, ["sub/moved.txt"]);
    let both = lines(30)
        .replace("\n7\n", "\nseven\n")
        .replace("\n20\n", "\ntwenty\n");
    assert_eq!(fixture.read("sub/moved.txt"), both);
    assert!(!fixture.path("a.txt").exists());
    assert_eq!(tree.state(), TreeState::Applied);
}

#[test]
fn hunks_are_applied_one_by_one() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    tree.write(
        "a.txt",
        &lines(30).replace("\n5\n", "\nfive\n").replace("\n25\n", "\n"),
    );
    tree.write("b.txt", "changed\n");
    let file = |tree: &Tree<'_>, name: &str| tree.changes().into_iter().find(|file| file.path == name);
    let select = |file: &TreeFile, hunks: &[usize]| {
        Selection::Files(vec![FileSelection {
            path: file.path.clone(),
            version: file.version.clone(),
            hunks: Some(hunks.to_vec()),
        }])
    };
    let shown = file(&tree, "a.txt").unwrap();
    assert_eq!(shown.hunks.len(), 2);
    assert!(
        shown.hunks[0].text.starts_with("@@ -2,7 +2,7 @@\n 2\n"),
        "{shown:?}"
    );
    let apply = |selection: &Selection| fixture.trees.apply(&tree.task, selection);
    apply(&select(&shown, &[1])).unwrap();
    assert_eq!(fixture.read("a.txt"), lines(30).replace("\n25\n", "\n"));
    assert_eq!(fixture.read("b.txt"), "b\n");
    assert_eq!(tree.state(), TreeState::Unapplied);
    // The hunk that was applied is left out of what is offered, and what was shown before is another change.
    let stale = apply(&select(&shown, &[0])).unwrap_err();
    assert!(matches!(stale, TreeError::Stale(_)), "{stale}");
    let rest = file(&tree, "a.txt").unwrap();
    assert_eq!(rest.hunks.len(), 1);
    apply(&select(&rest, &[0])).unwrap();
    assert_eq!(fixture.read("a.txt"), tree.read("a.txt"));
    assert_eq!(tree.changes().len(), 1);
    tree.apply();
    assert_eq!(tree.state(), TreeState::Applied);
}

#[test]
fn line_endings_of_the_project_are_kept() {
    let fixture = Fixture::new();
    fixture.write(".gitattributes", "*.bat text eol=crlf\n");
    fixture.write("x.bat", "one\r\ntwo\r\nthree\r\n");
    fixture.commit();
    // Older than the index, so that git takes it for unchanged and has it with its own line endings.
    let file = fs::File::options()
        .write(true)
        .open(fixture.path("x.bat"))
        .unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    fixture.git("add x.bat");
    let tree = fixture.tree();
    assert_eq!(tree.read("x.bat"), "one\ntwo\nthree\n");
    tree.write("x.bat", "one\n2\nthree\n");
    assert_eq!(tree.apply().applied, ["x.bat"]);
    assert_eq!(fixture.read("x.bat"), "one\r\n2\r\nthree\r\n");
    assert_eq!(tree.state(), TreeState::Applied);
}

#[test]
fn what_becomes_of_the_tree_s_own_repository_does_not_matter() {
    let fixture = Fixture::new();
    fixture.write("b.txt", "not committed\n");
    let tree = fixture.tree();
    tree.write("a.txt", "work\n");
    tree.git("add -A");
    tree.git("commit -q -m work");
    tree.git("checkout -q --detach HEAD~1");
    tree.git("reset -q --hard HEAD");
    assert_eq!(
        tree.state(),
        TreeState::Unapplied,
        "the commit is on a branch of its own"
    );
    tree.write("a.txt", "work\n");
    fs::remove_dir_all(tree.path.join(".git")).unwrap();
    assert_eq!(tree.state(), TreeState::Unapplied);
    assert_eq!(tree.apply().applied, ["a.txt"]);
    assert_eq!(tree.state(), TreeState::Applied);
    assert_eq!(fixture.read("b.txt"), "not committed\n");
}

#[test]
fn nothing_is_applied_while_a_task_works_in_the_tree() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    tree.write("a.txt", "half\n");
    let lease = fixture.trees.lease(&tree.task).unwrap();
    let second = fixture.trees.lease(&tree.task).unwrap();
    assert_eq!(tree.state(), TreeState::Live);
    let error = fixture.trees.apply(&tree.task, &Selection::All).unwrap_err();
    assert!(matches!(error, TreeError::Live(_)), "{error}");
    drop(lease);
    assert_eq!(tree.state(), TreeState::Live);
    drop(second);
    assert_eq!(tree.apply().applied, ["a.txt"]);
}

#[test]
fn files_and_directories_change_places() {
    let fixture = Fixture::new();
    fixture.write("dir/x", "x\n");
    fixture.write("file", "f\n");
    fixture.commit();
    let tree = fixture.tree();
    fs::remove_dir_all(tree.path.join("dir")).unwrap();
    tree.write("dir", "now a file\n");
    fs::remove_file(tree.path.join("file")).unwrap();
    tree.write("file/y", "now a directory\n");
    link("dir", &tree.path.join("link"));
    let paths: Vec<_> = tree.changes().into_iter().map(|file| file.path).collect();
    assert_eq!(paths, ["dir", "dir/x", "file", "file/y", "link"]);
    // A transaction does not do this, so nothing of it is done.
    let before = fixture.everything();
    let applied = tree.apply();
    assert!(!applied.conflicts.is_empty(), "{applied:?}");
    assert_eq!(fixture.everything(), before);
    assert_eq!(tree.state(), TreeState::Unapplied);
}
