//! Clusters that terminals disagree about.
//!
//! A flag, a family of emoji or a skin tone is several characters and one cluster. We count its columns as Unicode does;
//! many terminals draw each character by itself, so the cluster spills over the cells to its right, and stays in them when
//! its own cell is overwritten. Only cells that changed are sent, so such a spill would stand until something else is drawn
//! there. Whenever such a cluster comes, goes or is drawn again, the cells that it may have touched are sent as well.

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use unicode_width::UnicodeWidthChar;

use crate::text::width::grapheme_width;

/// No single character is longer, and no such cluster is shorter.
const LEAST_BYTES: usize = 4;

/// The uncertain clusters of the last frame.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// In the order of the buffer.
    shown: Vec<DrawnCluster>,
}

#[derive(Debug)]
struct DrawnCluster {
    index: usize,
    cell: Cell,
    /// Columns that it may take, at the most.
    reach: usize,
}

impl Clusters {
    /// The terminal shows nothing any more.
    pub(super) fn forget(&mut self) {
        self.shown.clear();
    }

    /// Marks the cells of a new frame that have to be sent although they did not change.
    pub(super) fn mark(&mut self, buffer: &mut Buffer) {
        let mut before = std::mem::take(&mut self.shown).into_iter().peekable();
        let mut spoiled = 0;
        for (index, cell) in buffer.content.iter_mut().enumerate() {
            let is_spoiled = index < spoiled;
            let stood_here = before.peek().is_some_and(|shown| shown.index == index);
            if !is_spoiled && !stood_here && cell.symbol().len() < LEAST_BYTES {
                // Nearly all cells.
                continue;
            }
            let was = before.next_if(|shown| shown.index == index);
            let reach = reach(cell.symbol());
            if was.is_some() || reach.is_some() {
                let is_same = was.as_ref().is_some_and(|was| was.cell == *cell);
                if !is_same || is_spoiled {
                    let most = reach.max(was.map(|was| was.reach)).unwrap_or_default();
                    spoiled = spoiled.max(index + most);
                }
            }
            if let Some(reach) = reach {
                let cell = cell.clone();
                self.shown.push(DrawnCluster { index, cell, reach });
            }
            if is_spoiled {
                cell.set_diff_option(CellDiffOption::AlwaysUpdate);
            }
        }
    }
}

/// Returns the most columns that a cluster may take where terminals disagree.
fn reach(symbol: &str) -> Option<usize> {
    if symbol.len() < LEAST_BYTES {
        return None;
    }
    let widths = symbol.chars().map(|c| c.width().unwrap_or_default());
    let drawn = widths.clone().filter(|width| *width > 0).count();
    let (apart, together) = (widths.sum::<usize>(), grapheme_width(symbol));
    // At the edge of the screen one column may be left empty.
    (drawn > 1 || apart != together).then_some(apart.max(together) + 1)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use proptest::prelude::*;
    use ratatui::backend::{Backend, CrosstermBackend};
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    const AREA: Rect = Rect::new(0, 0, 24, 4);

    /// Returns the screen of a terminal that draws each character by itself, after these frames.
    fn after(frames: &[Vec<String>]) -> String {
        let mut clusters = Clusters::default();
        let mut before = Buffer::empty(AREA);
        let mut written = Vec::new();
        for rows in frames {
            let mut buffer = Buffer::empty(AREA);
            for (y, row) in (0..).zip(rows) {
                buffer.set_stringn(0, y, row, usize::from(AREA.width), Style::new());
            }
            clusters.mark(&mut buffer);
            let updates = before.diff(&buffer);
            CrosstermBackend::new(&mut written)
                .draw(updates.into_iter())
                .unwrap();
            before = buffer;
        }
        let size = |cells| NonZeroU16::new(cells).unwrap();
        let mut emulator = vt100::Parser::new(size(AREA.height), size(AREA.width), 0);
        emulator.process(&written);
        let rows: Vec<_> = emulator.screen().rows(0, AREA.width).collect();
        let rows: Vec<_> = rows.iter().map(|row| row.trim_end()).collect();
        rows.join("\n")
    }

    fn row() -> impl Strategy<Value = String> {
        prop::collection::vec(
            prop::sample::select(vec!["a", " ", "  ", "世", "🇩🇪", "👩‍👩‍👧‍👦", " 🏽", "👍🏽", "e\u{301}"]),
            0..9,
        )
        .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_terminal_that_knows_no_clusters_shows_what_a_whole_frame_would(
            frames in prop::collection::vec(prop::collection::vec(row(), 3..4), 1..5),
        ) {
            let last = frames.last().unwrap().clone();
            prop_assert_eq!(after(&frames), after(&[last]));
        }
    }

    #[test]
    fn what_all_terminals_agree_about_is_left_alone() {
        for symbol in ["a", "世", "e\u{301}", "ﷺ", "👩"] {
            assert_eq!(reach(symbol), None, "{symbol}");
        }
        assert_eq!(reach("🇩🇪"), Some(3));
        assert_eq!(reach("👩‍👩‍👧‍👦"), Some(9));
        assert_eq!(reach("❤\u{fe0f}"), Some(3));
    }
}
