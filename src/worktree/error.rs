//! Reasons why a tree cannot be made, applied or removed.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use super::held::HeldWork;
use crate::conversation::{ErrorKind, TaskId};
use crate::files::FileError;
use crate::process::git::GitError;

/// Files that are taken from the project beside its last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileGroup {
    Untracked,
    Changed,
    /// Named by `.worktreeinclude`.
    Included,
}

impl std::fmt::Display for FileGroup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Untracked => "untracked file",
            Self::Changed => "changed file",
            Self::Included => "included file",
        })
    }
}

impl FileGroup {
    fn advice(self) -> &'static str {
        match self {
            Self::Untracked => "ignore it, or commit it first",
            Self::Changed => "commit it first",
            Self::Included => "take it out of `.worktreeinclude`",
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("a work tree needs git, which is not installed")]
    NoGit,
    #[error("a work tree needs a git repository, and `{}` is not one", .0.display())]
    NoRepository(PathBuf),
    #[error("git was not run in the project, because of {0}")]
    Unreadable(String),
    #[error(
        "the project has no commit yet, so a work tree has nothing to start from; commit something first"
    )]
    Unborn,
    #[error(
        "the index has unmerged files ({0}), so a work tree cannot be made; finish or abort the merge first"
    )]
    Unmerged(String),
    #[error(
        "the submodule `{0}` has changes of its own, which a work tree would not have; commit them there and here first"
    )]
    DirtySubmodule(String),
    #[error(
        "`{0}` is a repository inside the project that git does not ignore, and a work tree would not have its files; \
         ignore it, or make it a submodule"
    )]
    EmbeddedRepository(String),
    #[error("the {group} `{path}` is larger than {limit} MB; {}", group.advice())]
    LargeFile {
        group: FileGroup,
        path: String,
        limit: u64,
    },
    #[error(
        "the untracked, changed and included files are larger than {limit} MB in total; ignore what is not needed, or \
         commit it first"
    )]
    LargeFiles { limit: u64 },
    #[error("`.worktreeinclude` is larger than {limit} MB, and was not read")]
    LargeList { limit: u64 },
    #[error("{what}: {said}")]
    Git { what: &'static str, said: String },
    #[error("{what}: {source}")]
    GitRun { what: &'static str, source: GitError },
    #[error("there is no work tree of task `{0}`")]
    NotFound(TaskId),
    #[error("task `{0}` is running in its tree; wait for it to end, or cancel it")]
    Live(TaskId),
    #[error("the tree of task `{task}` is in use by process {pid}{}; end it first", name.as_ref().map(|name| format!(" (`{name}`)")).unwrap_or_default())]
    Occupied {
        task: TaskId,
        pid: u32,
        name: Option<String>,
    },
    #[error("the tree of task `{task}` holds {held}; apply it, or remove it with `--discard`")]
    Unapplied { task: TaskId, held: Box<HeldWork> },
    #[error(
        "the tree of task `{0}` changed while it was being removed, and was left as it is; look at it again"
    )]
    Changed(TaskId),
    #[error(
        "the tree of task `{0}` has changes that were not shown, and was left as it is; look at it again"
    )]
    NotAsShown(TaskId),
    #[error("`{0}` changed since it was shown; look at the changes again")]
    Stale(String),
    #[error("the project `{}` of task `{task}` is gone, so nothing can be applied to it", project.display())]
    ProjectGone { task: TaskId, project: PathBuf },
    #[error("the path `{}` is not valid UTF-8, so a work tree of it cannot be recorded", .0.display())]
    PathNotText(PathBuf),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl TreeError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Io { path, source }
    }

    /// The kind under which a tool reports it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound(_) => ErrorKind::NotFound,
            Self::Live(_) | Self::Occupied { .. } | Self::Unapplied { .. } => ErrorKind::Refused,
            Self::Changed(_) | Self::NotAsShown(_) | Self::Stale(_) => ErrorKind::Stale,
            Self::File(error) => error.kind(),
            _ => ErrorKind::Unavailable,
        }
    }
}

/// Names a few things and counts the rest: "`a`, `b` and 3 more".
pub(super) fn a_few(names: &[String]) -> String {
    const NAMED: usize = 5;
    let mut text = names
        .iter()
        .take(NAMED)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > NAMED {
        let _ = write!(text, " and {} more", names.len() - NAMED);
    }
    text
}
