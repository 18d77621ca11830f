//! Searching: `/`, and `n` `N` after it.
//!
//! It searches the text of all blocks as if they were unfolded, without laying them out. A block is counted once for
//! each change of it; a query that became longer is counted only where the shorter one was found. A match in a folded
//! block unfolds it while the search stands there, and what is found elsewhere but not drawn is marked.

use std::fmt::Write;

use regex::{Regex, RegexBuilder};

use super::Transcript;
use super::apply::Blocks;
use super::block::Body;
use super::cards::CardSource;
use super::text::BlockText;
use super::viewport::Anchor;

#[derive(Default)]
pub(super) struct TranscriptSearch {
    query: String,
    pub(super) pattern: Option<Regex>,
    /// Tells patterns apart.
    pub(super) number: u64,
    counts: Vec<Count>,
    total: usize,
    pub(super) current: Option<Hit>,
    /// The current match is to come on screen.
    pub(super) is_due: bool,
    origin: Option<Origin>,
    opened: Option<UnfoldedBlock>,
}

/// The matches of one block.
#[derive(Debug, Clone, Copy)]
struct Count {
    revision: u32,
    matches: usize,
    /// Only the end of its output is there to be searched.
    is_cut: bool,
}

/// One match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) block: usize,
    /// Of the block's matches, counted from 0.
    pub(super) nth: usize,
}

/// View before the search began.
struct Origin {
    anchor: Anchor,
    focus: Option<usize>,
    top: usize,
}

/// A block that was unfolded for its match, and what it was before.
struct UnfoldedBlock {
    block: usize,
    before: Option<bool>,
}

/// How a search stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Counted from 1; 0 where there is none.
    pub current: usize,
    pub total: usize,
    /// Outputs that are searched only as far as they are shown.
    pub cut: usize,
}

impl TranscriptSearch {
    /// Counts what has changed since it was last counted.
    pub(super) fn refresh(&mut self, blocks: &Blocks, cards: &dyn CardSource) {
        let Some(pattern) = &self.pattern else { return };
        for (index, block) in blocks.list.iter().enumerate() {
            let counted = self.counts.get(index).map(|count| count.revision);
            if counted == Some(block.revision) {
                continue;
            }
            let count = Count {
                revision: block.revision,
                matches: pattern
                    .find_iter(&BlockText::of(&blocks.list, index, true, cards).text())
                    .count(),
                is_cut: matches!(&block.body, Body::Call(call) if call.has_kept_output()),
            };
            match self.counts.get_mut(index) {
                Some(before) => *before = count,
                None => self.counts.push(count),
            }
        }
        self.total = self.counts.iter().map(|count| count.matches).sum();
        let left = |hit: &Hit| self.counts.get(hit.block).map_or(0, |count| count.matches);
        self.current = self.current.and_then(|hit| {
            let last = left(&hit).checked_sub(1)?;
            Some(Hit {
                nth: hit.nth.min(last),
                ..hit
            })
        });
    }

    fn set(&mut self, query: &str) {
        let is_narrower = !self.query.is_empty() && query.starts_with(&self.query);
        if is_narrower {
            // What has nothing of the shorter query has nothing of this one.
            for count in self.counts.iter_mut().filter(|count| count.matches > 0) {
                count.revision = count.revision.wrapping_sub(1);
            }
        } else {
            self.counts.clear();
        }
        query.clone_into(&mut self.query);
        self.pattern = pattern(query);
        self.number += 1;
        self.total = 0;
        self.current = None;
    }

    pub(super) fn matches(&self, block: usize) -> usize {
        self.counts.get(block).map_or(0, |count| count.matches)
    }

    fn tally(&self) -> Tally {
        let before = |hit: Hit| {
            self.counts[..hit.block]
                .iter()
                .map(|count| count.matches)
                .sum::<usize>()
        };
        Tally {
            current: self.current.map_or(0, |hit| before(hit) + hit.nth + 1),
            total: self.total,
            cut: self.counts.iter().filter(|count| count.is_cut).count(),
        }
    }

    /// Returns the first match at or after a block, else the nearest one above.
    fn nearest(&self, block: usize) -> Option<Hit> {
        let has_some = |index: &usize| self.matches(*index) > 0;
        let below = (block..self.counts.len()).find(has_some);
        let above = || (0..block.min(self.counts.len())).rev().find(has_some);
        let first = below.map(|block| Hit { block, nth: 0 });
        first.or_else(|| {
            above().map(|block| Hit {
                block,
                nth: self.matches(block) - 1,
            })
        })
    }

    /// Returns the match after or before this one, around the ends.
    fn step(&self, from: Hit, is_down: bool) -> Option<Hit> {
        let count = self.counts.len();
        let has_some = |index: &usize| self.matches(*index) > 0;
        if is_down {
            if from.nth + 1 < self.matches(from.block) {
                return Some(Hit {
                    nth: from.nth + 1,
                    ..from
                });
            }
            let next = (from.block + 1..count).chain(0..=from.block).find(has_some);
            return next.map(|block| Hit { block, nth: 0 });
        }
        if let Some(nth) = from.nth.checked_sub(1) {
            return Some(Hit { nth, ..from });
        }
        let before = (0..from.block).rev().chain((from.block..count).rev());
        before.into_iter().find(has_some).map(|block| Hit {
            block,
            nth: self.matches(block) - 1,
        })
    }
}

impl Transcript {
    /// Begins a search; what is found is shown as the query is typed.
    pub fn search(&mut self) {
        self.end_search();
        self.search = Some(TranscriptSearch {
            origin: Some(Origin {
                anchor: self.anchor,
                focus: self.focus,
                top: self.shown.blocks.start,
            }),
            ..TranscriptSearch::default()
        });
    }

    /// Searches for this. A query without capitals finds them too; a blank stands for any blanks.
    pub fn search_for(&mut self, query: &str) {
        let Some(mut search) = self.search.take() else {
            return;
        };
        search.set(query);
        search.refresh(&self.blocks, &*self.cards);
        let from = search.origin.as_ref().map_or(0, |origin| origin.top);
        search.current = search.nearest(from);
        self.go_to_current(&mut search);
        if search.current.is_none()
            && let Some(origin) = &search.origin
        {
            (self.anchor, self.focus) = (origin.anchor, origin.focus);
            self.moves.clear();
        }
        self.search = Some(search);
    }

    /// Goes on to the next match, or back; says whether there is one.
    pub fn search_step(&mut self, step: isize) -> bool {
        let Some(mut search) = self.search.take() else {
            return false;
        };
        search.refresh(&self.blocks, &*self.cards);
        let from = self.focus.unwrap_or(self.shown.blocks.start);
        search.current = match search.current {
            Some(hit) => search.step(hit, step > 0),
            None => search.nearest(from),
        };
        self.go_to_current(&mut search);
        let is_found = search.current.is_some();
        self.search = Some(search);
        is_found
    }

    /// Stays at the match; `search_step` goes on from there.
    pub fn keep_search(&mut self) {
        if let Some(search) = &mut self.search {
            search.origin = None;
            if search.total == 0 {
                self.search = None;
            }
        }
    }

    /// Ends the search. Where it was not kept, the reader is back where it began.
    pub fn end_search(&mut self) {
        let Some(mut search) = self.search.take() else {
            return;
        };
        let Some(origin) = search.origin.take() else {
            return;
        };
        self.fold_opened(&mut search);
        (self.anchor, self.focus) = (origin.anchor, origin.focus);
        self.moves.clear();
    }

    /// Returns how the search stands, while there is one.
    pub fn search_tally(&self) -> Option<Tally> {
        self.search.as_ref().map(TranscriptSearch::tally)
    }

    /// Focuses the block of the current match and unfolds it where the match is not seen otherwise.
    fn go_to_current(&mut self, search: &mut TranscriptSearch) {
        let Some(hit) = search.current else {
            return self.fold_opened(search);
        };
        if search
            .opened
            .as_ref()
            .is_some_and(|opened| opened.block != hit.block)
        {
            self.fold_opened(search);
        }
        let block = &self.blocks.list[hit.block];
        let is_unfolded = block.is_unfolded(self.reasoning_unfolded);
        if block.folds() && !is_unfolded && !self.shows_all_folded(search, hit.block) {
            search.opened.get_or_insert(UnfoldedBlock {
                block: hit.block,
                before: block.unfolded,
            });
            self.blocks.list[hit.block].fold(true);
        }
        search.is_due = true;
        self.focus = Some(hit.block);
        self.moves.clear();
    }

    /// Returns true if a folded block has as many matches as it has unfolded, so that nothing is gained by unfolding
    /// it.
    fn shows_all_folded(&self, search: &TranscriptSearch, block: usize) -> bool {
        let Some(pattern) = &search.pattern else {
            return true;
        };
        let is_card = matches!(self.blocks.list[block].body, Body::Call(_));
        let text = BlockText::of(&self.blocks.list, block, false, &*self.cards).text();
        is_card && pattern.find_iter(&text).count() == search.matches(block)
    }

    fn fold_opened(&mut self, search: &mut TranscriptSearch) {
        if let Some(opened) = search.opened.take()
            && let Some(block) = self.blocks.list.get_mut(opened.block)
        {
            block.unfolded = opened.before;
        }
    }
}

/// Longest query in bytes: a text of this length becomes an expression within a frame.
const MAX_QUERY: usize = 4096;

/// Returns what finds a query; `None` where there is nothing to find.
pub(in crate::tui) fn pattern(query: &str) -> Option<Regex> {
    if query.trim().is_empty() || query.len() > MAX_QUERY {
        return None;
    }
    let mut expression = String::new();
    let mut words = query.split(char::is_whitespace).peekable();
    while let Some(word) = words.next() {
        expression.push_str(&regex::escape(word));
        if words.peek().is_some() && !expression.ends_with(r"\s+") {
            // Writing to a string cannot fail.
            let _ = write!(expression, r"\s+");
        }
    }
    let has_capitals = query.chars().any(char::is_uppercase);
    RegexBuilder::new(&expression)
        .case_insensitive(!has_capitals)
        .build()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(query: &str, text: &'a str) -> Vec<&'a str> {
        pattern(query)
            .map(|pattern| pattern.find_iter(text).map(|found| found.as_str()).collect())
            .unwrap_or_default()
    }

    #[test]
    fn capitals_count_once_one_is_typed() {
        assert_eq!(found("retry", "Retry retry RETRY"), ["Retry", "retry", "RETRY"]);
        assert_eq!(found("Retry", "Retry retry RETRY"), ["Retry"]);
    }

    #[test]
    fn a_query_is_no_expression_and_blanks_cross_lines() {
        assert_eq!(found("a.b(", "a.b( axb("), ["a.b("]);
        assert_eq!(found("one  two", "one two one\n  two"), ["one two", "one\n  two"]);
        assert_eq!(found("  ", "a  b"), [""; 0]);
    }
}
