//! How an edit looks: its diff once it is worked out, what was written of it before.

use super::{Args, Details, Kind};
use crate::text::partial_json::PartialValue;
use crate::tool::change::{diff_part, growing_diff, newest_edits, signed_counts, with_unlinked};
use crate::tool::{CallView, RenderCx, plural};
use crate::view::card::{Card, CardPart, Tone, ToneSpan};

pub(super) fn of_details(details: &Details, cx: RenderCx) -> Card {
    let path = &details.path;
    let argument = match (&details.renamed_to, details.positions.first()) {
        (Some(target), _) => format!("{path} → {target}"),
        (None, Some(first)) if details.kind == Kind::Update => format!("{path}:{}", first.line_start),
        (None, _) => path.clone(),
    };
    let mut card = Card::new("Edit", argument);
    if details.additions + details.deletions > 0 {
        card = card.meta(signed_counts(details.additions, details.deletions));
    }
    if details.edits > 0 {
        card = card.meta(plural(details.edits, "edit"));
    }
    card = match details.kind {
        Kind::Add => card.meta("created"),
        Kind::Delete => card.meta("deleted"),
        Kind::Move => card.meta("moved"),
        Kind::Update => card,
    };
    card = with_unlinked(card, &details.unlinked);
    if details.diff.is_empty() {
        return card;
    }
    let path = details.renamed_to.as_ref().unwrap_or(path);
    card.part(diff_part(path, &details.diff, cx))
}

pub(super) fn of_call(call: &CallView<'_, Args>, cx: RenderCx) -> Card {
    let path = call.text("file_path", &["path", "filePath", "file"]);
    let target = call.text("rename", &["move_to", "moveTo"]);
    let card = if target.is_empty() {
        Card::new("Edit", path)
    } else {
        Card::new("Edit", format!("{path} → {target}"))
    };
    let items: Vec<_> = call
        .partial
        .get("edits")
        .map(|edits| edits.items().collect())
        .unwrap_or_default();
    let removes = call.partial.get("delete").and_then(PartialValue::as_bool) == Some(true);
    let card = match items.len() {
        0 if removes => card.meta("delete"),
        0 => card,
        count => card.meta(plural(count, "edit")),
    };
    let (card, shown) = newest_edits(card, items, cx);
    shown
        .into_iter()
        .fold(card, |card, item| of_item(card, path, item, cx))
}

/// Shows the type and the place of one edit, and its text as far as it has come.
fn of_item(card: Card, path: &str, item: PartialValue<'_>, cx: RenderCx) -> Card {
    let field = |names: &[&str]| {
        let mut found = names.iter().filter_map(|name| item.get(name)?.as_string());
        found.next().map(|found| found.text).unwrap_or_default()
    };
    let mut head: Vec<&str> = vec![
        field(&["type", "op"]),
        field(&["line", "start_line", "startLine"]),
        field(&["end_line", "endLine"]),
    ];
    head.retain(|word| !word.is_empty());
    let card = if head.is_empty() {
        card
    } else {
        let head = ToneSpan::new(Tone::Muted, head.join(" "));
        card.part(CardPart::Lines(vec![vec![head]]))
    };
    let old = field(&["old_text", "oldText", "old_string"]);
    let new = field(&["text", "new_text", "newText", "new_string"]);
    growing_diff(card, path, old, new, cx)
}
