//! State of the input line in a terminal, derived from everything that was written to the terminal.

/// Contents of the input line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InputLine {
    /// Empty: only whole lines were written, or the line was seen to be cleared since.
    #[default]
    Empty,
    /// Only answers of the emulator to queries of a program.
    Answers,
    /// Probably empty: the last key ended the line or abandoned it.
    Ended,
    /// Input for a program that has left the foreground, which that program may not have read.
    Leftover,
    /// Text or keys that were typed into it.
    Typed,
}

/// Contents of the input line at a time, with a number that tells whether they have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputState {
    /// Another number after each write.
    pub serial: u64,
    pub line: InputLine,
}

/// What is kept of all that was written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WrittenInput {
    serial: u64,
    line: InputLine,
    /// The foreground group that it was typed to.
    group: Option<i32>,
}

impl WrittenInput {
    pub(super) fn state(&self, group: Option<i32>) -> InputState {
        let line = match self.line {
            InputLine::Typed if group.is_none() || group != self.group => InputLine::Leftover,
            line => line,
        };
        InputState {
            serial: self.serial,
            line,
        }
    }

    pub(super) fn is_at(&self, serial: u64) -> bool {
        self.serial == serial
    }

    /// Notes bytes that are typed to a group.
    pub(super) fn typed(&mut self, bytes: &[u8], group: Option<i32>) {
        self.serial += 1;
        let mut line = self.state(group).line;
        for byte in bytes {
            line = match (byte, line) {
                (b'\r' | b'\n' | 0x03, _) => InputLine::Ended,
                // The end of the input, where the line is empty.
                (0x04, InputLine::Empty | InputLine::Ended) => InputLine::Ended,
                _ => InputLine::Typed,
            };
        }
        self.line = line;
        self.group = group;
    }

    /// Notes a whole line that went into an empty one.
    pub(super) fn typed_line(&mut self) {
        self.serial += 1;
    }

    /// Notes answers to queries.
    pub(super) fn answered(&mut self) {
        self.serial += 1;
        if matches!(self.line, InputLine::Empty | InputLine::Ended) {
            self.line = InputLine::Answers;
        }
    }

    /// Notes that the line was seen to be clear.
    pub(super) fn cleared(&mut self) {
        self.line = InputLine::Empty;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(pieces: &[&str]) -> InputLine {
        let mut written = WrittenInput::default();
        for piece in pieces {
            written.typed(piece.as_bytes(), Some(7));
        }
        written.state(Some(7)).line
    }

    #[test]
    fn what_was_typed_last_says_what_may_be_in_the_line() {
        for (pieces, expected) in [
            (&[][..], InputLine::Empty),
            (&["ls\r"], InputLine::Ended),
            (&["ls"], InputLine::Typed),
            (&["ls\u{3}"], InputLine::Ended),
            (&["ls\r", "r"], InputLine::Typed),
            (&["\r\u{4}"], InputLine::Ended),
            (&["\u{4}"], InputLine::Ended),
            (&["ls\u{4}"], InputLine::Typed),
            (&["\u{1b}[A"], InputLine::Typed),
        ] {
            assert_eq!(after(pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn what_another_program_was_sent_is_left_over() {
        let mut written = WrittenInput::default();
        written.typed(b"q", Some(7));
        assert_eq!(written.state(Some(8)).line, InputLine::Leftover);
        assert_eq!(written.state(None).line, InputLine::Leftover);
        written.typed(b"\r", Some(8));
        assert_eq!(written.state(Some(7)).line, InputLine::Ended);
    }

    #[test]
    fn answers_are_told_from_text() {
        let mut written = WrittenInput::default();
        written.answered();
        assert_eq!(written.state(None).line, InputLine::Answers);
        written.typed(b"x", Some(7));
        written.answered();
        assert_eq!(written.state(Some(7)).line, InputLine::Typed);
        let serial = written.state(None).serial;
        written.cleared();
        written.typed_line();
        assert_eq!(written.state(None).line, InputLine::Empty);
        assert!(!written.is_at(serial));
    }
}
