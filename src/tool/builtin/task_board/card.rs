//! Cards of the task board: one item with what it is about, or a check list.

use super::{ItemDetails, ListDetails};
use crate::conversation::{BoardItem, BoardItemId, BoardItemName, BoardRow, BoardStatus};
use crate::tool::builtin::{rows, with_lines};
use crate::tool::{DrawnArgs, RenderCx, ResultView};
use crate::view::card::{Card, CardPart, Fact, Tone, ToneLine, ToneSpan};

const TITLE: &str = "Task board:";
/// Rows of a list in a card that is not opened.
const COLLAPSED: usize = 12;

pub(super) fn subject_and_status(subject: &str, status: BoardStatus) -> String {
    named(subject, status.name())
}

fn named(subject: &str, status: &str) -> String {
    match (subject.is_empty(), status.is_empty()) {
        (_, true) => subject.to_owned(),
        (true, false) => String::new(),
        (false, false) => format!("{subject} → {status}"),
    }
}

/// A call without its result.
pub(super) fn call(subject: &str, status: &str) -> Card {
    Card::new(TITLE, named(subject, status))
}

/// One item after a call.
pub(super) fn item(details: &ItemDetails, cx: RenderCx) -> Card {
    let Some(item) = &details.task else {
        return call("", "");
    };
    let mut card = Card::new(TITLE, subject_and_status(&item.subject, item.status)).meta(item.id.as_str());
    if let Some(previous) = details.previous.filter(|previous| *previous != item.status) {
        card = card.meta(format!("was {}", previous.name()));
    }
    if let Some(owner) = &item.owner {
        card = card.meta(owner.as_str());
    }
    let mut lines: Vec<ToneLine> = details.unblocked.iter().map(unblocked).collect();
    if cx.expanded {
        lines.extend(facts(item));
    }
    let card = with_lines(card, lines);
    if cx.expanded && !item.description.trim().is_empty() {
        return card.part(CardPart::Markdown(item.description.clone()));
    }
    card
}

/// An item that a completion has freed.
fn unblocked(item: &BoardItemName) -> ToneLine {
    vec![
        ToneSpan::sign(Tone::Accent, "○ ", "open: "),
        ToneSpan::new(Tone::Normal, item.subject.as_str()),
        ToneSpan::aside(Tone::Muted, format!(" (unblocked) {}", item.id)),
    ]
    .into()
}

fn facts(item: &BoardItem) -> Vec<ToneLine> {
    let mut facts = vec![
        ("waits for", joined(&item.blocked_by)),
        ("blocks", joined(&item.blocks)),
    ];
    for (key, value) in &item.metadata {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        facts.push((key.as_str(), value));
    }
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let lines = facts.map(|(name, value)| {
        vec![
            ToneSpan::new(Tone::Muted, format!("{name} ")),
            ToneSpan::new(Tone::Normal, value),
        ]
        .into()
    });
    lines.collect()
}

fn joined(ids: &[BoardItemId]) -> String {
    let ids: Vec<_> = ids.iter().map(BoardItemId::as_str).collect();
    ids.join(", ")
}

/// A call that lists.
pub(super) fn listed(args: DrawnArgs<'_>) -> Card {
    let words = [args.text("status"), args.text("owner")];
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        Card::new("Task board", "")
    } else {
        Card::new(TITLE, words.join(" · "))
    }
}

/// The board, or a part of it.
pub(super) fn list(result: &ResultView<'_, ListDetails>, cx: RenderCx) -> Card {
    let ListDetails { tasks, ready } = &result.details;
    let mut card = listed(result.args).meta(Fact::count(tasks.len(), "item"));
    if !ready.is_empty() {
        card = card.meta(format!("{} ready", ready.len()));
    }
    rows(card, tasks.iter().map(row), tasks.len(), COLLAPSED, cx)
}

fn row(row: &BoardRow) -> ToneLine {
    let (tone, sign, spoken) = match row.status {
        BoardStatus::Pending if !row.blocked_by.is_empty() => (Tone::Muted, "· ", "blocked: "),
        BoardStatus::Pending => (Tone::Normal, "○ ", "open: "),
        BoardStatus::InProgress => (Tone::Accent, "▸ ", "in progress: "),
        BoardStatus::Completed => (Tone::Success, "✓ ", "done: "),
        BoardStatus::Deleted => (Tone::Muted, "⊘ ", "deleted: "),
    };
    let text_tone = match row.status {
        BoardStatus::InProgress => Tone::Strong,
        BoardStatus::Pending => Tone::Normal,
        BoardStatus::Completed | BoardStatus::Deleted => Tone::Muted,
    };
    let mut facts = vec![row.id.to_string()];
    facts.extend(row.owner.clone());
    if !row.blocked_by.is_empty() {
        facts.push(format!("waits for {}", joined(&row.blocked_by)));
    }
    vec![
        ToneSpan::sign(tone, sign, spoken),
        ToneSpan::new(text_tone, row.subject.as_str()),
        ToneSpan::aside(Tone::Muted, format!("  {}", facts.join(" · "))),
    ]
    .into()
}
