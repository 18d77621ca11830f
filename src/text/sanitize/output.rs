//! Turns the bytes of a process into the text a model reads, chunk by chunk.
//!
//! Bytes are decoded as UTF-8 across chunk borders (what is not UTF-8 becomes `U+FFFD`), escape sequences and controls
//! go, `\r\n` is a line break, and a lone `\r` goes back to the line's start so that what follows overwrites it, as on
//! a terminal; the sequences that erase a line do, since progress bars rely on them.
//!
//! The sequences that colour text are understood too, and what they say is handed out beside the text as runs of an
//! [`SgrStyle`]; the text itself is clean. An ink lasts until another one, over lines and chunks, and goes with its characters
//! when they are overwritten. Plain text has no runs and pays nothing for them.
//!
//! Whole lines are handed out as they end. The unfinished line is kept back because a later `\r` may change it, and once the
//! cursor has been moved up, so are the lines of the [`frame`](super::frame) that is drawn again;
//! [`OutputDecoder::pending`] shows them meanwhile. A line longer than 1 MiB is handed out in parts, so memory is bounded;
//! runs are bounded for each line.

use super::escape::{EscapeFilter, FilteredChar};
use super::frame::Frame;
use super::line::Line;
use super::{StyledOutput, is_removed};
use crate::text::sgr::SgrStyle;
use crate::text::utf8::ChunkedUtf8;

/// More of an unfinished line than this is not kept back.
const MAX_LINE_BYTES: usize = 1024 * 1024;

#[derive(Debug, Default)]
pub struct OutputDecoder {
    utf8: ChunkedUtf8,
    filter: EscapeFilter,
    /// Of what comes next.
    sgr: SgrStyle,
    frame: Frame,
}

impl OutputDecoder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a chunk and returns the text that became final with it: the lines that ended.
    pub fn push(&mut self, chunk: &[u8]) -> StyledOutput {
        let mut done = StyledOutput::default();
        let text = self.utf8.text(chunk);
        self.text(&text, &mut done);
        done
    }

    /// Ends the stream and returns the unfinished line.
    pub fn finish(&mut self) -> StyledOutput {
        let mut done = StyledOutput::default();
        let text = self.utf8.finish();
        self.text(text, &mut done);
        self.frame.take_into(&mut done);
        self.filter = EscapeFilter::default();
        self.sgr = SgrStyle::default();
        done
    }

    /// Returns the unfinished line as it looks now.
    pub fn pending(&self) -> StyledOutput {
        let mut shown = StyledOutput::default();
        self.frame.show_into(&mut shown);
        shown
    }

    fn text(&mut self, text: &str, done: &mut StyledOutput) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let room = (MAX_LINE_BYTES + 1).saturating_sub(self.frame.bytes());
            let ordinary = if self.filter.is_between_sequences() {
                ordinary_prefix(rest, room)
            } else {
                ""
            };
            if ordinary.is_empty() {
                self.char(c, done);
                rest = &rest[c.len_utf8()..];
            } else {
                self.frame.put(ordinary, self.sgr);
                rest = &rest[ordinary.len()..];
            }
            if self.frame.bytes() > MAX_LINE_BYTES {
                self.frame.cut_line(done);
            }
        }
    }

    fn char(&mut self, c: char, done: &mut StyledOutput) {
        match self.filter.pass(c) {
            FilteredChar::Char('\n') => self.frame.end_line(done),
            FilteredChar::Char('\r') | FilteredChar::ToLineStart => self.frame.line().go_to_start(),
            FilteredChar::Char('\x08') => self.frame.line().go_back(1),
            FilteredChar::Char(c) if is_removed(c) => {}
            FilteredChar::Char(c) => self.frame.put(c.encode_utf8(&mut [0; 4]), self.sgr),
            FilteredChar::Style => self.sgr.apply(self.filter.parameters()),
            FilteredChar::EraseToEnd => self.frame.line().erase_to_end(),
            // The cursor stays on a terminal; whoever erases a whole line returns to its start as well.
            FilteredChar::EraseLine => *self.frame.line() = Line::default(),
            FilteredChar::EraseBelow => self.frame.erase_below(),
            FilteredChar::Back(columns) => self.frame.line().go_back(columns),
            FilteredChar::Up(rows) => self.frame.up(rows),
            FilteredChar::Down(rows) => self.frame.down(rows),
            FilteredChar::ToLineAbove(rows) => {
                self.frame.up(rows);
                self.frame.line().go_to_start();
            }
            FilteredChar::ToLineBelow(rows) => {
                self.frame.down(rows);
                self.frame.line().go_to_start();
            }
            FilteredChar::Save => self.frame.save(),
            FilteredChar::Restore => self.frame.restore(),
            FilteredChar::Nothing => {}
        }
    }
}

/// Returns what stands before the first character that may mean more than itself, at most so many bytes.
fn ordinary_prefix(text: &str, most: usize) -> &str {
    let is_ordinary = |byte: &u8| matches!(*byte, b' '..=b'~' | b'\t');
    let length = text.bytes().take(most).take_while(is_ordinary).count();
    &text[..length]
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::text::sanitize::line::{MAX_INKED_BYTES, MAX_RUNS};
    use crate::text::sgr::SgrRun;
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

    fn picture(decoded: &StyledOutput, into: &mut String) {
        let mut at = 0;
        for SgrRun { range, sgr } in &decoded.runs {
            into.push_str(&decoded.text[at..range.start]);
            write!(into, "‹{sgr}›{}‹›", &decoded.text[range.clone()]).unwrap();
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
        assert_eq!(decoder.finish(), StyledOutput::default());
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
    fn of_frames_that_are_drawn_over_each_other_the_last_is_left() {
        let frame = |nth: usize| format!("\x1b[2A\x1b[2K one {nth}%\n\x1b[2K two {nth}%\n");
        let frames = (0..300).map(frame).collect::<Vec<_>>().concat();
        // The first frame is final before it is known that there are others.
        let drawn = format!(" one 0%\n two 0%\n{frames}end\n");
        assert_eq!(
            decode(&[drawn.as_bytes()]),
            " one 0%\n two 0%\n one 299%\n two 299%\nend\n"
        );
        assert_eq!(decode(&[b"\x1b[1Fa\nb\n\x1b[2Fc\x1b[1Ed\n"]), "c\nd\n");
        assert_eq!(decode(&[b"\x1b[Aaa\nbb\ncc\x1b[2A\x1b[Jx"]), "aax");
        assert_eq!(decode(&[b"\x1b[Aabc\nd\x1b[AX\x1b[BY\n"]), "aXc\ndY\n");
    }

    #[test]
    fn a_place_that_is_kept_is_gone_back_to() {
        let bar: Vec<String> = (0..300).map(|nth| format!("\x1b7bar {nth}/300\x1b8")).collect();
        let bar = bar.concat();
        assert_eq!(decode(&[bar.as_bytes(), b"\n"]), "bar 299/300\n");
        assert_eq!(decode(&[b"a \x1b[sone\x1b[utwo\n"]), "a two\n");
        let percent: Vec<String> = (0..300)
            .map(|nth| format!("{}{nth:7}%", "\x08".repeat(8)))
            .collect();
        let percent = percent.concat();
        assert_eq!(decode(&[percent.as_bytes()]), "    299%");
        assert_eq!(decode(&["世界\x08\x08b\x1b[9Da".as_bytes()]), "a b ");
    }

    #[test]
    fn a_frame_is_bounded() {
        let mut decoder = OutputDecoder::new();
        decoder.push(b"\x1b[1A");
        let mut length = 0;
        for _ in 0..20_000 {
            length += decoder.push(b"line\n\x1b[1A\n").text.len();
            assert!(decoder.pending().text.len() < 10_000);
        }
        length += decoder.finish().text.len();
        assert_eq!(length, 20_000 * 5);
        let wide = [b"\x1b[A".to_vec(), vec![b'x'; 300_000], b"\n".to_vec()].concat();
        let mut decoder = OutputDecoder::new();
        for _ in 0..40 {
            decoder.push(&wide[3..]);
            decoder.push(b"\x1b[A\n");
            assert!(decoder.pending().text.len() < 2 * MAX_LINE_BYTES);
        }
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
            let run = |run: &SgrRun| (run.range.len(), run.sgr.to_string());
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
            for StyledOutput { text, runs } in [decoder.push(&bytes), decoder.finish()] {
                let mut end = 0;
                for SgrRun { range, sgr } in runs {
                    prop_assert!(range.start >= end && !range.is_empty() && !sgr.is_plain());
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
