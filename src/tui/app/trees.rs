//! What belongs to a tree of sessions: its tasks, and the questions of them all.
//!
//! The tree's stream comes with the session of its root. What it tells is taken in by that conversation of the tree which
//! is on screen, or was last ([`TreeView::front`]): a question comes up where somebody looks, and keys that are typed there
//! hold it off. Every conversation has the tree of its root's slot ([`SessionView::tree`](super::session_view::SessionView)).

use std::sync::Arc;
use std::time::Instant;

use super::App;
use super::questions::OpenQuestions;
use super::session_view::SessionView;
use super::view_update::ViewUpdate;
use crate::conversation::{SessionId, TaskRow};
use crate::question::Question;
use crate::session::{Envelope, Event, Snapshot};
use crate::tui::sessions::SlotId;
use crate::tui::tasks::{FinishedGroup, TaskList};
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
        tree_of(&self.trees, &self.views.front)
    }

    pub(super) fn tree_mut(&mut self) -> &mut TreeView {
        tree_mut_of(&mut self.trees, &self.views.front)
    }

    /// Lets the right question come up after a tree was taken over.
    pub(crate) fn settle_tree(&mut self, slot: SlotId, now: Instant) -> RedrawUrgency {
        let tree = self.trees.iter_mut().find(|tree| tree.slot == slot);
        let Some(tree) = tree.filter(|tree| tree.is_unsettled) else {
            return RedrawUrgency::None;
        };
        tree.is_unsettled = false;
        let front = tree.front;
        self.in_view(front, now, |update| {
            update.show_question();
            RedrawUrgency::Urgent
        })
    }

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
            let is_task = matches!(envelope.event, Event::Task(_));
            if change == RedrawUrgency::None && is_task && self.shows_tasks() {
                change = RedrawUrgency::Soft;
            }
            change = self.refresh_watch(now).unwrap_or(change);
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
        if self.shown.views.contains(&other.slot) {
            change
        } else {
            RedrawUrgency::None
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
        slots.push(self.views.front.tree);
        slots.retain(|slot| *slot != self.views.front.slot);
        slots
    }
}

impl ViewUpdate<'_> {
    /// Takes over the tree of a root that was attached to.
    pub(super) fn attach_tree(&mut self, snapshot: &Snapshot) {
        self.tree.tasks.reset(&snapshot.tasks);
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
        let change = if before == self.tree.tasks.counts() {
            RedrawUrgency::None
        } else {
            RedrawUrgency::Urgent
        };
        (change, group)
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

/// The tree of a conversation.
pub(super) fn tree_of<'a>(trees: &'a [TreeView], view: &SessionView) -> &'a TreeView {
    let tree = trees.iter().find(|tree| tree.slot == view.tree);
    tree.expect("a tree is there as long as a conversation of it")
}

pub(super) fn tree_mut_of<'a>(trees: &'a mut [TreeView], view: &SessionView) -> &'a mut TreeView {
    let tree = trees.iter_mut().find(|tree| tree.slot == view.tree);
    tree.expect("a tree is there as long as a conversation of it")
}
