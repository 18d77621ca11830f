//! Answers of the terminal to queries.
//!
//! Answers come among the keys, in their own time or never. Those are known by their form alone, so one that nobody waits
//! for any more does no harm.

use super::background::Background;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalAnswer {
    /// To OSC 11. `None`: it could not be read.
    Background(Option<Background>),
    /// To the question about kitty's pictures: whether it draws them.
    KittyPictures(bool),
    /// To DA1: whether it draws sixel pictures.
    Sixel(bool),
    /// Pixels of a cell: columns and rows of them.
    CellSize(u16, u16),
}

/// Strings that answers begin with, and how long these are at most.
const STRINGS: &[(&str, usize)] = &[
    ("\x1b]11;rgb:", 40),
    ("\x1b]11;rgba:", 50),
    ("\x1b]11;#", 40),
    // Why there are no pictures may be told in a sentence; the number is the question's.
    (KITTY_PICTURES, 400),
];
const KITTY_PICTURES: &str = "\x1b_Gi=31;";
/// In DA1's list, says that sixel pictures are drawn.
const SIXEL: &str = "4";

impl TerminalAnswer {
    /// Returns true if these bytes, from `ESC ]` or `ESC _` on and without a terminator, may be an answer or its
    /// beginning.
    pub(super) fn may_begin_with(bytes: &[u8]) -> bool {
        STRINGS.iter().any(|(begin, longest)| {
            let begin = begin.as_bytes();
            bytes.len() <= *longest && (begin.starts_with(bytes) || bytes.starts_with(begin))
        })
    }

    /// Reads a string, from `ESC ]` or `ESC _` on and without its terminator.
    pub(super) fn in_string(bytes: &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?;
        if let Some(said) = text.strip_prefix(KITTY_PICTURES) {
            return Some(Self::KittyPictures(said == "OK"));
        }
        let colour = text.strip_prefix("\x1b]11;")?;
        Some(Self::Background(Background::from_colour(colour)))
    }

    /// Reads a control sequence, from `ESC [` to its last character.
    pub(super) fn in_sequence(bytes: &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?.strip_prefix("\x1b[")?;
        if let Some(attributes) = text.strip_prefix('?') {
            let mut attributes = attributes.strip_suffix('c')?.split(';');
            return Some(Self::Sixel(attributes.any(|attribute| attribute == SIXEL)));
        }
        let size = text.strip_prefix("6;")?.strip_suffix('t')?;
        let (height, width) = size.split_once(';')?;
        let (width, height) = (width.parse().ok()?, height.parse().ok()?);
        (width > 0 && height > 0).then_some(Self::CellSize(width, height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_tell_of_pictures_and_cells() {
        for (sequence, answer) in [
            ("\x1b[?62;4;22c", Some(TerminalAnswer::Sixel(true))),
            ("\x1b[?4c", Some(TerminalAnswer::Sixel(true))),
            ("\x1b[?64;1;14;22;44c", Some(TerminalAnswer::Sixel(false))),
            ("\x1b[?6c", Some(TerminalAnswer::Sixel(false))),
            ("\x1b[6;20;10t", Some(TerminalAnswer::CellSize(10, 20))),
            ("\x1b[6;0;10t", None),
            ("\x1b[4;20;10t", None),
            ("\x1b[1;5A", None),
            ("\x1b[?0u", None),
        ] {
            assert_eq!(
                TerminalAnswer::in_sequence(sequence.as_bytes()),
                answer,
                "{sequence:?}"
            );
        }
    }

    #[test]
    fn strings_tell_of_the_background_and_of_pictures() {
        for (string, answer) in [
            (
                "\x1b]11;rgb:0000/0000/0000",
                Some(TerminalAnswer::Background(Some(Background::Dark))),
            ),
            ("\x1b]11;#fff", Some(TerminalAnswer::Background(None))),
            ("\x1b_Gi=31;OK", Some(TerminalAnswer::KittyPictures(true))),
            (
                "\x1b_Gi=31;ENOTSUPPORTED:no",
                Some(TerminalAnswer::KittyPictures(false)),
            ),
            ("\x1b_Gi=32;OK", None),
        ] {
            assert_eq!(TerminalAnswer::in_string(string.as_bytes()), answer, "{string:?}");
        }
        assert!(TerminalAnswer::may_begin_with(b"\x1b]"));
        assert!(TerminalAnswer::may_begin_with(b"\x1b]11;rgb:00"));
        assert!(!TerminalAnswer::may_begin_with(b"\x1b]1x"));
        assert!(!TerminalAnswer::may_begin_with(
            &[b"\x1b]11;rgb:".as_slice(), &[b'0'; 60]].concat()
        ));
    }
}
