//! One frame, back to front.
//!
//! From top to bottom: the title row, the transcript, what waits to be sent, a rule, the composer or the question in its
//! place, the hint row. Layers lie above. Under 40 columns or 10 rows one sentence
//! says what is needed.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::App;
use super::areas::Areas;
use super::layers::LayerSlot;
use super::trees::{tree_mut_of, tree_of};
use super::view_cx::ViewCx;
use crate::tui::area::{above, below};
use crate::tui::completion;
use crate::tui::dialog::Dialog;
use crate::tui::keymap::Context;
use crate::tui::layer::{Layer, LayerCx};
use crate::tui::sessions::SlotId;
use crate::tui::terminal_environment::Motion;
use crate::view::{Symbols, in_ascii};

const LEAST_COLUMNS: u16 = 40;
const LEAST_ROWS: u16 = 10;

/// Layout of the last frame, for the mouse.
#[derive(Debug, Default)]
pub(super) struct FrameLayout {
    /// The question, or the row of those that wait.
    pub(super) dialog: Rect,
    pub(super) composer: Rect,
    pub(super) queue: Rect,
    /// Of the whole screen.
    pub(super) width: u16,
    /// There is room for the beginning of a file beside the list.
    pub(super) is_wide: bool,
    /// The conversations that were drawn; what happens in them is seen.
    pub(super) views: Vec<SlotId>,
}

impl App {
    /// Draws everything, and returns where the terminal's cursor stands.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) -> Option<Position> {
        self.pictures.begin();
        let caret = self.draw_frame(area, buffer, now);
        self.follow_pane();
        // Only now it is known what stands over them.
        self.pictures.finish(buffer);
        if self.appearance.terminal_environment.symbols == Symbols::Ascii {
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
        self.list_tasks(now);
        if let Some(place) = self.watch_place() {
            return self.draw_watch(place, area, buffer, now);
        }
        self.leave_tiles();
        let (areas, mut caret) = self.draw_view(self.views.front.slot, area, buffer, now)?;
        self.shown = FrameLayout {
            dialog: areas.dialog,
            composer: areas.composer,
            queue: areas.queue,
            width: area.width,
            is_wide: areas.rule.width >= completion::WIDE,
            views: std::mem::take(&mut self.shown.views),
        };
        self.settle_selection(now);
        self.views.front.completion.begin_frame();
        // Before their hints: they tell of what was found and of what does not fit.
        caret = self.draw_layers(area, &areas, caret, buffer, now);
        let top = self.seen_layer(now).map(|(slot, _)| slot);
        if top != Some(LayerSlot::Search) {
            self.hints(now).draw(areas.hints, buffer);
        }
        if top.is_none() && self.focus_context() == Context::Select {
            caret = self.views.front.transcript.caret();
        }
        caret
    }

    /// Draws one of the open conversations into a part of the frame. Returns where its parts stand, and the caret where it
    /// is in front; `None` if it is not open.
    pub(super) fn draw_view(
        &mut self,
        slot: SlotId,
        area: Rect,
        buffer: &mut Buffer,
        now: Instant,
    ) -> Option<(Areas, Option<Position>)> {
        let elsewhere = self.elsewhere();
        let frame = match self.appearance.terminal_environment.motion {
            Motion::Full => usize::try_from(self.frame(now)).unwrap_or(0),
            Motion::Reduced => 0,
        };
        let has_keys = slot == self.views.front.slot;
        let path = self.agents_down_to(slot);
        let top = self
            .stack()
            .find(|slot| slot.is_part_of_view())
            .filter(|_| has_keys);
        let composer_has_keys = self.top().is_none_or(LayerSlot::leaves_keys);
        let waiting = self.waiting_row().filter(|_| has_keys);
        let is_trust = has_keys && self.question_slot() == Some(LayerSlot::Trust);
        let view = self.views.get_mut(slot)?;
        let tree = tree_mut_of(&mut self.trees, view);
        let place = tree.questions.place();
        let asking = match &mut self.trust {
            Some(trust) if is_trust => Some(trust as &mut dyn Dialog),
            _ if tree.front == slot => tree.questions.shown_mut(),
            _ => None,
        };
        let mut cx = ViewCx {
            asking,
            waiting,
            place,
            top,
            tasks: &tree.tasks,
            path,
            unix: self.wall_clock.at(now),
            appearance: &self.appearance,
            keymap: &self.keymap,
            pictures: &mut self.pictures,
            effects: &mut self.effects,
            elsewhere,
            has_keys,
            composer_has_keys,
            screen: buffer.area,
            frame,
            now,
        };
        self.shown.views.push(slot);
        Some(view.draw(area, buffer, &mut cx))
    }

    /// Draws the layers that are seen, from the lowest up, and returns where the caret stands then.
    pub(super) fn draw_layers(
        &mut self,
        screen: Rect,
        areas: &Areas,
        mut caret: Option<Position>,
        buffer: &mut Buffer,
        now: Instant,
    ) -> Option<Position> {
        let is_seen = |slot: &LayerSlot| self.layer(*slot).is_some_and(|layer| layer.is_seen(now));
        let slots: Vec<LayerSlot> = self.stack().filter(is_seen).collect();
        let covering = self.layers.iter().rposition(|layer| layer.covers());
        for (depth, slot) in slots.into_iter().enumerate().rev() {
            let place = match slot {
                LayerSlot::Opened(place) if covering.is_some_and(|covering| place < covering) => continue,
                LayerSlot::Opened(place) if self.layers[place].covers_title() => above(screen, 1),
                LayerSlot::Leader | LayerSlot::Opened(_) => above(below(screen, 1), 1),
                LayerSlot::Search if depth == 0 => areas.hints,
                LayerSlot::Completion if depth == 0 => Rect {
                    y: screen.y + 1,
                    height: areas.rule.y - screen.y - 1,
                    ..areas.rule
                },
                // The conversation has drawn them where they stand in it.
                LayerSlot::Trust
                | LayerSlot::Question
                | LayerSlot::Todo
                | LayerSlot::Search
                | LayerSlot::Completion => continue,
            };
            let drawn = self.draw_layer(slot, place, buffer, now);
            if slot != LayerSlot::Completion {
                caret = drawn;
            }
        }
        caret
    }

    fn draw_layer(
        &mut self,
        slot: LayerSlot,
        area: Rect,
        buffer: &mut Buffer,
        now: Instant,
    ) -> Option<Position> {
        let result = match slot {
            LayerSlot::Search => self.search_words(),
            _ => None,
        };
        let directory = self.root_view().directory.clone();
        let view = &mut *self.views.front;
        let cx = LayerCx {
            directory: &directory,
            tasks: &tree_of(&self.trees, view).tasks,
            unix: self.wall_clock.at(now),
            look: self.appearance.look(),
            keymap: &self.keymap,
            terminal_environment: &self.appearance.terminal_environment,
            screen: buffer.area,
            pictures: self.pictures.protocol(),
            session: view.root.as_ref(),
            hooks: &view.hooks,
            place: (1, 1),
            is_low: false,
        };
        match slot {
            LayerSlot::Leader => self.leader.as_mut()?.draw(area, buffer, &cx),
            LayerSlot::Opened(place) => self.layers.get_mut(place)?.draw(area, buffer, &cx),
            LayerSlot::Search => {
                let row = view.search.as_mut()?;
                row.set_result(result);
                row.draw(area, buffer, &cx)
            }
            LayerSlot::Completion => view.completion.draw(area, buffer, &cx),
            LayerSlot::Trust | LayerSlot::Question | LayerSlot::Todo => None,
        }
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
