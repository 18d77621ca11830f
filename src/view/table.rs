//! Rows of cells in columns that fit.
//!
//! Columns are as wide as their cells while there is room; after that the widest give way first and their cells wrap.
//! Where not even four columns a cell are left, each row becomes a list of `head: cell`. No frames: space and one rule
//! under the head.

use ratatui::text::{Line, Span};

use super::look::Look;
use super::styled_text::StyledText;
use super::theme::Meaning;
use crate::text::width;

const GAP: usize = 2;
/// Narrower columns cannot be read.
const NARROWEST: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Align {
    #[default]
    Left,
    Center,
    Right,
}

#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) head: Vec<StyledText>,
    pub(crate) rows: Vec<Vec<StyledText>>,
    /// By column; missing ones are left.
    pub(crate) aligns: Vec<Align>,
}

impl Table {
    /// Makes a table of plain texts from outside.
    pub(crate) fn of(head: &[String], rows: &[Vec<String>], look: Look<'_>) -> Self {
        let cells = |texts: &[String], meaning| -> Vec<StyledText> {
            let cell = |text: &String| {
                let mut flow = StyledText::default();
                flow.push_line(text, look.style(meaning));
                flow
            };
            texts.iter().map(cell).collect()
        };
        Self {
            head: cells(head, Meaning::TextStrong),
            rows: rows.iter().map(|row| cells(row, Meaning::Text)).collect(),
            aligns: Vec::new(),
        }
    }

    pub(crate) fn lines(&self, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
        let natural = self.natural_widths();
        if natural.is_empty() {
            return Vec::new();
        }
        let gaps = (natural.len() - 1) * GAP;
        let room = width.saturating_sub(gaps);
        let least: usize = natural.iter().map(|column| (*column).min(NARROWEST)).sum();
        if least > room {
            return self.records(width, look);
        }
        let widths = shrink(natural, room);
        let mut lines = Vec::new();
        if !self.head.is_empty() {
            self.push_row(&self.head, &widths, &mut lines);
            let total = widths.iter().sum::<usize>() + gaps;
            let rule = look.symbols.rule().repeat(total);
            lines.push(Line::styled(rule, look.style(Meaning::Rule)));
        }
        for row in &self.rows {
            self.push_row(row, &widths, &mut lines);
        }
        lines
    }

    fn natural_widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; columns.max(self.head.len())];
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (column, cell) in widths.iter_mut().zip(row) {
                let widest = cell.text().split('\n').map(width::str_width).max();
                *column = (*column).max(widest.unwrap_or(0)).max(1);
            }
        }
        widths
    }

    fn push_row(&self, row: &[StyledText], widths: &[usize], lines: &mut Vec<Line<'static>>) {
        let mut cells: Vec<_> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| cell.rows(*width).into_iter())
            .collect();
        let height = cells.iter().map(ExactSizeIterator::len).max().unwrap_or(1);
        for _ in 0..height {
            let mut spans = Vec::new();
            let mut owed = 0;
            for (index, cell) in cells.iter_mut().enumerate() {
                let content = cell.next().unwrap_or_default();
                let used: usize = content.iter().map(|span| width::str_width(&span.content)).sum();
                let free = widths[index].saturating_sub(used);
                let before = match self.aligns.get(index).copied().unwrap_or_default() {
                    Align::Left => 0,
                    Align::Center => free / 2,
                    Align::Right => free,
                };
                // Spaces are written only before something, so that no row ends in them.
                if content.is_empty() {
                    owed += widths[index] + GAP;
                    continue;
                }
                let spaces = owed + before;
                if spaces > 0 {
                    spans.push(Span::raw(" ".repeat(spaces)));
                }
                spans.extend(content);
                owed = free - before + GAP;
            }
            lines.push(Line::from(spans));
        }
    }

    fn records(&self, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let one = [Vec::new()];
        let rows: &[Vec<StyledText>] = if self.rows.is_empty() { &one } else { &self.rows };
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                let rule = look.symbols.rule().repeat(width.min(3));
                lines.push(Line::styled(rule, look.style(Meaning::Rule)));
            }
            for column in 0..row.len().max(self.head.len()) {
                let mut flow = self.head.get(column).cloned().unwrap_or_default();
                if let Some(cell) = row.get(column).filter(|cell| !cell.is_empty()) {
                    if !flow.is_empty() {
                        flow.push_clean(": ", look.style(Meaning::TextMuted));
                    }
                    flow.append(cell);
                }
                if !flow.is_empty() {
                    lines.extend(flow.rows(width).into_iter().map(Line::from));
                }
            }
        }
        lines
    }
}

/// Takes from the widest columns until all fit.
fn shrink(mut widths: Vec<usize>, room: usize) -> Vec<usize> {
    if widths.iter().sum::<usize>() <= room {
        return widths;
    }
    let mut sorted = widths.clone();
    sorted.sort_unstable();
    let mut left = room;
    let mut cap = 0;
    let mut spare = 0;
    for (index, column) in sorted.iter().enumerate() {
        let each = left / (sorted.len() - index);
        if *column > each {
            cap = each.max(1);
            spare = left - each * (sorted.len() - index);
            break;
        }
        left -= column;
    }
    for column in widths.iter_mut().filter(|column| **column > cap) {
        *column = cap;
        if spare > 0 {
            *column += 1;
            spare -= 1;
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::view::test_look::{TestLook, picture};

    fn table(cells: &[&[&str]]) -> Table {
        let test = TestLook::default();
        let rows: Vec<Vec<String>> = cells
            .iter()
            .map(|row| row.iter().map(ToString::to_string).collect())
            .collect();
        Table::of(&rows[0], &rows[1..], test.look())
    }

    fn drawn(table: &Table, width: usize) -> String {
        picture(&table.lines(width, TestLook::default().look()))
    }

    #[test]
    fn columns_line_up() {
        let table = table(&[&["name", "size"], &["a", "1"], &["世界", "20000"]]);
        assert_eq!(
            drawn(&table, 40),
            "name  size\n───────────\na     1\n世界  20000\n"
        );
    }

    #[test]
    fn the_widest_column_wraps_first() {
        let table = table(&[&["id", "what it says"], &["1", "one two three"]]);
        assert_eq!(
            drawn(&table, 12),
            "id  what it\n    says\n────────────\n1   one two\n    three\n"
        );
    }

    #[test]
    fn a_narrow_table_becomes_records() {
        let table = table(&[&["id", "text", "more"], &["1", "hello", ""], &["2", "you", "x"]]);
        assert_eq!(
            drawn(&table, 8),
            "id: 1\ntext:\nhello\nmore\n───\nid: 2\ntext:\nyou\nmore: x\n"
        );
    }

    proptest! {
        #[test]
        fn no_row_is_too_wide(
            cells in proptest::collection::vec(proptest::collection::vec("[a世 ]{0,12}", 0..6), 1..5),
            width in 1_usize..60,
        ) {
            let rows: Vec<Vec<&str>> = cells.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
            let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
            for line in table(&rows).lines(width, TestLook::default().look()) {
                prop_assert!(line.width() <= width, "{line:?}");
            }
        }
    }
}
