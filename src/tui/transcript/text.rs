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

/// Returns the text of a block, folded or not. One that is not shown has none.
pub(super) fn text<'a>(
    list: &'a [Block],
    index: usize,
    is_unfolded: bool,
    cards: &dyn CardSource,
) -> Cow<'a, str> {
    read(
        list,
        index,
        is_unfolded,
        cards,
        &mut CardTextReader::new(Asides::Without),
    )
}

/// Returns the same with what stands beside its lines: as many lines, with their numbers and signs.
pub(super) fn text_with_asides<'a>(
    list: &'a [Block],
    index: usize,
    is_unfolded: bool,
    cards: &dyn CardSource,
) -> Cow<'a, str> {
    read(
        list,
        index,
        is_unfolded,
        cards,
        &mut CardTextReader::new(Asides::With),
    )
}

/// Returns the text, and where each diff begins in it.
pub(super) fn text_and_diffs<'a>(
    list: &'a [Block],
    index: usize,
    is_unfolded: bool,
    cards: &dyn CardSource,
) -> (Cow<'a, str>, Vec<usize>) {
    let mut reader = CardTextReader::new(Asides::Without);
    let text = read(list, index, is_unfolded, cards, &mut reader);
    (text, reader.notes.diffs)
}

/// Returns the text, and where lines begin in it that are about a file of their own.
pub(super) fn text_and_targets<'a>(
    list: &'a [Block],
    index: usize,
    is_unfolded: bool,
    cards: &dyn CardSource,
) -> (Cow<'a, str>, Vec<(usize, FileTarget)>) {
    let mut reader = CardTextReader::new(Asides::Without);
    reader.notes.targets = Some(Vec::new());
    let text = read(list, index, is_unfolded, cards, &mut reader);
    (text, reader.notes.targets.unwrap_or_default())
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

fn read<'a>(
    list: &'a [Block],
    index: usize,
    is_unfolded: bool,
    cards: &dyn CardSource,
    reader: &mut CardTextReader,
) -> Cow<'a, str> {
    let block = &list[index];
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
            Group::Leads(members) => shared(list, call, members, is_unfolded, cards, reader),
            Group::Alone | Group::Apart | Group::Follows(_) => single(call, is_unfolded, cards, reader),
        }),
    }
}

/// A call's card, or its title and the cards of the calls inside it.
fn single(
    call: &CallBlock,
    is_unfolded: bool,
    cards: &dyn CardSource,
    reader: &mut CardTextReader,
) -> String {
    let cx = RenderCx {
        expanded: is_unfolded,
    };
    let mut card = call.card(cards, cx);
    if !call.inner.is_empty() {
        card.body.clear();
    }
    let mut text = String::new();
    reader.push(&card, &mut text);
    for inner in &call.inner {
        text.push('\n');
        reader.push(&inner.card(cards, cx), &mut text);
    }
    text
}

/// The row that calls share, and below it each of them where it is unfolded.
fn shared(
    list: &[Block],
    leader: &CallBlock,
    members: &[usize],
    is_unfolded: bool,
    source: &dyn CardSource,
    reader: &mut CardTextReader,
) -> String {
    let calls = || group::calls(list, leader, members);
    let cards = group::cards(calls(), is_unfolded, source);
    let mut text = card::source(&group::title(&cards, calls().count(), Symbols::Unicode));
    if let Some(targets) = &mut reader.notes.targets {
        targets.extend(cards.iter().filter_map(|card| Some((0, card.target.clone()?))));
    }
    for card in cards.iter().filter(|_| is_unfolded) {
        text.push('\n');
        reader.push(card, &mut text);
    }
    text
}
