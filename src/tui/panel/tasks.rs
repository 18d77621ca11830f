//! The section of tasks: one row for each, and a second one for what it does now.
//!
//! Rows stand in the order in which tasks were started. Who asks comes first, with the question; what is queued and what
//! ended and was looked at folds into a row of its own where there are several.

use std::collections::HashSet;

use ratatui::text::Span;

use super::row::apart;
use crate::conversation::{SessionId, TaskActivity, TaskRow, TaskStatus};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{pad, str_width, truncate};
use crate::text::wrap::wrap;
use crate::tui::tasks::{TaskEntry, TaskMark, state_counts, words};
use crate::view::Look;
use crate::view::styled_text::columns;
use crate::view::theme::Meaning;

/// Columns that the name of an agent takes at most, of so many.
const AGENT: (usize, usize) = (12, 45);
/// The same at least, where it is that long.
const LEAST_AGENT: usize = 9;
/// Columns that what a task does keeps beside its figures.
const DOING: usize = 14;
/// Rows that a question takes at most.
const QUESTION_ROWS: usize = 2;
/// The mark and a space.
const INDENT: usize = 2;
/// More than so many fold into one row.
const UNFOLDED: usize = 1;

/// Tasks that fold into one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TaskFold {
    Queued,
    Ended,
}

/// A row of the section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TaskPosition {
    /// By its place among all tasks, which it keeps.
    Task(usize),
    Fold(TaskFold),
}

#[derive(Default)]
pub(super) struct TaskSection {
    list: Vec<TaskEntry>,
    /// The session of the conversation that the panel stands beside.
    own: Option<SessionId>,
    /// Of the tree's root; a task that works with another one names it.
    root_model: String,
    unfolded: HashSet<TaskFold>,
    /// Now, in milliseconds since the Unix epoch.
    unix: i64,
}

impl TaskSection {
    pub(super) fn set_root_model(&mut self, model: String) {
        self.root_model = model;
    }

    pub(super) fn set(&mut self, list: Vec<TaskEntry>, own: Option<&SessionId>, unix: i64) {
        (self.list, self.own, self.unix) = (list, own.cloned(), unix);
    }

    /// Returns true if there is a task that is at work, or that nobody has looked at since it ended.
    pub(super) fn is_of_interest(&self) -> bool {
        let is_of_interest = |task: &TaskEntry| task.is_news || !task.row.status.is_ended();
        self.list.iter().any(is_of_interest)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn get(&self, place: usize) -> Option<&TaskEntry> {
        self.list.get(place)
    }

    pub(super) fn toggle(&mut self, fold: TaskFold) {
        if !self.unfolded.remove(&fold) {
            self.unfolded.insert(fold);
        }
    }

    /// Returns the rows, from top to bottom.
    pub(super) fn positions(&self) -> Vec<TaskPosition> {
        let of = |group: Option<TaskFold>, asks: bool| {
            let places = (0..self.list.len()).filter(move |place| {
                let task = &self.list[*place];
                Self::fold_of(task) == group && task.question.is_some() == asks
            });
            places.map(TaskPosition::Task)
        };
        let mut positions: Vec<_> = of(None, true).chain(of(None, false)).collect();
        for fold in [TaskFold::Queued, TaskFold::Ended] {
            let folded: Vec<_> = of(Some(fold), false).collect();
            if folded.len() > UNFOLDED {
                positions.push(TaskPosition::Fold(fold));
            }
            if folded.len() <= UNFOLDED || self.unfolded.contains(&fold) {
                positions.extend(folded);
            }
        }
        positions
    }

    /// Returns the row that a task folds into, where it does.
    fn fold_of(task: &TaskEntry) -> Option<TaskFold> {
        match task.row.status {
            TaskStatus::Queued => Some(TaskFold::Queued),
            TaskStatus::Running => None,
            _ if task.is_news => None,
            _ => Some(TaskFold::Ended),
        }
    }

    /// `1 question · 2 running · 1 done`, as much of it as fits.
    pub(super) fn figures(&self, room: usize, look: Look<'_>) -> Vec<Span<'static>> {
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (text, meaning) in state_counts(&self.list) {
            let dot = format!(" {} ", look.symbols.dot());
            let gap = if spans.is_empty() { 0 } else { str_width(&dot) };
            if columns(&spans) + gap + str_width(&text) > room {
                break;
            }
            if gap > 0 {
                spans.push(Span::styled(dot, look.style(Meaning::TextMuted)));
            }
            spans.push(Span::styled(text, look.style(meaning)));
        }
        spans
    }

    /// Returns the rows of one position.
    pub(super) fn rows(
        &self,
        position: TaskPosition,
        width: usize,
        look: Look<'_>,
    ) -> Vec<Vec<Span<'static>>> {
        match position {
            TaskPosition::Fold(fold) => vec![self.fold_row(fold, look)],
            TaskPosition::Task(place) => self
                .get(place)
                .map_or_else(Vec::new, |task| self.task_rows(task, width, look)),
        }
    }

    fn fold_row(&self, fold: TaskFold, look: Look<'_>) -> Vec<Span<'static>> {
        let folded = self.list.iter().filter(|task| Self::fold_of(task) == Some(fold));
        let count = folded.count();
        let (mark, state) = match fold {
            TaskFold::Queued => (TaskMark::Queued, "queued"),
            TaskFold::Ended => (TaskMark::Done, "ended"),
        };
        let more = if self.unfolded.contains(&fold) {
            String::new()
        } else {
            format!(" {}", look.symbols.ellipsis())
        };
        let muted = look.style(Meaning::TextMuted);
        vec![
            Span::styled(format!("{} ", mark.sign(look.symbols)), muted),
            Span::styled(format!("{count} {state}{more}"), muted),
        ]
    }

    fn task_rows(&self, task: &TaskEntry, width: usize, look: Look<'_>) -> Vec<Vec<Span<'static>>> {
        let mark = TaskMark::of(&task.row, task.question.is_some());
        let mut rows = vec![self.first_row(task, mark, width, look)];
        let room = width.saturating_sub(INDENT);
        let indent = || Span::raw(" ".repeat(INDENT));
        if let Some(question) = &task.question {
            let style = look.style(Meaning::Text);
            for line in wrapped(question, room, look) {
                rows.push(vec![indent(), Span::styled(line, style)]);
            }
            return rows;
        }
        let tells_more = match mark {
            TaskMark::Queued | TaskMark::Done => false,
            TaskMark::Cancelled => task.row.error.is_some(),
            _ => true,
        };
        if tells_more {
            let mut spans = vec![indent()];
            spans.extend(self.doing(&task.row, room, look));
            rows.push(spans);
        }
        rows
    }

    fn first_row(
        &self,
        task: &TaskEntry,
        mark: TaskMark,
        width: usize,
        look: Look<'_>,
    ) -> Vec<Span<'static>> {
        let row = &task.row;
        let name = |task: &TaskEntry| words::agent(&task.row, look.symbols);
        let widest = self.list.iter().map(|task| str_width(&name(task))).max();
        let most = (width * AGENT.0 / AGENT.1).clamp(LEAST_AGENT, AGENT.0);
        let column = widest.unwrap_or(0).min(most);
        let name = pad(&truncate(&name(task), column), column).replace('…', look.symbols.ellipsis());
        let right = self.right(task, mark, look);
        let taken = INDENT + column + 2 + columns(&right) + 1;
        let description = sanitize_line(&row.description).into_owned();
        let description = truncate(&description, width.saturating_sub(taken));
        let (agent_meaning, text_meaning) = match mark {
            _ if self.own.as_ref() == Some(&row.session) => (Meaning::Accent, Meaning::Text),
            _ if task.is_news => (Meaning::TextStrong, Meaning::Text),
            TaskMark::Done | TaskMark::Cancelled | TaskMark::Queued => {
                (Meaning::TextMuted, Meaning::TextMuted)
            }
            _ => (Meaning::Text, Meaning::TextMuted),
        };
        let left = vec![
            Span::styled(
                format!("{} ", mark.sign(look.symbols)),
                look.style(mark.meaning()),
            ),
            Span::styled(format!("{name}  "), look.style(agent_meaning)),
            Span::styled(
                description.replace('…', look.symbols.ellipsis()),
                look.style(text_meaning),
            ),
        ];
        apart(left, right, width)
    }

    /// The time, or how long it asks; and the mark of what nobody has looked at.
    fn right(&self, task: &TaskEntry, mark: TaskMark, look: Look<'_>) -> Vec<Span<'static>> {
        let row = &task.row;
        let muted = look.style(Meaning::TextMuted);
        let since = words::clock(self.unix - row.since);
        let mut spans = match mark {
            TaskMark::Asking => {
                let waits = row.activity == TaskActivity::WaitingForPerson;
                let waited = if waits { format!(" {since}") } else { String::new() };
                vec![Span::styled(
                    format!("asks{waited}"),
                    look.style(Meaning::StateAsking),
                )]
            }
            TaskMark::Queued => vec![Span::styled(since, muted)],
            _ => vec![Span::styled(words::clock(row.elapsed(self.unix)), muted)],
        };
        if task.is_news {
            spans.push(Span::styled(" •", look.style(Meaning::Accent)));
        }
        spans
    }

    /// `grep "backoff(" · 12 calls · 18k tok`: the figures that fit beside what it does.
    fn doing(&self, row: &TaskRow, room: usize, look: Look<'_>) -> Vec<Span<'static>> {
        let text = words::doing(row, self.unix);
        let dot = format!(" {} ", look.symbols.dot());
        let mut shown = String::new();
        let kept = str_width(&text).min(DOING);
        for fact in self.facts(row, look) {
            if kept + str_width(&shown) + str_width(&dot) + str_width(&fact) > room {
                break;
            }
            shown.push_str(&dot);
            shown.push_str(&fact);
        }
        let text = truncate(&text, room.saturating_sub(str_width(&shown)));
        let text = text.replace('…', look.symbols.ellipsis());
        let meaning = match row.status {
            TaskStatus::Failed | TaskStatus::Interrupted => Meaning::Text,
            _ => Meaning::TextMuted,
        };
        vec![
            Span::styled(text, look.style(meaning)),
            Span::styled(shown, look.style(Meaning::TextMuted)),
        ]
    }

    /// Returns what a task took and changed, from what stays longest to what goes first; before it its model, where that is
    /// another one than the root's.
    fn facts(&self, row: &TaskRow, look: Look<'_>) -> Vec<String> {
        let mut facts = Vec::new();
        if row.model.to_string() != self.root_model {
            facts.push(sanitize_line(&row.model.model).into_owned());
        }
        let [calls, taken, cost] = words::figures(row);
        facts.extend(calls.into_iter().chain(taken));
        if let Some(changes) = row.worktree.as_ref().filter(|changes| changes.files > 0) {
            let minus = look.symbols.minus();
            facts.push(format!("+{} {minus}{}", changes.additions, changes.deletions));
        }
        facts.extend(cost);
        facts
    }
}

fn wrapped(text: &str, room: usize, look: Look<'_>) -> Vec<String> {
    let ranges = wrap(text, room.max(1));
    let rows = ranges.iter().take(QUESTION_ROWS).enumerate();
    let line = |(number, range): (usize, &std::ops::Range<usize>)| {
        let is_cut = number + 1 == QUESTION_ROWS && ranges.len() > QUESTION_ROWS;
        let text = &text[range.start..if is_cut { text.len() } else { range.end }];
        truncate(text, room).replace('…', look.symbols.ellipsis())
    };
    rows.map(line).collect()
}
