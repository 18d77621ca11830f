//! All tasks of the session's tree: how each stands, what it does and has taken, and keys to go into one, stop it, let it
//! go on, or see what it changed in its work tree. Below them the work trees that earlier sessions left ([`trees`]).

mod trees;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::Page;
use super::rows::{failure, remark};
use super::tree_changes::{self, NO_TREE, TaskTree, TreeIntent};
use crate::conversation::TaskRow;
use crate::session::host::{HostQuery, TreeAnswer, TreeQuery, TreeSummary};
use crate::text::sanitize::sanitize_line;
use crate::text::width::{pad, str_width, truncate};
use crate::tui::area::below;
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, KeyRow, Keymap, LayerKeys};
use crate::tui::layer::{Layer, LayerCx, LayerKind, LayerReply, LayerRequest, LayerUpdate, page_rows};
use crate::tui::statusbar::Hints;
use crate::tui::tasks::{TaskEntry, TaskMark, state_counts, words};
use crate::view::styled_text::draw_lines;
use crate::view::theme::Meaning;
use trees::TreeSection;

pub(super) static PAGE: Page = Page {
    action: "tasks",
    leader: &[],
    description: "list the tasks of the session",
    brief: "tasks",
    command: LayerCommand {
        name: "tasks",
        also: &["bashes", "background"],
        about: "Lists the tasks of this session with their state and usage; opens, stops or resumes one, or shows \
            the changes in its work tree.",
        after: "hooks",
    },
    keys: &[&KEYS, &tree_changes::KEYS, &tree_changes::QUESTION_KEYS],
    open: |_title| Box::new(TaskPage::default()),
};

static KEYS: LayerKeys = LayerKeys {
    name: "tasks",
    title: "Tasks",
    takes_text: false,
    rows: &[
        KeyRow::new(&["enter"], GO_IN, "go into the task"),
        KeyRow::new(&["c"], CHANGES, "review the changes in its work tree"),
        KeyRow::new(&["D"], DISCARD, "discard its work tree (asks first)"),
        KeyRow::new(&["up", "k", "ctrl+p"], Action::RowUp, "up"),
        KeyRow::new(&["down", "j", "ctrl+n"], Action::RowDown, "down"),
        KeyRow::new(&["x"], STOP, "stop the task"),
        KeyRow::new(&["X"], STOP_ALL, "stop all tasks"),
        KeyRow::new(&["r"], RESUME, "resume an ended task"),
        KeyRow::new(&["q"], CLOSE, "close"),
    ],
};

const GO_IN: Action = Action::OfLayer("enter");
const STOP: Action = Action::OfLayer("stop");
const STOP_ALL: Action = Action::OfLayer("stop-all");
const RESUME: Action = Action::OfLayer("resume");
const CHANGES: Action = Action::OfLayer("changes");
const DISCARD: Action = Action::OfLayer("discard");
const CLOSE: Action = Action::OfLayer("close");

/// Rows of one task.
const ROWS: usize = 2;
/// The heading and an empty row.
const HEAD: u16 = 2;
/// Before the agent: the pointer, the mark and their spaces.
const SIGNS: usize = 5;
/// Columns that the name of an agent takes at most.
const AGENT: usize = 16;
/// Columns of each figure, with the gap before it: calls, tokens, cost.
const FIGURES: [usize; 3] = [11, 10, 8];
/// Columns of the time, or of how long it asks.
const TIME: usize = 13;
/// Columns that the description keeps before figures are shown beside it.
const DESCRIPTION: usize = 18;

#[derive(Default)]
pub(super) struct TaskPage {
    /// As they were in the last frame.
    rows: Vec<Arc<TaskRow>>,
    trees: TreeSection,
    /// Place of the chosen entry among the tasks, the heading of the trees and the trees.
    chosen: usize,
    /// Number of such places on a screen.
    page: usize,
}

/// The entry that is chosen.
enum ChosenEntry<'a> {
    Task(&'a Arc<TaskRow>),
    Tree(&'a TreeSummary),
}

impl TaskPage {
    fn chosen(&self) -> Option<ChosenEntry<'_>> {
        if let Some(row) = self.rows.get(self.chosen) {
            return Some(ChosenEntry::Task(row));
        }
        let tree = self.chosen.checked_sub(self.rows.len() + 1)?;
        self.trees.shown().get(tree).map(ChosenEntry::Tree)
    }

    /// Returns the number of places that an entry or the heading of the trees has.
    fn places(&self) -> usize {
        match self.trees.shown().len() {
            0 => self.rows.len(),
            trees => self.rows.len() + 1 + trees,
        }
    }

    fn move_by(&mut self, rows: isize) {
        let last = self.places().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(rows).min(last);
        if self.chosen == self.rows.len() && last > self.chosen {
            let goes_back = rows < 0 && self.chosen > 0;
            self.chosen = if goes_back {
                self.chosen - 1
            } else {
                self.chosen + 1
            };
        }
    }

    fn about_chosen(&self, request: impl FnOnce(&Arc<TaskRow>) -> LayerRequest) -> LayerReply {
        LayerReply::keep_open(match self.chosen() {
            None => None,
            Some(ChosenEntry::Task(row)) => Some(request(row)),
            Some(ChosenEntry::Tree(_)) => Some(LayerRequest::Say("it belongs to an earlier session")),
        })
    }

    fn show_tree(&self, intent: TreeIntent) -> LayerReply {
        LayerReply::keep_open(self.chosen().map(|chosen| match chosen {
            ChosenEntry::Tree(tree) => LayerRequest::ShowTree(TaskTree::of_summary(tree), intent),
            ChosenEntry::Task(row) => match TaskTree::of(row) {
                Some(tree) => LayerRequest::ShowTree(tree, intent),
                None => LayerRequest::Say(NO_TREE),
            },
        }))
    }

    fn list_trees() -> LayerRequest {
        LayerRequest::AskHost(HostQuery::Tree(TreeQuery::List))
    }

    /// ` Tasks   1 question · 4 running · 3 queued · 2 ended`
    fn heading(entries: &[TaskEntry], cx: &LayerCx<'_>) -> Line<'static> {
        let muted = cx.look.style(Meaning::TextMuted);
        let mut spans = vec![Span::styled(" Tasks", cx.look.style(Meaning::TextStrong))];
        for (text, meaning) in state_counts(entries) {
            spans.push(Span::styled(format!(" {} ", cx.look.symbols.dot()), muted));
            spans.push(Span::styled(text, cx.look.style(meaning)));
        }
        Line::from(spans)
    }

    fn lines(
        &self,
        entry: &TaskEntry,
        is_chosen: bool,
        width: usize,
        cx: &LayerCx<'_>,
    ) -> [Line<'static>; ROWS] {
        [
            self.first_line(entry, is_chosen, width, cx),
            second_line(entry, width, cx),
        ]
    }

    fn first_line(
        &self,
        entry: &TaskEntry,
        is_chosen: bool,
        width: usize,
        cx: &LayerCx<'_>,
    ) -> Line<'static> {
        let (row, symbols) = (&entry.row, cx.look.symbols);
        let mark = TaskMark::of(row, entry.question.is_some());
        let pointer = if is_chosen { symbols.pointer() } else { " " };
        let muted = cx.look.style(Meaning::TextMuted);
        let named = |row: &TaskRow| words::agent(row, symbols);
        let widest = self.rows.iter().map(|row| str_width(&named(row))).max();
        let column = widest.unwrap_or(0).min(AGENT.min(width / 4));
        let name = named(row);
        let name = pad(&truncate(&name, column), column).into_owned();
        let room = width.saturating_sub(SIGNS + column + 2 + TIME + 1);
        let shown = (0..=FIGURES.len()).rev();
        let mut shown = shown.filter(|count| FIGURES[..*count].iter().sum::<usize>() + DESCRIPTION <= room);
        let figures = shown.next().unwrap_or(0);
        let room = room - FIGURES[..figures].iter().sum::<usize>().min(room);
        let description = sanitize_line(&row.description).into_owned();
        let description = pad(&truncate(&description, room), room).into_owned();
        let text_meaning = match (is_chosen, row.status.is_ended() && !entry.is_news) {
            (true, _) => Meaning::TextStrong,
            (false, false) => Meaning::Text,
            (false, true) => Meaning::TextMuted,
        };
        let text = cx.look.style(text_meaning);
        let mut spans = vec![
            Span::styled(format!(" {} ", pad(pointer, 1)), cx.look.style(Meaning::Accent)),
            Span::styled(format!("{} ", mark.sign(symbols)), cx.look.style(mark.meaning())),
            Span::styled(format!("{name}  "), text),
            Span::styled(description, text),
        ];
        let cells = words::figures(row).map(Option::unwrap_or_default);
        for (cell, columns) in cells.iter().zip(FIGURES).take(figures) {
            let blanks = " ".repeat(columns.saturating_sub(str_width(cell)));
            spans.push(Span::styled(format!("{blanks}{cell}"), muted));
        }
        let time = time(entry, mark, cx);
        let blanks = " ".repeat(TIME.saturating_sub(str_width(&time)));
        let meaning = if mark == TaskMark::Asking {
            Meaning::StateAsking
        } else {
            Meaning::TextMuted
        };
        spans.extend([Span::raw(blanks), Span::styled(time, cx.look.style(meaning))]);
        Line::from(spans)
    }
}

fn time(entry: &TaskEntry, mark: TaskMark, cx: &LayerCx<'_>) -> String {
    let row = &entry.row;
    let since = words::clock(cx.unix - row.since);
    match mark {
        TaskMark::Asking => format!("asks {since}"),
        TaskMark::Queued => format!("queued {since}"),
        _ if entry.is_news => format!("{} {}", words::clock(row.elapsed(cx.unix)), "•"),
        _ => words::clock(row.elapsed(cx.unix)),
    }
}

/// The question or what it does, the model, and where it works if that is a place of its own.
fn second_line(entry: &TaskEntry, width: usize, cx: &LayerCx<'_>) -> Line<'static> {
    let (row, symbols) = (&entry.row, cx.look.symbols);
    let dot = format!(" {} ", symbols.dot());
    let mut facts = vec![row.model.to_string()];
    if !row.is_background && !row.status.is_ended() {
        facts.push("foreground".to_owned());
    }
    if let Some(tree) = &row.worktree {
        let minus = symbols.minus();
        let changes = format!("+{} {minus}{}", tree.additions, tree.deletions);
        facts.push(format!("worktree {} {changes}", sanitize_line(&tree.path)));
    }
    let facts: Vec<String> = facts.iter().map(|fact| format!("{dot}{fact}")).collect();
    let facts = facts.concat();
    let (text, meaning) = match &entry.question {
        Some(question) => (question.clone(), Meaning::Text),
        None => (words::doing(row, cx.unix), Meaning::TextMuted),
    };
    let room = width.saturating_sub(SIGNS + 1);
    let kept = room.saturating_sub(str_width(&text).min(room / 2));
    let facts = truncate(&facts, kept).into_owned();
    let text = truncate(&text, room.saturating_sub(str_width(&facts))).into_owned();
    Line::from(vec![
        Span::raw(" ".repeat(SIGNS)),
        Span::styled(text, cx.look.style(meaning)),
        Span::styled(facts, cx.look.style(Meaning::TextMuted)),
    ])
}

impl Layer for TaskPage {
    fn kind(&self) -> Option<LayerKind> {
        Some(LayerKind::Page(&PAGE))
    }

    fn context(&self) -> Context {
        Context::Layer(&KEYS)
    }

    fn act(&mut self, action: Action) -> LayerReply {
        let page = page_rows(self.page + 1);
        match action {
            Action::RowUp => self.move_by(-1),
            Action::RowDown => self.move_by(1),
            Action::PageUp => self.move_by(-page),
            Action::PageDown => self.move_by(page),
            GO_IN if matches!(self.chosen(), Some(ChosenEntry::Tree(_))) => {
                return self.show_tree(TreeIntent::Apply);
            }
            CHANGES => return self.show_tree(TreeIntent::Apply),
            DISCARD => return self.show_tree(TreeIntent::Discard),
            GO_IN => return self.about_chosen(|row| LayerRequest::EnterTask(row.session.clone())),
            STOP => {
                return self.about_chosen(|row| {
                    if row.status.is_ended() {
                        LayerRequest::Say("that task has ended already")
                    } else {
                        LayerRequest::StopTask(Arc::clone(row))
                    }
                });
            }
            STOP_ALL => return LayerReply::Request(LayerRequest::StopAllTasks),
            RESUME => return self.about_chosen(|row| LayerRequest::ResumeTask(row.session.clone())),
            CLOSE => return LayerReply::Close(None),
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn request(&self) -> Option<LayerRequest> {
        Some(Self::list_trees())
    }

    fn update(&mut self, news: &LayerUpdate<'_>) -> LayerReply {
        match news {
            LayerUpdate::Tree(TreeAnswer::Listed(listed)) => self.trees.set(listed),
            LayerUpdate::Tree(TreeAnswer::Applied { .. } | TreeAnswer::Removed { .. }) => {
                return LayerReply::Request(Self::list_trees());
            }
            _ => return LayerReply::Ignored,
        }
        LayerReply::Done
    }

    fn scroll(&mut self, rows: isize) -> LayerReply {
        self.move_by(rows.signum());
        LayerReply::Done
    }

    fn shows_tasks(&self) -> bool {
        true
    }

    fn hints(&self, hints: &mut Hints<'_>, keymap: &Keymap) {
        let key = |action| keymap.label(Context::Layer(&KEYS), action);
        hints.key(keymap.label(Context::Global, Action::Escape), "closes");
        let Some(chosen) = self.chosen() else { return };
        hints.pair(key(Action::RowUp), key(Action::RowDown), "moves");
        let ChosenEntry::Task(chosen) = chosen else {
            hints.key(key(CHANGES), "changes");
            return hints.key(key(DISCARD), "discard");
        };
        hints.key(key(GO_IN), "go in");
        if chosen.worktree.is_some() {
            hints.key(key(CHANGES), "changes");
        }
        if chosen.status.is_ended() {
            hints.key(key(RESUME), "resume");
        } else {
            hints.key(key(STOP), "stop");
            hints.key(key(STOP_ALL), "stop all");
        }
    }

    fn draw(&mut self, area: Rect, buffer: &mut Buffer, cx: &LayerCx<'_>) -> Option<Position> {
        Clear.render(area, buffer);
        let entries = cx.tasks.entries();
        self.rows = entries.iter().map(|entry| Arc::clone(&entry.row)).collect();
        self.trees.choose(&self.rows, cx.directory);
        self.move_by(0);
        buffer.set_line(area.x, area.y, &Self::heading(entries, cx), area.width);
        let below = below(area, HEAD);
        let width = usize::from(below.width);
        if self.places() == 0 {
            let text =
                "No tasks yet. Agents start them; ask for one, for example: let explore find who calls it.";
            let mut lines = remark(text, width, cx);
            if let Some(why) = self.trees.failure() {
                lines.extend(failure(why, width, cx));
            }
            draw_lines(&lines, below, buffer);
            return None;
        }
        self.page = usize::from(below.height) / ROWS;
        let first = (self.chosen + 1).saturating_sub(self.page.max(1));
        let shown = (first..self.places()).take(self.page.max(1));
        let lines = shown.flat_map(|place| {
            let is_chosen = place == self.chosen;
            match (entries.get(place), place.checked_sub(entries.len() + 1)) {
                (Some(entry), _) => self.lines(entry, is_chosen, width, cx),
                (None, None) => trees::heading(width, cx),
                (None, Some(tree)) => trees::lines(&self.trees.shown()[tree], is_chosen, width, cx),
            }
        });
        let mut lines: Vec<Line<'static>> = lines.collect();
        for line in &mut lines {
            for span in &mut line.spans {
                if span.content.contains('…') {
                    span.content = span.content.replace('…', cx.look.symbols.ellipsis()).into();
                }
            }
        }
        draw_lines(&lines, below, buffer);
        None
    }
}
