//! Tags of sessions, as a person writes them.

use crate::session::{ErrorReport, ReportKind};
use crate::text::sanitize::sanitize_line;
use crate::text::width::str_width;

/// Most tags of one session, and columns of one.
const MOST: usize = 10;
const COLUMNS: usize = 30;

/// Reads words, with or without a `#` before them, apart by blanks or commas. Each counts once, small and capital letters
/// alike.
pub(super) fn read(text: &str) -> Result<Vec<String>, ErrorReport> {
    let text = sanitize_line(text);
    let words = text
        .split([' ', ',', '\t'])
        .map(|word| word.trim_start_matches('#'));
    let mut tags: Vec<String> = Vec::new();
    for tag in words.filter(|word| !word.is_empty()).map(str::to_lowercase) {
        if str_width(&tag) > COLUMNS {
            return Err(refused(&format!("`{tag}` is longer than {COLUMNS} columns")));
        }
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.len() > MOST {
        return Err(refused(&format!("a session has at most {MOST} tags")));
    }
    Ok(tags)
}

fn refused(why: &str) -> ErrorReport {
    ErrorReport::new(
        ReportKind::BadRequest,
        format!("{why}; the tags are as they were"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_words_each_of_which_counts_once() {
        assert_eq!(read(" #Bug, release  bug\u{1b}[31m").unwrap(), ["bug", "release"]);
        assert!(read(" , # ").unwrap().is_empty());
        let many: Vec<String> = (0..11).map(|number| number.to_string()).collect();
        assert!(
            read(&many.join(" "))
                .unwrap_err()
                .message
                .contains("at most 10 tags")
        );
        assert!(read(&"x".repeat(31)).is_err());
    }
}
