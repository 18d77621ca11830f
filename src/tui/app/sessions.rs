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

use super::session_view::SessionView;
use super::trees::{TreeView, tree_of};
use super::{App, Effect, SessionLink};
use crate::conversation::SessionId;
use crate::session::host::ForkPoint;
use crate::tui::dialog::RunningWork;
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

impl SessionView {
    /// Returns true if it, or a task of its tree, is at work.
    pub(super) fn is_busy(&self, tree: &TreeView) -> bool {
        self.is_turn_running() || tree.is_at_work()
    }

    /// Returns true if a person should know of it.
    pub(super) fn wants_something(&self, tree: &TreeView) -> bool {
        self.is_busy(tree) || !tree.questions.is_empty() || self.has_news
    }

    /// Returns true if nothing is lost when it is closed.
    pub(super) fn is_at_rest(&self, tree: &TreeView) -> bool {
        !self.wants_something(tree)
            && tree.running_terminals() == 0
            && self.composer.is_blank()
            && self.queue.is_empty()
            && self.unsent.is_empty()
            && self.link != SessionLink::Opening
    }
}

/// Returns true if there is a session behind it that takes what is said.
fn is_live(link: &SessionLink) -> bool {
    matches!(link, SessionLink::Opening | SessionLink::Open)
}

impl App {
    /// Returns the roots of the trees that are not on screen, with their trees.
    pub(super) fn other_trees(&self) -> impl DoubleEndedIterator<Item = (&SessionView, &TreeView)> {
        let own = self.views.front.tree;
        let roots = self
            .views
            .iter()
            .filter(move |view| view.task.is_none() && view.tree != own);
        roots.map(|root| (root, tree_of(&self.trees, root)))
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
        if self.views.front.link == SessionLink::Opening {
            return self.say_while("the session is still opening", Meaning::TextMuted, now);
        }
        if self.views.front.has_no_messages() {
            return self.say("this session is new and has no messages", Meaning::TextMuted, now);
        }
        let unsaid = self.views.behind.iter().find(|view| view.has_no_messages());
        match unsaid.map(|view| view.slot) {
            Some(slot) => self.show(slot, now),
            None => self.open_session(SessionTarget::New, String::new(), now),
        }
    }

    /// Begins a session with what was said in this one, up to the focused block.
    pub(super) fn fork(&mut self, now: Instant) {
        match self.views.front.transcript.fork_point() {
            Ok(point) => self.fork_at(point, now),
            Err(ForkRefusal::Nothing) => self.say("there is no message to fork yet", Meaning::TextMuted, now),
            Err(ForkRefusal::UnderWay) => self.say(
                "this step is still running; fork an earlier block, or this one when it has ended",
                Meaning::Warning,
                now,
            ),
        }
    }

    /// The same up to a place in the conversation.
    pub(super) fn fork_at(&mut self, point: ForkPoint, now: Instant) {
        let Some(source) = self.views.front.root.clone() else {
            return self.say("no session is open", Meaning::TextMuted, now);
        };
        if self.views.front.task.is_some() {
            let words = "a task cannot be forked; fork the session that started it";
            return self.say(words, Meaning::Warning, now);
        }
        let title = self.views.front.facts.title.clone();
        self.open_session(SessionTarget::Fork(source, point), title, now);
    }

    /// Shows a session, and opens it where it is not open yet. One that could only be read, or has ended, is opened anew:
    /// whoever had it may have left.
    pub(super) fn go_to_session(&mut self, id: &SessionId, title: &str, now: Instant) {
        let is_on_screen = self.views.front.id() == Some(id);
        if is_on_screen && is_live(&self.views.front.link) {
            return;
        }
        let mut behind = self.views.behind.iter();
        let live = behind.find(|view| view.id() == Some(id) && is_live(&view.link));
        if let Some(slot) = live.map(|view| view.slot) {
            return self.show(slot, now);
        }
        self.open_instead(SessionTarget::Session(id.clone()), id, title.to_owned(), now);
    }

    /// Opens a session anew, in place of where it is shown already.
    pub(super) fn open_instead(
        &mut self,
        target: SessionTarget,
        id: &SessionId,
        title: String,
        now: Instant,
    ) {
        self.open_session(target, title, now);
        let stale = self.views.behind.iter().find(|view| view.id() == Some(id));
        let stale = stale.map(|stale| stale.slot);
        if let Some(mut stale) = stale.and_then(|slot| self.close_view(slot)) {
            // What was written there was never stored.
            std::mem::swap(&mut self.views.front.composer, &mut stale.composer);
            self.draft_changed(now);
        }
    }

    /// The slot of a session that is open, not on screen, and not held by another process.
    pub(super) fn slot_of(&self, id: &SessionId) -> Option<SlotId> {
        let open = self.views.behind.iter();
        let mut open = open.filter(|view| view.link == SessionLink::Open);
        Some(open.find(|view| view.id() == Some(id))?.slot)
    }

    /// Lets an open session go that is not on screen.
    pub(super) fn close_session(&mut self, id: &SessionId) {
        let behind = self.views.behind.iter().find(|view| view.id() == Some(id));
        if let Some(slot) = behind.map(|view| view.slot) {
            self.close_view(slot);
        }
    }

    /// Lets a conversation go, and with that of a root those of its tasks. The tree in front stays.
    pub(super) fn close_view(&mut self, slot: SlotId) -> Option<Box<SessionView>> {
        let tree = self.views.behind.iter().find(|view| view.slot == slot)?.tree;
        if tree == slot {
            if self.views.front.tree == tree {
                return None;
            }
            let tasks = self.views.behind.iter();
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
        self.views.remove(slot)
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
            return self.say_while("answer this first", Meaning::Warning, now);
        }
        let mut facts = self.blank.facts.clone();
        facts.title = title;
        let id = match &wanted {
            SessionTarget::New | SessionTarget::Fork(..) => None,
            SessionTarget::Session(id) | SessionTarget::Moved(id, _) => Some(id.clone()),
        };
        let reopens = (wanted != SessionTarget::New).then_some(now);
        let slot = self.next_slot;
        self.next_slot = SlotId(slot.0 + 1);
        let directory = match &wanted {
            SessionTarget::New | SessionTarget::Session(_) => self.blank.directory.clone(),
            SessionTarget::Fork(..) => self.views.front.directory.clone(),
            SessionTarget::Moved(_, directory) => directory.clone(),
        };
        let mut view = Box::new(SessionView::blank(slot, facts, directory, id, reopens));
        if self.uses_vim {
            view.composer.use_vim();
        }
        self.views.behind.insert(0, view);
        self.trees.push(TreeView::new(slot));
        self.effects.push(Effect::OpenSession(slot, wanted));
        self.show(slot, now);
    }

    /// Puts another open conversation in front.
    pub(super) fn show(&mut self, slot: SlotId, now: Instant) {
        if !self.views.behind.iter().any(|view| view.slot == slot) {
            return;
        }
        self.close_layers(now);
        self.pointer.press = None;
        self.pointer.due = None;
        self.quit_armed = None;
        self.views.front.remark = None;
        self.views.front.esc.armed = None;
        self.store_draft();
        let before = self.views.front.slot;
        self.views.bring_to_front(slot);
        self.views.front.has_news = false;
        self.effects.push(Effect::ShowSession(slot));
        self.close_unneeded(before);
        self.begin_looking(now);
    }

    /// The conversation in front has just come there.
    fn begin_looking(&mut self, now: Instant) {
        let (slot, task) = (self.views.front.slot, self.views.front.task.clone());
        let tree = self.tree_mut();
        if let Some(task) = &task {
            tree.tasks.see(task);
        }
        tree.front = slot;
        // What was on screen there waits as a row: the key that led here was not meant for it.
        tree.questions.leave_shown();
        // It may have been opened elsewhere.
        if self.views.front.root.is_some() {
            self.send_early_command(now);
        }
        self.list_tasks(now);
        self.show_question(now);
    }

    /// Closes the conversation that was in front if nothing is in it, or else those that were left longest ago.
    fn close_unneeded(&mut self, before: SlotId) {
        let is_discardable = self.views.get(before).is_some_and(SessionView::is_discardable);
        if is_discardable && self.close_view(before).is_some() {
            return;
        }
        let at_rest = self.other_trees().filter(|(other, tree)| other.is_at_rest(tree));
        let mut left: Vec<SlotId> = at_rest.map(|(other, _)| other.slot).skip(KEPT).collect();
        left.extend(self.tasks_left_open());
        for slot in left {
            self.close_view(slot);
        }
    }

    /// Quits, or asks first where other sessions, tasks or programs in terminals are at work.
    pub(super) fn quit(&mut self) {
        let busy = self.other_trees().filter(|(other, tree)| other.is_busy(tree));
        let work = RunningWork {
            sessions: busy.count(),
            tasks: self.tree().tasks.counts().active(),
            terminals: self.trees.iter().map(TreeView::running_terminals).sum(),
        };
        let Some(dialog) = work.dialog() else {
            return self.effects.push(Effect::Quit);
        };
        self.quit_armed = None;
        self.layers.push(Box::new(dialog));
    }
}
