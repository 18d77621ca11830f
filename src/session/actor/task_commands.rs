//! Commands of the tasks of the tree to this session, and what they are told of the person.

use super::Actor;
use super::attachments::MessageRoute;
use crate::agent::background::Observation;
use crate::agent::turn::TurnEvent;
use crate::conversation::Message;
use crate::session::tasks::spent_error;
use crate::session::{Op, TaskCommand};
use crate::store::{DraftKey, MessageChange};

impl Actor {
    pub(super) fn on_task_command(&mut self, command: TaskCommand) {
        match command {
            TaskCommand::Prompt(input) => self.take_input(MessageRoute::Submitted, input),
            TaskCommand::SetUp { command, then } => self.set_up(&command, then),
            TaskCommand::Stop => self.interrupt(),
            TaskCommand::StopSpent(spent) => self.fail_turn(spent),
            TaskCommand::TakeNotices => {
                // Where a turn runs, its next request takes them; where one is being prepared, its first.
                if !self.is_busy() && !self.closing && self.parts.tasks.has_notices(&self.parts.info.id) {
                    self.start_turn(Vec::new());
                }
            }
            TaskCommand::Mode(mode) => self.take_mode(mode),
        }
    }

    /// Tells the tasks that the person speaks, or wants nothing to go on by itself.
    pub(super) fn observe_person(&self, op: &Op) {
        let observation = match op {
            Op::Submit(_) | Op::Queue(_) | Op::Release => Observation::PersonSpoke,
            Op::Interrupt => Observation::Interrupted,
            _ => return,
        };
        let session = &self.parts.info.id;
        self.parts.tasks.observe_person(session, observation);
    }

    /// Puts the notices that wait for this session into the conversation, each once: that they were told is stored with
    /// the message.
    pub(super) fn take_notices(&mut self) {
        let Some((text, told)) = self.parts.tasks.take_notices(&self.parts.info.id) else {
            return;
        };
        let message = self.text_message(text);
        let changes = told.into_iter().map(MessageChange::TaskTold).collect();
        self.add_message_with(message, changes);
    }

    /// Tells the model, once, what the person did with the changes of its tasks since the last turn.
    pub(super) fn tell_of_person(&mut self) {
        let store = &self.parts.calls.services.tree.store;
        let told = match store.draft(DraftKey::Reminder(&self.parts.info.id)) {
            Ok(Some(told)) => told,
            Ok(None) => return,
            Err(error) => return self.check(Err(error)),
        };
        let message = self.text_message(format!("{}{told}\n</system-reminder>", Message::REMINDER));
        self.add_message_with(message, vec![MessageChange::ReminderTold(told)]);
    }

    /// Ends the turn because nothing more may be spent on it; what it says of that stays in the conversation.
    fn fail_turn(&mut self, spent: String) {
        if self.turn.is_some() {
            self.report_provider(&spent_error(spent));
            self.is_spent = true;
            self.parts.driver.cancel_calls();
            self.on_turn(TurnEvent::Interrupt);
        }
    }
}
