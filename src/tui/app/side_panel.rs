//! The panel at the side: when it has columns and keys, and what its keys lead to.

use std::time::Instant;

use super::{App, Effect, Focus};
use crate::session::Op;
use crate::tui::keymap::{Action, Context};
use crate::tui::layer::LayerRequest;
use crate::tui::page::TreeIntent;
use crate::tui::panel::{self, PanelOutcome, WIDE};
use crate::tui::statusbar::Hints;
use crate::tui::transcript::FilePlace;
use crate::view::theme::Meaning;

impl App {
    /// Shows the panel; gives it the keys where it is shown; hides it where it has them.
    pub(super) fn toggle_panel(&mut self) {
        let width = self.shown.width;
        if self.views.front.focus == Focus::Panel {
            if width >= WIDE {
                self.views.front.panel.hide();
            }
            self.focus_composer();
        } else if width < WIDE || self.views.front.panel.is_beside(width) {
            self.focus_panel();
        } else {
            self.views.front.panel.show();
        }
    }

    /// Gives it the keys, and shows it where it is hidden.
    pub(super) fn focus_panel(&mut self) {
        let width = self.shown.width;
        if width >= WIDE && !self.views.front.panel.is_beside(width) {
            self.views.front.panel.show();
        }
        self.focus_composer();
        self.views.front.focus = Focus::Panel;
        self.views.front.panel.focus();
    }

    /// Returns true if it is on screen.
    pub(super) fn is_panel_drawn(&self) -> bool {
        self.views.front.panel.is_beside(self.shown.width) || self.views.front.focus == Focus::Panel
    }

    pub(super) fn act_on_panel(&mut self, action: Action, now: Instant) -> bool {
        let panel = &mut self.views.front.panel;
        let outcome = match action {
            Action::RowUp => panel.move_by(-1),
            Action::RowDown => panel.move_by(1),
            Action::Tick => panel.toggle(),
            Action::NextTodoState => panel.next_status(),
            Action::EditTodo => panel.begin_writing(),
            Action::PickRow => panel.open(),
            Action::StopTask => panel.stop(),
            Action::ApplyTree => panel.show_tree(TreeIntent::Apply),
            Action::DiscardTree => panel.show_tree(TreeIntent::Discard),
            _ => return false,
        };
        match outcome {
            PanelOutcome::Stays => {}
            PanelOutcome::Edit(edit) => self.send(Op::EditTodo(edit)),
            PanelOutcome::Open(file) => {
                let place = FilePlace::of(&file, self.project());
                self.effects.push(Effect::Open(vec![place]));
            }
            PanelOutcome::Enter(session) => {
                // Who comes back means to write.
                self.focus_composer();
                self.enter_task(&session, now);
            }
            PanelOutcome::ShowTree(tree, intent) => {
                self.follow_request(LayerRequest::ShowTree(tree, intent), now);
            }
            PanelOutcome::Stop(row) => self.ask_to_stop(&row, now),
            PanelOutcome::ShowTerminal(name) => self.show_terminal(&name, now),
            PanelOutcome::StopTerminal(row) => {
                self.follow_request(LayerRequest::StopTerminal(row), now);
            }
            PanelOutcome::Nothing(why) => self.say(why, Meaning::TextMuted, now),
        }
        true
    }

    /// Gives the panel the keys when it was pressed on; says whether it was.
    pub(super) fn press_panel(&mut self, column: u16, row: u16) -> bool {
        if !self.views.front.panel.press(column, row) {
            return false;
        }
        if !self.is_asking() {
            self.focus_composer();
            self.views.front.focus = Focus::Panel;
            self.views.front.panel.focus();
        }
        true
    }

    pub(super) fn panel_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Panel, action);
        let escape = self.keymap.label(Context::Global, Action::Escape);
        hints.key(escape, "composer");
        hints.pair(key(Action::RowDown), key(Action::RowUp), "rows");
        match self.views.front.panel.chosen() {
            panel::CursorRow::Task { is_active, has_tree } => {
                hints.key(key(Action::PickRow), "go in");
                if is_active {
                    hints.key(key(Action::StopTask), "stop");
                }
                if has_tree {
                    hints.key(key(Action::ApplyTree), "changes");
                    hints.key(key(Action::DiscardTree), "discard");
                }
                hints.key(key(Action::Tick), "fold");
            }
            panel::CursorRow::Terminal { is_running } => {
                hints.key(key(Action::PickRow), "show");
                if is_running {
                    hints.key(key(Action::StopTask), "stop");
                }
                hints.key(key(Action::Tick), "fold");
            }
            panel::CursorRow::Todo => {
                hints.key(key(Action::Tick), "tick");
                hints.key(key(Action::NextTodoState), "state");
                hints.key(key(Action::EditTodo), "words");
            }
            panel::CursorRow::File => {
                hints.key(key(Action::PickRow), "open");
                hints.key(key(Action::Tick), "fold");
            }
            panel::CursorRow::Head => hints.key(key(Action::Tick), "fold"),
            panel::CursorRow::Nothing => {}
        }
        hints.key(&self.keymap.after_leader(Action::TogglePanel), "hide");
    }

    /// Names the key of a panel that has something to show and is not shown.
    pub(super) fn panel_offer(&self, hints: &mut Hints<'_>) {
        if self.views.front.panel.is_waiting(self.shown.width) {
            hints.key(&self.keymap.after_leader(Action::TogglePanel), "panel");
        }
    }
}
