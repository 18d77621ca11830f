//! Names of keys, and the bytes that a terminal sends for them.
//!
//! `Enter`, `C-c`, `M-x`, `S-Up`, `C-M-x` and `^X` are keys; whatever is no name is typed as text. Names are case-sensitive,
//! so that words like `up` and `home` can be typed.

use crate::process::screen::{KeyModes, KeyModifiers, TerminalKey, control_character};

const NAMES: [(&str, TerminalKey); 34] = [
    ("Enter", TerminalKey::Byte(b'\r')),
    ("Tab", TerminalKey::Byte(b'\t')),
    ("BTab", TerminalKey::BackTab),
    ("Space", TerminalKey::Byte(b' ')),
    ("BSpace", TerminalKey::Byte(0x7f)),
    ("Escape", TerminalKey::Byte(0x1b)),
    ("Up", TerminalKey::Cursor(b'A')),
    ("Down", TerminalKey::Cursor(b'B')),
    ("Right", TerminalKey::Cursor(b'C')),
    ("Left", TerminalKey::Cursor(b'D')),
    ("End", TerminalKey::Cursor(b'F')),
    ("Home", TerminalKey::Cursor(b'H')),
    ("Insert", TerminalKey::Numbered(2)),
    ("IC", TerminalKey::Numbered(2)),
    ("Delete", TerminalKey::Numbered(3)),
    ("DC", TerminalKey::Numbered(3)),
    ("PageUp", TerminalKey::Numbered(5)),
    ("PgUp", TerminalKey::Numbered(5)),
    ("PPage", TerminalKey::Numbered(5)),
    ("PageDown", TerminalKey::Numbered(6)),
    ("PgDn", TerminalKey::Numbered(6)),
    ("NPage", TerminalKey::Numbered(6)),
    ("F1", TerminalKey::Function(b'P')),
    ("F2", TerminalKey::Function(b'Q')),
    ("F3", TerminalKey::Function(b'R')),
    ("F4", TerminalKey::Function(b'S')),
    ("F5", TerminalKey::Numbered(15)),
    ("F6", TerminalKey::Numbered(17)),
    ("F7", TerminalKey::Numbered(18)),
    ("F8", TerminalKey::Numbered(19)),
    ("F9", TerminalKey::Numbered(20)),
    ("F10", TerminalKey::Numbered(21)),
    ("F11", TerminalKey::Numbered(23)),
    ("F12", TerminalKey::Numbered(24)),
];

/// The bytes of a word: of the key that it names, or its text.
pub(super) fn encode(word: &str, modes: KeyModes) -> Vec<u8> {
    key(word, modes).unwrap_or_else(|| word.as_bytes().to_vec())
}

/// The bytes of the key that a word names.
pub(super) fn key(word: &str, modes: KeyModes) -> Option<Vec<u8>> {
    if let Some(character) = word.strip_prefix('^').and_then(only_character) {
        return control_character(character).map(|byte| vec![byte]);
    }
    let (modifiers, name) = split_modifiers(word)?;
    if let Some((_, named)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(named.encode(modifiers, modes));
    }
    if modifiers == KeyModifiers::default() {
        return None;
    }
    let character = only_character(name)?;
    let mut bytes = Vec::new();
    if modifiers.alt {
        bytes.push(0x1b);
    }
    if modifiers.control {
        bytes.push(control_character(character)?);
    } else {
        let mut shifted = character;
        if modifiers.shift {
            shifted = character.to_ascii_uppercase();
        }
        bytes.extend(shifted.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Some(bytes)
}

/// Modifiers and the name behind them. A hyphen may itself be the key: `C--`.
fn split_modifiers(word: &str) -> Option<(KeyModifiers, &str)> {
    let mut modifiers = KeyModifiers::default();
    let mut rest = word;
    while let Some((prefix, after)) = rest.split_at_checked(2).filter(|(_, after)| !after.is_empty()) {
        let held = match prefix {
            "C-" => &mut modifiers.control,
            "M-" => &mut modifiers.alt,
            "S-" => &mut modifiers.shift,
            _ => break,
        };
        if std::mem::replace(held, true) {
            return None;
        }
        rest = after;
    }
    Some((modifiers, rest))
}

fn only_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.as_str().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_bytes() {
        let table: [(&str, &[u8]); 67] = [
            ("Enter", b"\r"),
            ("Tab", b"\t"),
            ("BTab", b"\x1b[Z"),
            ("Space", b" "),
            ("BSpace", b"\x7f"),
            ("Escape", b"\x1b"),
            ("Up", b"\x1b[A"),
            ("Down", b"\x1b[B"),
            ("Right", b"\x1b[C"),
            ("Left", b"\x1b[D"),
            ("Home", b"\x1b[H"),
            ("End", b"\x1b[F"),
            ("PageUp", b"\x1b[5~"),
            ("PgUp", b"\x1b[5~"),
            ("PPage", b"\x1b[5~"),
            ("PageDown", b"\x1b[6~"),
            ("PgDn", b"\x1b[6~"),
            ("NPage", b"\x1b[6~"),
            ("Insert", b"\x1b[2~"),
            ("IC", b"\x1b[2~"),
            ("Delete", b"\x1b[3~"),
            ("DC", b"\x1b[3~"),
            ("F1", b"\x1bOP"),
            ("F4", b"\x1bOS"),
            ("F5", b"\x1b[15~"),
            ("F10", b"\x1b[21~"),
            ("F12", b"\x1b[24~"),
            ("C-c", b"\x03"),
            ("C-C", b"\x03"),
            ("C-@", b"\0"),
            ("C-Space", b"\0"),
            ("C-[", b"\x1b"),
            ("C-\\", b"\x1c"),
            ("C-]", b"\x1d"),
            ("C-_", b"\x1f"),
            ("C-/", b"\x1f"),
            ("C--", b"\x1f"),
            ("C-?", b"\x7f"),
            ("^C", b"\x03"),
            ("^c", b"\x03"),
            ("^[", b"\x1b"),
            ("^?", b"\x7f"),
            ("M-x", b"\x1bx"),
            ("M-X", b"\x1bX"),
            ("M-é", "\x1bé".as_bytes()),
            ("M-Enter", b"\x1b\r"),
            ("M-BSpace", b"\x1b\x7f"),
            ("C-BSpace", b"\x08"),
            ("C-M-x", b"\x1b\x18"),
            ("M-C-x", b"\x1b\x18"),
            ("S-a", b"A"),
            ("S-Tab", b"\x1b[Z"),
            ("S-Up", b"\x1b[1;2A"),
            ("M-Up", b"\x1b[1;3A"),
            ("C-Left", b"\x1b[1;5D"),
            ("C-S-End", b"\x1b[1;6F"),
            ("C-M-S-Up", b"\x1b[1;8A"),
            ("C-F1", b"\x1b[1;5P"),
            ("S-F5", b"\x1b[15;2~"),
            ("C-Delete", b"\x1b[3;5~"),
            ("S-Enter", b"\r"),
            // Text.
            ("ls", b"ls"),
            ("enter", b"enter"),
            ("^", b"^"),
            ("C-", b"C-"),
            ("C-foo", b"C-foo"),
            ("X-Up", b"X-Up"),
        ];
        for (word, expected) in table {
            assert_eq!(encode(word, KeyModes::default()), expected, "{word}");
        }
    }

    #[test]
    fn the_application_mode_of_the_cursor_keys_is_honoured() {
        let modes = KeyModes {
            application_cursor: true,
        };
        let table: [(&str, &[u8]); 5] = [
            ("Up", b"\x1bOA"),
            ("Home", b"\x1bOH"),
            ("S-Up", b"\x1b[1;2A"),
            ("F1", b"\x1bOP"),
            ("Delete", b"\x1b[3~"),
        ];
        for (word, expected) in table {
            assert_eq!(encode(word, modes), expected, "{word}");
        }
    }
}
