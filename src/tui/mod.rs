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

pub(crate) use app::Setup;
pub use app::{NamedThemes, ThemeList, Themes};
pub use commands::{SlashCommand, slash_commands};
pub use dialog::{TrustAnswer, TrustPart, TrustQuestion};
pub use first_run::{
    ApiKey, FirstRun, FirstRunChoice, FoundModel, KeyService, KeyServices, KeyTrial, first_run,
};
pub use keymap::{KeyAction, KeyProblem, Keymap, key_actions, key_presets};
pub use terminal::TerminalError;
pub use terminal::notify::Notify;
pub use terminal_environment::Motion;

use std::time::Instant;

use tokio::sync::oneshot;

use app::App;
use event_loop::EventLoop;
use prompts::PromptKeeper;
use sessions::SessionSlots;
use terminal_environment::TerminalEnvironment;
use trace::Trace;

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

impl UiSettings {
    /// Returns the environment's traits, as far as the configuration leaves them to it.
    pub(crate) fn terminal_environment(&self) -> TerminalEnvironment {
        let mut environment = TerminalEnvironment::read(&|name| std::env::var(name).ok());
        if let Some(symbols) = self.symbols {
            environment.symbols = symbols;
        }
        if self.motion == Motion::Reduced {
            environment.motion = Motion::Reduced;
        }
        if self.notify != Notify::Auto {
            environment.notify = self.notify;
        }
        environment.shows_links &= self.shows_links;
        environment.has_title &= self.sets_title;
        environment
    }
}

/// The data of the first frame, and of what comes after it.
pub struct TuiStart {
    pub(crate) setup: Setup,
    /// Waits for the answer to the question before the session opens.
    pub(crate) trust_answer: Option<oneshot::Sender<TrustAnswer>>,
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
    let trace = match &start.setup.terminal_environment.trace {
        Some(path) => Some(Trace::open(path, now)?),
        None => None,
    };
    let mouse = start.setup.mouse;
    runtime.block_on(async {
        let mut event_loop = EventLoop::start(
            App::new(start.setup, now),
            SessionSlots::new(start.host.clone(), start.open),
            start.host.clone(),
            start.trust_answer,
            mouse,
            trace,
            PromptKeeper::new(start.host),
        )?;
        let ended = event_loop.run().await;
        Box::pin(event_loop.finish()).await;
        Ok(ended)
    })
}
