//! The files that the session changed, from what its calls tell of their work.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::conversation::Json;

/// In the order in which they were first changed.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    files: Vec<ChangedFile>,
}

/// Lines are added up over all calls: what was written and taken back counts twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedFile {
    pub(super) path: String,
    pub(super) additions: usize,
    pub(super) deletions: usize,
    pub(super) is_gone: bool,
}

/// The part of details that shows that a call wrote.
#[derive(Deserialize)]
struct CallDetails {
    diff: Option<IgnoredAny>,
}

/// Facts that every writing tool tells of a file.
#[derive(Deserialize)]
struct WrittenFile {
    path: String,
    additions: usize,
    deletions: usize,
    #[serde(default, alias = "renamed_to")]
    move_path: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

impl ChangedFiles {
    pub(super) fn files(&self) -> &[ChangedFile] {
        &self.files
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the lines that came and went in all files.
    pub(super) fn sums(&self) -> (usize, usize) {
        let sum = |of: fn(&ChangedFile) -> usize| self.files.iter().map(of).sum();
        (sum(|file| file.additions), sum(|file| file.deletions))
    }

    /// Takes in the details of one call: those of a file, or of several.
    pub(super) fn note(&mut self, details: &Json) {
        // Most calls wrote nothing, so no more is read of them.
        if details
            .fields::<CallDetails>()
            .is_none_or(|noted| noted.diff.is_none())
        {
            return;
        }
        let details = details.value();
        if !details["diff"].is_string() {
            return;
        }
        let one = std::slice::from_ref(&*details);
        let told = details["files"].as_array().map_or(one, Vec::as_slice);
        for file in told {
            if let Ok(told) = WrittenFile::deserialize(file) {
                self.add(told);
            }
        }
    }

    fn add(&mut self, told: WrittenFile) {
        let is_gone = told.kind.as_deref() == Some("delete");
        if told.additions + told.deletions == 0 && told.move_path.is_none() && !is_gone {
            return;
        }
        let known = self.files.iter().position(|file| file.path == told.path);
        let place = known.unwrap_or_else(|| {
            self.files.push(ChangedFile {
                path: told.path,
                additions: 0,
                deletions: 0,
                is_gone,
            });
            self.files.len() - 1
        });
        let file = &mut self.files[place];
        file.additions += told.additions;
        file.deletions += told.deletions;
        file.is_gone = is_gone;
        if let Some(path) = told.move_path {
            file.path = path;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn changed(details: &[Value]) -> Vec<(String, usize, usize)> {
        let mut changed = ChangedFiles::default();
        for details in details {
            changed.note(&details.clone().into());
        }
        let files = changed.files().iter();
        files
            .map(|file| (file.path.clone(), file.additions, file.deletions))
            .collect()
    }

    #[test]
    fn lines_of_one_file_are_added_up_whichever_tool_wrote_it() {
        let edit = json!({"path": "a.rs", "additions": 6, "deletions": 2, "diff": "…"});
        let patch = json!({"diff": "…", "files": [
            {"path": "b.rs", "type": "add", "additions": 9, "deletions": 0, "diff": "…"},
            {"path": "a.rs", "type": "update", "additions": 1, "deletions": 1, "diff": "…"},
        ]});
        let wanted = [("a.rs".to_owned(), 7, 3), ("b.rs".to_owned(), 9, 0)];
        assert_eq!(changed(&[edit, patch]), wanted);
    }

    #[test]
    fn a_file_that_moved_goes_on_under_its_new_name() {
        let moved = json!({"path": "a.rs", "renamed_to": "b.rs", "type": "move", "additions": 1, "deletions": 0, "diff": ""});
        let edit = json!({"path": "b.rs", "additions": 1, "deletions": 1, "diff": "…"});
        assert_eq!(changed(&[moved, edit]), [("b.rs".to_owned(), 2, 1)]);
    }

    #[test]
    fn what_changed_no_file_is_not_there() {
        let read = json!({"path": "a.rs", "line_start": 1});
        let same = json!({"path": "a.rs", "additions": 0, "deletions": 0, "diff": ""});
        let hostile = json!({"diff": "", "files": [3, {"path": 1}, null], "additions": "x"});
        assert_eq!(changed(&[read, same, hostile, Value::Null]), []);
    }
}
