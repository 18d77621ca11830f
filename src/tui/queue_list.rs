//! Messages that wait to be sent, above the composer: one row each, in the order in which they go.
//!
//! Without the keys it is a short list of the newest. With them one row is chosen, more rows show, and the list moves so
//! that the chosen one is always there. What is left out is counted where it is missing. The list knows which row is
//! chosen and nothing of what becomes of it: that is the session's, and the screen asks for it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::session::{QueuedKind, QueuedMessage};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{pad, str_width, truncate};
use crate::view::Symbols;
use crate::view::theme::{Meaning, Theme};

/// Rows at most while somebody writes.
const LIMIT: usize = 4;
/// The same while the list has the keys, where the screen is high enough.
const LIMIT_CHOSEN: usize = 8;
/// The sign of the chosen row, and a bar, with the spaces of these and of a label.
const MARGIN: usize = 6;
/// Columns of a label at least, so that texts stand below each other.
const LABEL: usize = 5;

/// Identifies a waiting input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitingId {
    /// As the session counts them.
    Queued(u64),
    /// The session is not open yet: its place among what will be sent then.
    Unsent(usize),
}

/// One input that waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueuedInput<'a> {
    pub(crate) id: WaitingId,
    pub(crate) label: &'static str,
    pub(crate) text: &'a str,
}

impl<'a> QueuedInput<'a> {
    /// What is said to a task waits for its next step.
    pub(crate) fn of(queued: &'a QueuedMessage, is_task: bool) -> Self {
        let label = match queued.kind {
            QueuedKind::Steer if is_task => "queued",
            QueuedKind::Steer => "steer",
            QueuedKind::Queue => "queue",
            QueuedKind::Held => "held",
        };
        Self {
            id: WaitingId::Queued(queued.id),
            label,
            text: &queued.text,
        }
    }

    pub(crate) fn unsent(place: usize, text: &'a str) -> Self {
        Self {
            id: WaitingId::Unsent(place),
            label: "opens",
            text,
        }
    }
}

/// Selection and scroll position of the list.
#[derive(Debug, Default)]
pub(crate) struct QueueList {
    /// With where it stood: should it go, its neighbour takes its place.
    chosen: Option<(WaitingId, usize)>,
    /// The first row on screen.
    top: usize,
}

impl QueueList {
    pub(crate) fn chosen(&self) -> Option<WaitingId> {
        self.chosen.map(|(id, _)| id)
    }

    /// Chooses a row by its place; the last one where there are fewer. Says whether there is one.
    pub(crate) fn choose(&mut self, place: usize, ids: &[WaitingId]) -> bool {
        let place = place.min(ids.len().saturating_sub(1));
        self.chosen = ids.get(place).map(|id| (*id, place));
        self.chosen.is_some()
    }

    /// Chooses what stands in this row of the screen's part of the list.
    pub(crate) fn choose_shown(&mut self, row: u16, ids: &[WaitingId]) -> bool {
        self.choose(self.top + usize::from(row), ids)
    }

    /// Moves by one row; says whether there was one.
    pub(crate) fn step(&mut self, by: isize, ids: &[WaitingId]) -> bool {
        let Some((_, place)) = self.chosen else {
            return false;
        };
        let next = place.checked_add_signed(by).filter(|next| *next < ids.len());
        next.is_some_and(|next| self.choose(next, ids))
    }

    /// Stays on the chosen input wherever it is now, or on its neighbour. Says whether one is chosen still.
    pub(crate) fn follow(&mut self, ids: &[WaitingId]) -> bool {
        let Some((id, place)) = self.chosen else {
            return false;
        };
        let now = ids.iter().position(|other| *other == id).unwrap_or(place);
        self.choose(now, ids)
    }

    pub(crate) fn leave(&mut self) {
        self.chosen = None;
    }

    /// Returns how many rows are drawn for so many inputs on a screen of this height.
    pub(crate) fn rows(&self, count: usize, height: u16) -> u16 {
        let limit = match self.chosen {
            Some(_) => LIMIT_CHOSEN.min(usize::from(height / 3)).max(LIMIT),
            None => LIMIT,
        };
        u16::try_from(count.min(limit)).unwrap_or(u16::MAX)
    }

    pub(crate) fn draw(
        &mut self,
        waiting: &[QueuedInput<'_>],
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
        symbols: Symbols,
    ) {
        let height = usize::from(area.height);
        let last_top = waiting.len().saturating_sub(height);
        self.top = match self.chosen {
            Some((_, place)) => {
                let lowest = (place + 1).saturating_sub(height);
                self.top.clamp(lowest, place.max(lowest)).min(last_top)
            }
            None => last_top,
        };
        let below = last_top - self.top;
        for (row, input) in area.rows().zip(&waiting[self.top..]) {
            let hidden = match row.y {
                y if y == area.y && self.top > 0 => format!("{} above", self.top),
                y if y + 1 == area.bottom() && below > 0 => format!("{below} below"),
                _ => String::new(),
            };
            let is_chosen = self.chosen() == Some(input.id);
            let line = RowLine {
                input,
                hidden,
                is_chosen,
                theme,
                symbols,
            };
            line.draw(row, buffer);
        }
    }
}

struct RowLine<'a> {
    input: &'a QueuedInput<'a>,
    /// How many are left out on this side of it; empty where none are.
    hidden: String,
    is_chosen: bool,
    theme: &'a Theme,
    symbols: Symbols,
}

impl RowLine<'_> {
    fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let muted = self.theme.style(Meaning::TextMuted);
        let text = self.input.text.trim();
        let mut facts = Vec::new();
        match text.lines().count() {
            0 | 1 => {}
            lines => facts.push(format!("{lines} lines")),
        }
        if !self.hidden.is_empty() {
            facts.push(self.hidden.clone());
        }
        let dot = format!(" {} ", self.symbols.dot());
        let facts: String = facts.into_iter().map(|fact| dot.clone() + &fact).collect();
        let label = str_width(self.input.label).max(LABEL);
        let room = usize::from(area.width).saturating_sub(MARGIN + label + str_width(&facts) + 1);
        let first_line = sanitize_line(text.lines().next().unwrap_or_default());
        let pointer = if self.is_chosen {
            self.symbols.pointer()
        } else {
            ""
        };
        let signs = format!(
            " {} {} {} ",
            pad(pointer, 1),
            pad(self.input.label, label),
            self.symbols.bar()
        );
        let sign_style = if self.is_chosen {
            self.theme.style(Meaning::Accent)
        } else {
            muted
        };
        let line = Line::from(vec![
            Span::styled(signs, sign_style),
            Span::styled(
                truncate(&first_line, room).into_owned(),
                self.theme.style(Meaning::Text),
            ),
            Span::styled(facts, muted),
        ]);
        buffer.set_line(area.x, area.y, &line, area.width);
        if self.is_chosen {
            buffer.set_style(area, self.theme.style(Meaning::Selection));
        }
    }
}
