//! `lathe worktrees`: the trees of isolated tasks, for people and, as INTERFACE section 1 shapes it, for programs.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;

use super::args::WorktreesCommand;
use super::failure::Failure;
use super::output::{clean, print, print_json, print_note, titled_table};
use super::sessions::OutputStyle;
use crate::config::Dirs;
use crate::conversation::TaskId;
use crate::session::host::{
    Against, ApplyResult, ChangeKind, HeldWork, Removal, Selection, TaskTrees, TreeChanges, TreeFile,
    TreeSummary,
};
use crate::text::count::plural;
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::text::width::truncate;

/// Columns of a task's title in a list.
const TITLE: usize = 40;

pub(super) fn worktrees(command: WorktreesCommand, style: OutputStyle) -> Result<ExitCode, Failure> {
    let trees = TaskTrees::new(&Dirs::from_env()?.data);
    match command {
        WorktreesCommand::List => list(&trees.list()?, style).map(|()| ExitCode::SUCCESS),
        WorktreesCommand::Diff { id } => {
            let changes = trees.changes(&id.0, Against::Base)?;
            diff(&changes, style).map(|()| ExitCode::SUCCESS)
        }
        WorktreesCommand::Apply {
            id,
            with_configuration,
        } => {
            let selection = if with_configuration {
                Selection::All
            } else {
                Selection::Ordinary
            };
            applied(&id.0, &trees.apply(&id.0, &selection)?, style)
        }
        WorktreesCommand::Remove { id, discard } => {
            let removal = if discard {
                Removal::Discard
            } else {
                Removal::Settled
            };
            remove(&trees, &id.0, &removal, style).map(|()| ExitCode::SUCCESS)
        }
    }
}

fn list(trees: &[TreeSummary], style: OutputStyle) -> Result<(), Failure> {
    match style {
        OutputStyle::Json => print_json(&json!({ "worktrees": trees })),
        OutputStyle::People if trees.is_empty() => print("no work trees\n"),
        OutputStyle::People => {
            let titles = ["TASK", "STATE", "LINES", "FILES", "TITLE", "PATH"];
            print(&titled_table(titles, trees.iter().map(row)))?;
            for tree in trees {
                if let Some(note) = &tree.note {
                    print_note(&format!("{}: {note}", tree.task));
                }
            }
            Ok(())
        }
    }
}

fn row(tree: &TreeSummary) -> [String; 6] {
    let title = sanitize_line(&tree.title);
    [
        tree.task.to_string(),
        tree.state.name().to_owned(),
        format!("+{} −{}", tree.additions, tree.deletions),
        tree.files.to_string(),
        truncate(&title, TITLE).into_owned(),
        clean(&tree.path.to_string_lossy()),
    ]
}

fn diff(changes: &TreeChanges, style: OutputStyle) -> Result<(), Failure> {
    if style == OutputStyle::Json {
        return print_json(&serde_json::to_value(changes).unwrap_or_default());
    }
    let text: String = changes.files.iter().map(file_text).collect();
    print(&sanitize(&text))?;
    if let Some(note) = &changes.note {
        print_note(&format!("the tree {note}"));
    }
    Ok(())
}

/// One file's change as a unified diff, with a line for what a diff does not show.
fn file_text(file: &TreeFile) -> String {
    let mut text = String::new();
    let before = file.from.as_ref().unwrap_or(&file.path);
    if let Some(from) = &file.from {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "rename from {from}\nrename to {}", file.path);
    }
    if let Some(note) = &file.note {
        let _ = writeln!(text, "{}: {note}", file.path);
    }
    if !file.hunks.is_empty() {
        let old = if file.kind == ChangeKind::Added {
            "/dev/null".to_owned()
        } else {
            format!("a/{before}")
        };
        let new = if file.kind == ChangeKind::Removed {
            "/dev/null".to_owned()
        } else {
            format!("b/{}", file.path)
        };
        let _ = writeln!(text, "--- {old}\n+++ {new}");
    }
    text.extend(file.hunks.iter().map(|hunk| hunk.text.as_str()));
    text
}

/// A conflict is told on stderr with its reason, and the status is 1.
fn applied(task: &TaskId, outcome: &ApplyResult, style: OutputStyle) -> Result<ExitCode, Failure> {
    let conflicts: Vec<&str> = outcome
        .conflicts
        .iter()
        .map(|conflict| conflict.path.as_str())
        .collect();
    match style {
        OutputStyle::Json => {
            let mut answer = json!({ "applied": outcome.applied, "conflicts": conflicts });
            if !outcome.left_out.is_empty() {
                answer["left_out"] = json!(outcome.left_out);
            }
            print_json(&answer)?;
        }
        OutputStyle::People if !conflicts.is_empty() => {}
        OutputStyle::People if outcome.applied.is_empty() && !outcome.left_out.is_empty() => {}
        OutputStyle::People if outcome.applied.is_empty() => print("nothing to apply\n")?,
        OutputStyle::People => {
            let line = |path: &String| format!("applied {}\n", sanitize_line(path));
            print(&outcome.applied.iter().map(line).collect::<String>())?;
        }
    }
    for conflict in &outcome.conflicts {
        print_note(&format!("`{}`: {}", conflict.path, conflict.why));
    }
    if !outcome.left_out.is_empty() {
        print_note(&left_out(task, &outcome.left_out));
    }
    if conflicts.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    print_note(&format!(
        "{}, so nothing was written; resolve them in the project or in the work tree, then apply again",
        plural(conflicts.len(), "conflict")
    ));
    Ok(ExitCode::FAILURE)
}

/// Says which files were not applied because they configure lathe, and how they are.
fn left_out(task: &TaskId, files: &[String]) -> String {
    let names: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
    let they = match files {
        [_] => "it configures",
        _ => "they configure",
    };
    format!(
        "not applied: {}, because {they} lathe; read the changes with `lathe worktrees diff {task}`, then apply with \
         `--with-configuration`",
        names.join(", ")
    )
}

fn remove(trees: &TaskTrees, task: &TaskId, removal: &Removal, style: OutputStyle) -> Result<(), Failure> {
    let removed = trees.remove(task, removal, |held| {
        print_note(&format!(
            "lost with the work tree of task `{task}`: {}",
            goes(held)
        ));
    })?;
    match style {
        OutputStyle::Json => print_json(&json!({
            "removed": removed.task,
            "discarded": removed.discarded.files,
            "ignored": removed.ignored,
        })),
        OutputStyle::People => {
            let ignored = usize::try_from(removed.ignored).unwrap_or(usize::MAX);
            let with = match ignored {
                0 => String::new(),
                count => format!(" · with {}", plural(count, "ignored file")),
            };
            print(&format!("removed {}{with}\n", removed.task))
        }
    }
}

/// All of it: it is the last time that somebody can read what it was.
fn goes(held: &HeldWork) -> String {
    let mut parts: Vec<String> = held.files.iter().map(|file| format!("`{file}`")).collect();
    parts.extend(held.note.iter().map(|note| format!("it {note}")));
    parts.join(", ")
}
