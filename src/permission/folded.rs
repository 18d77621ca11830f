//! The form in which protected names are compared.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Lower case by way of upper case, so that letters with several lower-case forms become one, without what HFS+ ignores,
/// composed (NFC).
pub(super) fn folded(name: &str) -> String {
    let is_ignored = |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let kept = name.chars().filter(|c| !is_ignored(*c));
    let lower: String = kept
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(&lower)
        .into_owned()
}
