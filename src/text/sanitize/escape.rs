//! Tells text from escape sequences, one character at a time.
//!
//! Follows the shape of the sequences (ECMA-48), not their meaning: control sequences end at a final byte, control
//! strings (OSC, DCS, APC, PM, SOS) at ST or BEL. Both also end at a line break, which no sequence in use contains:
//! an unfinished one then hides the rest of its line and not the rest of the text. The few sequences that move within
//! or erase a line are reported, because the decoder of process output needs them to resolve overwrites, and so are those
//! that change how text looks.
//!
//! The parser of the terminal screens (`vte`) does not serve here, because it does as terminals do: a line break ends no
//! sequence, so an unfinished control string hides every line after it; characters beyond ASCII vanish within a sequence;
//! C1 controls in UTF-8 begin none; and an OSC is gathered without a bound. To rewrite its input until it does otherwise
//! takes as much code as this and slows coloured text and progress bars down.

/// Of a control sequence, so many parameter bytes are kept; one with more says nothing. Both colours as three numbers, with
/// every emphasis, take about 50.
const MOST_PARAMETERS: usize = 128;

/// The result of passing one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilteredChar {
    /// Belongs to no sequence. May still be a control.
    Char(char),
    /// Ended a sequence that puts the cursor at the line's start.
    ToLineStart,
    /// Ended a sequence that erases from the cursor to the line's end.
    EraseToEnd,
    /// Ended a sequence that erases the whole line.
    EraseLine,
    /// Ended a sequence that erases from the cursor to the end of the screen.
    EraseBelow,
    /// Moves the cursor to the left by so many columns.
    Back(usize),
    /// Moves the cursor by so many rows.
    Up(usize),
    Down(usize),
    /// The same, to the start of the line.
    ToLineAbove(usize),
    ToLineBelow(usize),
    /// Keeps the place of the cursor, and goes back to it.
    Save,
    Restore,
    /// Ended a sequence that changes how text looks; [`EscapeFilter::parameters`] say how.
    Style,
    /// Part of a sequence.
    Nothing,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum EscapeState {
    #[default]
    Text,
    /// Behind ESC, perhaps with intermediate bytes.
    Escape { intermediate: bool },
    /// In a control sequence.
    Csi,
    /// In a control string.
    ControlString { escape: bool },
}

#[derive(Debug, Default)]
pub(super) struct EscapeFilter {
    state: EscapeState,
    /// The text between the beginning and the end of the last control sequence, one character more than is kept when
    /// there was more.
    parameters: String,
}

impl EscapeFilter {
    pub(super) fn pass(&mut self, c: char) -> FilteredChar {
        match self.state {
            EscapeState::Text => self.text(c),
            EscapeState::Escape { intermediate } => self.escape(c, intermediate),
            EscapeState::Csi => self.csi(c),
            EscapeState::ControlString { escape } => self.string(c, escape),
        }
    }

    /// Returns true if the next character begins a sequence or belongs to none.
    pub(super) fn is_between_sequences(&self) -> bool {
        self.state == EscapeState::Text
    }

    /// Returns the parameters of the control sequence that just ended: digits, `;` and `:`.
    pub(super) fn parameters(&self) -> &str {
        &self.parameters
    }

    fn text(&mut self, c: char) -> FilteredChar {
        self.state = match c {
            '\x1b' => EscapeState::Escape { intermediate: false },
            '\u{9b}' => self.begin_csi(),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => EscapeState::ControlString { escape: false },
            _ => return FilteredChar::Char(c),
        };
        FilteredChar::Nothing
    }

    fn escape(&mut self, c: char, intermediate: bool) -> FilteredChar {
        self.state = match c {
            '[' if !intermediate => self.begin_csi(),
            ']' | 'P' | 'X' | '^' | '_' if !intermediate => EscapeState::ControlString { escape: false },
            ' '..='/' => EscapeState::Escape { intermediate: true },
            '7' | '8' if !intermediate => {
                self.state = EscapeState::Text;
                return if c == '7' {
                    FilteredChar::Save
                } else {
                    FilteredChar::Restore
                };
            }
            '0'..='~' => EscapeState::Text,
            _ => return self.give_back(c),
        };
        FilteredChar::Nothing
    }

    fn begin_csi(&mut self) -> EscapeState {
        self.parameters.clear();
        EscapeState::Csi
    }

    fn csi(&mut self, c: char) -> FilteredChar {
        match c {
            '0'..='?' | ' '..='/' => {
                if self.parameters.len() <= MOST_PARAMETERS {
                    self.parameters.push(c);
                }
                FilteredChar::Nothing
            }
            '@'..='~' => {
                self.state = EscapeState::Text;
                meaning(c, &self.parameters)
            }
            _ => self.give_back(c),
        }
    }

    fn string(&mut self, c: char, escape: bool) -> FilteredChar {
        match c {
            '\\' if escape => self.state = EscapeState::Text,
            _ if escape => {
                // ESC ends the string whatever follows it; what follows begins a sequence of its own.
                return self.escape(c, false);
            }
            '\x1b' => self.state = EscapeState::ControlString { escape: true },
            '\x07' | '\x18' | '\x1a' | '\u{9c}' => self.state = EscapeState::Text,
            '\n' => return self.give_back(c),
            _ => {}
        }
        FilteredChar::Nothing
    }

    /// Drops the sequence so far; the character that does not belong to it is read as text.
    fn give_back(&mut self, c: char) -> FilteredChar {
        self.state = EscapeState::Text;
        self.text(c)
    }
}

fn meaning(last: char, parameters: &str) -> FilteredChar {
    match (last, parameters) {
        ('K', "" | "0") => FilteredChar::EraseToEnd,
        ('K', "2") => FilteredChar::EraseLine,
        ('G', "" | "0" | "1") => FilteredChar::ToLineStart,
        ('J', "" | "0") => FilteredChar::EraseBelow,
        ('m', parameters) if is_style(parameters) => FilteredChar::Style,
        ('s', "") => FilteredChar::Save,
        ('u', "") => FilteredChar::Restore,
        ('A'..='F', parameters) => movement(last, parameters).unwrap_or(FilteredChar::Nothing),
        _ => FilteredChar::Nothing,
    }
}

fn movement(last: char, parameters: &str) -> Option<FilteredChar> {
    let count = match parameters {
        "" | "0" => 1,
        number => number.parse::<u16>().ok()?.into(),
    };
    Some(match last {
        'A' => FilteredChar::Up(count),
        'B' => FilteredChar::Down(count),
        'D' => FilteredChar::Back(count),
        'E' => FilteredChar::ToLineBelow(count),
        'F' => FilteredChar::ToLineAbove(count),
        _ => return None,
    })
}

/// Other bytes among the parameters make another sequence of it.
fn is_style(parameters: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b';' | b':');
    parameters.len() <= MOST_PARAMETERS && parameters.bytes().all(is_plain)
}
