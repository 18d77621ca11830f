//! Lines about the conversation itself: notices, errors, interruptions, retries, switches, the end of a turn.

use std::time::Instant;

use ratatui::text::{Line, Span};

use crate::conversation::{ContextChange, KeptKind, KeptText, NoticeKind};
use crate::session::TurnEndReason;
use crate::text::count::plural;
use crate::text::width::str_width;
use crate::view::Symbols;
use crate::view::card::CardStatus;
use crate::view::markdown::Markdown;
use crate::view::spinner;
use crate::view::styled_text::{MEASURE, StyledText};
use crate::view::theme::Meaning;

use super::block::Mark;
use super::layout::LayoutCx;

/// A reason gives way to this width before the key that ends a wait is left out.
const SHORT_REASON: usize = 24;

impl Mark {
    /// Returns true if its first row moves with the clock.
    pub(super) fn has_head(&self) -> bool {
        matches!(self, Self::Retry { .. })
    }
}

/// Returns the rows of a mark, below its head where it has one.
pub(super) fn rows(mark: &Mark, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let dot = cx.draw.look.symbols.dot();
    match mark {
        Mark::Notice {
            kind: NoticeKind::Error,
            text,
        } => signed(CardStatus::Look, text, Meaning::Warning, None, cx),
        Mark::Notice { text, .. } => plain(text, cx),
        Mark::Error(report) => signed(
            CardStatus::Failed,
            &report.message,
            Meaning::Danger,
            report.hint.as_deref(),
            cx,
        ),
        Mark::Interrupted => signed(
            CardStatus::Interrupted,
            "interrupted",
            Meaning::TextMuted,
            None,
            cx,
        ),
        Mark::Retry { .. } => Vec::new(),
        Mark::Context(change) => context(change, false, cx),
        Mark::Model(model) => plain(&format!("the model is {model} from here on"), cx),
        Mark::Agent(agent) => plain(&format!("the agent is {agent} from here on"), cx),
        Mark::TurnEnd { done, took, calls } => {
            let mut facts: Vec<String> = ended(*done).map(str::to_owned).into_iter().collect();
            facts.extend(
                took.filter(|took| took.as_millis() >= super::headlines::FELT_MS)
                    .map(spinner::elapsed),
            );
            if *calls > 0 {
                facts.push(plural(*calls, "call"));
            }
            plain(&facts.join(&format!(" {dot} ")), cx)
        }
        Mark::Unknown { kind } => plain(&format!("`{kind}`, which this version cannot show"), cx),
    }
}

/// Returns the rows of a change of the context: a divider, and where that was opened, the summary and what stands beside it.
pub(super) fn context(change: &ContextChange, is_unfolded: bool, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let look = cx.draw.look;
    let rule = match look.symbols {
        Symbols::Unicode => "─",
        Symbols::Ascii => "-",
    };
    let dot = look.symbols.dot();
    let mut words = change.sentence();
    if matches!(change, ContextChange::Compacted(_)) && !is_unfolded && !cx.draw.fold_key.is_empty() {
        words = format!("{words} {dot} {} shows the summary", cx.draw.fold_key);
    }
    let width = cx.width.min(MEASURE);
    let muted = look.theme.style(Meaning::TextMuted);
    let mut flow = StyledText::default();
    flow.push_clean(&format!("{rule}{rule} "), look.theme.style(Meaning::TextMuted));
    flow.push_line(&words, muted);
    let left = width.saturating_sub(flow.width() + 1);
    flow.push_clean(
        &format!(" {}", rule.repeat(left)),
        look.theme.style(Meaning::TextMuted),
    );
    let mut rows = vec![Line::from(flow.cut(width, look.symbols.ellipsis()))];
    if let (ContextChange::Compacted(compaction), true) = (change, is_unfolded) {
        let mut markdown = Markdown::new();
        markdown.push(&compaction.summary);
        markdown.finish();
        rows.extend(markdown.lines(width, look).iter().cloned());
        let kept = compaction.kept.iter().map(kept_words);
        let kept: Vec<String> = kept.collect();
        if !kept.is_empty() {
            rows.push(Line::default());
            rows.extend(plain(
                &format!("sent again word for word: {}", kept.join(", ")),
                cx,
            ));
        }
    }
    rows
}

fn kept_words(kept: &KeptText) -> String {
    match (kept.kind, kept.name.as_str()) {
        (KeptKind::Words, _) => "your messages".to_owned(),
        (KeptKind::Plan, _) => "the plan".to_owned(),
        (KeptKind::Todos, _) => "the todos".to_owned(),
        (KeptKind::Tasks, _) => "tasks that run".to_owned(),
        (KeptKind::Instructions | KeptKind::File, name) => name.to_owned(),
    }
}

/// Returns the row of a retry: a countdown with the key that ends it, then what happened.
pub(super) fn retry(attempt: u32, reason: &str, due: Instant, cx: &LayoutCx<'_>) -> Line<'static> {
    let look = cx.draw.look;
    let left = due.saturating_duration_since(cx.draw.now);
    let wait = if left.is_zero() {
        String::new()
    } else {
        format!(" in {} s", left.as_millis().div_ceil(1000))
    };
    let dot = look.symbols.dot();
    let mut flow = StyledText::default();
    let sign = look.symbols.status(CardStatus::Look, 0);
    flow.push_clean(&format!("{sign} "), look.theme.style(Meaning::StateLook));
    flow.push_clean(
        &format!("retry {attempt}{wait}"),
        look.theme.style(Meaning::Warning),
    );
    let muted = look.theme.style(Meaning::TextMuted);
    let ends = format!(" {dot} {} ends it", cx.draw.end_key);
    let wanted = str_width(&ends) + str_width(reason).min(SHORT_REASON) + 3;
    if !left.is_zero() && !cx.draw.end_key.is_empty() && flow.width() + wanted <= cx.width {
        flow.push_line(&ends, muted);
    }
    flow.push_line(&format!(" {dot} {reason}"), muted);
    Line::from(flow.cut(cx.width, look.symbols.ellipsis()))
}

fn ended(done: TurnEndReason) -> Option<&'static str> {
    match done {
        TurnEndReason::Stop | TurnEndReason::Cancelled => None,
        TurnEndReason::Length => Some("ended at the output limit"),
        TurnEndReason::Error => Some("ended by the error above"),
        TurnEndReason::MaxSteps => Some("ended at the step limit"),
    }
}

/// A sign, a text, and a hint below it.
fn signed(
    status: CardStatus,
    text: &str,
    meaning: Meaning,
    hint: Option<&str>,
    cx: &LayoutCx<'_>,
) -> Vec<Line<'static>> {
    let look = cx.draw.look;
    let mut flow = StyledText::default();
    flow.push(text.trim(), look.theme.style(meaning));
    if let Some(hint) = hint {
        flow.push_clean("\n", look.theme.style(meaning));
        flow.push(hint.trim(), look.theme.style(Meaning::TextMuted));
    }
    let sign = format!("{} ", look.symbols.status(status, 0));
    let sign = Span::styled(sign, look.theme.style(crate::view::status_meaning(status)));
    hang(&flow, &sign, cx)
}

/// A muted text in line with the text of cards.
fn plain(text: &str, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let mut flow = StyledText::default();
    flow.push(text.trim(), cx.draw.look.theme.style(Meaning::TextMuted));
    hang(&flow, &Span::raw("  "), cx)
}

/// Puts two columns before the first row and two blanks before the others.
fn hang(flow: &StyledText, first: &Span<'static>, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let columns = cx.width.min(MEASURE).saturating_sub(2);
    let rows = flow.rows(columns).into_iter().enumerate();
    let lines = rows.map(|(row, mut spans)| {
        spans.insert(0, if row == 0 { first.clone() } else { Span::raw("  ") });
        Line::from(spans)
    });
    lines.collect()
}
