//! Draws a search: the pattern, the counts, and matches by file with the match emphasised.

use super::{Details, Item};
use crate::tool::builtin::with_lines;
use crate::tool::{DrawnArgs, RenderCx};
use crate::view::card::{Card, FileTarget, Tone, ToneLine, ToneSpan};

/// Matches shown when the card is collapsed.
const ROWS: usize = 6;

pub(super) fn call(args: DrawnArgs<'_>) -> Card {
    let card = Card::new("Grep", args.text("pattern"));
    let include = args.texts("include");
    if include.is_empty() {
        card
    } else {
        card.meta(include)
    }
}

pub(super) fn result(args: DrawnArgs<'_>, details: &Details, cx: RenderCx) -> Card {
    let card = call(args)
        .meta(details.count_of(details.matches, "match"))
        .meta(details.count_of(details.files, "file"));
    let shown = if cx.expanded {
        details.items.len()
    } else {
        details.items.len().min(ROWS)
    };
    let card = with_lines(card, rows(&details.items[..shown], &details.spans));
    card.leaving_out(details.matches.saturating_sub(shown), |more| {
        format!("{more}{} more", details.plus())
    })
}

fn rows(items: &[Item], spans: &[(usize, usize)]) -> Vec<ToneLine> {
    let mut lines = Vec::new();
    let mut last = None;
    for (index, item) in items.iter().enumerate() {
        if last != Some(&item.path) {
            let name = ToneLine::from(ToneSpan::new(Tone::Accent, &item.path));
            lines.push(name.about(FileTarget::shown(&item.path)));
            last = Some(&item.path);
        }
        lines.push(row(item, spans.get(index).copied()));
    }
    lines
}

/// Draws one line. The match was found when the search was done, so that nothing is compiled while it is drawn.
fn row(item: &Item, span: Option<(usize, usize)>) -> ToneLine {
    let mut line = vec![ToneSpan::aside(Tone::Muted, format!("  {}: ", item.line))];
    let text = item.text.as_str();
    let parts = span
        .filter(|(start, end)| start < end)
        .and_then(|(start, end)| Some((text.get(..start)?, text.get(start..end)?, text.get(end..)?)));
    match parts {
        Some((before, found, after)) => {
            line.push(ToneSpan::new(Tone::Normal, before));
            line.push(ToneSpan::new(Tone::Match, found));
            line.push(ToneSpan::new(Tone::Normal, after));
        }
        None => line.push(ToneSpan::new(Tone::Normal, text)),
    }
    ToneLine::from(line).about(FileTarget::shown(&item.path).at(usize::try_from(item.line).ok()))
}
