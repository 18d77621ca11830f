//! State of a tree of sessions: its tasks, and the questions of them all.
//!
//! The tree's stream comes with the session of its root. What it tells is taken in by that conversation of the tree which
//! is on screen, or was last ([`TreeView::front`]): a question comes up where somebody looks, and keys that are typed there
//! hold it off. Every conversation has the tree of its root's slot ([`SessionView::tree`](super::session_view::SessionView)).

use std::sync::Arc;
use std::time::Instant;

use super::App;
use super::questions::OpenQuestions;
use super::session_view::SessionView;
use crate::conversation::{SessionId, TerminalRow};
use crate::question::Question;
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
    pub(super) terminals: Arc<Vec<TerminalRow>>,
    /// Taken over from a snapshot; which question comes up is to be settled.
    pub(super) is_unsettled: bool,
}

impl TreeView {
    pub(super) fn new(slot: SlotId) -> Self {
        Self {
            slot,
            front: slot,
            tasks: TaskList::default(),
            questions: OpenQuestions::default(),
            terminals: Arc::default(),
            is_unsettled: false,
        }
    }

    /// Counts the terminals whose programs run.
    pub(super) fn running_terminals(&self) -> usize {
        let running = self.terminals.iter().filter(|row| row.status.is_running());
        running.count()
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

/// The tree of a conversation.
pub(super) fn tree_of<'a>(trees: &'a [TreeView], view: &SessionView) -> &'a TreeView {
    let tree = trees.iter().find(|tree| tree.slot == view.tree);
    tree.expect("a tree is there as long as a conversation of it")
}

pub(super) fn tree_mut_of<'a>(trees: &'a mut [TreeView], view: &SessionView) -> &'a mut TreeView {
    let tree = trees.iter_mut().find(|tree| tree.slot == view.tree);
    tree.expect("a tree is there as long as a conversation of it")
}
