//! Character encodings of text files: detection, decoding with byte positions, and encoding.
//!
//! [`Encoding::of`] trusts a byte order mark first, then valid UTF-8, then the pattern of UTF-16, and guesses last. A
//! [`Decoded`] text knows where each of its characters lies in the bytes, so that a change of the text can leave every other
//! byte as it is: those that do not decode, and those for which the encoding has a second spelling.
//!
//! Every legacy encoding here keeps ASCII as it is. Encodings with shift sequences (ISO-2022-JP) have no bytes beyond ASCII
//! and count as UTF-8.
//!
//! ```
//! use lathe::text::encoding::Encoding;
//!
//! let encoding = Encoding::of(b"caf\xe9\n");
//! assert_eq!(encoding.name(), "windows-1252");
//! let decoded = encoding.decode(b"caf\xe9\n");
//! assert_eq!((&*decoded.text, decoded.offsets.byte_of(5)), ("café\n", 4));
//! assert_eq!(encoding.encode("é").unwrap(), b"\xe9");
//! ```

mod decode;
mod detect;
mod utf8_check;

use std::fmt;

pub use decode::{ByteOffsets, Decoded};
pub use utf8_check::Utf8Check;

/// The encoding of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// One that keeps ASCII and has not all characters.
    Legacy(&'static encoding_rs::Encoding),
}

/// A character that an encoding does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnencodableChar {
    pub character: char,
    pub encoding: Encoding,
}

impl std::error::Error for UnencodableChar {}

impl fmt::Display for UnencodableChar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { character, encoding } = self;
        let code = u32::from(*character);
        let name = encoding.name();
        write!(f, "`{character}` (U+{code:04X}) cannot be written in {name}")
    }
}

impl Encoding {
    /// Detects the encoding of a file's bytes.
    pub fn of(bytes: &[u8]) -> Self {
        detect::detect(bytes)
    }

    /// Detects UTF-16, with or without a byte order mark, in a file's bytes or an even number of its first ones.
    pub fn utf16_of(bytes: &[u8]) -> Option<Self> {
        detect::utf16(bytes)
    }

    /// Finds an encoding by one of its labels in the WHATWG's standard: `latin1`, `gbk`, `utf-16le`. There is none for labels
    /// of encodings that do not keep ASCII, but for UTF-16.
    pub fn named(label: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        if encoding == encoding_rs::UTF_8 {
            return Some(Self::Utf8);
        }
        if encoding == encoding_rs::UTF_16LE {
            return Some(Self::Utf16Le);
        }
        if encoding == encoding_rs::UTF_16BE {
            return Some(Self::Utf16Be);
        }
        encoding.is_ascii_compatible().then_some(Self::Legacy(encoding))
    }

    /// Returns the encoding for bytes whose encoding was named: for UTF-16 with a byte order mark, the order of the mark.
    #[must_use]
    pub fn ordered_by_mark(self, bytes: &[u8]) -> Self {
        let marked = [Self::Utf16Le, Self::Utf16Be]
            .into_iter()
            .find(|order| self.is_utf16() && bytes.starts_with(order.mark()));
        marked.unwrap_or(self)
    }

    /// Returns the name that results carry, which is a label of the encoding.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Legacy(encoding) => encoding.name(),
        }
    }

    /// Returns true for UTF-16 of either byte order.
    pub fn is_utf16(self) -> bool {
        matches!(self, Self::Utf16Le | Self::Utf16Be)
    }

    /// Returns the byte order mark; it is empty for legacy encodings.
    pub fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
            Self::Legacy(_) => b"",
        }
    }

    /// Decodes bytes without a byte order mark. What does not decode becomes `U+FFFD`.
    pub fn decode(self, bytes: &[u8]) -> Decoded {
        match self {
            Self::Utf8 => decode::utf8(bytes),
            Self::Utf16Le => decode::utf16(bytes, u16::from_le_bytes),
            Self::Utf16Be => decode::utf16(bytes, u16::from_be_bytes),
            Self::Legacy(encoding) => decode::legacy(bytes, encoding),
        }
    }

    /// Encodes text, or names the first character that the encoding lacks.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, UnencodableChar> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Self::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Self::Legacy(encoding) => legacy_bytes(encoding, text).ok_or_else(|| {
                let is_missing = |c: &char| legacy_bytes(encoding, c.encode_utf8(&mut [0; 4])).is_none();
                UnencodableChar {
                    character: text
                        .chars()
                        .find(is_missing)
                        .unwrap_or(char::REPLACEMENT_CHARACTER),
                    encoding: self,
                }
            }),
        }
    }
}

/// Encodes text that decodes to itself again. Encoders take some characters for others: a yen sign for a backslash in
/// `Shift_JIS`.
fn legacy_bytes(encoding: &'static encoding_rs::Encoding, text: &str) -> Option<Vec<u8>> {
    let (bytes, _, is_lossy) = encoding.encode(text);
    if is_lossy || encoding.decode_without_bom_handling(&bytes).0 != text {
        return None;
    }
    Some(bytes.into_owned())
}

#[cfg(test)]
mod tests;
