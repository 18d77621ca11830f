//! Events of a session, taken in by its conversation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::attachments::{ReturnedDraft, labelled, labelled_parts};
use super::input_queue::TakeBackPurpose;
use super::pickers::PROMPTS;
use super::session_view::SessionView;
use super::view_update::ViewUpdate;
use super::{AGAIN, App, DraftState, Focus, SessionLink, TurnStatus};
use crate::conversation::{Message, Role, Todo};
use crate::session::host::OpeningNotes;
use crate::session::{
    Envelope, ErrorReport, Event, Input, QueuedMessage, RestoredConversation, Snapshot, TurnEndReason,
};
use crate::tool::BuiltinCards;
use crate::tui::composer::Draft;
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::LayerUpdate;
use crate::tui::page;
use crate::tui::queue_list::WaitingId;
use crate::tui::sessions::SlotId;
use crate::tui::transcript::RedrawUrgency;
use crate::view::theme::Meaning;

/// A turn that began longer ago, in milliseconds, is not told how long it takes.
const MOST_TURN: u64 = 7 * 24 * 60 * 60 * 1_000;

impl App {
    /// A session is open.
    pub(crate) fn session_opened(
        &mut self,
        slot: SlotId,
        snapshot: &Snapshot,
        cards: BuiltinCards,
        notes: OpeningNotes,
        now: Instant,
    ) -> RedrawUrgency {
        let is_first = self.is_unopened(slot);
        let change = self.in_view(slot, now, |update| update.on_opened(snapshot, cards, notes));
        self.after_attaching(slot, is_first, now);
        self.remove_old_sessions();
        change
    }

    /// A session was attached to: everything is as the snapshot says.
    pub(crate) fn session_attached(
        &mut self,
        slot: SlotId,
        snapshot: &Snapshot,
        now: Instant,
    ) -> RedrawUrgency {
        let is_first = self.is_unopened(slot);
        let change = self.in_view(slot, now, |update| update.on_attached(snapshot));
        self.after_attaching(slot, is_first, now);
        change
    }

    /// A session could not be opened.
    pub(crate) fn session_not_opened(
        &mut self,
        slot: SlotId,
        report: ErrorReport,
        now: Instant,
    ) -> RedrawUrgency {
        self.in_view(slot, now, |update| update.not_opened(report))
    }

    /// A session has ended without being asked to.
    pub(crate) fn session_ended(&mut self, slot: SlotId, now: Instant) -> RedrawUrgency {
        self.in_view(slot, now, |update| {
            update.ended();
            RedrawUrgency::Urgent
        })
    }

    /// Takes in an event of a session.
    pub(crate) fn session_event(&mut self, slot: SlotId, envelope: &Envelope, now: Instant) -> RedrawUrgency {
        if envelope.event.is_of_tree() {
            return self.tree_event(slot, envelope, now);
        }
        let change = self.in_view(slot, now, |update| update.event(envelope));
        if slot != self.views.front.slot {
            return change;
        }
        if matches!(envelope.event, Event::SummaryDrafted(_)) {
            self.views.front.opens_summary = true;
            if !self.may_open_question(now) {
                let words = "the summary is ready; it opens when you pause, or with `/compact`";
                self.say(words, Meaning::TextMuted, now);
            }
            self.open_resting_question(now);
        }
        if let Event::Grants(grants) = &envelope.event {
            self.update_layers(&LayerUpdate::Grants(grants), now);
            return RedrawUrgency::Urgent;
        }
        self.unless_unseen(change)
    }

    fn is_unopened(&self, slot: SlotId) -> bool {
        self.views.get(slot).is_some_and(|view| view.root.is_none())
    }

    /// Fills what is over the conversation in front, and sends what the program was started with.
    fn after_attaching(&mut self, slot: SlotId, is_first: bool, now: Instant) {
        if slot != self.views.front.slot {
            return;
        }
        if is_first {
            self.send_early_command(now);
            self.fill_list(now);
        }
        self.ask_for_layers(now);
    }
}

impl SessionView {
    pub(super) fn waiting_ids(&self) -> Vec<WaitingId> {
        self.waiting().iter().map(|waiting| waiting.id).collect()
    }

    /// The session says what waits.
    pub(super) fn set_queue(&mut self, queue: &[QueuedMessage]) {
        self.queue.clear();
        self.queue.extend_from_slice(queue);
        self.follow_queue();
    }

    /// Keeps the keys on a row that is there, or gives them to the composer.
    pub(super) fn follow_queue(&mut self) {
        let ids = self.waiting_ids();
        if self.focus == Focus::Queue && !self.queue_list.follow(&ids) {
            self.focus_composer();
        }
    }
}

impl ViewUpdate<'_> {
    /// The session is open.
    fn on_opened(&mut self, snapshot: &Snapshot, cards: BuiltinCards, notes: OpeningNotes) -> RedrawUrgency {
        self.view.panel.set_cards(cards.clone());
        self.view.transcript.draw_builtin(cards);
        let change = self.on_attached(snapshot);
        for note in notes.events {
            self.view.transcript.push_notice(note);
        }
        self.view.transcript.push_standing_notes(notes.standing);
        change
    }

    /// The session was attached to: everything is as the snapshot says.
    pub(super) fn on_attached(&mut self, snapshot: &Snapshot) -> RedrawUrgency {
        let is_first = self.view.root.is_none();
        self.view.root = Some(snapshot.info.id.clone());
        self.view.reopens = None;
        self.view.facts.set_info(&snapshot.info);
        self.name_task();
        // What was chosen here since is newer.
        self.scopes.complete_from(&snapshot.info.scopes);
        self.view.agents.clone_from(&snapshot.info.agents);
        self.view.models.clone_from(&snapshot.info.models);
        self.view.lacks_model = snapshot.info.model_problem.is_some();
        self.view.commands.clone_from(&snapshot.info.commands);
        self.view.wanted_agent = None;
        self.view.wanted_model = None;
        self.view.directory.clone_from(&snapshot.info.directory);
        self.view.surroundings.clone_from(&snapshot.info.surroundings);
        self.view.transcript.reset(snapshot);
        if let Some(began) = self.turn_began(snapshot) {
            self.view.transcript.set_turn_start(began);
        }
        self.view.wanted_inputs.clear();
        self.view.set_queue(&snapshot.queue);
        self.view.panel.reset(&snapshot.messages, &snapshot.todos);
        let own = snapshot
            .messages
            .iter()
            .filter_map(|message| message.own_command());
        let running = own.filter(|(_, call)| !call.state.is_final());
        self.view.shells = running.map(|(_, call)| call.call.clone()).collect();
        self.view.turn = if snapshot.busy {
            TurnStatus::Busy
        } else {
            TurnStatus::Idle
        };
        if self.view.task.is_none() {
            self.attach_tree(snapshot);
        }
        self.view.link = match &snapshot.info.read_only {
            None => SessionLink::Open,
            Some(reason) => SessionLink::ReadOnly(reason.clone()),
        };
        if is_first {
            self.begin(snapshot);
        }
        self.follow_tasks();
        self.mark_asking_calls();
        // One of another conversation of the tree may be on screen.
        if self.tree.front == self.view.slot {
            self.show_question();
        }
        RedrawUrgency::Urgent
    }

    /// Returns when the turn that runs began: with the newest message of the person's.
    fn turn_began(&self, snapshot: &Snapshot) -> Option<Instant> {
        let mut said = snapshot.messages.iter().rev();
        let newest = said.find(|message| message.role == Role::User && !message.is_reminder())?;
        let passed = u64::try_from(self.unix - newest.created).ok()?;
        // No turn takes so long: a clock was set meanwhile.
        let is_likely = snapshot.busy && passed < MOST_TURN;
        self.now
            .checked_sub(Duration::from_millis(passed))
            .filter(|_| is_likely)
    }

    /// The session could not be opened.
    fn not_opened(&mut self, report: ErrorReport) -> RedrawUrgency {
        self.view.link = SessionLink::Gone;
        self.view.reopens = None;
        let newest = self.view.unsent_inputs().next_back().map(draft_of);
        if let Some(draft) = newest.filter(|_| self.view.composer.is_empty()) {
            self.view.composer.set(draft);
        }
        self.view.unsent.clear();
        self.view.follow_queue();
        self.view.transcript.apply(&Event::Error(report), self.now);
        RedrawUrgency::Urgent
    }

    /// The session has ended without being asked to.
    fn ended(&mut self) {
        self.view.link = SessionLink::Gone;
        self.view.turn = TurnStatus::Idle;
        self.view.shells.clear();
        if self.view.task.is_none() {
            self.drop_questions();
        }
        self.view
            .transcript
            .push_notice("The session has ended and is saved; start lathe again to continue.");
    }

    /// Takes in an event of the session itself.
    fn event(&mut self, envelope: &Envelope) -> RedrawUrgency {
        let is_root = self.view.root.as_ref() == Some(&envelope.session);
        let own = self.note(&envelope.event, is_root);
        let drawn = if is_root {
            self.view.transcript.apply(&envelope.event, self.now)
        } else {
            RedrawUrgency::None
        };
        match envelope.event {
            Event::PartStarted { .. } | Event::PartEnded { .. } => self.mark_asking_calls(),
            Event::TurnEnded(_) if is_root => self.tell_turn_changes(),
            _ => {}
        }
        own.max(drawn)
    }

    /// Says behind the end of the turn which files it changed.
    fn tell_turn_changes(&mut self) {
        let Some(mut words) = self.view.panel.turn_changes() else {
            return;
        };
        let key = self.keymap.after_leader(Action::OpenPage(&page::DIFF));
        if !key.is_empty() {
            words = format!("{words} {} {key}", self.symbols.dot());
        }
        self.view.transcript.note_turn_changes(words);
    }

    /// Takes in what the rest of the screen shows.
    fn note(&mut self, event: &Event, is_root: bool) -> RedrawUrgency {
        match event {
            _ if !is_root => return RedrawUrgency::None,
            Event::MessageStarted(message) => match message.own_command() {
                Some((_, call)) if !call.state.is_final() => drop(self.view.shells.insert(call.call.clone())),
                _ => return RedrawUrgency::None,
            },
            Event::Preparing | Event::TurnStarted => {
                self.view.turn = TurnStatus::Busy;
                self.view.panel.begin_turn();
                self.view.panel.settle();
            }
            Event::TurnEnded(done) => {
                self.view.turn = TurnStatus::Idle;
                self.notify_turn_end(*done);
                // Whoever reads further up is not moved.
                if self.view.transcript.is_at_end() {
                    self.view.panel.settle();
                }
                if self.view.esc.armed.take().is_some() {
                    // The second press was meant for the turn.
                    self.view.esc.ignores_keys_until = Some(self.now + AGAIN);
                }
                self.view.wanted_agent = None;
                self.view.wanted_model = None;
            }
            Event::AllowsEdits(allows_edits) => self.view.facts.allows_edits = *allows_edits,
            Event::Usage(request) => {
                self.view.facts.pay(request);
                return RedrawUrgency::Soft;
            }
            Event::Summarising(is_running) => self.view.is_summarising = *is_running,
            Event::Context(report) => self.view.facts.context_changed(report),
            Event::Restored(restored) => self.restored(restored),
            Event::SummaryDrafted(draft) => self.view.summary = Some(Arc::clone(draft)),
            Event::Queue(queue) => self.view.set_queue(queue),
            Event::Unqueued { id, input } => self.unqueued(*id, input.as_deref()),
            Event::Todos(todos) => self.view.panel.set_todos(Todo::list(todos)),
            Event::CallEnded { call, tool, result } => {
                if self.view.shells.remove(call) {
                    self.view.esc.armed = None;
                }
                self.view.panel.note_result(tool, result);
            }
            Event::Title(title) => self.view.facts.title.clone_from(title),
            Event::Branch(branch) => self.view.surroundings.branch.clone_from(branch),
            Event::Model(model) => {
                self.view.wanted_model = None;
                if std::mem::take(&mut self.view.lacks_model) {
                    // It says that there is none.
                    self.view.remark = None;
                }
                self.view.facts.model = model.to_string();
                let known = self.view.models.iter().find(|known| known.model == *model);
                if let Some(known) = known {
                    self.view.facts.context_limit = Some(known.context);
                }
            }
            Event::Window(tokens) => self.view.facts.context_limit = Some(*tokens),
            Event::Agent(agent) => {
                self.view.wanted_agent = None;
                self.view.facts.agent.clone_from(agent);
            }
            Event::Mode(mode) => self.view.facts.mode = *mode,
            Event::Hook(run) => {
                self.view.hooks.add(Arc::clone(run));
                return RedrawUrgency::Soft;
            }
            Event::Refused(input) => self.take_back(input),
            Event::Unread { input, .. } => {
                self.take_back(input);
                self.view.unread = Some(ReturnedDraft {
                    text: self.view.composer.text(),
                    meant: input.meant.clone(),
                    without: input.without.clone(),
                    at: self.now,
                });
            }
            _ => return RedrawUrgency::None,
        }
        RedrawUrgency::Urgent
    }

    /// Something was undone or redone: the conversation is shown anew, and the composer has the message to be sent again.
    fn restored(&mut self, restored: &RestoredConversation) {
        self.view.transcript.restore(&restored.messages);
        self.view.panel.reset(&restored.messages, &restored.todos);
        self.view.facts.context_used = restored.context_used;
        self.view.has_messages = !restored.messages.is_empty();
        // What stands there is found again with the key of what was sent before.
        let unsent = Some(self.view.composer.draft()).filter(|draft| !draft.is_blank());
        self.view
            .composer
            .set_history(sent(&restored.messages).chain(unsent));
        self.view.composer.set(Draft::from_stored(&restored.draft));
        self.view.draft = DraftState::Stored;
    }

    fn notify_turn_end(&mut self, done: TurnEndReason) {
        let text = match done {
            TurnEndReason::Stop | TurnEndReason::Length | TurnEndReason::MaxSteps => "the turn has ended",
            TurnEndReason::Error => "the turn ended with an error",
            TurnEndReason::Cancelled => return,
        };
        self.attention.note_turn_end();
        self.notify_if_away(text.to_owned());
    }

    fn begin(&mut self, snapshot: &Snapshot) {
        // What was sent before the session was open is on its way there.
        let early: Vec<Draft> = self.view.unsent_inputs().map(draft_of).collect();
        self.view
            .composer
            .set_history(sent(&snapshot.messages).chain(early));
        if self.view.composer.is_empty() && !snapshot.draft.is_empty() && self.view.unsent.is_empty() {
            self.view.composer.set(Draft::from_stored(&snapshot.draft));
            self.view.draft = DraftState::Stored;
        }
        let unsent = std::mem::take(&mut self.view.unsent);
        for op in unsent {
            self.send_now(op);
        }
        self.view.follow_queue();
    }

    /// An input was given back, or was sent before it could be.
    pub(super) fn unqueued(&mut self, id: u64, input: Option<&Input>) {
        let wanted = self.view.wanted_inputs.remove(&id);
        match (input, wanted) {
            (Some(input), Some(wanted)) => self.take_back_input(input, wanted),
            // Somebody else has it.
            (Some(_), None) => {}
            (None, _) => self.say("too late: that message was sent", Meaning::Warning),
        }
    }

    pub(super) fn take_back_input(&mut self, input: &Input, wanted: TakeBackPurpose) {
        match wanted {
            TakeBackPurpose::Edit => {
                self.view.focus_composer();
                self.take_back(input);
            }
            TakeBackPurpose::Remove => {
                let search = Action::OpenList(&PROMPTS);
                let key = self.keymap.label(Context::Composer, search);
                self.say(format!("removed; {key} finds it again"), Meaning::TextMuted);
            }
        }
    }
}

/// What the person has sent, as drafts.
fn sent(messages: &[Arc<Message>]) -> impl Iterator<Item = Draft> {
    let own = messages
        .iter()
        .filter(|message| message.role == Role::User && !message.is_reminder());
    own.map(|message| match message.own_command() {
        Some((command, _)) => Draft::from_text(format!("!{command}")),
        None => Draft::from_text(message.typed()).with_files(labelled_parts(message.files())),
    })
}

fn draft_of(input: &Input) -> Draft {
    Draft::from_text(&input.text).with_files(labelled(input))
}
