//! Turns a program's output in its own colours into lines.

use std::borrow::Cow;

use ratatui::text::Line;

use super::ToneLine;
use super::tone::tone_style as style;
use crate::text::sanitize;
use crate::view::look::Look;
use crate::view::styled_text::{StyledText, TAB};
use crate::view::theme::Meaning;

/// Draws the same text in the same rows as if it were plain, but for blanks at their ends that have a colour.
pub(super) fn lines(lines: &[ToneLine], width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let is_blank = |line: &ToneLine| line.iter().all(|span| span.text.is_empty());
    let kept = lines
        .iter()
        .rposition(|line| !is_blank(line))
        .map_or(0, |last| last + 1);
    let mut flow = StyledText::default();
    for (index, line) in lines[..kept].iter().enumerate() {
        if index > 0 {
            flow.push_clean("\n", look.style(Meaning::Text));
        }
        push(line, &mut flow, look);
    }
    flow.keep_clusters();
    flow.rows_with_blanks(width).into_iter().map(Line::from).collect()
}

fn push(line: &ToneLine, flow: &mut StyledText, look: Look<'_>) {
    let whole: String = line.iter().map(|span| span.text.as_str()).collect();
    if let Cow::Owned(_) = sanitize::sanitize(&whole) {
        // What is named or taken out depends on what stands beside it, so no part can be looked at alone.
        flow.push(&whole, look.style(Meaning::Text));
        return;
    }
    // The stops are those of the line. Here is the last one, so that nothing is measured twice.
    let mut stop = flow.text().len();
    for span in line.iter() {
        let style = style(span.tone, look);
        if let Some(tab) = span.text.rfind('\t') {
            // Characters of two spans may be one on screen, so the columns are counted from the stop.
            let before = flow.text()[stop..].to_owned();
            let whole = sanitize::expand_tabs(&(before.clone() + &span.text), TAB).into_owned();
            flow.push_clean(&whole[before.len()..], style);
            stop = flow.text().len() - (span.text.len() - tab - 1);
        } else {
            flow.push_clean(&span.text, style);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier};
    use ratatui::text::Span;

    use super::*;
    use crate::text::sgr::SgrStyle;
    use crate::view::card::{
        Card, CardLook, CardPart, CardStatus, Tone, ToneSpan, lay_out, lay_out_body, source,
    };
    use crate::view::test_look::{TestLook, picture};

    pub(in crate::view::card) fn at(test: &TestLook, width: usize) -> CardLook<'_> {
        CardLook {
            look: test.look(),
            width,
            frame: 0,
            elapsed: Some(Duration::from_millis(140)),
            badge: None,
            expands: "",
            opens: "",
        }
    }

    pub(in crate::view::card) fn any_lines() -> impl Strategy<Value = Vec<ToneLine>> {
        let text = "([ab 世é\\t]|\\PC|\u{1b}|\u{301}|\u{200d}|👩|💻|\u{1f1e9}|\u{202e}){0,5}";
        let sgr = prop_oneof![Just(String::new()), "[0-9]{1,2}(;[0-9]{1,3}){0,5}"];
        let span =
            (text, sgr).prop_map(|(text, sgr)| ToneSpan::new(Tone::Printed(SgrStyle::from(sgr)), text));
        let line = proptest::collection::vec(span, 0..6).prop_map(ToneLine::from);
        proptest::collection::vec(line, 0..4)
    }

    #[test]
    fn a_tab_behind_a_character_of_two_spans_goes_to_the_stop_of_the_line() {
        let spans = |texts: &[&str]| {
            let span = |text: &&str| ToneSpan::new(Tone::Printed(SgrStyle::from(String::new())), *text);
            vec![ToneLine::from(texts.iter().map(span).collect::<Vec<_>>())]
        };
        let test = TestLook::plain();
        let rows = |lines| {
            let card = Card::new("Bash", "").part(CardPart::Printed(lines));
            picture(&lay_out(&card, CardStatus::Running, at(&test, 6)))
        };
        let parts = ["👩\u{200d}", "👩\t", "👩"];
        assert_eq!(rows(spans(&parts)), rows(spans(&[&parts.concat()])));
    }

    fn text_of(lines: &[ToneLine]) -> String {
        let line = |line: &ToneLine| line.iter().map(|span| span.text.as_str()).collect::<String>();
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_was_printed_in_colours_is_wrapped_in_them() {
        let printed = |sgr: &str| Tone::Printed(SgrStyle::from(sgr.to_owned()));
        let lines = [
            vec![
                ToneSpan::new(Tone::Normal, "a\t"),
                ToneSpan::new(printed("31"), "b\tred words"),
            ],
            Vec::new(),
            vec![ToneSpan::new(printed("1;42"), "bold")],
            Vec::new(),
        ];
        let lines = lines.map(ToneLine::from).into();
        let card = Card::new("Bash", "make").part(CardPart::Printed(lines));
        let plain = TestLook::plain();
        let rows = lay_out_body(&card, at(&plain, 19));
        let text = plain.theme.style(Meaning::Text);
        let red = text.fg(Color::Red);
        assert_eq!(
            rows.into_iter().map(|row| row.line.spans).collect::<Vec<_>>(),
            [
                vec![
                    Span::raw("   "),
                    Span::styled("a   ", text),
                    Span::styled("b   red", red)
                ],
                vec![Span::raw("   "), Span::styled("words", red)],
                vec![],
                vec![
                    Span::raw("   "),
                    Span::styled("bold", text.bg(Color::Green).add_modifier(Modifier::BOLD))
                ],
            ]
        );
        assert_eq!(source(&card), "Bash make\na\tb\tred words\n\nbold");
    }

    #[test]
    fn blanks_that_have_a_colour_are_drawn() {
        let blanks =
            |sgr: &str, text: &str| ToneSpan::new(Tone::Printed(SgrStyle::from(sgr.to_owned())), text);
        let lines = [
            vec![
                blanks("41", "  "),
                blanks("", "  "),
                blanks("42", "  "),
                blanks("", " "),
            ],
            vec![blanks("", "a "), blanks("7", " b  "), blanks("1", "  ")],
            vec![blanks("41", " words  of a bar     ")],
        ];
        let lines = lines.map(ToneLine::from).into();
        let card = Card::new("Bash", "make").part(CardPart::Printed(lines));
        let test = TestLook::plain();
        assert_eq!(
            picture(&lay_out(&card, CardStatus::Running, at(&test, 13))[1..]),
            "         \n   a  b  \n    words  of\n   a bar     \n"
        );
    }

    proptest! {
        #[test]
        fn colours_change_no_text_and_no_row(lines in any_lines(), width in 1_usize..60) {
            let plain = Card::new("Bash", "").part(CardPart::Text(text_of(&lines)));
            let coloured = Card::new("Bash", "").part(CardPart::Printed(lines));
            let test = TestLook::plain();
            let rows = |card| {
                let picture = picture(&lay_out(card, CardStatus::Running, at(&test, width)));
                picture.lines().map(|row| row.trim_end().to_owned()).collect::<Vec<_>>()
            };
            prop_assert_eq!(rows(&coloured), rows(&plain));
            prop_assert_eq!(source(&coloured), source(&plain));
        }
    }
}
