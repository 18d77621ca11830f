//! Lines about the conversation itself: notices, errors, interruptions, retries, switches, the end of a turn.

use std::time::Duration;

use ratatui::text::{Line, Span};

use crate::conversation::{ContextChange, KeptKind, KeptText, NoticeKind};
use crate::session::TurnEndReason;
use crate::text::count::plural;
use crate::view::card::CardStatus;
use crate::view::markdown;
use crate::view::spinner;
use crate::view::styled_text::{MEASURE, StyledText};
use crate::view::theme::Meaning;

use super::block::{Mark, RetryState};
use super::layout::LayoutCx;

/// Rows of what is told of the setup when the session opens.
const STANDING_ROWS: usize = 2;

/// Returns the rows of a mark.
pub(super) fn rows(mark: &Mark, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let dot = cx.draw.look.symbols.dot();
    match mark {
        Mark::Notice {
            kind: NoticeKind::Error,
            text,
        } => signed(CardStatus::Look, text, Meaning::Warning, None, cx),
        Mark::Notice { text, .. } => plain(text, cx),
        Mark::Standing(notes) => standing(notes, false, cx),
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
        Mark::Retry {
            attempt,
            most,
            reason,
            state,
        } => vec![retry((*attempt, *most), reason, *state, cx)],
        Mark::Context(change) => context(change, false, cx),
        Mark::Model(model) => plain(&format!("the model is {model} from here on"), cx),
        Mark::Agent(agent) => plain(&format!("the agent is {agent} from here on"), cx),
        Mark::TurnEnd {
            done,
            took,
            calls,
            changes,
        } => {
            let mut facts = turn_end_facts(*done, *took, *calls);
            facts.extend(changes.clone());
            plain(&facts.join(&format!(" {dot} ")), cx)
        }
        Mark::Unknown { kind } => plain(&format!("`{kind}`, which this version cannot show"), cx),
    }
}

/// Returns what is told of the setup when the session opens: in two rows at most until it is unfolded.
pub(super) fn standing(notes: &[String], is_unfolded: bool, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let mut rows: Vec<Line<'static>> = notes.iter().flat_map(|note| plain(note, cx)).collect();
    if is_unfolded || rows.len() <= STANDING_ROWS {
        return rows;
    }
    let symbols = cx.draw.look.symbols;
    let mut facts = vec![format!(
        "{} {}",
        symbols.ellipsis(),
        plural(rows.len() + 1 - STANDING_ROWS, "more line")
    )];
    if !cx.draw.fold_key.is_empty() {
        facts.push(format!("{} shows all", cx.draw.fold_key));
    }
    facts.push("/status lists notices".to_owned());
    rows.truncate(STANDING_ROWS - 1);
    rows.extend(
        plain(&facts.join(&format!(" {} ", symbols.dot())), cx)
            .into_iter()
            .take(1),
    );
    rows
}

/// Returns what the end of a turn says. One that has nothing else to say tells its time, however short.
fn turn_end_facts(done: TurnEndReason, took: Option<Duration>, calls: usize) -> Vec<String> {
    let mut facts: Vec<String> = ended(done).map(str::to_owned).into_iter().collect();
    let is_bare = facts.is_empty() && calls == 0;
    let took = took.filter(|took| is_bare || took.as_millis() >= super::headlines::FELT_MS);
    facts.extend(took.map(spinner::elapsed));
    if calls > 0 {
        facts.push(plural(calls, "call"));
    }
    facts
}

/// Returns the rows of a change of the context: a divider, and where that was opened, the summary and what stands beside it.
pub(super) fn context(change: &ContextChange, is_unfolded: bool, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
    let look = cx.draw.look;
    let rule = look.symbols.rule();
    let dot = look.symbols.dot();
    let mut words = change.sentence();
    if matches!(change, ContextChange::Compacted(_)) && !is_unfolded && !cx.draw.fold_key.is_empty() {
        words = format!("{words} {dot} {} shows the summary", cx.draw.fold_key);
    }
    let width = cx.width.min(MEASURE);
    let muted = look.theme.style(Meaning::TextMuted);
    let mut flow = StyledText::default();
    flow.push_clean(&format!("{rule}{rule} "), muted);
    flow.push_line(&words, muted);
    let left = width.saturating_sub(flow.width() + 1);
    flow.push_clean(&format!(" {}", rule.repeat(left)), muted);
    let mut rows = vec![Line::from(flow.cut(width, look.symbols.ellipsis()))];
    if let (ContextChange::Compacted(compaction), true) = (change, is_unfolded) {
        rows.extend(markdown::render(&compaction.summary, width, look));
        let kept = compaction.kept.iter().map(kept_words);
        let kept: Vec<String> = kept.collect();
        if !kept.is_empty() {
            rows.push(Line::default());
            rows.extend(plain(&format!("kept word for word: {}", kept.join(", ")), cx));
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

/// Returns the row of a request that is sent again: how often, and what happened. The status line counts down; where it was
/// given up, the error below says why.
fn retry((attempt, most): (u32, u32), reason: &str, state: RetryState, cx: &LayoutCx<'_>) -> Line<'static> {
    let look = cx.draw.look;
    let times = if attempt == 1 {
        "one retry".to_owned()
    } else {
        format!("{attempt} retries")
    };
    let words = match state {
        RetryState::Pending | RetryState::Stopped => format!("retry {attempt} of {most}"),
        RetryState::Recovered => format!("continued after {times}"),
        RetryState::GaveUp => format!("gave up after {times}"),
    };
    let mut flow = StyledText::default();
    let sign = look.symbols.status(CardStatus::Look, 0);
    flow.push_clean(&format!("{sign} "), look.theme.style(Meaning::StateLook));
    flow.push_clean(&words, look.theme.style(Meaning::Warning));
    if state != RetryState::GaveUp {
        let dot = look.symbols.dot();
        flow.push_line(&format!(" {dot} {reason}"), look.theme.style(Meaning::TextMuted));
    }
    Line::from(flow.cut(cx.width, look.symbols.ellipsis()))
}

fn ended(done: TurnEndReason) -> Option<&'static str> {
    match done {
        TurnEndReason::Stop | TurnEndReason::Cancelled | TurnEndReason::Error => None,
        TurnEndReason::Length => Some("ended at the output limit"),
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
pub(super) fn plain(text: &str, cx: &LayoutCx<'_>) -> Vec<Line<'static>> {
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
