//! `lathe sessions undo` and `redo`.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;

use super::OutputStyle;
use crate::cli::args::{RedoArgs, UndoArgs};
use crate::cli::failure::Failure;
use crate::cli::output::{print, print_json, print_note};
use crate::session::host::StoredSessions;
use crate::session::undo::{UndoDirection, UndoFile, UndoList, UndoRequest};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;

pub(super) fn undo(stored: &StoredSessions, args: UndoArgs, style: OutputStyle) -> Result<ExitCode, Failure> {
    let scope = args.only.unwrap_or_default();
    let request = UndoRequest {
        to: args.to,
        scope,
        skips_changed: args.skip_changed,
    };
    let mut list = stored.undo_list(&args.id, request.to.as_ref())?;
    if !scope.has_files() {
        list.files.clear();
    }
    if !scope.has_conversation() {
        list.messages = 0;
    }
    if args.list {
        return listed(&list, style);
    }
    if list.is_refused() {
        let mut sentence = "nothing was undone: no file can be restored".to_owned();
        if scope.has_conversation() {
            sentence.push_str("; --only conversation takes back the messages alone");
        }
        return refused(&list, style, &sentence);
    }
    if !request.skips_changed && list.in_the_way().next().is_some() {
        let hint = "--skip-changed undoes the others";
        return refused(&list, style, &format!("nothing was undone; {hint}"));
    }
    // What is done is what was listed, also if a message is added meanwhile.
    let request = UndoRequest {
        to: list.to.clone(),
        ..request
    };
    stored.undo(&args.id, &request)?;
    done(&list, style)
}

pub(super) fn redo(
    stored: &StoredSessions,
    args: &RedoArgs,
    style: OutputStyle,
) -> Result<ExitCode, Failure> {
    let RedoArgs { id, list: only_list } = args;
    let list = stored.redo_list(id)?;
    if *only_list {
        return listed(&list, style);
    }
    if list.in_the_way().next().is_some() {
        return refused(&list, style, "nothing was redone");
    }
    stored.redo(id)?;
    done(&list, style)
}

fn json(list: &UndoList) -> serde_json::Value {
    let file = |file: &UndoFile| {
        let mut shown = json!({ "path": file.path, "action": file.action });
        if let Some(refused) = &file.refused {
            shown["refused"] = refused.as_str().into();
        }
        shown
    };
    json!({ "files": list.files.iter().map(file).collect::<Vec<_>>(), "to": list.to })
}

fn listed(list: &UndoList, style: OutputStyle) -> Result<ExitCode, Failure> {
    match style {
        OutputStyle::Json => print_json(&json(list))?,
        OutputStyle::People if list.files.is_empty() => print("no file would change\n")?,
        OutputStyle::People => print(&list.files.iter().map(line).collect::<String>())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn refused(list: &UndoList, style: OutputStyle, sentence: &str) -> Result<ExitCode, Failure> {
    if style == OutputStyle::Json {
        print_json(&json(list))?;
    }
    for file in list.refused() {
        let reason = file.refused.as_deref().unwrap_or_default();
        print_note(&format!("`{}` {reason}", file.path));
    }
    print_note(sentence);
    Ok(ExitCode::FAILURE)
}

fn done(list: &UndoList, style: OutputStyle) -> Result<ExitCode, Failure> {
    match style {
        OutputStyle::Json => print_json(&json(list))?,
        OutputStyle::People => {
            let files = list.changing().map(line).collect::<String>();
            print(&format!("{files}{}\n", summary(list)))?;
            for file in list.refused() {
                let reason = file.refused.as_deref().unwrap_or_default();
                print_note(&format!("`{}` {reason}; it was left as it is", file.path));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(list: &UndoList) -> String {
    let what = match list.direction {
        UndoDirection::Undo => "undone",
        UndoDirection::Redo => "redone",
    };
    format!(
        "{what}: {}, {}",
        plural(list.changing().count(), "file"),
        plural(list.messages, "message")
    )
}

/// `restore  src/a.rs  +2 −1`.
fn line(file: &UndoFile) -> String {
    let action = serde_json::to_value(file.action).unwrap_or_default();
    let action = action.as_str().unwrap_or_default();
    let path = sanitize_line(&file.path);
    let mut line = format!("{action:<8} {path}");
    // Writing to a string cannot fail.
    if file.additions + file.deletions > 0 {
        let _ = write!(line, "  +{} −{}", file.additions, file.deletions);
    }
    if let Some(refused) = &file.refused {
        let _ = write!(line, "  (refused: {})", sanitize_line(refused));
    } else if let Some(note) = &file.note {
        let _ = write!(line, "  ({note})");
    }
    line.push('\n');
    line
}
