//! The one place where bytes from outside become drawable.
//!
//! Model text, tool output, file names and MCP strings are data; nothing in them may reach the terminal as a control
//! sequence, nor hide or reorder what stands beside it. Which function is right depends on what the text is for:
//!
//! - [`sanitize`] for text that is shown: escape sequences and controls go, characters that cannot be seen are named;
//! - [`sanitize_line`] for the same on one line: titles, cells, paths;
//! - [`mod@reveal`] for text that a person must judge, such as a command that asks permission: nothing is taken out, what
//!   cannot be seen is named, and the type says so;
//! - [`strip_controls_line`] for text that is kept and named where it is shown, such as the title of a question;
//! - [`OutputDecoder`] for the bytes of a process, as the model reads them, with their colours beside them.
//!
//! None lets a control character but `\n` and `\t` through. A second [`sanitize`] changes nothing; [`mod@reveal`] behind any
//! of the others that name characters would name the names, so whatever a person will judge is kept without names.

mod escape;
mod frame;
mod invisible;
mod line;
mod output;
mod reveal;

use std::borrow::Cow;

use escape::{EscapeFilter, FilteredChar};
use invisible::name_invisible;

use super::sgr::SgrRun;

pub use output::OutputDecoder;
pub use reveal::{Mark, MarkKind, Revealed, reveal, reveal_line};

/// A clean text and the inks of what in it is not plain.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct StyledOutput {
    pub text: String,
    /// In the order of the text; none goes over a line's end.
    pub runs: Vec<SgrRun>,
}

/// Takes escape sequences and control characters (but `\n` and `\t`) out of a text and names what is invisible in it.
///
/// Bidirectional controls and other invisible format characters appear as `⟨U+202E⟩`. Joiners and variation selectors
/// stay where they shape an emoji or a letter. An unfinished control string ends at the line's end, so that it cannot
/// hide the lines after it.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    match strip_controls(text) {
        Cow::Borrowed(text) => name_invisible(text),
        Cow::Owned(text) => match name_invisible(&text) {
            Cow::Owned(named) => Cow::Owned(named),
            Cow::Borrowed(_) => Cow::Owned(text),
        },
    }
}

/// Like [`sanitize`], with every line break and tab as one space.
pub fn sanitize_line(text: &str) -> Cow<'_, str> {
    let clean = sanitize(text);
    if clean.contains(['\n', '\t']) {
        Cow::Owned(clean.replace(['\n', '\t'], " "))
    } else {
        clean
    }
}

/// Replaces tabs with spaces up to the next multiple of `tab` columns (0 counts as 1), counted from each line's start.
pub fn expand_tabs(text: &str, tab: usize) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let tab = tab.max(1);
    let mut expanded = String::with_capacity(text.len() + 32);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            expanded.push('\n');
        }
        let mut column = 0;
        for (index, piece) in line.split('\t').enumerate() {
            if index > 0 {
                let spaces = tab - column % tab;
                expanded.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            expanded.push_str(piece);
            column += super::width::str_width(piece);
        }
    }
    Cow::Owned(expanded)
}

/// Like [`strip_controls`], with every line break and tab as one space and no blanks around: for a text that is kept, and
/// that [`mod@reveal`] or [`sanitize_line`] names the unseen characters of wherever it is shown.
pub fn strip_controls_line(text: &str) -> String {
    strip_controls(text).replace(['\n', '\t'], " ").trim().to_owned()
}

/// Tells whether a character is a control that may not be drawn.
fn is_removed(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

/// Takes escape sequences and control characters (but `\n` and `\t`) out and leaves everything else: for what a model
/// reads.
pub fn strip_controls(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_removed) else {
        return Cow::Borrowed(text);
    };
    let mut kept = String::with_capacity(text.len());
    kept.push_str(&text[..first]);
    let mut filter = EscapeFilter::default();
    for c in text[first..].chars() {
        if let FilteredChar::Char(c) = filter.pass(c)
            && !is_removed(c)
        {
            kept.push(c);
        }
    }
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(sanitize("plain\n\ttext 世界 é"), Cow::Borrowed(_)));
    }

    #[test]
    fn escape_sequences_of_every_kind_are_taken_out() {
        for (dirty, clean) in [
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b[38;2;1;2;3mx", "x"),
            ("\x1b[?1049hx", "x"),
            ("a\x1b]0;title\x07b", "ab"),
            ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
            ("a\x1bPq#0;2;0\x1b\\b", "ab"),
            ("a\x1b_Gf=1\x1b\\b", "ab"),
            ("a\x1b^pm\x1b\\b", "ab"),
            ("a\x1bXsos\x1b\\b", "ab"),
            ("a\x1b(Bb\x1b7c\x1b=d\x1bce", "abcde"),
            ("a\u{9b}31mb", "ab"),
            ("a\u{9d}0;t\u{9c}b", "ab"),
            ("a\x1b", "a"),
            ("a\x1b[12", "a"),
        ] {
            assert_eq!(sanitize(dirty), clean, "{dirty:?}");
        }
    }

    #[test]
    fn controls_are_taken_out_but_newline_and_tab() {
        assert_eq!(sanitize("a\r\n\tb\x00\x07\x08\x7f\u{85}c"), "a\n\tbc");
    }

    #[test]
    fn an_unfinished_control_string_cannot_hide_the_next_line() {
        assert_eq!(sanitize("a\x1b]0;hidden\nrm -rf"), "a\nrm -rf");
        assert_eq!(sanitize("a\x1b[12\nb"), "a\nb");
    }

    #[test]
    fn a_sequence_cut_short_by_another_is_no_text() {
        assert_eq!(sanitize("\x1b[3\x1b[31mx"), "x");
        assert_eq!(sanitize("\x1b]0;t\x1b[31mx\x07y"), "xy");
    }

    #[test]
    fn one_line_has_no_breaks() {
        assert_eq!(sanitize_line("a\nb\tc\x1b[1m"), "a b c");
    }

    #[test]
    fn tabs_go_to_the_next_stop() {
        assert_eq!(expand_tabs("\ta\tb\n世\tc", 4), "    a   b\n世  c");
        assert_eq!(expand_tabs("abcd\te", 4), "abcd    e");
        assert_eq!(expand_tabs("a\tb", 0), "a b");
        assert!(matches!(expand_tabs("abc", 4), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn no_control_passes_and_a_second_time_changes_nothing(
            text in "([\\x00-\\x20\\[\\]PX^_\\\\a0;m?\\x7f-\\u{9f}\\u{200b}-\\u{202e}👩\\u{fe0f}\\u{e0061}é])*"
        ) {
            let clean = sanitize(&text);
            prop_assert!(!clean.chars().any(is_removed));
            prop_assert_eq!(sanitize(&clean), clean.as_ref());
        }

        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            prop_assert!(!sanitize(&text).chars().any(is_removed));
        }
    }
}
