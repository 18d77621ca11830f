//! What a block holds as text, for searching and selecting: sanitised, without gutters, bars and soft breaks.
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
use crate::view::{Symbols, card};

/// Returns the text of a block, folded or not. One that is not shown has none.
pub(super) fn text<'a>(
    list: &'a [Block],
    index: usize,
    is_unfolded: bool,
    cards: &dyn CardSource,
) -> Cow<'a, str> {
    text_and_diffs(list, index, is_unfolded, cards, &mut Vec::new())
}

/// Returns the same, and adds to `diffs` where each diff begins in it.
pub(super) fn text_and_diffs<'a>(
    list: &'a [Block],
    index: usize,
    is_unfolded: bool,
    cards: &dyn CardSource,
    diffs: &mut Vec<usize>,
) -> Cow<'a, str> {
    let block = &list[index];
    match &block.body {
        _ if !block.is_shown() => Cow::Borrowed(""),
        Body::User(user) if user.files.is_empty() => sanitize(user.text.trim_end()),
        Body::User(user) => {
            let files = user.files.iter().map(|file| format!("\n@{file}"));
            let text = user.text.trim_end().to_owned() + &files.collect::<String>();
            Cow::Owned(sanitize(&text).into_owned())
        }
        Body::Text(text) => sanitize(text.source.text()),
        Body::Reasoning(reasoning) => sanitize(reasoning.source.text()),
        Body::Mark(mark) => Cow::Owned(sanitize(&mark.source()).into_owned()),
        Body::Call(call) => Cow::Owned(match &call.group {
            Group::Leads(members) => shared(list, call, members, is_unfolded, cards, diffs),
            Group::Alone | Group::Apart | Group::Follows(_) => single(call, is_unfolded, cards, diffs),
        }),
    }
}

/// A call's card, or its title and the cards of the calls inside it.
fn single(call: &CallBlock, is_unfolded: bool, cards: &dyn CardSource, diffs: &mut Vec<usize>) -> String {
    let cx = RenderCx {
        expanded: is_unfolded,
    };
    let mut card = call.card(cards, cx);
    if !call.inner.is_empty() {
        card.body.clear();
    }
    let mut text = String::new();
    card::push_source(&card, &mut text, diffs);
    for inner in &call.inner {
        text.push('\n');
        card::push_source(&inner.card(cards, cx), &mut text, diffs);
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
    diffs: &mut Vec<usize>,
) -> String {
    let calls = || group::calls(list, leader, members);
    let cards = group::cards(calls(), is_unfolded, source);
    let mut text = card::source(&group::title(&cards, calls().count(), Symbols::Unicode));
    for card in cards.iter().filter(|_| is_unfolded) {
        text.push('\n');
        card::push_source(card, &mut text, diffs);
    }
    text
}
