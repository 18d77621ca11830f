//! The old text left, the new one right.
//!
//! Removed lines stand beside the lines that came in their place, the first beside the first; a line without a partner
//! stands beside nothing. A line that is too long for its side goes on below, so that nothing is lost for standing
//! here. Each row says which lines it shows and where, for those who select or point.

use std::ops::Range;

use ratatui::text::{Line, Span};

use super::{Columns, PaintedLine, gap, painted};
use crate::text::diff::{DiffLine, Hunk, Sign};
use crate::text::width;
use crate::view::card::DiffBody;
use crate::view::look::Look;
use crate::view::theme::Meaning;

/// Columns of the rule between the sides, with those beside it.
const MIDDLE: usize = 3;
/// Rows that a line takes at most where it is not judged.
pub(super) const MOST_ROWS: usize = 8;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitRow {
    pub line: Line<'static>,
    /// `None` between two hunks.
    pub sides: Option<Sides>,
}

/// The lines on a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    pub old: Option<Side>,
    pub new: Option<Side>,
    /// True if the diff begins here.
    pub is_first: bool,
}

/// A line on one of the sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Counted over all hunks of the diff.
    pub line: usize,
    /// Columns of the row that show its text.
    pub columns: Range<usize>,
}

impl Sides {
    /// Returns the same for a row that was moved to the right.
    pub fn shifted(mut self, columns: usize) -> Self {
        for side in [&mut self.old, &mut self.new].into_iter().flatten() {
            side.columns = side.columns.start + columns..side.columns.end + columns;
        }
        self
    }
}

/// Lays out all hunks; a line takes at most `most_rows` rows.
pub(super) fn rows(
    body: &DiffBody,
    hunks: &[Hunk<'_>],
    (width, most_rows): (usize, usize),
    look: Look<'_>,
) -> Vec<SplitRow> {
    let columns = Columns {
        has_both: false,
        ..Columns::of(body, hunks, width)
    };
    let mut splitter = Splitter {
        columns,
        side: width.saturating_sub(MIDDLE) / 2,
        most_rows,
        look,
        rows: Vec::new(),
    };
    let mut before = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        if index > 0 {
            splitter.rows.push(SplitRow {
                line: gap(hunk, width, look),
                sides: None,
            });
        }
        let painted = painted(&body.path, hunk, hunk.lines.len(), look);
        for pair in pairs(hunk) {
            splitter.pair(hunk, &painted, &pair, before);
        }
        before += hunk.lines.len();
    }
    splitter.rows
}

/// The places in a hunk of two lines that stand beside each other.
struct Pair {
    old: Option<usize>,
    new: Option<usize>,
}

/// Returns a line of a hunk for each of its rows on two sides: the new one, or the old one where that is alone.
pub fn paired_lines(hunk: &Hunk<'_>) -> impl Iterator<Item = usize> {
    pairs(hunk).into_iter().filter_map(|pair| pair.new.or(pair.old))
}

fn pairs(hunk: &Hunk<'_>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut at = 0;
    let run = |from: usize, sign: Sign| {
        let lines = hunk.lines[from..].iter();
        lines.take_while(|line| line.sign == sign).count()
    };
    while at < hunk.lines.len() {
        let removed = run(at, Sign::Removed);
        let added = run(at + removed, Sign::Added);
        if removed + added == 0 {
            pairs.push(Pair {
                old: Some(at),
                new: Some(at),
            });
            at += 1;
            continue;
        }
        pairs.extend((0..removed.max(added)).map(|row| Pair {
            old: (row < removed).then_some(at + row),
            new: (row < added).then_some(at + removed + row),
        }));
        at += removed + added;
    }
    pairs
}

struct Splitter<'a> {
    columns: Columns,
    /// Columns of one side.
    side: usize,
    most_rows: usize,
    look: Look<'a>,
    rows: Vec<SplitRow>,
}

/// A line as its side shows it: the spans of each row.
type Cells = Vec<Vec<Span<'static>>>;

impl Splitter<'_> {
    fn pair(&mut self, hunk: &Hunk<'_>, painted: &[PaintedLine], pair: &Pair, before: usize) {
        let cells = |at: Option<usize>, number: fn(&DiffLine<'_>) -> Option<usize>| {
            at.map_or_else(Vec::new, |at| {
                self.cells(&painted[at], hunk.lines[at].sign, number(&hunk.lines[at]))
            })
        };
        let old = cells(pair.old, |line| line.old_line);
        let new = cells(pair.new, |line| line.new_line);
        let height = old.len().max(new.len());
        let (mut old, mut new) = (old.into_iter(), new.into_iter());
        let gutter = self.gutter();
        let side = |at: Option<usize>, left: usize| {
            at.map(|at| Side {
                line: before + at,
                columns: left + gutter..left + self.side,
            })
        };
        let rule = format!(" {} ", self.look.symbols.divider());
        for _ in 0..height {
            let (old, new) = (old.next(), new.next());
            let sides = Sides {
                old: old.as_ref().and(side(pair.old, 0)),
                new: new.as_ref().and(side(pair.new, self.side + MIDDLE)),
                is_first: self.rows.is_empty(),
            };
            let mut spans = old.unwrap_or_else(|| vec![Span::raw(" ".repeat(self.side))]);
            spans.push(Span::styled(rule.clone(), self.look.style(Meaning::Rule)));
            spans.extend(new.into_iter().flatten());
            self.rows.push(SplitRow {
                line: Line::from(spans),
                sides: Some(sides),
            });
        }
    }

    /// Columns before the text of a side: the number and the sign.
    fn gutter(&self) -> usize {
        self.columns.width() + 2
    }

    /// Breaks a line into rows, each exactly as wide as its side.
    fn cells(&self, painted: &PaintedLine, sign: Sign, number: Option<usize>) -> Cells {
        let paint = painted.paint;
        let (gutter, digits) = (self.gutter(), self.columns.digits);
        let room = self.side - gutter;
        let mut chopped = painted.flow.chopped(room);
        if chopped.len() > self.most_rows {
            chopped.truncate(self.most_rows);
            let ellipsis = self.look.symbols.ellipsis();
            let last = chopped.pop().unwrap_or_default();
            chopped.push(with_ellipsis(last, room, ellipsis));
        }
        let rows = chopped.into_iter().enumerate().map(|(row, text)| {
            let number = match number {
                Some(number) if row == 0 && digits > 0 => format!("{number:>digits$} "),
                _ => " ".repeat(gutter - 2),
            };
            let sign = if row == 0 { sign.as_char() } else { ' ' };
            let mut spans = vec![
                Span::styled(number, paint.number(self.look)),
                Span::styled(format!("{sign} "), paint.sign.patch(paint.back)),
            ];
            let used: usize = text.iter().map(|span| width::str_width(&span.content)).sum();
            spans.extend(text);
            spans.push(Span::styled(" ".repeat(room.saturating_sub(used)), paint.back));
            spans
        });
        rows.collect()
    }
}

/// Has a full row end with the sign of what is cut.
fn with_ellipsis(spans: Vec<Span<'static>>, room: usize, ellipsis: &str) -> Vec<Span<'static>> {
    let mut left = room.saturating_sub(width::str_width(ellipsis));
    let mut kept = Vec::with_capacity(spans.len() + 1);
    let mut style = ratatui::style::Style::new();
    for span in spans {
        let text = width::prefix(&span.content, left).to_owned();
        left -= width::str_width(&text);
        style = span.style;
        kept.push(Span::styled(text, style));
    }
    kept.push(Span::styled(ellipsis.to_owned(), style));
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::diff::parse_unified;
    use crate::view::test_look::{TestLook, picture};

    fn body(unified: &str) -> DiffBody {
        DiffBody {
            path: "a.rs".to_owned(),
            unified: unified.to_owned(),
            ..DiffBody::default()
        }
    }

    fn rows_of(unified: &str, width: usize) -> Vec<SplitRow> {
        let hunks = parse_unified(unified);
        rows(
            &body(unified),
            &hunks,
            (width, MOST_ROWS),
            TestLook::plain().look(),
        )
    }

    fn drawn(unified: &str, width: usize) -> Vec<String> {
        let rows = rows_of(unified, width);
        let lines: Vec<_> = rows.into_iter().map(|row| row.line).collect();
        let text = picture(&lines);
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }

    #[test]
    fn what_came_in_stands_beside_what_it_replaced() {
        let diff = "@@ -9,4 +9,5 @@ fn x\n a\n-old\n-gone\n+new\n+more\n+most\n 世\n@@ -90 +91 @@ fn y\n-x\n";
        assert_eq!(
            drawn(diff, 31),
            [
                " 9   a         │  9   a",
                "10 - old       │ 10 + new",
                "11 - gone      │ 11 + more",
                "               │ 12 + most",
                "12   世        │ 13   世",
                "… fn y",
                "90 - x         │",
            ]
        );
    }

    #[test]
    fn a_long_line_goes_on_below_and_a_very_long_one_ends() {
        let long = "abcdefghij".repeat(2);
        assert_eq!(
            drawn(&format!("@@ -1 +1 @@\n-{long}\n+x\n"), 31),
            [" 1 - abcdefghi │  1 + x", "     jabcdefgh │", "     ij        │",]
        );
        let rows = drawn(&format!("@@ -1 +1 @@\n-{}\n+x\n", long.repeat(9)), 31);
        assert_eq!(rows.len(), MOST_ROWS);
        assert!(rows[MOST_ROWS - 1].ends_with("… │"), "{rows:?}");
    }

    #[test]
    fn a_row_says_which_lines_it_shows() {
        let rows = rows_of("@@ -1,2 +1,2 @@\n a\n-b\n+c\n", 31);
        let places: Vec<_> = rows
            .iter()
            .filter_map(|row| row.sides.clone())
            .map(|sides| {
                let line = |side: Option<Side>| side.map(|side| (side.line, side.columns.start));
                (line(sides.old), line(sides.new), sides.is_first)
            })
            .collect();
        assert_eq!(
            places,
            [
                (Some((0, 5)), Some((0, 22)), true),
                (Some((1, 5)), Some((2, 22)), false)
            ]
        );
    }

    proptest! {
        #[test]
        fn the_rule_stands_in_one_column_and_no_row_is_too_wide(
            texts in proptest::collection::vec("[-+ ]\\PC{0,60}|[-+ ][a\t\u{1b}世👩‍👩‍👧‍👦]{0,30}", 0..12),
            width in super::super::TWO_SIDES..200,
        ) {
            let diff = format!("@@ -1,100 +1,100 @@\n{}", texts.join("\n"));
            let side = (width - MIDDLE) / 2;
            for row in rows_of(&diff, width) {
                prop_assert!(row.line.width() <= width, "{row:?}");
                let text = row.line.to_string();
                prop_assert!(!text.contains(char::is_control));
                let before = width::prefix(&text, side);
                prop_assert_eq!(width::str_width(before), side);
                prop_assert!(text[before.len()..].starts_with(" │ "), "{text:?}");
            }
        }
    }
}
