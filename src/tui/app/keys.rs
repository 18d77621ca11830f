//! Keys to actions, and what the actions do.

use std::time::Instant;

use crossterm::event::{KeyEvent, KeyEventKind, MouseEvent, MouseEventKind};

use super::trusting::is_about_trust;
use super::{AGAIN, App, DRAFT, DraftState, ESC_DEAF, Effect, Focus, Link, Turn};
use crate::permission::{Mode, Reply};
use crate::session::{Input, Op, QueuedKind};
use crate::tui::composer::{Draft, Edited};
use crate::tui::dialog::{Guard, Outcome, Pass, Permission, TrustAnswer};
use crate::tui::help::{Help, Page};
use crate::tui::keymap::{Action, Context, Edit, typed};
use crate::tui::rule_list::RuleList;
use crate::tui::statusbar::mode_name;
use crate::tui::transcript::Change;
use crate::view::theme::Meaning;

/// Typed instead of a message, it opens the list of what is allowed for good.
const PERMISSIONS: &str = "/permissions";

impl App {
    pub(crate) fn key(&mut self, key: KeyEvent, now: Instant) -> Change {
        if key.kind == KeyEventKind::Release {
            return Change::None;
        }
        assert!(!self.surroundings.panics_at_first_key, "LATHE_DEBUG_PANIC is set");
        if self.leader.take().is_some() {
            match self.keymap.action(Context::Leader, key) {
                // `esc` takes the leader back and does nothing else.
                None | Some(Action::Escape) => {}
                Some(action) => self.act(action, now),
            }
            return Change::Urgent;
        }
        let mut context = self.context();
        match self.guard(key, now) {
            Pass::Answer => {}
            Pass::Draft => context = Context::Composer,
            Pass::Drop => {
                self.dropped_keys += 1;
                return Change::None;
            }
        }
        self.key_in(context, key, now)
    }

    pub(crate) fn paste(&mut self, text: &str, now: Instant) -> Change {
        if let Some(list) = &mut self.rule_list {
            list.write(text);
            return Change::Urgent;
        }
        if self.context() == Context::Picker {
            return self.list_paste(text, now);
        }
        if self.trust.is_some() {
            self.dropped_keys += 1;
            return Change::None;
        }
        if self.paste_into_search(text) {
            return Change::Urgent;
        }
        let is_covered = self.help.is_some();
        let guard = self.asking_guard_mut().filter(|_| !is_covered);
        let guard = guard.map(|guard| guard.pass(now));
        if self.dialog.is_none()
            && guard == Some(Pass::Answer)
            && let Some(form) = self.forms.shown_mut()
        {
            form.write(text);
            return Change::Urgent;
        }
        match (guard, self.dialog.as_mut()) {
            (Some(Pass::Drop), _) => {
                self.dropped_keys += 1;
                return Change::None;
            }
            (Some(Pass::Answer), Some(dialog)) if dialog.is_writing() => dialog.write(text),
            (Some(Pass::Answer), _) => return Change::None,
            _ => {
                self.focus = Focus::Composer;
                self.composer.paste(text);
                self.draft_changed(now);
            }
        }
        Change::Urgent
    }

    pub(crate) fn mouse(&mut self, event: MouseEvent, now: Instant) -> Change {
        let turn = isize::try_from(self.wheel_lines).unwrap_or(isize::MAX);
        let rows = match event.kind {
            MouseEventKind::ScrollUp => -turn,
            MouseEventKind::ScrollDown => turn,
            _ => return self.pointer(event, now),
        };
        if let Some(list) = &mut self.rule_list {
            list.act(if rows < 0 { Action::RowUp } else { Action::RowDown });
        } else if let Some(help) = &mut self.help {
            help.scroll(rows);
        } else if self.picker.is_some() {
            return self.list_scroll(rows, now);
        } else if self.shown.dialog.contains((event.column, event.row).into()) {
            self.trust.iter_mut().for_each(|trust| trust.scroll(rows));
            match &mut self.dialog {
                Some(dialog) => dialog.scroll(rows),
                None => self.forms.shown_mut().is_some_and(|form| form.scroll(rows)),
            };
        } else {
            self.transcript.scroll_by(rows);
        }
        Change::Urgent
    }

    /// Takes back what the editor left.
    pub(crate) fn edited(&mut self, text: &str, now: Instant) -> Change {
        // The loop stood still meanwhile, so it is still the same question.
        match &mut self.dialog {
            Some(dialog) if dialog.call_text().is_some() => dialog.set_call(text),
            _ => {
                self.composer.set(Draft::from_text(text));
                self.draft_changed(now);
            }
        }
        Change::Urgent
    }

    /// Tells of something that did not work.
    pub(crate) fn complain(&mut self, text: impl Into<String>, now: Instant) -> Change {
        self.say(text, Meaning::Warning, now);
        Change::Urgent
    }

    /// The session did not take an operation: what was written comes back.
    pub(crate) fn not_sent(&mut self, op: &Op, reason: &str, now: Instant) -> Change {
        if let Op::Submit(input) | Op::Queue(input) = op
            && self.composer.is_empty()
        {
            self.composer.set(Draft::from_text(&input.text));
        }
        self.complain(reason, now)
    }

    /// Says where a key goes while a question may be deaf. What only looks around is never dropped.
    fn guard(&mut self, key: KeyEvent, now: Instant) -> Pass {
        let is_covered =
            self.help.is_some() || self.rule_list.is_some() || self.picker.is_some() || self.search.is_some();
        if is_covered || !self.is_asking() {
            return Pass::Answer;
        }
        let action = self.keymap.action(Context::Global, key);
        let looks = matches!(
            action,
            Some(Action::PageUp | Action::PageDown | Action::Redraw | Action::Suspend)
        );
        if looks {
            return Pass::Answer;
        }
        let stops = matches!(action, Some(Action::Escape | Action::ClearOrQuit));
        match self
            .asking_guard_mut()
            .map_or(Pass::Answer, |guard| guard.pass(now))
        {
            Pass::Draft if stops => Pass::Drop,
            pass => pass,
        }
    }

    fn key_in(&mut self, context: Context, key: KeyEvent, now: Instant) -> Change {
        if let Some(action) = self.keymap.action(context, key) {
            if action != Action::ClearOrQuit {
                self.quit_armed = None;
            }
            if action == Action::FormPick
                && let Some(digit) = typed(key)
            {
                self.pick(digit, now);
                return Change::Urgent;
            }
            return self.act_in(context, action, now);
        }
        match (context, typed(key)) {
            (Context::Search, _) => self.search_key(key),
            (Context::Composer, Some(c)) => {
                self.composer.insert_char(c);
                self.draft_changed(now);
                Change::Urgent
            }
            (Context::QuestionText, Some(c)) => {
                if let Some(dialog) = &mut self.dialog {
                    dialog.write(c.encode_utf8(&mut [0; 4]));
                }
                Change::Urgent
            }
            (Context::Rules, Some(c)) => {
                if let Some(list) = &mut self.rule_list {
                    list.write(c.encode_utf8(&mut [0; 4]));
                }
                Change::Urgent
            }
            (Context::FormText, Some(c)) => {
                if let Some(form) = self.forms.shown_mut() {
                    form.write(c.encode_utf8(&mut [0; 4]));
                }
                Change::Urgent
            }
            (Context::Picker, Some(c)) => self.list_type(c, now),
            (Context::Rules | Context::QuestionText | Context::FormText | Context::Picker, None) => {
                match self.keymap.action(Context::Composer, key) {
                    Some(action @ Action::Edit(_)) => self.act_in(context, action, now),
                    _ => Change::None,
                }
            }
            _ => Change::None,
        }
    }

    pub(super) fn act_in(&mut self, context: Context, action: Action, now: Instant) -> Change {
        match (context, action) {
            // Keys of the whole screen mean the same in a dialog, those of the dialog only there.
            (_, Action::Escape) => return self.escape(now),
            (Context::Question | Context::QuestionAlways | Context::QuestionText, _) if answers(action) => {
                self.answer(action, now);
            }
            (Context::Trust, _) if is_about_trust(action) => self.act_on_trust(action, now),
            (Context::Rules, Action::RowUp | Action::RowDown | Action::Revoke | Action::Edit(_)) => {
                let revoked = self.rule_list.as_mut().and_then(|list| list.act(action));
                if let Some(id) = revoked {
                    self.send(Op::RevokeGrant(id));
                }
            }
            (Context::Form | Context::FormText, _) if answers(action) => self.fill_in(action, now),
            (Context::Picker, _) if lists(action) => return self.list_act(action, now),
            (Context::Composer, Action::Edit(edit)) => return self.edit(edit, now),
            _ => self.act(action, now),
        }
        Change::Urgent
    }

    /// Performs an action of the whole screen, of the composer or of the transcript.
    fn act(&mut self, action: Action, now: Instant) {
        match action {
            Action::Escape => {
                self.escape(now);
            }
            Action::ClearOrQuit => self.clear_or_quit(now),
            Action::Leader => self.leader = Some(now),
            Action::Editor => {
                let call = self.dialog.as_ref().and_then(Permission::call_text);
                let text = call.unwrap_or_else(|| self.composer.text());
                self.effects.push(Effect::Edit(text));
            }
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Suspend => {
                self.store_draft();
                self.effects.push(Effect::Suspend);
            }
            Action::OpenList(list) => self.open_list(list, now),
            Action::Interrupt => self.send(Op::Interrupt),
            Action::Quit => self.effects.push(Effect::Quit),
            Action::CycleMode => self.cycle_mode(),
            Action::NextAgent => self.next_agent(now),
            Action::PageUp => self.page(-1),
            Action::PageDown => self.page(1),
            Action::FocusTranscript => self.focus_transcript(),
            Action::FocusComposer => self.focus_composer(),
            Action::NextAsk => self.recall_asks(now),
            Action::QueueDraft | Action::Queue => self.submit(Op::Queue, now),
            Action::Send => self.submit(Op::Submit, now),
            Action::ShowHelp => self.help = Some(Help::default()),
            Action::ShowHooks => self.help = Some(Help::of(Page::Hooks)),
            Action::ShowRules => self.show_rules(),
            Action::CloseHelp => self.help = None,
            Action::ScrollUp => self.help.iter_mut().for_each(|help| help.scroll(-1)),
            Action::ScrollDown => self.help.iter_mut().for_each(|help| help.scroll(1)),
            Action::HelpOrType if self.composer.is_empty() => self.help = Some(Help::default()),
            Action::HelpOrType => {
                self.composer.insert_char('?');
                self.draft_changed(now);
            }
            Action::Newline => {
                self.composer.newline();
                self.draft_changed(now);
            }
            Action::NextBlock => self.transcript.focus_move(1),
            Action::PreviousBlock => self.transcript.focus_move(-1),
            Action::FirstBlock => self.transcript.focus_first(),
            Action::LastBlock => self.transcript.focus_last(),
            Action::NextOwn => drop(self.transcript.own_message(1)),
            Action::PreviousOwn => drop(self.transcript.own_message(-1)),
            Action::NextFailure => drop(self.transcript.next_failure(1)),
            Action::PreviousFailure => drop(self.transcript.next_failure(-1)),
            Action::ToggleFold => self.transcript.toggle_fold(),
            Action::ToggleAll => self.transcript.fold_all(),
            Action::ToggleReasoning => self.transcript.toggle_reasoning(),
            Action::Select => self.transcript.select(),
            Action::SelectTo(step) => self.transcript.select_to(step),
            Action::CopySelection => self.copy_selection(),
            Action::EndSelection => drop(self.transcript.end_selection()),
            Action::ToggleMouse => self.toggle_mouse(now),
            Action::Search => self.open_search(),
            Action::KeepSearch => self.keep_search(now),
            Action::NextMatch => self.next_match(1, now),
            Action::PreviousMatch => self.next_match(-1, now),
            Action::CopyBlock => self.copy(self.transcript.copy_focused(), "the block", now),
            Action::CopyAnswer => self.copy(self.transcript.copy_answer(), "the answer", now),
            Action::CopyCode => self.copy_code(now),
            Action::CopySession => self.copy_session(now),
            Action::Open => self.open_focused(now),
            Action::ViewBlock => self.view_focused(now),
            Action::Edit(_)
            | Action::AllowOnce
            | Action::AllowAlways
            | Action::StoreAlways
            | Action::Reject
            | Action::RejectBecause
            | Action::Why
            | Action::RowUp
            | Action::Revoke
            | Action::RowDown
            | Action::PickRow
            | Action::Tick
            | Action::Scope
            | Action::NextHunk
            | Action::PreviousHunk
            | Action::AnotherAsk
            | Action::FullScreen
            | Action::EditCall
            | Action::EditPattern
            | Action::FinishText
            | Action::TrustProject
            | Action::TrustNotNow
            | Action::TrustParts
            | Action::FormUp
            | Action::FormDown
            | Action::FormPick
            | Action::FormTick
            | Action::FormDone
            | Action::FormNext
            | Action::FormPrevious
            | Action::FormDismiss => {}
        }
    }

    fn show_rules(&mut self) {
        self.help = None;
        self.rule_list = Some(RuleList::default());
        self.send(Op::ListGrants);
    }

    fn edit(&mut self, edit: Edit, now: Instant) -> Change {
        match (self.composer.edit(edit), edit) {
            (Edited::Text, _) => self.draft_changed(now),
            (Edited::Caret, _) => {}
            (Edited::Nothing, Edit::Up) => self.recall(now),
            (Edited::Nothing, Edit::Down) if self.composer.newer() => self.draft_changed(now),
            (Edited::Nothing, _) => return Change::None,
        }
        Change::Urgent
    }

    /// Takes back the newest input that waits, or else goes back in the history.
    fn recall(&mut self, now: Instant) {
        let is_taken_back = self.composer.is_empty() && self.take_back();
        if is_taken_back || self.composer.older() {
            self.draft_changed(now);
        }
    }

    fn take_back(&mut self) -> bool {
        let is_input = |op: &Op| matches!(op, Op::Submit(_) | Op::Queue(_));
        if let Some(place) = self.unsent.iter().rposition(is_input) {
            if let Op::Submit(input) | Op::Queue(input) = self.unsent.remove(place) {
                self.composer.set(Draft::from_text(input.text));
            }
            return true;
        }
        // It leaves the list at once, so that a second key takes the next one.
        let Some(newest) = self.queue.pop() else {
            return false;
        };
        self.composer.set(Draft::from_text(newest.text));
        self.send(Op::Unqueue(newest.id));
        true
    }

    fn submit(&mut self, op: fn(Input) -> Op, now: Instant) {
        if self.composer.continue_line() {
            return self.draft_changed(now);
        }
        if self.composer.text().trim() == PERMISSIONS {
            self.composer.take();
            self.draft_changed(now);
            self.typed = None;
            return self.show_rules();
        }
        if self.composer.is_blank() {
            if self.queue.iter().any(|queued| queued.kind == QueuedKind::Held) {
                self.send(Op::Release);
            }
            return;
        }
        match &self.link {
            Link::Opening | Link::Open => {}
            Link::ReadOnly(reason) => {
                let reason = reason.clone();
                return self.say(reason, Meaning::Warning, now);
            }
            Link::Gone => return self.say("no session is open; the draft stays here", Meaning::Warning, now),
        }
        let text = self.composer.take();
        self.send(op(Input {
            text,
            files: Vec::new(),
        }));
        self.draft_changed(now);
        self.typed = None;
        self.transcript.to_end();
    }

    pub(super) fn draft_changed(&mut self, now: Instant) {
        self.typed = Some(now);
        self.draft = DraftState::Due(now + DRAFT);
    }

    /// One rung a press.
    fn escape(&mut self, now: Instant) -> Change {
        if self.esc.deaf_until.is_some_and(|until| until > now) {
            self.dropped_keys += 1;
            return Change::None;
        }
        if let Some(list) = &mut self.rule_list {
            if !list.back() {
                self.rule_list = None;
            }
            self.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.help.take().is_some() {
            self.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.picker.is_some() {
            self.list_back(now);
        } else if self.end_search(now) || self.transcript.end_selection() {
            self.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.trust.is_some() {
            self.answer_trust(TrustAnswer::NotNow, now);
            self.esc.deaf_until = Some(now + ESC_DEAF);
        } else if let Some(dialog) = &mut self.dialog {
            if !dialog.back() {
                self.put_off.insert(dialog.question().id);
                self.show_question(now);
            }
            self.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.forms.shown().is_some() {
            self.leave_form(now);
            self.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.focus == Focus::Transcript {
            self.focus_composer();
            self.esc.deaf_until = Some(now + ESC_DEAF);
        } else if self.turn == Turn::Busy {
            self.arm_or_interrupt(now);
        } else if self.composer.is_empty() && !self.transcript.is_empty() {
            self.focus_transcript();
        } else {
            return Change::None;
        }
        Change::Urgent
    }

    fn arm_or_interrupt(&mut self, now: Instant) {
        match self.esc.armed.take() {
            Some(armed) if now < armed + AGAIN => self.send(Op::Interrupt),
            _ => self.esc.armed = Some(now),
        }
    }

    fn clear_or_quit(&mut self, now: Instant) {
        let was_above = self.rule_list.take().is_some() || self.help.take().is_some();
        if was_above || (self.search.is_some() && self.end_search(now)) {
            return;
        }
        if self.picker.is_some() {
            return self.leave_list(now);
        }
        if !self.is_asking() && !self.composer.is_empty() {
            self.composer.clear();
            self.draft_changed(now);
            self.typed = None;
        } else if self.turn == Turn::Busy {
            self.esc.armed = None;
            self.send(Op::Interrupt);
        } else if self.quit_armed.is_some_and(|armed| now < armed + AGAIN) {
            self.effects.push(Effect::Quit);
        } else {
            self.quit_armed = Some(now);
        }
    }

    fn cycle_mode(&mut self) {
        let next = match self.facts.mode {
            Mode::Ask => Mode::AcceptEdits,
            Mode::AcceptEdits => Mode::Plan,
            Mode::Plan => Mode::Yolo,
            Mode::Yolo => Mode::Ask,
        };
        tracing::debug!(mode = mode_name(next), "the mode is changed by key");
        self.facts.mode = next;
        self.send(Op::SetMode(next));
    }

    /// Goes on as the agent after this one, in the order of `lathe agents`; while a turn runs, with its next step.
    fn next_agent(&mut self, now: Instant) {
        if self.agents.is_empty() {
            return self.say("the session is still opening", Meaning::TextMuted, now);
        }
        let current = self.wanted_agent.as_ref().unwrap_or(&self.facts.agent);
        let place = self.agents.iter().position(|agent| agent.name == *current);
        let next = place.map_or(0, |place| (place + 1) % self.agents.len());
        let next = self.agents.get(next).map(|agent| agent.name.clone());
        let Some(next) = next.filter(|next| next != current) else {
            return self.say("there is no other agent", Meaning::TextMuted, now);
        };
        self.go_on_as(next, now);
    }

    fn page(&mut self, pages: isize) {
        if let Some(list) = &mut self.rule_list {
            return list.move_pages(pages);
        }
        let in_dialog = match &mut self.dialog {
            Some(dialog) => dialog.page(pages),
            None => self.forms.shown_mut().is_some_and(|form| form.page(pages)),
        };
        match (&mut self.help, &mut self.trust) {
            (Some(help), _) => help.page(pages),
            (None, Some(trust)) => trust.page(pages),
            (None, None) if in_dialog => {}
            (None, None) => self.transcript.page(pages),
        }
    }

    fn focus_transcript(&mut self) {
        self.focus = Focus::Transcript;
        self.transcript.focus_move(-1);
    }

    pub(super) fn focus_composer(&mut self) {
        self.search = None;
        self.transcript.keep_search();
        self.transcript.end_selection();
        self.focus = Focus::Composer;
        self.transcript.clear_focus();
    }

    fn answer(&mut self, action: Action, now: Instant) {
        let Some(dialog) = &mut self.dialog else { return };
        match dialog.act(action) {
            Outcome::Stays => {}
            Outcome::Next => self.next_question(now),
            Outcome::Replied(reply) => self.reply(reply, now),
        }
    }

    fn reply(&mut self, reply: Reply, now: Instant) {
        let Some(dialog) = self.dialog.take() else { return };
        let id = dialog.question().id;
        self.questions.retain(|question| question.id != id);
        self.put_off.remove(&id);
        self.send(Op::Answer { id, reply });
        self.show_question(now);
    }

    /// Shows the oldest question that was not put off, if none is shown.
    pub(super) fn show_question(&mut self, now: Instant) {
        if self.forms.shown().is_some() {
            return self.show_form(now);
        }
        let shown = self.dialog.as_ref().map(|dialog| dialog.question().id);
        let is_open =
            |id| self.questions.iter().any(|question| question.id == id) && !self.put_off.contains(&id);
        if shown.is_some_and(is_open) {
            return;
        }
        let next = self
            .questions
            .iter()
            .find(|question| !self.put_off.contains(&question.id));
        let typed = self.typed.filter(|_| !self.composer.is_empty());
        self.dialog = next.map(|question| Permission::new(question.clone(), Guard::begin(now, typed)));
        self.show_form(now);
    }

    /// Brings back what was put off.
    fn recall_asks(&mut self, now: Instant) {
        if self.dialog.is_some() {
            return self.next_question(now);
        }
        if self.pass_form(now) {
            return;
        }
        if self.questions.is_empty() && self.forms.len() == 0 {
            return self.say("nothing waits for an answer", Meaning::TextMuted, now);
        }
        self.put_off.clear();
        self.forms.recall();
        self.help = None;
        self.show_question(now);
    }

    fn next_question(&mut self, now: Instant) {
        let Some(dialog) = &self.dialog else { return };
        let id = dialog.question().id;
        let place = self.questions.iter().position(|question| question.id == id);
        if place.is_some_and(|place| place + 1 == self.questions.len()) && self.pass_to_forms(now) {
            return;
        }
        let next = place
            .map(|place| (place + 1) % self.questions.len())
            .and_then(|next| self.questions.get(next));
        let Some(next) = next.filter(|next| next.id != id).cloned() else {
            return;
        };
        self.put_off.remove(&next.id);
        self.count_asks();
        self.dialog = Some(Permission::new(next, Guard::begin(now, None)));
    }
}

/// Whether an action is a list's own. `$EDITOR` is for the draft below it.
fn lists(action: Action) -> bool {
    matches!(
        action,
        Action::RowUp
            | Action::RowDown
            | Action::PickRow
            | Action::PageUp
            | Action::PageDown
            | Action::Editor
            | Action::Edit(_)
    )
}

/// Whether an action is a question's own, and not one of the whole screen.
fn answers(action: Action) -> bool {
    !matches!(
        action,
        Action::ClearOrQuit
            | Action::CycleMode
            | Action::PageUp
            | Action::PageDown
            | Action::Editor
            | Action::Redraw
            | Action::Suspend
            | Action::Leader
            | Action::OpenList(_)
    )
}
