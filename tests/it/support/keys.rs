//! Keys as a terminal sends them.

/// A key that is not plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Enter,
    AltEnter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Ctrl(char),
    Alt(char),
    Function(u8),
}

impl Key {
    /// The bytes of a terminal without keyboard protocol extensions.
    pub(crate) fn bytes(self) -> Vec<u8> {
        let text = match self {
            Self::Enter => "\r",
            Self::AltEnter => "\x1b\r",
            Self::Esc => "\x1b",
            Self::Tab => "\t",
            Self::BackTab => "\x1b[Z",
            Self::Backspace => "\x7f",
            Self::Delete => "\x1b[3~",
            Self::Up => "\x1b[A",
            Self::Down => "\x1b[B",
            Self::Right => "\x1b[C",
            Self::Left => "\x1b[D",
            Self::Home => "\x1b[H",
            Self::End => "\x1b[F",
            Self::PageUp => "\x1b[5~",
            Self::PageDown => "\x1b[6~",
            Self::Ctrl(letter) => return vec![letter as u8 & 0x1f],
            Self::Alt(letter) => return format!("\x1b{letter}").into_bytes(),
            Self::Function(number) => return function(number).into_bytes(),
        };
        text.as_bytes().to_vec()
    }
}

fn function(number: u8) -> String {
    match number {
        1..=4 => format!("\x1bO{}", char::from(b'O' + number)),
        5 => "\x1b[15~".into(),
        6..=10 => format!("\x1b[{}~", 11 + number),
        11 | 12 => format!("\x1b[{}~", 12 + number),
        _ => panic!("terminals have 12 function keys"),
    }
}

#[test]
fn keys_are_sent_as_xterm_sends_them() {
    assert_eq!(Key::Ctrl('c').bytes(), [3]);
    assert_eq!(Key::Ctrl('x').bytes(), [0x18]);
    assert_eq!(Key::Alt('b').bytes(), b"\x1bb");
    assert_eq!(Key::Function(1).bytes(), b"\x1bOP");
    assert_eq!(Key::Function(12).bytes(), b"\x1b[24~");
}
