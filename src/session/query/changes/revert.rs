//! Taking one hunk back, where the file is as it was shown.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::files::{ExpectedContent, FileError, FileProblem, SpliceError, TextFile, Transaction};
use crate::session::query::Answer;
use crate::text::diff::{Hunk, Sign, parse_unified, unapply};
use crate::tool::SessionServices;

/// A hunk to take back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revert {
    /// As it is shown.
    pub path: String,
    pub real: PathBuf,
    /// With its header, from before to now.
    pub hunk: String,
    /// The file was not there before.
    pub is_added: bool,
}

/// Puts the lines back that the hunk took away, or says why not. Nothing else in the file is looked at.
pub(in crate::session) async fn put_back(revert: Revert, services: Arc<SessionServices>) -> Answer {
    let project = services.roots.project_root();
    let Some(real) = real_path(&revert.real, project) else {
        return Answer::Failed(format!(
            "`{}` points outside the project, so nothing was reverted.",
            revert.path
        ));
    };
    let revert = Revert { real, ..revert };
    let lock = services.tree.locks.lock(std::slice::from_ref(&revert.real)).await;
    let services = Arc::clone(&services);
    let work = tokio::task::spawn_blocking(move || {
        let _lock = lock;
        match write(&revert, services.transaction()) {
            Ok(()) => Answer::Reverted(revert.path),
            Err(Refusal::Other) => Answer::Failed(format!(
                "`{}` changed since it was shown, so nothing was reverted; the diff was reloaded.",
                revert.path
            )),
            Err(Refusal::File(error)) => {
                let error = error.named(&revert.path);
                Answer::Failed(format!("Nothing was reverted: {error}."))
            }
            Err(Refusal::Splice(error)) => {
                Answer::Failed(format!("Nothing was reverted in `{}`: {error}.", revert.path))
            }
        }
    });
    work.await
        .unwrap_or_else(|error| Answer::Failed(error.to_string()))
}

enum Refusal {
    /// The file is another than the one that was shown.
    Other,
    File(FileError),
    /// The lines cannot be put into the file.
    Splice(SpliceError),
}

impl From<FileError> for Refusal {
    fn from(error: FileError) -> Self {
        match error.problem() {
            FileProblem::Stale | FileProblem::Exists | FileProblem::NotFound => Self::Other,
            _ => Self::File(error),
        }
    }
}

/// Follows the links on the way to a file of the project; `None` when they lead out of it.
fn real_path(path: &Path, project: &Path) -> Option<PathBuf> {
    let real = path.canonicalize().ok().or_else(|| {
        let (parent, name) = (path.parent()?, path.file_name()?);
        Some(parent.canonicalize().ok()?.join(name))
    });
    // A directory that is gone as well has no links.
    let real = real.unwrap_or_else(|| path.to_path_buf());
    (real.starts_with(project) || !path.starts_with(project)).then_some(real)
}

fn write(revert: &Revert, mut transaction: Transaction) -> Result<(), Refusal> {
    let hunks = parse_unified(&revert.hunk);
    let [hunk] = hunks.as_slice() else {
        return Err(Refusal::Other);
    };
    if is_whole_removal(hunk, &revert.real) {
        let before = unapply("", &hunks).ok_or(Refusal::Other)?;
        transaction.replace(&revert.real, before.into_bytes(), ExpectedContent::Absent);
    } else {
        let file = TextFile::open_real(&revert.real)?;
        let before = unapply(file.text(), &hunks).ok_or(Refusal::Other)?;
        let expected = ExpectedContent::Hash(file.hash().clone());
        if before.is_empty() && revert.is_added {
            transaction.remove(&revert.real, expected);
        } else {
            let bytes = spliced(&file, hunk, &before).map_err(Refusal::Splice)?;
            transaction.replace(&revert.real, bytes, expected);
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Returns true if the hunk is all of a file that is gone.
fn is_whole_removal(hunk: &Hunk<'_>, path: &Path) -> bool {
    hunk.new_start == 0 && hunk.new_len == 0 && path.symlink_metadata().is_err()
}

/// The new bytes: every line that the hunk did not touch stays byte for byte, its end included.
fn spliced(file: &TextFile, hunk: &Hunk<'_>, before: &str) -> Result<Vec<u8>, SpliceError> {
    let text = file.text();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    // Where the next line of the hunk stands in the text.
    let skipped = match hunk.new_len {
        0 => hunk.new_start,
        _ => hunk.new_start.saturating_sub(1),
    };
    let mut lines = text.split_inclusive('\n').map(str::len);
    let mut at: usize = lines.by_ref().take(skipped).sum();
    let mut is_open = false;
    for line in &hunk.lines {
        if line.sign == Sign::Context {
            at += lines.next().unwrap_or(0);
            is_open = false;
            continue;
        }
        if !is_open {
            edits.push((at..at, String::new()));
            is_open = true;
        }
        let Some((range, put)) = edits.last_mut() else {
            continue;
        };
        if line.sign == Sign::Added {
            at += lines.next().unwrap_or(0);
            range.end = at;
        } else {
            put.push_str(line.text);
            put.extend((!line.no_newline).then_some('\n'));
        }
    }
    match file.splice(&edits) {
        // The spans lie in the text and apart: at worst the file is written with its usual line ends.
        Err(SpliceError::Outside | SpliceError::Overlap) => file.rewrite(before),
        spliced => spliced,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::text::diff::{unified, unified_renamed};

    fn reverted(content: Option<&str>, diff: &str, is_added: bool) -> (bool, Option<String>) {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap();
        let real = project.join("a.txt");
        if let Some(content) = content {
            fs::write(&real, content).unwrap();
        }
        let revert = Revert {
            path: "a.txt".to_owned(),
            real: real.clone(),
            hunk: diff.to_owned(),
            is_added,
        };
        let is_done = write(&revert, Transaction::new(&project.join("records"), &project)).is_ok();
        (is_done, fs::read_to_string(&real).ok())
    }

    #[test]
    fn the_lines_come_back_and_the_rest_stays() {
        let diff = unified("a.txt", "a\nb\nc\n", "a\nB\nc\n").text;
        let (is_done, text) = reverted(Some("a\r\nB\r\nc\nmore\n"), &diff, false);
        assert!(is_done);
        assert_eq!(
            text.as_deref().map(|text| text.replace('\r', "")),
            Some("a\nb\nc\nmore\n".into())
        );
        assert!(text.unwrap().ends_with("c\nmore\n"));
    }

    #[test]
    fn a_file_that_is_another_by_now_is_left_alone() {
        let diff = unified("a.txt", "a\nb\n", "a\nB\n").text;
        let (is_done, text) = reverted(Some("a\nBB\n"), &diff, false);
        assert!(!is_done);
        assert_eq!(text.as_deref(), Some("a\nBB\n"));
    }

    #[test]
    fn a_new_file_goes_and_a_removed_one_comes_back() {
        let added = unified_renamed(None, Some("a.txt"), "", "new\n").text;
        assert_eq!(reverted(Some("new\n"), &added, true), (true, None));
        let removed = unified_renamed(Some("a.txt"), None, "old\n", "").text;
        assert_eq!(reverted(None, &removed, false), (true, Some("old\n".to_owned())));
        assert_eq!(
            reverted(Some("other\n"), &removed, false),
            (false, Some("other\n".to_owned()))
        );
    }

    #[test]
    fn a_file_that_leads_out_of_the_project_by_now_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let project = base.join("project");
        fs::create_dir_all(project.join("inside")).unwrap();
        fs::create_dir(base.join("outside")).unwrap();
        std::os::unix::fs::symlink("../outside", project.join("out")).unwrap();
        std::os::unix::fs::symlink("inside", project.join("in")).unwrap();
        assert_eq!(real_path(&project.join("out/a"), &project), None);
        assert_eq!(
            real_path(&project.join("in/a"), &project),
            Some(project.join("inside/a"))
        );
        assert_eq!(
            real_path(&project.join("gone/a"), &project),
            Some(project.join("gone/a"))
        );
    }
}
