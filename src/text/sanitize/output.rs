//! Turns the bytes of a process into the text a model reads, chunk by chunk.
//!
//! Bytes are decoded as UTF-8 across chunk borders (what is not UTF-8 becomes `U+FFFD`), escape sequences and controls
//! go, `\r\n` is a line break, and a lone `\r` goes back to the line's start so that what follows overwrites it, as on
//! a terminal; the sequences that erase a line do, since progress bars rely on them.
//!
//! The sequences that colour text are understood too, and what they say is handed out beside the text as runs of an
//! [`Ink`]; the text itself is clean. An ink lasts until another one, over lines and chunks, and goes with its characters
//! when they are overwritten. Plain text has no runs and pays nothing for them.
//!
//! Whole lines are handed out as they end. The unfinished line is kept back because a later `\r` may change it;
//! [`OutputDecoder::pending`] shows it meanwhile. A line longer than 1 MiB is handed out in parts, so memory is bounded;
//! runs are bounded for each line.

use std::ops::Range;

use super::escape::{EscapeFilter, Passed};
use super::is_removed;
use crate::text::ink::{Ink, InkRun};
use crate::text::width::grapheme_width;

/// More of an unfinished line than this is not kept back.
const MAX_LINE_BYTES: usize = 1024 * 1024;
/// A longer line is data that nobody reads by its colours: it is plain.
const MAX_INKED_BYTES: usize = 16 * 1024;
/// What follows this many runs of a line is plain. A line of a rainbow has one for each column.
const MAX_RUNS: usize = 512;

#[derive(Debug, Default)]
pub struct OutputDecoder {
    /// An UTF-8 sequence that the last chunk ended within.
    partial: Vec<u8>,
    filter: EscapeFilter,
    /// Of what comes next.
    ink: Ink,
    line: Line,
}

/// A clean text and the inks of what in it is not plain.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    /// In the order of the text; none goes over a line's end.
    pub runs: Vec<InkRun>,
}

impl OutputDecoder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a chunk and returns the text that became final with it: the lines that ended.
    pub fn push(&mut self, chunk: &[u8]) -> Decoded {
        let mut done = Decoded::default();
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
    pub fn finish(&mut self) -> Decoded {
        let mut done = Decoded::default();
        if !std::mem::take(&mut self.partial).is_empty() {
            self.text("\u{FFFD}", &mut done);
        }
        self.line.take_into(&mut done);
        self.filter = EscapeFilter::default();
        self.ink = Ink::default();
        done
    }

    /// Returns the unfinished line as it looks now.
    pub fn pending(&self) -> Decoded {
        let mut shown = Decoded::default();
        self.line.show_into(&mut shown);
        shown
    }

    fn text(&mut self, text: &str, done: &mut Decoded) {
        for c in text.chars() {
            match self.filter.pass(c) {
                Passed::Char('\n') => {
                    self.line.take_into(done);
                    done.text.push('\n');
                }
                Passed::Char('\r') | Passed::ToLineStart => self.line.go_to_start(),
                Passed::Char(c) if is_removed(c) => {}
                Passed::Char(c) => self.line.put(c, self.ink),
                Passed::Style => self.ink.apply(self.filter.parameters()),
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
        runs: Vec<InkRun>,
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
            runs: Vec::new(),
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
        ink: Ink,
    },
    /// The right half of the wide character before it.
    RightHalf,
}

impl Cell {
    fn of(base: char, ink: Ink) -> Self {
        Self::Char {
            base,
            marks: String::new(),
            ink,
        }
    }

    fn blank() -> Self {
        Self::of(' ', Ink::default())
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Char { base, marks, .. } => base.len_utf8() + marks.len(),
            Self::RightHalf => 0,
        }
    }
}

impl Line {
    fn put(&mut self, c: char, ink: Ink) {
        self.bytes += c.len_utf8();
        if let Shape::Plain {
            text,
            runs,
            returned: false,
        } = &mut self.shape
        {
            let start = text.len();
            text.push(c);
            if !ink.is_plain() && start < MAX_INKED_BYTES {
                add_run(runs, 0, start..text.len(), ink);
            }
            return;
        }
        let (cells, cursor) = self.cells();
        let overwritten = put_cell(cells, cursor, c, ink);
        self.bytes = self.bytes.saturating_sub(overwritten);
    }

    fn go_to_start(&mut self) {
        match &mut self.shape {
            Shape::Plain { text, returned, .. } => *returned = !text.is_empty(),
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
        if let Shape::Plain { text, runs, returned } = &mut self.shape {
            let mut cells = Vec::with_capacity(text.len());
            let mut cursor = 0;
            let mut runs = runs.iter().peekable();
            for (at, c) in text.char_indices() {
                while runs.next_if(|run| run.range.end <= at).is_some() {}
                let run = runs.peek().filter(|run| run.range.contains(&at));
                put_cell(
                    &mut cells,
                    &mut cursor,
                    c,
                    run.map_or_else(Ink::default, |run| run.ink),
                );
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

    fn show_into(&self, into: &mut Decoded) {
        let Decoded {
            text: shown,
            runs: inked,
        } = into;
        let (start, first) = (shown.len(), inked.len());
        match &self.shape {
            Shape::Plain { text, runs, .. } => {
                shown.push_str(text);
                inked.extend(runs.iter().map(|run| InkRun {
                    range: start + run.range.start..start + run.range.end,
                    ink: run.ink,
                }));
            }
            Shape::Cells { cells, .. } => {
                for cell in cells {
                    if let Cell::Char { base, marks, ink } = cell {
                        let at = shown.len();
                        shown.push(*base);
                        shown.push_str(marks);
                        if !ink.is_plain() {
                            add_run(inked, first, at..shown.len(), *ink);
                        }
                    }
                }
            }
        }
        if shown.len() - start > MAX_INKED_BYTES {
            inked.truncate(first);
        }
    }

    fn take_into(&mut self, into: &mut Decoded) {
        self.show_into(into);
        *self = Self::default();
    }
}

/// Adds a run of the line whose runs begin at `first`, or makes the one before it longer.
fn add_run(runs: &mut Vec<InkRun>, first: usize, range: Range<usize>, ink: Ink) {
    let count = runs.len() - first;
    match runs[first..].last_mut() {
        Some(last) if last.ink == ink && last.range.end == range.start => last.range.end = range.end,
        _ if count < MAX_RUNS => runs.push(InkRun { range, ink }),
        _ => {}
    }
}

/// Writes a character at the cursor and returns the bytes that it took the place of.
fn put_cell(cells: &mut Vec<Cell>, cursor: &mut usize, c: char, ink: Ink) -> usize {
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
            Cell::of(c, ink)
        } else {
            Cell::RightHalf
        };
        overwritten += write_cell(cells, *cursor, cell);
        *cursor += 1;
    }
    if matches!(cells.get(*cursor), Some(Cell::RightHalf)) {
        // Its left half is gone.
        cells[*cursor] = Cell::blank();
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
            cells[at - 1] = Cell::blank();
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
        let mut text: String = chunks.iter().map(|chunk| decoder.push(chunk).text).collect();
        text.push_str(&decoder.finish().text);
        text
    }

    /// The text with the parameters of each run before it: `‹31›red‹›`.
    fn inked(chunks: &[&[u8]]) -> String {
        let mut decoder = OutputDecoder::new();
        let mut pictured = String::new();
        for chunk in chunks {
            picture(&decoder.push(chunk), &mut pictured);
        }
        picture(&decoder.finish(), &mut pictured);
        pictured
    }

    fn picture(decoded: &Decoded, into: &mut String) {
        let mut at = 0;
        for InkRun { range, ink } in &decoded.runs {
            into.push_str(&decoded.text[at..range.start]);
            into.push_str(&format!("‹{ink}›{}‹›", &decoded.text[range.clone()]));
            at = range.end;
        }
        into.push_str(&decoded.text[at..]);
    }

    #[test]
    fn whole_lines_come_out_and_the_rest_is_pending() {
        let mut decoder = OutputDecoder::new();
        assert_eq!(decoder.push(b"one\ntwo").text, "one\n");
        assert_eq!(decoder.pending().text, "two");
        assert_eq!(decoder.push(b" more\n").text, "two more\n");
        assert_eq!(decoder.finish(), Decoded::default());
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
            length += decoder.push(&vec![b'x'; 100_000]).text.len();
            assert!(decoder.pending().text.len() <= MAX_LINE_BYTES + 1);
        }
        length += decoder.finish().text.len();
        assert_eq!(length, 4_000_000);
    }

    #[test]
    fn many_overwrites_of_a_long_line_stay_linear() {
        let mut decoder = OutputDecoder::new();
        decoder.push(&vec![b'x'; 500_000]);
        decoder.push(&b"\ry".repeat(200_000));
        assert_eq!(decoder.finish().text.len(), 500_000);
    }

    #[test]
    fn inks_stand_beside_the_clean_text() {
        // A bar is where one chunk ends and the next begins.
        for (bytes, pictured) in [
            ("a \x1b[31mred\x1b[0m b\n", "a ‹31›red‹› b\n"),
            ("\x1b[1m\x1b[32mx\x1b[my", "‹1;32›x‹›y"),
            ("\x1b[38:2::1:2:3mx\x1b[39m\x1b[mz", "‹38;2;1;2;3›x‹›z"),
            (
                "\x1b[31mone\ntwo\n\nthree\x1b[m\n",
                "‹31›one‹›\n‹31›two‹›\n\n‹31›three‹›\n",
            ),
            ("\x1b|[3|1|mr|ed\x1b[|0m.", "‹31›red‹›."),
            // No style, whatever it looks like.
            ("\x1b[?31mx\x1b[>4;2mx\x1b[3 mx\x1b(mx\x1b[31Mx\x1b[31", "xxxxx"),
            ("\x1b[31\nmx", "\nmx"),
            // Neighbours that look the same are one.
            ("\x1b[31ma\x1b[31mb\x1b[0;31mc", "‹31›abc‹›"),
            ("\x1b[31me\u{301}世\x1b[m", "‹31›e\u{301}世‹›"),
        ] {
            let chunks: Vec<&[u8]> = bytes.split('|').map(str::as_bytes).collect();
            assert_eq!(inked(&chunks), pictured, "{bytes:?}");
        }
        let long = format!("\x1b[{}31mx", "1;".repeat(MAX_LINE_BYTES));
        assert_eq!(inked(&[long.as_bytes()]), "x");
    }

    #[test]
    fn an_ink_goes_with_the_text_that_is_left() {
        for (bytes, pictured) in [
            ("\x1b[31mabc\x1b[m\rX\n", "X‹31›bc‹›\n"),
            ("abc\r\x1b[32mX\x1b[m\n", "‹32›X‹›bc\n"),
            ("\x1b[31m 10%\r\x1b[K\x1b[32mdone\x1b[m\n", "‹32›done‹›\n"),
            ("\x1b[31mabc\r\x1b[32mx\x1b[m\x1b[Ky\n", "‹32›x‹›y\n"),
            ("\x1b[31m世界\x1b[m\ra\n", "a ‹31›界‹›\n"),
            ("\x1b[31mabc\x1b[2K\x1b[1Gx\n", "‹31›x‹›\n"),
        ] {
            assert_eq!(inked(&[bytes.as_bytes()]), pictured, "{bytes:?}");
        }
    }

    #[test]
    fn a_style_for_each_byte_stays_bounded() {
        for before in [&b""[..], b"x\ry\r"] {
            let mut decoder = OutputDecoder::new();
            decoder.push(before);
            let painted = |colours: [u8; 2], times| {
                let cell = colours.map(|colour| format!("\x1b[3{colour}mx"));
                cell.concat().repeat(times).into_bytes()
            };
            decoder.push(&painted([1, 2], MAX_INKED_BYTES / 4));
            assert_eq!(decoder.pending().runs.len(), MAX_RUNS);
            decoder.push(&painted([1, 2], MAX_LINE_BYTES / 4));
            assert_eq!(decoder.pending().runs, [], "a long line is plain");
            // What is the same as its neighbour is no run of its own.
            let done = decoder.push(&[&b"\n"[..], &painted([1, 1], 2000), b"\n"].concat());
            let run = |run: &InkRun| (run.range.len(), run.ink.to_string());
            assert_eq!(
                done.runs.iter().map(run).collect::<Vec<_>>(),
                [(4000, "31".to_owned())]
            );
        }
    }

    proptest! {
        #[test]
        fn inks_fit_the_text_and_pieces_do_not_matter(
            pieces in proptest::collection::vec(prop_oneof![
                "\x1b\\[[0-9;:]{0,9}m".prop_map(String::into_bytes),
                "[a-c世é\r\n\u{301}]{1,3}".prop_map(String::into_bytes),
                Just(b"\x1b[K".to_vec()),
                proptest::collection::vec(any::<u8>(), 1..4),
            ], 0..40),
            size in 1_usize..9,
        ) {
            let bytes = pieces.concat();
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(inked(&chunks), inked(&[&bytes]));
            let mut decoder = OutputDecoder::new();
            for Decoded { text, runs } in [decoder.push(&bytes), decoder.finish()] {
                let mut end = 0;
                for InkRun { range, ink } in runs {
                    prop_assert!(range.start >= end && !range.is_empty() && !ink.is_plain());
                    prop_assert!(text.get(range.clone()).is_some_and(|piece| !piece.contains('\n')));
                    end = range.end;
                }
            }
        }

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
