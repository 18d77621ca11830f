//! Every exact occurrence, when all are wanted and there is more than one.

use super::search::Search;
use super::{Occurrences, Span};

pub(super) fn positions(search: &Search<'_>) -> Vec<Span> {
    if search.occurrences == Occurrences::One {
        return Vec::new();
    }
    let mut spans = search.occurrences_of(search.old);
    if spans.len() < 2 {
        spans.clear();
    }
    spans
}

#[cfg(test)]
mod tests {
    use crate::text::replace::tests::found_all;

    #[test]
    fn is_reported_when_more_than_one_is_replaced() {
        assert_eq!(found_all("a b a", "a"), ("multi_occurrence", vec!["a", "a"]));
        assert_eq!(found_all("a b", "a"), ("simple", vec!["a"]));
    }

    #[test]
    fn occurrences_that_overlap_are_taken_from_the_left() {
        assert_eq!(found_all("aaaaa", "aa"), ("multi_occurrence", vec!["aa", "aa"]));
        assert_eq!(found_all("aaa", "aa"), ("simple", vec!["aa"]));
    }
}
