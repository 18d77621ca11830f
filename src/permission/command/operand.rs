//! A word of a command as a path.

use super::word::{Variable, Word, braces};

/// A word, or the part of one, that names a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOperand {
    /// Cut at the first wildcard.
    pub text: String,
    /// True if a leading `~` stands for a home directory.
    pub tilde: bool,
    /// The directory that comes before the text.
    pub variable: Option<Variable>,
    /// `~somebody`, `$x`: only the shell knows where that is.
    pub dynamic: bool,
    /// The rest behind the text, from the first wildcard on.
    pub wildcards: String,
    /// Of a word that only the shell knows: the paths that it begins with, ends in, and is where nothing stands for the
    /// unknown parts.
    pub known_parts: Vec<String>,
}

impl PathOperand {
    /// A text that stands for a path without quotes around it: `~/x`.
    pub fn of_text(text: &str) -> Self {
        Self {
            tilde: text.starts_with('~'),
            ..literal(text)
        }
    }

    pub(super) fn home() -> Self {
        Self {
            tilde: true,
            ..literal("~")
        }
    }
}

pub fn operand(word: &Word) -> PathOperand {
    if word.is_dynamic() {
        return PathOperand {
            dynamic: true,
            known_parts: literal_parts(word),
            ..literal(&word.text)
        };
    }
    let text = before_glob(word);
    let wildcards = word.text[text.len()..].to_owned();
    if let Some(variable) = word.variable {
        return PathOperand {
            variable: Some(variable),
            wildcards,
            ..literal(&text[word.variable_end..])
        };
    }
    let is_home = text == "~" || text.starts_with("~/");
    PathOperand {
        tilde: word.tilde && is_home,
        dynamic: word.tilde && !is_home,
        wildcards,
        ..literal(text)
    }
}

fn literal_parts(word: &Word) -> Vec<String> {
    let text = word.text.as_str();
    let (Some(first), Some(last)) = (word.expansions.first(), word.expansions.last()) else {
        // Braces beside quotes.
        return braces(text).unwrap_or_default();
    };
    let (beginning, end) = (&text[..first.range.start], &text[last.range.end..]);
    let rest = word.with_expansions("");
    let directory = beginning.rfind('/').map(|slash| beginning[..=slash].to_owned());
    let below = end.find('/').map(|slash| end[slash + 1..].to_owned());
    let mut parts: Vec<String> = directory.into_iter().chain(below).chain([rest]).collect();
    parts.retain(|part| !part.is_empty() && part != "/");
    parts.dedup();
    parts
}

pub(super) fn literal(text: &str) -> PathOperand {
    PathOperand {
        text: text.to_owned(),
        tilde: false,
        variable: None,
        dynamic: false,
        wildcards: String::new(),
        known_parts: Vec::new(),
    }
}

/// The values of one option, in each of its spellings.
pub(super) fn option_values(words: &[Word], letter: char, long: &str) -> Vec<PathOperand> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = || words.get(at + 1).map(operand);
        if let Some(name) = word.text.strip_prefix("--") {
            match name.split_once('=') {
                Some((name, value)) if name == long => found.push(literal(value)),
                None if name == long => found.extend(next()),
                _ => {}
            }
            continue;
        }
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        match letters.split_once(letter) {
            Some((_, "")) => found.extend(next()),
            Some((_, value)) => found.push(literal(value)),
            None => {}
        }
    }
    found
}

pub(super) fn before_glob(word: &Word) -> &str {
    &word.text[..word.glob_at.unwrap_or(word.text.len())]
}
