//! One key with its modifiers, however the terminal reported it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key in its one spelling: no `shift` on characters, `backtab` as `shift+tab`, `ctrl+/` and `ctrl+7` as `ctrl+_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Chord {
    pub(crate) fn from_key(key: KeyEvent) -> Self {
        let mut modifiers = key.modifiers
            & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::SUPER);
        let code = match key.code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(c) => {
                let is_control = modifiers.contains(KeyModifiers::CONTROL);
                let is_shifted = modifiers.contains(KeyModifiers::SHIFT);
                modifiers -= KeyModifiers::SHIFT;
                // Terminals send one byte, 0x1f, for all of these.
                let is_underscore = matches!(c, '/' | '7' | '_') || (c == '-' && is_shifted);
                match c {
                    _ if is_control && is_underscore => KeyCode::Char('_'),
                    c if is_control => KeyCode::Char(c.to_ascii_lowercase()),
                    c if is_shifted => KeyCode::Char(c.to_ascii_uppercase()),
                    c => KeyCode::Char(c),
                }
            }
            code => code,
        };
        Self { code, modifiers }
    }

    /// Reads `ctrl+x`, `shift+enter`, `pgup`, `?`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            let (modifier, after) = match rest.split_once('+') {
                Some(("ctrl", after)) => (KeyModifiers::CONTROL, after),
                Some(("alt", after)) => (KeyModifiers::ALT, after),
                Some(("shift", after)) => (KeyModifiers::SHIFT, after),
                _ => break,
            };
            modifiers |= modifier;
            rest = after;
        }
        let code = match rest {
            "enter" => KeyCode::Enter,
            "esc" => KeyCode::Esc,
            "tab" => KeyCode::Tab,
            "space" => KeyCode::Char(' '),
            "backspace" => KeyCode::Backspace,
            "delete" => KeyCode::Delete,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "home" => KeyCode::Home,
            "end" => KeyCode::End,
            "pgup" => KeyCode::PageUp,
            "pgdn" => KeyCode::PageDown,
            other => {
                let mut chars = other.chars();
                let only = chars.next()?;
                if chars.next().is_some() {
                    return None;
                }
                KeyCode::Char(only)
            }
        };
        Some(Self::from_key(KeyEvent::new(code, modifiers)))
    }
}

/// Returns the character a key types, if it types one.
pub(crate) fn typed(key: KeyEvent) -> Option<char> {
    let chord = Chord::from_key(key);
    match chord.code {
        KeyCode::Char(c) if chord.modifiers.is_empty() && !c.is_control() => Some(c),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(code: KeyCode, modifiers: KeyModifiers) -> Chord {
        Chord::from_key(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn one_key_has_one_spelling() {
        let control = KeyModifiers::CONTROL;
        let shift = KeyModifiers::SHIFT;
        for (parsed, reported) in [
            ("shift+tab", chord(KeyCode::BackTab, shift)),
            ("shift+tab", chord(KeyCode::Tab, shift)),
            ("ctrl+_", chord(KeyCode::Char('7'), control)),
            ("ctrl+_", chord(KeyCode::Char('/'), control)),
            ("ctrl+_", chord(KeyCode::Char('-'), control | shift)),
            ("N", chord(KeyCode::Char('N'), shift)),
            ("N", chord(KeyCode::Char('n'), shift)),
            ("?", chord(KeyCode::Char('?'), shift)),
            ("ctrl+x", chord(KeyCode::Char('x'), control)),
            ("+", chord(KeyCode::Char('+'), KeyModifiers::NONE)),
        ] {
            assert_eq!(Chord::parse(parsed), Some(reported), "{parsed}");
        }
        assert_eq!(Chord::parse("nonsense"), None);
    }

    #[test]
    fn only_bare_characters_are_typed() {
        assert_eq!(
            typed(KeyEvent::new(KeyCode::Char('é'), KeyModifiers::NONE)),
            Some('é')
        );
        assert_eq!(
            typed(KeyEvent::new(KeyCode::Char('A'), KeyModifiers::SHIFT)),
            Some('A')
        );
        assert_eq!(typed(KeyEvent::new(KeyCode::Char('a'), KeyModifiers::ALT)), None);
        assert_eq!(typed(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)), None);
    }
}
