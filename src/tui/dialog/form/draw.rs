//! A form on screen: who asks, what it is about, the question with its answers, and the keys.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{FormDialog, Page};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{str_width, truncate};
use crate::text::wrap::wrap;
use crate::tool::{FormOption, FormQuestion};
use crate::tui::composer;
use crate::tui::dialog::DialogCx;
use crate::tui::keymap::{Action, Context, words};
use crate::view::card::{Card, CardLook, lay_out_body};
use crate::view::theme::Meaning;
use crate::view::{LookKey, Symbols};

/// Columns left of everything, as cards have.
const INDENT: usize = 3;
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

/// What the form is about, as it was laid out.
pub(super) struct Laid {
    key: (u16, LookKey),
    pub(super) lines: Vec<Line<'static>>,
}

/// The rows below what the form is about, of which only some may fit.
struct List {
    lines: Vec<Line<'static>>,
    /// The rows that have to be in sight, if some do.
    chosen: Option<Range<usize>>,
    /// Where the answer in own words is written.
    words: Option<usize>,
}

impl FormDialog {
    /// Returns how many rows it would like.
    pub(crate) fn rows(&mut self, width: u16, cx: &DialogCx<'_>) -> u16 {
        self.lay_out(width, cx);
        let card = self.card.as_ref().map_or(0, |card| card.lines.len());
        let list = self.list(width, cx).lines.len();
        let rows = self.head_rows() + card + list + self.foot(width, cx).len();
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// Draws, and returns where the caret stands while an answer is being written.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &DialogCx<'_>) -> Option<Position> {
        self.lay_out(area.width, cx);
        let foot = self.foot(area.width, cx);
        let list = self.list(area.width, cx);
        let room = usize::from(area.height).saturating_sub(self.head_rows() + foot.len());
        let card_len = self.card.as_ref().map_or(0, |card| card.lines.len());
        let list_rows = list.lines.len().min(room.saturating_sub(card_len.min(CARD_ROWS)));
        self.card_rows = card_len.min(room.saturating_sub(list_rows));
        self.card_top = self.card_top.min(self.last_top());
        self.list_hidden = list.lines.len() - list_rows;
        self.list_top = window(self.list_top, &list, list_rows);

        let mut lines = vec![self.header(area.width, cx)];
        lines.extend((self.pages.len() > 1).then(|| self.tabs(area.width, cx)));
        let card = self.card.as_ref().map_or(&[][..], |card| card.lines.as_slice());
        lines.extend(cut(card, self.card_top, self.card_rows, cx));
        let first_row = lines.len();
        lines.extend(cut(&list.lines, self.list_top, list_rows, cx));
        lines.extend(foot);
        for (row, line) in area.rows().zip(&lines) {
            buffer.set_line(row.x, row.y, line, row.width);
        }
        let row = list.words?.checked_sub(self.list_top)?;
        let room = list_rows.checked_sub(row)?.min(self.words_rows);
        let line = Rect {
            height: u16::try_from(room).unwrap_or(1),
            ..area.rows().nth(first_row + row)?
        };
        self.draw_words(line, buffer, cx)
    }

    /// The line in which one writes.
    fn draw_words(&mut self, row: Rect, buffer: &mut Buffer, cx: &DialogCx<'_>) -> Option<Position> {
        let invitation = self.question()?.own_words.clone().unwrap_or_default();
        let invitation = cx.look.symbols.words(&invitation);
        let theme = cx.look.theme;
        let text = theme.style(Meaning::Text);
        let look = composer::Look {
            text,
            bar: cx.look.symbols.bar(),
            bar_style: theme.style(Meaning::Accent),
            chip: text,
            invitation: &invitation,
            muted: theme.style(Meaning::TextMuted),
        };
        let indent = u16::try_from(self.words_indent(cx.look.symbols)).unwrap_or(0);
        let line = Rect {
            x: row.x + indent.min(row.width),
            width: row.width.saturating_sub(indent + 1),
            ..row
        };
        let page = self.pages.get_mut(self.page)?;
        page.words.draw(line, buffer, &look)
    }

    fn head_rows(&self) -> usize {
        1 + usize::from(self.pages.len() > 1)
    }

    fn words_indent(&self, symbols: Symbols) -> usize {
        let chosen_from = self.question().filter(|question| !question.options.is_empty());
        chosen_from.map_or(INDENT, |question| label_indent(question, symbols))
    }

    fn header(&self, width: u16, cx: &DialogCx<'_>) -> Line<'static> {
        let theme = cx.look.theme;
        let dot = cx.look.symbols.dot();
        let title = sanitize_line(&self.form().sheet.title);
        let agent = sanitize_line(&self.form().agent);
        // The title often begins with who asks.
        let is_said = title.split(' ').next() == Some(agent.as_ref());
        let mut right = vec![agent.into_owned()];
        right.retain(|_| !is_said);
        if let (number, count @ 2..) = cx.place {
            right.push(format!("{number} of {count}"));
        }
        let right = right.join(&format!(" {dot} "));
        let room = usize::from(width).saturating_sub(3 + str_width(&right) + 2);
        let title = truncate(&title, room).into_owned();
        let used = 3 + str_width(&title) + str_width(&right) + 1;
        let gap = " ".repeat(usize::from(width).saturating_sub(used));
        Line::from(vec![
            Span::raw(" "),
            Span::styled("?", theme.style(Meaning::StateAsking)),
            Span::raw(" "),
            Span::styled(title, theme.style(Meaning::TextStrong)),
            Span::styled(format!("{gap}{right}"), theme.style(Meaning::TextMuted)),
        ])
    }

    /// One name a question and one for the answers; where they do not fit, only the one on screen.
    fn tabs(&self, width: u16, cx: &DialogCx<'_>) -> Line<'static> {
        let theme = cx.look.theme;
        let symbols = cx.look.symbols;
        let names = self.questions().iter().zip(&self.pages).enumerate();
        let mut tabs: Vec<String> = names
            .map(|(place, (question, page))| {
                let name = tab_name(question);
                let mark = if page.answer().is_empty() {
                    ""
                } else {
                    ticked(symbols)
                };
                format!("{} {name}{mark}", place + 1)
            })
            .collect();
        tabs.push("answers".to_owned());
        let columns: usize = tabs.iter().map(|tab| str_width(tab) + 3).sum();
        if columns + INDENT > usize::from(width) {
            let place = format!("{} of {} {} ", self.page + 1, tabs.len(), symbols.dot());
            let name = tabs.get(self.page).cloned().unwrap_or_default();
            return Line::from(vec![
                Span::raw(" ".repeat(INDENT)),
                Span::styled(place, theme.style(Meaning::TextMuted)),
                Span::styled(name, theme.style(Meaning::Selection)),
            ]);
        }
        let mut spans = vec![Span::raw(" ".repeat(INDENT))];
        for (place, tab) in tabs.into_iter().enumerate() {
            let meaning = if place == self.page {
                Meaning::Selection
            } else {
                Meaning::TextMuted
            };
            spans.push(Span::styled(tab, theme.style(meaning)));
            spans.push(Span::raw("   "));
        }
        Line::from(spans)
    }

    fn list(&self, width: u16, cx: &DialogCx<'_>) -> List {
        match (self.question(), self.pages.get(self.page)) {
            (Some(question), Some(page)) => self.question_list(question, page, usize::from(width), cx),
            _ => self.answer_list(usize::from(width), cx),
        }
    }

    fn question_list(&self, question: &FormQuestion, page: &Page, width: usize, cx: &DialogCx<'_>) -> List {
        let theme = cx.look.theme;
        let strong = theme.style(Meaning::TextStrong);
        let mut lines = wrapped(&question.question, INDENT, width, strong);
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
                (true, _) => (String::new(), Meaning::Text),
                (false, true) => {
                    let invitation = cx.look.symbols.words(invitation);
                    (invitation.into_owned(), Meaning::TextMuted)
                }
                (false, false) => (sanitize_line(&written).into_owned(), Meaning::Text),
            };
            if question.options.is_empty() {
                lines.push(Line::from(format!("{}{text}", " ".repeat(INDENT))));
            } else {
                let mut spans = lead(question, row, page.row == row, page.counts_words, cx);
                let style = if page.row == row && !self.is_writing {
                    theme.style(Meaning::Selection)
                } else {
                    theme.style(meaning)
                };
                spans.push(Span::styled(
                    truncate(&text, width.saturating_sub(indent + 1)).into_owned(),
                    style,
                ));
                lines.push(Line::from(spans));
            }
            if self.is_writing {
                lines.extend((1..self.words_rows).map(|_| Line::default()));
            }
        }
        List { lines, chosen, words }
    }

    /// What was answered, before it is sent.
    fn answer_list(&self, width: usize, cx: &DialogCx<'_>) -> List {
        let theme = cx.look.theme;
        let mut lines = Vec::new();
        for (place, (question, page)) in self.questions().iter().zip(&self.pages).enumerate() {
            let answer = page.answer();
            let labels = answer
                .picked
                .iter()
                .filter_map(|place| question.options.get(*place));
            let mut said: Vec<&str> = labels.map(|option| option.label.as_str()).collect();
            said.extend(answer.words.as_deref());
            let asked = format!("{} {}", place + 1, question.question);
            let asked = truncate(&asked, width.saturating_sub(INDENT + 1)).into_owned();
            lines.push(indented(INDENT, asked, theme.style(Meaning::TextMuted)));
            if said.is_empty() {
                let style = theme.style(Meaning::Warning);
                lines.push(indented(INDENT + 2, "unanswered".to_owned(), style));
            } else {
                let style = theme.style(Meaning::TextStrong);
                lines.extend(wrapped(&said.join(", "), INDENT + 2, width, style));
            }
        }
        List {
            lines,
            chosen: None,
            words: None,
        }
    }

    /// A remark, and the keys: as many as fit on two rows, the most important first.
    fn foot(&self, width: u16, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
        let theme = cx.look.theme;
        let mut lines = Vec::new();
        if let Some(remark) = self.remark {
            lines.push(indented(INDENT, remark.to_owned(), theme.style(Meaning::Warning)));
        }
        let room = usize::from(width).saturating_sub(1);
        let (mut spans, mut used) = (vec![Span::raw(" ".repeat(INDENT))], INDENT);
        let mut rows = 0;
        for (key, verb) in self.keys(cx) {
            let columns = str_width(&key) + 1 + str_width(verb);
            let gap = if spans.len() > 1 { 3 } else { 0 };
            if used + gap + columns > room && spans.len() > 1 {
                rows += 1;
                if rows == 2 || cx.is_low {
                    break;
                }
                let full = std::mem::replace(&mut spans, vec![Span::raw(" ".repeat(INDENT))]);
                lines.push(Line::from(full));
                used = INDENT;
            }
            if spans.len() > 1 {
                spans.push(Span::raw("   "));
                used += 3;
            }
            used += columns;
            spans.push(Span::styled(key, theme.style(Meaning::Accent)));
            spans.push(Span::styled(format!(" {verb}"), theme.style(Meaning::TextMuted)));
        }
        lines.push(Line::from(spans));
        lines
    }

    fn keys(&self, cx: &DialogCx<'_>) -> Vec<(String, &'static str)> {
        let context = self.context();
        let label = |action| words(cx.keymap.label(context, action), cx.look.symbols).to_owned();
        let mut keys = Vec::new();
        let Some(question) = self.question() else {
            keys.push((label(Action::FormDone), "send the answers"));
            keys.push((label(Action::FormPrevious), "back"));
            keys.push((format!("1-{}", self.pages.len().min(9)), "change one"));
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
                (true, false) => "send what is ticked",
                (false, _) => "choose",
            };
            keys.push((label(Action::FormDone), verb));
            keys.push((
                format!("{} {}", label(Action::FormUp), label(Action::FormDown)),
                "move",
            ));
            let last = super::rows_of(question).min(9);
            keys.push((format!("1-{last}"), "by number"));
        }
        if is_several {
            keys.push((label(Action::FormNext), "next question"));
        }
        if self.last_top() > 0 {
            let key = cx.keymap.label(Context::Global, Action::PageDown);
            keys.push((key.to_owned(), "read on"));
        }
        if !self.is_writing {
            keys.push((label(Action::FormDismiss), "dismiss"));
        }
        keys
    }

    fn lay_out(&mut self, width: u16, cx: &DialogCx<'_>) {
        let indent = self.words_indent(cx.look.symbols);
        let columns = usize::from(width).saturating_sub(indent + 1);
        if let Some(page) = self.pages.get_mut(self.page) {
            let rows = page.words.rows(u16::try_from(columns).unwrap_or(0));
            self.words_rows = usize::from(rows).clamp(1, WORDS_ROWS);
        }
        let key = (width, cx.look.key());
        let Some(card) = &self.form.sheet.card else { return };
        if self.card.as_ref().is_none_or(|laid| laid.key != key) {
            let lines = body(card, usize::from(width), cx);
            self.card = Some(Laid { key, lines });
        }
    }
}

fn body(card: &Card, width: usize, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
    let look = CardLook {
        look: cx.look,
        width: width.saturating_sub(1),
        frame: 0,
        elapsed: None,
        badge: None,
        expands: "",
        opens: "",
    };
    lay_out_body(card, look).into_iter().map(|row| row.line).collect()
}

fn tab_name(question: &FormQuestion) -> String {
    let name = if question.header.is_empty() {
        &question.question
    } else {
        &question.header
    };
    truncate(name, TAB).into_owned()
}

fn ticked(symbols: Symbols) -> &'static str {
    match symbols {
        Symbols::Unicode => " ✓",
        Symbols::Ascii => " +",
    }
}

fn mark(question: &FormQuestion, is_on: bool, symbols: Symbols) -> &'static str {
    match (question.multiple, symbols, is_on) {
        (true, _, true) => "[x] ",
        (true, _, false) => "[ ] ",
        (false, Symbols::Unicode, true) => "● ",
        (false, Symbols::Unicode, false) => "○ ",
        (false, Symbols::Ascii, true) => "(*) ",
        (false, Symbols::Ascii, false) => "( ) ",
    }
}

/// Columns left of a label.
fn label_indent(question: &FormQuestion, symbols: Symbols) -> usize {
    INDENT + NUMBER + str_width(mark(question, false, symbols))
}

/// The number and the mark before a label.
fn lead(
    question: &FormQuestion,
    row: usize,
    is_here: bool,
    is_on: bool,
    cx: &DialogCx<'_>,
) -> Vec<Span<'static>> {
    let theme = cx.look.theme;
    let mark = mark(question, is_on, cx.look.symbols);
    let pointer = if is_here { cx.look.symbols.pointer() } else { " " };
    let number = format!("{:>2} ", row + 1);
    vec![
        Span::styled(format!(" {pointer} "), theme.style(Meaning::Accent)),
        Span::styled(number, theme.style(Meaning::TextMuted)),
        Span::styled(mark, theme.style(Meaning::Accent)),
    ]
}

/// Returns the columns of the labels where the descriptions stand in a column beside them, which takes room for both.
fn label_columns(question: &FormQuestion, room: usize) -> Option<usize> {
    let widest = question
        .options
        .iter()
        .map(|option| str_width(&option.label))
        .max();
    widest.filter(|widest| room >= widest + GAP + LEAST_DESCRIPTION && *widest <= room / 3)
}

/// A label with its description beside it, or below.
fn option_lines(
    question: &FormQuestion,
    page: &Page,
    (row, option): (usize, &FormOption),
    (labels, width): (Option<usize>, usize),
    cx: &DialogCx<'_>,
) -> Vec<Line<'static>> {
    let theme = cx.look.theme;
    let muted = theme.style(Meaning::TextMuted);
    let indent = label_indent(question, cx.look.symbols);
    let room = width.saturating_sub(indent + 1);
    let is_here = page.row == row;
    let is_on = page.ticks.get(row).copied().unwrap_or(false);
    let style = theme.style(if is_here {
        Meaning::Selection
    } else {
        Meaning::Text
    });
    let mut spans = lead(question, row, is_here, is_on, cx);
    let label = truncate(&option.label, room).into_owned();
    let columns = str_width(&label);
    spans.push(Span::styled(label, style));
    let Some(description) = &option.description else {
        return vec![Line::from(spans)];
    };
    let Some(labels) = labels else {
        let mut lines = vec![Line::from(spans)];
        lines.extend(wrapped(description, indent, width, muted));
        return lines;
    };
    let mut lines = wrapped(description, indent + labels + GAP, width, muted);
    let first = lines.first_mut().and_then(|line| line.spans.pop());
    spans.push(Span::raw(" ".repeat(labels - columns + GAP)));
    spans.extend(first);
    if let Some(line) = lines.first_mut() {
        *line = Line::from(spans);
    } else {
        lines.push(Line::from(spans));
    }
    lines
}

fn wrapped(text: &str, indent: usize, width: usize, style: Style) -> Vec<Line<'static>> {
    let room = width.saturating_sub(indent + 1).max(1);
    let rows = wrap(text, room).into_iter();
    rows.map(|row| indented(indent, text[row].to_owned(), style))
        .collect()
}

fn indented(indent: usize, text: String, style: Style) -> Line<'static> {
    Line::from(vec![Span::raw(" ".repeat(indent)), Span::styled(text, style)])
}

/// Moves the window over a list as little as needed to have what is chosen in sight.
fn window(top: usize, list: &List, rows: usize) -> usize {
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

/// So many lines from `top`; where there are more, the last one says how many.
fn cut(lines: &[Line<'static>], top: usize, rows: usize, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
    let end = (top + rows).min(lines.len());
    let mut shown = lines[top.min(end)..end].to_vec();
    let more = lines.len() - end;
    if more > 0
        && let Some(last) = shown.last_mut()
    {
        let text = format!("{} {} more rows", cx.look.symbols.ellipsis(), more + 1);
        *last = indented(INDENT, text, cx.look.theme.style(Meaning::TextMuted));
    }
    shown
}
