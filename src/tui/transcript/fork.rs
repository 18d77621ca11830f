//! Fork points: the place in the conversation that a block stands for.

use super::Transcript;
use super::block::{Block, Body};
use super::call::CallBlock;
use crate::conversation::MessageId;
use crate::session::host::ForkPoint;

/// Why nothing can be forked from a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForkRefusal {
    /// Nothing was said up to there.
    Nothing,
    /// The reply streams, or a call in it has no result yet.
    UnderWay,
}

impl Transcript {
    /// Returns where a fork from the focused block ends; without a focus, from all of it. A block between messages
    /// belongs to the one above it, one that stands for several calls to the last of them.
    pub fn fork_point(&self) -> Result<ForkPoint, ForkRefusal> {
        let last = self
            .blocks
            .list
            .len()
            .checked_sub(1)
            .ok_or(ForkRefusal::Nothing)?;
        let focus = self.focus.unwrap_or(last);
        let focused = self.blocks.list.get(focus).ok_or(ForkRefusal::Nothing)?;
        let last = focused.call().and_then(|call| call.group.members().last());
        let index = last.copied().unwrap_or(focus);
        let message = self.blocks.message_of(index).ok_or(ForkRefusal::Nothing)?.clone();
        if self.focus.is_some() && matches!(focused.body, Body::User(_)) {
            return Ok(ForkPoint::Before(message));
        }
        if self.is_under_way(&message) {
            return Err(ForkRefusal::UnderWay);
        }
        Ok(ForkPoint::After(message))
    }

    fn is_under_way(&self, message: &MessageId) -> bool {
        let mut calls = self.blocks.blocks_of(message).filter_map(Block::call);
        let is_open = |call: &CallBlock| !call.state.is_final() && !call.is_of_person();
        self.blocks.is_streaming(message) || calls.any(is_open)
    }
}
