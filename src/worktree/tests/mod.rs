//! Trees of real repositories.

mod applying;
mod making;
mod removing;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::*;

impl Worktrees {
    fn apply(&self, task: &TaskId, selection: &Selection) -> Result<ApplyResult, TreeError> {
        self.apply_logged(task, selection, None)
    }
}

/// A project with a repository, and the trees of its tasks.
struct Fixture {
    _held: tempfile::TempDir,
    base: PathBuf,
    trees: Worktrees,
}

impl Fixture {
    /// A repository with `a.txt`, `b.txt` and `.gitignore` in one commit.
    fn new() -> Self {
        let fixture = Self::empty();
        fixture.git("init -q -b main");
        fixture.write("a.txt", &lines(30));
        fixture.write("b.txt", "b\n");
        fixture.write(".gitignore", "*.log\ntarget/\n.env\n");
        fixture.commit();
        fixture
    }

    fn empty() -> Self {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        for name in ["project", "data", "home", "data/transactions"] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        let trees = Worktrees::new(
            &base.join("data"),
            base.join("data/transactions"),
            environment(&base),
        );
        Self {
            _held: held,
            base,
            trees,
        }
    }

    fn project(&self) -> PathBuf {
        self.base.join("project")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        write(&self.path(name), text.as_bytes());
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn git(&self, words: &str) -> String {
        self.git_in(&self.project(), words)
    }

    fn git_in(&self, directory: &Path, words: &str) -> String {
        let output = self.try_git(directory, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {words}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn try_git(&self, directory: &Path, words: &str) -> Output {
        Command::new("git")
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@t",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(words.split(' '))
            .current_dir(directory)
            .env_clear()
            .envs(environment(&self.base))
            .output()
            .unwrap()
    }

    fn commit(&self) {
        self.git("add -A");
        self.git("commit -q -m state");
    }

    /// Makes the tree of a new task.
    fn tree(&self) -> Tree<'_> {
        let task = TaskId::of(&crate::conversation::SessionId::new());
        let path = self.trees.create(&self.order(&task)).unwrap();
        Tree {
            fixture: self,
            task,
            path,
        }
    }

    fn order(&self, task: &TaskId) -> NewTree {
        NewTree {
            task: task.clone(),
            title: "look around".to_owned(),
            source: self.project(),
            project: self.project(),
        }
    }

    /// Every file of the project's repository, and of its work tree, with its bytes.
    fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files_below(&self.project())
    }
}

/// The tree of one task.
struct Tree<'a> {
    fixture: &'a Fixture,
    task: TaskId,
    path: PathBuf,
}

impl Tree<'_> {
    fn write(&self, name: &str, text: &str) {
        write(&self.path.join(name), text.as_bytes());
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn git(&self, words: &str) -> String {
        self.fixture.git_in(&self.path, words)
    }

    fn state(&self) -> TreeState {
        self.fixture.trees.find(&self.task).unwrap().state
    }

    fn changes(&self) -> Vec<TreeFile> {
        let changes = self.fixture.trees.changes(&self.task, Against::Applied);
        changes.unwrap().files
    }

    fn apply(&self) -> ApplyResult {
        self.fixture.trees.apply(&self.task, &Selection::All).unwrap()
    }

    fn remove(&self, removal: &Removal) -> Result<RemovedTree, TreeError> {
        self.fixture.trees.remove(&self.task, removal, |_| {})
    }
}

fn environment(base: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    [
        ("PATH", path),
        ("HOME", base.join("home").into()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into()
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn lines(count: usize) -> String {
    let lines: Vec<String> = (1..=count).map(|line| format!("{line}\n")).collect();
    lines.concat()
}

fn set_executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn is_executable(path: &Path) -> bool {
    path.metadata().unwrap().permissions().mode() & 0o111 != 0
}

/// Returns all files with their contents; of a large one, with its size and its time.
fn files_below(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                directories.push(path);
            } else if let Ok(target) = fs::read_link(&path) {
                found.push((path, target.into_os_string().into_encoded_bytes()));
            } else {
                let data = entry.metadata().unwrap();
                let contents = if data.len() > 1 << 20 {
                    format!("{} bytes, {:?}", data.len(), data.modified()).into_bytes()
                } else {
                    fs::read(&path).unwrap()
                };
                found.push((path, contents));
            }
        }
    }
    found.sort();
    found
}

fn link(target: &str, path: &Path) {
    symlink(target, path).unwrap();
}
