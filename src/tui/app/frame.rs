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

use super::areas::{ROOMY, between};
use super::{App, Focus, LEADER_TABLE, Turn};
use crate::text::width::str_width;
use crate::tui::completion;
use crate::tui::composer;
use crate::tui::dialog::{Dialog, on_ground};
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::LayerCx;
use crate::tui::page;
use crate::tui::statusbar::TitleRow;
use crate::tui::surroundings::Motion;
use crate::tui::transcript::DrawCx;
use crate::view::theme::Meaning;
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
        let areas = self.areas(area);
        self.shown = Shown {
            dialog: areas.dialog,
            composer: areas.composer,
            queue: areas.queue,
            width: area.width,
            is_low: area.height < ROOMY,
            completion: Rect::default(),
            is_wide: areas.rule.width >= completion::WIDE,
        };
        let symbols = self.appearance.surroundings.symbols;
        TitleRow {
            facts: &self.view.facts,
            elsewhere: self.elsewhere(),
            theme: &self.appearance.theme,
            symbols,
        }
        .draw(areas.title, buffer);
        let call = self.asking().and_then(Dialog::call).cloned();
        self.view.transcript.show_in_dialog(call.as_ref());
        self.draw_transcript(areas.transcript, buffer, now);
        self.settle_selection(now);
        self.draw_queue(areas.queue, buffer);
        self.draw_rule(areas.rule, buffer);
        let mut caret = self
            .with_asking(area.height < ROOMY, |dialog, cx| {
                on_ground(areas.dialog, buffer, cx.look, |buffer| {
                    dialog.draw(areas.dialog, buffer, cx)
                })
            })
            .flatten();
        caret = self.draw_composer(areas.composer, buffer).or(caret);
        let conversation = areas.transcript.union(areas.queue);
        caret = self.draw_panel(areas.panel, conversation, buffer).or(caret);
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

    fn draw_transcript(&mut self, area: Rect, buffer: &mut Buffer, now: Instant) {
        if area.is_empty() {
            return;
        }
        if self.view.transcript.is_empty() && self.view.turn == Turn::Idle {
            match self.view.reopens {
                Some(since) => self.draw_opening(since, area, buffer, now),
                None => self.draw_welcome(area, buffer),
            }
        }
        self.prepare_pictures(area);
        let focused = self.view.focus == Focus::Transcript && !self.is_asking();
        let frame = match self.appearance.surroundings.motion {
            Motion::Full => usize::try_from(self.frame(now)).unwrap_or(0),
            Motion::Reduced => 0,
        };
        let look = self.appearance.look();
        // In the transcript `esc` leads to the composer, and in a question to later.
        let end_key = if focused || self.is_asking() {
            self.keymap.label(Context::Global, Action::ClearOrQuit).to_owned()
        } else {
            match self.keymap.label(Context::Global, Action::Escape) {
                "" => String::new(),
                escape => format!("{escape} {escape}"),
            }
        };
        let ask_key = match self.asks_put_off() {
            1.. if !self.is_asking() => self.keymap.after_leader(Action::NextAsk),
            _ => String::new(),
        };
        let cx = DrawCx {
            look,
            frame,
            now,
            focused,
            end_key: &end_key,
            ask_key: &ask_key,
            fold_key: self.keymap.label(Context::Transcript, Action::ToggleFold),
            view_key: self.keymap.label(Context::Transcript, Action::ViewBlock),
        };
        self.view.transcript.draw(area, buffer, &cx);
        self.draw_pictures(buffer);
    }

    /// The rule above the composer; it also says what came below what is read.
    fn draw_rule(&self, area: Rect, buffer: &mut Buffer) {
        let symbols = self.appearance.surroundings.symbols;
        let style = self.appearance.theme.style(Meaning::Rule);
        let rule = symbols.rule().repeat(usize::from(area.width));
        buffer.set_stringn(area.x, area.y, rule, usize::from(area.width), style);
        let unseen = self.view.transcript.unseen();
        if unseen > 0 {
            let arrow = if symbols == Symbols::Unicode { "↓" } else { "v" };
            let text = format!(" {arrow} {unseen} new ");
            let x = area
                .right()
                .saturating_sub(u16::try_from(str_width(&text)).unwrap_or(0) + 2);
            buffer.set_stringn(
                x,
                area.y,
                &text,
                text.len(),
                self.appearance.theme.style(Meaning::Accent),
            );
        }
    }

    fn draw_composer(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let has_focus = self.view.focus == Focus::Composer;
        let bar = if has_focus { Meaning::Accent } else { Meaning::Rule };
        let text = self.appearance.theme.style(Meaning::Text);
        let look = composer::Look {
            text,
            bar: self.appearance.surroundings.symbols.bar(),
            bar_style: self.appearance.theme.style(bar),
            chip: self.appearance.theme.style(Meaning::Accent),
            invitation: match self.view.turn {
                Turn::Idle => "Ask for a change, or about the code.",
                Turn::Busy => "Add something while it works.",
            },
            muted: self.appearance.theme.style(Meaning::TextMuted),
        };
        let inner = Rect {
            x: area.x + 1,
            width: area.width.saturating_sub(2),
            ..area
        };
        self.view
            .composer
            .set_selection_style(self.appearance.theme.style(Meaning::Selection));
        self.view
            .composer
            .draw(inner, buffer, &look)
            .filter(|_| has_focus)
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
