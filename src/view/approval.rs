//! Layout of what a person judges: the body of a question, and the lines around it.
//!
//! Only [`Revealed`] text comes in, and nothing is cut: what is too long goes on below, what is too much scrolls. A card
//! that elsewhere shows a part is drawn whole here.

use std::collections::HashMap;
use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::card::{Card, CardPart, Code, ToneLine, ToneSpan, tone_style};
use super::look::Look;
use super::styled_text::{StyledText, TAB};
use super::theme::Meaning;
use super::{diff, markdown};
use crate::text::sanitize::{Revealed, expand_tabs, reveal, reveal_line};
use crate::text::width::{prefix, str_width};

/// Columns left of everything, as cards have.
pub const INDENT: usize = 3;
/// Stands before the lines of a command, the first and the others.
const PROMPTS: [&str; 2] = ["$ ", "> "];
/// Columns that what belongs to a row above it stands further in.
const STEP: usize = 2;
/// Of a number and the sign behind it at most a third of the row.
const GUTTER: usize = 3;
/// So wide nothing is broken or cut.
const UNBROKEN: usize = 100_000;

/// Revealed text and words of lathe's own, each with its meaning.
#[derive(Clone)]
pub struct ApprovalText<'a> {
    look: Look<'a>,
    text: Revealed,
    flow: StyledText,
}

/// A body as it was laid out.
#[derive(Debug, Clone, Default)]
pub struct ApprovalBody {
    pub lines: Vec<Line<'static>>,
    /// Rows at which a hunk of a diff begins.
    pub hunks: Vec<usize>,
}

impl<'a> ApprovalText<'a> {
    pub fn new(look: Look<'a>) -> Self {
        Self {
            look,
            text: Revealed::default(),
            flow: StyledText::default(),
        }
    }

    pub fn of(text: impl Into<Revealed>, meaning: Meaning, look: Look<'a>) -> Self {
        Self::new(look).and(text, meaning)
    }

    #[must_use]
    pub fn and(self, text: impl Into<Revealed>, meaning: Meaning) -> Self {
        let style = self.look.style(meaning);
        self.styled(&text.into(), style)
    }

    fn styled(mut self, text: &Revealed, style: Style) -> Self {
        self.flow.push_revealed(text, style, self.look);
        self.text = self.text.and(text);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn text(&self) -> &Revealed {
        &self.text
    }

    /// Returns how many columns it has on one line.
    pub fn width(&self) -> usize {
        self.text.width()
    }

    /// Adds blanks.
    #[must_use]
    pub fn gap(mut self, columns: usize) -> Self {
        for _ in 0..columns {
            self = self.and(" ", Meaning::Text);
        }
        self
    }

    #[must_use]
    pub fn join(mut self, other: &Self) -> Self {
        self.flow.append(&other.flow);
        self.text = self.text.and(&other.text);
        self
    }

    /// Returns it on one line.
    pub fn line(&self) -> Line<'static> {
        let all = std::iter::once(0..self.text.as_str().len());
        Line::from(self.flow.spans_of(all.collect()).concat())
    }

    /// Returns it on one line of so many columns, which `other` ends.
    pub fn ends_with(self, other: &Self, columns: usize) -> Line<'static> {
        let gap = columns.saturating_sub(self.width() + other.width());
        self.gap(gap).join(other).line()
    }

    /// Returns it on one line, cut at so many columns: for a name of what stands whole elsewhere.
    #[must_use]
    pub fn shortened(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let ellipsis = self.look.symbols.ellipsis();
        let end = prefix(self.text.as_str(), columns.saturating_sub(str_width(ellipsis))).len();
        let mut cut = Self::new(self.look);
        cut.flow = self.flow.until(end);
        cut.text = self.text.part(0..end);
        cut.and(ellipsis, Meaning::TextMuted)
    }

    /// Breaks it into rows of so many columns; what goes on below stands `hang` columns further in.
    pub fn rows(&self, columns: usize, hang: usize) -> Vec<Line<'static>> {
        let hang = if columns > hang { hang } else { 0 };
        let ranges = self.text.rows(columns, hang);
        let hang = " ".repeat(hang);
        self.led(ranges, |is_first| {
            if is_first {
                Span::raw("")
            } else {
                Span::raw(hang.clone())
            }
        })
    }

    /// Breaks it into rows that stand as far in as cards do.
    pub fn indented(&self, width: usize) -> Vec<Line<'static>> {
        let columns = width.saturating_sub(INDENT + 1).max(1);
        let lines = self.rows(columns, 0).into_iter();
        lines.map(indent).collect()
    }

    /// Returns rows, each behind what leads it where it begins a line or does not.
    fn led(
        &self,
        rows: Vec<(Range<usize>, bool)>,
        lead: impl Fn(bool) -> Span<'static>,
    ) -> Vec<Line<'static>> {
        let (ranges, firsts): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let rows = self.flow.spans_of(ranges).into_iter().zip(firsts);
        rows.map(|(spans, is_first)| {
            let lead = Some(lead(is_first)).filter(|lead| !lead.content.is_empty());
            lead.into_iter().chain(spans).collect()
        })
        .collect()
    }
}

/// Moves a row as far in as cards stand.
pub fn indent(line: Line<'static>) -> Line<'static> {
    step(line, INDENT)
}

/// Moves a row to the right.
pub fn step(line: Line<'static>, columns: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(columns))];
    spans.extend(line.spans);
    Line::from(spans)
}

/// Lays out all that a card says will happen.
pub fn body(card: &Card, width: usize, look: Look<'_>) -> ApprovalBody {
    let mut body = ApprovalBody::default();
    let room = width.saturating_sub(INDENT + 1).max(1);
    if card.body.is_empty() {
        body.lines.extend(text(&card.argument, room, look));
    }
    for part in &card.body {
        if let CardPart::Diff(diff) = part {
            let (lines, hunks) = diff::judged(diff, room, look);
            let first = body.lines.len();
            body.hunks.extend(hunks.into_iter().map(|row| first + row));
            body.lines.extend(lines);
        } else {
            body.lines.extend(part_lines(part, room, look));
        }
    }
    body.lines = body.lines.into_iter().map(indent).collect();
    body
}

fn part_lines(part: &CardPart, room: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let judged = |text: &Revealed, meaning| ApprovalText::of(text, meaning, look).rows(room, STEP);
    match part {
        CardPart::Text(body) => text(body, room, look),
        CardPart::Code(code) => source(code, room, look),
        CardPart::Diff(body) => diff::judged(body, room, look).0,
        CardPart::Markdown(body) => markdown(body, room, look),
        CardPart::Table { head, rows } => {
            let rows = std::iter::once(head).filter(|head| !head.is_empty()).chain(rows);
            rows.flat_map(|row| {
                let mut cells = row.iter().map(|cell| reveal_line(cell));
                let first = cells.next().unwrap_or_default();
                let row = cells.fold(first, |row, cell| row.and("  ").and(&cell));
                judged(&row, Meaning::Text)
            })
            .collect()
        }
        CardPart::Tree(rows) => {
            let lines = rows.iter().flat_map(|row| {
                let depth = (STEP * row.depth).min(room / 2);
                let text = ApprovalText::of(reveal_line(&row.text), Meaning::Text, look);
                let lines = text.rows(room - depth, STEP).into_iter();
                lines.map(move |line| step(line, depth))
            });
            lines.collect()
        }
        CardPart::Lines(lines) | CardPart::Printed(lines) => {
            lines.iter().flat_map(|line| toned(line, room, look)).collect()
        }
        CardPart::Omitted(what) => {
            let text = Revealed::own(look.symbols.ellipsis())
                .and(" ")
                .and(reveal_line(what));
            judged(&text, Meaning::TextMuted)
        }
    }
}

fn text(text: &str, room: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let text = reveal(text.strip_suffix('\n').unwrap_or(text));
    ApprovalText::of(&text, Meaning::Text, look).rows(room, STEP)
}

fn toned(line: &ToneLine, room: usize, look: Look<'_>) -> Vec<Line<'static>> {
    // A blank that ends a span ends no line, unless nothing follows it.
    let is_blank = |span: &ToneSpan| span.text.bytes().all(|byte| byte == b' ');
    let last = line.iter().rposition(|span| !is_blank(span));
    let spans = line.iter().enumerate();
    let text = spans.fold(ApprovalText::new(look), |text, (place, span)| {
        let kept = match last {
            Some(last) if place < last => span.text.trim_end_matches(' '),
            _ => span.text.as_str(),
        };
        let blanks = span.text.len() - kept.len();
        let style = tone_style(span.tone, look);
        text.styled(&reveal_line(kept), style).gap(blanks)
    });
    text.rows(room, STEP)
}

/// Lays out source: a command behind prompts, a file behind its line numbers. A row that only goes on has neither.
fn source(code: &Code, room: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let is_command = code.first_line.is_none() && matches!(code.language.as_str(), "bash" | "sh" | "shell");
    let whole = code.text.strip_suffix('\n').unwrap_or(&code.text);
    let last = code.first_line.map(|first| first + whole.split('\n').count());
    let digits = last.map_or(0, |last| last.to_string().len());
    let digits = if digits + 1 > room / GUTTER { 0 } else { digits };
    let gutter = match (is_command, digits) {
        (true, _) => PROMPTS[0].len(),
        (false, 0) => 0,
        (false, digits) => digits + 1,
    };
    let mut state = look.highlighter.start(&code.language);
    let mut lines = Vec::new();
    for (index, line) in whole.split('\n').enumerate() {
        let text = reveal(line);
        let mut flow = StyledText::default();
        let runs = look.highlighter.line(&mut state, text.as_str());
        flow.push_revealed_code(&text, &runs, look);
        let number = code.first_line.filter(|_| digits > 0).map(|first| first + index);
        let lead = match number {
            _ if is_command => PROMPTS[index.min(1)].to_owned(),
            Some(number) => format!("{number:>digits$} "),
            None => String::new(),
        };
        let judged = ApprovalText { look, text, flow };
        let style = look.style(Meaning::CodeGutter);
        let rows = judged.text.rows(room.saturating_sub(gutter).max(1), 0);
        lines.extend(judged.led(rows, |is_first| {
            let lead = if is_first {
                lead.clone()
            } else {
                " ".repeat(gutter)
            };
            Span::styled(lead, style)
        }));
    }
    lines
}

/// Lays out Markdown that is judged; where drawing it would leave something of it out, its source.
fn markdown(source: &str, room: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let revealed = revealed_markdown(source);
    let unbroken = markdown::render(&revealed, UNBROKEN, look);
    let lines = markdown::render(&revealed, room, look);
    let shown = text_of(&unbroken);
    let shown_words = words(&shown);
    let has_all_words = words(&revealed)
        .into_iter()
        .all(|(word, count)| shown_words.get(word).is_some_and(|shown| *shown >= count));
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    if has_all_words && letters(&text_of(&lines)) >= letters(&shown) {
        lines
    } else {
        text(source, room, look)
    }
}

/// Reveals Markdown so that it is still Markdown: tabs indent, and blanks at the end of a line break it.
fn revealed_markdown(source: &str) -> String {
    let lines = source.split('\n').map(|line| {
        let kept = line.trim_end_matches([' ', '\t']);
        let ends = if line[kept.len()..].len() > 1 { "  " } else { "" };
        format!("{}{ends}", reveal_line(&expand_tabs(kept, TAB)))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn text_of(lines: &[Line<'_>]) -> String {
    let mut text = String::new();
    for line in lines {
        line.spans.iter().for_each(|span| text.push_str(&span.content));
        text.push('\n');
    }
    text
}

/// Counts the words of a text: runs of letters and digits.
fn words(text: &str) -> HashMap<&str, usize> {
    let mut words = HashMap::new();
    let found = text.split(|c: char| !c.is_alphanumeric());
    for word in found.filter(|word| !word.is_empty()) {
        *words.entry(word).or_default() += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::card::{DiffBody, Tone, ToneSpan, TreeRow};
    use crate::view::test_look::{TestLook, picture};
    use proptest::prelude::*;

    fn drawn(part: CardPart, width: usize) -> String {
        let test = TestLook::plain();
        picture(&body(&Card::default().part(part), width, test.look()).lines)
    }

    fn code(text: &str, language: &str, first_line: Option<usize>) -> CardPart {
        CardPart::Code(Code {
            text: text.to_owned(),
            language: language.to_owned(),
            first_line,
            wraps: false,
        })
    }

    #[test]
    fn a_command_is_whole_and_its_lines_differ_from_rows_that_go_on() {
        assert_eq!(
            drawn(code("echo one two three\nls\r", "bash", None), 20),
            "   $ echo one two␠\n     three\n   > ls⟨U+000D⟩\n".replace('␠', " ")
        );
    }

    #[test]
    fn a_file_is_numbered_and_nothing_of_it_is_cut() {
        assert_eq!(
            drawn(code("a\n\tlong line here\n", "a.rs", Some(9)), 18),
            "    9 a\n   10 ⇥   long␠\n      line here\n".replace('␠', " ")
        );
    }

    #[test]
    fn a_diff_shows_every_character_and_goes_on_below() {
        let diff = |unified: &str, width| {
            drawn(
                CardPart::Diff(DiffBody {
                    path: "b.sh".into(),
                    unified: unified.into(),
                    max_lines: 1,
                    is_unplaced: false,
                }),
                width,
            )
        };
        let shown = diff("@@ -0,0 +1,2 @@\n+echo building \x1b]0; touch pwned\n+x \n", 70);
        assert!(
            shown.contains("+ echo building ⟨U+001B⟩]0; touch pwned"),
            "{shown}"
        );
        assert!(shown.contains("+ x␣"), "{shown}");
        let long = format!(
            "@@ -1 +1 @@\n-{}\n+b\n\\ No newline at end of file\n",
            "a".repeat(3000)
        );
        for width in [30, 80, 200] {
            let shown = diff(&long, width);
            assert_eq!(
                shown.matches('a').count(),
                3000 + shown.matches("break at").count() * 2,
                "{width}"
            );
            assert!(!shown.contains('…'), "{shown}");
        }
        assert!(diff(&long, 80).contains("no line break at its end"));
    }

    #[test]
    fn markdown_that_would_lose_a_word_is_shown_as_it_was_written() {
        let plan = "# Plan\n\n1. do `x`\n2. see [docs](https://a.b)\n";
        let shown = drawn(CardPart::Markdown(plan.into()), 60);
        assert!(shown.contains("1. do x") && !shown.contains("# Plan"), "{shown}");
        for (hidden, seen) in [
            ("[a](b \"run rm\")", "run rm"),
            ("| a |\n|---|\n| b | hidden |", "hidden"),
            ("```sh rm -rf\nls\n```", "rm -rf"),
            ("<!-- hidden -->\n", "hidden"),
            ("![a](b.png \"rm\")", "\"rm\""),
            ("a &#27;[8m b", "&#27;"),
            ("\x1b[8mhidden", "⟨U+001B⟩[8mhidden"),
        ] {
            let shown = drawn(CardPart::Markdown(hidden.into()), 60);
            assert!(shown.contains(seen), "{hidden}: {shown}");
        }
    }

    #[test]
    fn no_part_of_a_card_is_cut() {
        let long = "word ".repeat(60) + "end\x1b";
        let span = ToneSpan::new(Tone::Danger, &long);
        let parts = [
            CardPart::Text(long.clone()),
            CardPart::Markdown(long.clone()),
            CardPart::Table {
                head: vec!["a".into()],
                rows: vec![vec!["b".into(), long.clone()]],
            },
            CardPart::Tree(vec![TreeRow {
                depth: 3,
                text: long.clone(),
            }]),
            CardPart::Lines(vec![span.clone().into()]),
            CardPart::Printed(vec![span.into()]),
            CardPart::Omitted(long),
        ];
        for part in parts {
            let name = format!("{part:?}");
            let shown = drawn(part, 40);
            assert_eq!(shown.matches("word").count(), 60, "{name}");
            assert!(
                shown.replace(['\n', ' '], "").contains("end⟨U+001B⟩"),
                "{name}: {shown}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_row_is_too_wide_and_none_has_controls(
            text in "([a-z ]{0,9}|[\\x00-\\x20\\x7f-\\u{9f}\\u{200b}-\\u{202e}⟨世#|`-]){0,40}",
            width in 8_usize..160,
            number in proptest::option::of(1_usize..2000),
        ) {
            let test = TestLook::plain();
            let diff = CardPart::Diff(DiffBody {
                path: "a".into(),
                unified: format!("@@ -1,99 +1,99 @@\n-{0}\n+{0}", text.replace('\n', "\n+")),
                max_lines: 0,
                is_unplaced: number.is_none(),
            });
            for part in [CardPart::Text(text.clone()), CardPart::Markdown(text.clone()), code(&text, "bash", number), diff] {
                for line in body(&Card::default().part(part), width, test.look()).lines {
                    prop_assert!(line.width() <= width, "{line:?}");
                    prop_assert!(!line.spans.iter().any(|span| span.content.contains(char::is_control)), "{line:?}");
                }
            }
        }
    }
}
