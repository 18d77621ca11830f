//! Answers of the terminal to queries; they come at any time.

use super::App;
use crate::tui::pictures::Protocol;
use crate::tui::terminal::answer::Answer;
use crate::tui::terminal::background::Background;
use crate::tui::transcript::Change;

impl App {
    pub(crate) fn terminal_answered(&mut self, answer: Answer) -> Change {
        match answer {
            Answer::Background(Some(background)) => self.set_background(background),
            Answer::Background(None) => Change::None,
            Answer::KittyPictures(draws) => self.draws_pictures(Protocol::Kitty, draws),
            Answer::Sixel(draws) => self.draws_pictures(Protocol::Sixel, draws),
            Answer::CellSize(width, height) => self.cell_size_answered((width, height)),
        }
    }

    /// Chooses the theme for a background.
    pub(crate) fn set_background(&mut self, background: Background) -> Change {
        if !self.appearance.set_background(background) {
            return Change::None;
        }
        Change::Urgent
    }
}
