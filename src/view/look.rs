//! The look that all drawing shares: the theme, the symbols and the highlighter.

use super::highlight::Highlighter;
use super::spinner;
use super::status::CardStatus;
use super::theme::{Meaning, Theme};
use crate::text::sanitize::Revealed;
use crate::text::width::ELLIPSIS;

use std::borrow::Cow;

use ratatui::style::Style;

/// How to draw. It is passed down by value.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    pub theme: &'a Theme,
    pub symbols: Symbols,
    pub highlighter: &'a Highlighter,
}

impl Look<'_> {
    pub(crate) fn style(&self, meaning: Meaning) -> Style {
        self.theme.style(meaning)
    }

    /// Identifies everything that changes how a text is laid out, but its width.
    pub fn key(&self) -> LookKey {
        LookKey {
            theme: self.theme.id(),
            symbols: self.symbols,
            is_plain: self.highlighter.is_plain(),
        }
    }
}

/// A part of the keys of layout caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LookKey {
    theme: u64,
    symbols: Symbols,
    is_plain: bool,
}

/// The signs that are drawn. Some terminals draw those of `Unicode` two columns wide; they get `Ascii`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Symbols {
    #[default]
    Unicode,
    Ascii,
}

impl Symbols {
    /// Returns the sign in a card's gutter; `frame` is the spinner's.
    pub fn status(self, status: CardStatus, frame: usize) -> &'static str {
        match (status, self) {
            (CardStatus::Waiting, Self::Unicode) => "○",
            (CardStatus::Waiting, Self::Ascii) => ".",
            (CardStatus::Running, Self::Unicode) => spinner::frame(frame),
            (CardStatus::Running, Self::Ascii) => "*",
            (CardStatus::Asking, _) => "?",
            (CardStatus::Done, Self::Unicode) => "●",
            (CardStatus::Done, Self::Ascii) => "+",
            (CardStatus::Look, Self::Unicode) => "▲",
            (CardStatus::Look, Self::Ascii) => "!",
            (CardStatus::Failed, Self::Unicode) => "✗",
            (CardStatus::Failed, Self::Ascii) => "x",
            (CardStatus::Denied, Self::Unicode) => "⊘",
            (CardStatus::Denied, Self::Ascii) => "-",
            (CardStatus::Interrupted, Self::Unicode) => "■",
            (CardStatus::Interrupted, Self::Ascii) => "#",
        }
    }

    /// Stands before what was taken away.
    pub fn minus(self) -> &'static str {
        self.pick("−", "-")
    }

    /// Stands between an agent and one that works for it.
    pub fn step(self) -> &'static str {
        self.pick("›", ">")
    }

    /// Stands between facts.
    pub fn dot(self) -> &'static str {
        self.pick("·", "-")
    }

    /// Stands between the width and the height of a picture.
    pub fn times(self) -> &'static str {
        self.pick("×", "x")
    }

    /// Stands for what was cut.
    pub fn ellipsis(self) -> &'static str {
        self.pick("…", "~")
    }

    /// Returns words that end with an ellipsis because more follows. It is no cut, so it is not written as one.
    pub fn plain_text(self, words: &str) -> Cow<'_, str> {
        match self {
            Self::Unicode => Cow::Borrowed(words),
            Self::Ascii => Cow::Owned(words.replace(ELLIPSIS, "...")),
        }
    }

    /// The same for text that a person judges.
    pub fn plain_revealed(self, words: &Revealed) -> Revealed {
        match self {
            Self::Unicode => words.clone(),
            Self::Ascii => words.spelled(ELLIPSIS, "..."),
        }
    }

    /// The bar of a quote or of the user's message.
    pub fn bar(self) -> &'static str {
        self.pick("┃", "|")
    }

    /// Runs down rows that are kept for something which did not come.
    pub fn gap(self) -> &'static str {
        self.pick("┊", ":")
    }

    /// One column of a rule.
    pub fn rule(self) -> &'static str {
        self.pick("─", "-")
    }

    /// One row of what parts two columns.
    pub fn divider(self) -> &'static str {
        self.pick("│", "|")
    }

    pub fn bullet(self) -> &'static str {
        self.pick("•", "*")
    }

    /// Stands before what is pinned.
    pub fn pin(self) -> &'static str {
        self.pick("▴", "^")
    }

    /// Stands before what is selected.
    pub fn pointer(self) -> &'static str {
        self.pick("❯", ">")
    }

    /// Returns the one of two signs that the terminal draws.
    pub fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Self::Unicode => unicode,
            Self::Ascii => ascii,
        }
    }
}

/// Returns the meaning of a status's colour.
pub fn status_meaning(status: CardStatus) -> Meaning {
    match status {
        CardStatus::Waiting => Meaning::StateWaiting,
        CardStatus::Running => Meaning::StateRunning,
        CardStatus::Asking => Meaning::StateAsking,
        CardStatus::Done => Meaning::StateDone,
        CardStatus::Look => Meaning::StateLook,
        CardStatus::Failed => Meaning::StateFailed,
        CardStatus::Denied => Meaning::StateDenied,
        CardStatus::Interrupted => Meaning::StateInterrupted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::width::str_width;

    #[test]
    fn each_status_has_its_own_sign_of_one_column() {
        let all = [
            CardStatus::Waiting,
            CardStatus::Running,
            CardStatus::Asking,
            CardStatus::Done,
            CardStatus::Look,
            CardStatus::Failed,
            CardStatus::Denied,
            CardStatus::Interrupted,
        ];
        for symbols in [Symbols::Unicode, Symbols::Ascii] {
            let mut signs: Vec<_> = all.map(|status| symbols.status(status, 3)).to_vec();
            assert!(signs.iter().all(|sign| str_width(sign) == 1));
            assert_eq!(symbols == Symbols::Ascii, signs.concat().is_ascii());
            signs.sort_unstable();
            signs.dedup();
            assert_eq!(signs.len(), all.len());
        }
    }
}
