//! Keys of the transcript; who is scrolled, and who has the keys.

use std::time::Instant;

use crate::tui::app::session_view::SessionView;
use crate::tui::app::{App, Focus};
use crate::tui::dialog::confirm_before;
use crate::tui::keymap::Action;
use crate::tui::layer::LayerRequest;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn act_on_transcript(&mut self, action: Action, now: Instant) {
        match action {
            Action::NextBlock => self.views.front.transcript.focus_move(1),
            Action::PreviousBlock => self.views.front.transcript.focus_move(-1),
            Action::FirstBlock => self.views.front.transcript.focus_first(),
            Action::LastBlock => self.views.front.transcript.focus_last(),
            Action::NextOwn => drop(self.views.front.transcript.own_message(1)),
            Action::PreviousOwn => drop(self.views.front.transcript.own_message(-1)),
            Action::NextFailure => drop(self.views.front.transcript.next_failure(1)),
            Action::PreviousFailure => drop(self.views.front.transcript.next_failure(-1)),
            Action::ToggleFold => self.views.front.transcript.toggle_fold(),
            Action::ToggleNewest => self.toggle_newest(now),
            Action::ToggleAll => self.views.front.transcript.fold_all(),
            Action::ToggleReasoning => self.views.front.transcript.toggle_reasoning(),
            Action::Select => self.views.front.transcript.select(),
            Action::SelectTo(step) => self.views.front.transcript.select_to(step),
            Action::CopySelection => self.copy_selection(),
            Action::EndSelection => drop(self.views.front.transcript.end_selection()),
            Action::ToggleMouse => self.toggle_mouse(now),
            Action::Search => self.open_search(),
            Action::NextMatch => self.next_match(1, now),
            Action::PreviousMatch => self.next_match(-1, now),
            Action::CopyBlock => self.copy(self.views.front.transcript.copy_focused(), "the block", now),
            Action::CopyAnswer => self.copy(self.views.front.transcript.copy_answer(), "the answer", now),
            Action::CopyCode => self.copy_code(now),
            Action::CopySession => self.copy_session(now),
            Action::UndoHere => self.undo_here(now),
            Action::Open => self.open_focused(now),
            Action::ViewBlock => self.view_focused(now),
            // Keys of dialogs and lists mean nothing here.
            _ => {}
        }
    }

    /// Asks before a letter does something that lasts; says whether it does.
    pub(super) fn asks_before(&mut self, action: Action, now: Instant) -> bool {
        let is_refused = action == Action::Fork && self.views.front.transcript.fork_point().is_err();
        let Some(dialog) = confirm_before(action, now).filter(|_| !is_refused) else {
            return false;
        };
        self.open_layer(Box::new(dialog), now);
        true
    }

    /// Shows what going back to before the message above the focused block would change.
    fn undo_here(&mut self, now: Instant) {
        match self.views.front.transcript.own_message_above() {
            Some(message) => self.follow_request(LayerRequest::ShowUndo(message), now),
            None => self.say(
                "there is no message of yours before this",
                Meaning::TextMuted,
                now,
            ),
        }
    }

    fn toggle_newest(&mut self, now: Instant) {
        if !self.views.front.transcript.toggle_newest() {
            self.say("there is no card yet", Meaning::TextMuted, now);
        }
    }

    pub(in crate::tui::app) fn focus_transcript(&mut self) {
        self.views.front.focus = Focus::Transcript;
        self.views.front.transcript.focus_move(-1);
    }

    pub(in crate::tui::app) fn focus_composer(&mut self) {
        self.views.front.focus_composer();
    }
}

impl SessionView {
    pub(in crate::tui::app) fn focus_composer(&mut self) {
        self.search = None;
        self.transcript.keep_search();
        self.transcript.end_selection();
        self.focus = Focus::Composer;
        self.transcript.clear_focus();
    }
}
