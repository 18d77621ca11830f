//! File names in output: data from the disk, and one line each.

use std::borrow::Cow;

/// Returns a path as output shows it: control characters, line breaks among them, are written as `\n` or `\u{1b}`, so that
/// one path is one line and nothing in it acts on the terminal.
pub(in crate::tool) fn one_line(path: &str) -> Cow<'_, str> {
    if !path.contains(char::is_control) {
        return Cow::Borrowed(path);
    }
    let mut shown = String::with_capacity(path.len() + 8);
    for c in path.chars() {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_in_names_are_written_out() {
        assert_eq!(one_line("a\nb\tc\x1b[31m\u{9b}"), "a\\nb\\tc\\u{1b}[31m\\u{9b}");
        assert!(matches!(one_line("plain é 世界"), Cow::Borrowed(_)));
    }
}
