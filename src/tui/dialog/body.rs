//! What a question shows of the call: diffs without a limit, commands whole and with nothing hidden in them, and behind
//! that, when a person wants to know, why it is asked.

use ratatui::text::{Line, Span};

use super::draw::{DialogCx, INDENT, indented, one_line};
use super::permission::Permission;
use crate::permission::Row;
use crate::text::sanitize::{expand_tabs, reveal};
use crate::text::wrap::wrap;
use crate::view::card::{Card, CardLook, CardPart, lay_out_body};
use crate::view::theme::Meaning;
use crate::view::{Look, LookKey};

/// The body as it was laid out.
pub(super) struct Laid {
    key: (u16, LookKey, bool, bool),
    pub(super) lines: Vec<Line<'static>>,
    /// Rows at which a hunk of a diff begins.
    pub(super) hunks: Vec<usize>,
    /// The row at which the explanation begins.
    pub(super) why_at: usize,
}

impl Permission {
    pub(super) fn lay_out(&mut self, width: u16, cx: &DialogCx<'_>) {
        let key = (width, cx.look.key(), self.explains, self.lists_asks);
        if self.laid.as_ref().is_some_and(|laid| laid.key == key) {
            return;
        }
        let inquiry = &self.question.inquiry;
        let (mut lines, hunks) = body(&inquiry.card, usize::from(width), cx.look);
        if self.lists_asks {
            lines.extend(listed(&inquiry.rows, usize::from(width), cx));
        }
        let why_at = lines.len();
        if self.explains {
            lines.extend(why(&inquiry.rows, usize::from(width), cx));
        }
        self.laid = Some(Laid {
            key,
            lines,
            hunks,
            why_at,
        });
    }
}

/// All that is asked, numbered.
fn listed(rows: &[Row], width: usize, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
    let muted = cx.look.theme.style(Meaning::TextMuted);
    let warning = cx.look.theme.style(Meaning::Warning);
    let room = width.saturating_sub(INDENT + 1).max(1);
    let mut lines = vec![indented(format!("asks for {} things:", rows.len()), muted)];
    for (place, row) in rows.iter().enumerate() {
        let (why, style) = match row.loss() {
            Some(loss) => (loss, warning),
            None => (row.why(), muted),
        };
        let text = format!("{}. {} `{}` {why}", place + 1, row.key(), one_line(row.pattern()));
        let wrapped = wrap(&text, room).into_iter();
        lines.extend(wrapped.map(|range| indented(text[range].to_owned(), style)));
    }
    lines
}

/// Which rule asks and where it stands, what "always" would store, and how to take that back.
fn why(rows: &[Row], width: usize, cx: &DialogCx<'_>) -> Vec<Line<'static>> {
    let muted = cx.look.theme.style(Meaning::TextMuted);
    let mut lines = Vec::new();
    let mut say = |text: &str, deeper: usize| {
        let room = width.saturating_sub(INDENT + deeper + 1).max(1);
        let rows = wrap(text, room).into_iter();
        lines.extend(rows.map(|row| indented(format!("{}{}", " ".repeat(deeper), &text[row]), muted)));
    };
    for row in rows {
        say(
            &format!("{} `{}` {}", row.key(), one_line(row.pattern()), row.why()),
            0,
        );
        say(&format!("always would store {}", stored(row)), 2);
    }
    say(
        "`/permissions` and `lathe permissions` list what is stored and revoke it",
        0,
    );
    lines
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

/// Lays out all that will happen.
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
        expands: "",
        opens: "",
    };
    let rows = lay_out_body(&card, cx).into_iter();
    rows.map(|row| row.line).collect()
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
