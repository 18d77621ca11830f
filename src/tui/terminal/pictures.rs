//! The pictures that the terminal shows, and what it is told when those of a frame are others.

use std::collections::BTreeSet;

use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::Rect;

use crate::tui::pictures::{FramePictures, kitty};

/// A picture by its number, and the cells it is drawn over.
type PlacedPicture = (u32, Rect);

#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// Those that it keeps, by their numbers.
    named: BTreeSet<u32>,
    /// Those that were drawn over its cells.
    placed: Vec<PlacedPicture>,
    /// Those that have just moved. They are drawn when they stand still for a frame: each drawing is the whole picture.
    moving: Vec<PlacedPicture>,
    /// The screen on which they were.
    area: Rect,
}

impl Pictures {
    /// Returns what the terminal is told after the cells of a frame: which pictures it has to forget, those that it has not
    /// got, and those that are not where they have to be.
    pub(super) fn transmit(&mut self, needed: &FramePictures, buffer: &Buffer) -> Vec<u8> {
        let mut told = self.keep(needed);
        if std::mem::replace(&mut self.area, buffer.area) != buffer.area {
            // The screen was cleared for another size.
            self.placed.clear();
        }
        let is_written_again = |area: Rect| {
            let mut cells = area.positions().map(|position| &buffer[position]);
            cells.any(|cell| cell.diff_option == CellDiffOption::AlwaysUpdate)
        };
        let before = std::mem::take(&mut self.placed);
        let moving = std::mem::take(&mut self.moving);
        for (drawn, area) in &needed.placed {
            let place = (drawn.id, *area);
            let was_elsewhere =
                |list: &[PlacedPicture]| list.iter().any(|(id, at)| *id == drawn.id && at != area);
            if was_elsewhere(&before) || was_elsewhere(&moving) {
                self.moving.push(place);
                continue;
            }
            if !before.contains(&place) || is_written_again(*area) {
                told.extend(drawn.over_cells(*area));
            }
            self.placed.push(place);
        }
        told
    }

    /// Returns true if one is missing that is to be drawn with the next frame, where it stays.
    pub(super) fn has_moving(&self) -> bool {
        !self.moving.is_empty()
    }

    /// The terminal is to show nothing any more; returns what it is told.
    pub(super) fn forget(&mut self) -> Vec<u8> {
        self.placed.clear();
        self.moving.clear();
        self.keep(&FramePictures::default())
    }

    fn keep(&mut self, needed: &FramePictures) -> Vec<u8> {
        let mut told = Vec::new();
        let is_shown = |id: u32| needed.named.iter().any(|drawn| drawn.id == id);
        self.named.retain(|id| {
            let is_kept = is_shown(*id);
            if !is_kept {
                told.extend(kitty::deletion(*id));
            }
            is_kept
        });
        for drawn in &needed.named {
            if self.named.insert(drawn.id) {
                told.extend(kitty::transmission(drawn));
            }
        }
        told
    }
}
