//! The questions that wait, one behind the other. The first is put, and takes an answer once it was listened to. After an
//! answer none is put before the session has settled the question: the answer may settle others too.

use std::collections::VecDeque;

use super::console::PromptNumber;
use super::questions::PendingQuestion;
use crate::question::QuestionId;

#[derive(Default)]
pub(super) struct QuestionQueue {
    waiting: VecDeque<Box<dyn PendingQuestion>>,
    first: FirstQuestionState,
    /// The one whose answer is on its way.
    answered: Option<QuestionId>,
}

/// The state of the first question.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum FirstQuestionState {
    #[default]
    Waits,
    /// It is told, and takes no answer yet.
    Put(PromptNumber),
    TakesAnswer,
}

/// Position of a question that was withdrawn.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WithdrawnPosition {
    Nothing,
    /// One that was not put yet.
    Later,
    /// The one that was put.
    First,
}

impl QuestionQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &dyn PendingQuestion> {
        self.waiting.iter().map(|asked| &**asked)
    }

    pub(super) fn first(&self) -> Option<&dyn PendingQuestion> {
        self.waiting.front().map(|asked| &**asked)
    }

    /// The first, where it takes an answer.
    pub(super) fn answerable(&self) -> Option<&dyn PendingQuestion> {
        self.first()
            .filter(|_| self.first == FirstQuestionState::TakesAnswer)
    }

    pub(super) fn answerable_mut(&mut self) -> Option<&mut Box<dyn PendingQuestion>> {
        self.waiting
            .front_mut()
            .filter(|_| self.first == FirstQuestionState::TakesAnswer)
    }

    pub(super) fn add(&mut self, asked: Box<dyn PendingQuestion>) {
        self.waiting.push_back(asked);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns true if the first may be put: there is one, it was not put yet, and no answer is on its way.
    pub(super) fn is_due(&self) -> bool {
        !self.is_empty() && self.first == FirstQuestionState::Waits && self.answered.is_none()
    }

    /// The first is being put.
    pub(super) fn put(&mut self, round: PromptNumber) {
        self.first = FirstQuestionState::Put(round);
    }

    /// The first was answered.
    pub(super) fn remove_first(&mut self) {
        self.answered = self.waiting.pop_front().map(|asked| asked.id());
        self.first = FirstQuestionState::Waits;
    }

    /// The session has settled this question; says whether it is the one whose answer was on its way.
    pub(super) fn has_arrived(&mut self, id: QuestionId) -> bool {
        self.answered.take_if(|answered| *answered == id).is_some()
    }

    pub(super) fn withdraw(&mut self, is_it: impl Fn(&dyn PendingQuestion) -> bool) -> WithdrawnPosition {
        let was_first = self.first != FirstQuestionState::Waits && self.first().is_some_and(&is_it);
        let before = self.len();
        self.waiting.retain(|asked| !is_it(&**asked));
        match () {
            () if was_first => {
                self.first = FirstQuestionState::Waits;
                WithdrawnPosition::First
            }
            () if self.len() < before => WithdrawnPosition::Later,
            () => WithdrawnPosition::Nothing,
        }
    }

    /// Returns the question that was put and takes no answer yet.
    pub(super) fn unheard_round(&self) -> Option<PromptNumber> {
        match self.first {
            FirstQuestionState::Put(round) if !self.is_empty() => Some(round),
            FirstQuestionState::Put(_) | FirstQuestionState::Waits | FirstQuestionState::TakesAnswer => None,
        }
    }

    /// From now on lines are answers to this question, if it is the one that waits; says whether it is.
    pub(super) fn accept_answers(&mut self, round: PromptNumber) -> bool {
        let is_it = self.unheard_round() == Some(round);
        if is_it {
            self.first = FirstQuestionState::TakesAnswer;
        }
        is_it
    }
}
