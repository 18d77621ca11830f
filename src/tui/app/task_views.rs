//! Conversations of tasks beside that of the session that started them: opened, entered and left again.
//!
//! A task's session is an ordinary one. It lives with its tree, so that closing its conversation here ends nothing. What was
//! written in one is kept by its session.

use std::time::Instant;

use super::session_view::SessionView;
use super::trees::tree_of;
use super::{App, ESCAPE_PAUSE, Effect, SessionLink};
use crate::conversation::SessionId;
use crate::tui::sessions::SlotId;
use crate::tui::statusbar::SessionFacts;
use crate::tui::transcript::Transcript;
use crate::view::theme::Meaning;

const NO_TASK: &str = "no task is on screen; the panel lists them, and enter goes into one";
/// Conversations of tasks that stay open, besides those that are drawn.
const KEPT: usize = 12;

impl App {
    /// The conversation of the root of the tree in front.
    pub(super) fn root_view(&self) -> &SessionView {
        self.views.get(self.views.front.tree).unwrap_or(&self.views.front)
    }

    /// Returns the slot of a session of the tree in front, which is opened where it is not; `None` if there is no such task.
    pub(super) fn attach_task(&mut self, session: &SessionId, now: Instant) -> Option<SlotId> {
        let is_it = |view: &&SessionView| view.link != SessionLink::Gone && view.id() == Some(session);
        let open = self.views.iter().find(is_it).map(|view| view.slot);
        if open.is_some() {
            return open;
        }
        let row = self.tree().tasks.get(session)?.clone();
        let ended = self.views.behind.iter().find(|view| view.id() == Some(session));
        if let Some(ended) = ended.map(|ended| ended.slot) {
            self.close_view(ended);
        }
        let root = self.root_view();
        let facts = SessionFacts {
            title: row.description.clone(),
            model: row.model.to_string(),
            agent: row.agent.clone(),
            mode: root.facts.mode,
            is_demo: root.facts.is_demo,
            ..SessionFacts::default()
        };
        let (tree, directory) = (self.views.front.tree, root.directory.clone());
        let slot = self.next_slot;
        self.next_slot = SlotId(slot.0 + 1);
        let mut view = Box::new(SessionView {
            tree,
            task: Some(session.clone()),
            ..SessionView::blank(slot, facts, directory, Some(session.clone()), Some(now))
        });
        view.panel.stand_like(&self.views.front.panel);
        if self.uses_vim {
            view.composer.use_vim();
        }
        self.views.behind.push(view);
        self.effects.push(Effect::OpenTask(slot, session.clone()));
        Some(slot)
    }

    /// Puts the conversation of a session of the tree in front.
    pub(super) fn enter_task(&mut self, session: &SessionId, now: Instant) {
        match self.attach_task(session, now) {
            Some(slot) if slot == self.views.front.slot => {}
            Some(slot) => self.show(slot, now),
            None => self.say("that task no longer exists here", Meaning::Warning, now),
        }
    }

    /// Goes back to the conversation that started the task in front. `esc` means nothing there for a moment.
    pub(super) fn leave_task(&mut self, now: Instant) {
        let Some(session) = self.views.front.task.clone() else {
            return;
        };
        let parent = self.tree().tasks.get(&session).map(|row| row.parent.clone());
        let slot = parent.and_then(|parent| self.attach_task(&parent, now));
        self.show(slot.unwrap_or(self.views.front.tree), now);
        self.views.front.esc.ignores_keys_until = Some(now + ESCAPE_PAUSE);
    }

    pub(super) fn go_to_parent(&mut self, now: Instant) {
        match self.views.front.task {
            Some(_) => self.leave_task(now),
            None => self.say(NO_TASK, Meaning::TextMuted, now),
        }
    }

    /// Goes to a task beside the one in front; behind the last comes the first.
    pub(super) fn go_to_sibling(&mut self, step: isize, now: Instant) {
        let siblings = self.siblings();
        let own = self.views.front.task.as_ref();
        let Some(place) = siblings.iter().position(|sibling| Some(sibling) == own) else {
            return self.say(NO_TASK, Meaning::TextMuted, now);
        };
        let count = siblings.len();
        if count < 2 {
            return self.say("it is the only task of its parent", Meaning::TextMuted, now);
        }
        let next = (place + count).saturating_add_signed(step) % count;
        self.enter_task(&siblings[next], now);
    }

    /// The tasks of the session that started the one in front, itself among them.
    fn siblings(&self) -> Vec<SessionId> {
        let tasks = &self.tree().tasks;
        let row = self.views.front.task.as_ref().and_then(|task| tasks.get(task));
        let siblings = row.into_iter().flat_map(|row| tasks.started_by(&row.parent));
        siblings.map(|row| row.session.clone()).collect()
    }

    pub(super) fn has_siblings(&self) -> bool {
        self.siblings().len() > 1
    }

    /// Returns the agents on the way down to a conversation, if it is that of a task.
    pub(super) fn agents_down_to(&self, slot: SlotId) -> Vec<String> {
        let Some(view) = self.views.get(slot) else {
            return Vec::new();
        };
        let Some(task) = &view.task else {
            return Vec::new();
        };
        let root = self.views.get(view.tree).map(|root| root.facts.agent.clone());
        let path = tree_of(&self.trees, view).tasks.path(task);
        let below = path.into_iter().map(|row| row.agent.clone());
        root.into_iter().chain(below).collect()
    }

    /// Returns conversations of tasks that are neither drawn nor among the last that were in front.
    pub(super) fn tasks_left_open(&self) -> Vec<SlotId> {
        let is_left = |view: &SessionView| {
            let is_used = self.shown.views.contains(&view.slot) || view.slot == self.views.front.slot;
            view.task.is_some() && !is_used && view.unsent.is_empty() && view.link != SessionLink::Opening
        };
        let behind = self.views.behind.iter();
        let left = behind.filter(|view| is_left(view)).map(|view| view.slot);
        left.skip(KEPT).collect()
    }

    /// The transcript of an open conversation.
    pub(super) fn transcript_at(&mut self, slot: SlotId) -> Option<&mut Transcript> {
        Some(&mut self.views.get_mut(slot)?.transcript)
    }
}
