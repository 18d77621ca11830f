//! The history for `up` and `down`: prompts that were sent or cleared in this session, and before that those of this
//! project, also of other sessions and in other terminals.

use std::collections::HashSet;

use super::Draft;

/// More than anybody walks back through.
const LIMIT: usize = 200;

#[derive(Debug, Default)]
pub(super) struct History {
    /// Of the project, oldest first. `None` until it was read.
    earlier: Option<Vec<Draft>>,
    sent: Vec<Draft>,
    /// Position in the history, and the draft from before `up` was first pressed.
    place: Option<(usize, Draft)>,
}

impl History {
    pub(super) fn push(&mut self, draft: Draft) {
        self.place = None;
        if self.sent.last() != Some(&draft) {
            self.sent.push(draft);
        }
        if self.sent.len() > LIMIT {
            self.sent.remove(0);
        }
    }

    /// Forgets everything for what a session's user wrote before, oldest first.
    pub(super) fn replace(&mut self, drafts: impl Iterator<Item = Draft>) {
        *self = Self::default();
        drafts.for_each(|draft| self.push(draft));
    }

    /// Takes what was written in the project, oldest first. What this session has itself is not there twice.
    pub(super) fn set_earlier(&mut self, drafts: impl Iterator<Item = Draft>) {
        let own: HashSet<String> = self.sent.iter().map(Draft::expanded).collect();
        let is_elsewhere = |draft: &Draft| !own.contains(&draft.expanded());
        let mut earlier: Vec<Draft> = drafts.filter(is_elsewhere).collect();
        earlier.drain(..earlier.len().saturating_sub(LIMIT));
        if let Some((place, _)) = &mut self.place {
            let before = self.earlier.as_ref().map_or(0, Vec::len);
            *place = *place - before.min(*place) + earlier.len();
        }
        self.earlier = Some(earlier);
    }

    pub(super) fn knows_earlier(&self) -> bool {
        self.earlier.is_some()
    }

    /// Returns true if the text in the composer comes from here.
    pub(super) fn is_walked(&self) -> bool {
        self.place.is_some()
    }

    pub(super) fn leave(&mut self) {
        self.place = None;
    }

    /// Returns the newest that reads like this.
    pub(super) fn like(&self, text: &str) -> Option<&Draft> {
        self.sent.iter().rev().find(|draft| draft.expanded() == text)
    }

    /// Returns the one before; `current` gives what is being written.
    pub(super) fn older(&mut self, current: Draft) -> Option<Draft> {
        let index = self
            .place
            .as_ref()
            .map_or(self.len(), |(index, _)| *index)
            .checked_sub(1)?;
        let draft = self.get(index)?.clone();
        let written = match self.place.take() {
            Some((_, written)) => written,
            None => current,
        };
        self.place = Some((index, written));
        Some(draft)
    }

    pub(super) fn newer(&mut self) -> Option<Draft> {
        let (index, written) = self.place.take()?;
        match self.get(index + 1).cloned() {
            Some(draft) => {
                self.place = Some((index + 1, written));
                Some(draft)
            }
            None => Some(written),
        }
    }

    fn earlier(&self) -> &[Draft] {
        self.earlier.as_deref().unwrap_or_default()
    }

    fn len(&self) -> usize {
        self.earlier().len() + self.sent.len()
    }

    fn get(&self, index: usize) -> Option<&Draft> {
        let earlier = self.earlier();
        match index.checked_sub(earlier.len()) {
            Some(index) => self.sent.get(index),
            None => earlier.get(index),
        }
    }
}
