//! Writes links into the cells of a frame, as `OSC 8`.
//!
//! Only cells that changed are sent, so each cell carries the whole sequence around its own character: one that is drawn
//! again alone is still a link, and one that has become plain text is no link any more. The sequences of one link share an
//! id, by which a terminal knows its rows as one.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU16;

use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::style::Color;

use crate::text::width::grapheme_width;
use crate::view::link::Links;

/// Takes the marks out of a frame and weaves in what they lead to; without links nothing.
pub(super) fn write_links(buffer: &mut Buffer, links: Option<&Links>) {
    for cell in &mut buffer.content {
        let mark = std::mem::replace(&mut cell.underline_color, Color::Reset);
        if mark == Color::Reset {
            continue;
        }
        let Some(address) = links.and_then(|links| links.get(mark)) else {
            continue;
        };
        let width = u16::try_from(grapheme_width(cell.symbol())).unwrap_or(1);
        let id = id(address);
        let symbol = format!("\x1b]8;id={id:x};{address}\x1b\\{}\x1b]8;;\x1b\\", cell.symbol());
        cell.set_symbol(&symbol);
        // The terminal knows the sequence's width, ratatui does not.
        let width = NonZeroU16::new(width).unwrap_or(NonZeroU16::MIN);
        cell.set_diff_option(CellDiffOption::ForcedWidth(width));
    }
}

fn id(address: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    address.hash(&mut hasher);
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use ratatui::backend::{Backend, CrosstermBackend};
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;
    use crate::view::link::marked;

    fn frame(pieces: &[(&str, Option<&str>)], links: Option<&Links>) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
        let mut x = 0;
        for (text, target) in pieces {
            let style = target.map_or(Style::new(), |target| marked(Style::new(), target));
            x = buffer.set_stringn(x, 0, text, 20, style).0;
        }
        write_links(&mut buffer, links);
        buffer
    }

    fn written(before: &Buffer, after: &Buffer) -> String {
        let mut out = Vec::new();
        CrosstermBackend::new(&mut out)
            .draw(before.diff(after).into_iter())
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    fn links() -> Links {
        let mut links = Links::default();
        links.add("a", "https://a");
        links
    }

    #[test]
    fn a_link_is_written_around_its_characters_and_takes_their_columns() {
        let empty = Buffer::empty(Rect::new(0, 0, 20, 1));
        let frame = frame(&[("x ", None), ("世b", Some("a")), (" y", None)], Some(&links()));
        let text = written(&empty, &frame);
        assert_eq!(text.matches(";https://a\x1b\\").count(), 2, "{text:?}");
        let mut emulator = vt100::Parser::new(NonZeroU16::MIN, NonZeroU16::new(20).unwrap(), 0);
        emulator.process(text.as_bytes());
        assert_eq!(emulator.screen().contents(), "x 世b y");
    }

    #[test]
    fn what_becomes_plain_is_written_again() {
        let link = frame(&[("ab", Some("a"))], Some(&links()));
        let plain = frame(&[("ab", None)], Some(&links()));
        let text = written(&link, &plain);
        assert!(text.contains("ab") && !text.contains("]8;"), "{text:?}");
        assert_eq!(written(&plain, &plain.clone()).matches('a').count(), 0);
    }

    #[test]
    fn marks_without_an_address_and_switched_off_links_leave_nothing() {
        let plain = frame(&[("ab", None)], Some(&links()));
        assert_eq!(frame(&[("ab", Some("other"))], Some(&links())), plain);
        assert_eq!(frame(&[("ab", Some("a"))], None), plain);
    }
}
