//! `/worktree`: the changes in the work tree of a task, hunk by hunk with numbers. A file that cannot be applied in parts
//! has one number.

use super::changes::lines_changed;
use crate::screen_reader::approval;
use crate::session::host::{ApplyResult, ChangeKind, FileSelection, Selection, TreeChanges, TreeFile};
use crate::text::count::plural;

/// Returns all changes, line by line.
pub(in crate::screen_reader) fn list(task: usize, changes: &TreeChanges) -> Vec<String> {
    let mut lines = Vec::new();
    if changes.files.is_empty() {
        lines.push(format!("The work tree of task {task} has no unapplied changes."));
    } else {
        let parts: usize = changes.files.iter().map(parts).sum();
        lines.push(format!(
            "Task {task} changed {} in its work tree: {}.",
            plural(changes.files.len(), "file"),
            plural(parts, "hunk")
        ));
    }
    let mut number = 1;
    for file in &changes.files {
        if file.applies_by_hunk() {
            for hunk in &file.hunks {
                lines.push(format!("Hunk {number}, {}.", named(file)));
                lines.extend(approval::diff_lines(&hunk.text));
                number += 1;
            }
        } else {
            lines.push(format!("Hunk {number}, {}.", named(file)));
            lines.extend(
                file.hunks
                    .iter()
                    .flat_map(|hunk| approval::diff_lines(&hunk.text)),
            );
            number += 1;
        }
    }
    lines.extend(changes.note.as_ref().map(|note| format!("The tree {note}.")));
    if !changes.files.is_empty() {
        lines.push(format!(
            "/worktree {task} apply with hunk numbers, or all, applies them to the project."
        ));
        if changes.files.iter().any(|file| file.configures) {
            lines.push("All does not apply files that configure lathe; write their numbers.".to_owned());
        }
    }
    lines
}

/// Reads numbers of hunks, or `all`.
pub(in crate::screen_reader) fn selection(
    changes: &TreeChanges,
    words: &[&str],
) -> Result<Selection, String> {
    let ordinary = changes
        .files
        .iter()
        .flat_map(|file| vec![!file.configures; parts(file)]);
    let mut chosen: Vec<bool> = ordinary
        .map(|is_ordinary| is_ordinary && words == ["all"])
        .collect();
    if words == ["all"] && !chosen.contains(&true) {
        return Err("All these files configure lathe; write the hunk numbers to apply them.".to_owned());
    }
    if words != ["all"] {
        for word in words {
            let place = word
                .parse::<usize>()
                .ok()
                .and_then(|number| number.checked_sub(1));
            match place.and_then(|place| chosen.get_mut(place)) {
                Some(is_chosen) => *is_chosen = true,
                None => return Err(format!("There is no hunk {word}; nothing was applied.")),
            }
        }
    }
    let mut rest = chosen.as_slice();
    let mut files = Vec::new();
    for file in &changes.files {
        let (own, others) = rest.split_at(parts(file));
        rest = others;
        let hunks: Vec<usize> = (0..own.len()).filter(|hunk| own[*hunk]).collect();
        if !hunks.is_empty() {
            files.push(FileSelection {
                path: file.path.clone(),
                version: file.version.clone(),
                hunks: (hunks.len() < own.len()).then_some(hunks),
            });
        }
    }
    if files.is_empty() {
        return Err("Write the hunk numbers, or all, after apply.".to_owned());
    }
    Ok(Selection::Files(files))
}

/// Returns lines about what was applied, or what prevented it.
pub(in crate::screen_reader) fn applied(outcome: &ApplyResult) -> Vec<String> {
    if outcome.conflicts.is_empty() {
        return vec![format!("Applied to the project: {}.", outcome.applied.join(", "))];
    }
    let first = format!(
        "Nothing was written, because of {}. Resolve it in the project or the tree, then apply again.",
        plural(outcome.conflicts.len(), "conflict")
    );
    let each = outcome.conflicts.iter();
    let each = each.map(|conflict| format!("{}: {}", conflict.path, conflict.why));
    std::iter::once(first).chain(each).collect()
}

fn parts(file: &TreeFile) -> usize {
    if file.applies_by_hunk() {
        file.hunks.len()
    } else {
        1
    }
}

/// `src/a.rs, new, 6 lines added, 2 removed`
fn named(file: &TreeFile) -> String {
    let state = match (file.kind, &file.from) {
        (ChangeKind::Changed, _) => String::new(),
        (ChangeKind::Added, _) => ", new".to_owned(),
        (ChangeKind::Removed, _) => ", removed".to_owned(),
        (ChangeKind::Moved, None) => ", moved".to_owned(),
        (ChangeKind::Moved, Some(from)) => format!(", was {from}"),
    };
    let note = file
        .note
        .as_ref()
        .map_or_else(String::new, |note| format!(", {note}"));
    let count = |lines: u64| usize::try_from(lines).unwrap_or(usize::MAX);
    let figures = match (file.additions, file.deletions) {
        (0, 0) => String::new(),
        _ if file.applies_by_hunk() => String::new(),
        (added, removed) => format!(", {}", lines_changed(count(added), count(removed))),
    };
    let configures = if file.configures { ", configures lathe" } else { "" };
    format!("{}{configures}{state}{note}{figures}", file.path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{SessionId, TaskId};
    use crate::session::host::TreeHunk;

    fn sample() -> TreeChanges {
        let hunk = |line: usize| TreeHunk {
            text: format!("@@ -{line} +{line} @@\n-old\n+new\n"),
            additions: 1,
            deletions: 1,
        };
        let file = |path: &str, kind, hunks: Vec<TreeHunk>| TreeFile {
            path: path.to_owned(),
            from: None,
            kind,
            version: "1".to_owned(),
            additions: hunks.len() as u64,
            deletions: hunks.len() as u64,
            note: hunks.is_empty().then(|| "not a text".to_owned()),
            hunks,
            configures: path == "lathe.jsonc",
        };
        TreeChanges {
            task: TaskId::of(&SessionId::new()),
            files: vec![
                file("a.rs", ChangeKind::Changed, vec![hunk(1), hunk(40)]),
                file("b.png", ChangeKind::Added, Vec::new()),
            ],
            note: None,
        }
    }

    #[test]
    fn hunks_are_told_with_numbers() {
        assert_eq!(
            list(2, &sample()),
            [
                "Task 2 changed 2 files in its work tree: 3 hunks.",
                "Hunk 1, a.rs.",
                "At line 1:",
                "| removed 1: old",
                "| added 1: new",
                "Hunk 2, a.rs.",
                "At line 40:",
                "| removed 40: old",
                "| added 40: new",
                "Hunk 3, b.png, new, not a text.",
                "/worktree 2 apply with hunk numbers, or all, applies them to the project.",
            ]
        );
    }

    #[test]
    fn hunks_are_chosen_by_number() {
        let of = |path: &str, hunks: Option<Vec<usize>>| FileSelection {
            path: path.to_owned(),
            version: "1".to_owned(),
            hunks,
        };
        let chosen = |words: &[&str]| selection(&sample(), words);
        let some = vec![of("a.rs", Some(vec![1])), of("b.png", None)];
        assert_eq!(chosen(&["2", "3"]), Ok(Selection::Files(some)));
        let all = vec![of("a.rs", None), of("b.png", None)];
        assert_eq!(chosen(&["all"]), Ok(Selection::Files(all)));
        assert_eq!(
            chosen(&["1", "9"]),
            Err("There is no hunk 9; nothing was applied.".to_owned())
        );
        assert!(chosen(&[]).is_err());
    }

    #[test]
    fn what_configures_lathe_is_chosen_by_number_alone() {
        let mut changes = sample();
        changes.files[1].path = "lathe.jsonc".to_owned();
        changes.files[1].configures = true;
        let lines = list(2, &changes);
        assert!(lines.contains(&"Hunk 3, lathe.jsonc, configures lathe, new, not a text.".to_owned()));
        let paths = |words: &[&str]| match selection(&changes, words) {
            Ok(Selection::Files(files)) => files.into_iter().map(|file| file.path).collect(),
            _ => Vec::new(),
        };
        assert_eq!(paths(&["all"]), ["a.rs"]);
        assert_eq!(paths(&["3"]), ["lathe.jsonc"]);
        changes.files.remove(0);
        assert!(selection(&changes, &["all"]).is_err());
    }
}
