//! Answers of git that are kept between calls, and what makes lathe ask again.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::git::{asked, git, repository, repository_in};
use super::*;
use crate::permission::{Permissions, Source, parse};

/// A git of the project's own environment, which can be made to fail.
struct OwnGit {
    /// Path of the program.
    program: PathBuf,
    working: PathBuf,
    failing: PathBuf,
}

impl OwnGit {
    fn of(project: &mut Harness) -> Self {
        let directory = project.outside("bin");
        fs::create_dir_all(&directory).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        let mut places = std::env::split_paths(&path).map(|place| place.join("git"));
        let found = places.find(|file| file.is_file()).unwrap();
        let own = Self {
            program: directory.join("git"),
            working: project.outside("working"),
            failing: project.outside("failing"),
        };
        fs::copy(found.canonicalize().unwrap(), &own.working).unwrap();
        fs::write(&own.failing, "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(&own.failing, fs::Permissions::from_mode(0o755)).unwrap();
        own.works();
        let path = format!("{}:{}", directory.display(), path.to_string_lossy());
        let home = project.outside("home");
        set_environment(
            project,
            vec![("PATH".into(), path.into()), ("HOME".into(), home.into())],
        );
        own
    }

    fn works(&self) {
        self.becomes(&self.working);
    }

    fn fails(&self) {
        self.becomes(&self.failing);
    }

    fn becomes(&self, file: &Path) {
        let new = self.program.with_extension("new");
        let _ = fs::remove_file(&new);
        fs::hard_link(file, &new).unwrap();
        fs::rename(&new, &self.program).unwrap();
        // A second name of the file that is there already is left as it is.
        let _ = fs::remove_file(&new);
    }

    /// Waits until a command is judged without git. Files that were written just now are not relied on.
    fn wait_until_kept(&self, project: &Harness, command: &str) {
        let begun = Instant::now();
        loop {
            self.works();
            asked(project, command);
            self.fails();
            let open = asked(project, command);
            self.works();
            if open.is_empty() {
                return;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "{command}: {open:?}");
        }
    }
}

/// A repository with a change in the work tree, where neither the index nor the last commit has a secret.
fn harmless(mut project: Harness) -> (Harness, OwnGit) {
    project = repository_in(project);
    let own = OwnGit::of(&mut project);
    let root = project.path("");
    git(&root, &["rm", "-q", "config/.env"]);
    git(&root, &["commit", "-qm", "three"]);
    project.write("a.txt", "c\n");
    git(&root, &["commit", "-qam", "four"]);
    project.write("a.txt", "d\n");
    (project, own)
}

fn secret() -> [(String, String); 1] {
    [pair("read", ".env")]
}

#[tokio::test]
async fn what_only_the_index_and_commits_decide_is_asked_once() {
    let (project, own) = harmless(Harness::new());
    for command in [
        "git diff",
        "git diff -- a.txt",
        "git diff --cached",
        "git diff HEAD",
        "git diff HEAD -- a.txt",
        "git diff HEAD~1 HEAD",
        "git diff HEAD~1..HEAD -- a.txt",
        "git log -p -1",
        "git log -p -n 1 -- a.txt",
        "git show",
        "git show HEAD",
        "git show HEAD:a.txt",
    ] {
        own.wait_until_kept(&project, command);
    }
    // An answer by a shortened hash depends on which objects there are.
    let hash = Command::new("git")
        .args(["rev-parse", "--short", "HEAD"])
        .current_dir(project.path(""))
        .output()
        .unwrap();
    let hash = String::from_utf8(hash.stdout).unwrap();
    own.wait_until_kept(&project, &format!("git show {}", hash.trim()));
    // What else decides is asked each time, and then a git that fails is a reason to ask.
    for command in [
        "git diff HEAD@{0}",
        "git show HEAD@{0}",
        "git log -p -1 --since=yesterday",
        "git log -p -1 --all",
        "git log -p -g -1",
        "git log -p -1 -S c",
        "git log -p -1 -- ':(attr:x)a.txt'",
    ] {
        asked(&project, command);
        own.fails();
        let open = asked(&project, command);
        own.works();
        assert_eq!(open.len(), 1, "{command}: {open:?}");
        assert_eq!(open[0].0, "bash", "{command}: {open:?}");
    }
}

#[tokio::test]
async fn a_file_that_comes_to_be_tracked_is_found() {
    let (project, own) = harmless(Harness::new());
    for command in ["git diff", "git diff HEAD", "git diff --cached"] {
        own.wait_until_kept(&project, command);
        assert_eq!(asked(&project, command), []);
    }
    project.write(".env", "TOKEN=1\n");
    assert_eq!(asked(&project, "git diff"), [], "it is not tracked");
    git(&project.path(""), &["add", "-f", ".env"]);
    assert_eq!(asked(&project, "git diff --cached"), secret());
    assert_eq!(asked(&project, "git diff HEAD"), secret());
    project.write(".env", "TOKEN=2\n");
    assert_eq!(asked(&project, "git diff"), secret());
    assert_eq!(asked(&project, "git diff -- a.txt"), []);
    // It is found each time.
    assert_eq!(asked(&project, "git diff"), secret());
    // In a directory below, too.
    project.write("d/b.txt", "b\n");
    assert_eq!(asked(&project, "cd d && git diff"), secret());
}

#[tokio::test]
async fn a_reference_that_changes_is_followed() {
    let (project, own) = harmless(Harness::new());
    let root = project.path("");
    git(&root, &["tag", "v1"]);
    let commands = [
        "git log -p -1",
        "git show HEAD",
        "git show main",
        "git diff HEAD~1 HEAD",
    ];
    let check = |expected: &[(String, String)], when: &str| {
        for command in commands {
            assert_eq!(asked(&project, command), expected, "{command} {when}");
        }
    };
    let wait = || {
        for command in commands {
            own.wait_until_kept(&project, command);
        }
    };
    wait();
    project.write(".env", "TOKEN=1\n");
    git(&root, &["add", "-f", ".env"]);
    git(&root, &["commit", "-qm", "five"]);
    check(&secret(), "after a commit");
    git(&root, &["commit", "-qam", "six", "--allow-empty"]);
    wait();
    git(&root, &["reset", "-q", "--soft", "HEAD~1"]);
    check(&secret(), "after a reset");
    git(&root, &["pack-refs", "--all"]);
    check(&secret(), "in packed references");
    own.wait_until_kept(&project, "git show v1");
    git(&root, &["tag", "-f", "v1"]);
    assert_eq!(asked(&project, "git show v1"), secret());
    git(&root, &["tag", "-f", "v1", "HEAD~1"]);
    own.wait_until_kept(&project, "git show v1");
    // A file beside `HEAD` comes before a tag.
    fs::copy(root.join(".git/refs/heads/main"), root.join(".git/v1"))
        .or_else(|_| {
            let head = Command::new("git")
                .args(["rev-parse", "HEAD"])
                .current_dir(&root)
                .output()?;
            fs::write(root.join(".git/v1"), head.stdout).map(|()| 0)
        })
        .unwrap();
    assert_eq!(asked(&project, "git show v1"), secret());
}

#[tokio::test]
async fn rules_that_change_are_gone_by() {
    let (project, own) = harmless(Harness::new());
    own.wait_until_kept(&project, "git diff");
    assert_eq!(asked(&project, "git diff"), []);
    let before = project.services.gate.permissions();
    let mut rules = Permissions::clone(&before);
    let rule = json!({"read": {"a.txt": "ask"}});
    rules.user.extend(parse(&rule, &Source::Default, None).unwrap());
    project.services.gate.change_rules(rules);
    assert_eq!(asked(&project, "git diff"), [pair("read", "a.txt")]);
    project.services.gate.change_rules(Permissions::clone(&before));
    assert_eq!(asked(&project, "git diff"), []);
}

#[tokio::test]
async fn what_changes_while_a_command_waits_is_found_before_it_runs() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 2] = [
        ("git diff", |root| {
            git(root, &["add", "-f", ".env"]);
            fs::write(root.join(".env"), "SECRET=2\n").unwrap();
        }),
        ("git show HEAD", |root| {
            git(root, &["add", "-f", ".env"]);
            git(root, &["commit", "-qm", "five"]);
        }),
    ];
    for (command, change) in changes {
        let (project, own) = harmless(Harness::with_rules(json!({})).attended());
        let root = project.path("");
        project.write(".env", "SECRET=1\n");
        own.wait_until_kept(&project, command);
        let call = project.run("bash", json!({ "command": format!("touch made && {command}") }));
        let (result, ()) = tokio::join!(call, project.allow_after(|| change(&root)));
        assert_eq!(result.error_kind(), Some(ErrorKind::Stale), "{}", result.output);
        assert!(
            result.output.contains(".env") && !result.output.contains("SECRET"),
            "{}",
            result.output
        );
        assert!(!project.path("made").exists());
    }
}

#[tokio::test]
async fn an_index_that_names_a_secret_is_asked_about_precisely() {
    let project = repository();
    assert_eq!(asked(&project, "git diff"), []);
    project.write("config/.env", "TOKEN=2\n");
    assert_eq!(asked(&project, "git diff"), [pair("read", "config/.env")]);
    assert_eq!(asked(&project, "git diff -- a.txt"), []);
}

#[tokio::test]
async fn operands_in_unusual_places_count() {
    let project = repository();
    let root = project.path("");
    let blob = Command::new("git")
        .current_dir(&root)
        .args(["rev-parse", "HEAD:config/.env"])
        .output()
        .unwrap();
    let blob = String::from_utf8(blob.stdout).unwrap();
    let blob = blob.trim();
    git(&root, &["rm", "-q", "--cached", "config/.env"]);
    git(&root, &["commit", "-qm", "without"]);
    let outside = project.outside("elsewhere");
    fs::create_dir_all(&outside).unwrap();
    for harmless in ["git diff", "git show HEAD:a.txt", "git grep b HEAD"] {
        assert_eq!(asked(&project, harmless), [], "{harmless}");
    }
    let heads = "HEAD ".repeat(16);
    for command in [
        format!("git diff -- {} .", outside.display()),
        "git show --unified HEAD".to_owned(),
        "git diff --unified HEAD~1".to_owned(),
        format!("git cat-file -p -- {blob}"),
        format!("git cat-file blob -- {blob}"),
        format!("git grep TOKEN {heads}HEAD~1"),
    ] {
        assert_ne!(asked(&project, &command), [], "{command}");
    }
}
