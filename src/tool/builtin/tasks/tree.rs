//! The lines about a work tree in the result of an isolated task.

use std::fmt::Write as _;

use super::Details;
use crate::conversation::WorktreeChanges;
use crate::tool::{Delegation, TreeReport, plural};

/// Files that a result names.
const NAMED: usize = 20;

/// Asks what a task has changed in its tree, and notes it in the details. Returns the lines for the model; none for a task
/// without a tree.
pub(super) async fn lines(delegation: &dyn Delegation, details: &mut Details) -> String {
    match delegation.tree(&details.task_id).await {
        None => String::new(),
        Some(report) => {
            details.worktree = Some(report.changes.clone());
            text(&report)
        }
    }
}

/// The line about submodules, whose files a tree does not have.
pub(super) fn submodule_line(changes: &WorktreeChanges) -> String {
    let missing = changes.missing_submodules();
    missing.map_or_else(String::new, |missing| format!("note: {missing}\n"))
}

fn text(report: &TreeReport) -> String {
    changed_text(report) + &submodule_line(&report.changes)
}

fn changed_text(report: &TreeReport) -> String {
    let path = &report.changes.path;
    if let Some(problem) = &report.problem {
        return format!("worktree: {path} (what is changed in it is not known: {problem})\n");
    }
    if report.files.is_empty() {
        return format!("worktree: {path} (nothing is changed)\n");
    }
    let mut text = format!(
        "worktree: {path} (+{} −{}, {}; the user applies them)\n",
        report.changes.additions,
        report.changes.deletions,
        plural(report.files.len(), "file"),
    );
    let named = report.files.iter().take(NAMED).map(String::as_str);
    let _ = write!(text, "changed: {}", named.collect::<Vec<_>>().join(", "));
    match report.files.len().saturating_sub(NAMED) {
        0 => {}
        more => {
            let _ = write!(text, " and {more} more");
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_lines_and_files_are_told() {
        let report = |files: usize| TreeReport {
            changes: WorktreeChanges {
                path: "/d/t".to_owned(),
                additions: 12,
                deletions: 3,
                files: files as u64,
                submodules: Vec::new(),
            },
            files: (0..files).map(|number| format!("f{number}")).collect(),
            problem: None,
        };
        assert_eq!(text(&report(0)), "worktree: /d/t (nothing is changed)\n");
        assert_eq!(
            text(&report(2)),
            "worktree: /d/t (+12 −3, 2 files; the user applies them)\nchanged: f0, f1\n"
        );
        assert!(text(&report(25)).ends_with("f19 and 5 more\n"));
    }

    #[test]
    fn submodules_without_their_files_are_told() {
        let changes = |submodules: &[&str]| WorktreeChanges {
            submodules: submodules.iter().map(|path| (*path).to_owned()).collect(),
            ..WorktreeChanges::default()
        };
        assert_eq!(submodule_line(&changes(&[])), "");
        assert_eq!(
            submodule_line(&changes(&["vendor/a"])),
            "note: the files of the submodule `vendor/a` are not in the tree\n"
        );
        assert_eq!(
            submodule_line(&changes(&["vendor/a", "b"])),
            "note: the files of the submodules `vendor/a`, `b` are not in the tree\n"
        );
    }
}
