//! The watch grid: live conversations of the tasks of a tree side by side, one tile each, over the whole screen.
//!
//! [`Watch`] is the layer: which tasks have a tile and where ([`tile_grid`](super::tile_grid), [`order`]), which one is chosen, and what the keys do.
//! A tile is its first row ([`tile`]), below that the question that its agent asks, and then the transcript, which
//! the screen draws into the place that [`Watch::tiles`] tells. What takes a session is asked for as a [`WatchRequest`].
//!
//! Nothing here reads a clock: [`Watch::lay_out`] is told the time. Nothing moves by itself but clocks, once a second, and
//! [`Watch::update`] tells if anything that the last frame shows has become different.

mod asking;
mod draw;
mod heading;
mod keys;
mod layer;
mod order;
#[cfg(test)]
mod sample;
mod selection;
mod task_words;
#[cfg(test)]
mod tests;
mod tile;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ratatui::layout::Rect;

use super::commands::LayerCommand;
use super::composer::Composer;
use super::dialog::{TileQuestion, TypeAheadGuard};
use super::page::Page;
use super::transcript::RedrawUrgency;
use crate::conversation::{SessionId, TaskId, TaskRow};
use crate::permission::Mode;
use crate::question::{Question, QuestionId};
use crate::text::fuzzy::Matcher;
use crate::tui::tile_grid::Grid;
use crate::view::LookKey;
use order::TileOrder;

pub(crate) static PAGE: Page = Page {
    action: "watch",
    leader: &["w"],
    description: "watch the agents side by side",
    brief: "watch",
    command: LayerCommand {
        name: "watch",
        also: &["grid"],
        about: "Shows every agent in a tile of its own, to open, answer, message or stop it.",
        after: "transcript",
    },
    keys: &[&keys::TILES, &keys::TEXT],
    open: |_title| Box::new(Watch::default()),
};

/// Requests that take a session of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WatchRequest {
    /// Goes into the session.
    Enter(SessionId),
    /// Goes into the session that asks, with the dialog of the question open at what "always" would store.
    EnterAlways(SessionId, QuestionId),
    /// Scrolls the transcript by pages, down when positive.
    Page(SessionId, isize),
    /// Scrolls the transcript by rows.
    Scroll(SessionId, isize),
    /// Sends a message. The session of a task that has ended goes on with it.
    Message(SessionId, String),
    /// Asks before all tasks of the tree are stopped.
    StopAll,
    /// Lets the tasks that a session waits for go on in the background.
    ToBackground(SessionId),
}

/// The state of the tree that the grid shows.
pub(crate) struct WatchFacts<'a> {
    pub(crate) rows: Vec<Arc<TaskRow>>,
    pub(crate) questions: &'a [Arc<Question>],
    pub(crate) mode: Mode,
    /// Of the session that the tree begins with.
    pub(crate) directory: &'a Path,
}

/// The part of a grid that is kept when it is left for one of its agents.
#[derive(Debug, Clone)]
pub(crate) struct WatchMemory {
    order: TileOrder,
    chosen: Option<TaskId>,
}

/// Facts of a tile's conversation beside its transcript; filled in by whoever drew it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TileConversation {
    /// Blocks that came below what is read.
    pub(crate) unseen: usize,
    /// Messages that the agent has not taken yet.
    pub(crate) queued: usize,
    /// Tokens that the session brings to its next request.
    pub(crate) context: u64,
}

/// A tile of the last frame.
#[derive(Debug, Clone)]
pub(crate) struct WatchTile {
    pub(crate) session: SessionId,
    /// False for a task that has not begun.
    pub(crate) has_session: bool,
    /// The place of the transcript; empty where the question takes all of the tile.
    pub(crate) body: Rect,
    /// The question that stands above the transcript.
    pub(crate) question: Option<Arc<Question>>,
    pub(crate) seen: TileConversation,
    /// The place of the question; empty where there is none.
    ask: Rect,
    area: Rect,
}

/// The use that keys have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Browsing,
    /// The filter is being written.
    Filter,
    /// A message to a task is being written.
    Message(TaskId),
    /// The reason for a no is being written.
    Reason(QuestionId),
}

/// A question as it stood in the last frame.
struct ShownQuestion {
    guard: TypeAheadGuard,
    key: (u16, u16, LookKey),
    laid_out: TileQuestion,
}

/// The last frame.
#[derive(Default)]
struct LastFrame {
    grid: Grid,
    tiles: Vec<WatchTile>,
    /// The place of the text that is written, with the rule above it; empty where none is.
    text: Rect,
    /// Tiles on a page; 0 before the first frame.
    per_page: usize,
    /// When it was drawn, in milliseconds since the Unix epoch.
    unix: i64,
    /// All that stands above the transcripts.
    texts: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Watch {
    rows: Vec<Arc<TaskRow>>,
    /// The oldest first.
    questions: Vec<Arc<Question>>,
    mode: Mode,
    directory: PathBuf,
    order: TileOrder,
    filter: Composer,
    matcher: Matcher,
    /// Tasks that the filter leaves, in the order of their tiles.
    found: Vec<TaskId>,
    chosen: Option<TaskId>,
    stage: Stage,
    /// The message or the reason that is being written.
    text: Composer,
    /// The task that a message was begun for.
    text_for: Option<TaskId>,
    shown_questions: HashMap<QuestionId, ShownQuestion>,
    /// Questions that were answered here and are not settled yet.
    answered: Vec<QuestionId>,
    /// When the key came that is read now.
    key_time: Option<Instant>,
    /// When the last letter came that answers nothing; none after the person has moved to a tile.
    last_letter: Option<Instant>,
    last: LastFrame,
}

impl Watch {
    /// Takes in how the tree stands. Returns if the next frame would differ from the last, and a text that was written for a question
    /// which is settled by now.
    pub(crate) fn update(&mut self, facts: WatchFacts<'_>) -> (RedrawUrgency, Option<String>) {
        self.rows = facts.rows;
        self.questions = facts.questions.to_vec();
        self.mode = facts.mode;
        facts.directory.clone_into(&mut self.directory);
        let is_open = |id: &QuestionId| facts.questions.iter().any(|question| question.id == *id);
        self.answered.retain(is_open);
        let unsent = self.leave_settled_stage(&is_open);
        self.order.update(&self.rows);
        self.find();
        let is_same = unsent.is_none() && self.texts(self.last.unix) == self.last.texts;
        (RedrawUrgency::Soft.only_if(!is_same), unsent)
    }

    /// Returns what another grid goes on with.
    pub(crate) fn memory(&self) -> WatchMemory {
        WatchMemory {
            order: self.order.clone(),
            chosen: self.chosen.clone(),
        }
    }

    /// Goes on where another grid was left.
    pub(crate) fn recall(&mut self, memory: WatchMemory) {
        self.order = memory.order;
        self.chosen = memory.chosen;
    }

    /// Returns the tiles of the last frame.
    pub(crate) fn tiles(&self) -> &[WatchTile] {
        &self.last.tiles
    }

    /// Tells what the conversation of a tile shows in this frame.
    pub(crate) fn set_conversation(&mut self, place: usize, seen: TileConversation) {
        if let Some(tile) = self.last.tiles.get_mut(place) {
            tile.seen = seen;
        }
    }

    /// Returns true if a clock on it goes on.
    pub(crate) fn has_clock(&self) -> bool {
        self.rows.iter().any(|row| !row.status.is_ended())
    }

    /// Ends what a task or a question was to be told that is not there any more.
    fn leave_settled_stage(&mut self, is_open: &impl Fn(&QuestionId) -> bool) -> Option<String> {
        let is_over = match &self.stage {
            Stage::Browsing | Stage::Filter => false,
            Stage::Message(task) => !self.rows.iter().any(|row| row.task == *task),
            Stage::Reason(question) => !is_open(question),
        };
        if !is_over {
            return None;
        }
        self.stage = Stage::Browsing;
        Some(self.text.take()).filter(|text| !text.trim().is_empty())
    }
}
