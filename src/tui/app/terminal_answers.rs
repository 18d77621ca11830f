//! Answers of the terminal to queries, which come at any time, and the pictures of the conversation: what the terminal
//! says about them, and those that have to be made.

use super::App;
use crate::tui::pictures::{FramePictures, PictureProtocol, PictureResult};
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
            TerminalAnswer::CellSize(width, height) => {
                self.pictures.answered_cell((width, height));
                RedrawUrgency::Soft
            }
        }
    }

    /// Chooses the theme for a background.
    pub(crate) fn set_background(&mut self, background: Background) -> RedrawUrgency {
        RedrawUrgency::Urgent.only_if(self.appearance.set_background(background))
    }

    /// Returns what the terminal has to be asked before it is known whether it draws pictures.
    pub(crate) fn question_about_pictures(&self) -> Option<&'static [u8]> {
        self.pictures.question()
    }

    /// Returns true if only the terminal itself can tell how large a cell is, and has to.
    pub(crate) fn asks_for_cell_size(&self) -> bool {
        self.pictures.asks_for_cell()
    }

    /// The terminal has said whether it draws pictures by this protocol.
    pub(crate) fn draws_pictures(&mut self, protocol: PictureProtocol, draws: bool) -> RedrawUrgency {
        self.pictures.answered(protocol, draws);
        RedrawUrgency::Soft
    }

    /// Says how many pixels a cell has by the terminal's window, where that is known.
    pub(crate) fn set_cell_size(&mut self, cell: Option<(u16, u16)>) {
        self.pictures.set_cell(cell);
    }

    /// A picture was made, or cannot be.
    pub(crate) fn picture_made(&mut self, made: PictureResult) -> RedrawUrgency {
        self.pictures.made(made);
        RedrawUrgency::Soft
    }

    /// Returns the pictures that the terminal needs for the frame that was drawn.
    pub(crate) fn pictures_on_screen(&self) -> FramePictures {
        self.pictures.needed()
    }
}
