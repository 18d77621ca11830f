//! The screen's state and everything that changes it, without a terminal and without a clock.
//!
//! Events come in as calls (`key`, `session`, `pass_time` …) with the moment they happened; what has to be done outside
//! comes out as [`Effect`]s; how soon to draw as a [`RedrawUrgency`]. So the whole screen can be driven by a test: keys in,
//! frames out.
//!
//! `setup` is what the screen begins with, `effect` what it wants done, `clock` what time does to it, `context` who has
//! the keys. `keys` reads keys and performs actions, `layers` keeps pages, lists and questions over the conversation and
//! `layer_requests` does what they ask for, `pickers` has the lists, `session_events` takes in what a session says into its
//! conversation (`view_update`), `sessions` puts another session on screen, `frame` draws in the places that `areas` gives, `hints` tells what keys do. The conversation, the composer and the dialog look after
//! themselves; here is only what lies between them.

mod appearance;
mod areas;
mod asking;
mod attachments;
mod attention;
mod clock;
mod completions;
mod context;
mod copying;
mod draft_files;
mod effect;
mod frame;
mod hearing;
mod held_session;
mod hints;
mod history;
mod input_queue;
mod keys;
mod layer_requests;
mod layers;
mod missing_model;
mod moving;
mod palette;
pub(crate) mod pickers;
mod pointer;
mod questions;
mod search;
mod session_events;
mod session_list;
mod session_view;
mod sessions;
mod setup;
mod shown_question;
mod side_panel;
mod task_actions;
mod task_views;
mod terminal_answers;
mod terminals;
mod tree_events;
mod trees;
mod view_cx;
mod view_frame;
mod view_update;
mod views;
mod vim;
mod wall_clock;
mod watch;
mod welcome;

#[cfg(test)]
mod tests;

use appearance::Appearance;
use views::OpenViews;

pub use appearance::{NamedThemes, ThemeList, Themes};
pub(crate) use effect::Effect;
pub(crate) use setup::Setup;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::completion::{FinderPaths, Frecency};
use super::dialog::Trust;
use super::keymap::Keymap;
use super::layer::Layer;
use super::page::LeaderTable;
use super::pictures::Pictures;
use super::sessions::SlotId;
use super::terminal::multiplexer::Multiplexer;
use super::transcript::RedrawUrgency;
use crate::permission::ChosenScopes;
use crate::session::{Op, ReadOnlyReason};
use crate::view::highlight::Highlighter;
use crate::view::theme::{ColorDepth, Meaning};

/// After this long without a key the draft is stored.
const DRAFT: Duration = Duration::from_millis(250);
/// `esc` again, or `ctrl+c` again, within this time.
const AGAIN: Duration = Duration::from_secs(1);
/// Time for which another `esc` is ignored after one closed something, so that `esc esc` never stops more than it
/// should.
const ESCAPE_PAUSE: Duration = Duration::from_millis(300);
/// Delay before a new mode judges open questions: whoever cycles through the modes means only the last.
const MODE_RESTS: Duration = Duration::from_secs(1);
/// How long a remark stands in the hint row.
const REMARK: Duration = Duration::from_secs(4);

/// The record of entries that were picked before, and the questions to the finder about it.
#[derive(Debug, Default)]
struct FrecencyState {
    uses: Frecency,
    is_asked: bool,
    /// Numbers the questions, whatever session they are asked for.
    questions: u64,
}

pub(crate) struct App {
    start: Instant,
    wall_clock: wall_clock::WallClock,
    attention: attention::Attention,
    keymap: Keymap,
    appearance: Appearance,
    pictures: Pictures,
    pointer: pointer::Pointer,
    uses_vim: bool,
    /// That lathe was started in.
    project: PathBuf,
    views: OpenViews,
    next_slot: SlotId,
    /// The trees that the open conversations belong to.
    trees: Vec<trees::TreeView>,
    /// The content of the title row for a session of which nothing is known yet.
    blank: sessions::NewSessionFacts,
    /// Entries that are picked often.
    uses: FrecencyState,
    /// Keys that wait for what they pick from.
    held: completions::HeldKeys,
    frecency_file: PathBuf,
    /// True if the editor has a folded paste, and not the whole draft.
    edits_chip: bool,
    /// The part of the history that is being read.
    reading: history::HistoryRead,
    /// A command that the program was started with; the session has to be open to know it.
    early_command: Option<String>,
    /// The scopes that were chosen last for an "always".
    scopes: ChosenScopes,
    /// Asked before there is a session that could ask anything.
    trust: Option<Trust>,
    /// It is on screen; otherwise it waits as a row.
    is_trust_open: bool,
    /// How the question on screen takes keys.
    hearing: hearing::Hearing,
    /// The question that waits was on screen until somebody typed.
    is_left_by_typing: bool,
    /// When the last key or paste came.
    last_key: Option<Instant>,
    /// Layers that a person has opened; the last one is the topmost.
    layers: Vec<Box<dyn Layer>>,
    session_list: session_list::SessionList,
    tiles: watch::TileConversations,
    /// Waits for the key behind the leader.
    leader: Option<LeaderTable>,
    /// `ctrl+c` was pressed while nothing was there to stop.
    quit_armed: Option<Instant>,
    dropped_keys: u64,
    /// Layout of the last frame.
    shown: frame::FrameLayout,
    effects: Vec<Effect>,
}

/// How the session stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum SessionLink {
    /// Not open yet: what is sent waits.
    #[default]
    Opening,
    Open,
    /// Nothing can be sent in it.
    ReadOnly(ReadOnlyReason),
    /// Could not be opened, or has ended.
    Gone,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TurnStatus {
    #[default]
    Idle,
    Busy,
}

/// Receiver of the keys when no layer is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    Composer,
    /// The list of what waits.
    Queue,
    Transcript,
    Panel,
}

#[derive(Debug, Default)]
struct EscapeState {
    /// Pressed once while a turn runs.
    armed: Option<Instant>,
    ignores_keys_until: Option<Instant>,
}

struct Remark {
    text: String,
    meaning: Meaning,
    until: Instant,
    /// It is about these facts, and goes when one of them changes.
    about: Option<RemarkFacts>,
}

/// The facts that a remark may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RemarkFacts {
    turn: TurnStatus,
    is_opening: bool,
    asks_trust: bool,
    questions: usize,
    tasks: usize,
}

/// The state of the draft: stored in the session or not yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum DraftState {
    #[default]
    Stored,
    /// Changed; due then.
    Due(Instant),
}

impl App {
    /// Takes what has to be done outside.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// How many colours the terminal shows.
    pub(crate) fn color_depth(&self) -> ColorDepth {
        self.appearance.terminal_environment.depth
    }

    /// Returns true if there is a conversation to draw.
    pub(crate) fn has_content(&self) -> bool {
        !self.views.front.transcript.is_empty()
    }

    /// The grammars are loaded: source is coloured from now on.
    pub(crate) fn colour_source(&mut self) -> RedrawUrgency {
        self.appearance.highlighter = Highlighter::new();
        RedrawUrgency::Soft
    }

    /// Stores the draft now, if it changed.
    pub(crate) fn store_draft(&mut self) {
        let stored = self.views.front.unstored_draft();
        self.effects.extend(stored.map(Effect::Send));
    }

    pub(crate) fn editor(&self) -> Option<&str> {
        self.appearance.terminal_environment.editor.as_deref()
    }

    pub(crate) fn clipboard(&self) -> (Multiplexer, Vec<&'static [&'static str]>) {
        (
            self.appearance.terminal_environment.multiplexer,
            self.appearance.terminal_environment.clipboard_commands.clone(),
        )
    }

    /// Returns where files are looked for.
    pub(crate) fn find_places(&self) -> FinderPaths {
        FinderPaths {
            directory: self.views.front.directory.clone(),
            home: self.appearance.terminal_environment.home.clone(),
            frecency_file: self.frecency_file.clone(),
        }
    }

    /// Returns where paths begin, and the home directory.
    pub(crate) fn places(&self) -> (&Path, Option<&Path>) {
        (
            &self.views.front.directory,
            self.appearance.terminal_environment.home.as_deref(),
        )
    }

    fn say(&mut self, text: impl Into<String>, meaning: Meaning, now: Instant) {
        self.views.front.say(text, meaning, now);
    }

    /// Says something that is true only as long as the turn, the questions and the tasks are as they are.
    fn say_while(&mut self, text: impl Into<String>, meaning: Meaning, now: Instant) {
        let facts = self.remark_facts();
        self.views.front.say(text, meaning, now);
        if let Some(remark) = &mut self.views.front.remark {
            remark.about = Some(facts);
        }
    }

    fn remark_facts(&self) -> RemarkFacts {
        RemarkFacts {
            turn: self.views.front.turn,
            is_opening: self.views.front.link == SessionLink::Opening,
            asks_trust: self.trust.is_some(),
            questions: self.tree().questions.len(),
            tasks: self.tree().tasks.counts().active(),
        }
    }

    /// Returns what the last row says for a moment, as long as that is true.
    fn remark(&self) -> Option<&Remark> {
        let remark = self.views.front.remark.as_ref()?;
        let is_true = remark.about.is_none_or(|facts| facts == self.remark_facts());
        is_true.then_some(remark)
    }

    fn send(&mut self, op: Op) {
        let tasks = &trees::tree_of(&self.trees, &self.views.front).tasks;
        let sent = self.views.front.note_sent(op, tasks);
        self.effects.extend(sent.map(Effect::Send));
    }

    /// Returns true if there is something that `esc` stops.
    fn can_interrupt(&self) -> bool {
        let view = &self.views.front;
        view.turn == TurnStatus::Busy || view.is_summarising || !view.shells.is_empty()
    }
}
