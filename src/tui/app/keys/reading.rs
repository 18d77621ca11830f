//! What keys do to the transcript; who is scrolled, and who has the keys.

use std::time::Instant;

use crate::tui::app::{App, Focus};
use crate::tui::keymap::Action;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn act_on_transcript(&mut self, action: Action, now: Instant) {
        match action {
            Action::NextBlock => self.transcript.focus_move(1),
            Action::PreviousBlock => self.transcript.focus_move(-1),
            Action::FirstBlock => self.transcript.focus_first(),
            Action::LastBlock => self.transcript.focus_last(),
            Action::NextOwn => drop(self.transcript.own_message(1)),
            Action::PreviousOwn => drop(self.transcript.own_message(-1)),
            Action::NextFailure => drop(self.transcript.next_failure(1)),
            Action::PreviousFailure => drop(self.transcript.next_failure(-1)),
            Action::ToggleFold => self.transcript.toggle_fold(),
            Action::ToggleNewest => self.toggle_newest(now),
            Action::ToggleAll => self.transcript.fold_all(),
            Action::ToggleReasoning => self.transcript.toggle_reasoning(),
            Action::Select => self.transcript.select(),
            Action::SelectTo(step) => self.transcript.select_to(step),
            Action::CopySelection => self.copy_selection(),
            Action::EndSelection => drop(self.transcript.end_selection()),
            Action::ToggleMouse => self.toggle_mouse(now),
            Action::Search => self.open_search(),
            Action::KeepSearch => self.keep_search(now),
            Action::NextMatch => self.next_match(1, now),
            Action::PreviousMatch => self.next_match(-1, now),
            Action::CopyBlock => self.copy(self.transcript.copy_focused(), "the block", now),
            Action::CopyAnswer => self.copy(self.transcript.copy_answer(), "the answer", now),
            Action::CopyCode => self.copy_code(now),
            Action::CopySession => self.copy_session(now),
            Action::Open => self.open_focused(now),
            Action::ViewBlock => self.view_focused(now),
            // Keys of dialogs and lists mean nothing here.
            _ => {}
        }
    }

    fn toggle_newest(&mut self, now: Instant) {
        if !self.transcript.toggle_newest() {
            self.say("there is no card yet", Meaning::TextMuted, now);
        }
    }

    pub(super) fn page(&mut self, pages: isize) {
        let in_dialog = match &mut self.dialog {
            Some(dialog) => dialog.page(pages),
            None => self.forms.shown_mut().is_some_and(|form| form.page(pages)),
        };
        match &mut self.trust {
            Some(trust) => trust.page(pages),
            None if in_dialog => {}
            None => self.transcript.page(pages),
        }
    }

    pub(in crate::tui::app) fn focus_transcript(&mut self) {
        self.focus = Focus::Transcript;
        self.transcript.focus_move(-1);
    }

    pub(in crate::tui::app) fn focus_composer(&mut self) {
        self.search = None;
        self.transcript.keep_search();
        self.transcript.end_selection();
        self.focus = Focus::Composer;
        self.transcript.clear_focus();
    }
}
