//! Detection of an encoding: by the byte order mark, by what is valid, and at last by a guess.

use chardetng::EncodingDetector;

use super::Encoding;

pub(super) fn detect(bytes: &[u8]) -> Encoding {
    if bytes.starts_with(Encoding::Utf8.mark()) {
        return Encoding::Utf8;
    }
    if let Some(encoding) = utf16(bytes) {
        return encoding;
    }
    // Bytes with NUL are no text, and nothing is guessed of them.
    if str::from_utf8(bytes).is_ok() || bytes.contains(&0) || is_damaged_utf8(bytes) {
        return Encoding::Utf8;
    }
    let mut detector = EncodingDetector::new();
    detector.feed(bytes, true);
    let guess = detector.guess(None, false);
    Encoding::Legacy(if guess.is_ascii_compatible() {
        guess
    } else {
        encoding_rs::WINDOWS_1252
    })
}

/// Makes a unit of UTF-16 of its bytes.
type ReadUnit = fn([u8; 2]) -> u16;

pub(super) fn utf16(bytes: &[u8]) -> Option<Encoding> {
    let orders: [(Encoding, ReadUnit); 2] = [
        (Encoding::Utf16Le, u16::from_le_bytes),
        (Encoding::Utf16Be, u16::from_be_bytes),
    ];
    let marked = orders
        .iter()
        .find(|(encoding, _)| bytes.starts_with(encoding.mark()));
    if let Some((encoding, _)) = marked {
        return Some(*encoding);
    }
    if bytes.len() < 4 || !bytes.contains(&0) {
        return None;
    }
    orders
        .into_iter()
        .find(|(_, unit)| is_utf16_text(bytes, *unit))
        .map(|(encoding, _)| encoding)
}

/// Returns true if bytes are UTF-16 without a byte order mark: they decode to text, a quarter of it ASCII.
fn is_utf16_text(bytes: &[u8], unit: ReadUnit) -> bool {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return false;
    }
    // The first bytes of a file may end within a character.
    let is_cut = pairs
        .last()
        .is_some_and(|pair| (0xd800..0xdc00).contains(&unit(*pair)));
    let pairs = &pairs[..pairs.len() - usize::from(is_cut)];
    let (mut characters, mut ascii) = (0_usize, 0_usize);
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        let Some(c) = decoded.ok().filter(|c| is_text(*c)) else {
            return false;
        };
        characters += 1;
        ascii += usize::from(c.is_ascii());
    }
    ascii > 0 && ascii * 4 >= characters
}

fn is_text(c: char) -> bool {
    let code = u32::from(c);
    let is_noncharacter = code & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&code);
    !is_noncharacter && (!c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}'))
}

/// Returns true for UTF-8 with a few broken bytes: at least four characters beyond ASCII for each of them. Text in another
/// encoding has hardly any by accident.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut characters, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        characters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    characters >= 4 * broken
}
