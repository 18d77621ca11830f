//! One file's change put upon what the project has by now: a three-way merge.
//!
//! Texts are merged by git, in files of the record. What is no text is taken whole, where the project still has what the
//! change began with, and is a conflict where it does not. The same goes for links.

use std::borrow::Cow;
use std::ffi::OsStr;

use super::TreeError;
use super::git::RecordGit;
use super::project_file::ProjectFile;
use super::storage::RecordDir;
use crate::process::git::GitAnswer;

/// Bytes in which a NUL says that a file is no text, as git looks for it.
const BEGINNING: usize = 8000;
/// More conflicts than that have one exit status.
const MOST_CONFLICTS: i32 = 127;

/// One side of a change: the base, or the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Side<'a> {
    Absent,
    File { bytes: Cow<'a, [u8]>, executable: bool },
    Link(&'a [u8]),
}

/// Something to be done with a file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MergeStep {
    /// It is as it would become.
    Nothing,
    Write {
        bytes: Vec<u8>,
        executable: bool,
    },
    Link {
        target: Vec<u8>,
    },
    Remove,
    /// Somebody has to settle it, because of this.
    Conflict(String),
}

/// Merges texts.
pub(super) struct Merger<'a> {
    pub(super) git: &'a RecordGit,
    pub(super) record: &'a RecordDir,
}

impl Merger<'_> {
    /// Puts the change from `base` to `theirs` upon `ours`.
    pub(super) fn merge(
        &self,
        base: &Side<'_>,
        theirs: &Side<'_>,
        ours: &ProjectFile,
    ) -> Result<MergeStep, TreeError> {
        if let ProjectFile::Other(what) = ours {
            // What is not there needs no removing, whatever stands in its place.
            return Ok(match theirs {
                Side::Absent if what.starts_with("behind") => MergeStep::Nothing,
                _ => MergeStep::Conflict(format!("in the project it is {what}")),
            });
        }
        let (base, theirs) = match ours {
            ProjectFile::File { bytes, .. } if is_crlf(bytes) && !base.has_crlf() && !theirs.has_crlf() => {
                (&base.with_crlf(), &theirs.with_crlf())
            }
            _ => (base, theirs),
        };
        if theirs.is(ours) {
            return Ok(MergeStep::Nothing);
        }
        if base.has_content_of(ours) {
            return Ok(take(base, theirs, ours));
        }
        match (base, theirs, ours) {
            (
                Side::File { bytes: old, .. },
                Side::File {
                    bytes: new,
                    executable,
                },
                ProjectFile::File {
                    bytes,
                    executable: was_executable,
                },
            ) => {
                let executable = executable_after(base, *executable, *was_executable);
                if new == old {
                    // Only the mode is theirs.
                    return Ok(write(bytes.clone(), executable, ours));
                }
                if new.as_ref() == bytes.as_slice() {
                    return Ok(write(bytes.clone(), executable, ours));
                }
                if [old.as_ref(), new.as_ref(), bytes].into_iter().any(is_binary) {
                    return Ok(conflict(
                        "changed in the project too, and not text that can be merged",
                    ));
                }
                Ok(match self.merge_texts(old, new, bytes)? {
                    Some(merged) => write(merged, executable, ours),
                    None => conflict("the same lines were changed in the project"),
                })
            }
            (_, Side::Absent, ProjectFile::Absent) => Ok(MergeStep::Nothing),
            (_, Side::Absent, _) => Ok(conflict("removed in the tree, and changed in the project")),
            (Side::Absent, _, _) => Ok(conflict("a different one now exists in the project")),
            (_, _, ProjectFile::Absent) => Ok(conflict("changed in the tree, and removed in the project")),
            _ => Ok(conflict(
                "changed in the project too, and not a file on both sides",
            )),
        }
    }

    /// Returns the merged text; `None` where lines conflict.
    fn merge_texts(&self, base: &[u8], theirs: &[u8], ours: &[u8]) -> Result<Option<Vec<u8>>, TreeError> {
        let what = "a file cannot be merged";
        let directory = self.record.scratch("merge");
        let files = ["ours", "base", "theirs"].map(|name| directory.join(name));
        let written = files.iter().zip([ours, base, theirs]);
        for (file, bytes) in written {
            self.record.write(file, bytes).map_err(TreeError::io(file))?;
        }
        let mut words: Vec<&OsStr> = ["merge-file", "-p", "-q", "--diff3"].map(OsStr::new).to_vec();
        words.extend(files.iter().map(|file| file.as_os_str()));
        let answer = self.git.try_to(what, &words);
        self.record
            .discard(&directory)
            .map_err(TreeError::io(&directory))?;
        let GitAnswer {
            stdout,
            is_success,
            exit,
            ..
        } = answer?;
        match exit {
            _ if is_success && !stdout.is_cut => Ok(Some(stdout.bytes)),
            Some(1..=MOST_CONFLICTS) => Ok(None),
            _ => Err(TreeError::Git {
                what,
                said: "git could not compare it".to_owned(),
            }),
        }
    }
}

impl Side<'_> {
    /// Returns true if the project has this, with its mode.
    fn is(&self, ours: &ProjectFile) -> bool {
        let is_executable = |ours: &ProjectFile| matches!(ours, ProjectFile::File { executable: true, .. });
        self.has_content_of(ours)
            && match self {
                Self::File { executable, .. } => *executable == is_executable(ours),
                Self::Absent | Self::Link(_) => true,
            }
    }

    pub(super) fn has_content_of(&self, ours: &ProjectFile) -> bool {
        match (self, ours) {
            (Self::Absent, ProjectFile::Absent) => true,
            (Self::File { bytes, .. }, ProjectFile::File { bytes: own, .. }) => {
                bytes.as_ref() == own.as_slice()
            }
            (Self::Link(target), ProjectFile::Link { target: own }) => target == own,
            _ => false,
        }
    }

    fn has_crlf(&self) -> bool {
        match self {
            Self::File { bytes, .. } => bytes.windows(2).any(|pair| pair == b"\r\n"),
            Self::Absent | Self::Link(_) => false,
        }
    }

    fn with_crlf(&self) -> Self {
        match self {
            Self::File { bytes, executable } if !is_binary(bytes) => {
                let mut with = Vec::with_capacity(bytes.len());
                for byte in bytes.iter() {
                    if *byte == b'\n' {
                        with.push(b'\r');
                    }
                    with.push(*byte);
                }
                Self::File {
                    bytes: Cow::Owned(with),
                    executable: *executable,
                }
            }
            other => other.clone(),
        }
    }
}

/// The project has what the change began with, so it gets what the change led to.
fn take(base: &Side<'_>, theirs: &Side<'_>, ours: &ProjectFile) -> MergeStep {
    let was_executable = matches!(ours, ProjectFile::File { executable: true, .. });
    match (theirs, ours) {
        (Side::Absent, _) => MergeStep::Remove,
        (Side::File { bytes, executable }, ProjectFile::Absent | ProjectFile::File { .. }) => {
            let executable = executable_after(base, *executable, was_executable);
            write(bytes.to_vec(), executable, ours)
        }
        (Side::Link(target), ProjectFile::Absent | ProjectFile::Link { .. }) => MergeStep::Link {
            target: target.to_vec(),
        },
        (Side::File { .. }, _) => conflict("a link in the project and a file in the tree"),
        (Side::Link(_), _) => conflict("a file in the project and a link in the tree"),
    }
}

/// The project's own choice stays where the tree has not made another.
fn executable_after(base: &Side<'_>, theirs: bool, ours: bool) -> bool {
    match base {
        Side::File { executable, .. } if *executable == theirs => ours,
        _ => theirs,
    }
}

fn write(bytes: Vec<u8>, executable: bool, ours: &ProjectFile) -> MergeStep {
    let is_there = matches!(
        ours,
        ProjectFile::File { bytes: own, executable: is } if *own == bytes && *is == executable
    );
    if is_there {
        MergeStep::Nothing
    } else {
        MergeStep::Write { bytes, executable }
    }
}

fn conflict(why: &str) -> MergeStep {
    MergeStep::Conflict(why.to_owned())
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(BEGINNING).any(|byte| *byte == 0)
}

/// Returns true if every line of a text ends as on Windows.
fn is_crlf(bytes: &[u8]) -> bool {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').peekable();
    let mut has_any = false;
    let all = lines.all(|line| {
        let is_one = line.ends_with(b"\r\n");
        has_any |= is_one;
        is_one || !line.ends_with(b"\n")
    });
    all && has_any && !is_binary(bytes)
}
