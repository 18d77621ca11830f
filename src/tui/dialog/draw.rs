//! The permission question on screen: who wants what, the whole of it, one row for each ask, and the keys.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::permission::{Permission, Stage};
use crate::permission::Row;
use crate::text::sanitize::{expand_tabs, reveal, sanitize_line};
use crate::text::width::{str_width, truncate, truncate_middle};
use crate::text::wrap::wrap;
use crate::tui::composer;
use crate::tui::keymap::{Action, Context, Keymap, words};
use crate::view::card::{Card, CardLook, CardPart, CardStatus, lay_out};
use crate::view::theme::Meaning;
use crate::view::{Look, LookKey};

/// Rows of asks at most; the chosen one stays in sight.
const ROWS: usize = 5;
/// Columns left of everything, as cards have.
const INDENT: usize = 3;

/// What drawing depends on besides the question itself.
#[derive(Clone, Copy)]
pub(crate) struct DialogCx<'a> {
    pub(crate) look: Look<'a>,
    pub(crate) keymap: &'a Keymap,
    /// As a person writes it: `~/src/retry`.
    pub(crate) directory: &'a str,
    /// Which of how many.
    pub(crate) place: (usize, usize),
}

/// The body as it was laid out.
pub(crate) struct Laid {
    key: (u16, LookKey),
    pub(super) lines: Vec<Line<'static>>,
    /// Rows at which a hunk of a diff begins.
    pub(super) hunks: Vec<usize>,
}

impl Permission {
    /// Returns how many rows it would like.
    pub(crate) fn rows(&mut self, width: u16, cx: &DialogCx<'_>) -> u16 {
        self.lay_out(width, cx);
        let body = self.laid.as_ref().map_or(0, |laid| laid.lines.len());
        u16::try_from(body + self.fixed_rows()).unwrap_or(u16::MAX)
    }

    /// Draws, and returns where the caret stands while a reason is being written.
    pub(crate) fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &DialogCx<'_>) -> Option<Position> {
        self.lay_out(area.width, cx);
        let fixed = self.fixed_rows();
        let body = usize::from(area.height).saturating_sub(fixed);
        self.body_rows = body;
        self.top = self.top.min(self.last_top());
        let mut rows = area.rows();
        let mut put = |line: Line<'static>| {
            if let Some(row) = rows.next() {
                buffer.set_line(row.x, row.y, &line, row.width);
            }
        };
        put(self.header(area.width, cx));
        let laid = self.laid.as_ref().map_or(&[][..], |laid| laid.lines.as_slice());
        let end = (self.top + body).min(laid.len());
        for (index, line) in laid[self.top..end].iter().enumerate() {
            let is_last = index + 1 == body && end < laid.len();
            put(if is_last {
                more(laid.len() - end + 1, cx)
            } else {
                line.clone()
            });
        }
        self.ask_lines(area.width, cx).into_iter().for_each(&mut put);
        self.key_lines(cx).into_iter().for_each(&mut put);
        if self.stage != Stage::Reason {
            return None;
        }
        let last = area.rows().next_back()?;
        let text = cx.look.theme.style(Meaning::Text);
        let muted = cx.look.theme.style(Meaning::TextMuted);
        let look = composer::Look {
            text,
            bar: cx.look.symbols.bar(),
            bar_style: cx.look.theme.style(Meaning::Accent),
            chip: text,
            invitation: "why not, in one line; the model reads it",
            muted,
        };
        let line = Rect {
            x: last.x + 1,
            width: last.width.saturating_sub(2),
            ..last
        };
        self.reason.draw(line, buffer, &look)
    }

    /// Rows besides the body.
    fn fixed_rows(&self) -> usize {
        let asks = self.question.inquiry.rows.len().min(ROWS);
        let why = if self.explains {
            self.question.inquiry.rows.len().min(ROWS) * 2 + 1
        } else {
            0
        };
        let keys = match self.stage {
            Stage::Answering | Stage::Reason => 2,
            Stage::Always => 1,
        };
        1 + asks + why + keys + usize::from(self.remark.is_some())
    }

    fn header(&self, width: u16, cx: &DialogCx<'_>) -> Line<'static> {
        let theme = cx.look.theme;
        let muted = theme.style(Meaning::TextMuted);
        let inquiry = &self.question.inquiry;
        let dot = cx.look.symbols.dot();
        let (number, count) = cx.place;
        let mut right = sanitize_line(&inquiry.agent).into_owned();
        if count > 1 {
            right = format!("{right} {dot} {number} of {count}");
        }
        let room = usize::from(width).saturating_sub(3 + str_width(&right) + 2);
        let title = truncate(&sanitize_line(&inquiry.title), room).into_owned();
        let rest = room.saturating_sub(str_width(&title));
        let place = format!(" {dot} {} {dot} no sandbox", sanitize_line(cx.directory));
        let place = if str_width(&place) <= rest {
            place
        } else {
            String::new()
        };
        let used = 3 + str_width(&title) + str_width(&place) + str_width(&right) + 1;
        let gap = " ".repeat(usize::from(width).saturating_sub(used));
        Line::from(vec![
            Span::raw(" "),
            Span::styled("?", theme.style(Meaning::StateAsking)),
            Span::raw(" "),
            Span::styled(title, theme.style(Meaning::TextStrong)),
            Span::styled(format!("{place}{gap}{right}"), muted),
        ])
    }

    fn ask_lines(&self, width: u16, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
        let rows = &self.question.inquiry.rows;
        let first = (self.row + 1)
            .saturating_sub(ROWS)
            .min(rows.len().saturating_sub(ROWS));
        let shown = rows.iter().enumerate().skip(first).take(ROWS);
        let mut lines: Vec<_> = shown
            .map(|(index, row)| self.ask_line(index, row, usize::from(width), cx))
            .collect();
        let muted = cx.look.theme.style(Meaning::TextMuted);
        if self.explains {
            for row in rows.iter().take(ROWS) {
                let why = format!("{} `{}` {}", row.key(), one_line(row.pattern()), row.why());
                lines.push(indented(why, muted));
                lines.push(indented(format!("  always would store {}", stored(row)), muted));
            }
            let how = "`lathe permissions` lists what is stored; `lathe permissions revoke` undoes it";
            lines.push(indented(how.to_owned(), muted));
        }
        if let Some(remark) = self.remark {
            lines.push(indented(remark.to_owned(), cx.look.theme.style(Meaning::Warning)));
        }
        lines
    }

    fn ask_line(&self, index: usize, row: &Row, width: usize, cx: &DialogCx<'_>) -> Line<'static> {
        let theme = cx.look.theme;
        let is_chosen = self.stage == Stage::Always && index == self.row;
        let tick = match (row.ask.always.is_empty(), self.ticks.get(index)) {
            (true, _) => "   ",
            (false, Some(true)) => "[x]",
            (false, _) => "[ ]",
        };
        let always = if row.ask.always.is_empty() {
            "always: not offered".to_owned()
        } else {
            format!(
                "always: {}",
                row.ask
                    .always
                    .iter()
                    .map(|p| one_line(p))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        };
        let room = width.saturating_sub(INDENT + 4 + 1);
        let always = truncate(&always, room / 3).into_owned();
        let left = room.saturating_sub(str_width(&always) + 2);
        let is_plain = row.key() == self.question.inquiry.tool;
        let key = if is_plain {
            String::new()
        } else {
            format!("{}: ", row.key())
        };
        let pattern = key + &one_line(row.pattern());
        let why = format!("  {}", row.why());
        // The pattern gives way down to half of the room, so that one also sees why.
        let beside_why = left.saturating_sub(str_width(&why));
        let is_room = str_width(&pattern) <= beside_why || beside_why >= left / 2;
        let why = if is_room { why } else { String::new() };
        let pattern = truncate_middle(&pattern, left - str_width(&why)).into_owned();
        let gap = left.saturating_sub(str_width(&pattern) + str_width(&why)) + 2;
        let text = if is_chosen {
            theme.style(Meaning::Selection)
        } else {
            theme.style(Meaning::Text)
        };
        Line::from(vec![
            Span::raw(" ".repeat(INDENT)),
            Span::styled(format!("{tick} "), theme.style(Meaning::Accent)),
            Span::styled(pattern, text),
            Span::styled(
                format!("{why}{}{always}", " ".repeat(gap)),
                theme.style(Meaning::TextMuted),
            ),
        ])
    }

    fn key_lines(&self, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
        let scope = self.scope;
        let keys = |context: Context, pairs: &[(Action, &str)]| {
            let mut line = KeyLine::new(cx);
            for (action, verb) in pairs {
                line.key(cx.keymap.label(context, *action), verb);
            }
            line.done()
        };
        match self.stage {
            Stage::Answering => {
                let mut first = vec![
                    (Action::AllowOnce, "once"),
                    (Action::AllowAlways, "always…"),
                    (Action::Reject, "no"),
                    (Action::RejectBecause, "no, because…"),
                    (Action::Why, "why"),
                ];
                if self.first_storable().is_none() {
                    first.retain(|(action, _)| *action != Action::AllowAlways);
                }
                let mut second = KeyLine::new(cx);
                let (key, verb) = match self.last_top() {
                    0 => (Action::PageUp, "reads the transcript"),
                    _ => (Action::PageDown, "reads on"),
                };
                second.key(cx.keymap.label(Context::Global, key), verb);
                let mut more = |action, verb| second.key(cx.keymap.label(Context::Question, action), verb);
                if cx.place.1 > 1 {
                    more(Action::AnotherAsk, "next ask");
                }
                if self.laid.as_ref().is_some_and(|laid| laid.hunks.len() > 1) {
                    more(Action::NextHunk, "next hunk");
                    more(Action::PreviousHunk, "previous hunk");
                }
                vec![keys(Context::Question, &first), second.done()]
            }
            Stage::Always => {
                let scope = format!("scope: {scope}");
                let pairs = [
                    (Action::StoreAlways, "stores what is ticked"),
                    (Action::RowUp, "up"),
                    (Action::RowDown, "down"),
                    (Action::Tick, "tick"),
                    (Action::Scope, scope.as_str()),
                ];
                vec![keys(Context::QuestionAlways, &pairs)]
            }
            // The last row is the line itself.
            Stage::Reason => vec![keys(
                Context::QuestionReason,
                &[(Action::SendReason, "says no with this reason")],
            )],
        }
    }

    fn lay_out(&mut self, width: u16, cx: &DialogCx<'_>) {
        let key = (width, cx.look.key());
        if self.laid.as_ref().is_none_or(|laid| laid.key != key) {
            let (lines, hunks) = body(&self.question.inquiry.card, usize::from(width), cx.look);
            self.laid = Some(Laid { key, lines, hunks });
        }
    }
}

/// Lays out all that will happen: diffs without a limit, commands whole and with nothing hidden in them.
fn body(card: &Card, width: usize, look: Look<'_>) -> (Vec<Line<'static>>, Vec<usize>) {
    let mut lines = Vec::new();
    let mut hunks = Vec::new();
    if card.body.is_empty() {
        lines.extend(whole(&card.argument, "", width, look));
    }
    for part in &card.body {
        match part {
            CardPart::Code(code) => {
                let is_shell = matches!(code.language.as_str(), "bash" | "sh" | "shell");
                lines.extend(whole(&code.text, if is_shell { "$ " } else { "" }, width, look));
            }
            CardPart::Text(text) => lines.extend(whole(text, "", width, look)),
            CardPart::Diff(diff) => {
                let diff = crate::view::card::DiffBody {
                    max_lines: 0,
                    ..diff.clone()
                };
                let drawn = part_lines(CardPart::Diff(diff), width.saturating_sub(1), look);
                let first = lines.len();
                let ellipsis = look.symbols.ellipsis();
                let gaps = drawn
                    .iter()
                    .enumerate()
                    .filter(|(_, line)| begins_with(line, ellipsis));
                hunks.push(first);
                hunks.extend(gaps.map(|(index, _)| first + index + 1));
                lines.extend(drawn);
            }
            part => lines.extend(part_lines(part.clone(), width, look)),
        }
    }
    (lines, hunks)
}

fn part_lines(part: CardPart, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let card = Card::default().part(part);
    let cx = CardLook {
        look,
        width,
        frame: 0,
        elapsed: None,
        badge: None,
    };
    lay_out(&card, CardStatus::Asking, cx).split_off(1)
}

/// Wraps a text that a person must judge.
fn whole(text: &str, prompt: &str, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let shown = reveal(text);
    let shown = expand_tabs(&shown, 4);
    let room = width.saturating_sub(INDENT + prompt.len() + 1).max(1);
    let strong = look.theme.style(Meaning::Text);
    let muted = look.theme.style(Meaning::TextMuted);
    let rows = wrap(&shown, room);
    let lines = rows.into_iter().enumerate().map(|(index, row)| {
        let lead = if index == 0 {
            prompt.to_owned()
        } else {
            " ".repeat(prompt.len())
        };
        Line::from(vec![
            Span::raw(" ".repeat(INDENT)),
            Span::styled(lead, muted),
            Span::styled(shown[row].to_owned(), strong),
        ])
    });
    lines.collect()
}

fn begins_with(line: &Line<'_>, text: &str) -> bool {
    let content = line
        .spans
        .iter()
        .map(|span| span.content.trim_start())
        .find(|content| !content.is_empty());
    content.is_some_and(|content| content.starts_with(text))
}

fn more(rows: usize, cx: &DialogCx<'_>) -> Line<'static> {
    let key = cx.keymap.label(Context::Global, Action::PageDown);
    let text = format!(
        "{} {rows} more rows {} {key}",
        cx.look.symbols.ellipsis(),
        cx.look.symbols.dot()
    );
    indented(text, cx.look.theme.style(Meaning::TextMuted))
}

fn indented(text: String, style: Style) -> Line<'static> {
    Line::from(vec![Span::raw(" ".repeat(INDENT)), Span::styled(text, style)])
}

fn one_line(text: &str) -> String {
    reveal(text).replace(['\n', '\t'], " ")
}

fn stored(row: &Row) -> String {
    if row.ask.always.is_empty() {
        return "nothing: it is asked each time".to_owned();
    }
    let patterns = row
        .ask
        .always
        .iter()
        .map(|pattern| format!("`{}`: `{}`", row.key(), one_line(pattern)));
    patterns.collect::<Vec<_>>().join(", ")
}

/// Keys with their verbs on one line.
struct KeyLine<'a> {
    look: Look<'a>,
    spans: Vec<Span<'static>>,
}

impl<'a> KeyLine<'a> {
    fn new(cx: &DialogCx<'a>) -> Self {
        Self {
            look: cx.look,
            spans: vec![Span::raw(" ".repeat(INDENT))],
        }
    }

    fn key(&mut self, key: &str, verb: &str) {
        if self.spans.len() > 1 {
            self.spans.push(Span::raw("   "));
        }
        let key = words(key, self.look.symbols);
        self.spans.push(Span::styled(
            key.to_owned(),
            self.look.theme.style(Meaning::Accent),
        ));
        self.spans.push(Span::styled(
            format!(" {verb}"),
            self.look.theme.style(Meaning::TextMuted),
        ));
    }

    fn done(self) -> Line<'static> {
        Line::from(self.spans)
    }
}
