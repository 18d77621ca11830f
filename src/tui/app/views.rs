//! The open conversations, and which of them is in front.

use super::session_view::SessionView;
use crate::tui::sessions::SlotId;

/// The open conversations. There is always one in front.
pub(super) struct OpenViews {
    /// The one that has the keys.
    pub(super) front: Box<SessionView>,
    /// The others, the last one that was in front first.
    pub(super) behind: Vec<Box<SessionView>>,
}

impl OpenViews {
    pub(super) fn new(front: SessionView) -> Self {
        Self {
            front: Box::new(front),
            behind: Vec::new(),
        }
    }

    /// Returns all of them, the one in front first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &SessionView> {
        let behind = self.behind.iter().map(|view| &**view);
        std::iter::once(&*self.front).chain(behind)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut SessionView> {
        let behind = self.behind.iter_mut().map(|view| &mut **view);
        std::iter::once(&mut *self.front).chain(behind)
    }

    pub(super) fn get(&self, slot: SlotId) -> Option<&SessionView> {
        self.iter().find(|view| view.slot == slot)
    }

    pub(super) fn get_mut(&mut self, slot: SlotId) -> Option<&mut SessionView> {
        self.iter_mut().find(|view| view.slot == slot)
    }

    /// Puts one in front, and the one that was there right behind it.
    pub(super) fn bring_to_front(&mut self, slot: SlotId) {
        if let Some(mut view) = self.remove(slot) {
            std::mem::swap(&mut self.front, &mut view);
            self.behind.insert(0, view);
        }
    }

    /// Takes one out that is not in front.
    pub(super) fn remove(&mut self, slot: SlotId) -> Option<Box<SessionView>> {
        let place = self.behind.iter().position(|view| view.slot == slot)?;
        Some(self.behind.remove(place))
    }
}
