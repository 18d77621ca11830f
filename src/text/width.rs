//! Columns: how wide a text is on the screen, and how to make it fit.
//!
//! One rule for everything that measures, the rule ratatui's buffer draws by: text is split into extended grapheme
//! clusters, a cluster with a control character is not drawn and has no width, and a cluster is as wide as
//! `unicode-width` says, plus one for each half-width katakana sound mark. (That last correction is one too many with
//! recent versions of `unicode-width`, but the buffer makes it, and a text measured by another rule than the one it is
//! drawn by would break the borders it stands in. A test compares the two.)
//!
//! Tabs are control characters and have no width; expand them first (`text::sanitize::expand_tabs`).

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Stands for the part that was left out.
pub const ELLIPSIS: &str = "…";

/// Returns the columns of one grapheme cluster.
pub fn grapheme_width(grapheme: &str) -> usize {
    if let [byte] = grapheme.as_bytes() {
        return usize::from(!byte.is_ascii_control());
    }
    if grapheme.contains(char::is_control) {
        return 0;
    }
    let sound_marks = grapheme
        .chars()
        .filter(|c| matches!(c, '\u{FF9E}' | '\u{FF9F}'))
        .count();
    grapheme.width() + sound_marks
}

/// Returns the columns of a text drawn on one line.
pub fn str_width(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Tells whether a text is at most `columns` wide, reading no more of it than it must.
pub fn fits(text: &str, columns: usize) -> bool {
    prefix(text, columns).len() == text.len()
}

/// Returns the longest beginning that is at most `columns` wide.
pub fn prefix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        used += grapheme_width(grapheme);
        if used > columns {
            return &text[..start];
        }
    }
    text
}

/// Returns the longest end that is at most `columns` wide.
pub fn suffix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (start, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme_width(grapheme);
        if used > columns {
            return &text[start + grapheme.len()..];
        }
    }
    text
}

/// Cuts the end off a text that is too wide and puts `…` in its place.
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    shortened(text, columns, |room| (room, 0))
}

/// Cuts the beginning off a text that is too wide and puts `…` in its place.
pub fn truncate_start(text: &str, columns: usize) -> Cow<'_, str> {
    shortened(text, columns, |room| (0, room))
}

/// Cuts the middle out of a text that is too wide and puts `…` in its place; the end gets the odd column.
pub fn truncate_middle(text: &str, columns: usize) -> Cow<'_, str> {
    shortened(text, columns, |room| (room / 2, room - room / 2))
}

/// Puts `…` in the place of what is too much; `split` shares the room that is left among beginning and end.
fn shortened(text: &str, columns: usize, split: fn(usize) -> (usize, usize)) -> Cow<'_, str> {
    if fits(text, columns) {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let (head, tail) = split(room);
    let (head, tail) = (prefix(text, head), suffix(text, tail));
    Cow::Owned(format!("{head}{ELLIPSIS}{tail}"))
}

/// Puts spaces behind a text until it is `columns` wide; a wider one stays as it is.
pub fn pad(text: &str, columns: usize) -> Cow<'_, str> {
    match columns.saturating_sub(str_width(text)) {
        0 => Cow::Borrowed(text),
        missing => Cow::Owned(format!("{text}{}", " ".repeat(missing))),
    }
}

/// Shortens a path in the middle: `src/…/builtin/grep.rs`.
///
/// The first component and as many of the last ones as fit stay whole. The file name is the last to be cut, in its
/// own middle, so that its extension stays.
pub fn shorten_path(path: &str, columns: usize) -> Cow<'_, str> {
    if fits(path, columns) {
        return Cow::Borrowed(path);
    }
    let name_start = path.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
    let first_end = path[path.len() - path.trim_start_matches('/').len()..]
        .find('/')
        .map_or(0, |slash| {
            path.len() - path.trim_start_matches('/').len() + slash + 1
        });
    for head in [&path[..first_end.min(name_start)], ""] {
        let lead = format!("{head}{ELLIPSIS}/");
        let Some(room) = columns.checked_sub(str_width(&lead)) else {
            continue;
        };
        if let Some(tail) = longest_tail(path, head.len(), name_start, room) {
            return Cow::Owned(format!("{lead}{tail}"));
        }
    }
    Cow::Owned(truncate_middle(&path[name_start..], columns).into_owned())
}

/// Returns the longest run of whole last components of `path`, behind its first `after` bytes, that fits.
fn longest_tail(path: &str, after: usize, name_start: usize, columns: usize) -> Option<&str> {
    let mut best = None;
    let mut start = name_start;
    while start > after && fits(&path[start..], columns) {
        best = Some(&path[start..]);
        let parent = path[..start].trim_end_matches('/');
        start = parent.rfind('/').map_or(0, |slash| slash + 1);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn wide_and_combining_characters_count_their_columns() {
        assert_eq!(str_width("abc"), 3);
        assert_eq!(str_width("世界"), 4);
        assert_eq!(str_width("e\u{301}"), 1);
        assert_eq!(str_width("👩‍💻"), 2);
        assert_eq!(str_width("a\tb\n"), 2);
    }

    #[test]
    fn a_cut_never_splits_a_wide_character() {
        assert_eq!(prefix("世界", 3), "世");
        assert_eq!(suffix("世界", 3), "界");
        assert_eq!(truncate("世界人", 4), "世…");
    }

    #[test]
    fn cuts_put_the_ellipsis_where_the_text_is_missing() {
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate_start("abcdef", 4), "…def");
        assert_eq!(truncate_middle("abcdef", 4), "a…ef");
        assert_eq!(truncate("abc", 3), "abc");
        assert_eq!(truncate("abc", 1), "…");
        assert_eq!(truncate("abc", 0), "");
    }

    #[test]
    fn pads_to_the_asked_columns() {
        assert_eq!(pad("世", 4), "世  ");
        assert_eq!(pad("abc", 2), "abc");
    }

    #[test]
    fn a_path_keeps_its_first_and_last_components() {
        assert_eq!(
            shorten_path("src/tool/builtin/grep.rs", 30),
            "src/tool/builtin/grep.rs"
        );
        assert_eq!(
            shorten_path("src/tool/builtin/grep.rs", 22),
            "src/…/builtin/grep.rs"
        );
        assert_eq!(shorten_path("src/tool/builtin/grep.rs", 20), "src/…/grep.rs");
        assert_eq!(shorten_path("src/tool/builtin/grep.rs", 10), "…/grep.rs");
        assert_eq!(shorten_path("src/tool/builtin/grep.rs", 6), "gr….rs");
        assert_eq!(shorten_path("a/b/c/d.rs", 9), "a/…/d.rs");
    }

    #[test]
    fn absolute_paths_and_directories_are_shortened_too() {
        assert_eq!(shorten_path("/home/user/project/main.rs", 16), "/home/…/main.rs");
        assert_eq!(shorten_path("/home/user/project/", 17), "/home/…/project/");
        assert_eq!(shorten_path("averyverylongname", 7), "ave…ame");
        assert_eq!(shorten_path("//", 1), "…");
    }

    /// Draws a text and returns the columns the buffer used for it.
    fn drawn_columns(text: &str) -> usize {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 2000, 1));
        let (end, _) = buffer.set_stringn(0, 0, text, 2000, Style::default());
        usize::from(end)
    }

    proptest! {
        #[test]
        fn measures_what_the_buffer_draws(text in "(\\PC|[\t\r\u{FF8A}\u{FF9E}👩\u{200D}💻\u{FE0F}]){0,60}") {
            prop_assert_eq!(str_width(&text), drawn_columns(&text));
        }

        #[test]
        fn nothing_is_wider_than_asked(text in ".{0,60}", columns in 0_usize..40) {
            for cut in [
                truncate(&text, columns),
                truncate_start(&text, columns),
                truncate_middle(&text, columns),
                shorten_path(&text, columns),
            ] {
                prop_assert!(str_width(&cut) <= columns, "{cut:?} is too wide");
            }
        }

        #[test]
        fn paths_never_get_too_wide(path in "/?([a-z世]{0,8}/){0,6}[a-z.]{0,12}", columns in 0_usize..40) {
            prop_assert!(str_width(&shorten_path(&path, columns)) <= columns);
        }
    }
}
