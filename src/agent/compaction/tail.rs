//! The end of a conversation that is never summarised.

use std::sync::Arc;

use crate::agent::estimate;
use crate::conversation::{Message, Role};

/// Returns the place in `messages` at which the last `turns` turns begin, or as much of them as fits into `most` tokens: a
/// turn may be divided before one of its replies. The last message always stays, and so does everything from a call on
/// that has no result yet.
pub fn tail_start(messages: &[Arc<Message>], turns: u32, most: u64) -> usize {
    let mut size = 0;
    let mut start = messages.len().saturating_sub(1);
    let mut found = 0;
    for (place, message) in messages.iter().enumerate().rev() {
        size += estimate::message(message);
        if size > most && place + 1 < messages.len() {
            break;
        }
        start = place;
        found += u32::from(is_prompt(message));
        if found >= turns.max(1) {
            break;
        }
    }
    let is_open = |message: &Arc<Message>| message.calls().any(|call| call.result.is_none());
    let open = messages.iter().position(is_open).unwrap_or(start);
    start.min(open)
}

/// Returns true if the person says something here.
pub(super) fn is_prompt(message: &Message) -> bool {
    message.role == Role::User && !message.is_reminder() && message.own_command().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{MessageId, MessageState, Part, PartBody, TextPart};

    fn message(role: Role, tokens: usize) -> Arc<Message> {
        let text = TextPart {
            text: "abcd".repeat(tokens),
            native: None,
        };
        Arc::new(Message {
            id: MessageId::new(),
            role,
            state: MessageState::Complete,
            agent: None,
            model: None,
            created: 0,
            parts: vec![Part {
                seq: 1,
                body: PartBody::Text(text),
            }],
            stop: None,
            usage: None,
        })
    }

    /// Prompts of 10 tokens, each with three replies of 100.
    fn turns(count: usize) -> Vec<Arc<Message>> {
        let turn = || {
            let replies = std::iter::repeat_with(|| message(Role::Assistant, 100)).take(3);
            std::iter::once(message(Role::User, 10)).chain(replies)
        };
        (0..count).flat_map(|_| turn()).collect()
    }

    #[test]
    fn whole_turns_stay_where_they_fit() {
        let messages = turns(5);
        assert_eq!(tail_start(&messages, 2, 10_000), 12);
        assert_eq!(tail_start(&messages, 0, 10_000), 16);
        assert_eq!(tail_start(&messages, 9, 10_000), 0);
    }

    #[test]
    fn a_turn_that_does_not_fit_is_divided_and_the_last_message_stays() {
        let messages = turns(5);
        assert_eq!(tail_start(&messages, 2, 450), 15);
        assert_eq!(tail_start(&messages, 2, 250), 18);
        assert_eq!(tail_start(&messages, 2, 1), 19);
        assert_eq!(tail_start(&[], 2, 1), 0);
    }
}
