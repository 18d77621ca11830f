//! Use of the context window, by source.

use ratatui::text::{Line, Span};

use super::rows::{figures, heading, remark, unanswered};
use super::{Page, PageReader, Sheet};
use crate::session::query::{Answer, ContextGroup, ContextSource, ContextUse, Query};
use crate::text::size::short_count as count;
use crate::tui::commands::LayerCommand;
use crate::tui::layer::LayerCx;
use crate::view::Symbols;
use crate::view::theme::Meaning;

pub(super) static PAGE: Page = Page {
    action: "context",
    leader: &[],
    description: "show what fills the context",
    brief: "context",
    command: LayerCommand {
        name: "context",
        also: &[],
        about: "Shows what fills the model's context, by source, in tokens.",
        after: "diff",
    },
    keys: &[],
    open: |_title| Box::new(PageReader::new(&PAGE, "Context", Context::default())),
};

/// Columns of the tokens and of their share.
const TOKENS: usize = 10;
const SHARE: usize = 7;
/// The bar is no longer than this, so that it stays one thing for the eye.
const BAR: usize = 72;

#[derive(Default)]
pub(super) struct Context {
    is_unfolded: bool,
}

impl Sheet for Context {
    fn query(&self) -> Option<Query> {
        Some(Query::Context)
    }

    fn fold_hint(&self) -> Option<&'static str> {
        Some(if self.is_unfolded { "less" } else { "details" })
    }

    fn fold(&mut self) {
        self.is_unfolded = !self.is_unfolded;
    }

    fn lines(&self, answer: Option<&Answer>, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        match answer {
            Some(Answer::Context(used)) => self.used(used, width, cx),
            _ => unanswered(answer, width, cx),
        }
    }
}

impl Context {
    fn used(&self, used: &ContextUse, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        let mut lines = vec![summary(used, cx)];
        if let Some(limit) = used.limit {
            lines.push(Line::default());
            lines.push(bar(used, limit, width, cx));
        }
        lines.push(Line::default());
        for group in &used.groups {
            lines.push(row(
                &group.label(),
                group.tokens(),
                used,
                Meaning::Text,
                width,
                cx,
            ));
            let is_told_apart = group.items.len() > 1 || group.source == ContextSource::System;
            if self.is_unfolded && is_told_apart {
                lines.extend(group.items.iter().map(|item| {
                    let name = match item.count {
                        1 => format!("  {}", item.name),
                        times => format!("  {} {} {times}", item.name, cx.look.symbols.dot()),
                    };
                    row(&name, item.tokens, used, Meaning::TextMuted, width, cx)
                }));
            }
        }
        lines.push(row(
            "estimated total",
            used.estimated(),
            used,
            Meaning::TextStrong,
            width,
            cx,
        ));
        lines.push(Line::default());
        for sentence in used.remarks() {
            lines.extend(remark(&sentence, width, cx));
        }
        lines
    }
}

/// `  48.1k of 200.0k tokens · 24% · 151.9k free`.
fn summary(used: &ContextUse, cx: &LayerCx<'_>) -> Line<'static> {
    let dot = cx.look.symbols.dot();
    let text = match (used.limit.filter(|limit| *limit > 0), used.free()) {
        (Some(limit), Some(free)) => format!(
            "{} of {} {dot} {}% {dot} {} free",
            count(used.used()),
            count(limit),
            (used.used() * 100 / limit).min(100),
            count(free)
        ),
        _ => format!("{} tokens {dot} unknown window size", count(used.used())),
    };
    heading(&format!("  {text}"), cx)
}

/// The window from its beginning: what is fixed, what was said, what tools gave, and what is free.
fn bar(used: &ContextUse, limit: u64, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
    let columns = width.saturating_sub(6).min(BAR);
    let (full, free) = match cx.look.symbols {
        Symbols::Unicode => ("█", "░"),
        Symbols::Ascii => ("#", "."),
    };
    let weight = |sources: &[ContextSource]| -> u64 {
        let groups = used.groups.iter().filter(|group| sources.contains(&group.source));
        groups.map(ContextGroup::tokens).sum()
    };
    let fixed = weight(&[ContextSource::System, ContextSource::Schemas]);
    let said = weight(&[
        ContextSource::User,
        ContextSource::Answers,
        ContextSource::Reasoning,
    ]);
    let parts = [
        (fixed, Meaning::TextMuted),
        (said, Meaning::Accent),
        (used.estimated() - fixed - said, Meaning::StateDone),
    ];
    let mut spans = vec![Span::raw("   ")];
    let mut drawn = 0;
    let mut sum = 0;
    for (tokens, meaning) in parts {
        sum += tokens;
        let end = usize::try_from((u128::from(sum) * columns as u128).div_ceil(u128::from(limit.max(1))))
            .unwrap_or(columns)
            .min(columns);
        // What is there at all has a column.
        let end = end.max(drawn + usize::from(tokens > 0)).min(columns);
        spans.push(Span::styled(full.repeat(end - drawn), cx.look.style(meaning)));
        drawn = end;
    }
    spans.push(Span::styled(
        free.repeat(columns - drawn),
        cx.look.style(Meaning::Rule),
    ));
    Line::from(spans)
}

fn row(
    name: &str,
    tokens: u64,
    used: &ContextUse,
    meaning: Meaning,
    width: usize,
    cx: &LayerCx<'_>,
) -> Line<'static> {
    let share = used.limit.filter(|limit| *limit > 0).map(|limit| {
        let percent = tokens as f64 * 100.0 / limit as f64;
        format!("{percent:.1}%")
    });
    let cells = [(count(tokens), TOKENS), (share.unwrap_or_default(), SHARE)];
    figures(name, meaning, &cells, width.min(BAR + 4), cx)
}
