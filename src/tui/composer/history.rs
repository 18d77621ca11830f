//! What was sent in this session, for `up` and `down`.

use super::Draft;

/// More than anybody walks back through.
const LIMIT: usize = 200;

#[derive(Debug, Default)]
pub(super) struct History {
    sent: Vec<Draft>,
    /// Where `up` has led, and what was being written when it was first pressed.
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

    pub(super) fn replace(&mut self, drafts: impl Iterator<Item = Draft>) {
        *self = Self::default();
        drafts.for_each(|draft| self.push(draft));
    }

    pub(super) fn leave(&mut self) {
        self.place = None;
    }

    /// Returns the one before; `current` gives what is being written.
    pub(super) fn older(&mut self, current: Draft) -> Option<Draft> {
        let index = self
            .place
            .as_ref()
            .map_or(self.sent.len(), |(index, _)| *index)
            .checked_sub(1)?;
        let draft = self.sent.get(index)?.clone();
        let written = match self.place.take() {
            Some((_, written)) => written,
            None => current,
        };
        self.place = Some((index, written));
        Some(draft)
    }

    pub(super) fn newer(&mut self) -> Option<Draft> {
        let (index, written) = self.place.take()?;
        match self.sent.get(index + 1) {
            Some(draft) => {
                self.place = Some((index + 1, written));
                Some(draft.clone())
            }
            None => Some(written),
        }
    }
}
