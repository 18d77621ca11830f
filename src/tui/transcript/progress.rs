//! The state of the running turn, read from its blocks.

use std::time::{Duration, Instant};

use super::apply::Blocks;
use super::block::{Block, Body};
use super::call::CallBlock;
use super::cards::CardSource;
use super::layout::BlockLayout;
use super::turn::{TurnActivity, TurnProgress, WaitTarget};
use crate::tool::RenderCx;
use crate::view::card::Card;

impl Blocks {
    /// Returns what goes on, while a turn runs or a summary is written.
    pub(super) fn progress(&self, cards: &dyn CardSource, now: Instant) -> Option<TurnProgress> {
        let activity = match self.turn.summary {
            Some(since) => TurnActivity::Waiting {
                on: WaitTarget::Summary,
                since: Some(since),
            },
            None if !self.turn.is_busy => return None,
            None => self.activity(cards, now),
        };
        Some(TurnProgress {
            activity,
            started: self.turn.started,
            tokens: self.turn.tokens,
        })
    }

    /// Returns true if something goes on that does not wait for the person.
    pub(super) fn is_at_work(&self) -> bool {
        let is_asked = || self.open_calls().any(|(_, call)| call.is_asking());
        self.turn.summary.is_some() || self.turn.is_busy && !is_asked()
    }

    /// Notes, after each event, if only the person is waited for.
    pub(super) fn note_person(&mut self, now: Instant) {
        let is_asking = self.turn.is_busy && self.open_calls().any(|(_, call)| call.is_asking());
        let is_running = is_asking && self.open_calls().any(|(_, call)| call.is_running());
        self.turn.note_person(is_asking && !is_running, now);
    }

    fn activity(&self, cards: &dyn CardSource, now: Instant) -> TurnActivity {
        if let Some(retry) = self.turn.retry.filter(|retry| now < retry.due) {
            return TurnActivity::Retry {
                attempt: retry.attempt,
                most: retry.most,
                due: retry.due,
            };
        }
        if let Some((_, asking)) = self.open_calls().find(|(_, call)| call.is_asking()) {
            return TurnActivity::Asking {
                since: asking.waits_since(),
            };
        }
        let running = || self.open_calls().filter(|(_, call)| call.is_running());
        if let Some((index, call)) = running().next() {
            let (words, limit) = words(&self.list[index], call, cards);
            return TurnActivity::Call {
                words,
                limit,
                others: running().count() - 1,
            };
        }
        self.writing(cards, now).unwrap_or_else(|| self.turn.waiting())
    }

    /// Returns what the reply does that grows, unless it is silent.
    fn writing(&self, cards: &dyn CardSource, now: Instant) -> Option<TurnActivity> {
        let block = &self.list[self.turn.growing?];
        if self.turn.is_stalled(now) {
            return None;
        }
        match &block.body {
            Body::Text(text) if text.is_open => Some(TurnActivity::Writing),
            Body::Reasoning(reasoning) if reasoning.phase.is_open() => Some(TurnActivity::Thinking),
            Body::Call(call) if call.is_written() => Some(TurnActivity::Call {
                words: words(block, call, cards).0,
                limit: None,
                others: 0,
            }),
            _ => None,
        }
    }

    fn open_calls(&self) -> impl Iterator<Item = (usize, &CallBlock)> {
        let open = self.turn.open.iter();
        open.filter_map(|index| Some((*index, self.list[*index].call()?)))
    }
}

/// Names a call as its card does, and says after which time it is stopped.
fn words(block: &Block, call: &CallBlock, cards: &dyn CardSource) -> (String, Option<Duration>) {
    let face = block.cached_layout.as_ref().and_then(BlockLayout::face);
    let named = |card: &Card| (format!("{} {}", card.title, card.argument), card.limit);
    match face.filter(|face| face.shared.is_none()) {
        Some(face) => named(&face.card),
        None => named(&call.card(cards, RenderCx::FOLDED)),
    }
}
