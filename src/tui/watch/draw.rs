//! A frame of the grid: first the places, then all that stands above the transcripts. Between the two the screen draws the
//! transcripts.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Span;
use ratatui::widgets::{Clear, Widget};

use super::heading::Summary;
use super::keys::TILES;
use super::task_words::is_live;
use super::tile::TileHead;
use super::{ShownQuestion, Stage, Watch, WatchTile};
use crate::conversation::{TaskId, TaskRow};
use crate::question::{Question, QuestionKind};
use crate::text::sanitize::sanitize_line;
use crate::tui::area::{above, below, last_rows};
use crate::tui::composer::{ComposerStyle, field};
use crate::tui::dialog::{TileAnswerKeys, TilePlace, TileQuestion, TypeAheadGuard, on_ground};
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::LayerCx;
use crate::tui::tasks::words::tokens;
use crate::tui::tile_grid::{Grid, MOST_TILES, tiles_on_page};
use crate::view::theme::Meaning;

/// From this height on a rule stands below the tiles.
const ROOMY: u16 = 19;
/// Rows of a text that is written in a tile.
const MOST_TEXT_ROWS: u16 = 3;
/// Rows of a transcript below a question, and the empty one between the two; fewer tell nothing.
const LEAST_BODY: u16 = 4;

impl Watch {
    /// Settles where the tiles stand in a frame of this size, and what of each is the transcript's.
    pub(crate) fn lay_out(&mut self, area: Rect, now: Instant, cx: &LayerCx<'_>) {
        // Where there is room a rule parts the tiles from the hints.
        let foot = u16::from(area.height >= ROOMY);
        let page = above(below(area, 1), foot);
        self.last.per_page = tiles_on_page(self.found.len(), page);
        self.last.unix = cx.unix;
        let start = self.page_start();
        let end = (start + self.last.per_page).min(self.found.len());
        let grid = Grid::new(end - start, page).with_rows_below(foot);
        let before = std::mem::take(&mut self.last.tiles);
        self.last.text = Rect::default();
        let mut shown = Vec::new();
        for (place, area) in (start..end).zip(&grid.tiles) {
            let Some(row) = self.row(&self.found[place]).cloned() else {
                continue;
            };
            let question = self.question_of(&row).cloned();
            let mut body = below(*area, 1);
            if self.chosen_place() == Some(place) && self.is_writing() {
                self.last.text = self.text_area(body);
                body = above(body, self.last.text.height);
            }
            let mut ask = Rect { height: 0, ..body };
            if let Some(question) = &question {
                ask.height = self.lay_out_question(question, body, now, cx);
                shown.push(question.id);
                body = below(body, ask.height);
                if body.height < LEAST_BODY {
                    body.height = 0;
                } else {
                    body = below(body, 1);
                }
            }
            let known = before.iter().find(|tile| tile.session == row.session);
            self.last.tiles.push(WatchTile {
                session: row.session.clone(),
                has_session: row.started.is_some(),
                body,
                question,
                ask,
                seen: known.map(|tile| tile.seen).unwrap_or_default(),
                area: *area,
            });
        }
        self.shown_questions.retain(|id, _| shown.contains(id));
        self.last.grid = grid;
        self.last.texts = self.texts(cx.unix);
    }

    /// Returns the rows that a question takes.
    fn lay_out_question(&mut self, question: &Question, room: Rect, now: Instant, cx: &LayerCx<'_>) -> u16 {
        let key = (room.width, room.height, cx.look.key());
        let known = self.shown_questions.get(&question.id);
        if known.is_none_or(|known| known.key != key) {
            let label = |action| cx.keymap.label(Context::Layer(&TILES), action);
            let keys = TileAnswerKeys {
                once: label(Action::AllowOnce),
                no: label(Action::Reject),
                no_because: label(Action::RejectBecause),
                always: label(Action::AllowAlways),
                enter: label(super::keys::ENTER),
            };
            let guard = known.map_or_else(|| TypeAheadGuard::begin(now), |known| known.guard);
            let place = TilePlace {
                size: (room.width, room.height),
                directory: &self.directory,
                keys,
            };
            let laid_out = TileQuestion::new(question, place, cx);
            let shown = ShownQuestion { guard, key, laid_out };
            self.shown_questions.insert(question.id, shown);
        }
        let lines = self.shown_questions[&question.id].laid_out.lines.len();
        u16::try_from(lines).unwrap_or(u16::MAX).min(room.height)
    }

    /// Returns true while a text is written to the chosen agent.
    fn is_writing(&self) -> bool {
        matches!(self.stage, Stage::Message(_) | Stage::Reason(_))
    }

    /// Returns the place of the text that is written to an agent, at the end of its tile, with the rule above it.
    fn text_area(&mut self, body: Rect) -> Rect {
        let columns = body.width.saturating_sub(2);
        let rows = self.text.rows_within(columns, MOST_TEXT_ROWS).max(1);
        last_rows(body, rows + 1)
    }

    /// Returns all that a frame shows above the transcripts at a time, to be compared.
    pub(super) fn texts(&self, unix: i64) -> Vec<String> {
        let heading = Summary::new(&self.rows, |row| self.mark(row), unix);
        let heading = format!("{} {:?} {:?}", heading.text(), self.mode, self.page_number());
        let tiles = self.last.tiles.iter().map(|tile| {
            let row = self.rows.iter().find(|row| row.session == tile.session);
            let Some(row) = row else {
                return String::new();
            };
            let question = self.question_of(row).map(|question| question.id);
            let head = self.head(row, tile, 1);
            format!("{} {question:?} {}", head.text(unix), tile.session)
        });
        let on_page = self.found.iter().skip(self.page_start()).take(self.last.per_page);
        let on_page: Vec<&str> = on_page.map(TaskId::as_str).collect();
        // More tiles than the largest grid has change nothing but the number of pages.
        let count = self.found.len().min(MOST_TILES + 1);
        let placed = format!("{count} {}", on_page.join(" "));
        std::iter::once(heading).chain(tiles).chain([placed]).collect()
    }

    fn head<'a>(&'a self, row: &'a TaskRow, tile: &WatchTile, number: usize) -> TileHead<'a> {
        TileHead {
            number,
            row,
            mark: self.mark(row),
            asks: self.question_of(row).map(|question| subject(question)),
            seen: tile.seen,
            is_chosen: self.chosen.as_ref() == Some(&row.task),
        }
    }

    /// Draws all but the transcripts.
    pub(super) fn draw_frame(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &LayerCx<'_>,
    ) -> Option<Position> {
        let unix = self.last.unix;
        let heading = Summary::new(&self.rows, |row| self.mark(row), unix);
        heading.draw(self.mode, &self.notices(cx), area, buffer, cx.look);
        self.last.grid.draw_rules(buffer, cx.look);
        if self.last.tiles.is_empty() {
            draw_nothing(self.rows.is_empty(), area, buffer, cx);
        }
        for (number, tile) in (1..).zip(&self.last.tiles) {
            let row = self.rows.iter().find(|row| row.session == tile.session);
            let Some(row) = row else {
                continue;
            };
            let head = self.head(row, tile, number);
            let line = head.line(usize::from(tile.area.width), unix, cx.look);
            buffer.set_line(tile.area.x, tile.area.y, &line, tile.area.width);
            if row.started.is_none() && is_live(head.mark) {
                draw_waiting(tile.body, buffer, cx);
            }
            self.draw_question(tile, buffer, cx);
        }
        match self.stage {
            Stage::Browsing => None,
            Stage::Filter => self.draw_filter(area, buffer, cx),
            Stage::Message(_) | Stage::Reason(_) => self.draw_text(buffer, cx),
        }
    }

    /// Returns what stands behind the counts: the filter and the page.
    fn notices(&self, cx: &LayerCx<'_>) -> Vec<Span<'static>> {
        let mut notices = Vec::new();
        let filter = self.filter.text();
        if !filter.is_empty() {
            let filter = format!("/{}", sanitize_line(&filter));
            notices.push(Span::styled(filter, cx.look.style(Meaning::Match)));
        }
        let (number, pages) = self.page_number();
        if pages > 1 {
            let page = format!("page {number} of {pages}");
            notices.push(Span::styled(page, cx.look.style(Meaning::TextMuted)));
        }
        notices
    }

    fn draw_question(&self, tile: &WatchTile, buffer: &mut Buffer, cx: &LayerCx<'_>) {
        let shown = tile.question.as_ref();
        let Some(shown) = shown.and_then(|question| self.shown_questions.get(&question.id)) else {
            return;
        };
        let ground = tile.ask;
        Clear.render(ground, buffer);
        on_ground(ground, buffer, cx.look, |buffer| {
            for (row, line) in ground.rows().zip(&shown.laid_out.lines) {
                buffer.set_line(row.x, row.y, line, row.width);
            }
        });
    }

    /// Draws what is written to the chosen agent.
    fn draw_text(&mut self, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let area = self.last.text;
        if area.is_empty() {
            return None;
        }
        Clear.render(area, buffer);
        let head = Rect { height: 1, ..area };
        draw_labelled_rule(&self.text_label(), head, buffer, cx);
        let invitation = match &self.stage {
            Stage::Reason(_) => "the reason, in one line; the agent reads it",
            _ => "it reads this with its next step",
        };
        let look = ComposerStyle::new(cx.look.symbols.bar(), invitation, cx.look.theme);
        self.text.draw(field(below(area, 1)), buffer, &look)
    }

    /// Returns what the text is that is being written.
    fn text_label(&self) -> String {
        let Stage::Message(task) = &self.stage else {
            return "no, because".to_owned();
        };
        let Some(row) = self.row(task) else {
            return String::new();
        };
        let tile = self.last.tiles.iter().find(|tile| tile.session == row.session);
        let context = tile.map_or(0, |tile| tile.seen.context);
        match (row.status.is_ended(), context) {
            (false, _) => format!("to {}", sanitize_line(&row.agent)),
            (true, 0) => "resumes it".to_owned(),
            (true, context) => format!("resumes it with {} tok of context", tokens(context)),
        }
    }

    /// Draws the filter over the heading.
    fn draw_filter(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let row = Rect { height: 1, ..area };
        Clear.render(row, buffer);
        let invitation = "filter by agent, state or activity";
        let look = ComposerStyle::new(cx.look.symbols.bar(), invitation, cx.look.theme);
        self.filter.draw(field(row), buffer, &look)
    }
}

/// Draws a rule with a word or two at its beginning.
fn draw_labelled_rule(label: &str, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
    let width = usize::from(area.width);
    let rule = cx.look.symbols.rule().repeat(width);
    buffer.set_stringn(area.x, area.y, rule, width, cx.look.style(Meaning::Rule));
    let label = format!(" {label} ");
    let room = width.saturating_sub(2);
    let style = cx.look.style(Meaning::TextMuted);
    buffer.set_stringn(area.x + 1, area.y, label, room, style);
}

/// Returns what a question is about, in a line.
fn subject(question: &Question) -> &str {
    match &question.about {
        QuestionKind::Permission(inquiry) => match inquiry.rows.first() {
            Some(row) => row.pattern(),
            None => &inquiry.title,
        },
        QuestionKind::Form(form) => &form.title,
    }
}

fn draw_nothing(has_no_tasks: bool, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
    let words = if has_no_tasks {
        "No agent has been started here yet. Each gets a tile of its own."
    } else {
        "Nothing matches."
    };
    let style = cx.look.style(Meaning::TextMuted);
    let y = area.y + 2.min(area.height.saturating_sub(1));
    buffer.set_stringn(
        area.x + 1,
        y,
        words,
        usize::from(area.width.saturating_sub(1)),
        style,
    );
}

/// It has no session to look into yet.
fn draw_waiting(body: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) {
    if body.height == 0 {
        return;
    }
    let style = cx.look.style(Meaning::TextMuted);
    let width = usize::from(body.width.saturating_sub(4));
    buffer.set_stringn(body.x + 3, body.y, "It begins when a slot is free.", width, style);
}
