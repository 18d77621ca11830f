//! Appearance of the screen: themes, colours, symbols and the terminal's abilities.

use std::path::PathBuf;
use std::sync::Arc;

use crate::tui::terminal::background::Background;
use crate::tui::terminal_environment::TerminalEnvironment;
use crate::view::Look;
use crate::view::highlight::Highlighter;
use crate::view::theme::Theme;

/// A theme for each kind of background. Both may be the same.
#[derive(Debug, Clone)]
pub struct Themes {
    pub dark: Arc<Theme>,
    pub light: Arc<Theme>,
}

impl Themes {
    /// Returns true if the themes are the same two.
    pub(in crate::tui) fn are(&self, other: &Self) -> bool {
        self.dark.name() == other.dark.name() && self.light.name() == other.light.name()
    }
}

/// Themes by the name that the configuration knows them by.
#[derive(Debug, Clone)]
pub struct NamedThemes {
    pub name: String,
    pub themes: Themes,
}

/// Gives all themes there are. Reads files, so it is asked when somebody wants to see them.
pub type ThemeList = Box<dyn Fn() -> Vec<NamedThemes>>;

pub(super) struct Appearance {
    pub(super) themes: Themes,
    pub(super) theme_list: ThemeList,
    /// Settings file that a choice is written to.
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
