//! Characters that cannot be seen but change what is seen around them.
//!
//! Bidirectional controls reorder a line, zero-width characters make two names look alike, tags and runs of variation
//! selectors carry hidden text. They are shown by their number, `⟨U+202E⟩`. Where such a character does its ordinary
//! work (a joiner inside an emoji or a script that shapes its letters, one variation selector behind its base, the
//! tags of a flag) it stays, otherwise ordinary text would be unreadable.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Replaces invisible characters that do no ordinary work where they stand with their names.
pub(super) fn name_invisible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut named: Option<String> = None;
    let mut previous = None;
    let mut allowed_until = 0;
    for (index, c) in text.char_indices() {
        let behind = index + c.len_utf8();
        if c == BLACK_FLAG {
            allowed_until = behind + flag_tags(&text[behind..]);
        }
        let keep = !is_invisible(c) || index < allowed_until || is_at_work(c, previous, &text[behind..]);
        // A named character is no base for another one.
        previous = keep.then_some(c);
        match (&mut named, keep) {
            (None, true) => {}
            (Some(named), true) => named.push(c),
            (named, false) => push_name(named.get_or_insert_with(|| text[..index].to_owned()), c),
        }
    }
    named.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Writes a character's number so that it can be seen.
pub(super) fn push_name(into: &mut String, c: char) {
    write!(into, "⟨U+{:04X}⟩", u32::from(c)).expect("writing to a string cannot fail");
}

const BLACK_FLAG: char = '\u{1F3F4}';
const JOINER: char = '\u{200D}';

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Tells whether an invisible character shapes its neighbours as it is meant to.
fn is_at_work(c: char, previous: Option<char>, rest: &str) -> bool {
    let Some(previous) = previous else {
        return false;
    };
    match c {
        JOINER if is_emoji_end(previous) => rest.chars().next().is_some_and(is_emoji),
        JOINER | '\u{200C}' => joins_letters(previous),
        '\u{FE0E}' | '\u{FE0F}' => is_variation_base(previous) || matches!(previous, '#' | '*' | '0'..='9'),
        '\u{FE00}'..='\u{FE0D}' | '\u{E0100}'..='\u{E01EF}' => is_variation_base(previous),
        '\u{180B}'..='\u{180D}' | '\u{180F}' => matches!(previous, '\u{1820}'..='\u{18AA}'),
        _ => false,
    }
}

fn is_variation_base(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !is_invisible(c)
}

fn is_emoji_end(c: char) -> bool {
    is_emoji(c) || c == '\u{FE0F}'
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// The scripts from Arabic to Balinese, where joiners choose the shape of letters.
fn joins_letters(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{1BFF}' | '\u{A840}'..='\u{ABFF}' | '\u{11000}'..='\u{11FFF}')
        && !is_invisible(c)
}

/// Returns the bytes of the tag run that makes a black flag the flag of a region, 0 when it is not such a run.
fn flag_tags(rest: &str) -> usize {
    let mut bytes = 0;
    for (count, c) in rest.chars().enumerate() {
        bytes += c.len_utf8();
        match c {
            '\u{E007F}' if count >= 3 => return bytes,
            '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' if count < 6 => {}
            _ => return 0,
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bidirectional_controls_are_named() {
        assert_eq!(
            name_invisible("a\u{202e}b\u{2066}c\u{200f}\u{61c}"),
            "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200F⟩⟨U+061C⟩"
        );
    }

    #[test]
    fn zero_width_characters_in_names_are_named() {
        assert_eq!(
            name_invisible("pass\u{200b}word\u{feff}"),
            "pass⟨U+200B⟩word⟨U+FEFF⟩"
        );
        assert_eq!(name_invisible("a\u{200d}b"), "a⟨U+200D⟩b");
    }

    #[test]
    fn emoji_keep_their_joiners_and_selectors() {
        for emoji in [
            "👩‍💻",
            "❤️",
            "1️⃣",
            "👨‍👩‍👧‍👦",
            "🏳️‍🌈",
            "👩🏽‍🚀",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        ] {
            assert_eq!(name_invisible(emoji), emoji, "{emoji:?}");
        }
    }

    #[test]
    fn letters_that_join_keep_their_joiners() {
        for word in ["می\u{200c}خواهم", "क्\u{200d}ष"] {
            assert_eq!(name_invisible(word), word);
        }
    }

    #[test]
    fn hidden_text_in_selectors_and_tags_is_named() {
        assert_eq!(
            name_invisible("😀\u{fe0f}\u{fe01}\u{e0101}"),
            "😀\u{fe0f}⟨U+FE01⟩⟨U+E0101⟩"
        );
        assert_eq!(name_invisible("a\u{e0061}"), "a⟨U+E0061⟩");
        assert_eq!(name_invisible("🏴\u{e0061}b"), "🏴⟨U+E0061⟩b");
    }
}
