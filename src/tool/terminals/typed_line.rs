//! The line that is being typed to a shell, so that it can be judged as a command before Enter runs it.

/// Text of a line so far, as far as it follows from what was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedLine {
    text: String,
    /// Keys have edited it in a way that only the shell knows: history, completion, a moved cursor.
    is_edited: bool,
}

/// A line that Enter has completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedLine {
    pub text: String,
    /// False if keys have edited it: then the shell runs something else than `text`.
    pub is_known: bool,
}

impl TypedLine {
    /// Takes bytes as they are typed and returns the lines that they complete. Empty lines are left out.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<CompletedLine> {
        let typed = String::from_utf8_lossy(bytes);
        let mut completed = Vec::new();
        for character in typed.chars() {
            match character {
                // Ctrl-O too has readline run the line.
                '\r' | '\n' | '\u{f}' => {
                    let TypedLine { text, is_edited } = std::mem::take(self);
                    if is_edited || !text.trim().is_empty() {
                        completed.push(CompletedLine {
                            is_known: !is_edited && !expands_history(&text),
                            text,
                        });
                    }
                }
                // Ctrl-C gives the line up.
                '\u{3}' => *self = Self::default(),
                // Backspace and Ctrl-U at the end of a known line.
                '\u{7f}' | '\u{8}' if !self.is_edited => drop(self.text.pop()),
                '\u{15}' if !self.is_edited => self.text.clear(),
                control if control.is_control() => self.is_edited = true,
                printable => self.text.push(printable),
            }
        }
        completed
    }

    /// Takes bytes that the person typed, of which nothing is kept: the line is not known until it begins anew.
    pub fn forget(&mut self, bytes: &[u8]) {
        let begins_anew = |byte: &u8| matches!(byte, b'\r' | b'\n' | 3);
        let rest = match bytes.iter().rposition(begins_anew) {
            Some(last) => {
                *self = Self::default();
                &bytes[last + 1..]
            }
            None => bytes,
        };
        self.is_edited |= !rest.is_empty();
    }
}

/// Returns true if an interactive shell may put earlier lines into this one (`!!`, `!$`, `^a^b`).
fn expands_history(line: &str) -> bool {
    let mut characters = line.chars().peekable();
    let is_reference =
        |next: Option<&char>| next.is_some_and(|next| !next.is_whitespace() && !"=(".contains(*next));
    let mut found = line.trim_start().starts_with('^');
    while let Some(character) = characters.next() {
        found |= character == '!' && is_reference(characters.peek());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(typed: &[&str]) -> Vec<(String, bool)> {
        let mut line = TypedLine::default();
        let completed = typed.iter().flat_map(|piece| line.take(piece.as_bytes()));
        completed.map(|line| (line.text, line.is_known)).collect()
    }

    #[test]
    fn a_line_is_put_together_from_several_sends() {
        assert_eq!(lines(&["rm -r", "f x", "\r"]), [("rm -rf x".to_owned(), true)]);
        assert_eq!(
            lines(&["a\nb\r\nc"]),
            [("a".to_owned(), true), ("b".to_owned(), true)]
        );
        assert_eq!(lines(&["  \r\r"]), []);
    }

    #[test]
    fn simple_corrections_are_followed() {
        assert_eq!(lines(&["lss\u{7f} x\r"]), [("ls x".to_owned(), true)]);
        assert_eq!(
            lines(&["rm x\u{15}ls\r", "rm\u{3}pwd\r"]),
            [("ls".to_owned(), true), ("pwd".to_owned(), true)]
        );
    }

    #[test]
    fn a_line_that_the_person_began_is_not_known() {
        let mut line = TypedLine::default();
        line.forget(b"rm -rf ");
        let completed = line.take(b"build\r");
        assert_eq!((completed.len(), completed[0].is_known), (1, false));
        line.forget(b"secret\r");
        assert_eq!(line, TypedLine::default());
        line.take(b"ls");
        line.forget(b"\x03");
        assert_eq!(line.take(b"pwd\r")[0].text, "pwd");
    }

    #[test]
    fn a_line_that_keys_have_edited_is_not_known() {
        assert_eq!(lines(&["\u{1b}[A\r"]), [("[A".to_owned(), false)]);
        assert_eq!(lines(&["sudo !!\r"]), [("sudo !!".to_owned(), false)]);
        assert_eq!(lines(&["! true\u{f}"]), [("! true".to_owned(), true)]);
        assert_eq!(
            lines(&["r\t\r", "ls\r"]),
            [("r".to_owned(), false), ("ls".to_owned(), true)]
        );
    }
}
