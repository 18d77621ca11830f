//! A notice that has to be heard before what a person types counts as an answer to it.

use crate::screen_reader::console::PromptNumber;

/// A notice that is counted with the questions.
pub(super) struct SpokenNotice {
    round: PromptNumber,
    /// True once it is written and time has passed since.
    is_heard: bool,
}

impl SpokenNotice {
    pub(super) fn new(round: PromptNumber) -> Self {
        Self {
            round,
            is_heard: false,
        }
    }

    pub(super) fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// Counted with the questions that take no answer yet.
    pub(super) fn unheard_round(&self) -> Option<PromptNumber> {
        (!self.is_heard).then_some(self.round)
    }

    /// Says whether it is this that could be heard.
    pub(super) fn accept_answers(&mut self, round: PromptNumber) -> bool {
        let is_it = self.unheard_round() == Some(round);
        self.is_heard |= is_it;
        is_it
    }
}
