//! Cards of the tools that look at sessions.

use crate::tool::RenderCx;
use crate::tool::builtin::with_lines;
use crate::view::card::{Card, CardPart, Fact, Tone, ToneLine, ToneSpan};

/// Rows of a list in a card that is not opened.
const COLLAPSED: usize = 6;

pub(super) fn call(about: &str) -> Card {
    Card::new("Sessions", about)
}

/// A list with the number of what it has.
pub(super) fn rows(
    card: Card,
    rows: impl ExactSizeIterator<Item = String>,
    noun: &'static str,
    cx: RenderCx,
) -> Card {
    let count = rows.len();
    let most = if cx.expanded { usize::MAX } else { COLLAPSED };
    let row = |row: String| ToneLine::from(ToneSpan::new(Tone::Normal, row));
    let card = with_lines(
        card.meta(Fact::count(count, noun)),
        rows.take(most).map(row).collect(),
    );
    match count.saturating_sub(most) {
        0 => card,
        more => card.part(CardPart::Omitted(format!("{more} more"))),
    }
}
