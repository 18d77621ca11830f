//! One key with its modifiers, however the terminal reported it.

use std::hash::{Hash, Hasher};
use std::{fmt, mem};

use termina::event::{KeyCode, KeyEvent, Modifiers};

/// A key in its one spelling: no `shift` on characters, `backtab` as `shift+tab`, `ctrl+/` and `ctrl+7` as `ctrl+_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chord {
    code: KeyCode,
    modifiers: Modifiers,
}

/// By hand, as the types of termina cannot be hashed.
impl Hash for Chord {
    fn hash<H: Hasher>(&self, state: &mut H) {
        mem::discriminant(&self.code).hash(state);
        self.modifiers.bits().hash(state);
        if let KeyCode::Char(c) = self.code {
            c.hash(state);
        }
    }
}

impl Chord {
    pub(crate) fn from_key(key: KeyEvent) -> Self {
        let mut modifiers =
            key.modifiers & (Modifiers::CONTROL | Modifiers::ALT | Modifiers::SHIFT | Modifiers::SUPER);
        let code = match key.code {
            KeyCode::BackTab => {
                modifiers |= Modifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(c) => {
                let is_control = modifiers.contains(Modifiers::CONTROL);
                let is_shifted = modifiers.contains(Modifiers::SHIFT);
                modifiers -= Modifiers::SHIFT;
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

    /// Reads `ctrl+x`, `shift+enter`, `pgup`, `?`. Says what is wrong with anything else.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (modifiers, name) = split(text)?;
        let code = code(text, name)?;
        let chord = Self::from_key(KeyEvent::new(code, modifiers));
        chord.check(text, modifiers)?;
        Ok(chord)
    }

    /// Refuses what terminals cannot tell from another key.
    fn check(self, text: &str, written: Modifiers) -> Result<(), String> {
        let KeyCode::Char(c) = self.code else {
            return Ok(());
        };
        let is_control = written.contains(Modifiers::CONTROL);
        if !is_control {
            return Ok(());
        }
        let same = match c {
            'i' => Some("tab"),
            'm' => Some("enter"),
            '[' => Some("esc"),
            _ => None,
        };
        if let Some(same) = same {
            return Err(format!("terminals send `{text}` as `{same}`; write that"));
        }
        if written.contains(Modifiers::SHIFT) && c.is_alphabetic() {
            let plain = text.to_lowercase().replacen("shift+", "", 1);
            return Err(format!("terminals send `{text}` as `{plain}`; write that"));
        }
        Ok(())
    }

    /// Returns true if every terminal can send it, and not only one that reports modifiers of all keys.
    pub(crate) fn is_universal(self) -> bool {
        let (control, alt, shift) = (
            self.modifiers.contains(Modifiers::CONTROL),
            self.modifiers.contains(Modifiers::ALT),
            self.modifiers.contains(Modifiers::SHIFT),
        );
        if self.modifiers.contains(Modifiers::SUPER) {
            return false;
        }
        match self.code {
            KeyCode::Enter | KeyCode::Backspace => !control && !shift,
            KeyCode::Escape => self.modifiers.is_empty(),
            KeyCode::Tab => !control && !alt,
            KeyCode::Char(c) if control => c.is_ascii_lowercase() || matches!(c, ' ' | '_' | ']' | '\\'),
            _ => true,
        }
    }

    /// Returns true if it types a character where text is taken.
    pub(crate) fn types(self) -> bool {
        matches!(self.code, KeyCode::Char(_)) && self.modifiers.is_empty()
    }
}

fn split(text: &str) -> Result<(Modifiers, &str), String> {
    let mut modifiers = Modifiers::NONE;
    let mut rest = text;
    // The last `+` may be the key itself.
    while let Some((word, after)) = rest.split_once('+').filter(|(word, _)| !word.is_empty()) {
        let modifier = match word.to_lowercase().as_str() {
            "ctrl" | "control" => Modifiers::CONTROL,
            "alt" | "option" | "meta" => Modifiers::ALT,
            "shift" => Modifiers::SHIFT,
            "super" | "cmd" => Modifiers::SUPER,
            _ => {
                return Err(format!(
                    "`{word}` in `{text}` is not a modifier; use `ctrl`, `alt`, `shift` and `super`"
                ));
            }
        };
        if modifiers.contains(modifier) {
            return Err(format!("`{text}` has `{word}` twice"));
        }
        modifiers |= modifier;
        rest = after;
    }
    Ok((modifiers, rest))
}

/// Keys with names, and how they are written.
const NAMES: [(&str, KeyCode); 16] = [
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Escape),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("plus", KeyCode::Char('+')),
];

/// Names that other programs write.
const ALIASES: [(&str, &str); 7] = [
    ("return", "enter"),
    ("escape", "esc"),
    ("del", "delete"),
    ("ins", "insert"),
    ("pageup", "pgup"),
    ("pagedown", "pgdn"),
    ("bs", "backspace"),
];

fn code(text: &str, name: &str) -> Result<KeyCode, String> {
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (None, _) if text.is_empty() => return Err("a key is empty; write `none` for no key".to_owned()),
        (None, _) => return Err(format!("`{text}` has no key after its modifiers")),
        (Some(only), None) if !only.is_control() && !only.is_whitespace() => {
            return Ok(KeyCode::Char(only));
        }
        _ => {}
    }
    let lower = name.to_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == lower);
    let wanted = alias.map_or(lower.as_str(), |(_, name)| *name);
    if let Some((_, code)) = NAMES.iter().find(|(name, _)| *name == wanted) {
        return Ok(*code);
    }
    let number = wanted.strip_prefix('f').and_then(|number| number.parse().ok());
    if let Some(number @ 1..=12) = number {
        return Ok(KeyCode::Function(number));
    }
    let near = NAMES
        .iter()
        .map(|(name, _)| (strsim::levenshtein(wanted, name), *name));
    Err(match near.min() {
        _ if text.contains(char::is_whitespace) => format!(
            "`{text}` is not a key; write one key, or `leader` and one key after it, and several keys as a list"
        ),
        Some((1..=2, name)) => format!("`{text}` is not a key; did you mean `{name}`?"),
        _ => format!(
            "`{text}` is not a key; keys are written like `x`, `ctrl+x`, `alt+enter`, `f2`, `pgup` or `leader x`"
        ),
    })
}

/// The spelling that [`Chord::parse`] reads and hints show.
impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, word) in [
            (Modifiers::CONTROL, "ctrl+"),
            (Modifiers::ALT, "alt+"),
            (Modifiers::SHIFT, "shift+"),
            (Modifiers::SUPER, "super+"),
        ] {
            if self.modifiers.contains(modifier) {
                f.write_str(word)?;
            }
        }
        if let Some((name, _)) = NAMES
            .iter()
            .find(|(name, code)| *code == self.code && *name != "plus")
        {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Function(number) => write!(f, "f{number}"),
            KeyCode::Char(c) => write!(f, "{c}"),
            // Nothing else can be written, so nothing else is bound.
            other => write!(f, "{other:?}"),
        }
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

    fn chord(code: KeyCode, modifiers: Modifiers) -> Chord {
        Chord::from_key(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn one_key_has_one_spelling() {
        let control = Modifiers::CONTROL;
        let shift = Modifiers::SHIFT;
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
            ("+", chord(KeyCode::Char('+'), Modifiers::NONE)),
        ] {
            assert_eq!(Chord::parse(parsed), Ok(reported), "{parsed}");
        }
    }

    #[test]
    fn a_key_that_is_none_is_told_what_is_wrong() {
        for (written, message) in [
            ("", "a key is empty; write `none` for no key"),
            ("ctrl+", "`ctrl+` has no key after its modifiers"),
            ("ctrl+entr", "`ctrl+entr` is not a key; did you mean `enter`?"),
            (
                "hyper+x",
                "`hyper` in `hyper+x` is not a modifier; use `ctrl`, `alt`, `shift` and `super`",
            ),
            ("ctrl+ctrl+x", "`ctrl+ctrl+x` has `ctrl` twice"),
            ("ctrl+i", "terminals send `ctrl+i` as `tab`; write that"),
            (
                "ctrl+shift+p",
                "terminals send `ctrl+shift+p` as `ctrl+p`; write that",
            ),
            (
                "ctrl+x p",
                "`ctrl+x p` is not a key; write one key, or `leader` and one key after it, and several keys as a list",
            ),
            (
                "f13",
                "`f13` is not a key; keys are written like `x`, `ctrl+x`, `alt+enter`, `f2`, `pgup` or `leader x`",
            ),
        ] {
            assert_eq!(Chord::parse(written), Err(message.to_owned()), "{written}");
        }
        for (written, same) in [
            ("Ctrl+PageUp", "ctrl+pgup"),
            ("Return", "enter"),
            ("alt++", "alt+plus"),
        ] {
            assert_eq!(Chord::parse(written), Chord::parse(same), "{written}");
        }
    }

    #[test]
    fn some_keys_are_reported_by_some_terminals_alone() {
        for key in [
            "shift+enter",
            "ctrl+enter",
            "ctrl+tab",
            "super+k",
            "ctrl+1",
            "shift+backspace",
        ] {
            assert!(!Chord::parse(key).unwrap().is_universal(), "{key}");
        }
        for key in [
            "enter",
            "alt+enter",
            "shift+tab",
            "ctrl+j",
            "ctrl+_",
            "ctrl+left",
            "G",
            "f5",
            "shift+up",
        ] {
            assert!(Chord::parse(key).unwrap().is_universal(), "{key}");
        }
    }

    #[test]
    fn only_bare_characters_are_typed() {
        assert_eq!(
            typed(KeyEvent::new(KeyCode::Char('é'), Modifiers::NONE)),
            Some('é')
        );
        assert_eq!(
            typed(KeyEvent::new(KeyCode::Char('A'), Modifiers::SHIFT)),
            Some('A')
        );
        assert_eq!(typed(KeyEvent::new(KeyCode::Char('a'), Modifiers::ALT)), None);
        assert_eq!(typed(KeyEvent::new(KeyCode::Enter, Modifiers::NONE)), None);
    }
}
