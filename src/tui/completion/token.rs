//! What the caret stands behind: a word that can be completed.

use crate::tui::commands::is_name;

/// A word that begins with a sign, up to the caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The line it stands in.
    pub(crate) row: usize,
    /// Where its sign stands in the line, in bytes.
    pub(crate) start: usize,
    /// What stands behind the sign.
    pub(crate) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `/` at the beginning of all.
    Command,
}

impl Token {
    /// Finds the word that ends at the caret. `before` is its line up to there.
    pub(crate) fn before(before: &str, row: usize) -> Option<Self> {
        let text = before.strip_prefix('/').filter(|_| row == 0)?;
        let is_begun = text.is_empty() || is_name(text);
        is_begun.then(|| Self {
            kind: TokenKind::Command,
            row,
            start: 0,
            text: text.to_owned(),
        })
    }

    /// Whether it is the same word, perhaps further written.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        (self.kind, self.row, self.start) == (other.kind, other.row, other.start)
    }

    /// How many characters it takes, its sign included.
    pub(crate) fn characters(&self) -> usize {
        self.text.chars().count() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(before: &str) -> Option<String> {
        Token::before(before, 0).map(|token| token.text)
    }

    #[test]
    fn a_command_is_the_first_word_of_all() {
        assert_eq!(text("/").as_deref(), Some(""));
        assert_eq!(text("/mo").as_deref(), Some("mo"));
        for other in ["/model x", " /m", "a /m", "/usr/b", "", "m"] {
            assert_eq!(text(other), None, "{other}");
        }
        assert_eq!(Token::before("/mo", 1), None);
    }
}
