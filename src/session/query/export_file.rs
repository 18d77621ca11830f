//! The session as a text, and in a file of the person's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Answer;
use crate::conversation::Message;
use crate::files::{ExpectedContent, FileProblem, Transaction};
use crate::session::export::{self, ExportFormat};
use crate::store::SessionRow;

/// A file to write the session to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportRequest {
    pub format: ExportFormat,
    /// As it was typed: relative to the session's directory, or with `~`.
    pub path: String,
    pub replace: bool,
}

/// The result of writing a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportOutcome {
    Written {
        path: PathBuf,
        bytes: usize,
    },
    /// Something is there already, and stays.
    Exists(PathBuf),
}

/// The session and the messages that are kept.
pub(in crate::session) struct ExportJob {
    pub(in crate::session) session: SessionRow,
    pub(in crate::session) messages: Vec<Arc<Message>>,
}

impl ExportJob {
    pub(in crate::session) fn text(&self, format: ExportFormat) -> String {
        let messages: Vec<Message> = self.messages.iter().map(|message| (**message).clone()).collect();
        export::text(format, &self.session, &messages)
    }

    pub(in crate::session) fn write(
        &self,
        keep: &ExportRequest,
        path: &Path,
        records: &Path,
        project: &Path,
    ) -> Answer {
        let shown = path.display();
        if path.is_dir() {
            return Answer::Failed(format!("`{shown}` is a directory; add a file's name to it."));
        }
        if !keep.replace && path.symlink_metadata().is_ok() {
            return Answer::Kept(ExportOutcome::Exists(path.to_owned()));
        }
        let text = self.text(keep.format);
        let bytes = text.len();
        let mut transaction = Transaction::new(records, project);
        let expected = if keep.replace {
            ExpectedContent::Any
        } else {
            ExpectedContent::Absent
        };
        transaction.replace(path, text.into_bytes(), expected);
        match transaction.commit() {
            Ok(_) => Answer::Kept(ExportOutcome::Written {
                path: path.to_owned(),
                bytes,
            }),
            Err(error) => Answer::Failed(match error.problem() {
                FileProblem::DiskFull => {
                    format!("The disk is full, so `{shown}` was not written; free some space and try again.")
                }
                FileProblem::ReadOnlyFileSystem | FileProblem::Denied => {
                    format!("`{shown}` may not be written; choose another place.")
                }
                _ => format!("The session was not exported: {error}."),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeping() -> ExportJob {
        ExportJob {
            session: export::fixture::row(),
            messages: export::fixture::messages().into_iter().map(Arc::new).collect(),
        }
    }

    fn keep(replace: bool) -> ExportRequest {
        ExportRequest {
            format: ExportFormat::Json,
            path: String::new(),
            replace,
        }
    }

    #[test]
    fn a_file_that_is_there_is_replaced_only_when_that_is_asked_for() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap();
        let (path, records) = (project.join("a.json"), project.join("records"));
        let answer = keeping().write(&keep(false), &path, &records, &project);
        assert!(
            matches!(answer, Answer::Kept(ExportOutcome::Written { .. })),
            "{answer:?}"
        );
        let value: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(value["format"], "lathe-session-1");
        std::fs::write(&path, "mine").unwrap();
        let answer = keeping().write(&keep(false), &path, &records, &project);
        assert_eq!(answer, Answer::Kept(ExportOutcome::Exists(path.clone())));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        keeping().write(&keep(true), &path, &records, &project);
        assert_ne!(std::fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn a_place_where_nothing_can_be_written_is_told_in_a_sentence() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap();
        let records = project.join("records");
        let answer = keeping().write(&keep(false), &project, &records, &project);
        assert!(
            matches!(&answer, Answer::Failed(text) if text.contains("is a directory")),
            "{answer:?}"
        );
        let answer = keeping().write(&keep(false), Path::new("/proc/lathe/a.md"), &records, &project);
        assert!(
            matches!(&answer, Answer::Failed(text) if text.contains("/proc/lathe")),
            "{answer:?}"
        );
    }
}
