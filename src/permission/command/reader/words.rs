//! Words: quotes, escapes, wildcards, and where they end.

use super::super::syntax::Node;
use super::super::word::{Expansion, Variable, Word, braces, is_name, without_braces};
use super::{Refusal, ShellReader};

/// A word as it is put together.
#[derive(Default)]
pub(super) struct WordBuilder {
    pub(super) word: Word,
    pub(super) inside: Vec<Node>,
    /// Byte offset of an unquoted `{`.
    brace_at: Option<usize>,
}

impl WordBuilder {
    pub(super) fn literal(&mut self, c: char) {
        self.word.text.push(c);
    }

    /// Adds text that only the shell can expand, as it was written.
    pub(super) fn dynamic(&mut self, raw: &str, variable: Option<Variable>, quoting: QuoteState) {
        let at = self.word.text.len();
        let name = without_braces(raw.strip_prefix('$').unwrap_or_default());
        self.word.expansions.push(Expansion {
            range: at..at + raw.len(),
            name: is_name(name).then(|| name.to_owned()),
            is_quoted: quoting == QuoteState::Quoted,
        });
        if self.word.dynamic_at.is_none() {
            self.word.dynamic_at = Some(at);
            self.word.variable = variable.filter(|_| at == 0 && !self.word.tilde);
            self.word.variable_end = raw.len();
        } else {
            self.word.variable = None;
        }
        self.word.text.push_str(raw);
    }

    fn is_behind_assignment(&self) -> bool {
        let text = &self.word.text;
        let is_assignment = text.split_once('=').is_some_and(|(name, _)| {
            let name = name.strip_suffix('+').unwrap_or(name);
            is_name(name) || name.contains('[')
        });
        is_assignment && text.ends_with(['=', ':'])
    }

    fn wildcard(&mut self, c: char) {
        self.word.glob_at.get_or_insert(self.word.text.len());
        self.literal(c);
    }
}

/// Characters that end a word.
const ENDS: &str = " \t\n;&|()<>";

impl ShellReader<'_> {
    /// Reads one word, which may stand for several because of braces. It must begin here.
    pub(super) fn word(&mut self) -> Result<(Vec<Word>, Vec<Node>), Refusal> {
        let start = self.at;
        let mut building = self.word_as_written()?;
        building.word.at = start..self.at;
        let WordBuilder {
            word,
            inside,
            brace_at,
        } = building;
        Ok((expanded(word, brace_at), inside))
    }

    /// Reads one word that no braces expand in: the target of a redirection, a value, a pattern.
    pub(super) fn single_word(&mut self) -> Result<(Word, Vec<Node>), Refusal> {
        let start = self.at;
        let mut building = self.word_as_written()?;
        building.word.at = start..self.at;
        if let Some(at) = building.brace_at {
            building.word.dynamic_at.get_or_insert(at);
        }
        Ok((building.word, building.inside))
    }

    fn word_as_written(&mut self) -> Result<WordBuilder, Refusal> {
        let mut building = WordBuilder::default();
        let start = self.at;
        while let Some(c) = self.peek() {
            if matches!(c, '<' | '>') && self.rest()[1..].starts_with('(') {
                let from = self.at;
                self.at += 2;
                let node = self.substitution(")")?;
                building.inside.push(node);
                building.dynamic(&self.text[from..self.at], None, QuoteState::Unquoted);
                continue;
            }
            if ENDS.contains(c) {
                break;
            }
            self.at += c.len_utf8();
            match c {
                '\'' => self.single_quoted(&mut building)?,
                '"' => self.double_quoted(&mut building)?,
                '\\' => match self.next() {
                    None => return Err("it ends in a backslash"),
                    Some('\n') => return Err("a line is continued inside a word"),
                    Some(escaped) => {
                        building.word.quoted = true;
                        building.literal(escaped);
                    }
                },
                '$' => {
                    building.word.splits |= !self.starts_with("'");
                    self.dollar(&mut building, QuoteState::Unquoted)?;
                }
                '`' => {
                    building.word.splits = true;
                    self.backquoted(&mut building)?;
                }
                '*' | '?' | '[' => building.wildcard(c),
                '~' if self.at == start + 1 && self.begins_with_here() => {
                    self.at += 1;
                    building.dynamic("~+", Variable::named("PWD"), QuoteState::Quoted);
                }
                '~' if self.at == start + 1 && self.has_quoted_prefix() => {
                    // With a quote before the first slash it is a name like any other.
                    building.dynamic("~", None, QuoteState::Unquoted);
                }
                '~' if self.at == start + 1 => {
                    building.word.tilde = true;
                    building.literal(c);
                }
                // In what looks like an assignment it is a home directory behind `=` and `:`, too.
                '~' if building.is_behind_assignment() => {
                    building.dynamic("~", None, QuoteState::Unquoted);
                }
                '{' => {
                    building.brace_at.get_or_insert(building.word.text.len());
                    building.literal(c);
                }
                c if c.is_whitespace() => return Err("it has unusual whitespace"),
                c => building.literal(c),
            }
        }
        if self.at == start {
            return Err(super::UNEXPECTED);
        }
        Ok(building)
    }

    /// `~'/x'`, `~\\/x`.
    fn has_quoted_prefix(&self) -> bool {
        let rest = self.rest();
        let end = rest.find(|c| c == '/' || ENDS.contains(c)).unwrap_or(rest.len());
        // The slash itself may be quoted.
        rest[..end].contains(['\'', '"', '\\', '$', '`'])
    }

    /// `~+` alone or before a slash.
    fn begins_with_here(&self) -> bool {
        let behind = self.rest().strip_prefix('+');
        behind.is_some_and(|rest| rest.chars().next().is_none_or(|c| c == '/' || ENDS.contains(c)))
    }

    fn single_quoted(&mut self, building: &mut WordBuilder) -> Result<(), Refusal> {
        building.word.quoted = true;
        let length = self.rest().find('\'').ok_or("a quote is not closed")?;
        let inner = &self.text[self.at..self.at + length];
        self.check_lines(inner)?;
        building.word.text.push_str(inner);
        self.at += length + 1;
        Ok(())
    }

    /// The text of here-documents would begin inside of the quotes.
    fn check_lines(&self, inner: &str) -> Result<(), Refusal> {
        let waits = self.outer_waits || !self.pending.is_empty();
        if waits && inner.contains('\n') {
            return Err("a quote stands between a here-document and its text");
        }
        Ok(())
    }

    pub(super) fn double_quoted(&mut self, building: &mut WordBuilder) -> Result<(), Refusal> {
        building.word.quoted = true;
        loop {
            match self.next() {
                None => return Err("a quote is not closed"),
                Some('"') => return Ok(()),
                Some('\\') => match self.next() {
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => building.literal(escaped),
                    Some('\n') => {
                        // `$x` and what the next line begins with would be one name.
                        let before = self.text[..self.at - 2].chars().next_back();
                        if !before.is_some_and(|c| " \t\n".contains(c)) {
                            return Err("a line is continued inside a word");
                        }
                        self.check_lines("\n")?;
                    }
                    Some(other) => {
                        building.literal('\\');
                        building.literal(other);
                    }
                    None => return Err("a quote is not closed"),
                },
                Some('$') => self.dollar(building, QuoteState::Quoted)?,
                Some('`') => self.backquoted(building)?,
                Some('\n') => {
                    self.check_lines("\n")?;
                    building.literal('\n');
                }
                Some(c) => building.literal(c),
            }
        }
    }

    /// `$'…'`, after its first quote.
    pub(super) fn ansi_quoted(&mut self, building: &mut WordBuilder) -> Result<(), Refusal> {
        const UNKNOWN: Refusal = "it has an unusual escape";
        building.word.quoted = true;
        self.facts.only_bash = true;
        loop {
            let c = match self.next().ok_or("a quote is not closed")? {
                '\'' => return Ok(()),
                '\\' => match self.next().ok_or("a quote is not closed")? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'e' | 'E' => '\u{1b}',
                    'f' => '\u{c}',
                    'v' => '\u{b}',
                    c @ ('\\' | '\'' | '"' | '?') => c,
                    'x' => self.code(16, 2)?,
                    'u' => self.code(16, 4)?,
                    'U' => self.code(16, 8)?,
                    '0'..='7' => {
                        self.at -= 1;
                        self.code(8, 3)?
                    }
                    _ => return Err(UNKNOWN),
                },
                '\n' => {
                    self.check_lines("\n")?;
                    '\n'
                }
                c => c,
            };
            building.literal(c);
        }
    }

    /// A character by its number. Bytes beyond ASCII would have to be put together first, and NUL ends the text.
    fn code(&mut self, radix: u32, most: usize) -> Result<char, Refusal> {
        const UNKNOWN: Refusal = "it has an unusual escape";
        let digits: String = self
            .rest()
            .chars()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .collect();
        self.at += digits.len();
        let number = u32::from_str_radix(&digits, radix).map_err(|_| UNKNOWN)?;
        let is_byte = most < 4;
        char::from_u32(number)
            .filter(|c| *c != '\0' && (c.is_ascii() || !is_byte))
            .ok_or(UNKNOWN)
    }
}

/// The quotes around an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteState {
    Unquoted,
    /// Double quotes or a here-document.
    Quoted,
}

/// Returns the words that a word with braces expands to.
fn expanded(word: Word, brace_at: Option<usize>) -> Vec<Word> {
    let Some(at) = brace_at else { return vec![word] };
    let is_plain = !word.quoted && word.dynamic_at.is_none();
    let words = if is_plain { braces(&word.text) } else { None };
    match words {
        Some(texts) if texts.len() == 1 => vec![word],
        Some(texts) => {
            let make = |text: String| Word {
                glob_at: text.find(['*', '?', '[']),
                tilde: text.starts_with('~'),
                text,
                at: word.at.clone(),
                ..Word::default()
            };
            // Nothing at all is no word.
            texts
                .into_iter()
                .filter(|text| !text.is_empty())
                .map(make)
                .collect()
        }
        None => {
            let is_open = !word.text[at..].contains([',']) && !word.text[at..].contains("..");
            let dynamic_at = match word.dynamic_at {
                Some(known) => Some(known.min(at)),
                None => Some(at),
            };
            if is_open {
                return vec![word];
            }
            vec![Word {
                dynamic_at,
                variable: None,
                splits: true,
                has_braces: true,
                ..word
            }]
        }
    }
}
