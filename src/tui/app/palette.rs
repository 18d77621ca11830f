//! The palette's entries, and how each is done: an action of a part of the screen needs that part to have the keys, and
//! is given them.
//!
//! A question takes keys before all parts, and the palette covers it. So it is not answered from here, and while one is
//! shown nothing is offered that would have to take the keys from it.

use std::time::Instant;

use super::{App, Focus, SessionLink, TurnStatus};
use crate::tui::keymap::{Action, BoundAction, Context, Edit};
use crate::tui::panel::CursorRow;
use crate::tui::transcript::RedrawUrgency;

impl App {
    /// Performs an action of the palette as its key would, where that key is read.
    pub(super) fn act_from_palette(
        &mut self,
        context: Context,
        action: Action,
        now: Instant,
    ) -> RedrawUrgency {
        match context {
            Context::Composer | Context::Transcript | Context::Queue | Context::Panel => {
                self.give_keys(context, action, now);
                self.act_in(context, action, now)
            }
            // A question takes what is its own; these are not.
            Context::Global | Context::Leader | Context::Palette => self.act_in(context, action, now),
            _ => self.act_in(self.context(), action, now),
        }
    }

    fn give_keys(&mut self, context: Context, action: Action, now: Instant) {
        let has_them = self.layers.is_empty()
            && match self.views.front.focus {
                Focus::Composer => context == Context::Composer,
                Focus::Queue => context == Context::Queue,
                Focus::Transcript => context == Context::Transcript,
                Focus::Panel => context == Context::Panel,
            };
        if has_them || needs_no_keys(action) {
            return;
        }
        self.close_layers(now);
        match context {
            Context::Queue => drop(self.focus_queue()),
            Context::Panel => self.focus_panel(),
            Context::Transcript if is_about_the_block(action) => self.focus_transcript(),
            Context::Transcript => self.views.front.focus = Focus::Transcript,
            _ => self.focus_composer(),
        }
    }

    /// Returns true if there is something for an action to do now. What needs a moment of its own says so; the rest can
    /// be done at any time. A move within a part needs to be seen, and an answer what is asked.
    pub(super) fn makes_sense(&self, binding: &BoundAction) -> bool {
        match binding.context {
            Context::Global | Context::Leader | Context::Palette => self.makes_sense_anywhere(binding.action),
            Context::Composer => !self.is_asking() && self.makes_sense_in_draft(binding.action),
            Context::Transcript | Context::Select => self.makes_sense_in_transcript(binding),
            Context::Queue => !self.is_asking() && self.makes_sense_in_queue(binding.action),
            Context::Panel => !self.is_asking() && self.makes_sense_in_panel(binding.action),
            Context::Page | Context::Layer(_) => !is_move(binding.action),
            Context::Question => matches!(
                binding.action,
                Action::Why
                    | Action::FullScreen
                    | Action::AnotherAsk
                    | Action::NextHunk
                    | Action::PreviousHunk
            ),
            _ => false,
        }
    }

    fn makes_sense_anywhere(&self, action: Action) -> bool {
        match action {
            Action::FocusQueue => {
                !self.views.front.waiting().is_empty() && self.views.front.focus != Focus::Queue
            }
            Action::QueueDraft => !self.views.front.composer.is_blank(),
            Action::OpenList(list) => self.is_list_offered(list),
            Action::NextAsk => !self.tree().questions.is_empty() || self.elsewhere().asks > 0,
            Action::LastSession => self.last_tree().is_some(),
            Action::Interrupt => self.can_interrupt(),
            Action::ToBackground => self.tasks_waited_for() > 0,
            Action::ParentTask => self.views.front.task.is_some(),
            Action::PreviousTask | Action::NextTask => self.has_siblings(),
            Action::CopyAnswer => self.views.front.transcript.copy_answer().is_some(),
            Action::ToggleNewest => self.views.front.transcript.has_card(),
            Action::FocusTranscript => {
                self.views.front.focus != Focus::Transcript && !self.views.front.transcript.is_empty()
            }
            Action::ListCommands => self.views.front.composer.is_empty(),
            // Otherwise the directory has to be named: `/cd DIR`.
            Action::ChangeDirectory => self.lacks_directory(),
            // It does different things at different times: each is there as what it does.
            Action::Escape | Action::ClearOrQuit | Action::Leader => false,
            action => {
                let mut reading = self.keymap.bindings(Context::Transcript);
                !reading.any(|read| read.action == action)
                    || matches!(action, Action::OpenPage(_))
                    || !self.views.front.transcript.is_empty()
            }
        }
    }

    fn makes_sense_in_draft(&self, action: Action) -> bool {
        let has_text = !self.views.front.composer.is_blank();
        match action {
            Action::Send => has_text || self.held_count() > 0,
            Action::Queue | Action::Edit(Edit::Undo | Edit::Redo) => has_text,
            Action::NextAgent => self.views.front.agents.len() > 1,
            Action::CopyText => self.views.front.composer.has_selection(),
            Action::HelpOrType => false,
            action => !is_move(action),
        }
    }

    fn makes_sense_in_transcript(&self, binding: &BoundAction) -> bool {
        let is_sensible = match binding.action {
            Action::FocusComposer => self.views.front.focus != Focus::Composer,
            Action::NextMatch | Action::PreviousMatch => self.views.front.transcript.search_tally().is_some(),
            Action::NextFailure | Action::PreviousFailure => self.views.front.transcript.has_problem(),
            Action::CopySelection | Action::EndSelection => self.views.front.transcript.has_selection(),
            action => !is_move(action),
        };
        let takes_keys = !needs_no_keys(binding.action) && binding.action != Action::Search;
        is_sensible && !self.views.front.transcript.is_empty() && !(takes_keys && self.is_asking())
    }

    fn makes_sense_in_queue(&self, action: Action) -> bool {
        let waiting = self.views.front.waiting().len();
        match action {
            Action::FocusComposer => self.views.front.focus != Focus::Composer,
            Action::QueueSooner | Action::QueueLater => {
                waiting > 1 && self.views.front.link == SessionLink::Open
            }
            Action::QueueRedirect => {
                waiting > 0
                    && self.views.front.turn == TurnStatus::Busy
                    && self.views.front.link == SessionLink::Open
            }
            action => waiting > 0 && !is_move(action),
        }
    }

    fn makes_sense_in_panel(&self, action: Action) -> bool {
        let chosen = self.views.front.panel.chosen_with_keys();
        match action {
            Action::FocusComposer => self.views.front.focus != Focus::Composer,
            Action::NextTodoState | Action::EditTodo => chosen == CursorRow::Todo,
            Action::PickRow => matches!(chosen, CursorRow::File | CursorRow::Task { .. }),
            Action::StopTask => matches!(chosen, CursorRow::Task { is_active: true, .. }),
            Action::ApplyTree | Action::DiscardTree => {
                matches!(chosen, CursorRow::Task { has_tree: true, .. })
            }
            action => chosen != CursorRow::Nothing && !is_move(action),
        }
    }
}

/// Returns true if an action of the transcript is about all of it, and can be done from anywhere.
fn needs_no_keys(action: Action) -> bool {
    matches!(
        action,
        Action::CopySession | Action::ToggleAll | Action::ToggleReasoning | Action::OpenPage(_)
    )
}

/// Returns true if it is about the block that the keys stand on.
fn is_about_the_block(action: Action) -> bool {
    matches!(
        action,
        Action::CopyBlock
            | Action::CopyCode
            | Action::Open
            | Action::ViewBlock
            | Action::Select
            | Action::ToggleFold
    )
}

fn is_move(action: Action) -> bool {
    matches!(
        action,
        Action::RowUp
            | Action::RowDown
            | Action::ScrollUp
            | Action::ScrollDown
            | Action::PageUp
            | Action::PageDown
            | Action::Edit(_)
            | Action::SelectTo(_)
    )
}
