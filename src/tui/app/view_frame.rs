//! One conversation in a frame: the title row, the transcript, what waits to be sent, a rule, the composer or the question
//! in its place, and the panel. It is drawn into any rectangle; a frame may have several.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::areas::{Areas, ROOMY};
use super::layers::LayerSlot;
use super::session_view::SessionView;
use super::view_cx::ViewCx;
use super::{Effect, Focus, TurnStatus};
use crate::text::sanitize::sanitize_line;
use crate::text::width::str_width;
use crate::tui::area::below;
use crate::tui::composer::{ComposerStyle, field};
use crate::tui::dialog::on_ground;
use crate::tui::keymap::{Action, Context, key_name};
use crate::tui::panel;
use crate::tui::pictures::PictureJob;
use crate::tui::statusbar::{TitleRow, TurnLine};
use crate::tui::transcript::DrawCx;
use crate::view::theme::Meaning;

/// A narrower conversation has pictures described.
const LEAST_COLUMNS_OF_PICTURES: u16 = 60;

impl SessionView {
    /// Draws the conversation; returns where its parts stand, and the caret where it has the keys.
    pub(super) fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &mut ViewCx<'_>,
    ) -> (Areas, Option<Position>) {
        let areas = self.areas(area, cx);
        TitleRow {
            facts: &self.facts,
            path: &cx.path,
            elsewhere: cx.elsewhere,
            theme: &cx.appearance.theme,
            symbols: cx.appearance.terminal_environment.symbols,
        }
        .draw(areas.title, buffer);
        let call = cx.asking.as_deref().and_then(|dialog| dialog.call().cloned());
        self.transcript.show_in_dialog(call.as_ref());
        self.draw_transcript(areas.transcript, buffer, cx);
        self.draw_queue(areas.queue, buffer, cx);
        self.draw_rule(areas.rule, buffer, cx);
        let mut caret = self
            .with_asking(area.height < ROOMY, cx, |dialog, cx| {
                on_ground(areas.dialog, buffer, cx.look, |buffer| {
                    dialog.draw(areas.dialog, buffer, cx)
                })
            })
            .flatten();
        if let Some(row) = cx.waiting.as_ref().filter(|_| !cx.is_asking()) {
            let look = cx.appearance.look();
            on_ground(areas.dialog, buffer, look, |buffer| {
                row.draw(areas.dialog, buffer, look);
            });
        }
        caret = self.draw_composer(areas.composer, buffer, cx).or(caret);
        let conversation = areas.transcript.union(areas.queue);
        caret = self.draw_panel(areas.panel, conversation, buffer, cx).or(caret);
        (areas, caret.filter(|_| cx.has_keys))
    }

    fn draw_transcript(&mut self, area: Rect, buffer: &mut Buffer, cx: &mut ViewCx<'_>) {
        if area.is_empty() {
            return;
        }
        self.prepare_pictures(area, cx);
        let focused = cx.has_keys && self.focus == Focus::Transcript && !cx.is_asking();
        let look = cx.appearance.look();
        let end_key = self.end_key(cx);
        let ask_key = match self.facts.asks {
            1.. if !cx.is_asking() => cx.keymap.after_leader(Action::NextAsk),
            _ => String::new(),
        };
        let draw_cx = DrawCx {
            shows_todos: self.panel.shows_todos(cx.screen.width),
            look,
            frame: cx.frame,
            now: cx.now,
            focused,
            end_key: &end_key,
            ask_key: &ask_key,
            fold_key: cx.keymap.label(Context::Transcript, Action::ToggleFold),
            view_key: cx.keymap.label(Context::Transcript, Action::ViewBlock),
        };
        self.transcript.draw(area, buffer, &draw_cx);
        if !self.transcript.has_begun() && self.turn == TurnStatus::Idle {
            // What lathe told at the beginning stands above.
            let below = below(area, self.transcript.drawn_rows());
            match self.reopens {
                Some(since) => Self::draw_opening(since, below, buffer, cx),
                None => self.draw_welcome(below, buffer, cx),
            }
        }
        let queries = self.transcript.card_queries().into_iter();
        cx.effects
            .extend(queries.map(|query| Effect::Ask(self.slot, query)));
        self.draw_pictures(buffer, cx);
    }

    /// Returns the keys that end the turn from where the person is: in the transcript `esc` leads to the composer, in a
    /// question to later, and in a task back.
    fn end_key(&self, cx: &ViewCx<'_>) -> String {
        let is_read = cx.has_keys && self.focus != Focus::Composer;
        if is_read || cx.is_asking() || self.task.is_some() {
            return cx.keymap.label(Context::Global, Action::ClearOrQuit).to_owned();
        }
        match cx.keymap.label(Context::Global, Action::Escape) {
            "" => String::new(),
            escape => format!("{escape} {escape}"),
        }
    }

    /// Has the conversation keep rows for pictures, where they are drawn.
    fn prepare_pictures(&mut self, area: Rect, cx: &ViewCx<'_>) {
        let canvas = cx
            .pictures
            .canvas()
            .filter(|_| area.width >= LEAST_COLUMNS_OF_PICTURES);
        self.transcript.set_canvas(canvas);
    }

    /// Draws the pictures of the conversation, and has one made that is not there yet.
    fn draw_pictures(&mut self, buffer: &mut Buffer, cx: &mut ViewCx<'_>) {
        for place in self.transcript.pictures() {
            let Some(pixels) = cx.pictures.paint(place, buffer) else {
                continue;
            };
            let Some(data) = self.transcript.picture_data(place.key) else {
                continue;
            };
            cx.pictures.make(place.key);
            cx.effects.push(Effect::MakePicture(PictureJob {
                key: place.key,
                grid: place.grid,
                form: cx.pictures.form(),
                pixels,
                data: data.into_owned(),
            }));
        }
    }

    fn draw_queue(&mut self, area: Rect, buffer: &mut Buffer, cx: &ViewCx<'_>) {
        let mut list = std::mem::take(&mut self.queue_list);
        list.draw(
            &self.waiting(),
            area,
            buffer,
            &cx.appearance.theme,
            cx.appearance.terminal_environment.symbols,
        );
        self.queue_list = list;
    }

    /// The rule above the composer. The status line of the turn stands on it, and what came below what is read.
    fn draw_rule(&self, area: Rect, buffer: &mut Buffer, cx: &ViewCx<'_>) {
        let symbols = cx.appearance.terminal_environment.symbols;
        let style = cx.appearance.theme.style(Meaning::Rule);
        let rule = symbols.rule().repeat(usize::from(area.width));
        buffer.set_stringn(area.x, area.y, rule, usize::from(area.width), style);
        let mut taken = 0;
        if let Some(progress) = self.transcript.progress(cx.now) {
            let line = TurnLine {
                progress: &progress,
                stop_key: &self.end_key(cx),
                look: cx.appearance.look(),
                frame: cx.frame,
                now: cx.now,
            };
            taken = line.draw(area, buffer);
        }
        let unseen = self.transcript.unseen();
        if unseen > 0 {
            let arrow = symbols.pick("↓", "v");
            let text = format!(" {arrow} {unseen} new ");
            let columns = u16::try_from(str_width(&text)).unwrap_or(0) + 2;
            if taken + columns <= area.width {
                let style = cx.appearance.theme.style(Meaning::Accent);
                buffer.set_stringn(area.right() - columns, area.y, &text, text.len(), style);
            }
        }
    }

    fn draw_composer(&mut self, area: Rect, buffer: &mut Buffer, cx: &ViewCx<'_>) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let has_focus = cx.has_keys && self.focus == Focus::Composer;
        let is_written = has_focus && cx.composer_has_keys;
        let (bar, text) = if is_written {
            (Meaning::Accent, Meaning::Text)
        } else {
            (Meaning::Rule, Meaning::TextMuted)
        };
        let of_task;
        let symbols = cx.appearance.terminal_environment.symbols;
        let send = key_name(cx.keymap.label(Context::Composer, Action::Send), symbols);
        let of_holder = self.read_only_words(send);
        let invitation = match (&self.task, self.turn) {
            _ if of_holder.is_some() => of_holder.as_deref().unwrap_or_default(),
            (Some(_), _) => {
                of_task = format!("Send a message to {}.", sanitize_line(&self.facts.agent));
                of_task.as_str()
            }
            (None, TurnStatus::Idle) => "Ask for a change, or about the code.",
            (None, TurnStatus::Busy) => "Add something while it works.",
        };
        let theme = &cx.appearance.theme;
        let look = ComposerStyle {
            bar_style: theme.style(bar),
            text: theme.style(text),
            ..ComposerStyle::new(cx.appearance.look().symbols.bar(), invitation, theme)
        };
        self.composer
            .set_selection_style(cx.appearance.theme.style(Meaning::Selection));
        self.composer
            .draw(field(area), buffer, &look)
            .filter(|_| has_focus && !cx.is_asking())
    }

    /// Draws it beside the conversation, or over it while it has the keys.
    fn draw_panel(
        &mut self,
        beside: Rect,
        over: Rect,
        buffer: &mut Buffer,
        cx: &ViewCx<'_>,
    ) -> Option<Position> {
        let is_read = match cx.top {
            Some(LayerSlot::Todo) => true,
            Some(_) => false,
            None => self.focus == Focus::Panel,
        };
        let has_keys = cx.has_keys && is_read;
        let area = match beside.is_empty() {
            false => beside,
            true if has_keys => {
                let width = panel::columns(over.width);
                Rect {
                    x: over.right() - width,
                    width,
                    ..over
                }
            }
            true => Rect::default(),
        };
        let look = cx.appearance.look();
        self.panel.draw(area, has_keys, buffer, look)
    }
}
