//! The full-screen front end.
//!
//! [`run`] takes the terminal, paints the first frame from what the caller knows already, and only then waits for the
//! session to open; what is typed meanwhile is kept. From there on [`event_loop`] owns the screen: one loop over one closed
//! set of events, on the thread that calls `run`. The state is [`app`], which knows neither terminal nor clock. A front end
//! speaks to the session through its handle and to nothing else; tools draw themselves as cards. Several sessions may be
//! open, of which one is on screen ([`sessions`]).
//!
//! ```text
//!   keys · paste · wheel · resize ──► event_loop ──► app ──► layers ──► terminal
//!                    session::Receiver ──┘            └──► Effect::Send ──► session::Handle
//! ```
//!
//! Import circle: app, commands, completion, composer, dialog, keymap, layer, page, pane, panel, picker, prompts, statusbar, watch: a layer names requests of the others, which are layers or have them.

mod app;
mod area;
mod caret;
mod clipboard;
mod commands;
mod completion;
mod composer;
mod dialog;
mod editor;
mod event_loop;
mod first_run;
mod frame_pacer;
mod grammars;
mod keymap;
mod layer;
mod media;
mod page;
mod pane;
mod panel;
mod picker;
mod pictures;
mod prompts;
mod queue_list;
mod sessions;
mod statusbar;
mod tasks;
mod terminal;
mod terminal_environment;
mod tile_grid;
mod trace;
pub mod transcript;
mod watch;

pub use app::{NamedThemes, ThemeList, Themes};
pub use commands::{SlashCommand, slash_commands};
pub use dialog::{TrustAnswer, TrustPart, TrustQuestion};
pub use first_run::{FirstRun, FirstRunChoice, FoundModel, first_run};
pub use keymap::{KeyAction, KeyProblem, Keymap, key_actions, key_presets};
pub use terminal::TerminalError;
pub use terminal::notify::Notify;
pub use terminal_environment::Motion;

use std::path::PathBuf;
use std::time::Instant;

use tokio::sync::oneshot;

use app::{App, Setup};
use event_loop::EventLoop;
use prompts::PromptKeeper;
use sessions::SessionSlots;
use terminal_environment::TerminalEnvironment;
use trace::Trace;

use crate::permission::Mode;
use crate::session::host::{Host, SessionFuture};
use crate::view::Symbols;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseCapture {
    /// The wheel scrolls, a click moves the keys, a drag selects.
    Caught,
    /// It belongs to the terminal, whose own selection works.
    LeftAlone,
}

/// The configuration of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UiSettings {
    pub mouse: MouseCapture,
    /// Rows for each turn of the wheel.
    pub wheel_lines: u16,
    /// Copies a selection as soon as the mouse has made it.
    pub copies_on_select: bool,
    /// Gives the composer vim's modes.
    pub uses_vim: bool,
    /// True if the window's title says what the session is about.
    pub sets_title: bool,
    pub notify: Notify,
    /// True if links and paths can be opened from the terminal.
    pub shows_links: bool,
    /// Reduced as well where the environment asks for it.
    pub motion: Motion,
    /// Symbols to use; `None` leaves it to the environment.
    pub symbols: Option<Symbols>,
}

/// The data of the first frame, and of what comes after it.
pub struct TuiStart {
    /// `provider/model`, for the title row.
    pub model: String,
    pub agent: String,
    pub mode: Mode,
    pub directory: PathBuf,
    /// The project that the directory belongs to.
    pub project: PathBuf,
    /// The scripted model: the screen says so.
    pub is_demo: bool,
    pub themes: Themes,
    pub theme_list: ThemeList,
    /// The user's own configuration file, whether it is there or not.
    pub settings_file: PathBuf,
    pub keymap: Keymap,
    /// File of the frecency scores.
    pub frecency_file: PathBuf,
    pub ui_settings: UiSettings,
    /// Sent as soon as the session is open.
    pub prompt: Option<String>,
    /// The session has begun before.
    pub reopens: bool,
    /// The question before the session opens, and who waits for the answer.
    pub trust: Option<(TrustQuestion, oneshot::Sender<TrustAnswer>)>,
    pub open: SessionFuture,
    /// Opens the others, and knows those that are stored.
    pub host: Host,
}

/// Why the screen was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TuiExit {
    Quit,
    /// By this signal.
    Signal(i32),
    /// By a fault of the screen; it has been told on standard error.
    Fault,
}

impl TuiExit {
    /// Returns the exit status of the process.
    pub fn status(self) -> u8 {
        match self {
            Self::Quit => 0,
            Self::Signal(number) => u8::try_from(128 + number).unwrap_or(u8::MAX),
            Self::Fault => 101,
        }
    }
}

/// Runs the screen on this thread until the person leaves. Whatever happens, the terminal is given back before it returns.
pub fn run(start: TuiStart) -> Result<TuiExit, TerminalError> {
    terminal::caught(|| run_loop(start)).unwrap_or(Ok(TuiExit::Fault))
}

fn run_loop(start: TuiStart) -> Result<TuiExit, TerminalError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let now = Instant::now();
    let mut terminal_environment = TerminalEnvironment::read(&|name| std::env::var(name).ok());
    if let Some(symbols) = start.ui_settings.symbols {
        terminal_environment.symbols = symbols;
    }
    if start.ui_settings.motion == Motion::Reduced {
        terminal_environment.motion = Motion::Reduced;
    }
    if start.ui_settings.notify != Notify::Auto {
        terminal_environment.notify = start.ui_settings.notify;
    }
    terminal_environment.shows_links &= start.ui_settings.shows_links;
    terminal_environment.has_title &= start.ui_settings.sets_title;
    let trace = match &terminal_environment.trace {
        Some(path) => Some(Trace::open(path, now)?),
        None => None,
    };
    let (trust, answer) = start.trust.unzip();
    let setup = Setup {
        model: start.model,
        agent: start.agent,
        mode: start.mode,
        directory: start.directory,
        project: start.project,
        is_demo: start.is_demo,
        themes: start.themes,
        theme_list: start.theme_list,
        settings_file: start.settings_file,
        keymap: start.keymap,
        frecency_file: start.frecency_file,
        wheel_lines: start.ui_settings.wheel_lines,
        mouse: start.ui_settings.mouse,
        copies_on_select: start.ui_settings.copies_on_select,
        uses_vim: start.ui_settings.uses_vim,
        prompt: start.prompt,
        reopens: start.reopens,
        trust,
        terminal_environment,
    };
    runtime.block_on(async {
        let mut event_loop = EventLoop::start(
            App::new(setup, now),
            SessionSlots::new(start.host.clone(), start.open),
            start.host.clone(),
            answer,
            start.ui_settings.mouse,
            trace,
            PromptKeeper::new(start.host),
        )?;
        let ended = event_loop.run().await;
        Box::pin(event_loop.finish()).await;
        Ok(ended)
    })
}
