//! A unified diff, drawn: line numbers of both sides, the sign, source colours, and the words that changed.
//!
//! It works on a diff that is still being written. What is over the limit is counted where it is missing. Long lines
//! are cut, never wrapped, so that the columns stay columns; indentation that a hunk's lines share is drawn shortened
//! where it would leave them too little room. Without backgrounds (few colours, `NO_COLOR`) the whole line
//! takes the colour of its sign. A whole diff with much room is drawn on two sides ([`sides`]).

mod sides;

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

pub use sides::{Side, Sides, SplitRow, paired_lines};

use super::card::DiffBody;
use super::highlight::CodeState;
use super::look::Look;
use super::styled_text::{StyledText, TAB, cut_line};
use super::theme::Meaning;
use crate::text::count::noun_of;
use crate::text::diff::{DiffLine, Hunk, Sign, hunk_emphasis, parse_unified};
use crate::text::sanitize::{Revealed, reveal, reveal_line};
use crate::text::width;

/// Hunks drawn of a diff that has a limit at all.
const HUNKS: usize = 8;
/// Columns of a sign and the space after it.
const SIGN: usize = 2;
/// Below this width one column of numbers must do, and below half of it none.
const TWO_COLUMNS: usize = 48;

/// With less room than this beside the indentation that its lines share, a hunk that is cut has it shortened.
const LEAST_TEXT: usize = 24;
/// Indentation that is worth it.
const DEEP: usize = 2 * TAB;

/// Below this width a diff is drawn unified: what is left of 140 columns beside a card's margins.
const TWO_SIDES: usize = 136;

/// Returns the rows of a whole diff with the old text left and the new one right, where there is room for that and
/// something on either side.
pub fn on_two_sides(body: &DiffBody, width: usize, look: Look<'_>) -> Option<Vec<SplitRow>> {
    let hunks = parse_unified(&body.unified);
    shows_two_sides(body, &hunks, width).then(|| sides::rows(body, &hunks, (width, sides::MOST_ROWS), look))
}

fn shows_two_sides(body: &DiffBody, hunks: &[Hunk<'_>], width: usize) -> bool {
    body.max_lines == 0 && width >= TWO_SIDES && has_two_sides(hunks)
}

/// Returns true if there is something to show on either side.
pub fn has_two_sides(hunks: &[Hunk<'_>]) -> bool {
    let has_side = |other: Sign| {
        hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .any(|line| line.sign != other)
    };
    has_side(Sign::Added) && has_side(Sign::Removed)
}

/// Returns the rows of a diff on two sides, each pair of lines on one; see [`paired_lines`].
pub fn side_lines(body: &DiffBody, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let hunks = parse_unified(&body.unified);
    let rows = sides::rows(body, &hunks, (width, 1), look).into_iter();
    rows.map(|row| row.line).collect()
}

/// Returns the rows of a diff, each line of it on one.
pub fn lines(body: &DiffBody, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let width = width.max(1);
    let hunks = parse_unified(&body.unified);
    let (most_lines, most_hunks) = match body.max_lines {
        0 => (usize::MAX, usize::MAX),
        lines => (lines, HUNKS),
    };
    let mut painter = Painter::new(body, &hunks, width, look);
    let mut left = most_lines;
    let mut cut = 0;
    let mut drawn_hunks = 0;
    for hunk in &hunks {
        if drawn_hunks == most_hunks || left == 0 {
            break;
        }
        if drawn_hunks > 0 {
            painter.lines.push(gap(hunk, width, look));
        }
        let shown = hunk.lines.len().min(left);
        cut = hunk.lines.len() - shown;
        painter.hunk(hunk, shown);
        left -= shown;
        drawn_hunks += 1;
    }
    painter.omitted(cut, &hunks[drawn_hunks..]);
    painter.lines
}

/// Returns the rows of a diff that is judged, in which nothing is cut and long lines go on below, and the places among
/// them at which a hunk begins.
pub fn judged(body: &DiffBody, width: usize, look: Look<'_>) -> (Vec<Line<'static>>, Vec<usize>) {
    let width = width.max(1);
    let body = &DiffBody {
        max_lines: 0,
        ..body.clone()
    };
    let hunks = parse_unified(&body.unified);
    if shows_two_sides(body, &hunks, width) {
        let rows = sides::rows(body, &hunks, (width, usize::MAX), look);
        let gaps = rows.iter().enumerate().filter(|(_, row)| row.sides.is_none());
        let starts = std::iter::once(0).chain(gaps.map(|(at, _)| at + 1)).collect();
        return (rows.into_iter().map(|row| row.line).collect(), starts);
    }
    let mut painter = Painter::new(body, &hunks, width, look);
    let mut starts = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        if index > 0 {
            painter.lines.push(gap(hunk, width, look));
        }
        starts.push(painter.lines.len());
        let lines = painted(&body.path, hunk, hunk.lines.len(), look);
        for (line, painted) in hunk.lines.iter().zip(lines) {
            painter.push_whole(line, &painted);
        }
    }
    (painter.lines, starts)
}

/// A part of one hunk, to be drawn without the rest of its diff.
#[derive(Debug, Clone)]
pub struct HunkPart<'a> {
    pub path: &'a str,
    pub hunk: &'a Hunk<'a>,
    /// Lines of the hunk, from 0.
    pub lines: Range<usize>,
    /// The last line of the file that has a number: parts of one file have their numbers in the same columns.
    pub last_line: usize,
}

impl HunkPart<'_> {
    /// Returns its rows, each of its lines on one.
    pub fn rows(&self, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
        let width = width.max(1);
        let all = &self.hunk.lines;
        let part = Hunk {
            lines: all[self.lines.start.min(all.len())..self.lines.end.min(all.len())].to_vec(),
            ..*self.hunk
        };
        let mut painter = Painter {
            path: self.path,
            columns: Columns::up_to(self.last_line, width),
            width,
            look,
            lines: Vec::new(),
        };
        painter.hunk(&part, part.lines.len());
        painter.lines
    }
}

/// The columns before the text.
#[derive(Clone, Copy)]
struct Columns {
    /// Digits of one number; 0 for no numbers.
    digits: usize,
    has_both: bool,
}

impl Columns {
    fn of(body: &DiffBody, hunks: &[Hunk<'_>], width: usize) -> Self {
        if body.is_unplaced {
            return Self {
                digits: 0,
                has_both: false,
            };
        }
        let ends = hunks
            .iter()
            .map(|hunk| (hunk.old_start + hunk.old_len).max(hunk.new_start + hunk.new_len));
        Self::up_to(ends.max().unwrap_or(1).saturating_sub(1), width)
    }

    /// For numbers up to this one.
    fn up_to(last: usize, width: usize) -> Self {
        let digits = last.to_string().len().max(2);
        Self {
            digits: if width < TWO_COLUMNS / 2 { 0 } else { digits },
            has_both: width >= TWO_COLUMNS,
        }
    }

    fn width(self) -> usize {
        match (self.digits, self.has_both) {
            (0, _) => 0,
            (digits, false) => digits + 1,
            (digits, true) => 2 * (digits + 1),
        }
    }

    /// Returns the numbers of a line, each with a space behind it.
    fn numbers(self, line: &DiffLine<'_>) -> String {
        let digits = self.digits;
        let write = |number: Option<usize>| match number {
            Some(number) => format!("{number:>digits$} "),
            None => " ".repeat(digits + 1),
        };
        match (digits, self.has_both) {
            (0, _) => String::new(),
            (_, true) => write(line.old_line) + &write(line.new_line),
            (_, false) => write(line.new_line.or(line.old_line)),
        }
    }
}

/// The styles of a line.
#[derive(Clone, Copy)]
struct Paint {
    sign: Style,
    back: Style,
    emphasis: Style,
    /// For the text, in place of source colours.
    whole: Option<Style>,
}

impl Paint {
    fn of(sign: Sign, look: Look<'_>) -> Self {
        let (sign, back, emphasis) = match sign {
            Sign::Added => (
                Meaning::DiffAdded,
                Meaning::DiffAddedBg,
                Meaning::DiffAddedEmphasis,
            ),
            Sign::Removed => (
                Meaning::DiffRemoved,
                Meaning::DiffRemovedBg,
                Meaning::DiffRemovedEmphasis,
            ),
            Sign::Context => {
                return Self {
                    sign: look.style(Meaning::TextMuted),
                    back: Style::new(),
                    emphasis: Style::new(),
                    whole: None,
                };
            }
        };
        let sign = look.style(sign);
        let bg = look.style(back).bg;
        Self {
            sign,
            back: Style { bg, ..Style::new() },
            emphasis: look.style(emphasis),
            whole: bg.is_none().then_some(sign),
        }
    }

    fn number(self, look: Look<'_>) -> Style {
        look.style(Meaning::DiffNumber).patch(self.back)
    }
}

struct Painter<'a> {
    path: &'a str,
    columns: Columns,
    width: usize,
    look: Look<'a>,
    lines: Vec<Line<'static>>,
}

impl<'a> Painter<'a> {
    fn new(body: &'a DiffBody, hunks: &[Hunk<'_>], width: usize, look: Look<'a>) -> Self {
        Self {
            path: &body.path,
            columns: Columns::of(body, hunks, width),
            width,
            look,
            lines: Vec::new(),
        }
    }

    /// Draws the first lines of a hunk.
    fn hunk(&mut self, hunk: &Hunk<'_>, shown: usize) {
        let mut painted = painted(self.path, hunk, shown, self.look);
        if let Some(indent) = too_deep(&painted, self.room()) {
            for line in &mut painted {
                line.shorten(indent, self.look);
            }
        }
        for (line, painted) in hunk.lines.iter().zip(painted) {
            self.push(line, &painted);
        }
    }

    /// Columns for the text of a line.
    fn room(&self) -> usize {
        let before = self.columns.width() + SIGN.min(self.width);
        self.width.saturating_sub(before)
    }

    fn push(&mut self, line: &DiffLine<'_>, painted: &PaintedLine) {
        let text = painted.flow.cut(self.room(), self.look.symbols.ellipsis());
        self.push_row(
            self.columns.numbers(line),
            line.sign.as_char(),
            text,
            painted.paint,
        );
    }

    /// Draws a line on as many rows as it needs.
    fn push_whole(&mut self, line: &DiffLine<'_>, painted: &PaintedLine) {
        let mut numbers = self.columns.numbers(line);
        let mut sign = line.sign.as_char();
        for row in painted.flow.chopped(self.room()) {
            let blank = " ".repeat(numbers.len());
            self.push_row(std::mem::replace(&mut numbers, blank), sign, row, painted.paint);
            sign = ' ';
        }
        if line.no_newline {
            let style = self.look.style(Meaning::TextMuted);
            let note = vec![Span::styled("no line break at its end", style)];
            self.push_row(numbers, sign, note, painted.paint);
        }
    }

    fn push_row(&mut self, numbers: String, sign: char, text: Vec<Span<'static>>, paint: Paint) {
        let sign = format!("{sign} ");
        let sign = &sign[..SIGN.min(self.width)];
        let mut spans = Vec::with_capacity(8);
        if !numbers.is_empty() {
            spans.push(Span::styled(numbers, paint.number(self.look)));
        }
        spans.push(Span::styled(sign.to_owned(), paint.sign.patch(paint.back)));
        spans.extend(text);
        if paint.back.bg.is_some() {
            let used: usize = spans.iter().map(|span| width::str_width(&span.content)).sum();
            let rest = " ".repeat(self.width.saturating_sub(used));
            spans.push(Span::styled(rest, paint.back));
        }
        self.lines.push(Line::from(spans));
    }

    /// Says what is not drawn: lines of the last hunk that is, and whole hunks.
    fn omitted(&mut self, lines: usize, hunks: &[Hunk<'_>]) {
        let mut parts = Vec::new();
        if lines > 0 {
            parts.push(format!("{lines} more {}", noun_of(lines, "line")));
        }
        if !hunks.is_empty() {
            let starts: Vec<_> = hunks
                .iter()
                .take(3)
                .map(|hunk| hunk.new_start.to_string())
                .collect();
            let more = if hunks.len() > 3 { ", …" } else { "" };
            let noun = noun_of(hunks.len(), "hunk");
            parts.push(format!(
                "{} more {noun} at {}{more}",
                hunks.len(),
                starts.join(", ")
            ));
        }
        if !parts.is_empty() {
            let text = format!("{} {}", self.look.symbols.ellipsis(), parts.join(" and "));
            self.lines.push(note(&text, self.width, self.look));
        }
    }
}

/// The text of a line in its colours, and what the rest of its row takes.
struct PaintedLine {
    flow: StyledText,
    paint: Paint,
}

impl PaintedLine {
    /// Has a sign stand for indentation of so many columns, as far as the line has it.
    fn shorten(&mut self, indent: usize, look: Look<'_>) {
        if indentation(self.flow.text()) < indent {
            return;
        }
        let muted = look.style(Meaning::TextMuted).patch(self.paint.back);
        let mut flow = StyledText::default();
        flow.push_clean(look.symbols.ellipsis(), muted);
        flow.push_clean(" ", self.paint.back);
        let before = width::prefix(self.flow.text(), indent).len();
        flow.append(&self.flow.after(before));
        self.flow = flow;
    }
}

/// Returns the indentation that these lines share where it is to be shortened: some of them are cut, and it is why.
fn too_deep(lines: &[PaintedLine], room: usize) -> Option<usize> {
    let texts = || lines.iter().map(|line| line.flow.text());
    if texts().all(|text| width::fits(text, room)) {
        return None;
    }
    let indents = texts().filter(|text| !text.trim().is_empty()).map(indentation);
    let shared = indents.min()?;
    (shared >= DEEP && room < shared + LEAST_TEXT).then_some(shared)
}

/// Returns the columns of tabs and spaces that a line begins with.
fn indentation(text: &str) -> usize {
    let rest = text.trim_start_matches([' ', '⇥', '␣']);
    width::str_width(&text[..text.len() - rest.len()])
}

/// Colours the first lines of a hunk: by the source's language, by their sign, and by the words that changed.
fn painted(path: &str, hunk: &Hunk<'_>, shown: usize, look: Look<'_>) -> Vec<PaintedLine> {
    let texts: Vec<Revealed> = hunk.lines[..shown].iter().map(|line| reveal(line.text)).collect();
    let lines = hunk.lines.iter().zip(&texts).map(|(line, text)| DiffLine {
        text: text.as_str(),
        ..*line
    });
    let part = Hunk {
        lines: lines.collect(),
        ..*hunk
    };
    let mut old = look.highlighter.start(path);
    let mut new = old.clone();
    let lines = part.lines.iter().zip(&texts).zip(hunk_emphasis(&part));
    let painted = lines.map(|((line, text), ranges)| {
        let paint = Paint::of(line.sign, look);
        let mut flow = coloured((line, text), &mut old, &mut new, paint, look);
        flow.patch(0..line.text.len(), paint.back);
        for range in ranges {
            flow.patch(range, paint.emphasis);
        }
        PaintedLine { flow, paint }
    });
    painted.collect()
}

fn coloured(
    (line, text): (&DiffLine<'_>, &Revealed),
    old: &mut CodeState,
    new: &mut CodeState,
    paint: Paint,
    look: Look<'_>,
) -> StyledText {
    let highlighter = look.highlighter;
    let runs = match line.sign {
        Sign::Removed => highlighter.line(old, line.text),
        Sign::Added => highlighter.line(new, line.text),
        Sign::Context => {
            let runs = highlighter.line(new, line.text);
            old.clone_from(new);
            runs
        }
    };
    let mut flow = StyledText::default();
    match paint.whole {
        Some(style) => flow.push_revealed(text, style, look),
        None => flow.push_revealed_code(text, &runs, look),
    }
    flow
}

/// Parts two hunks; the heading tells where the next one is.
fn gap(hunk: &Hunk<'_>, width: usize, look: Look<'_>) -> Line<'static> {
    let text = format!("{} {}", look.symbols.ellipsis(), reveal_line(hunk.heading));
    note(text.trim_end(), width, look)
}

fn note(text: &str, width: usize, look: Look<'_>) -> Line<'static> {
    let style = look.style(Meaning::TextMuted);
    cut_line(text, style, width, look.symbols.ellipsis())
}

#[cfg(test)]
mod tests;
