//! The text of a block, for searching and selecting: sanitised, without gutters, bars and soft breaks.
//!
//! A call's text is that of its card, so it differs by the fold; that of everything else is its source, and grows only
//! at its end.

use std::borrow::Cow;

use super::block::{Block, Body};
use super::call::{CallBlock, Group};
use super::cards::CardSource;
use super::group;
use crate::text::sanitize::sanitize;
use crate::tool::RenderCx;
use crate::view::Symbols;
use crate::view::card::{self, Asides, Card, FileTarget, SourceNotes};

/// A block, folded or not, whose text is read. One that is not shown has none.
#[derive(Clone, Copy)]
pub(super) struct BlockText<'a, 'c> {
    list: &'a [Block],
    index: usize,
    is_unfolded: bool,
    cards: &'c dyn CardSource,
}

impl<'a, 'c> BlockText<'a, 'c> {
    pub(super) fn of(list: &'a [Block], index: usize, is_unfolded: bool, cards: &'c dyn CardSource) -> Self {
        Self {
            list,
            index,
            is_unfolded,
            cards,
        }
    }

    pub(super) fn text(self) -> Cow<'a, str> {
        self.read(&mut CardTextReader::new(Asides::Without))
    }

    /// Returns the text with what stands beside its lines: as many lines, with their numbers and signs.
    pub(super) fn with_asides(self) -> Cow<'a, str> {
        self.read(&mut CardTextReader::new(Asides::With))
    }

    /// Returns the text, and where each diff begins in it.
    pub(super) fn with_diffs(self) -> (Cow<'a, str>, Vec<usize>) {
        let mut reader = CardTextReader::new(Asides::Without);
        let text = self.read(&mut reader);
        (text, reader.notes.diffs)
    }

    /// Returns the text, and where lines begin in it that are about a file of their own.
    pub(super) fn with_targets(self) -> (Cow<'a, str>, Vec<(usize, FileTarget)>) {
        let mut reader = CardTextReader::new(Asides::Without);
        reader.notes.targets = Some(Vec::new());
        let text = self.read(&mut reader);
        (text, reader.notes.targets.unwrap_or_default())
    }

    fn read(self, reader: &mut CardTextReader) -> Cow<'a, str> {
        let block = &self.list[self.index];
        match &block.body {
            _ if !block.is_shown() => Cow::Borrowed(""),
            Body::User(user) if user.files.is_empty() => sanitize(user.text.trim_end()),
            Body::User(user) => {
                let mut text = sanitize(user.text.trim_end()).into_owned();
                for file in &user.files {
                    text.push('\n');
                    if let Some(targets) = &mut reader.notes.targets {
                        targets.push((text.len(), file.target.clone()));
                    }
                    text.push('@');
                    text.push_str(&sanitize(&file.words));
                }
                Cow::Owned(text)
            }
            Body::Text(text) => sanitize(text.source.text()),
            Body::Reasoning(reasoning) => sanitize(reasoning.source.text()),
            Body::Mark(mark) => Cow::Owned(sanitize(&mark.source()).into_owned()),
            Body::Call(call) => Cow::Owned(match &call.group {
                Group::Leads(_) => self.shared(call, reader),
                Group::Alone | Group::Apart | Group::Follows(_) => self.single(call, reader),
            }),
        }
    }

    /// A call's card, or its title and the cards of the calls inside it.
    fn single(self, call: &CallBlock, reader: &mut CardTextReader) -> String {
        let cx = RenderCx::new(self.is_unfolded);
        let mut card = call.card(self.cards, cx);
        if !call.inner.is_empty() {
            card.body.clear();
        }
        let mut text = String::new();
        reader.push(&card, &mut text);
        for inner in &call.inner {
            text.push('\n');
            reader.push(&inner.card(self.cards, cx), &mut text);
        }
        text
    }

    /// The row that calls share, and below it each of them where it is unfolded.
    fn shared(self, leader: &CallBlock, reader: &mut CardTextReader) -> String {
        let calls = || group::calls(self.list, leader);
        let cards = group::cards(calls(), self.is_unfolded, self.cards);
        let mut text = card::source(&group::title(&cards, calls().count(), Symbols::Unicode));
        if let Some(targets) = &mut reader.notes.targets {
            targets.extend(cards.iter().filter_map(|card| Some((0, card.target.clone()?))));
        }
        for card in cards.iter().filter(|_| self.is_unfolded) {
            text.push('\n');
            reader.push(card, &mut text);
        }
        text
    }
}

/// Reads the text of cards, and takes notes.
struct CardTextReader {
    asides: Asides,
    notes: SourceNotes,
}

impl CardTextReader {
    fn new(asides: Asides) -> Self {
        Self {
            asides,
            notes: SourceNotes::default(),
        }
    }

    fn push(&mut self, card: &Card, text: &mut String) {
        card::push_source(card, self.asides, text, &mut self.notes);
    }
}
