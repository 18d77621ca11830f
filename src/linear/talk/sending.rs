//! Messages on their way: sent, waiting, come back.

use super::Talk;
use crate::conversation::{Message, NoticeKind, PartBody, Role};
use crate::session::{Input, Op, Queued, QueuedKind};

impl Talk {
    /// Sends a message: it begins a turn, or joins the one that runs.
    pub(in crate::linear) fn submit(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        self.sent.push_back(text.to_owned());
        self.send(Op::Submit(input(text)));
        // The turn begins with a later event; until then nothing else is asked for.
        self.is_busy = true;
    }

    /// Sends a message when the turn has ended.
    pub(super) fn queue(&mut self, text: &str) {
        if text.is_empty() {
            return self.say("Write the message behind /queue.");
        }
        self.send(Op::Queue(input(text)));
    }

    pub(super) fn given_back(&mut self, text: &str, why: &str) {
        self.sent.clear();
        self.is_busy = self.is_in_turn;
        self.aside(&format!("Your message was not sent: {why}. It was: {text}"));
    }

    /// A message of the person's has joined the conversation.
    pub(super) fn message(&mut self, message: &Message) {
        if message.role != Role::User || message.is_reminder() {
            return;
        }
        if let Some((_, part)) = message.own_command() {
            let args = part.args.clone().unwrap_or_default();
            self.calls.announce(&part.call, &part.tool, args);
            return self.begin_call(&part.call);
        }
        let notices = message.parts.iter().filter_map(|part| match &part.body {
            PartBody::Notice(notice) if notice.kind == NoticeKind::Error => Some(&notice.text),
            _ => None,
        });
        for notice in notices {
            self.say(&format!("Note: {notice}"));
        }
        let text = message.text();
        // What was just typed is on the screen already.
        let is_known = self.sent.front().is_some_and(|sent| *sent == text);
        if is_known {
            self.sent.pop_front();
        } else if !text.trim().is_empty() {
            self.say(&format!("Sent: {}", text.trim()));
        }
    }

    /// What waits has changed.
    pub(super) fn queued(&mut self, queue: &[Queued]) {
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

pub(super) fn input(text: &str) -> Input {
    Input {
        text: text.to_owned(),
        ..Input::default()
    }
}

pub(super) fn waits(queued: &Queued) -> String {
    let how = match queued.kind {
        QueuedKind::Steer => "Waits for the next step",
        QueuedKind::Queue => "Waits for the end of the turn",
        QueuedKind::Held => "Held; /send sends it",
    };
    format!("{how}: {}", queued.text)
}
