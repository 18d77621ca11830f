//! Git in repositories that are set to do more than read, and the files that it would show.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::*;

pub(super) fn git(dir: &Path, words: &[&str]) {
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

/// A repository of two commits. `config/.env` is tracked and only in the first.
pub(super) fn repository() -> Harness {
    repository_in(Harness::new())
}

pub(super) fn repository_in(mut project: Harness) -> Harness {
    project.tree().kernel = Support {
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

pub(super) fn asked(project: &Harness, command: &str) -> Vec<(String, String)> {
    let found = command_permissions(&project.services, command, &project.path(""));
    open_of(project, &found.asks)
}

#[tokio::test]
async fn a_link_in_the_place_of_a_directory_asks() {
    let project = repository();
    let root = project.path("");
    project.write("d/a.txt", "b\n");
    git(&root, &["add", "d"]);
    assert_eq!(asked(&project, "git grep b -- d a.txt"), []);
    let outside = project.path("../elsewhere");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.txt"), "b SECRET\n").unwrap();
    fs::remove_dir_all(project.path("d")).unwrap();
    symlink(&outside, project.path("d")).unwrap();
    for command in ["git grep b -- d", "git grep b -- a.txt d/a.txt", "git grep b"] {
        let open = asked(&project, command);
        assert!(open.iter().any(|ask| ask.0 == "bash"), "{command}: {open:?}");
    }
}

#[tokio::test]
async fn what_git_shows_under_another_name_asks_or_is_not_shown() {
    let project = repository();
    let root = project.path("");
    // A guessed line of a file that leaves files out would be confirmed.
    assert_eq!(asked(&project, "git check-ignore -v TOKEN=1"), []);
    git(&root, &["config", "core.excludesFile", "config/.env"]);
    let open = asked(&project, "git check-ignore -v TOKEN=1");
    assert!(open.iter().any(|ask| ask.0 == "bash"), "{open:?}");
    assert_eq!(asked(&project, "git status"), []);
}

#[tokio::test]
async fn a_comparison_with_a_commit_asks_for_what_only_the_commit_has() {
    let project = repository();
    let root = project.path("");
    let secret = pair("read", "config/.env");
    project.write("config/.env", "TOKEN=2\n");
    assert_eq!(
        asked(&project, "git diff HEAD"),
        std::slice::from_ref(&secret),
        "changed in the work tree"
    );
    git(&root, &["rm", "-q", "--cached", "config/.env"]);
    // Every name in the index may be read now.
    for command in ["git diff HEAD", "git diff HEAD -- config", "git diff HEAD~1"] {
        assert_eq!(
            asked(&project, command),
            std::slice::from_ref(&secret),
            "{command}"
        );
    }
    assert_eq!(asked(&project, "git diff HEAD -- a.txt"), []);
    git(&root, &["commit", "-qm", "three"]);
    assert_eq!(asked(&project, "git diff HEAD"), []);
    assert_eq!(asked(&project, "git diff HEAD^"), [secret]);
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
        "git log --oneline -U0",
        "git diff HEAD~1 -- config/.env",
        "git diff HEAD~1:config/.env HEAD:a.txt",
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
        "git diff HEAD^!",
        "git diff HEAD~1:a.txt HEAD:a.txt",
        "git diff HEAD a.txt",
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
    // The name of a file there, and no option.
    assert_eq!(
        asked(&project, "git diff -- --cached ."),
        std::slice::from_ref(&secret)
    );
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
    for command in [
        "git show",
        "git diff HEAD^!",
        "git diff HEAD^@",
        "git diff HEAD^..",
    ] {
        assert_eq!(
            asked(&project, command),
            std::slice::from_ref(&secret),
            "{command}"
        );
    }
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
        format!("git diff {} HEAD:a.txt", blob.trim()),
        "git diff HEAD~1:config/.env..HEAD:a.txt".to_owned(),
        "git tag -l --format=%(raw)".to_owned(),
    ] {
        assert_eq!(asked(&project, &command), [pair("bash", &command)], "{command}");
    }
}

#[tokio::test]
async fn a_link_in_the_place_of_a_tracked_file_does_not_hide_its_name() {
    let rules = json!({"read": {"*": "allow", "config/*": "ask"}});
    let project = repository_in(Harness::with_rules(rules));
    let file = project.path("config/.env");
    let question = pair("bash", "git diff");
    for target in [file.clone(), project.outside("public.txt")] {
        fs::write(project.outside("public.txt"), "x").unwrap();
        fs::remove_file(&file).unwrap();
        symlink(&target, &file).unwrap();
        let open = asked(&project, "git diff");
        assert_eq!(open, std::slice::from_ref(&question), "{}", target.display());
    }
}

#[tokio::test]
async fn repositories_that_set_programs_are_read_disarmed() {
    let project = repository();
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
    let found = command_permissions(&project.services, "git blame a.txt", &root);
    assert!(found.why.unwrap().contains("blame.ignorerevsfile"));
    for key in ["diff.submodule", "status.submoduleSummary"] {
        git(&root, &["config", key, "log"]);
        assert_eq!(asked(&project, "git diff; git status"), [], "{key}");
        git(&root, &["config", "--unset", key]);
    }
    git(&root, &["config", "log.diffMerges", "remerge"]);
    assert_eq!(asked(&project, "git show"), [pair("bash", "git show")]);
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

/// Makes a program that leaves a file in the project.
fn program(project: &Harness, name: &str) -> String {
    let marker = project.path("ran");
    let file = project.write(name, format!("#!/bin/sh\ntouch {}\ncat\n", marker.display()));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Runs a command through the pipeline and returns why it was asked about, with nothing started by it.
async fn run_disarmed(project: &Harness, command: &str) -> Option<String> {
    let call = json!({ "command": command });
    let result = project.run("bash", call).await;
    assert!(!project.path("ran").exists(), "{command}: {result:?}");
    let why = command_permissions(&project.services, command, &project.path("")).why;
    assert_eq!(project.asked().is_empty(), why.is_none(), "{command}: {why:?}");
    why
}

#[tokio::test]
async fn without_a_sandbox_git_asks_where_disarming_does_not_reach_and_names_the_key() {
    let mut project = repository();
    without_confinement(&mut project);
    let root = project.path("");
    let evil = program(&project, "evil.sh");
    project.write(".gitattributes", "*.txt filter=f diff=d\n");
    for (key, value) in [
        ("core.fsmonitor", evil.as_str()),
        ("core.hooksPath", ".h"),
        ("filter.f.clean", &evil),
        ("filter.f.required", "true"),
        ("diff.d.textconv", &evil),
        ("diff.external", &evil),
        ("alias.st", "!touch ran"),
    ] {
        git(&root, &["config", key, value]);
    }
    program(&project, ".h/post-index-change");
    project.write("a.txt", "c\n");
    for command in [
        "git status",
        "git diff",
        "git log -p -1",
        "git show",
        "git status; ls",
    ] {
        assert_eq!(run_disarmed(&project, command).await, None, "{command}");
    }
    // The second list asks as a whole.
    assert_eq!(
        asked(&project, "git stash list"),
        [pair("bash", "git stash list")]
    );
    let names = |why: Option<String>, key: &str| {
        let why = why.unwrap_or_default();
        assert!(why.contains(key), "{key}: {why}");
    };
    git(&root, &["config", "blame.ignoreRevsFile", "../x"]);
    names(
        run_disarmed(&project, "git blame a.txt").await,
        "blame.ignorerevsfile",
    );
    git(&root, &["config", "log.diffMerges", "remerge"]);
    names(run_disarmed(&project, "git show").await, "log.diffmerges");
    git(&root, &["config", "--unset", "log.diffMerges"]);
    // What is set in a submodule, and what the user sets to a place in it.
    fs::create_dir(project.path("sub")).unwrap();
    git(&project.path("sub"), &["init", "-q"]);
    project.write("sub/b.txt", "b\n");
    git(&project.path("sub"), &["add", "."]);
    git(&project.path("sub"), &["commit", "-qm", "b"]);
    git(
        &root,
        &[
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
            "add",
            "sub",
        ],
    );
    project.write(
        ".gitmodules",
        "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n",
    );
    git(&root, &["config", "--unset", "core.hooksPath"]);
    for key in [
        "filter.f.clean",
        "diff.d.textconv",
        "diff.external",
        "core.fsmonitor",
        "blame.ignoreRevsFile",
    ] {
        git(&root, &["config", "--unset", key]);
    }
    // The test's own git was armed.
    let _ = fs::remove_file(project.path("ran"));
    assert_eq!(run_disarmed(&project, "git status").await, None);
    git(&project.path("sub"), &["config", "core.fsmonitor", &evil]);
    for command in ["git status", "git diff"] {
        names(run_disarmed(&project, command).await, "in its submodule `sub`");
        names(run_disarmed(&project, command).await, "core.fsmonitor");
    }
    git(&project.path("sub"), &["config", "--unset", "core.fsmonitor"]);
    let settings = "[core]\n\thooksPath = .h\n";
    fs::write(project.outside("home").join(".gitconfig"), settings).unwrap();
    names(run_disarmed(&project, "git status").await, "core.hookspath");
}

#[tokio::test]
async fn what_cannot_be_taken_back_by_its_name_is_asked_about() {
    let mut project = repository();
    for is_confined in [true, false] {
        if !is_confined {
            without_confinement(&mut project);
        }
        let evil = program(&project, "evil.sh");
        let config = fs::read(project.path(".git/config")).unwrap();
        let filter = format!("\"]\n\tclean = {evil}\n");
        fs::write(
            project.path(".git/config"),
            [&config[..], b"[filter \"\xff", filter.as_bytes()].concat(),
        )
        .unwrap();
        fs::write(project.path(".gitattributes"), b"*.txt filter=\xff\n").unwrap();
        project.write("a.txt", "c\n");
        assert!(run_disarmed(&project, "git diff").await.is_some());
    }
}

#[tokio::test]
async fn a_repository_that_a_project_brings_within_it_runs_nothing_without_a_sandbox() {
    let mut project = repository();
    without_confinement(&mut project);
    let evil = program(&project, "evil.sh");
    let bare = |name: &str, objects: &str| {
        project.write(format!("{name}/refs/.keep"), "");
        project.write(format!("{name}/{objects}/.keep"), "");
        symlink("refs/heads/none", project.path(name).join("HEAD")).unwrap();
        program(&project, &format!("{name}/hooks/post-index-change"));
        let top = project.path("").display().to_string();
        let config = format!("[core]\n\tbare = false\n\tworktree = {top}\n\tfsmonitor = {evil}\n");
        project.write(format!("{name}/config"), config);
    };
    bare("linked", "objects");
    bare("shared", "elsewhere");
    project.write("shared/commondir", "elsewhere\n");
    bare("half", "objects");
    project.write("half/.git/config", "");
    bare("hooked/.git", "objects");
    bare("plain/.git", "objects");
    for name in ["linked", "shared", "half", "hooked", "plain"] {
        for command in ["status", "diff", "log -p"] {
            let command = format!("git -C {name} {command}");
            let result = project.run("bash", json!({ "command": command })).await;
            assert!(!project.path("ran").exists(), "{command}: {result:?}");
        }
    }
}

#[tokio::test]
async fn a_submodule_runs_nothing_while_it_is_looked_at_what_a_command_would_show() {
    let project = repository();
    let evil = program(&project, "evil.sh");
    let root = project.path("");
    fs::create_dir(project.path("sub")).unwrap();
    git(&project.path("sub"), &["init", "-q"]);
    project.write("sub/b.txt", "b\n");
    git(&project.path("sub"), &["add", "."]);
    git(&project.path("sub"), &["commit", "-qm", "b"]);
    git(&root, &["add", "sub"]);
    git(&root, &["commit", "-qm", "sub"]);
    project.write(
        ".gitmodules",
        "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n",
    );
    git(&project.path("sub"), &["config", "core.fsmonitor", &evil]);
    git(&root, &["diff-files"]);
    assert!(
        fs::remove_file(project.path("ran")).is_ok(),
        "otherwise this proves nothing"
    );
    for command in [
        "git diff",
        "git diff HEAD",
        "git diff --cached",
        "git log -p",
        "git status",
    ] {
        asked(&project, command);
        assert!(!project.path("ran").exists(), "{command}");
    }
}

#[tokio::test]
async fn a_search_outside_of_a_repository_is_asked_about() {
    let mut project = Harness::new();
    project.tree().kernel = Support {
        files: true,
        calls: true,
    };
    // With `grep.fallbackToNoIndex` it searches every file there.
    let open = asked(&project, "git grep TOKEN");
    assert_eq!(open, [pair("bash", "git grep TOKEN")]);
}
