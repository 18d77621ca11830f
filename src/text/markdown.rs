//! The words of Markdown, for places that have one line.

use pulldown_cmark::{Event, Parser};

/// Bytes that are looked at for the first line.
const LOOKED_AT: usize = 4096;

/// Returns the first line with something in it, without the marks of Markdown: `**two** risks` is `two risks`.
pub fn first_line(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(LOOKED_AT)];
    let mut line = String::new();
    for event in Parser::new(start) {
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
    fn a_long_text_is_cut_between_characters() {
        let text = "é".repeat(LOOKED_AT);
        assert_eq!(first_line(&text).len(), LOOKED_AT);
        assert_eq!(first_line(&format!("a{text}")).len(), LOOKED_AT - 1);
    }
}
