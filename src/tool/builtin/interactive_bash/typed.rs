//! Input of a send: its bytes, what they amount to, and how a person reads them.

use unicode_width::UnicodeWidthChar;

use super::keys;
use super::operation::TypedInput;
use crate::process::screen::KeyModes;

/// Longest line that is typed to a shell, in bytes: a terminal that edits lines itself cuts longer ones at 4,095.
const MAX_LINE: usize = 4000;

/// What the input amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedKind {
    /// Ctrl-C and nothing else.
    Interrupts,
    /// Ctrl-D and nothing else.
    EndOfInput,
    /// Whole lines of plain text, each with its Enter.
    Lines(TypedLines),
    /// Anything else.
    Keys,
}

/// Whole lines of plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedLines {
    /// Ctrl-C stands before them, which gives up what is in the line.
    pub(super) clears: bool,
    pub(super) lines: Vec<String>,
}

/// Says what bytes amount to. Text beyond ASCII is no plain text: in another locale its bytes are keys of a shell.
pub(super) fn kind(bytes: &[u8]) -> TypedKind {
    let first = bytes.iter().position(|byte| *byte != 0x03);
    let Some(first) = first else {
        return TypedKind::Interrupts;
    };
    if bytes == [0x04] {
        return TypedKind::EndOfInput;
    }
    match whole_lines(&bytes[first..]) {
        Some(lines) => TypedKind::Lines(TypedLines {
            clears: first > 0,
            lines,
        }),
        None => TypedKind::Keys,
    }
}

fn whole_lines(bytes: &[u8]) -> Option<Vec<String>> {
    let lines = bytes.strip_suffix(b"\r")?.split(|byte| *byte == b'\r');
    let line = |line: &[u8]| {
        let is_plain = line.len() <= MAX_LINE && line.iter().all(|byte| matches!(byte, b' '..=b'~'));
        let text = is_plain.then(|| std::str::from_utf8(line).ok())??;
        Some(text.to_owned())
    };
    lines.map(line).collect()
}

/// Returns true if more follows a key that ends or stops programs, so that another program may get it.
pub(super) fn outlives_its_program(bytes: &[u8]) -> bool {
    let before = bytes.split_last().map_or(bytes, |(_, before)| before);
    before
        .iter()
        .any(|byte| matches!(byte, 0x03 | 0x04 | 0x1a | 0x1c))
}

/// Returns true if the input is keys of this list and nothing else.
pub(super) fn is_all_of(input: &[TypedInput], harmless: &[&str]) -> bool {
    let is_harmless = |text: &str| {
        harmless.contains(&text)
            || text
                .chars()
                .all(|character| harmless.contains(&&*character.encode_utf8(&mut [0; 4])))
    };
    input.iter().all(|input| match input {
        TypedInput::Text(text) => text.chars().all(|character| is_harmless(&character.to_string())),
        TypedInput::Word(word) if keys::key(word, KeyModes::default()).is_some() => {
            harmless.contains(&word.as_str())
        }
        TypedInput::Word(word) => is_harmless(word),
    })
}

/// The bytes that a terminal sends for the input.
pub(super) fn encode(input: &[TypedInput], modes: KeyModes) -> Vec<u8> {
    let bytes = |input: &TypedInput| match input {
        // The Enter key sends a carriage return.
        TypedInput::Text(text) => text.replace("\r\n", "\r").replace('\n', "\r").into_bytes(),
        TypedInput::Word(word) => keys::encode(word, modes),
    };
    input.iter().flat_map(bytes).collect()
}

/// The input as the person reads it: text as it is, keys and what nobody would see by their names.
pub(super) fn shown_input(input: &[TypedInput]) -> String {
    let shown = input.iter().map(|input| match input {
        TypedInput::Text(text) | TypedInput::Word(text) => by_name(text),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn by_name(text: &str) -> String {
    let mut shown = String::new();
    let mut is_behind_name = false;
    let text = text.replace("\r\n", "\r");
    for character in text.chars() {
        if let Some(name) = name(character) {
            if !shown.is_empty() && !shown.ends_with(' ') {
                shown.push(' ');
            }
            shown.push_str(&name);
            is_behind_name = true;
        } else {
            if std::mem::take(&mut is_behind_name) {
                shown.push(' ');
            }
            shown.push(character);
        }
    }
    shown
}

/// The name of a character that is a key, or that does not show as itself.
fn name(character: char) -> Option<String> {
    Some(match character {
        '\r' | '\n' => "Enter".to_owned(),
        '\t' => "Tab".to_owned(),
        '\u{1b}' => "Escape".to_owned(),
        '\u{7f}' => "BSpace".to_owned(),
        '\0'..='\u{1a}' => format!("C-{}", char::from(character as u8 | 0x60)),
        '\u{1c}'..='\u{1f}' => format!("C-{}", char::from(character as u8 | 0x40)),
        _ if character.is_control() || character.width().unwrap_or(0) == 0 => {
            format!("U+{:04X}", u32::from(character))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> TypedKind {
        TypedKind::Lines(TypedLines {
            clears: false,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        })
    }

    #[test]
    fn whole_lines_of_plain_text_are_told_from_keys() {
        assert_eq!(kind(b"cargo test\r"), lines(&["cargo test"]));
        assert_eq!(kind(b"cd a\rls\r"), lines(&["cd a", "ls"]));
        assert_eq!(kind(b"\r"), lines(&[""]));
        assert_eq!(kind(b"\x03"), TypedKind::Interrupts);
        assert_eq!(kind(b"\x03\x03"), TypedKind::Interrupts);
        assert_eq!(kind(b"\x04"), TypedKind::EndOfInput);
        let TypedKind::Lines(cleared) = kind(b"\x03ls\r") else {
            panic!("it is a line")
        };
        assert!(cleared.clears);
        let long = format!("{}\r", "x".repeat(MAX_LINE));
        assert_eq!(kind(long.as_bytes()), lines(&[&"x".repeat(MAX_LINE)]));
        for keys in [
            "ls",
            "ls\x03\r",
            "ls\t\r",
            "ls\x08\r",
            "ls\x7f\r",
            "a\u{301}\r",
            "\u{145}\r",
            "ls\x1b\x05\r",
            "ls\x0f",
            "ls\x04",
            "\x04\x04",
            "ls\rr",
            "ls\n",
            "\x1b[A\r",
            &format!("{}\r", "x".repeat(MAX_LINE + 1)),
        ] {
            assert_eq!(kind(keys.as_bytes()), TypedKind::Keys, "{keys:?}");
        }
    }

    #[test]
    fn keys_and_what_nobody_sees_are_shown_by_name() {
        let text = |text: &str| shown_input(&[TypedInput::Text(text.to_owned())]);
        for (given, shown) in [
            ("hello there", "hello there"),
            ("ls\n", "ls Enter"),
            ("a\nb", "a Enter b"),
            (
                "cargo test \u{301}\u{7f}touch x",
                "cargo test U+0301 BSpace touch x",
            ),
            ("\u{1b}\u{5}", "Escape C-e"),
            ("\0\u{1c}", "C-` C-\\"),
            ("a\u{202e}b\u{9b}", "a U+202E b U+009B"),
        ] {
            assert_eq!(text(given), shown, "{given:?}");
        }
        let input = [TypedInput::Text("x".into()), TypedInput::Word("Enter".into())];
        assert_eq!(shown_input(&input), "x Enter");
    }

    #[test]
    fn keys_of_a_list_are_told_from_others() {
        let harmless = ["Up", "PageDown", "q", "j", " "];
        let word = |word: &str| is_all_of(&[TypedInput::Word(word.to_owned())], &harmless);
        let text = |text: &str| is_all_of(&[TypedInput::Text(text.to_owned())], &harmless);
        assert!(word("Up") && word("q") && word("jjj") && text("j q"));
        for other in ["Down", "Enter", "!", "C-j", "M-q", "S-Up", "jv"] {
            assert!(!word(other), "{other}");
        }
        for other in ["!", "j\r", "Up", "j\n"] {
            assert!(!text(other), "{other}");
        }
    }
}
