//! The old text as it is.

use super::Positions;
use super::search::Search;

pub(super) fn positions(search: &Search<'_>) -> Positions {
    Positions::Each(search.occurrences_of(search.old))
}

#[cfg(test)]
mod tests {
    use crate::text::replace::tests::{ambiguous, found};

    #[test]
    fn finds_the_one_occurrence() {
        assert_eq!(found("one two three", "two"), ("simple", vec!["two"]));
    }

    #[test]
    fn overlapping_occurrences_are_several() {
        assert_eq!(ambiguous("xaaax", "aa"), [1]);
    }

    #[test]
    fn occurrences_on_many_lines_name_five() {
        assert_eq!(ambiguous(&"a\n".repeat(9), "a"), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn white_space_is_found_exactly_or_not_at_all() {
        assert_eq!(found("a\tb", "\t"), ("simple", vec!["\t"]));
        assert!(
            super::super::find(
                "a b",
                "\t",
                super::super::Occurrences::One,
                super::super::Tolerance::Safe
            )
            .is_err()
        );
    }

    #[test]
    fn case_and_composition_are_never_folded() {
        assert!(
            super::super::find(
                "Word",
                "word",
                super::super::Occurrences::One,
                super::super::Tolerance::Safe
            )
            .is_err()
        );
        assert!(
            super::super::find(
                "é",
                "e\u{301}",
                super::super::Occurrences::One,
                super::super::Tolerance::Safe
            )
            .is_err()
        );
    }
}
