//! A form on screen: who asks, what it is about, the question with its answers, and the keys.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::{FormDialog, FormPage};
use crate::question::{FormOption, FormQuestion};
use crate::text::sanitize::{Revealed, reveal, reveal_line};
use crate::text::width::str_width;
use crate::tui::composer::ComposerStyle;
use crate::tui::dialog::scrolled_lines::window as shown_part;
use crate::tui::keymap::{Action, Context, key_name};
use crate::tui::layer::{Layer, LayerCx};
use crate::view::Symbols;
use crate::view::approval::{ApprovalText, INDENT, body, step};
use crate::view::styled_text::draw_lines;
use crate::view::theme::Meaning;

/// Columns of a number before a label.
const NUMBER: usize = 3;
/// Between a label and its description.
const GAP: usize = 2;
/// A description beside its label has this much room, or it stands below.
const LEAST_DESCRIPTION: usize = 30;
/// Rows of an answer in own words at most; the caret stays in sight.
const WORDS_ROWS: usize = 4;
/// Columns of a question's name among the others.
const TAB: usize = 16;
/// Rows that what the form is about keeps where there is little room.
const CARD_ROWS: usize = 3;

/// The rows below what the form is about, of which only some may fit.
struct FormRows {
    lines: Vec<Line<'static>>,
    /// The rows that have to be in sight, if some do.
    chosen: Option<Range<usize>>,
    /// Row of the answer in own words.
    words: Option<usize>,
}

impl FormDialog {
    /// Returns how many rows it would like.
    pub(super) fn rows_wanted(&mut self, width: u16, cx: &LayerCx<'_>) -> u16 {
        self.lay_out(width, cx);
        let list = self.list(width, cx).lines.len();
        let rows = self.head(width, cx).len() + self.card.len() + list + self.foot(width, cx).len();
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// Draws, and returns where the caret stands while an answer is being written.
    pub(super) fn draw_in(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        self.lay_out(area.width, cx);
        let foot = self.foot(area.width, cx);
        let list = self.list(area.width, cx);
        let mut lines = self.head(area.width, cx);
        let room = usize::from(area.height).saturating_sub(lines.len() + foot.len());
        let card_rows = self.card.len();
        let list_rows = list
            .lines
            .len()
            .min(room.saturating_sub(card_rows.min(CARD_ROWS)));
        self.card.height = card_rows.min(room.saturating_sub(list_rows));
        self.card.scroll_by(0);
        self.list_hidden = list.lines.len() - list_rows;
        self.list_top = window(self.list_top, &list, list_rows);

        lines.extend(self.card.shown(area.width, cx));
        let first_row = lines.len();
        lines.extend(shown_part(&list.lines, self.list_top, list_rows, area.width, cx));
        lines.extend(foot);
        draw_lines(&lines, area, buffer);
        let row = list.words?.checked_sub(self.list_top)?;
        let room = list_rows.checked_sub(row)?.min(self.words_rows);
        let line = Rect {
            height: u16::try_from(room).unwrap_or(1),
            ..area.rows().nth(first_row + row)?
        };
        self.draw_words(line, buffer, cx)
    }

    /// The line in which one writes.
    fn draw_words(&mut self, row: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        let invitation = self.question()?.own_words.clone().unwrap_or_default();
        let invitation = cx.look.symbols.plain_text(&invitation);
        let look = ComposerStyle::new(cx.look.symbols.bar(), &invitation, cx.look.theme);
        let indent = u16::try_from(self.words_indent(cx.look.symbols)).unwrap_or(0);
        let line = Rect {
            x: row.x + indent.min(row.width),
            width: row.width.saturating_sub(indent + 1),
            ..row
        };
        let page = self.pages.get_mut(self.page)?;
        page.words.draw(line, buffer, &look)
    }

    fn words_indent(&self, symbols: Symbols) -> usize {
        let chosen_from = self.question().filter(|question| !question.options.is_empty());
        chosen_from.map_or(INDENT, |question| label_indent(question, symbols))
    }

    /// Returns who asks and about what, and the names of the questions where there are several.
    fn head(&self, width: u16, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let columns = usize::from(width);
        let sheet = &self.form.about;
        let agent = self.form.agent.as_str();
        // The title often begins with who asks.
        let is_said = sheet.title.split(' ').next() == Some(agent);
        let mut right = if is_said {
            Revealed::default()
        } else {
            reveal_line(agent)
        };
        if let (number, count @ 2..) = cx.place {
            right = if right.is_empty() {
                right
            } else {
                right.and(cx.dot())
            };
            right = right.and(number).and(" of ").and(count);
        }
        let right = cx.text(right, Meaning::TextMuted);
        let title = cx.title(reveal_line(&sheet.title));
        let mut lines = if title.width() + GAP + right.width() < columns {
            vec![title.ends_with(&right, columns - 1)]
        } else {
            let mut lines = title.rows(columns.saturating_sub(1), INDENT);
            if !right.is_empty() {
                lines.extend(right.indented(columns));
            }
            lines
        };
        if self.pages.len() > 1 {
            lines.push(self.tabs(columns, cx));
        }
        lines
    }

    /// One name a question and one for the answers; where they do not fit, only the one on screen.
    fn tabs(&self, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
        let symbols = cx.look.symbols;
        let names = self.questions().iter().zip(&self.pages).zip(1_usize..);
        let mut tabs: Vec<Revealed> = names
            .map(|((question, page), place)| {
                let name = Revealed::from(place).and(" ").and(tab_name(question, cx));
                name.and(if page.answer().is_empty() {
                    ""
                } else {
                    symbols.pick(" ✓", " +")
                })
            })
            .collect();
        tabs.push("answers".into());
        let columns: usize = tabs.iter().map(|tab| tab.width() + 3).sum();
        let lead = ApprovalText::new(cx.look).gap(INDENT);
        if columns + INDENT > width {
            let place = Revealed::from(self.page + 1)
                .and(" of ")
                .and(tabs.len())
                .and(cx.dot());
            let name = tabs.get(self.page).cloned().unwrap_or_default();
            let text = lead.and(place, Meaning::TextMuted).and(name, Meaning::Selection);
            return text.line();
        }
        let tabs = tabs.into_iter().enumerate().fold(lead, |all, (place, tab)| {
            let meaning = if place == self.page {
                Meaning::Selection
            } else {
                Meaning::TextMuted
            };
            all.and(tab, meaning).gap(3)
        });
        tabs.line()
    }

    fn list(&self, width: u16, cx: &LayerCx<'_>) -> FormRows {
        match (self.question(), self.pages.get(self.page)) {
            (Some(question), Some(page)) => self.question_list(question, page, usize::from(width), cx),
            _ => self.answer_list(usize::from(width), cx),
        }
    }

    fn question_list(
        &self,
        question: &FormQuestion,
        page: &FormPage,
        width: usize,
        cx: &LayerCx<'_>,
    ) -> FormRows {
        let mut lines = stepped(&question.question, (INDENT, width), Meaning::TextStrong, cx);
        let indent = label_indent(question, cx.look.symbols);
        let labels = label_columns(question, width.saturating_sub(indent + 1));
        let mut chosen = None;
        for (row, option) in question.options.iter().enumerate() {
            let first = lines.len();
            lines.extend(option_lines(question, page, (row, option), (labels, width), cx));
            if row == page.row {
                chosen = Some(first..lines.len());
            }
        }
        let mut words = None;
        if let Some(invitation) = &question.own_words {
            let row = question.options.len();
            if row == page.row {
                let rows = if self.is_writing { self.words_rows } else { 1 };
                chosen = Some(lines.len()..lines.len() + rows);
            }
            words = self.is_writing.then_some(lines.len());
            let written = page.words.text();
            let (text, meaning) = match (self.is_writing, written.is_empty()) {
                (true, _) => (Revealed::default(), Meaning::Text),
                (false, true) => {
                    let invitation = cx.look.symbols.plain_text(invitation);
                    (reveal_line(&invitation), Meaning::TextMuted)
                }
                (false, false) => (reveal_line(&written), Meaning::Text),
            };
            if question.options.is_empty() {
                lines.push(
                    ApprovalText::new(cx.look)
                        .gap(INDENT)
                        .and(text, Meaning::Text)
                        .line(),
                );
            } else {
                let lead = lead(question, row, page.row == row, page.counts_words, cx);
                let meaning = if page.row == row && !self.is_writing {
                    Meaning::Selection
                } else {
                    meaning
                };
                // What was written is whole where it is written.
                let text = cx.text(text, meaning).shortened(width.saturating_sub(indent + 1));
                lines.push(lead.join(&text).line());
            }
            if self.is_writing {
                lines.extend((1..self.words_rows).map(|_| Line::default()));
            }
        }
        FormRows { lines, chosen, words }
    }

    /// Lists the answers, before they are sent.
    fn answer_list(&self, width: usize, cx: &LayerCx<'_>) -> FormRows {
        let mut lines = Vec::new();
        let pages = self.questions().iter().zip(&self.pages).zip(1_usize..);
        for ((question, page), place) in pages {
            let answer = page.answer();
            let labels = answer
                .picked
                .iter()
                .filter_map(|place| question.options.get(*place));
            let mut said: Vec<&str> = labels.map(|option| option.label.as_str()).collect();
            said.extend(answer.words.as_deref());
            let asked = Revealed::from(place)
                .and(" ")
                .and(reveal_line(&question.question));
            lines.extend(cx.text(asked, Meaning::TextMuted).indented(width));
            let (said, meaning) = if said.is_empty() {
                ("unanswered".to_owned(), Meaning::Warning)
            } else {
                (said.join(", "), Meaning::TextStrong)
            };
            lines.extend(stepped(&said, (INDENT + 2, width), meaning, cx));
        }
        FormRows {
            lines,
            chosen: None,
            words: None,
        }
    }

    /// A remark, and the keys: as many as fit on two rows, the most important first.
    fn foot(&self, width: u16, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if let Some(remark) = self.remark {
            lines.extend(cx.text(remark, Meaning::Warning).indented(usize::from(width)));
        }
        let room = usize::from(width).saturating_sub(1);
        let begun = || ApprovalText::new(cx.look).gap(INDENT);
        let mut row = begun();
        let mut rows = 0;
        for (key, verb) in self.keys(cx) {
            let text = cx
                .text(key, Meaning::Accent)
                .and(" ", Meaning::Text)
                .and(verb, Meaning::TextMuted);
            let is_first = row.width() == INDENT;
            if !is_first && row.width() + 3 + text.width() > room {
                rows += 1;
                if rows == 2 || cx.is_low {
                    break;
                }
                lines.push(std::mem::replace(&mut row, begun().join(&text)).line());
                continue;
            }
            row = if is_first { row } else { row.gap(3) }.join(&text);
        }
        lines.push(row.line());
        lines
    }

    fn keys(&self, cx: &LayerCx<'_>) -> Vec<(Revealed, &'static str)> {
        let context = self.context();
        let label = |action| reveal_line(key_name(cx.keymap.label(context, action), cx.look.symbols));
        let mut keys = Vec::new();
        let Some(question) = self.question() else {
            keys.push((label(Action::FormDone), "send the answers"));
            keys.push((label(Action::FormPrevious), "back"));
            keys.push((Revealed::own("1-").and(self.pages.len().min(9)), "change one"));
            keys.push((label(Action::FormDismiss), "dismiss"));
            return keys;
        };
        let is_several = self.pages.len() > 1;
        if self.is_writing {
            keys.push((
                label(Action::FormDone),
                if is_several { "go on" } else { "answer" },
            ));
        } else {
            if question.multiple {
                keys.push((label(Action::FormTick), "tick"));
            }
            let verb = match (question.multiple, is_several) {
                (true, true) => "go on",
                (true, false) => "send ticked rows",
                (false, _) => "choose",
            };
            keys.push((label(Action::FormDone), verb));
            keys.push((
                label(Action::FormUp).and(" ").and(label(Action::FormDown)),
                "move",
            ));
            let last = super::rows_of(question).min(9);
            keys.push((Revealed::own("1-").and(last), "by number"));
        }
        if is_several {
            keys.push((label(Action::FormNext), "next question"));
        }
        if self.card.last_top() > 0 {
            keys.push((cx.key(Context::Global, Action::PageDown), "scroll"));
        }
        if !self.is_writing {
            keys.push((label(Action::FormDismiss), "dismiss"));
        }
        keys
    }

    fn lay_out(&mut self, width: u16, cx: &LayerCx<'_>) {
        let indent = self.words_indent(cx.look.symbols);
        let columns = usize::from(width).saturating_sub(indent + 1);
        if let Some(page) = self.pages.get_mut(self.page) {
            let rows = page.words.rows(u16::try_from(columns).unwrap_or(0));
            self.words_rows = usize::from(rows).clamp(1, WORDS_ROWS);
        }
        let key = (width, cx.look.key());
        let Some(card) = &self.form.about.card else { return };
        if !self.card.is_laid_out_for(&key) {
            self.card.set(key, body(card, usize::from(width), cx.look).lines);
        }
    }
}

fn tab_name(question: &FormQuestion, cx: &LayerCx<'_>) -> Revealed {
    let name = if question.header.is_empty() {
        &question.question
    } else {
        &question.header
    };
    cx.text(reveal_line(name), Meaning::Text)
        .shortened(TAB)
        .text()
        .clone()
}

fn mark(question: &FormQuestion, is_on: bool, symbols: Symbols) -> &'static str {
    match (question.multiple, is_on) {
        (true, true) => "[x] ",
        (true, false) => "[ ] ",
        (false, true) => symbols.pick("● ", "(*) "),
        (false, false) => symbols.pick("○ ", "( ) "),
    }
}

/// Columns left of a label.
fn label_indent(question: &FormQuestion, symbols: Symbols) -> usize {
    INDENT + NUMBER + str_width(mark(question, false, symbols))
}

/// The number and the mark before a label.
fn lead<'a>(
    question: &FormQuestion,
    row: usize,
    is_here: bool,
    is_on: bool,
    cx: &LayerCx<'a>,
) -> ApprovalText<'a> {
    let mark = mark(question, is_on, cx.look.symbols);
    let pointer = if is_here { cx.look.symbols.pointer() } else { " " };
    let number = if row < 9 { " " } else { "" };
    cx.text(Revealed::own(" ").and(pointer).and(" "), Meaning::Accent)
        .and(Revealed::own(number).and(row + 1).and(" "), Meaning::TextMuted)
        .and(mark, Meaning::Accent)
}

/// Returns the columns of the labels where the descriptions stand in a column beside them, which takes room for both.
fn label_columns(question: &FormQuestion, room: usize) -> Option<usize> {
    let widest = question
        .options
        .iter()
        .map(|option| reveal_line(&option.label).width())
        .max();
    widest.filter(|widest| room >= widest + GAP + LEAST_DESCRIPTION && *widest <= room / 3)
}

/// A label with its description beside it, or below.
fn option_lines(
    question: &FormQuestion,
    page: &FormPage,
    (row, option): (usize, &FormOption),
    (labels, width): (Option<usize>, usize),
    cx: &LayerCx<'_>,
) -> Vec<Line<'static>> {
    let indent = label_indent(question, cx.look.symbols);
    let is_here = page.row == row;
    let is_on = page.ticks.get(row).copied().unwrap_or(false);
    let meaning = if is_here {
        Meaning::Selection
    } else {
        Meaning::Text
    };
    let label = cx.text(reveal_line(&option.label), meaning);
    let columns = label.width();
    let lead = lead(question, row, is_here, is_on, cx).join(&label);
    let Some(description) = &option.description else {
        return lead.rows(width.saturating_sub(1), indent);
    };
    let Some(labels) = labels else {
        let mut lines = lead.rows(width.saturating_sub(1), indent);
        lines.extend(stepped(description, (indent, width), Meaning::TextMuted, cx));
        return lines;
    };
    let text = lead
        .gap(labels - columns + GAP)
        .and(reveal_line(description), Meaning::TextMuted);
    text.rows(width.saturating_sub(1), indent + labels + GAP)
}

/// Breaks a text into rows that stand so many columns further in.
fn stepped(
    text: &str,
    (indent, width): (usize, usize),
    meaning: Meaning,
    cx: &LayerCx<'_>,
) -> Vec<Line<'static>> {
    let room = width.saturating_sub(indent + 1).max(1);
    let rows = cx.text(reveal(text), meaning).rows(room, 0).into_iter();
    rows.map(|row| step(row, indent)).collect()
}

/// Moves the window over a list as little as needed to have what is chosen in sight.
fn window(top: usize, list: &FormRows, rows: usize) -> usize {
    let bottom = list.lines.len().saturating_sub(rows);
    let top = top.min(bottom);
    let Some(chosen) = &list.chosen else { return top };
    // Where more follows, the last row of the window is taken by how much.
    let seen = |top: usize| {
        if top < bottom {
            rows.saturating_sub(1)
        } else {
            rows
        }
    };
    if chosen.end <= seen(0) {
        // With the first answers one sees the question as well.
        return 0;
    }
    let lowest = (0..=bottom)
        .find(|top| chosen.end <= top + seen(*top))
        .unwrap_or(bottom);
    top.max(lowest).min(chosen.start.max(lowest))
}
