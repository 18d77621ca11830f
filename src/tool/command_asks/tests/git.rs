//! Git in repositories that are set to do more than read, and the files that it would show.

use std::path::Path;
use std::process::Command;

use super::*;

fn git(dir: &Path, words: &[&str]) {
    let done = Command::new("git")
        .current_dir(dir)
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(words)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "{words:?} {done:?}");
}

fn repository() -> Harness {
    let mut project = Harness::new();
    std::sync::Arc::get_mut(&mut project.services).unwrap().kernel = Support {
        files: true,
        calls: true,
    };
    let home = project.outside("home");
    fs::create_dir_all(&home).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    set_environment(
        &mut project,
        vec![("PATH".into(), path), ("HOME".into(), home.into())],
    );
    let root = project.path("");
    git(&root, &["init", "-q"]);
    project.write("a.txt", "a\n");
    project.write("config/.env", "TOKEN=1\n");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "one"]);
    project.write("a.txt", "b\n");
    git(&root, &["commit", "-qam", "two"]);
    project
}

fn asked(project: &Harness, command: &str) -> Vec<(String, String)> {
    let found = command_asks(&project.services, command, &project.path(""));
    open_of(project, &found.asks)
}

#[tokio::test]
async fn git_shows_no_file_that_may_not_be_read() {
    let project = repository();
    let root = project.path("");
    let secret = pair("read", "config/.env");
    for command in [
        "git show HEAD~1",
        "git show HEAD~1:config/.env",
        "git log -p",
        "git log -p -- config",
        "git log -S TOKEN -p",
        "git log --oneline -U0",
        "git diff HEAD~1 -- config/.env",
        "git blame config/.env",
        "git grep TOKEN",
        "git grep TOKEN HEAD~1",
        "git grep TOKEN -- config",
        "git cat-file -p HEAD:config/.env",
        "cd config && git show HEAD:./.env",
    ] {
        let open = asked(&project, command);
        assert!(
            open.iter()
                .any(|ask| ask.0 == "read" && Path::new(&ask.1).ends_with(".env")),
            "{command}: {open:?}"
        );
    }
    for command in [
        "git show",
        "git show HEAD --stat",
        "git show HEAD~1 --stat",
        "git log --oneline -5",
        "git log -p -1",
        "git log --graph --all --format=%h",
        "git diff",
        "git diff HEAD~1",
        "git diff HEAD~1 HEAD",
        "git diff --stat",
        "git grep b -- a.txt",
        "git show HEAD:a.txt",
        "git blame a.txt",
        "git ls-files",
        "git status --short",
        "git stash list",
        "git cat-file -t HEAD~1",
    ] {
        assert_eq!(asked(&project, command), [], "{command}");
    }
    project.write("config/.env", "TOKEN=2\n");
    for command in ["git diff", "git diff HEAD", "git diff -- config"] {
        assert_eq!(
            asked(&project, command),
            std::slice::from_ref(&secret),
            "{command}"
        );
    }
    assert_eq!(asked(&project, "git diff -- a.txt"), []);
    git(&root, &["add", "-A"]);
    for command in ["git diff --cached", "git diff --staged HEAD"] {
        assert_eq!(
            asked(&project, command),
            std::slice::from_ref(&secret),
            "{command}"
        );
    }
    git(&root, &["stash", "-q"]);
    assert_eq!(
        asked(&project, "git stash show -p"),
        std::slice::from_ref(&secret)
    );
    assert_eq!(asked(&project, "git stash show"), []);
    // Gone from the work tree, and still in the history.
    git(&root, &["rm", "-q", "config/.env"]);
    git(&root, &["commit", "-qm", "three"]);
    assert_eq!(asked(&project, "git show"), std::slice::from_ref(&secret));
    assert!(asked(&project, "git log -p -- config/.env").contains(&secret));
    // An object by its number may be any file.
    let blob = Command::new("git")
        .current_dir(&root)
        .args(["rev-parse", "HEAD~1:config/.env"])
        .output()
        .unwrap();
    let blob = String::from_utf8(blob.stdout).unwrap();
    for command in [
        format!("git show {}", blob.trim()),
        format!("git cat-file -p {}", blob.trim()),
    ] {
        assert_eq!(asked(&project, &command), [pair("bash", &command)]);
    }
}

#[tokio::test]
async fn repositories_that_set_programs_are_read_disarmed() {
    let mut project = repository();
    let root = project.path("");
    let hook = project.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch ran\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    for (key, value) in [
        ("core.fsmonitor", "touch ran;:"),
        ("core.hooksPath", ".h"),
        ("core.pager", "touch ran;:"),
        ("diff.external", "touch ran;:"),
        ("diff.x.textconv", "touch ran;:"),
        ("filter.lfs.clean", "touch ran;cat"),
        ("filter.lfs.required", "true"),
        ("alias.st", "!touch ran"),
        ("gpg.program", "./touch-ran"),
        ("log.showSignature", "true"),
    ] {
        git(&root, &["config", key, value]);
    }
    project.write(".gitattributes", "*.txt filter=lfs diff=x\n");
    project.write("a.txt", "c\n");
    for command in [
        "git status",
        "git diff",
        "git log -1",
        "git show",
        "git blame a.txt",
        "git log -p -1",
    ] {
        assert_eq!(asked(&project, command), [], "{command}");
        // Beside something else git is as it is set.
        let open = asked(&project, &format!("{command}; cargo test"));
        assert!(open.contains(&pair("bash", command)), "{command}: {open:?}");
    }
    assert!(!project.path("ran").exists(), "looking at it runs nothing");
    git(&root, &["config", "blame.ignoreRevsFile", "../x"]);
    assert_eq!(asked(&project, "git log -1"), []);
    assert_eq!(
        asked(&project, "git blame a.txt"),
        [pair("bash", "git blame a.txt")]
    );
    git(&root, &["config", "diff.submodule", "log"]);
    let found = command_asks(&project.services, "git diff", &root);
    assert!(found.why.unwrap().contains("diff.submodule"));
    git(&root, &["config", "--unset", "diff.submodule"]);
    without_confinement(&mut project);
    assert_eq!(asked(&project, "git status"), [pair("bash", "git status")]);
}

#[tokio::test]
async fn git_says_which_directories_it_uses() {
    let project = repository();
    let root = project.path("");
    // A decoy in a directory: it has no objects, and says that another one has.
    let other = project.outside("other");
    fs::create_dir_all(&other).unwrap();
    git(&other, &["init", "-q"]);
    fs::write(other.join("key.txt"), "x").unwrap();
    git(&other, &["add", "."]);
    git(&other, &["commit", "-qm", "private"]);
    project.write("decoy/.git/HEAD", "ref: refs/heads/main\n");
    project.write("decoy/.git/commondir", format!("{}/.git\n", other.display()));
    for command in [
        "cd decoy && git log -p -1",
        "git -C decoy show",
        "git -C decoy log",
    ] {
        let open = asked(&project, command);
        assert!(
            open.iter().any(|ask| ask.0 == "external_directory"),
            "{command}: {open:?}"
        );
        let mixed = asked(&project, &format!("{command}; cargo test"));
        assert!(
            mixed.iter().filter(|ask| ask.0 == "bash").count() > 1,
            "{mixed:?}"
        );
    }
    project.write("file/.git", format!("gitdir: {}/.git\n", other.display()));
    let open = asked(&project, "git -C file show");
    assert!(open.iter().any(|ask| ask.0 == "external_directory"), "{open:?}");
    // A work tree that its repository knows is no stranger.
    git(&root, &["worktree", "add", "-q", "linked"]);
    assert_eq!(asked(&project, "git -C linked log -1"), []);
    git(&root, &["config", "core.worktree", other.to_str().unwrap()]);
    let open = asked(&project, "git diff");
    assert!(open.iter().any(|ask| ask.0 == "external_directory"), "{open:?}");
}
