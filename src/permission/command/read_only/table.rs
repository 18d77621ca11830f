//! Closed tables of options, and the words of a command read by one.
//!
//! An option that is not in the table makes the command one that asks. Long options count by their whole name: a
//! shortened one is not in the table, so that nothing refused gets in by its first letters.

use super::super::word::{Word, name_and_value};

/// The options of a program that let it only print.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// Letters with a value: the rest of the word, or the next word.
    pub(super) valued: &'static str,
    /// Letters whose value can only be the rest of the word.
    pub(super) attached: &'static str,
    /// Long options, parted by blanks. `name=` takes a value; others may have one behind a `=`.
    pub(super) long: &'static str,
    /// True if `-5` stands for a number.
    pub(super) numbers: bool,
    pub(super) operands: Operands,
}

/// Operands that may stand beside options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Files, as many as there are.
    Any,
    /// No more than this many, and no wildcard that could be more.
    AtMost(usize),
}

impl Table {
    pub(super) const NONE: Self = Self {
        flags: "",
        valued: "",
        attached: "",
        long: "",
        numbers: false,
        operands: Operands::Any,
    };

    pub(super) const fn of(flags: &'static str, valued: &'static str, long: &'static str) -> Self {
        Self {
            flags,
            valued,
            long,
            ..Self::NONE
        }
    }

    /// Returns true if it has an option of this letter or long name.
    pub(super) fn knows(&self, name: &str) -> bool {
        if name == NUMBER {
            return self.numbers;
        }
        if name.len() == 1 {
            return [self.flags, self.valued, self.attached]
                .iter()
                .any(|letters| letters.contains(name));
        }
        let mut long = self.long.split(' ');
        long.any(|known| known.trim_end_matches('=') == name)
    }
}

/// The name that `-5` has among the options of a command.
pub(super) const NUMBER: &str = "a number";

/// The words of a command, told apart by a table.
#[derive(Debug, Default)]
pub(super) struct ParsedOptions<'a> {
    /// Options by letter or long name, each with its value.
    pub(super) options: Vec<(String, Option<String>)>,
    /// Those of them whose value is a word of its own.
    pub(super) apart: Vec<String>,
    pub(super) operands: Vec<&'a Word>,
    /// How many of the operands stand before a `--`.
    pub(super) before_dashes: usize,
}

impl ParsedOptions<'_> {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|(name, _)| names.contains(&name.as_str()))
    }

    pub(super) fn values<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s str> {
        let given = self
            .options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()));
        given.filter_map(|(_, value)| value.as_deref())
    }
}

/// Reads the words behind a program; `None` when one is not in its table or not certain.
pub(super) fn parse<'a>(words: &'a [Word], tables: &[&Table]) -> Option<ParsedOptions<'a>> {
    let mut parsed = ParsedOptions::default();
    let mut rest = words.iter();
    let mut dashes = None;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if dashes.is_some() || text == "-" || !text.starts_with('-') {
            parsed.operands.push(word);
            continue;
        }
        // `-*` stands for options that nobody wrote.
        if word.dynamic_at.is_some() || word.glob_at.is_some() && !text.contains('=') {
            return None;
        }
        if text == "--" {
            dashes = Some(parsed.operands.len());
            continue;
        }
        match text.strip_prefix("--") {
            Some(long) => long_option(long, tables, &mut rest, &mut parsed)?,
            None => short_options(&text[1..], tables, &mut rest, &mut parsed)?,
        }
    }
    parsed.before_dashes = dashes.unwrap_or(parsed.operands.len());
    let at_most = tables.iter().find_map(|table| match table.operands {
        Operands::AtMost(count) => Some(count),
        Operands::Any => None,
    });
    let has_wildcard = parsed.operands.iter().any(|word| word.glob_at.is_some());
    match at_most {
        Some(count) if has_wildcard || parsed.operands.len() > count => None,
        _ => Some(parsed),
    }
}

type Rest<'w> = std::slice::Iter<'w, Word>;

fn long_option(
    long: &str,
    tables: &[&Table],
    rest: &mut Rest<'_>,
    parsed: &mut ParsedOptions<'_>,
) -> Option<()> {
    let (name, value) = name_and_value(long);
    let known = tables.iter().flat_map(|table| table.long.split(' '));
    let mut known = known.filter(|known| known.trim_end_matches('=') == name && !name.is_empty());
    let takes_value = known.next()?.ends_with('=');
    let value = match value {
        None if takes_value => {
            parsed.apart.push(name.to_owned());
            Some(value_of(rest)?)
        }
        value => value.map(str::to_owned),
    };
    parsed.options.push((name.to_owned(), value));
    Some(())
}

fn short_options(
    letters: &str,
    tables: &[&Table],
    rest: &mut Rest<'_>,
    parsed: &mut ParsedOptions<'_>,
) -> Option<()> {
    let is_number = letters.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && tables.iter().any(|table| table.numbers) {
        parsed.options.push((NUMBER.to_owned(), Some(letters.to_owned())));
        return Some(());
    }
    for (at, letter) in letters.char_indices() {
        let after = &letters[at + letter.len_utf8()..];
        // Where several tables know a letter the first says what it is.
        let known = tables.iter().find(|table| {
            [table.valued, table.attached, table.flags]
                .iter()
                .any(|letters| letters.contains(letter))
        })?;
        let value = if known.valued.contains(letter) {
            match after {
                "" => {
                    parsed.apart.push(letter.to_string());
                    Some(value_of(rest)?)
                }
                after => Some(after.to_owned()),
            }
        } else {
            known.attached.contains(letter).then(|| after.to_owned())
        };
        let is_over = value.is_some();
        parsed.options.push((letter.to_string(), value));
        if is_over {
            break;
        }
    }
    Some(())
}

/// The next word as a value. What a wildcard or an expansion stands for is not known, and what looks like an option, or like
/// the end of the options, others could take for that.
fn value_of(rest: &mut Rest<'_>) -> Option<String> {
    let word = rest.next()?;
    let text = &word.text;
    let is_plain = word.is_literal() && (word.is_integer() || text == "-" || !text.starts_with('-'));
    is_plain.then(|| text.clone())
}
