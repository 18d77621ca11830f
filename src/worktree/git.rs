//! Git over the files of a project or a tree, with the repository of a record.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use super::TreeError;
use super::storage::RecordDir;
use crate::process::git::{Git, GitAnswer, GitError, Limits, Variables, WritableDirs};

/// Git reads every file of a project, at worst.
const LIMITS: Limits = Limits {
    time: Duration::from_mins(5),
    bytes: 1 << 30,
};

/// Variables by which the person's own git finds a repository, or reads paths.
const OWN_PLACE: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// A path as git tells it.
pub(super) type Name = Vec<u8>;

/// Finds git, for a directory. One that lies in the directory is none.
pub(super) fn find(directory: &Path, environment: &Variables) -> Result<Git, TreeError> {
    match Git::find(directory.to_owned(), environment.clone(), directory) {
        Ok(git) => Ok(git.without_variables(OWN_PLACE)),
        Err(GitError::Missing) => Err(TreeError::NoGit),
        Err(source) => Err(TreeError::GitRun {
            what: "git was not found",
            source,
        }),
    }
}

/// Git in the repository of a record.
#[derive(Debug, Clone)]
pub(super) struct RecordGit {
    git: Git,
}

impl RecordGit {
    pub(super) fn new(record: &RecordDir, environment: &Variables) -> Result<Self, TreeError> {
        let git = find(record.path(), environment)?
            .with_variable("GIT_DIR", record.repository())
            .writing(WritableDirs::to(vec![record.path().to_owned()]));
        Ok(Self { git })
    }

    /// The same over these files, with this index.
    pub(super) fn over(&self, files: &Path, index: &Path) -> Self {
        let git = self.git.at(files.to_owned());
        let git = git.with_variable("GIT_WORK_TREE", files);
        Self {
            git: git.with_variable("GIT_INDEX_FILE", index),
        }
    }

    /// The same with this index, and without files.
    pub(super) fn with_index(&self, index: &Path) -> Self {
        Self {
            git: self.git.clone().with_variable("GIT_INDEX_FILE", index),
        }
    }

    pub(super) fn ask(&self, what: &'static str, words: &[&str]) -> Result<Vec<u8>, TreeError> {
        ask(&self.git, what, words)
    }

    pub(super) fn tell(
        &self,
        what: &'static str,
        words: &[&str],
        input: Vec<u8>,
    ) -> Result<Vec<u8>, TreeError> {
        tell(&self.git, what, words, input)
    }

    /// Returns the whole answer, whether git succeeded or not.
    pub(super) fn try_to(&self, what: &'static str, words: &[&OsStr]) -> Result<GitAnswer, TreeError> {
        run(&self.git, what, words, Vec::new())
    }

    /// Returns one line, such as the name of an object.
    pub(super) fn line(&self, what: &'static str, words: &[&str]) -> Result<String, TreeError> {
        Ok(line(&self.ask(what, words)?))
    }
}

/// Asks git; `what` is what does not work if it refuses.
pub(super) fn ask(git: &Git, what: &'static str, words: &[&str]) -> Result<Vec<u8>, TreeError> {
    tell(git, what, words, Vec::new())
}

/// The same with something for git to read.
pub(super) fn tell(
    git: &Git,
    what: &'static str,
    words: &[impl AsRef<OsStr> + Sync],
    input: Vec<u8>,
) -> Result<Vec<u8>, TreeError> {
    let answer = run(git, what, words, input)?;
    if answer.is_success && !answer.stdout.is_cut {
        return Ok(answer.stdout.bytes);
    }
    let said = if answer.is_success {
        "git's output is too long for lathe".to_owned()
    } else {
        last_line(&answer.stderr.bytes)
    };
    Err(TreeError::Git { what, said })
}

pub(super) fn run(
    git: &Git,
    what: &'static str,
    words: &[impl AsRef<OsStr> + Sync],
    input: Vec<u8>,
) -> Result<GitAnswer, TreeError> {
    git.ask_with(words, input, LIMITS).map_err(|source| match source {
        GitError::Missing => TreeError::NoGit,
        source => TreeError::GitRun { what, source },
    })
}

/// The names in a list that ends each with a NUL.
pub(super) fn names(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|byte| *byte == 0).filter(|name| !name.is_empty())
}

/// The list that git reads names from.
pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a Name>) -> Vec<u8> {
    let mut list = Vec::new();
    for name in names {
        list.extend_from_slice(name);
        list.push(0);
    }
    list
}

pub(super) fn line(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).trim_end().to_owned()
}

/// A name as people see it.
pub(super) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.unwrap_or("git gave no reason").trim().to_owned()
}
