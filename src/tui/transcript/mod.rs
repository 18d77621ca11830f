//! The transcript: the conversation as a list of blocks that is drawn from state alone.
//!
//! [`Transcript::apply`] turns session events into blocks and never draws; [`Transcript::draw`] lays out what is on screen
//! and nothing else. What a block was laid out to is kept until its content, the width, the theme or its fold changes,
//! so that a delta costs the layout of its own tail, and ten thousand blocks scroll like ten (`viewport` says how).
//!
//! Nothing jumps. The reader's place is a block and a row in it, or the tail. What stands below a card that gets shorter
//! follows it at once, and the rows that this frees stay empty below the last block until new ones fill them. While the
//! tail is followed nothing on screen moves down.
//!
//! There is no clock here: elapsed times come from the moments that the caller passes in.
//!
//! Import circle: block, group, headlines, layout, mark, pictures, repeat: a block keeps its layout, and a layout is made from blocks.

mod apply;
mod block;
mod call;
mod card_queries;
mod cards;
mod draw;
mod emphasis;
mod focus;
mod fork;
mod group;
mod headlines;
mod layout;
mod list;
mod long_text;
mod mark;
mod paint;
mod pictures;
mod progress;
mod references;
mod repeat;
mod row_texts;
mod search;
mod selection;
mod session_cards;
mod steps;
mod tasks;
mod text;
mod turn;
mod viewport;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use ratatui::layout::{Position, Rect};

use crate::conversation::{CallId, Message, NoticeKind};
use crate::session::{Event, Snapshot};
use crate::tool::BuiltinCards;
use crate::tui::pictures::Canvas;
use crate::view::Look;
use crate::view::card::FileTarget;
use crate::view::link::Links;

use apply::Blocks;
use block::{Block, Body, Mark};
use cards::{CardSource, NameOnlyCards};
use pictures::VisiblePicture;
use row_texts::RowTexts;
use search::TranscriptSearch;
use selection::{Selection, SelectionAction, TextSpot};
use viewport::{Anchor, RowPosition, Slack, TailRows};

pub use fork::ForkRefusal;
pub use references::FilePlace;
pub use search::Tally;
pub(in crate::tui) use search::pattern;
pub use selection::Unit;
pub(in crate::tui) use turn::{TurnActivity, TurnProgress};

/// The effect of an event on the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RedrawUrgency {
    /// Nothing to draw.
    #[default]
    None,
    /// Draw with the next frame.
    Soft,
    /// Draw now.
    Urgent,
}

impl RedrawUrgency {
    /// Returns this where something changed, and that nothing is to draw where not.
    pub(in crate::tui) fn only_if(self, has_changed: bool) -> Self {
        if has_changed { self } else { Self::None }
    }
}

/// The context of drawing, besides the transcript itself.
#[derive(Clone, Copy)]
pub struct DrawCx<'a> {
    pub look: Look<'a>,
    /// Of the spinner's clock.
    pub frame: usize,
    pub now: Instant,
    /// True if keys go to the transcript, so that the focused block is marked.
    pub focused: bool,
    /// The list of todos stands beside it.
    pub shows_todos: bool,
    /// Unfolds a block; empty where no key does.
    pub fold_key: &'a str,
    /// Shows a block in the editor, with all of an output that was cut; empty where no key does.
    pub view_key: &'a str,
    /// Ends the turn; empty where no key does.
    pub end_key: &'a str,
    /// Leads to a question that was put off; empty where none was, or one is on screen with its own keys.
    pub ask_key: &'a str,
}

/// One session's conversation on screen.
pub struct Transcript {
    blocks: Blocks,
    cards: Arc<dyn CardSource>,
    anchor: Anchor,
    /// Moves that were asked for since the last frame; it takes a layout to know where they lead.
    moves: Vec<ScrollMove>,
    focus: Option<usize>,
    /// True if reasoning is shown in full.
    reasoning_unfolded: bool,
    /// Blocks that are laid out, the oldest first.
    laid_out: VecDeque<usize>,
    shown: LastFrame,
    search: Option<TranscriptSearch>,
    selection: Option<Selection>,
    /// Position and unit of the last mouse press.
    pressed: Option<(TextSpot, Unit)>,
    /// Selections since the last frame; it takes a layout to know where they are.
    picks: Vec<SelectionAction>,
    reading: RowTexts,
    /// The block whose code was copied last, and which piece of it.
    copied_code: Option<(usize, usize)>,
    /// Blocks that have been on screen, counted as [`block::Block::ordinal`] counts.
    seen: usize,
    has_news: bool,
    slack: Slack,
    /// Set until the block is laid out for the new width.
    reflow: Option<Reflow>,
    /// The call that a dialog shows.
    in_dialog: Option<CallId>,
    /// How pictures are drawn, where they are.
    canvas: Option<Canvas>,
    task_calls: tasks::TaskCalls,
}

/// The last frame.
#[derive(Default)]
struct LastFrame {
    top: RowPosition,
    blocks: Range<usize>,
    area: Rect,
    /// The row of the screen where each block on it begins.
    starts: Vec<(usize, usize)>,
    /// The block on each row, and the row of its content.
    lines: Vec<(usize, usize)>,
    /// Cell of the selection's end while keys move it.
    caret: Option<Position>,
    /// Rows and columns of the area.
    rows: usize,
    columns: usize,
    /// The height of the block at the top.
    top_height: usize,
    is_animated: bool,
    /// Rows of a text on screen are missing, which later frames lay out.
    is_behind: bool,
    pictures: Vec<VisiblePicture>,
}

/// The place of the reader in a block that a new width breaks into other rows.
#[derive(Debug, Clone, Copy)]
struct Reflow {
    top: RowPosition,
    /// Rows of the block at the width before.
    height: usize,
}

impl LastFrame {
    /// Returns its rows, where it followed the tail and showed any.
    fn tail_rows(&self) -> Option<TailRows> {
        let &(above, last) = self.starts.last()?;
        Some(TailRows {
            top: self.top,
            last,
            top_rows: self.top_height.saturating_sub(self.top.row),
            above,
            below: self.lines.len() - above,
        })
    }
}

#[derive(Debug, Clone, Copy)]
enum ScrollMove {
    Rows(isize),
    Start,
    End,
    /// Stops following the tail, so that a fold does not move what stands above it.
    Hold,
    /// Brings a block on screen, as much of it as fits.
    Reveal(usize),
    /// Brings the first row of a block on screen.
    RevealHead(usize),
}

impl Default for Transcript {
    fn default() -> Self {
        Self::new()
    }
}

impl Transcript {
    pub fn new() -> Self {
        Self {
            blocks: Blocks::default(),
            cards: Arc::new(NameOnlyCards),
            anchor: Anchor::Tail,
            moves: Vec::new(),
            focus: None,
            reasoning_unfolded: false,
            laid_out: VecDeque::new(),
            shown: LastFrame::default(),
            search: None,
            selection: None,
            pressed: None,
            picks: Vec::new(),
            reading: RowTexts::default(),
            copied_code: None,
            seen: 0,
            has_news: false,
            slack: Slack::default(),
            reflow: None,
            in_dialog: None,
            canvas: None,
            task_calls: tasks::TaskCalls::default(),
        }
    }

    /// Has the calls of built-in tools drawn.
    pub fn draw_builtin(&mut self, cards: BuiltinCards) {
        self.set_cards(Arc::new(cards));
    }

    fn set_cards(&mut self, cards: Arc<dyn CardSource>) {
        self.cards = cards;
        self.forget_layout();
    }

    /// Shows a session from its end.
    pub fn reset(&mut self, snapshot: &Snapshot) {
        self.show(Blocks::from_snapshot(snapshot));
    }

    /// The same after an undo or a redo.
    pub fn restore(&mut self, messages: &[Arc<Message>]) {
        let blocks = self.blocks.restored(messages);
        self.show(blocks);
    }

    fn show(&mut self, blocks: Blocks) {
        *self = Self {
            blocks,
            cards: Arc::clone(&self.cards),
            reasoning_unfolded: self.reasoning_unfolded,
            ..Self::new()
        };
        self.note_task_calls();
    }

    /// Takes in what happened.
    pub fn apply(&mut self, event: &Event, now: Instant) -> RedrawUrgency {
        let is_news = self.blocks.apply(event, now);
        self.blocks.note_person(now);
        let is_task = self.note_task(event);
        if !is_news && !is_task {
            return RedrawUrgency::None;
        }
        self.has_news |= is_news;
        if event.is_urgent() {
            RedrawUrgency::Urgent
        } else {
            RedrawUrgency::Soft
        }
    }

    /// Adds a line about the program itself, which no session stores.
    pub fn push_notice(&mut self, text: impl Into<String>) {
        self.blocks.mark(Mark::Notice {
            kind: NoticeKind::Info,
            text: text.into(),
        });
        self.has_news = true;
    }

    /// Adds what is told of the setup when the session opens.
    pub(crate) fn push_standing_notes(&mut self, notes: Vec<String>) {
        if !notes.is_empty() {
            self.blocks.mark(Mark::Standing(notes));
            self.has_news = true;
        }
    }

    /// Says behind the end of the turn which files it changed, and the key that shows how.
    pub(crate) fn note_turn_changes(&mut self, words: String) {
        if let Some(block) = self.blocks.list.last_mut()
            && let Body::Mark(Mark::TurnEnd { changes, .. }) = &mut block.body
        {
            *changes = Some(words);
            block.changed();
        }
    }

    /// Folds the card of the call that a dialog shows to its title, so that nothing is drawn twice, and unfolds the one
    /// before. The rows go to the dialog and come back with them. Whoever reads in that very card goes on reading.
    pub(crate) fn show_in_dialog(&mut self, call: Option<&CallId>) {
        if self.in_dialog.as_ref() == call {
            return;
        }
        if let Some(before) = self.in_dialog.take() {
            self.fold_for_dialog(&before, false);
        }
        if let Some(call) = call {
            let index = self.blocks.call(call);
            let is_read =
                self.anchor != Anchor::Tail && index.is_some_and(|index| self.shown.blocks.contains(&index));
            if !is_read {
                self.fold_for_dialog(call, true);
            }
        }
        self.in_dialog = call.cloned();
    }

    fn fold_for_dialog(&mut self, call: &CallId, is_in_dialog: bool) {
        self.blocks
            .change_call(call, |call| call.is_in_dialog = is_in_dialog);
    }

    /// Returns where the links of the last frame lead; files by `file`, which knows where paths begin.
    pub fn links(&self, file: impl Fn(&FileTarget) -> Option<String>) -> Links {
        let mut links = Links::default();
        for block in &self.blocks.list[self.shown.blocks.clone()] {
            let Some(laid) = &block.cached_layout else {
                continue;
            };
            for target in laid.targets() {
                links.add(target, target);
            }
            for target in laid.files() {
                if let Some(address) = file(target) {
                    links.add(&target.path, &address);
                }
            }
        }
        links
    }

    /// Returns true if something on screen moves with the clock.
    pub fn animated(&self) -> bool {
        self.shown.is_animated
    }

    /// Returns true if the next frame has more to lay out.
    pub fn is_behind(&self) -> bool {
        self.shown.is_behind
    }

    /// Returns what goes on in the turn that runs.
    pub(crate) fn progress(&self, now: Instant) -> Option<TurnProgress> {
        self.blocks.progress(&*self.cards, now)
    }

    /// Tells when the turn began that ran already when the session was attached to.
    pub(crate) fn set_turn_start(&mut self, began: Instant) {
        self.blocks.turn.started = Some(began);
    }

    /// Returns true if a turn runs and waits for something else than the person.
    pub(crate) fn is_at_work(&self) -> bool {
        self.blocks.is_at_work()
    }

    /// Returns how many blocks came, or grew, below what the reader sees.
    pub fn unseen(&self) -> usize {
        if self.anchor == Anchor::Tail || !self.has_news {
            return 0;
        }
        self.blocks.total().saturating_sub(self.seen).max(1)
    }

    /// Scrolls by rows, down when positive.
    pub fn scroll_by(&mut self, rows: isize) {
        match self.moves.last_mut() {
            Some(ScrollMove::Rows(pending)) => *pending = pending.saturating_add(rows),
            _ => self.moves.push(ScrollMove::Rows(rows)),
        }
    }

    /// Scrolls by pages, down when positive; one row stays in sight.
    pub fn page(&mut self, pages: isize) {
        let rows = isize::try_from(self.shown.rows.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
        self.scroll_by(rows.saturating_mul(pages));
    }

    pub fn to_start(&mut self) {
        self.moves = vec![ScrollMove::Start];
    }

    /// Follows the tail.
    pub fn to_end(&mut self) {
        self.moves = vec![ScrollMove::End];
    }

    /// Returns true if the newest is on screen and stays there.
    pub fn is_at_end(&self) -> bool {
        self.anchor == Anchor::Tail
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.list.is_empty()
    }

    /// Returns true if something was said in it: notices of the program alone are no beginning.
    pub(crate) fn has_begun(&self) -> bool {
        let is_notice =
            |block: &Block| matches!(&block.body, Body::Mark(Mark::Notice { .. } | Mark::Standing(_)));
        !self.blocks.list.iter().all(is_notice)
    }

    /// Returns the rows that the last frame showed.
    pub(crate) fn drawn_rows(&self) -> u16 {
        u16::try_from(self.shown.lines.len()).unwrap_or(u16::MAX)
    }

    fn forget_layout(&mut self) {
        for index in self.laid_out.drain(..) {
            self.blocks.list[index].cached_layout = None;
        }
        self.reading.forget();
    }
}
