//! The text of a card, for selecting and searching: no gutter, no line numbers, no signs, nothing cut.

use std::borrow::Cow;

use super::{Card, CardPart, Code, DiffBody, FileTarget};
use crate::text::diff::parse_unified;
use crate::text::sanitize;

/// Handling of the signs beside the text: the number before a match, the mark of a todo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asides {
    Without,
    With,
}

/// Notes about a text that is read from cards.
#[derive(Debug, Default)]
pub struct SourceNotes {
    /// Positions of the first line of each diff.
    pub diffs: Vec<usize>,
    /// Positions where lines begin that are about a file, in order; `None` where nobody wants to know.
    pub targets: Option<Vec<(usize, FileTarget)>>,
}

impl SourceNotes {
    /// Notes what the line is about that begins at a place of the text.
    fn target<'a>(&mut self, at: usize, target: impl FnOnce() -> Option<Cow<'a, FileTarget>>) {
        if let Some(targets) = &mut self.targets
            && let Some(target) = target()
        {
            targets.push((at, target.into_owned()));
        }
    }
}

/// Returns the title's line and the body, in the order in which they are drawn. It is sanitised, and tabs stay tabs.
pub fn source(card: &Card) -> String {
    let mut text = String::new();
    push_source(card, Asides::Without, &mut text, &mut SourceNotes::default());
    text
}

/// Adds the same to a text, and what there is to note about it.
pub fn push_source(card: &Card, asides: Asides, text: &mut String, notes: &mut SourceNotes) {
    notes.target(text.len(), || card.target.as_ref().map(Cow::Borrowed));
    text.push_str(&sanitize::sanitize_line(&card.title));
    if !card.argument.is_empty() {
        text.push(' ');
        text.push_str(&sanitize::sanitize(card.argument.trim()));
    }
    for fact in &card.meta {
        text.push_str(" · ");
        text.push_str(&sanitize::sanitize_line(&fact.to_string()));
    }
    for part in &card.body {
        push_part(part, card.target.as_ref(), asides, text, notes);
    }
}

fn push_part(
    part: &CardPart,
    target: Option<&FileTarget>,
    asides: Asides,
    text: &mut String,
    notes: &mut SourceNotes,
) {
    match part {
        CardPart::Text(body) | CardPart::Markdown(body) => push_line(&sanitize::sanitize(body), text),
        CardPart::Code(code) => push_code(code, target, text, notes),
        CardPart::Diff(diff) => push_diff(diff, text, notes),
        CardPart::Table { head, rows } => {
            let rows = std::iter::once(head).filter(|head| !head.is_empty()).chain(rows);
            rows.for_each(|row| push_line(&sanitize::sanitize_line(&row.join("  ")), text));
        }
        CardPart::Tree(rows) => {
            for row in rows {
                push_line(&sanitize::sanitize_line(&row.text), text);
            }
        }
        CardPart::Printed(lines) => {
            // As one text, so that it is read as what is drawn.
            let lines: Vec<String> = lines
                .iter()
                .map(|line| line.iter().map(|span| span.text.as_str()).collect())
                .collect();
            push_line(&sanitize::sanitize(&lines.join("\n")), text);
        }
        CardPart::Lines(lines) => {
            for line in lines {
                notes.target(text.len() + 1, || line.target.as_ref().map(Cow::Borrowed));
                let wanted = line
                    .iter()
                    .filter(|span| !span.is_aside || asides == Asides::With);
                let line: String = wanted.map(|span| span.text.as_str()).collect();
                push_line(&sanitize::sanitize_line(&line), text);
            }
        }
        CardPart::Omitted(_) => {}
    }
}

/// Adds source. Lines that are numbered are lines of the card's file.
fn push_code(code: &Code, target: Option<&FileTarget>, text: &mut String, notes: &mut SourceNotes) {
    let source = sanitize::sanitize(&code.text);
    for (index, line) in source.trim_end_matches('\n').split('\n').enumerate() {
        notes.target(text.len() + 1, || {
            let line = code.first_line?.checked_add(index);
            Some(Cow::Owned(target?.clone().at(line)))
        });
        text.push('\n');
        text.push_str(line);
    }
}

fn push_diff(diff: &DiffBody, text: &mut String, notes: &mut SourceNotes) {
    let hunks = parse_unified(&diff.unified);
    if hunks.iter().any(|hunk| !hunk.lines.is_empty()) {
        notes.diffs.push(text.len() + 1);
    }
    for hunk in &hunks {
        let mut next = hunk.new_start.max(1);
        for line in &hunk.lines {
            // What was removed stood where the next line of the new text stands.
            let number = line.new_line.unwrap_or(next);
            next = line.new_line.map_or(next, |line| line + 1);
            notes.target(text.len() + 1, || Some(Cow::Owned(diff.target(Some(number)))));
            push_line(&sanitize::sanitize(line.text), text);
        }
    }
}

fn push_line(line: &str, text: &mut String) {
    text.push('\n');
    text.push_str(line.trim_end_matches('\n'));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::card::{DiffBody, Tone, ToneSpan};

    #[test]
    fn a_diff_is_the_lines_without_numbers_and_signs() {
        let card = Card::new("Edit", "src/a.rs:4")
            .meta("+1 −1")
            .part(CardPart::Diff(DiffBody {
                path: "src/a.rs".into(),
                unified: "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -4,2 +4,2 @@\n keep\n-a\u{1b}[2J\n+\tb\n".into(),
                max_lines: 1,
                is_unplaced: false,
            }))
            .part(CardPart::Omitted("2 lines above".into()));
        assert_eq!(source(&card), "Edit src/a.rs:4 · +1 −1\nkeep\na\n\tb");
    }

    #[test]
    fn what_stands_beside_a_line_is_left_out_and_the_lines_stay() {
        let line = |number: &str, text: &str| {
            vec![
                ToneSpan::aside(Tone::Muted, number),
                ToneSpan::new(Tone::Normal, text),
            ]
            .into()
        };
        let lines = vec![line(" 9: ", "one"), line("10: ", ""), line("11: ", "  two")];
        let card = Card::new("Grep", "o").part(CardPart::Lines(lines));
        assert_eq!(source(&card), "Grep o\none\n\n  two");
        let mut with = String::new();
        push_source(&card, Asides::With, &mut with, &mut SourceNotes::default());
        assert_eq!(with, "Grep o\n 9: one\n10: \n11:   two");
    }
}
