//! Steps of a turn: whether a message of the person's joins one under way.

use crate::conversation::{Message, MessageState, PartBody};

/// Replies of the turn so far.
#[derive(Debug, Default)]
pub(super) struct TurnSteps {
    count: usize,
    /// The turn goes on.
    is_open: bool,
}

impl TurnSteps {
    /// A turn begins.
    pub(super) fn begin(&mut self) {
        *self = Self {
            count: 0,
            is_open: true,
        };
    }

    pub(super) fn end(&mut self) {
        self.is_open = false;
    }

    /// A reply begins, or is there as it was stored. One without calls is the last of its turn.
    pub(super) fn reply(&mut self, message: &Message) {
        let is_note = !message.parts.is_empty()
            && message
                .parts
                .iter()
                .all(|part| matches!(part.body, PartBody::Notice(_) | PartBody::Context(_)));
        if message.state == MessageState::Void || is_note {
            return;
        }
        self.count += 1;
        self.is_open = message.state == MessageState::Streaming || message.calls().next().is_some();
    }

    /// The last reply is void: it is asked for again.
    pub(super) fn retry(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// The person says something. Returns true if it joins a turn that is under way.
    pub(super) fn join(&mut self) -> bool {
        if self.is_open && self.count > 0 {
            return true;
        }
        self.begin();
        false
    }
}
