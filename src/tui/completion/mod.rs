//! The list above the composer that completes the word before the caret.
//!
//! It opens while a word is written that can be completed ([`Token`]), lies over the end of the transcript without moving
//! it, and closes with the word. Nothing here knows what is listed: whoever owns the composer gives the [`Item`]s, and does
//! what comes back from picking one. What was closed by hand stays closed for that word.

mod draw;
mod token;

pub(crate) use token::{Token, TokenKind};

use super::picker::Row;
use crate::text::fuzzy::{Matcher, Query};

/// Rows that are listed at most; who wants another one writes on.
const MOST: usize = 200;

/// One thing to complete a word with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) row: Row,
    pub(crate) pick: Pick,
}

/// What picking it does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pick {
    /// It is written, and sent with that. Completing only writes it.
    Command(String),
}

#[derive(Default)]
pub(crate) struct Completion {
    state: State,
    /// The text was changed by writing since it was last looked at.
    is_written: bool,
    matcher: Matcher,
}

#[derive(Default)]
enum State {
    #[default]
    Closed,
    /// By hand, while this word was written.
    Dismissed(Token),
    Open(List),
}

struct List {
    token: Token,
    query: Query,
    items: Vec<Item>,
    selected: usize,
    top: usize,
    /// Columns of the widest title.
    title_columns: usize,
}

impl Completion {
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// The person wrote: a list may open with that.
    pub(crate) fn written(&mut self) {
        self.is_written = true;
    }

    /// Takes in what the caret stands behind now, and says for which word items are wanted.
    pub(crate) fn settle(&mut self, token: Option<Token>) -> Option<Token> {
        let is_written = std::mem::take(&mut self.is_written);
        let Some(token) = token else {
            self.state = State::Closed;
            return None;
        };
        match &self.state {
            State::Open(list) if list.token == token => None,
            State::Open(list) if list.token.is_at(&token) => Some(token),
            State::Dismissed(word) if word.is_at(&token) => None,
            _ if is_written => Some(token),
            _ => {
                self.state = State::Closed;
                None
            }
        }
    }

    /// Lists these, the best first; with none there is no list.
    pub(crate) fn show(&mut self, token: Token, mut items: Vec<Item>) {
        items.truncate(MOST);
        if items.is_empty() {
            self.state = State::Closed;
            return;
        }
        let title_columns = draw::title_columns(&items);
        self.state = State::Open(List {
            query: Query::new(&token.text),
            token,
            items,
            selected: 0,
            top: 0,
            title_columns,
        });
    }

    /// Closes it for as long as this word is written; says whether it was open.
    pub(crate) fn dismiss(&mut self) -> bool {
        let State::Open(list) = &self.state else {
            return false;
        };
        self.state = State::Dismissed(list.token.clone());
        true
    }

    pub(crate) fn close(&mut self) {
        self.state = State::Closed;
        self.is_written = false;
    }

    /// Moves the selection; from an end it goes on at the other.
    pub(crate) fn move_by(&mut self, rows: isize) {
        if let State::Open(list) = &mut self.state {
            let count = list.items.len() as isize;
            list.selected = (list.selected as isize + rows).rem_euclid(count) as usize;
        }
    }

    /// Selects a row as it is on screen; says whether there is one.
    pub(crate) fn select(&mut self, row: usize) -> bool {
        let State::Open(list) = &mut self.state else {
            return false;
        };
        let place = list.top + row;
        if place < list.items.len() {
            list.selected = place;
        }
        place < list.items.len()
    }

    /// Returns the word and what it would be completed with.
    pub(crate) fn selected(&self) -> Option<(&Token, &Item)> {
        let State::Open(list) = &self.state else {
            return None;
        };
        Some((&list.token, list.items.get(list.selected)?))
    }
}

impl Completion {
    /// Sorts what a word finds by its name, the best first; `bonus` raises what is used often. What is said about it finds
    /// nothing, so that a slip of the fingers does not do something else.
    pub(crate) fn rank(
        &mut self,
        text: &str,
        items: impl Iterator<Item = Item>,
        bonus: impl Fn(&Item) -> u32,
    ) -> Vec<Item> {
        let query = Query::new(text);
        let scored = items.filter_map(|item| {
            let [name, _] = item.row.fields();
            let score = self.matcher.score(&query, &[name])?;
            // What is written out is meant, however rarely it is used.
            let is_exact = name.trim_start_matches('/') == text;
            Some(((is_exact, score + bonus(&item)), item))
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, item)| item).collect()
    }
}
