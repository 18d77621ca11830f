//! The question whether the project is trusted, before there is a session.

use std::time::Instant;

use super::{App, Effect};
use crate::tui::dialog::TrustAnswer;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn answer_trust(&mut self, answer: TrustAnswer, now: Instant) {
        self.effects.push(Effect::Trust(answer));
        if answer == TrustAnswer::NotNow {
            self.say(
                "continuing without the project's own code and rules",
                Meaning::TextMuted,
                now,
            );
        }
    }
}
