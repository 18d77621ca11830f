//! A line's hash: two digits of xxHash32 over its text without white space.

use std::fmt;
use std::ops::Range;

use xxhash_rust::xxh32::Xxh32;

use crate::text::lines::Lines;
use crate::text::replace::is_white_space;
use crate::text::utf8::ChunkedUtf8;

/// Characters of a line that are shown; more are counted.
const SHOWN_CHARS: usize = 2000;

/// The hash of a line: shown as two lower-case digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(u8);

impl Hash {
    /// Hashes a line without its break. White space makes no difference, nor does a carriage return.
    pub fn of(line: &str) -> Self {
        let mut hasher = LineHasher::default();
        hasher.text(line);
        hasher.finish()
    }

    /// Takes two digits in either case.
    pub(super) fn from_digits(digits: &str) -> Option<Self> {
        let is_hash = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| u8::from_str_radix(digits, 16).ok().map(Self))?
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x}", self.0)
    }
}

/// Hashes a line that comes in pieces of bytes. What is no UTF-8 counts as `U+FFFD`, as it is shown.
pub struct LineHasher {
    hash: Xxh32,
    utf8: ChunkedUtf8,
}

impl Default for LineHasher {
    fn default() -> Self {
        Self {
            hash: Xxh32::new(0),
            utf8: ChunkedUtf8::default(),
        }
    }
}

impl LineHasher {
    pub fn push(&mut self, bytes: &[u8]) {
        let text = self.utf8.text(bytes);
        self.text(&text);
    }

    /// Returns the line's hash and begins another line.
    pub fn finish(&mut self) -> Hash {
        let text = self.utf8.finish();
        self.text(text);
        let hash = (self.hash.digest() % 256) as u8;
        self.hash.reset(0);
        Hash(hash)
    }

    fn text(&mut self, text: &str) {
        for piece in text.split(is_white_space) {
            self.hash.update(piece.as_bytes());
        }
    }
}

/// Returns a line as a read shows it; the tag is that of the whole line, however little of it is shown.
pub(super) fn tagged(number: usize, line: &str) -> String {
    let hash = Hash::of(line);
    match line.char_indices().nth(SHOWN_CHARS) {
        None => format!("{number}:{hash}|{line}"),
        Some((end, _)) => {
            let more = line[end..].chars().count();
            format!("{number}:{hash}|{}… [+{more} characters]", &line[..end])
        }
    }
}

/// Shows ranges of a text's lines, 0-based, in order and apart, with `...` where lines are left out between them.
pub fn tagged_lines(text: &str, ranges: &[Range<usize>]) -> Vec<String> {
    let lines = Lines::new(text);
    let mut shown = Vec::new();
    let mut end = None;
    for range in ranges {
        if end.is_some_and(|end| end < range.start) {
            shown.push("...".to_owned());
        }
        let numbers = range.start..range.end.min(lines.count());
        shown.extend(numbers.map(|index| tagged(index + 1, lines.get(index))));
        end = Some(range.end);
    }
    shown
}
