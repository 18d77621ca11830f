//! Levels of exactness at which a line of a patch matches a line of the file.

use std::borrow::Cow;

/// From exact to loose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Level {
    #[default]
    Exact,
    /// White space at the end counts for nothing.
    Trailing,
    /// Nor at the beginning.
    Trimmed,
    /// Nor does it matter whether dashes, quotes, ellipses and blanks are those of a typewriter.
    Folded,
}

impl Level {
    pub(super) const ALL: [Self; 4] = [Self::Exact, Self::Trailing, Self::Trimmed, Self::Folded];

    /// Returns the name that results carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns what has to be equal of two lines that match.
    pub(super) fn key(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => line.into(),
            Self::Trailing => line.trim_end().into(),
            Self::Trimmed => line.trim().into(),
            Self::Folded => fold(line.trim()),
        }
    }
}

fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => folded.push('-'),
            '\u{2018}'..='\u{201b}' => folded.push('\''),
            '\u{201c}'..='\u{201f}' => folded.push('"'),
            '\u{2026}' => folded.push_str("..."),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => folded.push(' '),
            other => folded.push(other),
        }
    }
    folded.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_forgives_more_than_the_one_before() {
        let first_equal = |one: &str, two: &str| {
            Level::ALL
                .into_iter()
                .find(|level| level.key(one) == level.key(two))
                .map(Level::as_str)
        };
        assert_eq!(first_equal("a b", "a b"), Some("exact"));
        assert_eq!(first_equal("a b", "a b \t"), Some("trailing"));
        assert_eq!(first_equal("a b", "\ta b "), Some("trimmed"));
        assert_eq!(
            first_equal(
                "\u{201c}a\u{201d}\u{a0}\u{2014} \u{2018}b\u{2019}\u{2026}",
                "\"a\" - 'b'..."
            ),
            Some("folded")
        );
        assert_eq!(first_equal("a b", "ab"), None);
    }
}
