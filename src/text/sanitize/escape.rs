//! Tells text from escape sequences, one character at a time.
//!
//! Follows the shape of the sequences (ECMA-48), not their meaning: control sequences end at a final byte, control
//! strings (OSC, DCS, APC, PM, SOS) at ST or BEL. Both also end at a line break, which no sequence in use contains:
//! an unfinished one then hides the rest of its line and not the rest of the text. The few sequences that move within
//! or erase a line are reported, because the decoder of process output needs them to resolve overwrites.

/// What became of one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    /// Belongs to no sequence. May still be a control.
    Char(char),
    /// Ended a sequence that puts the cursor at the line's start.
    ToLineStart,
    /// Ended a sequence that erases from the cursor to the line's end.
    EraseToEnd,
    /// Ended a sequence that erases the whole line.
    EraseLine,
    /// Part of a sequence.
    Nothing,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Behind ESC, perhaps with intermediate bytes.
    Escape { intermediate: bool },
    /// In a control sequence.
    Csi { argument: Argument },
    /// In a control string.
    ControlString { escape: bool },
}

/// The first argument of a control sequence, as far as we need to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument {
    Missing,
    Digit(u8),
    /// More than one digit, or anything that is not a plain number.
    Other,
}

#[derive(Debug, Default)]
pub(super) struct EscapeFilter {
    state: State,
}

impl EscapeFilter {
    pub(super) fn pass(&mut self, c: char) -> Passed {
        match self.state {
            State::Text => self.text(c),
            State::Escape { intermediate } => self.escape(c, intermediate),
            State::Csi { argument } => self.csi(c, argument),
            State::ControlString { escape } => self.string(c, escape),
        }
    }

    fn text(&mut self, c: char) -> Passed {
        self.state = match c {
            '\x1b' => State::Escape { intermediate: false },
            '\u{9b}' => State::Csi {
                argument: Argument::Missing,
            },
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => State::ControlString { escape: false },
            _ => return Passed::Char(c),
        };
        Passed::Nothing
    }

    fn escape(&mut self, c: char, intermediate: bool) -> Passed {
        self.state = match c {
            '[' if !intermediate => State::Csi {
                argument: Argument::Missing,
            },
            ']' | 'P' | 'X' | '^' | '_' if !intermediate => State::ControlString { escape: false },
            ' '..='/' => State::Escape { intermediate: true },
            '0'..='~' => State::Text,
            _ => return self.give_back(c),
        };
        Passed::Nothing
    }

    fn csi(&mut self, c: char, argument: Argument) -> Passed {
        match c {
            '0'..='?' | ' '..='/' => {
                let argument = match (argument, c) {
                    (Argument::Missing, '0'..='9') => Argument::Digit(c as u8 - b'0'),
                    _ => Argument::Other,
                };
                self.state = State::Csi { argument };
                Passed::Nothing
            }
            '@'..='~' => {
                self.state = State::Text;
                meaning(c, argument)
            }
            _ => self.give_back(c),
        }
    }

    fn string(&mut self, c: char, escape: bool) -> Passed {
        match c {
            '\\' if escape => self.state = State::Text,
            _ if escape => {
                // ESC ends the string whatever follows it; what follows begins a sequence of its own.
                return self.escape(c, false);
            }
            '\x1b' => self.state = State::ControlString { escape: true },
            '\x07' | '\x18' | '\x1a' | '\u{9c}' => self.state = State::Text,
            '\n' => return self.give_back(c),
            _ => {}
        }
        Passed::Nothing
    }

    /// Drops the sequence so far; the character that does not belong to it is read as text.
    fn give_back(&mut self, c: char) -> Passed {
        self.state = State::Text;
        self.text(c)
    }
}

fn meaning(last: char, argument: Argument) -> Passed {
    match (last, argument) {
        ('K', Argument::Missing | Argument::Digit(0)) => Passed::EraseToEnd,
        ('K', Argument::Digit(2)) => Passed::EraseLine,
        ('G', Argument::Missing | Argument::Digit(0 | 1)) => Passed::ToLineStart,
        _ => Passed::Nothing,
    }
}
