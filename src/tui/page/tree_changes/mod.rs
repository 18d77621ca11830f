//! The changes in the work tree of a task: its files and their hunks, to be ticked and applied to the project, or discarded
//! with the tree.
//!
//! Files that configure lathe stand last and are ticked one by one. Nothing is ticked at first, and both are asked about before they are done. The service decides: it writes all that is
//! ticked or nothing, refuses what changed since it was shown, and a tree that is in use. What it says stands above the
//! changes, which are compared again after each of its answers.
//!
//! Only the rows on screen are drawn, and long hunks in pieces.

mod answers;
mod draw;
mod keys;
mod question;
mod rows;
mod task_tree;
mod ticks;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use crate::session::host::{Conflict, HostQuery, Removal, TreeAnswer, TreeChanges, TreeFile, TreeQuery};
use crate::tui::keymap::{Action, Context, Keymap};
use crate::tui::layer::{Layer, LayerCx, LayerReply, LayerRequest, LayerUpdate, page_rows, say};
use crate::tui::statusbar::Hints;
use crate::view::LookKey;
use crate::view::theme::Meaning;
use keys::{APPLY, CANCEL, COMPARE, CONFIRM, DISCARD, NEXT_FILE, PREVIOUS_FILE, RESOLVE, TICK_ALL};
pub(super) use keys::{KEYS, QUESTION_KEYS};
use rows::{ChangeRow, HunkShape};
pub(crate) use task_tree::{NO_TREE, TaskTree};
use ticks::{TickCounts, TickState, Ticks};

/// The purpose that the page is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreeIntent {
    Apply,
    /// Asks about discarding the tree as soon as it is known what is in it.
    Discard,
}

/// State of the tree as far as it is known.
#[derive(Debug)]
enum KnownTree {
    /// Not compared yet.
    Unknown,
    Failed(String),
    Compared(TreeChanges),
    /// Removed.
    Gone,
}

/// A question about all that `y` would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TreeQuestion {
    Apply(TickCounts),
    /// The tree with all that is in it and not applied.
    Discard,
    /// A tree in which everything is applied.
    Remove,
}

/// The service's work for the page, of which one is under way at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TreeWork {
    Comparing,
    Applying,
    Removing,
}

pub(crate) struct TreeChangesPage {
    tree: TaskTree,
    intent: TreeIntent,
    known: KnownTree,
    work: Option<TreeWork>,
    question: Option<TreeQuestion>,
    ticks: Ticks,
    /// Answers of the service, each a sentence of its own.
    outcome: Vec<(String, Meaning)>,
    /// Files that the last attempt to apply found in conflict.
    conflicts: Vec<Conflict>,
    rows: Vec<ChangeRow>,
    shapes: Vec<Vec<HunkShape>>,
    /// The row that is pointed at.
    at: usize,
    top: usize,
    /// Areas of the rows and of the list of files in the last frame.
    body: Rect,
    list: Rect,
    list_top: usize,
    /// Pieces of hunks as they were last drawn, and for what width and look.
    drawn: HashMap<(usize, usize, usize), Vec<Line<'static>>>,
    drawn_for: Option<(usize, LookKey)>,
}

impl TreeChangesPage {
    pub(crate) fn new(tree: TaskTree, intent: TreeIntent) -> Self {
        Self {
            tree,
            intent,
            known: KnownTree::Unknown,
            work: Some(TreeWork::Comparing),
            question: None,
            ticks: Ticks::default(),
            outcome: Vec::new(),
            conflicts: Vec::new(),
            rows: Vec::new(),
            shapes: Vec::new(),
            at: 0,
            top: 0,
            body: Rect::default(),
            list: Rect::default(),
            list_top: 0,
            drawn: HashMap::new(),
            drawn_for: None,
        }
    }

    fn files(&self) -> &[TreeFile] {
        match &self.known {
            KnownTree::Compared(changes) => &changes.files,
            _ => &[],
        }
    }

    fn file_at(&self) -> Option<usize> {
        self.rows.get(self.at)?.file()
    }

    fn compare(&mut self) -> LayerReply {
        self.work = Some(TreeWork::Comparing);
        Self::ask(TreeQuery::Changes(self.tree.task.clone()))
    }

    fn ask(query: TreeQuery) -> LayerReply {
        LayerReply::Request(LayerRequest::AskHost(HostQuery::Tree(query)))
    }

    fn tick(&mut self) {
        match self.rows.get(self.at).copied() {
            Some(ChangeRow::File(file) | ChangeRow::Note(file)) => self.ticks.toggle_file(file),
            Some(ChangeRow::Hunk { file, hunk } | ChangeRow::Line { file, hunk, .. }) => {
                self.ticks.toggle_hunk(file, hunk);
            }
            Some(ChangeRow::Blank) | None => {}
        }
    }

    fn tick_all(&mut self) -> LayerReply {
        let KnownTree::Compared(changes) = &self.known else {
            return LayerReply::Done;
        };
        self.ticks.toggle_all(&changes.files);
        if changes.files.iter().any(|file| file.configures) {
            return say("files that configure lathe are ticked one by one");
        }
        LayerReply::Done
    }

    fn ask_to_apply(&mut self) -> LayerReply {
        let counts = self.ticks.counts(self.files());
        if let Some(busy) = self.busy_words() {
            return say(busy);
        }
        if counts.files == 0 {
            return say(if self.rows.is_empty() {
                "nothing is left to apply"
            } else {
                "nothing is ticked; tick a hunk or a file first"
            });
        }
        self.question = Some(TreeQuestion::Apply(counts));
        LayerReply::Done
    }

    /// Goes to the agent of the task with words that tell it of the conflicts, for the person to send.
    fn let_agent_resolve(&self) -> LayerReply {
        if self.conflicts.is_empty() {
            return say("no conflict is known; apply something first");
        }
        let lines = self.conflicts.iter();
        let lines = lines.map(|conflict| format!("- `{}`: {}\n", conflict.path, conflict.why));
        let prompt = format!(
            "These changes of yours do not fit what the project has by now, so nothing was applied:\n{}Read these files in \
             the project, and change them in your tree so that they have what both sides meant. Then say what you did.",
            lines.collect::<String>()
        );
        LayerReply::Close(Some(LayerRequest::AskTask(self.tree.task.session(), prompt)))
    }

    fn ask_to_discard(&mut self) {
        self.question = match &self.known {
            KnownTree::Unknown | KnownTree::Gone => None,
            KnownTree::Compared(changes) if changes.files.is_empty() && changes.note.is_none() => {
                Some(TreeQuestion::Remove)
            }
            KnownTree::Compared(_) | KnownTree::Failed(_) => Some(TreeQuestion::Discard),
        };
    }

    fn busy_words(&self) -> Option<&'static str> {
        Some(match self.work? {
            TreeWork::Comparing => "the tree is being compared",
            TreeWork::Applying => "changes are being applied",
            TreeWork::Removing => "the tree is being removed",
        })
    }

    fn confirm(&mut self) -> LayerReply {
        let Some(question) = self.question.take() else {
            return LayerReply::Done;
        };
        let task = self.tree.task.clone();
        self.outcome.clear();
        let (work, query) = match question {
            TreeQuestion::Apply(_) => {
                let selection = self.ticks.selection(self.files());
                (TreeWork::Applying, TreeQuery::Apply(task, selection))
            }
            TreeQuestion::Discard => {
                // What came into the tree since it was shown does not go with it.
                let removal = match &self.known {
                    KnownTree::Compared(changes) => Removal::DiscardShown(changes.work()),
                    _ => Removal::Discard,
                };
                (TreeWork::Removing, TreeQuery::Remove(task, removal))
            }
            TreeQuestion::Remove => (TreeWork::Removing, TreeQuery::Remove(task, Removal::Settled)),
        };
        self.work = Some(work);
        Self::ask(query)
    }

    fn answer(&mut self, action: Action) -> LayerReply {
        match action {
            Action::Redraw | Action::Suspend => return LayerReply::Ignored,
            CONFIRM => return self.confirm(),
            CANCEL | Action::ClearOrQuit => self.question = None,
            // A key of the whole screen neither answers nor opens anything over the question.
            _ => {}
        }
        LayerReply::Done
    }

    /// Moves to a row that says something.
    fn move_by(&mut self, rows: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(rows).min(last);
        if self.rows.get(self.at) == Some(&ChangeRow::Blank) {
            // One stands between two files, never first or last.
            self.at = self.at.saturating_add_signed(rows.signum());
        }
    }

    fn go_to(&mut self, row: usize) {
        self.at = row;
        // What follows is worth more of the screen than what was before.
        self.top = row.saturating_sub(1);
    }

    fn step(&mut self, is_down: bool, is_start: impl Fn(ChangeRow) -> bool) {
        let rows = &self.rows;
        let found = if is_down {
            (self.at + 1..rows.len()).find(|row| is_start(rows[*row]))
        } else {
            (0..self.at).rev().find(|row| is_start(rows[*row]))
        };
        if let Some(row) = found {
            self.go_to(row);
        }
    }

    fn go_to_file(&mut self, file: usize) {
        if let Some(row) = self.rows.iter().position(|row| *row == ChangeRow::File(file)) {
            self.go_to(row);
        }
    }
}

impl Layer for TreeChangesPage {
    fn name(&self) -> Option<&'static str> {
        Some("task-changes")
    }

    fn context(&self) -> Context {
        Context::Layer(match self.question {
            Some(_) => &QUESTION_KEYS,
            None => &KEYS,
        })
    }

    fn covers(&self) -> bool {
        true
    }

    fn request(&self) -> Option<LayerRequest> {
        let query = TreeQuery::Changes(self.tree.task.clone());
        Some(LayerRequest::AskHost(HostQuery::Tree(query)))
    }

    fn act(&mut self, action: Action) -> LayerReply {
        if self.question.is_some() {
            return self.answer(action);
        }
        let page = page_rows(usize::from(self.body.height));
        match action {
            Action::RowDown => self.move_by(1),
            Action::RowUp => self.move_by(-1),
            Action::PageDown => self.move_by(page),
            Action::PageUp => self.move_by(-page),
            Action::PageTop => self.move_by(isize::MIN),
            Action::PageEnd => self.move_by(isize::MAX),
            Action::NextHunk => self.step(true, |row| matches!(row, ChangeRow::Hunk { .. })),
            Action::PreviousHunk => self.step(false, |row| matches!(row, ChangeRow::Hunk { .. })),
            NEXT_FILE => self.step(true, |row| matches!(row, ChangeRow::File(_))),
            PREVIOUS_FILE => self.step(false, |row| matches!(row, ChangeRow::File(_))),
            Action::Tick => self.tick(),
            TICK_ALL => return self.tick_all(),
            APPLY => return self.ask_to_apply(),
            DISCARD => match self.busy_words() {
                Some(busy) => return say(busy),
                None => self.ask_to_discard(),
            },
            COMPARE if self.work.is_none() => {
                self.outcome.clear();
                self.conflicts.clear();
                return self.compare();
            }
            RESOLVE => return self.let_agent_resolve(),
            Action::ClosePage => return LayerReply::Close(None),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        let LayerUpdate::Tree(answer) = news else {
            return LayerReply::Ignored;
        };
        match answer {
            TreeAnswer::Changes { task, changes } if *task == self.tree.task => {
                // A comparison that began before something was done tells nothing any more.
                if matches!(self.work, None | Some(TreeWork::Comparing)) {
                    self.on_compared(changes.as_ref());
                }
            }
            TreeAnswer::Applied { task, applied } if *task == self.tree.task => {
                self.on_applied(applied.as_ref());
                return self.compare();
            }
            TreeAnswer::Removed { task, removed } if *task == self.tree.task => {
                return self.on_removed(removed.as_ref());
            }
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn back(&mut self) -> LayerReply {
        match self.question.take() {
            Some(_) => LayerReply::Done,
            None => LayerReply::Close(None),
        }
    }

    fn clear(&mut self) -> LayerReply {
        self.back()
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        if self.question.is_none() {
            self.move_by(rows);
        }
        LayerReply::Done
    }

    fn press(&mut self, column: u16, row: u16) -> LayerReply {
        if self.question.is_some() {
            return LayerReply::Done;
        }
        if self.list.contains((column, row).into()) {
            self.go_to_file(self.list_top + usize::from(row - self.list.y));
        } else if self.body.contains((column, row).into()) {
            let pressed = self.top + usize::from(row - self.body.y);
            if self.rows.get(pressed).is_some_and(|row| *row != ChangeRow::Blank) {
                self.at = pressed;
            }
        }
        LayerReply::Done
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let escape = keymap.label(Context::Global, Action::Escape);
        if self.question.is_some() {
            return hints.key(escape, "changes nothing");
        }
        let key = |action| keymap.label(Context::Layer(&KEYS), action);
        if let Some(busy) = self.busy_words() {
            hints.say(busy, Meaning::StateRunning);
        }
        if !self.conflicts.is_empty() {
            hints.key(key(RESOLVE), "let the agent resolve it");
        }
        if !self.rows.is_empty() {
            hints.key(key(Action::Tick), "tick");
            hints.key(key(APPLY), "apply");
        }
        hints.key(escape, "back");
        if !self.rows.is_empty() {
            hints.key(key(TICK_ALL), "all");
        }
        if !matches!(self.known, KnownTree::Gone | KnownTree::Unknown) {
            hints.key(key(DISCARD), "discard");
        }
        if !self.rows.is_empty() {
            hints.pair(key(Action::NextHunk), key(Action::PreviousHunk), "hunks");
            hints.pair(key(NEXT_FILE), key(PREVIOUS_FILE), "files");
        }
        hints.key(key(Action::OpenPage(&crate::tui::page::KEYS)), "keys");
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.draw_all(area, buffer, cx);
        None
    }
}
