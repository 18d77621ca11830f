//! The row above the tiles: how many agents are in which state, and what they have cost together.
//!
//! On a narrow screen the cost goes first, then the tokens, then the time, then the counts of what has ended, then the
//! filter and the page; what asks and the mode never do.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::task_words::{count_word, is_live};
use crate::conversation::TaskRow;
use crate::permission::Mode;
use crate::text::count::plural;
use crate::tui::statusbar::mode_meaning;
use crate::tui::tasks::TaskMark;
use crate::tui::tasks::words::{clock, taken, tokens};
use crate::view::Look;
use crate::view::styled_text::columns;
use crate::view::theme::Meaning;

/// Between the left and the right side.
const GAP: usize = 2;

/// States in the order in which they are counted. Working and waiting are one count.
const COUNTED: [TaskMark; 8] = [
    TaskMark::Asking,
    TaskMark::Working,
    TaskMark::Stalled,
    TaskMark::Queued,
    TaskMark::Done,
    TaskMark::Failed,
    TaskMark::Cancelled,
    TaskMark::Interrupted,
];

/// The facts in the row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    counts: [usize; COUNTED.len()],
    /// Milliseconds.
    time: i64,
    tokens: u64,
    /// US dollars; `None` while a price is unknown.
    cost: Option<f64>,
}

impl Summary {
    pub(super) fn new(rows: &[Arc<TaskRow>], mark: impl Fn(&TaskRow) -> TaskMark, now: i64) -> Self {
        let marks: Vec<&str> = rows.iter().map(|row| count_word(mark(row))).collect();
        let count = |state: TaskMark| marks.iter().filter(|word| **word == count_word(state)).count();
        let costs = rows.iter().filter(|row| taken(row) > 0).map(|row| row.cost);
        Self {
            counts: COUNTED.map(count),
            time: time_at_work(rows, now),
            tokens: rows.iter().map(|row| taken(row)).sum(),
            cost: costs.sum(),
        }
    }

    fn count_spans(&self, is_short: bool, look: Look<'_>) -> Vec<Span<'static>> {
        let counts = COUNTED.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let counts = counts.filter(|(mark, _)| !is_short || is_live(**mark));
        let mut spans = Vec::new();
        for (mark, count) in counts {
            if !spans.is_empty() {
                let dot = format!(" {} ", look.symbols.dot());
                spans.push(Span::styled(dot, look.style(Meaning::TextMuted)));
            }
            let meaning = match mark {
                TaskMark::Asking | TaskMark::Failed | TaskMark::Stalled => mark.meaning(),
                _ => Meaning::Text,
            };
            let words = match mark {
                TaskMark::Asking => plural(count, "question"),
                _ => format!("{count} {}", count_word(*mark)),
            };
            spans.push(Span::styled(words, look.style(meaning)));
        }
        spans
    }

    /// Returns the figures from the one that stays longest to the one that goes first.
    fn figures(&self) -> Vec<String> {
        let cost = self.cost.filter(|_| self.tokens > 0);
        let mut figures = vec![clock(self.time)];
        if self.tokens > 0 {
            figures.push(format!("{} tok", tokens(self.tokens)));
        }
        figures.extend(cost.map(|cost| format!("${cost:.2}")));
        figures
    }

    /// Returns all that the row shows, to be compared.
    pub(super) fn text(&self) -> String {
        format!("{:?} {}", self.counts, self.figures().join(" "))
    }

    /// Draws the row. `notices` stand behind the counts.
    pub(super) fn draw(
        &self,
        mode: Mode,
        notices: &[Span<'static>],
        area: Rect,
        buffer: &mut Buffer,
        look: Look<'_>,
    ) {
        let width = usize::from(area.width).saturating_sub(2);
        let title = Span::styled("Watch   ", look.style(Meaning::TextStrong));
        let figures = self.figures();
        let versions = (0..=figures.len()).rev().map(|kept| (false, kept, notices));
        let narrow = [(true, 0, notices), (true, 0, &[][..])];
        let mut sides = (Vec::new(), Vec::new());
        for (is_short, kept, notices) in versions.chain(narrow) {
            let mut left = vec![title.clone()];
            left.extend(self.count_spans(is_short, look));
            for notice in notices {
                left.push(Span::raw("   "));
                left.push(notice.clone());
            }
            let right = right_side(&figures[..kept], mode, look);
            let fits = columns(&left) + GAP + columns(&right) <= width;
            sides = (left, right);
            if fits {
                break;
            }
        }
        let (left, right) = sides;
        let right_width = u16::try_from(columns(&right)).unwrap_or(area.width);
        let start = area.right().saturating_sub(right_width + 1).max(area.x);
        let room = start.saturating_sub(area.x + 1);
        buffer.set_line(area.x + 1, area.y, &Line::from(left), room);
        buffer.set_line(start, area.y, &Line::from(right), right_width);
    }
}

fn right_side(figures: &[String], mode: Mode, look: Look<'_>) -> Vec<Span<'static>> {
    let dot = format!(" {} ", look.symbols.dot());
    let mut spans = Vec::new();
    for figure in figures {
        spans.push(Span::styled(figure.clone(), look.style(Meaning::TextMuted)));
        spans.push(Span::styled(dot.clone(), look.style(Meaning::TextMuted)));
    }
    spans.push(Span::styled(mode.name(), look.style(mode_meaning(mode))));
    spans
}

/// Returns for how long some agent has been at work without a break between, up to now or to when the last one ended.
fn time_at_work(rows: &[Arc<TaskRow>], now: i64) -> i64 {
    let mut spans: Vec<(i64, i64)> = rows
        .iter()
        .filter_map(|row| Some((row.started?, row.ended.unwrap_or(now))))
        .collect();
    // The one that ended last first; what ended before all later ones began is of an earlier time.
    spans.sort_by_key(|(_, end)| std::cmp::Reverse(*end));
    let Some(&(mut begin, end)) = spans.first() else {
        return 0;
    };
    for (started, ended) in spans {
        if ended < begin {
            break;
        }
        begin = begin.min(started);
    }
    (end - begin).max(0)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{NOW, task};
    use super::*;
    use crate::conversation::{TaskActivity, TaskStatus, Usage};
    use crate::view::test_look::TestLook;

    fn rows() -> Vec<TaskRow> {
        let mut rows: Vec<_> = (1..=4).map(task).collect();
        rows[0].started = Some(NOW - 102_000);
        rows[0].usage.input = 60_000;
        rows[0].cost = Some(0.25);
        rows[1].activity = TaskActivity::WaitingForPerson;
        rows[2].activity = TaskActivity::WaitingForModel;
        rows[2].usage = Usage {
            output: 36_500,
            cache_read: 1_000_000,
            ..Usage::default()
        };
        rows[2].cost = Some(0.06);
        rows[3].status = TaskStatus::Completed;
        rows[3].ended = Some(NOW - 5_000);
        rows
    }

    fn summary(rows: &[TaskRow]) -> Summary {
        let rows: Vec<_> = rows.iter().cloned().map(Arc::new).collect();
        Summary::new(&rows, |row| TaskMark::of(row, false), NOW)
    }

    fn drawn(summary: &Summary, width: u16, notice: Option<&'static str>) -> String {
        let area = Rect::new(0, 0, width, 1);
        let mut buffer = Buffer::empty(area);
        let plain = TestLook::default();
        summary.draw(
            Mode::Ask,
            &notice.map(Span::raw).into_iter().collect::<Vec<_>>(),
            area,
            &mut buffer,
            plain.look(),
        );
        let cells = buffer.content().iter().map(ratatui::buffer::Cell::symbol);
        cells.collect::<String>().trim_end().to_owned()
    }

    #[test]
    fn it_counts_states_time_tokens_and_cost() {
        assert_eq!(
            drawn(&summary(&rows()), 80, None),
            " Watch   1 question · 2 running · 1 done           1:42 · 96k tok · $0.31 · ask"
        );
    }

    #[test]
    fn where_it_is_narrow_figures_go_and_what_asks_stays() {
        let summary = summary(&rows());
        for (width, expected) in [
            (
                74,
                " Watch   1 question · 2 running · 1 done     1:42 · 96k tok · $0.31 · ask",
            ),
            (
                64,
                " Watch   1 question · 2 running · 1 done   1:42 · 96k tok · ask",
            ),
            (54, " Watch   1 question · 2 running · 1 done   1:42 · ask"),
            (44, " Watch   1 question · 2 running         ask"),
        ] {
            assert_eq!(drawn(&summary, width, None), expected);
        }
    }

    #[test]
    fn the_filter_stands_beside_the_counts() {
        assert_eq!(
            drawn(&summary(&rows()), 80, Some("/expl")),
            " Watch   1 question · 2 running · 1 done   /expl   1:42 · 96k tok · $0.31 · ask"
        );
    }

    #[test]
    fn a_price_that_is_unknown_is_no_price() {
        let mut rows = rows();
        rows[0].cost = None;
        assert_eq!(summary(&rows).cost, None);
        rows[0].usage = Usage::default();
        assert_eq!(summary(&rows).cost, Some(0.06), "it has not asked a model yet");
        assert!(!drawn(&summary(&[task(1)]), 80, None).contains("tok"));
    }

    #[test]
    fn time_counts_from_the_last_break() {
        let mut rows = rows();
        rows[3].started = Some(NOW - 900_000);
        rows[3].ended = Some(NOW - 800_000);
        assert_eq!(summary(&rows).time, 102_000, "an earlier group");
        let ended = |(begin, end): (i64, i64)| {
            let mut row = task(1);
            row.status = TaskStatus::Completed;
            row.started = Some(NOW - begin);
            row.ended = Some(NOW - end);
            row
        };
        let rows = [(90_000, 60_000), (70_000, 30_000), (500_000, 400_000)].map(ended);
        assert_eq!(summary(&rows).time, 60_000, "it stands still when all have ended");
    }
}
