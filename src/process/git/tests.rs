mod measured;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::process::{Confinement, Shell, ShellCommand, Support};

fn value<'a>(environment: &'a Variables, name: &str) -> Option<&'a str> {
    let mut values = environment.iter().filter(|(known, _)| known == name);
    let value = values.next().and_then(|(_, value)| value.to_str());
    assert!(values.next().is_none(), "{name} is set twice");
    value
}

fn setting<'a>(environment: &'a Variables, key: &str) -> Option<&'a str> {
    let count: usize = value(environment, "GIT_CONFIG_COUNT").unwrap().parse().unwrap();
    let index = (0..count).find(|index| value(environment, &format!("GIT_CONFIG_KEY_{index}")) == Some(key));
    index.and_then(|index| value(environment, &format!("GIT_CONFIG_VALUE_{index}")))
}

#[test]
fn variables_that_lead_elsewhere_or_start_programs_are_dropped() {
    let given = [
        "GIT_OBJECT_DIRECTORY",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_KEY_0",
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
        "GIT_TRACE",
        "GIT_EXEC_PATH",
        "GIT_TEMPLATE_DIR",
        "GIT_NEW_IN_A_LATER_VERSION",
        "GIT_PAGER",
        "GIT_ALLOW_PROTOCOL",
    ];
    let given = given.map(|name| (name.into(), "/evil".into())).into();
    let environment = disarmed(given, &Drivers::default(), Submodules::Read);
    assert!(
        environment.iter().all(|(_, value)| value != "/evil"),
        "{environment:?}"
    );
    let kept = vec![
        ("GIT_CONFIG_GLOBAL".into(), "/mine".into()),
        ("HOME".into(), "/home".into()),
    ];
    let environment = disarmed(kept, &Drivers::default(), Submodules::Read);
    assert_eq!(value(&environment, "GIT_CONFIG_GLOBAL"), Some("/mine"));
    assert_eq!(value(&environment, "HOME"), Some("/home"));
    assert_eq!(value(&environment, "GIT_NO_LAZY_FETCH"), Some("1"));
    assert_eq!(value(&environment, "GIT_OPTIONAL_LOCKS"), Some("0"));
    assert_eq!(value(&environment, "GIT_NO_REPLACE_OBJECTS"), Some("1"));
    assert_eq!(value(&environment, "GIT_ALLOW_PROTOCOL"), Some(""));
    assert_eq!(setting(&environment, "core.fsmonitor"), Some("false"));
    assert_eq!(setting(&environment, "core.hooksPath"), Some("/dev/null"));
    assert_eq!(setting(&environment, "diff.ignoreSubmodules"), None);
}

fn drivers(keys: &[&str]) -> Drivers {
    let settings = keys.iter().map(|key| ((*key).to_owned(), "x".to_owned()));
    Drivers::among(&settings.collect::<Vec<_>>())
}

#[test]
fn settings_under_names_of_their_own_are_said_anew() {
    let drivers = drivers(&[
        "filter.lfs.process",
        "filter.a.b.clean",
        "diff.d.textconv",
        "merge.m.driver",
        "remote.o.uploadpack",
        "credential.https://x.helper",
        "user.name",
        "diff.renames",
        "remote.o.url",
    ]);
    assert_eq!(drivers.filters(), BTreeSet::from(["a.b", "lfs"]));
    let environment = disarmed(Vec::new(), &drivers, Submodules::Skip);
    for (key, expected) in [
        ("filter.lfs.process", ""),
        ("filter.lfs.clean", ""),
        ("filter.lfs.required", "false"),
        ("filter.a.b.smudge", ""),
        ("diff.d.textconv", "false"),
        ("merge.m.driver", "false"),
        ("remote.o.uploadpack", "false"),
        ("credential.https://x.helper", ""),
        ("diff.ignoreSubmodules", "dirty"),
    ] {
        assert_eq!(setting(&environment, key), Some(expected), "{key}");
    }
    assert!(value(&environment, "BASH_FUNC_git%%").is_some());
}

/// A repository with one commit and a change, and a program that leaves a file when it is run.
struct Hostile {
    directory: tempfile::TempDir,
    environment: Variables,
}

impl Hostile {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        let evil = root.join("evil");
        let text = format!("#!/bin/sh\necho ran > {}\ncat\n", root.join("ran").display());
        fs::write(&evil, text).unwrap();
        fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
        let environment = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), root.join("home").into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ];
        let hostile = Self {
            directory,
            environment,
        };
        hostile.git("init -q . && git config user.name a && git config user.email a@b");
        fs::write(root.join("a.txt"), "a\n").unwrap();
        fs::write(root.join(".gitattributes"), "*.txt diff=d filter=f merge=m\n").unwrap();
        hostile.git("add a.txt .gitattributes && git commit -qm one");
        fs::write(root.join("a.txt"), "changed\n").unwrap();
        hostile
    }

    fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    /// Undisarmed.
    fn git(&self, arguments: &str) {
        let done = std::process::Command::new("sh")
            .args(["-c", &format!("git {arguments}")])
            .current_dir(self.root())
            .env_clear()
            .envs(self.environment.iter().cloned())
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments}: {done:?}");
    }

    fn has_run(&self) -> bool {
        fs::remove_file(self.root().join("ran")).is_ok()
    }

    /// Git as lathe asks it here.
    fn asked(&self) -> Git {
        Git::find(self.root(), self.environment.clone(), Path::new("/nowhere")).unwrap()
    }

    /// Disarmed by the environment alone, or confined as well.
    async fn disarmed(&self, command: &str, is_confined: bool) -> (Option<i32>, String) {
        let path = std::env::var_os("PATH").unwrap();
        let git = self.asked();
        let program = git.program().to_owned();
        let drivers = RepositoryCache::default().facts(&git).unwrap().drivers.clone();
        let shell = Shell::find(None, Some(&path)).unwrap();
        let programs = [
            vec![shell.program().to_owned(), program.clone()],
            own_programs(&program),
        ]
        .concat();
        let command = ShellCommand {
            shell,
            command: command.to_owned(),
            cwd: self.root(),
            environment: disarmed(self.environment.clone(), &drivers, Submodules::Read),
            confinement: is_confined.then(|| Confinement::reading(&programs, Some(&path), None)),
        };
        let mut output = Vec::new();
        let running = command.spawn().unwrap();
        let outcome = running
            .finish(Duration::from_mins(1), &CancellationToken::new(), |bytes| {
                output.extend_from_slice(bytes);
            })
            .await;
        (outcome.exit, String::from_utf8(output).unwrap())
    }
}

#[tokio::test]
async fn no_setting_makes_a_disarmed_git_run_a_program() {
    let hostile = Hostile::new();
    let evil = hostile.root().join("evil").display().to_string();
    let can_confine = Support::of_kernel().can_confine_reading();
    for (key, armed) in [
        ("core.fsmonitor", "status"),
        ("filter.f.clean", "diff"),
        ("filter.f.process", "diff"),
        ("diff.external", "diff"),
        ("diff.d.command", "diff"),
        ("diff.d.textconv", "diff"),
        ("diff.d.textconv", "log -p"),
        ("diff.d.textconv", "show"),
        ("diff.d.textconv", "blame a.txt"),
    ] {
        hostile.git(&format!("config --global {key} {evil}"));
        let done = std::process::Command::new("git")
            .args(armed.split(' '))
            .current_dir(hostile.root())
            .env_clear()
            .envs(hostile.environment.iter().cloned())
            .output();
        assert!(
            done.is_ok() && hostile.has_run(),
            "{key} runs nothing, which proves nothing"
        );
        for is_confined in [false, can_confine] {
            let (exit, output) = hostile.disarmed(&format!("git {armed}"), is_confined).await;
            assert!(!hostile.has_run(), "{key} with `git {armed}` ran a program");
            assert_eq!(exit, Some(0), "{key} with `git {armed}`: {output}");
        }
        hostile.git(&format!("config --global --unset {key}"));
    }
}

#[tokio::test]
async fn a_hook_is_not_run_wherever_it_is_configured() {
    let hostile = Hostile::new();
    let hooks = hostile.root().join(".h");
    fs::create_dir(&hooks).unwrap();
    fs::copy(hostile.root().join("evil"), hooks.join("post-index-change")).unwrap();
    hostile.git("config --global core.hooksPath .h");
    hostile.git("update-index --refresh; touch -d 2001-01-01 .gitattributes; git status");
    assert!(hostile.has_run());
    hostile.git("hash-object a.txt; touch -d 2002-01-01 .gitattributes");
    let (exit, output) = hostile.disarmed("git status --short", false).await;
    assert!(!hostile.has_run(), "{output}");
    assert_eq!(
        (exit, output.as_str()),
        (Some(0), " M a.txt\n?? .h/\n?? evil\n?? home/\n")
    );
}

#[tokio::test]
async fn where_the_kernel_holds_a_submodule_runs_nothing() {
    if !Support::of_kernel().can_confine_reading() {
        eprintln!("skipped: the kernel cannot confine a command to reading");
        return;
    }
    let hostile = Hostile::new();
    hostile.git("-c protocol.file.allow=always submodule --quiet add \"$PWD\" sub && git commit -qm sub");
    hostile.git(&format!(
        "-C sub config core.fsmonitor {}",
        hostile.root().join("evil").display()
    ));
    hostile.git("status");
    assert!(hostile.has_run());
    let (exit, output) = hostile.disarmed("git status --short", true).await;
    assert!(!hostile.has_run(), "{output}");
    assert_eq!(exit, Some(0), "{output}");
}

/// Adds a repository as the submodule `sub`, which starts a program whenever git looks into it.
fn with_hostile_submodule(hostile: &Hostile) {
    hostile.git("-c protocol.file.allow=always submodule --quiet add \"$PWD\" sub && git commit -qm sub");
    let evil = hostile.root().join("evil");
    hostile.git(&format!("-C sub config core.fsmonitor {}", evil.display()));
    // Stands above what settings say of all submodules.
    hostile.git("config -f .gitmodules submodule.sub.ignore none");
}

#[tokio::test]
async fn no_question_of_lathe_s_own_looks_into_a_submodule() {
    let hostile = Hostile::new();
    with_hostile_submodule(&hostile);
    hostile.git("-c diff.ignoreSubmodules=all diff-files");
    assert!(hostile.has_run(), "otherwise this proves nothing");
    let limits = Limits {
        time: Duration::from_secs(10),
        bytes: 10_000,
    };
    for words in [
        &["diff-files", "--name-only"][..],
        &["diff-index", "--name-only", "HEAD"],
        &["diff", "HEAD"],
        &["-c", "diff.autoRefreshIndex=false", "diff", "--name-only"],
        &["log", "-p"],
        &["show"],
        &["ls-files", "--others"],
    ] {
        let answer = hostile.asked().ask(words, limits).await.unwrap();
        assert!(answer.is_success, "{words:?} {answer:?}");
        assert!(!hostile.has_run(), "{words:?}");
    }
}

#[test]
fn answers_are_kept_until_something_changes_that_they_come_from() {
    let hostile = Hostile::new();
    let (git, cache) = (hostile.asked(), RepositoryCache::default());
    let facts = || cache.facts(&git).unwrap();
    let has = |key: &str| facts().settings.iter().any(|(known, _)| known == key);
    let top = facts().repository.clone().unwrap().top;
    assert_eq!(top, Some(hostile.root()));
    // Files that were written just now are not relied on.
    let kept = || {
        let before = facts();
        std::sync::Arc::ptr_eq(&before, &facts())
    };
    let wait_until_kept = || {
        let begun = std::time::Instant::now();
        while !kept() {
            assert!(begun.elapsed() < Duration::from_mins(1), "answers are never kept");
        }
    };
    wait_until_kept();
    hostile.git("config x.y z");
    assert!(has("x.y"));
    hostile.git("config --global a.b c");
    assert!(has("a.b"));
    fs::create_dir_all(hostile.root().join("home/.config/git")).unwrap();
    fs::write(hostile.root().join("home/.config/git/config"), "[d]\n\te = f\n").unwrap();
    assert!(has("d.e"));
    wait_until_kept();
    fs::rename(hostile.root().join(".git"), hostile.root().join("moved")).unwrap();
    assert_eq!(facts().repository, None);
    fs::write(hostile.root().join(".git"), "gitdir: moved\n").unwrap();
    assert_eq!(
        facts().repository.clone().unwrap().git_dir,
        hostile.root().join("moved")
    );
    wait_until_kept();
    // What includes others is asked for each time.
    hostile.git("config --global include.path other");
    assert!(!kept());
    fs::write(hostile.root().join("home/other"), "[g]\n\th = i\n").unwrap();
    assert!(has("g.h"));
}

/// Answers to one question in a repository, which are kept or not.
struct Kept<'a> {
    git: Git,
    cache: &'a RepositoryCache,
    words: &'a [&'a str],
    sources: Sources,
}

impl Kept<'_> {
    fn answer(&self) -> std::sync::Arc<GitAnswer> {
        let limits = Limits {
            time: Duration::from_secs(10),
            bytes: 1 << 20,
        };
        let facts = self.cache.facts(&self.git).unwrap();
        let answer = self
            .cache
            .answer(&self.git, &facts, self.words, &self.sources, limits);
        answer.unwrap()
    }

    fn is_kept(&self) -> bool {
        let before = self.answer();
        std::sync::Arc::ptr_eq(&before, &self.answer())
    }

    fn wait(&self) {
        let begun = std::time::Instant::now();
        while !self.is_kept() {
            assert!(begun.elapsed() < Duration::from_mins(1), "it is never kept");
        }
    }

    /// Waits until whatever was written is old enough, so that another answer would be kept.
    fn assert_never(&self, control: &Self, why: &str) {
        control.wait();
        assert!(!self.is_kept(), "{why}");
    }
}

#[test]
fn an_answer_is_kept_until_its_references_or_its_index_change() {
    let hostile = Hostile::new();
    let cache = RepositoryCache::default();
    let kept = |words, sources| Kept {
        git: hostile.asked(),
        cache: &cache,
        words,
        sources,
    };
    let commits = kept(&["log", "--format=%s", "-1"], Sources::revisions([]).unwrap());
    let index = kept(&["ls-files", "-z"], Sources::index());
    let text = |kept: &Kept<'_>| String::from_utf8(kept.answer().stdout.bytes.clone()).unwrap();
    commits.wait();
    index.wait();
    for (change, subject) in [
        ("commit -q --allow-empty -m two", "two"),
        ("checkout -q --detach HEAD~1", "one"),
        ("checkout -q -", "two"),
        ("pack-refs --all", "two"),
        ("update-ref HEAD HEAD~1", "one"),
        // It is not followed.
        ("replace HEAD $(git commit-tree -m other HEAD^{tree})", "one"),
    ] {
        commits.wait();
        let before = commits.answer();
        hostile.git(change);
        assert_eq!(text(&commits).trim(), subject, "{change}");
        assert!(!std::sync::Arc::ptr_eq(&before, &commits.answer()), "{change}");
    }
    index.wait();
    fs::write(hostile.root().join("b.txt"), "b").unwrap();
    hostile.git("add b.txt");
    assert!(text(&index).contains("b.txt"));
    // Shared indexes are files of their own.
    hostile.git("update-index --split-index");
    index.wait();
    fs::write(hostile.root().join("c.txt"), "c").unwrap();
    hostile.git("add c.txt");
    assert!(text(&index).contains("c.txt"));
    // A setting that changes makes every answer a new one.
    index.wait();
    let before = index.answer();
    hostile.git("config x.y z");
    assert!(!std::sync::Arc::ptr_eq(&before, &index.answer()));
}

#[test]
fn an_index_that_was_touched_just_now_is_not_relied_on() {
    use std::os::unix::fs::MetadataExt;

    let hostile = Hostile::new();
    let cache = RepositoryCache::default();
    let index = Kept {
        git: hostile.asked(),
        cache: &cache,
        words: &["ls-files", "-z"],
        sources: Sources::index(),
    };
    let file = hostile.root().join(".git/index");
    // On a busy machine the question may come too late to prove anything.
    for _ in 0..100 {
        index.wait();
        fs::write(&file, fs::read(&file).unwrap()).unwrap();
        let data = file.metadata().unwrap();
        let nanoseconds = u32::try_from(data.ctime_nsec()).unwrap();
        let touched = Duration::new(data.ctime().try_into().unwrap(), nanoseconds);
        let first = index.answer();
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        if now < touched + Duration::from_millis(100) {
            assert!(!std::sync::Arc::ptr_eq(&first, &index.answer()));
            return;
        }
    }
    panic!("the machine is too busy");
}

#[test]
fn an_answer_of_a_repository_that_is_not_understood_is_not_kept() {
    let hostile = Hostile::new();
    let cache = RepositoryCache::default();
    let commits = |git| Kept {
        git,
        cache: &cache,
        words: &["log", "--format=%s", "-1"],
        sources: Sources::revisions([]).unwrap(),
    };
    let here = commits(hostile.asked());
    let control = Kept {
        words: &["ls-files", "-z"],
        sources: Sources::index(),
        ..commits(hostile.asked())
    };
    here.wait();
    hostile.git("symbolic-ref refs/heads/link refs/heads/none");
    here.wait();
    fs::write(hostile.root().join(".git/refs/heads/odd"), "ref: ODD_HEAD\n").unwrap();
    here.assert_never(&control, "a name outside of `refs`");
    fs::remove_file(hostile.root().join(".git/refs/heads/odd")).unwrap();
    std::os::unix::fs::symlink("link", hostile.root().join(".git/refs/heads/odd")).unwrap();
    here.assert_never(&control, "a link among the references");
    fs::remove_file(hostile.root().join(".git/refs/heads/odd")).unwrap();
    here.wait();
    let many = hostile.root().join(".git/refs/tags");
    let hash = "1".repeat(40);
    for number in 0..501 {
        fs::write(many.join(format!("t{number}")), &hash).unwrap();
    }
    here.assert_never(&control, "too many references");
    // Another index.
    let mut environment = hostile.environment.clone();
    environment.push(("GIT_INDEX_FILE".into(), hostile.root().join("other").into()));
    let other = Git::find(hostile.root(), environment, Path::new("/nowhere")).unwrap();
    let other = Kept {
        words: &["ls-files", "-z"],
        sources: Sources::index(),
        ..commits(other)
    };
    other.assert_never(&control, "another index");
}

#[test]
fn a_git_that_cannot_be_disarmed_by_its_environment_gives_no_facts() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let program = root.join("git");
    // As git before 2.31, which knows nothing of `GIT_CONFIG_COUNT`.
    fs::write(&program, "#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec git \"$@\"\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let environment: Variables = ["PATH", "HOME"]
        .into_iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
        .collect();
    let git = Git::new(program, root, environment);
    assert_eq!(RepositoryCache::default().facts(&git), None);
}

#[tokio::test]
async fn what_is_asked_takes_no_longer_and_no_more_than_is_allowed() {
    let hostile = Hostile::new();
    let few = Limits {
        time: Duration::from_secs(10),
        bytes: 4,
    };
    let answer = hostile.asked().ask(&["log", "--format=%H"], few).await.unwrap();
    assert!(
        answer.stdout.is_cut && answer.stdout.bytes.len() == 4,
        "{answer:?}"
    );
    fs::create_dir(hostile.root().join("below")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(hostile.root().join("below/.gitattributes"))
        .status();
    assert!(made.unwrap().success());
    let soon = Limits {
        time: Duration::from_millis(300),
        bytes: 1000,
    };
    let words = ["check-attr", "-a", "below/a.txt"];
    let error = hostile.asked().ask(&words, soon).await.unwrap_err();
    assert!(matches!(error, GitError::TooLate(_)), "{error}");
}
