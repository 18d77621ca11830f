//! The closed grammar of scripts for `sed` that only change what is printed.

use super::super::word::Word;
use super::table::{Table, parse};

/// `sed` to its standard output, with commands that run, read and write nothing.
pub(super) fn sed(words: &[Word]) -> bool {
    const TABLE: Table = Table {
        flags: "nErsuz",
        valued: "e",
        long: "quiet silent expression= regexp-extended separate unbuffered null-data",
        ..Table::NONE
    };
    let Some(parsed) = parse(words, &[&TABLE]) else {
        return false;
    };
    let mut scripts: Vec<&str> = parsed.values(&["e", "expression"]).collect();
    if scripts.is_empty() {
        // What looks like a wildcard to the shell is no certain script.
        match parsed.operands.first().filter(|word| word.is_literal()) {
            Some(word) => scripts.push(&word.text),
            None => return false,
        }
    }
    scripts.iter().all(|script| is_script(script))
}

fn is_script(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';']);
        if rest.is_empty() {
            return true;
        }
        let Some(after) = command(rest) else {
            return false;
        };
        rest = after.trim_start_matches([' ', '\t']);
        if !(rest.is_empty() || rest.starts_with([';', '\n'])) {
            return false;
        }
    }
}

/// Reads one command and gives what follows.
fn command(text: &str) -> Option<&str> {
    let mut rest = text;
    if let Some(after) = address(rest) {
        rest = after.trim_start_matches([' ', '\t']);
        if let Some(second) = rest.strip_prefix(',') {
            rest = second_address(second.trim_start_matches([' ', '\t']))?;
        }
    }
    rest = rest.trim_start_matches([' ', '\t']);
    while let Some(after) = rest.strip_prefix('!') {
        rest = after.trim_start_matches([' ', '\t']);
    }
    if let Some(after) = rest.strip_prefix(['p', 'd', 'q', '=']) {
        return Some(after);
    }
    match rest.strip_prefix('y') {
        Some(after) => transliteration(after),
        None => substitution(rest.strip_prefix('s')?),
    }
}

/// `/a/b/g`, behind the `s`. Its flags `e` and `w` run and write.
fn substitution(text: &str) -> Option<&str> {
    let (delimiter, rest) = delimiter(text)?;
    let rest = replacement(pattern(rest, delimiter)?, delimiter)?;
    let is_flag = |c: char| c.is_ascii_digit() || "gpiI".contains(c);
    Some(rest.trim_start_matches(is_flag))
}

/// `/abc/xyz/`, behind the `y`.
fn transliteration(text: &str) -> Option<&str> {
    let (delimiter, rest) = delimiter(text)?;
    replacement(replacement(rest, delimiter)?, delimiter)
}

fn delimiter(text: &str) -> Option<(char, &str)> {
    let delimiter = text.chars().next().filter(|c| "/|,#@:!%".contains(*c))?;
    Some((delimiter, &text[1..]))
}

/// Reads a pattern up to and with its delimiter. In a set the delimiter would stand for itself in some versions.
fn pattern(text: &str, delimiter: char) -> Option<&str> {
    const CLASSES: &[&str] = &[
        "[:alnum:]",
        "[:alpha:]",
        "[:blank:]",
        "[:digit:]",
        "[:lower:]",
        "[:punct:]",
        "[:space:]",
        "[:upper:]",
        "[:xdigit:]",
    ];
    let mut rest = text;
    let mut is_in_set = false;
    loop {
        let c = rest.chars().next()?;
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\n' => return None,
            '\\' if !is_in_set => escaped(after)?,
            '\\' => return None,
            c if c == delimiter => return (!is_in_set).then_some(after),
            '[' if is_in_set => {
                let class = CLASSES.iter().find(|class| rest.starts_with(**class))?;
                &rest[class.len()..]
            }
            '[' => {
                is_in_set = true;
                let inner = after.strip_prefix('^').unwrap_or(after);
                (!inner.starts_with(']')).then_some(inner)?
            }
            ']' => {
                is_in_set = false;
                after
            }
            _ => after,
        };
    }
}

/// Reads a text up to and with its delimiter.
fn replacement(text: &str, delimiter: char) -> Option<&str> {
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\n' => return None,
            '\\' => escaped(after)?,
            c if c == delimiter => return Some(after),
            _ => after,
        };
    }
}

/// Reads the character behind a backslash.
fn escaped(text: &str) -> Option<&str> {
    let c = text.chars().next().filter(|c| *c != '\n')?;
    Some(&text[c.len_utf8()..])
}

fn second_address(text: &str) -> Option<&str> {
    match text.strip_prefix(['+', '~']) {
        Some(number) => digits(number),
        None => address(text),
    }
}

/// A line's number, the last line or `/pattern/`.
fn address(text: &str) -> Option<&str> {
    if let Some(after) = text.strip_prefix('$') {
        return Some(after);
    }
    if let Some(after) = text.strip_prefix('/') {
        return Some(pattern(after, '/')?.trim_start_matches('I'));
    }
    let after = digits(text)?;
    match after.strip_prefix('~') {
        Some(step) => digits(step),
        None => Some(after),
    }
}

fn digits(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| &text[end..])
}
