//! Messages on their way: sent, waiting, joined, come back.
//!
//! Files that a message names go with it, as from the screen. One that cannot be read sends the message back, and so
//! does one that nobody but the person can allow; sent again as it is, the message goes without the former and with the
//! latter. A line that was typed before the person could hear of it does not count as sending it again.
//!
//! Text that came back or was left unsent before is the session's draft, so that it is there when the session is opened
//! again.

use super::ReaderSession;
use super::notice::SpokenNotice;
use crate::conversation::{ContextChange, Message, NoticeKind, PartBody, Role};
use crate::session::mention::mentions;
use crate::session::{CalledCommand, ErrorReport, Input, Op, QueuedKind, QueuedMessage, StoredDraft};
use crate::text::sanitize::sanitize;

/// A message that came back.
pub(super) struct ReturnedMessage {
    /// As it goes if it is sent again: with the files that were told, and without those that cannot be read.
    again: Input,
    pub(super) notice: SpokenNotice,
}

impl ReaderSession {
    /// Sends a message: it begins a turn, or joins the one that runs. Behind `@` and an agent's name it is for that agent.
    pub(super) fn submit(&mut self, text: &str) {
        let text = match self.agent_named(text) {
            Some((agent, rest)) => {
                self.send(Op::SetAgent(agent));
                rest
            }
            None => text,
        };
        if text.trim().is_empty() {
            return;
        }
        let input = self.input(text);
        self.hand_over(input);
    }

    fn hand_over(&mut self, input: Input) {
        self.sent.push_back(input.text.clone());
        self.send(Op::Submit(input));
        self.keep_unsent();
        // The turn begins with a later event; until then nothing else is asked for.
        self.is_busy = true;
    }

    /// Sends a message when the turn has ended.
    pub(super) fn queue(&mut self, text: &str) {
        if text.is_empty() {
            return self.say("Write the message after /queue.");
        }
        let input = self.input(text);
        self.send(Op::Queue(input));
        self.keep_unsent();
    }

    /// Sends what came back, or what is held since an interrupt, or else what was left unsent.
    pub(super) fn release(&mut self) {
        if self
            .returned
            .as_ref()
            .is_some_and(|returned| !returned.notice.is_heard())
        {
            self.say("That came before you could hear why your message came back, so it was not sent.");
        } else if let Some(returned) = self.returned.take() {
            self.hand_over(returned.again);
        } else if self.queue.iter().any(|it| it.kind == QueuedKind::Held) {
            self.send(Op::Release);
        } else if let Some(draft) = self.left_unsent.take() {
            let input = self.unsent(draft);
            self.hand_over(input);
        } else {
            self.say("No message is waiting to be sent.");
        }
    }

    /// Tells what was left unsent when the session was left.
    pub(super) fn say_draft(&mut self, stored: &str) {
        let draft = StoredDraft::read(stored);
        let text = self.unsent(draft.clone()).text;
        if text.trim().is_empty() || self.info.read_only.is_some() {
            return;
        }
        self.say(&format!("Left unsent: {text}"));
        self.say("/send sends that.");
        stored.clone_into(&mut self.kept);
        self.left_unsent = Some(draft);
    }

    /// Returns a draft as a message.
    fn unsent(&self, draft: StoredDraft) -> Input {
        let input = draft.into_input();
        let text = sanitize(&input.text).into_owned();
        Input {
            command: CalledCommand::of(&text, &self.info.commands),
            text,
            ..input
        }
    }

    /// Has the session keep what is not sent, where that has changed.
    fn keep_unsent(&mut self) {
        let mut draft = self.left_unsent.clone().unwrap_or_default();
        if let Some(returned) = &self.returned {
            draft.put_before(&returned.again);
        }
        let unsent = draft.written();
        if unsent != self.kept {
            self.kept.clone_from(&unsent);
            self.send(Op::Draft(unsent));
        }
    }

    fn agent_named<'a>(&self, text: &'a str) -> Option<(String, &'a str)> {
        let spoken = text.trim_start().strip_prefix('@')?;
        let (name, rest) = spoken.split_once(char::is_whitespace).unwrap_or((spoken, ""));
        let agent = self.info.agents.iter().find(|agent| agent.name == name)?;
        Some((agent.name.clone(), rest.trim_start()))
    }

    /// Returns an input with all that its text needs.
    fn input(&mut self, text: &str) -> Input {
        let returned = self.returned.take();
        match returned.filter(|it| it.again.text.trim() == text.trim()) {
            Some(returned) if returned.notice.is_heard() => returned.again,
            // It was typed before anybody could know what comes of it.
            Some(returned) => Input {
                meant: Vec::new(),
                ..returned.again
            },
            None => Input {
                text: text.to_owned(),
                mentions: mentions(text),
                command: CalledCommand::of(text, &self.info.commands),
                ..Input::default()
            },
        }
    }

    /// Why was told before.
    pub(super) fn refused(&mut self, input: &Input) {
        self.say("Your message was not sent.");
        self.come_back(input.clone());
    }

    pub(super) fn unread(&mut self, input: &Input, report: &ErrorReport) {
        self.say(&report.message);
        if let Some(hint) = &report.hint {
            self.say(hint);
        }
        self.come_back(input.clone());
    }

    fn come_back(&mut self, again: Input) {
        self.sent.retain(|sent| *sent != again.text);
        self.is_busy = self.is_in_turn;
        self.rounds += 1;
        self.aside(&format!("It was: {}", again.text));
        self.returned = Some(ReturnedMessage {
            again,
            notice: SpokenNotice::new(self.rounds),
        });
        self.keep_unsent();
    }

    /// A message of the person's has joined the conversation, or a mark that is said.
    pub(super) fn message(&mut self, message: &Message) {
        for part in &message.parts {
            if let PartBody::Context(change) = &part.body
                && matches!(change, ContextChange::Withheld(_) | ContextChange::SentAgain(_))
            {
                self.say(&format!("Note: {}.", change.sentence()));
            }
        }
        if message.role != Role::User || message.is_reminder() {
            return;
        }
        if let Some((_, part)) = message.own_command() {
            let args = part.args.clone().unwrap_or_default();
            self.calls.announce(&part.call, &part.tool, args.into_value());
            return self.begin_call(&part.call);
        }
        for part in &message.parts {
            match &part.body {
                PartBody::Notice(notice) if notice.kind == NoticeKind::Error => {
                    self.output.line(&format!("Note: {}", notice.text));
                }
                PartBody::File(file) => self.output.line(&format!("Attached: {}.", file.path)),
                _ => {}
            }
        }
        let text = message.shown();
        // What was just typed is on the screen already.
        let is_known = self.sent.front().is_some_and(|sent| *sent == text);
        if is_known {
            self.sent.pop_front();
        } else if !text.trim().is_empty() {
            self.say(&format!("Sent: {}", text.trim()));
        }
    }

    /// Takes in a change of the queue.
    pub(super) fn queued(&mut self, queue: &[QueuedMessage]) {
        for waiting in queue {
            let is_new = !self
                .queue
                .iter()
                .any(|known| known.id == waiting.id && known.kind == waiting.kind);
            if is_new {
                // It comes back as a message later, which is then worth a word.
                self.sent.retain(|sent| *sent != waiting.text);
                self.say(&waits(waiting));
            }
        }
        self.queue = queue.to_vec();
    }
}

pub(super) fn waits(queued: &QueuedMessage) -> String {
    let how = match queued.kind {
        QueuedKind::Steer => "Waits for the next step",
        QueuedKind::Queue => "Waits for the end of the turn",
        QueuedKind::Held => "Held; /send sends it",
    };
    format!("{how}: {}", queued.text)
}
