//! Keys to actions. Here is who gets a key and what means the same everywhere; what the actions do to one part of the
//! screen stands in that part's file.

mod composer;
mod escape;
mod question;
mod transcript;

use std::time::Instant;

use termina::event::{KeyEvent, KeyEventKind};

use super::layers::LayerSlot;
use super::{App, Effect, Focus, MODE_RESTS};
use crate::permission::Mode;
use crate::question::QuestionKind;
use crate::session::{Op, PLAN};
use crate::tui::commands::INIT_PROMPT;
use crate::tui::dialog::{Dialog, change_to_yolo, waiting_words};
use crate::tui::keymap::{Action, Context, typed};
use crate::tui::layer::LayerReply;
use crate::tui::page::{self, LeaderTable};
use crate::tui::transcript::RedrawUrgency;
use crate::view::theme::Meaning;

impl App {
    /// Takes a key, with the bytes that the terminal sent for it where they are known.
    pub(crate) fn key_with_bytes(&mut self, key: KeyEvent, received: &[u8], now: Instant) -> RedrawUrgency {
        self.attention.seen(now);
        match self.type_key(&key, received, now) {
            Some(change) => change,
            None => self.key(key, now),
        }
    }

    pub(crate) fn key(&mut self, key: KeyEvent, now: Instant) -> RedrawUrgency {
        if key.kind == KeyEventKind::Release {
            return RedrawUrgency::None;
        }
        self.last_key = Some(now);
        let disarmed = self.disarm(key);
        disarmed.max(self.read_key(key, now))
    }

    /// Forgets the first press of a key that takes two, unless this is the second: any other key between them takes it
    /// back.
    fn disarm(&mut self, key: KeyEvent) -> RedrawUrgency {
        let action = self.keymap.action(Context::Global, key);
        let was_armed = (self.views.front.esc.armed, self.quit_armed);
        if action != Some(Action::Escape) {
            self.views.front.esc.armed = None;
        }
        if action != Some(Action::ClearOrQuit) {
            self.quit_armed = None;
        }
        RedrawUrgency::Urgent.only_if(was_armed != (self.views.front.esc.armed, self.quit_armed))
    }

    fn read_key(&mut self, key: KeyEvent, now: Instant) -> RedrawUrgency {
        self.keymap.record_key(key);
        self.attention.seen(now);
        assert!(
            !self.appearance.terminal_environment.panics_at_first_key,
            "LATHE_DEBUG_PANIC is set"
        );
        if self.holds(key, now) {
            return RedrawUrgency::None;
        }
        let change = match self.top() {
            Some(top) => self.key_in_layer(top, key, now),
            None => self.key_below(self.focus_context(), key, now),
        };
        self.settle_completion();
        change
    }

    pub(crate) fn paste(&mut self, text: &str, now: Instant) -> RedrawUrgency {
        self.attention.seen(now);
        self.last_key = Some(now);
        if let Some(change) = self.type_paste(text, now) {
            return change;
        }
        let was_armed = self.views.front.esc.armed.take().is_some() | self.quit_armed.take().is_some();
        let disarmed = RedrawUrgency::Urgent.only_if(was_armed);
        disarmed.max(self.put_paste(text, now))
    }

    fn put_paste(&mut self, text: &str, now: Instant) -> RedrawUrgency {
        if self.holds_paste(text) {
            return RedrawUrgency::None;
        }
        let slots: Vec<LayerSlot> = self.stack().collect();
        for slot in slots {
            let takes_text = self.layer(slot).is_some_and(|layer| layer.context().takes_text());
            let pasted = takes_text.then(|| self.with_layer(slot, now, |layer| layer.paste(text)));
            if let Some(change) = pasted.flatten() {
                return change;
            }
            if matches!(slot, LayerSlot::Question | LayerSlot::Trust) {
                self.leave_question(slot, now);
            }
        }
        self.views.front.focus = Focus::Composer;
        self.paste_into_draft(text, now);
        if self.is_covered() {
            self.say("pasted into the draft", Meaning::TextMuted, now);
        }
        RedrawUrgency::Urgent
    }

    /// Tells of something that did not work.
    pub(crate) fn complain(&mut self, text: impl Into<String>, now: Instant) -> RedrawUrgency {
        self.say(text, Meaning::Warning, now);
        RedrawUrgency::Urgent
    }

    /// Gives a key to a layer. What only looks around is never dropped.
    fn key_in_layer(&mut self, slot: LayerSlot, key: KeyEvent, now: Instant) -> RedrawUrgency {
        let everywhere = self.keymap.action(Context::Global, key);
        if matches!(slot, LayerSlot::Question | LayerSlot::Trust) {
            if everywhere != Some(Action::Escape) && !self.passes_question(slot, key) {
                return self.key_in_question(slot, key, now);
            }
            self.hearing.forget_burst();
        }
        let looks = matches!(
            everywhere,
            Some(Action::PageUp | Action::PageDown | Action::Redraw | Action::Suspend | Action::OpenPage(_))
        );
        if !looks && !self.passes_guard(slot, now) {
            return RedrawUrgency::None;
        }
        self.press_in_layer(slot, key, now)
    }

    /// Has a layer do what a key means there.
    fn press_in_layer(&mut self, slot: LayerSlot, key: KeyEvent, now: Instant) -> RedrawUrgency {
        let Some(layer) = self.layer(slot) else {
            return RedrawUrgency::None;
        };
        let context = layer.context();
        if layer.passes_keys_on() && !self.keymap.has(context, key) {
            return self.key_below(self.focus_context(), key, now);
        }
        if layer.yields_to_prose() && typed(key).is_some() && !self.keymap.has(context, key) {
            return self.yield_to_prose(slot, key, now);
        }
        let action = self.keymap.action(context, key);
        let change = match (action, typed(key)) {
            (Some(Action::FormPick), Some(digit)) => self.with_layer(slot, now, |layer| layer.pick(digit)),
            (Some(action), _) => Some(self.act_in(context, action, now)),
            (None, Some(c)) if context.takes_text() => {
                self.with_layer(slot, now, |layer| layer.write(c.encode_utf8(&mut [0; 4])))
            }
            (None, None) if context.takes_text() => Some(self.edit_key(context, key, now)),
            (None, _) => self.on_unknown_key(slot, now),
        };
        change.unwrap_or(RedrawUrgency::None)
    }

    /// Closes a layer that somebody types over, and gives the key to what lies below.
    fn yield_to_prose(&mut self, slot: LayerSlot, key: KeyEvent, now: Instant) -> RedrawUrgency {
        self.with_layer(slot, now, |_| LayerReply::Close(None));
        if let Some(top) = self.top() {
            return self.key_in_layer(top, key, now);
        }
        self.focus_composer();
        self.key_below(Context::Composer, key, now)
    }

    /// Gives a key to what has the focus below the layers.
    fn key_below(&mut self, context: Context, key: KeyEvent, now: Instant) -> RedrawUrgency {
        if context == Context::Composer
            && let Some(change) = self.vim_key(key, now)
        {
            return change;
        }
        match (self.keymap.action(context, key), typed(key)) {
            (Some(action), _) => self.act_in(context, action, now),
            (None, Some(c)) if context == Context::Composer => {
                self.views.front.composer.insert_char(c);
                self.views.front.completion.written();
                self.draft_changed(now);
                RedrawUrgency::Urgent
            }
            (None, _) => RedrawUrgency::None,
        }
    }

    /// Lets a key that edits the draft edit what else is written.
    fn edit_key(&mut self, context: Context, key: KeyEvent, now: Instant) -> RedrawUrgency {
        match self.keymap.action(Context::Composer, key) {
            Some(action @ Action::Edit(_)) => self.act_in(context, action, now),
            _ => RedrawUrgency::None,
        }
    }

    pub(in crate::tui::app) fn act_in(
        &mut self,
        context: Context,
        action: Action,
        now: Instant,
    ) -> RedrawUrgency {
        if action == Action::Escape {
            return self.escape(now);
        }
        if let Some(change) = self.act_in_layer(context, action, now) {
            return change;
        }
        if context == Context::Transcript && self.asks_before(action, now) {
            return RedrawUrgency::Urgent;
        }
        match (context, action) {
            (Context::Panel, _) => {
                if !self.act_on_panel(action, now) {
                    self.act(action, now);
                }
            }
            (Context::Composer, Action::Edit(edit)) => return self.edit(edit, now),
            (Context::Queue, _) if waits(action) => self.act_on_queue(action, now),
            _ => self.act(action, now),
        }
        RedrawUrgency::Urgent
    }

    /// Performs an action of the whole screen or of the composer, or else of the transcript.
    pub(in crate::tui::app) fn act(&mut self, action: Action, now: Instant) {
        match action {
            Action::Escape => {
                self.escape(now);
            }
            Action::ClearOrQuit => self.clear_or_quit(now),
            Action::Leader => self.leader = Some(LeaderTable::new(now)),
            Action::Editor => {
                let written = self.open_question().and_then(Dialog::editable);
                let text = written.unwrap_or_else(|| self.views.front.composer.text());
                self.edits_chip = false;
                self.effects.push(Effect::Edit(text));
            }
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Suspend => {
                self.store_draft();
                self.effects.push(Effect::Suspend);
            }
            Action::OpenList(list) => self.open_list(list, now),
            Action::Interrupt => self.send(Op::Interrupt),
            Action::Init => self.say_to_model(INIT_PROMPT, now),
            Action::Quit => self.quit(),
            Action::NewSession => self.new_session(now),
            Action::LastSession => self.last_session(now),
            Action::Fork => self.fork(now),
            Action::Compact => self.compact("", now),
            Action::Resend => self.send(Op::SendRefusedAgain),
            Action::ChangeDirectory => self.change_directory("", now),
            Action::CycleMode => self.cycle_mode(now),
            Action::Yolo => self.ask_for_mode(Mode::Yolo, now),
            Action::MentionFile => self.begin_word('@', now),
            Action::ListCommands => self.begin_word('/', now),
            Action::NextAgent if self.complete_path() => {}
            Action::NextAgent if self.go_to_waiting_question(now) => {}
            Action::NextAgent => self.next_agent(now),
            Action::PageUp => self.page(action, -1, now),
            Action::PageDown => self.page(action, 1, now),
            // The key that leads there leads back.
            Action::FocusTranscript if self.views.front.focus == Focus::Transcript => self.focus_composer(),
            Action::FocusTranscript => self.focus_transcript(),
            Action::FocusComposer => self.focus_composer(),
            Action::FocusQueue => drop(self.focus_queue()),
            Action::TogglePanel => self.toggle_panel(),
            Action::ToBackground => self.send_to_background(now),
            Action::ParentTask => self.go_to_parent(now),
            Action::PreviousTask => self.go_to_sibling(-1, now),
            Action::NextTask => self.go_to_sibling(1, now),
            Action::NextAsk => self.recall_asks(now),
            Action::QueueDraft | Action::Queue => self.submit(Op::Queue, now),
            Action::Send if self.views.front.composer.is_on_chip() => self.open_chip(now),
            Action::Send => self.submit(Op::Submit, now),
            Action::CopyText => {
                let selected = self.views.front.composer.copy();
                self.copy(selected, "the selection", now);
            }
            Action::PastePicture => self.effects.push(Effect::PastePicture),
            Action::OpenPage(kind) => self.open_page(kind, now),
            Action::HelpOrType if self.views.front.composer.is_empty() => self.open_page(&page::KEYS, now),
            Action::HelpOrType => {
                self.views.front.composer.insert_char('?');
                self.draft_changed(now);
            }
            Action::Newline => {
                self.views.front.composer.newline();
                self.draft_changed(now);
            }
            _ => self.act_on_transcript(action, now),
        }
    }

    /// Scrolls the first layer that scrolls, such as the question below a row that is written in, or else the transcript.
    fn page(&mut self, action: Action, pages: isize, now: Instant) {
        let slots: Vec<LayerSlot> = self.stack().collect();
        for slot in slots {
            if self.with_layer(slot, now, |layer| layer.act(action)).is_some() {
                return;
            }
        }
        self.views.front.transcript.page(pages);
    }

    fn cycle_mode(&mut self, now: Instant) {
        let next = match self.views.front.facts.mode {
            Mode::Ask => Mode::AcceptEdits,
            Mode::AcceptEdits => Mode::Plan,
            Mode::Plan | Mode::Yolo => Mode::Ask,
        };
        self.change_mode(next, now);
    }

    /// Changes the mode; before it becomes `yolo`, asks.
    pub(in crate::tui::app) fn ask_for_mode(&mut self, mode: Mode, now: Instant) {
        if mode != Mode::Yolo || self.views.front.facts.mode == Mode::Yolo {
            return self.change_mode(mode, now);
        }
        let questions = self.tree().questions.iter();
        let waiting = questions.filter(|question| matches!(question.about, QuestionKind::Permission(_)));
        let waiting: Vec<_> = waiting.map(|question| waiting_words(question)).collect();
        self.open_layer(Box::new(change_to_yolo(&waiting, now)), now);
    }

    pub(in crate::tui::app) fn change_mode(&mut self, mode: Mode, now: Instant) {
        tracing::debug!(mode = mode.name(), "the mode is changed by a person");
        self.views.front.facts.mode = mode;
        // Mode and agent `plan` come and go together, so that an agent that was wanted may not come any more.
        let wants_plan = self.views.front.wanted_agent.as_ref().map(|agent| agent == PLAN);
        if wants_plan.is_some_and(|wants_plan| wants_plan != (mode == Mode::Plan)) {
            self.views.front.wanted_agent = None;
        }
        self.send(Op::SetMode(mode));
        self.views.front.mode_rests = Some(now + MODE_RESTS);
    }
}

/// Returns true if an action is about what waits to be sent.
fn waits(action: Action) -> bool {
    matches!(
        action,
        Action::RowUp
            | Action::RowDown
            | Action::QueueEdit
            | Action::QueueRemove
            | Action::QueueSooner
            | Action::QueueLater
            | Action::QueueRedirect
    )
}
