//! Answers of the terminal to queries; they come at any time.

use super::App;
use crate::tui::pictures::PictureProtocol;
use crate::tui::terminal::answer::TerminalAnswer;
use crate::tui::terminal::background::Background;
use crate::tui::transcript::RedrawUrgency;

impl App {
    pub(crate) fn terminal_answered(&mut self, answer: TerminalAnswer) -> RedrawUrgency {
        match answer {
            TerminalAnswer::Background(Some(background)) => self.set_background(background),
            TerminalAnswer::Background(None) => RedrawUrgency::None,
            TerminalAnswer::KittyPictures(draws) => self.draws_pictures(PictureProtocol::Kitty, draws),
            TerminalAnswer::Sixel(draws) => self.draws_pictures(PictureProtocol::Sixel, draws),
            TerminalAnswer::CellSize(width, height) => self.cell_size_answered((width, height)),
        }
    }

    /// Chooses the theme for a background.
    pub(crate) fn set_background(&mut self, background: Background) -> RedrawUrgency {
        if !self.appearance.set_background(background) {
            return RedrawUrgency::None;
        }
        RedrawUrgency::Urgent
    }
}
