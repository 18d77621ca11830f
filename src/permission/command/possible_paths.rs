//! Everything in a text that may be a path, for deny rules alone: where the text cannot be read, or not all of it.
//!
//! The words are found with their quotes and escapes resolved and without regard to what they are for. That can deny too
//! much; what only a program computes is not found.

use std::collections::BTreeSet;

use super::reader::is_invisible;
use super::word::braces;

/// Words of one text that are looked at. In a longer one only those with a `/` or a `.` are.
const MAX_WORDS: usize = 2000;
const MAX_PATHS: usize = 5000;
/// Letters of one word that may be options before a path: `-afvt.git`.
const MAX_LETTERS: usize = 16;

/// Returns the possible paths; `None` when they are too many to look at. Wildcards stand in them as they were written, and
/// expansions (`$x`) too.
pub(super) fn possible_paths(command: &str) -> Option<BTreeSet<String>> {
    let is_hidden = |c: char| c.is_control() && !c.is_whitespace() || is_invisible(c);
    let text: String = command
        .replace("\\\n", "")
        .chars()
        .filter(|c| !is_hidden(*c))
        .collect();
    let text = with_escapes(&text);
    let unquoted: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let mut found = BTreeSet::new();
    let words = unquoted.split(ends_a_word).map(str::to_owned);
    for word in words.chain(quoted_words(&text)).filter(|word| !word.is_empty()) {
        let parts = || word.split(['{', '}', ',']).map(str::to_owned);
        let expanded = braces(&word).unwrap_or_else(|| parts().chain([word.clone()]).collect());
        for word in &expanded {
            add(word, &mut found);
        }
        if found.len() > 20 * MAX_PATHS {
            return None;
        }
    }
    found.remove("");
    if found.len() > MAX_WORDS {
        found.retain(|word| word.contains(['/', '.']));
    }
    (found.len() <= MAX_PATHS).then_some(found)
}

/// Returns possible targets of redirections; often one is no path at all.
pub(super) fn possible_targets(command: &str) -> Vec<String> {
    const MAX_TARGETS: usize = 256;
    let text = with_escapes(&command.replace("\\\n", ""));
    let mut found = Vec::new();
    for (at, _) in text.match_indices('>').take(MAX_TARGETS) {
        let after = text[at + 1..].trim_start_matches(['>', '|', '&', ' ', '\t']);
        let word = &after[..after.find(ends_a_word).unwrap_or(after.len())];
        found.push(word.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect());
    }
    found
}

fn ends_a_word(c: char) -> bool {
    c.is_whitespace() || ";&|()<>`".contains(c)
}

/// Adds a word, and the parts of it that may be paths: behind `=`, `:` and the letters of options.
fn add(word: &str, found: &mut BTreeSet<String>) {
    let directories = [
        ("$PWD", "."),
        ("${PWD}", "."),
        ("~+", "."),
        ("$HOME", "~"),
        ("${HOME}", "~"),
    ];
    let mut word = word.to_owned();
    for (name, directory) in directories {
        if let Some(rest) = word
            .strip_prefix(name)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        {
            word = format!("{directory}{rest}");
        }
    }
    found.extend(
        word.match_indices(['=', ':', '@'])
            .map(|(at, _)| word[at + 1..].to_owned()),
    );
    if let Some(letters) = word.strip_prefix('-') {
        let starts = letters.char_indices().skip(1).take(MAX_LETTERS);
        found.extend(starts.map(|(at, _)| letters[at..].to_owned()));
    }
    found.insert(word);
}

/// Words that have blanks in quotes or behind a backslash. Where a quote is not closed the rest is no word.
fn quoted_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => word.extend(chars.next()),
            (None, c) if ends_a_word(c) => words.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| word.contains(ends_a_word));
    words
}

/// Puts characters in the place of the escapes of `$'…'`, and takes the `$` from before quotes.
fn with_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.replace("$\"", "\"");
    while let Some(at) = rest.find("$'") {
        plain.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let end = inner.find('\'').unwrap_or(inner.len());
        plain.push('\'');
        plain.push_str(&unescaped(&inner[..end]));
        rest = inner[end..].to_owned();
    }
    plain + &rest
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (radix, start, most) = match escape.chars().next() {
            Some('x') => (16, 1, 2),
            Some('u') => (16, 1, 4),
            Some('U') => (16, 1, 8),
            Some('0'..='7') => (8, 0, 3),
            _ => {
                rest = escape;
                continue;
            }
        };
        let digits: String = escape[start..]
            .chars()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .collect();
        plain.extend(u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32));
        rest = &escape[start + digits.len()..];
    }
    plain + rest
}
