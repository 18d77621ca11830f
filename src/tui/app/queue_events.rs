//! News of the session about the messages that wait to be sent.

use super::Focus;
use super::input_queue::TakeBackPurpose;
use super::pickers::PROMPTS;
use super::session_view::SessionView;
use super::view_update::ViewUpdate;
use crate::session::{Input, QueuedMessage};
use crate::tui::keymap::{Action, Context};
use crate::tui::queue_list::WaitingId;
use crate::view::theme::Meaning;

impl SessionView {
    pub(super) fn waiting_ids(&self) -> Vec<WaitingId> {
        self.waiting().iter().map(|waiting| waiting.id).collect()
    }

    /// The session says what waits.
    pub(super) fn set_queue(&mut self, queue: &[QueuedMessage]) {
        self.queue.clear();
        self.queue.extend_from_slice(queue);
        self.follow_queue();
    }

    /// Keeps the keys on a row that is there, or gives them to the composer.
    pub(super) fn follow_queue(&mut self) {
        let ids = self.waiting_ids();
        if self.focus == Focus::Queue && !self.queue_list.follow(&ids) {
            self.focus_composer();
        }
    }
}

impl ViewUpdate<'_> {
    /// An input was given back, or was sent before it could be.
    pub(super) fn unqueued(&mut self, id: u64, input: Option<&Input>) {
        let wanted = self.view.wanted_inputs.remove(&id);
        match (input, wanted) {
            (Some(input), Some(wanted)) => self.take_back_input(input, wanted),
            // Somebody else has it.
            (Some(_), None) => {}
            (None, _) => self.say("too late: that message was sent", Meaning::Warning),
        }
    }

    pub(super) fn take_back_input(&mut self, input: &Input, wanted: TakeBackPurpose) {
        match wanted {
            TakeBackPurpose::Edit => {
                self.view.focus_composer();
                self.take_back(input);
            }
            TakeBackPurpose::Remove => {
                let search = Action::OpenList(&PROMPTS);
                let key = self.keymap.label(Context::Composer, search);
                self.say(format!("removed; {key} finds it again"), Meaning::TextMuted);
            }
        }
    }
}
