//! The word before the caret, if it can be completed.

use crate::session::mention::{starts_word, with_lines};
use crate::tui::commands::is_name;

/// A word that begins with a sign, up to the caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The line it stands in.
    pub(crate) row: usize,
    /// Byte offset of its sign in the line.
    pub(crate) start: usize,
    /// The text behind the sign, without quotes and lines.
    pub(crate) text: String,
    /// Lines that are named behind it, with their colon.
    pub(crate) lines: String,
    /// How many characters it takes, its sign included.
    pub(crate) characters: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `/` at the beginning of all.
    Command,
    /// `@` at the beginning of a word.
    Mention,
    /// A path without a sign; only a key asks for it.
    Path,
}

impl Token {
    /// Finds the word that ends at the caret. `before` is its line up to there.
    pub(crate) fn before(before: &str, row: usize) -> Option<Self> {
        if let Some(text) = before.strip_prefix('/').filter(|_| row == 0)
            && text.split('/').all(|part| part.is_empty() || is_name(part))
            && !text.starts_with('/')
        {
            return Some(Self::new(TokenKind::Command, row, 0, before, text));
        }
        let (start, _) = before
            .match_indices('@')
            .rfind(|(at, _)| starts_word(before[..*at].chars().next_back()))?;
        let word = &before[start + 1..];
        let text = match word.strip_prefix('"') {
            Some(quoted) if !quoted.contains('"') => quoted,
            Some(_) => return None,
            None if word.contains(char::is_whitespace) => return None,
            None => word,
        };
        Some(Self::new(TokenKind::Mention, row, start, &before[start..], text))
    }

    /// Finds the path that ends at the caret.
    pub(crate) fn path_before(before: &str, row: usize) -> Option<Self> {
        let start = before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let word = &before[start..];
        let is_path = word.contains('/') && !word.starts_with('@');
        is_path.then(|| Self::new(TokenKind::Path, row, start, word, word))
    }

    fn new(kind: TokenKind, row: usize, start: usize, whole: &str, text: &str) -> Self {
        let path = match kind {
            TokenKind::Mention => unfinished_lines(text),
            TokenKind::Command | TokenKind::Path => text,
        };
        Self {
            kind,
            row,
            start,
            text: path.to_owned(),
            lines: text[path.len()..].to_owned(),
            characters: whole.chars().count(),
        }
    }

    /// Returns the first of the lines that are named, from 1.
    pub(crate) fn first_line(&self) -> usize {
        let digits = self.lines.trim_start_matches(':').split('-').next();
        digits.and_then(|digits| digits.parse().ok()).unwrap_or(1)
    }

    /// Returns true if it is the same word, perhaps further written.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        (self.kind, self.row, self.start) == (other.kind, other.row, other.start)
    }
}

/// Takes lines off the end of a path, also while they are being written.
fn unfinished_lines(text: &str) -> &str {
    let (path, lines) = with_lines(text);
    if lines.is_some() {
        return path;
    }
    let begun = text.strip_suffix('-').or_else(|| text.strip_suffix(':'));
    match begun {
        Some(begun) if text.ends_with(':') => begun,
        Some(begun) if with_lines(begun).1.is_some() => with_lines(begun).0,
        _ => text,
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
        assert_eq!(text("/git/co").as_deref(), Some("git/co"), "of one's own");
        for other in ["/model x", " /m", "a /m", "//usr", "/2/a", "/a.rs", "", "m"] {
            assert_eq!(text(other), None, "{other}");
        }
        assert_eq!(Token::before("/mo", 1), None);
    }

    #[test]
    fn a_mention_begins_a_word_and_ends_with_it() {
        for (before, path, lines) in [
            ("@", "", ""),
            ("see @src/a", "src/a", ""),
            ("(@a", "a", ""),
            ("@a.rs:", "a.rs", ":"),
            ("@a.rs:1", "a.rs", ":1"),
            ("@a.rs:10-", "a.rs", ":10-"),
            ("@a.rs:10-40", "a.rs", ":10-40"),
            ("@\"my fi", "my fi", ""),
            ("@a @b", "b", ""),
        ] {
            let token = Token::before(before, 3).unwrap_or_else(|| panic!("{before}"));
            assert_eq!((&*token.text, &*token.lines), (path, lines), "{before}");
            assert!(before.chars().count() >= token.characters, "{before}");
        }
        for before in ["me@example", "@a ", "@\"a\"", "a"] {
            assert_eq!(text(before), None, "{before}");
        }
    }

    #[test]
    fn a_path_has_a_slash() {
        let path = |before| Token::path_before(before, 0).map(|token| token.text);
        assert_eq!(path("see ./sr").as_deref(), Some("./sr"));
        assert_eq!(path("~/d").as_deref(), Some("~/d"));
        for before in ["see sr", "", "@src/a"] {
            assert_eq!(path(before), None, "{before}");
        }
    }
}
