//! A card as plain text, for output that is no screen: nothing is cut, wrapped or coloured.

use std::fmt::Write;

use super::{Card, CardPart};
use crate::text::sanitize;

/// Returns the title's line and the body, a step in, each line ended by a line break.
pub fn plain(card: &Card) -> String {
    let mut title = card.title.clone();
    if !card.argument.is_empty() {
        title.push(' ');
        title.push_str(card.argument.trim());
    }
    for fact in &card.meta {
        title.push_str(" · ");
        title.push_str(&fact.to_string());
    }
    let mut text = sanitize::sanitize_line(&title).into_owned();
    text.push('\n');
    for part in &card.body {
        push_part(part, &mut text);
    }
    text
}

fn push_part(part: &CardPart, text: &mut String) {
    match part {
        CardPart::Text(body) | CardPart::Markdown(body) => push_lines(body, text),
        CardPart::Code(code) => push_lines(&code.text, text),
        CardPart::Diff(diff) => push_lines(&diff.unified, text),
        CardPart::Table { head, rows } => {
            let rows = std::iter::once(head).filter(|head| !head.is_empty()).chain(rows);
            for row in rows {
                push_line(&row.join("  "), text);
            }
        }
        CardPart::Tree(rows) => {
            for row in rows {
                push_line(&format!("{}{}", "  ".repeat(row.depth.min(64)), row.text), text);
            }
        }
        CardPart::Lines(lines) | CardPart::Printed(lines) => {
            for line in lines {
                let line: String = line.iter().map(|span| span.text.as_str()).collect();
                push_line(&line, text);
            }
        }
        CardPart::Omitted(what) => push_line(&format!("… {what}"), text),
    }
}

fn push_lines(body: &str, text: &mut String) {
    let body = sanitize::sanitize(body);
    for line in body.trim_end_matches('\n').split('\n') {
        push_clean(&sanitize::expand_tabs(line, 4), text);
    }
}

fn push_line(line: &str, text: &mut String) {
    push_clean(&sanitize::sanitize_line(line), text);
}

fn push_clean(line: &str, text: &mut String) {
    let line = line.trim_end();
    if line.is_empty() {
        text.push('\n');
    } else {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "   {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::card::{DiffBody, Tone, ToneSpan, TreeRow};

    #[test]
    fn a_card_is_readable_without_a_screen() {
        let card = Card::new("Edit", "src/a.rs:4")
            .meta("+1 −1")
            .part(CardPart::Diff(DiffBody {
                path: "src/a.rs".into(),
                unified: "@@ -4 +4 @@\n-a\n+\tb\n".into(),
                max_lines: 1,
                is_unplaced: false,
            }))
            .part(CardPart::Tree(vec![TreeRow {
                depth: 1,
                text: "x\ny".into(),
            }]))
            .part(CardPart::Lines(vec![
                ToneSpan::new(Tone::Danger, "bad\u{1b}[1m").into(),
            ]))
            .part(CardPart::Omitted("2 lines above".into()));
        assert_eq!(
            plain(&card),
            "Edit src/a.rs:4 · +1 −1\n   @@ -4 +4 @@\n   -a\n   +   b\n     x y\n   bad\n   … 2 lines above\n"
        );
    }
}
