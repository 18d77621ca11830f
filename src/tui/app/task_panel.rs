//! Tasks and terminals in the panel, and tasks in the hint row.

use std::sync::Arc;
use std::time::Instant;

use super::App;
use crate::conversation::{TaskRow, TerminalRow};
use crate::text::count::plural;
use crate::tui::dialog::stop_task;
use crate::tui::statusbar::Hints;
use crate::view::theme::Meaning;

impl App {
    /// Has the panel list the tasks and the terminals of the tree as they are now.
    pub(super) fn list_tasks(&mut self, now: Instant) {
        let model = self.root_view().facts.model.clone();
        self.views.front.panel.set_root_model(model);
        self.front(now).list_tasks();
        let terminals = Arc::clone(&self.tree().terminals);
        let waits = |row: &&TerminalRow| row.waits_for.is_some();
        self.views.front.facts.waiting_terminals = terminals.iter().filter(waits).count();
        self.views.front.panel.set_terminals(terminals);
    }

    /// Asks before a task is stopped.
    pub(super) fn ask_to_stop(&mut self, row: &TaskRow, now: Instant) {
        self.open_layer(Box::new(stop_task(row)), now);
    }

    /// `2 tasks`, where no panel says so.
    pub(super) fn count_tasks(&self, hints: &mut Hints<'_>) {
        let active = self.tree().tasks.counts().active();
        if active > 0 && !self.is_panel_drawn() {
            hints.say(&plural(active, "task"), Meaning::StateRunning);
        }
    }
}
