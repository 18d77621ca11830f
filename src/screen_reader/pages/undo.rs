//! What an undo or a redo would do, in lines.

use crate::session::undo::{UndoDirection, UndoFile, UndoList};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;

/// Characters of the message that are told.
const PROMPT: usize = 120;

pub(in crate::screen_reader) fn lines(list: &UndoList) -> Vec<String> {
    let prompt: String = sanitize_line(&list.prompt).chars().take(PROMPT).collect();
    let messages = plural(list.messages, "message");
    let mut lines = vec![match (list.direction, prompt.is_empty()) {
        (UndoDirection::Undo, _) => {
            format!("Undo to before your message: {prompt}. {messages} would leave the conversation.")
        }
        (UndoDirection::Redo, true) => "Redo of changes to files.".to_owned(),
        (UndoDirection::Redo, false) => {
            format!("Redo from your message: {prompt}. {messages} would come back.")
        }
    }];
    if list.files.is_empty() {
        lines.push("No file would change.".to_owned());
    }
    lines.extend(list.files.iter().map(line));
    lines
}

fn line(file: &UndoFile) -> String {
    let path = sanitize_line(&file.path);
    if let Some(refused) = &file.refused {
        return format!("{path} stays as it is: it {}.", sanitize_line(refused));
    }
    let lines = match (file.additions, file.deletions) {
        (0, 0) => String::new(),
        (added, removed) => format!(", {} added and {removed} removed", plural(added, "line")),
    };
    let note = file
        .note
        .as_ref()
        .map(|note| format!("; {note}"))
        .unwrap_or_default();
    format!("{path} would be {}{lines}{note}.", file.action.done())
}
