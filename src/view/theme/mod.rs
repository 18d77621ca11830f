//! Meanings to styles.
//!
//! A theme file is JSON: `name`, `kind` (`dark` or `light`), the `background` it assumes, the `pair` that stands in for
//! it on a background of the other kind, an optional `extends`, a `palette` of own colour names, and `styles` by dotted
//! meaning. A palette counts for the styles of what is extended too, so that a theme may be a palette alone. A meaning
//! without an entry takes its parent's. An entry is a colour, or an object with `fg`, `bg`, `mods`, and `256` and `ansi` for what to show where there are fewer
//! colours; without them the nearest is taken, and backgrounds are left out at sixteen. Reading a file gives the theme
//! and what was wrong with it, because a misspelt key should not cost the rest.
//!
//! Nothing here reads a file or asks the terminal: callers bring the text and the depth.

mod colour;
mod file;
mod meaning;
mod sgr;

pub use colour::ColorDepth;
pub use meaning::Meaning;

use std::hash::{DefaultHasher, Hash, Hasher};

use ratatui::style::{Color, Modifier, Style};

use crate::text::sgr::SgrStyle;

/// The themes inside the program, by name. The first is the default.
const BUILTIN: &[(&str, &str)] = &[
    ("lathe-dark", include_str!("../../../themes/lathe-dark.json")),
    ("lathe-light", include_str!("../../../themes/lathe-light.json")),
    ("lathe-cvd", include_str!("../../../themes/lathe-cvd.json")),
    (
        "lathe-cvd-light",
        include_str!("../../../themes/lathe-cvd-light.json"),
    ),
    ("ember-dark", include_str!("../../../themes/ember-dark.json")),
    ("ember-light", include_str!("../../../themes/ember-light.json")),
    ("tide-dark", include_str!("../../../themes/tide-dark.json")),
    ("tide-light", include_str!("../../../themes/tide-light.json")),
    ("dusk-dark", include_str!("../../../themes/dusk-dark.json")),
    ("dusk-light", include_str!("../../../themes/dusk-light.json")),
    ("quartz-dark", include_str!("../../../themes/quartz-dark.json")),
    ("quartz-light", include_str!("../../../themes/quartz-light.json")),
    ("system", include_str!("../../../themes/system.json")),
];

/// A theme file that cannot be used at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    #[error("the theme is not JSON: {0}")]
    Json(String),
    #[error("the theme is not a JSON object")]
    NotAnObject,
    #[error("the theme extends `{0}`, which is not known")]
    UnknownParent(String),
    #[error("the theme `{0}` extends itself")]
    Cycle(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeKind {
    #[default]
    Dark,
    Light,
}

/// Styles for every meaning, at one colour depth.
#[derive(Debug, Clone)]
pub struct Theme {
    name: String,
    kind: ThemeKind,
    background: Color,
    pair: Option<String>,
    entries: Box<[ThemeEntry]>,
    styles: Box<[Style]>,
    depth: ColorDepth,
    id: u64,
}

/// A meaning's look at each depth, as the file gave it.
#[derive(Debug, Clone, Copy, Default)]
struct ThemeEntry {
    full: Style,
    indexed: Option<Style>,
    ansi: Option<Style>,
}

impl Default for Theme {
    fn default() -> Self {
        Self::builtin("lathe-dark").expect("the default theme is in the list")
    }
}

impl Theme {
    /// Returns one of the themes inside the program.
    pub fn builtin(name: &str) -> Option<Self> {
        let text = builtin_text(name)?;
        let (theme, _) = Self::parse(text).expect("a test reads every theme inside the program");
        Some(theme)
    }

    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(name, _)| *name)
    }

    /// Reads a theme file that may extend a theme inside the program.
    pub fn parse(text: &str) -> Result<(Self, Vec<String>), ThemeError> {
        Self::parse_with(text, &|_| None)
    }

    /// Reads a theme file; `find` gives the text of another theme by its name, before those inside the program.
    pub fn parse_with(
        text: &str,
        find: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<String>), ThemeError> {
        let mut problems = Vec::new();
        let file = file::read(text, find, &mut problems)?;
        let entries: Box<[ThemeEntry]> = Meaning::ALL.iter().map(|meaning| file.entry(*meaning)).collect();
        let theme = Self {
            name: file.name,
            kind: file.kind,
            background: file.background,
            pair: file.pair,
            styles: Box::default(),
            entries,
            depth: ColorDepth::default(),
            id: 0,
        };
        Ok((theme.at_depth(ColorDepth::TrueColor), problems))
    }

    /// Returns the same theme for a terminal that shows this many colours.
    pub fn at_depth(mut self, depth: ColorDepth) -> Self {
        let looks = Meaning::ALL.iter().zip(&self.entries);
        self.styles = looks
            .map(|(meaning, entry)| entry.at_depth(*meaning, depth))
            .collect();
        self.depth = depth;
        let mut hasher = DefaultHasher::new();
        (&self.styles, depth).hash(&mut hasher);
        self.id = hasher.finish();
        self
    }

    pub fn style(&self, meaning: Meaning) -> Style {
        self.styles[meaning as usize]
    }

    /// Returns how text looks that a program printed in this ink.
    pub fn sgr(&self, sgr: SgrStyle) -> Style {
        self.style(Meaning::Text).patch(sgr::style(sgr, self.depth))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> ThemeKind {
        self.kind
    }

    /// Returns the background that the theme was made for. It is not painted.
    pub fn assumed_background(&self) -> Color {
        self.background
    }

    /// Returns the name of the theme that stands in for this one on a background of the other kind.
    pub fn pair(&self) -> Option<&str> {
        self.pair.as_deref()
    }

    /// Identifies the looks, as a part of the keys of layout caches.
    pub fn id(&self) -> u64 {
        self.id
    }
}

impl ThemeEntry {
    fn at_depth(&self, meaning: Meaning, depth: ColorDepth) -> Style {
        match depth {
            ColorDepth::TrueColor => self.full,
            ColorDepth::Ansi256 => self.indexed.unwrap_or_else(|| Style {
                fg: self.full.fg.map(colour::to_256),
                bg: self.full.bg.map(colour::to_256),
                ..self.full
            }),
            ColorDepth::Ansi16 => self.ansi.unwrap_or_else(|| Style {
                fg: self.full.fg.map(colour::to_16),
                bg: None,
                ..self.full
            }),
            ColorDepth::None => {
                let kept =
                    self.full.add_modifier & (Modifier::BOLD | Modifier::ITALIC | Modifier::CROSSED_OUT);
                Style::new().add_modifier(meaning.without_colour() | kept)
            }
        }
    }
}

fn builtin_text(name: &str) -> Option<&'static str> {
    let found = BUILTIN.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

#[cfg(test)]
mod tests;
