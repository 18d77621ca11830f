//! What belongs to a tree of sessions: its tasks, and the questions of them all.
//!
//! The tree's stream comes with the session of its root. What it tells is taken in by that conversation of the tree which
//! is on screen, or was last ([`TreeView::front`]): a question comes up where somebody looks, and keys that are typed there
//! hold it off. Every conversation has the tree of its root's slot ([`SessionView::tree`](super::session_view::SessionView)).

use std::time::Instant;

use super::App;
use super::questions::OpenQuestions;
use super::session_view::SessionView;
use crate::conversation::SessionId;
use crate::question::Question;
use crate::session::{Envelope, Event, Snapshot};
use crate::tui::sessions::SlotId;
use crate::tui::tasks::TaskList;
use crate::tui::transcript::RedrawUrgency;

pub(super) struct TreeView {
    /// Of the root.
    pub(super) slot: SlotId,
    /// The conversation of the tree that is on screen, or was last.
    pub(super) front: SlotId,
    pub(super) tasks: TaskList,
    pub(super) questions: OpenQuestions,
    /// Taken over from a snapshot; which question comes up is to be settled.
    is_unsettled: bool,
}

impl TreeView {
    pub(super) fn new(slot: SlotId) -> Self {
        Self {
            slot,
            front: slot,
            tasks: TaskList::default(),
            questions: OpenQuestions::default(),
            is_unsettled: false,
        }
    }

    /// Returns true if a person should know of it when another tree is on screen.
    pub(super) fn is_at_work(&self) -> bool {
        self.tasks.counts().active() > 0
    }

    /// Returns true if a question comes up by itself in a conversation of the tree: in that of the root each does, in that
    /// of a task its own and those of its tasks.
    pub(super) fn comes_up(tasks: &TaskList, question: &Question, task: Option<&SessionId>) -> bool {
        task.is_none_or(|task| tasks.is_within(&question.session, task))
    }
}

impl App {
    /// The tree of the conversation in front.
    pub(super) fn tree(&self) -> &TreeView {
        tree_of(&self.trees, &self.view)
    }

    pub(super) fn tree_mut(&mut self) -> &mut TreeView {
        tree_mut_of(&mut self.trees, &self.view)
    }

    /// Takes in an event of a session.
    pub(crate) fn session_event(&mut self, slot: SlotId, envelope: &Envelope, now: Instant) -> RedrawUrgency {
        let tree = self.trees.iter().find(|tree| tree.slot == slot);
        let slot = match tree {
            Some(tree) if envelope.event.is_of_tree() => tree.front,
            _ => slot,
        };
        let change = self.in_session(slot, now, |app| app.event(envelope, now));
        if slot == self.view.slot && !envelope.event.is_of_tree() {
            self.unless_unseen(change)
        } else {
            change
        }
    }

    /// Lets the right question come up after a tree was taken over.
    pub(crate) fn settle_tree(&mut self, slot: SlotId, now: Instant) -> RedrawUrgency {
        let tree = self.trees.iter_mut().find(|tree| tree.slot == slot);
        let Some(tree) = tree.filter(|tree| tree.is_unsettled) else {
            return RedrawUrgency::None;
        };
        tree.is_unsettled = false;
        let front = tree.front;
        self.in_session(front, now, |app| {
            app.show_question(now);
            RedrawUrgency::Urgent
        })
    }

    /// Takes over the tree of a root that was attached to.
    pub(super) fn attach_tree(&mut self, snapshot: &Snapshot, now: Instant) {
        self.tree_mut().tasks.reset(&snapshot.tasks);
        self.attach_questions(&snapshot.questions, now);
        self.tree_mut().is_unsettled = true;
        self.list_tasks(now);
        self.view.panel.settle();
    }

    /// Takes in what the tree's stream tells.
    pub(super) fn tree_event(&mut self, envelope: &Envelope, now: Instant) -> RedrawUrgency {
        let change = self.note_tree_event(envelope, now);
        let change = self.refresh_watch(now).unwrap_or(change);
        change.max(self.apply_to_transcript(envelope, now))
    }

    fn note_tree_event(&mut self, envelope: &Envelope, now: Instant) -> RedrawUrgency {
        match &envelope.event {
            Event::Asked(question) => {
                self.notify_if_away(question.title().to_owned(), now);
                self.put_question(question, now);
                RedrawUrgency::Urgent
            }
            Event::Settled(settled) => {
                self.settle_question(settled.id, now);
                RedrawUrgency::Urgent
            }
            Event::Task(row) => {
                let before = self.tree().tasks.counts();
                let group = self.tree_mut().tasks.note(row);
                let is_drawn = self.shown.views.contains(&self.view.slot);
                if is_drawn && self.view.task.as_ref() == Some(&row.session) {
                    self.tree_mut().tasks.see(&row.session);
                }
                self.list_tasks(now);
                if let Some(group) = group {
                    self.tell_of_group(&group, now);
                }
                match () {
                    () if before != self.tree().tasks.counts() => RedrawUrgency::Urgent,
                    () if self.shows_tasks() => RedrawUrgency::Soft,
                    () => RedrawUrgency::None,
                }
            }
            _ => RedrawUrgency::None,
        }
    }

    /// Tells the conversation of the session that it is about, if that is open.
    fn apply_to_transcript(&mut self, envelope: &Envelope, now: Instant) -> RedrawUrgency {
        let is_it = |view: &SessionView| view.root.as_ref() == Some(&envelope.session);
        if is_it(&self.view) {
            let change = self.view.transcript.apply(&envelope.event, now);
            return self.unless_unseen(change);
        }
        let other = self.others.iter_mut().find(|other| is_it(&other.view));
        let Some(other) = other else {
            return RedrawUrgency::None;
        };
        let change = other.view.transcript.apply(&envelope.event, now);
        if self.shown.views.contains(&other.view.slot) {
            change
        } else {
            RedrawUrgency::None
        }
    }

    /// Marks the calls of the conversation in front whose questions are open: the tree may have told of one before the
    /// session told of the call.
    pub(super) fn mark_asking_calls(&mut self, now: Instant) {
        let Some(session) = self.view.root.clone().filter(|_| self.view.task.is_some()) else {
            return;
        };
        let questions: Vec<_> = self.tree().questions.of(&session).cloned().collect();
        for question in questions {
            self.view.transcript.apply(&Event::Asked(question), now);
        }
    }

    /// Returns true if a change of a task is seen.
    pub(super) fn shows_tasks(&self) -> bool {
        let is_panel_seen = !self.is_covered() && self.is_panel_drawn();
        is_panel_seen || self.layers.iter().any(|layer| layer.shows_tasks())
    }

    /// Returns the sessions whose every event is of interest, besides that of the one in front: those that are drawn, and
    /// the root of its tree, which tells of tasks and questions.
    pub(crate) fn awake_slots(&self) -> Vec<SlotId> {
        let mut slots = self.shown.views.clone();
        slots.push(self.view.tree);
        slots.retain(|slot| *slot != self.view.slot);
        slots
    }
}

/// The tree of a conversation.
pub(super) fn tree_of<'a>(trees: &'a [TreeView], view: &SessionView) -> &'a TreeView {
    let tree = trees.iter().find(|tree| tree.slot == view.tree);
    tree.expect("a tree is there as long as a conversation of it")
}

pub(super) fn tree_mut_of<'a>(trees: &'a mut [TreeView], view: &SessionView) -> &'a mut TreeView {
    let tree = trees.iter_mut().find(|tree| tree.slot == view.tree);
    tree.expect("a tree is there as long as a conversation of it")
}
