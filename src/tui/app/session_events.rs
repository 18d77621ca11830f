//! Events of the session.

use std::sync::Arc;
use std::time::Instant;

use super::attachments::{ReturnedDraft, labelled, labelled_parts};
use super::{App, DraftState, Effect, SessionLink, TurnStatus};
use crate::conversation::{Message, Role, Todo};
use crate::session::{Envelope, ErrorReport, Event, Input, Snapshot};
use crate::tool::BuiltinCards;
use crate::tui::composer::Draft;
use crate::tui::layer::LayerUpdate;
use crate::tui::transcript::RedrawUrgency;

impl App {
    /// The session is open.
    pub(crate) fn on_opened(
        &mut self,
        snapshot: &Snapshot,
        cards: BuiltinCards,
        notes: Vec<String>,
        now: Instant,
    ) -> RedrawUrgency {
        self.view.panel.set_cards(cards.clone());
        self.view.transcript.draw_builtin(cards);
        let change = self.on_attached(snapshot, now);
        for note in notes {
            self.view.transcript.push_notice(note);
        }
        change
    }

    /// The session was attached to: everything is as the snapshot says.
    pub(crate) fn on_attached(&mut self, snapshot: &Snapshot, now: Instant) -> RedrawUrgency {
        let is_first = self.view.root.is_none();
        self.view.root = Some(snapshot.info.id.clone());
        self.view.reopens = None;
        self.view.facts.set_info(&snapshot.info);
        self.name_task();
        // What was chosen here since is newer.
        self.scope = self.scope.or(snapshot.info.scope);
        self.view.agents.clone_from(&snapshot.info.agents);
        self.view.models.clone_from(&snapshot.info.models);
        self.view.commands.clone_from(&snapshot.info.commands);
        self.view.wanted_agent = None;
        self.view.wanted_model = None;
        self.view.directory.clone_from(&snapshot.info.directory);
        self.view.transcript.reset(snapshot);
        self.view.wanted_inputs.clear();
        self.set_queue(&snapshot.queue);
        self.view.panel.reset(snapshot);
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
            self.attach_tree(snapshot, now);
        }
        self.view.link = match &snapshot.info.read_only {
            None => SessionLink::Open,
            Some(reason) => SessionLink::ReadOnly(reason.clone()),
        };
        if is_first {
            self.begin(snapshot, now);
            self.fill_list(now);
        }
        self.ask_for_layers(now);
        self.follow_tasks();
        self.mark_asking_calls(now);
        // One of another conversation of the tree may be on screen.
        if self.tree().front == self.view.slot {
            self.show_question(now);
        }
        RedrawUrgency::Urgent
    }

    /// The session could not be opened.
    pub(crate) fn not_opened(&mut self, report: ErrorReport, now: Instant) -> RedrawUrgency {
        self.view.link = SessionLink::Gone;
        self.view.reopens = None;
        let newest = self.view.unsent_inputs().next_back().map(draft_of);
        if let Some(draft) = newest.filter(|_| self.view.composer.is_empty()) {
            self.view.composer.set(draft);
        }
        self.view.unsent.clear();
        self.follow_queue();
        self.view.transcript.apply(&Event::Error(report), now);
        RedrawUrgency::Urgent
    }

    /// The session has ended without being asked to.
    pub(crate) fn ended(&mut self, now: Instant) -> RedrawUrgency {
        self.view.link = SessionLink::Gone;
        self.view.turn = TurnStatus::Idle;
        self.view.shells.clear();
        if self.view.task.is_none() {
            self.drop_questions(now);
        }
        self.view
            .transcript
            .push_notice("The session has ended. What it did is stored; start lathe again to go on.");
        RedrawUrgency::Urgent
    }

    pub(crate) fn event(&mut self, envelope: &Envelope, now: Instant) -> RedrawUrgency {
        if envelope.event.is_of_tree() {
            return self.tree_event(envelope, now);
        }
        let is_root = self.view.root.as_ref() == Some(&envelope.session);
        let own = self.note(&envelope.event, is_root, now);
        let drawn = if is_root {
            self.view.transcript.apply(&envelope.event, now)
        } else {
            RedrawUrgency::None
        };
        if matches!(
            envelope.event,
            Event::PartStarted { .. } | Event::PartEnded { .. }
        ) {
            self.mark_asking_calls(now);
        }
        own.max(drawn)
    }

    /// Takes in what the rest of the screen shows.
    fn note(&mut self, event: &Event, is_root: bool, now: Instant) -> RedrawUrgency {
        match event {
            Event::Grants(grants) => self.update_layers(&LayerUpdate::Grants(grants), now),
            _ if !is_root => return RedrawUrgency::None,
            Event::MessageStarted(message) => match message.own_command() {
                Some((_, call)) if !call.state.is_final() => drop(self.view.shells.insert(call.call.clone())),
                _ => return RedrawUrgency::None,
            },
            Event::Preparing | Event::TurnStarted => {
                self.view.turn = TurnStatus::Busy;
                self.view.panel.settle();
            }
            Event::TurnEnded(done) => {
                self.view.turn = TurnStatus::Idle;
                self.notify_turn_end(*done, now);
                // Whoever reads further up is not moved.
                if self.view.transcript.is_at_end() {
                    self.view.panel.settle();
                }
                self.view.esc.armed = None;
                self.view.wanted_agent = None;
                self.view.wanted_model = None;
            }
            Event::Usage(request) => {
                self.view.facts.pay(request);
                return RedrawUrgency::Soft;
            }
            Event::Queue(queue) => self.set_queue(queue),
            Event::Unqueued { id, input } => self.unqueued(*id, input.as_deref(), now),
            Event::Todos(todos) => self.view.panel.set_todos(Todo::list(todos)),
            Event::CallEnded { call, tool, result } => {
                if self.view.shells.remove(call) {
                    self.view.esc.armed = None;
                }
                self.view.panel.note_result(tool, result);
            }
            Event::Title(title) => self.view.facts.title.clone_from(title),
            Event::Model(model) => {
                self.view.wanted_model = None;
                self.view.facts.model = model.to_string();
                let known = self.view.models.iter().find(|known| known.model == *model);
                if let Some(known) = known {
                    self.view.facts.context_limit = Some(known.context);
                }
            }
            Event::Agent(agent) => {
                self.view.wanted_agent = None;
                self.view.facts.agent.clone_from(agent);
            }
            Event::Mode(mode) => self.view.facts.mode = *mode,
            Event::Hook(run) => {
                self.view.hooks.add(Arc::clone(run));
                return RedrawUrgency::Soft;
            }
            Event::Refused(input) => self.take_back(input, now),
            Event::Unread { input, .. } => {
                self.take_back(input, now);
                self.view.unread = Some(ReturnedDraft {
                    text: self.view.composer.text(),
                    meant: input.meant.clone(),
                    without: input.without.clone(),
                    at: now,
                });
            }
            _ => return RedrawUrgency::None,
        }
        RedrawUrgency::Urgent
    }

    /// Puts a message that was not sent into the composer again, before what was begun meanwhile.
    pub(super) fn take_back(&mut self, input: &Input, now: Instant) {
        self.view.composer.put_before(&input.text, labelled(input));
        self.draft_changed(now);
    }

    /// The same for a text alone.
    pub(super) fn write_before(&mut self, text: &str, now: Instant) {
        self.view.composer.put_before(text, []);
        self.draft_changed(now);
    }

    fn begin(&mut self, snapshot: &Snapshot, now: Instant) {
        let sent = snapshot
            .messages
            .iter()
            .filter(|message| message.role == Role::User && !message.is_reminder());
        let draft = |message: &Arc<Message>| match message.own_command() {
            Some((command, _)) => Draft::from_text(format!("!{command}")),
            None => Draft::from_text(message.typed()).with_files(labelled_parts(message.files())),
        };
        // What was sent before the session was open is on its way there.
        let early: Vec<Draft> = self.view.unsent_inputs().map(draft_of).collect();
        self.view.composer.set_history(sent.map(draft).chain(early));
        self.send_early_command(now);
        if self.view.composer.is_empty() && !snapshot.draft.is_empty() && self.view.unsent.is_empty() {
            self.view.composer.set(Draft::from_stored(&snapshot.draft));
            self.view.draft = DraftState::Stored;
        }
        let unsent = std::mem::take(&mut self.view.unsent);
        self.effects.extend(unsent.into_iter().map(Effect::Send));
        self.follow_queue();
    }
}

fn draft_of(input: &Input) -> Draft {
    Draft::from_text(&input.text).with_files(labelled(input))
}
