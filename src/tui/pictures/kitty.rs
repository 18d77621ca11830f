//! Pictures by kitty's graphics protocol, at places that are characters.
//!
//! The terminal is given the picture once, under a number. Where it stands, each cell holds a placeholder whose colour is
//! the number and whose combining marks are row and column within the picture. So a picture is clipped, covered, scrolled
//! and taken away like text, by the cells that differ between two frames.
//! <https://sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders>

use std::fmt::Write;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Style};

use super::EncodedPicture;

/// Asks whether the protocol is known, with a picture of one pixel that is not kept. Only terminals that are called by the
/// name of one that knows it are asked: others might show the question.
pub(crate) const QUESTION: &[u8] = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\";

/// The protocol takes no more of a picture at once.
const CHUNK: usize = 4096;

const PLACEHOLDER: char = '\u{10eeee}';

/// The mark at place n says n.
const MARKS: [char; 80] = [
    '\u{305}', '\u{30d}', '\u{30e}', '\u{310}', '\u{312}', '\u{33d}', '\u{33e}', '\u{33f}', '\u{346}',
    '\u{34a}', '\u{34b}', '\u{34c}', '\u{350}', '\u{351}', '\u{352}', '\u{357}', '\u{35b}', '\u{363}',
    '\u{364}', '\u{365}', '\u{366}', '\u{367}', '\u{368}', '\u{369}', '\u{36a}', '\u{36b}', '\u{36c}',
    '\u{36d}', '\u{36e}', '\u{36f}', '\u{483}', '\u{484}', '\u{485}', '\u{486}', '\u{487}', '\u{592}',
    '\u{593}', '\u{594}', '\u{595}', '\u{597}', '\u{598}', '\u{599}', '\u{59c}', '\u{59d}', '\u{59e}',
    '\u{59f}', '\u{5a0}', '\u{5a1}', '\u{5a8}', '\u{5a9}', '\u{5ab}', '\u{5ac}', '\u{5af}', '\u{5c4}',
    '\u{610}', '\u{611}', '\u{612}', '\u{613}', '\u{614}', '\u{615}', '\u{616}', '\u{617}', '\u{657}',
    '\u{658}', '\u{659}', '\u{65a}', '\u{65b}', '\u{65d}', '\u{65e}', '\u{6d6}', '\u{6d7}', '\u{6d8}',
    '\u{6d9}', '\u{6da}', '\u{6db}', '\u{6dc}', '\u{6df}', '\u{6e0}', '\u{6e1}', '\u{6e2}',
];

/// Draws one cell of a picture.
pub(super) fn paint(cell: &mut Cell, id: u32, row: u16, column: u16) {
    let mark = |n: u16| MARKS.get(usize::from(n)).copied();
    let (Some(row), Some(column)) = (mark(row), mark(column)) else {
        return;
    };
    let symbol: String = [PLACEHOLDER, row, column].iter().collect();
    cell.reset();
    cell.set_symbol(&symbol);
    cell.set_style(Style::new().fg(colour(id)));
}

/// Returns true if a cell shows a part of the picture.
pub(super) fn is_of(cell: &Cell, id: u32) -> bool {
    cell.fg == colour(id) && cell.symbol().starts_with(PLACEHOLDER)
}

fn colour(id: u32) -> Color {
    let [_, red, green, blue] = id.to_be_bytes();
    Color::Rgb(red, green, blue)
}

/// Gives the terminal a picture; it answers nothing.
pub(crate) fn transmission(drawn: &EncodedPicture) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(drawn.data.len() + drawn.data.len() / 64 + 64);
    let mut chunks = drawn.data.as_bytes().chunks(CHUNK).peekable();
    let (id, grid) = (drawn.id, drawn.grid);
    let mut lead = format!("a=T,U=1,q=2,f=100,i={id},c={},r={},", grid.columns, grid.rows);
    while let Some(chunk) = chunks.next() {
        let more = u8::from(chunks.peek().is_some());
        // Writing to a string cannot fail.
        let _ = write!(lead, "m={more}");
        bytes.extend_from_slice(b"\x1b_G");
        bytes.extend_from_slice(lead.as_bytes());
        bytes.push(b';');
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\x1b\\");
        lead.clear();
        lead.push_str("q=2,");
    }
    bytes
}

/// Has the terminal forget a picture.
pub(crate) fn deletion(id: u32) -> Vec<u8> {
    format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::{Grid, PictureEncoding};
    use super::*;
    use crate::text::width::grapheme_width;

    #[test]
    fn a_picture_goes_in_pieces_of_which_the_last_says_so() {
        let drawn = EncodedPicture {
            id: 0x01_02_03,
            grid: Grid { columns: 4, rows: 2 },
            form: PictureEncoding::Png,
            data: "A".repeat(CHUNK + 8),
        };
        let text = String::from_utf8(transmission(&drawn)).unwrap();
        let pieces: Vec<_> = text.split("\x1b\\").collect();
        assert!(pieces[0].starts_with("\x1b_Ga=T,U=1,q=2,f=100,i=66051,c=4,r=2,m=1;AAAA"));
        assert_eq!(pieces[1], "\x1b_Gq=2,m=0;AAAAAAAA");
        assert_eq!(pieces.len(), 3);
    }

    #[test]
    fn a_placeholder_is_one_column_and_names_its_place() {
        let mut cell = Cell::default();
        paint(&mut cell, 0x0a_0b_0c, 1, 2);
        assert_eq!(cell.symbol(), "\u{10eeee}\u{30d}\u{30e}");
        assert_eq!(cell.fg, Color::Rgb(10, 11, 12));
        for mark in MARKS {
            assert_eq!(
                grapheme_width(&format!("{PLACEHOLDER}{mark}{mark}")),
                1,
                "{mark:?}"
            );
        }
    }
}
