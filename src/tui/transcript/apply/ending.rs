//! The end of a reply: whole, cut, void or with calls that never became whole.

use std::time::Instant;

use super::Blocks;
use crate::conversation::{CallState, MessageId, MessageState, NoticeKind, Stop};
use crate::tui::transcript::block::{Body, Mark, RetryState};
use crate::tui::transcript::group;

impl Blocks {
    /// Calls that never became whole will not run. Their rows stay, so that nothing closes up.
    pub(super) fn drop_calls(&mut self, message: &MessageId, dropped: &[u64]) {
        for seq in dropped {
            let Some(&index) = self.parts.get(&(message.clone(), *seq)) else {
                continue;
            };
            self.cancel_call(index);
        }
    }

    pub(super) fn cancel_call(&mut self, index: usize) {
        if let Body::Call(call) = &mut self.list[index].body
            && !call.state.is_final()
        {
            call.state = CallState::Cancelled;
            self.turn.open.retain(|open| *open != index);
            group::leave(&mut self.list, index);
        }
    }

    pub(super) fn message_ended(
        &mut self,
        message: &MessageId,
        state: MessageState,
        stop: Option<Stop>,
        now: Instant,
    ) -> bool {
        let Some(first) = self.replies.remove(message) else {
            return false;
        };
        self.parts.retain(|(of, _), _| of != message);
        for index in first..self.list.len() {
            match &mut self.list[index].body {
                Body::Text(text) if text.is_open => text.is_open = false,
                Body::Reasoning(reasoning) if reasoning.phase.is_open() => reasoning.phase.end(now),
                _ => continue,
            }
            self.list[index].changed();
        }
        self.turn.growing = None;
        self.turn.heard(now);
        if state == MessageState::Complete {
            self.end_retry(|_| RetryState::Recovered);
        }
        self.close_reply(state, stop, first);
        true
    }

    /// Says how a reply ended, where that is not the ordinary way.
    pub(super) fn close_reply(&mut self, state: MessageState, stop: Option<Stop>, first: usize) {
        match state {
            MessageState::Void => {
                self.void(first);
                self.fold(first);
            }
            MessageState::Cut => self.interrupted(),
            MessageState::Complete | MessageState::Streaming => match stop {
                Some(Stop::Length) => {
                    self.warn("the reply reached the model's output limit; it may be incomplete");
                }
                // The error of the refusal says so.
                Some(Stop::End | Stop::ToolCalls | Stop::Refusal) | None => {}
            },
        }
    }

    fn warn(&mut self, text: &str) {
        self.mark(Mark::Notice {
            kind: NoticeKind::Error,
            text: text.to_owned(),
        });
    }

    pub(super) fn interrupted(&mut self) {
        let is_said = matches!(
            self.list.last().map(|block| &block.body),
            Some(Body::Mark(Mark::Interrupted))
        );
        if !is_said {
            self.mark(Mark::Interrupted);
        }
    }

    /// Marks what came since `first` as void. Calls of a void reply never ran.
    pub(super) fn void(&mut self, first: usize) {
        for index in first..self.list.len() {
            if matches!(self.list[index].body, Body::User(_) | Body::Mark(_)) {
                continue;
            }
            self.list[index].is_void = true;
            self.cancel_call(index);
            group::touch(&mut self.list, index);
        }
    }

    /// Folds what nobody has seen open.
    pub(super) fn fold(&mut self, first: usize) {
        for block in self.list[first..].iter_mut().filter(|block| !block.is_on_screen) {
            block.unfolded = Some(false);
        }
    }
}
