//! The focused block: moving it, folding it, copying it.
//!
//! Steps walk from the focus and stop at the first block that fits; they are taken by a key and may look at many.

use super::block::{Block, Body};
use super::{ScrollMove, Transcript};
use crate::conversation::MessageId;

/// Direction of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl Direction {
    fn of(step: isize) -> Self {
        if step < 0 { Self::Up } else { Self::Down }
    }
}

impl Transcript {
    /// Moves the focus by blocks, down when positive. Without a focus it starts at the end of the screen.
    pub fn focus_move(&mut self, step: isize) {
        for _ in 0..step.unsigned_abs() {
            self.step(Direction::of(step), |_, block| block.is_shown());
        }
    }

    pub fn focus_first(&mut self) {
        let first = self.blocks.list.iter().position(Block::is_shown);
        self.focus_on(first);
        self.to_start();
    }

    pub fn focus_last(&mut self) {
        let last = self.blocks.list.iter().rposition(Block::is_shown);
        self.focus_on(last);
        self.to_end();
    }

    /// Moves the focus to the person's own next or previous message.
    pub fn own_message(&mut self, step: isize) -> bool {
        self.step(Direction::of(step), |_, block| {
            matches!(block.body, Body::User(_))
        })
    }

    /// Returns the person's message that the focused block belongs to, or the last one where none is focused.
    pub fn own_message_above(&self) -> Option<MessageId> {
        let last = self.blocks.list.len().checked_sub(1)?;
        let focus = self.focus.unwrap_or(last).min(last);
        let is_own = |block: &Block| matches!(block.body, Body::User(_));
        let place = self.blocks.list[..=focus].iter().rposition(is_own)?;
        self.blocks.message_of(place).cloned()
    }

    /// Returns the person's own messages with their words, the oldest first.
    pub fn own_messages(&self) -> Vec<(MessageId, String)> {
        let blocks = self.blocks.list.iter().enumerate();
        let own = blocks.filter_map(|(place, block)| match &block.body {
            Body::User(user) => Some((self.blocks.message_of(place)?.clone(), user.text.clone())),
            _ => None,
        });
        own.collect()
    }

    /// Moves the focus to the next or previous failure or question.
    pub fn next_failure(&mut self, step: isize) -> bool {
        self.step(Direction::of(step), Self::is_problem)
    }

    /// Returns true if there is a failure or a question at all.
    pub fn has_problem(&self) -> bool {
        let mut blocks = self.blocks.list.iter();
        blocks.any(|block| block.is_shown() && self.is_problem(block))
    }

    fn is_problem(&self, block: &Block) -> bool {
        match &block.body {
            Body::Call(call) => call.is_problem(&*self.cards),
            Body::Mark(mark) => mark.is_problem(),
            Body::User(_) | Body::Text(_) | Body::Reasoning(_) => false,
        }
    }

    pub fn clear_focus(&mut self) {
        self.focus = None;
    }

    /// Folds or unfolds the focused block.
    pub fn toggle_fold(&mut self) {
        let folds = |block: &Block| block.is_shown() && block.folds();
        let focused = |focus: &usize| self.blocks.list.get(*focus).is_some_and(folds);
        if let Some(index) = self.focus.filter(focused) {
            self.toggle(index);
        }
    }

    /// Folds or unfolds the newest card, wherever the focus is; says whether there is one.
    pub fn toggle_newest(&mut self) -> bool {
        let newest = self.newest_card();
        if let Some(index) = newest {
            self.toggle(index);
        }
        newest.is_some()
    }

    pub fn has_card(&self) -> bool {
        self.newest_card().is_some()
    }

    fn newest_card(&self) -> Option<usize> {
        let is_card = |block: &Block| block.is_shown() && matches!(block.body, Body::Call(_));
        self.blocks.list.iter().rposition(is_card)
    }

    fn toggle(&mut self, index: usize) {
        let is_unfolded = self.blocks.list[index].is_unfolded(self.reasoning_unfolded);
        self.blocks.list[index].fold(!is_unfolded);
        // It was to come on screen as it was, not as tall as it becomes.
        self.moves
            .retain(|step| !matches!(step, ScrollMove::Reveal(block) if *block == index));
        self.moves
            .extend([ScrollMove::Hold, ScrollMove::RevealHead(index)]);
    }

    /// Returns true if the focused block has a folded and an unfolded form.
    pub fn focused_folds(&self) -> bool {
        let focused = self.focus.and_then(|focus| self.blocks.list.get(focus));
        focused.is_some_and(Block::folds)
    }

    /// Unfolds everything; when something is unfolded already, folds everything.
    pub fn fold_all(&mut self) {
        let reasoning = self.reasoning_unfolded;
        let unfolds = !self
            .blocks
            .list
            .iter()
            .any(|block| block.folds() && block.is_unfolded(reasoning));
        self.reasoning_unfolded = false;
        for block in self.blocks.list.iter_mut().filter(|block| block.folds()) {
            block.fold(unfolds);
        }
        self.moves.push(ScrollMove::Hold);
        self.moves.extend(self.focus.map(ScrollMove::RevealHead));
    }

    /// Shows all reasoning in full, or each as one line.
    pub fn toggle_reasoning(&mut self) {
        self.reasoning_unfolded = !self.reasoning_unfolded;
        for block in &mut self.blocks.list {
            if matches!(block.body, Body::Reasoning(_)) {
                block.unfolded = None;
            }
        }
        self.moves.push(ScrollMove::Hold);
    }

    /// Returns the source of the focused block.
    pub fn copy_focused(&self) -> Option<String> {
        let block = self.blocks.list.get(self.focus?)?;
        let members = block.call().into_iter().flat_map(|call| call.group.members());
        let sources = members.map(|member| self.blocks.list[*member].source());
        let sources: Vec<String> = std::iter::once(block.source()).chain(sources).collect();
        Some(sources.join("\n"))
    }

    /// Returns the source of the model's last text.
    pub fn copy_answer(&self) -> Option<String> {
        let mut texts = self.blocks.list.iter().rev();
        texts
            .find(|block| matches!(block.body, Body::Text(_)) && block.is_shown())
            .map(Block::source)
    }

    /// Moves the focus to the next block that fits; says whether there was one.
    fn step(&mut self, direction: Direction, fits: impl Fn(&Self, &Block) -> bool) -> bool {
        let fits = |index: &usize| {
            let block = &self.blocks.list[*index];
            block.is_shown() && fits(self, block)
        };
        let count = self.blocks.list.len();
        // From nowhere, the first step leads to the last block on screen.
        let on_screen = self.shown.blocks.end.min(count);
        let found = match direction {
            Direction::Up => (0..self.focus.unwrap_or(on_screen).min(count)).rev().find(fits),
            Direction::Down => {
                let below = self.focus.map_or(on_screen.saturating_sub(1), |focus| focus + 1);
                (below..count).find(fits)
            }
        };
        self.focus_on(found);
        found.is_some()
    }

    fn focus_on(&mut self, block: Option<usize>) {
        if let Some(index) = block {
            self.focus = Some(index);
            self.moves.push(ScrollMove::Reveal(index));
        }
    }
}
