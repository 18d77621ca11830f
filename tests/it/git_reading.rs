//! Git that only reads, through the program: which repositories need no question, and what lathe's own looks at them start.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::screen::project as screen_project;
use crate::support::{Lathe, Project, Server, Terminal};

/// Makes a program in the project that leaves a file outside of it, and passes on what it is given.
fn program(project: &Project, path: &str) -> String {
    let marker = project.outside().join("ran");
    let text = format!("#!/bin/sh\ntouch '{}'\ncat\n", marker.display());
    project.write(path, text.as_bytes());
    let file = project.path(path);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Returns true once for what has run since it was last asked.
fn has_run(project: &Project) -> bool {
    fs::remove_file(project.outside().join("ran")).is_ok()
}

fn bash(project: &Project, command: &str) -> Lathe {
    let call = json!({ "command": command }).to_string();
    Lathe::in_project(project).args(["tool", "--format", "json", "bash", &call])
}

#[track_caller]
fn result(lathe: Lathe) -> Value {
    let finished = lathe.run();
    serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"))
}

#[track_caller]
fn assert_unasked(project: &Project, command: &str) -> String {
    let result = result(bash(project, command));
    assert_eq!(result["ok"], true, "{command}: {result}");
    assert!(!has_run(project), "{command}: {result}");
    result["output"].as_str().unwrap().to_owned()
}

/// Makes a repository in the project, with a commit, as its submodule `sub`.
fn with_submodule(project: &Project) {
    project.write("sub/b.txt", b"b\n");
    project.run_git(&["-C", "sub", "init", "-q"]);
    project.run_git(&["-C", "sub", "add", "."]);
    project.run_git(&["-C", "sub", "commit", "-qm", "b"]);
    project.write(
        ".gitmodules",
        b"[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n",
    );
    project.run_git(&["add", "sub", ".gitmodules"]);
    project.run_git(&["commit", "-qm", "sub"]);
}

/// A repository that is set, in every way at once, to run a program when it is looked at.
fn arm(project: &Project) {
    with_submodule(project);
    let evil = program(project, "evil.sh");
    project.write(".gitattributes", b"*.txt filter=f diff=d merge=m\n");
    program(project, ".h/post-index-change");
    for (key, value) in [
        ("core.fsmonitor", evil.as_str()),
        ("core.hooksPath", ".h"),
        ("core.pager", &evil),
        ("pager.status", &evil),
        ("diff.external", &evil),
        ("diff.d.command", &evil),
        ("diff.d.textconv", &evil),
        ("filter.f.clean", &evil),
        ("filter.f.process", &evil),
        ("filter.f.required", "true"),
        ("merge.m.driver", &evil),
        ("gpg.program", &evil),
        ("log.showSignature", "true"),
        ("format.pretty", "%G? %s"),
        ("core.alternateRefsCommand", &evil),
        ("core.sshCommand", &evil),
        ("credential.helper", &evil),
        ("core.editor", &evil),
        ("alias.status", "!evil"),
        ("status.submoduleSummary", "true"),
        ("diff.submodule", "log"),
        ("submodule.recurse", "true"),
    ] {
        project.run_git(&["config", key, value]);
    }
    for (key, value) in [("core.fsmonitor", evil.as_str()), ("core.hooksPath", "../.h")] {
        project.run_git(&["-C", "sub", "config", key, value]);
    }
    project.write("a.txt", b"two\n");
    project.write("sub/b.txt", b"two\n");
    has_run(project);
}

#[test]
fn lathe_s_own_looks_at_a_repository_start_nothing_of_it() {
    let server = Server::start();
    let project = screen_project(&server).file("a.txt", "one\n").git();
    arm(&project);
    project.run_git(&[
        "-c",
        "filter.f.process=",
        "-c",
        "filter.f.required=false",
        "diff-files",
    ]);
    assert!(has_run(&project), "otherwise this proves nothing");
    for command in [
        "git status",
        "git diff",
        "git diff HEAD",
        "git diff --cached",
        "git log -p -1",
        "git show",
        "git blame a.txt",
        "git stash list",
        "git ls-files -m",
        "git describe --always --dirty",
        "git grep two",
        "cd sub && git status && git diff",
        "git -C sub log -1",
    ] {
        assert_unasked(&project, command);
    }
    let doctor = Lathe::in_project(&project).args(["doctor"]).run();
    assert!(doctor.stdout.contains("git version"), "{doctor}");
    assert!(!has_run(&project), "{doctor}");
    let terminal = Terminal::start(&project, 100, 100, &["--screen-reader"]);
    terminal.wait_text("/help lists the commands.");
    terminal.keys("/diff tree\r");
    let screen = terminal.wait_text("in the work tree since `HEAD`");
    assert!(!has_run(&project), "/diff: {screen}");
    terminal.wait_text("Git's filters were left out: files with the filter f may show as modified.");
    terminal.keys("/status all\r");
    terminal.wait_text("state: idle");
    terminal.keys("/quit\r");
    assert!(terminal.wait_exit().success());
    assert!(!has_run(&project), "the screen");
}

#[test]
fn a_result_names_the_filters_that_were_left_out() {
    let project = Project::new().file("a.txt", "one\n").file("b.md", "b\n").git();
    let upper = program(&project, ".git/upper");
    project.run_git(&["config", "filter.up.clean", &upper]);
    project.run_git(&["config", "filter.up.required", "true"]);
    let note = "[filters off: files with the filter up may show as modified]";
    project.write(".gitattributes", b"*.md text\n");
    assert!(!assert_unasked(&project, "git status").contains("filters off"));
    project.write(".gitattributes", b"*.txt filter=up\n");
    project.write("a.txt", b"changed\n");
    for command in ["git status", "git diff", "git status --short && git log -1"] {
        let output = assert_unasked(&project, command);
        assert!(output.ends_with(note), "{command}: {output}");
    }
    assert!(!assert_unasked(&project, "git log -1").contains("filters off"));
    assert!(!assert_unasked(&project, "ls").contains("filters off"));
    // In a directory below, and named by the repository that is looked at.
    project.write("d/c.txt", b"c\n");
    assert!(assert_unasked(&project, "cd d && git status").ends_with(note));
    assert!(assert_unasked(&project, "git -C d status").ends_with(note));
}

#[test]
fn a_filter_of_another_repository_in_the_project_is_left_out_too() {
    let project = Project::new().file("a.txt", "one\n").git();
    project.write("inner/b.txt", b"b\n");
    project.run_git(&["-C", "inner", "init", "-q"]);
    project.run_git(&["-C", "inner", "add", "."]);
    project.run_git(&["-C", "inner", "commit", "-qm", "b"]);
    let evil = program(&project, "evil.sh");
    project.run_git(&["-C", "inner", "config", "filter.f.clean", &evil]);
    project.run_git(&["-C", "inner", "config", "filter.f.required", "true"]);
    project.write("inner/.gitattributes", b"*.txt filter=f\n");
    project.write("inner/b.txt", b"c\n");
    for command in ["git -C inner diff", "cd inner && git diff"] {
        let output = assert_unasked(&project, command);
        assert!(
            output.contains("+c") && output.contains("[filters off"),
            "{command}: {output}"
        );
    }
}

/// Commands that most sessions begin with.
const COMMON: &[&str] = &[
    "git status",
    "git status --short --branch",
    "git diff",
    "git log --oneline -5",
    "git show --stat",
    "git branch -vv",
    "git rev-parse HEAD",
    "git ls-files",
    "git stash list",
    "git remote -v",
];

#[test]
fn repositories_of_every_shape_need_no_question() {
    let project = Project::new().file("a.txt", "one\n").git();
    with_submodule(&project);
    project.run_git(&["worktree", "add", "-q", "linked"]);
    project.run_git(&["worktree", "add", "-q", "--detach", "linked-too"]);
    project.run_git(&["config", "core.sparseCheckout", "true"]);
    project.run_git(&["config", "alias.st", "!touch ran"]);
    project.run_git(&["config", "filter.lfs.process", "git-lfs filter-process"]);
    project.run_git(&["config", "filter.lfs.required", "true"]);
    project.write(".git/hooks/pre-commit", b"#!/bin/sh\n");
    for place in [".", "sub", "linked", "linked-too"] {
        for command in COMMON {
            assert_unasked(&project, &format!("cd {place} && {command}"));
        }
    }
    project.run_git(&["clone", "-q", "--bare", ".", "bare.git"]);
    for command in ["git -C bare.git log --oneline -5", "git -C bare.git branch -a"] {
        assert_unasked(&project, command);
    }
}

#[test]
fn a_session_in_a_linked_work_tree_needs_no_question() {
    let project = Project::new().file("a.txt", "one\n").git();
    let linked = project.outside().join("linked");
    project.run_git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    for command in COMMON {
        let lathe = bash(&project, command).cwd(&linked);
        let result = result(lathe);
        assert_eq!(result["ok"], true, "{command}: {result}");
    }
}

/// A submodule as git makes it: its repository lies with that of the superproject.
fn with_absorbed_submodule(project: &Project) {
    with_submodule(project);
    project.run_git(&["submodule", "absorbgitdirs"]);
    assert!(project.path("sub/.git").is_file() && project.path(".git/modules/sub").is_dir());
}

#[test]
fn a_session_in_a_submodule_needs_no_question() {
    let project = Project::new().file("a.txt", "one\n").git();
    with_absorbed_submodule(&project);
    project.write("sub/deep/c.txt", b"c\n");
    for place in ["sub", "sub/deep"] {
        for command in COMMON {
            let result = result(bash(&project, command).cwd(project.path(place)));
            assert_eq!(result["ok"], true, "{command} in {place}: {result}");
        }
    }
    // A linked work tree of it, elsewhere.
    let linked = project.outside().join("linked");
    project.run_git(&["-C", "sub", "worktree", "add", "-q", linked.to_str().unwrap()]);
    for command in COMMON {
        let result = result(bash(&project, command).cwd(&linked));
        assert_eq!(result["ok"], true, "{command}: {result}");
    }
}

#[test]
fn a_session_in_a_submodule_writes_and_reads_nothing_else_of_the_superproject() {
    let project = Project::new().file("a.txt", "one\n").git();
    with_absorbed_submodule(&project);
    project.write(".git/modules/other/config", b"[remote \"o\"]\n\turl = secret\n");
    let in_sub = |command: &str| {
        let lathe = bash(&project, command).cwd(project.path("sub"));
        result(lathe)["details"]["error"]["key"].to_string()
    };
    for command in [
        "touch ../.git/modules/sub/hooks/pre-commit",
        "cp b.txt ../.git/modules/sub/config",
    ] {
        let found = in_sub(command);
        assert_eq!(found, "\"protected\"", "{command}");
    }
    for command in [
        "cat ../.git/config",
        "cat ../.git/modules/other/config",
        "git -C .. log",
        "git -C .. show HEAD:a.txt",
        "cat ../a.txt",
    ] {
        assert_eq!(in_sub(command), "\"external_directory\"", "{command}");
    }
}

/// Git follows a `.git` file anywhere; lathe only to a repository that knows the work tree as its own.
#[test]
fn a_git_file_opens_no_repository_that_does_not_point_back() {
    let project = Project::new().file("a.txt", "one\n").git();
    with_absorbed_submodule(&project);
    let plain = project.outside().join("plain");
    project.run_git(&["init", "-q", plain.to_str().unwrap()]);
    project.run_git(&[
        "-C",
        plain.to_str().unwrap(),
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "private",
    ]);
    let keys = project.home().join(".ssh");
    fs::create_dir_all(&keys).unwrap();
    fs::write(keys.join("config"), "private").unwrap();
    let linked = project.outside().join("linked");
    project.run_git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    let evil = project.outside().join("evil");
    fs::create_dir_all(&evil).unwrap();
    for target in [
        plain.join(".git"),
        // Each knows a work tree, and it is another one.
        project.path(".git/modules/sub"),
        project.path(".git/worktrees/linked"),
        project.path(".git"),
    ] {
        fs::write(evil.join(".git"), format!("gitdir: {}\n", target.display())).unwrap();
        for command in ["git log", "git status", "git show", "git config --list"] {
            let found = result(bash(&project, command).cwd(&evil));
            assert_ne!(found["ok"], true, "{command} by {}: {found}", target.display());
            assert!(!found.to_string().contains("private"), "{found}");
        }
    }
    for target in [keys.as_path(), std::path::Path::new("/etc")] {
        fs::write(evil.join(".git"), format!("gitdir: {}\n", target.display())).unwrap();
        let found = result(bash(&project, "git status; git config --list").cwd(&evil));
        assert!(!found.to_string().contains("private"), "{found}");
        let config = format!("cat {}/config", target.display());
        assert_ne!(result(bash(&project, &config).cwd(&evil))["ok"], true);
    }
}

#[test]
fn a_repository_elsewhere_is_a_question_about_its_place() {
    let project = Project::new().file("a.txt", "one\n").git();
    let other = project.outside().join("other");
    fs::create_dir_all(&other).unwrap();
    let other = other.to_str().unwrap();
    project.run_git(&["init", "-q", other]);
    project.run_git(&["-C", other, "commit", "-q", "--allow-empty", "-m", "private"]);
    project.write("pointer/.git", format!("gitdir: {other}/.git\n").as_bytes());
    let asks = |result: &Value| {
        result["details"]["error"]["key"] == "external_directory" && !result.to_string().contains("private")
    };
    let found = result(bash(&project, "git -C pointer log"));
    assert!(asks(&found), "{found}");
    // So is one that the person's own environment names.
    let found = result(bash(&project, "git log").env("GIT_DIR", format!("{other}/.git")));
    assert!(asks(&found), "{found}");
    let own = project.path(".git");
    let found = result(bash(&project, "git log --format=%s").env("GIT_DIR", own));
    assert_eq!(found["output"], "start", "{found}");
}

#[test]
fn a_repository_with_a_file_without_end_is_asked_about() {
    let project = Project::new().file("a.txt", "one\n").git();
    for name in [".git/commondir", ".git/refs/heads/other", ".mailmap"] {
        assert_unasked(&project, "git status");
        let file = fs::File::create(project.path(name)).unwrap();
        file.set_len(3 << 30).unwrap();
        let found = result(bash(&project, "git status"));
        assert_eq!(found["details"]["error"]["kind"], "denied", "{name}: {found}");
        fs::remove_file(project.path(name)).unwrap();
    }
    assert_unasked(&project, "git status");
}

#[test]
fn a_git_that_comes_with_the_project_is_never_started() {
    let server = Server::start();
    let project = screen_project(&server).file("a.txt", "one\n").git();
    program(&project, "git");
    program(&project, "bin/git");
    let path = std::env::var("PATH").unwrap();
    for first in [
        ".".to_owned(),
        "bin".to_owned(),
        String::new(),
        project.path("bin").display().to_string(),
    ] {
        let path = format!("{first}:{path}");
        for command in ["git status", "git diff"] {
            let found = result(bash(&project, command).env("PATH", &path));
            assert_eq!(found["details"]["error"]["key"], "bash", "{first}: {found}");
        }
        let doctor = Lathe::in_project(&project)
            .env("PATH", &path)
            .args(["doctor"])
            .run();
        assert!(doctor.stdout.contains("git does not run"), "{first}: {doctor}");
        assert!(!has_run(&project), "{first}");
    }
}
