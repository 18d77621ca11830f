//! Pastes of terminals that do not frame them.
//!
//! Such a paste comes as if it were typed, only faster: bytes that are no more than 10 ms apart. Where text follows a line
//! break in such a burst it is a paste as a whole, so that no line of it is sent. One line with its line break, as programs
//! write it that drive terminals, are keys.

use std::time::Duration;

/// Longest time between two bytes of one burst. People type keys at least 30 ms apart.
pub(super) const GAP: Duration = Duration::from_millis(10);
/// Keys of a paste that are held; what follows is the next one.
const MOST: usize = 4 * 1024 * 1024;

/// Keys from a line break on, which wait for what follows them. Each is the bytes that the terminal sent for it, with what
/// they were read as.
#[derive(Debug)]
pub(super) struct Burst<T> {
    held: Vec<(T, Vec<u8>)>,
}

/// The meaning of a burst that has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BurstEnd<T> {
    Paste(String),
    Keys(Vec<(T, Vec<u8>)>),
}

impl<T> Default for Burst<T> {
    fn default() -> Self {
        Self { held: Vec::new() }
    }
}

impl<T> Burst<T> {
    pub(super) fn is_open(&self) -> bool {
        !self.held.is_empty()
    }

    /// Takes the keys at the beginning of what was read at once that begin a burst or go on with it: text, with a line break
    /// where none came before. Returns the others.
    pub(super) fn take(&mut self, read: Vec<(T, Vec<u8>)>) -> Vec<(T, Vec<u8>)> {
        let room = MOST.saturating_sub(self.held.len());
        let count = read
            .iter()
            .take(room)
            .take_while(|(_, bytes)| is_text(bytes))
            .count();
        let has_break = read[..count].iter().any(|(_, bytes)| is_break(bytes));
        if count == 0 || !(self.is_open() || has_break) {
            return read;
        }
        let mut read = read.into_iter();
        self.held.extend(read.by_ref().take(count));
        read.collect()
    }

    /// Ends the burst: nothing came for a while, or something that is no text.
    pub(super) fn end(&mut self) -> Option<BurstEnd<T>> {
        let held = std::mem::take(&mut self.held);
        let first = held.iter().position(|(_, bytes)| is_break(bytes))?;
        if held[first..].iter().all(|(_, bytes)| is_break(bytes)) {
            return Some(BurstEnd::Keys(held));
        }
        let bytes: Vec<u8> = held.into_iter().flat_map(|(_, bytes)| bytes).collect();
        let text = String::from_utf8_lossy(&bytes);
        Some(BurstEnd::Paste(text.replace("\r\n", "\n").replace('\r', "\n")))
    }
}

/// Returns true for the bytes of a character, a tab or a line break.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\r' | b'\n' | 0x20..=0x7e | 0x80..);
    !bytes.is_empty() && bytes.iter().all(is_text)
}

fn is_break(bytes: &[u8]) -> bool {
    matches!(bytes, b"\r" | b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<((), Vec<u8>)> {
        let keys = text.chars().map(|c| ((), c.to_string().into_bytes()));
        keys.collect()
    }

    fn ended(pieces: &[&str]) -> Option<BurstEnd<()>> {
        let mut burst = Burst::default();
        for piece in pieces {
            assert_eq!(burst.take(keys(piece)), [], "{piece:?}");
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
            assert_eq!(ended(&[piece]), Some(BurstEnd::Keys(keys(piece))));
        }
    }

    #[test]
    fn text_without_a_line_break_and_other_keys_begin_no_burst() {
        let arrow = ((), b"\x1b[A".to_vec());
        for read in [
            keys("abc"),
            keys("\t"),
            vec![arrow.clone(), keys("\r").remove(0)],
            keys("a\x03"),
        ] {
            let mut burst = Burst::default();
            assert_eq!(burst.take(read.clone()), read);
        }
        let mut burst = Burst::default();
        let read = [keys("a\rb"), vec![arrow.clone()]].concat();
        assert_eq!(burst.take(read), [arrow]);
        assert_eq!(burst.end(), Some(BurstEnd::Paste("a\nb".to_owned())));
    }
}
