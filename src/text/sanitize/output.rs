//! Turns the bytes of a process into the text a model reads, chunk by chunk.
//!
//! Bytes are decoded as UTF-8 across chunk borders (what is not UTF-8 becomes `U+FFFD`), escape sequences and controls
//! go, `\r\n` is a line break, and a lone `\r` goes back to the line's start so that what follows overwrites it, as on
//! a terminal; the sequences that erase a line do, since progress bars rely on them.
//!
//! Whole lines are handed out as they end. The unfinished line is kept back because a later `\r` may change it;
//! [`OutputDecoder::pending`] shows it meanwhile. A line longer than 1 MiB is handed out in parts, so memory is bounded.

use super::escape::{EscapeFilter, Passed};
use super::is_removed;
use crate::text::width::grapheme_width;

/// More of an unfinished line than this is not kept back.
const MAX_LINE_BYTES: usize = 1024 * 1024;

#[derive(Debug, Default)]
pub struct OutputDecoder {
    /// An UTF-8 sequence that the last chunk ended within.
    partial: Vec<u8>,
    filter: EscapeFilter,
    line: Line,
}

impl OutputDecoder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a chunk and returns the text that became final with it: the lines that ended.
    pub fn push(&mut self, chunk: &[u8]) -> String {
        let mut done = String::new();
        let mut joined = std::mem::take(&mut self.partial);
        let bytes = if joined.is_empty() {
            chunk
        } else {
            joined.extend_from_slice(chunk);
            &joined
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text(text, &mut done);
                    rest = &[];
                }
                Err(error) => {
                    let (valid, invalid) = rest.split_at(error.valid_up_to());
                    self.text(std::str::from_utf8(valid).unwrap_or_default(), &mut done);
                    let Some(length) = error.error_len() else {
                        self.partial = invalid.to_vec();
                        break;
                    };
                    self.text("\u{FFFD}", &mut done);
                    rest = &invalid[length..];
                }
            }
        }
        done
    }

    /// Ends the stream and returns the unfinished line.
    pub fn finish(&mut self) -> String {
        let mut done = String::new();
        if !std::mem::take(&mut self.partial).is_empty() {
            self.text("\u{FFFD}", &mut done);
        }
        self.line.take_into(&mut done);
        self.filter = EscapeFilter::default();
        done
    }

    /// Returns the unfinished line as it looks now.
    pub fn pending(&self) -> String {
        let mut text = String::new();
        self.line.show_into(&mut text);
        text
    }

    fn text(&mut self, text: &str, done: &mut String) {
        for c in text.chars() {
            match self.filter.pass(c) {
                Passed::Char('\n') => {
                    self.line.take_into(done);
                    done.push('\n');
                }
                Passed::Char('\r') | Passed::ToLineStart => self.line.go_to_start(),
                Passed::Char(c) if is_removed(c) => {}
                Passed::Char(c) => self.line.put(c),
                Passed::EraseToEnd => self.line.erase_to_end(),
                // The cursor stays on a terminal; whoever erases a whole line returns to its start as well.
                Passed::EraseLine => self.line = Line::default(),
                Passed::Nothing => {}
            }
            if self.line.bytes > MAX_LINE_BYTES {
                self.line.take_into(done);
            }
        }
    }
}

/// The unfinished line. Only a line that is overwritten pays for cells.
#[derive(Debug, Default)]
struct Line {
    shape: Shape,
    bytes: usize,
}

#[derive(Debug)]
enum Shape {
    /// Written from left to right; `returned` once the cursor went back to the start.
    Plain {
        text: String,
        returned: bool,
    },
    Cells {
        cells: Vec<Cell>,
        cursor: usize,
    },
}

impl Default for Shape {
    fn default() -> Self {
        Self::Plain {
            text: String::new(),
            returned: false,
        }
    }
}

/// One column of the line.
#[derive(Debug, Clone)]
enum Cell {
    Char {
        base: char,
        marks: String,
    },
    /// The right half of the wide character before it.
    RightHalf,
}

impl Cell {
    fn bytes(&self) -> usize {
        match self {
            Self::Char { base, marks } => base.len_utf8() + marks.len(),
            Self::RightHalf => 0,
        }
    }
}

const BLANK: Cell = Cell::Char {
    base: ' ',
    marks: String::new(),
};

impl Line {
    fn put(&mut self, c: char) {
        self.bytes += c.len_utf8();
        if let Shape::Plain {
            text,
            returned: false,
        } = &mut self.shape
        {
            text.push(c);
            return;
        }
        let (cells, cursor) = self.cells();
        let overwritten = put_cell(cells, cursor, c);
        self.bytes = self.bytes.saturating_sub(overwritten);
    }

    fn go_to_start(&mut self) {
        match &mut self.shape {
            Shape::Plain { text, returned } => *returned = !text.is_empty(),
            Shape::Cells { cursor, .. } => *cursor = 0,
        }
    }

    fn erase_to_end(&mut self) {
        match &mut self.shape {
            Shape::Plain { returned: false, .. } => {}
            Shape::Plain { returned: true, .. } => *self = Self::default(),
            Shape::Cells { cells, cursor } => {
                let erased: usize = cells.drain(*cursor..).map(|cell| cell.bytes()).sum();
                self.bytes = self.bytes.saturating_sub(erased);
            }
        }
    }

    /// Turns the line into cells, if it is not, and lends them with the cursor.
    fn cells(&mut self) -> (&mut Vec<Cell>, &mut usize) {
        if let Shape::Plain { text, returned } = &mut self.shape {
            let mut cells = Vec::with_capacity(text.len());
            let mut cursor = 0;
            for c in text.chars() {
                put_cell(&mut cells, &mut cursor, c);
            }
            if *returned {
                cursor = 0;
            }
            self.shape = Shape::Cells { cells, cursor };
        }
        match &mut self.shape {
            Shape::Cells { cells, cursor } => (cells, cursor),
            Shape::Plain { .. } => unreachable!("the line was just made of cells"),
        }
    }

    fn show_into(&self, into: &mut String) {
        match &self.shape {
            Shape::Plain { text, .. } => into.push_str(text),
            Shape::Cells { cells, .. } => {
                for cell in cells {
                    if let Cell::Char { base, marks } = cell {
                        into.push(*base);
                        into.push_str(marks);
                    }
                }
            }
        }
    }

    fn take_into(&mut self, into: &mut String) {
        self.show_into(into);
        *self = Self::default();
    }
}

/// Writes a character at the cursor and returns the bytes that it took the place of.
fn put_cell(cells: &mut Vec<Cell>, cursor: &mut usize, c: char) -> usize {
    let columns = if c == '\t' {
        1
    } else {
        grapheme_width(c.encode_utf8(&mut [0; 4]))
    };
    if columns == 0
        && let Some(Cell::Char { marks, .. }) = base_before(cells, *cursor)
    {
        marks.push(c);
        return 0;
    }
    let mut overwritten = 0;
    for column in 0..columns.max(1) {
        let cell = if column == 0 {
            Cell::Char {
                base: c,
                marks: String::new(),
            }
        } else {
            Cell::RightHalf
        };
        overwritten += write_cell(cells, *cursor, cell);
        *cursor += 1;
    }
    if matches!(cells.get(*cursor), Some(Cell::RightHalf)) {
        // Its left half is gone.
        cells[*cursor] = BLANK;
    }
    overwritten
}

fn write_cell(cells: &mut Vec<Cell>, at: usize, cell: Cell) -> usize {
    if at == cells.len() {
        cells.push(cell);
        return 0;
    }
    let is_right_half = matches!(cell, Cell::RightHalf);
    match std::mem::replace(&mut cells[at], cell) {
        Cell::RightHalf if !is_right_half && at > 0 => {
            cells[at - 1] = BLANK;
            0
        }
        old => old.bytes(),
    }
}

fn base_before(cells: &mut [Cell], cursor: usize) -> Option<&mut Cell> {
    let until = cursor.min(cells.len());
    cells[..until]
        .iter_mut()
        .rev()
        .find(|cell| matches!(cell, Cell::Char { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(chunks: &[&[u8]]) -> String {
        let mut decoder = OutputDecoder::new();
        let mut text: String = chunks.iter().map(|chunk| decoder.push(chunk)).collect();
        text.push_str(&decoder.finish());
        text
    }

    #[test]
    fn whole_lines_come_out_and_the_rest_is_pending() {
        let mut decoder = OutputDecoder::new();
        assert_eq!(decoder.push(b"one\ntwo"), "one\n");
        assert_eq!(decoder.pending(), "two");
        assert_eq!(decoder.push(b" more\n"), "two more\n");
        assert_eq!(decoder.finish(), "");
    }

    #[test]
    fn characters_are_decoded_across_chunks() {
        assert_eq!(decode(&[&[0xe4, 0xb8], &[0x96, b'\n']]), "世\n");
        assert_eq!(
            decode(&[b"a\xff\xe4", b"b\xe4\xb8"]),
            "a\u{FFFD}\u{FFFD}b\u{FFFD}"
        );
    }

    #[test]
    fn a_carriage_return_overwrites_as_on_a_terminal() {
        assert_eq!(decode(&[b" 10%\r", b" 50%\r100%\n"]), "100%\n");
        assert_eq!(decode(&[b"abcdef\rXY\n"]), "XYcdef\n");
        assert_eq!(decode(&["世界\rab\n".as_bytes()]), "ab界\n");
        assert_eq!(decode(&["世界\ra\n".as_bytes()]), "a 界\n");
    }

    #[test]
    fn line_breaks_of_windows_are_line_breaks() {
        assert_eq!(decode(&[b"a\r\nb\r", b"\nc\r\r\n"]), "a\nb\nc\n");
    }

    #[test]
    fn erasing_sequences_erase() {
        assert_eq!(decode(&[b"downloading 10%\r\x1b[Kdone\n"]), "done\n");
        assert_eq!(decode(&[b"abc\x1b[2K\x1b[1Gxy\n"]), "xy\n");
        assert_eq!(decode(&[b"abc\rxy\x1b[Kz\n"]), "xyz\n");
        assert_eq!(decode(&[b"abc\x1b[Kd\n"]), "abcd\n");
    }

    #[test]
    fn escapes_and_controls_are_gone_also_across_chunks() {
        assert_eq!(decode(&[b"\x1b[3", b"1mred\x1b", b"[0m\x07\x00\n"]), "red\n");
        assert_eq!(decode(&[b"\x1b]0;ti", b"tle\x07x"]), "x");
    }

    #[test]
    fn an_endless_line_is_handed_out_in_parts() {
        let mut decoder = OutputDecoder::new();
        let mut length = 0;
        for _ in 0..40 {
            length += decoder.push(&vec![b'x'; 100_000]).len();
            assert!(decoder.pending().len() <= MAX_LINE_BYTES + 1);
        }
        length += decoder.finish().len();
        assert_eq!(length, 4_000_000);
    }

    #[test]
    fn many_overwrites_of_a_long_line_stay_linear() {
        let mut decoder = OutputDecoder::new();
        decoder.push(&vec![b'x'; 500_000]);
        decoder.push(&b"\ry".repeat(200_000));
        assert_eq!(decoder.finish().len(), 500_000);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(bytes in proptest::collection::vec(prop_oneof![
            Just(b'\r'), Just(b'\n'), Just(0x1b), Just(b'['), Just(b'K'), any::<u8>(), b'a'..b'f'
        ], 0..80), size in 1_usize..9) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(decode(&pieces), decode(&[&bytes]));
        }

        #[test]
        fn no_control_passes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = decode(&[&bytes]);
            prop_assert!(!text.chars().any(is_removed));
            prop_assert_eq!(decode(&[text.as_bytes()]), text);
        }

        #[test]
        fn plain_text_comes_out_as_it_went_in(text in "[a-z世é\n\t ]{0,60}") {
            prop_assert_eq!(decode(&[text.as_bytes()]), text);
        }
    }
}
