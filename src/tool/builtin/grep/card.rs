//! How a search looks: the pattern, what was found, matches by file with the match emphasised.

use super::{Args, Details, Item};
use crate::tool::{OneOrMany, RenderCx, plural};
use crate::view::card::{Card, CardPart, Tone, ToneLine, ToneSpan};

/// Matches shown when the card is collapsed.
const ROWS: usize = 6;

pub(super) fn call(pattern: &str, include: &str) -> Card {
    let card = Card::new("Grep", pattern);
    if include.is_empty() {
        card
    } else {
        card.meta(include)
    }
}

pub(super) fn result(args: Option<&Args>, details: &Details, cx: RenderCx) -> Card {
    let pattern = args.map_or("", |args| args.pattern.as_str());
    let matcher = args.and_then(emphasis);
    let include = args.and_then(|args| args.include.clone());
    let include = include.map(OneOrMany::into_vec).unwrap_or_default().join(" ");
    let card = call(pattern, &include)
        .meta(plural(details.matches, "match"))
        .meta(plural(details.files, "file"));
    let shown = if cx.expanded {
        details.items.len()
    } else {
        details.items.len().min(ROWS)
    };
    let lines = rows(&details.items[..shown], matcher.as_ref());
    let card = if lines.is_empty() {
        card
    } else {
        card.part(CardPart::Lines(lines))
    };
    match details.matches.saturating_sub(shown) {
        0 => card,
        more => card.part(CardPart::Omitted(format!("{more} more"))),
    }
}

/// Finds the match again in the line that is shown. A match over several lines stays plain.
fn emphasis(args: &Args) -> Option<regex::Regex> {
    let pattern = if args.literal {
        regex::escape(&args.pattern)
    } else {
        args.pattern.clone()
    };
    regex::RegexBuilder::new(&pattern)
        .case_insensitive(args.case_sensitive == Some(false))
        .build()
        .ok()
}

fn rows(items: &[Item], matcher: Option<&regex::Regex>) -> Vec<ToneLine> {
    let mut lines = Vec::new();
    let mut last = None;
    for item in items {
        if last != Some(&item.path) {
            lines.push(vec![ToneSpan::new(Tone::Accent, &item.path)]);
            last = Some(&item.path);
        }
        lines.push(row(item, matcher));
    }
    lines
}

fn row(item: &Item, matcher: Option<&regex::Regex>) -> ToneLine {
    let mut line = vec![ToneSpan::aside(Tone::Muted, format!("  {}: ", item.line))];
    let found = matcher.and_then(|matcher| matcher.find(&item.text));
    match found.filter(|found| !found.is_empty()) {
        Some(found) => {
            line.push(ToneSpan::new(Tone::Normal, &item.text[..found.start()]));
            line.push(ToneSpan::new(Tone::Match, found.as_str()));
            line.push(ToneSpan::new(Tone::Normal, &item.text[found.end()..]));
        }
        None => line.push(ToneSpan::new(Tone::Normal, &item.text)),
    }
    line
}
