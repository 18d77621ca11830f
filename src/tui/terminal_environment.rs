//! Facts from the environment about the screen, read once.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use ratatui::layout::Rect;

use super::clipboard::picture::ClipboardSource;
use super::pictures::PictureProtocol;
use super::terminal::background::Background;
use super::terminal::color_depth;
use super::terminal::multiplexer::Multiplexer;
use super::terminal::notify::Notify;
use crate::session::query::StatusGroup;
use crate::view::Symbols;
use crate::view::theme::ColorDepth;

#[derive(Debug, Clone)]
pub(crate) struct TerminalEnvironment {
    pub(crate) depth: ColorDepth,
    pub(crate) symbols: Symbols,
    /// Until the terminal says so itself.
    pub(crate) background: Background,
    pub(crate) motion: Motion,
    /// In which times are told. Finding it reads files, so it is done when one is told.
    pub(crate) zone: fn() -> TimeZone,
    pub(crate) home: Option<PathBuf>,
    /// `$VISUAL`, else `$EDITOR`.
    pub(crate) editor: Option<String>,
    pub(crate) multiplexer: Multiplexer,
    /// True if the terminal has a title that can be set.
    pub(crate) has_title: bool,
    /// True if the terminal shows links.
    pub(crate) shows_links: bool,
    /// How the terminal may draw pictures.
    pub(crate) picture_protocol: Option<PictureProtocol>,
    /// The screen is another machine's.
    pub(crate) is_remote: bool,
    /// The meaning of `auto` for notifications here.
    pub(crate) notify: Notify,
    /// Commands that put text on the system's clipboard.
    pub(crate) clipboard_commands: Vec<&'static [&'static str]>,
    /// How a picture on it is read.
    pub(crate) pictures: ClipboardSource,
    pub(crate) trace: Option<PathBuf>,
    /// Shows that the terminal is given back.
    pub(crate) panics_at_first_key: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Full,
    /// Nothing turns; clocks still count seconds.
    Reduced,
}

/// Keys that the terminal has shown that it can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyReporting {
    /// None yet that not every terminal sends.
    Plain,
    /// One that only a terminal sends which reports modifiers of all keys.
    All,
}

/// Writes a path as a person would: `~/src/retry`.
pub(crate) fn path_words(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

impl TerminalEnvironment {
    pub(crate) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let is_on = |name: &str| set(name).is_some_and(|value| value != "0");
        let color = variable("COLORFGBG");
        let depth = color_depth(variable);
        Self {
            depth,
            picture_protocol: PictureProtocol::read(&set).filter(|_| depth != ColorDepth::None),
            symbols: symbols(&set),
            background: Background::from_color_fg_bg(color.as_deref()).unwrap_or(Background::Dark),
            motion: if is_on("LATHE_REDUCED_MOTION") {
                Motion::Reduced
            } else {
                Motion::Full
            },
            zone: TimeZone::system,
            home: set("HOME").map(PathBuf::from),
            editor: set("VISUAL").or_else(|| set("EDITOR")),
            multiplexer: Multiplexer::read(&set),
            has_title: !matches!(set("TERM").as_deref(), Some("linux" | "dumb")),
            // GNU screen shows such a sequence as text in some versions.
            shows_links: !matches!(set("TERM").as_deref(), Some("linux" | "dumb")) && set("STY").is_none(),
            is_remote: set("SSH_CONNECTION").is_some() || set("SSH_TTY").is_some(),
            notify: Notify::Auto.resolved(&set),
            clipboard_commands: super::clipboard::commands(&set),
            pictures: ClipboardSource::of(&set),
            trace: set("LATHE_UI_TRACE").map(PathBuf::from),
            panics_at_first_key: is_on("LATHE_DEBUG_PANIC"),
        }
    }
}

impl TerminalEnvironment {
    /// Returns facts about the terminal, for the person.
    pub(crate) fn status_group(
        &self,
        area: Rect,
        pictures: Option<PictureProtocol>,
        keys: KeyReporting,
    ) -> StatusGroup {
        let colours = match self.depth {
            ColorDepth::None => "none",
            ColorDepth::Ansi16 => "16",
            ColorDepth::Ansi256 => "256",
            ColorDepth::TrueColor => "16 million",
        };
        let signs = match self.symbols {
            Symbols::Unicode => "Unicode",
            Symbols::Ascii => "ASCII only",
        };
        let between = match self.multiplexer {
            Multiplexer::Direct => "none",
            Multiplexer::Tmux => "tmux",
            Multiplexer::Screen => "screen",
        };
        let pictures = match (pictures, self.picture_protocol) {
            (Some(PictureProtocol::Kitty), _) => "drawn by kitty's protocol",
            (Some(PictureProtocol::Iterm), _) => "drawn by iTerm2's protocol",
            (Some(PictureProtocol::Sixel), _) => "drawn as sixel",
            (None, Some(_)) => "shown as text; the terminal does not say that it draws them",
            (None, None) => "shown as text; the terminal is not known to draw them",
        };
        let background = match self.background {
            Background::Dark => "dark",
            Background::Light => "light",
        };
        // Both ways are asked for, and no answer is waited for.
        let keys = match keys {
            KeyReporting::All => "shift+enter and similar keys work; one was received",
            KeyReporting::Plain => "shift+enter may arrive as enter",
        };
        let editor = self
            .editor
            .as_deref()
            .unwrap_or("none; set `EDITOR` to its command");
        StatusGroup::new(
            "Terminal",
            vec![
                ("size", format!("{} columns, {} rows", area.width, area.height)),
                ("colours", colours.to_owned()),
                ("background", background.to_owned()),
                ("symbols", signs.to_owned()),
                ("multiplexer", between.to_owned()),
                ("keys", keys.to_owned()),
                ("images", pictures.to_owned()),
                ("editor", editor.to_owned()),
            ],
        )
    }
}

/// Signs outside ASCII need a locale that has them, and one in which they are a column wide.
fn symbols(set: &dyn Fn(&str) -> Option<String>) -> Symbols {
    // The font of Linux's own console has few of them.
    if set("TERM").as_deref() == Some("linux") {
        return Symbols::Ascii;
    }
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    let Some(locale) = locale.map(|locale| locale.to_lowercase()) else {
        // Containers often set no locale, and their terminals still speak UTF-8.
        return Symbols::Unicode;
    };
    let is_utf8 = locale.contains("utf-8") || locale.contains("utf8");
    let is_wide = ["zh", "ja", "ko"]
        .iter()
        .any(|language| locale.starts_with(language));
    if is_utf8 && !is_wide {
        Symbols::Unicode
    } else {
        Symbols::Ascii
    }
}

#[cfg(test)]
impl TerminalEnvironment {
    /// A dark terminal with everything that terminals can do, for tests.
    pub(crate) fn sample() -> Self {
        Self {
            depth: ColorDepth::TrueColor,
            symbols: Symbols::Unicode,
            background: Background::Dark,
            motion: Motion::Full,
            zone: || TimeZone::UTC,
            home: Some("/home/u".into()),
            editor: None,
            multiplexer: Multiplexer::Direct,
            has_title: true,
            shows_links: true,
            picture_protocol: None,
            is_remote: false,
            notify: Notify::Bell,
            clipboard_commands: Vec::new(),
            pictures: ClipboardSource::Remote,
            trace: None,
            panics_at_first_key: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> TerminalEnvironment {
        let find = |name: &str| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        TerminalEnvironment::read(&find)
    }

    #[test]
    fn signs_fit_the_locale() {
        assert_eq!(read(&[("LANG", "en_US.UTF-8")]).symbols, Symbols::Unicode);
        assert_eq!(read(&[("LANG", "en_US.ISO-8859-1")]).symbols, Symbols::Ascii);
        assert_eq!(read(&[("LANG", "ja_JP.UTF-8")]).symbols, Symbols::Ascii);
        assert_eq!(
            read(&[("LANG", "ja_JP.UTF-8"), ("LC_ALL", "C.UTF-8")]).symbols,
            Symbols::Unicode
        );
        assert_eq!(read(&[]).symbols, Symbols::Unicode);
        assert_eq!(
            read(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).symbols,
            Symbols::Ascii
        );
        assert_eq!(
            read(&[("TERM", "linux"), ("LANG", "en_US.UTF-8")]).symbols,
            Symbols::Ascii
        );
    }

    #[test]
    fn switches_are_off_when_empty_or_zero() {
        assert_eq!(read(&[("LATHE_REDUCED_MOTION", "1")]).motion, Motion::Reduced);
        assert_eq!(read(&[("LATHE_REDUCED_MOTION", "0")]).motion, Motion::Full);
        assert!(read(&[("LATHE_DEBUG_PANIC", "1")]).panics_at_first_key);
        assert!(!read(&[("LATHE_DEBUG_PANIC", "")]).panics_at_first_key);
        assert_eq!(read(&[("COLORFGBG", "0;15")]).background, Background::Light);
        let kitty = ("TERM", "xterm-kitty");
        assert_eq!(read(&[kitty]).picture_protocol, Some(PictureProtocol::Kitty));
        assert_eq!(read(&[kitty, ("NO_COLOR", "1")]).picture_protocol, None);
    }
}
