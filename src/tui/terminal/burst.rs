//! Pastes of terminals that do not frame them.
//!
//! Such a paste comes as if it were typed, only faster: bytes that are no more than 10 ms apart. Where text follows a line
//! break in such a burst it is a paste as a whole, so that no line of it is sent. One line with its line break, as programs
//! write it that drive terminals, are keys.

use std::time::Duration;

/// Longest time between two bytes of one burst. People type keys at least 30 ms apart.
pub(super) const GAP: Duration = Duration::from_millis(10);
/// Bytes of a paste that are held; what follows is the next one.
const MOST: usize = 8 * 1024 * 1024;

/// Bytes from a line break on, which wait for what follows them.
#[derive(Debug, Default)]
pub(super) struct Burst {
    held: Vec<u8>,
}

/// The meaning of a burst that has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BurstEnd {
    Paste(String),
    Keys(Vec<u8>),
}

impl Burst {
    pub(super) fn is_open(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns true for bytes that begin a burst or go on with it: text, with a line break where none came before.
    pub(super) fn takes(&self, bytes: &[u8]) -> bool {
        let is_text = |byte: &u8| matches!(byte, b'\t' | b'\r' | b'\n' | 0x20..=0x7e | 0x80..);
        let has_break = || bytes.iter().any(|byte| is_break(*byte));
        self.held.len() < MOST && bytes.iter().all(is_text) && (self.is_open() || has_break())
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Ends the burst: nothing came for a while, or something that is no text.
    pub(super) fn end(&mut self) -> Option<BurstEnd> {
        let held = std::mem::take(&mut self.held);
        let first = held.iter().position(|byte| is_break(*byte))?;
        if held[first..].iter().all(|byte| is_break(*byte)) {
            return Some(BurstEnd::Keys(held));
        }
        let text = String::from_utf8_lossy(&held);
        Some(BurstEnd::Paste(text.replace("\r\n", "\n").replace('\r', "\n")))
    }
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(pieces: &[&str]) -> Option<BurstEnd> {
        let mut burst = Burst::default();
        for piece in pieces {
            assert!(burst.takes(piece.as_bytes()), "{piece:?}");
            burst.push(piece.as_bytes());
        }
        burst.end()
    }

    #[test]
    fn text_behind_a_line_break_makes_a_paste() {
        for (pieces, text) in [
            (&["one\rtwo"][..], "one\ntwo"),
            (&["one\r", "two\r"], "one\ntwo\n"),
            (&["one\r\n!ls\r\n/exit\r\n"], "one\n!ls\n/exit\n"),
            (&["\r", "é"], "\né"),
        ] {
            assert_eq!(ended(pieces), Some(BurstEnd::Paste(text.to_owned())));
        }
    }

    #[test]
    fn one_line_and_its_end_are_keys() {
        for piece in ["/exit\r", "\r", "\n", "hello\r\n", "two ends\r\r"] {
            assert_eq!(ended(&[piece]), Some(BurstEnd::Keys(piece.as_bytes().to_vec())));
        }
    }

    #[test]
    fn text_without_a_line_break_and_keys_begin_no_burst() {
        let burst = Burst::default();
        for bytes in ["abc", "\t", "\x1b[A\r", "a\x03\r", "a\x7f\r"] {
            assert!(!burst.takes(bytes.as_bytes()), "{bytes:?}");
        }
    }
}
