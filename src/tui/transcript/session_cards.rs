//! Cards of calls that only their session can draw: asked for once a block with such a call is on screen, drawn by its name
//! until they are there.

use crate::conversation::CallId;
use crate::session::query::Query;
use crate::view::card::Card;

use super::Transcript;
use super::block::Body;
use super::call::{CallBlock, Group};

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

impl Transcript {
    /// Returns the queries for cards of calls of the last frame that only the session can draw, each once.
    pub(crate) fn card_queries(&mut self) -> Vec<Query> {
        let mut queries = Vec::new();
        for index in self.shown.blocks.clone() {
            let Body::Call(call) = &self.blocks.list[index].body else {
                continue;
            };
            let shown = match call.group {
                Group::Follows(leader) => leader,
                Group::Alone | Group::Apart | Group::Leads(_) => index,
            };
            let expanded = self.blocks.list[shown].is_unfolded(self.reasoning_unfolded);
            let Body::Call(call) = &mut self.blocks.list[index].body else {
                continue;
            };
            let mut ask = |call: &mut CallBlock| {
                if call.ask_card(&*self.cards, expanded) {
                    let call = call.id.clone();
                    queries.push(Query::Card { call, expanded });
                }
            };
            ask(call);
            call.inner.iter_mut().for_each(ask);
        }
        queries
    }

    /// Takes in a card of the session; says whether anything changed.
    pub(crate) fn take_card(&mut self, call: &CallId, expanded: bool, card: Card) -> bool {
        self.blocks
            .change_call(call, |block| block.session_cards().take(expanded, card))
    }
}
