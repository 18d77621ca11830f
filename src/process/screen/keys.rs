//! The bytes that a terminal sends for keys, as xterm does: that is the terminal which programs are told of.

/// Modes of the screen that keys depend on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyModes {
    /// Arrow keys, Home and End begin with `ESC O`.
    pub application_cursor: bool,
}

/// Modifiers that are held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyModifiers {
    pub shift: bool,
    pub alt: bool,
    pub control: bool,
}

/// A key that is not text, by the form in which it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalKey {
    /// A character of its own.
    Byte(u8),
    /// `ESC [ X`, or `ESC O X` in application mode.
    Cursor(u8),
    /// `ESC O X`, as the first four function keys.
    Function(u8),
    /// `ESC [ N ~`.
    Numbered(u8),
    BackTab,
}

/// The control character of a key: letters and the characters around them, and those that terminals add.
pub fn control_character(character: char) -> Option<u8> {
    match character {
        '@'..='_' | 'a'..='z' => Some(character as u8 & 0x1f),
        ' ' | '2' => Some(0),
        '?' | '8' => Some(0x7f),
        '/' | '-' => Some(0x1f),
        '3'..='7' => Some(character as u8 - b'3' + 0x1b),
        _ => None,
    }
}

impl TerminalKey {
    /// Returns the bytes that xterm sends for it.
    pub fn encode(self, modifiers: KeyModifiers, modes: KeyModes) -> Vec<u8> {
        let parameter = modifiers.parameter();
        match (self, parameter) {
            (Self::Byte(byte), _) => plain(byte, modifiers),
            (Self::BackTab, _) => b"\x1b[Z".to_vec(),
            (Self::Cursor(last), None) if modes.application_cursor => vec![0x1b, b'O', last],
            (Self::Cursor(last), None) => vec![0x1b, b'[', last],
            (Self::Function(last), None) => vec![0x1b, b'O', last],
            (Self::Cursor(last) | Self::Function(last), Some(parameter)) => {
                format!("\x1b[1;{parameter}{}", char::from(last)).into_bytes()
            }
            (Self::Numbered(number), None) => format!("\x1b[{number}~").into_bytes(),
            (Self::Numbered(number), Some(parameter)) => format!("\x1b[{number};{parameter}~").into_bytes(),
        }
    }
}

/// A key that is a character, with what modifiers make of it.
fn plain(byte: u8, modifiers: KeyModifiers) -> Vec<u8> {
    if byte == b'\t' && modifiers.shift {
        return b"\x1b[Z".to_vec();
    }
    let byte = match byte {
        b' ' if modifiers.control => 0,
        0x7f if modifiers.control => 0x08,
        byte => byte,
    };
    if modifiers.alt {
        vec![0x1b, byte]
    } else {
        vec![byte]
    }
}

impl KeyModifiers {
    /// The number that says which are held, where any is.
    fn parameter(self) -> Option<u8> {
        let held = u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.control);
        (held > 0).then_some(held + 1)
    }
}
