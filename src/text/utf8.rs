//! UTF-8 that arrives in chunks, which may end within a character.

use std::borrow::Cow;

/// Cuts chunks between characters: the beginning of one that a chunk ends within waits for the next chunk.
#[derive(Debug, Default)]
pub struct ChunkedUtf8 {
    partial: Vec<u8>,
}

impl ChunkedUtf8 {
    /// Returns the bytes up to the end of the last complete character, with those that waited before them.
    pub fn bytes<'a>(&mut self, chunk: &'a [u8]) -> Cow<'a, [u8]> {
        let mut joined = std::mem::take(&mut self.partial);
        if joined.is_empty() {
            let (whole, partial) = chunk.split_at(chunk.len() - partial_character(chunk));
            self.partial.extend_from_slice(partial);
            return Cow::Borrowed(whole);
        }
        joined.extend_from_slice(chunk);
        self.partial = joined.split_off(joined.len() - partial_character(&joined));
        Cow::Owned(joined)
    }

    /// Like [`Self::bytes`], decoded: what is not UTF-8 becomes `U+FFFD`.
    pub fn text<'a>(&mut self, chunk: &'a [u8]) -> Cow<'a, str> {
        match self.bytes(chunk) {
            // Checking first is much faster than `from_utf8_lossy`.
            Cow::Borrowed(bytes) => {
                str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
            }
            Cow::Owned(bytes) => Cow::Owned(
                String::from_utf8(bytes)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            ),
        }
    }

    /// Ends the stream and returns the text of what still waits: `U+FFFD` or nothing.
    pub fn finish(&mut self) -> &'static str {
        let is_complete = std::mem::take(&mut self.partial).is_empty();
        if is_complete { "" } else { "\u{FFFD}" }
    }
}

/// Number of bytes at the end that begin a character of UTF-8 and do not complete it.
fn partial_character(bytes: &[u8]) -> usize {
    let Some(back) = bytes.iter().rev().take(3).position(|byte| *byte & 0xc0 != 0x80) else {
        return 0;
    };
    let tail = &bytes[bytes.len() - back - 1..];
    match str::from_utf8(tail) {
        Err(error) if error.valid_up_to() == 0 && error.error_len().is_none() => tail.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_that_are_not_complete_are_found() {
        let table: [(&[u8], usize); 9] = [
            (b"", 0),
            (b"a", 0),
            ("é".as_bytes(), 0),
            (b"a\xc3", 1),
            (b"\xe2\x82", 2),
            (b"\xf0\x9f\x91", 3),
            (b"\x82\x82\x82\x82", 0),
            (b"\xff", 0),
            (b"\xe2\x28", 0),
        ];
        for (bytes, expected) in table {
            assert_eq!(partial_character(bytes), expected, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn chunks_decode_to_the_text_of_the_whole(
            pieces in proptest::collection::vec(prop_oneof![
                "[aé世👩]{1,3}".prop_map(String::into_bytes),
                proptest::collection::vec(any::<u8>(), 1..4),
            ], 0..20),
            size in 1_usize..9,
        ) {
            let bytes = pieces.concat();
            let (mut utf8, mut text) = (ChunkedUtf8::default(), String::new());
            for chunk in bytes.chunks(size) {
                text.push_str(&utf8.text(chunk));
            }
            text.push_str(utf8.finish());
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
        }
    }
}
