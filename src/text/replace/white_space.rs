//! White space as JavaScript knows it.
//!
//! Differs from Rust's by `U+FEFF`, which counts, and `U+0085`, which does not.

/// Tells whether a character is white space.
pub fn is_white_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{D}'
            | ' '
            | '\u{A0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200A}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202F}'
            | '\u{205F}'
            | '\u{3000}'
            | '\u{FEFF}'
    )
}

pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_white_space)
}

/// Returns the pieces between runs of white space.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_white_space).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_set_of_javascript() {
        assert!(
            ['\t', '\u{B}', '\u{A0}', '\u{2028}', '\u{FEFF}']
                .into_iter()
                .all(is_white_space)
        );
        assert!(
            !['\u{85}', '\u{180E}', '\u{200B}', '\u{2060}', 'x']
                .into_iter()
                .any(is_white_space)
        );
        assert_eq!(trim("\u{FEFF} a\u{3000}b \n"), "a\u{3000}b");
    }
}
