//! Queries for the cards of calls that only their session can draw: such a card is asked for once its block is on screen, and
//! the call is drawn by its name until it is there.

use crate::conversation::CallId;
use crate::session::query::Query;
use crate::view::card::Card;

use super::Transcript;
use super::block::Body;
use super::call::{CallBlock, Group};

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
