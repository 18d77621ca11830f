//! The prompt history: `up` walks back through it, `ctrl+r` searches it, and what is sent or cleared joins it.
//!
//! The file is read when somebody first looks for something in it, and again for each search, as other lathes write it
//! too. The screen waits for neither.

use std::path::Path;
use std::time::Instant;

use super::pickers::{PROMPTS, PromptRows};
use super::{App, Effect};
use crate::tui::composer::Draft;
use crate::tui::prompts::PromptDraft;
use crate::tui::transcript::RedrawUrgency;

/// The part of the file that is being read, and the purpose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum HistoryRead {
    #[default]
    Nothing,
    /// For `up`, which has nothing older to show.
    Recall,
    Search,
}

impl HistoryRead {
    /// Shows nothing older when it has been read: meanwhile the person writes.
    pub(super) fn forget_recall(&mut self) {
        if *self == Self::Recall {
            *self = Self::Nothing;
        }
    }
}

impl App {
    /// Goes back: to what waits, then to what was written before.
    pub(super) fn recall(&mut self, now: Instant) {
        if !self.views.front.composer.walks_history() && self.focus_queue() {
            return;
        }
        self.older(now);
    }

    /// Shows what was written before this.
    pub(super) fn older(&mut self, now: Instant) {
        if self.views.front.composer.older() {
            self.draft_changed(now);
        } else if !self.views.front.composer.knows_earlier() && self.reading == HistoryRead::Nothing {
            self.reading = HistoryRead::Recall;
            self.effects.push(Effect::ReadPrompts);
        }
    }

    /// Has the file read for the list of prompts.
    pub(super) fn read_prompts(&mut self) {
        self.reading = HistoryRead::Search;
        self.effects.push(Effect::ReadPrompts);
    }

    /// Takes in what was read from the file, oldest first.
    pub(crate) fn prompts(&mut self, prompts: Vec<PromptDraft>, now: Instant) -> RedrawUrgency {
        let project = self.project().to_owned();
        let own = prompts.iter().filter(|prompt| prompt.project == project);
        self.views
            .front
            .composer
            .set_earlier(own.map(|prompt| prompt.draft.clone()));
        match std::mem::take(&mut self.reading) {
            HistoryRead::Nothing => {}
            HistoryRead::Recall => {
                if self.views.front.composer.older() {
                    self.draft_changed(now);
                }
            }
            HistoryRead::Search => {
                if let Some(picker) = self.open_picker(&PROMPTS) {
                    picker.fill(Box::new(PromptRows::new(prompts, &project)));
                }
            }
        }
        RedrawUrgency::Urgent
    }

    /// Puts a draft that was written before into the composer. Undo brings back what stood there.
    pub(super) fn write_again(&mut self, draft: Draft, now: Instant) {
        self.focus_composer();
        self.views.front.composer.replace(draft);
        self.draft_changed(now);
    }

    /// The project of the session on screen. One from elsewhere is known by its directory alone.
    pub(super) fn project(&self) -> &Path {
        if self.views.front.directory.starts_with(&self.project) {
            &self.project
        } else {
            &self.views.front.directory
        }
    }

    /// Keeps a draft in the history.
    pub(super) fn keep_prompt(&mut self, draft: &Draft, unsent: bool) {
        if !draft.is_blank() {
            self.effects.push(Effect::KeepPrompt(PromptDraft {
                draft: draft.clone(),
                project: self.project().to_owned(),
                unsent,
            }));
        }
    }

    /// Clears the composer. What stood there is in the history, and undo has it too.
    pub(super) fn clear_draft(&mut self, now: Instant) {
        let draft = self.views.front.composer.clear();
        self.keep_prompt(&draft, true);
        self.draft_changed(now);
    }
}
