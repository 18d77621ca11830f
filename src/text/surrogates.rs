//! Escapes of single UTF-16 surrogates in JSON.
//!
//! JSON may escape half of a character (`"\ud83d"`), Rust's strings cannot hold it, and a parser refuses the whole text.
//! A stream of JSON events may even hold one half in one event and the other in the next. So the halves are marked in
//! the JSON text before it is parsed, with characters that Unicode keeps out of interchange, and the marks are joined
//! or replaced in the strings that come out.

use std::borrow::Cow;

/// Stands in front of a mark's digits. It is a noncharacter, as the digits are: no text means anything by them.
const MARK: char = '\u{fdd0}';
/// Added to a digit of four bits.
const DIGIT: u32 = 0xfde0;
/// A mark has this many digits: a surrogate is 11 bits above `0xd800`.
const DIGITS: usize = 3;

/// Returns the JSON text with a mark for every escape of a surrogate that is not half of a pair.
pub fn mark(json: &str) -> Cow<'_, str> {
    rewrite(json, |unit, text| push_mark(text, unit))
}

/// Returns the JSON text with U+FFFD for every escape of a surrogate that is not half of a pair.
pub fn replace_escapes(json: &str) -> Cow<'_, str> {
    rewrite(json, |_, text| text.push(char::REPLACEMENT_CHARACTER))
}

/// Returns the text with marked halves joined where they follow each other, and U+FFFD for the others.
pub fn join(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let mut joiner = Joiner::default();
    let mut whole = joiner.push(text);
    whole.extend(joiner.finish());
    Cow::Owned(whole)
}

/// Joins halves over the pieces of one text.
#[derive(Debug, Default)]
pub struct Joiner {
    /// The first half of a character whose second half may begin the next piece.
    high: Option<u16>,
}

impl Joiner {
    /// Returns the piece with its marks joined or replaced. A first half at its end is kept for the next piece.
    pub fn push(&mut self, piece: &str) -> String {
        let mut text = String::with_capacity(piece.len());
        let mut rest = piece;
        while !rest.is_empty() {
            if let Some((unit, after)) = take_mark(rest) {
                rest = after;
                self.unit(unit, &mut text);
                continue;
            }
            text.extend(self.finish());
            // A mark's first character that no digits follow is text.
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let end = rest[first..].find(MARK).map_or(rest.len(), |place| first + place);
            text.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        text
    }

    /// Ends the text: a first half that waits has no second one.
    pub fn finish(&mut self) -> Option<char> {
        self.high.take().map(|_| char::REPLACEMENT_CHARACTER)
    }

    fn unit(&mut self, unit: u16, text: &mut String) {
        let pair = self.high.map(|high| [high, unit]);
        let joined = pair.and_then(|pair| char::decode_utf16(pair).next()?.ok());
        if let Some(joined) = joined {
            self.high = None;
            text.push(joined);
            return;
        }
        text.extend(self.finish());
        if is_high(unit) {
            self.high = Some(unit);
        } else {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

fn rewrite(json: &str, put: impl Fn(u16, &mut String)) -> Cow<'_, str> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return Cow::Borrowed(json);
    }
    let mut text = String::new();
    let mut copied = 0;
    let mut place = 0;
    while let Some(found) = json[place..].find('\\') {
        let start = place + found;
        let (length, single) = match escaped_unit(json, start) {
            Some(unit) if is_high(unit) && escaped_unit(json, start + 6).is_some_and(is_low) => (12, None),
            Some(unit) if is_high(unit) || is_low(unit) => (6, Some(unit)),
            Some(_) => (6, None),
            None => (
                1 + json[start + 1..].chars().next().map_or(0, char::len_utf8),
                None,
            ),
        };
        place = start + length;
        if let Some(unit) = single {
            text.push_str(&json[copied..start]);
            put(unit, &mut text);
            copied = place;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    text.push_str(&json[copied..]);
    Cow::Owned(text)
}

/// Returns the code unit that is escaped at `start`.
fn escaped_unit(json: &str, start: usize) -> Option<u16> {
    let digits = json.get(start..start + 6)?.strip_prefix("\\u")?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

fn push_mark(text: &mut String, unit: u16) {
    text.push(MARK);
    let bits = u32::from(unit) - 0xd800;
    for place in (0..DIGITS).rev() {
        let digit = DIGIT + ((bits >> (4 * place)) & 0xf);
        text.extend(char::from_u32(digit));
    }
}

fn take_mark(text: &str) -> Option<(u16, &str)> {
    let mut characters = text.strip_prefix(MARK)?.chars();
    let mut bits = 0;
    for _ in 0..DIGITS {
        let digit = u32::from(characters.next()?)
            .checked_sub(DIGIT)
            .filter(|digit| *digit < 16)?;
        bits = bits << 4 | digit;
    }
    let unit = u16::try_from(0xd800 + bits).ok()?;
    Some((unit, characters.as_str()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(json: &str) -> String {
        serde_json::from_str(&mark(json)).unwrap()
    }

    #[test]
    fn a_pair_and_what_only_looks_like_an_escape_are_left_alone() {
        for json in [
            r#""\ud83d\ude00 \u00e9 \n""#,
            r#""\\ud83d""#,
            r#""\\\\ude00 a\\""#,
            "\"é 世\"",
        ] {
            assert!(matches!(mark(json), Cow::Borrowed(_)), "{json}");
            assert!(matches!(replace_escapes(json), Cow::Borrowed(_)), "{json}");
        }
    }

    #[test]
    fn a_single_half_becomes_the_replacement_character() {
        for (json, text) in [
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\uDE00""#, "\u{fffd}"),
            (r#""\ud83d\ud83d\ude00\ude00""#, "\u{fffd}😀\u{fffd}"),
            (r#""\\\ud83d\n""#, "\\\u{fffd}\n"),
            (r#""\ud83d\\ude00""#, "\u{fffd}\\ude00"),
        ] {
            assert_eq!(join(&parsed(json)), text, "{json}");
            assert_eq!(
                serde_json::from_str::<String>(&replace_escapes(json)).unwrap(),
                text
            );
        }
    }

    #[test]
    fn halves_of_two_pieces_are_one_character() {
        let mut joiner = Joiner::default();
        let mut text = joiner.push(&parsed(r#""a\ud83d""#));
        assert_eq!(text, "a");
        text.push_str(&joiner.push(&parsed(r#""\ude00b\ud83d""#)));
        text.push_str(&joiner.push("c\u{fdd0}"));
        text.extend(joiner.finish());
        assert_eq!(text, "a😀b\u{fffd}c\u{fdd0}");
    }

    proptest! {
        #[test]
        fn whatever_is_escaped_is_read_as_utf16_with_losses(units in proptest::collection::vec(any::<u16>(), 0..20), cut in 0usize..20) {
            let escaped = |units: &[u16]| {
                let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04X}")).collect();
                format!("\"{}\"", escapes.concat())
            };
            let units: Vec<u16> = units.into_iter().map(|unit| if unit % 3 == 0 { unit } else { 0xd800 | unit }).collect();
            // The marks' own characters are not to be met in text.
            prop_assume!(!units.iter().any(|unit| (0xfdd0..=0xfdef).contains(unit)));
            let expected = String::from_utf16_lossy(&units);
            let whole = parsed(&escaped(&units));
            prop_assert_eq!(&*join(&whole), &expected);
            let (first, second) = units.split_at(cut.min(units.len()));
            let mut joiner = Joiner::default();
            let mut pieces = joiner.push(&parsed(&escaped(first)));
            pieces.push_str(&joiner.push(&parsed(&escaped(second))));
            pieces.extend(joiner.finish());
            prop_assert_eq!(pieces, expected);
        }

        #[test]
        fn any_text_is_cut_at_characters(text in "(\\\\u?|[dD][89a-fA-F]|[0-9a-f\"\u{fdd0}\u{fde1}é]|\\PC)*") {
            let _ = (mark(&text), replace_escapes(&text), join(&text));
        }
    }
}
