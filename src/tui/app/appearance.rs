//! How the screen looks: themes, colours, symbols and what is known of the terminal.

use std::path::PathBuf;
use std::sync::Arc;

use super::setup::{ThemeList, Themes};
use crate::tui::terminal::background::Background;
use crate::tui::terminal_environment::TerminalEnvironment;
use crate::view::Look;
use crate::view::highlight::Highlighter;
use crate::view::theme::Theme;

pub(super) struct Appearance {
    pub(super) themes: Themes,
    pub(super) theme_list: ThemeList,
    /// Where a choice is written to be kept.
    pub(super) settings_file: PathBuf,
    /// The one of `themes` that fits the background, at the terminal's depth of colour.
    pub(super) theme: Arc<Theme>,
    pub(super) highlighter: Highlighter,
    pub(super) terminal_environment: TerminalEnvironment,
}

impl Appearance {
    pub(super) fn look(&self) -> Look<'_> {
        Look {
            theme: &self.theme,
            symbols: self.terminal_environment.symbols,
            highlighter: &self.highlighter,
        }
    }

    /// Chooses the theme for a background; says whether it is another one.
    pub(super) fn set_background(&mut self, background: Background) -> bool {
        self.terminal_environment.background = background;
        let theme = match background {
            Background::Dark => &self.themes.dark,
            Background::Light => &self.themes.light,
        };
        let theme = Theme::clone(theme).at_depth(self.terminal_environment.depth);
        let changes = theme.id() != self.theme.id();
        self.theme = Arc::new(theme);
        changes
    }
}
