//! Settings and facts that the screen begins with, before there is a session.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

use super::hearing;
use super::watch::TileConversations;
use super::{
    App, FrecencyState,
    appearance::{Appearance, ThemeList, Themes},
    attention, completions, frame, history, pointer, session_list,
    session_view::SessionView,
    sessions,
    trees::TreeView,
    views::OpenViews,
    wall_clock::WallClock,
};
use crate::permission::ChosenScopes;
use crate::permission::Mode;
use crate::tui::MouseCapture;
use crate::tui::dialog::{Trust, TrustQuestion};
use crate::tui::keymap::Keymap;
use crate::tui::pictures::Pictures;
use crate::tui::sessions::SlotId;
use crate::tui::statusbar::SessionFacts;
use crate::tui::terminal_environment::TerminalEnvironment;
use crate::view::highlight::Highlighter;

/// Facts that are known before the session is open.
pub(crate) struct Setup {
    pub(crate) model: String,
    pub(crate) agent: String,
    pub(crate) mode: Mode,
    pub(crate) directory: PathBuf,
    /// Project whose prompt history is used.
    pub(crate) project: PathBuf,
    pub(crate) is_demo: bool,
    pub(crate) themes: Themes,
    pub(crate) theme_list: ThemeList,
    /// Settings file that a choice is written to.
    pub(crate) settings_file: PathBuf,
    pub(crate) keymap: Keymap,
    /// File of the frecency scores.
    pub(crate) frecency_file: PathBuf,
    pub(crate) wheel_lines: u16,
    pub(crate) mouse: MouseCapture,
    pub(crate) copies_on_select: bool,
    /// True if the composer works with vim's modes.
    pub(crate) uses_vim: bool,
    pub(crate) prompt: Option<String>,
    /// The session has begun before.
    pub(crate) reopens: bool,
    /// To be asked before the session opens.
    pub(crate) trust: Option<TrustQuestion>,
    pub(crate) terminal_environment: TerminalEnvironment,
}

impl App {
    pub(crate) fn new(setup: Setup, now: Instant) -> Self {
        let facts = SessionFacts {
            model: setup.model,
            agent: setup.agent,
            mode: setup.mode,
            is_demo: setup.is_demo,
            ..SessionFacts::default()
        };
        let reopens = setup.reopens.then_some(now);
        let mut view = SessionView::blank(
            SlotId::FIRST,
            facts.clone(),
            setup.directory.clone(),
            None,
            reopens,
        );
        view.has_messages = setup.prompt.is_some();
        let mut app = Self {
            start: now,
            wall_clock: WallClock::new(now, Timestamp::now().as_millisecond()),
            keymap: setup.keymap,
            attention: attention::Attention::new(now),
            pictures: Pictures::new(setup.terminal_environment.picture_protocol),
            appearance: Appearance {
                theme: Arc::clone(&setup.themes.dark),
                themes: setup.themes,
                theme_list: setup.theme_list,
                settings_file: setup.settings_file,
                highlighter: Highlighter::plain(),
                terminal_environment: setup.terminal_environment,
            },
            pointer: pointer::Pointer::new(setup.mouse, setup.wheel_lines, setup.copies_on_select),
            uses_vim: setup.uses_vim,
            next_slot: SlotId(SlotId::FIRST.0 + 1),
            views: OpenViews::new(view),
            trees: vec![TreeView::new(SlotId::FIRST)],
            blank: sessions::NewSessionFacts {
                facts,
                directory: setup.directory,
            },
            project: setup.project,
            edits_chip: false,
            reading: history::HistoryRead::default(),
            uses: FrecencyState::default(),
            held: completions::HeldKeys::default(),
            frecency_file: setup.frecency_file,
            early_command: None,
            scopes: ChosenScopes::default(),
            is_trust_open: setup.trust.is_some(),
            trust: setup.trust.map(Trust::new),
            hearing: hearing::Hearing::by_itself(now),
            is_left_by_typing: false,
            last_key: None,
            layers: Vec::new(),
            session_list: session_list::SessionList::default(),
            leader: None,
            tiles: TileConversations::default(),
            quit_armed: None,
            dropped_keys: 0,
            shown: frame::FrameLayout::default(),
            effects: Vec::new(),
        };
        if setup.uses_vim {
            app.views.front.composer.use_vim();
        }
        let background = app.appearance.terminal_environment.background;
        app.set_background(background);
        if let Some(prompt) = setup.prompt {
            app.begin_with(prompt);
        }
        app
    }
}
