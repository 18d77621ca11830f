//! Here-documents: their text begins on the line after the command.

use super::super::syntax::Node;
use super::words::{QuoteState, WordBuilder};
use super::{Refusal, ShellReader};

/// A here-document that waits for its text.
pub(super) struct PendingHereDocument {
    delimiter: String,
    /// A quoted delimiter keeps the text as it is.
    expands: bool,
    strips_tabs: bool,
}

const UNUSUAL: Refusal = "it has an unusual here-document";
const BLANKS: [char; 2] = [' ', '\t'];

/// Returns the delimiter that a word names, and true if the shell expands the text up to it.
fn delimiter(word: &str) -> (&str, bool) {
    let quotes = [("'", "'"), ("\"", "\""), ("\\", "")];
    let unquoted = quotes
        .iter()
        .find_map(|(open, close)| word.strip_prefix(open)?.strip_suffix(close));
    unquoted.map_or((word, true), |inner| (inner, false))
}

/// Returns the value of a substitution that holds one literal here-document of `cat` and nothing else. `inner` is the text
/// between its parentheses, which the reader has read. The ends of lines behind the last one are no part of the value.
pub(super) fn text_of_cat(inner: &str) -> Option<String> {
    let (first, rest) = inner.split_once('\n')?;
    let after_program = first.trim_start_matches(BLANKS).strip_prefix("cat")?;
    let operator = after_program.trim_start_matches(BLANKS).strip_prefix("<<")?;
    let (strips_tabs, word) = match operator.strip_prefix('-') {
        Some(word) => (true, word),
        None => (false, operator),
    };
    let (delimiter, expands) = delimiter(word.trim_matches(BLANKS));
    let is_name = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if delimiter.is_empty() || !is_name(delimiter) {
        return None;
    }
    let mut lines = rest.split('\n');
    let mut text = String::new();
    loop {
        let line = lines.next()?;
        let line = if strips_tabs {
            line.trim_start_matches('\t')
        } else {
            line
        };
        if line == delimiter {
            break;
        }
        if line.trim_start().starts_with(delimiter) {
            // Some versions of bash end the text at `EOF)`.
            return None;
        }
        text.push_str(line);
        text.push('\n');
    }
    let is_alone = lines.all(|line| line.trim_matches(BLANKS).is_empty());
    let is_literal = !expands || !text.contains(['$', '`', '\\']);
    text.truncate(text.trim_end_matches('\n').len());
    (is_alone && is_literal).then_some(text)
}

impl ShellReader<'_> {
    /// The delimiter after `<<` or `<<-`.
    pub(super) fn here_document(&mut self, strips_tabs: bool) -> Result<(), Refusal> {
        self.blanks();
        let word = self.plain_word();
        let length = word.len();
        let is_plain = |text: &str| !text.is_empty() && !text.contains(['\'', '"', '\\', '$', '`', '{', '}']);
        let (delimiter, expands) = delimiter(word);
        if !is_plain(delimiter) {
            return Err(UNUSUAL);
        }
        let delimiter = delimiter.to_owned();
        self.at += length;
        self.pending.push(PendingHereDocument {
            delimiter,
            expands,
            strips_tabs,
        });
        Ok(())
    }

    /// Reads the texts that wait, at the beginning of a line; returns what runs in them.
    pub(super) fn here_documents(&mut self) -> Result<Vec<Node>, Refusal> {
        let mut inside = Vec::new();
        for document in std::mem::take(&mut self.pending) {
            let start = self.at;
            let end = self.skip_document(&document)?;
            if document.expands {
                let (after, outer_end) = (self.at, self.end);
                (self.at, self.end) = (start, end);
                inside.extend(self.expanding_text()?);
                (self.at, self.end) = (after, outer_end);
            }
        }
        Ok(inside)
    }

    /// Moves behind the delimiter; returns where the text ends.
    fn skip_document(&mut self, document: &PendingHereDocument) -> Result<usize, Refusal> {
        let delimiter = document.delimiter.as_str();
        loop {
            let start = self.at;
            let rest = self.rest();
            let (line, is_last) = match rest.find('\n') {
                Some(length) => (&rest[..length], false),
                None => (rest, true),
            };
            let content = if document.strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if content == delimiter {
                // The end of the line ends the command, too.
                self.at += line.len();
                let end = start;
                self.at += usize::from(!is_last);
                return Ok(end);
            }
            // Shells differ in these.
            let is_odd =
                content.starts_with(delimiter) && content[delimiter.len()..].trim_start().starts_with(')');
            let is_continued = document.expands && line.ends_with('\\');
            if is_last || is_odd || is_continued {
                return Err(if is_last {
                    "a here-document has no end"
                } else {
                    UNUSUAL
                });
            }
            self.at += line.len() + 1;
        }
    }

    fn expanding_text(&mut self) -> Result<Vec<Node>, Refusal> {
        let mut building = WordBuilder::default();
        while let Some(c) = self.next() {
            match c {
                '\\' => drop(self.next()),
                '$' => self.dollar(&mut building, QuoteState::Quoted)?,
                '`' => self.backquoted(&mut building)?,
                _ => {}
            }
        }
        Ok(building.inside)
    }
}
