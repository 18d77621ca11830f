//! The panel at the side: what the session is about beside its conversation. Its sections fold; one that has nothing to
//! say is not there.
//!
//! From [`WIDE`] columns on it stands beside the conversation, on narrower screens it lies over it while it has the keys.
//! Beside the conversation it takes columns from it, so it comes by itself only from [`OPENS`] columns on and where nobody
//! is reading on: with the session, when a turn begins and when one has ended. Once there it stays, also when its list becomes empty. What a
//! person chose with the key holds against all of that.
//!
//! Nothing is sent from here: a change of a todo is returned as what the session is to be asked.

mod changed;
mod draw;
mod editor;
mod row;
mod tasks;
mod terminals;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use ratatui::layout::Rect;
use serde_json::Value;

use crate::conversation::{
    CallResult, Message, SessionId, TaskRow, TerminalRow, Todo, TodoChange, TodoEdit, TodoStatus, ToolPart,
};
use crate::swap::Swappable;
use crate::text::count::plural;
use crate::tool::BuiltinCards;
use crate::tui::page::{NO_TREE, TaskTree, TreeIntent};
use crate::tui::tasks::TaskEntry;
use crate::view::card::{Fact, FileTarget};

use changed::ChangedFiles;
pub(crate) use draw::columns;
pub(crate) use editor::TodoEditor;
use tasks::{TaskPosition, TaskSection};

/// From this width on the panel stands beside the conversation once it is shown.
pub(crate) const WIDE: u16 = 100;
/// From this width on it comes by itself.
const OPENS: u16 = 140;

/// A part of the panel, in the order in which they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Section {
    Tasks,
    Terminals,
    Todo,
    Files,
}

impl Section {
    const ALL: [Self; 4] = [Self::Tasks, Self::Terminals, Self::Todo, Self::Files];
}

/// A row that the cursor can stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CursorPosition {
    Head(Section),
    Task(TaskPosition),
    Terminal(usize),
    Todo(usize),
    File(usize),
}

/// The person's choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum PanelVisibility {
    #[default]
    AsItComes,
    Shown,
    Hidden,
}

/// The kind of row under the cursor, for the hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CursorRow {
    Head,
    /// A task, and whether it may be stopped and has a work tree.
    Task {
        is_active: bool,
        has_tree: bool,
    },
    /// A terminal, and whether its program runs.
    Terminal {
        is_running: bool,
    },
    Todo,
    File,
    Nothing,
}

/// The result of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PanelOutcome {
    Stays,
    Edit(TodoEdit),
    Open(FileTarget),
    /// Go into the session of a task.
    Enter(SessionId),
    Stop(Arc<TaskRow>),
    ShowTree(TaskTree, TreeIntent),
    /// Show a terminal.
    ShowTerminal(String),
    StopTerminal(TerminalRow),
    /// There is nothing that the key could mean here.
    Nothing(&'static str),
}

#[derive(Default)]
pub(crate) struct Panel {
    tasks: TaskSection,
    terminals: Arc<Vec<TerminalRow>>,
    todos: Vec<Todo>,
    changed: ChangedFiles,
    /// The same, of the turn that runs or ended last.
    changed_in_turn: ChangedFiles,
    /// Knows what the results of calls say; there is none before the session is open.
    cards: Option<BuiltinCards>,
    folded: HashSet<Section>,
    visibility: PanelVisibility,
    /// True if it has its columns where nobody chose.
    is_placed: bool,
    cursor: Option<CursorPosition>,
    /// The first row on screen.
    top: usize,
    writing: Option<TodoEditor>,
    /// The entry on each row of the last frame.
    shown: Vec<Option<CursorPosition>>,
    area: Rect,
}

impl Panel {
    pub(crate) fn set_cards(&mut self, cards: BuiltinCards) {
        self.cards = Some(cards);
    }

    /// Shows another session, or the same one anew.
    pub(crate) fn reset(&mut self, messages: &[Arc<Message>], todos: &[Value]) {
        self.changed = ChangedFiles::default();
        let calls = messages.iter().flat_map(|message| message.calls());
        for call in calls {
            self.note_call(call);
        }
        self.set_todos(Todo::list(todos));
        self.is_placed |= self.has_content();
    }

    fn note_call(&mut self, call: &ToolPart) {
        for call in std::iter::once(call).chain(&call.inner) {
            if let Some(cards) = &self.cards
                && let Some(result) = &call.result
            {
                let tool = cards.tool_of(call);
                self.note_result(&tool, result);
            }
        }
    }

    /// Takes in what a call changed.
    pub(crate) fn note_result(&mut self, tool: &str, result: &Swappable<CallResult>) {
        let written = self.cards.iter().flat_map(|cards| cards.written(tool, result));
        for file in written {
            self.changed_in_turn.note(file.clone());
            self.changed.note(file);
        }
    }

    /// A turn begins.
    pub(crate) fn begin_turn(&mut self) {
        self.changed_in_turn = ChangedFiles::default();
    }

    /// Returns what the turn changed, where it changed files: `18 files +54 −54`.
    pub(crate) fn turn_changes(&self) -> Option<String> {
        let files = self.changed_in_turn.files().len();
        let (additions, deletions) = self.changed_in_turn.sums();
        let files = Some(files).filter(|files| *files > 0)?;
        Some(format!(
            "{} {}",
            plural(files, "file"),
            Fact::changed(additions, deletions)
        ))
    }

    /// Takes the tasks of the tree as they are now; `unix` is now.
    /// `own` is the session of the conversation beside it.
    pub(crate) fn set_tasks(&mut self, tasks: Vec<TaskEntry>, own: Option<&SessionId>, unix: i64) {
        self.tasks.set(tasks, own, unix);
    }

    /// Takes the terminals of the tree as they are now.
    pub(crate) fn set_terminals(&mut self, terminals: Arc<Vec<TerminalRow>>) {
        self.terminals = terminals;
    }

    /// Tasks that work with another model than this one name theirs.
    pub(crate) fn set_root_model(&mut self, model: String) {
        self.tasks.set_root_model(model);
    }

    /// Stands where that of another conversation of the tree stands.
    pub(crate) fn stand_like(&mut self, other: &Self) {
        self.visibility = other.visibility;
        self.is_placed = other.is_placed;
    }

    /// Takes the list as it is now. The cursor stays on its entry.
    pub(crate) fn set_todos(&mut self, todos: Vec<Todo>) {
        let before = std::mem::replace(&mut self.todos, todos);
        if let Some(CursorPosition::Todo(place)) = self.cursor {
            let same = |seen: &Todo| self.todos.iter().position(|todo| todo.is_same_entry(seen));
            let place = before.get(place).and_then(same).unwrap_or(place);
            let last = self.todos.len().checked_sub(1);
            self.cursor = last.map(|last| CursorPosition::Todo(place.min(last)));
        }
    }

    pub(crate) fn has_content(&self) -> bool {
        self.tasks.is_of_interest()
            || self.terminals.iter().any(|row| row.status.is_running())
            || !self.todos.is_empty()
            || !self.changed.is_empty()
    }

    /// A turn begins or has ended: nothing streams, so the columns may be shared out anew.
    pub(crate) fn settle(&mut self) {
        self.is_placed |= self.has_content();
    }

    /// Returns true if it stands beside the conversation on a screen of this width.
    pub(crate) fn is_beside(&self, width: u16) -> bool {
        match self.visibility {
            PanelVisibility::Shown => width >= WIDE,
            PanelVisibility::Hidden => false,
            PanelVisibility::AsItComes => width >= OPENS && self.is_placed,
        }
    }

    /// Returns true if the list of todos stands beside the conversation on such a screen.
    pub(crate) fn shows_todos(&self, width: u16) -> bool {
        self.is_beside(width) && !self.todos.is_empty() && !self.folded.contains(&Section::Todo)
    }

    /// Returns true if there is something to see that is not shown by itself.
    pub(crate) fn is_waiting(&self, width: u16) -> bool {
        self.has_content() && self.visibility != PanelVisibility::Hidden && !self.is_beside(width)
    }

    pub(crate) fn show(&mut self) {
        self.visibility = PanelVisibility::Shown;
    }

    pub(crate) fn hide(&mut self) {
        self.visibility = PanelVisibility::Hidden;
        self.writing = None;
    }

    /// The keys are the panel's from now on.
    pub(crate) fn focus(&mut self) {
        self.cursor = self.landing();
    }

    /// Returns the cursor position once the panel has the keys: the former one, or the first task or open todo.
    fn landing(&self) -> Option<CursorPosition> {
        let spots = self.spots();
        let is_active = |spot: &&CursorPosition| match spot {
            CursorPosition::Task(TaskPosition::Task(_)) => true,
            CursorPosition::Todo(place) => self.todos[*place].status.is_open(),
            _ => false,
        };
        let first = || spots.iter().find(is_active).or(spots.first()).copied();
        self.cursor.filter(|spot| spots.contains(spot)).or_else(first)
    }

    /// Returns the kind of row under the cursor.
    pub(crate) fn chosen(&self) -> CursorRow {
        self.row_kind(self.cursor)
    }

    /// The same, once the panel has the keys.
    pub(crate) fn chosen_with_keys(&self) -> CursorRow {
        self.row_kind(self.landing())
    }

    fn row_kind(&self, spot: Option<CursorPosition>) -> CursorRow {
        match spot {
            Some(CursorPosition::Task(TaskPosition::Task(place))) => match self.tasks.get(place) {
                Some(task) => CursorRow::Task {
                    is_active: !task.row.status.is_ended(),
                    has_tree: task.row.worktree.is_some(),
                },
                None => CursorRow::Nothing,
            },
            Some(CursorPosition::Head(_) | CursorPosition::Task(TaskPosition::Fold(_))) => CursorRow::Head,
            Some(CursorPosition::Terminal(place)) => CursorRow::Terminal {
                is_running: self
                    .terminals
                    .get(place)
                    .is_some_and(|row| row.status.is_running()),
            },
            Some(CursorPosition::Todo(_)) => CursorRow::Todo,
            Some(CursorPosition::File(_)) => CursorRow::File,
            None => CursorRow::Nothing,
        }
    }

    /// Returns the positions that the cursor can take, from top to bottom.
    fn spots(&self) -> Vec<CursorPosition> {
        let mut spots = Vec::new();
        for section in self.sections() {
            spots.push(CursorPosition::Head(section));
            if !self.folded.contains(&section) {
                match section {
                    Section::Tasks => {
                        let rows = self.tasks.positions().into_iter();
                        spots.extend(rows.map(CursorPosition::Task));
                    }
                    Section::Terminals => {
                        spots.extend((0..self.terminals.len()).map(CursorPosition::Terminal));
                    }
                    Section::Todo => spots.extend((0..self.todos.len()).map(CursorPosition::Todo)),
                    Section::Files => spots.extend((0..self.changed.files().len()).map(CursorPosition::File)),
                }
            }
        }
        spots
    }

    fn sections(&self) -> impl Iterator<Item = Section> + '_ {
        Section::ALL.into_iter().filter(|section| match section {
            Section::Tasks => !self.tasks.is_empty(),
            Section::Terminals => !self.terminals.is_empty(),
            Section::Todo => !self.todos.is_empty(),
            Section::Files => !self.changed.is_empty(),
        })
    }

    pub(crate) fn move_by(&mut self, rows: isize) -> PanelOutcome {
        let spots = self.spots();
        let at = spots.iter().position(|spot| Some(*spot) == self.cursor);
        let last = spots.len().saturating_sub(1);
        let next = at.map_or(0, |at| at.saturating_add_signed(rows).min(last));
        self.cursor = spots.get(next).copied();
        PanelOutcome::Stays
    }

    /// Puts the cursor on what stands there; says whether it is the panel at all.
    pub(crate) fn press(&mut self, column: u16, row: u16) -> bool {
        if !self.area.contains((column, row).into()) {
            return false;
        }
        let spot = self.shown.get(usize::from(row - self.area.y)).copied().flatten();
        self.cursor = spot.or(self.cursor);
        true
    }

    /// Folds or unfolds the section of a head; ticks a todo.
    pub(crate) fn toggle(&mut self) -> PanelOutcome {
        match self.cursor {
            Some(CursorPosition::Todo(place)) => {
                let status = match self.todos.get(place).map(|todo| todo.status) {
                    Some(TodoStatus::Completed) => TodoStatus::Pending,
                    _ => TodoStatus::Completed,
                };
                self.set_status(place, status)
            }
            Some(CursorPosition::Task(TaskPosition::Fold(fold))) => {
                self.tasks.toggle(fold);
                PanelOutcome::Stays
            }
            Some(CursorPosition::Task(TaskPosition::Task(_))) => self.fold(Section::Tasks),
            Some(CursorPosition::Head(section)) => {
                if !self.folded.remove(&section) {
                    self.folded.insert(section);
                }
                PanelOutcome::Stays
            }
            Some(CursorPosition::Terminal(_)) => self.fold(Section::Terminals),
            Some(CursorPosition::File(_)) => self.fold(Section::Files),
            None => PanelOutcome::Nothing("nothing to fold here"),
        }
    }

    fn fold(&mut self, section: Section) -> PanelOutcome {
        self.folded.insert(section);
        self.cursor = Some(CursorPosition::Head(section));
        PanelOutcome::Stays
    }

    /// Brings a todo to the state after its own.
    pub(crate) fn next_status(&self) -> PanelOutcome {
        let Some(CursorPosition::Todo(place)) = self.cursor else {
            return PanelOutcome::Nothing("no todo is chosen here");
        };
        let status = match self.todos.get(place).map(|todo| todo.status) {
            Some(TodoStatus::Pending) => TodoStatus::InProgress,
            Some(TodoStatus::InProgress) => TodoStatus::Completed,
            Some(TodoStatus::Completed) => TodoStatus::Cancelled,
            Some(TodoStatus::Cancelled) | None => TodoStatus::Pending,
        };
        self.set_status(place, status)
    }

    fn set_status(&self, place: usize, status: TodoStatus) -> PanelOutcome {
        self.change(place, TodoChange::Status(status))
    }

    /// Asks for a change of an entry; the session says how the list stands then.
    fn change(&self, place: usize, change: TodoChange) -> PanelOutcome {
        let Some(seen) = self.todos.get(place).cloned() else {
            return PanelOutcome::Nothing("no todo is chosen here");
        };
        PanelOutcome::Edit(TodoEdit { seen, change })
    }

    /// Asks for the end of the task or the program under the cursor.
    pub(crate) fn stop(&self) -> PanelOutcome {
        if let Some(CursorPosition::Terminal(place)) = self.cursor {
            return match self.terminals.get(place) {
                Some(row) if row.status.is_running() => PanelOutcome::StopTerminal(row.clone()),
                _ => PanelOutcome::Nothing("that program has ended already"),
            };
        }
        let task = match self.cursor {
            Some(CursorPosition::Task(TaskPosition::Task(place))) => self.tasks.get(place),
            _ => return PanelOutcome::Nothing("no task is chosen here"),
        };
        match task {
            Some(task) if !task.row.status.is_ended() => PanelOutcome::Stop(Arc::clone(&task.row)),
            _ => PanelOutcome::Nothing("that task has ended already"),
        }
    }

    /// Shows the changes in the tree of the task under the cursor.
    pub(crate) fn show_tree(&self, intent: TreeIntent) -> PanelOutcome {
        let Some(CursorPosition::Task(TaskPosition::Task(place))) = self.cursor else {
            return PanelOutcome::Nothing("no task is chosen here");
        };
        match self.tasks.get(place).map(|task| TaskTree::of(&task.row)) {
            Some(Some(tree)) => PanelOutcome::ShowTree(tree, intent),
            Some(None) => PanelOutcome::Nothing(NO_TREE),
            None => PanelOutcome::Nothing("no task is chosen here"),
        }
    }

    /// Opens what the cursor stands on: the task, the file, or the section.
    pub(crate) fn open(&mut self) -> PanelOutcome {
        match self.cursor {
            Some(CursorPosition::Task(TaskPosition::Task(place))) => match self.tasks.get(place) {
                Some(task) => PanelOutcome::Enter(task.row.session.clone()),
                None => PanelOutcome::Nothing("no task is chosen here"),
            },
            Some(CursorPosition::File(place)) => match self.changed.files().get(place) {
                Some(file) => PanelOutcome::Open(FileTarget::shown(&file.path)),
                None => PanelOutcome::Nothing("no file is chosen here"),
            },
            Some(CursorPosition::Terminal(place)) => match self.terminals.get(place) {
                Some(row) => PanelOutcome::ShowTerminal(row.name.clone()),
                None => PanelOutcome::Nothing("no terminal is chosen here"),
            },
            Some(CursorPosition::Todo(_)) => self.begin_writing(),
            Some(CursorPosition::Head(_) | CursorPosition::Task(TaskPosition::Fold(_))) | None => {
                self.toggle()
            }
        }
    }

    /// Begins to change the words of a todo.
    pub(crate) fn begin_writing(&mut self) -> PanelOutcome {
        let todo = match self.cursor {
            Some(CursorPosition::Todo(place)) => self.todos.get(place),
            _ => None,
        };
        let Some(todo) = todo else {
            return PanelOutcome::Nothing("no todo is chosen here");
        };
        self.writing = Some(TodoEditor::new(todo.clone()));
        PanelOutcome::Stays
    }

    /// Returns the todo whose words are being changed.
    pub(crate) fn editor(&self) -> Option<&TodoEditor> {
        self.writing.as_ref()
    }

    pub(crate) fn editor_mut(&mut self) -> Option<&mut TodoEditor> {
        self.writing.as_mut()
    }

    /// Closes the editor of a todo.
    pub(crate) fn leave_writing(&mut self) {
        self.writing = None;
    }
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r', '\t']).collect::<Vec<_>>().join(" ")
}
