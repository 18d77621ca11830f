//! Answers of the service: changes that were compared, applied or discarded, and why not.

use super::rows::{self, ChangeRow};
use super::{KnownTree, TreeChangesPage, TreeIntent};
use crate::session::ErrorReport;
use crate::session::host::{ApplyResult, HeldWork, RemovedTree, TreeChanges};
use crate::text::count::plural;
use crate::tui::layer::LayerReply;
use crate::view::theme::Meaning;

impl TreeChangesPage {
    pub(super) fn on_compared(&mut self, changes: Result<&TreeChanges, &ErrorReport>) {
        self.work = None;
        // It named what was ticked before.
        self.question = None;
        let was_at = self.file_at().and_then(|file| self.files().get(file));
        let was_at = was_at.map(|file| file.path.clone());
        let before = std::mem::replace(&mut self.known, KnownTree::Unknown);
        let before = match &before {
            KnownTree::Compared(changes) => changes.files.as_slice(),
            _ => &[],
        };
        match changes {
            Ok(changes) => {
                self.ticks = self.ticks.carried_to(before, &changes.files);
                self.shapes = rows::shapes(&changes.files);
                self.rows = rows::rows(&changes.files, &self.shapes);
                let file = changes
                    .files
                    .iter()
                    .position(|file| Some(&file.path) == was_at.as_ref());
                let is_same = changes.files == before;
                self.known = KnownTree::Compared(changes.clone());
                if !is_same {
                    let row = self
                        .rows
                        .iter()
                        .position(|row| *row == ChangeRow::File(file.unwrap_or(0)));
                    self.go_to(row.unwrap_or(0));
                }
            }
            Err(error) => {
                self.rows.clear();
                self.shapes.clear();
                self.known = KnownTree::Failed(error.sentence());
            }
        }
        self.drawn.clear();
        if std::mem::replace(&mut self.intent, TreeIntent::Apply) == TreeIntent::Discard {
            self.ask_to_discard();
        }
    }

    pub(super) fn on_applied(&mut self, applied: Result<&ApplyResult, &ErrorReport>) {
        self.conflicts.clear();
        self.outcome = match applied {
            Ok(applied) if applied.conflicts.is_empty() => {
                let held = names(&applied.applied);
                vec![(format!("Applied to the project: {held}."), Meaning::Success)]
            }
            Ok(applied) => {
                let conflicts = &applied.conflicts;
                self.conflicts.clone_from(conflicts);
                let first = format!(
                    "Nothing was written, because of {}. Resolve it in the project or the tree, then apply again.",
                    plural(conflicts.len(), "conflict")
                );
                let each = conflicts
                    .iter()
                    .map(|conflict| format!("`{}`: {}", conflict.path, conflict.why));
                let lines = std::iter::once(first).chain(each);
                lines.map(|line| (line, Meaning::Warning)).collect()
            }
            Err(error) => {
                let sentence = format!("Nothing was written: {}", error.sentence());
                vec![(sentence, Meaning::Warning)]
            }
        };
    }

    pub(super) fn on_removed(&mut self, removed: Result<&RemovedTree, &ErrorReport>) -> LayerReply {
        self.work = None;
        match removed {
            Ok(removed) => {
                self.outcome = vec![(gone(removed), Meaning::Success)];
                self.known = KnownTree::Gone;
                self.rows.clear();
                self.shapes.clear();
                LayerReply::Done
            }
            Err(error) => {
                self.outcome = vec![(error.sentence(), Meaning::Warning)];
                self.compare()
            }
        }
    }
}

/// `The tree is removed, with 2 changed files not applied yet (…) and 3 ignored files.`
fn gone(removed: &RemovedTree) -> String {
    let mut with = Vec::new();
    if removed.discarded != HeldWork::default() {
        with.push(removed.discarded.to_string());
    }
    if removed.ignored > 0 {
        let ignored = usize::try_from(removed.ignored).unwrap_or(usize::MAX);
        with.push(plural(ignored, "ignored file"));
    }
    if with.is_empty() {
        return "The work tree was removed.".to_owned();
    }
    format!("The work tree was removed, with {}.", with.join(" and "))
}

/// The first names of a list, and the number of the others.
fn names(all: &[String]) -> String {
    const NAMED: usize = 8;
    let mut named: Vec<String> = all.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    if all.len() > NAMED {
        named.push(format!("{} more", all.len() - NAMED));
    }
    named.join(", ")
}
