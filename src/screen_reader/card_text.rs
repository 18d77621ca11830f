//! A tool's card as plain sentences: the call, its end and its result.

use super::approval::{self, FOREIGN};
use crate::conversation::{CallResult, CallState, ErrorKind};
use crate::text::count::noun_of;
use crate::text::sanitize::reveal_line;
use crate::view::card::{Card, CardPart, Fact, plain};

/// `Running Bash: cargo test`
pub(super) fn begins(card: &Card) -> String {
    format!("Running {}", named(card))
}

/// `Done Bash: cargo test, 12 lines`
pub(super) fn ended(card: &Card, state: CallState) -> String {
    let word = match state {
        CallState::Done if card.look => "Look at",
        CallState::Done | CallState::Pending | CallState::Running => "Done",
        CallState::Failed => "Failed",
        CallState::Denied => "Denied",
        CallState::Cancelled | CallState::Interrupted => "Interrupted",
    };
    let mut line = format!("{word} {}", named(card));
    for fact in &card.meta {
        line.push_str(", ");
        line.push_str(&fact_in_words(fact));
    }
    line
}

fn named(card: &Card) -> String {
    let argument = card.argument.trim();
    let mut lines = argument.lines();
    let first = lines.next().unwrap_or_default();
    let first = reveal_line(first).to_string();
    match (first.as_str(), lines.count()) {
        ("", _) => card.title.clone(),
        (first, 0) => format!("{}: {first}", card.title),
        (first, 1) => format!("{}: {first}, and 1 more line", card.title),
        (first, more) => format!("{}: {first}, and {more} more lines", card.title),
    }
}

/// `+6 −2` is `6 added, 2 removed`.
fn fact_in_words(fact: &Fact) -> String {
    match fact {
        Fact::Changed { added, removed } => format!("{added} added, {removed} removed"),
        _ => fact.to_string(),
    }
}

/// Returns the rows of the body, each marked as foreign, at most so many, and says how many are left out and how to hear them.
pub(super) fn body(card: &Card, most: usize) -> Vec<String> {
    let mut rows: Vec<String> = card.body.iter().flat_map(part).collect();
    let left_out = rows.len().saturating_sub(most);
    if left_out > 0 {
        rows.truncate(most);
        let noun = noun_of(left_out, "line");
        rows.push(format!("{left_out} more {noun}; /show shows all."));
    }
    rows
}

/// Returns the sentence of lathe's own about a call that was refused or given up. A hook says so in words of its own.
pub(super) fn why(result: &CallResult) -> Option<&str> {
    match result.error_kind()? {
        ErrorKind::Denied | ErrorKind::Rejected | ErrorKind::Cancelled | ErrorKind::Interrupted => {}
        _ => return None,
    }
    result.output.strip_prefix("Error: ")?.lines().next()
}

/// Makes a row that says why a call did not run one of lathe's own.
pub(super) fn push_reason(row: &mut String, why: &str) {
    if row.strip_prefix(FOREIGN) == Some(why) {
        *row = format!("Why: {why}.");
    }
}

fn part(part: &CardPart) -> Vec<String> {
    match part {
        CardPart::Diff(body) => {
            let rows = approval::diff(body).into_iter();
            rows.map(|row| row.to_string()).collect()
        }
        CardPart::Omitted(what) => vec![format!("Left out: {}.", reveal_line(what))],
        other => {
            let text = plain(&Card::new("", "").part(with_spoken_signs(other)));
            let rows = text.lines().skip(1);
            rows.map(|row| format!("{FOREIGN}{}", row.strip_prefix("   ").unwrap_or(row)))
                .collect()
        }
    }
}

/// Puts the words that are said for a sign in its place.
fn with_spoken_signs(part: &CardPart) -> CardPart {
    let mut part = part.clone();
    if let CardPart::Lines(lines) = &mut part {
        let spans = lines.iter_mut().flat_map(|line| &mut line.spans);
        for span in spans.filter(|span| !span.spoken.is_empty()) {
            span.text = std::mem::take(&mut span.spoken).into_owned();
        }
    }
    part
}

/// Returns how much of a text that streams can be said now: up to the end of its last whole line or sentence.
pub(super) fn whole(text: &str) -> usize {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let sentence = |end: &str| text.rfind(end).map_or(0, |at| at + end.len());
    [". ", "! ", "? "]
        .into_iter()
        .map(sentence)
        .fold(line, usize::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::card::{DiffBody, Tone, ToneSpan};

    #[test]
    fn a_call_is_told_in_words_at_its_beginning_and_its_end() {
        let card = Card::new("Edit", "src/a.rs:4")
            .meta(Fact::changed(6, 2))
            .meta("line_trimmed");
        assert_eq!(begins(&card), "Running Edit: src/a.rs:4");
        assert_eq!(
            ended(&card, CallState::Done),
            "Done Edit: src/a.rs:4, 6 added, 2 removed, line_trimmed"
        );
        assert_eq!(ended(&Card::new("Todo", ""), CallState::Denied), "Denied Todo");
    }

    #[test]
    fn what_ran_and_deserves_a_look_says_so() {
        let card = Card {
            look: true,
            ..Card::new("Bash", "cd x\nmake\nmake test").meta(Fact::Exit(2))
        };
        assert_eq!(
            ended(&card, CallState::Done),
            "Look at Bash: cd x, and 2 more lines, exit 2"
        );
    }

    #[test]
    fn signs_are_words_and_what_is_left_out_is_counted() {
        let line = |sign: &str, spoken, text: &str| {
            let sign = ToneSpan::sign(Tone::Success, sign, spoken);
            vec![sign, ToneSpan::new(Tone::Normal, text)].into()
        };
        let card = Card::new("Todo", "1 of 3")
            .part(CardPart::Lines(vec![
                line("✓ ", "done: ", "find it"),
                line("▸ ", "in progress: ", "fix it"),
                line("○ ", "open: ", "test it"),
            ]))
            .part(CardPart::Omitted("23 lines above".into()));
        assert_eq!(
            body(&card, 9),
            [
                "| done: find it",
                "| in progress: fix it",
                "| open: test it",
                "Left out: 23 lines above."
            ]
        );
        assert_eq!(
            body(&card, 1),
            ["| done: find it", "3 more lines; /show shows all."]
        );
    }

    #[test]
    fn a_sign_that_was_printed_is_told_as_it_is() {
        let matched = ToneSpan::new(Tone::Normal, "○ circle");
        let card = Card::new("Bash", "npm test")
            .part(CardPart::Text("✓ parses\n✗ draws".into()))
            .part(CardPart::Lines(vec![matched.into()]));
        assert_eq!(body(&card, 9), ["| ✓ parses", "| ✗ draws", "| ○ circle"]);
    }

    #[test]
    fn the_signs_of_a_diff_are_words() {
        let diff = |is_unplaced| {
            Card::new("Edit", "a.rs").part(CardPart::Diff(DiffBody {
                path: "a.rs".into(),
                unified: "@@ -4,2 +4,2 @@ fn x\n 1 deny\n-\told\n+new\n".into(),
                max_lines: 1,
                is_unplaced,
            }))
        };
        assert_eq!(
            body(&diff(false), 9),
            [
                "At line 4:",
                "| 4: 1 deny",
                "| removed 5: ⇥   old",
                "| added 5: new"
            ]
        );
        assert_eq!(
            body(&diff(true), 9),
            ["| 1 deny", "| removed: ⇥   old", "| added: new"]
        );
    }

    #[test]
    fn a_text_is_told_by_whole_lines_and_sentences() {
        for (text, said) in [
            ("", ""),
            ("The test", ""),
            ("The test sleeps. It", "The test sleeps. "),
            ("One.\nTwo", "One.\n"),
            ("One? Two! Thr", "One? Two! "),
            ("version 1.2", ""),
        ] {
            assert_eq!(&text[..whole(text)], said, "{text}");
        }
    }
}
