//! The list above the composer that completes the word before the caret.
//!
//! It opens while a word is written that can be completed ([`Token`]), lies over the end of the transcript without moving
//! it, and closes with the word. Nothing here knows what is listed: whoever owns the composer gives the [`CompletionItem`]s, and does
//! what comes back from picking one. What was closed by hand stays closed for that word.

mod draw;
mod finder;
mod frecency;
mod layer;
mod token;

pub(crate) use draw::WIDE;
#[cfg(test)]
pub(crate) use finder::FoundPaths;
pub(crate) use finder::{Finder, FinderAnswer, FinderPaths, Request};
pub(crate) use frecency::Frecency;
pub(crate) use token::{Token, TokenKind};

use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use super::commands::Command;
use super::picker::Row;
use crate::session::AgentChoice;
use crate::text::fuzzy::{Matcher, Query};

/// Rows that are listed at most; who wants another one writes on.
const MOST: usize = 200;

/// One thing to complete a word with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CompletionItem {
    pub(crate) row: Row,
    pub(crate) pick: CompletionKind,
}

/// The effect of picking an entry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CompletionKind {
    /// It is written, and sent with that. Completing only writes it.
    Command(&'static Command),
    /// The same of one of the user's own, which may want something behind its name.
    Own {
        name: String,
        text: Arc<str>,
        wants_more: bool,
    },
    /// A path is written as a mention.
    File(String),
    /// The session goes on as it, and the word goes.
    Agent(AgentChoice),
}

#[derive(Default)]
pub(crate) struct Completion {
    state: CompletionState,
    /// The text was changed by writing since it was last looked at.
    is_written: bool,
    /// The word that paths are being looked for, and the number of that question.
    asked: Option<(u64, Token)>,
    /// The beginning of the file that was looked at last.
    look: Option<(String, String)>,
    matcher: Matcher,
    /// The rows of the last frame, with the head; empty where it was not drawn.
    area: Rect,
}

#[derive(Default)]
enum CompletionState {
    #[default]
    Closed,
    /// By hand, while this word was written.
    Dismissed(Token),
    Open(List),
}

struct List {
    token: Token,
    query: Query,
    items: Vec<CompletionItem>,
    selected: usize,
    top: usize,
    /// Columns of the widest title.
    title_columns: usize,
}

impl Completion {
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, CompletionState::Open(_))
    }

    /// The person wrote: a list may open with that.
    pub(crate) fn written(&mut self) {
        self.is_written = true;
    }

    /// Notes that paths are looked for, by the number of the question.
    pub(crate) fn ask(&mut self, question: u64, token: Token) {
        self.asked = Some((question, token));
    }

    /// Returns the word that an answer is for, unless nobody waits for it any more.
    pub(crate) fn answered(&mut self, question: u64) -> Option<Token> {
        let (asked, token) = self.asked.as_ref()?;
        (*asked == question).then(|| token.clone())
    }

    /// Returns true if a path without a sign is completed.
    pub(crate) fn is_of_path(&self) -> bool {
        let listed = match &self.state {
            CompletionState::Open(list) => Some(list.token.kind),
            CompletionState::Closed | CompletionState::Dismissed(_) => None,
        };
        let asked = self.asked.as_ref().map(|(_, token)| token.kind);
        listed.or(asked) == Some(TokenKind::Path)
    }

    /// Returns true if the list is not for the word as it stands, because the answer is on its way.
    pub(crate) fn is_stale(&self) -> bool {
        match (&self.state, &self.asked) {
            (CompletionState::Open(list), Some((_, token))) => list.token != *token,
            _ => false,
        }
    }

    /// Keeps the beginning of a file that was looked at.
    pub(crate) fn looked(&mut self, path: String, text: String) {
        self.look = Some((path, text));
    }

    /// Returns the file that the selection is on, if its beginning is not known yet.
    pub(crate) fn unseen(&self) -> Option<&str> {
        let (_, item) = self.selected()?;
        let CompletionKind::File(path) = &item.pick else {
            return None;
        };
        let is_known = self.look.as_ref().is_some_and(|(known, _)| known == path);
        (!is_known).then_some(path.as_str())
    }

    /// Takes in what the caret stands behind now, and says for which word items are wanted.
    pub(crate) fn settle(&mut self, token: Option<Token>) -> Option<Token> {
        let is_written = std::mem::take(&mut self.is_written);
        let Some(token) = token else {
            self.close();
            return None;
        };
        if self.asked.as_ref().is_some_and(|(_, asked)| *asked == token) {
            return None;
        }
        match &self.state {
            CompletionState::Open(list) if list.token == token => None,
            CompletionState::Open(list) if list.token.is_at(&token) => Some(token),
            CompletionState::Dismissed(word) if word.is_at(&token) => None,
            _ if is_written => Some(token),
            _ => {
                self.close();
                None
            }
        }
    }

    /// Lists these, the best first; with none there is no list.
    pub(crate) fn show(&mut self, token: Token, mut items: Vec<CompletionItem>) {
        items.truncate(MOST);
        if items.is_empty() {
            self.state = CompletionState::Closed;
            return;
        }
        let title_columns = draw::title_columns(&items);
        // A path stands in two columns, and a word is found in one of them.
        let query = Query::new(&token.text.replace('/', " "));
        // What was chosen by hand stays chosen while more is found for the same word.
        let chosen = match &self.state {
            CompletionState::Open(list) if list.token == token && list.selected > 0 => {
                let item = list.items.get(list.selected);
                items
                    .iter()
                    .position(|other| Some(&other.pick) == item.map(|item| &item.pick))
            }
            _ => None,
        };
        self.state = CompletionState::Open(List {
            query,
            token,
            items,
            selected: chosen.unwrap_or(0),
            top: 0,
            title_columns,
        });
    }

    /// Closes it for as long as this word is written.
    pub(crate) fn dismiss(&mut self) {
        if let CompletionState::Open(list) = &self.state {
            self.state = CompletionState::Dismissed(list.token.clone());
            self.asked = None;
        }
    }

    pub(crate) fn close(&mut self) {
        self.state = CompletionState::Closed;
        self.is_written = false;
        self.asked = None;
    }

    /// Moves the selection; from an end it goes on at the other.
    pub(crate) fn move_by(&mut self, rows: isize) {
        if let CompletionState::Open(list) = &mut self.state {
            let count = list.items.len() as isize;
            list.selected = (list.selected as isize + rows).rem_euclid(count) as usize;
        }
    }

    /// No frame has drawn it yet.
    pub(crate) fn begin_frame(&mut self) {
        self.area = Rect::default();
    }

    /// Returns true if it is drawn there.
    pub(crate) fn is_at(&self, position: Position) -> bool {
        self.area.contains(position)
    }

    /// Selects the entry that is drawn on a row of the screen; says whether there is one.
    pub(crate) fn select(&mut self, row: u16) -> bool {
        // The first row is the head.
        let Some(row) = row.checked_sub(self.area.y + 1).map(usize::from) else {
            return false;
        };
        let CompletionState::Open(list) = &mut self.state else {
            return false;
        };
        let place = list.top + row;
        if place < list.items.len() {
            list.selected = place;
        }
        place < list.items.len()
    }

    /// Returns the word and what it would be completed with.
    pub(crate) fn selected(&self) -> Option<(&Token, &CompletionItem)> {
        let CompletionState::Open(list) = &self.state else {
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
        items: impl Iterator<Item = CompletionItem>,
        bonus: impl Fn(&CompletionItem) -> u32,
    ) -> Vec<CompletionItem> {
        let query = Query::new(text);
        let scored = items.filter_map(|item| {
            let [name, _] = item.row.fields();
            // By the name alone: a slip of the finger must not do what only a description spells.
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
