//! Decoding that keeps the byte position of every character.

use std::iter::once;

use encoding_rs::DecoderResult;

/// Bytes of the longest character of a legacy encoding.
const LONGEST: usize = 4;

/// Text, and where it lies in the bytes that it was decoded from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    pub offsets: ByteOffsets,
    /// Some bytes did not decode; the text has `U+FFFD` in their place.
    pub has_loss: bool,
}

/// Maps positions in a decoded text to positions in its bytes.
///
/// Characters in a row that are equally long in the text, and equally long in the bytes, are one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByteOffsets {
    /// In order, the first at 0. None where text and bytes are the same.
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// Start in the text.
    text: u32,
    /// Start in the bytes.
    bytes: u32,
    /// Length of each character in the text.
    text_width: u8,
    /// Length of each character in the bytes.
    byte_width: u8,
}

impl ByteOffsets {
    /// Returns where the character that begins at a position of the text begins in the bytes.
    pub fn byte_of(&self, position: usize) -> usize {
        let behind = self.runs.partition_point(|run| run.text as usize <= position);
        let Some(run) = behind.checked_sub(1).and_then(|index| self.runs.get(index)) else {
            return position;
        };
        let characters = (position - run.text as usize) / usize::from(run.text_width);
        run.bytes as usize + characters * usize::from(run.byte_width)
    }
}

pub(super) fn utf8(bytes: &[u8]) -> Decoded {
    if let Ok(text) = str::from_utf8(bytes) {
        return Decoded {
            text: text.to_owned(),
            ..Decoded::default()
        };
    }
    let mut builder = Builder::default();
    for chunk in bytes.utf8_chunks() {
        builder.push_same(chunk.valid());
        if !chunk.invalid().is_empty() {
            builder.push_loss(chunk.invalid().len());
        }
    }
    builder.decoded
}

pub(super) fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let mut builder = Builder::default();
    let mut rest = bytes;
    while let [one, two, tail @ ..] = rest {
        let first = unit([*one, *two]);
        let second = tail.first_chunk().map(|pair| unit(*pair));
        if let Some(Ok(c)) = char::decode_utf16(once(first).chain(second)).next() {
            let len = 2 * c.len_utf16();
            builder.push(c.encode_utf8(&mut [0; 4]), len);
            rest = &rest[len..];
        } else {
            builder.push_loss(2);
            rest = tail;
        }
    }
    if !rest.is_empty() {
        builder.push_loss(rest.len());
    }
    builder.decoded
}

pub(super) fn legacy(bytes: &[u8], encoding: &'static encoding_rs::Encoding) -> Decoded {
    let mut builder = Builder::default();
    let mut buffer = [0; 32];
    let mut rest = bytes;
    while !rest.is_empty() {
        let (ascii, tail) = rest.split_at(encoding_rs::Encoding::ascii_valid_up_to(rest));
        builder.push_same(str::from_utf8(ascii).unwrap_or_default());
        rest = tail;
        if rest.is_empty() {
            break;
        }
        let character = character(rest, encoding, &mut buffer);
        let text = character.and_then(|(written, len)| Some((str::from_utf8(&buffer[..written]).ok()?, len)));
        if let Some((text, len)) = text {
            builder.push(text, len);
            rest = &rest[len..];
        } else {
            builder.push_loss(1);
            rest = &rest[1..];
        }
    }
    builder.decoded
}

/// Decodes the character that bytes begin with: returns how much of the buffer it takes, and how many bytes.
fn character(
    bytes: &[u8],
    encoding: &'static encoding_rs::Encoding,
    buffer: &mut [u8],
) -> Option<(usize, usize)> {
    (1..=bytes.len().min(LONGEST)).find_map(|len| {
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let (result, _, written) = decoder.decode_to_utf8_without_replacement(&bytes[..len], buffer, true);
        (matches!(result, DecoderResult::InputEmpty) && written > 0).then_some((written, len))
    })
}

#[derive(Default)]
struct Builder {
    decoded: Decoded,
    bytes: usize,
}

impl Builder {
    /// Adds one character and the number of its bytes.
    fn push(&mut self, character: &str, bytes: usize) {
        self.begin(character.len() as u8, bytes as u8);
        self.decoded.text.push_str(character);
        self.bytes += bytes;
    }

    fn push_loss(&mut self, bytes: usize) {
        self.decoded.has_loss = true;
        self.push("\u{fffd}", bytes);
    }

    /// Adds text that is the same in the bytes.
    fn push_same(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        // Every byte is a run of its own length; positions within a character are not asked for.
        self.begin(1, 1);
        self.decoded.text.push_str(text);
        self.bytes += text.len();
    }

    fn begin(&mut self, text_width: u8, byte_width: u8) {
        let runs = &mut self.decoded.offsets.runs;
        let goes_on = runs
            .last()
            .is_some_and(|run| (run.text_width, run.byte_width) == (text_width, byte_width));
        if !goes_on {
            runs.push(Run {
                text: self.decoded.text.len() as u32,
                bytes: self.bytes as u32,
                text_width,
                byte_width,
            });
        }
    }
}
