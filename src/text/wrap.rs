//! Breaks plain text into rows of a given width.
//!
//! The answer is byte ranges into the source, so that a caller can lay styles over them and a selection can find its
//! way back to the source. Rows break at white space, and between wide characters, which scripts without spaces need; a
//! word wider than a row breaks between grapheme clusters. White space at a break belongs to no row; the indentation
//! of a line stays unless a word would have to be broken for it.
//!
//! No row is ever wider than asked. A cluster that is wider than a whole row (a wide character in one column) belongs
//! to no row. Tabs have no width here; expand them first. The text is read once, whatever its shape.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::width::grapheme_width;

/// Breaks a text into rows at most `width` columns wide (0 counts as 1).
///
/// Every `\n` ends a row, so the text `a\n` has two rows, the second one empty; an empty text has one.
pub fn wrap(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut line_start = 0;
    for line in text.split('\n') {
        wrap_line(line, line_start, width.max(1), &mut rows);
        line_start += line.len() + 1;
    }
    rows
}

/// Breaks one line that starts at byte `base` of the text.
fn wrap_line(line: &str, base: usize, width: usize, rows: &mut Vec<Range<usize>>) {
    let mut row = Row::new(0);
    let rows_before = rows.len();
    for (start, grapheme) in line.grapheme_indices(true) {
        let columns = grapheme_width(grapheme);
        let end = start + grapheme.len();
        if is_blank(grapheme) {
            row.blank(end, columns);
            continue;
        }
        row.note_break_between_wide(start, grapheme, columns);
        while row.columns + columns > width && !row.is_bare(start) {
            if let Some(done) = row.give_up(start) {
                rows.push(base + done.start..base + done.end);
            }
        }
        if columns > width {
            row = Row::new(end);
        } else {
            row.text(start, end, columns);
        }
    }
    if row.has_text() || rows.len() == rows_before {
        let end = row.text_end;
        rows.push(base + row.start.min(end)..base + end);
    }
}

fn is_blank(grapheme: &str) -> bool {
    // A no-break space is white space that asks not to be broken at.
    grapheme
        .chars()
        .all(|c| c.is_whitespace() && !matches!(c, '\u{A0}' | '\u{202F}' | '\u{2007}'))
}

/// Characters that must not begin a row.
const CLOSING: &str = "、。，．：；！？）」』】〉》〕｝］…‥ー々";

/// The row that is being filled; offsets are bytes of its line.
struct Row {
    start: usize,
    columns: usize,
    /// End of the last drawn cluster; equal to `start` while there is none.
    text_end: usize,
    /// The last place where the row may end.
    opportunity: Option<Break>,
    after_blank: bool,
    after_wide: bool,
}

struct Break {
    /// Byte offset of the end of the row.
    end: usize,
    /// Byte offset of the start of the next row, and the columns up to there.
    next: usize,
    columns: usize,
}

impl Row {
    fn new(start: usize) -> Self {
        Self {
            start,
            columns: 0,
            text_end: start,
            opportunity: None,
            after_blank: false,
            after_wide: false,
        }
    }

    fn has_text(&self) -> bool {
        self.text_end > self.start
    }

    /// Tells whether nothing at all lies between the row's start and `at`.
    fn is_bare(&self, at: usize) -> bool {
        self.start == at
    }

    fn blank(&mut self, end: usize, columns: usize) {
        self.columns += columns;
        self.opportunity = Some(Break {
            end: self.text_end,
            next: end,
            columns: self.columns,
        });
        self.after_blank = true;
        self.after_wide = false;
    }

    fn note_break_between_wide(&mut self, start: usize, grapheme: &str, columns: usize) {
        let beside_wide = columns > 1 || self.after_wide;
        if beside_wide && self.has_text() && !self.after_blank && !grapheme.starts_with(is_closing) {
            self.opportunity = Some(Break {
                end: start,
                next: start,
                columns: self.columns,
            });
        }
    }

    fn text(&mut self, start: usize, end: usize, columns: usize) {
        debug_assert!(self.start <= start, "a row starts before its text");
        self.columns += columns;
        self.text_end = end;
        self.after_blank = false;
        self.after_wide = columns > 1;
    }

    /// Ends the row because the cluster at `at` does not fit; returns it unless it was nothing but indentation.
    fn give_up(&mut self, at: usize) -> Option<Range<usize>> {
        let found = self.opportunity.take().unwrap_or(Break {
            end: at,
            next: at,
            columns: self.columns,
        });
        let done = self.start..found.end;
        let is_indentation = found.end == self.start && found.next > self.start;
        self.start = found.next;
        self.columns -= found.columns;
        self.text_end = self.text_end.max(found.next);
        self.after_blank = false;
        if is_indentation || done.is_empty() {
            None
        } else {
            Some(done)
        }
    }
}

fn is_closing(c: char) -> bool {
    CLOSING.contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::width::str_width;
    use proptest::prelude::*;

    fn rows(text: &str, width: usize) -> Vec<&str> {
        wrap(text, width).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn breaks_at_white_space() {
        assert_eq!(rows("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(rows("exactly ten", 11), ["exactly ten"]);
        assert_eq!(rows("a   b", 3), ["a", "b"]);
    }

    #[test]
    fn every_newline_ends_a_row() {
        assert_eq!(rows("a\n\nb\n", 5), ["a", "", "b", ""]);
        assert_eq!(rows("", 5), [""]);
        assert_eq!(rows("    ", 2), [""]);
    }

    #[test]
    fn a_long_word_starts_on_its_own_row_and_is_broken() {
        assert_eq!(rows("ab cdefghij k", 4), ["ab", "cdef", "ghij", "k"]);
    }

    #[test]
    fn indentation_stays_until_it_would_break_a_word() {
        assert_eq!(rows("  ab cd", 4), ["  ab", "cd"]);
        assert_eq!(rows("      longword", 8), ["longword"]);
        assert_eq!(rows("          a", 4), ["a"]);
    }

    #[test]
    fn scripts_without_spaces_break_between_characters() {
        assert_eq!(rows("世界人民", 5), ["世界", "人民"]);
        assert_eq!(rows("ab世界", 4), ["ab世", "界"]);
        assert_eq!(rows("世界。", 4), ["世", "界。"]);
    }

    #[test]
    fn a_wide_character_in_one_column_is_left_out() {
        assert_eq!(rows("a世b", 1), ["a", "b"]);
        assert_eq!(rows("世", 1), [""]);
        assert_eq!(rows("ab", 0), ["a", "b"]);
    }

    #[test]
    fn a_no_break_space_holds_words_together() {
        assert_eq!(rows("aa b\u{A0}c", 5), ["aa", "b\u{A0}c"]);
    }

    #[test]
    fn long_lines_are_wrapped_in_linear_time() {
        let line = "x".repeat(100_000);
        assert_eq!(wrap(&line, 80).len(), 1250);
        let words = "word ".repeat(200_000);
        assert_eq!(wrap(&words, 9).len(), 100_000);
        let blanks = " ".repeat(1_000_000);
        assert_eq!(wrap(&blanks, 3).len(), 1);
    }

    proptest! {
        #[test]
        fn rows_fit_and_lose_only_white_space(text in "[ab 世👩\u{301}\n-]{0,60}", width in 2_usize..12) {
            let rows = rows(&text, width);
            for row in &rows {
                prop_assert!(str_width(row) <= width, "{row:?} is wider than {width}");
            }
            let kept: String = rows.concat().chars().filter(|c| !c.is_whitespace()).collect();
            let all: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            prop_assert_eq!(kept, all);
        }

        #[test]
        fn any_text_gives_rows_in_order(text in ".{0,80}", width in 0_usize..10) {
            let mut last = 0;
            for row in wrap(&text, width) {
                prop_assert!(row.start >= last && row.end >= row.start && row.end <= text.len());
                prop_assert!(str_width(&text[row.clone()]) <= width.max(1));
                last = row.end;
            }
        }
    }
}
