//! The question whether the project is trusted, before there is a session.

use std::time::Instant;

use super::{App, Effect};
use crate::tui::dialog::TrustAnswer;
use crate::tui::keymap::Action;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn act_on_trust(&mut self, action: Action, now: Instant) {
        if let Some(answer) = self.trust.as_mut().and_then(|trust| trust.act(action)) {
            self.answer_trust(answer, now);
        }
    }

    pub(super) fn answer_trust(&mut self, answer: TrustAnswer, now: Instant) {
        self.trust = None;
        self.effects.push(Effect::Trust(answer));
        if answer == TrustAnswer::NotNow {
            self.say(
                "going on without what the project brings",
                Meaning::TextMuted,
                now,
            );
        }
    }
}

/// Returns true if an action belongs to the question.
pub(super) fn is_about_trust(action: Action) -> bool {
    matches!(
        action,
        Action::TrustProject
            | Action::TrustNotNow
            | Action::TrustParts
            | Action::ScrollUp
            | Action::ScrollDown
    )
}
