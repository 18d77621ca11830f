//! Keys of the draft: it is edited, sent, and taken back.

use std::time::Instant;

use crate::session::mention::mentions;
use crate::session::{CalledCommand, Input, Op, ReadOnlyReason};
use crate::tui::app::{App, Effect, SessionLink, TurnStatus};
use crate::tui::caret::CaretMove;
use crate::tui::commands::{self, ParsedInput};
use crate::tui::composer::{ChipOpening, Draft, EditEffect};
use crate::tui::keymap::Edit;
use crate::tui::sessions::SlotId;
use crate::tui::transcript::RedrawUrgency;
use crate::view::theme::Meaning;

impl App {
    /// Takes back what the editor left.
    pub(crate) fn edited(&mut self, text: &str, now: Instant) -> RedrawUrgency {
        // The loop stood still meanwhile, so it is still the same question.
        match self.open_question_mut() {
            Some(dialog) if dialog.editable().is_some() => dialog.set_edited(text),
            _ => {
                if std::mem::take(&mut self.edits_chip) {
                    self.views.front.composer.set_chip(text);
                } else {
                    self.views.front.composer.take_edited(text);
                }
                self.draft_changed(now);
            }
        }
        RedrawUrgency::Urgent
    }

    /// Opens the chip that the caret stands on: a folded paste here, or in the editor where it is long. A file is named.
    pub(super) fn open_chip(&mut self, now: Instant) {
        match self.views.front.composer.open_chip() {
            Some(ChipOpening::Here) => self.draft_changed(now),
            Some(ChipOpening::TooLong(text)) => {
                self.edits_chip = true;
                self.effects.push(Effect::Edit(text));
            }
            Some(ChipOpening::File(file)) => self.describe(&file, now),
            None => {}
        }
    }

    /// A session did not take an operation: what was written comes back.
    pub(crate) fn not_sent(&mut self, slot: SlotId, op: &Op, reason: &str, now: Instant) -> RedrawUrgency {
        let shell;
        let input = match op {
            Op::Submit(input) | Op::Queue(input) => Some(input),
            Op::Shell(command) => {
                shell = Input {
                    text: format!("!{command}"),
                    ..Input::default()
                };
                Some(&shell)
            }
            _ => None,
        };
        self.in_view(slot, now, |update| {
            if let Some(input) = input.filter(|_| update.view.composer.is_empty()) {
                update.take_back(input);
            }
            update.say(reason, Meaning::Warning);
            RedrawUrgency::Urgent
        })
    }

    pub(super) fn edit(&mut self, edit: Edit, now: Instant) -> RedrawUrgency {
        match (self.views.front.composer.edit(edit), edit) {
            (EditEffect::Text, _) => {
                self.views.front.completion.written();
                self.draft_changed(now);
            }
            (EditEffect::Caret, _) => {}
            (EditEffect::Nothing, Edit::Move(CaretMove::Up)) => self.recall(now),
            (EditEffect::Nothing, Edit::Move(CaretMove::Down)) if self.views.front.composer.newer() => {
                self.draft_changed(now);
            }
            (EditEffect::Nothing, _) => return RedrawUrgency::None,
        }
        RedrawUrgency::Urgent
    }

    pub(in crate::tui::app) fn submit(&mut self, op: fn(Input) -> Op, now: Instant) {
        if self.views.front.composer.continue_line() {
            return self.draft_changed(now);
        }
        let text = self.views.front.composer.text();
        let called = CalledCommand::of(&text, &self.views.front.commands);
        match commands::read(&text) {
            ParsedInput::Text => {}
            ParsedInput::Unknown { .. } if called.is_some() => {}
            ParsedInput::Command { command, rest } => return self.obey(command, rest, now),
            ParsedInput::Unknown { name, nearest } => return self.not_a_command(name, nearest, now),
        }
        if self.views.front.composer.is_blank() {
            if self.held_count() > 0 {
                self.send(Op::Release);
            } else if let SessionLink::ReadOnly(reason) = self.views.front.link.clone() {
                self.ask_about_read_only(&reason, now);
            }
            return;
        }
        match &self.views.front.link {
            SessionLink::Opening | SessionLink::Open => {}
            SessionLink::ReadOnly(ReadOnlyReason::OpenIn(holder)) => {
                let words = format!(
                    "not sent: the session is open in {holder}; the empty composer offers to fork it or to wait"
                );
                return self.say(words, Meaning::Warning, now);
            }
            SessionLink::ReadOnly(ReadOnlyReason::DirectoryGone(_)) => {
                let words =
                    "not sent: the session's directory is gone; the empty composer offers to continue here";
                return self.say(words, Meaning::Warning, now);
            }
            SessionLink::Gone => {
                return self.say("no session is open; the draft stays here", Meaning::Warning, now);
            }
        }
        if let Some(words) = self.refuses_words() {
            return self.say(words, Meaning::Warning, now);
        }
        let lacking = self.views.front.missing_model_words(&self.keymap);
        if let Some(words) = lacking.filter(|_| shell_command(&text).is_none()) {
            return self.say(format!("not sent: {words}"), Meaning::Warning, now);
        }
        let files = self.views.front.composer.draft().files();
        if let Some(words) = self.views.front.unfit(&files, &self.keymap) {
            return self.say(format!("not sent: {words}"), Meaning::Warning, now);
        }
        if shell_command(&text).is_some() && !files.is_empty() {
            let words = "a shell command takes no attached files; the draft stays here";
            return self.say(words, Meaning::Warning, now);
        }
        let needed = self.input(&text, now);
        self.keep_prompt(&self.views.front.composer.draft(), false);
        let text = self.views.front.composer.take();
        let op = match shell_command(&text) {
            Some(command) => Op::Shell(command.to_owned()),
            None => op(Input {
                text,
                command: called,
                ..needed
            }),
        };
        self.send(op);
        self.draft_changed(now);
        self.views.front.transcript.to_end();
    }

    /// Sends a message that is not the draft.
    pub(super) fn say_to_model(&mut self, text: &str, now: Instant) {
        let draft = self.views.front.composer.draft();
        self.views.front.composer.set(Draft::from_text(text));
        self.submit(Op::Submit, now);
        // Where it was not sent it says why, and the draft is worth more.
        self.views.front.composer.set(draft);
        self.draft_changed(now);
    }

    /// Sends what the program was started with, as `enter` would, as soon as the session is open.
    pub(in crate::tui::app) fn begin_with(&mut self, prompt: String) {
        let draft = Draft::from_text(&prompt);
        if prompt.starts_with('/') {
            self.views.front.composer.set(draft);
            self.early_command = Some(prompt);
            return;
        }
        self.keep_prompt(&draft, false);
        self.views.front.unsent.push(match shell_command(&prompt) {
            Some(command) => Op::Shell(command.to_owned()),
            None => Op::Submit(Input {
                mentions: mentions(&prompt),
                text: prompt,
                ..Input::default()
            }),
        });
    }

    /// The session is open and knows its commands. One that was edited meanwhile waits for `enter`.
    pub(in crate::tui::app) fn send_early_command(&mut self, now: Instant) {
        let command = self.early_command.take();
        if command.is_some_and(|command| command == self.views.front.composer.text()) {
            self.submit(Op::Submit, now);
        }
    }

    pub(in crate::tui::app) fn draft_changed(&mut self, now: Instant) {
        self.front(now).draft_changed();
    }

    /// Goes on as the agent after this one, in the order of `lathe agents`; while a turn runs, with its next step.
    pub(super) fn next_agent(&mut self, now: Instant) {
        if self.views.front.task.is_some() {
            return self.say("a task keeps its agent", Meaning::TextMuted, now);
        }
        if self.views.front.agents.is_empty() {
            return self.say_while("the session is still opening", Meaning::TextMuted, now);
        }
        let (agents, current) = (&self.views.front.agents, self.views.front.current_agent());
        let place = agents.iter().position(|agent| agent.name == current);
        let next = agents.get(place.map_or(0, |place| (place + 1) % agents.len()));
        let Some(next) = next.filter(|next| next.name != current).cloned() else {
            return self.say("there is no other agent", Meaning::TextMuted, now);
        };
        if self.views.front.turn == TurnStatus::Idle {
            let words = match next.description.as_str() {
                "" => format!("agent {}", next.name),
                description => format!("agent {}: {description}", next.name),
            };
            self.say(words, Meaning::Text, now);
        }
        self.switch_agent(next.name, now);
    }
}

/// Returns the shell command that a text is.
fn shell_command(text: &str) -> Option<&str> {
    let command = text.strip_prefix('!')?.trim();
    (!command.is_empty()).then_some(command)
}
