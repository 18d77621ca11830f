//! The beginning of a tree, and projects that it cannot be made of.

use super::*;

#[test]
fn a_tree_begins_with_the_last_commit_and_all_that_is_not_committed() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "staged\n");
    fixture.git("add a.txt");
    fixture.write("a.txt", "changed\n");
    fs::remove_file(fixture.path("b.txt")).unwrap();
    fixture.write("new/n.txt", "new\n");
    set_executable(&fixture.path("new/n.txt"));
    link("n.txt", &fixture.path("new/link"));
    fixture.write("x.log", "ignored\n");
    fixture.write("by-hand.txt", "added only by intent\n");
    fixture.git("add -N by-hand.txt");
    let before = fixture.everything();
    let tree = fixture.tree();
    assert_eq!(fixture.everything(), before, "the project is as it was");
    assert_eq!(tree.read("a.txt"), "changed\n");
    assert!(!tree.path.join("b.txt").exists());
    assert_eq!(tree.read("new/n.txt"), "new\n");
    assert!(is_executable(&tree.path.join("new/n.txt")));
    assert_eq!(
        fs::read_link(tree.path.join("new/link")).unwrap(),
        Path::new("n.txt")
    );
    assert_eq!(tree.read("by-hand.txt"), "added only by intent\n");
    assert!(!tree.path.join("x.log").exists());
    assert_eq!(tree.state(), TreeState::Empty);
    assert!(tree.path.starts_with(fixture.base.join("data/worktrees")));
    assert!(tree.path.ends_with(tree.task.as_str()));
}

#[test]
fn a_tree_has_a_repository_of_its_own_with_the_project_s_history() {
    let fixture = Fixture::new();
    fixture.git("tag v1");
    fixture.git("branch other");
    let tree = fixture.tree();
    assert_eq!(tree.git("status --porcelain"), "");
    assert_eq!(tree.git("rev-list --count HEAD"), "1\n");
    assert_eq!(tree.git("describe --tags"), "v1\n");
    assert_eq!(tree.git("remote"), "");
    assert!(tree.git("branch --list other").contains("other"));
    let before = fixture.everything();
    tree.write("a.txt", "mine\n");
    tree.git("commit -q -a -m mine");
    tree.git("branch -D other");
    tree.git("gc -q --prune=now");
    assert_eq!(fixture.everything(), before);
    assert_eq!(tree.state(), TreeState::Unapplied);
}

#[test]
fn clean_ups_of_the_project_s_repository_do_not_reach_a_tree() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "only here\n");
    let tree = fixture.tree();
    fixture.git("checkout -q -- .");
    fixture.git("checkout -q --orphan fresh");
    fixture.git("commit -q -m fresh");
    fixture.git("branch -D main");
    fixture.git("reflog expire --expire=now --all");
    fixture.git("gc -q --prune=now");
    assert_eq!(tree.git("log --format=%s").lines().count(), 2);
    tree.write("a.txt", "only here\nand more\n");
    let changes = tree.changes();
    assert_eq!(
        (changes[0].additions, changes[0].deletions),
        (1, 0),
        "{changes:?}"
    );
    assert_eq!(tree.git("fsck --no-dangling"), "");
}

#[test]
fn ignored_files_that_are_named_go_along_and_are_no_change() {
    let fixture = Fixture::new();
    fixture.write(".env", "A=1\n");
    fixture.write("target/config/local.toml", "x\n");
    fixture.write("target/big.o", "o\n");
    fixture.write("plain.txt", "not ignored\n");
    fixture.write(".worktreeinclude", "# secrets\n.env\ntarget/config/\nplain.txt\n");
    fixture.commit();
    let tree = fixture.tree();
    assert_eq!(tree.read(".env"), "A=1\n");
    assert_eq!(tree.read("target/config/local.toml"), "x\n");
    assert!(!tree.path.join("target/big.o").exists());
    assert_eq!(tree.git("status --porcelain"), "");
    tree.write(".env", "A=2\n");
    assert_eq!(tree.state(), TreeState::Empty);
}

#[test]
fn what_only_this_clone_ignores_is_ignored_in_the_tree() {
    let fixture = Fixture::new();
    fixture.write(".git/info/exclude", "private/\n");
    fixture.write("private/x", "x\n");
    let tree = fixture.tree();
    assert!(!tree.path.join("private").exists());
    tree.write("private/y", "y\n");
    assert_eq!(tree.state(), TreeState::Empty);
    assert_eq!(tree.git("status --porcelain"), "");
}

#[test]
fn files_of_a_filter_stay_as_the_repository_has_them() {
    let fixture = Fixture::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    fixture.write("big.bin", pointer);
    fixture.commit();
    let ran = fixture.base.join("ran");
    fixture.write(".gitattributes", "*.bin filter=lfs -text\n*.txt text eol=crlf\n");
    let program = format!("sh -c 'touch {}; cat'", ran.display());
    for key in ["filter.lfs.clean", "filter.lfs.smudge"] {
        let set = Command::new("git")
            .args(["config", key, &program])
            .current_dir(fixture.project())
            .status();
        assert!(set.unwrap().success());
    }
    let tree = fixture.tree();
    assert_eq!(tree.read("big.bin"), pointer);
    assert_eq!(tree.read("a.txt"), lines(30), "no line ending is changed");
    assert_eq!(tree.state(), TreeState::Empty);
    assert!(!ran.exists(), "no filter has run");
}

#[test]
fn hooks_and_monitors_of_the_project_do_not_run() {
    let fixture = Fixture::new();
    let ran = fixture.base.join("ran");
    let program = fixture.base.join("program");
    write(
        &program,
        format!("#!/bin/sh\ntouch {}\n", ran.display()).as_bytes(),
    );
    set_executable(&program);
    for hook in [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "post-commit",
    ] {
        fs::create_dir_all(fixture.path(".git/hooks")).unwrap();
        fs::copy(&program, fixture.path(".git/hooks").join(hook)).unwrap();
    }
    let config = format!("\n[core]\n\tfsmonitor = {}\n", program.display());
    let mut text = fixture.read(".git/config");
    text.push_str(&config);
    fixture.write(".git/config", &text);
    let tree = fixture.tree();
    assert_eq!(tree.state(), TreeState::Empty);
    assert_eq!(tree.path.join(".git/hooks").read_dir().unwrap().count(), 0);
    assert!(!ran.exists());
}

#[track_caller]
fn refusal(fixture: &Fixture) -> String {
    let (before, trees) = (fixture.everything(), fixture.trees.list().unwrap());
    let checked = fixture.trees.check(&fixture.project()).unwrap_err();
    assert_eq!(checked.kind(), crate::conversation::ErrorKind::Unavailable);
    let task = "tsk_1".parse().unwrap();
    let error = fixture.trees.create(&fixture.order(&task)).unwrap_err();
    assert_eq!(error.to_string(), checked.to_string());
    assert_eq!(fixture.everything(), before);
    let records = fixture.base.join("data/worktree-records");
    assert_eq!(fs::read_dir(records).unwrap().count(), trees.len());
    assert_eq!(fixture.trees.list().unwrap(), trees);
    error.to_string()
}

#[test]
fn what_a_tree_cannot_be_made_of_is_named() {
    let fixture = Fixture::empty();
    assert!(refusal(&fixture).contains("needs a git repository"));
    fixture.git("init -q -b main");
    assert!(refusal(&fixture).contains("no commit yet"));

    let fixture = Fixture::new();
    fixture.git("checkout -q -b other");
    fixture.write("b.txt", "theirs\n");
    fixture.commit();
    fixture.git("checkout -q main");
    fixture.write("b.txt", "ours\n");
    fixture.commit();
    assert!(
        !fixture
            .try_git(&fixture.project(), "merge other")
            .status
            .success()
    );
    assert!(refusal(&fixture).contains("unmerged files (`b.txt`)"));

    let fixture = Fixture::new();
    fixture.write("inner/x", "x\n");
    fixture.git_in(&fixture.path("inner"), "init -q");
    assert!(refusal(&fixture).contains("`inner/` is a repository inside the project"));
    fixture.write(".gitignore", "inner/\n");
    fixture.tree();

    let fixture = Fixture::new();
    let file = fs::File::create(fixture.path("large")).unwrap();
    file.set_len((50 << 20) + 1).unwrap();
    assert!(refusal(&fixture).contains("`large` is larger than 50 MB"));
    file.set_len(50 << 20).unwrap();
    for number in 0..10 {
        let file = fs::File::create(fixture.path(&format!("large{number}"))).unwrap();
        file.set_len(50 << 20).unwrap();
    }
    assert!(
        fixture
            .trees
            .check(&fixture.project())
            .unwrap_err()
            .to_string()
            .contains("500 MB in total")
    );
}

#[test]
fn a_submodule_has_to_be_clean_and_is_not_in_the_tree() {
    let library = Fixture::new();
    let fixture = Fixture::new();
    let add = format!("submodule --quiet add {} lib", library.project().display());
    fixture.git(&add);
    fixture.commit();
    assert_eq!(fixture.trees.check(&fixture.project()).unwrap(), ["lib"]);
    let tree = fixture.tree();
    assert_eq!(fs::read_dir(tree.path.join("lib")).unwrap().count(), 0);
    assert_eq!(tree.state(), TreeState::Empty);
    // What is written where the submodule would be is seen by no diff, so the tree is kept.
    tree.write("lib/x", "x\n");
    assert_eq!(tree.state(), TreeState::Unapplied);

    fixture.write("lib/new", "x\n");
    assert!(refusal(&fixture).contains("the submodule `lib` has changes of its own"));
    fs::remove_file(fixture.path("lib/new")).unwrap();
    fixture.git_in(&fixture.path("lib"), "commit -q --allow-empty -m more");
    assert!(refusal(&fixture).contains("the submodule `lib`"));
}

#[test]
fn linked_work_trees_shallow_clones_and_borrowed_objects_are_projects_too() {
    let origin = Fixture::new();
    origin.write("b.txt", "second\n");
    origin.commit();
    let url = format!("file://{}", origin.project().display());
    for how in ["--depth=1", "--shared", "--no-local"] {
        let fixture = Fixture::empty();
        fs::remove_dir(fixture.project()).unwrap();
        let from = if how == "--shared" {
            origin.project().display().to_string()
        } else {
            url.clone()
        };
        let clone = format!("clone -q {how} {from} {}", fixture.project().display());
        fixture.git_in(&fixture.base, &clone);
        fixture.write("b.txt", "third\n");
        let tree = fixture.tree();
        assert_eq!(tree.read("b.txt"), "third\n", "{how}");
        assert!(tree.git("branch -r").contains("origin/main"), "{how}");
        assert_eq!(tree.state(), TreeState::Empty);
    }
    let fixture = Fixture::empty();
    fs::remove_dir(fixture.project()).unwrap();
    origin.git(&format!(
        "worktree add -q {} -b linked",
        fixture.project().display()
    ));
    fixture.write("b.txt", "linked\n");
    let tree = fixture.tree();
    assert_eq!(tree.read("b.txt"), "linked\n");
    assert!(tree.path.join(".git").is_dir());
}

#[test]
fn a_tree_that_is_there_stays_as_it_is() {
    let fixture = Fixture::new();
    let tree = fixture.tree();
    tree.write("a.txt", "work\n");
    let again = fixture.trees.create(&fixture.order(&tree.task)).unwrap();
    assert_eq!(again, tree.path);
    assert_eq!(tree.read("a.txt"), "work\n");
}

#[test]
fn a_tree_made_of_a_tree_begins_with_its_files() {
    let fixture = Fixture::new();
    let outer = fixture.tree();
    outer.write("a.txt", "outer\n");
    let task: TaskId = "tsk_inner".parse().unwrap();
    let inner = NewTree {
        source: outer.path.clone(),
        ..fixture.order(&task)
    };
    let path = fixture.trees.create(&inner).unwrap();
    assert_eq!(fs::read_to_string(path.join("a.txt")).unwrap(), "outer\n");
    assert_eq!(path.parent(), outer.path.parent());
}

#[test]
fn a_repository_with_other_hashes_is_a_project_too() {
    let fixture = Fixture::empty();
    fixture.git("init -q -b main --object-format=sha256");
    fixture.write("a.txt", "a\n");
    fixture.commit();
    fixture.write("a.txt", "b\n");
    let tree = fixture.tree();
    assert_eq!(tree.state(), TreeState::Empty);
    tree.write("a.txt", "c\n");
    assert_eq!(tree.apply().applied, ["a.txt"]);
    assert_eq!(fixture.trees.find(&tree.task).unwrap().base.len(), 64);
    tree.remove(&Removal::Settled).unwrap();
}

#[test]
fn a_tree_moves_with_the_data_directory() {
    let mut fixture = Fixture::new();
    let task = {
        let tree = fixture.tree();
        tree.write("a.txt", "work\n");
        tree.task
    };
    let moved = fixture.base.join("moved");
    fs::rename(fixture.base.join("data"), &moved).unwrap();
    fixture.trees = Worktrees::new(&moved, moved.join("transactions"), environment(&fixture.base));
    let found = fixture.trees.find(&task).unwrap();
    assert!(found.path.starts_with(&moved) && found.path.is_dir());
    assert_eq!((found.state, found.files), (TreeState::Unapplied, 1));
    fixture.trees.apply(&task, &Selection::All).unwrap();
    assert_eq!(fixture.read("a.txt"), "work\n");
}

#[test]
fn no_file_is_too_large_to_be_counted() {
    let sparse = |path: &Path| fs::File::create(path).unwrap().set_len(3 << 30).unwrap();
    // A file that is ignored, and named.
    let fixture = Fixture::new();
    fixture.write("huge.log", "");
    fixture.write("small.log", "log\n");
    sparse(&fixture.path("huge.log"));
    fixture.write(".worktreeinclude", "*.log\n");
    let said = refusal(&fixture);
    assert!(
        said.contains("included file `huge.log` is larger than 50 MB; take it out of `.worktreeinclude`"),
        "{said}"
    );
    // One that is ignored and not named is no business of a tree.
    fixture.write(".worktreeinclude", "small.log\n");
    assert_eq!(fixture.tree().read("small.log"), "log\n");
    // A tracked one that has grown.
    let fixture = Fixture::new();
    sparse(&fixture.path("a.txt"));
    let said = refusal(&fixture);
    assert!(
        said.contains("changed file `a.txt` is larger than 50 MB"),
        "{said}"
    );
    // All of them together.
    let fixture = Fixture::new();
    for nth in 0..11 {
        let path = fixture.path(&format!("{nth}.log"));
        fs::File::create(path).unwrap().set_len(48 << 20).unwrap();
    }
    fixture.write(".worktreeinclude", "*.log\n");
    assert!(refusal(&fixture).contains("larger than 500 MB in total"));
    // The list itself.
    let fixture = Fixture::new();
    sparse(&fixture.path(".worktreeinclude"));
    assert!(refusal(&fixture).contains("`.worktreeinclude` is larger than 1 MB"));
}
