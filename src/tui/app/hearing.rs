//! How the question on screen takes keys: what somebody types as prose never answers it.
//!
//! A question that opens by itself does so over an empty composer that has rested. Even there the next key may be the
//! first letter of a message. So a character that the question has no use for gives the keys back to the draft, with the
//! characters typed just before it; and a key that would answer in the middle of typing waits until typing has paused. A
//! person who went to the question (with its key, an arrow, a click) means it, and is only waited for until the question
//! has been on screen for a moment.

use std::time::{Duration, Instant};

use termina::event::KeyEvent;

/// After it opened, a question answers nothing for this long.
const DEAF: Duration = Duration::from_millis(300);
/// The composer has rested when no key came for this long. Keys that are closer together belong to one burst of typing.
pub(super) const REST: Duration = Duration::from_secs(1);
/// A key that answers within a burst waits this long for another one: longer than slow typing takes for a key.
const PAUSE: Duration = Duration::from_millis(600);

/// What led to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Approach {
    /// It opened over an empty, rested composer.
    ByItself,
    /// The person went to it.
    ByPerson,
}

/// The use that a question has for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyUse {
    /// It moves through the question, and nobody writes prose with it: an arrow, `tab`.
    Moves,
    /// It shows something, ticks, or chooses by number.
    Looks,
    /// It answers.
    Answers,
    /// It dismisses the question, or leads to a text that takes what is typed after it.
    Commits,
    /// It belongs to a text that is written in the question.
    Writes,
    /// None, and it is a character.
    Prose,
    /// None.
    Unknown,
}

/// What becomes of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyRoute {
    /// The question takes it.
    Question,
    /// It and the keys of [`Hearing::take_burst`] go to the draft.
    Draft,
    /// The question takes it once typing has paused.
    Later,
}

/// The state of the keys of the question on screen.
#[derive(Debug, Clone)]
pub(super) struct Hearing {
    approach: Approach,
    deaf_until: Instant,
    /// Characters that the question took since it opened by itself, as far as they belong to one burst of typing.
    burst: Vec<KeyEvent>,
    last: Instant,
    /// The last key of the burst, which answers then.
    due: Option<Instant>,
}

impl Hearing {
    /// Begins for a question that opens by itself.
    pub(super) fn by_itself(now: Instant) -> Self {
        Self::begin(Approach::ByItself, now)
    }

    /// Begins for a question that the person goes to.
    pub(super) fn by_person(now: Instant) -> Self {
        Self::begin(Approach::ByPerson, now)
    }

    /// Begins anew for a question that something lay over until a key closed it.
    pub(super) fn uncovered(now: Instant) -> Self {
        Self {
            deaf_until: now + REST,
            ..Self::by_itself(now)
        }
    }

    fn begin(approach: Approach, now: Instant) -> Self {
        Self {
            approach,
            deaf_until: now + DEAF,
            burst: Vec::new(),
            last: now,
            due: None,
        }
    }

    /// The person moved to the question.
    pub(super) fn go_to(&mut self) {
        self.approach = Approach::ByPerson;
        self.forget_burst();
    }

    pub(super) fn is_by_person(&self) -> bool {
        self.approach == Approach::ByPerson
    }

    /// Returns what becomes of a key that was pressed now.
    pub(super) fn route(&mut self, key: KeyEvent, key_use: KeyUse, now: Instant) -> KeyRoute {
        if self.due.is_none() && now >= self.last + REST {
            self.burst.clear();
        }
        self.last = now;
        let is_deaf = now < self.deaf_until;
        let is_by_person = self.is_by_person();
        match key_use {
            _ if is_deaf && !is_by_person => KeyRoute::Draft,
            KeyUse::Moves => {
                self.go_to();
                KeyRoute::Question
            }
            KeyUse::Unknown if self.burst.is_empty() => KeyRoute::Question,
            KeyUse::Prose | KeyUse::Unknown => KeyRoute::Draft,
            // The one that waits was the beginning of a word.
            _ if self.due.is_some() => KeyRoute::Draft,
            KeyUse::Writes => {
                self.forget_burst();
                KeyRoute::Question
            }
            KeyUse::Looks | KeyUse::Answers | KeyUse::Commits if is_by_person && is_deaf => {
                self.wait(key, self.deaf_until)
            }
            KeyUse::Looks | KeyUse::Answers | KeyUse::Commits if is_by_person => KeyRoute::Question,
            KeyUse::Looks => {
                self.burst.push(key);
                KeyRoute::Question
            }
            KeyUse::Answers if self.burst.is_empty() => KeyRoute::Question,
            KeyUse::Answers | KeyUse::Commits => self.wait(key, now + PAUSE),
        }
    }

    fn wait(&mut self, key: KeyEvent, until: Instant) -> KeyRoute {
        self.burst.push(key);
        self.due = Some(until);
        KeyRoute::Later
    }

    /// Forgets what was typed, and the key that waits.
    pub(super) fn forget_burst(&mut self) {
        self.burst.clear();
        self.due = None;
    }

    /// Takes the characters that go to the draft before the one that ended the hearing.
    pub(super) fn take_burst(&mut self) -> Vec<KeyEvent> {
        self.due = None;
        std::mem::take(&mut self.burst)
    }

    /// Takes the key that waited, if typing has paused.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<KeyEvent> {
        self.due.take_if(|due| *due <= now)?;
        let key = self.burst.pop();
        self.burst.clear();
        key
    }

    /// Returns when the key that waits answers.
    pub(super) fn until(&self) -> Option<Instant> {
        self.due
    }
}

#[cfg(test)]
mod tests {
    use termina::event::{KeyCode, Modifiers};

    use super::*;

    fn key(c: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(c), Modifiers::NONE)
    }

    fn after(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn the_first_letter_answers_at_once_and_earlier_ones_go_to_the_draft() {
        let start = Instant::now();
        let route = |at| Hearing::by_itself(start).route(key('y'), KeyUse::Answers, after(start, at));
        assert_eq!([route(0), route(299)], [KeyRoute::Draft; 2]);
        assert_eq!(route(300), KeyRoute::Question);
    }

    #[test]
    fn a_letter_that_answers_within_a_word_waits_and_the_next_one_makes_it_prose() {
        let start = Instant::now();
        let mut hearing = Hearing::by_itself(start);
        assert_eq!(
            hearing.route(key('k'), KeyUse::Looks, after(start, 500)),
            KeyRoute::Question
        );
        assert_eq!(
            hearing.route(key('n'), KeyUse::Answers, after(start, 900)),
            KeyRoute::Later
        );
        assert_eq!(hearing.take_due(after(start, 1499)), None);
        assert_eq!(
            hearing.route(key('o'), KeyUse::Prose, after(start, 1499)),
            KeyRoute::Draft
        );
        assert_eq!(hearing.take_burst(), [key('k'), key('n')]);
    }

    #[test]
    fn a_letter_that_waited_answers_after_a_pause() {
        let start = Instant::now();
        let mut hearing = Hearing::by_itself(start);
        assert_eq!(
            hearing.route(key('x'), KeyUse::Commits, after(start, 500)),
            KeyRoute::Later
        );
        assert_eq!(hearing.until(), Some(after(start, 1100)));
        assert_eq!(hearing.take_due(after(start, 1100)), Some(key('x')));
        assert_eq!(hearing.until(), None);
    }

    #[test]
    fn a_burst_ends_with_a_second_without_keys() {
        let start = Instant::now();
        let mut hearing = Hearing::by_itself(start);
        hearing.route(key('d'), KeyUse::Looks, after(start, 500));
        assert_eq!(
            hearing.route(key('y'), KeyUse::Answers, after(start, 1500)),
            KeyRoute::Question
        );
    }

    #[test]
    fn who_went_to_a_question_waits_until_it_was_on_screen() {
        let start = Instant::now();
        let mut hearing = Hearing::by_person(start);
        assert_eq!(
            hearing.route(key('y'), KeyUse::Answers, after(start, 40)),
            KeyRoute::Later
        );
        assert_eq!(hearing.take_due(after(start, 300)), Some(key('y')));
        let mut hearing = Hearing::by_person(start);
        hearing.route(key('y'), KeyUse::Answers, after(start, 40));
        assert_eq!(
            hearing.route(key('e'), KeyUse::Commits, after(start, 80)),
            KeyRoute::Draft
        );
        assert_eq!(hearing.take_burst(), [key('y')]);
        let mut hearing = Hearing::by_itself(start);
        hearing.route(key('d'), KeyUse::Looks, after(start, 400));
        hearing.route(key('d'), KeyUse::Moves, after(start, 500));
        assert_eq!(
            hearing.route(key('y'), KeyUse::Answers, after(start, 600)),
            KeyRoute::Question
        );
    }
}
