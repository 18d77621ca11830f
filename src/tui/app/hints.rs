//! The hint row: what keys do now. Lists, pages, the panel and what waits say theirs beside what they do.

use std::time::Instant;

use super::layers::LayerSlot;
use super::{App, SessionLink, TurnStatus};
use crate::text::count::plural;
use crate::text::sanitize::sanitize_line;
use crate::tui::caret::CaretMove;
use crate::tui::keymap::{Action, Context, Edit, key_name};
use crate::tui::layer::Layer;
use crate::tui::page;
use crate::tui::panel::WIDE;
use crate::tui::statusbar::Hints;
use crate::tui::terminal_environment::path_words;
use crate::view::theme::Meaning;

impl App {
    pub(super) fn hints(&self, now: Instant) -> Hints<'_> {
        let mut hints = Hints::new(
            &self.appearance.theme,
            self.appearance.terminal_environment.symbols,
        );
        hints.place(&self.place_words());
        let top = self.seen_layer(now);
        if let Some((LayerSlot::Leader, layer)) = top {
            // A key that is named now has to mean that now.
            layer.hints(&mut hints, &self.keymap);
            return hints;
        }
        // The grid counts tasks and their questions itself.
        let is_grid = self.watch_place().is_some();
        // Where there is little room, what is said for a moment comes first.
        let has_room = self.remark().is_none() || self.shown.width >= WIDE;
        if has_room && !is_grid {
            self.terminal_hints(&mut hints);
            self.count_tasks(&mut hints);
        }
        let is_told = is_grid && !self.root_asks();
        let is_told = is_told || !is_grid && self.waiting_row().is_some();
        let put_off = if is_told { 0 } else { self.views.front.facts.asks };
        if put_off > 0 {
            // Where there is room the sign stands as the dialog's does.
            let words = match self.shown.width {
                WIDE.. => format!("? {put_off} waiting"),
                _ => plural(put_off, "question"),
            };
            hints.say(&words, Meaning::StateAsking);
            hints.key(&self.keymap.after_leader(Action::NextAsk), "answers");
        }
        if self.views.front.is_held {
            hints.say("held until you send something", Meaning::Warning);
        }
        if let Some(remark) = self.remark() {
            hints.say(&remark.text, remark.meaning);
        }
        if self.quit_armed.is_some() {
            let key = self.keymap.label(Context::Global, Action::ClearOrQuit);
            hints.say(&format!("{key} again quits"), Meaning::Warning);
            return hints;
        }
        match top {
            Some((LayerSlot::Question, layer)) => self.question_hints(layer, &mut hints),
            Some((_, layer)) => self.layer_hints(layer, &mut hints),
            None => match self.focus_context() {
                Context::Transcript => self.transcript_hints(&mut hints),
                Context::Queue => self.queue_hints(&mut hints),
                Context::Panel => self.panel_hints(&mut hints),
                Context::Select => self.select_hints(&mut hints),
                _ => self.composer_hints(&mut hints),
            },
        }
        hints
    }

    /// `~/src/retry · main`
    fn place_words(&self) -> String {
        let environment = &self.appearance.terminal_environment;
        let view = &self.views.front;
        let directory = path_words(&view.directory, environment.home.as_deref());
        match &view.surroundings.branch {
            Some(branch) => format!("{directory} {} {branch}", environment.symbols.dot()),
            None => directory,
        }
    }

    fn transcript_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Transcript, action);
        if let Some(words) = self.search_words() {
            hints.say(&words, Meaning::Match);
            hints.pair(key(Action::NextMatch), key(Action::PreviousMatch), "matches");
        }
        if self.views.front.turn == TurnStatus::Busy {
            hints.key(self.keymap.label(Context::Global, Action::Escape), "composer");
        } else {
            hints.key(key(Action::FocusComposer), "composer");
        }
        hints.pair(key(Action::NextBlock), key(Action::PreviousBlock), "blocks");
        hints.key(key(Action::ToggleFold), "fold");
        hints.key(key(Action::ToggleAll), "all");
        hints.key(key(Action::CopyBlock), "copy");
        hints.key(key(Action::Open), "open");
        hints.key(key(Action::Search), "search");
        hints.key(key(Action::Select), "select");
        hints.key(key(Action::OpenPage(&page::KEYS)), "keys");
    }

    fn select_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Select, action);
        hints.say("selecting", Meaning::TextStrong);
        hints.key(key(Action::CopySelection), "copy");
        hints.key(key(Action::Open), "open");
        let pair = |one, other| format!("{} {}", key(Action::SelectTo(one)), key(Action::SelectTo(other)));
        hints.key(&pair(CaretMove::Down, CaretMove::Up), "rows");
        hints.key(&pair(CaretMove::WordRight, CaretMove::WordLeft), "words");
        hints.key(self.keymap.label(Context::Global, Action::Escape), "back");
    }

    fn question_hints(&self, layer: &dyn Layer, hints: &mut Hints<'_>) {
        layer.hints(hints, &self.keymap);
        if self.can_interrupt() {
            hints.key(
                self.keymap.label(Context::Global, Action::ClearOrQuit),
                "interrupt",
            );
        }
        // A form is not judged by the mode.
        if !matches!(layer.context(), Context::Form | Context::FormText) {
            hints.key(self.keymap.label(Context::Global, Action::CycleMode), "mode");
        }
    }

    fn composer_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Composer, action);
        let global = |action| self.keymap.label(Context::Global, action);
        self.vim_hints(hints);
        let is_on_chip = self.views.front.composer.is_on_chip();
        if is_on_chip {
            let is_file = self.views.front.composer.is_on_file();
            hints.key(
                key(Action::Send),
                if is_file { "details" } else { "open the paste" },
            );
        }
        if self.views.front.composer.has_selection() {
            hints.key(key(Action::CopyText), "copy");
            hints.key(key(Action::Edit(Edit::DeleteWordLeft)), "cut");
        }
        if self.views.front.task.is_some() {
            hints.key(global(Action::Escape), "back");
            if self.can_interrupt() {
                hints.key(global(Action::ClearOrQuit), "stop");
            }
        } else if self.can_interrupt() {
            let esc = global(Action::Escape);
            if self.views.front.esc.armed.is_some() {
                hints.say(&format!("{esc} again interrupts"), Meaning::Warning);
            } else {
                hints.key(esc, "interrupt");
            }
        } else if self.views.front.esc.armed.is_some() {
            let esc = global(Action::Escape);
            hints.say(
                &format!("{esc} again lists your messages to go back to"),
                Meaning::Text,
            );
        }
        if self.views.front.composer.begins_with('!') {
            if !is_on_chip {
                hints.key(key(Action::Send), "run in the shell");
            }
        } else if self.views.front.turn == TurnStatus::Busy {
            self.busy_hints(hints);
        } else {
            self.idle_hints(hints);
        }
        self.panel_offer(hints);
        if self.views.front.composer.is_empty() {
            hints.key(key(Action::HelpOrType), "keys");
        }
        hints.key(global(Action::CycleMode), "mode");
        if self.views.front.turn == TurnStatus::Idle && !self.views.front.composer.is_empty() {
            hints.key(key(Action::Newline), "newline");
        }
    }

    fn busy_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Composer, action);
        if !self.views.front.composer.is_on_chip() {
            hints.key(key(Action::Send), "steer");
        }
        match key(Action::Queue) {
            "" => hints.key(&self.keymap.after_leader(Action::QueueDraft), "queue"),
            queue => hints.key(queue, "queue"),
        }
        if !self.views.front.queue.is_empty() {
            let up = key_name(
                key(Action::Edit(Edit::Move(CaretMove::Up))),
                self.appearance.terminal_environment.symbols,
            );
            hints.key(up, "pending");
        }
    }

    fn idle_hints(&self, hints: &mut Hints<'_>) {
        let key = |action| self.keymap.label(Context::Composer, action);
        match &self.views.front.link {
            SessionLink::ReadOnly(reason) => {
                let words = format!("read only: {reason}");
                hints.say(&sanitize_line(&words), Meaning::Warning);
            }
            SessionLink::Gone => hints.say("no session is open", Meaning::Warning),
            SessionLink::Opening | SessionLink::Open => {
                let lacking = self.views.front.missing_model_words(&self.keymap);
                // What is said for a moment names it as well.
                if let Some(words) = lacking.filter(|_| self.views.front.remark.is_none()) {
                    hints.say(&words, Meaning::Warning);
                }
                let held = self.held_count();
                let verb = if held > 0 && self.views.front.composer.is_blank() {
                    format!("send {held} held")
                } else {
                    "send".to_owned()
                };
                if !self.views.front.composer.is_on_chip() {
                    hints.key(key(Action::Send), &verb);
                }
            }
        }
        if self.waiting_row().is_some() {
            hints.key(key(Action::NextAgent), "question");
        } else if self.views.front.agents.len() > 1 {
            hints.key(key(Action::NextAgent), "agent");
        }
        if matches!(self.views.front.link, SessionLink::Opening | SessionLink::Open) {
            self.sign_hints(hints);
        }
    }

    /// Signs that begin something else than words. A command begins a message.
    fn sign_hints(&self, hints: &mut Hints<'_>) {
        hints.key("@", "file");
        if self.views.front.composer.is_empty() {
            hints.key("/", "command");
            hints.key("!", "shell");
        }
    }
}
