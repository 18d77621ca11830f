//! First rows that move with the clock: of calls and of reasoning.

use ratatui::text::{Line, Span};

use crate::text::sanitize::sanitize_line;
use crate::view::card::{self, Card, CardLook, CardRow, CardStatus, FileTarget};
use crate::view::link;
use crate::view::spinner;
use crate::view::styled_text::{self, StyledText};
use crate::view::theme::Meaning;

use super::DrawCx;
use super::block::{Block, Body, Phase, ReasoningBlock};
use super::call::{CallBlock, WaitsFor};
use super::layout::{BlockLayout, LayoutCx};

/// Less than this nobody waited for.
pub(super) const FELT_MS: u128 = 100;

/// Returns the first row of a block that has a head.
pub(super) fn line(block: &Block, cx: &LayoutCx<'_>) -> Line<'static> {
    match &block.body {
        Body::Call(call) => {
            let face = block.cached_layout.as_ref().and_then(BlockLayout::face);
            face.map_or_else(Line::default, |face| match face.shared {
                None => card_line(&face.card, call, cx),
                Some(status) => {
                    let look = CardLook {
                        elapsed: None,
                        ..card_look(call, cx)
                    };
                    card::header(&face.card, status, look)
                }
            })
        }
        Body::Reasoning(reasoning) => reasoning_line(reasoning, block.is_unfolded(cx.reasoning_unfolded), cx),
        Body::Mark(_) | Body::User(_) | Body::Text(_) => Line::default(),
    }
}

/// Returns the first row of a card: sign, title, argument, facts, time.
pub(super) fn card_line(card: &Card, call: &CallBlock, cx: &LayoutCx<'_>) -> Line<'static> {
    let badge = badge(call, cx);
    let look = CardLook {
        badge: badge.as_deref(),
        ..card_look(call, cx)
    };
    let mut line = card::header(card, call.status(card.look), look);
    if let Some(FileTarget { path, .. }) = &card.target {
        let style = cx.draw.look.theme.style(Meaning::Text);
        let argument = line
            .spans
            .iter_mut()
            .filter(|span| span.style == style && !span.content.trim().is_empty());
        for span in argument {
            span.style = link::marked(span.style, path);
        }
    }
    line
}

fn badge(call: &CallBlock, cx: &LayoutCx<'_>) -> Option<String> {
    call.waits(cx.draw.now).map(|(what, _)| waits(what, cx))
}

/// Returns the rows of a card below its first; none while a dialog shows them. While it asks, they begin with the whole of
/// an argument that the first row cuts.
pub(super) fn below(card: &Card, call: &CallBlock, cx: &LayoutCx<'_>) -> Vec<CardRow> {
    if call.is_in_dialog {
        return Vec::new();
    }
    let mut rows = Vec::new();
    if call.is_asking() {
        let badge = badge(call, cx);
        let look = CardLook {
            badge: badge.as_deref(),
            ..card_look(call, cx)
        };
        rows = card::lay_out_argument(card, look);
    }
    rows.extend(card::lay_out_body(card, card_look(call, cx)));
    rows
}

/// Columns that the card of a call inside another stands further in.
pub(super) const STEP: usize = 2;

/// Returns the row of a call inside another that moves with the clock, where this row below the first is one.
pub(super) fn inner_line(block: &Block, row: usize, cx: &LayoutCx<'_>) -> Option<Line<'static>> {
    let Body::Call(call) = &block.body else {
        return None;
    };
    let faces = &block.cached_layout.as_ref().and_then(BlockLayout::face)?.inner;
    let (face, inner) = faces.iter().zip(&call.inner).find(|(face, _)| face.row == row)?;
    let mut line = card_line(&face.card, inner, &narrower(cx));
    line.spans.insert(0, Span::raw(" ".repeat(STEP)));
    Some(line)
}

/// Returns the rows below the first of a call inside another.
pub(super) fn inner_below(card: &Card, inner: &CallBlock, cx: &LayoutCx<'_>) -> Vec<CardRow> {
    let rows = below(card, inner, &narrower(cx));
    rows.into_iter().map(|row| row.shifted(STEP)).collect()
}

fn narrower<'a>(cx: &LayoutCx<'a>) -> LayoutCx<'a> {
    // Keys are about the call around it.
    let draw = DrawCx {
        fold_key: "",
        view_key: "",
        ..cx.draw
    };
    LayoutCx {
        draw,
        width: cx.width.saturating_sub(STEP),
        ..*cx
    }
}

/// Returns what a call waits for, with the key that ends the wait.
fn waits(what: WaitsFor, cx: &LayoutCx<'_>) -> String {
    let (words, key, verb) = match what {
        WaitsFor::Person => ("waits for you", cx.draw.ask_key, "answers"),
        WaitsFor::Turn => ("waits for its turn", cx.draw.end_key, "ends it"),
    };
    match key {
        "" => words.to_owned(),
        key => format!("{words} {} {key} {verb}", cx.draw.look.symbols.dot()),
    }
}

fn card_look<'a>(call: &CallBlock, cx: &LayoutCx<'a>) -> CardLook<'a> {
    let waits = call.waits(cx.draw.now);
    let ran = call.time(cx.draw.now).filter(|time| time.as_millis() >= FELT_MS);
    CardLook {
        look: cx.draw.look,
        width: cx.width + cx.left,
        frame: cx.draw.frame,
        elapsed: waits.map(|(_, waited)| waited).or(ran),
        badge: None,
        expands: cx.draw.fold_key,
        opens: if call.has_kept_output() {
            cx.draw.view_key
        } else {
            ""
        },
    }
}

fn reasoning_line(reasoning: &ReasoningBlock, is_unfolded: bool, cx: &LayoutCx<'_>) -> Line<'static> {
    let look = cx.draw.look;
    let muted = look.theme.style(Meaning::TextMuted);
    let (status, title, time) = match reasoning.phase {
        Phase::Open { since } => (
            CardStatus::Running,
            "Thinking",
            since.map(|since| cx.draw.now.saturating_duration_since(since)),
        ),
        Phase::Ended { took } => (CardStatus::Done, "Thought", took),
    };
    let mut flow = StyledText::default();
    if reasoning.phase.is_open() {
        let sign = look.symbols.status(status, cx.draw.frame);
        flow.push_clean(&format!("{sign} "), look.theme.style(Meaning::StateRunning));
    } else {
        flow.push_clean("  ", muted);
    }
    flow.push_clean(title, muted);
    let dot = look.symbols.dot();
    if let Some(time) = time.filter(|time| time.as_millis() >= FELT_MS) {
        flow.push_clean(&format!(" {dot} {}", spinner::elapsed(time)), muted);
    }
    if !is_unfolded {
        let said = sanitize_line(styled_text::first_line(first_sentence(reasoning)).0);
        let said = said.trim_matches(['*', '#', ' ']);
        if !said.is_empty() {
            flow.push_clean(&format!(" {dot} {said}"), muted);
        }
    }
    Line::from(flow.cut(cx.width, look.symbols.ellipsis()))
}

/// Returns the line that tells most: the newest while it thinks, then the first.
fn first_sentence(reasoning: &ReasoningBlock) -> &str {
    let text = reasoning.source.text();
    if reasoning.phase.is_open() {
        text.trim_end().rsplit('\n').next().unwrap_or_default()
    } else {
        text.trim_start().lines().next().unwrap_or_default()
    }
}
