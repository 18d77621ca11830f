//! Draws an edit: its diff once it is worked out, the written part before.

use super::{Args, Details, Kind};
use crate::text::partial_json::PartialValue;
use crate::tool::builtin::edit::PATH_NAMES;
use crate::tool::change::{growing_diff, newest_edits, with_diff, with_unlinked};
use crate::tool::{CallView, RenderCx};
use crate::view::card::{Card, CardPart, Fact, FileTarget, Tone, ToneSpan};

pub(super) fn of_details(details: &Details, cx: RenderCx) -> Card {
    let path = &details.path;
    let mut card = match (&details.renamed_to, details.positions.first()) {
        (Some(target), _) => Card {
            argument: format!("{path} → {target}"),
            ..Card::of_file("Edit", FileTarget::shown(target))
        },
        (None, Some(first)) if details.kind == Kind::Update => {
            Card::of_file("Edit", FileTarget::shown(path).at(Some(first.line_start)))
        }
        (None, _) => Card::of_file("Edit", FileTarget::shown(path)),
    };
    if details.additions + details.deletions > 0 {
        card = card.meta(Fact::changed(details.additions, details.deletions));
    }
    if details.edits > 0 {
        card = card.meta(Fact::count(details.edits, "edit"));
    }
    card = match details.kind {
        Kind::Add => card.meta("created"),
        Kind::Delete => card.meta("deleted"),
        Kind::Move => card.meta("moved"),
        Kind::Update => card,
    };
    card = with_unlinked(card, &details.unlinked);
    let path = details.renamed_to.as_ref().unwrap_or(path);
    with_diff(card, path, &details.diff, cx)
}

pub(super) fn of_call(call: &CallView<'_, Args>, cx: RenderCx) -> Card {
    let path = call.text("file_path", PATH_NAMES);
    let mut card = call.file_card("Edit", "file_path", PATH_NAMES);
    let renamed_to = call.text("rename", &["move_to", "moveTo"]);
    if !renamed_to.is_empty() {
        card.argument = format!("{path} → {renamed_to}");
    }
    let items: Vec<_> = call
        .partial
        .get("edits")
        .map(|edits| edits.items().collect())
        .unwrap_or_default();
    let removes = call.partial.get("delete").and_then(PartialValue::as_bool) == Some(true);
    let card = match items.len() {
        0 if removes => card.meta("delete"),
        0 => card,
        count => card.meta(Fact::count(count, "edit")),
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
        card.part(CardPart::Lines(vec![head.into()]))
    };
    let old = field(&["old_text", "oldText", "old_string"]);
    let new = field(&["text", "new_text", "newText", "new_string"]);
    growing_diff(card, path, old, new, cx)
}
