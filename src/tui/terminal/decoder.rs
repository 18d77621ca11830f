//! From the terminal's bytes to keys, pastes, the mouse and answers.
//!
//! Bytes are cut into what belongs together first ([`cut`]), and each piece is read on its own: so nothing that a terminal
//! sends unasked, or that was cut on its way, takes a key along with it. termina knows what a key's sequence means; it is
//! given whole ones and nothing else, because it would wait without end for the rest of others. Its own reader is not used:
//! it gives the parser whatever bytes come.
//!
//! Bytes that may be the beginning of something longer are kept for a moment ([`Decoder::patience`]), then taken as
//! keys ([`Decoder::settle`]).

use std::time::Duration;

use termina::event::{Event as Input, KeyCode, KeyEvent, Modifiers};

use super::answer::TerminalAnswer;

/// How long a sequence may stop short before it counts as keys. A terminal writes one in one go.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long an escape may be the beginning of a sequence. Nobody notices that it takes that long.
const ESCAPE_PATIENCE: Duration = Duration::from_millis(10);
/// A paste that lost its end goes on for ever; this key on its own ends it.
const INTERRUPTS: &[&[u8]] = &[b"\x03", b"\x1b[99;5u"];
const PASTE_BEGIN: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
/// No key has a longer sequence.
const LONGEST_SEQUENCE: usize = 64;

/// Input and answers from the terminal.
#[derive(Debug, PartialEq)]
pub(crate) enum TerminalInput {
    Input(Input),
    Answer(TerminalAnswer),
    /// A key that means nothing here; a program in a terminal may know it.
    UnknownKey,
}

/// The meaning of the first bytes.
#[derive(Debug, PartialEq)]
enum DecodedPrefix {
    /// So many of them are this, or nothing that means anything here.
    Whole(usize, Option<TerminalInput>),
    /// More has to come.
    Begun(EscapeTimeout),
}

/// For how long the beginning of something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EscapeTimeout {
    /// Escapes: keys of their own, unless more follows.
    ABreath,
    AMoment,
    /// A paste, which has an end.
    ForTheEnd,
}

#[derive(Debug, Default)]
pub(super) struct Decoder {
    bytes: Vec<u8>,
    /// Number of bytes of an open paste that were searched for its end.
    searched: usize,
    /// Bytes of what was returned last; none for a paste.
    returned: Vec<u8>,
}

impl Decoder {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let is_in_paste = self.bytes.starts_with(PASTE_BEGIN);
        let ends_it = is_in_paste && INTERRUPTS.contains(&bytes);
        self.bytes
            .extend_from_slice(if ends_it { PASTE_END } else { bytes });
    }

    /// Returns what came first and is whole.
    pub(super) fn next(&mut self) -> Option<TerminalInput> {
        loop {
            match self.first() {
                DecodedPrefix::Begun(_) => return None,
                DecodedPrefix::Whole(length, received) => {
                    let bytes = self.bytes.drain(..length);
                    self.returned.clear();
                    if !matches!(received, Some(TerminalInput::Input(Input::Paste(_)))) {
                        self.returned.extend(bytes);
                    }
                    if received.is_some() {
                        return received;
                    }
                    if is_key_sequence(&self.returned) {
                        return Some(TerminalInput::UnknownKey);
                    }
                }
            }
        }
    }

    /// Returns the bytes that the terminal sent for what was returned last; none for a paste.
    pub(super) fn returned_bytes(&self) -> &[u8] {
        &self.returned
    }

    /// Returns how long the rest of what has begun is waited for, where it is not waited for without end.
    pub(super) fn patience(&mut self) -> Option<Duration> {
        match self.first() {
            DecodedPrefix::Begun(EscapeTimeout::ABreath) => Some(ESCAPE_PATIENCE),
            DecodedPrefix::Begun(EscapeTimeout::AMoment) if !self.bytes.is_empty() => Some(PATIENCE),
            _ => None,
        }
    }

    /// Takes what has begun as what it is without more, and returns what comes of it, as [`Self::next`] does.
    pub(super) fn settle(&mut self) -> Option<TerminalInput> {
        while !self.bytes.is_empty() {
            let received = self.next().or_else(|| self.take_begun());
            if received.is_some() {
                return received;
            }
        }
        None
    }

    fn take_begun(&mut self) -> Option<TerminalInput> {
        let (length, received) = match self.bytes.as_slice() {
            [] => (0, None),
            paste if paste.starts_with(PASTE_BEGIN) => {
                let text = String::from_utf8_lossy(&paste[PASTE_BEGIN.len()..]).into_owned();
                (paste.len(), Some(TerminalInput::Input(Input::Paste(text))))
            }
            [0x1b] | [0x1b, 0x1b, ..] => (1, Some(key(KeyCode::Escape.into()))),
            // A key or an answer that was cut; nobody typed its numbers.
            [0x1b, b'[' | b']' | b'_', _, _, ..] => (self.bytes.len(), None),
            [0x1b, next, ..] => (2, with_alt(&[*next])),
            // A character that was cut.
            [_, ..] => (1, None),
        };
        self.searched = 0;
        let bytes = self.bytes.drain(..length);
        self.returned.clear();
        self.returned.extend(bytes);
        received
    }

    fn first(&mut self) -> DecodedPrefix {
        if self.bytes.starts_with(PASTE_BEGIN) {
            return self.paste();
        }
        cut(&self.bytes)
    }

    fn paste(&mut self) -> DecodedPrefix {
        let begin = PASTE_BEGIN.len();
        let from = self.searched.max(begin);
        let mut windows = self.bytes[from..].windows(PASTE_END.len());
        let Some(at) = windows.position(|window| window == PASTE_END) else {
            self.searched = self.bytes.len().saturating_sub(PASTE_END.len());
            return DecodedPrefix::Begun(EscapeTimeout::ForTheEnd);
        };
        self.searched = 0;
        let end = from + at;
        let text = String::from_utf8_lossy(&self.bytes[begin..end]).into_owned();
        DecodedPrefix::Whole(
            end + PASTE_END.len(),
            Some(TerminalInput::Input(Input::Paste(text))),
        )
    }
}

/// Returns true for the forms that keys with names have: `ESC [ 1;5A`, `ESC [ 25~`, `ESC O x`.
fn is_key_sequence(bytes: &[u8]) -> bool {
    match bytes {
        [0x1b, b'O', last] => last.is_ascii_alphabetic(),
        [0x1b, b'[', numbers @ .., last] => {
            let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b';';
            (*last == b'~' || last.is_ascii_uppercase()) && numbers.iter().all(is_number)
        }
        _ => false,
    }
}

/// Tells what the first bytes are. None are left over only where something has begun.
fn cut(bytes: &[u8]) -> DecodedPrefix {
    match bytes {
        [] => DecodedPrefix::Begun(EscapeTimeout::AMoment),
        [0x1b] | [0x1b, 0x1b] => DecodedPrefix::Begun(EscapeTimeout::ABreath),
        [0x1b, 0x1b, b'[' | b'O', ..] => cut_with_alt(bytes),
        [0x1b, 0x1b, ..] => DecodedPrefix::Whole(1, Some(key(KeyCode::Escape.into()))),
        [0x1b, b'[', ..] => cut_sequence(bytes),
        [0x1b, b'O'] => DecodedPrefix::Begun(EscapeTimeout::AMoment),
        [0x1b, b'O', ..] => DecodedPrefix::Whole(3, input(&bytes[..3])),
        [0x1b, b']' | b'_', ..] => cut_string(bytes),
        [0x1b, rest @ ..] => match character(rest) {
            Some(0) => DecodedPrefix::Begun(EscapeTimeout::AMoment),
            Some(length) => DecodedPrefix::Whole(1 + length, with_alt(&rest[..length])),
            None => DecodedPrefix::Whole(2, None),
        },
        _ => match character(bytes) {
            Some(0) => DecodedPrefix::Begun(EscapeTimeout::AMoment),
            Some(length) => DecodedPrefix::Whole(length, input(&bytes[..length])),
            None => DecodedPrefix::Whole(1, None),
        },
    }
}

/// An escape and a key's sequence: the key with alt, as some terminals send it.
fn cut_with_alt(bytes: &[u8]) -> DecodedPrefix {
    match cut(&bytes[1..]) {
        DecodedPrefix::Whole(length, Some(TerminalInput::Input(Input::Key(mut event)))) if length > 2 => {
            event.modifiers |= Modifiers::ALT;
            DecodedPrefix::Whole(1 + length, Some(key(event)))
        }
        DecodedPrefix::Begun(_) => DecodedPrefix::Begun(EscapeTimeout::AMoment),
        DecodedPrefix::Whole(..) => DecodedPrefix::Whole(1, Some(key(KeyCode::Escape.into()))),
    }
}

/// Returns the length of the first character; 0 where it has only begun, nothing where there is none.
fn character(bytes: &[u8]) -> Option<usize> {
    let length = match *bytes.first()? {
        0..0x80 => return Some(1),
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return None,
    };
    let there = &bytes[..bytes.len().min(length)];
    match str::from_utf8(there) {
        Ok(_) => Some(length),
        Err(error) => error.error_len().is_none().then_some(0),
    }
}

/// `ESC [`, parameters and a last character.
fn cut_sequence(bytes: &[u8]) -> DecodedPrefix {
    let begun = DecodedPrefix::Begun(EscapeTimeout::AMoment);
    let head = &bytes[2..bytes.len().min(LONGEST_SEQUENCE)];
    let last = head.iter().position(|byte| !(0x20..0x40).contains(byte));
    let Some(last) = last.map(|at| at + 2) else {
        return if bytes.len() >= LONGEST_SEQUENCE {
            DecodedPrefix::Whole(LONGEST_SEQUENCE, None)
        } else {
            begun
        };
    };
    let length = match (bytes[last], last) {
        // Two forms that go on: the Linux console's function keys and the oldest of the mouse's.
        (b'[', 2) => 4,
        (b'M', 2) => 6,
        (0x40..0x7f, _) => last + 1,
        (_, 2) => return DecodedPrefix::Whole(2, with_alt(b"[")),
        // It was cut, and what follows is something else.
        (_, _) => return DecodedPrefix::Whole(last, None),
    };
    if bytes.len() < length {
        return begun;
    }
    let sequence = &bytes[..length];
    let answer = TerminalAnswer::in_sequence(sequence).map(TerminalInput::Answer);
    DecodedPrefix::Whole(length, answer.or_else(|| input(sequence)))
}

/// `ESC ]` or `ESC _`, text and a terminator, where that is an answer; else a key and what follows it.
fn cut_string(bytes: &[u8]) -> DecodedPrefix {
    let end = bytes[2..].iter().position(|byte| !(0x20..0x7f).contains(byte));
    let end = end.map_or(bytes.len(), |at| at + 2);
    let no_answer = DecodedPrefix::Whole(2, with_alt(&bytes[1..2]));
    if !TerminalAnswer::may_begin_with(&bytes[..end]) {
        return no_answer;
    }
    let terminator = match &bytes[end..] {
        [] | [0x1b] => return DecodedPrefix::Begun(EscapeTimeout::AMoment),
        [0x07, ..] => 1,
        [0x1b, b'\\', ..] => 2,
        _ => return no_answer,
    };
    match TerminalAnswer::in_string(&bytes[..end]) {
        Some(answer) => DecodedPrefix::Whole(end + terminator, Some(TerminalInput::Answer(answer))),
        None => no_answer,
    }
}

fn with_alt(character: &[u8]) -> Option<TerminalInput> {
    match input(character)? {
        TerminalInput::Input(Input::Key(mut event)) => {
            event.modifiers |= Modifiers::ALT;
            Some(key(event))
        }
        other => Some(other),
    }
}

fn key(event: KeyEvent) -> TerminalInput {
    TerminalInput::Input(Input::Key(event))
}

/// Reads what is whole.
fn input(piece: &[u8]) -> Option<TerminalInput> {
    if is_mouse_nowhere(piece) {
        return None;
    }
    let mut parser = termina::Parser::default();
    match of_other_keys(piece) {
        Some(sequence) => parser.parse(sequence.as_bytes(), false),
        None => parser.parse(piece, false),
    }
    match parser.pop()? {
        Input::Key(event) => is_named(event.code).then(|| key(event)),
        input @ (Input::Mouse(_) | Input::FocusIn | Input::FocusOut) => Some(TerminalInput::Input(input)),
        _ => None,
    }
}

/// Returns a key in the form that termina knows, where it came in that of xterm's modifyOtherKeys.
fn of_other_keys(piece: &[u8]) -> Option<String> {
    let parameters = piece.strip_prefix(b"\x1b[27;")?.strip_suffix(b"~")?;
    let (modifiers, code) = str::from_utf8(parameters).ok()?.split_once(';')?;
    Some(format!("\x1b[{code};{modifiers}u"))
}

/// Returns true if the mouse is in a row or column 0, of which there are none and which termina does not foresee.
fn is_mouse_nowhere(piece: &[u8]) -> bool {
    let (Some(b'M' | b'm'), Some(numbers)) = (piece.last(), piece.get(2..piece.len() - 1)) else {
        return false;
    };
    let mut numbers = numbers.split(|byte| *byte == b';').skip(1);
    numbers.any(|number| !number.is_empty() && number.iter().all(|digit| matches!(digit, b'0' | b'+')))
}

/// Returns true if a binding can name the key.
fn is_named(code: KeyCode) -> bool {
    match code {
        KeyCode::Char(_)
        | KeyCode::Enter
        | KeyCode::Backspace
        | KeyCode::Tab
        | KeyCode::Escape
        | KeyCode::Left
        | KeyCode::Right
        | KeyCode::Up
        | KeyCode::Down
        | KeyCode::Home
        | KeyCode::End
        | KeyCode::BackTab
        | KeyCode::PageUp
        | KeyCode::PageDown
        | KeyCode::Insert
        | KeyCode::Delete
        | KeyCode::Function(_) => true,
        KeyCode::KeypadBegin
        | KeyCode::CapsLock
        | KeyCode::ScrollLock
        | KeyCode::NumLock
        | KeyCode::PrintScreen
        | KeyCode::Pause
        | KeyCode::Menu
        | KeyCode::Null
        | KeyCode::Modifier(_)
        | KeyCode::Media(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use termina::event::{MouseButton, MouseEvent, MouseEventKind};

    use super::*;

    /// Decodes bytes that arrive in these parts, with no time between them.
    fn decode_in_parts(parts: &[&[u8]]) -> Vec<TerminalInput> {
        let mut decoder = Decoder::default();
        let mut received = Vec::new();
        for part in parts {
            decoder.push(part);
            received.extend(std::iter::from_fn(|| decoder.next()));
        }
        received.extend(std::iter::from_fn(|| decoder.settle()));
        assert!(decoder.bytes.is_empty(), "nothing is kept for ever");
        received
    }

    fn decode(text: &str) -> Vec<TerminalInput> {
        decode_in_parts(&[text.as_bytes()])
    }

    fn pressed(code: KeyCode, modifiers: Modifiers) -> TerminalInput {
        key(KeyEvent::new(code, modifiers))
    }

    fn typed(c: char) -> TerminalInput {
        pressed(KeyCode::Char(c), Modifiers::NONE)
    }

    fn alt(c: char) -> TerminalInput {
        pressed(KeyCode::Char(c), Modifiers::ALT)
    }

    #[test]
    fn keys_are_known_in_every_form() {
        use Modifiers as M;
        for (bytes, code, modifiers) in [
            ("a", KeyCode::Char('a'), M::NONE),
            ("Ä", KeyCode::Char('Ä'), M::SHIFT),
            ("世", KeyCode::Char('世'), M::NONE),
            ("\r", KeyCode::Enter, M::NONE),
            ("\n", KeyCode::Char('j'), M::CONTROL),
            ("\x18", KeyCode::Char('x'), M::CONTROL),
            ("\x1d", KeyCode::Char('5'), M::CONTROL),
            ("\x7f", KeyCode::Backspace, M::NONE),
            ("\x1b", KeyCode::Escape, M::NONE),
            ("\x1b\r", KeyCode::Enter, M::ALT),
            ("\x1bé", KeyCode::Char('é'), M::ALT),
            ("\x1b[", KeyCode::Char('['), M::ALT),
            ("\x1b]", KeyCode::Char(']'), M::ALT),
            ("\x1bP", KeyCode::Char('P'), M::ALT | M::SHIFT),
            ("\x1bO", KeyCode::Char('O'), M::ALT | M::SHIFT),
            ("\x1b[A", KeyCode::Up, M::NONE),
            ("\x1bOA", KeyCode::Up, M::NONE),
            ("\x1b[1;5C", KeyCode::Right, M::CONTROL),
            ("\x1b[Z", KeyCode::BackTab, M::SHIFT),
            ("\x1b[5~", KeyCode::PageUp, M::NONE),
            ("\x1b[3;2~", KeyCode::Delete, M::SHIFT),
            ("\x1b[15~", KeyCode::Function(5), M::NONE),
            ("\x1bOP", KeyCode::Function(1), M::NONE),
            ("\x1b[[B", KeyCode::Function(2), M::NONE),
            ("\x1b[27u", KeyCode::Escape, M::NONE),
            ("\x1b[13;2u", KeyCode::Enter, M::SHIFT),
            ("\x1b[99;5u", KeyCode::Char('c'), M::CONTROL),
            ("\x1b\x1b[D", KeyCode::Left, M::ALT),
            ("\x1b\x1bOA", KeyCode::Up, M::ALT),
            ("\x1b[27;2;13~", KeyCode::Enter, M::SHIFT),
            ("\x1b[27;5;99~", KeyCode::Char('c'), M::CONTROL),
        ] {
            assert_eq!(decode(bytes), [pressed(code, modifiers)], "{bytes:?}");
        }
    }

    #[test]
    fn keys_that_no_binding_can_name_are_left_out() {
        for bytes in ["\x1b[57358u", "\x1b[57363u", "\x1b[57428u", "\x1b[57441u"] {
            assert_eq!(decode(&format!("{bytes}x")), [typed('x')], "{bytes:?}");
        }
    }

    #[test]
    fn the_bytes_of_a_key_are_there_and_a_key_that_only_programs_know_is_told() {
        let mut decoder = Decoder::default();
        decoder.push(b"a\x1b[15;5~\x1b[57~\x1bOw\x1b[?80;2$y");
        let mut received = Vec::new();
        while let Some(next) = decoder.next() {
            received.push((next, decoder.returned_bytes().to_vec()));
        }
        let f5 = pressed(KeyCode::Function(5), Modifiers::CONTROL);
        assert_eq!(
            received,
            [
                (typed('a'), b"a".to_vec()),
                (f5, b"\x1b[15;5~".to_vec()),
                (TerminalInput::UnknownKey, b"\x1b[57~".to_vec()),
                (TerminalInput::UnknownKey, b"\x1bOw".to_vec()),
            ]
        );
    }

    #[test]
    fn the_mouse_the_focus_and_pastes_are_known() {
        let mouse = |kind, column, row| {
            let modifiers = Modifiers::NONE;
            TerminalInput::Input(Input::Mouse(MouseEvent {
                kind,
                column,
                row,
                modifiers,
            }))
        };
        assert_eq!(decode("\x1b[<65;8;3M"), [mouse(MouseEventKind::ScrollDown, 7, 2)]);
        let released = MouseEventKind::Up(MouseButton::Left);
        assert_eq!(decode("\x1b[<0;300;3m"), [mouse(released, 299, 2)]);
        let down = MouseEventKind::Down(MouseButton::Left);
        assert_eq!(decode("\x1b[M !!"), [mouse(down, 0, 0)]);
        assert_eq!(decode("\x1b[<0;0;0Mx"), [typed('x')]);
        let focus = [Input::FocusIn, Input::FocusOut].map(TerminalInput::Input);
        assert_eq!(decode("\x1b[I\x1b[O"), focus);
        let paste = TerminalInput::Input(Input::Paste("a\x1b[Ab\n".to_owned()));
        assert_eq!(decode("\x1b[200~a\x1b[Ab\n\x1b[201~x"), [paste, typed('x')]);
        // It was cut off, when the terminal was given away.
        let paste = TerminalInput::Input(Input::Paste("half".to_owned()));
        assert_eq!(decode("\x1b[200~half"), [paste]);
    }

    #[test]
    fn answers_are_taken_out_of_the_keys() {
        let sixel = TerminalInput::Answer(TerminalAnswer::Sixel(true));
        assert_eq!(decode("a\x1b[?62;4;22cb"), [typed('a'), sixel, typed('b')]);
        for end in ["\x07", "\x1b\\"] {
            let answer = decode(&format!("\x1b]11;rgb:1e1e/1e1e/2e2e{end}x"));
            let dark = TerminalAnswer::in_string(b"\x1b]11;rgb:0/0/0").map(TerminalInput::Answer);
            assert_eq!(answer, [dark.unwrap(), typed('x')]);
        }
        let kitty = TerminalInput::Answer(TerminalAnswer::KittyPictures(true));
        assert_eq!(decode("\x1b_Gi=31;OK\x1b\\"), [kitty]);
    }

    #[test]
    fn keys_that_only_begin_like_an_answer_are_keys() {
        assert_eq!(decode("\x1b]1x"), [alt(']'), typed('1'), typed('x')]);
        assert_eq!(
            decode("\x1b]\x1b[A"),
            [alt(']'), pressed(KeyCode::Up, Modifiers::NONE)]
        );
        assert_eq!(decode("\x1b_x"), [alt('_'), typed('x')]);
        assert_eq!(decode("\x1b[1"), [alt('['), typed('1')]);
        // Nobody types that.
        assert_eq!(decode("\x1b[<65;"), []);
        let escapes = [KeyCode::Escape; 2].map(|code| pressed(code, Modifiers::NONE));
        assert_eq!(decode("\x1b\x1b"), escapes);
    }

    #[test]
    fn what_has_begun_is_waited_for_and_no_longer() {
        let mut decoder = Decoder::default();
        for (bytes, patience) in [
            ("", None),
            ("\x1b", Some(ESCAPE_PATIENCE)),
            ("\x1b]11;", Some(PATIENCE)),
            ("\x1b[1;", Some(PATIENCE)),
            ("\x1b[200~", None),
        ] {
            decoder.bytes = bytes.into();
            assert_eq!(decoder.next(), None, "{bytes:?}");
            assert_eq!(decoder.patience(), patience, "{bytes:?}");
        }
    }

    #[test]
    fn a_paste_without_an_end_is_ended_by_hand() {
        let pasted = |text: &str| TerminalInput::Input(Input::Paste(text.to_owned()));
        let parts: [&[u8]; 4] = [b"\x1b[200~one", b" two", b"\x03", b"x"];
        assert_eq!(decode_in_parts(&parts), [pasted("one two"), typed('x')]);
        assert_eq!(decode("\x1b[200~a\x03b\x1b[201~"), [pasted("a\u{3}b")]);
    }

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let known = prop::sample::select(vec![
            "\x1b[?62;4c",
            "\x1b]11;rgb:1/2/3\x07",
            "\x1b_Gi=31;OK\x1b\\",
            "\x1b[6;20;10t",
            "\x1b[A",
            "\x1b[<0;3;4M",
            "\x1b[200~x\x1b[201~",
            "\x1b[?1;2$y",
            "世",
            "x",
        ]);
        prop_oneof![
            known.prop_map(|text| text.as_bytes().to_vec()),
            prop::collection::vec(any::<u8>(), 0..6)
        ]
    }

    proptest! {
        #[test]
        fn no_bytes_stop_it_and_it_does_not_matter_where_they_are_parted(
            pieces in prop::collection::vec(piece(), 0..12),
            parts in 1_usize..9,
        ) {
            let bytes = pieces.concat();
            let whole = decode_in_parts(&[&bytes]);
            let parted: Vec<_> = bytes.chunks(parts).collect();
            prop_assert_eq!(whole, decode_in_parts(&parted));
        }

        #[test]
        fn keys_around_an_answer_are_all_there(
            before in "[a-z]{0,5}",
            garbage in prop::sample::select(vec!["", "\x1b[?1;0;256S", "\x1b[>41;370;0c", "\x1b[?80;2$y", "\x1b[1;"]),
            after in "[a-z]{0,5}",
        ) {
            let received = decode(&format!("{before}{garbage}\x1b[?62;4c{after}"));
            let answer = TerminalInput::Answer(TerminalAnswer::Sixel(true));
            let mut expected: Vec<_> = before.chars().map(typed).collect();
            expected.push(answer);
            expected.extend(after.chars().map(typed));
            prop_assert_eq!(received, expected);
        }
    }
}
