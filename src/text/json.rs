//! JSON that a terminal can be shown.
//!
//! JSON escapes the control characters of ASCII by itself. The others, the line breaks of Unicode and what turns the
//! direction of text round stand in strings alone, where an escape means the same to a parser and nothing to a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns the same JSON with escapes for what a terminal, or a reader of lines, would act on.
pub fn inert(json: &str) -> Cow<'_, str> {
    if !json.chars().any(acts) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if acts(c) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

/// DEL and C1, line and paragraph separators, and the direction marks of the bidirectional algorithm.
fn acts(c: char) -> bool {
    matches!(
        c,
        '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn nothing_is_copied_without_need() {
        assert!(matches!(inert(r#"{"a":"é 世 👩"}"#), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn it_means_the_same_and_acts_on_nothing(text in "([\\x00-\\u{a0}\\u{200b}-\\u{206f}]|\\PC)*") {
            let value = json!({ "key": text.clone(), text: 1 });
            let json = value.to_string();
            let inert = inert(&json);
            prop_assert!(!inert.chars().any(|c| c.is_control() || acts(c)));
            prop_assert_eq!(serde_json::from_str::<Value>(&inert).unwrap(), value);
        }
    }
}
