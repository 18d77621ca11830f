//! Edits that make the change of the one right before them in another file. Folded, they show their title alone: the diff
//! stands once, above the run.
//!
//! A card that has shown its diff keeps it while it is on screen, so that no row goes away under the reader.

use std::path::Path;

use serde_json::Value;

use super::block::Block;
use super::cards::CardSource;
use super::layout::BlockLayout;
use crate::tool::RenderCx;
use crate::view::card::{Card, CardPart};

/// Returns true if a call repeats the one before it.
pub(super) fn is_repeat(list: &[Block], index: usize, cards: &dyn CardSource) -> bool {
    let before = index.checked_sub(1).and_then(|before| list[before].call());
    let (Some(before), Some(call)) = (before, list[index].call()) else {
        return false;
    };
    let laid = list[index].cached_layout.as_ref();
    let was_shown = list[index].is_on_screen && laid.is_some_and(BlockLayout::has_rows);
    if was_shown || call.tool != before.tool || !call.is_plain() || !before.is_plain() {
        return false;
    }
    let card = call.card(cards, RenderCx::FOLDED);
    let Some(target) = card.target.as_ref().filter(|_| has_diff(&card)) else {
        return false;
    };
    let ((args, is_whole), (earlier, _)) = (call.arguments(), before.arguments());
    let (Some(args), Some(earlier)) = (args.as_object(), earlier.as_object()) else {
        return false;
    };
    let is_path = |value: &str| Path::new(value).ends_with(&target.path);
    let is_same = |(key, value): (&String, &Value)| match (value, earlier.get(key)) {
        (value, Some(other)) if value == other => true,
        (Value::String(value), Some(Value::String(other))) => {
            is_path(value) || !is_whole && other.starts_with(value.as_str())
        }
        _ => false,
    };
    (args.len() == earlier.len() || !is_whole) && args.iter().all(is_same)
}

/// Takes the diff from a card.
pub(super) fn fold(mut card: Card) -> Card {
    card.body.retain(|part| !matches!(part, CardPart::Diff(_)));
    card.meta("same change")
}

fn has_diff(card: &Card) -> bool {
    card.body.iter().any(|part| matches!(part, CardPart::Diff(_)))
}
