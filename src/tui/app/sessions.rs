//! Other open sessions: another one on screen, what they want meanwhile, and leaving while they work.
//!
//! Events of a session that is not on screen are taken in by its own conversation ([`App::in_view`]); only what it wants is
//! shown. A session stays open when another takes its place: its turn runs on, its lock is kept, its draft is on
//! disk. Of those that want nothing only the last few stay; the others are closed, and the list opens them again.
//!
//! A session here is a tree: that of a root with those of its tasks (`task_views`). Which of its conversations comes on
//! screen with it is the one that was there last.

use std::path::PathBuf;
use std::time::Instant;

use super::session_view::{SessionView, has_no_messages};
use super::trees::{TreeView, tree_of};
use super::{App, Effect, SessionLink};
use crate::conversation::SessionId;
use crate::tui::dialog::QuitDialog;
use crate::tui::sessions::{SessionTarget, SlotId};
use crate::tui::statusbar::{OtherSessionCounts, SessionFacts};
use crate::tui::transcript::ForkRefusal;
use crate::view::theme::Meaning;

/// Sessions at rest that stay open beside the one on screen.
const KEPT: usize = 8;

/// The facts that the screen shows of a session of which nothing is known yet.
pub(super) struct NewSessionFacts {
    pub(super) facts: SessionFacts,
    /// Working directory of new sessions.
    pub(super) directory: PathBuf,
}

/// An open conversation that is not in front.
pub(super) struct BackgroundSession {
    /// Its turn has ended since it was on screen.
    pub(super) has_news: bool,
    pub(super) view: Box<SessionView>,
}

impl BackgroundSession {
    pub(super) fn of(view: Box<SessionView>) -> Self {
        Self {
            has_news: false,
            view,
        }
    }

    /// Returns true if it, or a task of its tree, is at work.
    pub(super) fn is_busy(&self, tree: &TreeView) -> bool {
        self.view.is_turn_running() || tree.is_at_work()
    }

    /// Returns true if a person should know of it.
    fn wants_something(&self, tree: &TreeView) -> bool {
        self.is_busy(tree) || !tree.questions.is_empty() || self.has_news
    }

    /// Returns true if nothing is lost when it is closed.
    fn is_at_rest(&self, tree: &TreeView) -> bool {
        !self.wants_something(tree)
            && self.view.composer.is_blank()
            && self.view.queue.is_empty()
            && self.view.unsent.is_empty()
            && self.view.link != SessionLink::Opening
    }
}

/// Returns true if there is a session behind it that takes what is said.
fn is_live(link: &SessionLink) -> bool {
    matches!(link, SessionLink::Opening | SessionLink::Open)
}

impl App {
    /// Returns the roots of the trees that are not on screen, with their trees.
    pub(super) fn other_trees(&self) -> impl DoubleEndedIterator<Item = (&BackgroundSession, &TreeView)> {
        let own = self.view.tree;
        let roots = self
            .others
            .iter()
            .filter(move |other| other.view.task.is_none() && other.view.tree != own);
        roots.map(|root| (root, tree_of(&self.trees, &root.view)))
    }

    /// Counts the sessions not on screen that want something, and their questions.
    pub(super) fn elsewhere(&self) -> OtherSessionCounts {
        let mut counts = OtherSessionCounts::default();
        for (other, tree) in self.other_trees() {
            counts.sessions += usize::from(other.wants_something(tree));
            counts.asks += tree.questions.len();
        }
        counts
    }

    /// Begins a session, unless the one on screen, or another, is new already.
    pub(super) fn new_session(&mut self, now: Instant) {
        if self.view.link == SessionLink::Opening {
            return self.say("the session is still opening", Meaning::TextMuted, now);
        }
        if self.view.wanted.is_none()
            && has_no_messages(&self.view.facts, self.view.has_messages, &self.view.link)
        {
            return self.say(
                "this session is new: nothing was said in it yet",
                Meaning::TextMuted,
                now,
            );
        }
        let unsaid = self.others.iter().find(|other| other.view.has_no_messages());
        match unsaid.map(|other| other.view.slot) {
            Some(slot) => self.show(slot, now),
            None => self.open_session(SessionTarget::New, String::new(), now),
        }
    }

    /// Begins a session with what was said in this one, up to the focused block.
    pub(super) fn fork(&mut self, now: Instant) {
        let Some(source) = self.view.root.clone() else {
            return self.say("no session is open", Meaning::TextMuted, now);
        };
        if self.view.task.is_some() {
            let words = "a task is not forked; fork the session that started it";
            return self.say(words, Meaning::Warning, now);
        }
        match self.view.transcript.fork_point() {
            Ok(point) => {
                let title = self.view.facts.title.clone();
                self.open_session(SessionTarget::Fork(source, point), title, now);
            }
            Err(ForkRefusal::Nothing) => self.say(
                "nothing was said yet that could be forked",
                Meaning::TextMuted,
                now,
            ),
            Err(ForkRefusal::UnderWay) => self.say(
                "this step is still under way; fork an earlier block, or this one when it has ended",
                Meaning::Warning,
                now,
            ),
        }
    }

    /// Shows a session, and opens it where it is not open yet. One that could only be read, or has ended, is opened anew:
    /// whoever had it may have left.
    pub(super) fn go_to_session(&mut self, id: &SessionId, title: &str, now: Instant) {
        let is_on_screen = self.view.root.as_ref().or(self.view.wanted.as_ref()) == Some(id);
        if is_on_screen && is_live(&self.view.link) {
            return;
        }
        let is_it = |other: &&BackgroundSession| other.view.id() == Some(id) && is_live(&other.view.link);
        if let Some(slot) = self.others.iter().find(is_it).map(|other| other.view.slot) {
            return self.show(slot, now);
        }
        self.open_session(SessionTarget::Session(id.clone()), title.to_owned(), now);
        let stale = self.others.iter().find(|other| other.view.id() == Some(id));
        let stale = stale.map(|stale| stale.view.slot);
        if let Some(mut stale) = stale.and_then(|slot| self.close_view(slot)) {
            // What was written there was never stored.
            std::mem::swap(&mut self.view.composer, &mut stale.composer);
            self.draft_changed(now);
        }
    }

    /// The slot of a session that is open, not on screen, and not held by another process.
    pub(super) fn slot_of(&self, id: &SessionId) -> Option<SlotId> {
        let mut open = self
            .others
            .iter()
            .filter(|other| other.view.link == SessionLink::Open);
        let other = open.find(|other| other.view.id() == Some(id))?;
        Some(other.view.slot)
    }

    /// Lets an open session go that is not on screen.
    pub(super) fn close_session(&mut self, id: &SessionId) {
        let other = self.others.iter().find(|other| other.view.id() == Some(id));
        if let Some(slot) = other.map(|other| other.view.slot) {
            self.close_view(slot);
        }
    }

    /// Lets a conversation go, and with that of a root those of its tasks. The tree in front stays.
    pub(super) fn close_view(&mut self, slot: SlotId) -> Option<Box<SessionView>> {
        let place = self.others.iter().position(|other| other.view.slot == slot)?;
        let tree = self.others[place].view.tree;
        if tree == slot {
            if self.view.tree == tree {
                return None;
            }
            let tasks = self.others.iter().map(|other| &other.view);
            let tasks = tasks.filter(|view| view.tree == tree && view.slot != slot);
            let tasks: Vec<SlotId> = tasks.map(|view| view.slot).collect();
            for task in tasks {
                self.close_view(task);
            }
            self.trees.retain(|tree| tree.slot != slot);
        } else if let Some(tree) = self
            .trees
            .iter_mut()
            .find(|of| of.slot == tree && of.front == slot)
        {
            tree.front = tree.slot;
        }
        self.effects.push(Effect::CloseSession(slot));
        let place = self.others.iter().position(|other| other.view.slot == slot)?;
        Some(self.others.remove(place).view)
    }

    /// Returns the conversation of another tree that was on screen last.
    pub(super) fn last_tree(&self) -> Option<SlotId> {
        self.other_trees().next().map(|(_, tree)| tree.front)
    }

    pub(super) fn last_session(&mut self, now: Instant) {
        match self.last_tree() {
            Some(slot) => self.show(slot, now),
            None => self.say("no other session is open", Meaning::TextMuted, now),
        }
    }

    /// Goes where a question waits, if it does elsewhere; says whether it does.
    pub(super) fn go_to_ask(&mut self, now: Instant) -> bool {
        // The one that was left longest ago comes first, so that the same key reaches each in turn.
        let asks = self.other_trees().rfind(|(_, tree)| !tree.questions.is_empty());
        let Some(slot) = asks.map(|(_, tree)| tree.front) else {
            return false;
        };
        self.show(slot, now);
        self.recall_questions(now);
        true
    }

    fn open_session(&mut self, wanted: SessionTarget, title: String, now: Instant) {
        if self.trust.is_some() {
            // The answer decides what a session is opened with.
            return self.say("answer this first", Meaning::Warning, now);
        }
        let mut facts = self.blank.facts.clone();
        facts.title = title;
        let id = match &wanted {
            SessionTarget::New | SessionTarget::Fork(..) => None,
            SessionTarget::Session(id) => Some(id.clone()),
        };
        let reopens = (wanted != SessionTarget::New).then_some(now);
        let slot = self.next_slot;
        self.next_slot = SlotId(slot.0 + 1);
        let directory = match &wanted {
            SessionTarget::New | SessionTarget::Session(_) => self.blank.directory.clone(),
            SessionTarget::Fork(..) => self.view.directory.clone(),
        };
        let mut view = Box::new(SessionView::blank(slot, facts, directory, id, reopens));
        if self.uses_vim {
            view.composer.use_vim();
        }
        self.others.insert(0, BackgroundSession::of(view));
        self.trees.push(TreeView::new(slot));
        self.effects.push(Effect::OpenSession(slot, wanted));
        self.show(slot, now);
    }

    /// Puts another open conversation in front.
    pub(super) fn show(&mut self, slot: SlotId, now: Instant) {
        let Some(place) = self.others.iter().position(|other| other.view.slot == slot) else {
            return;
        };
        self.close_layers(now);
        self.pointer.press = None;
        self.pointer.due = None;
        self.quit_armed = None;
        self.view.remark = None;
        self.view.esc.armed = None;
        self.store_draft();
        let mut other = self.others.remove(place);
        std::mem::swap(&mut self.view, &mut other.view);
        other.has_news = false;
        self.effects.push(Effect::ShowSession(slot));
        self.put_aside(other);
        self.begin_looking(now);
    }

    /// The conversation in front has just come there.
    fn begin_looking(&mut self, now: Instant) {
        let (slot, task) = (self.view.slot, self.view.task.clone());
        let tree = self.tree_mut();
        if let Some(task) = &task {
            tree.tasks.see(task);
        }
        if std::mem::replace(&mut tree.front, slot) != slot {
            // What comes up there is another matter.
            tree.questions.leave_shown();
        }
        // It may have been opened elsewhere.
        if self.view.root.is_some() {
            self.send_early_command(now);
        }
        self.list_tasks(now);
        self.show_question(now);
        // What is typed ahead was not meant for a question that was not on screen.
        self.begin_guard_anew(now);
    }

    fn put_aside(&mut self, other: BackgroundSession) {
        let slot = other.view.slot;
        let is_discardable = other.view.is_discardable();
        self.others.insert(0, other);
        if is_discardable && self.close_view(slot).is_some() {
            return;
        }
        let at_rest = self.other_trees().filter(|(other, tree)| other.is_at_rest(tree));
        let mut left: Vec<SlotId> = at_rest.map(|(other, _)| other.view.slot).skip(KEPT).collect();
        left.extend(self.tasks_left_open());
        for slot in left {
            self.close_view(slot);
        }
    }

    /// Quits, or asks first where other sessions or tasks are at work.
    pub(super) fn quit(&mut self) {
        let busy = self.other_trees().filter(|(other, tree)| other.is_busy(tree));
        let dialog = QuitDialog {
            sessions: busy.count(),
            tasks: self.tree().tasks.counts().active(),
        };
        if dialog.sessions + dialog.tasks == 0 {
            return self.effects.push(Effect::Quit);
        }
        self.quit_armed = None;
        self.layers.push(Box::new(dialog));
    }
}
