//! The questions that wait, one behind the other. The first was put, and takes an answer once it was listened to.

use std::collections::VecDeque;

use super::asked::Asked;
use super::console::Round;

#[derive(Default)]
pub(super) struct Asks {
    waiting: VecDeque<Asked>,
    /// The first takes an answer.
    is_listening: bool,
    /// Of the first.
    round: Round,
}

/// Position of a question that was withdrawn.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Withdrawn {
    Nothing,
    /// One that waits behind the first.
    Later,
    First,
}

impl Asks {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Asked> {
        self.waiting.iter()
    }

    pub(super) fn first(&self) -> Option<&Asked> {
        self.waiting.front()
    }

    /// The first, where it takes an answer.
    pub(super) fn listening(&self) -> Option<&Asked> {
        self.first().filter(|_| self.is_listening)
    }

    pub(super) fn listening_mut(&mut self) -> Option<&mut Asked> {
        self.waiting.front_mut().filter(|_| self.is_listening)
    }

    pub(super) fn add(&mut self, asked: Asked) {
        self.waiting.push_back(asked);
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.is_listening = false;
    }

    /// The first is being put.
    pub(super) fn put(&mut self, round: Round) {
        self.round = round;
        self.is_listening = false;
    }

    /// The first was answered.
    pub(super) fn remove_first(&mut self) {
        self.waiting.pop_front();
        self.is_listening = false;
    }

    pub(super) fn withdraw(&mut self, is_it: impl Fn(&Asked) -> bool) -> Withdrawn {
        let was_first = self.first().is_some_and(&is_it);
        let before = self.len();
        self.waiting.retain(|asked| !is_it(asked));
        match () {
            () if was_first => {
                self.is_listening = false;
                Withdrawn::First
            }
            () if self.len() < before => Withdrawn::Later,
            () => Withdrawn::Nothing,
        }
    }

    /// Returns the question that was put and takes no answer yet.
    pub(super) fn deaf(&self) -> Option<Round> {
        (!self.is_empty() && !self.is_listening).then_some(self.round)
    }

    /// From now on lines are answers to this question, if it is the one that waits; says whether it is.
    pub(super) fn listen(&mut self, round: Round) -> bool {
        let is_it = self.deaf() == Some(round);
        self.is_listening |= is_it;
        is_it
    }
}
