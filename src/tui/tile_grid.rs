//! The places of the tiles: how many stand on a screen of some size, in how many columns, and the rules between them.
//!
//! A page has 1, 2, 4, 6 or 9 tiles, as many as there are tasks if each has [`LEAST_COLUMNS`] and [`LEAST_ROWS`]. Of several
//! shapes it is the one with the most columns whose tiles have a comfortable size, else the one with the most columns at
//! all. Where not even two tiles fit there is one, however small.
//!
//! Tiles fill row after row. Rows that stay empty are given to the others, and the last tile takes what is left of its
//! own.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::view::Look;
use crate::view::theme::Meaning;

/// Least size of a tile: below its first row a few rows of a transcript, with most of a sentence on each.
const LEAST_COLUMNS: u16 = 36;
const LEAST_ROWS: u16 = 5;
/// From this size on a tile shows most commands in one row and a question whole.
const COMFORTABLE: (u16, u16) = (48, 8);

/// Tiles of the largest page.
pub(crate) const MOST_TILES: usize = 9;

/// Tiles on a page, and their shapes: columns and rows.
const SHAPES: [(usize, &[(u16, u16)]); 5] = [
    (1, &[(1, 1)]),
    (2, &[(1, 2), (2, 1)]),
    (4, &[(1, 4), (2, 2)]),
    (6, &[(1, 6), (2, 3), (3, 2)]),
    (MOST_TILES, &[(3, 3)]),
];

/// Directions of the arrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Left,
    Right,
    Up,
    Down,
}

/// Returns how many tiles stand on a page of this size when there are `count`.
pub(crate) fn tiles_on_page(count: usize, area: Rect) -> usize {
    shape(count, area).0
}

/// Returns the size of a page for so many tiles, and its columns and rows.
fn shape(count: usize, area: Rect) -> (usize, (u16, u16)) {
    let most = SHAPES
        .iter()
        .position(|(tiles, _)| *tiles >= count)
        .unwrap_or(SHAPES.len() - 1);
    let fitting = SHAPES[..=most].iter().rev().find_map(|(tiles, shapes)| {
        let has = |(columns, rows): (u16, u16)| {
            move |shape: &&(u16, u16)| {
                let (width, height) = tile_size(**shape, area);
                width >= columns && height >= rows
            }
        };
        // They stand in the order of their columns.
        let comfortable = shapes.iter().rfind(has(COMFORTABLE));
        let fitting = || shapes.iter().rfind(has((LEAST_COLUMNS, LEAST_ROWS)));
        Some((*tiles, *comfortable.or_else(fitting)?))
    });
    fitting.unwrap_or((1, (1, 1)))
}

/// Returns the size of the smallest tile, the rules between tiles left out.
fn tile_size((columns, rows): (u16, u16), area: Rect) -> (u16, u16) {
    let share = |length: u16, parts: u16| (length + 1).saturating_sub(parts) / parts;
    (share(area.width, columns), share(area.height, rows))
}

/// The places of the tiles of one page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) tiles: Vec<Rect>,
    area: Rect,
}

impl Grid {
    /// Lays out so many tiles, at most as many as stand on a page of this size.
    pub(crate) fn new(count: usize, area: Rect) -> Self {
        let (most, (columns, _)) = shape(count, area);
        let count = count.min(most);
        let columns = columns.min(u16::try_from(count).unwrap_or(u16::MAX)).max(1);
        let per_row = usize::from(columns);
        let rows = u16::try_from(count.div_ceil(per_row)).unwrap_or(u16::MAX).max(1);
        let tiles = (0..count).map(|place| {
            let row = u16::try_from(place / per_row).unwrap_or(u16::MAX);
            let column = u16::try_from(place % per_row).unwrap_or(u16::MAX);
            let last_column = if place + 1 == count { columns - 1 } else { column };
            let (y, height) = span(area.y, area.height, rows, row, row);
            let (x, width) = span(area.x, area.width, columns, column, last_column);
            Rect { x, y, width, height }
        });
        Self {
            tiles: tiles.collect(),
            area,
        }
    }

    /// Leaves rows free below the tiles, for a rule.
    pub(crate) fn with_rows_below(mut self, rows: u16) -> Self {
        self.area.height += rows;
        self
    }

    /// Returns the tile that an arrow leads to on this page.
    pub(crate) fn neighbour(&self, place: usize, direction: Direction) -> Option<usize> {
        let from = *self.tiles.get(place)?;
        match direction {
            Direction::Left => place.checked_sub(1),
            Direction::Right => Some(place + 1).filter(|place| *place < self.tiles.len()),
            Direction::Up => self
                .tiles
                .iter()
                .rposition(|tile| tile.bottom() <= from.y && has_column(*tile, from.x)),
            Direction::Down => self
                .tiles
                .iter()
                .position(|tile| tile.y >= from.bottom() && has_column(*tile, from.x)),
        }
    }

    /// Returns the tile under a cell.
    pub(crate) fn tile_at(&self, column: u16, row: u16) -> Option<usize> {
        self.tiles
            .iter()
            .position(|tile| tile.contains((column, row).into()))
    }

    /// Draws the rules between the tiles.
    pub(crate) fn draw_rules(&self, buffer: &mut Buffer, look: Look<'_>) {
        let style = look.style(Meaning::Rule);
        for tile in &self.tiles {
            if tile.right() < self.area.right() {
                for y in tile.y..tile.bottom() {
                    buffer.set_string(tile.right(), y, look.symbols.divider(), style);
                }
            }
        }
        for tile in self
            .tiles
            .iter()
            .filter(|tile| tile.bottom() < self.area.bottom())
        {
            let y = tile.bottom();
            let rule = look.symbols.rule().repeat(usize::from(tile.width));
            buffer.set_string(tile.x, y, rule, style);
            let x = tile.right();
            if x >= self.area.right() {
                continue;
            }
            let ends_at = |tile: &&Rect| tile.right() == x && tile.y == y + 1;
            let sign = match self.tiles.iter().find(ends_at) {
                Some(_) => look.symbols.pick("┼", "+"),
                None => look.symbols.pick("┴", "+"),
            };
            buffer.set_string(x, y, sign, style);
        }
    }
}

fn has_column(tile: Rect, column: u16) -> bool {
    (tile.left()..tile.right()).contains(&column)
}

/// Returns where parts `first` to `last` of a length begin and how long they are together, a rule between every two.
fn span(start: u16, length: u16, parts: u16, first: u16, last: u16) -> (u16, u16) {
    let room = u32::from((length + 1).saturating_sub(parts));
    // The parts share out what is left over one by one.
    let begin = |part: u16| {
        let whole = room * u32::from(part) / u32::from(parts);
        u16::try_from(whole).unwrap_or(u16::MAX) + part
    };
    let from = begin(first);
    (start + from, (begin(last + 1) - 1).saturating_sub(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Symbols;
    use crate::view::test_look::TestLook;

    fn screen(width: u16, height: u16) -> Rect {
        // The heading and the hints are left out.
        Rect::new(0, 1, width, height - 2)
    }

    fn picture(count: usize, area: Rect, symbols: Symbols) -> String {
        let plain = TestLook::default();
        let look = Look {
            symbols,
            ..plain.look()
        };
        let grid = Grid::new(count, area);
        let mut buffer = Buffer::empty(area);
        grid.draw_rules(&mut buffer, look);
        for (place, tile) in grid.tiles.iter().enumerate() {
            buffer.set_string(tile.x, tile.y, (place + 1).to_string(), look.style(Meaning::Text));
        }
        let rows = buffer.content().chunks(usize::from(area.width)).map(|row| {
            let cells: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
            cells.trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_page_has_as_many_tiles_as_the_screen_has_room_for() {
        let pages = |width, height| {
            [1, 2, 3, 4, 5, 6, 7, 9, 20].map(|count| {
                let (tiles, shape) = shape(count, screen(width, height));
                (tiles, shape.0, shape.1)
            })
        };
        let one = (1, 1, 1);
        assert_eq!(pages(40, 10), [one; 9]);
        let (low, four, six) = ((2, 1, 2), (4, 2, 2), (6, 2, 3));
        assert_eq!(pages(80, 24), [one, low, four, four, six, six, six, six, six]);
        let (two, nine) = ((2, 2, 1), (9, 3, 3));
        assert_eq!(pages(120, 36), [one, two, four, four, six, six, nine, nine, nine]);
        let wide = (6, 3, 2);
        assert_eq!(
            pages(200, 60),
            [one, two, four, four, wide, wide, nine, nine, nine]
        );
        let tall = (4, 1, 4);
        let all = (6, 1, 6);
        assert_eq!(pages(60, 48), [one, low, tall, tall, all, all, all, all, all]);
    }

    #[test]
    fn rules_part_the_tiles_and_the_last_takes_what_is_left_of_its_row() {
        assert_eq!(
            picture(3, Rect::new(0, 0, 75, 11), Symbols::Unicode),
            "\
1                                    │2
                                     │
                                     │
                                     │
                                     │
─────────────────────────────────────┴─────────────────────────────────────
3



"
        );
        assert_eq!(
            picture(4, Rect::new(0, 0, 75, 11), Symbols::Ascii),
            "\
1                                    |2
                                     |
                                     |
                                     |
                                     |
-------------------------------------+-------------------------------------
3                                    |4
                                     |
                                     |
                                     |
                                     |"
        );
        let nine = picture(9, Rect::new(0, 0, 110, 17), Symbols::Unicode);
        assert_eq!(nine.matches('┼').count(), 4, "{nine}");
        let eight = picture(8, Rect::new(0, 0, 110, 17), Symbols::Unicode);
        assert_eq!(
            (eight.matches('┼').count(), eight.matches('┴').count()),
            (3, 1),
            "{eight}"
        );
    }

    #[test]
    fn tiles_and_rules_fill_the_page_to_the_last_cell() {
        for (width, height) in [(40, 10), (80, 24), (100, 30), (120, 36), (201, 61)] {
            for count in 1..=9 {
                let area = screen(width, height);
                let grid = Grid::new(count, area);
                let cells: u32 = grid.tiles.iter().map(|tile| tile.area()).sum();
                let last = grid.tiles.last().unwrap();
                assert_eq!((last.right(), last.bottom()), (area.right(), area.bottom()));
                let rules = area.area() - cells;
                assert!(rules <= u32::from(2 * (width + height)), "{grid:?}");
                let mut covered: Vec<_> = grid.tiles.iter().flat_map(|tile| tile.positions()).collect();
                let all = covered.len();
                covered.sort_unstable();
                covered.dedup();
                assert_eq!(covered.len(), all, "no cell belongs to two tiles");
            }
        }
    }

    #[test]
    fn arrows_lead_to_the_tile_beside_above_and_below() {
        let grid = Grid::new(8, screen(120, 36));
        let to = |place, direction| grid.neighbour(place, direction);
        assert_eq!(to(0, Direction::Left), None);
        assert_eq!(to(0, Direction::Right), Some(1));
        assert_eq!(to(2, Direction::Right), Some(3), "the next row");
        assert_eq!(to(1, Direction::Down), Some(4));
        assert_eq!(to(5, Direction::Down), Some(7), "the last one is as wide as two");
        assert_eq!(to(7, Direction::Up), Some(4));
        assert_eq!(to(7, Direction::Down), None);
        assert_eq!(to(1, Direction::Up), None);
        assert_eq!(to(7, Direction::Right), None);
    }

    #[test]
    fn a_press_finds_the_tile_under_it() {
        let grid = Grid::new(4, screen(80, 24));
        assert_eq!(grid.tile_at(0, 1), Some(0));
        assert_eq!(grid.tile_at(79, 22), Some(3));
        assert_eq!(grid.tile_at(0, 0), None, "the heading");
    }
}
