//! `/diff`: what changed, as a list of files by number, and one of them line by line.

use crate::screen_reader::approval;
use crate::session::query::{ChangeScope, ChangedFile, Changes, FileState};
use crate::text::count::plural;

/// Scopes of a comparison, by the word that asks for each.
const SCOPES: [(&str, ChangeScope); 3] = [
    ("session", ChangeScope::Session),
    ("turn", ChangeScope::Turn),
    ("tree", ChangeScope::WorkTree),
];

pub(in crate::screen_reader) fn scope(word: &str) -> Option<ChangeScope> {
    let found = SCOPES.iter().find(|(name, _)| *name == word);
    found.map(|(_, scope)| *scope)
}

/// The files with their numbers.
pub(in crate::screen_reader) fn list(changes: &Changes) -> Vec<String> {
    let mut lines = Vec::new();
    if changes.files.is_empty() {
        lines.push(changes.scope.nothing().to_owned());
    } else {
        lines.push(sum(changes));
        let files = (1..).zip(&changes.files);
        lines.extend(files.map(|(number, file)| format!("{number} {}", named(file))));
    }
    lines.extend(changes.note.clone());
    if !changes.files.is_empty() {
        lines.push(
            "/diff with a number shows one. /diff turn and /diff tree show the last turn and the work tree."
                .to_owned(),
        );
    }
    lines
}

/// One file, line by line.
pub(in crate::screen_reader) fn file(file: &ChangedFile) -> Vec<String> {
    let mut lines = vec![format!("{}.", named(file))];
    lines.extend(file.note.clone());
    lines.extend(approval::diff_lines(&file.diff));
    lines
}

fn sum(changes: &Changes) -> String {
    let sum = |count: fn(&ChangedFile) -> usize| changes.files.iter().map(count).sum::<usize>();
    let place = match changes.scope {
        ChangeScope::Session => "in this session",
        ChangeScope::Turn => "in the last turn",
        ChangeScope::WorkTree => "in the work tree since `HEAD`",
    };
    format!(
        "{} changed {place}: {}.",
        plural(changes.files.len(), "file"),
        lines_changed(sum(|file| file.additions), sum(|file| file.deletions))
    )
}

/// `src/a.rs, new, 6 lines added, 2 removed`
fn named(file: &ChangedFile) -> String {
    let state = match &file.state {
        FileState::Changed => String::new(),
        FileState::Added => ", new".to_owned(),
        FileState::Removed => ", removed".to_owned(),
        FileState::Moved(from) => format!(", was {from}"),
    };
    let lines = lines_changed(file.additions, file.deletions);
    format!("{}{state}, {lines}", file.path)
}

pub(super) fn lines_changed(added: usize, removed: usize) -> String {
    format!("{} added, {removed} removed", plural(added, "line"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(files: Vec<ChangedFile>) -> Changes {
        Changes {
            scope: ChangeScope::Session,
            files,
            note: Some("What commands changed is not recorded.".to_owned()),
        }
    }

    #[test]
    fn files_have_numbers_and_one_of_them_is_told_line_by_line() {
        let moved = ChangedFile {
            path: "b.rs".to_owned(),
            real: "/p/b.rs".into(),
            state: FileState::Moved("a.rs".to_owned()),
            additions: 1,
            deletions: 1,
            diff: "@@ -1,2 +1,2 @@\n-old\n+new\n same\n".to_owned(),
            note: None,
            reverts: true,
        };
        assert_eq!(
            list(&changes(vec![moved.clone()])),
            [
                "1 file changed in this session: 1 line added, 1 removed.",
                "1 b.rs, was a.rs, 1 line added, 1 removed",
                "What commands changed is not recorded.",
                "/diff with a number shows one. /diff turn and /diff tree show the last turn and the work tree.",
            ]
        );
        assert_eq!(
            file(&moved),
            [
                "b.rs, was a.rs, 1 line added, 1 removed.",
                "At line 1:",
                "| removed 1: old",
                "| added 1: new",
                "| 2: same",
            ]
        );
    }

    #[test]
    fn an_empty_diff_is_announced() {
        assert_eq!(
            list(&changes(Vec::new())),
            [
                "No tool has changed a file in this session.",
                "What commands changed is not recorded.",
            ]
        );
    }
}
