//! Blocks of messages that are stored already: those of a snapshot, and those that come whole.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::{Blocks, mark_of};
use crate::conversation::{Message, MessageState, PartBody, Role};
use crate::permission::Mode;
use crate::session::{PLAN, Snapshot};
use crate::tui::transcript::block::{BlockSource, Body, Mark, Phase, ReasoningBlock, TextBlock, UserBlock};
use crate::tui::transcript::call::CallBlock;

/// A person's own command that prints no more lines is shown whole.
const SHORT_OUTPUT: usize = 40;

impl Blocks {
    pub(in crate::tui::transcript) fn from_snapshot(snapshot: &Snapshot) -> Self {
        let is_plan = (snapshot.info.agent == PLAN, snapshot.info.mode == Mode::Plan);
        let mut blocks = Self::of_messages(&snapshot.messages, is_plan);
        for question in &snapshot.questions {
            blocks.change_call(&question.call, |call| call.ask(question.id));
        }
        blocks.turn.is_busy = snapshot.busy;
        blocks
    }

    /// Blocks of a conversation in which something was undone or redone. No turn runs in it.
    pub(in crate::tui::transcript) fn restored(&self, messages: &[Arc<Message>]) -> Self {
        Self::of_messages(messages, (self.agent_is_plan, self.mode_is_plan))
    }

    fn of_messages(messages: &[Arc<Message>], (agent_is_plan, mode_is_plan): (bool, bool)) -> Self {
        let parts = messages.iter().map(|message| message.parts.len()).sum();
        let mut blocks = Self {
            list: Vec::with_capacity(parts),
            calls: HashMap::with_capacity(parts),
            agent_is_plan,
            mode_is_plan,
            ..Self::default()
        };
        for message in messages {
            blocks.message(message, None);
        }
        blocks
    }

    pub(super) fn message(&mut self, message: &Arc<Message>, now: Option<Instant>) -> bool {
        let first = self.list.len();
        self.own(&message.id);
        match message.role {
            Role::User if message.is_reminder() => {
                self.mark(Mark::reminder(&message.text()));
            }
            Role::User => {
                let joins_turn = message.own_command().is_none() && self.steps.join();
                self.push(Body::User(UserBlock::new(message, joins_turn)));
                self.own_command(message, now);
            }
            Role::Assistant => {
                self.steps.reply(message);
                for index in 0..message.parts.len() {
                    self.stored_part(message, index, now);
                }
                if message.state == MessageState::Streaming {
                    self.replies.insert(message.id.clone(), first);
                } else {
                    self.close_reply(message.state, message.stop, first);
                }
            }
        }
        self.list.len() > first
    }

    /// Adds the call of a command that the person runs themselves. The turn does not wait for it.
    pub(super) fn own_command(&mut self, message: &Arc<Message>, now: Option<Instant>) {
        let Some((_, part)) = message.own_command() else {
            return;
        };
        let mut call = CallBlock::stored(part, message, 0).of_person();
        if let Some(now) = now.filter(|_| call.is_running()) {
            call.run(now);
        }
        let index = self.push(Body::Call(Box::new(call)));
        self.calls.insert(part.call.clone(), index);
        self.show_output(index);
    }

    /// Unfolds a command of the person's that has ended: they ran it to see what it says.
    pub(super) fn show_output(&mut self, index: usize) {
        let block = &mut self.list[index];
        if let Body::Call(call) = &block.body
            && block.unfolded.is_none()
            && call.is_of_person()
            && call
                .result()
                .is_some_and(|result| result.output.lines().count() <= SHORT_OUTPUT)
        {
            block.unfolded = Some(true);
        }
    }

    /// Adds a part of a message that came with a snapshot, or with the first event of a reply.
    fn stored_part(&mut self, message: &Arc<Message>, index: usize, now: Option<Instant>) {
        let part = &message.parts[index];
        let is_open = message.state == MessageState::Streaming && index + 1 == message.parts.len();
        let source = || BlockSource::Stored {
            message: Arc::clone(message),
            part: index,
        };
        let body = match &part.body {
            PartBody::Text(_) => Body::Text(TextBlock {
                source: source(),
                is_open,
            }),
            PartBody::Reasoning(_) => {
                let phase = if is_open {
                    Phase::Open { since: now }
                } else {
                    Phase::Ended { took: None }
                };
                Body::Reasoning(ReasoningBlock {
                    source: source(),
                    phase,
                })
            }
            PartBody::Tool(tool) if is_open && tool.args.is_none() => {
                Body::Call(Box::new(CallBlock::streaming(tool)))
            }
            PartBody::Tool(tool) => Body::Call(Box::new(CallBlock::stored(tool, message, index))),
            other => match mark_of(other) {
                // A reply that was cut has said so already.
                Some(Mark::Interrupted) => return self.interrupted(),
                // The session keeps an error in the conversation, too.
                Some(mark) if self.has_told(&mark) => return,
                Some(mark) => Body::Mark(mark),
                None => return,
            },
        };
        let is_streamed = message.state == MessageState::Streaming;
        self.push_part(&message.id, part.seq, body, is_streamed);
    }

    /// Returns true if the last block is the error that a notice repeats.
    fn has_told(&self, mark: &Mark) -> bool {
        let last = self.list.last().map(|block| &block.body);
        match (mark, last) {
            (Mark::Notice { text, .. }, Some(Body::Mark(Mark::Error(report)))) => report.text() == *text,
            _ => false,
        }
    }
}
