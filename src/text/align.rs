//! Finds what was drawn in the text it was drawn from.
//!
//! A drawing leaves marks of the source out (`**`, fences, brackets), adds things of its own (gutters, bars, bullets,
//! borders), breaks rows where there was a space and cuts them with an ellipsis. Its words stand in the order of the
//! source, so they can be found again one after the other: [`Aligner::row`] walks a row and says for each run of
//! characters where in the source it comes from. Renderers need to know nothing about it.
//!
//! Between two words only marks are skipped; other words are skipped only where the rest of the phrase is found as
//! well, so that a line number never moves the place to a number far below. A word that is not found belongs to the
//! drawing. Where a table breaks its cells into rows, the source is read from the line's start again.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::width::{grapheme_width, str_width};

/// Maximum distance in bytes at which a word is looked for. Longer addresses than this are not skipped.
const WINDOW: usize = 2000;
/// Letters of a phrase that prove its place.
const PROOF: usize = 3;
/// More than that are not compared.
const ENOUGH: usize = 24;

/// Characters drawn as they stand in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The column of the row where it begins.
    pub column: usize,
    /// Its bytes of the source.
    pub source: Range<usize>,
}

/// The pieces that one row shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlignedRow {
    /// From left to right.
    pub pieces: Vec<Piece>,
    /// Source offset behind this row.
    pub end: usize,
}

impl AlignedRow {
    /// Returns the source of the cluster at a column: empty before the first piece, after the last, and where the row
    /// shows nothing of the source between two of them.
    pub fn at(&self, source: &str, column: usize) -> Option<Range<usize>> {
        let after = self.pieces.partition_point(|piece| piece.column <= column);
        let Some(piece) = after.checked_sub(1).map(|index| &self.pieces[index]) else {
            let first = self.pieces.first()?.source.start;
            return Some(first..first);
        };
        let mut left = column - piece.column;
        let mut start = piece.source.start;
        for cluster in source[piece.source.clone()].graphemes(true) {
            let width = grapheme_width(cluster);
            if left < width {
                return Some(start..start + cluster.len());
            }
            left -= width;
            start += cluster.len();
        }
        let next = self.pieces.get(after).map(|next| next.source.start);
        let blank = next.filter(|next| source.get(start..*next).is_some_and(is_blank));
        Some(start..blank.unwrap_or(start))
    }

    /// Returns the columns that show a range of the source.
    pub fn columns(&self, source: &str, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut reached = None;
        for piece in &self.pieces {
            let shown = range.start.max(piece.source.start)..range.end.min(piece.source.end);
            if shown.is_empty() {
                continue;
            }
            let start = piece.column + str_width(&source[piece.source.start..shown.start]);
            let columns = start..start + str_width(&source[shown.clone()]);
            match found.last_mut() {
                // The blank between two words is part of what is shown, gutters and borders are not.
                Some(last)
                    if reached.is_some_and(|end| source.get(end..shown.start).is_some_and(is_close)) =>
                {
                    last.end = columns.end;
                }
                _ => found.push(columns),
            }
            reached = Some(shown.end);
        }
        found
    }
}

/// Walks down the rows of a drawing.
#[derive(Debug)]
pub struct Aligner<'a> {
    source: &'a str,
    at: usize,
    /// The row ended with an ellipsis: the rest of the source's line is not drawn.
    is_cut: bool,
}

impl<'a> Aligner<'a> {
    /// Begins at a byte of the source: 0, or where the row before ended.
    pub fn new(source: &'a str, at: usize) -> Self {
        let at = at.min(source.len());
        Self {
            source,
            at: source.floor_char_boundary(at),
            is_cut: false,
        }
    }

    /// Goes on behind what was read otherwise.
    pub fn skip_to(&mut self, at: usize) {
        self.at = self
            .source
            .floor_char_boundary(at.clamp(self.at, self.source.len()));
    }

    /// Takes the next row.
    pub fn row(&mut self, row: &str) -> AlignedRow {
        let mut pieces = Vec::new();
        let mut column = 0;
        let mut rest = row;
        self.is_cut = false;
        while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
            column += str_width(&rest[..start]);
            rest = &rest[start..];
            let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
            self.word(&rest[..len], rest, column, &mut pieces);
            column += str_width(&rest[..len]);
            rest = &rest[len..];
        }
        if self.is_cut {
            let line = self.source[self.at..].find('\n');
            self.at = line.map_or(self.source.len(), |end| self.at + end + 1);
        }
        AlignedRow { pieces, end: self.at }
    }

    /// Takes a word; `rest` is the row from the word on.
    fn word(&mut self, word: &str, rest: &str, column: usize, pieces: &mut Vec<Piece>) {
        let mut done = 0;
        while done < word.len() {
            let left = &word[done..];
            let column = column + str_width(&word[..done]);
            if let Some(found) = self.find(left, &rest[done..]) {
                let mut drawn = 0;
                for source in found.pieces {
                    pieces.push(Piece {
                        column: column + str_width(&left[..drawn]),
                        source: source.clone(),
                    });
                    drawn += source.len();
                    self.at = source.end;
                }
                self.is_cut = false;
                done += found.len;
            } else {
                done += self.skip(left);
            }
        }
    }

    /// Returns how much of a word that was not found belongs to the drawing.
    fn skip(&mut self, word: &str) -> usize {
        let Some(first) = word.chars().next() else {
            return 0;
        };
        if is_ellipsis(first) {
            self.is_cut = true;
            return first.len_utf8();
        }
        if first.is_alphanumeric() {
            return word.find(is_ellipsis).unwrap_or(word.len());
        }
        let same = word.find(|c| c != first).unwrap_or(word.len());
        same.max(first.len_utf8())
    }

    fn find(&self, word: &str, rest: &str) -> Option<MatchedPieces> {
        let first = word.chars().next()?;
        let end = self.source.floor_char_boundary(self.at + WINDOW);
        let ahead = self.source[self.at..end]
            .match_indices(first)
            .map(|(offset, _)| self.at + offset);
        let mut gap_is_marks = true;
        let mut checked = self.at;
        for at in ahead {
            gap_is_marks = gap_is_marks && !self.source[checked..at].contains(char::is_alphanumeric);
            checked = at;
            let Some(found) = self.matches(word, at) else {
                continue;
            };
            let follows_a_cut = self.is_cut && found.len >= PROOF && !self.source[self.at..at].contains('\n');
            if gap_is_marks || follows_a_cut || self.is_proven(rest, at) {
                return Some(found);
            }
        }
        let line = self.source[..self.at].rfind('\n').map_or(0, |end| end + 1);
        let behind = self.source[line..self.at].match_indices(first);
        behind
            .map(|(offset, _)| line + offset)
            .find_map(|at| self.matches(word, at).filter(|_| self.is_proven(rest, at)))
    }

    /// Compares a word with the source, over marks within it. A word that is cut fits as far as it goes.
    fn matches(&self, word: &str, at: usize) -> Option<MatchedPieces> {
        let mut pieces: Vec<Range<usize>> = Vec::new();
        let mut at = at;
        let mut len = 0;
        for c in word.chars() {
            let rest = &self.source[at..];
            let marks = rest.find(|s: char| s == c || !is_mark(s)).unwrap_or(rest.len());
            let marks = if len == 0 { 0 } else { marks };
            if !rest[marks..].starts_with(c) {
                let is_cut = is_ellipsis(c) && len > 0;
                return is_cut.then_some(MatchedPieces { pieces, len });
            }
            let start = at + marks;
            at = start + c.len_utf8();
            len += c.len_utf8();
            match pieces.last_mut() {
                Some(last) if last.end == start => last.end = at,
                _ => pieces.push(start..at),
            }
        }
        Some(MatchedPieces { pieces, len })
    }

    /// Returns true if the phrase that a row goes on with stands there.
    fn is_proven(&self, rest: &str, at: usize) -> bool {
        let phrase = rest.find("  ").map_or(rest, |end| &rest[..end]);
        let mut source = self.source[at..].chars();
        let mut letters = 0;
        for c in phrase.chars().filter(|c| !c.is_whitespace()) {
            if letters >= ENOUGH {
                return true;
            }
            loop {
                match source.next() {
                    Some(s) if s == c => break,
                    Some(s) if letters > 0 && (s.is_whitespace() || is_mark(s)) => {}
                    _ => return letters >= PROOF && !c.is_alphanumeric() && !is_mark(c),
                }
            }
            letters += usize::from(c.is_alphanumeric());
        }
        letters >= PROOF
    }
}

struct MatchedPieces {
    pieces: Vec<Range<usize>>,
    /// Bytes of the word that were found.
    len: usize,
}

/// Returns true for a character that Markdown may leave out within a word.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '*' | '_' | '~' | '`' | '\\' | '[' | ']' | '(' | ')' | '<' | '>' | '!' | '#' | '|' | '&' | ';'
    )
}

fn is_ellipsis(c: char) -> bool {
    matches!(c, '…' | '~')
}

fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Returns true if nothing but blanks and marks lies between two pieces.
fn is_close(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_mark(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns what each row shows, its pieces joined by `|`.
    fn shown(source: &str, rows: &[&str]) -> Vec<String> {
        let mut aligner = Aligner::new(source, 0);
        let mut shown = Vec::new();
        for row in rows {
            let found = aligner.row(row);
            let pieces = found.pieces.iter().map(|piece| {
                let text = &source[piece.source.clone()];
                let before = super::super::width::prefix(row, piece.column).len();
                assert!(row[before..].starts_with(text), "{text:?} in {row:?}");
                text
            });
            shown.push(pieces.collect::<Vec<_>>().join("|"));
        }
        shown
    }

    #[test]
    fn soft_breaks_and_bars_are_not_in_the_source() {
        assert_eq!(
            shown("one two three\nfour", &["┃ one two", "┃ three", "┃ four"]),
            ["one|two", "three", "four"]
        );
    }

    #[test]
    fn marks_are_stepped_over() {
        let source = "## A **bold** `x` and\n\n- [docs](https://e.org/a) un*be*lievable\n";
        assert_eq!(
            shown(
                source,
                &["A bold x and", "", "• docs (https://e.org/a) unbelievable"]
            ),
            ["A|bold|x|and", "", "docs|(https://e.org/a)|un|be|lievable"]
        );
    }

    #[test]
    fn gutters_do_not_move_the_place() {
        let source = "Edit a.rs\nlet a = 1;\nlet b = 41;\nlet c = 42;";
        let rows = [
            " ● Edit a.rs  0.1s",
            "   41    -  let a = 1;",
            "      42 +  let b = 41;",
            "   43 let c = 42;",
        ];
        assert_eq!(
            shown(source, &rows),
            ["Edit|a.rs", "let|a|=|1;", "let|b|=|41;", "let|c|=|42;"]
        );
    }

    #[test]
    fn a_cut_row_is_followed_by_the_next_line() {
        let source = "Read src/tool/builtin/retry.rs\nlong lines are cut\n}\nend";
        let rows = ["● Read src/…/retry.rs", "long li…", "}", "end"];
        assert_eq!(
            shown(source, &rows),
            ["Read|src/|/retry.rs", "long|li", "}", "end"]
        );
    }

    #[test]
    fn cells_that_are_broken_are_found_in_their_line() {
        let source = "| first cell here | second cell there |";
        let rows = ["│ first cell │ second cell │", "│ here       │ there       │"];
        assert_eq!(shown(source, &rows)[0], "first|cell|second|cell");
        assert_eq!(shown(source, &rows)[1].split('|').count(), 2);
    }

    #[test]
    fn columns_and_places_answer_each_other() {
        let source = "a 世界 **b**";
        let row = Aligner::new(source, 0).row("┃ a 世界 b");
        assert_eq!(row.at(source, 0), Some(0..0));
        assert_eq!(row.at(source, 2), Some(0..1));
        assert_eq!(row.at(source, 3), Some(1..2));
        assert_eq!(row.at(source, 5), Some(2..5));
        assert_eq!(row.at(source, 40), Some(12..12));
        let columns = |range| {
            row.columns(source, &range)
                .into_iter()
                .map(|at| (at.start, at.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(columns(0..source.len()), [(2, 10)]);
        assert_eq!(columns(5..8), [(6, 8)]);
        assert_eq!(AlignedRow::default().at(source, 3), None);
    }

    proptest! {
        #[test]
        fn what_a_piece_says_is_what_the_row_shows(source in "(\\PC|[a-c *`\\n]){0,60}", row in "(\\PC|[a-c …│]){0,40}") {
            let mut aligner = Aligner::new(&source, 0);
            for row in [&row, &source.replace('\n', " "), &row] {
                let found = aligner.row(row);
                prop_assert!(found.end <= source.len());
                for piece in &found.pieces {
                    let text = &source[piece.source.clone()];
                    let drawn = super::super::width::prefix(row, piece.column);
                    prop_assert!(str_width(drawn) > piece.column || row.contains(text), "{text:?} in {row:?}");
                }
                for column in 0..45 {
                    if let Some(range) = found.at(&source, column) {
                        prop_assert!(source.get(range).is_some());
                    }
                }
            }
        }

        #[test]
        fn wrapped_words_are_all_found(words in prop::collection::vec("[a-z]{1,9}", 1..30), width in 4_usize..30) {
            let source = words.join(" ");
            let rows: Vec<&str> = super::super::wrap::wrap(&source, width).into_iter().map(|row| &source[row]).collect();
            let mut aligner = Aligner::new(&source, 0);
            let found: usize = rows.iter().flat_map(|row| aligner.row(row).pieces).map(|piece| piece.source.len()).sum();
            prop_assert_eq!(found, source.replace(' ', "").len());
        }
    }
}
