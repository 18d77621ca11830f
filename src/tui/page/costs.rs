//! Spending: tokens, and dollars where prices are known.

use ratatui::text::Line;

use super::rows::{figures, heading, remark, unanswered};
use super::{Page, PageReader, Sheet};
use crate::session::query::{Answer, Costs, Query, SpendingSum, SumOf, spender};
use crate::text::size::short_count as count;
use crate::tui::commands::LayerCommand;
use crate::tui::layer::LayerCx;
use crate::view::styled_text::MEASURE;
use crate::view::theme::Meaning;

pub(super) static PAGE: Page = Page {
    action: "costs",
    leader: &[],
    description: "show the cost, in tokens and dollars",
    brief: "cost",
    command: LayerCommand {
        name: "cost",
        also: &["costs", "usage", "stats"],
        about: "Shows tokens and dollars of the turn, the session and today.",
        after: "context",
    },
    keys: &[],
    open: |_title| Box::new(PageReader::new(&PAGE, "Cost", CostSheet)),
};

/// Columns of tokens, and of dollars.
const TOKENS: usize = 9;
/// Columns of tokens of the cache, whose heads are longer.
const CACHE: usize = 13;
const DOLLARS: usize = 10;
/// Below this width the columns of the cache are left out.
const WIDE: usize = 76;
/// Below this one input and output are one column.
const NARROW: usize = 56;
/// From this width on a model and its figures stand in one row.
const ROOMY: usize = 100;

struct CostSheet;

impl Sheet for CostSheet {
    fn query(&self) -> Option<Query> {
        Some(Query::Costs)
    }

    fn lines(&self, answer: Option<&Answer>, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
        // Figures stay near what they are of.
        let width = width.min(MEASURE);
        match answer {
            Some(Answer::Costs(costs)) => lines(costs, width, cx),
            _ => unanswered(answer, width, cx),
        }
    }
}

fn lines(costs: &Costs, width: usize, cx: &LayerCx<'_>) -> Vec<Line<'static>> {
    let mut lines = vec![heading("Totals", cx), head(width, cx)];
    for (of, sum) in costs.sums() {
        let meaning = match of {
            SumOf::Session => Meaning::TextStrong,
            SumOf::Turn | SumOf::ProjectToday | SumOf::Today => Meaning::Text,
        };
        lines.push(row(of.description(), &sum, meaning, width, cx));
    }
    lines.push(Line::default());
    lines.push(heading("This session, by model and agent", cx));
    if costs.session.is_empty() {
        lines.extend(remark("No requests yet.", width, cx));
    }
    let dot = cx.look.symbols.dot();
    for spending in &costs.session {
        let name = spender(spending).join(&format!(" {dot} "));
        let sum = SpendingSum::of(std::slice::from_ref(spending));
        if width >= ROOMY {
            lines.push(row(&name, &sum, Meaning::Text, width, cx));
        } else {
            lines.extend(remark(&name, width, cx));
            lines.push(row("", &sum, Meaning::Text, width, cx));
        }
    }
    lines.push(Line::default());
    for sentence in costs.remarks() {
        lines.extend(remark(&sentence, width, cx));
    }
    lines
}

fn head(width: usize, cx: &LayerCx<'_>) -> Line<'static> {
    let mut cells = vec![("input".to_owned(), TOKENS), ("output".to_owned(), TOKENS)];
    if width < NARROW {
        cells = vec![("in and out".to_owned(), TOKENS + 2)];
    }
    if width >= WIDE {
        cells.push(("cache read".to_owned(), CACHE));
        cells.push(("written".to_owned(), TOKENS));
    }
    cells.push(("dollars".to_owned(), DOLLARS));
    figures("tokens", Meaning::TextMuted, &cells, width, cx)
}

fn row(name: &str, sum: &SpendingSum, meaning: Meaning, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
    let usage = sum.usage;
    // Where the cache has no columns of its own, what came from it is input like any.
    let is_wide = width >= WIDE;
    let input = if is_wide {
        usage.input
    } else {
        usage.input + usage.cache_read + usage.cache_write
    };
    let mut cells = vec![(count(input), TOKENS), (count(usage.output), TOKENS)];
    if width < NARROW {
        cells = vec![(count(input + usage.output), TOKENS + 2)];
    }
    if is_wide {
        cells.push((count(usage.cache_read), CACHE));
        cells.push((count(usage.cache_write), TOKENS));
    }
    cells.push((sum.dollars(), DOLLARS));
    figures(name, meaning, &cells, width, cx)
}
