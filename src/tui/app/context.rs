//! Who reads the next key.

use super::{App, Focus, Turn};
use crate::tui::dialog::Dialog;
use crate::tui::keymap::Context;
use crate::tui::layer::Layer;
use crate::tui::trace::State;

impl App {
    /// Who reads the next key.
    pub(super) fn context(&self) -> Context {
        if let Some(layer) = self.top_layer() {
            return layer.context();
        }
        if self.trust.is_some() {
            return Context::Trust;
        }
        if self.view.search.is_some() {
            return Context::Search;
        }
        if self.view.writes_todo() {
            return Context::PanelText;
        }
        if let Some(dialog) = self.asking() {
            return dialog.context();
        }
        match self.view.focus {
            Focus::Composer if self.view.completion.is_open() => Context::Completion,
            Focus::Composer => Context::Composer,
            Focus::Queue => Context::Queue,
            // What is copied with the next frame is no selection any more.
            Focus::Transcript if self.view.transcript.has_selection() && self.pointer.due.is_none() => {
                Context::Select
            }
            Focus::Transcript => Context::Transcript,
            Focus::Panel => self.view.panel.context(),
        }
    }

    /// Returns the state that programs that drive the screen are told.
    pub(crate) fn state(&self) -> State {
        State {
            focus: self
                .top_layer()
                .map_or_else(|| focus_name(self.context()), Layer::name),
            dialog: if self.asks_to_quit() {
                Some("quit")
            } else {
                self.asking().map(Dialog::name)
            },
            queue: self.view.queue.len() + self.view.unsent_inputs().count(),
            busy: self.view.turn == Turn::Busy,
            dropped_keys: self.dropped_keys,
        }
    }
}

/// Returns the name of the part that reads the keys, for programs that drive the screen.
fn focus_name(context: Context) -> &'static str {
    match context {
        Context::Page | Context::Rules | Context::Export | Context::Diff | Context::Comment => "page",
        Context::Picker => "picker",
        Context::Queue => "queue",
        Context::Transcript | Context::Select => "transcript",
        Context::Search => "search",
        Context::Panel | Context::PanelText => "panel",
        Context::Completion => "completion",
        Context::Question
        | Context::QuestionAlways
        | Context::QuestionText
        | Context::Trust
        | Context::Form
        | Context::FormText
        | Context::Leaving => "dialog",
        Context::Composer | Context::Global | Context::Leader | Context::Palette => "composer",
    }
}
