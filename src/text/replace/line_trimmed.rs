//! Runs of whole lines that equal the old text's lines after both ends of each line are trimmed.

use super::Span;
use super::search::Search;
use crate::text::sequence::starts_of;

pub(super) fn positions(search: &Search<'_>) -> Vec<Span> {
    let trimmed = search.trimmed();
    starts_of(&trimmed.text, &trimmed.old)
        .take(search.enough())
        .map(|first| search.span(first..first + trimmed.old.len()))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::text::replace::tests::{ambiguous, edited, edited_all, found, found_all};

    #[test]
    fn indentation_and_trailing_blanks_do_not_matter() {
        let text = "fn a() {\n    one();  \n    two();\n}\n";
        assert_eq!(
            found(text, "one();\ntwo();"),
            ("line_trimmed", vec!["    one();  \n    two();"])
        );
    }

    #[test]
    fn the_span_has_the_break_when_the_old_text_has() {
        assert_eq!(found("  a\n  b\n", "a \n"), ("line_trimmed", vec!["  a\n"]));
        assert_eq!(found("  a\n  b\n", "a "), ("line_trimmed", vec!["  a"]));
    }

    #[test]
    fn a_file_without_final_newline_stays_without() {
        assert_eq!(edited("  x\n  a", "a\n", "b\nc\n"), "  x\nb\nc");
        assert_eq!(edited("  x\n  a\n", "a \n", "b\n"), "  x\nb\n");
    }

    #[test]
    fn several_runs_are_ambiguous_even_when_they_overlap() {
        assert_eq!(ambiguous(" a\n a\n a\n", "a \na "), [1, 2]);
    }

    #[test]
    fn all_runs_that_do_not_overlap_are_replaced() {
        assert_eq!(
            found_all(" a\n a\n a\n", "a \na "),
            ("line_trimmed", vec![" a\n a"])
        );
        assert_eq!(edited_all("  a\nx\n\ta", "a \n", "b\n"), "b\nx\nb");
    }

    #[test]
    fn new_text_is_not_indented_anew() {
        assert_eq!(edited("    a\n", "a ", "$& \\1 b"), "$& \\1 b\n");
    }
}
