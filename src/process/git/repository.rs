//! The directories that git uses in a place and every setting that it has there, told by git itself.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::disarmed::Drivers;
use super::fingerprint::Fingerprint;
use super::query::{Git, GitAnswer, GitError, Limits};
use crate::regular_file::{MAX_BYTES as MAX_LINK_BYTES, RegularFile};

/// Git answers at once, unless its configuration cannot be read. More settings than that are nobody's.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(2),
    bytes: 1 << 20,
};

/// The directories that git uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// `None` for a repository without a work tree.
    pub top: Option<PathBuf>,
    pub git_dir: PathBuf,
    pub common_dir: PathBuf,
}

/// Git's own answers about one directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryFacts {
    /// `None` when git finds no repository.
    pub repository: Option<Repository>,
    /// Every setting with its value, from wherever it comes, but for those that disarm. Section and last part of a key
    /// are in small letters.
    pub settings: Vec<(String, String)>,
    pub drivers: Drivers,
}

impl RepositoryFacts {
    /// Asks git. `None` for an answer that cannot be read.
    pub(super) fn ask(git: &Git) -> Result<Option<Self>, GitError> {
        let [directories, settings] = git.ask_together(
            [
                &[
                    "rev-parse",
                    "--path-format=absolute",
                    "--git-dir",
                    "--git-common-dir",
                    "--show-toplevel",
                ],
                &["config", "--list", "-z", "--show-scope"],
            ],
            LIMITS,
        )?;
        Ok(read_settings(&settings).and_then(|settings| {
            Some(Self {
                repository: read_directories(&directories)?,
                drivers: Drivers::among(&settings),
                settings,
            })
        }))
    }

    /// The files that the facts come from; `None` when they are not all known, or may have changed since git was asked.
    pub(super) fn witness(&self, git: &Git, asked_at: SystemTime) -> Option<Fingerprint> {
        let is_include = |key: &str| key.starts_with("include.") || key.starts_with("includeif.");
        if self.settings.iter().any(|(key, _)| is_include(key)) {
            return None;
        }
        let is_set = |name: &str| git.environment().iter().any(|(known, _)| known == name);
        if ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE"]
            .into_iter()
            .any(is_set)
        {
            return None;
        }
        let mut files = of_user_and_system(git)?;
        let top = self.repository.as_ref().and_then(|found| found.top.as_deref());
        // Git looks upwards until it finds one.
        for directory in git.directory().ancestors() {
            let parts = [".git", ".git/HEAD", ".git/commondir", ".git/objects", ".git/refs"];
            let bare = ["HEAD", "commondir", "objects", "refs"];
            files.extend(parts.iter().chain(&bare).map(|name| directory.join(name)));
            if top == Some(directory) {
                break;
            }
        }
        if let Some(found) = &self.repository {
            files.extend(found.top.clone());
            for place in [&found.git_dir, &found.common_dir] {
                let names = [
                    "",
                    "HEAD",
                    "commondir",
                    "gitdir",
                    "config",
                    "config.worktree",
                    "objects",
                    "refs",
                ];
                files.extend(names.map(|name| place.join(name)));
            }
        }
        Fingerprint::of(files, asked_at)
    }
}

/// The files of configuration outside of a repository, whether they are there or not.
fn of_user_and_system(git: &Git) -> Option<Vec<PathBuf>> {
    let variable = |name: &str| {
        let found = git.environment().iter().find(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value))
    };
    let home = variable("HOME")?;
    let config = variable("XDG_CONFIG_HOME").filter(|path| !path.as_os_str().is_empty());
    let config = config.unwrap_or_else(|| home.join(".config"));
    let mut files = vec![home.join(".gitconfig"), config.join("git/config")];
    files.extend(variable("GIT_CONFIG_GLOBAL"));
    files.extend(variable("GIT_CONFIG_SYSTEM"));
    // Where it lies is built into git. Whoever can write to another place of the system's can replace git itself.
    files.push("/etc/gitconfig".into());
    let prefix = git.program().parent().and_then(Path::parent);
    files.extend(prefix.map(|prefix| prefix.join("etc/gitconfig")));
    files.iter().all(|file| file.is_absolute()).then_some(files)
}

/// `None` for an answer that is no text; `Some(None)` when there is no repository.
#[allow(clippy::option_option)] // The outer one is the answer's, the inner one git's.
fn read_directories(answer: &GitAnswer) -> Option<Option<Repository>> {
    let text = std::str::from_utf8(&answer.stdout.bytes).ok()?;
    let mut lines = text.lines().map(PathBuf::from);
    let (Some(git_dir), Some(common_dir)) = (lines.next(), lines.next()) else {
        return Some(None);
    };
    let is_whole = git_dir.is_absolute() && common_dir.is_absolute() && !answer.stdout.is_cut;
    is_whole.then(|| {
        Some(Repository {
            top: lines.next().filter(|_| answer.is_success),
            git_dir,
            common_dir,
        })
    })
}

/// Every setting that does not come from us. `None` when git fails, and when it does not list ours: then it is too old to
/// be disarmed by its environment.
fn read_settings(answer: &GitAnswer) -> Option<Vec<(String, String)>> {
    if !answer.is_success || answer.stdout.is_cut {
        return None;
    }
    let mut fields = answer.stdout.bytes.split(|byte| *byte == 0);
    let (mut settings, mut is_disarmed) = (Vec::new(), false);
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        let (name, value) = match setting.iter().position(|byte| *byte == b'\n') {
            Some(at) => (&setting[..at], String::from_utf8_lossy(&setting[at + 1..])),
            None => (setting, "true".into()),
        };
        // What cannot be named again cannot be taken back.
        let name = std::str::from_utf8(name).ok()?;
        if scope == b"command" {
            is_disarmed |= (name, &*value) == ("core.hookspath", "/dev/null");
        } else {
            settings.push((name.to_owned(), value.into_owned()));
        }
    }
    is_disarmed.then_some(settings)
}

impl RepositoryFacts {
    /// Returns true if the repository's directories belong to a place: they lie in it, or know it as theirs.
    pub fn belongs_to(&self, project: &Path) -> bool {
        let Some(repository) = &self.repository else {
            return false;
        };
        let is_known = || {
            let is_apart = !repository.is_near(&repository.git_dir, project);
            is_apart && repository.is_of(project) && self.points_back(repository)
        };
        repository.lies_in(project) || is_known()
    }

    /// Returns true if the git directory names the work tree that leads to it, as git writes it down: of a linked work tree
    /// in `gitdir`, of a submodule in `core.worktree`. Whoever makes a work tree alone cannot write there.
    fn points_back(&self, repository: &Repository) -> bool {
        let Some(top) = &repository.top else { return false };
        let git_dir = &repository.git_dir;
        let is_top = |path: &Path| path.canonicalize().is_ok_and(|real| real == *top);
        if *git_dir == repository.common_dir {
            let mut settings = self.settings.iter().rev();
            let named = settings.find(|(key, _)| key == "core.worktree");
            return named.is_some_and(|(_, value)| is_top(&git_dir.join(value)));
        }
        let listed = RegularFile::open(&git_dir.join("gitdir"));
        let listed = listed
            .and_then(|file| file.read_text(MAX_LINK_BYTES))
            .unwrap_or_default();
        let listed = git_dir.join(listed.trim());
        let is_listed = listed.ends_with(".git") && listed.parent().is_some_and(is_top);
        let is_of_it = git_dir.parent().and_then(Path::parent) == Some(&repository.common_dir);
        is_listed && is_of_it
    }
}

impl Repository {
    /// Returns true if a work tree is, or is around, or lies in a place.
    fn is_of(&self, project: &Path) -> bool {
        let top = self.top.as_deref();
        top.is_none_or(|top| is_inside(top, project) || project.starts_with(top))
    }

    /// Returns true if the directories lie in a place, or in the work tree around it.
    fn lies_in(&self, project: &Path) -> bool {
        let is_near = |path: &Path| self.is_near(path, project);
        self.is_of(project) && is_near(&self.git_dir) && is_near(&self.common_dir)
    }

    fn is_near(&self, path: &Path, project: &Path) -> bool {
        let near = self.top.as_deref().unwrap_or(project);
        is_inside(path, project) || path.starts_with(near)
    }
}

fn is_inside(path: &Path, directory: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real.starts_with(directory)
}
