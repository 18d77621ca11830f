//! Bytes that a program in a terminal gets for the person's keys, mouse and pastes.
//!
//! Characters, and whatever no key is known for, go on as the person's terminal sent them. Keys with a name are sent as xterm
//! does, which is the terminal that programs are told of: the person's own may be another one, or may report keys in a
//! protocol that lathe has asked for and the program has not.

use ratatui::layout::Rect;
use termina::event::{KeyCode, KeyEvent, Modifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::process::screen::{
    KeyModes, KeyModifiers, Modes, MouseEncoding, MouseTracking, TerminalKey, control_character,
};

const PASTE_BEGIN: &str = "\x1b[200~";
const PASTE_END: &str = "\x1b[201~";
/// Farthest cell that the oldest encoding of the mouse can name.
const FARTHEST_LEGACY: u16 = 222;

/// Returns the bytes of a key. `received` are those that the terminal sent for it, if they are known.
pub(super) fn key(event: &KeyEvent, received: &[u8], modes: Modes) -> Vec<u8> {
    if let Some(bytes) = named(event, modes) {
        return bytes;
    }
    match event.code {
        KeyCode::Char(_) if !received.is_empty() && !is_reported(received) => received.to_vec(),
        KeyCode::Char(character) => of_character(character, event.modifiers),
        // One that has no name here.
        _ => received.to_vec(),
    }
}

/// Returns true for the forms in which terminals report keys when they are asked to: `CSI … u` and `CSI 27;…~`.
fn is_reported(received: &[u8]) -> bool {
    received.starts_with(b"\x1b[") && (received.ends_with(b"u") || received.starts_with(b"\x1b[27;"))
}

/// Returns the bytes of a key that has a name.
fn named(event: &KeyEvent, modes: Modes) -> Option<Vec<u8>> {
    let key = match event.code {
        KeyCode::Up => TerminalKey::Cursor(b'A'),
        KeyCode::Down => TerminalKey::Cursor(b'B'),
        KeyCode::Right => TerminalKey::Cursor(b'C'),
        KeyCode::Left => TerminalKey::Cursor(b'D'),
        KeyCode::End => TerminalKey::Cursor(b'F'),
        KeyCode::Home => TerminalKey::Cursor(b'H'),
        KeyCode::Insert => TerminalKey::Numbered(2),
        KeyCode::Delete => TerminalKey::Numbered(3),
        KeyCode::PageUp => TerminalKey::Numbered(5),
        KeyCode::PageDown => TerminalKey::Numbered(6),
        KeyCode::Function(number @ 1..=4) => TerminalKey::Function(b'P' + number - 1),
        KeyCode::Function(number @ 5..=20) => TerminalKey::Numbered(FUNCTION_KEYS[usize::from(number - 5)]),
        KeyCode::BackTab => TerminalKey::BackTab,
        KeyCode::Tab => TerminalKey::Byte(b'\t'),
        KeyCode::Enter => TerminalKey::Byte(b'\r'),
        KeyCode::Escape => TerminalKey::Byte(0x1b),
        KeyCode::Backspace => TerminalKey::Byte(0x7f),
        _ => return None,
    };
    let modes = KeyModes {
        application_cursor: modes.application_cursor,
    };
    Some(key.encode(held(event.modifiers), modes))
}

/// Numbers of the function keys from the fifth to the twentieth.
const FUNCTION_KEYS: [u8; 16] = [15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34];

fn held(modifiers: Modifiers) -> KeyModifiers {
    KeyModifiers {
        shift: modifiers.contains(Modifiers::SHIFT),
        alt: modifiers.contains(Modifiers::ALT),
        control: modifiers.contains(Modifiers::CONTROL),
    }
}

/// Returns the bytes of a character with its modifiers, where the terminal sent another form. What has no control
/// character is sent bare, as terminals do.
fn of_character(character: char, modifiers: Modifiers) -> Vec<u8> {
    let is_control = modifiers.contains(Modifiers::CONTROL);
    let mut bytes = match control_character(character).filter(|_| is_control) {
        Some(control) => vec![control],
        None => character.encode_utf8(&mut [0; 4]).as_bytes().to_vec(),
    };
    if modifiers.contains(Modifiers::ALT) {
        bytes.insert(0, 0x1b);
    }
    bytes
}

/// Returns the bytes of a paste. In brackets it loses what could end them.
pub(super) fn paste(text: &str, modes: Modes) -> Vec<u8> {
    let lines = text.replace("\r\n", "\r").replace('\n', "\r");
    if !modes.bracketed_paste {
        return lines.into_bytes();
    }
    // Without these no text can hold a mark, so nothing of it is typed; some shells end a paste at Ctrl-C as well.
    let inner = lines.replace(['\u{1b}', '\u{9b}', '\u{3}'], "");
    format!("{PASTE_BEGIN}{inner}{PASTE_END}").into_bytes()
}

/// Returns the bytes of a mouse event over a screen that stands in `area`, where the program wants it. `scrolled` are the
/// columns and rows of the screen to the left of the area and above it.
pub(super) fn mouse(event: MouseEvent, area: Rect, scrolled: (u16, u16), modes: Modes) -> Option<Vec<u8>> {
    let (column, row) = (
        event.column.checked_sub(area.x)? + scrolled.0,
        event.row.checked_sub(area.y)? + scrolled.1,
    );
    let (code, is_release) = button(event.kind, modes)?;
    let held = [
        (Modifiers::SHIFT, 4),
        (Modifiers::ALT, 8),
        (Modifiers::CONTROL, 16),
    ];
    let held = held
        .into_iter()
        .filter(|(modifier, _)| event.modifiers.contains(*modifier));
    let code = code + held.map(|(_, bit)| bit).sum::<u8>();
    match modes.mouse_encoding {
        MouseEncoding::Sgr => {
            let last = if is_release { 'm' } else { 'M' };
            Some(format!("\x1b[<{code};{};{}{last}", column + 1, row + 1).into_bytes())
        }
        encoding => {
            // A release does not name its button there.
            let code = if is_release { code & !3 | 3 } else { code };
            let mut bytes = b"\x1b[M".to_vec();
            bytes.push(32 + code);
            for place in [column, row] {
                if encoding == MouseEncoding::Utf8 {
                    let place = char::from_u32(u32::from(place) + 33)?;
                    bytes.extend(place.encode_utf8(&mut [0; 4]).as_bytes());
                } else {
                    bytes.push(u8::try_from(place.min(FARTHEST_LEGACY) + 33).ok()?);
                }
            }
            Some(bytes)
        }
    }
}

/// Returns the number of the button, and whether it was released.
fn button(kind: MouseEventKind, modes: Modes) -> Option<(u8, bool)> {
    let number = |button: MouseButton| match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    };
    if modes.mouse == MouseTracking::Off {
        return None;
    }
    match kind {
        MouseEventKind::Down(button) => Some((number(button), false)),
        MouseEventKind::Up(button) => Some((number(button), true)),
        MouseEventKind::Drag(_) if modes.mouse == MouseTracking::Clicks => None,
        MouseEventKind::Drag(button) => Some((number(button) + 32, false)),
        MouseEventKind::Moved => (modes.mouse == MouseTracking::Motion).then_some((35, false)),
        MouseEventKind::ScrollUp => Some((64, false)),
        MouseEventKind::ScrollDown => Some((65, false)),
        MouseEventKind::ScrollLeft => Some((66, false)),
        MouseEventKind::ScrollRight => Some((67, false)),
    }
}

/// Returns the keys that a turn of the wheel is in a program on the alternate screen which does not follow the mouse.
pub(super) fn wheel_as_arrows(rows: isize, modes: Modes) -> Option<Vec<u8>> {
    if !modes.alternate_screen || !modes.alternate_scroll || modes.mouse != MouseTracking::Off {
        return None;
    }
    let code = if rows < 0 { KeyCode::Up } else { KeyCode::Down };
    let arrow = named(&code.into(), modes)?;
    Some(arrow.repeat(rows.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes() -> Modes {
        Modes::default()
    }

    #[test]
    fn every_key_reaches_the_program_in_the_form_of_xterm() {
        use Modifiers as M;
        let table: [(KeyCode, M, &str, &str); 25] = [
            (KeyCode::Char('a'), M::NONE, "a", "a"),
            (KeyCode::Char('世'), M::NONE, "世", "世"),
            (KeyCode::Char('c'), M::CONTROL, "\x03", "\x03"),
            (KeyCode::Char('c'), M::CONTROL, "\x1b[99;5u", "\x03"),
            (KeyCode::Char('c'), M::CONTROL, "\x1b[27;5;99~", "\x03"),
            (KeyCode::Char('5'), M::CONTROL, "\x1d", "\x1d"),
            (KeyCode::Char(']'), M::CONTROL, "\x1b[93;5u", "\x1d"),
            (KeyCode::Char('\\'), M::CONTROL, "\x1b[92;5u", "\x1c"),
            (KeyCode::Char(' '), M::CONTROL, "\x1b[32;5u", "\0"),
            (KeyCode::Char('x'), M::ALT, "\x1bx", "\x1bx"),
            (KeyCode::Char('x'), M::ALT, "\x1b[120;3u", "\x1bx"),
            (KeyCode::Escape, M::NONE, "\x1b", "\x1b"),
            (KeyCode::Escape, M::NONE, "\x1b[27u", "\x1b"),
            (KeyCode::Enter, M::NONE, "\r", "\r"),
            (KeyCode::Enter, M::SHIFT, "\x1b[13;2u", "\r"),
            (KeyCode::Tab, M::SHIFT, "\x1b[9;2u", "\x1b[Z"),
            (KeyCode::BackTab, M::SHIFT, "\x1b[Z", "\x1b[Z"),
            (KeyCode::Backspace, M::NONE, "\x7f", "\x7f"),
            (KeyCode::Backspace, M::CONTROL, "\x1b[127;5u", "\x08"),
            (KeyCode::Function(1), M::NONE, "\x1b[[A", "\x1bOP"),
            (KeyCode::Function(5), M::CONTROL, "\x1b[15;5~", "\x1b[15;5~"),
            (KeyCode::Function(12), M::NONE, "\x1b[24~", "\x1b[24~"),
            (KeyCode::Delete, M::NONE, "\x1b[3~", "\x1b[3~"),
            (KeyCode::Left, M::CONTROL | M::SHIFT, "\x1b[1;6D", "\x1b[1;6D"),
            (KeyCode::Home, M::NONE, "\x1b[1~", "\x1b[H"),
        ];
        for (code, modifiers, received, wanted) in table {
            let event = KeyEvent::new(code, modifiers);
            let bytes = key(&event, received.as_bytes(), modes());
            assert_eq!(bytes, wanted.as_bytes(), "{code:?} {modifiers:?} {received:?}");
        }
    }

    #[test]
    fn arrows_follow_the_cursor_mode_of_the_program() {
        let application = Modes {
            application_cursor: true,
            ..modes()
        };
        let up = KeyEvent::new(KeyCode::Up, Modifiers::NONE);
        assert_eq!(key(&up, b"\x1b[A", application), b"\x1bOA");
        assert_eq!(key(&up, b"\x1bOA", modes()), b"\x1b[A");
        let held = KeyEvent::new(KeyCode::Up, Modifiers::ALT);
        assert_eq!(key(&held, b"", application), b"\x1b[1;3A");
    }

    #[test]
    fn a_paste_has_brackets_where_the_program_asked_for_them_and_cannot_leave_them() {
        let bracketed = Modes {
            bracketed_paste: true,
            ..modes()
        };
        assert_eq!(paste("a\r\nb\nc", modes()), b"a\rb\rc");
        assert_eq!(
            paste("a\x1b[201~rm -rf /\n", bracketed),
            b"\x1b[200~a[201~rm -rf /\r\x1b[201~"
        );
        for text in [
            "a\x1b[20\x1b[200~1~b",
            "\u{9b}201~b",
            "\x03b",
            "\x1b\x1b[201~[201~b",
        ] {
            let bytes = paste(text, bracketed);
            let inner = &bytes[PASTE_BEGIN.len()..bytes.len() - PASTE_END.len()];
            let inner = std::str::from_utf8(inner).unwrap();
            assert!(!inner.contains(['\u{1b}', '\u{9b}', '\u{3}']), "{inner:?}");
        }
    }

    fn event(kind: MouseEventKind, column: u16, row: u16) -> MouseEvent {
        MouseEvent {
            kind,
            column,
            row,
            modifiers: Modifiers::NONE,
        }
    }

    #[test]
    fn the_mouse_is_told_in_cells_of_the_program() {
        let area = Rect::new(10, 2, 80, 20);
        let with = |mouse, mouse_encoding| Modes {
            mouse,
            mouse_encoding,
            ..modes()
        };
        let press = event(MouseEventKind::Down(MouseButton::Left), 10, 2);
        let release = event(MouseEventKind::Up(MouseButton::Right), 12, 5);
        let drag = event(MouseEventKind::Drag(MouseButton::Left), 12, 5);
        let told = |event, modes| mouse(event, area, (0, 0), modes);
        assert_eq!(told(press, modes()), None, "nobody asked for it");
        let sgr = with(MouseTracking::Clicks, MouseEncoding::Sgr);
        assert_eq!(told(press, sgr), Some(b"\x1b[<0;1;1M".to_vec()));
        assert_eq!(told(release, sgr), Some(b"\x1b[<2;3;4m".to_vec()));
        assert_eq!(told(drag, sgr), None);
        let dragging = with(MouseTracking::Drag, MouseEncoding::Sgr);
        assert_eq!(told(drag, dragging), Some(b"\x1b[<32;3;4M".to_vec()));
        let legacy = with(MouseTracking::Clicks, MouseEncoding::Legacy);
        assert_eq!(told(press, legacy), Some(b"\x1b[M !!".to_vec()));
        assert_eq!(told(release, legacy), Some(b"\x1b[M##$".to_vec()));
        let outside = event(MouseEventKind::ScrollUp, 3, 2);
        assert_eq!(told(outside, sgr), None);
        assert_eq!(mouse(press, area, (5, 7), sgr), Some(b"\x1b[<0;6;8M".to_vec()));
    }

    #[test]
    fn the_wheel_is_arrows_in_a_pager() {
        let pager = Modes {
            alternate_screen: true,
            ..modes()
        };
        assert_eq!(wheel_as_arrows(-2, pager), Some(b"\x1b[A\x1b[A".to_vec()));
        assert_eq!(wheel_as_arrows(1, modes()), None);
    }
}
