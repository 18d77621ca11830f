//! The rows of the panel, as wide as it is.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::changed::ChangedFile;
use super::{CursorPosition, Panel, Section};
use crate::conversation::{Todo, TodoStatus};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{shorten_path, truncate};
use crate::text::wrap::wrap;
use crate::view::Look;
use crate::view::styled_text::columns;
use crate::view::theme::Meaning;

/// Rows that one todo may take; the rest of it is cut.
const TODO_ROWS: usize = 3;
/// The heading of the tasks, a sign that they are folded, and a gap.
const TASKS: usize = 9;
/// The sign of a todo and a space.
pub(super) const SIGN: usize = 2;

/// One row, and what the cursor stands on there.
pub(super) struct Row {
    pub(super) spot: Option<CursorPosition>,
    pub(super) line: Line<'static>,
}

impl Row {
    pub(super) fn new(spot: CursorPosition, spans: Vec<Span<'static>>) -> Self {
        Self {
            spot: Some(spot),
            line: Line::from(spans),
        }
    }

    fn plain(line: Line<'static>) -> Self {
        Self { spot: None, line }
    }
}

/// The extent of the list: all todos, or those that are done only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TodoExtent {
    All,
    /// The todos that are done before the first open one are one row.
    Short,
}

impl Panel {
    pub(super) fn rows(&mut self, width: usize, fullness: TodoExtent, look: Look<'_>) -> Vec<Row> {
        let sections: Vec<Section> = self.sections().collect();
        let mut rows = Vec::new();
        for section in sections {
            if !rows.is_empty() {
                rows.push(Row::plain(Line::default()));
            }
            rows.push(self.head(section, width, look));
            if !self.folded.contains(&section) {
                match section {
                    Section::Tasks => self.task_rows(width, look, &mut rows),
                    Section::Terminals => self.terminal_rows(width, look, &mut rows),
                    Section::Todo => self.todo_rows(width, fullness, look, &mut rows),
                    Section::Files => self.file_rows(width, look, &mut rows),
                }
            }
        }
        rows
    }

    fn head(&self, section: Section, width: usize, look: Look<'_>) -> Row {
        let (title, figures) = match section {
            Section::Tasks => ("Tasks", self.tasks.figures(width.saturating_sub(TASKS), look)),
            Section::Terminals => ("Terminals", self.terminal_figures(look)),
            Section::Todo => ("Todo", self.todo_figures(look)),
            Section::Files => ("Files changed", counts(self.changed.sums(), look)),
        };
        let mut left = vec![Span::styled(title, look.theme.style(Meaning::TextStrong))];
        if self.folded.contains(&section) {
            let sign = format!(" {}", look.symbols.ellipsis());
            left.push(Span::styled(sign, look.theme.style(Meaning::TextMuted)));
        }
        Row::new(CursorPosition::Head(section), apart(left, figures, width))
    }

    fn task_rows(&self, width: usize, look: Look<'_>, rows: &mut Vec<Row>) {
        for position in self.tasks.positions() {
            let spot = CursorPosition::Task(position);
            let lines = self.tasks.rows(position, width, look).into_iter();
            rows.extend(lines.map(|spans| Row::new(spot, spans)));
        }
    }

    fn todo_figures(&self, look: Look<'_>) -> Vec<Span<'static>> {
        let is_done = |todo: &&Todo| todo.status == TodoStatus::Completed;
        let done = self.todos.iter().filter(is_done).count();
        let figures = format!("{done} of {}", self.todos.len());
        vec![Span::styled(figures, look.theme.style(Meaning::TextMuted))]
    }

    fn todo_rows(&mut self, width: usize, fullness: TodoExtent, look: Look<'_>, rows: &mut Vec<Row>) {
        let first_open = self.todos.iter().position(|todo| todo.status.is_open());
        let done = match fullness {
            TodoExtent::All => 0,
            TodoExtent::Short => first_open.unwrap_or(self.todos.len()),
        };
        if done > 0 {
            let (sign, style) = sign(TodoStatus::Completed, look);
            let muted = look.theme.style(Meaning::TextMuted);
            let spans = vec![
                Span::styled(format!("{sign} "), style),
                Span::styled(format!("{done} done"), muted),
            ];
            rows.push(Row::plain(Line::from(spans)));
        }
        for place in done..self.todos.len() {
            let spot = CursorPosition::Todo(place);
            let is_written = self.writing.is_some() && self.cursor == Some(spot);
            if let Some(writing) = self.writing.as_mut().filter(|_| is_written) {
                let columns = u16::try_from(width).unwrap_or(u16::MAX);
                let count = writing.rows(columns).max(1);
                rows.extend((0..count).map(|_| Row::new(spot, Vec::new())));
            } else {
                rows.extend(todo_rows(&self.todos[place], spot, width, look));
            }
        }
    }

    fn file_rows(&self, width: usize, look: Look<'_>, rows: &mut Vec<Row>) {
        for (place, file) in self.changed.files().iter().enumerate() {
            rows.push(Row::new(CursorPosition::File(place), file_row(file, width, look)));
        }
    }
}

fn todo_rows(todo: &Todo, spot: CursorPosition, width: usize, look: Look<'_>) -> Vec<Row> {
    let (sign, sign_style) = sign(todo.status, look);
    let style = look.theme.style(match todo.status {
        TodoStatus::InProgress => Meaning::TextStrong,
        TodoStatus::Pending => Meaning::Text,
        TodoStatus::Completed | TodoStatus::Cancelled => Meaning::TextMuted,
    });
    let text = sanitize_line(&todo.content).into_owned();
    let room = width.saturating_sub(SIGN);
    let ranges = wrap(&text, room);
    let mut rows = Vec::new();
    for (number, range) in ranges.iter().take(TODO_ROWS).enumerate() {
        let lead = match number {
            0 => Span::styled(format!("{sign} "), sign_style),
            _ => Span::raw(" ".repeat(SIGN)),
        };
        let is_cut = number + 1 == TODO_ROWS && ranges.len() > TODO_ROWS;
        let words = if is_cut {
            let start = prefix_columns(&text[range.start..], room);
            format!("{start}{}", look.symbols.ellipsis())
        } else {
            text[range.clone()].to_owned()
        };
        rows.push(Row::new(spot, vec![lead, Span::styled(words, style)]));
    }
    rows
}

fn prefix_columns(text: &str, room: usize) -> &str {
    crate::text::width::prefix(text, room.saturating_sub(1)).trim_end()
}

fn sign(status: TodoStatus, look: Look<'_>) -> (&'static str, Style) {
    let (unicode, ascii, meaning) = match status {
        TodoStatus::Pending => ("○", ".", Meaning::StateWaiting),
        TodoStatus::InProgress => ("▸", ">", Meaning::Accent),
        TodoStatus::Completed => ("✓", "+", Meaning::Success),
        TodoStatus::Cancelled => ("⊘", "-", Meaning::TextMuted),
    };
    (look.symbols.pick(unicode, ascii), look.theme.style(meaning))
}

fn file_row(file: &ChangedFile, width: usize, look: Look<'_>) -> Vec<Span<'static>> {
    let figures = if file.is_gone {
        vec![Span::styled("deleted", look.theme.style(Meaning::DiffRemoved))]
    } else {
        counts((file.additions, file.deletions), look)
    };
    let path = sanitize_line(&file.path).into_owned();
    let room = width.saturating_sub(columns(&figures) + 2);
    let path = shorten_path(&path, room).into_owned();
    let path = truncate(&path, room).into_owned();
    let style = look.theme.style(if file.is_gone {
        Meaning::TextMuted
    } else {
        Meaning::Text
    });
    apart(vec![Span::styled(path, style)], figures, width)
}

/// `+6 −2`
fn counts((additions, deletions): (usize, usize), look: Look<'_>) -> Vec<Span<'static>> {
    let minus = look.symbols.minus();
    vec![
        Span::styled(format!("+{additions}"), look.theme.style(Meaning::DiffAdded)),
        Span::raw(" "),
        Span::styled(
            format!("{minus}{deletions}"),
            look.theme.style(Meaning::DiffRemoved),
        ),
    ]
}

/// One side left, the other right.
pub(super) fn apart(
    mut left: Vec<Span<'static>>,
    right: Vec<Span<'static>>,
    width: usize,
) -> Vec<Span<'static>> {
    let gap = width.saturating_sub(columns(&left) + columns(&right)).max(1);
    left.push(Span::raw(" ".repeat(gap)));
    left.extend(right);
    left
}
