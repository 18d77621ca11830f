//! One frame, back to front.
//!
//! From top to bottom: the title row, the transcript, what waits to be sent, a rule, the composer or the question in its
//! place, the hint row. Layers and the table of the leader's keys lie above. Under 40 columns or 10 rows one sentence
//! says what is needed.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::areas::{Areas, ROOMY, between};
use super::view_frame::ViewCx;
use super::{App, LEADER_TABLE};
use crate::tui::completion;
use crate::tui::keymap::Context;
use crate::tui::layer::LayerCx;
use crate::tui::page;
use crate::tui::sessions::SeatId;
use crate::tui::surroundings::Motion;
use crate::view::{Symbols, in_ascii};

const LEAST_COLUMNS: u16 = 40;
const LEAST_ROWS: u16 = 10;

/// Where things stood on the last frame, for the mouse.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) dialog: Rect,
    pub(super) composer: Rect,
    pub(super) queue: Rect,
    /// Of the whole screen.
    pub(super) width: u16,
    /// There is room for what answers and little else.
    pub(super) is_low: bool,
    /// The list above the composer, with its head.
    pub(super) completion: Rect,
    /// There is room for the beginning of a file beside the list.
    pub(super) is_wide: bool,
    /// The conversations that were drawn; what happens in them is seen.
    pub(super) views: Vec<SeatId>,
}

impl App {
    /// Draws everything, and returns where the terminal's cursor stands.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) -> Option<Position> {
        self.pictures.begin();
        let caret = self.draw_frame(area, buffer, now);
        // Only now it is known what stands over them.
        self.pictures.finish(buffer);
        if self.appearance.surroundings.symbols == Symbols::Ascii {
            in_ascii(buffer);
        }
        caret
    }

    fn draw_frame(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) -> Option<Position> {
        if area.width < LEAST_COLUMNS || area.height < LEAST_ROWS {
            refuse(area, buffer);
            return None;
        }
        self.shown.views.clear();
        let (areas, mut caret) = self.draw_view(self.view.seat, area, buffer, now)?;
        self.shown = Shown {
            dialog: areas.dialog,
            composer: areas.composer,
            queue: areas.queue,
            width: area.width,
            is_low: area.height < ROOMY,
            completion: Rect::default(),
            is_wide: areas.rule.width >= completion::WIDE,
            views: std::mem::take(&mut self.shown.views),
        };
        self.settle_selection(now);
        // Before their hints: they tell of what was found and of what does not fit.
        if !self.layers.is_empty() {
            caret = self.draw_layers(between(area), buffer);
        }
        if self.context() == Context::Completion {
            let above = Rect {
                height: areas.rule.y - area.y - 1,
                y: area.y + 1,
                ..areas.rule
            };
            self.shown.completion = self.draw_completion(above, buffer);
        }
        let has_table = self.leader.is_some_and(|since| since + LEADER_TABLE <= now);
        if has_table {
            self.leader_hints().draw(areas.hints, buffer);
        } else if self.view.search.is_some() {
            caret = self.draw_search(areas.hints, buffer);
        } else {
            self.hints().draw(areas.hints, buffer);
        }
        if self.context() == Context::Select {
            caret = self.view.transcript.caret();
        }
        if has_table {
            page::draw_leader(between(area), buffer, &self.keymap, self.appearance.look());
            caret = None;
        }
        caret
    }

    /// Draws one of the open conversations into a part of the frame. Returns where its parts stand, and the caret where it
    /// is in front; `None` if it is not open.
    pub(super) fn draw_view(
        &mut self,
        seat: SeatId,
        area: Rect,
        buffer: &mut Buffer,
        now: Instant,
    ) -> Option<(Areas, Option<Position>)> {
        let elsewhere = self.elsewhere();
        let frame = match self.appearance.surroundings.motion {
            Motion::Full => usize::try_from(self.frame(now)).unwrap_or(0),
            Motion::Reduced => 0,
        };
        let has_keys = seat == self.view.seat;
        let view = if has_keys {
            &mut self.view
        } else {
            let other = self.others.iter_mut().find(|other| other.view.seat == seat)?;
            &mut other.view
        };
        let mut cx = ViewCx {
            appearance: &self.appearance,
            keymap: &self.keymap,
            pictures: &mut self.pictures,
            effects: &mut self.effects,
            trust: self.trust.as_mut().filter(|_| has_keys),
            elsewhere,
            has_keys,
            frame,
            now,
        };
        self.shown.views.push(seat);
        Some(view.draw(area, buffer, &mut cx))
    }

    fn draw_completion(&mut self, area: Rect, buffer: &mut Buffer) -> Rect {
        let look = self.appearance.look();
        self.view.completion.draw(area, buffer, look)
    }

    /// Draws the layers that are seen, and returns where the caret stands in the topmost.
    fn draw_layers(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let pictures = self.pictures.protocol();
        let cx = LayerCx {
            look: self.appearance.look(),
            keymap: &self.keymap,
            home: self.appearance.surroundings.home.as_deref(),
            session: self.view.root.as_ref(),
            hooks: &self.view.hooks,
            zone: (self.appearance.surroundings.zone)(),
            terminal: self
                .appearance
                .surroundings
                .told(buffer.area, pictures, self.keymap.heard()),
        };
        let covering = self.layers.iter().rposition(|layer| layer.covers());
        let mut caret = None;
        for layer in &mut self.layers[covering.unwrap_or(0)..] {
            caret = layer.draw(area, buffer, &cx);
        }
        caret
    }
}

fn refuse(area: Rect, buffer: &mut Buffer) {
    Clear.render(area, buffer);
    let text = format!(
        "lathe needs {LEAST_COLUMNS}×{LEAST_ROWS}; this is {}×{}",
        area.width, area.height
    );
    buffer.set_line(area.x, area.y, &Line::from(Span::raw(text)), area.width);
}
