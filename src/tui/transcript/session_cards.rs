//! Cards of a call that only its session can draw, as far as they are there.

use crate::view::card::Card;

/// The session's cards of one call.
#[derive(Default)]
pub(super) struct SessionCards {
    short: SessionCard,
    expanded: SessionCard,
}

#[derive(Default)]
struct SessionCard {
    /// The newest that came; it stays while another is asked for.
    card: Option<Card>,
    is_asked: bool,
}

impl SessionCards {
    pub(super) fn get(&self, expanded: bool) -> Option<&Card> {
        let of = if expanded { &self.expanded } else { &self.short };
        of.card.as_ref()
    }

    pub(super) fn take(&mut self, expanded: bool, card: Card) {
        self.of(expanded).card = Some(card);
    }

    /// Returns true if it has to be asked for, and notes that it is.
    pub(super) fn ask(&mut self, expanded: bool) -> bool {
        !std::mem::replace(&mut self.of(expanded).is_asked, true)
    }

    /// The call has changed, so that its cards have to be asked for again.
    pub(super) fn outdate(&mut self) {
        self.short.is_asked = false;
        self.expanded.is_asked = false;
    }

    fn of(&mut self, expanded: bool) -> &mut SessionCard {
        if expanded {
            &mut self.expanded
        } else {
            &mut self.short
        }
    }
}
