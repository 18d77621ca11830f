//! The rows of the list that are on screen.
//!
//! The place of the reader is a block and a row in it, or the tail. Everything is worked out by walking from there, so
//! that a screen costs what it shows, however long the conversation is: nothing is summed up over all blocks, no height
//! is guessed, and a block that changes above the reader moves nothing. Heights come from the caller, who lays a block
//! out when it is asked for the first time.

use std::ops::Range;

/// A row of a block. Row 0 may be the empty row before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct RowPosition {
    pub(super) block: usize,
    pub(super) row: usize,
}

/// The row that stays where it is when the list changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Anchor {
    /// The last row stays on screen.
    #[default]
    Tail,
    /// This row stays the first one.
    Top(RowPosition),
}

/// The rows of a frame that followed the tail.
#[derive(Debug, Clone, Copy)]
pub(super) struct TailRows {
    pub(super) top: RowPosition,
    /// The last block that had any.
    pub(super) last: usize,
    /// Rows of the first block.
    pub(super) top_rows: usize,
    /// Rows above the last block, and its own.
    pub(super) above: usize,
    pub(super) below: usize,
}

/// The rows below the last block that cards have given up while the tail was followed, and nothing has taken yet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slack {
    rows: usize,
    /// Rows of the screen when that last changed. What a lower screen lacks is taken from them first.
    screen: usize,
}

impl Slack {
    /// Takes in what changed since the last frame, which showed `shown` at the tail. What the end of the list needs comes
    /// out of the empty rows, and what blocks give up is added to them. A block above the end that grows moves up what is
    /// above it.
    pub(super) fn follow(self, heights: &mut impl Heights, shown: TailRows, screen: usize) -> Self {
        let TailRows { top, last, .. } = shown;
        let is_gone = heights.height(top.block) <= top.row;
        if is_gone && last == top.block {
            return Self::default();
        }
        let mut rows_of = |blocks: Range<usize>, most: usize| {
            let mut rows = 0;
            for block in blocks.start..blocks.end.min(heights.count()) {
                let height = heights.height(block);
                rows += match height {
                    _ if block != top.block => height,
                    // Its end stays on screen, as far as it is still there.
                    _ if is_gone => height.min(shown.top_rows),
                    _ => height - top.row,
                };
                if rows >= most {
                    break;
                }
            }
            rows
        };
        let above = rows_of(top.block..last, usize::MAX);
        let given_up = shown.above.saturating_sub(above);
        let most = shown.below + self.rows;
        let below = rows_of(last..usize::MAX, most);
        let rows = most.saturating_sub(below) + given_up;
        if rows == self.rows {
            return self;
        }
        // A list that begins on screen leaves rows empty anyway.
        if top == RowPosition::default() {
            return Self::default();
        }
        Self { rows, screen }
    }

    /// Returns the rows that stay empty on a screen.
    pub(super) fn on(self, screen: usize) -> usize {
        let lacking = self.screen.saturating_sub(screen);
        self.rows.saturating_sub(lacking).min(screen.saturating_sub(1))
    }
}

/// The heights of a list of blocks.
pub(super) trait Heights {
    fn count(&self) -> usize;

    /// Returns the rows of a block; 0 when nothing of it is shown.
    fn height(&mut self, block: usize) -> usize;
}

/// Returns the first row of a screen that ends with the list's last row.
pub(super) fn tail(heights: &mut impl Heights, rows: usize) -> RowPosition {
    let mut missing = rows;
    for block in (0..heights.count()).rev() {
        let height = heights.height(block);
        if height >= missing {
            return RowPosition {
                block,
                row: height - missing,
            };
        }
        missing -= height;
    }
    RowPosition::default()
}

/// Returns where a screen begins, and the anchor that is left: a screen that would show nothing below the last row
/// follows the tail instead.
pub(super) fn settle(heights: &mut impl Heights, anchor: Anchor, rows: usize) -> (RowPosition, Anchor) {
    let Anchor::Top(place) = anchor else {
        return (tail(heights, rows), Anchor::Tail);
    };
    let place = clamp(heights, place);
    let mut shown = 0;
    for block in place.block..heights.count() {
        let skipped = if block == place.block { place.row } else { 0 };
        shown += heights.height(block) - skipped;
        if shown > rows {
            return (place, Anchor::Top(place));
        }
    }
    (tail(heights, rows), Anchor::Tail)
}

/// Moves a place by rows, downwards when positive, within the list.
pub(super) fn shift(heights: &mut impl Heights, place: RowPosition, rows: isize) -> RowPosition {
    let place = clamp(heights, place);
    match usize::try_from(rows) {
        Ok(down) => shift_down(heights, place, down),
        Err(_) => shift_up(heights, place, rows.unsigned_abs()),
    }
}

fn shift_up(heights: &mut impl Heights, mut place: RowPosition, mut rows: usize) -> RowPosition {
    while rows > place.row {
        if place.block == 0 {
            return RowPosition::default();
        }
        rows -= place.row;
        place.block -= 1;
        place.row = heights.height(place.block);
    }
    place.row -= rows;
    place
}

fn shift_down(heights: &mut impl Heights, mut place: RowPosition, mut rows: usize) -> RowPosition {
    loop {
        let below = heights.height(place.block).saturating_sub(place.row);
        if rows < below {
            return RowPosition {
                row: place.row + rows,
                ..place
            };
        }
        if place.block + 1 >= heights.count() {
            return tail(heights, 1);
        }
        rows -= below;
        place = RowPosition {
            block: place.block + 1,
            row: 0,
        };
    }
}

/// Returns the place itself, or the nearest one that exists.
fn clamp(heights: &mut impl Heights, place: RowPosition) -> RowPosition {
    let Some(last) = heights.count().checked_sub(1) else {
        return RowPosition::default();
    };
    let block = place.block.min(last);
    let row = if block == place.block {
        place.row
    } else {
        usize::MAX
    };
    RowPosition {
        block,
        row: row.min(heights.height(block).saturating_sub(1)),
    }
}

/// Returns the rows from `top` down to the beginning of `block`, counting no further than `limit`; `None` when the
/// block is above.
pub(super) fn distance(
    heights: &mut impl Heights,
    top: RowPosition,
    block: usize,
    limit: usize,
) -> Option<usize> {
    if block < top.block || (block == top.block && top.row > 0) {
        return None;
    }
    let mut rows = 0;
    for above in top.block..block {
        rows += heights.height(above) - if above == top.block { top.row } else { 0 };
        if rows >= limit {
            return Some(limit);
        }
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct FixedHeights(Vec<usize>);

    impl Heights for FixedHeights {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn height(&mut self, block: usize) -> usize {
            self.0[block]
        }
    }

    /// The number of rows before a place.
    fn offset(fixed: &FixedHeights, place: RowPosition) -> usize {
        fixed.0[..place.block].iter().sum::<usize>() + place.row
    }

    #[test]
    fn the_tail_of_a_short_list_is_its_start() {
        let mut fixed = FixedHeights(vec![2, 3]);
        assert_eq!(tail(&mut fixed, 10), RowPosition::default());
        assert_eq!(tail(&mut fixed, 4), RowPosition { block: 0, row: 1 });
        assert_eq!(tail(&mut FixedHeights(Vec::new()), 4), RowPosition::default());
    }

    #[test]
    fn a_screen_that_reaches_the_end_follows_the_tail() {
        let mut fixed = FixedHeights(vec![5, 5]);
        let top = |block, row| Anchor::Top(RowPosition { block, row });
        assert_eq!(
            settle(&mut fixed, top(0, 2), 7),
            (RowPosition { block: 0, row: 2 }, top(0, 2))
        );
        assert_eq!(
            settle(&mut fixed, top(0, 3), 7),
            (RowPosition { block: 0, row: 3 }, Anchor::Tail)
        );
        assert_eq!(
            settle(&mut fixed, top(9, 9), 7),
            (RowPosition { block: 0, row: 3 }, Anchor::Tail)
        );
    }

    #[test]
    fn a_block_that_is_not_shown_is_walked_over() {
        let mut fixed = FixedHeights(vec![2, 0, 0, 2]);
        assert_eq!(
            shift(&mut fixed, RowPosition { block: 0, row: 1 }, 1),
            RowPosition { block: 3, row: 0 }
        );
        assert_eq!(
            shift(&mut fixed, RowPosition { block: 3, row: 0 }, -1),
            RowPosition { block: 0, row: 1 }
        );
    }

    proptest! {
        #[test]
        fn shifting_moves_by_that_many_rows(
            heights in prop::collection::vec(0_usize..6, 1..20),
            block in 0_usize..20,
            row in 0_usize..6,
            rows in -40_isize..40,
        ) {
            let mut fixed = FixedHeights(heights);
            let total: usize = fixed.0.iter().sum();
            let from = clamp(&mut fixed, RowPosition { block, row });
            let to = shift(&mut fixed, from, rows);
            let wanted = offset(&fixed, from).saturating_add_signed(rows).min(total.saturating_sub(1));
            prop_assert_eq!(offset(&fixed, to), wanted);
        }

        #[test]
        fn a_settled_screen_is_full_where_the_list_is_long_enough(
            heights in prop::collection::vec(0_usize..6, 1..20),
            block in 0_usize..20,
            row in 0_usize..6,
            rows in 1_usize..30,
        ) {
            let mut fixed = FixedHeights(heights);
            let total: usize = fixed.0.iter().sum();
            let (top, _) = settle(&mut fixed, Anchor::Top(RowPosition { block, row }), rows);
            prop_assert!(total - offset(&fixed, top) >= rows.min(total));
        }
    }
}
