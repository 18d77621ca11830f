//! The state machine that reads the bytes.

use serde_json::{Map, Value};

use super::MAX_DEPTH;
use super::tree::OpenTree;

/// The offset of a byte that is no JSON, within the piece.
type MalformedAt = usize;

#[derive(Debug, Clone, Default)]
pub(super) struct JsonReader {
    pub(super) tree: OpenTree,
    /// True while the newest value is a string whose closing quote was not read.
    pub(super) is_in_string: bool,
    /// The key whose value comes next.
    key: Option<String>,
    state: ReaderState,
}

#[derive(Debug, Clone, Default)]
enum ReaderState {
    /// A value must come.
    #[default]
    Value,
    /// A value or the end of an array.
    FirstItem,
    /// A key or the end of an object.
    FirstKey,
    /// A key must come.
    Key,
    /// The colon behind a key.
    Colon,
    /// A comma or the end of the innermost container, or nothing when there is none.
    AfterValue,
    InString(StringPart),
    InNumber {
        part: NumberPart,
        written: String,
    },
    /// `null`, `true` or `false`.
    InWord {
        word: &'static str,
        read: usize,
    },
}

#[derive(Debug, Clone)]
struct StringPart {
    target: ValueTarget,
    escape: Escape,
    /// A leading surrogate that waits for the other one.
    surrogate: Option<u16>,
}

#[derive(Debug, Clone)]
enum ValueTarget {
    Key(String),
    /// The newest value of the tree.
    Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    Backslash,
    Hex { value: u16, digits: u8 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberPart {
    Minus,
    /// A leading zero, behind which no digit may come.
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

impl NumberPart {
    /// Returns the state behind `byte`, none when the number ends before it.
    fn next(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Minus, b'0') => Some(Self::Zero),
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Some(Self::Integer),
            (Self::Zero | Self::Integer, b'.') => Some(Self::Point),
            (Self::Point | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Some(Self::Exponent),
            (Self::Exponent, b'+' | b'-') => Some(Self::ExponentSign),
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => {
                Some(Self::ExponentDigits)
            }
            _ => None,
        }
    }

    fn may_end(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigits
        )
    }
}

impl JsonReader {
    pub(super) fn read(&mut self, piece: &str) -> Result<(), MalformedAt> {
        let mut at = 0;
        while at < piece.len() {
            at = match std::mem::take(&mut self.state) {
                ReaderState::InString(part) => self.in_string(part, piece, at)?,
                ReaderState::InNumber { part, written } => self.in_number(part, written, piece, at)?,
                ReaderState::InWord { word, read } => {
                    self.in_word(word, read, piece.as_bytes()[at]).ok_or(at)?
                }
                state => self.between(state, piece.as_bytes()[at]).ok_or(at)?,
            } + at;
        }
        Ok(())
    }

    /// Reads one byte outside of strings, numbers and words; returns how many bytes were read.
    fn between(&mut self, state: ReaderState, byte: u8) -> Option<usize> {
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            self.state = state;
            return Some(1);
        }
        match (state, byte) {
            (ReaderState::FirstItem, b']') | (ReaderState::FirstKey, b'}') => self.close(),
            (ReaderState::Value | ReaderState::FirstItem, _) => self.begin_value(byte)?,
            (ReaderState::FirstKey | ReaderState::Key, b'"') => {
                self.state = ReaderState::InString(StringPart::new(ValueTarget::Key(String::new())));
            }
            (ReaderState::Colon, b':') => self.state = ReaderState::Value,
            (ReaderState::AfterValue, _) => self.after_value(byte)?,
            _ => return None,
        }
        Some(1)
    }

    fn begin_value(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'{' | b'[' if self.tree.depth == MAX_DEPTH => return None,
            b'{' => {
                self.add(Value::Object(Map::new()));
                self.tree.depth += 1;
                self.state = ReaderState::FirstKey;
            }
            b'[' => {
                self.add(Value::Array(Vec::new()));
                self.tree.depth += 1;
                self.state = ReaderState::FirstItem;
            }
            b'"' => {
                self.add(Value::String(String::new()));
                self.is_in_string = true;
                self.state = ReaderState::InString(StringPart::new(ValueTarget::Value));
            }
            b'-' | b'0'..=b'9' => {
                self.state = ReaderState::InNumber {
                    part: match byte {
                        b'-' => NumberPart::Minus,
                        b'0' => NumberPart::Zero,
                        _ => NumberPart::Integer,
                    },
                    written: char::from(byte).to_string(),
                };
            }
            _ => {
                let is_begun = |word: &&str| word.as_bytes()[0] == byte;
                let word = ["null", "true", "false"].into_iter().find(is_begun)?;
                self.state = ReaderState::InWord { word, read: 1 };
            }
        }
        Some(())
    }

    fn after_value(&mut self, byte: u8) -> Option<()> {
        match (self.tree.container()?, byte) {
            (Value::Object(_), b',') => self.state = ReaderState::Key,
            (Value::Array(_), b',') => self.state = ReaderState::Value,
            (Value::Object(_), b'}') | (Value::Array(_), b']') => self.close(),
            _ => return None,
        }
        Some(())
    }

    fn close(&mut self) {
        self.tree.depth -= 1;
        self.state = ReaderState::AfterValue;
    }

    /// Adds a value where the text stands: at the top, in an array, or under the key just read.
    fn add(&mut self, value: Value) {
        self.tree.add(self.key.take(), value);
    }

    fn in_word(&mut self, word: &'static str, read: usize, byte: u8) -> Option<usize> {
        if word.as_bytes()[read] != byte {
            return None;
        }
        if read + 1 == word.len() {
            self.add(word.parse().unwrap_or_default());
            self.state = ReaderState::AfterValue;
        } else {
            self.state = ReaderState::InWord { word, read: read + 1 };
        }
        Some(1)
    }

    fn in_number(
        &mut self,
        mut part: NumberPart,
        mut written: String,
        piece: &str,
        at: usize,
    ) -> Result<usize, MalformedAt> {
        let rest = &piece[at..];
        let digits = rest.bytes().map_while(|byte| {
            part = part.next(byte)?;
            Some(())
        });
        let count = digits.count();
        written.push_str(&rest[..count]);
        if count == rest.len() {
            self.state = ReaderState::InNumber { part, written };
        } else if part.may_end() {
            self.add(written.parse().map_or(Value::Null, Value::Number));
            self.state = ReaderState::AfterValue;
        } else {
            return Err(at + count);
        }
        Ok(count)
    }

    /// Reads plain text up to the next escape or the end, or one byte of an escape.
    fn in_string(&mut self, mut part: StringPart, piece: &str, at: usize) -> Result<usize, MalformedAt> {
        let rest = &piece[at..];
        let byte = rest.as_bytes()[0];
        if part.escape != Escape::None {
            part.escape_byte(&mut self.tree, byte).ok_or(at)?;
            self.state = ReaderState::InString(part);
            return Ok(1);
        }
        let plain = rest
            .bytes()
            .take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f))
            .count();
        if plain > 0 {
            part.push_str(&mut self.tree, &rest[..plain]);
            self.state = ReaderState::InString(part);
            return Ok(plain);
        }
        match byte {
            b'\\' => {
                part.escape = Escape::Backslash;
                self.state = ReaderState::InString(part);
            }
            b'"' => self.end_string(part),
            _ => return Err(at),
        }
        Ok(1)
    }

    fn end_string(&mut self, mut part: StringPart) {
        part.drop_surrogate(&mut self.tree);
        match part.target {
            ValueTarget::Key(key) => {
                self.key = Some(key);
                self.state = ReaderState::Colon;
            }
            ValueTarget::Value => {
                self.is_in_string = false;
                self.state = ReaderState::AfterValue;
            }
        }
    }
}

impl StringPart {
    fn new(target: ValueTarget) -> Self {
        Self {
            target,
            escape: Escape::None,
            surrogate: None,
        }
    }

    fn push_str(&mut self, tree: &mut OpenTree, text: &str) {
        self.drop_surrogate(tree);
        self.append(tree, text);
    }

    fn push(&mut self, tree: &mut OpenTree, c: char) {
        self.push_str(tree, c.encode_utf8(&mut [0; 4]));
    }

    fn append(&mut self, tree: &mut OpenTree, text: &str) {
        match &mut self.target {
            ValueTarget::Key(key) => key.push_str(text),
            ValueTarget::Value => tree.push_str(text),
        }
    }

    /// A leading surrogate that got no partner becomes a replacement character.
    fn drop_surrogate(&mut self, tree: &mut OpenTree) {
        if self.surrogate.take().is_some() {
            self.append(tree, "\u{FFFD}");
        }
    }

    fn escape_byte(&mut self, tree: &mut OpenTree, byte: u8) -> Option<()> {
        let c = match (self.escape, byte) {
            (Escape::Hex { value, digits }, _) => {
                let digit = char::from(byte).to_digit(16)?;
                let value = value << 4 | digit as u16;
                self.escape = Escape::Hex {
                    value,
                    digits: digits + 1,
                };
                if digits == 3 {
                    self.escape = Escape::None;
                    self.code_unit(tree, value);
                }
                return Some(());
            }
            (_, b'u') => {
                self.escape = Escape::Hex { value: 0, digits: 0 };
                return Some(());
            }
            (_, b'"' | b'\\' | b'/') => char::from(byte),
            (_, b'b') => '\u{8}',
            (_, b'f') => '\u{c}',
            (_, b'n') => '\n',
            (_, b'r') => '\r',
            (_, b't') => '\t',
            _ => return None,
        };
        self.escape = Escape::None;
        self.push(tree, c);
        Some(())
    }

    fn code_unit(&mut self, tree: &mut OpenTree, unit: u16) {
        match (self.surrogate, unit) {
            (Some(high), 0xDC00..=0xDFFF) => {
                self.surrogate = None;
                let pair = char::decode_utf16([high, unit]).next().and_then(Result::ok);
                self.push(tree, pair.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (_, 0xD800..=0xDBFF) => {
                self.drop_surrogate(tree);
                self.surrogate = Some(unit);
            }
            _ => self.push(
                tree,
                char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER),
            ),
        }
    }
}
