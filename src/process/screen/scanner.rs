//! A scanner in front of the emulation: it bounds strings and recognises queries that the library does not know.
//!
//! It follows the states of the parser as far as they matter here: an ESC begins a sequence wherever it stands. Strings of
//! the library's parser grow without end (OSC), so what is beyond [`MAX_STRING`] is left out.

use memchr::memchr;

/// Longest operating-system command (a title, a colour) in bytes.
const MAX_STRING: usize = 4096;
/// Parameters and intermediates of the queries we look for have fewer bytes.
const MAX_PARAMETERS: usize = 8;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ScanState {
    #[default]
    Ground,
    Escape,
    /// Bytes of a control sequence between `ESC [` and its final byte.
    Control {
        bytes: [u8; MAX_PARAMETERS],
        length: usize,
    },
    /// Length so far of an operating-system command.
    Command(usize),
}

/// A query that the library ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TerminalQuery {
    /// `CSI 16 t`
    CellSize,
    /// `CSI ? 6 n`
    ExtendedCursorPosition,
}

/// Bytes to feed, bytes to leave out after them, and the query that the fed bytes end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScanStep {
    pub(super) feed: usize,
    pub(super) skip: usize,
    pub(super) query: Option<TerminalQuery>,
}

/// The state between two pieces of output.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    state: ScanState,
}

impl Scanner {
    /// Looks at the next bytes; feeding and skipping what the step says moves on by at least one.
    pub(super) fn step(&mut self, bytes: &[u8]) -> ScanStep {
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                ScanState::Ground => match memchr(0x1b, &bytes[at..]) {
                    Some(offset) => {
                        at += offset + 1;
                        self.state = ScanState::Escape;
                    }
                    None => at = bytes.len(),
                },
                ScanState::Escape => {
                    self.state = after_escape(bytes[at]);
                    at += 1;
                }
                ScanState::Control { bytes: held, length } => {
                    let byte = bytes[at];
                    at += 1;
                    if let Some(query) = self.control(held, length, byte) {
                        return ScanStep {
                            feed: at,
                            skip: 0,
                            query: Some(query),
                        };
                    }
                }
                ScanState::Command(length) => {
                    let end = bytes[at..].iter().position(|byte| ends_string(*byte));
                    let run = end.unwrap_or(bytes.len() - at);
                    let room = MAX_STRING.saturating_sub(length);
                    self.state = ScanState::Command(length.saturating_add(run).min(MAX_STRING));
                    if run > room {
                        return ScanStep {
                            feed: at + room,
                            skip: run - room,
                            query: None,
                        };
                    }
                    at += run;
                    if let Some(byte) = bytes.get(at) {
                        at += 1;
                        self.state = if *byte == 0x1b {
                            ScanState::Escape
                        } else {
                            ScanState::Ground
                        };
                    }
                }
            }
        }
        ScanStep {
            feed: at,
            skip: 0,
            query: None,
        }
    }

    /// Takes one byte of a control sequence.
    fn control(&mut self, mut held: [u8; MAX_PARAMETERS], length: usize, byte: u8) -> Option<TerminalQuery> {
        match byte {
            0x1b => self.state = ScanState::Escape,
            0x18 | 0x1a => self.state = ScanState::Ground,
            0x20..=0x3f => {
                if let Some(place) = held.get_mut(length) {
                    *place = byte;
                }
                self.state = ScanState::Control {
                    bytes: held,
                    length: length.saturating_add(1),
                };
            }
            0x40..=0x7e => {
                self.state = ScanState::Ground;
                return match (held.get(..length)?, byte) {
                    (b"16", b't') => Some(TerminalQuery::CellSize),
                    (b"?6", b'n') => Some(TerminalQuery::ExtendedCursorPosition),
                    _ => None,
                };
            }
            // Control characters are executed in the middle of a sequence; all others are ignored there.
            _ => {}
        }
        None
    }
}

fn after_escape(byte: u8) -> ScanState {
    match byte {
        b'[' => ScanState::Control {
            bytes: [0; MAX_PARAMETERS],
            length: 0,
        },
        b']' => ScanState::Command(0),
        0x18 | 0x1a | 0x20..=0x7e => ScanState::Ground,
        _ => ScanState::Escape,
    }
}

fn ends_string(byte: u8) -> bool {
    matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that are fed and the queries, of pieces of this size.
    fn scan(bytes: &[u8], size: usize) -> (Vec<u8>, Vec<TerminalQuery>) {
        let mut scanner = Scanner::default();
        let (mut fed, mut queries) = (Vec::new(), Vec::new());
        for mut piece in bytes.chunks(size) {
            while !piece.is_empty() {
                let step = scanner.step(piece);
                assert!(step.feed + step.skip > 0);
                fed.extend_from_slice(&piece[..step.feed]);
                piece = &piece[step.feed + step.skip..];
                queries.extend(step.query);
            }
        }
        (fed, queries)
    }

    #[test]
    fn queries_are_found_however_bytes_are_split() {
        let bytes = b"a\x1b[16tb\x1b[>q\x1b[>0q\x1b[?6n\x1b[6n\x1b[16;1t\x1b[1\x186t\x1b]0;[16t\x07";
        for size in [1, 2, 3, 100] {
            let (fed, queries) = scan(bytes, size);
            assert_eq!(fed, bytes);
            assert_eq!(
                queries,
                [TerminalQuery::CellSize, TerminalQuery::ExtendedCursorPosition],
                "pieces of {size}"
            );
        }
    }

    #[test]
    fn a_string_without_an_end_is_cut() {
        let mut bytes = b"\x1b]0;".to_vec();
        bytes.resize(1 << 20, b'x');
        bytes.extend_from_slice(b"\x07after");
        for size in [1, 1000, bytes.len()] {
            let (fed, _) = scan(&bytes, size);
            assert_eq!(fed.len(), 2 + MAX_STRING + 6, "pieces of {size}");
            assert!(fed.ends_with(b"x\x07after"));
        }
    }
}
