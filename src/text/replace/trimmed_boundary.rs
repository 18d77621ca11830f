//! The old text without the white space around it.

use super::Span;
use super::search::Search;
use super::white_space::trim;

pub(super) fn positions(search: &Search<'_>) -> Vec<Span> {
    let wanted = trim(search.old);
    if wanted == search.old {
        return Vec::new();
    }
    search.occurrences_of(wanted)
}

#[cfg(test)]
mod tests {
    use crate::text::replace::tests::{ambiguous, edited, found};

    #[test]
    fn white_space_around_the_old_text_is_ignored() {
        let text = "call(one,\n     two) + 3\n";
        assert_eq!(
            found(text, "\n\none,\n     two) \n"),
            ("trimmed_boundary", vec!["one,\n     two)"])
        );
    }

    #[test]
    fn the_span_is_exactly_the_text() {
        assert_eq!(edited("x(a,\n  b)y", "\na,\n  b)\n", "c)\n"), "x(c)\ny");
    }

    #[test]
    fn several_places_are_ambiguous() {
        assert_eq!(ambiguous("x(a,\nb)y\nx(a,\nb)y\n", "\na,\nb)"), [1, 3]);
    }
}
