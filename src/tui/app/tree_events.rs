//! Events of a tree of sessions, taken in by that conversation of it which is on screen, or was last.

use std::sync::Arc;
use std::time::Instant;

use super::App;
use super::session_view::SessionView;
use super::view_update::ViewUpdate;
use crate::conversation::{TaskRow, TerminalInput, TerminalRow};
use crate::session::{Envelope, Event, Snapshot};
use crate::tui::sessions::SlotId;
use crate::tui::tasks::FinishedGroup;
use crate::tui::transcript::RedrawUrgency;

impl App {
    /// Takes in what the tree's stream tells.
    pub(super) fn tree_event(&mut self, slot: SlotId, envelope: &Envelope, now: Instant) -> RedrawUrgency {
        let tree = self.trees.iter().find(|tree| tree.slot == slot);
        let front = tree.map_or(slot, |tree| tree.front);
        let mut ended = None;
        let mut change = self.in_view(front, now, |update| {
            let (change, group) = update.note_tree_event(envelope);
            ended = group;
            change
        });
        if let Some(group) = ended {
            self.tell_of_group(&group);
        }
        if front == self.views.front.slot {
            let is_row = matches!(envelope.event, Event::Task(_) | Event::Terminals(_));
            if change == RedrawUrgency::None && is_row && self.shows_tasks() {
                change = RedrawUrgency::Soft;
            }
            change = self.refresh_watch(now).unwrap_or(change);
            if matches!(envelope.event, Event::Terminals(_)) && self.refresh_terminals() {
                change = change.max(RedrawUrgency::Soft);
            }
        }
        change.max(self.apply_to_transcript(envelope, now))
    }

    /// Tells the conversation of the session that it is about, if that is open.
    fn apply_to_transcript(&mut self, envelope: &Envelope, now: Instant) -> RedrawUrgency {
        let is_it = |view: &SessionView| view.root.as_ref() == Some(&envelope.session);
        if is_it(&self.views.front) {
            let change = self.views.front.transcript.apply(&envelope.event, now);
            return self.unless_unseen(change);
        }
        let Some(other) = self.views.iter_mut().find(|view| is_it(view)) else {
            return RedrawUrgency::None;
        };
        let change = other.transcript.apply(&envelope.event, now);
        change.only_if(self.shown.views.contains(&other.slot))
    }
}

impl ViewUpdate<'_> {
    /// Takes over the tree of a root that was attached to.
    pub(super) fn attach_tree(&mut self, snapshot: &Snapshot) {
        self.tree.tasks.reset(&snapshot.tasks);
        self.note_terminals(&Arc::new(snapshot.terminals.clone()));
        self.attach_questions(&snapshot.questions);
        self.tree.is_unsettled = true;
        self.list_tasks();
        self.view.panel.settle();
    }

    /// Takes in what the tree's stream tells; returns the group of tasks that has ended with it.
    fn note_tree_event(&mut self, envelope: &Envelope) -> (RedrawUrgency, Option<FinishedGroup>) {
        match &envelope.event {
            Event::Asked(question) => {
                self.notify_if_away(question.title().to_owned());
                self.put_question(question);
                (RedrawUrgency::Urgent, None)
            }
            Event::Settled(settled) => {
                self.settle_question(settled.id);
                (RedrawUrgency::Urgent, None)
            }
            Event::Task(row) => self.note_task(row),
            Event::Terminals(rows) => (self.note_terminals(rows), None),
            _ => (RedrawUrgency::None, None),
        }
    }

    fn note_task(&mut self, row: &Arc<TaskRow>) -> (RedrawUrgency, Option<FinishedGroup>) {
        let before = self.tree.tasks.counts();
        let group = self.tree.tasks.note(row);
        if self.is_drawn && self.view.task.as_ref() == Some(&row.session) {
            self.tree.tasks.see(&row.session);
        }
        self.list_tasks();
        let group = group.filter(FinishedGroup::is_of_interest);
        if let Some(group) = &group {
            self.notify_if_away(group.headline());
        }
        let change = RedrawUrgency::Urgent.only_if(before != self.tree.tasks.counts());
        (change, group)
    }

    /// Takes the terminals as they are now, and tells of hidden input that nobody was told of.
    fn note_terminals(&mut self, rows: &Arc<Vec<TerminalRow>>) -> RedrawUrgency {
        let hides = |row: &&TerminalRow| row.waits_for == Some(TerminalInput::Hidden);
        let was_hiding = |name: &str| {
            let mut before = self.tree.terminals.iter().filter(hides);
            before.any(|row| row.name == name)
        };
        let new = rows.iter().filter(hides).find(|row| !was_hiding(&row.name));
        let notice = new.map(|row| format!("terminal {} waits for hidden input", row.name));
        let before = std::mem::replace(&mut self.tree.terminals, Arc::clone(rows));
        if let Some(notice) = notice {
            self.notify_if_away(notice);
        }
        // Title row and hint row tell of these; the rest of a row is seen in the panel and the pane alone.
        let told = |row: &TerminalRow| (row.name.clone(), row.status, row.waits_for);
        RedrawUrgency::Urgent.only_if(before.iter().map(told).ne(rows.iter().map(told)))
    }

    /// Shows the tasks of the tree in the panel of the conversation.
    pub(super) fn list_tasks(&mut self) {
        let tasks = self.tree.tasks.entries().to_vec();
        self.view
            .panel
            .set_tasks(tasks, self.view.root.as_ref(), self.unix);
    }

    /// Brings the cards of tasks in the conversation up to how these stand.
    pub(super) fn follow_tasks(&mut self) {
        let rows = self.tree.tasks.entries().iter().map(|entry| &*entry.row);
        self.view.transcript.follow_tasks(rows);
    }

    /// Has the conversation of a task named by what it is about: its agent stands before that.
    pub(super) fn name_task(&mut self) {
        let task = self.view.task.as_ref();
        if let Some(row) = task.and_then(|task| self.tree.tasks.get(task)) {
            self.view.facts.title.clone_from(&row.description);
        }
    }

    /// Marks the calls of the conversation whose questions are open: the tree may have told of one before the session told
    /// of the call.
    pub(super) fn mark_asking_calls(&mut self) {
        let Some(session) = self.view.root.as_ref().filter(|_| self.view.task.is_some()) else {
            return;
        };
        for question in self.tree.questions.of(session) {
            let asked = Event::Asked(Arc::clone(question));
            self.view.transcript.apply(&asked, self.now);
        }
    }
}
