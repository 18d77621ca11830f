//! The old text was written with escapes where the file has the characters, or the other way round.
//!
//! First the unescaped old text is looked for as text. If it is nowhere, windows of whole lines are, whose own escapes
//! unescape to it; a window may have any number of lines.

use super::Span;
use super::search::Search;
use crate::text::sequence::starts_of;

pub(super) fn positions(search: &Search<'_>) -> Vec<Span> {
    let wanted = unescape(search.old);
    if wanted.is_empty() {
        return Vec::new();
    }
    if wanted != search.old {
        let spans = search.occurrences_of(&wanted);
        if !spans.is_empty() {
            return spans;
        }
    }
    // Without escapes in it the text unescapes to itself, and was searched already.
    if !search.text.contains('\\') {
        return Vec::new();
    }
    let wanted = if search.with_break() {
        wanted.strip_suffix('\n').unwrap_or(&wanted)
    } else {
        &wanted
    };
    UnescapedText::of(search).windows(search, wanted)
}

/// Returns the character that an escape stands for.
fn escaped(c: char) -> Option<char> {
    match c {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        '\'' | '"' | '`' | '\\' | '\n' | '$' => Some(c),
        _ => None,
    }
}

fn unescape(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let meant = if c == '\\' {
            chars.peek().copied().and_then(escaped)
        } else {
            None
        };
        if meant.is_some() {
            chars.next();
        }
        unescaped.push(meant.unwrap_or(c));
    }
    unescaped
}

/// The whole text unescaped line by line, with its lines still known.
struct UnescapedText {
    text: String,
    starts: Vec<usize>,
    /// True for each line that ends in a backslash that escapes its line break. The backslash is not part of `text`:
    /// within a window it disappears into the break, at the window's end it is itself.
    open: Vec<bool>,
}

impl UnescapedText {
    fn of(search: &Search<'_>) -> Self {
        let mut all = Self {
            text: String::with_capacity(search.text.len()),
            starts: Vec::new(),
            open: Vec::new(),
        };
        for line in search.lines().iter() {
            let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
            let is_open = backslashes % 2 == 1;
            let line = if is_open { &line[..line.len() - 1] } else { line };
            all.starts.push(all.text.len());
            all.open.push(is_open);
            all.text.push_str(&unescape(line));
            all.text.push('\n');
        }
        all
    }

    fn windows(&self, search: &Search<'_>, wanted: &str) -> Vec<Span> {
        let mut spans = self.windows_ending(search, wanted, false);
        if let Some(wanted) = wanted.strip_suffix('\\') {
            spans.extend(self.windows_ending(search, wanted, true));
            spans.sort_by_key(|span| (span.range.start, span.range.end));
        }
        spans
    }

    fn windows_ending(&self, search: &Search<'_>, wanted: &str, open: bool) -> Vec<Span> {
        let mut spans = Vec::new();
        for start in starts_of(self.text.as_bytes(), wanted.as_bytes()) {
            let Ok(first) = self.starts.binary_search(&start) else {
                continue;
            };
            // Every line of the unescaped text has a break behind it.
            let behind = start + wanted.len() + 1;
            let last = match self.starts.binary_search(&behind) {
                Ok(next) => next - 1,
                Err(_) if behind == self.text.len() => self.starts.len() - 1,
                Err(_) => continue,
            };
            if self.open[last] == open {
                spans.push(search.span(first..last + 1));
            }
            if spans.len() >= search.enough() {
                break;
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::replace::tests::{ambiguous, edited, found, no_match, refused};

    #[test]
    fn every_escape_is_unescaped_and_nothing_else() {
        assert_eq!(unescape(r#"\n\t\r\'\"\`\\\$"#), "\n\t\r'\"`\\$");
        assert_eq!(unescape("a\\\nb"), "a\nb");
        assert_eq!(unescape(r"\x \u0041 \\n \"), "\\x \\u0041 \\n \\");
    }

    #[test]
    fn an_escaped_old_text_is_found_as_text() {
        assert_eq!(
            found("say(\"hi\") now", r#"say(\"hi\")"#),
            ("escape_normalized", vec!["say(\"hi\")"])
        );
        assert_eq!(
            found("x = 1\ny = 2\n", r"= 1\ny ="),
            ("escape_normalized", vec!["= 1\ny ="])
        );
    }

    #[test]
    fn new_text_is_never_unescaped() {
        assert_eq!(edited("a\tb", r"a\tb", r"a\nb"), r"a\nb");
    }

    #[test]
    fn lines_that_unescape_to_the_old_text_are_found() {
        let text = "one\nprint(\"a\\tb\")\ntwo\n";
        assert_eq!(
            found(text, "print(\"a\tb\")"),
            ("escape_normalized", vec!["print(\"a\\tb\")"])
        );
        assert_eq!(found(text, "print(\"a\tb\")\n").1, ["print(\"a\\tb\")\n"]);
        assert_eq!(found("q\nx\\ny\nz\n", "x\ny").1, ["x\\ny"]);
        no_match("q\nzx\\ny\nz\n", "x\ny");
    }

    #[test]
    fn a_backslash_at_the_end_joins_with_the_break() {
        assert_eq!(
            found("a \\\nb\nc\n", "a \nb"),
            ("escape_normalized", vec!["a \\\nb"])
        );
        assert_eq!(found("x\\ta \\\nb\nc\n", "x\ta \\").1, ["x\\ta \\"]);
    }

    #[test]
    fn several_places_are_ambiguous() {
        assert_eq!(ambiguous("a\tb\na\tb\n", r"a\tb"), [1, 2]);
    }

    #[test]
    fn escapes_do_not_get_around_the_refusal() {
        refused("a\nb\nc\nd\n", r"a\nb\nc\nd");
    }
}
