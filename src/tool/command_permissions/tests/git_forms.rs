//! Forms of git commands that show a file under another name than the words say.

use super::git::{asked, git, repository, repository_in};
use super::*;

/// Asks that each of these commands opens at least one question, and none of the others does.
fn assert_asked(project: &Harness, asking: &[&str], silent: &[&str]) {
    for command in asking {
        assert_ne!(asked(project, command), [], "{command}");
    }
    for command in silent {
        assert_eq!(asked(project, command), [], "{command}");
    }
}

/// Two commits: `config/.env` becomes `moved.txt` without its secret, and `a.txt` changes. The secret is in the first.
fn moved() -> Harness {
    let project = repository();
    let root = project.path("");
    let text = |last: &str| format!("{}{last}\n", "common\n".repeat(30));
    project.write("config/.env", text("TOKEN"));
    git(&root, &["commit", "-qam", "secret"]);
    git(&root, &["mv", "config/.env", "moved.txt"]);
    project.write("moved.txt", text("public"));
    git(&root, &["commit", "-qam", "moved"]);
    project.write("copy.txt", text("public copy"));
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "copied"]);
    project
}

#[tokio::test]
async fn both_names_of_a_renamed_file_count() {
    let project = moved();
    assert_asked(
        &project,
        &[
            "git show HEAD~1",
            "git show --diff-filter=R HEAD~1",
            "git show --diff-filter=ad HEAD~1",
            "git show -Spublic HEAD~1",
            "git show -Gpublic HEAD~1",
            "git log -p --follow moved.txt",
            "git log -n1 -L1,1:moved.txt",
            "git diff HEAD~2 HEAD~1",
            "git diff -M HEAD~2",
        ],
        &[
            "git show",
            "git show --stat HEAD~1",
            "git log -p -1",
            "git diff HEAD~1",
            "git diff HEAD~1 HEAD -- copy.txt",
            "git log --follow --stat -- moved.txt",
        ],
    );
    let root = project.path("");
    git(&root, &["checkout", "-q", "HEAD~2"]);
    project.write("copy.txt", format!("{}public\n", "common\n".repeat(30)));
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "copied from the secret"]);
    assert_asked(
        &project,
        &[
            "git show --find-copies-harder",
            "git show -C -C",
            "git diff -C -C HEAD~ HEAD",
            "git log -p -1 -C -C",
        ],
        &["git show", "git show -M", "git log -p -1"],
    );
}

#[tokio::test]
async fn an_object_that_is_no_commit_has_no_name() {
    let project = repository();
    let root = project.path("");
    git(&root, &["tag", "-a", "-m", "x", "blob", "HEAD:config/.env"]);
    git(&root, &["tag", "-a", "-m", "x", "tree", "HEAD:config"]);
    git(&root, &["tag", "light", "HEAD:config/.env"]);
    git(&root, &["tag", "-a", "-m", "x", "commit", "HEAD"]);
    assert_asked(
        &project,
        &[
            "git show blob",
            "git show --stat light",
            "git show --all HEAD:a.txt",
            "git show --tags HEAD:a.txt",
            "git show --stat --all",
            "git grep . blob",
            "git grep . light -- a.txt",
            "git grep . tree",
            "git grep . HEAD:config",
            "git show tree:.env",
            "git cat-file -p tree:.env",
            "git cat-file blob blob",
            "git diff HEAD:config HEAD~1:config",
            "git diff light HEAD:a.txt",
        ],
        &[
            "git show commit",
            "git show commit:a.txt",
            "git cat-file -p HEAD",
            "git cat-file -p HEAD:",
            "git cat-file commit commit",
            "git diff HEAD~1:a.txt commit:a.txt",
            "git show HEAD:config",
        ],
    );
}

#[tokio::test]
async fn a_path_in_a_commit_counts_from_the_real_directory() {
    let project = repository();
    let root = project.path("");
    project.write("h/.aws/credentials", "KEY\n");
    project.write("h/.aws/id_rsa (1)", "KEY\n");
    project.write("x.env.b:1", "KEY\n");
    project.write("h/b.txt", "b\n");
    symlink("h/.aws", project.path("aw")).unwrap();
    symlink("h", project.path("cur")).unwrap();
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "three"]);
    assert_asked(
        &project,
        &[
            "git -C aw show HEAD:./credentials",
            "cd aw && git show HEAD:./credentials",
            "cd cur && git show HEAD:./.aws/credentials",
            "cd cur && git cat-file -p HEAD:../config/.env",
            "cd cur/.aws && git show HEAD:./credentials",
            "git show 'HEAD:h/.aws/id_rsa (1)'",
            "git show HEAD:x.env.b:1",
            "git show HEAD:h/.aws/../.aws/credentials",
            "cd cur && git grep KEY ..",
            "cd cur && git grep KEY :/",
            "cd cur && git grep KEY ':(top)'",
            "cd cur && git grep KEY",
        ],
        &[
            "cd cur && git show HEAD:./b.txt",
            "git -C cur show HEAD:a.txt",
            "git show HEAD:h/b.txt",
            "cd cur && git grep b b.txt",
        ],
    );
}

/// Commits of known days: `.env` comes with the second and goes with the third.
fn dated() -> (Harness, String, String) {
    let project = repository();
    let root = project.path("");
    let hash = |revision: &str| {
        let output = std::process::Command::new("git")
            .current_dir(&root)
            .args(["rev-parse", revision])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&root, &["rm", "-q", "config/.env"]);
    git(&root, &["commit", "-qm", "without"]);
    let (secret, plain) = (hash("HEAD~2"), hash("HEAD~1"));
    project.write("a.txt", "c\n");
    git(&root, &["commit", "-qam", "four"]);
    (project, secret, plain)
}

#[tokio::test]
async fn a_command_that_git_may_understand_otherwise_asks() {
    let (project, secret, plain) = dated();
    let commands = [
        "git show 'HEAD@{2026-11-02 13:00}'".to_owned(),
        "git show 'HEAD@{2026-11-02 13:00}:config/key (1).txt'".to_owned(),
        "git diff HEAD:a.txt ':(top)config/.env'".to_owned(),
        format!("git blame --abbrev config/.env {secret}"),
        format!("git log -p HEAD..{secret} --no-walk"),
        format!("git show {secret} ^HEAD --no-walk"),
        format!("git show -1 {plain} {secret}"),
        format!("git show {plain}..HEAD"),
        "git log -p -a -GTOKEN".to_owned(),
        "git log -S TOKEN -p".to_owned(),
        "git log -p -STOKEN --pickaxe-all".to_owned(),
        "git log -p --author=a".to_owned(),
        "git log -p -1 --until='2026-11-02 00:00'".to_owned(),
        "git show --first-parent -c".to_owned(),
        "git log -p --diff-filter='M*'".to_owned(),
        "git log -p a.t*".to_owned(),
        "git -C .git log -p -1".to_owned(),
        "git diff --unified HEAD~3".to_owned(),
    ];
    assert_asked(
        &project,
        &commands.each_ref().map(String::as_str),
        &[
            "git show",
            "git show -U5 --stat HEAD",
            "git log -p -1 --oneline",
            "git log -p -n 1 HEAD~1..HEAD -- a.txt",
            "git diff HEAD~1...HEAD -w",
            "git diff HEAD@{0} -- a.txt",
            "git diff a.t*",
            "git log --author=a --until=2026-11-02 --oneline",
            "git blame -L 1,1 a.txt",
        ],
    );
}

#[tokio::test]
async fn a_repository_with_links_or_settings_that_name_files_asks() {
    for (link, command) in [
        ("packed-refs", "git branch"),
        ("shallow", "git status"),
        ("info/grafts", "git log"),
        ("objects/info/alternates", "git log -1"),
        ("worktrees/x/locked", "git worktree list"),
        ("rebase-merge/done", "git status"),
        ("BISECT_START", "git status"),
    ] {
        let project = repository();
        assert_asked(&project, &[], &[command]);
        let path = project.path(".git").join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(project.path("config/.env"), &path).unwrap();
        assert_asked(&project, &[command], &[]);
    }
    for link in ["objects/pack/pack-1.pack", "objects/ab/cd", "objects/??"] {
        let project = repository();
        // Which directories there are depends on the hashes of the objects.
        let mut paths = (0..=u8::MAX).map(|free| {
            let link = link.replace("??", &format!("{free:02x}"));
            project.path(".git").join(link)
        });
        let path = paths.find(|path| !path.exists()).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(project.outside("x"), &path).unwrap();
        assert_asked(
            &project,
            &["git log -1", "git show HEAD:a.txt", "git diff HEAD"],
            &["git status"],
        );
    }
    let project = repository();
    project.write(
        ".git/objects/info/alternates",
        project.outside("").to_string_lossy().as_bytes(),
    );
    assert_asked(
        &project,
        &["git log -1", "git grep x", "git blame a.txt"],
        &["git status"],
    );
    let project = repository();
    let root = project.path("");
    assert_asked(&project, &[], &["git config --get user.name", "git diff"]);
    git(&root, &["config", "include.path", "../config/.env"]);
    assert_asked(&project, &["git config --get user.name"], &["git diff"]);
    git(&root, &["config", "core.attributesFile", "config/.env"]);
    assert_asked(&project, &["git diff"], &[]);
}

#[tokio::test]
async fn what_git_takes_as_a_patch_is_one() {
    let project = repository();
    let root = project.path("");
    project.write("config/.env", "TOKEN=2\n");
    project.write("new.env", "TOKEN=3\n");
    git(&root, &["stash", "-q", "-u"]);
    assert_asked(
        &project,
        &[
            "git stash show -p",
            "git stash show -a",
            "git stash show -w",
            "git stash show -u",
            "git stash show --no-renames",
            "git stash show --full-index",
            "git stash show --color",
            "git stash show --relative",
            "git stash show --",
            "git stash list -p",
            "git stash list -- -p",
            "git stash list --diff-merges=on",
            "git reflog --diff-merges=m",
            "git log --diff-merges=1 --all",
            "git log -m --all",
            "git log --stat --cc --all",
        ],
        &[
            "git stash show",
            "git stash show --stat",
            "git stash list",
            "git reflog -3",
        ],
    );
    git(&root, &["config", "stash.showPatch", "true"]);
    assert_asked(&project, &["git stash show; touch x"], &["git stash show"]);
}

#[tokio::test]
async fn a_wildcard_is_a_file_or_asked_about() {
    let project = repository();
    let root = project.path("");
    project.write("old", "x\n");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "old"]);
    git(&root, &["tag", "old", "HEAD~2"]);
    assert_asked(
        &project,
        &[
            "git show o?d --",
            "git cat-file -p o?d:config/.env",
            "git -C config show o?d",
            "git -C config diff o?d",
            "git grep TOKEN o?d",
        ],
        &["git diff a.*", "git show -- a.*", "git diff -- a.*"],
    );
}

#[tokio::test]
async fn git_that_changes_something_comes_before_what_it_changes() {
    let project = Harness::with_rules(json!({"bash": {"git checkout *": "allow", "git add *": "allow"}}));
    let project = repository_in(project);
    let root = project.path("");
    git(&root, &["branch", "secret", "HEAD~1"]);
    assert_asked(
        &project,
        &[
            "git checkout -q secret && git show",
            "git add -A && git diff --cached",
            "bash -c 'git checkout -q secret' && git log -p -1",
            "for x in 1 2; do git show; git checkout -q secret; done",
            "git checkout -q secret & git show",
            "git show | git checkout -q secret",
        ],
        &[
            "git diff && git add -A",
            "git add -A && git diff --cached --stat",
            "git add -A && git status",
            "git show | head -5 && git add -A",
        ],
    );
}

#[tokio::test]
async fn a_directory_that_is_a_link_is_looked_at_each_time() {
    let project = repository();
    for name in ["one", "two"] {
        let root = project.path(name);
        fs::create_dir_all(&root).unwrap();
        git(&root, &["init", "-q"]);
        let file = if name == "one" { "a.txt" } else { ".env" };
        project.write(format!("{name}/{file}"), "x\n");
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-qm", "x"]);
    }
    symlink("one", project.path("cur")).unwrap();
    let commands = ["git -C cur show", "cd cur && git show"];
    for _ in 0..3 {
        assert_asked(&project, &[], &commands);
    }
    fs::remove_file(project.path("cur")).unwrap();
    symlink("two", project.path("cur")).unwrap();
    assert_asked(&project, &commands, &[]);
}
