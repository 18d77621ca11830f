//! Draws an edit: its diff once it is worked out, the written part before.

use serde_json::Value;

use super::Details;
use crate::tool::change::{ChangeKind, growing_diff, newest_edits, with_diff, with_unlinked};
use crate::tool::{DrawnArgs, RenderCx};
use crate::view::card::{Card, CardPart, Fact, FileTarget, Tone, ToneSpan};

pub(super) fn of_details(details: &Details, cx: RenderCx) -> Card {
    let path = &details.path;
    let mut card = match (&details.renamed_to, details.positions.first()) {
        (Some(target), _) => Card {
            argument: format!("{path} → {target}"),
            ..Card::of_file("Edit", FileTarget::shown(target))
        },
        (None, Some(first)) if details.kind == ChangeKind::Update => {
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
        ChangeKind::Add => card.meta("created"),
        ChangeKind::Delete => card.meta("deleted"),
        ChangeKind::Move => card.meta("moved"),
        ChangeKind::Update => card,
    };
    card = with_unlinked(card, &details.unlinked);
    let path = details.renamed_to.as_ref().unwrap_or(path);
    with_diff(card, path, &details.diff, cx)
}

pub(super) fn of_call(args: DrawnArgs<'_>, cx: RenderCx) -> Card {
    let path = args.text("file_path");
    let mut card = args.file_card("Edit", "file_path");
    let renamed_to = args.text("rename");
    if !renamed_to.is_empty() {
        card.argument = format!("{path} → {renamed_to}");
    }
    let items: Vec<_> = args.items("edits").collect();
    let removes = args.get("delete").and_then(Value::as_bool) == Some(true);
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
fn of_item(card: Card, path: &str, item: DrawnArgs<'_>, cx: RenderCx) -> Card {
    let first_of = |names: [&str; 2]| {
        let mut texts = names.into_iter().map(|name| item.text(name));
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    };
    let mut head = vec![
        item.text("type"),
        first_of(["line", "start_line"]),
        item.text("end_line"),
    ];
    head.retain(|word| !word.is_empty());
    let card = if head.is_empty() {
        card
    } else {
        let head = ToneSpan::new(Tone::Muted, head.join(" "));
        card.part(CardPart::Lines(vec![head.into()]))
    };
    growing_diff(
        card,
        path,
        item.text("old_text"),
        first_of(["text", "new_text"]),
        cx,
    )
}
