//! The one way to the parser of Markdown, and the words of Markdown for places that have one line.
//!
//! What the parser does takes time in proportion to how deep a text is nested, and a table has as many cells as its head
//! has in every row. So a text is measured before, in one pass, and what is beyond all measure is no Markdown.

use pulldown_cmark::{Event, Options, Parser};

/// Quotes and lists within each other that begin in one line.
const DEEPEST: usize = 48;
/// Cells of a table, as they are drawn: one of twenty columns may have two thousand rows.
const CELLS: usize = 40_000;

/// Bytes that are looked at for the first line.
const LOOKED_AT: usize = 4096;

/// Parses a text. `None` if it would take out of all proportion to its length: such a text is to be shown as it is.
pub fn parse(text: &str, options: Options) -> Option<Parser<'_>> {
    is_bounded(text).then(|| Parser::new_ext(text, options))
}

fn is_bounded(text: &str) -> bool {
    let mut lines = 0;
    let mut columns = 0;
    for line in text.lines() {
        lines += 1;
        if containers(line) > DEEPEST {
            return false;
        }
        let is_sign = |byte: u8| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t' | b'>');
        if line.bytes().all(is_sign) {
            columns = columns.max(line.bytes().filter(|byte| *byte == b'|').count());
        }
    }
    columns * lines <= CELLS
}

/// Counts the quotes and list items that a line begins, up to one more than there may be.
fn containers(line: &str) -> usize {
    let mut rest = line.trim_start();
    for depth in 0..=DEEPEST {
        let digits = rest.bytes().take(10).take_while(u8::is_ascii_digit).count();
        let after = match (rest.as_bytes().get(digits), digits) {
            (Some(b'>'), 0) => &rest[1..],
            (Some(b'-' | b'+' | b'*'), 0) if !is_rule(rest) => &rest[1..],
            (Some(b'.' | b')'), 1..=9) => &rest[digits + 1..],
            _ => return depth,
        };
        let is_quote = rest.starts_with('>');
        if !is_quote && !after.is_empty() && !after.starts_with([' ', '\t']) {
            return depth;
        }
        rest = after.trim_start();
    }
    DEEPEST + 1
}

/// Returns true for a line of hyphens or stars alone, which is a rule and no list.
fn is_rule(line: &str) -> bool {
    let mut signs = line.bytes().filter(|byte| !matches!(byte, b' ' | b'\t'));
    let first = signs.next();
    matches!(first, Some(b'-' | b'*')) && signs.all(|sign| Some(sign) == first)
}

/// Returns the first line with something in it, without the marks of Markdown: `**two** risks` is `two risks`.
pub fn first_line(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(LOOKED_AT)];
    let mut line = String::new();
    let Some(parser) = parse(start, Options::empty()) else {
        let line = start.lines().map(str::trim).find(|line| !line.is_empty());
        return line.unwrap_or_default().to_owned();
    };
    for event in parser {
        match event {
            Event::Text(words) | Event::Code(words) | Event::Html(words) | Event::InlineHtml(words) => {
                let (first, is_cut) = match words.split_once('\n') {
                    Some((first, _)) => (first, true),
                    None => (&*words, false),
                };
                line.push_str(first);
                if is_cut && !line.trim().is_empty() {
                    break;
                }
            }
            Event::SoftBreak | Event::HardBreak | Event::End(_)
                if !ends_inside(&event) && !line.trim().is_empty() =>
            {
                break;
            }
            _ => {}
        }
    }
    line.trim().to_owned()
}

/// Returns true for the end of something within a line.
fn ends_inside(event: &Event<'_>) -> bool {
    use pulldown_cmark::TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    matches!(
        event,
        Event::End(Emphasis | Strong | Strikethrough | Link | Image)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        for (text, line) in [
            ("", ""),
            ("\n\n  \n", ""),
            ("Found: line 1.\nMore.", "Found: line 1."),
            (
                "Two risks: the clock is **not** _ever_ `injected`, see [it](a.rs).\n\n- one",
                "Two risks: the clock is not ever injected, see it.",
            ),
            ("# Result\n\nIt works.", "Result"),
            ("- first\n- second", "first"),
            ("```rust\nfn main() {}\n```", "fn main() {}"),
            ("<result>\nfound\n</result>", "<result>"),
            ("a_b_c and 2 * 3 * 4", "a_b_c and 2 * 3 * 4"),
        ] {
            assert_eq!(first_line(text), line, "{text:?}");
        }
    }

    #[test]
    fn only_what_has_measure_is_parsed() {
        let parses = |text: &str| parse(text, Options::ENABLE_TABLES).is_some();
        for usual in [
            "> ".repeat(20) + "deep",
            "- - 1. * a".to_owned(),
            "- ".repeat(200),
            "-".repeat(9000),
            "1234567890. ".repeat(60),
            "a | b\n--|--\n".to_owned() + &"1 | 2\n".repeat(2000),
            "a - b > c ".repeat(1000),
        ] {
            assert!(parses(&usual), "{usual:.20}");
        }
        for beyond in [
            ">".repeat(60),
            "> ".repeat(60),
            "- ".repeat(60) + "a",
            "1. ".repeat(60) + "a",
            "+ ".repeat(60),
            "text\n".to_owned() + &"> - 1) ".repeat(20) + "a",
            "|a".repeat(1000) + "\n" + &"|-".repeat(1000) + "\n" + &"|\n".repeat(1000),
        ] {
            assert!(!parses(&beyond), "{beyond:.20}");
            assert!(!first_line(&beyond).is_empty());
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = "é".repeat(LOOKED_AT);
        assert_eq!(first_line(&text).len(), LOOKED_AT);
        assert_eq!(first_line(&format!("a{text}")).len(), LOOKED_AT - 1);
    }
}
