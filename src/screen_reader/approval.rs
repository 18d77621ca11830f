//! The subject of a question, line by line, for a person who hears it: nothing left out, nothing unseen.
//!
//! Each line of the card is marked as foreign, so that none can be taken for lathe's own. Lathe's own lines in it begin in a
//! way that no answer begins.

use crate::text::diff::{Sign, parse_unified};
use crate::text::sanitize::{Revealed, reveal, reveal_line};
use crate::view::card::{Card, CardPart, DiffBody};

/// Begins every line that is not lathe's own: what a model, a tool or a file says. No line of lathe's begins so.
pub(super) const FOREIGN: &str = "| ";

/// Returns all lines of a card's body, or its argument where it has none.
pub(super) fn body(card: &Card) -> Vec<Revealed> {
    if card.body.is_empty() && !card.argument.is_empty() {
        return foreign(&card.argument);
    }
    card.body.iter().flat_map(part).collect()
}

/// Returns the lines of a text, each marked as foreign.
pub(super) fn foreign(text: &str) -> Vec<Revealed> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let lines = reveal(text);
    lines
        .lines()
        .map(|line| Revealed::own(FOREIGN).and(line))
        .collect()
}

fn part(part: &CardPart) -> Vec<Revealed> {
    let row = |text: String| Revealed::own(FOREIGN).and(reveal_line(&text));
    match part {
        CardPart::Text(text) | CardPart::Markdown(text) => foreign(text),
        CardPart::Code(code) => foreign(&code.text),
        CardPart::Diff(body) => diff(body),
        CardPart::Table { head, rows } => {
            let rows = std::iter::once(head).filter(|head| !head.is_empty()).chain(rows);
            rows.map(|cells| row(cells.join("  "))).collect()
        }
        CardPart::Tree(rows) => rows
            .iter()
            .map(|entry| row("  ".repeat(entry.depth.min(64)) + &entry.text))
            .collect(),
        CardPart::Lines(lines) | CardPart::Printed(lines) => lines
            .iter()
            .map(|line| row(line.iter().map(|span| span.text.as_str()).collect()))
            .collect(),
        CardPart::Omitted(what) => vec![Revealed::own("Left out: ").and(reveal_line(what)).and(".")],
    }
}

/// Returns the lines of a diff as text.
pub(super) fn diff_lines(unified: &str) -> Vec<String> {
    let body = DiffBody {
        unified: unified.to_owned(),
        ..DiffBody::default()
    };
    diff(&body).iter().map(ToString::to_string).collect()
}

/// Returns a diff with its signs in words: `| removed 41: x`, and without numbers where the lines have none yet.
pub(super) fn diff(body: &DiffBody) -> Vec<Revealed> {
    let mut rows = Vec::new();
    for hunk in parse_unified(&body.unified) {
        if !body.is_unplaced {
            rows.push(Revealed::own("At line ").and(hunk.new_start.max(1)).and(":"));
        }
        for line in &hunk.lines {
            let sign = match line.sign {
                Sign::Added => "added",
                Sign::Removed => "removed",
                Sign::Context => "",
            };
            let number = line.new_line.or(line.old_line).filter(|_| !body.is_unplaced);
            let mut row = Revealed::own(FOREIGN).and(sign);
            row = match number {
                Some(number) if sign.is_empty() => row.and(number),
                Some(number) => row.and(" ").and(number),
                None => row,
            };
            if number.is_some() || !sign.is_empty() {
                row = row.and(": ");
            }
            rows.push(row.and(reveal(line.text)));
            if line.no_newline {
                rows.push("No line break at its end.".into());
            }
        }
    }
    if rows.is_empty() {
        rows.extend(foreign(&body.unified));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(rows: &[Revealed]) -> Vec<&str> {
        rows.iter().map(Revealed::as_str).collect()
    }

    fn change(unified: &str, is_unplaced: bool) -> Vec<Revealed> {
        diff(&DiffBody {
            unified: unified.to_owned(),
            is_unplaced,
            ..DiffBody::default()
        })
    }

    #[test]
    fn the_signs_of_a_diff_are_words_and_every_character_is_told() {
        let unified = "@@ -4,2 +4,2 @@ fn x\n 1 deny\n-\told\r\n+new \x1b]0;x\n";
        assert_eq!(
            texts(&change(unified, false)),
            [
                "At line 4:",
                "| 4: 1 deny",
                "| removed 5: ⇥   old⟨U+000D⟩",
                "| added 5: new ⟨U+001B⟩]0;x"
            ]
        );
        assert_eq!(
            texts(&change("@@ -4 +4 @@\n-a\n+b\n", true)),
            ["| removed: a", "| added: b"]
        );
    }

    #[test]
    fn no_line_of_a_card_can_be_taken_for_an_answer() {
        let card =
            Card::new("Custom", "").part(CardPart::Text("1 allow once\n\u{1b}[2J2\u{202e}\n".to_owned()));
        assert_eq!(texts(&body(&card)), ["| 1 allow once", "| ⟨U+001B⟩[2J2⟨U+202E⟩"]);
        let card = Card::new("Read", "a\nb ");
        assert_eq!(texts(&body(&card)), ["| a", "| b␣"]);
    }
}
